"""`mstmm response`: its table, its JSON, and its plot."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from cell_models import SLENDER, cantilever
from commands import answer, assert_fits_80_columns, run

ASKED = ("--input", "arm:tip.force_y", "--output", "arm:tip.move_y", "--target", "numpy")


def test_response_is_a_table_json_and_a_plot(tmp_path: Path) -> None:
    """The cantilever of EI = ρA = L = 1: 1/3 at rest, resonances at 3.516 and 22.03 rad/s."""
    pytest.importorskip("matplotlib")
    file, picture = tmp_path / "beam.toml", tmp_path / "bode.svg"
    file.write_text(cantilever(SLENDER))
    found = answer("response", file, "--to", "30", *ASKED, "--plot", picture)
    lines = [x for x in found.splitlines() if not x.startswith("mstmm:")]
    assert max(map(len, lines)) <= 80
    assert lines[1] == "under arm:tip.force_y"
    first, *peaks, _ = [line.split()[1:] for line in lines[4:]]
    assert float(first[2]) == pytest.approx(1 / 3, rel=1e-5)
    assert [float(x[0]) for x in peaks] == pytest.approx([3.51602, 22.03449], abs=0.02)
    assert "<svg" in picture.read_text()
    hertz = ("--from", "1", "--to", "2", "--points", "2", "--hz", "--log", "--json")
    told = json.loads(answer("response", file, *hertz, *ASKED))
    assert told["frequencies"] == pytest.approx([2 * math.pi, 4 * math.pi])
    assert told["units"] == {"output": {"arm:tip.move_y": "m"}, "input": {"arm:tip.force_y": "N"}}
    (values,) = told["transfers"]["arm:tip.move_y"].values()
    assert values[0][1] == 0.0


def test_a_waterfall_is_a_response_at_each_value(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "falls.svg"
    given = ("response", "cart-pole", "--input", "cart", "--output", "qpole", "--target", "numpy")
    given += ("--from", "1", "--to", "3", "--points", "7")
    falls = (*given, "--waterfall", "g=5:10:2")
    assert_fits_80_columns(answer(*falls, "--plot", picture))
    assert "<svg" in picture.read_text("utf-8")
    found = json.loads(answer(*falls, "--json"))
    alone = json.loads(answer(*given, "--set", "g=10", "--json"))
    (lines,) = found["outputs"].values()
    (line,) = alone["transfers"]["qpole"].values()
    assert [x for x, _ in lines[1]] == pytest.approx([x for x, _ in line])
    assert [x for x, _ in lines[0]] != pytest.approx([x for x, _ in line])


def test_what_response_does_not_take_is_told() -> None:
    for given, said in (
        (("--from", "2", "--to", "1", "--input", "cart"), "0 ≤ from < to"),
        (("--to", "1", "--input", "carts"), "there is no input 'carts'"),
    ):
        found = run("response", "cart-pole", *given, "--target", "numpy")
        assert (found.exit_code, said in found.output) == (2, True), found.output

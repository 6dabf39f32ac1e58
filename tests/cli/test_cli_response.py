"""`mstmm response`: its table, its JSON, and its plot."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from cell_models import SLENDER, cantilever
from commands import answer, run

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


def test_what_response_does_not_take_is_told() -> None:
    for given, said in (
        (("--from", "2", "--to", "1", "--input", "cart"), "0 ≤ from < to"),
        (("--to", "1", "--input", "carts"), "there is no input 'carts'"),
    ):
        found = run("response", "cart-pole", *given, "--target", "numpy")
        assert (found.exit_code, said in found.output) == (2, True), found.output

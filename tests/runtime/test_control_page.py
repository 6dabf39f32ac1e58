"""docs/control.md: its table and its commands; its code runs in tests/test_documents.py."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from compiler import needs_compiler
from places import ROOT
from typer.testing import CliRunner

import mstmm
from mstmm.cli.app import app
from mstmm.model.files.toml import from_text

PAGE = (ROOT / "docs" / "control.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_table_of_the_page_is_read() -> None:
    (text,) = blocks("toml")
    rest = """
name = "cart"
dimension = 2
gravity = [0, -9.81]
[parameters]
b = 0.1
[bodies.cart]
mass = 1
inertia = 0
points.O = {}
"""
    model = from_text(rest + text)
    assert [(x.name, x.default) for x in model.inputs] == [("u", 0), ("valve", 0.5)]
    assert [x.unit for x in model.inputs] == ["N", ""]


@needs_compiler
def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("push.csv").write_text("t,u\n0,0\n0.5,3\n1,0\n")
    lines = [line for text in blocks("console") for line in text.splitlines()]
    assert len(lines) == 2
    for line in lines:
        done = CliRunner().invoke(app, shlex.split(line)[2:])
        assert done.exit_code == 0, done.output
        assert Path("run.csv").read_text().startswith("time,qcart")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--input", "u"], "write NAME=NUMBER"),
        (["--input", "u=1", "--input", "u=2"], "u is given twice"),
        (["--input", "u=@none.csv"], "cannot read none.csv"),
        (["--input", "u=@odd.csv"], "row 2 of the numbers is no time and value"),
        (["--input", "u=2", "--period", "0.1"], "--period is of the expressions"),
        (["--input", "x=2"], "there is no input 'x'"),
    ],
)
def test_options_that_are_refused(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd.csv").write_text("0,0\n1,b\n")
    given = ["simulate", "cart-pole", "--t-end", "0.1", "-o", "run.csv", "--target", "numpy"]
    done = CliRunner().invoke(app, [*given, *options])
    assert done.exit_code != 0
    assert said in str(done.exception) + done.output


def test_runs_say_that_inputs_act(tmp_path: Path) -> None:
    """What is driven changes its energy, and no warning is given of that."""
    solver = mstmm.compile("cart-pole", target="numpy")
    run = solver.simulate(t_end=0.01, inputs={"u": 1.0})
    run.save(tmp_path / "run.csv")
    titles, *rows = (tmp_path / "run.csv").read_text().splitlines()
    assert titles.endswith("energy,input_u")
    assert all(row.endswith(",1.0") for row in rows)

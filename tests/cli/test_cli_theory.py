"""The commands that show models and derivations."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from commands import answer, assert_fits_80_columns, run

import mstmm
from mstmm.errors import DerivationError
from mstmm.model import MODELS

S2 = [
    ["a*m*sin(theta1)", "-a*m*cos(theta1)", "4*a**2*m/3"],
    ["-m", "0", "-a*m*sin(theta1)"],
    ["0", "-m", "a*m*cos(theta1)"],
]


def test_models() -> None:
    text = answer("models")
    assert_fits_80_columns(text)
    for line in text.splitlines():
        mstmm.load(line.split()[0])
    found = json.loads(answer("models", "--json"))
    assert [model["name"] for model in found] == list(MODELS)
    assert found[1]["argument"] == "N"
    assert found[1]["default"] == 999


@pytest.mark.parametrize(
    "asked", [("--symbol", "S2"), ("--equation", "39"), ("--symbol", "S2", "--equation", "(39)")]
)
def test_s2_as_json(asked: Sequence[str]) -> None:
    text = answer("derive", "branch-pendulum", *asked, "--format", "json")
    found = json.loads(text)
    assert found.pop("steps")[-1] == "S2 (39)"
    assert found == {
        "symbol": "S2",
        "equation": "39",
        "verdict": "equals the print of (39)",
        "matrix": S2,
        "printed": S2,
    }
    assert text == answer("derive", "branch-pendulum", *asked, "--json")


def test_an_equation_of_several_results_shows_them_all_in_order() -> None:
    asked = ("derive", "branch-pendulum", "--equation", "54")
    found = json.loads(answer(*asked, "--json"))
    assert [entry["symbol"] for entry in found] == ["geo1", "geo2"]
    for entry in found:
        alone = answer("derive", "branch-pendulum", "--symbol", entry["symbol"], "--json")
        assert json.loads(alone) == entry
    for shown_as in ("text", "latex"):
        # The marks of all are told once, at the end.
        every, *both = (
            answer(*x, "--format", shown_as).partition("\nMarks:\n")[0]
            for x in (
                asked,
                *(("derive", "branch-pendulum", "--symbol", name) for name in ("geo1", "geo2")),
            )
        )
        assert every == "\n".join(both)


def test_every_equation_can_be_asked_for_in_a_form() -> None:
    for form, rank in (("printed", "7"), ("completed", "9")):
        text = answer("derive", "branch-pendulum", "--equation", "59", "--form", form, "--json")
        found = {entry["symbol"]: entry["matrix"] for entry in json.loads(text)}
        assert list(found) == ["Ubar", "b", "rank"]
        assert found["rank"] == [[rank]]


def test_a_result_over_the_budget_hides_no_other() -> None:
    listed = json.loads(answer("derive", "branch-pendulum", "--budget", "300", "--format", "json"))
    over = [x for x in listed if "error" in x]
    assert {x["symbol"] for x in over} >= {"Ubar"}
    assert all("the budget of 300 products" in x["error"] for x in over)
    assert all("tip" not in x["error"] for x in over)
    assert any(x.get("verdict") == "equals the print of (60)" for x in listed)
    table = answer("derive", "branch-pendulum", "--budget", "300")
    assert table.count("the budget of") == 1
    assert len(re.findall(r"none \(1\)", table)) == len(over)


def test_the_budget_is_an_option() -> None:
    asked = ("derive", "rod-chain:n=3", "--symbol", "S[5:O]", "--json")
    result = run(*asked, "--budget", "300")
    assert result.exit_code == DerivationError.exit_code
    assert "the budget of 300 products" in result.stderr
    assert json.loads(answer(*asked, "--budget", "20000"))["symbol"] == "S[5:O]"


def test_e2_as_json_is_equation_40() -> None:
    found = json.loads(answer("derive", "branch-pendulum", "--symbol", "e2", "--json"))
    m, a, g, theta, omega = sp.symbols("m a g theta1 omega1")
    expected = [
        -m * g * a * sp.cos(theta),
        -m * a * omega**2 * sp.cos(theta),
        -m * g - m * a * omega**2 * sp.sin(theta),
    ]
    assert found["equation"] == "40"
    for [entry], wanted in zip(found["matrix"], expected, strict=True):
        assert sp.expand(sp.parse_expr(entry) - wanted) == 0


def test_every_entry_of_every_result_is_read_back_by_sympy() -> None:
    """SymPy orders products anew as it reads, so values are compared, at one point."""
    for result in mstmm.derive("branch-pendulum").results:
        texts = itertools.chain(*result.record()["matrix"])
        for entry, text in zip(result.matrix, texts, strict=True):
            read = sp.parse_expr(text)
            names = {symbol.name for symbol in entry.free_symbols}
            assert {symbol.name for symbol in read.free_symbols} == names, result.symbol
            at = {name: 1 + sp.Rational(k, 7) for k, name in enumerate(sorted(names))}
            found = [
                sp.N(x.xreplace({symbol: at[symbol.name] for symbol in x.free_symbols}), 30)
                for x in (entry, read)
            ]
            assert found[0] == pytest.approx(found[1], rel=1e-25), (result.symbol, text)


def test_s2_as_text() -> None:
    text = answer("derive", "branch-pendulum", "--symbol", "S2")
    assert text.splitlines()[0] == "S2  (39): S behind rod 1"
    assert "Verdict: equals the print of (39)." in text
    assert "[ -m               0                 -a*m*sin(theta1) ]" in text
    assert "3. free tip: z_a = (m, q) = 0, so S1 = 0 and e1 = 0 (34)" in text
    assert "  [ 1  0  2*a*sin(theta1)  ]" in text  # P1, on the way
    assert "The print has" not in text
    assert_fits_80_columns(text)


def test_a_print_that_differs_stands_beside_what_is_derived() -> None:
    text = answer("derive", "branch-pendulum", "--equation", "52", "--symbol", "Uhat8_I1")
    _, head, _, table, *_, matrix, marks = text.split("\n\n")
    assert "differs from the print of (52)" in " ".join(head.split())
    assert [line.split() for line in table.splitlines()] == [
        ["as", "printed", "as", "derived"],
        ["(3,5)", "3*sin(theta7)/(2*a*m)", "3*sin(theta7)/(a*m)"],
        ["(3,6)", "-3*cos(theta7)/(2*a*m)", "-3*cos(theta7)/(a*m)"],
    ]
    assert "3*sin(theta7)/(a*m)  -3*cos(theta7)/(a*m)" in matrix
    assert "X5: (52), row 3" in marks


def columns(text: str, first: str, second: str) -> dict[str, tuple[str, str]]:
    """The entries of the table whose columns have these heads, by their places."""
    lines = text.splitlines()
    start = next(k for k, line in enumerate(lines) if line.split() == f"{first} {second}".split())
    middle, place = lines[start].index(second), ""
    found: dict[str, tuple[str, str]] = {}
    for line in itertools.takewhile(str.strip, lines[start + 1 :]):
        place = line[:7].strip() or place
        cells = found.get(place, ("", ""))
        found[place] = (cells[0] + line[7:middle].strip(), cells[1] + line[middle:].strip())
    return found


@pytest.mark.parametrize(("equation", "symbol"), [("46", "S3"), ("47", "e3")])
def test_the_print_stands_beside_the_completed_form(equation: str, symbol: str) -> None:
    text = answer("derive", "branch-pendulum", "--equation", equation)
    assert_fits_80_columns(text)
    assert text.startswith(f"{symbol}  ({equation})  as printed, and completed\n")
    derivation = mstmm.derive("branch-pendulum")
    printed, completed = (derivation.find(symbol, form=f) for f in ("printed", "completed"))
    assert printed.printed is not None
    shown = columns(text, "as printed", "completed form")
    for (i, j), entry in np.ndenumerate(np.array(printed.printed)):
        cells = shown[f"({i + 1},{j + 1})"]
        for cell, wanted in zip(cells, (entry, completed.matrix[i, j]), strict=True):
            assert cell.replace(" ", "") == str(wanted).replace(" ", "")
    assert set(columns(text, "as printed", "as derived")) == {
        f"({i + 1},{j + 1})" for i, j in printed.verdict.places
    }
    assert f"{symbol}  ({equation})  completed form" in text


def test_a_form_that_the_paper_does_not_print_stands_beside_the_completed_one() -> None:
    text = answer("derive", "branch-pendulum", "--symbol", "rank")
    assert columns(text, "printed form", "completed form") == {"(1,1)": ("7", "9")}


def test_a_wide_matrix_is_listed_by_entries() -> None:
    for form in ("printed", "completed"):
        text = answer("derive", "branch-pendulum", "--symbol", "S3", "--form", form)
        assert_fits_80_columns(text)
        assert text.startswith(f"S3  (46)  {form} form: ")
        assert ("\n    (1,2)  " in text) == (form == "printed")
    text = answer("derive", "branch-pendulum", "--symbol", "U7")
    entries = re.findall(r"^ *\(", text, re.MULTILINE)
    assert f"7 x 10, all but these {len(entries)} zero:" in text


def test_an_end_of_any_model_has_coefficients() -> None:
    found = json.loads(answer("derive", "branch-system:N=99", "--symbol", "S[1:O]", "--json"))
    assert found["matrix"] == S2


def test_s2_as_latex() -> None:
    text = answer("derive", "branch-pendulum", "--symbol", "S2", "--format", "latex")
    *comments, formula = text.splitlines()
    assert all(line.startswith("% ") for line in comments)
    assert "% Verdict: equals the print of (39)." in comments
    assert formula.startswith(r"\mathbf{S}_{2}=\begin{bmatrix} m a \sin \left({\theta}_{1}\right)")


def test_all_results_are_listed_with_their_verdicts() -> None:
    text = answer("derive", "branch-pendulum")
    assert_fits_80_columns(text)
    found = json.loads(answer("derive", "branch-pendulum", "--json"))
    by_name = {(entry["symbol"], entry["form"]): entry for entry in found}
    assert by_name["S2", "both"] == {
        "symbol": "S2",
        "equation": "39",
        "form": "both",
        "verdict": "equals the print of (39)",
    }
    assert by_name["S3", "printed"]["verdict"].startswith("differs from the print of (46)")
    for symbol, _ in by_name:
        assert f"\n {symbol} " in text


@pytest.mark.parametrize(
    ("ending", "begins"), [("html", "<!doctype html>"), ("tex", "% !tex program"), ("txt", "rod")]
)
def test_a_derivation_is_written_as_its_file_is_called(
    tmp_path: Path, ending: str, begins: str
) -> None:
    path = tmp_path / f"rod.{ending}"
    answer("derive", "rod-chain:n=1", "-o", path)
    assert path.read_text("utf-8").lower().startswith(begins)
    answer("derive", "rod-chain:n=1", "--format", "text", "-o", path)
    assert path.read_text("utf-8").startswith("rod")

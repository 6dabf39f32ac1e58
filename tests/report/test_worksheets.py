"""Worksheets: what is blank is asked, and an answer is right in any form that is equal."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import run

import mstmm
from mstmm.report.documents.document import Formula
from mstmm.report.state import state_of
from mstmm.report.worksheet import BLANK, Worksheet, state_with_speeds, steps


@pytest.fixture(scope="module")
def body() -> Worksheet:
    derived = mstmm.derive("branch-pendulum")
    return Worksheet(derived, state_of(derived.model, "theta3=0.4, omega3=2"), 7)


@pytest.fixture(scope="module")
def hinge() -> Worksheet:
    derived = mstmm.derive("double-pendulum")
    state = state_of(derived.model, "q1=0.3, q2=0.5, u1=1, u2=-2")
    names = steps(derived, state)
    first = next(k for k, name in enumerate(names, start=1) if "Riccati recursion" in name)
    return Worksheet(derived, state, first)


def test_the_exercise_has_blanks_where_the_solution_has_formulas(body: Worksheet) -> None:
    given = {b.name: b for b in body.exercise("").sections[1].blocks if isinstance(b, Formula)}
    found = {b.name: b for b in body.solution("").sections[1].blocks if isinstance(b, Formula)}
    assert given["IA"].value[0, 0] == BLANK
    assert given["IA"].value[0, 1] == 0
    assert given["IA"].numbers is None
    assert BLANK not in found["IA"].value.free_symbols
    asked = {name for name, *_ in body.blanks()}
    assert {"IA11", "IA13", "pA1", "h2"} <= asked
    assert "IA12" not in asked


@pytest.mark.parametrize(
    ("entry", "answer", "right"),
    [
        ("IA11", "m", True),
        ("IA13", "-h2", True),
        ("IA13", "m*a*s", True),
        ("IA13", "m*a*s_3*(c**2 + s**2)", True),
        ("IA13", "-m*a*s", False),
        ("IA13", "m*a*sin(0.4)", False),
        ("IA33", "4*m*a**2/3", True),
        ("IA33", "0.3333", True),
        ("IA33", "0.334", False),
        ("pA1", "-h1*omega3**2", True),
        ("pA1", "-h1*4", False),
        ("IA13", "m*a*sin(theta3)", True),
        ("pA1", "-h1*omega3*omega1", False),
        ("pA2", "1/0*m", None),
    ],
)
def test_answers_in_any_form(body: Worksheet, entry: str, answer: str, right: bool | None) -> None:
    if right is None:
        assert body.check({entry: answer})[0].sentence.startswith("not readable: ")
    else:
        assert body.check({entry: answer})[0].ok is right


def test_every_solution_is_right_by_its_own_judge(body: Worksheet, hinge: Worksheet) -> None:
    for sheet in (body, hinge):
        answers = {
            name: str(sheet.statements[k].value[at])
            for name, k, at in sheet.blanks()
            if sheet.statements[k].matrix is None
        }
        assert len(answers) > 3
        assert [x for x in sheet.check(answers) if not x.ok] == []


def test_what_is_no_answer_is_marked_and_hides_no_other(body: Worksheet) -> None:
    marked = body.check(
        {"IA12": "0", "nope": "1", "pA1": "__import__('os')", "pA2": "", "IA11": "m", "IA13": "h^2"}
    )
    assert [x.entry for x in marked if x.ok] == ["IA11"]
    sentences = {x.entry: x.sentence for x in marked}
    assert sentences["nope"].startswith("not asked")
    for entry in ("pA1", "pA2", "IA13"):
        assert sentences[entry].startswith("not readable: ")


def test_without_a_state_a_worksheet_moves() -> None:
    """At rest a zero would pass for each centrifugal term."""
    for name, moves in (("branch-pendulum", True), ("four-bar", False)):
        model = mstmm.load(name)
        assert all(state_with_speeds(model, None).v) is moves
        assert state_with_speeds(model, "t=0").v == model.v0


@pytest.mark.parametrize(
    ("format", "ending"), [("html", "html"), ("latex", "tex"), ("markdown", "md")]
)
def test_the_command_writes_and_judges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: str, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    at = ("--at", "theta3=0.4, omega3=2")
    made = run("worksheet", "branch-pendulum", "--step", "7", "--format", format, *at)
    assert made.exit_code == 0, made.stderr
    file = f"branch-pendulum-step-7.{ending}"
    assert (tmp_path / f"branch-pendulum-step-7-solution.{ending}").exists()
    good = run("check-answer", file, "IA13=m*a*s_3", "pA3=-0.5*9.81*c_3", "IA13=m*a*s")
    assert good.exit_code == 1, good.stdout  # pA3 with the numbers of one state alone
    assert "IA13: right" in good.stdout
    assert "pA3: right for m = 1, a = 0.5, g = 9.81 alone" in good.stdout
    assert run("check-answer", "branch-pendulum@7", "IA13=m*a*s_3").exit_code == 0
    (tmp_path / "other.html").write_text("nothing")
    assert run("check-answer", "other.html", "IA13=1").exit_code == 2

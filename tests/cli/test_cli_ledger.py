"""`mstmm ledger`: the equations of every paper, judged and shown."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import sympy as sp
from commands import answer, assert_fits_80_columns, assert_one_line, run

from mstmm import papers
from mstmm.errors import UsageError, ValidationError
from mstmm.papers import PAPERS, shelf
from mstmm.papers.shelf import entries
from mstmm.symbolic.equations.ledger import Ledger
from mstmm.symbolic.equations.paper import read
from mstmm.symbolic.equations.worlds import World

ROOT = Path(__file__).parents[2]


def test_a_paper_is_a_table_of_verdicts() -> None:
    text = answer("ledger", "--paper", "divide-and-conquer")
    assert_fits_80_columns(text)
    assert "68, below" in text
    assert "93 entries: 65 equals, 24 differs, 4 own" in " ".join(text.split())
    found = json.loads(answer("ledger", "--paper", "divide-and-conquer", "--json"))
    assert [entry["number"] for entry in found] == [
        entry.number for entry in entries("divide-and-conquer")
    ]


def test_an_equation_is_shown_in_full() -> None:
    text = answer("ledger", "--paper", "screw", "--equation", "(51)")
    assert_fits_80_columns(text)
    lines = [line.split(maxsplit=2) for line in text.splitlines()[1:]]
    assert {tuple(line[:2]) for line in lines} >= {
        ("as", "printed"),
        ("as", "derived"),
        ("judged", "at"),
    }
    assert "differs: the print fails; it holds once corrected" in text
    [found] = json.loads(
        answer("ledger", "--paper", "screw", "--equation", "51", "--format", "json")
    )
    assert found["as_printed"] != found["as_derived"]
    assert found["correction"] == "m r̈, not m ṙ"
    assert found["verdict"] == "differs"
    assert found["instants"] == ["slide", "pin"]
    assert found["code"].startswith("papers/screw/screw.eq:")


def test_an_equation_leads_to_the_kernels_and_lines_that_cite_it() -> None:
    text = answer("ledger", "--paper", "riccati", "--equation", "29")
    assert_fits_80_columns(text)
    said = " ".join(text.split())
    [line] = re.findall(r"`(papers/\S+\.eq:\d+)`", (ROOT / "docs/papers.md").read_text("utf-8"))
    assert f"stated in {line}" in said
    stated = dict(re.findall(r"(symbolic/\S+\.py:\d+): (\w+)", said))
    assert {"body_0", "hinge", "link_0", "paper_body_0"} <= {*stated.values()}
    for where in stated:
        file, _, line = where.partition(":")
        assert (ROOT / file).read_text("utf-8").splitlines()[int(line) - 1].startswith("@traced")
    fast, _, paper = said.partition("--form paper")
    assert "branch_pendulum.c:" in paper
    lines = dict.fromkeys(re.findall(r"branch_pendulum\.c:(\d+)", fast))
    emitted = (ROOT / "generated/branch-pendulum/branch_pendulum.c").read_text().splitlines()
    assert lines
    assert {re.search(r"/\* (\w+) =", emitted[int(line) - 1])[1] for line in lines} == {"IA", "IAh"}
    assert all("(29)" in emitted[int(line) - 1] for line in lines)
    assert "accelerate" not in said
    assert "Kernels" not in answer("ledger", "--paper", "screw", "--equation", "51")


@pytest.mark.parametrize(("paper", "number"), [("riccati", "29"), ("screw", "69")])
def test_an_equation_leads_to_the_command_that_derives_it(paper: str, number: str) -> None:
    said = f"Derived by: mstmm derive branch-pendulum --equation {number}\n"
    told = said in answer("ledger", "--paper", paper, "--equation", number)
    assert told == (paper == "riccati")
    if told:
        assert f"({number}): " in answer(*said.removeprefix("Derived by: mstmm ").split())


def test_all_entries_of_a_number_are_shown() -> None:
    found = json.loads(answer("ledger", "--paper", "screw", "--equation", "68", "--json"))
    assert [entry["number"] for entry in found] == ["68", "68, range", "68, program"]
    [one] = json.loads(answer("ledger", "--paper", "screw", "--equation", "68, range", "--json"))
    assert one == found[1]


def test_a_number_that_another_entry_holds_shows_that_one() -> None:
    text = answer("ledger", "--paper", "recursive-formulation", "--equation", "A.14")
    assert_fits_80_columns(text)
    assert text.startswith("recursive-formulation (A.14)  Kane's equations: judged with (2.9)\n")
    assert "recursive-formulation (2.9)" in text


def test_a_definition_says_what_it_defines() -> None:
    asked = ("ledger", "--paper", "screw", "--equation", "(10)")
    assert answer(*asked).startswith("screw (10)  a = diag(q̇_i ad_{X_i})")
    [found] = json.loads(answer(*asked, "--json"))
    assert (found["number"], found["kind"]) == ("10", "defines")


def test_an_account_lists_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    text = answer("ledger", "--account", "--paper", "divide-and-conquer")
    assert_fits_80_columns(text)
    assert "77 numbered: 0 definitions, 77 others, of which 77 (100.0%) have a running check" in (
        " ".join(text.split())
    )
    [found] = json.loads(answer("ledger", "--account", "--paper", "divide-and-conquer", "--json"))
    assert (found["numbered"], found["with_a_running_check"], found["share"]) == (77, 77, 1)
    assert found["rows"][1]["verdict"] == "differs"
    one = "divide-and-conquer"
    for room in (papers, shelf):
        monkeypatch.setattr(room, "PAPERS", {one: PAPERS[one]})
    text = answer("ledger", "--account")
    assert_fits_80_columns(text)
    assert [line.split() for line in text.splitlines() if line.strip().startswith(one)] == [
        [one, "77", "0", "77", "77", "100.0%"]
    ]


def test_an_account_names_what_no_check_runs_for(monkeypatch: pytest.MonkeyPatch) -> None:
    few = read(
        "paper screw: two\nat here\nletter x : one\n(1) one\n    x = 1\n(2) another [open]\n",
        "few.eq",
    )
    monkeypatch.setattr(shelf, "ledger", lambda paper: Ledger(few, lambda name: One()))
    for room in (papers, shelf):
        monkeypatch.setattr(room, "PAPERS", {"screw": "screw"})
    said = " ".join(answer("ledger", "--account", "--paper", "screw").split())
    assert "1 (50.0%) have a running check; without one: (2)" in said
    assert "without a check, screw: (2)" in " ".join(answer("ledger", "--account").split())


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_says_what_it_is_about(paper: str) -> None:
    assert shelf.about(paper)


def test_a_claim_is_judged_where_its_letters_are() -> None:
    asked = ("ledger", "--paper", "riccati", "--equation", "29", "--claim")
    here = answer(*asked, "Sx = (T_11 S_i + T_12) P")
    assert "riccati, at any-1, any-2\n" in here
    there = answer(*asked, "za_bO = Sr_bO zb_bO + er_bO for b in rod")
    assert "riccati, at smooth-1, smooth-2\n" in there
    nowhere = run(*asked, "U_b = U_b U_b")
    assert nowhere.exit_code == UsageError.exit_code
    assert_one_line(nowhere.stderr, "no set 'body'", "that have it are space-1, space-2")


def test_the_documented_entry_is_that_of_the_file() -> None:
    text = (ROOT / "docs/papers.md").read_text("utf-8")
    [shown] = re.findall(r"```\n(\(51\)[^`]*)```", text)
    assert shown in (ROOT / "papers/screw/screw.eq").read_text("utf-8")
    right, printed = (line.strip() for line in shown.splitlines()[1:])
    assert "holds exactly" in answer("ledger", "--paper", "screw", "--claim", right)
    wrong = printed.removeprefix("! ").partition(" | ")[0]
    assert run("ledger", "--paper", "screw", "--claim", wrong).exit_code == 1


def test_a_number_of_several_papers_asks_for_the_paper() -> None:
    result = run("ledger", "--equation", "39")
    assert result.exit_code == UsageError.exit_code
    assert_one_line(result.stderr, "equation 39", "--paper", "riccati, deduction", "screw")
    [found] = json.loads(answer("ledger", "--equation", "C.18", "--json"))
    assert found["paper"] == "recursive-formulation"


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        (("--paper", "nobody"), ("'nobody'", *PAPERS)),
        (("--paper", "screw", "--equation", "200"), ("screw", "200", "1–66")),
        (("--equation", "200"), ("200", "--paper")),
        (("--format", "xml"), ("'xml'", "text, json")),
        (("--format", "html"), ("--output DIR",)),
        (("--account", "--equation", "3"), ("--account is of whole papers",)),
        (("--claim", "a = b", "--format", "html", "-o", "there"), ("--claim", "have no pages")),
        (("--claim", "a = b", "-o", "there"), ("--claim", "have no pages")),
        (("--symbols", "--claim", "a = b"), ("--symbols lists a paper's letters",)),
        (("--symbols", "--equation", "3"), ("--symbols lists a paper's letters",)),
    ],
)
def test_what_is_not_there_is_said(given: tuple[str, ...], parts: tuple[str, ...]) -> None:
    result = run("ledger", *given)
    assert result.exit_code == UsageError.exit_code
    assert_one_line(result.stderr, *parts)


def test_letters_and_marks_of_an_equation_are_explained() -> None:
    shown = run("ledger", "--paper", "riccati", "--equation", "47").stdout
    assert "  N = 3 c₃ c₅ + 3 s₃ s₅ + 2 (46)\n" in shown
    assert "  c_c  a symbol of (47) that the paper does not define\n" in shown
    for text in (shown, run("derive", "branch-pendulum", "--equation", "47").stdout):
        assert "  X4: (47), all three rows, wrong. Printed: an undefined symbol c_c." in text


def test_derive_answers_for_no_other_paper() -> None:
    asked = ("derive", "branch-pendulum", "--equation", "39", "--json")
    assert answer(*asked, "--paper", "riccati") == answer(*asked)
    result = run(*asked, "--paper", "screw")
    assert result.exit_code == UsageError.exit_code
    assert_one_line(result.stderr, "mstmm ledger --paper screw --equation 39")


class One(World):
    def __init__(self) -> None:
        self.letters = {"x": lambda: 1}


def test_an_entry_that_fails_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = read("paper screw\nat here\nletter x : one\n(1) one is two\n    x = 2 x\n", "wrong.eq")
    monkeypatch.setattr(shelf, "ledger", lambda paper: Ledger(wrong, lambda name: One()))
    result = run("ledger", "--paper", "screw")
    assert result.exit_code == ValidationError.exit_code
    assert "fails" in result.stdout
    assert_one_line(result.stderr, "screw (1)", "line 5 differs in 1 of 1: at here: left 1")


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("1 = 1", "says nothing: it names no letter"),
        ("Vb_i = Vb_i", "says nothing: both sides are the same text"),
        ("Vb_i = Vb_i*(1 + 0.000000000000000001/1000000)", "fails in"),
    ],
)
def test_a_claim_that_is_not_borne_out_says_so_once(claim: str, says: str) -> None:
    result = run("ledger", "--paper", "screw", "--claim", claim)
    assert result.exit_code == 1
    assert (result.stdout + result.stderr).count(says) == 1
    if "fails" in says:
        left, right = re.search(r"left (\S+), right (\S+)", result.stderr).groups()
        assert left != right
        assert abs(sp.Float(left, 60) - sp.Float(right, 60)) < 1e-20


def test_pages_of_an_equation_need_a_folder() -> None:
    result = run("ledger", "--paper", "riccati", "--equation", "29", "--format", "html")
    assert result.exit_code == 2
    assert "name it by --output DIR" in result.stderr

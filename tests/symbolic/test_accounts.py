"""The account of each paper: every number once, held by entries that compare something under it."""

from __future__ import annotations

import pytest
import sympy as sp

from mstmm.errors import InternalError
from mstmm.symbolic.exact.ledger import Instant, Sides, ledger
from mstmm.symbolic.ledgers import accounts
from mstmm.symbolic.ledgers.accounts import SAME, Account, Row, holders, judged, rows
from mstmm.symbolic.ledgers.papers import PACKAGES, PAPERS, entries, row

#: How many equations each paper numbers, by chapter or appendix.
LAST = {
    "riccati": {"": 62},
    "deduction": {"": 50},
    "divide-and-conquer": {"": 77},
    "screw": {"": 119},
    "recursive-formulation": {"1.": 6, "2.": 11, "3.": 61, "4.": 17, "A.": 18, "B.": 29, "C.": 46},
}


def table(paper: str) -> tuple[Row, ...]:
    return rows(PACKAGES.get(paper, paper))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_is_there_once_and_in_its_order(paper: str) -> None:
    numbers = [row.number for row in table(paper) if row.numbered]
    last = LAST[paper]
    assert numbers == [f"{chapter}{k}" for chapter, n in last.items() for k in range(1, n + 1)]
    every = [row.number for row in table(paper)]
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_entry_is_in_the_account(paper: str) -> None:
    numbers = {row.number: row for row in table(paper)}
    for entry in entries(paper):
        held = numbers.get(entry.number) or numbers.get(entry.equation)
        held = held or numbers.get(entry.number.rstrip("abc"))
        assert held is not None, entry.number
        assert entry in holders(held, entries(paper)), entry.number


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_names_entries_that_are_there(paper: str) -> None:
    every = entries(paper)
    for held in table(paper):
        assert held.by or held.kind in ("defines", "open"), held
        for name in held.by:
            wanted = name.removeprefix(SAME)
            assert any(wanted in (e.number, e.equation) for e in every), (held.number, name)


def stated(x: int) -> Sides:
    """(1), and (2) with it."""
    one = sp.Matrix([1])
    yield x * one, x * one
    yield "2", 2 * x * one, x * one, x * one


entry = ledger("a paper", Instant("two", lambda: 2), Instant("three", lambda: 3))


def test_a_row_counts_what_is_compared_under_its_number() -> None:
    found = [entry("1", "one", stated)]
    own, other, missing, same = (
        judged(Row(number, "states", (by,), "says"), found)
        for number, by in (("1", "1"), ("2", "1"), ("3", "1"), ("4", "as 1"))
    )
    assert (own.compared, own.running, own.status) == (2, True, "equals")
    assert (other.compared, other.running, other.instants) == (2, True, ("two", "three"))
    assert (missing.compared, missing.running, missing.status) == (0, False, "open")
    assert (same.compared, same.running) == (2, True)
    assert own.sentence() == "the print holds at 2 instants (2 comparisons)"
    account = Account("a paper", (own, missing, judged(Row("5", "defines", (), "x"), found)))
    assert account.share == 1 / 2


def test_an_entry_that_fails_is_no_running_check() -> None:
    def wrong(x: int) -> Sides:
        yield from stated(x)
        yield "2", sp.Matrix([x]), sp.Matrix([x + 1])

    found = judged(Row("2", "states", ("1",), "says"), [entry("1", "one", wrong)])
    assert (found.running, found.status) == (False, "fails")


def test_a_print_that_differs_differs_under_its_own_number_alone() -> None:
    def printed(x: int) -> Sides:
        yield sp.Matrix([x]), sp.Matrix([x + 1])

    found = [entry("1", "one", stated, printed=printed, correction="x, not x + 1")]
    assert judged(Row("1", "states", ("1",), "says"), found).status == "differs"
    assert judged(Row("2", "states", ("1",), "says"), found).status == "equals"


def test_a_table_that_is_none_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Module:
        TABLE = "1 | states | 1"

    monkeypatch.setattr(accounts, "import_module", lambda *_: Module)
    with pytest.raises(InternalError, match="no line of an account"):
        accounts.rows.__wrapped__("none")


def test_a_number_is_found_as_it_is_printed() -> None:
    found = row("recursive-formulation", "(3.3)")
    assert found is not None
    assert found.kind == "defines"
    assert entries("recursive-formulation", "3.3") == ()
    [held] = entries("recursive-formulation", "3.17")
    assert held.number == "3.16"
    assert row("screw", 200) is None

"""The account of each paper: every number once, held by entries that compare something under it."""

from __future__ import annotations

import pytest

from mstmm.papers import PAPERS, ledger
from mstmm.papers.shelf import entries, row
from mstmm.symbolic.equations.account import Account, account, rows
from mstmm.symbolic.equations.ledger import Ledger
from mstmm.symbolic.equations.paper import read
from mstmm.symbolic.equations.worlds import World

#: How many equations each paper numbers, by chapter or appendix.
LAST = {
    "riccati": {"": 62},
    "deduction": {"": 50},
    "divide-and-conquer": {"": 77},
    "screw": {"": 119},
    "recursive-formulation": {"1.": 6, "2.": 11, "3.": 61, "4.": 17, "A.": 18, "B.": 29, "C.": 46},
}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_is_there_once_and_in_its_order(paper: str) -> None:
    table = list(rows(ledger(paper)))
    last = LAST[paper]
    numbers = [f"{chapter}{k}" for chapter, n in last.items() for k in range(1, n + 1)]
    assert [row.number for row in table if row.numbered] == numbers
    assert len({row.number for row in table}) == len(table)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_entry_is_in_the_account(paper: str) -> None:
    found = ledger(paper)
    held = {
        entry.number for row in rows(found) for entry in found.entries_of([row.number, *row.by])
    }
    assert held == {entry.number for entry in found.entries}


class Numbers(World):
    def __init__(self) -> None:
        self.letters = {"x": lambda: 2, "y": lambda: 3}


FILE = """\
paper short: numbers
at one, two
letter x, y : 1×1, a number
(2) a sum
    x + y = 5
(1) a number
    x = 2
    ! x = 3 | 2, not 3
(1, again) the same [text]
    2 x = 4
(3) another place [see 2]
(4) a name [defines]
(5) what nothing tells [open]
(A.1) what is wrong
    x = y
(Sect. 2) of no number [own]
    x y = 6
"""


@pytest.fixture
def short() -> Account:
    return account(Ledger(read(FILE, "short.eq"), lambda name: Numbers()))


def test_an_account_follows_from_the_file(short: Account) -> None:
    found = {
        each.row.number: (each.row.kind, each.status, each.compared, each.running)
        for each in short.rows
    }
    assert found == {
        "1": ("states", "differs", 4, True),
        "2": ("states", "equals", 2, True),
        "3": ("states", "equals", 2, True),
        "4": ("defines", "defines", 0, False),
        "5": ("open", "open", 0, False),
        "A.1": ("states", "fails", 2, False),
        "Sect. 2": ("own", "own", 2, True),
    }
    assert [each.row.number for each in short.rows] == list(found)
    assert short.rows[1].sentence() == "the print holds at 2 instants (2 comparisons)"
    assert short.rows[2].row.by == ("2",)
    assert short.share == 3 / 5


def test_a_number_is_found_as_it_is_printed() -> None:
    found = row("recursive-formulation", "(3.3)")
    assert found is not None
    assert found.kind == "defines"
    [held] = entries("recursive-formulation", "A.14")
    assert held.number == "2.9"
    assert row("screw", 200) is None

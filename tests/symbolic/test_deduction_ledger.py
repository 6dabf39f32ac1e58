"""The deduction paper's equations, one by one, in exact numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

from mstmm.symbolic.exact.ledger import Entry, Instant, compare
from mstmm.symbolic.ledgers.deduction.cases import tree
from mstmm.symbolic.ledgers.deduction.elements import driven, several_transferred
from mstmm.symbolic.ledgers.deduction.flexible import Bent, balanced
from mstmm.symbolic.ledgers.deduction.system import Plan, System
from mstmm.symbolic.ledgers.deduction.theorem import Case
from mstmm.symbolic.ledgers.papers import account, entries
from mstmm.symbolic.mechanics.beams import BENDING, Functions

ENTRIES = entries("deduction")

#: What the text says and is not so.
WRONG = {"below 8", "theorem 5"}


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"({entry.number})")
def test_an_entry_holds_exactly(entry: Entry) -> None:
    wanted = {"display": {"absent"}, "text": {"equals", "differs"}, "own": {"own"}}[entry.kind]
    assert entry.verdict.status in wanted, entry.verdict
    assert (entry.verdict.status == "differs") == (entry.number in WRONG)


def test_every_equation_is_accounted() -> None:
    assert account("deduction").share == 1
    assert len({entry.number for entry in ENTRIES}) == len(ENTRIES)


def test_another_motion_fails() -> None:
    """Transfer equations hold in every motion; what drives the hinges tells the true one."""
    other = Case(tree.state.plan, 3)
    found = other.system.tree
    moved = {x: [*rates[:2], rates[2] + 1] for x, rates in found.rates.items()}
    other.system.tree = replace(found, rates=moved)
    other.system.motion = other.system.tree.motion
    instant = Instant("another motion", lambda: other)
    assert not compare(several_transferred, [instant]).why
    assert "differ" in compare(driven, [instant]).why
    assert not compare(driven, [tree]).why


def test_a_beam_of_other_data_fails() -> None:
    bent, other = Bent(Functions(1, 1), 8), Bent(Functions(1, 1), 8)
    other.values[BENDING] += sp.Rational(1, 1000)
    bent.of = other.of  # type: ignore[method-assign]
    assert any(left != right for left, right in balanced(bent))


def test_a_system_is_in_true_motion() -> None:
    """Cut hinges stay closed and nothing that an equation tells of vanishes."""
    system = System(Plan(3, ("1 ball 0 1", "2 ball 1 2", "3 ball 0 2"), (), cuts=("3",)), 1)
    assert system.motion.gap(3).at(1)[:3, 3].is_zero_matrix
    assert system.motion.gap(3).at(2)[:3, 3].is_zero_matrix
    assert not any(x == 0 for x in system.wrench("3", 2, (0, 0, 0)))

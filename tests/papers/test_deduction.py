"""The deduction paper's motions and beams: what its equations are judged by."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from mstmm.papers import ledger
from mstmm.papers.deduction.beam import BeamWorld, Bent
from mstmm.papers.deduction.system import Plan, System
from mstmm.papers.deduction.systems import PLANS, Case
from mstmm.papers.deduction.world import Motion
from mstmm.symbolic.equations.verdicts import compare
from mstmm.symbolic.equations.worlds import World
from mstmm.symbolic.mechanics.beams import BENDING, Functions

#: What the text says and is not so.
WRONG = {"below 8", "theorem 5"}


def failing(number: str, world: World) -> int:
    """In how many cases the right lines of an entry fail in a world."""
    paper = ledger("deduction").paper
    [entry] = (entry for entry in paper.entries if entry.number == number)
    lines = [line.states for line in entry.right if line.states]
    return sum(compare(states, paper, [("here", world)]).failing for states in lines)


def test_what_the_paper_says_and_is_not_so() -> None:
    found = ledger("deduction").paper.entries
    assert {entry.number for entry in found if entry.correction} == WRONG


def test_another_motion_fails() -> None:
    """Transfer equations hold in every motion; what drives the hinges tells the true one."""
    plan, seed = PLANS["tree"]
    other = Case(plan, seed)
    found = other.system.tree
    moved = {x: [*rates[:2], rates[2] + 1] for x, rates in found.rates.items()}
    other.system.tree = replace(found, rates=moved)
    other.system.motion = other.system.tree.motion
    world = Motion(other)
    assert not failing("13", world)
    assert failing("hinge, row", world)
    assert not failing("hinge, row", Motion(Case(plan, seed)))


def test_a_beam_of_other_data_fails() -> None:
    bent, other = Bent(Functions(1, 1), 8), Bent(Functions(1, 1), 8)
    assert not failing("beam, balance", BeamWorld(bent))
    other.values[BENDING] += sp.Rational(1, 1000)
    bent.of = other.of  # type: ignore[method-assign]
    assert failing("beam, balance", BeamWorld(bent))


def test_a_system_is_in_true_motion() -> None:
    """Cut hinges stay closed and nothing that an equation tells of vanishes."""
    system = System(Plan(3, ("1 ball 0 1", "2 ball 1 2", "3 ball 0 2"), (), cuts=("3",)), 1)
    assert system.motion.gap(3).at(1)[:3, 3].is_zero_matrix
    assert system.motion.gap(3).at(2)[:3, 3].is_zero_matrix
    assert not any(x == 0 for x in system.wrench("3", 2, (0, 0, 0)))

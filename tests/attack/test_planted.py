"""Errors planted in the emitted C of every algorithm and target: the proof names them."""

from __future__ import annotations

import time

import pytest
from compiler import needs_compiler
from emitted_errors import Judge
from guarded import Outcome

from mstmm.errors import MstmmError
from mstmm.symbolic.methods.algorithms import ALGORITHMS

pytestmark = needs_compiler

#: Models on which the algorithms are judged: a tree in space, loops, and the paper's plane.
SYSTEMS = ("double-pendulum", "slider-crank", "hdca-case-1", "branch-pendulum", "spatial-tree")
ALL = [each.name for each in ALGORITHMS if not each.alias_of]

#: How many errors a library has, the states they are judged at, and seconds of a library's turn.
ERRORS, POINTS, SECONDS = 30, 2, 45.0
SEED = 1

#: Of the errors that change any result, at least this part is found.
SHARE = 0.98


def judged(judge: Judge, outcome: Outcome, seconds: float) -> None:
    """What becomes of each error, as long as the time lasts."""
    assert judge.found(0, POINTS) == (False, False), "the proof fails without any error"
    start = time.process_time()
    for number, error in enumerate(judge.errors, start=1):
        if time.process_time() - start > seconds:
            break
        found, named = judge.found(number, POINTS)
        if found:
            outcome.counts["named" if named else "found"] += 1
        elif judge.is_equivalent(number):
            outcome.counts["equivalent"] += 1
        else:
            outcome.counts["missed"] += 1
            outcome.failures.append(str(error))
    outcome.seconds += time.process_time() - start


def test_some_planted_errors_are_named() -> None:
    outcome = Outcome("planted, gate")
    judged(Judge("double-pendulum", "riccati", "c", 4, SEED), outcome, 5.0)
    outcome.require()
    assert outcome.counts["named"]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "c-batch"])
@pytest.mark.parametrize("algorithm", ALL)
def test_planted_errors_are_found(algorithm: str, target: str) -> None:
    outcome, refusals = Outcome(f"planted {algorithm} {target}"), list[str]()
    for system in SYSTEMS:
        try:
            judge = Judge(system, algorithm, target, ERRORS, SEED)
        except MstmmError as refused:
            outcome.counts["refused"] += 1
            refusals.append(str(refused))
            continue
        judged(judge, outcome, SECONDS)
        if outcome.seconds > SECONDS:
            break
    outcome.note(SEED)
    assert all("takes" in said or "has no" in said for said in refusals), refusals
    seen = outcome.counts["named"] + outcome.counts["found"]
    if not seen:
        pytest.skip(f"{algorithm} has no target {target}")
    missed = "\n".join(outcome.failures)
    assert seen >= SHARE * (seen + outcome.counts["missed"]), f"{outcome.counts}\n{missed}"

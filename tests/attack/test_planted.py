"""Errors planted in the emitted C of every algorithm and target: the proof names them."""

from __future__ import annotations

import pytest
from compiler import needs_compiler
from emitted_errors import Judge
from guarded import FailedError, Outcome, attacked, spent
from systems_attacked import REFUSALS

from mstmm.symbolic.methods.algorithms import ALGORITHMS

pytestmark = needs_compiler

#: Models on which the algorithms are judged: a tree in space, loops, and the paper's plane.
SYSTEMS = ("double-pendulum", "slider-crank", "hdca-case-1", "branch-pendulum", "spatial-tree")
ALL = [each.name for each in ALGORITHMS if not each.alias_of]

#: How many errors a library has, the states they are judged at, what one may take, and processor
#: time of an algorithm's turn to a target (s).
ERRORS, POINTS, SECONDS, BUDGET = 24, 1, 30.0, 15.0
SEED = 1

#: And in what moves models, which takes longer to be judged.
MOTION_ERRORS, MOTION_BUDGET = 40, 150.0

#: Of the errors that change any result, at least this part is found.
SHARE = 0.98

#: An error that moves a result and passes is proven at so many states besides, about half of its
#: time: a proof by default has up to 100.
MORE = 10

#: Outcomes that say of an error that it is there: a proof ends, or does not, in more than one way.
SEEN = ("named", "found", "later", "crash", "endless")


def judged(judge: Judge, part: str, budget: float, seconds: float = SECONDS) -> Outcome:
    """What becomes of each error, as long as the time lasts."""
    start = spent()
    assert judge.found(0, POINTS) == (False, False), "the proof fails without any error"
    more = max(POINTS, min(MORE, int(seconds / 2 / max(spent() - start, 0.1))))

    def one(number: int) -> str:
        found, named = judge.found(number, POINTS)
        if found:
            return "named" if named else "found"
        change = judge.change(number)
        if change <= 1.0:
            return "last places" if change else "equivalent"
        if judge.found(number, more)[0]:
            return "later"
        raise FailedError("missed", str(judge.errors[number - 1]))

    numbers = range(1, len(judge.errors) + 1)
    return attacked(part, one, numbers, seconds=seconds, budget=budget)


def require(outcome: Outcome) -> None:
    """Nearly all errors are seen, and none makes the proof itself break.

    Some that no proof sees are none: they change no bit of any result at any of many states.
    """
    assert not {"raw", "internal error", "memory"} & outcome.counts.keys(), outcome.failures
    seen = sum(outcome.counts[kind] for kind in SEEN)
    missed = "\n".join(outcome.failures)
    assert seen >= SHARE * (seen + outcome.counts["missed"]), f"{outcome.counts}\n{missed}"


def test_some_planted_errors_are_named() -> None:
    outcome = judged(Judge("double-pendulum", "riccati", "c", 4, SEED), "planted, gate", 5.0)
    require(outcome)
    assert outcome.counts["named"]


def test_some_errors_planted_in_what_moves_models_are_named() -> None:
    judge = Judge("double-pendulum", "riccati", "c", 6, SEED, motion=True)
    outcome = judged(judge, "planted in motions, gate", 6.0, seconds=8.0)
    require(outcome)
    assert outcome.counts["named"]


def test_an_error_that_no_proof_sees_fails_the_attack(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attack's own judge: a proof that is content with everything."""
    judge = Judge("double-pendulum", "rnea-body", "c", 4, SEED)
    monkeypatch.setattr(judge, "found", lambda *_: (False, False))
    with pytest.raises(AssertionError, match="missed"):
        require(judged(judge, "planted, blind", 5.0))


@pytest.mark.slow
@pytest.mark.parametrize("target", ["c", "c-batch"])
@pytest.mark.parametrize("algorithm", ALL)
def test_planted_errors_are_found(algorithm: str, target: str) -> None:
    whole, refusals = Outcome(f"planted {algorithm} {target}"), list[str]()
    for system in SYSTEMS:
        if whole.seconds >= BUDGET:
            break
        try:
            judge = Judge(system, algorithm, target, ERRORS, SEED)
        except REFUSALS as refused:
            refusals.append(str(refused))
            continue
        outcome = judged(judge, system, BUDGET - whole.seconds)
        whole.counts += outcome.counts
        whole.failures += outcome.failures
        whole.seconds += outcome.seconds
    whole.note(SEED)
    if not whole.tried:
        pytest.skip(refusals[0])
    require(whole)


#: What moves models: a tree in the plane, and in space, lanes, momenta.
MOVED = [
    ("double-pendulum", "riccati", "c"),
    ("spatial-tree", "riccati", "c"),
    ("double-pendulum", "riccati", "c-batch"),
    ("double-pendulum", "hdca", "c"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "algorithm", "target"), MOVED, ids=lambda x: getattr(x, "name", x)
)
def test_errors_planted_in_what_moves_models_are_found(
    model: str, algorithm: str, target: str
) -> None:
    judge = Judge(model, algorithm, target, MOTION_ERRORS, SEED, motion=True)
    outcome = judged(judge, f"planted in motions, {model} {algorithm} {target}", MOTION_BUDGET)
    outcome.note(SEED)
    require(outcome)

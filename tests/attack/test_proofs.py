"""`validate` on every ready-made model, algorithm and target: none fails by mistake.

Each library is proven at one state besides what lies around the kernels, those of the first
algorithm at some more; compiled with `-O1`.
"""

from __future__ import annotations

from typing import Any

import pytest
from compiler import needs_compiler
from emitted_errors import Judge
from guarded import FailedError, attacked
from systems_attacked import ALGORITHMS, REFUSALS, SYSTEMS, solver_of, ways

from mstmm.codegen.build import FLAGS_VARIABLE
from mstmm.codegen.proof.validate import validate

#: Processor time of one library, and after which none of a model's is begun (s).
SECONDS, BUDGET = 600.0, 1200.0

#: The model that takes longest goes first, so that nobody waits for it at the end; of each the
#: equations of the whole system go last, which 50 digits take longest for.
ORDER, LAST = sorted(SYSTEMS, key=lambda name: name != "delta-robot"), "overall"

#: How many states the first algorithm is proven at; where many conditions close loops, that takes
#: minutes.
STATES, MANY = 5, 12


def proven(way: tuple[str, str, str]) -> str:
    """What becomes of the proof of a model's library by an algorithm, to a target."""
    try:
        solver = solver_of(*way)
    except REFUSALS:
        return "refused"
    more = way[1] == ALGORITHMS[0].name and len(solver.conditions) < MANY
    return judged(solver, STATES if more else 1)


def judged(solver: Any, points: int) -> str:
    proof = validate(solver, points=points)
    if not proof.ok:
        raise FailedError("wrong", proof.worst)
    return "proven"


@needs_compiler
def test_a_library_that_is_wrong_fails_the_attack() -> None:
    """One error of four that are planted acts; without it the same library is proven."""
    judge = Judge("double-pendulum", "riccati", "c", 4, 1)

    def one(number: int) -> str:
        judge.act(number)
        return judged(judge.solver, 1)

    assert attacked("right", one, [0]).counts == {"proven": 1}
    wrong = attacked("wrong", one, [1, 2, 3, 4])
    assert wrong.counts["wrong"]
    with pytest.raises(AssertionError, match="wrong"):
        wrong.require()


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("system", ORDER)
def test_every_library_is_proven(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FLAGS_VARIABLE, "-O1")
    every = [(system, *way) for way in sorted(ways(system), key=lambda way: way[0] == LAST)]
    outcome = attacked(f"proofs of {system}", proven, every, seconds=SECONDS, budget=BUDGET)
    if left := len(every) - outcome.tried:
        outcome.counts["left out"] = left
    outcome.note(0)
    outcome.require()
    assert outcome.counts.keys() <= {"refused", "proven", "left out"}
    assert outcome.counts["proven"]

"""`validate` on every ready-made model, algorithm and target: none fails by mistake.

The blocks of each library are proven, at as many states as some seconds allow; and of the first
algorithm that a target takes what lies around them, which is the same for all. Compiled with `-O1`.
"""

from __future__ import annotations

from typing import Any

import pytest
from compiler import needs_compiler
from emitted_errors import Judge
from guarded import FailedError, attacked, spent
from systems_attacked import ALGORITHMS, REFUSALS, SYSTEMS, solver_of, ways

from mstmm.codegen.build import FLAGS_VARIABLE
from mstmm.codegen.proof.records import ALL, BLOCKS, Proof
from mstmm.codegen.proof.validate import validate

#: Processor time of one library, and after which none of a model's is begun (s).
SECONDS, BUDGET = 600.0, 1800.0

#: The model that takes longest goes first, so that nobody waits for it at the end; of each the
#: equations of the whole system go last, which 50 digits take longest for.
ORDER, LAST = sorted(SYSTEMS, key=lambda name: name != "delta-robot"), "overall"

#: After one state, as many more as this time allows (s), and how many of them at most: where many
#: conditions close loops, 50 digits take minutes.
ENOUGH, MORE = 3.0, 20


def proven(way: tuple[str, str, str]) -> str:
    """What becomes of the proof of a model's library by an algorithm, to a target."""
    try:
        solver = solver_of(*way)
    except REFUSALS:
        return "refused"
    first = way[1] == ALGORITHMS[0].name
    return judged(solver, ALL if first else (BLOCKS,))


def judged(solver: Any, parts: tuple[str, ...]) -> str:
    start = spent()
    require(validate(solver, points=1, parts=parts))
    if more := min(MORE, int(ENOUGH / max(spent() - start, 1e-3))):
        require(validate(solver, points=more, seed=1, parts=(BLOCKS,)))
    return "proven"


def require(proof: Proof) -> None:
    if not proof.ok:
        raise FailedError("wrong", proof.worst)


@needs_compiler
def test_a_library_that_is_wrong_fails_the_attack() -> None:
    """One error of four that are planted acts; without it the same library is proven."""
    judge = Judge("double-pendulum", "riccati", "c", 4, 1)

    def one(number: int) -> str:
        judge.act(number)
        return judged(judge.solver, (BLOCKS,))

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
    outcome.note(0)
    outcome.require()
    assert outcome.counts.keys() <= {"refused", "proven"}
    assert outcome.counts["proven"]
    assert outcome.tried == len(every)

"""`validate` by default on every ready-made model, algorithm and target: none fails by mistake."""

from __future__ import annotations

import pytest
from compiler import needs_compiler
from guarded import FailedError, attacked
from systems_attacked import REFUSALS, SYSTEMS, solver_of, ways

import mstmm

#: Processor time of one library (s).
SECONDS = 200.0


def proven(way: tuple[str, str, str]) -> str:
    """What becomes of the proof of a model's library by an algorithm, to a target."""
    try:
        solver = solver_of(*way)
    except REFUSALS:
        return "refused"
    proof = mstmm.validate(solver)
    if not proof.ok:
        raise FailedError("wrong", proof.worst)
    return "proven"


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_library_is_proven(system: str) -> None:
    every = [(system, *way) for way in ways(system)]
    outcome = attacked(f"proofs of {system}", proven, every, seconds=SECONDS)
    outcome.note(0)
    outcome.require()
    assert outcome.counts["proven"]

"""`validate` by default on every ready-made model, algorithm and target: none fails by mistake."""

from __future__ import annotations

import time

import pytest
from compiler import needs_compiler
from guarded import Outcome
from systems_attacked import SYSTEMS, ways

import mstmm
from mstmm.errors import MstmmError


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_every_library_is_proven(system: str) -> None:
    outcome = Outcome(f"proofs of {system}")
    start = time.process_time()
    for algorithm, target in ways(system):
        model = mstmm.load(system)
        frame = {"frame": next(iter(model.every_frame))} if algorithm == "reaching" else {}
        try:
            solver = mstmm.compile(model, algorithm=algorithm, target=target, **frame)
        except MstmmError:
            outcome.counts["refused"] += 1
            continue
        proof = mstmm.validate(solver)
        outcome.counts["ok" if proof.ok else "wrong"] += 1
        if not proof.ok:
            outcome.failures.append(f"{system}, {algorithm}, {target}: {proof.worst}")
    outcome.seconds = time.process_time() - start
    outcome.note(0)
    outcome.require()
    assert outcome.counts["ok"]

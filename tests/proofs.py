"""Proofs of a model's own code; `codegen/test_validate_library` proves what lies around it."""

from __future__ import annotations

from mstmm.codegen.proof.records import BLOCKS, Proof
from mstmm.codegen.proof.validate import validate
from mstmm.runtime.solver import Solver


def proof_of_blocks(solver: Solver, *, points: int = 1, seed: int = 0) -> Proof:
    """Each block and each program as a whole, at so many states.

    Equations that hold at one state drawn at random hold at all, as long as laws have no branches.
    """
    return validate(solver, points=points, seed=seed, parts=(BLOCKS,))

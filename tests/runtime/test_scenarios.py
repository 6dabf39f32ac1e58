"""What every algorithm says of every sort of system, against the dense system of all bodies.

Accelerations, loads at all ends, driving forces, energy, poses, rates, gaps, inverse dynamics and
the mass matrix. The systems are the rows of `scenarios`; what they are made of is random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from closeness import close
from compiler import needs_compiler
from independent.absolute import Motion
from independent.moving import State
from judging import Interpreted, acting, assert_forward, assert_inverse
from proofs import proof_of_blocks
from scenarios import Scenario, scenarios
from sizes import later

import mstmm

ROWS = scenarios()


def marked(row: Scenario, name: str) -> object:
    return pytest.param(name, marks=[] if row.brief else pytest.mark.slow)


@pytest.mark.parametrize("seed", later(range(8), 2))
@pytest.mark.parametrize("name", [marked(row, name) for name, row in ROWS.items()])
def test_as_read(name: str, seed: int) -> None:
    """By the reference interpreter. Redundant conditions have no one overall equation."""
    row = ROWS[name]
    state, motion = row.judged(seed)
    for algorithm in row.ways(seed):
        if not (algorithm == "overall" and motion.redundant):
            given = Interpreted(state.model, algorithm, forced=bool(state.wrenches.any()))
            check(state, motion, algorithm, given)


def check(state: State, motion: Motion, algorithm: str, solver: Any) -> None:
    judge = assert_inverse if algorithm.startswith("rnea") else assert_forward
    judge(state, motion, solver)


#: A system, the algorithm and the target that it is compiled by.
COMPILED = """
    absolute-2D           riccati      c
    absolute-3D           riccati      numpy
    kinds-2D              riccati      c
    kinds-3D              riccati      numpy
    mixed-2D              overall      numpy
    mixed-3D              overall      c
    mixed-2D              slaats       c
    mixed-3D              slaats       numpy
    little-3D             riccati      c
    little-2D             riccati      c-batch
    little-2D             rnea-body    c
    little-3D             rnea-body    numpy
    acting-loop-base-2D   riccati      c
    universal-two-3D      rnea-body    c
    couplings-rotors-2D   riccati      c
    couplings-rotors-3D   riccati      numpy
    shared-several-springs-2D riccati  c
    shared-several-3D     riccati      numpy
    shared-rotors-3D      riccati      c
    shared-rotors-2D      rnea-body    c-batch
    loops-2D              riccati      numpy
    loops-rotors-3D       riccati      c
    cut-slot-loaded-2D    riccati      c
    cut-universal-loaded-3D riccati    numpy
    beams-few-2D          riccati      c
    beams-few-2D          rnea-body    numpy
    beams-few-loops-2D    riccati      numpy
    light-2D              riccati      c
    light-3D              riccati      numpy
"""


@pytest.mark.parametrize(
    ("name", "algorithm", "target"),
    [
        pytest.param(*line.split(), marks=() if line.endswith("numpy") else needs_compiler)
        for line in COMPILED.strip().splitlines()
    ],
)
def test_compiled(name: str, algorithm: str, target: str) -> None:
    """The same of generated code, which is proven block by block."""
    state, motion = ROWS[name].judged(0)
    model, loaded = state.model, bool(state.wrenches.any())
    solver: Any = mstmm.compile(model, algorithm=algorithm, target=target, wrenches=loaded)
    check(state, motion, algorithm, solver)
    if solver.conditions:
        assert solver.redundant(state.q) == motion.redundant
    if not algorithm.startswith("rnea"):
        check_axes(state, solver)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def check_axes(state: State, solver: Any) -> None:
    """Loads in the axes of the bodies that have them, turned into the inertial ones."""
    there, own = (
        solver.joint_loads(state.q, state.v, state.tau, frame=frame, **acting(state))
        for frame in ("inertial", "body")
    )
    bodies = [solver.bodies.index(end.partition(":")[0]) for end in solver.ends]
    axes = solver.poses(state.q, t=state.t)[bodies, :3, :3]
    turned = np.einsum("nij,nkj->nki", axes, own.reshape(-1, 2, 3))
    close(turned.reshape(-1, 6), there, 1e-12)

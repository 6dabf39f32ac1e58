"""The recursive formulation with effective masses as a program, against judges that know no tree.

Trees of all hinge kinds, described from either side, with laws, drives, rotors, loads and a moving
ground; interpreted, compiled and proven.
"""

from __future__ import annotations

from random import Random

import acting_models
import numpy as np
import pytest
import random_models
from compiler import TARGETS
from independent.forces import acted_motion
from judging import assert_compiled, assert_interpreted, judged
from proofs import proof_of_blocks
from sizes import covered
from systems import LAWS, Sketch, system
from test_acting import all_of, close, run
from test_rotors import with_rotors

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.methods.effective_mass.program import slaats_program
from mstmm.symbolic.plans.plan import plan


def sketch(dimension: int, seed: int, largest: int = 5) -> Sketch:
    """A random tree of so many bodies at most, a part of whose hinges are driven or have a law."""
    rng = Random(f"{dimension} {seed}")
    count = rng.randint(2, largest)
    kinds = tuple(rng.choice(tuple(HINGE_KINDS[dimension])) for _ in range(count))
    return Sketch(
        dimension,
        parents=tuple(rng.randint(-1, k - 1) for k in range(count)),
        kinds=kinds,
        turned=tuple(rng.random() < 0.5 for _ in range(count)),
        laws=tuple(rng.choice((*LAWS, "driven", "")) for _ in range(count)),
        seed=seed,
    )


@pytest.mark.parametrize("dimension", [2, 3])
def test_trees_with_laws_and_drives(dimension: int) -> None:
    drives = 0
    for seed in range(8):
        state = system(sketch(dimension, seed))
        motion = judged(state)
        assert motion is not None
        assert_interpreted(state, motion, slaats_program)
        drives += bool(motion.drives)
    assert drives > 1


@covered(1, dimension=[2, 3], target=TARGETS)
def test_compiled_and_proven(dimension: int, target: str) -> None:
    state = system(sketch(dimension, 5, 2))
    motion = judged(state)
    assert motion is not None
    solver = mstmm.compile(state.model, algorithm="slaats", target=target)
    assert_compiled(state, motion, solver)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


@pytest.mark.parametrize("dimension", [2, 3])
def test_potentials_loads_and_a_moving_ground(dimension: int) -> None:
    rng = Random(dimension)
    model = all_of(rng, dimension, "slm", 3)
    tau = [rng.uniform(-3, 3) for _ in model.speeds]
    wrenches = random_models.random_wrenches(rng, model)
    order = [3, 4, 2] if dimension == 2 else [3, 4, 5, 0, 1, 2]
    given = np.zeros((len(model.bodies), 6))
    given[:, order] = wrenches
    state = {"q": model.q0, "v": model.v0, "t": [0.8]}
    expected = acted_motion(model, model.q0, model.v0, 0.8, tau, given)
    program = slaats_program(plan(model), forced=True)
    found = run(program, "joint_loads", **state, tau=tau, f=wrenches)
    close(found["a"], expected.accelerations)
    ends = program.sets["ends"]
    close(found["loads"].reshape(-1, 6), [expected.loads[end] for end in ends])
    program = slaats_program(plan(model))
    close(run(program, "energy", **state)["energy"], [expected.energy], 1e-11)
    close(run(program, "poses", **state)["poses"].reshape(-1, 4, 4), expected.poses, 1e-12)


@pytest.mark.parametrize("dimension", [2, 3])
def test_rotors(dimension: int) -> None:
    rng = Random(dimension)
    model = with_rotors(rng, random_models.joint_tree(rng, dimension, None, 3))
    assert any(hinge.rotor for hinge in model.hinges)
    expected = acted_motion(model, model.q0, model.v0, 0.0)
    found = run(slaats_program(plan(model)), "accelerations", q=model.q0, v=model.v0)
    close(found["a"], expected.accelerations)


def test_it_moves_as_the_riccati_method_does() -> None:
    model = random_models.joint_tree(Random(11), 3, ["revolute", "ball"], 2)
    ends = [
        mstmm.compile(model, algorithm=name, target="numpy").simulate(t_end=0.02, dt=1e-3)
        for name in ("slaats", "riccati")
    ]
    np.testing.assert_allclose(ends[0].q[-1], ends[1].q[-1], rtol=0, atol=1e-10)
    assert ends[0].energy_drift < 1e-6


def closed() -> Model:
    return mstmm.load("slider-crank")


def bonded() -> Model:
    rng = Random(2)
    return acting_models.bonded(rng, acting_models.tree(rng, 2, 3), 1)


@pytest.mark.parametrize("make", [closed, bonded])
def test_it_takes_trees_alone(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match="trees of rigid bodies"):
        mstmm.compile(make(), algorithm="slaats", target="numpy")

"""Joint coordinates: every hinge kind on trees, against the independent judge."""

from __future__ import annotations

import random

import numpy as np
import pytest
from closeness import within
from compiler import TARGETS
from independent.joints import coordinate_rates, joint_motion
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state, random_wrenches
from sizes import later

from mstmm.model import Model
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.runtime.solver import compile_model
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

#: Relative to the largest entry: rounding of some thousand operations on random systems.
assert_close = within(1e-9)

EACH_KIND = [(d, kind) for d in (2, 3) for kind in HINGE_KINDS[d] if kind != "fixed"]


def ends_of(model: Model) -> list[str]:
    tree = plan(model)
    return [f"{body.name}:{tree.link(body.name).output}" for body in model.bodies]


def assert_interpreted(model: Model, seed: int) -> None:
    q, v = random_joint_state(random.Random(seed), model)
    expected = joint_motion(model, q, v)
    interpreter = Interpreter(joint_program(plan(model)))
    found = interpreter.run("joint_loads", {"q": q, "v": v})
    loads = np.array(interpreter.flat("loads", found)).reshape(-1, 6)
    assert_close(interpreter.flat("a", found), expected.accelerations, what="accelerations")
    assert_close(loads, [expected.loads[end] for end in ends_of(model)], what="loads")


@pytest.mark.parametrize(("dimension", "kind"), EACH_KIND)
@pytest.mark.parametrize("bodies", [1, 4])
def test_each_kind_of_hinge(dimension: int, kind: str, bodies: int) -> None:
    for seed in range(4):
        model = joint_tree(random.Random(seed), dimension, kinds=(kind,), bodies=bodies)
        assert_interpreted(model, seed)


@pytest.mark.parametrize("seed", range(60))
def test_trees_of_mixed_hinges(seed: int) -> None:
    assert_interpreted(joint_tree(random.Random(seed), 2 + seed % 2), seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_a_thousand_trees_of_mixed_hinges(seed: int) -> None:
    assert_interpreted(joint_tree(random.Random(seed), 2 + seed % 2), seed)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", later(range(6), 2))
def test_compiled_trees(seed: int, target: str) -> None:
    rng = random.Random(100 + seed)
    model = joint_tree(rng, 2 + seed % 2, bodies=5)
    q, v = random_joint_state(rng, model)
    solver = compile_model(model, target=target)
    tau = [rng.uniform(-3, 3) for _ in model.speeds]
    wrenches = np.zeros((len(model.bodies), 6))
    given = random_wrenches(rng, model)
    if model.dimension == 2:
        wrenches[:, [3, 4, 2]] = given
    else:
        wrenches[:, 3:], wrenches[:, :3] = given[:, :3], given[:, 3:]
    for forces in ({}, {"tau": tau, "wrenches": wrenches}):
        expected = joint_motion(model, q, v, **forces)
        assert_close(solver.accelerations(q, v, **forces), expected.accelerations, what="a")
        loads = solver.joint_loads(q, v, **forces)
        assert_close(loads, [expected.loads[end] for end in solver.ends], what="loads")
    assert_close(solver.poses(q), expected.poses, what="poses")
    assert_close(solver.energy(q, v), expected.energy, what="energy")
    assert_close(solver.rates(q, v), coordinate_rates(model, q, v), what="rates")


@pytest.mark.parametrize("target", later(reversed(TARGETS), 1))
def test_generated_code_of_every_kind_is_proven(target: str) -> None:
    for dimension in (2, 3):
        kinds = tuple(HINGE_KINDS[dimension])
        model = joint_tree(random.Random(dimension), dimension, kinds=kinds, bodies=9)
        proof = proof_of_blocks(compile_model(model, target=target))
        assert proof.ok, proof.worst


def test_what_a_hinge_eliminates_is_never_stored() -> None:
    """After a hinge whose H spans components, IAh and pAh are exactly zero there."""
    from mstmm.codegen.lower import lower

    model = joint_tree(random.Random(3), 3, kinds=("revolute",), bodies=3)
    workspace = lower(joint_program(plan(model))).workspace
    assert "IAh66" not in workspace
    assert "IAh55" in workspace
    assert "pAh6" not in workspace


def test_energy_is_conserved() -> None:
    model = joint_tree(random.Random(11), 3, kinds=("revolute", "ball", "prismatic"), bodies=4)
    run = compile_model(model, target="numpy").simulate(t_end=0.1, dt=1e-3)
    assert run.energy_drift < 1e-6 * max(1.0, abs(run.energy[0]))

"""Potentials, elastic hinges, loads and a moving base against the judge of virtual power."""

from __future__ import annotations

from random import Random

import acting_models
import numpy as np
import pytest
import random_models
from compiler import TARGETS
from independent.forces import acted_motion, cut_spring, moving_base
from independent.joints import motions
from independent.loops import opened

import mstmm
from mstmm.codegen.interpreter import FLOAT, Interpreter
from mstmm.model import Model
from mstmm.symbolic.inverse import inverse_program
from mstmm.symbolic.jointprogram import joint_program
from mstmm.symbolic.plan import plan
from mstmm.symbolic.program import Program

Array = np.ndarray

#: Relative to the largest number: both sides solve systems whose conditions are 1e5 at worst.
TOLERANCE = 1e-8


def close(found: Array, expected: Array, tolerance: float = TOLERANCE) -> None:
    found, expected = np.array(found, dtype=float), np.array(expected, dtype=float)
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def run(program: Program, entry: str, **arguments: object) -> dict[str, Array]:
    flat = {name: [float(x) for x in np.ravel(value)] for name, value in arguments.items()}
    found = Interpreter(program, FLOAT).results(entry, {"c": [], **flat})
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def all_of(rng: Random, dimension: int, features: str) -> Model:
    """A random tree with the features named by letter: springs, bonds, loads, base."""
    model = acting_models.tree(rng, dimension, rng.randint(2, 5), 0.4 if "s" in features else 0.0)
    if "s" in features:
        model = acting_models.sprung(rng, model)
    if "b" in features:
        model = acting_models.bonded(rng, model, 2)
    if "l" in features:
        model = acting_models.loaded(rng, model)
    return acting_models.moved(rng, model) if "m" in features else model


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("features", ["s", "b", "l", "m", "sblm"])
@pytest.mark.parametrize("seed", range(3))
def test_random_trees(dimension: int, features: str, seed: int) -> None:
    rng = Random(f"{dimension}{features}{seed}")
    model = all_of(rng, dimension, features)
    t = rng.uniform(0, 2)
    tau = [rng.uniform(-3, 3) for _ in model.speeds]
    wrenches = random_models.random_wrenches(rng, model)
    order = [3, 4, 2] if dimension == 2 else [3, 4, 5, 0, 1, 2]
    given = np.zeros((len(model.bodies), 6))
    given[:, order] = wrenches
    state = {"q": model.q0, "v": model.v0, "t": [t]}
    expected = acted_motion(model, model.q0, model.v0, t, tau, given)
    program = joint_program(plan(model), forced=True)
    found = run(program, "joint_loads", **state, tau=tau, f=wrenches)
    close(found["a"], expected.accelerations)
    loads = dict(zip(program.sets["ends"], found["loads"].reshape(-1, 6), strict=True))
    for end, load in expected.loads.items():
        close(loads[end], load)
    judge_bonds(model, t, loads)
    program = joint_program(plan(model))
    close(run(program, "energy", **state)["energy"], [expected.energy], 1e-11)
    close(run(program, "poses", **state)["poses"].reshape(-1, 4, 4), expected.poses, 1e-12)
    inverse = inverse_program(plan(model), forced=True)
    ad = expected.accelerations
    needed = run(inverse, "inverse_loads", **state, ad=ad, f=wrenches)
    close(needed["tau"], tau)
    close(needed["loads"], found["loads"])
    close(run(inverse, "energy", **state, ad=ad, f=wrenches)["energy"], [expected.energy], 1e-11)


def judge_bonds(model: Model, t: float, loads: dict[str, Array]) -> None:
    """Loads at cut elastic hinges: the moment on the child, and its force on the parent."""
    from independent.forces import _end_frame

    base = moving_base(model, t)
    frames = motions(opened(model), model.q0, model.v0, base=base)
    for hinge in model.hinges:
        if hinge.name in model.cuts:
            a, b = (_end_frame(model, frames, base, end) for end in hinge.ends)
            force, moment, _ = cut_spring(model, hinge, a, b)
            if hinge.ends[1].body == "0":
                arm = b.x[:3, 3] - a.x[:3, 3]
                expected = [*-(moment + np.cross(arm, force)), *force]
                close(loads[str(hinge.ends[0])], expected)
            else:
                close(loads[str(hinge.ends[1])], [*moment, *-force])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_compiled(dimension: int, target: str) -> None:
    """Everything at once in generated code; what it computes is proven block by block."""
    rng = Random(dimension)
    model = all_of(rng, dimension, "sblm")
    t = 0.7
    expected = acted_motion(model, model.q0, model.v0, t)
    riccati = mstmm.compile(model, target=target, parameters=("A", "K"))
    inverse = mstmm.compile(model, algorithm="rnea-body", target=target, parameters=("A", "K"))
    close(riccati.accelerations(model.q0, model.v0, t=t), expected.accelerations)
    needed = inverse.inverse_dynamics(model.q0, model.v0, expected.accelerations, t=t)
    close(needed, 0 * needed)
    for solver in (riccati, inverse):
        close(solver.energy(model.q0, model.v0, t=t), expected.energy, 1e-11)
        proof = mstmm.validate(solver, points=3)
        assert proof.ok, proof.worst

"""Potentials, elastic hinges, loads and a moving base against the judge of virtual power."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import acting_models
import loop_models
import numpy as np
import pytest
import random_models
from closeness import within
from compiler import TARGETS, needs_compiler
from independent.forces import (
    acted_motion,
    cut_spring,
    external,
    generalised,
    moving_base,
    read,
    tree_energy,
)
from independent.joints import motions
from independent.loops import loop_motion, opened
from proofs import proof_of_blocks
from sizes import covered, later

import mstmm
from mstmm.model import Base, End, Hinge, Model, Point
from mstmm.symbolic.language.arithmetic import FLOAT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.methods.inverse.program import inverse_program
from mstmm.symbolic.methods.overall.program import overall_program
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray

#: Relative to the largest number: both sides solve systems whose conditions are 1e5 at worst.
close = within(1e-8)


def seeds(count: int) -> list[object]:
    """One draw at every run, the others before a release."""
    return [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, count))]


def run(program: Program, entry: str, **arguments: object) -> dict[str, Array]:
    flat = {name: [float(x) for x in np.ravel(value)] for name, value in arguments.items()}
    found = Interpreter(program, FLOAT).results(entry, {"c": [], **flat})
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def all_of(rng: Random, dimension: int, features: str, bodies: int = 4) -> Model:
    """A random tree with the features named by letter: springs, bonds, loads, base."""
    elastic = 0.4 if "s" in features else 0.0
    model = acting_models.tree(rng, dimension, rng.randint(2, bodies), elastic)
    if "s" in features:
        model = acting_models.sprung(rng, model)
    if "b" in features:
        model = acting_models.bonded(rng, model, 2)
    if "l" in features:
        model = acting_models.loaded(rng, model)
    if "f" in features:
        model = acting_models.pulled(rng, model)
    if "c" in features:
        model = acting_models.sensing(rng, model)
    return acting_models.moved(rng, model) if "m" in features else model


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("features", ["s", "b", "l", "f", "m", "c", "sblfcm"])
@pytest.mark.parametrize("seed", seeds(4))
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
        if hinge.name in model.cuts and hinge.kind == "elastic":
            a, b = (_end_frame(model, frames, base, end) for end in hinge.ends)
            force, moment, _ = cut_spring(model, hinge, a, b)
            if hinge.ends[1].body == "0":
                arm = b.x[:3, 3] - a.x[:3, 3]
                expected = [*-(moment + np.cross(arm, force)), *force]
                close(loads[str(hinge.ends[0])], expected)
            else:
                close(loads[str(hinge.ends[1])], [*moment, *-force])


@covered(
    dimension=(2, 3),
    algorithm=("riccati", "rnea-body"),
    target=[*TARGETS, pytest.param("c-batch", marks=needs_compiler)],
)
def test_compiled(dimension: int, algorithm: str, target: str) -> None:
    """Everything at once in generated code; what it computes is proven block by block."""
    rng = Random(dimension)
    model = all_of(rng, dimension, "sblfcm", 2)
    t = 0.7
    expected = acted_motion(model, model.q0, model.v0, t)
    solver = mstmm.compile(model, algorithm=algorithm, target=target, parameters=("A", "K"))
    if algorithm == "riccati":
        close(solver.accelerations(model.q0, model.v0, t=t), expected.accelerations)
    else:
        needed = solver.inverse_dynamics(model.q0, model.v0, expected.accelerations, t=t)
        close(needed, 0 * needed)
    close(solver.energy(model.q0, model.v0, t=t), expected.energy, 1e-11)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


# Closed loops


def looped(rng: Random, dimension: int, features: str) -> Model:
    """A closed loop with springs, bonds and loads."""
    model, _ = loop_models.loop_model(rng, dimension, rng.randint(2, 4), 1)
    parameters = {**model.parameters, **acting_models.PARAMETERS}
    model = acting_models.sprung(rng, replace(model, parameters=parameters))
    if "b" in features:
        model = acting_models.bonded(rng, model, 1)
    if "l" in features:
        model = acting_models.loaded(rng, model)
    if "f" in features:
        model = acting_models.sensing(rng, acting_models.pulled(rng, model))
    return model


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", seeds(5))
def test_random_loops(dimension: int, seed: int) -> None:
    rng = Random(f"{dimension}{seed}")
    model = looped(rng, dimension, "blf")
    q, t = np.array(model.q0), 0.4
    at_rest = loop_motion(model, q, np.zeros(len(model.speeds)))
    v = loop_models.allowed_speeds(rng, at_rest.jacobian)
    frames = motions(opened(model), q, v)
    given, stored = external(model, frames, None, t, (q, v))
    known = read(model, frames, None, (q, v))
    expected = loop_motion(model, q, v, generalised(model, q, v, t, known), given)
    program = joint_program(plan(model))
    found = run(program, "joint_loads", q=q, v=v, t=[t])
    close(found["a"], expected.accelerations)
    energy = expected.tree.energy + stored + tree_energy(model, q, t)
    close(run(program, "energy", q=q, v=v, t=[t])["energy"], [energy], 1e-11)
    if expected.redundant == 0:
        loads = dict(zip(program.sets["ends"], found["loads"].reshape(-1, 6), strict=True))
        for end, load in expected.tree.loads.items():
            close(loads[end], load)
        judge_bonds(replace(model, v0=tuple(v)), t, loads)


def test_a_moving_base_turns_about_the_inertial_axes_one_after_the_other() -> None:
    """R = R₃(c) R₂(b) R₁(a) of the document on conventions, its columns the ground's axes."""
    still = random_models.joint_tree(Random(3), 3, ["revolute"], 1)
    a, b, c = 0.3, 0.5, -0.7
    moving = replace(still, base=Base((1.0, 2.0, 3.0), (a, b, c)))
    poses = [mstmm.compile(x, target="numpy").poses([0.2]) for x in (still, moving)]
    first = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    second = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    third = np.array([[np.cos(c), -np.sin(c), 0], [np.sin(c), np.cos(c), 0], [0, 0, 1]])
    ground = np.eye(4)
    ground[:3, :3], ground[:3, 3] = third @ second @ first, (1.0, 2.0, 3.0)
    np.testing.assert_allclose(poses[1], ground @ poses[0], rtol=0, atol=1e-14)


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("seed", seeds(3))
def test_a_moving_base_is_a_driven_body(dimension: int, closed: bool, seed: int) -> None:
    """Accelerations, loads, gaps and poses are those on a body that is driven as the base is."""
    rng = Random(f"{dimension}{closed}{seed}")
    if closed:
        plain, _ = loop_models.loop_model(rng, dimension, 3, 1, grounded=True)
        parameters = {**plain.parameters, **acting_models.PARAMETERS}
        plain = acting_models.bonded(rng, replace(plain, parameters=parameters), 1)
    else:
        plain = all_of(rng, dimension, "sbl")
    model = acting_models.moved(rng, plain)
    still = acting_models.carried(model)
    assert still.coordinates == model.coordinates
    programs = [joint_program(plan(m)) for m in (model, still)]
    state = {"q": model.q0, "v": [rng.uniform(-2, 2) for _ in model.speeds], "t": [0.6]}
    names = ["joint_loads", "poses", *(["constraints", "compliance"] if closed else [])]
    for name in names:
        found, expected = (run(program, name, **state) for program in programs)
        for result in found:
            if result == "loads":
                both = (
                    dict(zip(p.sets["ends"], f[result].reshape(-1, 6), strict=True))
                    for p, f in zip(programs, (found, expected), strict=True)
                )
                own, other = both
                for end, load in own.items():
                    close(load, other.get(end, load))  # a ground that was a child reports itself
            elif result == "poses":
                count = len(found[result])
                close(found[result], expected[result][-count:], 1e-12)
            else:
                close(found[result], expected[result])


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("moving", [False, True])
def test_the_overall_equation_knows_all_forces(dimension: int, closed: bool, moving: bool) -> None:
    rng = Random(f"overall {dimension}{closed}")
    model = looped(rng, dimension, "bl") if closed else all_of(rng, dimension, "sbl", 3)
    model = acting_models.moved(rng, model) if moving else model
    state = {"q": model.q0, "v": model.v0, "t": [0.4]}
    riccati, overall = (make(plan(model)) for make in (joint_program, overall_program))
    for name in ("joint_loads", "energy"):
        found, expected = (run(program, name, **state) for program in (overall, riccati))
        for result in expected:
            close(found[result], expected[result], 1e-7)


@pytest.mark.parametrize("dimension", [2, 3])
def test_states_of_ends_on_a_moving_base(dimension: int) -> None:
    """Both sides of a weld to the ground accelerate as the base does."""
    rng = Random(dimension)
    plain = acting_models.tree(rng, dimension, 2, 0.0)
    body = replace(
        plain.bodies[0], points=(*plain.bodies[0].points, Point("W", (0.3,) * dimension))
    )
    weld = Hinge("weld", "fixed", (End("0", "W"), End(body.name, "W")))
    place = Point("W", (0.2, -0.4, 0.5)[:dimension])
    model = replace(plain, bodies=(body,), hinges=(weld,), ground=(place,), q0=(), v0=(), loads=())
    model = replace(acting_models.moved(rng, model), gravity=(0.0, -9.81, 1.0)[:dimension])
    extra = replace(body, name="last", points=(Point("W", (0.1,) * dimension),))
    pin = Hinge(
        "p",
        "pin" if dimension == 2 else "ball",
        (End(body.name, body.points[0].name), End("last", "W")),
    )
    model = replace(model, bodies=(body, extra), hinges=(weld, pin))
    program = joint_program(plan(model))
    state = {"q": model.q0, "v": model.v0, "t": [0.6]}
    found = run(program, "end_states", **state)["zb"].reshape(-1, 6)
    at = dict(zip(program.sets["states"], found, strict=True))
    base = moving_base(model, 0.6)
    assert base is not None
    own = np.array([*place.position, *[0.0] * (3 - dimension), 1.0])
    expected = (base.dd[0] @ own)[:3]
    assert np.abs(expected).max() > 0.1
    for end in (f"{body.name}:W", "hinge weld:O"):
        close(at[end][:dimension], expected[:dimension], 1e-11)
    close(at[f"{body.name}:W"], at["hinge weld:O"], 1e-11)


@pytest.mark.parametrize("target", later(TARGETS, 1))
@pytest.mark.parametrize("dimension", later([2, 3], 1))
def test_compiled_loops(dimension: int, target: str) -> None:
    rng = Random(dimension + 5)
    model = acting_models.moved(rng, looped(rng, dimension, "bl"))
    program = joint_program(plan(model))
    solver = mstmm.compile(model, target=target)
    expected = run(program, "accelerations", q=model.q0, v=model.v0, t=[0.3])["a"]
    close(solver.accelerations(model.q0, model.v0, t=0.3), expected)
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst

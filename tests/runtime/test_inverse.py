"""Inverse dynamics and the mass matrix: against the judge of joint coordinates and by hand."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from random import Random

import numpy as np
import pytest
import sympy as sp
from closeness import close
from compiler import TARGETS
from independent.joints import joint_motion
from independent.tree import Array
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state
from sizes import covered

import mstmm
from mstmm.codegen.generate import generate
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, End, Hinge, Model, Point
from mstmm.model.expressions.quantities import TIME, hinge_symbol
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.inverse.program import inverse_program
from mstmm.symbolic.plans.plan import plan

#: Double precision against a dense solve; 1e-12 was seen, of forces of up to some 1000 N.
TOLERANCE = 1e-11


def external_loads(rng: Random, model: Model) -> Array:
    """Moment and force on each body; only those of the plane in the plane."""
    wrenches = np.array([[rng.uniform(-5, 5) for _ in range(6)] for _ in model.bodies])
    if model.dimension == 2:
        wrenches[:, [0, 1, 5]] = 0
    return wrenches


# By hand


def arm(lengths: tuple[float, ...], masses: tuple[float, ...]) -> Model:
    """Planar links pinned one behind the other, their masses at the tips (no inertia)."""
    bodies, hinges = [], []
    for k, (length, mass) in enumerate(zip(lengths, masses, strict=True), start=1):
        points = (Point("O", (0, 0)), Point("I", (length, 0)))
        bodies.append(Body(str(k), mass, 0, (length, 0), points))
        below = End(GROUND, "O") if k == 1 else End(str(k - 1), "I")
        hinges.append(Hinge(str(k), "pin", (below, End(str(k), "O"))))
    return Model("arm", 2, tuple(bodies), tuple(hinges), (0, -9.81), absolute=False)


def test_two_link_arm() -> None:
    (l1, l2), (m1, m2), g = (0.7, 0.4), (1.5, 0.8), 9.81
    solver = mstmm.compile(arm((l1, l2), (m1, m2)), algorithm="rnea-body", target="numpy")
    q, v, a = (0.3, -1.1), (0.9, -2.0), (1.3, 0.6)
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    coupling = m2 * l2 * (l2 + l1 * c2)
    M = [[m1 * l1**2 + m2 * (l1**2 + 2 * l1 * l2 * c2 + l2**2), coupling], [coupling, m2 * l2**2]]
    close(solver.mass_matrix(q), M)
    far = m2 * l2 * g * np.cos(q[0] + q[1])
    h = [
        -m2 * l1 * l2 * s2 * (2 * v[0] * v[1] + v[1] ** 2)
        + (m1 + m2) * l1 * g * np.cos(q[0])
        + far,
        m2 * l1 * l2 * s2 * v[0] ** 2 + far,
    ]
    close(solver.inverse_dynamics(q, v, a), np.array(M) @ a + h)
    close(solver.inverse_loads(q, v, (0.0, 0.0))[1, 2], h[1])


def lift(kind: str, backward: bool = False) -> Model:
    """One body of 2 kg and 0.3 kg m² about the vertical axis, on a vertical hinge."""
    ends = (End(GROUND, "O"), End("1", "O"))
    inertia = tuple(tuple(0.3 if i == j else 0.0 for j in range(3)) for i in range(3))
    body = Body("1", 2, inertia, (0, 0, 0), (Point("O", (0, 0, 0)),))
    hinge = Hinge("1", kind, ends[::-1] if backward else ends)
    return Model("lift", 3, (body,), (hinge,), (0, 0, -10), absolute=False)


@pytest.mark.parametrize(("backward", "sign"), [(False, 1), (True, -1)])
def test_prismatic_and_revolute(backward: bool, sign: int) -> None:
    """The ground as the hinge's child is pushed down to lift the body."""
    solver = mstmm.compile(lift("prismatic", backward), algorithm="rnea-body", target="numpy")
    close(solver.inverse_dynamics([0.4], [3.0], [1.5]), [2 * 1.5 + sign * 2 * 10])
    close(solver.mass_matrix([0.4]), [[2]])
    close(solver.inverse_loads([0.4], [3.0], [sign * 1.5])[0], [0, 0, 0, 0, 0, -2 * 11.5])
    solver = mstmm.compile(lift("revolute", backward), algorithm="rnea-body", target="numpy")
    close(solver.inverse_dynamics([0.4], [3.0], [1.5]), [0.3 * 1.5])
    close(solver.mass_matrix([0.4]), [[0.3]])


def test_branches_are_apart() -> None:
    """M has no entry for two hinges of which neither carries the other."""
    points = (Point("O", (0, 0)), Point("I", (1, 0)), Point("J", (0, 1)))
    bodies = tuple(Body(name, 1, 0.1, (0.5, 0), points) for name in "123")
    roots = {"1": End(GROUND, "O"), "2": End("1", "I"), "3": End("1", "J")}
    hinges = tuple(Hinge(name, "pin", (root, End(name, "O"))) for name, root in roots.items())
    model = Model("fork", 2, bodies, hinges, (0, -9.81), absolute=False)
    M = mstmm.compile(model, algorithm="rnea-body", target="numpy").mass_matrix([0.1, 0.7, -0.4])
    assert M[1, 2] == M[2, 1] == 0
    assert (M != 0).sum() == 7


# Force laws and driven hinges


def with_laws(rng: Random, dimension: int, driven: bool) -> tuple[Model, Model]:
    """A tree with a force law in each hinge, or one driven hinge; and the same without."""
    kinds = ["pin", "prismatic", "slot"] if dimension == 2 else ["revolute", "cylindrical"]
    plain = joint_tree(rng, dimension, kinds, 4)
    hinges = list(plain.hinges)
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    for k, hinge in enumerate(hinges):
        count = HINGE_KINDS[dimension][hinge.kind].speeds
        if not driven:
            law = (-3 * q - u / 2 + sp.sin(2 * TIME), *[0.25] * (count - 1))
            hinges[k] = replace(hinge, force=law)
        elif k == len(hinges) // 2:
            motion = (sp.sin(3 * TIME) / 2, TIME**2)[:count]
            hinges[k] = replace(hinge, motion=motion)
    return replace(plain, hinges=tuple(hinges), q0=(), v0=()), plain


@pytest.mark.parametrize("dimension", [2, 3])
def test_force_laws_are_taken_off(dimension: int) -> None:
    rng = Random(dimension)
    model, plain = with_laws(rng, dimension, driven=False)
    q, v = random_joint_state(rng, model)
    a = [rng.uniform(-3, 3) for _ in v]
    solver = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    law = np.zeros(len(v))
    at = {name: k for k, name in enumerate(model.speeds)}
    where = {name: k for k, name in enumerate(model.coordinates)}
    for hinge in model.hinges:
        first, *others = (at[name] for name in model.hinge_speeds(hinge))
        place = where[model.hinge_coordinates(hinge)[0]]
        law[first] = -3 * q[place] - v[first] / 2 + np.sin(2 * 0.4)
        law[others] = 0.25
    without = mstmm.compile(plain, algorithm="rnea-body", target="numpy")
    needed = without.inverse_dynamics(q, v, a)
    close(solver.inverse_dynamics(q, v, a, t=0.4), needed - law)
    close(solver.mass_matrix(q), without.mass_matrix(q))


@pytest.mark.parametrize("dimension", [2, 3])
def test_driven_hinges_need_what_free_ones_would(dimension: int) -> None:
    rng = Random(dimension)
    model, plain = with_laws(rng, dimension, driven=True)
    q, v = random_joint_state(rng, model)
    a, t = [rng.uniform(-3, 3) for _ in v], 0.4
    program = inverse_program(plan(model))
    arguments = {"q": q, "v": v, "ad": a, "t": [t]}
    found = Interpreter(program).results("inverse_dynamics", arguments)
    motion = {
        "q": (np.sin(3 * t) / 2, t**2),
        "v": (1.5 * np.cos(3 * t), 2 * t),
        "ad": (-4.5 * np.sin(3 * t), 2.0),
    }
    whole: dict[str, list[float]] = {name: [] for name in motion}
    rest = {name: iter(arguments[name]) for name in motion}
    kept: list[bool] = []
    for hinge, moved in zip(plain.hinges, model.hinges, strict=True):
        count = HINGE_KINDS[dimension][hinge.kind].speeds
        kept += [not moved.motion] * count
        for name, values in whole.items():
            values += motion[name][:count] if moved.motion else islice(rest[name], count)
    free = mstmm.compile(plain, algorithm="rnea-body", target="numpy")
    needed = free.inverse_dynamics(whole["q"], whole["v"], whole["ad"])
    close(found["drive"], needed[np.logical_not(kept)])
    close(found["tau"], needed[kept])
    M = np.array(Interpreter(program).results("mass_matrix", arguments)["M"])
    close(M.reshape(len(v), len(v)), free.mass_matrix(whole["q"])[kept][:, kept])
    solver = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    close(solver.inverse_drives(q, v, a, t=t), found["drive"])
    riccati = mstmm.compile(model, target="numpy")
    tau = np.array(found["tau"])
    close(riccati.accelerations(q, v, tau, t=t), a)
    close(riccati.driving_forces(q, v, tau, t=t), found["drive"])


# Compiled


@covered(1, dimension=[2, 3], target=TARGETS)
def test_compiled(dimension: int, target: str) -> None:
    rng = Random(17 + dimension)
    model = joint_tree(rng, dimension, None, 4)
    solver = mstmm.compile(model, algorithm="rnea-body", target=target)
    states = [random_joint_state(rng, model) for _ in range(3)]
    q, v = (np.array(x) for x in zip(*states, strict=True))
    tau = np.array([[rng.uniform(-5, 5) for _ in model.speeds] for _ in states])
    wrenches = external_loads(rng, model)
    truth = [
        joint_motion(model, *state, list(force), wrenches)
        for state, force in zip(states, tau, strict=True)
    ]
    a = np.array([motion.accelerations for motion in truth], dtype=float)
    slack = TOLERANCE * max(1.0, np.abs(a).max())
    close(solver.inverse_dynamics(q, v, a, wrenches=wrenches), tau, slack)
    loads = solver.inverse_loads(q, v, a, wrenches=wrenches)
    close(loads, [[motion.loads[end] for end in solver.ends] for motion in truth])
    body = solver.inverse_loads(q, v, a, wrenches=wrenches, frame="body")
    close(np.linalg.norm(body[..., 3:], axis=-1), np.linalg.norm(loads[..., 3:], axis=-1))
    M = solver.mass_matrix(q)
    bias = solver.inverse_dynamics(q, v, 0 * a, wrenches=wrenches)
    close(np.einsum("nij,nj->ni", M, a) + bias, tau, slack)
    close(solver.poses(q), [motion.poses for motion in truth])
    close(solver.energy(q, v), [motion.energy for motion in truth])
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def test_parameters_stay_arguments() -> None:
    rng = Random(5)
    model = replace(joint_tree(rng, 2, ["pin", "slot"], 3))
    solver = mstmm.compile(model, algorithm="rnea-body", target="numpy", parameters=["m", "g"])
    heavy = replace(model, parameters=dict(model.parameters) | {"m": 2.0, "g": 3.0})
    q, v = random_joint_state(rng, model)
    a = [1.0] * len(v)
    found = solver.inverse_dynamics(q, v, a, parameters={"m": 2.0, "g": 3.0})
    baked = mstmm.compile(heavy, algorithm="rnea-body", target="numpy")
    close(found, baked.inverse_dynamics(q, v, a))
    close(solver.mass_matrix(q, parameters={"m": 2.0}), baked.mass_matrix(q))


def lines_of_code(source: str) -> int:
    """Lines but for the tables of numbers."""
    return len(re.sub(r"\[\d+\] = \{[^}]*\};", "", source).splitlines())


def test_long_chains_are_loops() -> None:
    sources = []
    for count in (50, 100):
        generated = generate(arm((0.1,) * count, (0.2,) * count), algorithm="rnea-body")
        sources.append(generated.sources.files["arm_rnea_body.c"])
    assert lines_of_code(sources[0]) == lines_of_code(sources[1]) < 2000


def test_a_long_chain() -> None:
    model = arm((0.1,) * 30, (0.2,) * 30)
    rng = Random(3)
    q, v = random_joint_state(rng, model)
    tau = [rng.uniform(-1, 1) for _ in v]
    a = np.array(joint_motion(model, q, v, tau).accelerations, dtype=float)
    solver = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    size = TOLERANCE * np.abs(a).max()
    close(solver.inverse_dynamics(q, v, a), tau, size)
    close(solver.mass_matrix(q) @ a + solver.inverse_dynamics(q, v, 0 * a), tau, size)


# Bad use


def test_an_algorithm_has_what_it_computes() -> None:
    model = arm((1.0,), (1.0,))
    riccati = mstmm.compile(model, target="numpy")
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy")
    calls: dict[str, list[Callable[[], object]]] = {
        "riccati does not compute .*'rnea-body'": [
            lambda: riccati.inverse_dynamics([0], [0], [0]),
            lambda: riccati.inverse_loads([0], [0], [0]),
            lambda: riccati.mass_matrix([0]),
        ],
        "rnea-body does not compute .*'riccati'": [
            lambda: inverse.accelerations([0], [0]),
            lambda: inverse.joint_loads([0], [0]),
            lambda: inverse.simulate(t_end=1.0),
        ],
    }
    for message, missing in calls.items():
        for call in missing:
            with pytest.raises(UsageError, match=message):
                call()
    with pytest.raises(UsageError, match="no hinge is driven"):
        inverse.inverse_drives([0], [0], [0])
    absolute = mstmm.compile("rod-chain:n=1", target="numpy")
    with pytest.raises(UsageError, match="none does for this model"):
        absolute.mass_matrix([0])
    with pytest.raises(UsageError, match=r"in absolute coordinates, rnea-body .* joint ones"):
        mstmm.compile("rod-chain:n=1", algorithm="rnea-body", target="numpy")


def test_shapes_are_checked() -> None:
    solver = mstmm.compile(arm((1.0,), (1.0,)), algorithm="rnea-body", target="numpy")
    with pytest.raises(UsageError, match="a has the shape"):
        solver.inverse_dynamics([0], [0], [0, 0])
    with pytest.raises(UsageError, match="there is no frame 'moon'"):
        solver.inverse_loads([0], [0], [0], frame="moon")

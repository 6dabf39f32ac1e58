"""Derivatives of inverse dynamics: against an independent solver's differences in 50 digits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import mpmath
import numpy as np
import pytest
import sympy as sp
from acting_models import sprung
from closeness import close
from compiler import TARGET, needs_compiler
from coupled_models import with_rotors
from derivative_checks import differences, interpreted
from independent.joints import required_forces
from independent.tree import extended
from loop_models import four_bar
from proofs import proof_of_blocks
from random_models import joint_tree, random_joint_state, sized
from test_inverse import arm

import mstmm
from mstmm.errors import UsageError
from mstmm.model import GROUND, Body, Model
from mstmm.model.expressions.quantities import exact_expression, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.mechanics.hinges import joint
from mstmm.symbolic.methods.derivatives.program import derivative_program, tangents_of_dynamics
from mstmm.symbolic.methods.sensitivities.program import sensitivity_program
from mstmm.symbolic.plans.plan import Plan, plan

#: Double precision; 3e-14 was seen, of values scaled to the largest.

#: What the linearised equations may differ from the derivative programs by, of their size; both
#: are of double precision, and the latter divide by the mass matrix.
COMPARED = 1e-10

#: One fast target, the others in the slow run.
TARGETS = [
    TARGET,
    *(
        pytest.param(name, marks=[needs_compiler, pytest.mark.slow])
        for name in ("numpy", "c-batch")
        if name != TARGET
    ),
]

Array = np.ndarray
State = dict[str, Sequence[float]]

#: What is particular to some kinds; the others are in the slow run.
PARTICULAR = ((2, "slot"), (3, "universal"), (3, "ball"))

KINDS = [
    pytest.param(d, kind, marks=() if (d, kind) in PARTICULAR else pytest.mark.slow)
    for d in (2, 3)
    for kind in HINGE_KINDS[d]
    if (d, kind) != (3, "elastic") and kind != "fixed"  # of the motion of `free`
    if joint(d, kind).factored or HINGE_KINDS[d][kind].has_quaternion
]


def state(rng: Random, model: Model) -> State:
    q, v = random_joint_state(rng, model)
    return {"q": q, "v": v, "a": [rng.uniform(-3, 3) for _ in v]}


def results(model: Model, entry: str, at: State) -> dict[str, Array]:
    """What the interpreted program gives, in doubles."""
    given = {"q": at["q"], "v": at["v"], "ad": at["a"]}
    found = Interpreter(sensitivity_program(plan(model))).results(entry, given)
    return {name: np.array(value, dtype=float) for name, value in found.items()}


def forces(model: Model, at: State) -> Array:
    with mpmath.workdps(50):
        return required_forces(model, at["q"], at["v"], at["a"], extended(50))


def linearized(model: Model, at: State) -> tuple[Array, Array, Array]:
    found = results(model, "force_derivatives", at)
    n = len(model.speeds)
    K, D, M = (found[name].reshape(n, n) for name in ("dtau_dq", "dtau_dv", "M"))
    return K, D, M


# The linearised equations


@pytest.mark.parametrize(("dimension", "kind"), KINDS)
def test_every_hinge_kind(dimension: int, kind: str) -> None:
    """The linearised equations: a hinge of this kind and one that turns, from either side."""
    rng = Random(f"{dimension} {kind}")
    model = joint_tree(rng, dimension, ["pin" if dimension == 2 else "revolute"], 2)
    inner, outer = model.hinges
    sides = (inner.ends, inner.ends[::-1])
    for ends in sides:
        hinges = (replace(inner, kind=kind, ends=ends, **sized(dimension, kind, 0.3)), outer)
        varied = replace(model, hinges=hinges, q0=(), v0=())
        check_linearized(with_rotors(rng, varied), rng)


def check_linearized(model: Model, rng: Random) -> None:
    at = state(rng, model)

    def judged(q: Sequence, v: Sequence, tau: Sequence) -> Array:
        return required_forces(model, q, v, tau, extended(50))

    expected = differences(model, judged, {"q": at["q"], "v": at["v"], "tau": at["a"]})
    close(np.hstack(linearized(model, at)), expected)


@pytest.mark.parametrize(
    ("dimension", "kinds", "bodies"),
    [
        (2, ["pin", "prismatic"], 4),
        (3, ["revolute", "prismatic"], 3),
        pytest.param(2, ["pin", "slot"], 8, marks=pytest.mark.slow),
        pytest.param(3, ["revolute", "universal", "ball"], 4, marks=pytest.mark.slow),
        pytest.param(3, ["cylindrical", "planar", "free"], 3, marks=pytest.mark.slow),
    ],
)
def test_the_derivative_programs_say_the_same(
    dimension: int, kinds: list[str], bodies: int
) -> None:
    """δa = M⁻¹ (δτ − D δv − K δq), by differentiated inverse dynamics."""
    compare(dimension, kinds, bodies, derivative_program)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dimension", "kinds", "bodies"), [(2, ["pin", "slot"], 5), (3, ["revolute", "ball"], 3)]
)
def test_riccati_s_tangents_say_the_same(dimension: int, kinds: list[str], bodies: int) -> None:
    compare(dimension, kinds, bodies, tangents_of_dynamics)


def compare(dimension: int, kinds: list[str], bodies: int, make: Callable[[Plan], Program]) -> None:
    rng = Random(f"{kinds}")
    model = with_rotors(rng, joint_tree(rng, dimension, kinds, bodies))
    at = state(rng, model)
    tau = required_forces(model, at["q"], at["v"], at["a"]).astype(float)
    K, D, M = linearized(model, at)
    expected = np.hstack([-np.linalg.solve(M, K), -np.linalg.solve(M, D), np.linalg.inv(M)])
    given = {"q": at["q"], "v": at["v"], "tau": list(tau)}
    close(interpreted(make(plan(model)), given), expected, COMPARED)


# Inertia parameters


def with_inertia(model: Model, body: Body, which: int, by: sp.Expr) -> Model:
    """The model with one inertia parameter of a body changed."""
    d = model.dimension
    mass, centre = (
        exact_expression(body.mass),
        sp.Matrix([exact_expression(x) for x in body.centre]),
    )

    def steiner(m: sp.Expr, c: sp.Matrix) -> sp.Matrix:
        square = (c.T * c)[0]
        return m * (sp.eye(3) * square - c * c.T) if d == 3 else sp.Matrix([m * square])

    given = body.inertia if isinstance(body.inertia, tuple) else ((body.inertia,),)
    central = sp.Matrix([[exact_expression(x) for x in row] for row in given])
    first, second = mass * centre, central + steiner(mass, centre)
    if which == 0:
        mass += by
    elif which <= d:
        first[which - 1] += by
    elif d == 2:
        second[0] += by
    else:
        i, j = [(i, j) for i in range(3) for j in range(i, 3)][which - 4]
        second[i, j] += by
        second[j, i] = second[i, j]
    centre = first / mass
    central = second - steiner(mass, centre)
    inertia = central[0] if d == 2 else tuple(tuple(row) for row in central.tolist())
    changed = replace(body, mass=mass, centre=tuple(centre), inertia=inertia)
    return replace(model, bodies=tuple(changed if x is body else x for x in model.bodies))


@pytest.mark.parametrize(
    ("dimension", "kinds", "bodies"),
    [
        (2, ["slot", "pin"], 3),
        (3, ["revolute", "universal"], 2),
        pytest.param(3, ["ball", "helical", "free"], 3, marks=pytest.mark.slow),
    ],
)
def test_regressor(dimension: int, kinds: list[str], bodies: int) -> None:
    """Column by column: the forces are linear in the parameters, so any step is exact."""
    rng = Random(f"{kinds}")
    model = joint_tree(rng, dimension, kinds, bodies)
    at = state(rng, model)
    step = sp.Rational(1, 4096)
    count = 4 if dimension == 2 else 10
    here = forces(model, at)
    Y = results(model, "inertia_regressor", at)["Y"].reshape(len(model.speeds), -1, count)
    for b, body in enumerate(model.bodies):
        for which in range(count):
            there = forces(with_inertia(model, body, which, step), at)
            close(Y[:, b, which], (there - here) * 4096)
    assert (abs(Y) > 1e-3).any(axis=0).sum() > count  # not nearly all of it is zero


# Places of hinges


@pytest.mark.parametrize(
    ("dimension", "kinds", "bodies"),
    [
        (2, ["pin", "slot"], 3),
        (3, ["revolute", "universal"], 2),
        pytest.param(3, ["ball", "cylindrical", "helical"], 4, marks=pytest.mark.slow),
    ],
)
def test_geometry(dimension: int, kinds: list[str], bodies: int) -> None:
    """Turns of all hinges' ends, then shifts, on bodies and on the ground."""
    rng = Random(f"{kinds} x")
    model = joint_tree(rng, dimension, kinds, bodies)
    at = state(rng, model)
    ends = sensitivity_program(plan(model)).sets["hinge_ends"]
    assert len(ends) == 2 * len(model.hinges)
    motions = 3 if dimension == 2 else 6
    found = results(model, "geometry_sensitivity", at)["dtau_dx"]
    found = found.reshape(len(model.speeds), len(ends), motions)
    step = sp.Rational(1, 10**15)
    for k, name in enumerate(ends):
        for way in range(motions):
            ahead, behind = (
                forces(displaced(model, name.split(" ")[1], way, by), at) for by in (step, -step)
            )
            close(found[:, k, way], (ahead - behind) * 10**15 / 2)
    assert (abs(found).max(axis=(0, 1)) > 0.1).all()


def displaced(model: Model, end: str, way: int, by: sp.Expr) -> Model:
    """The model with a point turned or shifted."""
    name, which = end.split(":")
    known = model.ground_point(which) if name == GROUND else model.body(name).point(which)
    turns = 1 if model.dimension == 2 else 3
    if way >= turns:
        place = [exact_expression(x) for x in known.position]
        place[way - turns] += by
        changed = replace(known, position=tuple(place))
    elif model.dimension == 2:
        changed = replace(known, axes=exact_expression(known.axes or 0) + by)
    else:
        half = sp.zeros(3, 3)
        i, j = (way + 1) % 3, (way + 2) % 3
        half[j, i], half[i, j] = by / 2, -by / 2
        turn = (sp.eye(3) - half).inv() * (sp.eye(3) + half)
        given = known.axes or sp.eye(3).tolist()
        axes = turn * sp.Matrix([[exact_expression(x) for x in row] for row in given])
        changed = replace(known, axes=tuple(tuple(row) for row in axes.tolist()))
    if name == GROUND:
        others = tuple(x for x in model.ground if x.name != which)
        return replace(model, ground=(*others, changed))
    body = model.body(name)
    points = tuple(changed if x is known else x for x in body.points)
    moved = replace(body, points=points)
    return replace(model, bodies=tuple(moved if x is body else x for x in model.bodies))


# Compiled


@pytest.mark.parametrize("target", TARGETS)
def test_compiled(target: str) -> None:
    """Shapes on a batch; Y π, rotors and laws are the forces needed."""
    rng = Random(target)
    plain = joint_tree(rng, 2, ["pin", "slot"], 3)
    model = sprung(rng, with_rotors(rng, plain))
    solver = mstmm.compile(model, algorithm="sensitivities", target=target)
    inverse = mstmm.compile(plain, algorithm="rnea-body", target="numpy")
    states = [state(rng, model) for _ in range(3)]
    q, v, a = (np.array([each[x] for each in states]) for x in ("q", "v", "a"))
    n, bodies = len(model.speeds), len(model.bodies)
    Y = solver.inertia_regressor(q, v, a)
    assert Y.shape == (3, n, 4 * bodies)
    close(Y @ solver.inertia_parameters(), inverse.inverse_dynamics(q, v, a))
    found = solver.force_derivatives(q, v, a)
    for k, each in enumerate(states):
        for x, expected in zip(
            (found.dq, found.dv, found.da), linearized(model, each), strict=True
        ):
            assert x.shape == (3, n, n)
            close(x[k], expected)
    geometry = solver.geometry_sensitivity(q, v, a)
    assert geometry.shape == (3, n, len(solver.hinge_ends), 3)
    close(geometry[0].ravel(), results(model, "geometry_sensitivity", states[0])["dtau_dx"])
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst


def test_run_time_parameters_are_in_the_inertia_parameters() -> None:
    model = arm((0.7, 0.4), (1.5, 0.8))
    outer = replace(model.bodies[1], mass=parameter("m"))
    model = replace(model, bodies=(model.bodies[0], outer), parameters={"m": 0.8})
    solver = mstmm.compile(model, algorithm="sensitivities", target="numpy", parameters=("m",))
    inverse = mstmm.compile(model, algorithm="rnea-body", target="numpy", parameters=("m",))
    at = ([0.3, -0.8], [1.0, 2.0], [0.5, -0.4])
    for m in (0.8, 3.0):
        pi = solver.inertia_parameters(parameters={"m": m})
        assert pi[4] == m
        expected = inverse.inverse_dynamics(*at, parameters={"m": m})
        close(solver.inertia_regressor(*at, parameters={"m": m}) @ pi, expected)


def test_what_it_does_not_take_is_refused() -> None:
    with pytest.raises(UsageError, match=r"sensitivities takes trees.*without closed loops"):
        mstmm.compile(four_bar(), algorithm="sensitivities", target="numpy")
    riccati = mstmm.compile(arm((1.0,), (1.0,)), target="numpy")
    with pytest.raises(UsageError, match=r"does not compute inertia_regressor.*'sensitivities'"):
        riccati.inertia_regressor([0], [0], [0])

"""Forces between points: by Lagrange's equations, by orbits, by MuJoCo, in all coordinates.

The judges of random trees and loops are in `test_acting`, with `pulled` models.
"""

from __future__ import annotations

from dataclasses import replace
from math import pi
from random import Random
from typing import Any

import acting_models
import numpy as np
import pytest
import random_models
import sympy as sp
from closeness import close
from independent.forces import between, point_place
from proofs import proof_of_blocks

import mstmm
from mstmm.model import GROUND, End, Force, Model
from mstmm.model.expressions.quantities import TIME, parameter
from mstmm.model.files import toml
from mstmm.model.parts.forces import LENGTH, RATE
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

PAIR = """
name = "pair"
dimension = 2
gravity = [0, -9.81]
[parameters]
m = 1.0
l = 0.5
k = 40.0
[bodies.1]
mass = "m"
inertia = "m*l**2/12"
centre = ["l/2", 0]
[bodies.1.points.O]
[bodies.1.points.tip]
position = ["l", 0]
[bodies.2]
mass = 2
inertia = 0.05
centre = ["l/2", 0.1]
[bodies.2.points.O]
[bodies.2.points.tip]
position = ["l", 0.05]
[ground.points.left]
[ground.points.right]
position = [0.6, 0]
[hinges.a]
kind = "pin"
parent = "ground:left"
child = "1:O"
[hinges.b]
kind = "pin"
parent = "ground:right"
child = "2:O"
[forces.spring]
between = ["1:tip", "2:tip"]
stiffness = "k"
rest = 0.3
damping = 0.5
[forces.pull]
between = ["ground", "2"]
potential = "length**4"
mu = 2.0
LAW
[start.positions]
a = -1.2
b = -1.9
"""
LAW = """law = "3*ua + length**2 - 0.1*rate*abs(rate) + sin(qb)"
[forces.wind]
on = "2:tip"
drag = 0.2
quadratic = 0.1
medium = ["0.3*sin(t)", 0]
"""
Q, V, NOW = (-1.2, -1.9), (0.3, -0.4), 0.7


def pair(law: str = LAW) -> Model:
    return toml.from_text(PAIR.replace("LAW", law))


def lagrange(wide: bool) -> tuple[list[float], float]:
    """Accelerations and energy of `pair`, by virtual work and Lagrange's second kind."""
    t = TIME
    q = [sp.Function(name)(t) for name in "ab"]
    g, arm = sp.Rational(981, 100), sp.Rational(1, 2)
    R = [sp.Matrix([[sp.cos(x), -sp.sin(x)], [sp.sin(x), sp.cos(x)]]) for x in q]
    at = [sp.zeros(2, 1), sp.Matrix([sp.Rational(3, 5), 0])]
    centres = [R[0] * sp.Matrix([arm / 2, 0]), at[1] + R[1] * sp.Matrix([arm / 2, 0.1])]
    tips = [R[0] * sp.Matrix([arm, 0]), at[1] + R[1] * sp.Matrix([arm, 0.05])]
    masses, inertias = (1, 2), (arm**2 / 12, sp.Rational(1, 20))
    kinetic = sum(
        m * c.diff(t).dot(c.diff(t)) / 2 + J * x.diff(t) ** 2 / 2
        for m, J, c, x in zip(masses, inertias, centres, q, strict=True)
    )
    stored = sum(m * g * c[1] for m, c in zip(masses, centres, strict=True))
    lines = [
        sp.sqrt((tips[1] - tips[0]).dot(tips[1] - tips[0])),
        sp.sqrt(centres[1].dot(centres[1])),
    ]
    stored += 20 * (lines[0] - sp.Rational(3, 10)) ** 2 + lines[1] ** 4 - 2 * 2 / lines[1]
    powers = [(-lines[0].diff(t) / 2, lines[0])]
    if wide:
        rate = lines[1].diff(t)
        law = 3 * q[0].diff(t) + lines[1] ** 2 - rate * sp.Abs(rate) / 10 + sp.sin(q[1])
        powers.append((-law, lines[1]))
        slip = tips[1].diff(t) - sp.Matrix([sp.Rational(3, 10) * sp.sin(t), 0])
        drag = -slip * (sp.Rational(1, 5) + sp.sqrt(slip.dot(slip)) / 10)
        powers += [(drag[k], tips[1][k]) for k in (0, 1)]
    known = {x.diff(t): sp.Symbol(f"u{k}") for k, x in enumerate(q)}
    second = {x.diff(t, 2): sp.Symbol(f"a{k}") for k, x in enumerate(q)}
    equations = []
    for x in q:
        gap = kinetic.diff(x.diff(t)).diff(t) - (kinetic - stored).diff(x)
        gap -= sum(force * place.diff(x) for force, place in powers)
        equations.append(gap.doit().subs(second).subs(known))
    values = dict(zip(q, Q, strict=True)) | dict(zip(known.values(), V, strict=True)) | {t: NOW}
    unknowns = list(second.values())
    A, b = sp.linear_eq_to_matrix([x.subs(values) for x in equations], unknowns)
    found = np.linalg.solve(np.array(A, dtype=float), np.array(b, dtype=float))
    energy = (kinetic + stored).subs(known).subs(values)
    return found[:, 0].tolist(), float(energy)


@pytest.fixture(scope="module")
def truth() -> dict[bool, tuple[list[float], float]]:
    return {wide: lagrange(wide) for wide in (True, False)}


@pytest.mark.parametrize("algorithm", ["riccati", "overall", "dca", "slaats"])
def test_pendulums_by_lagrange(algorithm: str, truth: Any) -> None:
    """Spring, damper, potential, attraction, a law of other hinges' coordinates, and drag."""
    solver = mstmm.compile(pair(), algorithm=algorithm, target="numpy")
    accelerations, energy = truth[True]
    close(solver.accelerations(Q, V, t=NOW), accelerations)
    close(solver.energy(Q, V, t=NOW), energy)


@pytest.mark.parametrize("algorithm", ["rnea-body", "rnea-spatial", "rnea-hybrid", "rnea-mixed"])
def test_inverse_by_lagrange(algorithm: str, truth: Any) -> None:
    solver = mstmm.compile(pair(), algorithm=algorithm, target="numpy")
    close(solver.inverse_dynamics(Q, V, truth[True][0], t=NOW), [0, 0])


def test_momenta_take_forces_of_places_alone(truth: Any) -> None:
    model = pair("")
    slow = replace(model, forces=tuple(replace(x, damping=0) for x in model.forces))
    solver = mstmm.compile(slow, algorithm="hdca", target="numpy")
    other = mstmm.compile(slow, target="numpy")
    close(solver.accelerations(Q, V), other.accelerations(Q, V))
    with pytest.raises(mstmm.UsageError, match=r"hdca takes no force spring, which depends on sp"):
        mstmm.compile(model, algorithm="hdca", target="numpy")
    accelerations, energy = truth[False]
    close(mstmm.compile(model, target="numpy").accelerations(Q, V), accelerations)
    close(other.energy(Q, V), energy)


def test_derivatives() -> None:
    """Against central differences, with a parameter of a spring too."""
    solver = mstmm.compile(pair(), target="numpy", parameters=("k",))
    found = solver.derivatives(Q, V, t=NOW)
    h = 1e-6

    def slope(move: Any) -> Any:
        return (move(h) - move(-h)) / (2 * h)

    for j in range(2):
        unit = np.eye(2)[j]
        at = slope(lambda s, e=unit: solver.accelerations(Q + s * e, V, t=NOW))
        close(found.dq[:, j], at, 1e-6)
        at = slope(lambda s, e=unit: solver.accelerations(Q, V + s * e, t=NOW))
        close(found.dv[:, j], at, 1e-6)
    at = slope(lambda s: solver.accelerations(Q, V, t=NOW, parameters={"k": 40 + s}))
    close(found.dp[:, 0], at, 1e-6)


# Absolute coordinates


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("form", ["fast", "paper", "overall"])
def test_absolute_coordinates(dimension: int, form: str) -> None:
    """Against the same solver without forces, under wrenches from poses and their differences."""
    rng = Random(dimension)
    tree = random_models.planar_tree if dimension == 2 else random_models.spatial_tree
    plain = tree(rng, 5)
    plain = replace(plain, parameters={**plain.parameters, **acting_models.PARAMETERS})
    model = acting_models.pulled(rng, plain)
    q, v = random_models.random_state(rng, dimension, len(model.bodies))
    options = {"algorithm": "overall"} if form == "overall" else {"form": form}
    solver = mstmm.compile(model, target="numpy", **options)
    bare = mstmm.compile(plain, target="numpy")
    force, stored = wrenches(model, bare, np.array(q), np.array(v), 0.4)
    close(
        solver.accelerations(q, v, t=0.4), bare.accelerations(q, v, wrenches=force), 1e-7
    )  # differences of poses at 1e-5: rounding 1e-10, of the second order
    close(solver.energy(q, v, t=0.4), bare.energy(q, v) + stored)
    mine, other = (
        x.joint_loads(q, v, **more)
        for x, more in ((solver, {"t": 0.4}), (bare, {"wrenches": force}))
    )
    close(mine, other, 1e-7)
    tau = np.array([rng.uniform(-1, 1) for _ in v])
    more = np.array([[rng.uniform(-1, 1) for _ in range(6)] for _ in model.bodies])
    more *= [0, 0, 1, 1, 1, 0] if dimension == 2 else 1
    there = solver.accelerations(q, v, tau, t=0.4, wrenches=more)
    close(there, bare.accelerations(q, v, tau, wrenches=force + more), 1e-7)


def wrenches(model: Model, solver: Any, q: Any, v: Any, t: float) -> tuple[Any, float]:
    """What all forces exert on the bodies, at their centres of mass."""
    d, h = model.dimension, 1e-5
    turning = zip(q.reshape(-1, 4), v.reshape(-1, 3), strict=True) if d == 3 else ()
    qd = v if d == 2 else np.ravel([_spun(*x) for x in turning])
    here, there, back = (solver.poses(q + s * qd) for s in (0, h, -h))
    names = [body.name for body in model.bodies]

    def seen(end: End) -> tuple[Any, Any]:
        at = point_place(model, end)
        if end.body == GROUND:
            return at[:3], np.zeros(3)
        k = names.index(end.body)
        return (here[k] @ at)[:3], ((there[k] - back[k]) @ at)[:3] / (2 * h)

    known = dict(zip((*model.coordinates, *model.speeds), [*q, *v], strict=True))
    pushed, stored = between(model, seen, t, known)
    total = np.zeros((len(names), 6))
    for name, at, force in pushed:
        if name != GROUND:
            k = names.index(name)
            centre = (here[k] @ point_place(model, End(name, "")))[:3]
            total[k] += [*np.cross(at - centre, force), *force]
    return total, stored


def _spun(Q: Any, w: Any) -> Any:
    """The rate of a quaternion, ½ Q ∘ (0, ω)."""
    return np.array([-Q[1:] @ w, *(Q[0] * w + np.cross(Q[1:], w))]) / 2


# Loops


def test_four_bar_with_diagonal_springs() -> None:
    """Against Lagrange's equations with multipliers in the bars' own angles."""
    plain = mstmm.load("four-bar")
    forces = (
        Force("inner", (End("crank", "pin"), End(GROUND, "pivot")), stiffness=300, rest=0.2),
        Force("outer", (End(GROUND, "O"), End("rocker", "top")), stiffness=90, damping=4),
    )
    model = replace(plain, forces=forces)
    names = ("mu", *"abcd")
    mu, a, b, c, d = (model.parameters[name] for name in names)
    x, u = sp.symbols("x0:3"), sp.symbols("u0:3")
    along = [sp.Matrix([sp.cos(angle), sp.sin(angle)]) for angle in x]
    pin, top = a * along[0], a * along[0] + b * along[1]
    foot = top + c * along[2]
    middles = (pin / 2, pin + b * along[1] / 2, top + c * along[2] / 2)
    rate = lambda place: place.jacobian(x) * sp.Matrix(u)  # noqa: E731
    pivot, lengths = sp.Matrix([d, 0]), (a, b, c)
    gravity = -model.value(model.gravity[1])
    kinetic = stored = sp.Integer(0)
    for k, (length, at) in enumerate(zip(lengths, middles, strict=True)):
        m = mu * length
        kinetic += m * rate(at).dot(rate(at)) / 2 + m * length**2 / 24 * u[k] ** 2
        stored += m * gravity * at[1]
    inner, outer = sp.sqrt((pin - pivot).dot(pin - pivot)), sp.sqrt(top.dot(top))
    stored += 150 * (inner - sp.Rational(1, 5)) ** 2 + 45 * outer**2
    gap = foot - pivot
    J = gap.jacobian(x)
    angles = np.cumsum(model.q0)
    here = dict(zip(x, angles, strict=True))
    slopes = np.array(J.subs(here), dtype=float)
    v = np.linalg.svd(slopes)[2][-1] * 3
    here |= dict(zip(u, v, strict=True))
    M = sp.hessian(kinetic, u)
    momentum = sp.Matrix([kinetic]).jacobian(u)
    right = sp.Matrix([kinetic - stored]).jacobian(x).T - momentum.jacobian(x) * sp.Matrix(u)
    right -= 4 * rate(sp.Matrix([outer]))[0] * sp.Matrix([outer]).jacobian(x).T
    bias = -(rate(J * sp.Matrix(u)))
    whole = np.block([[np.array(M.subs(here), float), -slopes.T], [slopes, np.zeros((2, 2))]])
    given = [*np.array(right.subs(here), float).ravel(), *np.array(bias.subs(here), float).ravel()]
    expected = np.linalg.solve(whole, given)[:3]
    energy = float((kinetic + stored).subs(here))
    joint = np.diff(v, prepend=0.0)
    for algorithm in ("riccati", "overall", "dca"):
        solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
        found = solver.accelerations(model.q0, joint)
        close(np.cumsum(found), expected, 1e-9)  # the start closes the loop to 1e-12
        close(solver.energy(model.q0, joint), energy, 1e-10)


# Attraction

SATELLITE = """
name = "satellite"
dimension = DIMENSION
gravity = ZERO
[bodies.sat]
mass = 500
inertia = INERTIA
centre = CENTRE
[bodies.sat.points.O]
[hinges.flight]
kind = "free"
parent = "ground"
child = "sat:O"
[forces.earth]
between = ["ground", "sat"]
mu = 3.986004418e14
"""


@pytest.mark.parametrize("dimension", [2, 3])
def test_orbit(dimension: int) -> None:
    """Kepler's third law, energy and the apsides of an ellipse; the body spins on."""
    zero, off = [0] * dimension, [0.3, -0.2, 0.1][:dimension]
    text = SATELLITE.replace("DIMENSION", str(dimension)).replace("ZERO", str(zero))
    text = text.replace("CENTRE", str(zero))
    model = toml.from_text(text.replace("INERTIA", "80" if dimension == 2 else "[80,60,40,0,0,0]"))
    mu, near, far = 3.986004418e14, 7.0e6, 4.2e7
    half = (near + far) / 2
    fast = float(np.sqrt(mu * (2 / near - 1 / half)))
    period = 2 * pi * np.sqrt(half**3 / mu)
    q0 = [near, 0, 0] if dimension == 2 else [near, 0, 0, 1, 0, 0, 0]
    v0 = [0, fast, 0] if dimension == 2 else [0, fast, 0, 0, 0, 0]
    solver = mstmm.compile(model, target="numpy")
    run = solver.simulate(
        q0=q0, v0=v0, t_end=period, record=period / 2000, method="dopri5", rtol=1e-11, atol=1e-6
    )
    close(np.array(run.q[-1][:2]) / near, [1, 0], 1e-7)
    assert np.abs(run.q[:, 0].min() + far) < 1e-4 * far  # of records along the way
    close(run.energy / 500, np.full(len(run.time), -mu / 2 / half), 1e-9)
    assert off  # the other case: a centre of mass off the origin moves alike
    moved = toml.from_text(
        text.replace(f"centre = {zero}", f"centre = {off}").replace(
            "INERTIA", "80" if dimension == 2 else "[80,60,40,0,0,0]"
        )
    )
    q1 = [*(np.array([near, 0, 0][:dimension]) - off), *q0[dimension:]]
    other = mstmm.compile(moved, target="numpy")
    a = other.accelerations(q1, v0)
    close(a[:2], [-mu / near**2, 0], 1e-12)


# MuJoCo

ARMS = """
name = "arms"
dimension = 3
gravity = [0, 0, -9.81]
[bodies.1]
mass = 1.5
inertia = [0.02, 0.03, 0.01, 0, 0, 0]
centre = [0.1, 0.02, -0.2]
[bodies.1.points.O]
[bodies.1.points.next]
position = [0.2, 0, -0.4]
rpy = [0, 1.5707963267948966, 0]
[bodies.1.points.site]
position = [0.05, 0.1, -0.3]
[bodies.2]
mass = 0.7
inertia = [0.004, 0.006, 0.005, 0, 0, 0]
centre = [0.0, 0.1, -0.15]
[bodies.2.points.O]
rpy = [0, 1.5707963267948966, 0]
[bodies.2.points.site]
position = [0.1, 0.05, -0.25]
[ground.points.site]
position = [0.5, -0.2, 0.3]
[hinges.a]
kind = "revolute"
parent = "ground"
child = "1:O"
[hinges.b]
kind = "revolute"
parent = "1:next"
child = "2:O"
[forces.cable]
between = ["1:site", "2:site"]
stiffness = 120
rest = 0.15
damping = 3
[forces.stay]
between = ["ground:site", "2:site"]
stiffness = 35
rest = 0.4
damping = 1.5
"""
TENDONS = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
<site name="g" pos="0.5 -0.2 0.3"/>
<body name="1"><joint name="a" axis="0 0 1"/>
<inertial mass="1.5" pos="0.1 0.02 -0.2" diaginertia="0.02 0.03 0.01"/>
<site name="s1" pos="0.05 0.1 -0.3"/>
<body name="2" pos="0.2 0 -0.4"><joint name="b" axis="1 0 0"/>
<inertial mass="0.7" pos="0 0.1 -0.15" diaginertia="0.004 0.006 0.005"/>
<site name="s2" pos="0.1 0.05 -0.25"/></body></body></worldbody>
<tendon><spatial stiffness="120" damping="3" springlength="0.15"><site site="s1"/><site site="s2"/>
</spatial><spatial stiffness="35" damping="1.5" springlength="0.4"><site site="g"/><site site="s2"/>
</spatial></tendon></mujoco>"""


def test_tendons_of_mujoco() -> None:
    mujoco = pytest.importorskip("mujoco", reason="needs the extra mujoco")
    other = mujoco.MjModel.from_xml_string(TENDONS)
    state = mujoco.MjData(other)
    solver = mstmm.compile(toml.from_text(ARMS), target="numpy")
    rng = Random(1)
    for _ in range(5):
        q, v = ([rng.uniform(-2, 2) for _ in range(2)] for _ in range(2))
        state.qpos[:], state.qvel[:] = q, v
        mujoco.mj_forward(other, state)
        close(solver.accelerations(q, v), state.qacc, 1e-12)


# What is refused, written, and done where two points meet


def test_points_that_coincide() -> None:
    """No direction, no force: as without the spring, and finite everywhere."""
    model = toml.from_text(ARMS)
    spring = Force("knot", (End("1", "next"), End("2", "O")), stiffness=50, rest=0.1, damping=1)
    q, v = (0.3, -0.4), (0.5, 0.6)
    tied = mstmm.compile(replace(model, forces=(spring,)), target="numpy")
    free = mstmm.compile(replace(model, forces=()), target="numpy")
    close(tied.accelerations(q, v), free.accelerations(q, v), 1e-12)
    assert np.isfinite(tied.derivatives(q, v).dv).all()


def test_equal_springs_along_a_chain_are_one_kind() -> None:
    """Kernels and units do not grow with the number of bodies and springs."""

    def kinds(n: int) -> dict[str, int]:
        model = mstmm.load(f"ball-chain:n={n}")
        bodies = [body.name for body in model.bodies]
        ends = [body.points[0].name for body in model.bodies]
        forces = tuple(
            Force(f"s{k}", (End(bodies[k], ends[k]), End(bodies[k + 2], "")), stiffness=9, rest=0.1)
            for k in range(n - 2)
        )
        program = joint_program(plan(replace(model, forces=forces)))
        return {
            step.name: len(set(map(id, getattr(step.calls, "units", ())))) for step in program.steps
        }

    assert kinds(24) == kinds(48)  # longer than those that take their bias apart


def test_files_keep_forces() -> None:
    text = toml.to_text(pair())
    assert toml.to_text(toml.from_text(text)) == text
    assert toml.from_text(text).forces == pair().forces


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('between = ["1:tip", "2:tip"]', 'between = ["1:tip", "3:tip"]', "forces.spring.*body '3'"),
        ('between = ["1:tip", "2:tip"]', 'between = ["1:tip", "2:top"]', "forces.spring.*'top'"),
        ('between = ["1:tip", "2:tip"]', 'between = ["1:tip", "1:O"]', "two points of body 1"),
        ('between = ["1:tip", "2:tip"]', 'between = ["1:tip"]', "acts on one point"),
        ('between = ["1:tip", "2:tip"]', "", "either between, two points, or on, one"),
        ('stiffness = "k"', 'stiffness = "-k"', "forces.spring.stiffness: must not be negative"),
        ('stiffness = "k"', 'stiffness = "k*length"', "there is no 'length'"),
        ("sin(qb)", "sin(qc)", "forces.pull.law.*there is no 'qc'"),
        ('on = "2:tip"', 'on = "ground"', "a medium drags a body"),
        ("mu = 2.0", "mu = 2.0\nquadratic = 1", "forces.pull.quadratic: the force acts on two"),
        ('["ground", "2"]', '["ground", "2:tip"]', "attracts a body's centre of mass"),
        ("rest = 0.3", 'rest = "length"', "there is no 'length'"),
        ("m = 1.0", "m = 1.0\nlength = 2", "forces.pull.law: .* is a parameter too; rename"),
    ],
)
def test_refusals_name_force_and_field(old: str, new: str, said: str) -> None:
    text = PAIR.replace("LAW", LAW)
    assert old in text
    with pytest.raises(mstmm.ModelError, match=said):
        toml.from_text(text.replace(old, new, 1))


def test_law_reads_no_cut_hinge() -> None:
    """A hinge that is read is not cut where another may be; a cut one is named."""
    model = mstmm.load("four-bar")
    read = Force("f", (End(GROUND, "O"), End("rocker", "top")), law=parameter("qpivot"))
    chosen = replace(model, forces=(read,), cuts=(), q0=(), v0=())
    assert "pivot" not in chosen.cuts
    with pytest.raises(mstmm.ModelError, match=r"force f.*qpivot of hinge pivot, which is cut"):
        replace(model, forces=(read,))


@pytest.mark.parametrize("algorithm", ["riccati", "rnea-body", "dca"])
def test_proof(algorithm: str) -> None:
    """The generated code against 50 digits."""
    solver = mstmm.compile(pair(), algorithm=algorithm, target="numpy", parameters=("k",))
    proof = proof_of_blocks(solver)
    assert proof.ok, proof.worst
    assert LENGTH != RATE


# Sensors


def test_a_sensor_elsewhere_holds_a_pendulum() -> None:
    """A cart is driven by how high its pole stands, and how fast that changes."""
    plain = mstmm.load("cart-pole")
    cart, pole = plain.bodies
    plain = replace(plain, bodies=(replace(cart, inertia=1), pole))  # dca wants one
    slide, pivot = plain.hinges
    sensor = mstmm.Sensor("height", (End(pole.name, ""),), (0, 1))
    law = -20 * parameter("height") + 3 * parameter("height_rate") * parameter(plain.speeds[1])
    model = replace(plain, sensors=(sensor,), hinges=(replace(slide, force=(law,)), pivot))
    bare = mstmm.compile(plain, target="numpy")
    q, v = np.array([0.3, 0.7]), np.array([-0.4, 0.9])
    at = point_place(plain, sensor.ends[0])

    def height(q: Any) -> float:
        return float((bare.poses(q)[1] @ at)[1])

    h = 1e-6
    rate = (height(q + h * v) - height(q - h * v)) / (2 * h)
    tau = [-20 * height(q) + 3 * rate * v[1], 0]
    for algorithm in ("riccati", "overall", "dca", "slaats"):
        solver = mstmm.compile(model, algorithm=algorithm, target="numpy")
        close(solver.accelerations(q, v), bare.accelerations(q, v, tau), 1e-9)
    found = mstmm.compile(model, target="numpy").derivatives(q, v)
    moved = mstmm.compile(model, target="numpy")
    for j, unit in enumerate(np.eye(2)):
        ahead, behind = (moved.accelerations(q + s * unit, v) for s in (h, -h))
        close(found.dq[:, j], (ahead - behind) / (2 * h), 1e-6)
    text = toml.to_text(model)
    assert toml.to_text(toml.from_text(text)) == text
    for options in ({"algorithm": "hdca"}, {"algorithm": "inverse-rates"}):
        with pytest.raises(mstmm.UsageError, match=r"law of hinge|laws that read other hinges"):
            mstmm.compile(model, target="numpy", **options)


@pytest.mark.parametrize(
    ("sensor", "said"),
    [
        ('[sensors.m]\non = "2:tip"\nalong = [0, 1]', "sensors.m: m is taken"),
        ('[sensors.qa]\non = "2:tip"\nalong = [0, 1]', "sensors.qa: qa is taken"),
        ('[sensors.s]\non = "2:tip"', "sensors.s.along: is missing"),
        ('[sensors.s]\nbetween = ["2:tip", "2"]', "between two points of body 2"),
        ('[sensors.s]\nbetween = ["2:tip", "4"]', r"sensors.s.between: an end is written"),
        ('[sensors.s]\non = "2:tip"\nalong = [1]', "sensors.s.along: has 1 entry instead of 2"),
    ],
)
def test_refusals_name_the_sensor(sensor: str, said: str) -> None:
    with pytest.raises(mstmm.ModelError, match=said):
        toml.from_text(PAIR.replace("LAW", LAW) + sensor + "\n")


def test_pages_show_forces() -> None:
    """Tensions in a table, springs as zigzags, and the judge of the page agrees."""
    model = pair()
    shown = mstmm.derive(model)
    from mstmm.report.forces import between_points
    from mstmm.report.judging.virtual import judge

    lines, media = between_points(model)
    said = str(lines) + str(media)
    assert "k*(length - 0.3" in said
    assert "quadratic" in said
    svg = model.draw("mechanism").svg
    assert svg.count("<title>force ") == 2
    a = mstmm.compile(model, target="numpy").accelerations(Q, V, t=NOW)
    given = {"t": NOW, "parameters": dict(model.parameters)}
    assert judge(model, shown.program(), Q, V, list(a), **given).ok
    assert not judge(model, shown.program(), Q, V, list(a + 1e-6), **given).ok


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("form", ["fast", "paper"])
def test_sensors_in_absolute_coordinates(dimension: int, form: str) -> None:
    """A law of a sensor between the same points is that of the line itself."""
    rng = Random(dimension)
    tree = random_models.planar_tree if dimension == 2 else random_models.spatial_tree
    plain = tree(rng, 4)
    first, second = (End(body.name, body.points[-1].name) for body in plain.bodies[:2])
    gap, rate = parameter("gap"), parameter("gap_rate")
    sensor = mstmm.Sensor("gap", (first, second))
    own = Force("f", (first, second), law=3 * LENGTH**2 - RATE)
    told = replace(own, law=3 * gap**2 - rate)
    q, v = random_models.random_state(rng, dimension, len(plain.bodies))
    found = [
        mstmm.compile(
            replace(plain, forces=(force,), sensors=(sensor,)), form=form, target="numpy"
        ).accelerations(q, v)
        for force in (own, told)
    ]
    close(found[0], found[1], 1e-13)

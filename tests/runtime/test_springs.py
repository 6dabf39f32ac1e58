"""Springs and dampers: energy, power, momentum, small angles, and what an elastic hinge holds."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import mpmath
import numpy as np
import pytest
import scipy
import sympy as sp
from compiler import TARGET, TARGETS, needs_compiler
from independent.joints import motions
from random_models import joint_tree

import mstmm
from mstmm.codegen.lower import lower
from mstmm.errors import ModelError
from mstmm.model import GROUND, Beam, Body, End, Hinge, Load, Model, Point
from mstmm.model.expressions.functions import step
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.topology import choose_cuts
from mstmm.symbolic.language.arithmetic import EXACT, FLOAT, digits
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray

STIFFNESS = {2: (40.0, 70.0, 9.0), 3: (40.0, 70.0, 55.0, 6.0, 9.0, 7.0)}
DAMPING = {2: (0.4, 0.9, 0.3), 3: (0.4, 0.9, 0.6, 0.2, 0.3, 0.5)}
TILTED = ((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))


def block(name: str, dimension: int) -> Body:
    """An uneven block with points aside of its centre."""
    moments = (0.03, 0.05, 0.06)
    inertia = tuple(tuple(m if i == j else 0.0 for j in range(3)) for i, m in enumerate(moments))
    axes = 0.3 if dimension == 2 else TILTED
    points = (
        Point("a", (0.1, -0.2, 0.05)[:dimension], axes),
        Point("b", (-0.3, 0.1, 0.2)[:dimension]),
    )
    centre = (0.02, 0.03, -0.01)[:dimension]
    return Body(name, 1.5, 0.06 if dimension == 2 else inertia, centre, points)


def elastic(name: str, parent: str, child: str, dimension: int, damped: bool = False) -> Hinge:
    return Hinge(
        name,
        "elastic",
        (End.parse(parent), End.parse(child)),
        stiffness=STIFFNESS[dimension],
        damping=DAMPING[dimension] if damped else (),
        rest=(0.1, -0.05, 0.2),
    )


def on_springs(dimension: int, damped: bool = False, loop: bool = False) -> Model:
    """A block on springs on a block on springs; with a loop, the second on the ground as well."""
    gravity = (0.0, -9.81, 0.0)[:dimension]
    hinges = [
        elastic("1", "0:O", "A:a", dimension, damped),
        elastic("2", "B:a", "A:b", dimension, damped),
    ]
    if loop:
        hinges.append(elastic("3", "0:P", "B:b", dimension, damped))
    place = (-0.1, 0.2, 0.3)[:dimension]
    return Model(
        "on-springs",
        dimension,
        (block("A", dimension), block("B", dimension)),
        tuple(hinges),
        gravity,
        absolute=False,
        cuts=("3",) if loop else (),
        ground=(Point("P", place, 0.4 if dimension == 2 else TILTED),),
    )


def kicked(model: Model) -> Array:
    """Speeds of order one that turn every body."""
    return np.array([(-1) ** k * (0.3 + 0.1 * k) for k in range(len(model.speeds))])


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("loop", [False, True])
def test_energy_is_kept(dimension: int, loop: bool) -> None:
    """The energy of about 1 J changes by the integrator's fourth order."""
    model = on_springs(dimension, loop=loop)
    solver = mstmm.compile(model, target=TARGET)
    coarse, fine = (solver.simulate(None, kicked(model), t_end=1.0, dt=dt) for dt in (2e-3, 1e-3))
    drift = [np.abs(run.energy - run.energy[0]).max() for run in (coarse, fine)]
    assert drift[1] < 1e-6
    assert drift[0] / drift[1] > 12
    swing = solver.energy(coarse.q, 0 * coarse.v)
    assert np.ptp(swing) > 0.1  # between the springs and the motion


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("cut", [False, True])
def test_dampers_take_their_power(dimension: int, cut: bool) -> None:
    """dE/dt = −Σ c · rate², rates seen from the parent's axes, by differences of poses."""
    base = on_springs(dimension, damped=True)
    model = base
    if cut:  # the first block flies, and its springs are a cut hinge
        free = Hinge("0", "free", (End(GROUND, "O"), End("A", "c")))
        point = Point("c", (0.0,) * dimension)
        body = replace(base.bodies[0], points=(*base.bodies[0].points, point))
        bodies = (body, base.bodies[1])
        model = replace(base, bodies=bodies, hinges=(free, *base.hinges), cuts=("1",), q0=(), v0=())
    solver = mstmm.compile(model, target=TARGET)
    run = solver.simulate(None, kicked(model), t_end=0.4, dt=1e-3)
    places = solver.poses(run.q)
    power = np.zeros(len(run.time) - 2)
    for hinge in base.hinges:
        a, b = (_end(model, places, end) for end in hinge.ends)
        across = np.linalg.inv(a) @ b
        rate = (across[2:, :3, 3] - across[:-2, :3, 3]) / 2e-3
        turn = across[2:, :3, :3] @ across[:-2, :3, :3].swapaxes(-1, -2)
        spin = scipy.spatial.transform.Rotation.from_matrix(turn).as_rotvec() / 2e-3
        moving = [0, 1, 5] if dimension == 2 else range(6)
        power += np.hstack([rate, spin])[:, moving] ** 2 @ np.array(hinge.damping)
    lost = -(run.energy[2:] - run.energy[:-2]) / 2e-3
    # Differences of second order in a step of a thirtieth of the fastest swing's radian.
    np.testing.assert_allclose(lost, power, rtol=0, atol=1e-3 * np.abs(lost).max())


def _end(model: Model, places: Array, end: End) -> Array:
    own = np.eye(4)
    if end.body == GROUND:
        frame, point = np.broadcast_to(np.eye(4), places[:, 0].shape), model.ground_point(end.point)
    else:
        names = [body.name for body in model.bodies]
        frame = places[:, names.index(end.body)]
        point = model.body(end.body).point(end.point)
    own[: model.dimension, 3] = point.position
    if isinstance(point.axes, tuple):
        own[:3, :3] = point.axes
    elif point.axes is not None:
        c, s = np.cos(point.axes), np.sin(point.axes)
        own[:2, :2] = [[c, -s], [s, c]]
    return frame @ own


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("told", ["parent to child", "child to parent", "cut"])
def test_springs_between_flying_bodies_keep_the_momenta(dimension: int, told: str) -> None:
    """Without d × q in the moments the angular momentum would change."""
    spring = elastic(
        "2",
        *(("A:a", "B:a") if told != "child to parent" else ("B:a", "A:a")),
        dimension,
        damped=True,
    )
    flight = Hinge("1", "free", (End(GROUND, "O"), End("A", "b")))
    hinges = [flight, spring]
    if told == "cut":
        hinges.append(Hinge("3", "free", (End(GROUND, "P"), End("B", "b"))))
    model = Model(
        "flight",
        dimension,
        (block("A", dimension), block("B", dimension)),
        tuple(hinges),
        (0.0,) * dimension,
        absolute=False,
        cuts=("2",) if told == "cut" else (),
    )
    solver = mstmm.compile(model, target=TARGET)
    run = solver.simulate(None, kicked(model), t_end=0.5, dt=1e-3)
    first, last = (_momenta(model, run.q[k], run.v[k]) for k in (0, -1))
    assert run.energy[-1] < run.energy[0] - 0.01
    np.testing.assert_allclose(last, first, rtol=0, atol=1e-8)


def _momenta(model: Model, q: Array, v: Array) -> Array:
    """Linear momentum, and angular momentum about the origin."""
    from independent.loops import opened

    total = np.zeros(6)
    for body, frame in zip(model.bodies, motions(opened(model), q, v), strict=True):
        centre = np.array(
            [*body.centre, 0.0, 1.0] if len(body.centre) == 2 else [*body.centre, 1.0]
        )
        place, velocity = (frame.x @ centre)[:3], (frame.d[0] @ centre)[:3]
        R, W = frame.x[:3, :3], frame.d[0, :3, :3] @ frame.x[:3, :3].T
        spin = np.array([W[2, 1], W[0, 2], W[1, 0]])
        inertia = np.diag([0, 0, 1]) * body.inertia if len(body.centre) == 2 else body.inertia
        total[:3] += body.mass * velocity
        total[3:] += R @ np.array(inertia, dtype=float) @ R.T @ spin
        total[3:] += np.cross(place, body.mass * velocity)
    return total


def test_small_turns_follow_the_rotation_vector() -> None:
    """The moment is −k θ about each axis up to the third order: a tenth, a thousandth."""
    body = block("A", 3)
    model = replace(
        on_springs(3),
        bodies=(replace(body, centre=(0.1, -0.2, 0.05)),),
        hinges=(replace(elastic("1", "0:O", "A:a", 3), rest=()),),
        gravity=(0, 0, 0),
        q0=(),
        v0=(),
    )
    program = joint_program(plan(model))
    errors = []
    for size in (0.2, 0.02):
        vector = size * np.array([0.6, -0.3, 0.7])
        x, y, z, w = scipy.spatial.transform.Rotation.from_rotvec(vector).as_quat()
        state = {"q": [0, 0, 0, w, x, y, z], "v": [0.0] * 6}
        load = Interpreter(program, FLOAT).results("joint_loads", state)["loads"]
        errors.append(np.abs(np.array(load[:3]) + np.array(STIFFNESS[3][3:]) * vector).max())
        energy = Interpreter(program, FLOAT).results("energy", state)["energy"][0]
        expected = np.array(STIFFNESS[3][3:]) @ vector**2 / 2
        assert abs(energy - expected) < 2 * size**4
    assert errors[0] < 0.1
    assert errors[0] / errors[1] > 50


def test_nothing_of_a_body_comes_through_an_elastic_hinge() -> None:
    """Behind it the inertia is zero, and the load that of the springs whatever the mass is."""
    for dimension in (2, 3):
        model = on_springs(dimension, damped=True)
        program = joint_program(plan(model))
        q, v = list(model.q0), kicked(model).tolist()
        values = Interpreter(program, FLOAT).run("joint_loads", {"q": q, "v": v})
        heavy = replace(model, bodies=tuple(replace(b, mass=1e9) for b in model.bodies))
        other = Interpreter(joint_program(plan(heavy)), FLOAT).run("joint_loads", {"q": q, "v": v})
        passed = [x for ref, x in values.items() if ref.array in ("IAh", "IAt")]
        assert passed
        assert not any(map(any, passed))
        for ref, x in values.items():
            if ref.array in ("pAh", "loads"):
                assert x == other[ref]
        kept = mstmm.compile(model, target="numpy").generated.module.workspace
        assert not [name for name in kept if name.startswith(("IAh", "IAt"))]


def test_what_a_hinge_eliminates_is_never_stored() -> None:
    """After a hinge whose H spans components, IAh and pAh are exactly zero there."""
    model = joint_tree(Random(3), 3, kinds=("revolute",), bodies=3)
    workspace = lower(joint_program(plan(model))).workspace
    assert "IAh66" not in workspace
    assert "IAh55" in workspace
    assert "pAh6" not in workspace


def test_an_elastic_hinge_opens_its_loop() -> None:
    """It is cut rather than another, and leaves no condition."""
    hinges = (
        Hinge("1", "pin", (End(GROUND, "O"), End("A", "a"))),
        elastic("2", "A:b", "B:a", 2),
        Hinge("3", "pin", (End("B", "b"), End(GROUND, "P"))),
    )
    assert choose_cuts(2, hinges) == ("2",)
    model = replace(on_springs(2), hinges=hinges, q0=(), v0=())
    assert model.cuts == ("2",)
    solver = mstmm.compile(model, target="numpy")
    assert solver.conditions == ()
    assert solver.ends == ("A:a", "B:b", "B:a")
    # The same with the springs in the tree and a pin cut, at a place where that pin is closed.
    other = mstmm.compile(replace(model, cuts=("3",), q0=(), v0=()), target="numpy")
    where, speeds = other.project(np.array([0.3, 0.2, -0.3, 0.1]), np.array([0.5, 0.1, 0.3, 0.2]))
    at = other.poses(where)
    angles = np.arctan2(at[:, 1, 0], at[:, 0, 0])
    # The pin's coordinate is the angle of the ground's point as seen from the body's.
    q = np.array([angles[0] + 0.3, 0.4 - angles[1]])
    v = np.array([speeds[0], -(speeds[0] + speeds[3])])
    np.testing.assert_allclose(solver.poses(q), at, atol=1e-11)
    np.testing.assert_allclose(solver.energy(q, v), other.energy(where, speeds), atol=1e-9)
    a, b = solver.accelerations(q, v), other.accelerations(where, speeds)
    np.testing.assert_allclose(a, [b[0], -(b[0] + b[3])], atol=1e-8)


def test_energy_is_kept_on_a_beam() -> None:
    """A beam on a sprung pin carries a block on springs: 1 J of order, kept to order four."""
    ends = (Point("a", (0.0, 0.0)), Point("b", (1.0, 0.0)))
    beam = Beam("L", 1.0, 1.0, 4e3, 20.0, 1, 1, ends)
    q = hinge_symbol("q", 1)
    pin = Hinge("1", "pin", (End(GROUND, "O"), End("L", "a")), potential=15 * q**2)
    hinges = (pin, elastic("2", "L:b", "A:a", 2))
    model = Model("sprung-beam", 2, (beam, block("A", 2)), hinges, (0.0, -9.81), absolute=False)
    solver = mstmm.compile(model, target=TARGET)
    coarse, fine = (solver.simulate(t_end=0.2, dt=dt) for dt in (2e-4, 1e-4))
    drift = [np.abs(run.energy - run.energy[0]).max() for run in (coarse, fine)]
    assert drift[1] < 1e-6
    assert drift[0] / drift[1] > 12
    with pytest.raises(ModelError, match="load l · body: a load acts on a rigid body"):
        replace(model, loads=(Load("l", "L", force=(1, 0)),))


# Steps


def pushed(law: sp.Expr) -> Model:
    """A mass of 2 kg on a rail, with a force along it."""
    body = Body("m", 2.0, 1.0, (0.0, 0.0), (Point("P", (0, 0)),))
    rail = Hinge("r", "prismatic", (End(GROUND, "O"), End("m", "P")))
    load = Load("push", "m", force=(law, 0))
    return Model("cart", 2, (body,), (rail,), (0, 0), {"s": 0.5}, absolute=False, loads=(load,))


def test_a_step_pushes_from_its_time_on() -> None:
    run = mstmm.compile(pushed(3 * step(TIME - parameter("s"))), target=TARGET).simulate(
        t_end=2.0, dt=0.01
    )
    after = np.maximum(np.asarray(run.time) - 0.5, 0.0)
    # A Runge–Kutta step that meets the jump is of first order there.
    np.testing.assert_allclose(run.q[:, 0], 0.75 * after**2, rtol=0, atol=2e-2)
    np.testing.assert_allclose(np.diff(run.v[60:, 0]), 0.015, atol=1e-12)


@pytest.mark.parametrize("target", [*TARGETS, pytest.param("c-batch", marks=needs_compiler)])
def test_step_sign_and_abs(target: str) -> None:
    """Below, at and above zero: generated code, floats, fractions and 50 digits."""
    s = TIME - sp.Rational(1, 2)
    for law, expected in (
        (step(s), (0, 0, 1, 1, 1)),
        (step(-s), (1, 1, 1, 0, 0)),
        (sp.sign(s), (-1, -1, 0, 1, 1)),
        (sp.Abs(s), (1.5, 0.25, 0, 0.25, 1.5)),
    ):
        model = pushed(2 * law)
        solver = mstmm.compile(model, target=target)
        program = joint_program(plan(model))
        for t, value in zip((-1.0, 0.25, 0.5, 0.75, 2.0), expected, strict=True):
            assert solver.accelerations([0.0], [0.0], t=t) == [value]
            for arithmetic in (FLOAT, EXACT, digits(50)):
                with mpmath.workdps(50):
                    given = {"q": [0.0], "v": [0.0], "t": [t]}
                    numbers = {
                        name: [
                            arithmetic.make(sp.Rational(x))
                            if arithmetic is not EXACT
                            else _fraction(x)
                            for x in values
                        ]
                        for name, values in given.items()
                    }
                    found = Interpreter(program, arithmetic).results("accelerations", numbers)
                    assert found["a"] == [value]


def _fraction(x: float) -> object:
    from fractions import Fraction

    return Fraction(x)


def test_a_stop_stores_energy() -> None:
    """A potential that steps where it is zero: a body falls on a spring and flies up again."""
    q = hinge_symbol("q", 1)
    body = Body("m", 1.0, 1.0, (0.0, 0.0), (Point("P", (0, 0)),))
    rail = Hinge(
        "r",
        "prismatic",
        (End(GROUND, "O"), End("m", "P")),
        potential=500 * step(-q) * q**2 / 2,
    )
    model = Model("stop", 2, (body,), (rail,), (-9.81, 0), absolute=False, q0=(0.5,))
    run = mstmm.compile(model, target=TARGET).simulate(t_end=1.5, dt=1e-4)
    assert run.q.min() < -0.1
    assert np.abs(run.energy - run.energy[0]).max() < 1e-6
    turns = [
        t for t, (a, b) in zip(run.time[1:], pairwise(run.v[:, 0]), strict=False) if a > 0 >= b
    ]
    # Fall, half a swing about the sagged place, rise.
    omega, fall = np.sqrt(500.0), np.sqrt(2 * 0.5 / 9.81)
    contact = 2 * (np.pi - np.arctan(9.81 * fall * omega / 9.81)) / omega
    np.testing.assert_allclose(turns[0], 2 * fall + contact, atol=2e-3)

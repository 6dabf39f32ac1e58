"""Systems of `sympy.physics.mechanics` against SymPy's own `KanesMethod`."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics import mechanics as me

import mstmm
from mstmm.errors import ModelError, UsageError

#: Of the largest acceleration: two solutions of linear systems in double precision.
TOLERANCE = 1e-10
g, c, k = sp.symbols("g c k")


def rigid(name: str, mass: Any, *principal: Any) -> me.RigidBody:
    """A body whose principal axes are its frame's."""
    frame, centre = me.ReferenceFrame(f"F{name}"), me.Point(f"C{name}")
    return me.RigidBody(name, centre, frame, mass, (me.inertia(frame, *principal), centre))


def grounded() -> tuple[me.System, me.RigidBody]:
    ground = me.RigidBody("ceiling")
    return me.System.from_newtonian(ground), ground


def pendulum(count: int) -> tuple[me.System, dict[Any, float]]:
    """Rods in a plane with one moment of inertia each, a damper, a drive that falls off."""
    system, last = grounded()
    values = {g: 9.81, c: 0.2, k: 0.7}
    half = 0
    for number in range(1, count + 1):
        m, length = sp.symbols(f"m_{number} l_{number}")
        rod = rigid(f"rod_{number}", m, 0, 0, m * length**2 / 12)
        system.add_joints(
            me.PinJoint(
                f"J_{number}",
                last,
                rod,
                parent_point=-half * last.frame.y if half else None,
                child_point=length / 2 * rod.frame.y,
                joint_axis=last.frame.z,
            )
        )
        values |= {m: 0.4 + 0.1 * number, length: 0.2 + 0.1 * number}
        last, half = rod, length / 2
    system.apply_uniform_gravity(-g * system.y)
    second = system.joints[1]
    damping = -c * second.speeds[0] - k * sp.sin(second.coordinates[0])
    system.add_actuators(me.TorqueActuator(damping, second.joint_axis, second.child, second.parent))
    t = me.dynamicsymbols._t
    system.add_loads(me.Force(last.masscenter, 3 * sp.exp(-t) * system.x))
    return system, values


def spatial_arm() -> tuple[me.System, dict[Any, float]]:
    """Two skew pins and a rail with a spring and a damper; a drag on the first, a turning load."""
    system, ground = grounded()
    m, a, b = sp.symbols("m a b")
    turret, boom, cart = (
        rigid(name, factor * m, m * a**2, 2 * m * a * b, m * (a**2 + b**2))
        for factor, name in enumerate(("turret", "boom", "cart"), start=1)
    )
    skew = me.ReferenceFrame("S")
    skew.orient_axis(turret.frame, turret.frame.x, sp.pi / 2)
    tilted = me.ReferenceFrame("T")
    tilted.orient_body_fixed(boom.frame, (0.3, -0.4, 1.1), "123")
    system.add_joints(
        me.PinJoint("yaw", ground, turret, joint_axis=ground.frame.z, child_point=-a * turret.z),
        me.PinJoint(
            "pitch", turret, boom, parent_point=b * turret.x, parent_interframe=skew,
            joint_axis=0.6 * skew.x - 0.8 * skew.z, child_point=-b * boom.x,
        ),
        me.PrismaticJoint(
            "rail", boom, cart, parent_point=a * boom.y, parent_interframe=tilted,
            joint_axis=-tilted.y,
        ),
    )  # fmt: skip
    system.apply_uniform_gravity(-g * system.z)
    yaw, _, rail = system.joints
    path = me.LinearPathway(rail.parent_point, rail.child_point)
    system.add_actuators(
        me.LinearSpring(k, path, b), me.LinearDamper(c, path),
        me.TorqueActuator(-c * yaw.speeds[0], ground.z, turret.frame),
    )  # fmt: skip
    t = me.dynamicsymbols._t
    system.add_loads(
        me.Force(cart.masscenter, sp.cos(t) * cart.x), me.Torque(boom.frame, k * t * system.y)
    )
    return system, {m: 1.5, a: 0.2, b: 0.3, g: 9.81, c: 0.4, k: 5.0}


def table() -> tuple[me.System, dict[Any, float]]:
    """A plate that slides and turns on the ground, a particle on it, and a nut on a screw."""
    system, ground = grounded()
    m, a, b = sp.symbols("m a b")
    plate, nut = (rigid(name, m, m * a**2, m * b**2, m * b**2) for name in ("plate", "nut"))
    bob = me.Particle("bob", me.Point("P"), m / 3)
    system.add_joints(
        me.PlanarJoint("table", ground, plate, parent_point=2 * a * ground.y),
        me.WeldJoint("weld", plate, bob, parent_point=b * plate.y),
        me.CylindricalJoint("screw", plate, nut, parent_point=a * plate.x, joint_axis=plate.y),
    )
    system.apply_uniform_gravity(-g * system.z)
    return system, {m: 1.5, a: 0.2, b: 0.3, g: 9.81}


def socket() -> tuple[me.System, dict[Any, float]]:
    """A body in a socket, by three angles about successive axes."""
    system, ground = grounded()
    m, a = sp.symbols("m a")
    ball = rigid("ball", m, m * a**2, 2 * m * a**2, 2.5 * m * a**2)
    system.add_joints(
        me.SphericalJoint("socket", ground, ball, child_point=a * ball.z, rot_order="zyx")
    )
    system.apply_uniform_gravity(-g * system.z)
    return system, {m: 1.5, a: 0.2, g: 9.81}


def kane(system: me.System, values: dict[Any, float]) -> Any:
    """SymPy's accelerations of q, u and the time."""
    system.form_eoms()
    t = me.dynamicsymbols._t
    symbols = list(values)
    given = [[*system.q], [*system.u], symbols, t]
    function = sp.lambdify(given, [system.mass_matrix, system.forcing], cse=True)

    def accelerations(q: Any, u: Any, time: float) -> Any:
        M, f = function(q, u, list(values.values()), time)
        return np.linalg.solve(np.array(M, dtype=float), np.array(f, dtype=float)).ravel()

    return accelerations


@pytest.mark.parametrize(
    ("made", "order"),
    [
        (lambda: pendulum(4), [0, 1, 2, 3]),
        (spatial_arm, [0, 1, 2]),
        (table, [1, 2, 0, 3, 4]),  # a planar joint's angle comes last
        (socket, [0, 1, 2]),
    ],
    ids=["four rods", "spatial arm", "table", "socket"],
)
def test_systems_move_as_by_kane(made: Any, order: list[int], recwarn: Any) -> None:
    system, values = made()
    model = mstmm.from_sympy(system, values)
    assert set(model.parameters) == {str(symbol) for symbol in values}
    assert not recwarn.list
    solver = mstmm.compile(model, target="numpy", parameters=("g",))
    expected, rng = kane(system, values), Random(1)
    for _ in range(20):
        q, u = (np.array([rng.uniform(-s, s) for _ in system.q]) for s in (1, 3))
        time = rng.uniform(0, 2)
        a = expected(q, u, time)[order]
        found = solver.accelerations(q[order], u[order], t=time)
        np.testing.assert_allclose(found, a, rtol=0, atol=TOLERANCE * np.abs(a).max())


def test_symbols_stay_parameters_and_states_start() -> None:
    system, values = pendulum(2)
    q, u = system.q[0], system.u[1]
    model = mstmm.from_sympy(system, {**values, q: 0.3, "u_J_2": -1.0, "m_1": 7.0}, name="two rods")
    assert (model.name, model.q0, model.v0) == ("two-rods", (0.3, 0.0), (0.0, -1.0))
    assert model.parameters["m_1"] == 7.0
    assert str(model.bodies[0].mass) == "m_1"
    assert model.coordinates == ("qJ_1", "qJ_2")
    assert u == me.dynamicsymbols("u_J_2")


def test_a_constraint_of_two_coordinates_is_a_coupling() -> None:
    system, values = pendulum(2)
    q1, q2 = system.q
    system.q_ind, system.q_dep = [q1], [q2]
    system.u_ind, system.u_dep = [system.u[0]], [system.u[1]]
    system.add_holonomic_constraints(2 * q1 + 4 * q2 - sp.Rational(1, 5))
    model = mstmm.from_sympy(system, values)
    (mimic,) = (hinge.mimic for hinge in model.hinges if hinge.mimic)
    assert (mimic.hinge, mimic.ratio, mimic.offset) == ("J_1", -sp.S.Half, sp.Rational(1, 20))


def test_a_force_of_unknown_time_takes_an_expression() -> None:
    system, values = pendulum(2)
    push = me.dynamicsymbols("F")
    system.add_loads(me.Force(system.bodies[-1].masscenter, push * system.x))
    with pytest.raises(ModelError, match=r"depends on F\(t\), which is neither"):
        mstmm.from_sympy(system, values)
    model = mstmm.from_sympy(system, {**values, push: 2 * sp.sin(me.dynamicsymbols._t)})
    assert [str(load.force[0]) for load in model.loads] == ["3*exp(-t)", "2*sin(t)"]


def refused(change: Any) -> tuple[Any, Any]:
    system, values = pendulum(2)
    change(system)
    return system, values


def other_rate(system: me.System) -> None:
    system.kdes = [system.q[0].diff() - 2 * system.u[0], system.q[1].diff() - system.u[1]]


REFUSED = {
    "skid": (
        lambda s: s.add_nonholonomic_constraints(s.u[0] - s.u[1]),
        "nonholonomic constraint: u_J_1",
    ),
    "loop": (
        lambda s: s.add_holonomic_constraints(sp.cos(s.q[0]) - sp.cos(s.q[1])),
        r"holonomic constraint: .*cos.* close loops by hinges",
    ),
    "other speeds": (other_rate, "kinematic differential equation: .*must be the rate"),
    "a follower": (
        lambda s: s.add_loads(me.Torque(s.bodies[-1].frame, -s.q[0] * s.z)),
        "load .*depends on the state and acts on rod_2",
    ),
    "a coordinate of none": (
        lambda s: s.add_coordinates(me.dynamicsymbols("x")) or s.add_speeds(me.dynamicsymbols("y")),
        r"coordinates: x\(t\): no joint",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_taken_is_named(name: str) -> None:
    change, words = REFUSED[name]
    with pytest.raises(ModelError, match=words):
        mstmm.from_sympy(*refused(change))


def test_values_are_asked_for() -> None:
    system, values = pendulum(2)
    del values[c], values[g]
    with pytest.raises(UsageError, match="there is none for c, g; give each"):
        mstmm.from_sympy(system, values)
    with pytest.raises(UsageError, match="values: c = 'x' is no number"):
        mstmm.from_sympy(system, {**values, g: 1, c: "x"})
    with pytest.raises(UsageError, match="give a sympy"):
        mstmm.from_sympy(3)

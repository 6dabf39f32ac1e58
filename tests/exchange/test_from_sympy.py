"""Systems of `sympy.physics.mechanics` against SymPy's own `KanesMethod`."""

from __future__ import annotations

from collections.abc import Sequence
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


def kane(system: me.System, values: dict[Any, float], inputs: Sequence[Any] = ()) -> Any:
    """SymPy's accelerations of q, u, the time and inputs."""
    system.form_eoms()
    return solved(system, values, inputs)


def solved(system: me.System, values: dict[Any, float], inputs: Sequence[Any] = ()) -> Any:
    """The accelerations by the equations that a system has formed."""
    t = me.dynamicsymbols._t
    given = [[*system.q], [*system.u], [*values], t, [*inputs]]
    function = sp.lambdify(given, [system.mass_matrix, system.forcing], cse=True)

    def accelerations(q: Any, u: Any, time: float, driven: Any = ()) -> Any:
        M, f = function(q, u, list(values.values()), time, driven)
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


def specified() -> tuple[me.System, dict[Any, float], list[Any]]:
    """Three rods, driven by motors and a wind, with what depends on states far apart."""
    system, values = pendulum(3)
    F, T, k, n = (*me.dynamicsymbols("F T"), *sp.symbols("k n"))
    first, second, third = system.bodies[-3:]
    q, u = system.q, system.u
    system.add_loads(
        me.Force(third.masscenter, F * system.x + F**2 * sp.sin(q[0]) * first.y),
        me.Torque(third.frame, -k * q[0] * system.z),  # follows what it does not hang on
        me.Force(second.masscenter, -k * u[2] * third.x),
    )
    system.add_actuators(
        me.TorqueActuator(T - n * u[1], system.z, second.frame, first.frame),
        me.TorqueActuator(F * T, system.z, third.frame, first.frame),
        me.ForceActuator(-k * (q[1] - T), me.LinearPathway(first.masscenter, third.masscenter)),
    )
    return system, {**values, k: 3.1, n: 0.4}, [F, T]


def test_specifieds_are_inputs() -> None:
    """What is neither coordinate nor speed, in loads and actuators: by Kane at random inputs."""
    system, values, inputs = specified()
    model = mstmm.from_sympy(system, {**values, "T": 0.7})
    assert {x.name: x.default for x in model.inputs} == {"F": 0.0, "T": 0.7}
    solver = mstmm.compile(model, target="numpy")
    expected, rng = kane(system, values, inputs), Random(1)
    for _ in range(10):
        q, u = (np.array([rng.uniform(-s, s) for _ in system.q]) for s in (1, 3))
        given = [rng.uniform(-4, 4) for _ in inputs]
        a = expected(q, u, 0.3, given)
        found = solver.accelerations(q, u, t=0.3, parameters=dict(zip("FT", given, strict=True)))
        np.testing.assert_allclose(found, a, rtol=0, atol=TOLERANCE * np.abs(a).max())


def test_a_specified_may_have_an_expression_and_no_rate() -> None:
    system, values = pendulum(2)
    push = me.dynamicsymbols("F")
    system.add_loads(me.Force(system.bodies[-1].masscenter, push * system.x))
    model = mstmm.from_sympy(system, {**values, push: 2 * sp.sin(me.dynamicsymbols._t)})
    assert [str(load.force[0]) for load in model.loads] == ["3*exp(-t)", "2*sin(t)"]
    assert not model.inputs
    system.add_loads(me.Force(system.bodies[-1].masscenter, push.diff() * system.y))
    model = mstmm.from_sympy(system, {**values, push: 2 * sp.sin(me.dynamicsymbols._t)})
    assert str(model.loads[-1].force[1]) == "2*cos(t)"
    with pytest.raises(
        ModelError, match=r"depends on Derivative\(F\(t\), t\), the rate of an input"
    ):
        mstmm.from_sympy(system, values)
    system, values = pendulum(2)
    system.bodies[-1].mass = push
    with pytest.raises(
        ModelError, match=r"body rod_2: depends on F\(t\), which is neither .* alone"
    ):
        mstmm.from_sympy(system, values)


def test_an_input_is_no_mass() -> None:
    """A number for it would hold in the mass alone, whatever the input is along a motion."""
    system, values = pendulum(2)
    m = me.dynamicsymbols("m")
    system.bodies[-1].mass = m
    still = {x: y for x, y in values.items() if str(x) != "m_2"} | {"m_2": 1.0, m: 2.0}
    assert not mstmm.from_sympy(system, still).inputs
    system.add_loads(me.Force(system.bodies[-1].masscenter, m * system.x))
    with pytest.raises(ModelError, match=r"body rod_2: depends on m\(t\), which is an input"):
        mstmm.from_sympy(system, still)
    law = mstmm.from_sympy(system, {**still, m: sp.Symbol("m_3"), "m_3": 2.0})
    assert law.parameters["m_3"] == 2.0


def test_values_of_what_moves_nothing_are_taken() -> None:
    """The ground's mass, and a load on it."""
    system, values = pendulum(2)
    ground, idle = sp.symbols("ground idle")
    system.bodies[0].mass = ground
    system.add_loads(me.Force(system.bodies[0].masscenter, idle * system.x))
    given = {**values, ground: 1.0, idle: 2.0}
    assert mstmm.from_sympy(system, given) == mstmm.from_sympy(system, values)


def cart() -> tuple[me.System, dict[Any, float]]:
    """A cart and a rod on it, whose speeds are the coordinates' rates; the bodies have energies."""
    system, ground = grounded()
    x, phi = me.dynamicsymbols("x phi")
    body, rod = rigid("cart", 2, 0, 0, 1), rigid("rod", 0.7, 0.1, 0.2, 0.3)
    system.add_joints(
        me.PrismaticJoint("rail", ground, body, x, x.diff(), joint_axis=ground.x),
        me.PinJoint("hip", body, rod, phi, phi.diff(), child_point=-rod.x / 3, joint_axis=body.z),
    )
    body.potential_energy = k * x**2 / 2 + k * sp.cos(phi - x)
    rod.potential_energy = g * sp.sin(phi) + k * phi**4
    system.add_loads(me.Force(rod.masscenter, -c * phi.diff() * system.x))
    return system, {k: 2.5, g: 9.81, c: 0.3}


def test_potential_energies_count_as_in_lagranges_method() -> None:
    system, values = cart()
    with pytest.warns(mstmm.ModelWarning, match="of cart, rod is no part of Kane's equations"):
        mstmm.from_sympy(system, values)
    system.form_eoms(me.LagrangesMethod)
    solver = mstmm.compile(mstmm.from_sympy(system, values), target="numpy")
    expected, rng = solved(system, values), Random(2)
    for _ in range(5):
        q, u = (np.array([rng.uniform(-s, s) for _ in system.q]) for s in (1, 3))
        a = expected(q, u, 0)
        found = solver.accelerations(q, u)
        np.testing.assert_allclose(found, a, rtol=0, atol=TOLERANCE * np.abs(a).max())
    system.eom_method._L += sp.Matrix([system.q[0]])
    with pytest.raises(ModelError, match="Lagrangian: is not that of the bodies"):
        mstmm.from_sympy(system, values)


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
    "other velocities": (
        lambda s: setattr(s, "velocity_constraints", [s.u[0] - s.u[1]]),
        "velocity constraint: u_J_1.* is no rate of a holonomic constraint",
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
    for key in ("m_11", sp.Symbol("m_11"), me.dynamicsymbols("m_11")):
        with pytest.raises(
            UsageError, match=r"called m_11 \(did you mean m_1\?\); there are: c, g, k, l_1"
        ):
            mstmm.from_sympy(system, {**values, g: 1, c: 1, key: 0.0})
    with pytest.raises(UsageError, match="give a sympy"):
        mstmm.from_sympy(3)

"""Equilibria and trim: on trees and loops, with springs, free inputs and steady turns."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import mpmath
import numpy as np
import pytest
from compiler import TARGET

import mstmm
from mstmm.errors import NumericsError, UsageError
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import Solver


@cache
def solver(name: str = "cart-pole") -> Solver:
    return mstmm.compile(name, target=TARGET)


def test_a_pole_hangs_or_stands() -> None:
    hanging = solver().equilibrium([0.4, 2.0])
    assert hanging.q == pytest.approx([0.4, math.pi], abs=1e-9)
    assert hanging.free == ("qcart", "qpole")
    assert hanging.held == ("u",)
    assert hanging.undetermined == ("qcart",)
    standing = solver().equilibrium([0.4, 0.1])
    assert standing.q == pytest.approx([0.4, 0.0], abs=1e-9)
    assert "free were: qcart, qpole" in str(standing)
    assert "others along qcart" in str(standing)
    assert standing.unstable
    rate = math.sqrt(0.2 * 9.81 * 0.3 * 1.2 / (1.2 * 0.2 * 0.36 / 3 - 0.06**2))
    assert standing.growth == pytest.approx(rate, rel=1e-9)
    assert "unstable: small deviations grow at 5.29 /s" in str(standing)
    assert not hanging.unstable


def test_a_level_pole_is_left_by_another_start() -> None:
    """At a right angle no small change helps; the search goes on from aside."""
    found = solver().equilibrium([0.0, math.pi / 2])
    assert found.residual < 1e-9


@pytest.mark.long
@pytest.mark.parametrize("name", ["hdca-case-2", "delta-robot"])
def test_parallel_mechanisms_sink_to_rest(name: str) -> None:
    """Accelerations along the way are least in singular positions, which are not at rest."""
    of = mstmm.compile(name, target="numpy")
    found = of.equilibrium()
    assert found.residual < 1e-9
    assert not found.unstable
    assert of.stability(found.q).stable


def test_an_effort_holds_what_is_held() -> None:
    """A torque m g l/2 sin φ on the pole, known to rounding."""
    found = solver().equilibrium(hold={"qpole": 2.0}, free=["pole"])
    assert found.q[1] == 2.0
    assert found.inputs["pole"] == pytest.approx(-0.2 * 9.81 * 0.3 * math.sin(2.0), rel=1e-12)
    assert found.free == ("qcart", "pole")
    assert "inputs u = 0, pole = -0.535212, free" in repr(found)
    a = solver().accelerations(found.q, found.v, [0.0, found.inputs["pole"]])
    assert np.abs(a).max() < 1e-9


def test_what_no_force_can_hold_is_said() -> None:
    with pytest.raises(NumericsError) as caught:
        solver().equilibrium(hold={"qpole": 0.1}, free=["u"])
    message = str(caught.value)
    for words in ("no equilibrium is found", "still accelerates", "Free were: qcart, u", "qpole"):
        assert words in message
    with pytest.raises(NumericsError, match=r"free an input: free=\['u'\]"):
        solver().equilibrium(hold=["cart", "pole"])


def test_a_loop_under_torque() -> None:
    """A slider-crank at 40° of its crank: the torque of its weights, by virtual work."""
    code = solver("slider-crank")
    found = code.equilibrium(hold={"qshaft": math.radians(40)}, free=["shaft"])
    assert np.abs(code.constraints(found.q, found.v)[0]).max() < 1e-9
    weights = 9.81 * 0.05 * math.cos(math.radians(40)) * (0.6 / 2 + 0.4 / 2)
    assert found.inputs["shaft"] == pytest.approx(weights, rel=1e-9)
    assert found.held == ("qshaft",)
    free = code.equilibrium()
    assert abs(math.cos(free.q[0])) < 1e-9
    assert not free.undetermined


SPRUNG = """
name = "sprung"
dimension = 2
gravity = [0, -9.81]
[parameters]
k = 200.0
[inputs]
F = { default = 3.0, unit = "N" }
[bodies.A]
mass = 2
inertia = 0
points.a = {}
[hinges.rail]
kind = "prismatic"
parent = "ground"
child = "A:a"
force = "F"
potential = "k*q1**2/2 + 50*q1**4"
"""


def test_a_nonlinear_spring() -> None:
    """k q + 200 q³ = F, by mpmath."""
    code = mstmm.compile(from_text(SPRUNG), target=TARGET)
    for force in (3.0, 40.0):
        found = code.equilibrium(inputs={"F": force})
        with mpmath.workdps(30):
            q = mpmath.findroot(lambda q, F=force: 200 * q + 200 * q**3 - F, 0.1)
        assert found.q[0] == pytest.approx(float(q), rel=1e-12)
        assert found.inputs == {"F": force}
    back = code.equilibrium(hold={"qrail": 0.1}, free=["F"])
    assert back.inputs["F"] == pytest.approx(20.2, rel=1e-12)


GOVERNOR = """
name = "governor"
dimension = 3
gravity = [0, 0, -9.81]
[bodies.shaft]
mass = 1
inertia = [0.01, 0.01, 0.01, 0, 0, 0]
points.o = {}
points.arm = { axes = [[1, 0, 0], [0, 0, -1], [0, 1, 0]] }
[bodies.ball]
mass = 0.5
inertia = [0, 0, 0, 0, 0, 0]
centre = [0, -0.3, 0]
points.o = {}
[hinges.spin]
kind = "revolute"
parent = "ground"
child = "shaft:o"
[hinges.arm]
kind = "revolute"
parent = "shaft:arm"
child = "ball:o"
"""


def test_a_steady_turn_is_a_trim() -> None:
    """A ball on an arm that spins: cos θ = g/(ω² l)."""
    code = mstmm.compile(from_text(GOVERNOR), target=TARGET)
    omega = 8.0
    found = code.equilibrium([0.0, 0.8], [omega, 0.0])
    assert math.cos(found.q[1]) == pytest.approx(9.81 / (omega**2 * 0.3), rel=1e-9)
    assert found.undetermined == ("qspin",)
    run = code.simulate(found.q, found.v, t_end=1.0)
    assert np.ptp(run.q[:, 1]) < 1e-8
    assert run.q[-1, 0] == pytest.approx(omega, rel=1e-9)


def test_balls_hang_down() -> None:
    """Quaternions: each rod of a chain that starts level ends hanging or standing."""
    code = mstmm.compile("ball-chain:n=2", target=TARGET)
    found = code.equilibrium(v0=np.zeros(6))
    assert found.residual < 1e-9
    assert np.abs(np.linalg.norm(found.q.reshape(2, 4), axis=1) - 1).max() < 1e-12
    axes = code.poses(found.q)[:, :3, 2]
    assert np.abs(np.abs(axes[:, 2]) - 1).max() < 1e-8


def test_names_that_are_refused() -> None:
    for given, match in (
        ({"hold": ["pol"]}, r"there is no coordinate or hinge 'pol' to hold \(did you mean pole"),
        ({"hold": "pol"}, "there is no coordinate or hinge 'pol' to hold"),
        ({"free": "wu"}, "there is no input 'wu'"),
        ({"free": ["w"]}, "there is no input 'w'"),
        ({"free": ["u"], "inputs": {"u": 1.0}}, "free and given"),
    ):
        with pytest.raises(UsageError, match=match):
            solver().equilibrium(**given)


def test_a_loop_starts_from_its_closed_start_and_stays_in_its_way_of_closing() -> None:
    """The guess of a start may be far from closed: from there the four-bar turned over."""
    model = mstmm.load("four-bar")
    guessed = replace(model, q0=(1.0, -0.5, 0.0), asked=())
    code = mstmm.compile(guessed, target="numpy")
    near = code.assemble(fixed={"qshaft": 1.3}).q
    found = code.equilibrium(hold={"qshaft": 1.3}, free=["shaft"])
    assert found.q == pytest.approx(near, abs=1e-8)
    assert code.state_space().q == pytest.approx(code.assemble().q, abs=1e-12)
    assert {type(x) for x in found.inputs.values()} == {float}

"""A pinion on a rack, in the tree and cut, against formulas by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from compiler import TARGET, TARGETS
from proofs import proof_of_blocks

import mstmm
from mstmm.errors import ModelError, UsageError
from mstmm.model import Body, End, Hinge, Mimic, Model, Point
from mstmm.model.expressions.quantities import hinge_symbol, parameter

R, MASS, INERTIA, BAR = 0.15, 0.8, 0.02, 1.7


def close(found: object, expected: object, tolerance: float = 1e-12) -> None:
    assert np.abs(np.asarray(found) - np.asarray(expected)).max() < tolerance


def pinion(radius: sp.Expr | float = R, slope: float = 0.3) -> Model:
    """A pinion that rolls on an inclined rack of the ground."""
    wheel = Body("1", MASS, INERTIA, (0, 0), (Point("c", (0, 0)),))
    return Model(
        "pinion",
        2,
        (wheel,),
        (Hinge("A", "rack", (End("0", "O"), End("1", "c")), radius=radius),),
        (0.0, -9.81),
        {"r": R},
        absolute=False,
        ground=(Point("O", (0.0, 0.0), slope),),
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_pinion_rolls_down(target: str) -> None:
    """φ̈ = −m g r sin α/(J + m r²), where the rack pushes along itself at the radius."""
    solver = mstmm.compile(pinion(), target=target)
    alpha = -MASS * 9.81 * R * np.sin(0.3) / (INERTIA + MASS * R**2)
    close(solver.accelerations([0.4], [2.0]), [alpha])
    centre = solver.poses([0.4])[0, :2, 3]
    close(centre, 0.4 * R * np.array([np.cos(0.3), np.sin(0.3)]))
    assert proof_of_blocks(solver).ok
    friction = MASS * (alpha * R + 9.81 * np.sin(0.3))  # along the rack, where it touches
    close(solver.joint_loads([0.4], [2.0])[0, 2], -R * friction)
    close(INERTIA * alpha, -R * friction)


def test_either_side_of_the_rack() -> None:
    """A negative radius: the pinion turns the other way as it rolls down."""
    up, down = (mstmm.compile(pinion(r), target="numpy") for r in (R, -R))
    close(up.accelerations([0.4], [0.0]), -down.accelerations([-0.4], [0.0]))


def test_a_rack_needs_a_radius() -> None:
    with pytest.raises(ModelError, match="hinge A · radius: must not be 0: a rack hinge needs it"):
        pinion(0)
    solver = mstmm.compile(pinion(parameter("r")), target="numpy", parameters=("r",))
    with pytest.raises(UsageError, match="radius: must not be 0"):
        solver.accelerations([0.1], [0.0], parameters={"r": 0.0})
    close(solver.accelerations([0.4], [0.0]), pinion_acceleration())


def pinion_acceleration() -> list[float]:
    return [-MASS * 9.81 * R * np.sin(0.3) / (INERTIA + MASS * R**2)]


def steering(cut: str) -> Model:
    """A pinion on the ground moves a bar that slides: parent is the bar, which holds the rack.

    A spring and a damper act between the two, as the pinion rolls on the bar.
    """
    q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
    points = (Point("c", (0, 0)), Point("k", (0, 0)))
    wheel = Body("1", MASS, INERTIA, (0, 0), points)
    bar = Body("2", BAR, 0.1, (0, 0), (Point("a", (0, 0)), Point("b", (0.2, 0.0))))
    return Model(
        "steering",
        2,
        (wheel, bar),
        (
            Hinge("A", "pin", (End("0", "O"), End("1", "c"))),
            Hinge("B", "prismatic", (End("0", "P"), End("2", "a"))),
            Hinge("C", "rack", (End("2", "b"), End("1", "k")), 0, (-2 * q - 0.3 * u,), radius=R),
        ),
        (0.0, -9.81),
        absolute=False,
        cuts=(cut,),
        ground=(Point("P", (-0.2, 0.0)),),
    )


@pytest.mark.parametrize("cut", ["A", "B", "C"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_rack_moves_a_bar(cut: str, target: str) -> None:
    """(J + M r²) φ̈ = τ with φ from several turns; x = −r φ, wherever the loop is cut."""
    solver = mstmm.compile(steering(cut), target=target)
    phi, rate = 21.0, 1.3
    state = {"qA": phi, "qB": -R * phi, "qC": phi, "uA": rate, "uB": -R * rate, "uC": rate}
    q = [state[name] for name in solver.coordinates]
    v = [state[name] for name in solver.speeds]
    close(np.concatenate(solver.constraints(q, v)), 0, 1e-11)
    alpha = (-2 * phi - 0.3 * rate) / (INERTIA + BAR * R**2)
    known = {"uA": alpha, "uB": -R * alpha, "uC": alpha}
    close(solver.accelerations(q, v), [known[name] for name in solver.speeds], 1e-9)
    close(solver.energy(q, v), (INERTIA + BAR * R**2) * rate**2 / 2, 1e-11)


def test_the_motion_stays_on_the_rack() -> None:
    cut = mstmm.compile(steering("C"), target=TARGET)
    run = cut.simulate([25.0, -25.0 * R], [0.0, 0.0], t_end=1.0, dt=1e-3)
    assert np.abs(run.q[:, 1] + R * run.q[:, 0]).max() < 1e-10
    assert np.ptp(run.q[:, 0]) > 4 * np.pi


def test_a_rack_may_be_followed() -> None:
    """A wheel whose turn follows the pinion's adds its inertia by the ratio squared."""
    base = pinion()
    wheel = Body("2", 1.0, 0.05, (0, 0), (Point("c", (0, 0)),))
    follower = Hinge("B", "pin", (End("0", "Q"), End("2", "c")), mimic=Mimic("A", 3))
    model = replace(
        base, bodies=(*base.bodies, wheel), hinges=(*base.hinges, follower), q0=(), v0=()
    )
    alpha = -MASS * 9.81 * R * np.sin(0.3) / (INERTIA + MASS * R**2 + 9 * 0.05)
    found = mstmm.compile(model, target="numpy").accelerations([0.1], [0.0])
    close(found, [alpha])
    own = mstmm.compile(model.with_own_coordinates(), target="numpy")
    close(own.accelerations([0.1, 0.3], [0.0, 0.0]), [alpha, 3 * alpha])

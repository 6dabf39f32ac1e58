"""Modes superposed over time: closed forms, the static correction, and the nonlinear solver."""

from __future__ import annotations

import json
from dataclasses import replace

import cell_models
import numpy as np
import pytest
from places import DATA
from small_motions import arm, pendulum, spring_chain

import mstmm
from mstmm.errors import UsageError
from mstmm.model.files.toml import from_text
from mstmm.runtime.vibration.forced.transient import superposed


def test_one_mode_under_a_ramp_is_its_closed_form() -> None:
    """Of ω² > 0, = 0 and < 0, damped critically, and in steps of many periods."""
    squares, rates = np.array([4.0, 0.0, -1.0, 9.0, 4e6]), np.array([0.0, 0.0, 0.0, 6.0, 0.0])
    times = np.array([0.0, 0.3, 1.1, 1.9, 3.0])
    t = times[:, np.newaxis]
    eta, eta_d = superposed(times, t * np.ones(5), squares, rates, np.zeros(5), np.zeros(5))
    w = 2000.0
    known = np.hstack(
        [
            (t - np.sin(2 * t) / 2) / 4,
            t**3 / 6,
            np.sinh(t) - t,
            (t - 2 / 3 + (t + 2 / 3) * np.exp(-3 * t)) / 9,
            (t - np.sin(w * t) / w) / w**2,
        ]
    )
    np.testing.assert_allclose(eta, known, rtol=1e-11, atol=1e-15)
    np.testing.assert_allclose(eta_d[:, 1], times**2 / 2, rtol=1e-13)
    # Rounding is doubled as often as the fastest mode takes.
    free, speed = superposed(times, 0 * eta, squares, rates, np.ones(5), np.ones(5))
    np.testing.assert_allclose(free[:, 0], np.cos(2 * times) + np.sin(2 * times) / 2, rtol=1e-11)
    np.testing.assert_allclose(free[:, 3], (1 + 4 * times) * np.exp(-3 * times), rtol=1e-11)
    np.testing.assert_allclose(speed[:, 1], 1.0)


def test_superposed_modes_follow_the_nonlinear_solver() -> None:
    """A loaded arm of skew hinges, started and pushed by a millionth: to a millionth of that."""
    case = json.loads((DATA / "linear" / "cases_gravity.json").read_text())["14-spatial-arm-loaded"]
    solver = mstmm.compile(arm(case["model"]), target="numpy")
    modes = solver.modes([float(x) for x in case["equilibrium"]])
    small, pushed = 1e-6, solver.speeds[2]
    q0, v0 = small * np.array([0.1, 0.2, -0.3, 0.4, 0]), small * np.array([0.3, -0.1, 0.2, 0, 0.5])
    corners, push = [0.0, 0.5, 1.0, 2.0], small * np.array([0.0, 1.0, 0.3, 0.3])
    found = modes.transient(
        np.linspace(0, 2, 201), {pushed: lambda t: float(np.interp(t, corners, push))}, q0=q0, v0=v0
    )
    run = solver.simulate(
        modes.q + q0,
        v0,
        t_end=2.0,
        inputs={pushed: mstmm.Table(corners, push)},
        **{"method": "dopri5", "rtol": 1e-11, "atol": 1e-16, "record": 0.01},
    )
    moved = run.q - modes.q
    assert abs(found.values[:, :5] - moved).max() < 1e-6 * abs(moved).max()  # found: 4e-7
    assert abs(found.correction).max() < 1e-10  # these are all modes


def test_thirty_modes_of_exact_beams_follow_the_shape_functions_of_the_nonlinear_solver() -> None:
    """An arm of two beams under a smooth torque. One with kinks shakes a mode at 122 rad/s, too,

    which six functions do not hold: then they differ by 1e-5.
    """
    text, outputs = cell_models.flexible_arm(), ["qshoulder", "qelbow"]
    modes = mstmm.compile(from_text(text), algorithm="linear", target="c").modes(count=30)
    times = np.linspace(0, 6, 601)
    torque = 0.03 * np.where(times < 4, np.sin(np.pi * times / 4) ** 6, 0.0)
    found = modes.transient(times, {"shoulder": torque}, outputs=outputs).values
    stiffness = "bending_stiffness"
    text = text.replace(stiffness, f"bending = 6\naxial = 2\n{stiffness}")
    solver = mstmm.compile(from_text(text), target="c")
    moved = [  # both ways, so that what is even in the torque falls out
        solver.simulate(
            solver.model.q0,
            t_end=6.0,
            inputs={"shoulder": mstmm.Table(times, way * torque)},
            **{"method": "dopri5", "rtol": 1e-12, "atol": 1e-14, "record": 0.01},
        ).q[:, :2]
        for way in (1, -1)
    ]
    known = (moved[0] - moved[1]) / 2
    assert (abs(found - known).max(axis=0) < 1e-6 * abs(known).max(axis=0)).all()  # found: 2e-8


PINNED = """
[bodies.tip]
mass = 0.5
inertia = 0.02
[bodies.tip.points.seat]
position = [-0.1, 0]
[ground.points.pin]
axes = "atan(0.75)"
[hinges.seat]
kind = "fixed"
parent = "arm:tip"
child = "tip:seat"
[hinges.pin]
kind = "pin"
parent = "ground:pin"
child = "arm:root"
"""


def test_beams_start_straight() -> None:
    """On a free pin an arm turns without bending; on a spring modes share its energy."""
    text = cell_models.top(2, "turned") + cell_models.beam("arm", 1.0, cell_models.SLENDER) + PINNED
    inertia = 1 / 3 + 0.02 + 0.5 * 1.1**2
    for spring, count in (("", 4), ("spring = { stiffness = 3 }\n", 12)):
        solver = mstmm.compile(from_text(text + spring), algorithm="linear", target="numpy")
        modes, times = solver.modes([0.0], count=count), np.array([0.0, 0.7])
        given = {"outputs": ["qpin", "tip.move_x", "tip.move_y", "arm:tip.turn_z"]}
        found = modes.transient(times, v0=[1e-3], **given)
        energy = (modes.masses * found.rates[0] ** 2).sum()
        assert energy == pytest.approx(1e-6 * inertia, rel=1e-3 if spring else 1e-12)
        assert energy <= 1e-6 * inertia * (1 + 1e-12)
        if not spring:
            known = 0.7e-3 * np.array([1.0, -1.1 * 0.6, 1.1 * 0.8, 1.0])
            np.testing.assert_allclose(found.values[1], known, rtol=1e-9)
            moved = modes.transient(times, q0=[1e-3], **given).values
            np.testing.assert_allclose(moved, [known / 0.7] * 2, rtol=1e-9)


def test_links_start_straight_beyond_each_other() -> None:
    """In 25 modes two links have all but 5e-5 of the energy of the nonlinear model."""
    text, v0 = cell_models.flexible_arm(), np.array([1e-3, -2e-3])
    modes = mstmm.compile(from_text(text), algorithm="linear", target="numpy").modes(count=25)
    rates = modes.transient([0.0], v0=v0, outputs=["qelbow"]).rates[0]
    stiffness = "bending_stiffness"
    text = text.replace(stiffness, f"bending = 1\naxial = 1\n{stiffness}")
    solver = mstmm.compile(from_text(text), target="numpy")
    q, v = np.array(solver.model.q0), np.zeros(len(solver.speeds))
    still = solver.energy(q, v)
    v[:2] = v0
    assert (modes.masses * rates**2).sum() / 2 == pytest.approx(
        solver.energy(q, v) - still, rel=5e-5
    )


@pytest.mark.parametrize("count", [1, 3])
def test_what_modes_leave_out_yields_at_once(count: int) -> None:
    """A cantilever bent by a force at its tip, and let go: L³/3EI with the correction."""
    text = cell_models.cantilever(cell_models.SLENDER)
    modes = mstmm.compile(from_text(text), algorithm="linear", target="numpy").modes(count=count)
    given = {"arm:tip.force_y": 1.0}
    corrected, plain = (
        modes.transient(
            [0.0, 1.0], given, outputs=["arm:tip.move_y"], settled=True, static_correction=on
        )
        for on in (True, False)
    )
    np.testing.assert_allclose(corrected["arm:tip.move_y"], 1 / 3, rtol=1e-11)
    # Each mode's part is 4/ω², ω² being the eigenvalue for ρA = L = 1.
    np.testing.assert_allclose(plain["arm:tip.move_y"], (4 / modes.squares).sum(), rtol=1e-10)


def test_slow_modes_settle_too() -> None:
    """Three unit springs in a row, of which the first mode has ω² = 0.2."""
    modes = mstmm.compile(spring_chain(3), target="numpy").modes([0, 0, 0])
    found = modes.transient([0.0, 1.0], {"mass2.force_x": 1.0}, settled=True)
    np.testing.assert_allclose(found["mass2.move_x"], 3.0, rtol=1e-12)


def test_what_flies_is_pushed_and_bends() -> None:
    """Three masses on two springs that fly: of two modes of three the correction is the third."""
    chain = spring_chain(3)
    hinges = (replace(chain.hinges[0], potential=0), *chain.hinges[1:])
    free = mstmm.compile(replace(chain, hinges=hinges), target="numpy")
    times = np.linspace(0, 3, 31)
    push = {"mass2.force_x": lambda t: 0.1 * t}
    whole, part = (free.modes([0, 0, 0], count=k).transient(times, push) for k in (3, 2))
    # Masses as one: a = F/3m.
    centre = sum(whole[f"mass{k}.move_x"] for k in range(3)) / 3
    np.testing.assert_allclose(centre, 0.1 * times**3 / 18, rtol=1e-10, atol=1e-15)
    # Of free-free masses the third mode is (1, −2, 1)/√6, of ω² = 3.
    known = np.outer([1.0, -2.0, 1.0], [1.0]) / 6 / 3
    moves = [part.names["output"].index(f"mass{k}.move_x") for k in range(3)]
    np.testing.assert_allclose(part.correction[moves], known, rtol=1e-6)
    with pytest.raises(UsageError, match="settled: what flies"):
        free.modes([0, 0, 0]).transient(times, {"mass2.force_x": 1.0}, settled=True)


def test_what_cannot_be_is_told() -> None:
    modes = mstmm.compile(pendulum(2, 0.5, 0.2, 9.81), target="numpy").modes([0.0, 0.0])
    for given, said in (
        ({"times": [0.0, 0.0]}, "finite numbers that rise"),
        ({"inputs": {"ground.move_x": 1.0}}, "ground.move_x is of steady responses"),
        ({"inputs": {"pin0": [1.0]}}, r"input pin0 has the shape \(1,\) instead of"),
        ({"damping": -0.1}, "0 or above"),
        ({"q0": [1.0]}, r"q0 has the shape \(1,\)"),
    ):
        with pytest.raises(UsageError, match=said):
            modes.transient(**{"times": [0.0, 1.0], **given})
    with pytest.raises(UsageError, match=r"no output 'pin0'.*qpin0"):
        modes.transient([0.0, 1.0])["pin0"]

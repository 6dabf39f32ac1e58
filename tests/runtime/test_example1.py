"""Deduction paper, Example 1: the ready-made rigid–flexible tree, against its reference numbers.

The reference tells the motion by the left end of body 1, the modal coordinates and the centre of
body 8; the model by the springs' deflections.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from compiler import TARGET, TARGETS
from independent.beams import beam_motion
from places import DATA as ALL_DATA

from mstmm.model import load
from mstmm.runtime.solver import Solver, compile_model

DATA = ALL_DATA / "deduction-paper" / "example1.json"
REFERENCE = json.loads(DATA.read_text())

SIDE, LENGTH = 0.1, 3.0
FORCE = 10.0
GROUND_POINT = np.array([3.15, -0.05])
SLOPES = np.array([2 + i * (i + 1) for i in range(4)]) / LENGTH
TURN = np.array([[0, -1], [1, 0]])


def rotation(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def places(y: np.ndarray) -> dict[str, np.ndarray]:
    """Points and angles of the reference's coordinates."""
    turned = rotation(y[2])
    eta, angle5 = y[3:9], y[2] + SLOPES @ y[5:9]
    frame = y[:2] + turned @ [SIDE, 0]
    end = frame + turned @ [LENGTH + eta[:2].sum(), eta[2:].sum()]
    half = rotation(angle5) @ [SIDE / 2, 0]
    return {
        "C5": end + half,
        "5:I2": end + 2 * half,
        "5:O": end + half - TURN @ half,
        "C8": y[9:11],
        "8:O": y[9:11] - rotation(y[11]) @ [SIDE / 2, 0],
        "angle5": angle5,
        "angle8": y[11],
    }


def joint_coordinates(y: np.ndarray) -> np.ndarray:
    at = places(y)
    spring7 = rotation(at["angle5"]).T @ (at["8:O"] - at["5:I2"])
    return np.array(
        [
            *(at["5:O"] - GROUND_POINT),
            at["angle5"],
            *spring7,
            at["angle8"] - at["angle5"],
            *y[3:9],
        ]
    )


def rate(function: Callable[[np.ndarray], np.ndarray], y: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Along d, by fourth-order differences: right to some 1e-11."""
    h = 1e-3

    def change(step: float) -> np.ndarray:
        return function(y + step * d) - function(y - step * d)

    return (45 * change(h) - 9 * change(2 * h) + change(3 * h)) / (60 * h)


def pushed(solver: Solver) -> np.ndarray:
    """The step force as a load from outside, upwards at the centre of body 1."""
    wrenches = np.zeros((len(solver.bodies), 6))
    wrenches[solver.bodies.index("1"), 4] = FORCE
    return wrenches


def test_the_order_is_that_of_the_reference() -> None:
    model = load("example-1")
    assert model.coordinates[6:] == tuple(f"eta3_{k}" for k in range(1, 7))
    assert REFERENCE["state"][3:9] == [f"eta{k}" for k in range(6)]
    rest = np.array(REFERENCE["motion"][0][2:])
    assert np.abs(joint_coordinates(rest)).max() < 1e-15
    assert not any((*model.q0, *model.v0))


def test_it_has_the_numbers_of_the_paper() -> None:
    model = load("example-1")
    cube, beam = model.body("1"), model.beams[0]
    assert [model.value(x) for x in (cube.mass, beam.length, beam.axial_stiffness)] == [7.8, 3, 1e3]
    assert model.value(cube.inertia) == pytest.approx(0.013, rel=1e-15)
    assert [model.value(x) for x in model.ground_point("O").position] == pytest.approx(GROUND_POINT)


@pytest.mark.parametrize("target", TARGETS)
def test_the_force_starts_it(target: str) -> None:
    """The springs are free of forces then, so that the judge needs none.

    To 1e-9 of the largest: the last bit of the mass is 2e-11 of it.
    """
    solver = compile_model(load("example-1"), target=target)
    model = solver.model
    found = solver.accelerations(model.q0, model.v0)
    expected = beam_motion(model, model.q0, model.v0, wrenches=pushed(solver)).accelerations
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert solver.accelerations(model.q0, model.v0, wrenches=-pushed(solver)) == pytest.approx(
        np.zeros(12), abs=1e-11
    )


def test_the_motion_after_the_step_force() -> None:
    """To 1e-8 over 2 s; the reference is said to be right to 4e-14, the integration to 1e-11.

    The energy is the work of the force, by the reference's height of body 1's centre: to 1e-7 J,
    the force times the motion's 1e-8 m.
    """
    pytest.importorskip("scipy.integrate")
    solver = compile_model(load("example-1"), target=TARGET)
    run = solver.simulate(t_end=2.0, method="DOP853", rtol=1e-9, atol=1e-11, record=0.1)
    rows = np.array(REFERENCE["motion"])
    np.testing.assert_allclose(run.time, rows[:, 0], rtol=0, atol=1e-12)
    expected = np.array([joint_coordinates(row[2:]) for row in rows])
    np.testing.assert_allclose(run.q, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.q[:, 2], rows[:, 1], rtol=0, atol=1e-8)
    height = rows[:, 3] + SIDE / 2 * np.sin(rows[:, 4])
    assert height.max() > 0.1
    np.testing.assert_allclose(run.energy, FORCE * height, rtol=0, atol=1e-7)


def spring(deflection: np.ndarray, opening: np.ndarray, damping: float) -> np.ndarray:
    return -1e4 * deflection - damping * opening


@pytest.mark.parametrize("number", range(5))
def test_damped_large_motions(number: int) -> None:
    """At random states, springs and dampers as loads: they act at 5:I2 and at the ground's point,
    the dampers by the difference of the points' velocities.
    """
    given = REFERENCE["random_states"][number]
    y, d = np.array(given["y"][:12]), np.array(given["y"][12:])
    c = REFERENCE["random_state_parameters"]
    model = load("example-1")
    loose = {**model.parameters, "k": 0.0, "kt": 0.0, "g": c["g"], "F": 0.0}
    damped = (*model.bodies[:-1], replace(model.beams[0], damping=c["damp"]))
    solver = compile_model(replace(model, parameters=loose, bodies=damped), target=TARGET)
    at = places(y)
    moving = {name: rate(lambda y, n=name: np.asarray(places(y)[n]), y, d) for name in at}
    f6 = spring(at["5:O"] - GROUND_POINT, moving["5:O"], c["c6"])
    m6 = -1e3 * at["angle5"] - c["ct6"] * moving["angle5"]
    f7 = spring(at["5:I2"] - at["8:O"], moving["5:I2"] - moving["8:O"], c["c7"])
    m7 = -1e3 * (at["angle5"] - at["angle8"]) - c["ct7"] * (moving["angle5"] - moving["angle8"])
    wrenches = pushed(solver)
    for body, force, moment, point in (
        ("5", f6, m6, GROUND_POINT),
        ("5", f7, m7, at["5:I2"]),
        ("8", -f7, -m7, at["5:I2"]),
    ):
        row = wrenches[solver.bodies.index(body)]
        arm = point - at[f"C{body}"]
        row[3:5] += force
        row[2] += moment + arm[0] * force[1] - arm[1] * force[0]
    q, v = joint_coordinates(y), rate(joint_coordinates, y, d)
    found = solver.accelerations(q, v, wrenches=wrenches)[6:]
    expected = np.array(given["acc"][3:9])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


def test_small_motions() -> None:
    """Two axial and four bending functions, against finite elements: 1e-3 in the first four."""
    model = load("example-1")
    left_alone = replace(model, parameters={**model.parameters, "F": 0.0})
    solver = compile_model(left_alone, target=TARGET)
    step, rest = 1e-6 * np.eye(12), np.zeros((12, 12))
    stiffness = (solver.accelerations(-step, rest) - solver.accelerations(step, rest)) / 2e-6
    found = np.sqrt(np.sort(np.linalg.eigvals(stiffness.T).real)[:4])
    assert found == pytest.approx(REFERENCE["linear_frequencies"][:4], rel=1e-3)

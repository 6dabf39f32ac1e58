"""Deduction paper, Example 1: a rigid–flexible tree, against its reference numbers.

Body 1 – beam 3 – body 5, with body 8 on a spring 7 at body 5 and the spring 6 between body 5 and
the ground. The reference tells the motion by the left end of body 1, the modal coordinates and
the centre of body 8; here it is told by the springs' deflections. The step force at the centre
of body 1 is an external load.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from compiler import TARGET, needs_compiler

from mstmm.model import GROUND, Beam, Body, End, Hinge, Model, Point
from mstmm.model.types import hinge_symbol
from mstmm.runtime.solver import Solver, compile_model

DATA = Path(__file__).parent / "data" / "deduction-paper" / "example1.json"
REFERENCE = json.loads(DATA.read_text())

SIDE, LENGTH = 0.1, 3.0
FORCE = 10.0
GROUND_POINT = np.array([3.15, -0.05])
SLOPES = np.array([2 + i * (i + 1) for i in range(4)]) / LENGTH
TURN = np.array([[0, -1], [1, 0]])


def cube(name: str, **points: tuple[float, float]) -> Body:
    placed = tuple(Point(point, position) for point, position in points.items())
    return Body(name, 7.8, 0.013, (0, 0), placed)


def example(*, springs: bool = True, damp: float = 0.0, g: float = 0.0) -> Model:
    """The tree in joint coordinates, the two springs between points that coincide at rest."""
    half = SIDE / 2
    q = [hinge_symbol("q", k) for k in (1, 2, 3)]
    law = tuple(-k * x for k, x in zip((1e4, 1e4, 1e3), q, strict=True)) if springs else ()
    ends = (Point("I", (0, 0)), Point("O", (LENGTH, 0)))
    return Model(
        name="example-1",
        dimension=2,
        bodies=(
            cube("1", O=(half, 0)),
            Beam("3", LENGTH, 1.0, 1000.0, 1000.0, 2, 4, ends, damping=damp),
            cube("5", I1=(-half, 0), I2=(half, 0), O=(0, -half)),
            cube("8", O=(-half, 0)),
        ),
        hinges=(
            Hinge("2", "fixed", (End("3", "I"), End("1", "O"))),
            Hinge("4", "fixed", (End("5", "I1"), End("3", "O"))),
            Hinge("6", "free", (End(GROUND, "O"), End("5", "O")), force=law),
            Hinge("7", "free", (End("5", "I2"), End("8", "O")), force=law),
        ),
        gravity=(0, -g),
        absolute=False,
        ground=(Point("O", tuple(GROUND_POINT)),),
    )


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
    """The step force, upwards at the centre of body 1."""
    wrenches = np.zeros((len(solver.bodies), 6))
    wrenches[solver.bodies.index("1"), 4] = FORCE
    return wrenches


def test_the_order_is_that_of_the_reference() -> None:
    model = example()
    assert model.coordinates[6:] == tuple(f"eta3_{k}" for k in range(1, 7))
    assert REFERENCE["state"][3:9] == [f"eta{k}" for k in range(6)]
    rest = np.array(REFERENCE["motion"][0][2:])
    assert np.abs(joint_coordinates(rest)).max() < 1e-15


@needs_compiler
def test_the_motion_after_the_step_force() -> None:
    """To 1e-8 over 2 s; the reference is said to be right to 4e-14, the integration to 1e-11."""
    integrate = pytest.importorskip("scipy.integrate")
    solver = compile_model(example(), target="c")
    force = pushed(solver)
    rows = np.array(REFERENCE["motion"])

    def motion(t: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate(
            [state[12:], solver.accelerations(state[:12], state[12:], wrenches=force)]
        )

    found = integrate.solve_ivp(
        motion, (0, 2), np.zeros(24), method="DOP853", rtol=1e-9, atol=1e-11, t_eval=rows[:, 0]
    )
    q = found.y[:12].T
    expected = np.array([joint_coordinates(row[2:]) for row in rows])
    np.testing.assert_allclose(q, expected, rtol=0, atol=1e-8)
    np.testing.assert_allclose(q[:, 2], rows[:, 1], rtol=0, atol=1e-8)


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
    solver = compile_model(example(springs=False, damp=c["damp"], g=c["g"]), target=TARGET)
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
    solver = compile_model(example(), target=TARGET)
    step, rest = 1e-6 * np.eye(12), np.zeros((12, 12))
    stiffness = (solver.accelerations(-step, rest) - solver.accelerations(step, rest)) / 2e-6
    found = np.sqrt(np.sort(np.linalg.eigvals(stiffness.T).real)[:4])
    assert found == pytest.approx(REFERENCE["linear_frequencies"][:4], rel=1e-3)

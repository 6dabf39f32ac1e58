"""The Delta robot: three legs of two rods each, against judges that share no formula with it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from compiler import TARGET, needs_compiler
from derivative_checks import interpreted
from independent.loops import loop_motion

import mstmm
from mstmm.codegen.generate import generate
from mstmm.model import load
from mstmm.symbolic.methods.derivatives.closed import closed_derivatives
from mstmm.symbolic.methods.derivatives.program import tangents_of_dynamics
from mstmm.symbolic.plans.plan import plan

Array = np.ndarray
ARMS = ("qarm1", "qarm2", "qarm3")


@cache
def solver() -> Any:
    return mstmm.compile("delta-robot", target=TARGET)


@cache
def aside() -> tuple[Array, Array]:
    """A closed state to no side alike: arms apart, all of it in motion."""
    robot = solver()
    start = robot.assemble(fixed=dict(zip(ARMS, (0.3, -0.1, 0.15), strict=True)))
    rng = np.random.default_rng(5)
    q, v = robot.project(start.q, rng.uniform(-1, 1, len(robot.speeds)))
    assert np.abs(np.concatenate(robot.constraints(q, v))).max() < 1e-12
    return q, v


def test_the_platform_does_not_turn() -> None:
    """Wherever the arms are, its quaternion is that of the start, and no condition is redundant."""
    q, v = aside()
    robot = solver()
    assert np.abs(q[-4:] - [1, 0, 0, 0]).max() < 1e-10  # the platform is last: x, y, z, quaternion
    assert np.abs(v[-3:]).max() < 1e-10
    assert np.abs(v[-6:-3]).min() > 1e-3
    assert robot.redundant(q) == 0
    J = robot.jacobian(q).reshape(-1, len(robot.speeds))
    assert J.shape == (18, 21)
    assert np.linalg.svd(J, compute_uv=False).min() > 1e-3


def test_accelerations_and_loads_against_the_judge() -> None:
    """Wrenches that keep the cuts closed, found one by one on the tree of the hinges left."""
    robot, (q, v) = solver(), aside()
    expected = loop_motion(robot.model, q, v)
    scale = np.abs(expected.accelerations).max()
    found = robot.accelerations(q, v)
    assert np.abs(found - expected.accelerations).max() < 1e-11 * scale
    loads = robot.joint_loads(q, v)
    assert len(expected.cut_loads) == 6
    for end, expected_load in expected.cut_loads.items():
        own = loads[robot.ends.index(end)]
        assert np.abs(own - expected_load).max() < 1e-9 * np.abs(expected_load).max()


def test_energy_stays_in_a_fall() -> None:
    """From level arms at rest; the platform goes straight down, by every arm alike."""
    run = solver().simulate(t_end=0.25, method="dopri5", rtol=1e-11, atol=1e-12)
    robot = solver()
    arms = [robot.coordinates.index(name) for name in ARMS]
    assert np.abs(run.q[:, arms] - run.q[:, arms[:1]]).max() < 1e-9
    assert run.q[-1, arms[0]] > 0.2
    assert np.abs(run.energy - run.energy[0]).max() < 1e-8
    assert np.abs(run.q[:, -7:-5]).max() < 1e-9


@pytest.mark.slow
def test_both_ways_of_the_derivatives_agree() -> None:
    """Inverse dynamics with its loops closed, and the tangents of the whole recursion."""
    q, v = aside()
    chosen = plan(load("delta-robot"))
    tau = np.random.default_rng(1).uniform(-1, 1, v.size)
    given = {"q": q.tolist(), "v": v.tolist(), "tau": tau.tolist()}
    first, other = (
        np.array(interpreted(way(chosen), given), dtype=float)
        for way in (closed_derivatives, tangents_of_dynamics)
    )
    assert np.abs(first - other).max() < 1e-11 * np.abs(other).max()


def test_derivatives_are_short() -> None:
    """Legs that are alike are emitted once: 2.5 MB without that, and by tangents of all."""
    files = generate(load("delta-robot"), algorithm="derivatives").sources.files
    assert len(files["delta_robot_derivatives.c"].encode()) < 650_000


@needs_compiler
@pytest.mark.slow
def test_the_linear_system_of_independent_coordinates() -> None:
    """Three freedoms; A against differences of accelerations at closed places beside the state."""
    robot, (q, v) = solver(), aside()
    A, B = robot.linearize(q, 0 * v, minimal=True)
    assert A.shape == (6, 6)
    assert B.shape == (6, len(robot.speeds))
    system = robot.state_space(q, 0 * v)
    np.testing.assert_array_equal(system.A, A)
    free = [robot.speeds.index(name) for name in system.states[3:]]
    h = 1e-6
    for column in range(3):
        name = system.states[column]
        at = robot.coordinates.index(name)
        rates = []
        for sign in (1, -1):
            moved = robot.assemble(
                fixed={
                    **{n: float(q[robot.coordinates.index(n)]) for n in system.states[:3]},
                    name: float(q[at] + sign * h),
                }
            )
            rates.append(robot.accelerations(moved.q, 0 * v)[free])
        expected = (rates[0] - rates[1]) / (2 * h)
        assert np.abs(A[3:, column] - expected).max() < 1e-5 * np.abs(A[3:, :3]).max()

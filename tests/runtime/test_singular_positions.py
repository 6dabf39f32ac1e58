"""Motions through positions where conditions of the loops come to depend on each other."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import sympy as sp
from compiler import TARGET
from overconstrained_models import bricard
from singular_models import T_END, followed, posts, row_of_four_bars
from sizes import covered

import mstmm
from mstmm.errors import NumericsError
from mstmm.model.files.toml import from_text
from mstmm.runtime.evaluation.arrays import Floats
from mstmm.runtime.motions.passages import Passages, States
from mstmm.runtime.solver import Solver

ALGORITHMS = ("riccati", "dca", "hdca")
SLOW: dict[str, tuple[pytest.MarkDecorator, ...]] = {
    "riccati": (),
    "dca": (pytest.mark.slow,),
    "hdca": (pytest.mark.slow,),
}


@cache
def solver_of(windows: int, algorithm: str, target: str) -> Solver:
    return mstmm.compile(row_of_four_bars(windows), algorithm=algorithm, target=target)


def error(windows: int, algorithm: str, target: str = "c", **how: object) -> float:
    """How far the posts end from the one freedom that they have, passages listed."""
    solver = solver_of(windows, algorithm, target)
    run = solver.simulate(t_end=T_END, record=T_END, **how)
    angle, _, crossings = followed(windows)
    assert [x.name for x in run.passages] == ["singular position"] * len(run.passages)
    found = [x.time for x in run.passages]
    assert len(found) == len(crossings)
    worst = float(np.abs(run.q[-1][posts(solver.model)] - angle).max())
    # a passage is as late as the posts are far behind at 4 rad/s, and found to 1e-6 s
    assert np.abs(np.array(found) - crossings).max() < 1e-6 + worst
    return worst


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("windows", [1, 2])
def test_a_row_of_four_bars_stays_one_of_parallelograms(windows: int, algorithm: str) -> None:
    # order 4: the error of dt = 1e-2 is 3e-7, and rounding leaves 1e-10 near the positions
    assert error(windows, algorithm, method="rk4", dt=1e-2) < 2e-6
    assert error(windows, algorithm, method="rk4", dt=1e-3) < 1e-9
    assert error(windows, algorithm, method="dopri5", rtol=1e-9, atol=1e-9) < 1e-6


def test_numpy_passes_as_c_does() -> None:
    assert error(1, "riccati", "numpy", method="rk4", dt=1e-2) < 2e-6
    assert error(1, "hdca", "numpy", method="dopri5", rtol=1e-7, atol=1e-7) < 1e-4


def test_lanes_pass_as_c_does() -> None:
    assert error(1, "riccati", "c-batch", method="rk4", dt=1e-2) < 2e-6


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("windows", [1, 2, 5])
def test_finer_steps_are_never_worse(windows: int, algorithm: str) -> None:
    """Five decades of tolerance, and steps from 1e-2 to 1e-6, to the floor of rounding."""
    floor = 3e-9
    chains: list[list[dict[str, object]]] = [
        [
            {"method": "dopri5", "rtol": x, "atol": x}
            for x in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11)
        ],
        [{"method": "rk4", "dt": x} for x in (1e-2, 1e-3, 1e-4, 1e-5)],
        [{"method": "rkmk4", "dt": x} for x in (1e-2, 1e-3, 1e-4)],
    ]
    if algorithm != "hdca":
        chains.append([{"method": "euler", "dt": x} for x in (1e-2, 1e-3, 1e-4, 1e-5)])
    for chain in chains:
        errors = [error(windows, algorithm, **how) for how in chain]
        for coarse, fine in itertools.pairwise(errors):
            assert fine <= max(coarse, floor), (chain[0]["method"], errors)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_records_may_be_singular(algorithm: str) -> None:
    """One whose bars are level within 1e-6 rad has the accelerations and loads of its branch."""
    solver = solver_of(1, algorithm, "c")
    _, _, crossings = followed(1)
    run = solver.simulate(t_end=crossings[0] + 0.1, dt=1e-4, record=1e-4)
    level = int(np.abs(np.sin(run.q[:, posts(solver.model)[0]])).argmin())
    steps = round(crossings[0] / 1e-4)
    exact = solver.simulate(t_end=2 * crossings[0], dt=crossings[0] / steps, record=crossings[0])
    assert abs(np.sin(exact.q[1][posts(solver.model)[0]])) < 1e-6
    assert exact.a[1] == pytest.approx(run.a[level], abs=1e-2)
    assert exact.loads[1] == pytest.approx(run.loads[level], abs=0.1)


@pytest.mark.slow
def test_forty_loops_pass_at_once() -> None:
    assert error(40, "riccati", method="rk4", dt=1e-3) < 1e-8


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_a_motion_that_starts_in_a_singular_position_goes_on_as_its_speeds_say(target: str) -> None:
    """All posts level: with speeds of the parallelogram it moves as one; dθ/dt = −2 rad/s."""
    model = row_of_four_bars(1, angle=0.0, speed=-2.0)
    solver = mstmm.compile(model, target=target)
    run = solver.simulate(t_end=0.2, dt=1e-2)
    angles = run.q[-1][posts(model)]
    assert np.ptp(angles) < 1e-9
    assert abs(run.energy_drift) < 1e-6


@pytest.mark.parametrize("x", [1e-4, 1e-5, 3e-6, 1e-6, 7e-7, 1e-7])
def test_a_start_beside_a_singular_position_is_not_closed_farther_than_rounding(x: float) -> None:
    """A gap of 2e-16 m would move the place by that / x, and the speeds by that / x²."""
    model = row_of_four_bars(1, angle=np.pi + x, speed=2.0)
    start = mstmm.compile(model, target="numpy").assemble()
    assert start.q == pytest.approx(np.array(model.q0), abs=1e-14)
    assert start.v == pytest.approx(np.array(model.v0), abs=1e-9)


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_what_the_motion_does_not_decide_is_an_error(target: str) -> None:
    """At rest with level posts it may fall as a parallelogram or an antiparallelogram."""
    solver = mstmm.compile(row_of_four_bars(1, angle=0.0, speed=0.0), target=target)
    with pytest.raises(NumericsError, match="in more than one way"):
        solver.simulate(t_end=0.1)


@cache
def bricards(algorithm: str) -> Solver:
    """To derive it takes longer than all its motions do."""
    return mstmm.compile(bricard("f"), algorithm=algorithm)


def bricards_end(algorithm: str, **how: object) -> np.ndarray:
    """Where Bricard's mechanism is after 2 s: past the places where a hinge is at a right angle."""
    run = bricards(algorithm).simulate(t_end=2.0, record=2.0, **how)
    assert run.passages == ()
    return np.asarray(run.q[-1])


@pytest.mark.parametrize("algorithm", [pytest.param(x, marks=SLOW[x]) for x in ALGORITHMS])
def test_finer_steps_are_never_worse_where_conditions_are_redundant(algorithm: str) -> None:
    """Nine decades of tolerance, and steps from 1e-2 to 1e-4; 3e-9 rad is the floor of rounding.

    Where a hinge is at a right angle, the last pivot but one of the conditions is small, and what
    is left of the last one, which is zero everywhere, was taken for a pivot; and so it was at the
    stages of long steps, where the loop is open by what the method errs.
    """
    exact = bricards_end("riccati", method="dopri5", rtol=1e-12, atol=1e-12)
    chains: list[list[dict[str, object]]] = [
        [{"method": "dopri5", "rtol": 10.0**-k, "atol": 10.0**-k} for k in range(4, 13)],
        [{"method": "rk4", "dt": x} for x in (1e-2, 5e-3, 2e-3, 1e-3, 1e-4)],
        [{"method": "rkmk4", "dt": x} for x in (1e-2, 5e-3, 2e-3, 1e-3, 1e-4)],
    ]
    if algorithm != "hdca":
        chains.append([{"method": "euler", "dt": x} for x in (5e-3, 2e-3, 1e-3, 1e-4)])
    for chain in chains:
        errors = [np.abs(bricards_end(algorithm, **how) - exact).max() for how in chain]
        for coarse, fine in itertools.pairwise(errors):
            assert fine <= max(coarse, 3e-9), (chain[0]["method"], errors)
            # of order 4 and 5: what is ten times finer is far better than half as bad
            assert chain[0]["method"] == "euler" or fine < max(0.5 * coarse, 3e-9)
        if chain[0]["method"] == "rk4":
            assert errors[0] < 1e-5


def test_numpy_counts_conditions_as_c_does() -> None:
    """Long steps open the loop at their stages; its redundant condition is none all the same."""
    way = {"method": "rk4", "dt": 1e-2, "t_end": 0.3, "record": 0.3}
    ends = [
        np.asarray(mstmm.compile(bricard("f"), target=target).simulate(**way).q[-1])
        for target in ("c", "c-batch", "numpy")
    ]
    assert np.abs(ends[1] - ends[0]).max() < 1e-9
    assert np.abs(ends[2] - ends[0]).max() < 1e-9


def test_long_steps_of_divide_and_conquer_keep_redundant_loops() -> None:
    """Of rk4 at 1e-2 the energy jumped; at 5e-3 the motion ended 0.4 rad off without a word."""
    exact = bricards_end("riccati", method="dopri5", rtol=1e-10, atol=1e-10)
    assert np.abs(bricards_end("dca", method="rk4", dt=1e-2) - exact).max() < 1e-5
    assert np.abs(bricards_end("dca", method="rk4", dt=5e-3) - exact).max() < 1e-6


#: Without gravity a parallelogram turns at a constant speed, and passes where its bars lie level.
FREE = replace(row_of_four_bars(1, angle=1.2, speed=2.0), gravity=(sp.Integer(0), sp.Integer(0)))

LONG_STEPS: list[dict[str, object]] = [
    {"method": "dopri5", "rtol": 1e-10, "atol": 1e-10},
    {"method": "dopri5", "rtol": 1e-3, "atol": 1e-3},
    {"method": "rk4", "dt": 1e-2},
    {"method": "rk4", "dt": 1.0},
    {"method": "euler", "dt": 0.2},
    {"method": "radau5", "rtol": 1e-8, "atol": 1e-8},
]


@covered(1, target=["c", "c-batch", "numpy"], algorithm=ALGORITHMS)
def test_passages_are_listed_however_long_the_steps_are(algorithm: str, target: str) -> None:
    """A step of dopri5 goes over half a turn here: none of its stages is near the position."""
    solver = mstmm.compile(FREE, algorithm=algorithm, target=target)
    due = [(np.pi - 1.2) / 2.0, (2.0 * np.pi - 1.2) / 2.0]
    for how in LONG_STEPS:
        if algorithm == "hdca" and how["method"] in ("euler", "radau5"):
            continue  # which momenta do not have
        if target == "numpy" and how["method"] == "radau5":
            continue  # slow, and the same
        run = solver.simulate(t_end=4.0, record=4.0, **how)
        assert [x.time for x in run.passages] == pytest.approx(due, abs=3e-6), how
        assert all(np.sin(x.q[0]) == pytest.approx(0.0, abs=1e-4) for x in run.passages)
        assert run.q[-1][0] == pytest.approx(9.2, abs=1e-6)


def test_passages_on_the_ends_of_steps_and_many_in_one_step_are_listed_once() -> None:
    model = replace(row_of_four_bars(2, angle=np.pi / 2, speed=2.0 * np.pi), gravity=FREE.gravity)
    for target in ("c", "numpy"):
        solver = mstmm.compile(model, target=target)
        for dt in (0.25, 0.125, 1.0):
            run = solver.simulate(t_end=2.0, dt=dt)
            found = [x.time for x in run.passages]
            assert found == pytest.approx([0.25, 0.75, 1.25, 1.75], abs=1e-6)
        first = solver.simulate(t_end=0.75, dt=0.125)
        rest = first.resume(2.0)
        found = [x.time for x in (*first.passages, *rest.passages)]
        assert found == pytest.approx([0.25, 0.75, 1.25, 1.75], abs=1e-6)


class Looked(Passages):
    """At a coordinate, 4 rad in a step, whose conditions are as firm as its half is far from 1."""

    def __init__(self) -> None:
        self.nq, self.moving, self.asked = 1, np.array([True]), list[float]()
        self._level, self._steepest = 1.0, np.inf

    def _firmness(self, t: float, state: Floats) -> float:
        self.asked.append(t)
        return abs(float(state[0]) / 2.0 - 1.0)

    def _see(self, states: States, t: float, low: float, high: float) -> bool:
        return abs(t - 0.5) < 1e-3


def test_a_step_is_looked_at_between_its_ends_alone() -> None:
    """Beyond them no state is known."""
    looked = Looked()
    looked.follow(lambda t: np.array([4.0 * t]), 0.0, 1.0)
    assert min(looked.asked) > 0.0
    assert max(looked.asked) == 1.0
    assert min(abs(t - 0.5) for t in looked.asked) < 1e-3


@pytest.mark.parametrize("method", ["DOP853", "Radau"])
def test_a_method_of_scipy_takes_a_loop_with_a_ball(method: str) -> None:
    """Which coordinates move loops is tried out with quaternions of unit length."""
    text = """
    name = "rssr"
    dimension = 3
    gravity = [0, 0, -9.81]
    [ground.points.far]
    position = [0.8, 0.3, 0.1]
    rpy = [1.2, 0.3, 0]
    [bodies.crank]
    mass = 1
    inertia = [0.01, 0.01, 0.01, 0, 0, 0]
    points.o = {}
    points.e = { position = [0.2, 0, 0] }
    [bodies.rod]
    mass = 0.6
    inertia = [0.002, 0.02, 0.02, 0, 0, 0]
    centre = [0.35, 0, 0]
    points.o = {}
    points.e = { position = [0.7, 0, 0] }
    [bodies.rocker]
    mass = 0.8
    inertia = [0.01, 0.01, 0.02, 0, 0, 0]
    points.o = {}
    points.e = { position = [0.45, 0, 0] }
    [hinges.A]
    kind = "revolute"
    parent = "ground"
    child = "crank:o"
    [hinges.B]
    kind = "ball"
    parent = "crank:e"
    child = "rod:o"
    [hinges.C]
    kind = "ball"
    parent = "rod:e"
    child = "rocker:e"
    [hinges.D]
    kind = "revolute"
    parent = "ground:far"
    child = "rocker:o"
    [start.positions]
    A = { fixed = 0.5 }
    [start.speeds]
    A = { fixed = 2.0 }
    """
    solver = mstmm.compile(from_text(text), target=TARGET)
    options = {"t_end": 0.2, "record": 0.1, "rtol": 1e-10, "atol": 1e-10}
    one, other = (solver.simulate(method=m, **options) for m in (method, "dopri5"))
    assert one.q[-1] == pytest.approx(other.q[-1], abs=1e-7)

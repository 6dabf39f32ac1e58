"""Motions of the Hamiltonian method: drift, gauge, methods, what it refuses."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from compiler import TARGET, TARGETS, needs_compiler
from divided_models import case
from loop_checks import started
from loop_models import four_bar
from sizes import covered

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.runtime.motions.integration import Task, integrate
from mstmm.runtime.motions.schedule import schedule
from mstmm.runtime.solver import Solver
from mstmm.runtime.stepping.outcomes import DONE

Array = np.ndarray

#: Height of the boxes' lowest joint after 10 s, from absolute coordinates with multipliers.
HEIGHT = {1: -1.0230937747, 2: -2.0063546259, 3: -1.7129446131}

#: The largest momentum without and with impulses of the cut, N m s.
MOMENTUM = {1: (390, 2), 2: (1560, 15), 3: (780, 5)}


def solver_of(model: Model, algorithm: str = "hdca", target: str = TARGET) -> Solver:
    return mstmm.compile(model, algorithm=algorithm, target=target)


@pytest.mark.parametrize("number", HEIGHT)
def test_velocities_keep_loops_closed_to_rounding(number: int) -> None:
    solver = solver_of(case(number))
    asked = {"t_end": 10.0, "method": "dopri5", "rtol": 1e-6, "atol": 1e-6, "record": 0.05}
    kept, plain = solver.simulate(**asked), solver.simulate(**asked, regauge=False)
    assert kept.constraint_velocity is not None
    assert plain.constraint_velocity is not None
    assert kept.constraint_velocity.max() < 1e-13
    assert plain.constraint_velocity.max() < 2e-12
    assert kept.constraint_position is not None
    assert plain.constraint_position is not None
    assert kept.constraint_position.max() < 2e-12
    assert 1e-7 < plain.constraint_position.max() < 1e-4
    assert kept.energy_drift < 2e-4 < 5 * plain.energy_drift
    assert kept.p is not None
    assert plain.p is not None
    grown, small = MOMENTUM[number]
    assert np.abs(plain.p).max() > grown
    assert np.abs(kept.p).max() < small


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_motion_of_the_boxes(number: int) -> None:
    """The joint in the middle, after 10 s, with fixed steps and both algorithms."""
    for algorithm in ("hdca", "dca"):
        solver = solver_of(case(number), algorithm)
        run = solver.simulate(t_end=10.0, dt=2e-3, record=0.1)
        pose = solver.poses(run.q[-1])[{1: 1, 2: 3}[number]]
        tip = pose @ np.array([1.0, 0.0, 0.0, 1.0])
        assert abs(tip[1] - HEIGHT[number]) < 1e-6
        assert run.energy_drift < 1e-7
        assert run.loads.shape == (101, {1: 5, 2: 9}[number], 6)


@pytest.mark.slow
def test_a_thousand_seconds() -> None:
    run = solver_of(case(1)).simulate(t_end=1000.0, dt=2e-3, record=1.0)
    assert run.constraint_velocity is not None
    assert run.constraint_velocity.max() < 1e-11
    assert run.energy_drift < 1e-6


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_numpy_moves_as_c(method: str) -> None:
    asked = {"t_end": 0.2, "method": method, "record": 0.05}
    asked |= {"dt": 1e-2} if method == "rk4" else {"rtol": 1e-7, "atol": 1e-7}
    runs = [solver_of(case(1), target=target).simulate(**asked) for target in ("c", "numpy")]
    for name in ("q", "v", "p", "a"):
        assert np.abs(getattr(runs[0], name) - getattr(runs[1], name)).max() < 1e-12


def test_momenta_move_as_speeds() -> None:
    """On a mechanism that starts in motion."""
    model = started(four_bar(), qA=0.9, qB=-0.5, qC=-1.0)
    asked = {"t_end": 1.0, "method": "dopri5", "rtol": 1e-10, "atol": 1e-10, "record": 0.1}
    solver = solver_of(model, "riccati", "numpy")
    start = solver.project(model.q0, model.v0)
    riccati = solver.simulate(*start, **asked)
    divided = solver_of(model, target="numpy").simulate(*start, **asked)
    assert np.abs(divided.q - riccati.q).max() < 1e-7
    assert np.abs(divided.v - riccati.v).max() < 1e-6


@pytest.mark.parametrize("target", [*TARGETS, pytest.param("c-batch", marks=needs_compiler)])
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_events_are_functions_of_speeds(method: str, target: str) -> None:
    """Where the first link of a closed loop turns back and how fast it passes, by speeds alone."""
    model = case(1)
    asked = {"t_end": 3.0, "method": method, "record": 0.1}
    asked |= {"dt": 2e-3} if method == "rk4" else {"rtol": 1e-9, "atol": 1e-9}
    turns = mstmm.Event(model.speeds[0], name="turns")
    slower = mstmm.Event(lambda t, q, v: v[0] + 1.0, direction=1, terminal=True, name="slower")
    found = [
        solver_of(model, algorithm, target).simulate(events=[turns, slower], **asked).events
        for algorithm in ("hdca", "dca")
    ]
    assert [x.name for x in found[0]] == [x.name for x in found[1]] == ["turns", "slower"]
    assert abs(found[0][-1].v[0] + 1.0) < 1e-12
    for own, other in zip(*found, strict=True):
        assert abs(own.time - other.time) < 1e-8
        assert np.abs(own.v - other.v).max() < 1e-7
        assert np.abs(own.q - other.q).max() < 1e-7


BATCHES = ("hdca-case-3", "ball-chain:n=2")


def several(solver: Solver) -> tuple[Array, Array]:
    """A vector of closed states and two more, coordinates and speeds; the first is at rest."""
    count, draw = solver.backend.width + 2, np.random.default_rng(7)
    q = solver.retracted(np.tile(solver.model.q0, (count, 1)))
    v = draw.standard_normal((count, len(solver.speeds))) * np.linspace(0, 4, count)[:, np.newaxis]
    closed = [solver.project(*state) for state in zip(q, v, strict=True)]
    return np.array([q for q, _ in closed]), np.array([v for _, v in closed])


@needs_compiler
@covered(1, name=BATCHES, algorithm=["dca", "hdca"])
def test_states_in_lanes_give_what_one_state_gives(name: str, algorithm: str) -> None:
    model = mstmm.load(name)
    batch, plain = (solver_of(model, algorithm, target) for target in ("c-batch", "c"))
    q, v = several(batch)
    found = [(way, v) for way in ("accelerations", "joint_loads", "energy", "constraints")]
    if algorithm == "hdca":
        p = plain.momenta(q, v)
        found += [(way, p) for way in ("velocities", "momentum_rates", "regauged", "impulses")]
        found.append(("momenta", v))
    for way, second in found:
        ours, theirs = (getattr(solver, way)(q, second) for solver in (batch, plain))
        pairs = zip(ours, theirs, strict=True) if isinstance(ours, tuple) else [(ours, theirs)]
        for mine, expected in pairs:
            scale = np.abs(expected).max(initial=1.0)
            assert np.abs(mine - expected).max(initial=0.0) < 1e-12 * scale


@needs_compiler
@covered(1, name=BATCHES, method=["rk4", "dopri5"])
def test_momenta_in_lanes_move_as_alone(name: str, method: str) -> None:
    """Re-gauged at every step; the last vector is not full.

    Steps that are chosen by their errors carry rounding on: with balls 1e-10 after 0.2 s.
    """
    batch, plain = (solver_of(mstmm.load(name), target=target) for target in ("c-batch", "c"))
    q, v = several(batch)
    p = plain.momenta(q, v)
    fixed = method == "rk4"
    task = Task(method, schedule(0.2, 5e-3, 0.02 if fixed else None, fixed=fixed), 1e-7, 1e-7)
    tracks = integrate(batch.backend, task, {"q": q, "mom": p})
    for k, track in enumerate(tracks):
        (one,) = integrate(plain.backend, task, {"q": q[k : k + 1], "mom": p[k : k + 1]})
        assert track.state == one.state == DONE
        assert np.abs(track.q - one.q).max() < (1e-10 if fixed else 1e-9)
        assert np.abs(track.v - one.v).max() < (1e-10 if fixed else 1e-9)
    ends = [np.array([getattr(track, x)[-1] for track in tracks]) for x in ("q", "v")]
    assert np.abs(plain.impulses(*ends)).max(initial=0.0) < 1e-11
    for gap in plain.constraints(ends[0], plain.velocities(*ends)):
        assert np.abs(gap).max(initial=0.0) < 1e-11


def test_a_saved_run_has_the_momenta(tmp_path: object) -> None:
    solver = solver_of(mstmm.load("double-pendulum"), target="numpy")
    run = solver.simulate(t_end=0.02, dt=0.01)
    path = f"{tmp_path}/run.csv"
    run.save(path)
    with open(path, encoding="utf-8") as file:
        head, *rows = file.read().splitlines()
    assert head.split(",")[-2:] == ["p_u1", "p_u2"]
    assert [float(x) for x in rows[-1].split(",")[-2:]] == run["p"].values[-1].tolist()


@needs_compiler
def test_right_hand_sides_for_others() -> None:
    solver = solver_of(case(1), target="c")
    rng = np.random.default_rng(1)
    q, p = np.array(solver.model.q0), rng.normal(size=4)
    y = np.concatenate([q, p])
    qd, pd = solver.momentum_rates(q, p)
    assert np.array_equal(solver.rhs(0.0, y), np.concatenate([qd, pd]))
    found, dydt = solver.c_function(), np.empty(8)
    pointer = ctypes.POINTER(ctypes.c_double)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, pointer, pointer, ctypes.c_void_p)
    given = (y.ctypes.data_as(pointer), dydt.ctypes.data_as(pointer))
    assert kind(found.address)(0.0, *given, found.data) == 0
    assert np.array_equal(dydt, solver.rhs(0.0, y))
    with pytest.raises(UsageError, match=r"instead of \(8,\): \(q, p\)"):
        solver.rhs(0.0, y[:-1])


def test_scipy_moves_momenta() -> None:
    pytest.importorskip("scipy")
    solver = solver_of(mstmm.load("double-pendulum"), target="numpy")
    run = solver.simulate(t_end=0.2, method="DOP853", rtol=1e-10, atol=1e-10, record=0.1)
    own = solver.simulate(t_end=0.2, method="dopri5", rtol=1e-10, atol=1e-10, record=0.1)
    assert np.abs(run.q - own.q).max() < 1e-8
    assert np.abs(run.v - own.v).max() < 1e-8


def test_what_a_motion_of_momenta_refuses() -> None:
    solver = solver_of(mstmm.load("double-pendulum"), target="numpy")
    with pytest.raises(UsageError, match="euler moves speeds"):
        solver.simulate(t_end=0.1, method="euler")
    speeds = mstmm.compile("double-pendulum", target="numpy")
    with pytest.raises(UsageError, match="regauge is a choice of algorithm='hdca'"):
        speeds.simulate(t_end=0.1, regauge=False)
    with pytest.raises(UsageError, match="riccati does not compute velocities; compile with"):
        speeds.velocities([0.0, 0.0], [0.0, 0.0])

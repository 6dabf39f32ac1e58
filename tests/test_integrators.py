"""The integrators of the generated code: orders, events, records, batches, failures.

The judges are exact motions (elliptic integrals in mpmath, elementary ones) and SciPy's DOP853
near rounding.
"""

from __future__ import annotations

import ctypes
import doctest
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import pi
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from compiler import TARGET, needs_compiler

import mstmm
from mstmm import Event
from mstmm.codegen.tableaus import DORMAND_PRINCE, METHODS, Tableau
from mstmm.errors import NumericsError, UsageError
from mstmm.model.files import from_text
from mstmm.runtime import solver as solver_module
from mstmm.runtime.motion import DONE, NOT_FINITE, STOPPED, Task, integrate
from mstmm.runtime.schedule import schedule
from mstmm.runtime.solver import Solver

EXAMPLES = Path(__file__).parents[1] / "examples"

ALL = pytest.mark.parametrize(
    "target",
    [
        pytest.param("c", marks=needs_compiler),
        pytest.param("c-batch", marks=needs_compiler),
        "numpy",
    ],
)

SLIDER = """
name = "slider"
dimension = 2
gravity = [0, 0]
[bodies.A]
mass = 2
inertia = 0.3
points.a = {{}}
[hinges.m]
kind = "prismatic"
parent = "ground"
child = "A:a"
force = "{force}"
[start.positions]
m = 1
"""

#: The pendulum's angle from the rest, and its rate there for small motions, squared.
START = 2.0
SQUARE = 1.5 * 9.81


@cache
def compiled(name: str, target: str = TARGET) -> Solver:
    return mstmm.compile(str(EXAMPLES / name) if name.endswith(".toml") else name, target=target)


@cache
def slider(force: str, target: str = TARGET) -> Solver:
    return mstmm.compile(from_text(SLIDER.format(force=force)), target=target)


def pendulum(target: str = TARGET) -> Solver:
    return compiled("rod-chain:n=1", target)


def swing(target: str = TARGET, **options: Any) -> Any:
    return pendulum(target).simulate([START + pi / 2], [0.0], **options)


def quarter() -> float:
    """The time from rest at START to the lowest point."""
    with mpmath.workdps(30):
        return float(mpmath.ellipk(mpmath.sin(START / 2) ** 2) / mpmath.sqrt(SQUARE))


@cache
def exact(name: str, t_end: float) -> np.ndarray:
    """The state at the end of the motion from the model's start, by DOP853 near rounding."""
    solver = compiled(name)
    run = solver.simulate(t_end=t_end, method="DOP853", record=t_end, rtol=1e-13, atol=1e-13)
    return np.concatenate([run.q[-1], run.v[-1]])


def error_of(name: str, target: str, method: str, dt: float, t_end: float) -> float:
    solver = compiled(name, target)
    run = solver.simulate(t_end=t_end, method=method, dt=dt, record=t_end)
    found = np.concatenate([run.q[-1], run.v[-1]])
    return float(np.abs(found - exact(name, t_end)).max())


# The tableaus


def trees() -> list[tuple[int, int, Callable[[Any], Fraction]]]:
    """The conditions of order 1 to 5: order, the density γ, and Φ_j of a tableau."""

    def ones(t: Tableau) -> list[Fraction]:
        return [Fraction(1)] * t.stages

    def graft(*branches: Any) -> Any:
        """Φ of the root that carries these trees."""

        def phi(t: Tableau) -> list[Fraction]:
            total = ones(t)
            for branch in branches:
                values = branch(t)
                for i, row in enumerate(t.a):
                    total[i] *= sum((a * x for a, x in zip(row, values, strict=False)), Fraction(0))
            return total

        return phi

    leaf = ones
    line = graft(leaf)
    fork, tall = graft(leaf, leaf), graft(line)
    return [
        (1, 1, leaf),
        (2, 2, line),
        (3, 3, fork),
        (3, 6, tall),
        (4, 4, graft(leaf, leaf, leaf)),
        (4, 8, graft(leaf, line)),
        (4, 12, graft(fork)),
        (4, 24, graft(tall)),
        (5, 5, graft(leaf, leaf, leaf, leaf)),
        (5, 10, graft(leaf, leaf, line)),
        (5, 15, graft(leaf, fork)),
        (5, 30, graft(leaf, tall)),
        (5, 20, graft(line, line)),
        (5, 20, graft(graft(leaf, leaf, leaf))),
        (5, 40, graft(graft(leaf, line))),
        (5, 60, graft(graft(fork))),
        (5, 120, graft(graft(tall))),
    ]


def order_of(tableau: Tableau, b: tuple[Fraction, ...], part: Fraction = Fraction(1)) -> int:
    """The order, up to 5, of the weights b at a part of the step, in exact numbers."""
    for order, density, phi in trees():
        found = sum((x * y for x, y in zip(b, phi(tableau), strict=True)), Fraction(0))
        if found != part**order / density:
            return order - 1
    return 5


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_tableau_has_its_order_exactly(method: Any) -> None:
    assert order_of(method.tableau, method.tableau.b) == method.order


def dense(part: Fraction) -> tuple[Fraction, ...]:
    t, rest = DORMAND_PRINCE, 1 - part
    found = [
        part**2 * ((3 - 2 * part) * b + rest**2 * d) for b, d in zip(t.b, t.dense, strict=True)
    ]
    found[0] += part * rest**2
    found[-1] -= part**2 * rest
    return tuple(found)


def test_the_pair_and_the_continuous_result_are_of_order_four_exactly() -> None:
    t = DORMAND_PRINCE
    assert order_of(t, tuple(b - e for b, e in zip(t.b, t.error, strict=True))) == 4
    for part in (Fraction(1, 7), Fraction(1, 2), Fraction(5, 6)):
        assert order_of(t, dense(part), part) == 4
    assert dense(Fraction(1)) == t.b
    wrong = replace(t, dense=(t.dense[0] + Fraction(1, 10**6), *t.dense[1:]))
    assert order_of(wrong, tuple(b + x for b, x in zip(t.b, wrong.dense, strict=True))) == 0


# Orders as measured


@ALL
@pytest.mark.parametrize(
    ("method", "order", "dt"), [("rk4", 4, 0.01), ("rkmk4", 4, 0.01), ("euler", 1, 1e-3)]
)
@pytest.mark.parametrize("name", ["double-pendulum", "ball-chain:n=2"])
def test_halving_the_step_shows_the_order(
    name: str, method: str, order: int, dt: float, target: str
) -> None:
    t_end = 0.2
    errors = [error_of(name, target, method, dt / k, t_end) for k in (2, 4)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


@ALL
@pytest.mark.parametrize("name", ["double-pendulum", "ball-chain:n=2"])
def test_dopri5_is_of_order_five_in_the_number_of_its_steps(name: str, target: str) -> None:
    """An event function that never vanishes counts the steps."""
    solver, t_end = compiled(name, target), 1.0
    taken, errors = [], []
    for tolerance in (1e-6, 1e-9):
        calls: list[float] = []
        count = Event(lambda t, q, v, calls=calls: calls.append(t) or 1.0)
        run = solver.simulate(
            t_end=t_end, method="dopri5", record=t_end, rtol=tolerance, atol=tolerance,
            events=[count],
        )  # fmt: skip
        taken.append(len(calls) - 1)
        found = np.concatenate([run.q[-1], run.v[-1]])
        errors.append(np.abs(found - exact(name, t_end)).max())
    slope = np.log(errors[0] / errors[1]) / np.log(taken[1] / taken[0])
    assert 4.5 < slope < 6.5


@ALL
def test_dopri5_between_its_steps_is_as_good_as_at_them(target: str) -> None:
    """Records far denser than steps, against DOP853; the steps do not move with the records."""
    solver = compiled("ball-chain:n=2", target)
    options: dict[str, Any] = {"t_end": 0.5, "method": "dopri5", "rtol": 1e-8, "atol": 1e-8}
    fine, coarse = (solver.simulate(record=r, **options) for r in (1e-3, 0.5))
    judge = compiled("ball-chain:n=2").simulate(
        t_end=0.5, method="DOP853", record=1e-3, rtol=1e-12, atol=1e-12
    )
    assert (fine.q[-1] == coarse.q[-1]).all()
    assert (fine.time == judge.time).all()
    assert 1e-13 < np.abs(fine.q - judge.q).max() < 1e-6
    assert np.abs(np.linalg.norm(fine.q.reshape(-1, 4), axis=1) - 1).max() < 1e-14


@ALL
def test_rkmk4_keeps_unit_quaternions_without_normalising(target: str) -> None:
    """Each step rounds a few times; 2,000 steps of them stay below 1e-13."""
    solver = compiled("ball-chain:n=2", target)
    steps = 2000 if target == "c" else 200
    run = solver.simulate(t_end=steps * 1e-3, method="rkmk4")
    lengths = np.linalg.norm(run.q.reshape(-1, 4), axis=1)
    assert 0 < np.abs(lengths - 1).max() < 1e-13
    assert "retract" in solver.generated.sources.interface.arguments


@ALL
def test_a_body_spun_about_a_main_axis_turns_by_the_exact_angle(target: str) -> None:
    """A step of an angle of 3 rad: the closed forms, not their series."""
    solver = compiled("ball-chain:n=1", target)
    free = mstmm.compile(replace(solver.model, gravity=(0, 0, 0)), target=target)
    q0, spin = np.array([1.0, 0, 0, 0]), np.array([300.0, 0, 0])
    for dt in (0.01, 1e-5):
        run = free.simulate(q0, spin, t_end=dt, dt=dt, method="rkmk4")
        half = 300.0 * dt / 2
        axis = np.array([np.cos(half), np.sin(half), 0, 0])
        assert run.q[-1] == pytest.approx(axis, abs=2e-15)


@ALL
def test_laws_in_time_are_taken_at_the_stages_times(target: str) -> None:
    """x = 2 − cos t under 2 cos t on 2 kg."""
    solver = slider("2*cos(t)", target)
    for method, within in (("rk4", 1e-10), ("rkmk4", 1e-10), ("dopri5", 1e-8), ("euler", 2e-2)):
        step = {"dt": 0.01} if method != "dopri5" else {"record": 0.01}
        run = solver.simulate(t_end=2.0, method=method, **step)
        assert np.abs(run.q[:, 0] - (2 - np.cos(run.time))).max() < within


# Energy


@ALL
def test_the_energy_of_euler_stays_in_bounds_and_that_of_the_explicit_one_would_not(
    target: str,
) -> None:
    """300 swings (60 in NumPy): the drift of the last tenth is no larger than that of the first.

    The bound is of order dt; 300 swings of the explicit rule at this step gain over 50 J.
    """
    t_end = 4 * quarter() * (300 if target == "c" else 30)
    run = swing(target, t_end=t_end, dt=5e-3, method="euler")
    drift = np.abs(run.energy - run.energy[0])
    tenth = len(drift) // 10
    assert drift[-tenth:].max() < 1.05 * drift[:tenth].max()
    assert 1e-3 < drift.max() < 0.5


# Events


@ALL
@pytest.mark.parametrize(
    ("method", "step"),
    [("dopri5", {"rtol": 1e-12, "atol": 1e-12, "record": 0.1}), ("rk4", {"dt": 5e-4})],
)
def test_a_pendulum_passes_its_lowest_point_when_elliptic_integrals_say(
    method: str, step: dict[str, float], target: str
) -> None:
    run = swing(target, t_end=1.7, method=method, events=[Event("theta1 - pi/2")], **step)
    found = [event.time for event in run.events]
    expected = [quarter() * k for k in (1, 3)]
    assert found == pytest.approx(expected, abs=1e-10)
    for event in run.events:
        assert event.q[0] == pytest.approx(pi / 2, abs=1e-11)
        assert abs(event.v[0]) == pytest.approx(np.sqrt(2 * SQUARE * (1 - np.cos(START))), rel=1e-9)


@ALL
@pytest.mark.parametrize("method", ["dopri5", "rk4", "euler"])
def test_direction_and_terminal(method: str, target: str) -> None:
    theta = sp.Symbol("theta1", real=True)
    lowest = theta - sp.pi / 2
    options: dict[str, Any] = {"t_end": 2.0, "method": method, "record": 0.1}
    options |= {} if method == "dopri5" else {"dt": 1e-3}
    both = swing(target, events=[Event(lowest, name="low")], **options)
    rising = swing(target, events=[Event(lowest, direction=1)], **options)
    falling = swing(target, events=[Event(lowest, direction=-1)], **options)
    assert [e.v[0] > 0 for e in both.events] == [False, True]
    assert [e.time for e in falling.events] == pytest.approx([both.events[0].time], abs=1e-14)
    assert [e.time for e in rising.events] == pytest.approx([both.events[1].time], abs=1e-14)
    assert {e.name for e in both.events} == {"low"}
    stopped = swing(target, events=[Event(lowest, direction=1, terminal=True)], **options)
    (last,) = stopped.events
    assert stopped.time[-1] == last.time == pytest.approx(both.events[1].time, abs=1e-14)
    assert (stopped.q[-1] == last.q).all()
    assert (stopped.q[:-1] == both.q[: len(stopped.q) - 1]).all()


@ALL
@pytest.mark.parametrize("method", ["dopri5", "rk4", "euler"])
def test_several_events_in_one_step_come_in_the_order_of_their_times(
    method: str, target: str
) -> None:
    """x = 2 − cos t is slow at first: one step of 0.5 s holds all of them."""
    solver = slider("2*cos(t)", target)
    events = [
        Event("t - 0.31", name="c"),
        Event(lambda t, q, v: 0.11 - t, name="a"),
        Event("t - 0.21", name="b"),
        Event("t - 0.41", terminal=True, name="end"),
        Event("t - 0.45", name="too late"),
    ]
    step = {"dt": 0.5} if method != "dopri5" else {"record": 0.5, "rtol": 1e-3, "atol": 1e-3}
    run = solver.simulate(t_end=0.5, method=method, events=events, **step)
    assert [event.name for event in run.events] == ["a", "b", "c", "end"]
    assert [e.time for e in run.events] == pytest.approx([0.11, 0.21, 0.31, 0.41], abs=1e-12)
    assert run.time[-1] == run.events[-1].time


@ALL
def test_events_of_parameters_read_the_values_of_the_run(target: str) -> None:
    solver = mstmm.compile("rod-chain:n=1", target=target, parameters=["g"])
    event = Event("t - g/10", terminal=True)
    assert solver.simulate(t_end=3.0, dt=0.1, events=[event]).time[-1] == pytest.approx(0.981)
    run = solver.simulate(t_end=3.0, dt=0.1, events=[event], parameters={"g": 5.0})
    assert run.time[-1] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("event", "options", "named"),
    [
        (Event("theta9"), {}, "event 0: 'theta9': there is no 'theta9'"),
        (Event("__import__('os')"), {}, "event 0: "),
        (Event(3.0), {}, "event 0: 3.0 is no expression and no function"),
        ("theta1", {}, "is no mstmm.Event"),
        (Event("theta1"), {"method": "RK45"}, "RK45 finds no events; rk4, euler, rkmk4, dopri5 do"),
    ],
)
def test_what_is_no_event_is_named(event: Any, options: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        pendulum().simulate(t_end=0.1, events=[event], **options)
    with pytest.raises(UsageError, match="direction is -1, 0 or 1, not 2"):
        Event("theta1", direction=2)


@ALL
def test_an_event_function_that_raises_ends_the_run_with_its_error(target: str) -> None:
    def fail(t: float, q: np.ndarray, v: np.ndarray) -> float:
        if t > 0.05:
            raise KeyboardInterrupt
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        pendulum(target).simulate(t_end=0.1, events=[Event(fail)])
    with pytest.raises(NumericsError, match="event"):
        pendulum(target).simulate(t_end=0.1, events=[Event("sqrt(0.05 - t)")])


@ALL
@pytest.mark.parametrize("method", ["dopri5", "rk4"])
def test_an_event_function_may_ask_the_solver_itself(method: str, target: str) -> None:
    """It shares the thread's workspace, and moves nothing."""
    solver = compiled("fourbar.toml", target)

    def kinetic(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return float(solver.energy(q, v) - solver.energy(q, 0 * v)) - 1e-3

    options: dict[str, Any] = {"t_end": 0.05, "method": method, "record": 0.01}
    watched = solver.simulate(events=[Event(kinetic)], **options)
    assert (watched.q == solver.simulate(**options).q).all()


# Records


@ALL
@pytest.mark.parametrize("method", ["dopri5", "rkmk4", "euler"])
def test_records_stand_at_the_asked_times(method: str, target: str) -> None:
    """x = 2 − cos t, t_end no multiple of the interval."""
    step = {"dt": 0.01} if method != "dopri5" else {}
    run = slider("2*cos(t)", target).simulate(t_end=1.005, record=0.05, method=method, **step)
    assert list(run.time) == [*(k / 20 for k in range(21)), 1.005]
    within = 1e-2 if method == "euler" else 1e-8
    assert np.abs(run.q[:, 0] - (2 - np.cos(run.time))).max() < within


# Loops


@ALL
@pytest.mark.parametrize("method", ["rkmk4", "euler", "dopri5"])
def test_loops_stay_closed(method: str, target: str) -> None:
    solver = compiled("fourbar.toml", target)
    step = {"dt": 2e-3} if method != "dopri5" else {}
    speed = solver.speeds[0]
    run = solver.simulate(
        t_end=0.2, record=0.01, method=method, events=[Event(f"{speed} - 0.5")], **step
    )
    assert run.constraint_position is not None
    assert run.constraint_velocity is not None
    assert run.constraint_position.max() < 1e-11
    assert run.constraint_velocity.max() < 1e-9
    judge = compiled("fourbar.toml").simulate(
        t_end=0.2, record=0.01, method="DOP853", rtol=1e-11, atol=1e-11
    )
    assert np.abs(run.q - judge.q).max() < (2e-2 if method == "euler" else 1e-6)


# Batches


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "euler", "rkmk4", "dopri5"])
@pytest.mark.parametrize("name", ["double-pendulum", "ball-chain:n=2"])
def test_a_batch_equals_its_members_whatever_their_neighbours(name: str, method: str) -> None:
    """The first lane is as still as can be and the others differ; steps are each lane's own."""
    batch, plain = compiled(name, "c-batch"), compiled(name, "c")
    count = batch.backend.width + 2
    draw = np.random.default_rng(5)
    q = np.tile(plain.model.q0, (count, 1))
    v = draw.standard_normal((count, len(plain.speeds))) * np.arange(count)[:, np.newaxis]
    fixed = method != "dopri5"
    task = Task(method, schedule(0.2, 5e-3, 0.02 if fixed else None, fixed=fixed), 1e-7, 1e-7)
    tracks = integrate(batch.backend, task, {"q": q, "v": v})
    for k, track in enumerate(tracks):
        (one,) = integrate(plain.backend, task, {"q": q[k : k + 1], "v": v[k : k + 1]})
        assert track.state == one.state == DONE
        assert np.abs(track.q - one.q).max() < 1e-10
        (alone,) = integrate(batch.backend, task, {"q": q[k : k + 1], "v": v[k : k + 1]})
        assert (track.q == alone.q).all()


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_lane_that_fails_or_stops_leaves_the_others_alone(method: str) -> None:
    batch = compiled("double-pendulum", "c-batch")
    q = np.tile(batch.model.q0, (3, 1))
    v = np.array([[0.0, 0.0], [1e170, 0.0], [0.1, 0.0]])
    fixed = method != "dopri5"
    task = Task(method, schedule(0.1, 1e-3, None, fixed=fixed), 1e-9, 1e-9)
    tracks = integrate(batch.backend, task, {"q": q, "v": v})
    assert [track.state for track in tracks] == [DONE, NOT_FINITE, DONE]
    (alone,) = integrate(batch.backend, task, {"q": q[2:], "v": v[2:]})
    assert (tracks[2].q == alone.q).all()


# Failures


@ALL
def test_a_step_too_small_is_said_with_time_and_remedy(target: str) -> None:
    """x'' = −1/x² from rest at 1 falls into the centre at π/√8 s."""
    solver = slider("-2/q1**2", target)
    with pytest.raises(NumericsError, match=r"dopri5 finds no step .* t = 1\.1107.* take Radau"):
        solver.simulate(t_end=2.0, method="dopri5")


@ALL
@pytest.mark.parametrize("method", ["rk4", "euler", "rkmk4", "dopri5"])
def test_leaving_the_numbers_is_said_with_time_and_remedy(method: str, target: str) -> None:
    smaller = "take smaller rtol" if method == "dopri5" else "take a smaller dt"
    with pytest.raises(NumericsError, match=f"leaves the finite numbers near t = 0 s; {smaller}"):
        compiled("double-pendulum", target).simulate(v0=[1e170, 0], t_end=0.1, method=method)


# For others


@needs_compiler
def test_the_interpreter_goes_on_while_c_integrates() -> None:
    """Another thread counts during one call of the library."""
    solver = compiled("rod-chain:n=30", "c")
    task = Task("rk4", schedule(100.0, 1e-3, 100.0, fixed=True))
    state = {"q": np.array([solver.model.q0]), "v": np.array([solver.model.v0])}
    motion = solver.backend.motion(task, state)
    counted, inside, over = 0, threading.Event(), threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            if inside.is_set():
                counted += 1
            time.sleep(1e-3)

    thread = threading.Thread(target=count)
    thread.start()
    inside.set()
    motion.advance(100_000)
    inside.clear()
    over.set()
    thread.join()
    assert counted > 5


@needs_compiler
def test_the_examples_of_the_right_hand_side_hold() -> None:
    found = doctest.testmod(solver_module)
    assert found.attempted >= 15
    assert found.failed == 0


@ALL
def test_the_right_hand_side_is_rates_and_accelerations(target: str) -> None:
    solver = mstmm.compile("ball-chain:n=2", target=target, parameters=["g"])
    draw = np.random.default_rng(2)
    q = solver.retracted(draw.standard_normal(8))
    v = draw.standard_normal(6)
    y = np.concatenate([2 * q, v])
    expected = np.concatenate(
        [solver.rates(q, v), solver.accelerations(q, v, parameters={"g": 3.0})]
    )
    assert solver.rhs(0.0, y, parameters={"g": 3.0}) == pytest.approx(expected, rel=1e-13)
    with pytest.raises(UsageError, match=r"y has the shape \(3,\) instead of \(14,\)"):
        solver.rhs(0.0, y[:3])
    if target == "numpy":
        with pytest.raises(UsageError, match="has no C function; compile with target='c'"):
            solver.c_function()
        return
    function = solver.c_function(parameters={"g": 3.0})
    pointer = ctypes.POINTER(ctypes.c_double)
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, pointer, pointer, ctypes.c_void_p)
    found = np.empty(function.size)
    arguments = y.ctypes.data_as(pointer), found.ctypes.data_as(pointer), function.data
    assert kind(function.address)(0.0, *arguments) == 0
    assert found == pytest.approx(expected, rel=1e-13)
    y[-1] = np.inf
    assert kind(function.address)(0.0, *arguments) == 1


def test_a_terminal_event_is_a_state_of_its_own() -> None:
    """At the level of tracks: what the batch sees."""
    solver = pendulum()
    from mstmm.runtime.watch import watch_of

    watch = watch_of(solver, [Event("t - 0.05", terminal=True)], np.empty(0))
    task = Task("rk4", schedule(0.1, 1e-2, None, fixed=True), watch=watch)
    (track,) = integrate(solver.backend, task, {"q": np.array([[0.1]]), "v": np.array([[0.0]])})
    assert (track.state, track.t) == (STOPPED, pytest.approx(0.05, abs=1e-15))


@pytest.mark.parametrize("value", [None, [1.0, 2.0], "x"])
def test_an_event_that_gives_no_number_is_named(value: object) -> None:
    solver = mstmm.compile("double-pendulum", target="numpy")
    with pytest.raises(UsageError, match=r"event 0: its function gives .*, not one number"):
        solver.simulate(t_end=0.1, dt=0.01, events=[mstmm.Event(lambda t, q, v: value)])


def test_events_are_a_list() -> None:
    solver = mstmm.compile("double-pendulum", target="numpy")
    with pytest.raises(UsageError, match=r"write events=\[Event"):
        solver.simulate(t_end=0.1, dt=0.01, events=mstmm.Event("q1"))  # type: ignore[arg-type]

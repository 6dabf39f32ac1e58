"""Events: where a motion passes the zero of a function, and what follows.

The judges are exact motions: elliptic integrals in mpmath, elementary functions.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
import pytest
import sympy as sp
from known_motions import ALL, SQUARE, START, compiled, pendulum, quarter, slider, swing

import mstmm
from mstmm import Event
from mstmm.errors import NumericsError, UsageError
from mstmm.runtime.motions.integration import Task, integrate
from mstmm.runtime.motions.schedule import schedule
from mstmm.runtime.motions.watch import watch_of
from mstmm.runtime.stepping.outcomes import STOPPED


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
        (
            Event("theta1"),
            {"method": "RK45"},
            "RK45 finds no events; rk4, euler, rkmk4, dopri5, radau5 do",
        ),
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


def test_a_terminal_event_is_a_state_of_its_own() -> None:
    """At the level of tracks: what the batch sees."""
    solver = pendulum()
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

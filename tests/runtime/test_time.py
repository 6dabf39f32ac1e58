"""Time in motions: laws that jump, bounded steps, starts at any time, runs that go on.

The judges are exact motions and what one whole run does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import pi
from typing import Any

import numpy as np
import pytest
import sympy as sp
from compiler import TARGET, needs_compiler
from known_motions import ALL, compiled, quarter, slider, swing
from places import DATA

import mstmm
from mstmm import Event
from mstmm.errors import NumericsError, UsageError
from mstmm.model import Model
from mstmm.model.expressions.instants import Instant
from mstmm.model.expressions.jumps import instants
from mstmm.model.expressions.quantities import TIME
from mstmm.model.expressions.text import read
from mstmm.model.files.toml import from_text
from mstmm.model.parts.forces import Load
from mstmm.runtime.motions.integration import FIXED, OWN_METHODS, Task, integrate
from mstmm.runtime.motions.schedule import schedule
from mstmm.runtime.motions.scipy_methods import SCIPY_METHODS
from mstmm.runtime.solver import Solver
from mstmm.runtime.stepping.outcomes import DONE, ENDLESS

BODY = """
name = "body"
dimension = 2
gravity = [0, 0]
[parameters]
t0 = 5.0
[bodies.A]
mass = 1
inertia = 0.3
points.a = {{}}
[hinges.m]
kind = "prismatic"
parent = "ground"
child = "A:a"
{more}
[loads.F]
body = "A"
force = ["{force}", 0]
"""


@cache
def pushed(force: str, target: str = TARGET, more: str = "") -> Solver:
    """1 kg on a straight line."""
    text = BODY.format(force=force, more=more)
    return mstmm.compile(from_text(text), target=target, parameters=["t0"])


def options(method: str, dt: float = 0.01, record: float = 0.5) -> dict[str, Any]:
    return {"method": method, **({"dt": dt} if method in FIXED else {"record": record})}


# Jumps


PULSE = "100*(step(t - t0) - step(t - t0 - 0.1))"


@ALL
@pytest.mark.parametrize("method", OWN_METHODS)
def test_a_short_pulse_is_felt(method: str, target: str) -> None:
    """10 N s at 5.05 s on 1 kg: 49.5 m at 10 s; no end of it is a multiple of dt."""
    solver = pushed(PULSE, target)
    run = solver.simulate(t_end=10.0, **options(method, dt=0.013))
    assert run.v[-1, 0] == pytest.approx(10.0, abs=1e-12)
    assert run.q[-1, 0] == pytest.approx(49.5, abs=0.07 if method == "euler" else 1e-12)
    later = solver.simulate(t_end=10.0, **options(method, dt=0.013), parameters={"t0": 9.95})
    assert later.v[-1, 0] == pytest.approx(5.0, abs=1e-12)


@pytest.mark.parametrize("method", SCIPY_METHODS)
def test_a_short_pulse_is_felt_by_methods_of_scipy(method: str) -> None:
    run = pushed(PULSE).simulate(t_end=10.0, rtol=1e-7, atol=1e-7, **options(method))
    assert run.q[-1, 0] == pytest.approx(49.5, abs=1e-4)
    assert list(run.time[[0, 9, 10, 20]]) == [0.0, 4.5, 5.0, 10.0]


@ALL
def test_stages_see_their_own_side_of_a_jump(target: str) -> None:
    """One step a leg, of a constant force: the speeds are exact."""
    for force, expected in (
        ("step(t - 1)", 1.0),
        ("step(1 - t)", 1.0),
        ("sign(t - 1)", 0.0),
        ("step(t - 2)", 0.0),
        ("step(t)", 2.0),
        ("step(-t)", 0.0),
    ):
        for method in OWN_METHODS:
            run = pushed(force, target).simulate(t_end=2.0, **options(method, dt=1.0, record=1.0))
            assert run.v[-1, 0] == pytest.approx(expected, abs=1e-13), (force, method)


@pytest.mark.parametrize("method", ["rk4", "rkmk4", "dopri5", "DOP853"])
def test_a_square_wave_and_a_bend_keep_the_order(method: str) -> None:
    """v' = 1 where sin(3t) > 0; v' = |cos t|, whose integral over half a turn is 2."""
    wave = pushed("step(sin(3*t))").simulate(t_end=2 * pi, **options(method, dt=0.1, record=0.1))
    assert wave.v[-1, 0] == pytest.approx(pi, abs=1e-11)
    bent = pushed("abs(cos(t))").simulate(t_end=20 * pi, **options(method, dt=0.02, record=1.0))
    assert bent.v[-1, 0] == pytest.approx(40.0, abs=2e-7)


def test_a_force_law_jumps_too() -> None:
    """A spring of frequency 1, or 2 from t = 1 on."""
    solver = slider("-2*(1 + 3*step(t - 1))*q1")
    exact = np.cos(1) * np.cos(2 * 2) - np.sin(1) / 2 * np.sin(2 * 2)
    for method in ("rk4", "dopri5", "Radau"):
        run = solver.simulate(t_end=3.0, **options(method, dt=0.011, record=3.0))
        assert run.q[-1, 0] == pytest.approx(exact, abs=1e-7), method


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_one_step_between_times_that_are_rounded_is_one(method: str) -> None:
    """1.0000005 - 0.9999995 is 2.9e-17 more than 1e-6: no step of its own, and no record."""
    of = {"dt": 1e-6} if method == "rk4" else {"record": 1e-6}
    run = pushed("step(t - 1)").simulate(t_start=0.9999995, t_end=1.0000005, method=method, **of)
    assert list(run.time) == [0.9999995, 1.0000005]
    assert run.v[-1, 0] == pytest.approx(5e-7, rel=1e-9)


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_lanes_start_anew_each_at_its_time(method: str) -> None:
    """Adaptive steps come to a jump at different turns; each lane is as if alone."""
    batch = compiled("double-pendulum", "c-batch")
    count = batch.backend.width
    q = np.tile(batch.model.q0, (count, 1))
    v = np.random.default_rng(3).standard_normal((count, 2)) * np.arange(count)[:, np.newaxis] / 4
    plan = schedule(0.3, 0.013, None, fixed=method == "rk4")
    jumps = tuple(Instant(t - 1e-14, t, t + 1e-14) for t in (0.05, 0.11, 0.2))
    task = Task(method, plan, 1e-7, 1e-7, jumps=jumps)
    tracks = integrate(batch.backend, task, {"q": q, "v": v})
    plain = integrate(batch.backend, Task(method, plan, 1e-7, 1e-7), {"q": q, "v": v})
    for k, track in enumerate(tracks):
        (alone,) = integrate(batch.backend, task, {"q": q[k : k + 1], "v": v[k : k + 1]})
        assert track.state == DONE
        assert (track.q == alone.q).all()
        assert np.abs(track.q - plain[k].q).max() < 1e-4


@pytest.mark.parametrize("method", ["rk4", "dopri5", "DOP853"])
def test_closed_loops_are_pushed_by_a_pulse(method: str) -> None:
    """A load with no jump, and one that is on throughout as a sum of jumps, move loops alike."""
    model = mstmm.load("four-bar")
    body = model.bodies[0].name
    kinds = ("1", "step(t - 0.0503) + step(0.0503 - t)")
    runs = []
    for force in kinds:
        loaded = mstmm.compile(with_load(model, body, force), target=TARGET)
        runs.append(loaded.simulate(t_end=0.1, **options(method, dt=2e-3, record=0.01)))
    assert runs[1].constraint_position is not None
    assert runs[1].constraint_position.max() < 1e-11
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9


def with_load(model: Model, body: str, force: str) -> Model:
    law = read(force, {TIME: None})
    return replace(model, loads=(Load("F", body, force=(law, sp.Integer(0))),))


# Steps of bounded length


PATCH = "10*step(q1 - 3)*step(3.1 - q1)"


@pytest.mark.parametrize("method", ["dopri5", "RK45", "DOP853"])
def test_max_step_finds_what_depends_on_the_state(method: str) -> None:
    """A body of speed 1 is pushed along 0.1 m of its way: 1 J on 1 kg makes sqrt(3) m/s."""
    solver = pushed("0", more=f'force = "{PATCH}"')
    given = {"v0": [1.0], "t_end": 10.0, "record": 10.0, "method": method, "rtol": 1e-6}
    felt = solver.simulate(**given, max_step=0.02)
    assert felt.v[-1, 0] == pytest.approx(np.sqrt(3), abs=1e-3)
    assert felt.attrs["max_step"] == 0.02


@ALL
def test_max_step_bounds_each_step(target: str) -> None:
    seen: list[float] = []

    def look(t: float, q: np.ndarray, v: np.ndarray) -> float:
        seen.append(t)
        return 1.0

    pushed("0", target).simulate(
        t_end=1.0, method="dopri5", record=1.0, max_step=0.05, events=[Event(look)]
    )
    assert np.diff(seen).max() <= 0.05
    assert len(seen) < 40


# Starts


@ALL
@pytest.mark.parametrize("method", ["rk4", "dopri5", "DOP853"])
def test_a_motion_starts_at_any_time(method: str, target: str) -> None:
    """v = 1 − cos t from 0 on; it jumps at 7."""
    solver = pushed("sin(t) + step(t - 7)", target)
    for start in (-3.0, 2.0, 7.0):
        run = solver.simulate(
            v0=[-np.cos(start)], t_start=start, t_end=9.0, **options(method, record=0.25)
        )
        step = 0.01 if method == "rk4" else 0.25
        assert run.time == pytest.approx(np.arange(start, 9.0 + step / 2, step), abs=1e-12)
        expected = -np.cos(run.time) + np.maximum(run.time - 7.0, 0.0)
        assert run.v[:, 0] == pytest.approx(expected, abs=1e-8)
        assert run.a[1, 0] == pytest.approx(np.sin(run.time[1]) + (run.time[1] >= 7), abs=1e-12)
        assert repr(run).startswith(f"<Run of body: {start:g} to 9 s")


@ALL
def test_events_and_drives_see_the_time_of_the_start(target: str) -> None:
    run = pushed("0", target).simulate(
        t_start=3.0, t_end=5.0, dt=0.1, events=[Event("t - 4.25"), Event("t - 2")]
    )
    assert [x.time for x in run.events] == pytest.approx([4.25], abs=1e-12)
    solver = compiled(str(DATA / "goldens" / "moving-base.toml"), target)
    whole = solver.simulate(t_end=0.4, dt=1e-3)
    later = solver.simulate(whole.q[200], whole.v[200], t_start=0.2, t_end=0.4, dt=1e-3)
    assert np.abs(later.q[-1] - whole.q[-1]).max() < 1e-11


# Runs that go on


@ALL
@pytest.mark.parametrize("name", ["double-pendulum", "ball-chain:n=2", "four-bar"])
@pytest.mark.parametrize("method", OWN_METHODS)
def test_a_run_goes_on(method: str, name: str, target: str) -> None:
    """Fixed steps bit for bit, also where the parts hold no whole number of records."""
    solver = compiled(name, target)
    given = options(method, dt=2e-3, record=0.04) | {"record": 0.04}
    whole = solver.simulate(t_end=0.4, **given)
    first = solver.simulate(t_end=0.1, **given)
    second = first.resume(0.25)
    third = second.resume(0.4)
    assert [first.time[-1], second.time[0], second.time[-1], third.time[0]] == [
        0.1,
        0.1,
        0.25,
        0.25,
    ]
    assert second.time[1:-1] == pytest.approx([0.12, 0.16, 0.2, 0.24])
    assert (second.q[0] == first.q[-1]).all()
    assert third.time[-1] == whole.time[-1]
    if method in FIXED:
        assert (second.q[1:-1] == whole.q[3:7]).all()
        assert (third.q[-1] == whole.q[-1]).all()
        assert (third.v[-1] == whole.v[-1]).all()
        assert (third.loads[-1] == whole.loads[-1]).all()
    else:
        assert np.abs(third.q[-1] - whole.q[-1]).max() < 1e-7
    assert third.attrs == whole.attrs


@ALL
@pytest.mark.parametrize("method", ["rk4", "euler", "rkmk4"])
def test_a_run_goes_on_over_jumps_bit_for_bit(method: str, target: str) -> None:
    solver = pushed("sin(t) + step(sin(3*t)) + step(t - 0.5)", target)
    whole = solver.simulate(t_end=3.0, dt=0.013)
    parts = solver.simulate(t_end=0.507, dt=0.013).resume(1.3).resume(3.0)
    assert (parts.v[-1] == whole.v[-1]).all()
    assert (parts.q[-1] == whole.q[-1]).all()


@pytest.mark.parametrize("method", ["Radau", "DOP853"])
def test_a_run_of_scipy_goes_on(method: str) -> None:
    given = options(method, record=0.1) | {"rtol": 1e-9, "atol": 1e-9}
    whole = swing(t_end=1.0, **given)
    later = swing(t_end=0.5, **given).resume(1.0)
    assert np.abs(later.q[-1] - whole.q[-1]).max() < 1e-6
    assert list(later.time) == pytest.approx([0.5, 0.6, 0.7, 0.8, 0.9, 1.0])


def test_momenta_go_on() -> None:
    solver = mstmm.compile("hdca-case-3", algorithm="hdca", target=TARGET)
    whole = solver.simulate(t_end=0.2, dt=2e-3)
    later = solver.simulate(t_end=0.1, dt=2e-3).resume(0.2)
    assert later.p is not None
    assert whole.p is not None
    assert (later.q[-1] == whole.q[-1]).all()
    assert (later.p[-1] == whole.p[-1]).all()


@ALL
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_events_go_on_past_a_terminal_one(method: str, target: str) -> None:
    """Each passage of the lowest point ends a run, and comes once."""
    given = options(method, dt=1e-3, record=0.1)
    run = swing(target, t_end=9.0, events=[Event("theta1 - pi/2", terminal=True)], **given)
    found = [run.events[-1].time]
    for _ in range(2):
        run = run.resume(9.0)
        found += [event.time for event in run.events]
    assert found == pytest.approx([quarter() * k for k in (1, 3, 5)], abs=1e-7)


@ALL
def test_an_adaptive_step_goes_on(target: str) -> None:
    """The step is long at the end; begun anew it would be found from a short one on."""
    seen: list[float] = []

    def look(t: float, q: np.ndarray, v: np.ndarray) -> float:
        seen.append(t)
        return 1.0

    first = pushed("0", target).simulate(
        v0=[1.0], t_end=10.0, method="dopri5", record=10.0, events=[Event(look)]
    )
    seen.clear()
    first.resume(20.0)
    assert {t for t in seen if t > 10.0} == {20.0}


def test_a_run_goes_on_to_a_later_time_alone() -> None:
    run = swing(t_end=0.01)
    with pytest.raises(UsageError, match=r"t_end = 0.01 s must be after the start at t = 0.01 s"):
        run.resume(0.01)


# Steps without end


@ALL
def test_a_motion_too_stiff_for_dopri5_names_what_takes_it(target: str) -> None:
    solver = slider("-2e12*u1 - 2*q1", target)
    with pytest.raises(NumericsError, match=r"steps of dopri5 are so short .* \(take radau5\)"):
        solver.simulate(v0=[1.0], t_end=10.0, method="dopri5", record=1.0)


def test_methods_of_scipy_end_too() -> None:
    solver = slider("-2e12*u1 - 2*q1")
    with pytest.raises(NumericsError, match=r"steps of RK45 are so short .* \(take radau5\)"):
        solver.simulate(v0=[1.0], t_end=10.0, method="RK45", record=1.0)


def test_radau_takes_what_is_stiff() -> None:
    """x' = −x/1e12: it stays where it is once its speed has gone."""
    run = slider("-2e12*u1 - 2*q1").simulate(v0=[1.0], t_end=10.0, method="Radau", record=1.0)
    assert run.q[-1, 0] == pytest.approx(1.0, abs=1e-9)


@needs_compiler
def test_one_lane_without_end_leaves_the_others_alone() -> None:
    batch = slider("-2e10*u1*step(q1 - 2)", "c-batch")
    task = Task("dopri5", schedule(10.0, None, 1.0, fixed=False), 1e-9, 1e-9)
    q, v = np.array([[0.0], [3.0]]), np.array([[0.1], [1.0]])
    tracks = integrate(batch.backend, task, {"q": q, "v": v})
    assert [track.state for track in tracks] == [DONE, ENDLESS]
    assert tracks[0].q[-1, 0] == pytest.approx(1.0, abs=1e-9)


# Where laws jump


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        ("t - 0.1", [0.1]),
        ("t - t0", [5.0]),
        ("sin(3*t)", [k * pi / 3 for k in range(10)]),
        ("-(t - 1)**2", [1.0]),
        ("(t - 1)**2*(t - 2)", [1.0, 2.0]),
        ("tan(t) - 1", [pi / 4, pi / 2, 5 * pi / 4, 3 * pi / 2, 9 * pi / 4, 5 * pi / 2]),
        ("exp(-t) - 0.1", [np.log(10)]),
        ("log(t)", [1.0]),
        ("sqrt(t) - 2", [4.0]),
        ("acos(t/5 - 1) - 1", [5 * (1 + np.cos(1))]),
        ("atan(t - 2)*tanh(t - 3)*asin(t/10 - 0.5)", [2.0, 3.0, 5.0]),
        ("1/(t - 3)", [3.0]),
        ("t**3 - 6*t**2 + 11*t - 6", [1.0, 2.0, 3.0]),
        ("sign(t - 1)*sin(t)*step(t - 5)", [1.0, 5.0, 2 * pi, 3 * pi]),
        ("step(t - 1) - step(t - 2)", [1.0, 2.0]),
        ("abs(t - 3) - 0.5", [2.5, 3.0, 3.5]),
        ("sin(t) + cos(sqrt(2)*t) + t/5", None),
        ("cos(t) - 2", []),
    ],
)
def test_instants_are_found_for_sure(taken: str, expected: list[float] | None) -> None:
    model = from_text(BODY.format(force=f"step({taken})", more=""))
    found = instants(model, {"t0": 5.0}, 0.0, 10.0, 1e-3)
    assert all(x.before < x.time < x.after for x in found)
    if expected is None:
        t = np.linspace(0.0, 10.0, 1_000_001)
        f = np.sin(t) + np.cos(np.sqrt(2) * t) + t / 5
        expected = list(t[:-1][np.diff(np.sign(f)) != 0])
        assert [x.time for x in found] == pytest.approx(expected, abs=2e-5)
        return
    assert [x.time for x in found] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_laws_that_jump_all_the_time_are_refused() -> None:
    with pytest.raises(
        UsageError, match=r"is zero more than 5e.05 times .* end the motion earlier"
    ):
        pushed("step(sin(1e9*t))").simulate(t_end=10.0)


def test_what_depends_on_the_state_is_no_instant() -> None:
    assert instants(pushed("0", more=f'force = "{PATCH}"').model, {"t0": 1.0}, 0, 9, 1.0) == ()

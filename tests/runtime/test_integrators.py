"""The integrators of the generated code: orders, records, loops, batches, failures.

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
from typing import Any

import numpy as np
import pytest
from compiler import needs_compiler
from known_motions import ALL, compiled, quarter, slider, swing

import mstmm
from mstmm import Event
from mstmm.codegen.integrators import collocation_view, method_views
from mstmm.codegen.tableaus import DORMAND_PRINCE, METHODS, Tableau
from mstmm.errors import NumericsError, UsageError
from mstmm.runtime.motions import rhs as rhs_module
from mstmm.runtime.motions.integration import Task, begun, integrate
from mstmm.runtime.motions.schedule import schedule
from mstmm.runtime.stepping.outcomes import DONE, NOT_FINITE
from mstmm.runtime.stepping.schemes import INVERSE, SCHEMES


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


@pytest.mark.parametrize(
    "method", [x for x in METHODS if not x.implicit], ids=lambda method: method.name
)
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
    with pytest.raises(NumericsError, match=r"dopri5 finds no step .* t = 1\.1107.* take radau5"):
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
    motion = begun(solver.backend, task, state)
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
    found = doctest.testmod(rhs_module)
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


def test_the_numbers_of_python_are_those_of_the_text_of_c() -> None:
    """Quotients that a compiler rounds, and floats of the same fractions."""
    for view, scheme in zip(method_views(), SCHEMES, strict=True):
        rows = [(view.b, scheme.b), (view.c, scheme.c), (view.error, scheme.error)]
        rows += [(view.dense, scheme.dense), *zip(view.a, scheme.a, strict=True)]
        for texts, numbers in rows:
            assert [eval(text) for text in texts] == numbers.tolist()
    assert [[float(x) for x in row] for row in collocation_view().inverse] == INVERSE.tolist()

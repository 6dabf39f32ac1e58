"""The implicit method of the generated code, and SciPy's with the generated derivatives.

The judges are elementary motions, exact numbers in the tableau, SciPy's DOP853 near rounding,
dopri5, and differences of the rates.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp
from compiler import needs_compiler
from known_motions import ALL, ALL_TARGETS, compiled, slider
from sizes import covered

import mstmm
from mstmm import Event, Table
from mstmm.codegen.tableaus import RADAU_IIA, Surd
from mstmm.errors import NumericsError, UsageError
from mstmm.model.files.toml import from_text
from mstmm.runtime.motions import scipy_methods
from mstmm.runtime.motions.integration import Task, integrate
from mstmm.runtime.motions.problem import Problem
from mstmm.runtime.motions.schedule import schedule
from mstmm.runtime.stepping.outcomes import DONE, NOT_FINITE

TREES = ["double-pendulum", "ball-chain:n=2", "spatial-tree"]


@cache
def exact(name: str, t_end: float, record: float) -> Any:
    run = compiled(name).simulate(
        t_end=t_end, method="DOP853", record=record, rtol=1e-13, atol=1e-13
    )
    return run.q, run.v


def counted(solver: Any, **asked: Any) -> tuple[Any, int]:
    """A motion, and its steps: an event function that never vanishes counts them."""
    calls: list[float] = []
    run = solver.simulate(
        **{"method": "radau5", **asked}, events=[Event(lambda t, q, v: calls.append(t) or 1.0)]
    )
    return run, len(calls) - 1


# The tableau


def number(x: Surd) -> sp.Expr:
    return sp.Rational(x.whole) + sp.Rational(x.part) * sp.sqrt(6)


def test_the_tableau_is_radau_iia_exactly() -> None:
    """B(5) and C(3) with c₃ = 1 make it Radau IIA, of order 5 (Hairer and Wanner, IV.5)."""
    inverse = sp.Matrix([[number(x) for x in row] for row in RADAU_IIA.inverse])
    c = sp.Matrix([number(x) for x in RADAU_IIA.c])
    b = sp.Matrix([[16 - sp.sqrt(6), 16 + sp.sqrt(6), 4]]) / 36
    assert (b * inverse).applyfunc(sp.expand) == sp.Matrix([[0, 0, 1]])
    assert c[2] == 1

    def power(k: int) -> sp.Matrix:
        return c.applyfunc(lambda x: x**k)

    for k in (1, 2, 3):
        assert (inverse * power(k) / k - power(k - 1)).applyfunc(sp.expand) == sp.zeros(3, 1)
    seen = [sp.expand((b * power(k - 1))[0]) for k in range(1, 7)]
    assert seen[:5] == [sp.Rational(1, k) for k in range(1, 6)]
    assert seen[5] != sp.Rational(1, 6)


def test_the_transform_parts_the_real_eigenvalue_from_the_pair() -> None:
    with mpmath.workdps(40):
        inverse = mpmath.matrix(
            [[mpmath.mpf(str(sp.N(number(x), 40))) for x in row] for row in RADAU_IIA.inverse]
        )
        T, back = (
            mpmath.matrix([list(row) for row in x]) for x in (RADAU_IIA.transform, RADAU_IIA.back)
        )
        real, re, im = RADAU_IIA.eigenvalues
        blocks = mpmath.matrix([[real, 0, 0], [0, re, -im], [0, im, re]])
        assert mpmath.mnorm(back * T - mpmath.eye(3)) < 4e-15
        assert mpmath.mnorm(back * inverse * T - blocks) < 2e-14


def test_the_error_is_of_order_three() -> None:
    """Σ e_i c_i^k, and the first rate: it sees no polynomial up to degree 3."""
    c, e = [number(x) for x in RADAU_IIA.c], [number(x) for x in RADAU_IIA.error]
    seen = [sp.simplify(sum(x * y**k for x, y in zip(e, c, strict=True))) for k in (1, 2, 3, 4)]
    assert seen[:3] == [-1, 0, 0]
    assert seen[3] != 0


# Orders


@covered(1, name=["double-pendulum", "fourbar.toml"], target=ALL_TARGETS)
def test_it_is_of_order_five_in_the_number_of_its_steps(name: str, target: str) -> None:
    solver, t_end = compiled(name, target), 0.5
    q, _ = exact(name, t_end, t_end)
    taken, errors = [], []
    for tolerance in (1e-6, 1e-9):
        run, steps = counted(solver, t_end=t_end, record=t_end, rtol=tolerance, atol=tolerance)
        taken.append(steps)
        errors.append(np.abs(run.q[-1] - q[-1]).max())
    slope = np.log(errors[0] / errors[1]) / np.log(taken[1] / taken[0])
    assert 4.3 < slope < 7.0


@pytest.mark.parametrize(
    ("name", "target"),
    [("double-pendulum", "numpy"), ("ball-chain:n=2", "numpy")]
    + [pytest.param(name, "c", marks=needs_compiler) for name in TREES],
)
def test_records_between_steps_are_as_good_as_steps(name: str, target: str) -> None:
    """Records far denser than steps; the steps do not move with the records."""
    solver = compiled(name, target)
    q, v = exact(name, 0.25, 1e-3)
    asked = {"t_end": 0.25, "rtol": 1e-8, "atol": 1e-8}
    fine, steps = counted(solver, record=1e-3, **asked)
    coarse, again = counted(solver, record=0.25, **asked)
    assert steps == again
    assert (fine.q[-1] == coarse.q[-1]).all()
    assert np.abs(fine.q - q).max() < 1e-7
    assert np.abs(fine.v - v).max() < 2e-6


# Stiff motion


@ALL
def test_what_is_stiff_costs_no_more_steps(target: str) -> None:
    """x″ = −k (x − cos t) − 2√k x′ goes on x = cos t + O(1/√k), whatever k."""
    taken = []
    for k in (1e4, 1e10):
        d = 2 * k**0.5
        solver = slider(f"2*(-{k}*(q1 - cos(t)) - {d}*(u1 + sin(t)) - cos(t))", target)
        run, steps = counted(
            solver, q0=[1.0], v0=[0.0], t_end=3.0, record=0.1, rtol=1e-7, atol=1e-9
        )
        taken.append(steps)
        assert np.abs(run.q[:, 0] - np.cos(run.time)).max() < 1e-6
    assert taken[1] < 2 * taken[0] < 120
    explicit = slider("2*(-1e10*(q1 - cos(t)) - 2e5*(u1 + sin(t)) - cos(t))", target)
    with pytest.raises(NumericsError, match=r"steps of dopri5 are so short .* \(take radau5\)"):
        explicit.simulate(q0=[1.0], v0=[0.0], t_end=3e4, record=3e4, method="dopri5")


@ALL
def test_it_is_stable_in_the_limit(target: str) -> None:
    """A speed that goes in 1e-12 s is gone after one step: R(∞) = 0. x′ = −x / 1e12 after it."""
    run = slider("-2e12*u1 - 2*q1", target).simulate(
        v0=[1.0], t_end=10.0, method="radau5", record=1.0
    )
    assert run.q[-1, 0] == pytest.approx(1.0, abs=1e-9)
    assert np.abs(run.v[1:]).max() < 1e-9


FREE = """
name = "free"
dimension = 3
gravity = [0, 0, -9.81]
[bodies.hub]
mass = 2
inertia = [0.1, 0.2, 0.25, 0, 0, 0]
[bodies.hub.points.c]
[bodies.hub.points.arm]
position = [0.3, 0, 0]
[bodies.bob]
mass = 1
inertia = [0.01, 0.02, 0.025, 0, 0, 0]
centre = [0.2, 0.1, 0]
[bodies.bob.points.a]
[hinges.fly]
kind = "free"
parent = "ground"
child = "hub:c"
[hinges.joint]
kind = "revolute"
parent = "hub:arm"
child = "bob:a"
spring = { stiffness = 1e4 }
damper = { damping = 1e3 }
"""


def test_a_tumbling_body_with_a_stiff_joint_is_as_cheap() -> None:
    """Its place is in inertial axes, its speeds in its own; dopri5 takes 2,470 steps."""
    solver = mstmm.compile(from_text(FREE), target="numpy")
    v0 = [1.0, 2.0, 3.0, 4.0, -5.0, 6.0, 0.0]
    asked = {"v0": v0, "t_end": 0.3, "rtol": 1e-7, "atol": 1e-7, "record": 0.1}
    run, steps = counted(solver, **asked)
    judge = solver.simulate(method="dopri5", **asked)
    assert np.abs(run.q - judge.q).max() < 1e-7
    assert steps < 90


def test_the_remedy_for_the_implicit_method_is_another() -> None:
    solver = slider("-2/q1**2")
    with pytest.raises(NumericsError, match=r"radau5 finds no step .* t = 1\.1107.* take Radau"):
        solver.simulate(t_end=2.0, method="radau5")


# Events, inputs, loops, going on


@ALL
def test_events_come_at_their_times(target: str) -> None:
    """x = 2 − cos t: x = 2 at odd quarters of a turn, and v = 0 at halves, which ends it."""
    solver = slider("2*cos(t)", target)
    run = solver.simulate(
        t_end=10.0,
        method="radau5",
        rtol=1e-10,
        atol=1e-10,
        events=[Event("qm - 2"), Event("um", direction=-1, terminal=True)],
    )
    assert [x.time for x in run.events] == pytest.approx([np.pi / 2, np.pi], abs=1e-8)
    assert run.time[-1] == run.events[-1].time


@ALL
def test_inputs_are_held_and_followed(target: str) -> None:
    """A force by a table over time and one of the state, against dopri5."""
    model = mstmm.load("cart-pole")
    solver = mstmm.compile(model, target=target)
    name = model.inputs[0].name
    for law in (
        Table([0.0, 0.3, 0.31, 1.0], [0.0, 5.0, -3.0, 0.0]),
        mstmm.Sampled("-3*qcart", 0.05) if "qcart" in solver.coordinates else 1.0,
    ):
        ends = [
            solver.simulate(t_end=1.0, inputs={name: law}, method=method, rtol=1e-9, atol=1e-9).q
            for method in ("radau5", "dopri5")
        ]
        assert np.abs(ends[0] - ends[1]).max() < 1e-6


@ALL
def test_loops_stay_closed(target: str) -> None:
    solver = compiled("fourbar.toml", target)
    run = solver.simulate(t_end=0.2, record=0.01, method="radau5")
    q, _ = exact("fourbar.toml", 0.2, 0.01)
    assert run.constraint_position is not None
    assert run.constraint_velocity is not None
    assert run.constraint_position.max() < 1e-11
    assert run.constraint_velocity.max() < 1e-9
    assert np.abs(run.q - q).max() < 1e-6


# Batches


@needs_compiler
@pytest.mark.parametrize("name", ["double-pendulum", "ball-chain:n=2"])
def test_a_batch_equals_its_members_whatever_their_neighbours(name: str) -> None:
    batch, plain = compiled(name, "c-batch"), compiled(name, "c")
    count = batch.backend.width + 2
    q = np.tile(plain.model.q0, (count, 1))
    v = np.random.default_rng(5).standard_normal((count, len(plain.speeds)))
    v *= np.arange(count)[:, np.newaxis]
    plan = schedule(0.2, None, 0.02, fixed=False)
    wide, single = (
        Task("radau5", plan, 1e-7, 1e-7, derivatives=x.tangents) for x in (batch, plain)
    )
    tracks = integrate(batch.backend, wide, {"q": q, "v": v})
    for k, track in enumerate(tracks):
        (one,) = integrate(plain.backend, single, {"q": q[k : k + 1], "v": v[k : k + 1]})
        assert track.state == one.state == DONE
        assert np.abs(track.q - one.q).max() < 1e-9
        (alone,) = integrate(batch.backend, wide, {"q": q[k : k + 1], "v": v[k : k + 1]})
        assert (track.q == alone.q).all()


@needs_compiler
def test_a_lane_that_fails_leaves_the_others_alone() -> None:
    batch = compiled("double-pendulum", "c-batch")
    q, v = np.tile(batch.model.q0, (3, 1)), np.array([[0.0, 0.0], [1e170, 0.0], [0.1, 0.0]])
    plan = schedule(0.1, None, 0.1, fixed=False)
    task = Task("radau5", plan, 1e-9, 1e-9, derivatives=batch.tangents)
    tracks = integrate(batch.backend, task, {"q": q, "v": v})
    assert [track.state for track in tracks] == [DONE, NOT_FINITE, DONE]
    (alone,) = integrate(batch.backend, task, {"q": q[2:], "v": v[2:]})
    assert (tracks[2].q == alone.q).all()


@needs_compiler
@pytest.mark.parametrize("method", ["radau5", "Radau"])
def test_a_chain_in_segments_takes_derivatives_of_target_c(method: str) -> None:
    solver = mstmm.compile("rod-chain:n=24", target="c-lanes")
    asked = {"t_end": 0.1, "rtol": 1e-8, "atol": 1e-8, "record": 0.1}
    runs = [solver.simulate(method=x, **asked) for x in (method, "dopri5")]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-7


# What it cannot do


def test_it_refuses_momenta() -> None:
    hdca = mstmm.compile("double-pendulum", algorithm="hdca", target="numpy")
    with pytest.raises(UsageError, match=r"radau5 moves speeds, of which .* has none; take Radau"):
        hdca.simulate(t_end=0.1, method="radau5")


# SciPy's methods


@covered(1, name=[*TREES, "fourbar.toml"], target=ALL_TARGETS)
def test_the_derivatives_of_the_rates_are_those_of_differences(name: str, target: str) -> None:
    solver = compiled(name, target)
    problem = Problem(solver, solver.parameter_values(None))
    draw = np.random.default_rng(0)
    q = problem.unit(0.3 * draw.standard_normal((1, len(solver.coordinates))))
    v = draw.standard_normal((1, len(solver.speeds)))
    found = problem.differentiated(problem.buffers(q, v, np.zeros(1)))("")
    y, h = np.concatenate([q[0], v[0]]), 1e-5
    columns = [
        (solver.rhs(0.0, y + h * e) - solver.rhs(0.0, y - h * e)) / (2 * h) for e in np.eye(len(y))
    ]
    assert np.abs(found - np.transpose(columns)).max() < 1e-5 * max(1.0, np.abs(found).max())


@pytest.mark.parametrize("method", scipy_methods.SCIPY_IMPLICIT)
def test_methods_of_scipy_take_the_derivatives(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A moderately stiff slider: fewer evaluations of the rates, and the same motion."""
    solver, runs, calls = slider("-2e5*u1 - 2*q1"), [], []
    count = scipy_methods.Rates.__call__

    def counting(self: Any, t: float, state: Any) -> Any:
        calls[-1] += 1
        return count(self, t, state)

    monkeypatch.setattr(scipy_methods.Rates, "__call__", counting)
    for has in (True, False):
        calls.append(0)
        if not has:
            monkeypatch.setattr(scipy_methods.Rates, "has_jacobian", lambda self: False)
        runs.append(solver.simulate(v0=[1.0], t_end=10.0, method=method, record=1.0))
    assert calls[0] < calls[1]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-6

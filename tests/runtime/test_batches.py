"""Batches in `simulate`: each sample as if alone, those that fail by name."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from compiler import needs_compiler
from known_motions import ALL, compiled, slider

import mstmm
from mstmm import Event, Sampled
from mstmm.errors import NumericsError, UsageError

STEPS: dict[str, dict[str, Any]] = {
    "rk4": {"dt": 5e-3},
    "dopri5": {"rtol": 1e-7, "atol": 1e-7},
    "radau5": {"rtol": 1e-7, "atol": 1e-7},
}


@ALL
@pytest.mark.parametrize("method", STEPS)
def test_a_batch_of_starts_is_its_members(method: str, target: str) -> None:
    """More samples than lanes; lanes round as vectors do."""
    solver = compiled("double-pendulum", target)
    v0 = np.random.default_rng(1).standard_normal((9, 2))
    asked = {"t_end": 0.2, "record": 0.05, "method": method, **STEPS[method]}
    runs = solver.simulate(v0=v0, **asked)
    assert len(runs) == 9
    assert not runs.failed
    for k, run in enumerate(runs):
        alone = solver.simulate(v0=v0[k], **asked)
        assert (run.time == alone.time).all()
        assert np.abs(run.q - alone.q).max() < 1e-9
        assert np.abs(run.loads - alone.loads).max() < 1e-6
    assert runs.data["q"].dims == ("sample", "time", "coordinate")
    assert (runs.data["q"].sel(sample=3).values == runs[3].q).all()
    assert runs[-1].q is runs.runs[8].q
    assert runs[2].resume(0.3).time[-1] == 0.3


@ALL
def test_a_batch_of_parameters_is_its_members(target: str) -> None:
    """With events too, which know one set of parameters each."""
    solver = mstmm.compile("double-pendulum", target=target, parameters=["g"])
    g = np.array([1.0, 3.7, 9.81])
    for events in ([], [Event("q1")]):
        runs = solver.simulate(t_end=0.5, dt=5e-3, record=0.1, parameters={"g": g}, events=events)
        for k, run in enumerate(runs):
            alone = solver.simulate(
                t_end=0.5, dt=5e-3, record=0.1, parameters={"g": g[k]}, events=events
            )
            assert np.abs(run.q - alone.q).max() < 1e-10
            assert np.abs(run.energy - alone.energy).max() < 1e-9
            assert len(run.events) == len(alone.events)
            assert run.attrs["g"] == g[k]
        assert (runs.data["g"].values == g).all()
        assert "g" not in runs.data.attrs


class Integral:
    """A controller with a memory."""

    def __init__(self) -> None:
        self.sum = 0.0

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> float:
        self.sum += 0.01 * q[1]
        return float(-(60.0 * q[1] + 400.0 * self.sum + 8.0 * v[1]))

    def method(self, t: float, q: np.ndarray, v: np.ndarray) -> float:
        return self(t, q, v)


@ALL
@pytest.mark.parametrize("how", ["object", "method", "bare"])
def test_each_motion_of_a_batch_has_a_controller_of_its_own(target: str, how: str) -> None:
    """What one remembers, no other one knows; the caller's object is as it was."""
    solver = compiled("cart-pole", target)
    asked: dict[str, Any] = {"t_end": 0.05, "dt": 5e-3}

    def law(of: Integral) -> Any:
        return {"u": of if how == "bare" else Sampled(of if how == "object" else of.method, 0.01)}

    mine = Integral()
    starts = [[0.0, 0.05], [0.0, -0.1], [0.0, 0.2]]
    runs = solver.simulate(starts, inputs=law(mine), **asked)
    assert mine.sum == 0.0
    for start, run in zip(starts, runs, strict=True):
        alone = solver.simulate(start, inputs=law(Integral()), **asked)
        assert np.abs(run.q - alone.q).max() < 1e-12
        assert np.abs(run.inputs - alone.inputs).max() < 1e-9
    one = solver.simulate(starts[0], inputs=law(mine), **asked)
    assert mine.sum != 0.0
    assert one.q == pytest.approx(runs[0].q, abs=1e-12)
    if how != "bare":
        fresh = solver.simulate(starts[1], inputs=law(Integral()), **asked).resume(0.1)
        assert np.abs(runs[1].resume(0.1).q - fresh.q).max() < 1e-12


def test_a_controller_that_cannot_be_copied_is_named() -> None:
    class Locked(Integral):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

    with pytest.raises(UsageError, match=r"input u: each motion .* cannot be copied: .*lock"):
        compiled("cart-pole", "numpy").simulate(
            [[0.0, 0.1]] * 2, t_end=0.01, inputs={"u": Sampled(Locked(), 0.01)}
        )


@ALL
def test_a_sample_that_fails_is_named_and_the_others_go_on(target: str) -> None:
    """x″ = −1/x² from rest falls into the centre at π/√8 s, from further away later."""
    solver = slider("-2/q1**2", target)
    runs = solver.simulate([[2.0], [1.0], [3.0]], t_end=1.5, method="dopri5", record=0.5)
    assert list(runs.failed) == [1]
    assert "dopri5 finds no step" in runs.failed[1]
    assert "1 failed" in repr(runs)
    with pytest.raises(NumericsError, match=r"sample 1: .* finds no step"):
        runs[1]
    alone = solver.simulate([3.0], t_end=1.5, method="dopri5", record=0.5)
    assert np.abs(runs[2].q - alone.q).max() < 1e-9
    assert np.isnan(runs.data["q"].values[1]).all()
    assert runs.data["failure"].values[1] == runs.failed[1]
    with pytest.raises(NumericsError, match="all 2 motions of the batch fail; the first"):
        solver.simulate([[1.0], [0.9]], t_end=1.5, method="dopri5")


@needs_compiler
@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_a_sample_whose_loops_cannot_be_closed_leaves_the_others_alone(target: str) -> None:
    """So fast that a step leads where no closed place is near; the other lanes are closed on."""
    solver = compiled("four-bar", target)
    v0 = np.outer([1.0, 300.0, 2.0], [1.0, -1.0, -1.0])
    starts = [solver.project(solver.model.q0, v)[1] for v in v0]
    runs = solver.simulate(v0=starts, t_end=0.1, dt=0.02)
    assert list(runs.failed) == [1]
    alone = solver.simulate(v0=starts[2], t_end=0.1, dt=0.02)
    assert np.abs(runs[2].q - alone.q).max() < 1e-9


def test_samples_that_stop_are_filled_up() -> None:
    """1 m/s and 2 m/s to the wall at 1.45 m, from 1 m."""
    stop = Event("qm - 1.45", terminal=True)
    runs = slider("0").simulate(v0=[[1.0], [2.0]], t_end=1.0, dt=0.01, record=0.1, events=[stop])
    assert runs.data["end_time"].values == pytest.approx([0.45, 0.225], abs=1e-9)
    there = np.isfinite(runs.data["q"].values[..., 0]).sum(axis=1)
    assert list(there) == [5, 3]


def test_samples_that_do_not_fit_are_refused() -> None:
    solver = slider("0")
    with pytest.raises(UsageError, match="q0 for 2, v0 for 3"):
        solver.simulate([[1.0]] * 2, [[1.0]] * 3, t_end=1.0)
    with pytest.raises(UsageError, match="q0 has no sample"):
        solver.simulate(np.empty((0, 1)), t_end=1.0)
    with pytest.raises(UsageError, match=r"motions with .* take mstmm.ensemble"):
        solver.simulate(np.ones((10**6, 1)), t_end=1.0)


def test_a_number_that_no_run_has_is_refused() -> None:
    runs = slider("0").simulate(v0=[[1.0], [2.0], [3.0]], t_end=0.01)
    for number in (3, -4):
        with pytest.raises(
            IndexError, match=rf"^there is no run {number}; there are 3, from 0 to 2"
        ) as refused:
            runs[number]
        assert isinstance(refused.value, UsageError)
    with pytest.raises(KeyError, match=r"runs have no 'q'; each run has it, runs\[0\].q"):
        runs["q"]


def test_the_sample_that_does_not_fit_is_named() -> None:
    """The batch is refused before it starts."""
    solver = mstmm.compile("double-pendulum", target="numpy", parameters=["g"])
    bad = [[0.0, 0.1], [0.0, 0.2], [0.3, np.nan]]
    with pytest.raises(UsageError, match=r"^sample 2: q\[1\], q2, is nan, no finite number"):
        solver.simulate(bad, t_end=0.01)
    with pytest.raises(UsageError, match=r"^sample 2: v\[1\], u2, is nan, no finite number"):
        solver.simulate(v0=bad, t_end=0.01)
    for k in (0, 1):
        g = [9.81, 9.81]
        g[k] = np.inf
        with pytest.raises(UsageError, match=rf"^sample {k}: parameter g is inf"):
            solver.simulate(t_end=0.01, parameters={"g": g})
    with pytest.raises(UsageError, match=r"^there is no input 'w'"):
        solver.simulate(bad[:2], t_end=0.01, inputs={"w": 1.0})


def test_methods_of_scipy_take_batches() -> None:
    runs = slider("2*cos(t)").simulate([[1.0], [2.0]], t_end=1.0, method="RK45", record=0.5)
    assert runs[1].q[:, 0] - runs[0].q[:, 0] == pytest.approx([1.0] * 3, abs=1e-6)

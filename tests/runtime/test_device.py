"""Target `cuda` as a solver: NumPy's arrays, arrays on a device, motions, and what is refused.

The processor stands in for the device, see `devices`; that its text gives the bits of target `c`
is tested beside the target.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiler import needs_compiler
from devices import Array, Processor, emulate, there

import mstmm
from mstmm.codegen.targets.cuda.compiling import Cubin, Kernel
from mstmm.errors import NumericsError, ToolchainError, UsageError
from mstmm.runtime.device import driver
from mstmm.runtime.solver import Solver

pytestmark = needs_compiler

#: What sums of a few products may differ by where one is rounded once and the other twice.
ROUNDED = 1e-13


@pytest.fixture(autouse=True)
def processor(monkeypatch: pytest.MonkeyPatch) -> Processor:
    return emulate(monkeypatch.setattr)


def _states(solver: Solver, count: int = 7) -> tuple[Any, ...]:
    draw = np.random.default_rng(3)
    q = np.tile(solver.model.q0, (count, 1))
    q += draw.uniform(-0.5, 0.5, q.shape) * (not solver.model.quaternions)
    return (q, *draw.uniform(-1.0, 1.0, (2, count, len(solver.speeds))))


def _in_rows(x: Any) -> Any:
    return there(x)


def _in_columns(x: Any) -> Any:
    return there(np.ascontiguousarray(x.T)).T


def test_it_is_proven_in_50_digits_and_an_error_is_named() -> None:
    solver = mstmm.compile("cart-pole", target="cuda")
    proof = mstmm.validate(solver, points=2)
    judged = {row.kernel for row in proof.rows}
    assert proof.ok
    assert {"whole program: accelerations", "one step of rk4", "one step of euler"} <= judged
    solver.backend.text = solver.backend.text.replace("step * sum[j]", "step * 1.001 * sum[j]")
    solver.backend._codes.clear()
    solver.backend._kernels.clear()
    proof = mstmm.validate(solver, points=2)
    assert not proof.ok
    assert "one step" in proof.worst


@pytest.mark.parametrize("lay", [_in_rows, _in_columns])
def test_arrays_on_the_device_stay_there_as_they_lie(
    processor: Processor, lay: Callable[[Any], Any]
) -> None:
    solver = mstmm.compile("double-pendulum", target="cuda")
    given = _states(solver)
    expected = mstmm.compile("double-pendulum").accelerations(*given)
    there_now = [lay(x) for x in given]
    found = solver.accelerations(*there_now)
    assert isinstance(found, Array)
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDED * np.abs(expected).max())
    assert found.flags.c_contiguous == there_now[0].flags.c_contiguous
    _, threads, launched, stream = processor.launched[-1]
    assert (threads, stream) == (32, 5)  # the caller's stream
    assert {x.ctypes.data for x in (*there_now, found)} <= set(launched)
    assert not solver.status.any()


def test_one_row_stands_for_all_states_and_what_is_left_out_is_zero() -> None:
    solver = mstmm.compile("double-pendulum", target="cuda")
    q, v, tau = _states(solver)
    assert np.array_equal(
        solver.accelerations(there(q), there(v[0]), there(tau[0])),
        solver.accelerations(q, v[0], tau[0]),
    )
    assert np.array_equal(solver.accelerations(there(q), there(v)), solver.accelerations(q, v))
    assert solver.poses(there(q[0])).shape == (2, 4, 4)


def test_run_time_parameters_are_those_of_all_or_of_each_state() -> None:
    solver = mstmm.compile("double-pendulum", target="cuda", parameters=("m1", "g"))
    q, v, _ = _states(solver, 3)
    rows = np.array([[1.0, 9.81], [2.0, 9.81], [1.0, 1.62]])
    apart = [
        solver.accelerations(x, y, parameters=dict(zip(("m1", "g"), row, strict=True)))
        for x, y, row in zip(q, v, rows, strict=True)
    ]
    assert np.array_equal(solver.accelerations(there(q), there(v), parameters=there(rows)), apart)
    of_all = solver.accelerations(there(q), there(v), parameters={"g": 1.62})
    assert np.array_equal(of_all, solver.accelerations(q, v, parameters={"g": 1.62}))


def test_nothing_is_checked_until_it_is_asked_for() -> None:
    solver = mstmm.compile("double-pendulum", target="cuda")
    q, v, _ = _states(solver)
    q[4] = np.nan
    solver.accelerations(there(q), there(v))
    assert solver.status.tolist() == [0, 0, 0, 0, 1, 0, 0]
    with pytest.raises(NumericsError, match="1 of 7 states have no finite result, the first is 4"):
        solver.check()
    with pytest.raises(UsageError, match=r"q\[4, 0\]"):  # NumPy's are checked as ever
        solver.accelerations(q, v)


REFUSED: dict[str, tuple[Callable[..., Any], str]] = {
    "NumPy's beside": (lambda s, q, v: s.accelerations(there(q), v), "v is no array on the device"),
    "kind": (
        lambda s, q, v: s.accelerations(there(q.astype("f4")), there(v)),
        'q is of float32, and this solver computes in float64: .*real="float"',
    ),
    "shape": (lambda s, q, v: s.accelerations(there(q[:, :1]), there(v)), r"shape \(7, 1\)"),
    "states": (lambda s, q, v: s.accelerations(there(q[:3]), there(v)), "7 states, others of 3"),
    "wrenches": (
        lambda s, q, v: s.accelerations(there(q), there(v), wrenches=np.zeros((2, 6))),
        "has no wrenches",
    ),
    "frame": (
        lambda s, q, v: s.joint_loads(there(q), there(v), frame="body"),
        "the code's own axes",
    ),
    "adaptive": (
        lambda s, q, v: s.simulate(q, v, t_end=1.0, method="dopri5"),
        "there is no dopri5",
    ),
    "events": (
        lambda s, q, v: s.simulate(q, v, t_end=1.0, events=[mstmm.Event("q1")]),
        "has no events",
    ),
    "law": (lambda s, q, v: s.simulate(q, v, t_end=1.0, inputs={"u1": "t"}), "Feedback of efforts"),
}


@pytest.mark.parametrize("which", REFUSED)
def test_what_it_does_not_do_is_refused_by_name(which: str) -> None:
    call, said = REFUSED[which]
    solver = mstmm.compile("double-pendulum", target="cuda")
    q, v, _ = _states(solver)
    with pytest.raises(UsageError, match=said):
        call(solver, q, v)


def test_loops_are_evaluated_and_not_moved() -> None:
    solver, plain = mstmm.compile("four-bar", target="cuda"), mstmm.compile("four-bar")
    q, v = plain.project(plain.model.q0, plain.model.v0)
    expected = plain.accelerations(q, v)
    assert solver.accelerations(q, v) == pytest.approx(expected, rel=1e-11)
    with pytest.raises(UsageError, match="closes its loops after every step, which no kernel does"):
        solver.simulate(q, v, t_end=0.1)


def test_without_a_device_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise OSError(name)

    monkeypatch.undo()
    monkeypatch.setattr(ctypes, "CDLL", missing)
    with pytest.raises(ToolchainError, match=r'graphics processor by NVIDIA[^"]*"c-batch"'):
        driver.Driver(0)


def test_what_does_not_fit_a_thread_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Cubin(b"", "", (Kernel("m_large", 255, 20_000, 0), Kernel("m_small", 100, 8_000, 0)))
    monkeypatch.setattr("mstmm.codegen.targets.cuda.compiling.cubin", lambda *_: made)
    monkeypatch.setattr(driver.Driver, "_do", lambda *_: None)
    monkeypatch.setattr(driver.Driver, "_enter", lambda _: None)
    card = object.__new__(driver.Driver)
    card.architecture, card._functions, card._large = "sm_90", {}, {}
    code = card.load("")
    card.launch(driver.Kernel(code, "m_small_device", "q"), 32, [1])
    with pytest.raises(UsageError, match=r"m_large_device: a state takes 20000 bytes .* c-batch"):
        card.launch(driver.Kernel(code, "m_large_device", "q"), 32, [1])


def test_single_precision_is_one_option() -> None:
    single = mstmm.compile("double-pendulum", target="cuda", real="float")
    q, v, tau = _states(single)
    expected = mstmm.compile("double-pendulum").accelerations(q, v, tau)
    found = single.accelerations(*(there(x.astype("f4")) for x in (q, v, tau)))
    assert found.dtype == np.float32
    # some ten operations of 6e-8 each, times what the arms' angle divides by
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()
    with pytest.raises(UsageError, match="target 'c' has no numbers 'float'"):
        mstmm.compile("double-pendulum", real="float")


# ---- Motions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["rk4", "rkmk4", "euler"])
@pytest.mark.parametrize("model", ["cart-pole", "ball-chain:n=2"])
def test_motions_are_those_of_integrators_written_in_python(model: str, method: str) -> None:
    solver, plain = mstmm.compile(model, target="cuda"), mstmm.compile(model, target="numpy")
    q, v, _ = _states(solver, 2)
    how = {"t_end": 0.0235, "dt": 2e-3, "record": 8e-3, "method": method}
    for found, expected in zip(
        solver.simulate(q, v, **how), plain.simulate(q, v, **how), strict=True
    ):
        assert np.array_equal(found.time, expected.time)
        np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=ROUNDED)
        np.testing.assert_allclose(found.v, expected.v, rtol=0, atol=100 * ROUNDED)
    motion = solver.simulate(there(q), there(v), **how)
    motion.check()
    np.testing.assert_allclose(motion.last[0][1], expected.q[-1], rtol=0, atol=ROUNDED)
    np.testing.assert_allclose(motion.q[1], expected.q, rtol=0, atol=ROUNDED)
    assert motion.time.tolist() == expected.time.tolist()


@pytest.mark.parametrize("sampled", [False, True])
def test_feedback_is_that_of_other_targets(sampled: bool) -> None:
    solver, plain = (mstmm.compile("double-pendulum", target=x) for x in ("cuda", "numpy"))
    gains = np.random.default_rng(1).uniform(0.0, 3.0, (2, 4))
    law: Any = mstmm.Feedback(gains, inputs=[0.3, -0.2])
    law = mstmm.Sampled(law, 1e-2) if sampled else law
    q, v, _ = _states(solver, 1)
    how = {"t_end": 0.1, "dt": 1e-2, "inputs": {("u1", "u2"): law}}
    found, expected = (x.simulate(q[0], v[0], **how) for x in (solver, plain))
    for name in ("q", "v", "inputs"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), atol=1e-12)


def test_each_state_has_forces_and_parameters_of_its_own() -> None:
    solver = mstmm.compile("double-pendulum", target="cuda", parameters=("m1",))
    q, v, tau = _states(solver, 3)
    masses = np.array([[1.0], [2.0], [3.0]])
    motion = solver.simulate(
        there(q), there(v), t_end=0.1, dt=1e-2, inputs=there(tau), parameters=there(masses)
    )
    for k in range(3):
        given = {"inputs": {("u1", "u2"): tau[k]}, "parameters": {"m1": float(masses[k, 0])}}
        alone = solver.simulate(q[k], v[k], t_end=0.1, dt=1e-2, **given)
        assert np.array_equal(motion.last[0][k], alone.q[-1])
    assert motion.steps.tolist() == [10, 10, 10]


def test_a_state_that_turns_bad_stays_and_says_what_its_gains_are() -> None:
    solver = mstmm.compile("double-pendulum", target="cuda")
    q, v, _ = _states(solver, 2)
    M = np.linalg.inv(solver.derivatives(q[0], v[0]).dtau)
    K = 500.0 * np.hstack([np.zeros((2, 2)), M])  # h K/M = 5 at the first start
    how = {"t_end": 100.0, "dt": 1e-2, "inputs": {("u1", "u2"): mstmm.Feedback(K)}}
    motion = solver.simulate(there(q), there(v), **how)
    assert motion.status.tolist() == [1, 1]
    assert (motion.steps < 10000).all()
    assert np.isfinite(motion.last[0]).all()
    with pytest.raises(NumericsError, match=r"2 of 2 states .* h·K/M = 5 at its start"):
        motion.check()
    with pytest.raises(NumericsError, match=r"h·K/M = 5 at its start"):
        solver.simulate(q[0], v[0], **how)


def test_ensembles_take_the_device(tmp_path: Path, processor: Processor) -> None:
    pytest.importorskip("zarr", reason="needs the extra ensemble")
    samples = {"q1": np.linspace(-1.0, 1.0, 5), "m1": np.linspace(0.5, 2.0, 5)}
    made = {
        target: mstmm.ensemble(
            "double-pendulum",
            samples,
            to=tmp_path / target,
            t_end=0.1,
            dt=1e-2,
            outputs={"q2": "q2", "energy": "energy"},
            target=target,
        ).data
        for target in ("cuda", "numpy")
    }
    assert any("rollout_rk4" in name for name, *_ in processor.launched)
    for name in ("q2", "energy", "status", "end_time"):
        found, expected = (made[x][name].values for x in ("cuda", "numpy"))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_few_states_are_spread_over_the_device(processor: Processor) -> None:
    solver = mstmm.compile("cart-pole", target="cuda")
    for states, threads in ((32, 32), (132 * 64 + 1, 64), (132 * 512 + 1, 128)):
        q, v = np.zeros((2, states, 2))
        solver.accelerations(there(q), there(v))
        assert processor.launched[-1][1] == threads

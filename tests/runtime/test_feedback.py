"""Feedback that follows references within limits, and inputs within a model's limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mstmm
from mstmm.model import Limits

K = [[30.0, -120.0, 12.0, -20.0]]


def pole() -> mstmm.Model:
    """A pole on a cart whose force is limited, and the pole's effort too."""
    model = mstmm.load("cart-pole")
    hinges = [
        replace(h, limits=Limits(effort=(0.2,))) if h.name == "pole" else h for h in model.hinges
    ]
    force = replace(model.inputs[0], limits=(-3.0, 2.0))
    return replace(model, hinges=tuple(hinges), inputs=(force,))


def moved(solver: Any, law: Any, q: Any, v: Any, t_end: float) -> np.ndarray:
    """The end of the motion with u = law(t, q, v), by SciPy over accelerations."""

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        u = {"u": float(law(t, y[:2], y[2:]))}
        return np.concatenate([y[2:], solver.accelerations(y[:2], y[2:], parameters=u)])

    found = solve_ivp(rates, (0, t_end), [*q, *v], rtol=1e-10, atol=1e-10, max_step=0.002)
    return found.y[:, -1]


REFERENCES: dict[str, tuple[dict[str, Any], Any]] = {
    "expressions": (
        {"qcart": "0.1*sin(2*t)", "ucart": "0.2*cos(2*t)"},
        lambda t: [0.1 * np.sin(2 * t), 0, 0.2 * np.cos(2 * t), 0],
    ),
    "tables": (
        {
            "qcart": mstmm.Table([0, 0.25, 0.5], [0, 0.1, 0.1]),
            "qpole": mstmm.Table([0.1, 0.3], [0, 0.05]),
        },
        lambda t: [
            np.interp(t, [0, 0.25, 0.5], [0, 0.1, 0.1]),
            np.interp(t, [0.1, 0.3], [0, 0.05]),
            0,
            0,
        ],
    ),
    "steps": (
        {"qcart": mstmm.Table([0, 0.25], [0.02, 0.1], held=True)},
        lambda t: [0.02 if t < 0.25 else 0.1, 0, 0, 0],
    ),
    "constants": ({"qcart": 0.05, "upole": 0.1}, lambda t: [0.05, 0, 0, 0.1]),
}


@pytest.mark.parametrize("kind", REFERENCES)
@pytest.mark.parametrize("target", ["c", "numpy"])
def test_feedback_follows_its_reference_within_its_limits(kind: str, target: str) -> None:
    solver = mstmm.compile(pole(), target=target)
    reference, said = REFERENCES[kind]
    gains = -np.array(K[0])
    q, v, t_end = [0.0, 0.03], [0.0, 0.0], 0.5
    law = mstmm.Feedback([gains], reference=reference, limits=(-2.0, 1.5))
    run = solver.simulate(q, v, t_end=t_end, dt=1e-3 if target == "c" else 5e-3, inputs={"u": law})

    def u(t: float, q: np.ndarray, v: np.ndarray) -> float:
        return np.clip(-gains @ (np.concatenate([q, v]) - said(t)), -2.0, 1.5)

    end = np.concatenate([run.q[-1], run.v[-1]])
    assert end == pytest.approx(moved(solver, u, q, v, t_end), abs=3e-5)
    values = np.asarray(run.inputs)[:, 0]
    assert values.max() == 1.5 or values.min() == -2.0
    recorded = [u(*x) for x in zip(run.time, run.q, run.v, strict=True)]
    inside = np.abs(np.asarray(run.time) - 0.25) > 1e-9
    assert values[inside] == pytest.approx(np.array(recorded)[inside], abs=1e-12)


LIMITED = mstmm.Feedback(
    [[-30.0, 120.0, -12.0, 20.0]], reference={"qcart": "0.1*sin(2*t)"}, limits=(-2.0, 1.5)
)
START = [0.0, 0.03], [0.0, 0.0]


def end(run: Any) -> np.ndarray:
    return np.concatenate([run.q[-1], run.v[-1]])


@pytest.mark.parametrize("method", ["dopri5", "radau5", "Radau", "LSODA"])
def test_every_method_and_a_batch_take_references_and_limits(method: str) -> None:
    solver = mstmm.compile(pole(), target="c")
    about = {"t_end": 0.3, "inputs": {"u": LIMITED}}
    fine = solver.simulate(*START, dt=1e-4, **about)
    run = solver.simulate(*START, method=method, rtol=1e-8, atol=1e-9, **about)
    assert end(run) == pytest.approx(end(fine), abs=2e-6)
    if method == "dopri5":
        starts = np.array([START[0], [0.0, 0.01]])
        runs = mstmm.compile(pole(), target="c-batch").simulate(starts, START[1], dt=1e-4, **about)
        assert end(runs[0]) == pytest.approx(end(fine), abs=1e-12)


def test_a_motion_with_references_goes_on_and_is_saved(tmp_path: Any) -> None:
    """Also where a sampled law has them, and where the model's limits are kept."""
    solver = mstmm.compile(pole(), target="c")
    inputs = {"u": mstmm.Sampled(LIMITED, 0.01), "pole": "0.5*cos(9*t)"}
    run = solver.simulate(*START, t_end=0.2, inputs=inputs, within_limits=True)
    whole = solver.simulate(*START, t_end=0.4, inputs=inputs, within_limits=True)
    run.save(tmp_path / "run.nc")
    for part in (run, mstmm.load_run(tmp_path / "run.nc")):
        assert end(part.resume(0.4)) == pytest.approx(end(whole), abs=1e-12)


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_all_kinds_of_laws_are_kept_within_the_models_limits(target: str) -> None:
    """u from −3 to 2 N, the pole's effort to 0.2 N m; without the option nothing is."""
    solver = mstmm.compile(pole(), target=target)
    laws = {
        "number": 9.0,
        "expression": "9*cos(20*t)",
        "table": mstmm.Table([0.0, 0.05, 0.1], [-9.0, 9.0, 0.0]),
        "function": lambda t, q, v: 9 * np.cos(20 * t),
        "sampled": mstmm.Sampled(lambda t, q, v: -9.0 + 90 * t, 0.01),
    }
    for name, law in laws.items():
        free = solver.simulate(t_end=0.2, dt=0.01, inputs={"u": law, "pole": -5.0})
        kept = solver.simulate(
            t_end=0.2, dt=0.01, inputs={"u": law, "pole": -5.0}, within_limits=True
        )
        wanted = np.clip(np.asarray(free.inputs), [-3.0, -0.2], [2.0, 0.2])
        assert np.asarray(kept.inputs) == pytest.approx(wanted, abs=1e-12), name
    both = solver.simulate(
        t_end=0.1, dt=0.01, inputs={("u", "pole"): [9.0, -9.0]}, within_limits=True
    )
    assert np.asarray(both.inputs)[-1] == pytest.approx([2.0, -0.2])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"reference": {"qkart": 1.0}}, r"no coordinate and no speed 'qkart'.*did you mean qcart"),
        ({"reference": {"qcart": "sin(t", "ucart": 0.0}}, "no expression"),
        (
            {"reference": {"qcart": "sin(t)", "ucart": mstmm.Table([0.0], [1.0])}},
            "one of these ways",
        ),
        ({"reference": {"qcart": [1.0, 2.0]}}, "the reference of qcart has the shape"),
        ({"limits": 3.0}, r"limits have the shape \(\) instead of \(2,\)"),
        ({"limits": (2.0, -2.0)}, "the lower limit, 2, exceeds the upper, -2"),
        ({"limits": (np.nan, 2.0)}, "the lower limit, nan"),
    ],
)
def test_feedback_that_does_not_fit_is_refused(given: dict[str, Any], message: str) -> None:
    solver = mstmm.compile("cart-pole", target="numpy")
    with pytest.raises(mstmm.UsageError, match=message):
        solver.simulate(t_end=0.01, inputs={"u": mstmm.Feedback(K, **given)})


def test_a_quaternion_has_no_reference_of_numbers() -> None:
    solver = mstmm.compile("ball-chain:n=1", target="numpy")
    name = solver.coordinates[0]
    law = mstmm.Feedback([[1.0] * 6], reference={name: 0.5})
    with pytest.raises(mstmm.UsageError, match="of a quaternion, which has no reference"):
        solver.simulate(t_end=0.01, inputs={solver.speeds[0]: law})


def test_an_ensemble_tells_references_and_limits_apart() -> None:
    from mstmm.exchange.ensemble.laws import described

    plain = mstmm.Feedback(K)
    laws = [plain, replace(plain, limits=(-1, 1)), replace(plain, reference={"qcart": "t"})]
    laws.append(replace(plain, reference={"qcart": "2*t"}))
    assert len({repr(described({"u": law})) for law in laws}) == 4


@pytest.mark.parametrize("given", [[1, 2], 3.0, {3: 1.0}, "sin(t)", np.zeros(4)], ids=str)
def test_a_reference_names_what_it_is_of(given: Any) -> None:
    said = r"^Feedback: reference = .* names no coordinate; write reference=\{coordinate: …\}"
    with pytest.raises(mstmm.UsageError, match=said):
        mstmm.Feedback(K, reference=given)

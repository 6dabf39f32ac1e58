"""One gate for states: what is open is refused wherever it is asked for, with the remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiler import TARGETS, needs_compiler

import mstmm
from mstmm.model import Mimic
from mstmm.runtime.evaluation.gate import TAKEN, _named

SLIDER_CRANK = str(Path(__file__).parents[1] / "data" / "cases" / "slidercrank.toml")

#: What the slider-crank does with the crank at 0.6 rad and 10 rad/s, its loop closed: by hand.
RIGHT = (-115.1957, 165.1243, -49.9286)

Ask = Callable[[Any, Any, Any], Any]

#: What tells of a state, by the algorithm of the solver that is asked.
ASKED: dict[str, dict[str, Ask]] = {
    "riccati": {
        "accelerations": lambda s, q, v: s.accelerations(q, v),
        "joint_loads": lambda s, q, v: s.joint_loads(q, v),
        "end_states": lambda s, q, v: s.end_states(q, v).loads,
        "energy": lambda s, q, v: s.energy(q, v),
        "derivatives": lambda s, q, v: s.derivatives(q, v).dq,
        "linearize": lambda s, q, v: s.linearize(q, v)[0],
        "minimal": lambda s, q, v: s.linearize(q, v, minimal=True)[0],
        "state_space": lambda s, q, v: s.state_space(q, v).A,
        "frame_velocities": lambda s, q, v: s.frame_velocities(q, v),
        "frame_jacobian_rate": lambda s, q, v: s.frame_jacobian_rate(q, v),
        "com_velocity": lambda s, q, v: s.com_velocity(q, v),
        "kinematics": lambda s, q, v: s.kinematics(q, v).twists,
    },
    "rnea-body": {"inverse_dynamics": lambda s, q, v: s.inverse_dynamics(q, v, np.zeros(3))},
    "dca": {"accelerations": lambda s, q, v: s.accelerations(q, v)},
    "overall": {"overall_equation": lambda s, q, v: s.overall_equation(q, v)[0]},
    "hdca": {"momenta": lambda s, q, v: s.momenta(q, v)},
    "inverse-rates": {
        "inverse_rates": lambda s, q, v: s.inverse_rates(q, v, *[np.zeros(3)] * 3).tau
    },
}

#: What tells of a place.
PLACES: dict[str, dict[str, Callable[[Any, Any], Any]]] = {
    "riccati": {
        "determinate": lambda s, q: s.determinate(q),
        "frame_jacobian": lambda s, q: s.frame_jacobian(q),
        "centre_of_mass": lambda s, q: s.centre_of_mass(q),
    },
    "rnea-body": {"mass_matrix": lambda s, q: s.mass_matrix(q)},
    "jacobians": {"geometric_jacobian": lambda s, q: s.geometric_jacobian(q)},
}


@cache
def solver(algorithm: str = "riccati", target: str = "numpy") -> Any:
    return mstmm.compile(SLIDER_CRANK, algorithm=algorithm, target=target)


@cache
def closed() -> tuple[np.ndarray, np.ndarray]:
    start = solver().assemble()
    return start.q, start.v


@pytest.mark.parametrize("target", TARGETS)
def test_an_open_start_is_refused_and_right_once_it_is_closed(target: str) -> None:
    of, model = solver(target=target), solver().model
    with pytest.raises(mstmm.OpenStateError, match=r"the loops are open: condition guide_1 by 0.2"):
        of.accelerations(np.array(model.q0), np.array(model.v0))
    start = of.assemble()
    assert of.accelerations(start.q, start.v) == pytest.approx(RIGHT, abs=5e-5)
    q, v = of.project(start.q + 1e-3, start.v)
    assert np.isfinite(of.accelerations(q, v)).all()


@pytest.mark.parametrize("algorithm", ["riccati", "rnea-body"])
def test_a_derivation_refuses_it_too(algorithm: str) -> None:
    derived, model = mstmm.derive(SLIDER_CRANK, algorithm=algorithm), solver().model
    for at in (derived.at, derived.overall.at):
        with pytest.raises(mstmm.OpenStateError, match="condition guide_1"):
            at(model.q0, model.v0)
    found = derived.overall.at(*closed())["accelerations"]
    assert np.ravel(found) == pytest.approx(RIGHT, abs=5e-5)


@pytest.mark.parametrize("algorithm", ASKED)
def test_whatever_tells_of_a_state_takes_closed_ones_alone(algorithm: str) -> None:
    of, (q, v) = solver(algorithm), closed()
    beside = np.array([0.3, 0.7, -0.4])
    for name, ask in ASKED[algorithm].items():
        assert np.isfinite(ask(of, q, v)).all(), name
        with pytest.raises(mstmm.OpenStateError, match="the loops are open"):
            ask(of, q + 1e-6 * beside, v)
        with pytest.raises(mstmm.OpenStateError, match="the speeds open the loops"):
            ask(of, q, v + 1e-6 * beside)
        # Below a billionth it is taken, as what rounding leaves of a motion.
        assert ask(of, q + 1e-11 * beside, v) == pytest.approx(ask(of, q, v), rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("algorithm", PLACES)
def test_whatever_tells_of_a_place_takes_closed_ones_alone(algorithm: str) -> None:
    of, (q, _) = solver(algorithm), closed()
    for name, ask in PLACES[algorithm].items():
        assert np.isfinite(ask(of, q)).all(), name
        with pytest.raises(mstmm.OpenStateError, match="the loops are open"):
            ask(of, q + np.array([1e-6, 0.0, 0.0]))


def test_where_an_open_place_is_and_what_closes_it_can_be_asked() -> None:
    of, model = solver(), solver().model
    gap, _ = of.constraints(model.q0, model.v0)
    assert np.abs(gap).max() > 0.1
    for found in (of.poses(model.q0), of.jacobian(model.q0), of.redundant(model.q0)):
        assert np.isfinite(found).all()
    of.see_closed("what is projected", *of.project(model.q0, model.v0))


@pytest.mark.parametrize("target", TARGETS)
def test_of_several_states_the_open_one_is_named(target: str) -> None:
    q, v = closed()
    states = np.tile(q, (2, 3, 1))
    states[1, 2, 0] += 1e-7
    with pytest.raises(
        mstmm.OpenStateError, match=r"open in state \[1, 2\]: .* is taken as closed"
    ):
        solver(target=target).accelerations(states, v)
    states[1, 2, 0] = q[0]
    assert solver(target=target).accelerations(states, v).shape == (2, 3, 3)


@needs_compiler
def test_the_door_asks_the_same_as_python() -> None:
    """On both sides of the limit; speeds too large for it are looked at in Python, and taken."""
    of, (q, v), still = solver(target="c"), closed(), np.zeros(3)
    of.accelerations(q, v)  # which finds out what is regular
    quick = of.quick("accelerations", ("q", "v", "tau", "t"), ("a",))
    passed = []
    for part in np.linspace(0.0, 6.0, 13):
        shifted = q + part * TAKEN * of.model.longest * np.array([0.0, 0.0, 1.0])
        met = (np.abs(of.constraints(shifted, still)[0]) <= of.gate.limits).all()
        assert (quick(shifted, still, None, 0.0, None) is not None) == met
        passed.append(met)
    assert len({*passed}) == 2
    fast = of.accelerations(*of.project(q, 1e6 * v))
    assert np.isfinite(fast).all()


def test_a_tree_has_no_gate() -> None:
    assert mstmm.compile("double-pendulum", target="numpy").gate is None


def test_couplings_are_conditions_too() -> None:
    model = mstmm.load("double-pendulum")
    first, second = model.hinges
    follows = replace(second, mimic=Mimic(first.name, 2, 0, own=True))
    coupled = replace(model, absolute=False, hinges=(first, follows), q0=(), v0=())
    of = mstmm.compile(coupled, target="numpy")
    with pytest.raises(mstmm.OpenStateError, match=r"the coupling of hinge .* by 0\.1"):
        of.accelerations([0.2, 0.5], [0.0, 0.0])
    with pytest.raises(mstmm.OpenStateError, match="the speeds open the loops: the coupling"):
        of.accelerations([0.2, 0.4], [1.0, 1.9])
    assert np.isfinite(of.accelerations([0.2, 0.4], [1.0, 2.0])).all()
    assert _named(coupled, second.name) == f"the coupling of hinge {second.name}"
    assert _named(coupled, "guide_2") == "condition guide_2"


@pytest.mark.parametrize("target", TARGETS)
def test_quaternions_are_brought_to_unit_length(target: str) -> None:
    """One 9e-7 too long was taken as it is, and its accelerations were 1e-6 off."""
    of = mstmm.compile("ball-chain:n=2", target=target)
    q = of.retracted(np.random.default_rng(2).normal(size=len(of.coordinates)))
    v = np.linspace(-1.0, 2.0, len(of.speeds))
    right = of.accelerations(q, v)
    for part in (1.0 + 9e-7, 1.0 - 9e-7):
        assert of.accelerations(part * q, v) == pytest.approx(right, rel=1e-13, abs=1e-12)
        assert of.energy(part * q, v) == pytest.approx(of.energy(q, v), rel=1e-13)
    at = mstmm.derive(of.model).at((1.0 + 9e-7) * q, v)["accelerations"]
    assert at == pytest.approx(right, rel=1e-12, abs=1e-12)
    with pytest.raises(mstmm.UsageError, match="has norm"):
        of.accelerations((1.0 + 2e-6) * q, v)


@pytest.mark.parametrize(
    "method", ["rk4", "dopri5", "radau5", "euler", "rkmk4", "Radau", "DOP853", "LSODA"]
)
def test_the_states_of_a_run_are_states(method: str) -> None:
    of = solver()
    bounds = {} if method in ("rk4", "euler", "rkmk4") else {"rtol": 1e-5, "atol": 1e-6}
    steps = {} if bounds else {"dt": 1e-3}
    run = of.simulate(t_end=0.05, method=method, record=0.007, **bounds, **steps)
    assert of.energy(run.q, run.v, t=run.time) == pytest.approx(run.energy, rel=1e-9)


def test_what_closes_states_is_held_to_the_same_gate() -> None:
    """Beside the folded position of a parallelogram too: its least singular value is 3e-8."""
    model = mstmm.load(str(Path(SLIDER_CRANK).with_name("folded_parallelogram.toml")))
    of = mstmm.compile(model, target="numpy")
    folded = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 3.1415925, 0.0, 0.0, 3.01776116e-7]
    q, v = of.project(folded, np.ones(len(of.speeds)))
    opening, rate = of.constraints(q, v)
    assert np.abs(opening).max() < 1e-12
    assert np.abs(rate).max() < 1e-12

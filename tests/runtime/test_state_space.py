"""Linear systems by names: judged by Lagrange's equations, differentiated in forty digits.

The cart-pole's are in SymPy (`cart_poles`); the slider-crank's are those of one coordinate, its
crank's angle, which closes the loop by itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy
from cart_poles import linear
from compiler import TARGET

import mstmm
from mstmm.errors import OpenStateError, UsageError
from mstmm.runtime.solver import Solver

DIGITS = 40


@cache
def solver(name: str = "cart-pole", algorithm: str = "riccati") -> Solver:
    return mstmm.compile(name, target=TARGET, algorithm=algorithm)


@pytest.mark.parametrize("algorithm", ["riccati", "articulated"])
@pytest.mark.parametrize(
    ("state", "force"),
    [((0.0, 0.0, 0.0, 0.0), 0.0), ((0.3, 0.7, 0.2, -0.5), 1.5), ((0.0, 3.1, 0.0, 4.0), -20.0)],
)
def test_cart_pole(algorithm: str, state: tuple[float, ...], force: float) -> None:
    """To rounding: 1e-13 of the largest entry."""
    A, B = linear(state, force)
    system = solver(algorithm=algorithm).state_space(state[:2], state[2:], at={"u": force})
    assert system.states == system.outputs == ("qcart", "qpole", "ucart", "upole")
    assert system.inputs == ("u",)
    assert np.abs(system.A - A).max() < 1e-13 * np.abs(A).max()
    assert np.abs(system.B - B).max() < 1e-13 * np.abs(B).max()
    assert np.array_equal(system.C, np.eye(4))
    assert not system.D.any()


def test_outputs_are_names_and_expressions() -> None:
    """The tip of the pole, in SymPy's own words, an acceleration and an effort."""
    q, v = [0.3, 0.7], [0.2, -0.5]
    A, B = linear((*q, *v), 0.0)
    outputs = ["ucart", "upole_dot", "qcart - l*sin(qpole)", "ucart - l*cos(qpole)*upole"]
    system = solver().state_space(q, v, inputs=["u", "pole"], outputs=outputs)
    s, c = np.sin(0.7), np.cos(0.7)
    expected = [
        [0, 0, 1, 0],
        A[3],
        [1, -0.6 * c, 0, 0],
        [0, 0.6 * s * -0.5, 1, -0.6 * c],
    ]
    assert np.abs(system.C - expected).max() < 1e-13
    assert system.D[1, 0] == pytest.approx(B[3, 0])
    torque = solver().accelerations(q, v, [0.0, 1.0]) - solver().accelerations(q, v)
    assert system.D[1, 1] == pytest.approx(torque[1])
    assert not system.D[[0, 2, 3]].any()
    A, B, C, D = system
    assert (A.shape, B.shape, C.shape, D.shape) == ((4, 4), (4, 2), (4, 4), (4, 2))


def slider_crank(phi: Any, rate: Any, torque: Any, push: Any) -> Any:
    """The crank's acceleration: L = m(φ) φ̇²/2 − V(φ), from the model's numbers."""
    p = {name: mpmath.mpf(x) for name, x in solver("slider-crank").model.parameters.items()}

    def tilt(x: Any) -> Any:
        return -mpmath.asin(p["r"] * mpmath.sin(x) / p["l"])

    def reach(x: Any) -> Any:
        return p["r"] * mpmath.cos(x) + p["l"] * mpmath.cos(tilt(x))

    def inertia(x: Any) -> Any:
        middle = (
            lambda y: p["r"] * mpmath.cos(y) + p["l"] / 2 * mpmath.cos(tilt(y)),
            lambda y: p["r"] * mpmath.sin(y) / 2,
        )
        rod = sum(mpmath.diff(f, x) ** 2 for f in middle) * p["m_rod"]
        rod += p["m_rod"] * p["l"] ** 2 / 12 * mpmath.diff(tilt, x) ** 2
        piston = p["m_piston"] * mpmath.diff(reach, x) ** 2
        return p["m_crank"] * p["r"] ** 2 / 3 + rod + piston

    def weight(x: Any) -> Any:
        return p["g"] * p["r"] * mpmath.sin(x) * (p["m_crank"] / 2 + p["m_rod"] / 2)

    force = torque + push * mpmath.diff(reach, phi) - mpmath.diff(weight, phi)
    return (force - mpmath.diff(inertia, phi) * rate**2 / 2) / inertia(phi)


@pytest.mark.parametrize("rate", [0.0, 7.0])
@pytest.mark.parametrize("algorithm", ["riccati", "dca"])
def test_slider_crank_in_its_crank_angle(rate: float, algorithm: str) -> None:
    """A closed loop at rest, and moving: 1e-9, what differences of the loops' rates can give."""
    code = solver("slider-crank", algorithm)
    q = np.array(code.model.q0)
    free = code.state_space(q, minimal=["qshaft"])
    speeds = free_motion(solver("slider-crank"), q) * rate
    system = code.state_space(
        q, speeds, inputs=["shaft", "guide"], at={"shaft": 0.2, "guide": -3.0}, minimal=["qshaft"]
    )
    assert free.states == system.states == ("qshaft", "ushaft")
    with mpmath.workdps(DIGITS):
        at = [mpmath.mpf(x) for x in (q[0], rate, 0.2, -3.0)]
        own = slider_crank(*at)
        slopes = [
            float(mpmath.diff(slider_crank, tuple(at), tuple(int(k == j) for j in range(4))))
            for k in range(4)
        ]
    assert code.accelerations(q, speeds, [0.2, 0, -3.0])[0] == pytest.approx(float(own), rel=1e-11)
    assert system.A[1] == pytest.approx(slopes[:2], rel=1e-9, abs=1e-9)
    assert system.B[1] == pytest.approx(slopes[2:], rel=1e-11)
    assert system.A[0] == pytest.approx([0, 1], abs=1e-15)


def free_motion(code: Solver, q: np.ndarray) -> np.ndarray:
    """The speeds of all hinges while the crank turns at 1 rad/s."""
    J = code.jacobian(q)
    rest = np.linalg.lstsq(J[:, 1:], -J[:, 0], rcond=None)[0]
    return np.array([1.0, *rest])


def test_any_independent_coordinates_tell_the_same() -> None:
    """Poles do not depend on which coordinate is chosen, nor does what the outputs see."""
    code = solver("four-bar")
    q = code.equilibrium().q
    systems = [
        code.state_space(q, minimal=x, inputs=["shaft"], outputs=["qright"])
        for x in (True, ["qshaft"], ["qleft"], ["qright"])
    ]
    first = systems[0]
    expected = first.C @ np.linalg.solve(1j * np.eye(2) - first.A, first.B)
    for system in systems:
        assert system.poles == pytest.approx(systems[0].poles, rel=1e-10)
        assert len(system.states) == 2
        through = system.C @ np.linalg.solve(1j * np.eye(2) - system.A, system.B)
        assert through == pytest.approx(expected, rel=1e-9)
    assert len(code.state_space(q, minimal=False).states) == 6


def test_quaternions_turn() -> None:
    """A spinning ball chain: as `linearize`, with names of turns; outputs see quaternions."""
    code = mstmm.compile("ball-chain:n=2", target=TARGET)
    q, v = np.array(code.model.q0), np.arange(1.0, 7.0)
    first = code.coordinates[1]
    system = code.state_space(q, v, outputs=[first])
    A, B = code.linearize(q, v)
    assert np.array_equal(system.A, A)
    assert np.array_equal(system.B, B)
    assert system.states[:3] == tuple(f"turn_{name}" for name in code.speeds[:3])
    for k in range(6):
        rates = code.rates(q, np.eye(6)[k])
        assert system.C[0, k] == pytest.approx(rates[1], abs=1e-14)


def test_gains_of_a_loop_balance_it() -> None:
    """LQR in one independent coordinate holds a four-bar where it would fall."""
    code = solver("four-bar")
    rest = code.equilibrium()
    system = code.state_space(rest.q, inputs=["shaft"])
    assert system.poles[0].real > 1
    K = system.B.T @ scipy.linalg.solve_continuous_are(system.A, system.B, np.eye(2), np.eye(1))
    aside = free_motion(code, rest.q) * 0.02
    start, _ = code.project(rest.q + aside, np.zeros(3))
    run = code.simulate(start, t_end=3.0, inputs={"shaft": system.feedback(K)})
    assert np.abs(run.q[-1] - rest.q).max() < 1e-3
    fallen = code.simulate(start, t_end=3.0)
    assert np.abs(fallen.q[-1] - rest.q).max() > 0.3


def test_other_packages_take_it() -> None:
    signal = pytest.importorskip("scipy.signal")
    control = pytest.importorskip("control", reason="python-control is not installed")
    system = solver().state_space([0, 0], [0, 0], outputs=["qcart"])
    assert isinstance(system.to_scipy(), signal.StateSpace)
    other = system.to_control()
    assert isinstance(other, control.StateSpace)
    assert other.state_labels == list(system.states)
    assert (system.controllable, system.observable) == (4, 4)
    assert np.array_equal(other.A, system.A)


def test_what_is_refused() -> None:
    def refused(match: str, **given: Any) -> None:
        with pytest.raises(UsageError, match=match):
            solver().state_space([0, 0], [0, 0], **given)

    refused("there is no input 'w'", inputs=["w"])
    refused("there is no input 'wu'", inputs="wu")
    refused("output 'theta': .*there is no 'theta'", outputs=["theta"])
    refused("output 'log.qcart.'", outputs=["log(qcart)"])
    refused("there is no place 'x'", minimal=["x"])
    refused("do not determine the place: 2 independent", minimal=["qcart"])
    with pytest.raises(OpenStateError, match=r"the loops are open: .* solver\.project"):
        solver("four-bar").state_space([0.1, 0.2, 0.3])
    with pytest.raises(UsageError, match="gains"):
        solver().state_space().feedback(np.eye(2))

"""Inputs along motions: what they may be, sampled controllers, records, resuming, refusals.

The judges are SciPy's integrators over Lagrange's equations of the same cart-pole, and impulses.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy
from cart_poles import dynamics, linear
from compiler import TARGET, TARGETS, needs_compiler
from urdf_text import joint, link, robot

import mstmm
from mstmm import CLaw, Feedback, Sampled, Table
from mstmm.codegen.proof.points import sample
from mstmm.codegen.toolchain import Compiler
from mstmm.errors import NumericsError, UsageError
from mstmm.model import Input
from mstmm.model.files.toml import from_text
from mstmm.runtime.solver import Solver

START = ([0.0, 0.2], [0.0, 0.0])
PERIOD = 0.01


@cache
def solver(target: str = TARGET, algorithm: str = "riccati") -> Solver:
    return mstmm.compile("cart-pole", target=target, algorithm=algorithm)


@cache
def gains() -> np.ndarray:
    """The LQR upright, by SciPy from Lagrange's equations."""
    A, B = linear((0.0, 0.0, 0.0, 0.0), 0.0)
    return B.T @ scipy.linalg.solve_continuous_are(
        A, B, np.diag([10.0, 100.0, 1.0, 1.0]), np.eye(1)
    )


def sampled_by_scipy(t_end: float, law: Callable[[float, np.ndarray], float]) -> np.ndarray:
    """The same loop by hand: the state and the force of every sample."""
    y, rows = np.array([*START[0], *START[1]]), []
    for k in range(round(t_end / PERIOD) + 1):
        u = law(k * PERIOD, y)
        rows.append([*y, u])
        held = scipy.integrate.solve_ivp(
            lambda t, y, u=u: dynamics()(y, u),
            (0, PERIOD),
            y,
            method="DOP853",
            rtol=1e-13,
            atol=1e-14,
        )
        y = held.y[:, -1]
    return np.array(rows)


@needs_compiler
@pytest.mark.parametrize(
    ("method", "settings"),
    [("rk4", {"dt": 1e-3}), ("dopri5", {"rtol": 1e-12, "atol": 1e-13}), ("rk4", {"dt": 7e-4})],
)
def test_cart_pole_under_sampled_lqr(
    monkeypatch: pytest.MonkeyPatch, method: str, settings: dict[str, float]
) -> None:
    """10 s at 100 Hz as the loop by hand to 1e-9: RK4 of 1 ms is off by 2e-11 there. Once there is
    the solver, nothing is compiled."""
    run_on = solver("c")
    expected = sampled_by_scipy(10.0, lambda t, y: float((-gains() @ y)[0]))

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a library is compiled")

    monkeypatch.setattr(Compiler, "compile", refuse)
    monkeypatch.setattr(Compiler, "compile_object", refuse)
    law = Sampled(Feedback(gains()), period=PERIOD)
    record = PERIOD if settings.get("dt") != 7e-4 else None
    run = run_on.simulate(
        *START, t_end=10.0, method=method, record=record, inputs={"u": law}, **settings
    )
    if record is None:
        assert np.abs(run.q[-1] - expected[-1, :2]).max() < 1e-9
        return
    assert np.abs(np.hstack([run.q, run.v]) - expected[:, :4]).max() < 1e-9
    assert np.abs(run.inputs - expected[:, 4:]).max() < 1e-7
    assert np.abs(run.q[-1]).max() < 1e-2


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", ["rk4", "dopri5", "DOP853"])
def test_one_law_in_every_guise(target: str, method: str) -> None:
    """Expression, gains, Python function and C function are one motion, held and not."""
    K = gains()[0]
    q, v = ("qcart", "qpole"), ("ucart", "upole")
    text = " - ".join(f"({k!r})*{x}" for k, x in zip(K.tolist(), (*q, *v), strict=True))
    double = ctypes.POINTER(ctypes.c_double)

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, double, double, double, ctypes.c_void_p)
    def law(t: float, q: Any, v: Any, u: Any, data: Any) -> int:
        u[0] = -(K[0] * q[0] + K[1] * q[1] + K[2] * v[0] + K[3] * v[1])
        return 0

    address = ctypes.cast(law, ctypes.c_void_p).value
    assert address
    guises = [
        f"-{text}",
        Feedback(gains()),
        lambda t, q, v: -K @ [*q, *v],
        CLaw(address, kept=law),
    ]
    tight = {} if method == "rk4" else {"rtol": 1e-11, "atol": 1e-12}
    for held in (lambda x: x, lambda x: Sampled(x, 0.03)):
        runs = [
            solver(target).simulate(
                *START, t_end=0.2, record=0.01, method=method, inputs={"u": held(x)}, **tight
            )
            for x in guises
        ]
        for run in runs:
            assert np.abs(run.q - runs[0].q).max() < 1e-12
            assert np.abs(run.inputs - runs[0].inputs).max() < 1e-10
    # The last are sampled: between two samples nothing changes.
    steps = np.diff(runs[0].inputs[:, 0]) != 0
    assert np.flatnonzero(steps).tolist() == [2, 5, 8, 11, 14, 17]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", ["rk4", "dopri5", "Radau"])
def test_tables(target: str, method: str) -> None:
    """Straight lines and steps between times that no step falls on: what they do is known.

    The pole hangs still if the force on the cart is 0 and the pole's weight is left out; so the
    judge is the impulse: (M + m) ẋ − m l/2 cos φ φ̇ changes by ∫u dt.
    """
    times, values = np.array([0.0123, 0.0507, 0.0871]), np.array([1.0, -2.0, 3.0])
    tight = {} if method == "rk4" else {"rtol": 1e-9, "atol": 1e-10}
    ends = np.array([0.02, 0.06, 0.1])
    for held in (False, True):
        run = solver(target).simulate(
            *START,
            t_end=0.1,
            record=0.02,
            method=method,
            inputs={"u": Table(times, values, held)},
            **tight,
        )
        momentum = 1.2 * run.v[:, 0] - 0.2 * 0.3 * np.cos(run.q[:, 1]) * run.v[:, 1]
        for end in ends:
            fine = np.unique(np.concatenate([np.linspace(0, end, 1001), times[times < end]]))
            if held:
                given = values[np.maximum(np.searchsorted(times, fine[:-1], side="right") - 1, 0)]
                impulse = float(given @ np.diff(fine))
            else:
                given = np.interp(fine, times, values)
                impulse = float((given[1:] + given[:-1]) @ np.diff(fine) / 2)
            found = momentum[round(end / 0.02)]
            assert found == pytest.approx(impulse, abs=1e-9)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "DOP853"])
def test_resuming_goes_on_with_what_is_held(method: str) -> None:
    """Every sample is taken once, also where runs meet between two samples and at one."""
    called: list[float] = []

    def law(t: float, q: np.ndarray, v: np.ndarray) -> float:
        called.append(t)
        return float((-gains() @ [*q, *v])[0])

    given: dict[str, Any] = {"method": method, "record": 0.01, "inputs": {"u": Sampled(law, 0.03)}}
    whole = solver().simulate(*START, t_end=0.12, **given)
    once = list(called)
    called.clear()
    part = solver().simulate(*START, t_end=0.04, **given).resume(0.09)
    last = part.resume(0.12)
    assert called == pytest.approx(once)
    assert len(once) == 5
    assert np.abs(last.q[-1] - whole.q[-1]).max() < 1e-8
    assert np.abs(last.inputs[-1] - whole.inputs[-1]).max() < 1e-6
    assert part.inputs[0] == pytest.approx(whole.inputs[4])


@needs_compiler
@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_law_is_called_once_for_each_sample_whatever_the_lanes(method: str) -> None:
    """Lanes of a vector that have no motion call nothing, alone and at the end of a batch."""
    called: list[float] = []

    def law(t: float, q: np.ndarray, v: np.ndarray) -> float:
        called.append(t)
        return float((-gains() @ [*q, *v])[0])

    given: dict[str, Any] = {"t_end": 0.1, "method": method, "record": 0.01}
    given["inputs"] = {"u": Sampled(law, 0.02)}
    run = solver("c-batch").simulate(*START, **given)
    assert called == pytest.approx([0.0, 0.02, 0.04, 0.06, 0.08, 0.1])
    alone = solver("c").simulate(*START, **given)
    assert np.abs(run.q - alone.q).max() < 1e-12
    called.clear()
    runs = solver("c-batch").simulate([START[0]] * 9, START[1], **given)
    assert len(called) == 9 * 6
    assert np.abs(runs[8].q - alone.q).max() < 1e-12


@pytest.mark.parametrize("target", TARGETS)
def test_efforts_of_hinges_are_inputs(target: str) -> None:
    """By the hinge's name, and a torque beside the model's own input."""
    run = solver(target).simulate(*START, t_end=0.1, inputs={"cart": "5*cos(7*t)"})
    same = solver(target).simulate(*START, t_end=0.1, inputs={"u": "5*cos(7*t)"})
    assert np.abs(run.q - same.q).max() < 1e-14
    assert run.input_names == ("u", "cart")
    assert run["inputs"].member_units == ("N", "N")
    both = solver(target).simulate(*START, t_end=0.1, inputs={("u", "upole"): ["-t", "0.3"]})
    y = scipy.integrate.solve_ivp(
        lambda t, y: solver(target).rhs(t, y, parameters={"u": -t}) + _torque(target, y, 0.3),
        (0, 0.1),
        [*START[0], *START[1]],
        rtol=1e-11,
        atol=1e-12,
    ).y[:, -1]
    assert np.abs(both.q[-1] - y[:2]).max() < 1e-10


def _torque(target: str, y: np.ndarray, torque: float) -> np.ndarray:
    """What a torque on the pole adds to the accelerations."""
    q, v = y[:2], y[2:]
    more = solver(target).accelerations(q, v, [0.0, torque]) - solver(target).accelerations(q, v)
    return np.concatenate([np.zeros(2), more])


@pytest.mark.parametrize("target", TARGETS)
def test_controllers_are_told_the_speeds_of_momenta(target: str) -> None:
    """hdca, whose state are momenta, moves as riccati does, in a closed loop."""
    model = mstmm.load("hdca-case-1")
    for law in ("0.3*cos(5*t) - 0.2*u1", Sampled("0.3*cos(5*t) - 0.2*u1", 0.02)):
        runs = [
            mstmm.compile(model, target=target, algorithm=algorithm).simulate(
                t_end=0.1, record=0.01, inputs={"1": law}
            )
            for algorithm in ("riccati", "hdca")
        ]
        assert np.abs(runs[0].q - runs[1].q).max() < 1e-12
        assert np.abs(runs[0].inputs - runs[1].inputs).max() < 1e-12


def test_lanes_take_inputs_too() -> None:
    """The targets move alike; c-batch has its states side by side."""
    text = "-3*qcart + 20*qpole - 2*ucart + 4*upole"
    expected = solver().simulate(*START, t_end=0.1, record=0.01, inputs={"u": Sampled(text, 0.02)})
    continuous = solver().simulate(*START, t_end=0.1, record=0.01, inputs={"u": text})
    for other in (solver("numpy"), *([solver("c-batch")] if TARGET == "c" else [])):
        run = other.simulate(*START, t_end=0.1, record=0.01, inputs={"u": Sampled(text, 0.02)})
        assert np.abs(run.q - expected.q).max() < 1e-13
        run = other.simulate(*START, t_end=0.1, record=0.01, inputs={"u": text})
        assert np.abs(run.q - continuous.q).max() < 1e-13


def test_records_show_what_acted() -> None:
    """Accelerations and loads at the records belong to the inputs there."""
    run = solver().simulate(*START, t_end=0.1, record=0.01, inputs={"u": Sampled("t*100", 0.02)})
    assert run.inputs[:, 0] == pytest.approx([0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10])
    for k, t in enumerate(run.time):
        a = solver().accelerations(run.q[k], run.v[k], t=t, parameters={"u": run.inputs[k, 0]})
        assert run.a[k] == pytest.approx(a, rel=1e-13)
    assert run["u"].units == "N"


@needs_compiler
def test_other_numbers_need_no_other_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decimal gains are data of the compiled expression: another set is no build, and is felt."""
    text = "-{}*qcart + {}*upole - 1e-3*ucart**2.0 + qpole**(0.5)"
    for gains in ((3.25, 2.0), (1.75, -0.5)):
        law = text.format(*gains)
        run = solver("c").simulate(*START, t_end=0.05, record=0.01, inputs={"u": law})
        judge = solver("numpy").simulate(*START, t_end=0.05, record=0.01, inputs={"u": law})
        assert np.abs(run.inputs - judge.inputs).max() < 1e-12

        def refuse(*_: Any, **__: Any) -> None:
            raise AssertionError("a library is compiled")

        monkeypatch.setattr(Compiler, "compile", refuse)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", ["rk4", "dopri5", "RK45"])
def test_every_controller_has_its_own_period(target: str, method: str) -> None:
    """Each acts at its own instants alone, also where a table bends and the other acts."""
    inputs = {
        "u": Sampled("100*t", 0.02),
        "pole": Sampled("100*t", 0.03),
        "ucart": Table([0.025, 0.045], [0.0, 2.0], held=True),
    }
    run = solver(target).simulate(*START, t_end=0.1, record=0.01, method=method, inputs=inputs)
    assert run.input_names == ("u", "pole", "ucart")
    assert run.inputs[:, 0] == pytest.approx([0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10])
    assert run.inputs[:, 1] == pytest.approx([0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9])
    assert run.inputs[:, 2] == pytest.approx([0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2])


def test_jumps_of_expressions_are_met() -> None:
    """A push of 2 ms in a step of 10 ms is felt to rounding: 1.2 ẋ changes by 50 N · 2 ms."""
    push = "50*(step(t - 0.0331) - step(t - 0.0351))"
    run = solver().simulate([0, np.pi / 2], [0, 0], t_end=0.05, dt=0.01, inputs={"u": push})
    momentum = 1.2 * run.v[-1, 0] - 0.06 * np.cos(run.q[-1, 1]) * run.v[-1, 1]
    assert momentum == pytest.approx(0.1, abs=1e-7)


def test_inputs_that_are_refused() -> None:
    def refused(inputs: Any, match: str, error: type[Exception] = UsageError) -> None:
        with pytest.raises(error, match=match):
            solver().simulate(*START, t_end=0.01, inputs=inputs)

    refused({"w": 1.0}, r"there is no input 'w'.*inputs are: u; besides, the efforts")
    refused({"u": "3*theta"}, r"input u: '3\*theta': there is no 'theta'; there are: .*qcart")
    refused({"u": "__import__('os')"}, "input u: .*there is no function")
    refused({"u": float("nan")}, "not finite")
    refused({"u": [1.0, 2.0]}, "shape")
    refused({"u": Sampled(3.0, 0.1)}, "cannot be sampled")
    refused({"u": Table([0, 1], [[1, 2], [3, 4]])}, r"shape \(2, 2\) instead of")
    refused({"u": Feedback(np.eye(3))}, r"gains has the shape \(3, 3\) instead of \(1, 4\)")
    refused({"u": 1.0, ("u",): 2.0}, "u is given twice")
    refused([1.0], "no mapping")
    refused({"u": lambda t, q, v: [1.0, 2.0]}, "instead of 1 number")
    refused({"u": lambda t, q, v: 1 / 0}, "division", ZeroDivisionError)
    refused({"u": "1/qcart"}, "the input u is not finite|leaves the finite", NumericsError)
    refused({"u": Sampled("1/qcart", 0.01)}, "the input u is not finite", NumericsError)
    with pytest.raises(UsageError, match="samples are more than"):
        solver().simulate(*START, t_end=1e5, record=1e4, dt=1.0, inputs={"u": Sampled("t", 1e-3)})


def test_inputs_cost_nothing_where_there_are_none() -> None:
    """A model without inputs has no run-time parameters, and its runs no inputs."""
    plain = mstmm.compile("double-pendulum", target="numpy")
    run = plain.simulate(t_end=0.01)
    assert plain.parameters == ()
    assert run.inputs is None
    assert "inputs" not in run
    assert solver().parameters == ("u",)
    assert solver().model.inputs == (Input("u", 0.0, "N"),)


ROBOT = robot(
    link("base"),
    link("arm", xyz=(0.1, 0.0, 0.0)),
    link("hand", xyz=(0.1, 0.0, 0.0)),
    joint("shoulder", "revolute", "base", "arm", axis=(0, 1, 0)),
    joint("elbow", "continuous", "arm", "hand", xyz=(0.3, 0, 0), axis=(0, 1, 0)),
)


def test_joints_of_a_robot_are_driven_by_name(tmp_path: Path) -> None:
    """A file of URDF says nothing of inputs: efforts at its joints move it as tau does."""
    path = tmp_path / "robot.urdf"
    path.write_text(ROBOT)
    arm = mstmm.compile(mstmm.load(str(path)), target=TARGET)
    assert arm.parameters == ()
    run = arm.simulate(t_end=0.2, inputs={"elbow": "0.4*cos(5*t)", "shoulder": 0.3})
    y = scipy.integrate.solve_ivp(
        lambda t, y: [*y[2:], *arm.accelerations(y[:2], y[2:], [0.3, 0.4 * np.cos(5 * t)])],
        (0.0, 0.2),
        [*arm.model.q0, *arm.model.v0],
        rtol=1e-11,
        atol=1e-12,
    ).y[:, -1]
    assert np.abs(run.q[-1] - y[:2]).max() < 1e-9
    assert run["inputs"].units == "N m"


def test_the_proof_sees_an_input_whose_default_is_zero() -> None:
    """Where it is zero, nothing that it multiplies would be judged."""
    program = solver("numpy").generated.program
    assert all(sample(program, Random(k), k)["p"][0] > 0 for k in range(4))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: mstmm.Table([0, 1], [0, 1, 2]), r"as many values as times: \(2,\) times, \(3,\)"),
        (
            lambda: mstmm.Table([0, 2, 1], [0, 1, 2]),
            r"^the times of a Table must rise; times\[2\] = 1 s does not",
        ),
        (lambda: mstmm.Table([0, 0], [1, 2]), r"must rise; times\[1\] = 0 s does not"),
        (lambda: mstmm.Table([0, np.nan], [0, 1]), "^the times of a Table are finite numbers in a"),
        (lambda: mstmm.Table([], []), "^the times of a Table are finite numbers in a row"),
        (lambda: mstmm.Table([0, 1], [0, np.inf]), "^a value of a Table is not finite"),
        (lambda: mstmm.Table([0, 1], ["a", "b"]), "^values of a Table holds text"),
        (lambda: mstmm.CLaw(0), r"^address = 0 must be that of a C function: a whole number"),
        (lambda: mstmm.CLaw(-5), "^address = -5 must be that of a C function"),
        (lambda: mstmm.CLaw(None), "^address = None must be that of a C function"),  # type: ignore[arg-type]
        (lambda: mstmm.CLaw("x"), "^address = 'x' must be that of a C function"),  # type: ignore[arg-type]
        (lambda: mstmm.CLaw(1.5), "^address = 1.5 must be that of a C function"),  # type: ignore[arg-type]
        (lambda: mstmm.CLaw(True), "^address = True must be that of a C function"),
        (lambda: mstmm.CLaw(2**70), r"^address = \d+ must be that of a C function"),
        (lambda: mstmm.CLaw(2**20, data=-1), "^data = -1 must be the address of data, or 0"),
        (lambda: mstmm.Sampled("1", 0), "the period 0 must be a positive time"),
        (lambda: mstmm.Sampled("1", "a"), "the period 'a' must be a positive time"),  # type: ignore[arg-type]
        (
            lambda: mstmm.compile("double-pendulum", target="numpy").simulate(
                t_end=0.01, inputs={"1": lambda t: 0.0}
            ),
            r"input 1: the function must take \(t, q, v\)",
        ),
    ],
)
def test_what_is_no_input_is_said_at_once(make: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()


def test_a_table_keeps_what_it_was_given() -> None:
    """It was checked: a list that is changed afterwards changes nothing."""
    times = [0.0, 1.0]
    table = mstmm.Table(times, [1.0, 2.0])
    times[1] = -1.0
    assert np.asarray(table.times).tolist() == [0.0, 1.0]


BALL = """
name = "top"
dimension = 3
gravity = [0, 0, 0]
[bodies.top]
mass = 1
inertia = [0.1, 0.1, 0.1, 0, 0, 0]
points.foot = {}
[hinges.foot]
kind = "ball"
parent = "ground"
child = "top:foot"
"""


@pytest.mark.parametrize("target", ["numpy", pytest.param("c", marks=needs_compiler)])
def test_feedback_about_a_ball_goes_the_shorter_way(target: str) -> None:
    """Q and -Q are one turn: what is fed back is the same, and 2 sin(θ/2) about the axis."""
    code = mstmm.compile(from_text(BALL), target=target)
    law = {("ufoot_1", "ufoot_2", "ufoot_3"): Feedback(np.eye(3, 6), q=[0.6, 0.0, 0.8, 0.0])}
    turned = np.array([0.8, 0.0, 0.6, 0.0])
    fed = [code.simulate(side * turned, t_end=1e-3, inputs=law).inputs[0] for side in (1.0, -1.0)]
    half = np.arctan2(0.8, 0.6) - np.arctan2(0.6, 0.8)
    assert fed[0] == pytest.approx([0.0, 2 * np.sin(half), 0.0], abs=1e-12)
    assert fed[1] == pytest.approx(fed[0], abs=1e-12)


def test_what_gives_no_number_is_named() -> None:
    with pytest.raises(NumericsError, match=r"input u: the function gives nan at t = 0 s"):
        solver().simulate(*START, t_end=0.1, inputs={"u": lambda t, q, v: np.nan})
    with pytest.raises(UsageError, match="u is given twice, by parameters and by inputs"):
        solver().simulate(*START, t_end=0.1, parameters={"u": 1.0}, inputs={"u": 2.0})
    with pytest.raises(UsageError, match="inf must be a positive time"):
        Sampled("1", np.inf)


def test_an_effort_of_a_hinge_that_cannot_take_it_says_what_to_do() -> None:
    """Of a driven hinge, by its name and its speed's."""
    model = mstmm.load(str(Path(__file__).parents[2] / "examples" / "crank.toml"))
    solver = mstmm.compile(model, target="numpy")
    for name in ("motor", "umotor"):
        with pytest.raises(
            UsageError, match=r"motion of hinge motor is prescribed.*driving_forces"
        ):
            solver.simulate(t_end=0.01, inputs={name: 1.0})

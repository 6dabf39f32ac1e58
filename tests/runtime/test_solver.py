"""The solver's face: shapes, bad arguments, run-time parameters, and results that fit together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest
import random_models
from compiler import TARGET, TARGETS

import mstmm
from mstmm.errors import NumericsError, UsageError
from mstmm.model import Model
from mstmm.runtime.evaluation import arguments as runtime_arguments
from mstmm.runtime.solver import Solver

Array = np.ndarray


@cache
def compiled(name: str, target: str = TARGET) -> Solver:
    if name == "spatial":
        return mstmm.compile(random_models.tree_of(3, (1, 2, 0, 0), 3), target=target)
    return mstmm.compile(name, target=target)


SYSTEMS = pytest.mark.parametrize("name", ["branch-pendulum", "spatial"])
BOTH = pytest.mark.parametrize("target", TARGETS)


def states(model: Model, *batch: int, seed: int = 0) -> tuple[Array, Array]:
    rng = Random(seed)
    count = int(np.prod(batch))
    found = [
        random_models.random_state(rng, model.dimension, len(model.bodies)) for _ in range(count)
    ]
    q = np.array([q for q, _ in found]).reshape(*batch, len(model.coordinates))
    return q, np.array([v for _, v in found]).reshape(*batch, len(model.speeds))


def evaluations(solver: Solver, q: Array, v: Array) -> dict[str, Array]:
    return {
        "accelerations": solver.accelerations(q, v),
        "joint_loads": solver.joint_loads(q, v),
        "body loads": solver.joint_loads(q, v, frame="body"),
        "poses": solver.poses(q),
        "energy": solver.energy(q, v),
        "rates": solver.rates(q, v),
    }


def test_what_can_be_called_is_known() -> None:
    """Derivatives too, which no algorithm of motions computes itself."""
    code = compiled("branch-pendulum", "numpy")
    known = ("accelerations", "derivatives", "inverse_dynamics", "nothing")
    assert [code.has(entry) for entry in known] == [True, True, False, False]
    assert not code.computes("derivatives")


# Shapes


@SYSTEMS
@BOTH
@pytest.mark.parametrize("batch", [(), (1,), (3,), (2, 3), (0,), (2, 0)])
def test_results_have_the_batch_axes_and_the_stated_ones(
    name: str, target: str, batch: tuple[int, ...]
) -> None:
    solver = compiled(name, target)
    tails = {
        "accelerations": (len(solver.speeds),),
        "joint_loads": (len(solver.ends), 6),
        "body loads": (len(solver.ends), 6),
        "poses": (len(solver.bodies), 4, 4),
        "energy": (),
        "rates": (len(solver.coordinates),),
    }
    for method, result in evaluations(solver, *states(solver.model, *batch)).items():
        assert result.shape == (*batch, *tails[method]), method
        assert result.dtype == np.float64


@SYSTEMS
@BOTH
def test_a_batch_is_its_states_one_by_one(name: str, target: str) -> None:
    solver = compiled(name, target)
    q, v = states(solver.model, 2, 3)
    together = evaluations(solver, q, v)
    for i, j in np.ndindex(2, 3):
        for method, alone in evaluations(solver, q[i, j], v[i, j]).items():
            np.testing.assert_allclose(together[method][i, j], alone, rtol=1e-14, atol=1e-14)


@BOTH
def test_arguments_broadcast(target: str) -> None:
    solver = compiled("branch-pendulum", target)
    q, v = states(solver.model, 3)
    tau = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]])
    found = solver.accelerations(q[:, None], v[0], tau)
    assert found.shape == (3, 2, 4)
    np.testing.assert_allclose(found[2, 1], solver.accelerations(q[2], v[0], tau[1]), rtol=1e-13)
    wrenches = np.zeros((5, 1, 1, 4, 6))
    assert solver.joint_loads(q[:, None], v[0], tau, wrenches=wrenches).shape == (5, 3, 2, 4, 6)


def test_lists_integers_and_strided_arrays_are_taken() -> None:
    solver = compiled("branch-pendulum")
    expected = solver.accelerations(np.array([1.0, 2.0, 0.0, 1.0]), np.zeros(4))
    assert (solver.accelerations([1, 2, 0, 1], (0, 0, 0, 0)) == expected).all()
    reversed_twice = np.array([1.0, 0.0, 2.0, 1.0])[::-1]
    assert (solver.accelerations(reversed_twice, np.zeros(8)[::2]) == expected).all()
    single = np.array([1, 2, 0, 1], dtype=np.float32)
    assert (solver.accelerations(single, np.zeros(4)) == expected).all()


def test_arguments_are_left_as_they_are() -> None:
    solver = compiled("spatial")
    q, v = states(solver.model, 4)
    before = q.copy(), v.copy()
    evaluations(solver, q, v)
    assert (q == before[0]).all()
    assert (v == before[1]).all()


def test_names_are_in_the_order_of_the_arrays() -> None:
    solver = compiled("branch-pendulum")
    assert solver.coordinates == ("theta1", "theta3", "theta5", "theta7")
    assert solver.speeds == ("omega1", "omega3", "omega5", "omega7")
    assert solver.ends == ("1:O", "3:O", "5:O", "7:O")
    assert solver.bodies == ("1", "3", "5", "7")


# Bad arguments

Q, V = [1.0, 2.0, 3.0, 0.0], [0.0] * 4


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda s: s.accelerations(Q[:3], V), r"q has the shape \(3,\) instead of \(…, 4\)"),
        (lambda s: s.accelerations(1.0, V), r"q has the shape \(\)"),
        (lambda s: s.accelerations(Q, [V, V, [0.0]]), "v is no array: its rows differ in length"),
        (lambda s: s.accelerations(Q, [0.0, np.nan, 0.0, 0.0]), r"v\[1\], omega3, is nan"),
        (lambda s: s.accelerations([Q, [np.inf, 0, 0, 0]], V), r"q\[1, 0\], theta1, is inf"),
        (lambda s: s.accelerations("no", V), "q holds text"),
        (lambda s: s.accelerations(["1", "2", "3", "0"], V), "q holds text"),
        (lambda s: s.accelerations([None] * 4, V), "q holds object"),
        (lambda s: s.accelerations(np.array(Q) + 0j, V), "q holds complex128 instead of real"),
        (lambda s: s.accelerations(Q, np.zeros(4, "datetime64[s]")), "v holds datetime64"),
        (lambda s: s.accelerations(Q, np.array(["1"] * 4, object)), "v holds object"),
        (lambda s: s.accelerations(Q, [10**400, 0, 0, 0]), "v: "),
        (lambda s: s.accelerations(Q, V, t=np.nan), "t is nan, no finite number"),
        (
            lambda s: mstmm.compile("double-pendulum", algorithm="reaching", frame=3),
            "has no frame 3",
        ),
        (lambda s: s.accelerations(np.ma.masked_equal(Q, 2.0), V), "q is a masked array"),
        (lambda s: s.accelerations(Q, V, [1.0]), r"tau has the shape \(1,\)"),
        (lambda s: s.accelerations(Q, V, wrenches=[0.0] * 6), r"wrenches has .*\(…, 4, 6\)"),
        (lambda s: s.accelerations(Q, V, wrenches=np.full((4, 6), np.nan)), "wrenches.*nan"),
        (lambda s: s.accelerations(Q, V, wrenches=np.ones((4, 6))), "wrenches: a planar model"),
        (lambda s: s.accelerations([Q] * 2, [V] * 3), "batch axes do not fit"),
        (lambda s: s.accelerations(Q, V, parameters={"m": 2.0}), "'m' is no run-time parameter"),
        (lambda s: s.joint_loads(Q, V, frame="world"), "no frame 'world'.*inertial, body"),
        (lambda s: s.poses(Q[:1]), "q has the shape"),
        (lambda s: s.energy(Q, V[:1]), "v has the shape"),
    ],
)
@BOTH
def test_a_bad_argument_is_named(call: Callable[[Solver], Any], named: str, target: str) -> None:
    with pytest.raises(UsageError, match=named):
        call(compiled("branch-pendulum", target))


@pytest.mark.parametrize(
    ("keywords", "named"),
    [
        ({"target": "fortran"}, "no target 'fortran'.*c, c-batch, c-lanes, cuda, numpy"),
        ({"algorithm": "magic"}, "no algorithm 'magic'"),
        ({"form": "rough"}, "'rough'"),
        ({"parameters": ["k"]}, "no parameter 'k'; it has: m, a, g"),
        ({"tune": 3}, "tune = 3 must be True or False"),
        ({"derivatives": "yes"}, "derivatives = 'yes' must be True or False"),
        ({"tune": True, "target": "numpy"}, "tune chooses among builds; target 'numpy'"),
    ],
)
def test_a_bad_way_to_compile_is_named(keywords: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        mstmm.compile("branch-pendulum", **keywords)


@BOTH
def test_overflow_is_an_error_and_no_number(target: str) -> None:
    solver = compiled("branch-pendulum", target)
    with pytest.raises(NumericsError, match="accelerations of branch-pendulum"):
        solver.accelerations(Q, [1e200, 0, 0, 0])
    speeds = np.zeros((2, 3, 4))
    speeds[1, 2, 0] = 1e200
    with pytest.raises(NumericsError, match=r"the result of state \[1, 2\] is not finite"):
        solver.accelerations(Q, speeds)


# Run-time parameters


@BOTH
def test_a_run_time_parameter_is_the_baked_one(target: str) -> None:
    model = mstmm.load("branch-pendulum")
    solver = mstmm.compile(model, target=target, parameters=("g", "m"))
    q, v = states(model, 5)
    moon = replace(model, parameters={**model.parameters, "g": 1.62})
    for given, alike in ((None, model), ({"g": 1.62}, moon)):
        baked = mstmm.compile(alike, target=target)
        np.testing.assert_allclose(
            solver.accelerations(q, v, parameters=given), baked.accelerations(q, v), rtol=1e-12
        )
        np.testing.assert_allclose(
            solver.energy(q, v, parameters=given), baked.energy(q, v), rtol=1e-12
        )
    loads = solver.joint_loads(q, v)
    heavier = solver.joint_loads(q, v, parameters={"m": 3.0})
    np.testing.assert_allclose(heavier, 3.0 * loads, rtol=1e-12, atol=1e-12)


def test_a_bad_run_time_parameter_is_named() -> None:
    solver = mstmm.compile("branch-pendulum", target="numpy", parameters=("g",))
    with pytest.raises(UsageError, match="'h' is no run-time parameter; there are: g"):
        solver.accelerations(Q, V, parameters={"h": 1.0})
    for value in (float("nan"), 10**400):
        with pytest.raises(UsageError, match=r"parameter g is (nan|inf), no finite number"):
            solver.accelerations(Q, V, parameters={"g": value})
    for value in ([9.81], np.ones((2, 1))):
        with pytest.raises(UsageError, match=r"parameter g has the shape .* call once for each"):
            solver.accelerations(Q, V, parameters={"g": value})
    solver.accelerations(Q, V, parameters={"g": np.array(9.81)})
    for value in ("9.81", None, 1j, True):
        with pytest.raises(UsageError, match=r"parameter g = .* is no number"):
            solver.accelerations(Q, V, parameters={"g": value})
    with pytest.raises(UsageError, match=r"parameters = \[1, 2\] is no mapping"):
        solver.accelerations(Q, V, parameters=[1, 2])


def test_run_time_parameters_must_describe_a_system(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = mstmm.compile("branch-pendulum", target="numpy", parameters=("m", "g"))
    for value in (-1.0, 0.0):
        with pytest.raises(UsageError, match=r"parameters m = .*: body 1 · mass: must be positive"):
            solver.accelerations(Q, V, parameters={"m": value})
    with pytest.raises(UsageError, match="m = -1"):
        solver.simulate(t_end=0.1, parameters={"m": -1.0})
    solver.accelerations(Q, V, parameters={"m": 2.0, "g": np.float32(1.5)})
    monkeypatch.setattr(runtime_arguments, "replace", None)  # what was checked is not checked again
    solver.accelerations(Q, V, parameters={"m": 2.0, "g": 1.5})
    solver.accelerations(Q, V)


def test_checked_parameters_are_forgotten_in_the_end() -> None:
    solver = mstmm.compile("rod-chain:n=1", target="numpy", parameters=("m",))
    for k in range(runtime_arguments.CHECKED_SETS + 5):
        solver.accelerations([0.0], [0.0], parameters={"m": 1.0 + k})
    assert len(solver.arguments._checked) == runtime_arguments.CHECKED_SETS


@BOTH
def test_a_quaternion_has_unit_norm(target: str) -> None:
    solver = compiled("spatial", target)
    q, v = states(solver.model, 3)
    solver.accelerations(q * (1 + 5e-7), v)
    q[1, 8:12] *= 1 + 1e-5
    names = ", ".join(solver.coordinates[8:12])
    for call in (solver.accelerations, solver.energy, solver.rates, solver.joint_loads):
        with pytest.raises(UsageError, match=rf"q: the quaternion {names} of state \[1\] has"):
            call(q, v)
    with pytest.raises(UsageError, match=rf"quaternion {names} has norm 1.00001 instead of 1"):
        solver.poses(q[1])


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: mstmm.load(None), "a model's name is text"),
        (lambda: mstmm.load(3), "not 3"),
        (lambda: mstmm.load("rod-chain", n=2.0), "n = 2.0 must be a whole number"),
        (lambda: mstmm.load("rod-chain", n=True), "n = True must be a whole number"),
        (lambda: mstmm.load("rod-chain", n=np.array([1, 2])), "must be a whole number"),
        (lambda: mstmm.compile(None), "give a model or the name of one, not None"),
        (lambda: mstmm.derive(None), "give a model or the name of one"),
        (lambda: mstmm.compile("rod-chain:n=1", parameters="mg"), "has no parameter 'mg'"),
        (lambda: mstmm.compile("rod-chain:n=1", parameters=3), "list of names"),
        (lambda: mstmm.validate(None), "give a solver"),
        (lambda: mstmm.validate(mstmm.load("rod-chain:n=1")), "give a solver"),
        (lambda: mstmm.validate(numpy_rod(), points=1.5), "points = 1.5 must be a whole"),
        (lambda: mstmm.validate(numpy_rod(), points=True), "points = True must be a whole"),
        (lambda: mstmm.validate(numpy_rod(), points=0), "points = 0 must be 1 or more"),
        (lambda: mstmm.validate(numpy_rod(), seed=None), "seed = None must be a whole"),
    ],
)
def test_the_wrong_kind_of_thing_is_a_usage_error(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        call()


def numpy_rod() -> Solver:
    return mstmm.compile("rod-chain:n=1", target="numpy")


def test_any_whole_number_is_one() -> None:
    assert mstmm.load("rod-chain", n=np.int64(3)) == mstmm.load("rod-chain:n=3")
    assert mstmm.validate(numpy_rod(), points=np.int64(1)).points == 1


# Results that fit together


@BOTH
def test_a_couple_along_a_speed_is_a_moment_on_the_body(target: str) -> None:
    solver = compiled("branch-pendulum", target)
    q, v = states(solver.model, 5)
    tau = np.array([1.0, -2.0, 0.5, 3.0])
    wrenches = np.zeros((4, 6))
    wrenches[:, 2] = tau
    by_tau, by_moment = solver.accelerations(q, v, tau), solver.accelerations(q, v, None)
    assert np.abs(by_tau - by_moment).max() > 0.1
    by_moment = solver.accelerations(q, v, wrenches=wrenches)
    np.testing.assert_allclose(by_tau, by_moment, rtol=1e-12)


def test_the_root_force_is_the_weight_at_rest() -> None:
    """All rods hanging straight down from a straight beam: the ceiling bears four rods."""
    solver = compiled("branch-pendulum")
    loads = solver.joint_loads([np.pi / 2, np.pi / 2, np.pi / 2, 0.0], V)
    tip = loads[solver.ends.index("1:O")]
    a = solver.accelerations([np.pi / 2, np.pi / 2, np.pi / 2, 0.0], V)
    assert a[3] == pytest.approx(-3 * 9.81 / 5)
    # Body 1 hangs under the left end of body 7, which goes up with 3 g a / 5.
    assert tip == pytest.approx([0, 0, 0, 0, -(9.81 + 0.5 * 3 * 9.81 / 5), 0], abs=1e-12)

"""Calls from Python into compiled libraries: the fast way and the closer look give the same."""

from __future__ import annotations

import gc
import inspect
import pickle
import re
import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import mstmm
from mstmm.errors import InternalError, NumericsError, UsageError
from mstmm.runtime.capabilities import result
from mstmm.runtime.capabilities.poses import Poses
from mstmm.runtime.evaluation import backend, quick
from mstmm.runtime.evaluation.door import door
from mstmm.runtime.evaluation.evaluator import Evaluator
from mstmm.runtime.motions import rhs
from mstmm.runtime.solver import Solver

Floats = npt.NDArray[np.float64]


def states(solver: Solver, count: int) -> list[Floats]:
    chooser = np.random.default_rng(3)
    n = len(solver.speeds)
    q = np.tile(solver.model.q0, (count, 1))
    return [q, *chooser.uniform(-1.0, 1.0, (2, count, n))]


@pytest.fixture(scope="module", params=["c", "c-batch"])
def solver(request: pytest.FixtureRequest) -> Solver:
    return mstmm.compile("spatial-tree", target=request.param)


def test_there_is_a_door_here() -> None:
    """Or all other tests here would compare the slow way with itself."""
    assert door() is not None


def test_arrays_of_every_shape_give_the_same(solver: Solver) -> None:
    """A call for each state, for all at once, and from lists."""
    q, v, tau = states(solver, 11)
    single = [solver.accelerations(*one) for one in zip(q, v, tau, strict=True)]
    listed = [solver.accelerations(*map(list, one)) for one in zip(q, v, tau, strict=True)]
    # a vector of states rounds as one state does, but for how its sums are contracted
    np.testing.assert_array_equal(single, listed)
    np.testing.assert_array_equal(solver.accelerations(q, v, tau), single)
    np.testing.assert_array_equal(solver.accelerations(q[0], v, tau), single)
    folded = [x[:10].reshape(2, 5, -1) for x in (q, v, tau)]
    assert solver.accelerations(*folded).shape == (2, 5, len(solver.speeds))
    np.testing.assert_array_equal(solver.accelerations(*folded).reshape(10, -1), single[:10])
    strided = np.asfortranarray(v)
    np.testing.assert_array_equal(solver.accelerations(q, strided, tau), single)
    single_precision = v.astype(np.float32)
    np.testing.assert_allclose(solver.accelerations(q, single_precision, tau), single, rtol=1e-4)
    assert solver.accelerations(q[:0], v[:0], tau[:0]).shape == (0, len(solver.speeds))


def test_what_the_fast_way_took_is_what_it_says(solver: Solver) -> None:
    """It is taken, and where it is not it gives None: the closer look is not what is compared."""
    q, v, tau = (x[0] for x in states(solver, 1))
    call = solver.quick("accelerations", ("q", "v", "tau", "t"), ("a",))
    assert call(q, v, tau, 0.0, None) is not None
    assert call(q, v, None, None, None) is not None
    for wrong in (
        v[:-1],
        v.astype(np.float32),
        v.tolist()[:-1],
        [*v.tolist()[:-1], None],
        [*v.tolist()[:-1], "1"],
        [*v.tolist()[:-1], 10**400],
        [*v.tolist()[:-1], np.inf],
        v * np.nan,
        v[np.newaxis, :, np.newaxis],
    ):
        assert call(q, wrong, tau, 0.0, None) is None
    for numbers in (v.tolist(), tuple(v.tolist()), list(v)):
        np.testing.assert_array_equal(
            call(q.tolist(), numbers, tau, 0, None), call(q, v, tau, 0.0, None)
        )
    assert call((2.0 * q).tolist(), v, tau, 0.0, None) is None
    assert call(2.0 * q, v, tau, 0.0, None) is None
    assert call(q, v, tau, np.inf, None) is None
    with pytest.raises(TypeError):
        call(q, v)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda q, v, tau: (q[:-1], v, tau), "q has the shape"),
        (lambda q, v, tau: (q, v[:, np.newaxis], tau), "v has the shape"),
        (lambda q, v, tau: (q, v * np.inf, tau), "no finite number"),
        (lambda q, v, tau: (q, v, tau.astype(complex)), "complex128 instead of real numbers"),
        (lambda q, v, tau: (np.tile(q, (2, 1)), np.tile(v, (3, 1)), tau), "batch axes do not fit"),
        (lambda q, v, tau: (1.001 * q, v, tau), "has norm 1.001 instead of 1"),
    ],
)
def test_what_does_not_fit_is_refused(
    solver: Solver, wrong: Callable[..., tuple[Any, ...]], said: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        solver.accelerations(*wrong(*(x[0] for x in states(solver, 1))))


def test_a_number_that_is_not_finite_is_seen_wherever_it_stands(solver: Solver) -> None:
    """The fast way looks at numbers in blocks, and at what is left over."""
    q, v, tau = states(solver, 3)
    assert v.size % 8
    for k, odd in enumerate((np.nan, np.inf, -np.inf) * (v.size // 3)):
        wrong = v.copy()
        wrong.flat[k] = odd
        with pytest.raises(UsageError, match="finite"):
            solver.accelerations(q, wrong, tau)


def test_results_go_where_they_are_wanted(solver: Solver) -> None:
    for count in (1, 6):
        given = [x[0] if count == 1 else x for x in states(solver, count)]
        expected = solver.accelerations(*given)
        out = np.full_like(expected, np.nan)
        assert solver.accelerations(*given, out=out) is out
        np.testing.assert_array_equal(out, expected)
        spread = np.zeros((2 * out.shape[0], *out.shape[1:]))[::2]
        assert solver.accelerations(*given, out=spread) is spread
        np.testing.assert_array_equal(spread, expected)
        mine = given[2].copy()
        assert solver.accelerations(given[0], given[1], mine, out=mine) is mine
        np.testing.assert_array_equal(mine, expected)
    for out, said in (
        (np.empty(3), "out has the shape"),
        (np.empty(8, int), "no array of doubles"),
    ):
        with pytest.raises(UsageError, match=said):
            solver.accelerations(*given, out=out)


def test_other_methods_go_the_same_two_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every result of a solver that has the door, and of one that has none."""

    def found() -> list[Any]:
        solver = mstmm.compile("spatial-tree")
        inverse = mstmm.compile("spatial-tree", algorithm="rnea-body")
        loops = mstmm.compile("four-bar")
        q, v, tau = states(solver, 4)
        y = np.concatenate([q[0], v[0]])
        return [
            *(solver.joint_loads(q, v, tau), solver.poses(q[0]), solver.energy(q, v)),
            *(solver.rates(q[0], v), solver.derivatives(q, v).dq, solver.rhs(0.1, y)),
            *(inverse.inverse_dynamics(q, v, tau), inverse.mass_matrix(q)),
            inverse.inverse_dynamics(q, v, tau, t=0.5),
            *loops.constraints(loops.model.q0, loops.model.v0),
        ]

    fast = found()
    for module in (backend, quick, result, rhs):
        monkeypatch.setattr(module, "door", lambda: None)
    slow = found()
    assert len(fast) == len(slow)
    for one, other in zip(fast, slow, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_array_equal(one, other)


#: By method, and what of it, an algorithm that has it, and words.
CALLED: dict[str, tuple[str, dict[str, Any]]] = {
    "accelerations": ("riccati", {}),
    "energy": ("riccati", {}),
    "rates": ("riccati", {}),
    "poses": ("riccati", {}),
    "joint_loads": ("riccati", {"frame": "inertial"}),
    "constraints": ("loops", {}),
    "jacobian": ("loops", {}),
    "correction": ("loops", {}),
    "centroidal_momentum": ("riccati", {}),
    "com_jacobian": ("riccati", {}),
    "derivatives": ("riccati", {}),
    "pullback": ("riccati", {}),
    "inverse_pullback": ("riccati", {}),
    "end_states": ("riccati", {}),
    "frame_velocities": ("riccati", {"frames": "boom"}),
    "frame_velocities of several": ("riccati", {"frames": ["boom", "bob:O"]}),
    "frame_accelerations of all": ("riccati", {}),
    "frame_jacobian": ("riccati", {"frames": "boom", "representation": "body"}),
    "frame_jacobian of all": ("riccati", {}),
    "kinematics": ("riccati", {"frames": "boom"}),
    "kinematics of bodies": ("riccati", {}),
    "inverse_dynamics": ("rnea-body", {}),
    "mass_matrix": ("rnea-body", {}),
    "coriolis_matrix": ("closed-form", {"variant": "skew"}),
    "christoffel_symbols": ("closed-form", {}),
    "bias_forces": ("closed-form", {}),
    "spatial_momenta": ("closed-form", {}),
    "geometric_jacobian": ("jacobians", {}),
    "geometric_jacobian_derivatives": ("jacobians", {"order": 1, "representation": "hybrid"}),
    "force_derivatives": ("sensitivities", {}),
    "inverse_rates": ("inverse-rates", {}),
    "velocities": ("momenta of loops", {}),
    "impulses": ("momenta of loops", {}),
    "momenta": ("momenta of loops", {}),
    "momentum_rates": ("momenta of loops", {}),
    "regauged": ("momenta of loops", {}),
}


@pytest.fixture(scope="module")
def solvers() -> dict[str, Solver]:
    algorithms = dict.fromkeys(algorithm for algorithm, _ in CALLED.values())
    loops = {
        "loops": mstmm.compile("four-bar"),
        "momenta of loops": mstmm.compile("four-bar", algorithm="hdca"),
    }
    return loops | {
        name: mstmm.compile("spatial-tree", algorithm=name)
        for name in algorithms
        if name not in loops
    }


def called(solver: Solver, name: str) -> Callable[..., Any]:
    """The method at a state of its own; what it takes besides is given."""
    q, v, tau = (x[0] for x in states(solver, 1))
    known = {"q": q, "v": v, "tau": tau, "a": -v, "jerk": tau, "snap": v, "p": v, "g": tau}
    if name == "momenta":
        known["v"] = solver.project(q, v)[1]
    known["c"] = np.full(len(solver.conditions), 0.1)
    method = getattr(solver, name.partition(" ")[0])
    given = [known[x] for x in inspect.signature(method).parameters if x in known]
    return partial(method, *given)


def parts(found: Any) -> tuple[Floats, ...]:
    """All arrays of a result."""
    if isinstance(found, np.ndarray):
        return (found,)
    told = found if isinstance(found, tuple) else tuple(vars(found).values())
    return tuple(x for x in told if isinstance(x, np.ndarray))


@pytest.mark.parametrize("name", CALLED)
def test_calls_go_through_no_python(
    name: str, solvers: dict[str, Solver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same as by the closer look, which is not taken: it would fail."""
    algorithm, words = CALLED[name]
    call = called(solvers[algorithm], name)
    expected = [call(**words, parameters={}), call(**words)]

    def looked(*_: Any, **__: Any) -> Any:
        raise AssertionError("a closer look")

    monkeypatch.setattr(Evaluator, "results", looked)
    listed = partial(call.func, *(x.tolist() for x in call.args))  # type: ignore[attr-defined]
    for found in (call(**words), call(**words), listed(**words)):
        for one, other in zip(parts(found), parts(expected[0]), strict=True):
            assert one.shape == other.shape
            np.testing.assert_array_equal(one, other)
    with pytest.raises(AssertionError, match="a closer look"):
        call(**words, parameters={})


@pytest.mark.parametrize("name", CALLED)
def test_every_result_goes_where_it_is_wanted(name: str, solvers: dict[str, Solver]) -> None:
    algorithm, words = CALLED[name]
    call = called(solvers[algorithm], name)
    expected = parts(call(**words))
    room = tuple(np.full_like(x, np.nan) for x in expected)
    found = call(**words, out=room if len(room) > 1 else room[0])
    for one, other, given in zip(parts(found), expected, room, strict=True):
        assert one is given or one.base is given
        np.testing.assert_array_equal(given, other)
    turned = np.empty(expected[0].shape[::-1]).T
    if len(room) == 1:
        assert call(**words, out=turned) is turned
        np.testing.assert_array_equal(turned, expected[0])
    for wrong in (np.empty((*expected[0].shape, 2)), np.empty_like(expected[0], int), [0.0]):
        given = wrong if len(room) == 1 else (wrong,) * len(room)
        with pytest.raises(
            UsageError, match=r"out(\[0\])?( \(\w+\))? (has the shape|is no array of doubles)"
        ):
            call(**words, out=given)
    if len(room) > 1:
        with pytest.raises(UsageError, match=f"out is no tuple of {len(room)} arrays"):
            call(**words, out=room[0])
        with pytest.raises(UsageError, match=r"out\[1\]( \(\w+\))? has the shape"):
            call(**words, out=(room[0], np.empty(0), *room[2:]))


@pytest.mark.parametrize("name", ["determinate", "redundant", "inertia_parameters"])
def test_results_that_are_no_doubles_or_of_no_state_go_where_they_are_wanted(
    name: str, solvers: dict[str, Solver]
) -> None:
    call = called(solvers["loops"], name)
    expected = np.asarray(call())
    room = np.empty(expected.shape, expected.dtype)
    assert call(out=room) is room
    np.testing.assert_array_equal(room, expected)
    other = np.empty(expected.shape, np.float64 if expected.dtype != np.float64 else np.int64)
    with pytest.raises(UsageError, match=r"out is no array of (truth values|whole|doubles)"):
        call(out=other)


def test_of_several_results_the_one_that_does_not_fit_is_named() -> None:
    solver = mstmm.compile("double-pendulum", target="numpy")
    found = solver.derivatives(np.zeros(2), np.zeros(2))
    room = [np.empty_like(x) for x in vars(found).values()]
    with pytest.raises(UsageError, match=r"tuple of 5 arrays: a, dq, dv, dtau, dp"):
        solver.derivatives(np.zeros(2), np.zeros(2), out=tuple(room[:3]))
    room[2] = np.empty(3)
    with pytest.raises(UsageError, match=r"out\[2\] \(dv\) has the shape \(3,\) instead"):
        solver.derivatives(np.zeros(2), np.zeros(2), out=tuple(room))


def test_quaternions_of_any_length_are_turned_into_unit_ones(
    solvers: dict[str, Solver], monkeypatch: pytest.MonkeyPatch
) -> None:
    solver = solvers["riccati"]
    q = np.array(solver.model.q0)
    first = solver.model.quaternions[0]
    longer, room = q.copy(), np.empty((3, len(q)))
    longer[first : first + 4] *= 2.0
    expected = [Poses.retracted(solver, x) for x in (longer, np.tile(longer, (3, 1)))]
    assert np.abs(expected[0] - q).max() < 1e-15
    monkeypatch.setattr(solver.backend, "run", None)  # by which the closer look goes
    np.testing.assert_array_equal(solver.retracted(longer), expected[0])
    assert solver.retracted(np.tile(longer, (3, 1)), out=room) is room
    np.testing.assert_array_equal(room, expected[1])


def test_results_that_would_overwrite_one_another_are_refused() -> None:
    solver = mstmm.compile("four-bar", target="numpy")
    q, v = solver.model.q0, np.ones(3)
    gaps, _ = solver.constraints(q, v)
    room = np.zeros(3)
    for shared in ((room[:2], room[:2]), (room[:2], room[1:])):
        with pytest.raises(UsageError, match=r"out\[0\] and out\[1\] share memory"):
            solver.constraints(q, v, out=shared)
    apart = np.zeros((2, 2))
    solver.constraints(q, v, out=(apart[:, 0], apart[:, 1]))
    np.testing.assert_array_equal(apart[:, 0], gaps)


def test_a_method_takes_what_its_signature_says(solvers: dict[str, Solver]) -> None:
    """By place and by name, and a wrong call fails as that of a function does."""
    solver = solvers["riccati"]
    q, v, tau = (x[0] for x in states(solver, 1))
    expected = solver.accelerations(q, v, tau)
    np.testing.assert_array_equal(solver.accelerations(tau=tau, v=v, q=q), expected)
    np.testing.assert_array_equal(solver.accelerations(q, v=v, **{"ta" + "u": tau}), expected)
    wrong: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        *(((), {}), ((q,), {}), ((q, v), {"q": q}), ((q, v), {"x": q})),
        ((q, v, tau, 0.0), {}),
    ]
    for args, kwargs in wrong:
        with pytest.raises(UsageError, match="accelerations"):
            solver.accelerations(*args, **kwargs)
    assert solver.accelerations.__name__ == "accelerations"
    assert solver.accelerations.__doc__ == Solver.accelerations.__doc__
    copied = pickle.loads(pickle.dumps(solver.accelerations))
    np.testing.assert_array_equal(copied(q, v, tau), expected)


def test_words_are_what_they_are(solvers: dict[str, Solver]) -> None:
    """What equals a word that was taken before is another thing."""
    solver = solvers["jacobians"]
    q = solver.model.q0
    expected = solver.geometric_jacobian_derivatives(q, order=1)
    for other in (True, 1.0, np.int64(1)):
        with pytest.raises(UsageError, match="must be a whole number"):
            solver.geometric_jacobian_derivatives(q, order=other)  # type: ignore[arg-type]
    np.testing.assert_array_equal(solver.geometric_jacobian_derivatives(q, order=1), expected)


def test_a_solver_goes_with_its_methods() -> None:
    """No method that was called keeps it."""
    solver = mstmm.compile("double-pendulum")
    solver.energy(solver.model.q0, solver.model.v0)
    solver.com_jacobian(solver.model.q0)
    gone = weakref.ref(solver)
    del solver
    gc.collect()
    assert gone() is None


def test_threads_share_a_solver() -> None:
    """Each in a workspace of its own; batches this large let other threads go on meanwhile."""
    solver = mstmm.compile("ball-chain:n=30")
    q, v, tau = states(solver, 64)
    starts = [0.1 * k * v for k in range(4)]
    expected = [solver.accelerations(q, x, tau) for x in starts]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(20):
            if not np.array_equal(solver.accelerations(q, starts[k], tau), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_result_that_is_not_finite_is_said() -> None:
    solver = mstmm.compile("double-pendulum")
    with pytest.raises(NumericsError, match="not finite"):
        solver.accelerations(np.zeros(2), np.full(2, 1e300))
    with pytest.raises(NumericsError, match="not finite"):
        solver.rhs(0.0, np.array([0.0, 0.0, 1e300, 1e300]))


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_no_buffer_passes_that_does_not_fit(target: str) -> None:
    solver = mstmm.compile("double-pendulum", target=target)
    good = {name: np.zeros((3, 2)) for name in ("q", "v", "tau", "a")}
    assert solver.backend.run("accelerations", good)
    for bad in (
        np.zeros((2, 2)),
        np.zeros((3, 3)),
        np.zeros((3, 4))[:, ::2],
        np.zeros((3, 2), int),
    ):
        with pytest.raises(InternalError, match="buffer v of double-pendulum"):
            solver.backend.run("accelerations", good | {"v": bad})

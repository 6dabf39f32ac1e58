"""Bridges to PyTorch and JAX: values, derivatives in both modes, and what is refused."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from closeness import close
from compiler import TARGET
from devices import emulate

import mstmm
from mstmm.errors import ToolchainError, UsageError
from mstmm.exchange.learning import places
from mstmm.exchange.learning.called import accelerations
from mstmm.runtime.capabilities.tangent import differences
from mstmm.runtime.solver import Solver

pytestmark = pytest.mark.extras


def join(parts: Any) -> np.ndarray:
    return np.concatenate(parts, -1)


@pytest.fixture(scope="module")
def solver() -> Solver:
    """A ball, a free rotation of a base and others, with two parameters."""
    target = "c-batch" if TARGET == "c" else TARGET
    return mstmm.compile("spatial-tree", target=target, parameters=("m_nut", "g"))


@pytest.fixture(scope="module")
def torch() -> ModuleType:
    found = pytest.importorskip("torch", reason="PyTorch is not installed")
    import mstmm.torch

    assert mstmm.torch.torch is found
    return found  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def jax() -> ModuleType:
    found = pytest.importorskip("jax", reason="JAX is not installed")
    import mstmm.jax

    assert mstmm.jax.jax is found
    found.config.update("jax_enable_x64", True)
    return found  # type: ignore[no-any-return]


def states(solver: Solver, n: int) -> tuple[np.ndarray, ...]:
    """q with quaternions of any length, v, tau and p."""
    rng = np.random.default_rng(4)
    q = np.array(solver.model.q0) + rng.uniform(-0.4, 0.4, (n, len(solver.coordinates)))
    v, tau = rng.uniform(-1, 1, (2, n, len(solver.speeds)))
    return q, v, tau, solver.parameter_values(None) * 1.1


def by_coordinates(solver: Solver, q: np.ndarray, tau: np.ndarray, v: np.ndarray) -> np.ndarray:
    """∂a/∂q of the function of Q/|Q|: full derivatives along speeds, E, and that of Q/|Q|."""
    unit = places.unit(solver.model, q, join)
    by_unit = solver.derivatives(unit, v, tau).dq @ differences(solver.model, unit)
    for first in solver.model.quaternions:
        own = slice(first, first + 4)
        by_unit[:, own] /= np.linalg.norm(q[own])
    return by_unit


@pytest.mark.parametrize("name", ["ball-chain:n=3", "spatial-tree"])
def test_places_are_those_of_the_solver(name: str) -> None:
    solver = mstmm.compile(name, target="numpy")
    model, (q, v, *_) = solver.model, states(solver, 1)
    q, v, change = places.unit(model, q[0], join), v[0], q[0]
    E = differences(model, q)
    close(places.along_speeds(model, q, change, join), E @ change)
    close(places.along_coordinates(model, q, v, join), E.T @ v)
    close(places.rates(model, q, v, join), solver.rates(q, v))


def test_what_the_solver_refuses_is_a_row_of_nan() -> None:
    """A loop that is open, and a number that is none; the others are the solver's own."""
    solver = mstmm.compile("four-bar", target=TARGET)
    q, v = np.tile(solver.model.q0, (4, 1)), np.zeros((4, len(solver.speeds)))
    q[1, 0] += 0.1
    v[2, 1] = np.nan
    (found,) = accelerations(solver).forward(q, v, v + 0.2)
    assert np.isnan(found).all(axis=1).tolist() == [False, True, True, False]
    close(found[[0, 3]], solver.accelerations(q[[0, 3]], v[[0, 3]], v[[0, 3]] + 0.2))


def test_one_who_lacks_the_library_is_told_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "jax"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, f"mstmm.{name}", raising=False)
        with pytest.raises(ToolchainError, match=f"mstmm.{name} needs {name}") as found:
            importlib.import_module(f"mstmm.{name}")
        assert f'pip install "mstmm[{name}]"' in str(found.value)


# PyTorch


def tensors(torch: ModuleType, solver: Solver, n: int) -> list[Any]:
    return [torch.from_numpy(x) for x in states(solver, n)]


Made = tuple[Callable[..., Any], list[Any]]


@pytest.fixture(scope="module", params=["accelerations", "inverse_dynamics"])
def of_torch(request: Any, torch: ModuleType, solver: Solver) -> Made:
    method = getattr(mstmm.torch.module(solver), request.param)
    return lambda q, v, x, p: method(q, v, x, p=p), tensors(torch, solver, 3)


def test_torch_gives_what_the_solver_gives(torch: ModuleType, solver: Solver) -> None:
    module, (q, v, tau, p) = mstmm.torch.module(solver), states(solver, 3)
    values = dict(zip(solver.parameters, p, strict=True))
    found = module.accelerations(*map(torch.from_numpy, (q, v, tau)), p=torch.from_numpy(p))
    unit = places.unit(solver.model, q, join)
    close(found.numpy(), solver.accelerations(unit, v, tau, parameters=values), 1e-14)
    close(module.inverse_dynamics(torch.from_numpy(q), torch.from_numpy(v), found,
                                  p=torch.from_numpy(p)).numpy(), tau, 1e-10)  # fmt: skip


def test_torch_in_both_modes_by_differences(torch: ModuleType, of_torch: Made) -> None:
    function, given = of_torch
    asked = [x.clone().requires_grad_() for x in given]
    assert torch.autograd.gradcheck(function, asked, check_forward_ad=True, atol=1e-4, rtol=1e-5)


def test_torch_func_gives_the_full_derivatives(torch: ModuleType, solver: Solver) -> None:
    """∂a/∂q row by row and column by column under `vmap`: neither of them is a silent zero."""
    module, (q, v, tau, _) = mstmm.torch.module(solver), states(solver, 3)
    given = [torch.from_numpy(x) for x in (q, v, tau)]
    expected = np.array([by_coordinates(solver, *x) for x in zip(q, tau, v, strict=True)])
    for mode in (torch.func.jacrev, torch.func.jacfwd):
        close(torch.func.vmap(mode(module.accelerations))(*given).numpy(), expected, 1e-12)
    total = torch.func.grad(lambda *x: module.accelerations(*x).sum())(*given)
    close(total.numpy(), expected.sum(axis=1), 1e-12)


def test_torch_compiles_it_whole(torch: ModuleType, of_torch: Made) -> None:
    function, given = of_torch
    whole = torch.compile(lambda *x: (function(*x) ** 2).sum(), backend="aot_eager", fullgraph=True)
    found = []
    for each in (whole, lambda *x: (function(*x) ** 2).sum()):
        asked = [x.clone().requires_grad_() for x in given]
        each(*asked).backward()
        found.append([x.grad.numpy() for x in asked])
    for one, other in zip(*found, strict=True):
        close(one, other, 1e-14)


def test_torch_s_operators_keep_its_rules(torch: ModuleType, solver: Solver) -> None:
    q, v, tau, p = tensors(torch, solver, 3)
    found, given = accelerations(solver), (q, v, tau, p.expand(3, 2))
    for called, more in ((found.forward, ()), (found.pullback, (v,))):
        operator = mstmm.torch.operator(called, mstmm.torch.on_tensors(called), "checked")
        torch.library.opcheck(operator, (*given, *more))


def test_torch_has_no_mode_that_gives_zero(torch: ModuleType, of_torch: Made) -> None:
    """An operator alone would: in forward mode, inside `torch.compile` and for second ones."""
    function, given = of_torch
    q, others = given[0], given[1:]

    def alone(q: Any) -> Any:
        return function(q, *others)

    compiled = torch.compile(torch.func.jacfwd(alone), backend="eager", fullgraph=True)
    with pytest.raises(Exception, match="exception"):
        compiled(q)
    total = lambda q: alone(q).sum()  # noqa: E731
    for twice in (
        torch.func.hessian(total),
        torch.func.jacfwd(torch.func.jacfwd(total)),
        torch.func.jacrev(torch.func.jacrev(total)),
    ):
        with pytest.raises(UsageError, match="first derivatives alone"):
            twice(q)


def test_torch_refuses_single_precision_and_shapes_by_name(
    torch: ModuleType, solver: Solver
) -> None:
    module, (q, v, tau, p) = mstmm.torch.module(solver), tensors(torch, solver, 3)
    with pytest.raises(UsageError, match=r"torch.float32 on cpu.*float64"):
        module.accelerations(q, v.float(), tau)
    with pytest.raises(UsageError, match=r"p has the shape \(1,\) instead of \(…, 2\)"):
        module.accelerations(q, v, tau, p=p[:1])
    with pytest.raises(UsageError, match="no method 'euler'; there are: semi-implicit, rk4"):
        module.step(q, v, tau, 0.1, method="euler")
    with pytest.raises(UsageError, match="every = 0"):
        module.rollout(q, v, tau[None], 0.1, every=0)
    loop = mstmm.torch.module(mstmm.compile("four-bar", target="numpy"))
    with pytest.raises(UsageError, match="a bridge has inverse dynamics of trees alone"):
        loop.inverse_dynamics(q, v, tau)


@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
@pytest.mark.parametrize(
    ("name", "tolerance"), [("double-pendulum", 1e-13), ("spatial-tree", 1e-6)]
)
def test_a_step_is_that_of_the_solver(
    torch: ModuleType, method: str, name: str, tolerance: float
) -> None:
    """Quaternions are brought to unit length at each stage: to the order of the method."""
    solver = mstmm.compile(name, target="numpy")
    module, (q, v, *_) = mstmm.torch.module(solver), states(solver, 1)
    q = places.unit(solver.model, q, join)
    own = {"semi-implicit": "euler"}.get(method, method)
    run = solver.simulate(q[0], v[0], t_end=0.02, dt=0.01, method=own)
    state = torch.from_numpy(q[0]), torch.from_numpy(v[0])
    for k in range(2):
        state = module.step(*state, None, 0.01, t=k * 0.01, method=method)
    close(state[0].numpy(), run.q[-1], tolerance)
    close(state[1].numpy(), run.v[-1], tolerance)


def test_a_rollout_s_gradient_is_that_of_its_steps(torch: ModuleType, solver: Solver) -> None:
    """Whatever states are kept; of forces, the start and parameters."""
    module, (q, v, tau, p) = mstmm.torch.module(solver), tensors(torch, solver, 2)
    forces, found = torch.stack([tau * (k + 1) for k in range(5)]), []
    for every in (None, 1, 7, 0):
        asked = [x.clone().requires_grad_() for x in (q, v, forces, p)]
        if every == 0:
            state = asked[:2]
            for k, force in enumerate(asked[2]):
                state = module.step(*state, force, 0.01, p=asked[3], t=0.01 * k)
        else:
            qs, vs = module.rollout(*asked[:3], 0.01, p=asked[3], every=every)
            assert qs.shape[0] == 6
            state = qs[-1], vs[-1]
        (state[0].sum() + (state[1] ** 2).sum()).backward()
        found.append([x.grad.numpy() for x in asked])
    for one in found[:-1]:
        for x, y in zip(one, found[-1], strict=True):
            close(x, y, 1e-12)


@pytest.mark.parametrize(("real", "tolerance"), [("double", 1e-12), ("float", 1e-4)])
def test_tensors_on_a_device_stay_there(
    torch: ModuleType, monkeypatch: pytest.MonkeyPatch, real: str, tolerance: float
) -> None:
    """The processor stands in for the device: a result and its gradient are the processor's own."""
    processor = emulate(monkeypatch.setattr)
    found = []
    for asked in ({"target": "cuda", "real": real}, {"target": "numpy"}):
        solver = mstmm.compile("double-pendulum", parameters=("m1", "g"), **asked)
        kind = torch.float32 if asked.get("real") == "float" else torch.float64
        given = [torch.tensor(x, dtype=kind, requires_grad=True) for x in states(solver, 3)]
        *three, p = given
        a = mstmm.torch.module(solver).accelerations(*three, p=p)
        (a**2).sum().backward()
        found.append([x.detach().numpy() for x in (a, *(x.grad for x in given))])
    assert {x[0] for x in processor.launched} == {
        "double_pendulum_accelerations_device",
        "double_pendulum_pullback_pullback_device",
    }
    for one, other in zip(*found, strict=True):
        close(one, other, tolerance)
    module = mstmm.torch.module(mstmm.compile("double-pendulum", target="cuda"))
    with pytest.raises(UsageError, match="computes in float64 on cuda"):
        module.accelerations(*(x.float() for x in three))


# JAX


@pytest.fixture(scope="module", params=["accelerations", "inverse_dynamics"])
def of_jax(request: Any, jax: ModuleType, solver: Solver) -> Made:
    method = getattr(mstmm.jax.function(solver), request.param)
    return lambda q, v, x, p: method(q, v, x, p=p), list(states(solver, 3))


@pytest.mark.parametrize("target", ["c-batch", "numpy"])
def test_jax_gives_what_the_solver_gives(jax: ModuleType, solver: Solver, target: str) -> None:
    """By the handler in C, and by a call of Python; one state is refused."""
    if target == "c-batch" and TARGET != "c":
        pytest.skip("no C compiler")
    own = mstmm.compile(solver.model, target=target, parameters=solver.parameters)
    function, (q, v, tau, _) = mstmm.jax.function(own), states(solver, 3)
    unit = places.unit(solver.model, q, join)
    expected = own.accelerations(unit, v, tau)
    close(np.array(jax.jit(function.accelerations)(q, v, tau)), expected, 1e-13)
    close(np.array(jax.vmap(function.accelerations)(q, v, tau)), expected, 1e-13)
    q[1] = np.nan
    found = np.array(jax.jit(function.accelerations)(q, v, tau))
    assert np.isnan(found).all(axis=1).tolist() == [False, True, False]


def test_jax_in_both_modes_by_differences(jax: ModuleType, of_jax: Made) -> None:
    from jax.test_util import check_grads

    function, given = of_jax
    check_grads(function, given, 1, modes=("fwd", "rev"), atol=1e-4, rtol=1e-5)


def test_jax_gives_the_full_derivatives(jax: ModuleType, solver: Solver) -> None:
    function, (q, v, tau, _) = mstmm.jax.function(solver), states(solver, 3)
    expected = np.array([by_coordinates(solver, *x) for x in zip(q, tau, v, strict=True)])
    for mode in (jax.jacrev, jax.jacfwd):
        found = jax.jit(jax.vmap(mode(function.accelerations)))(q, v, tau)
        close(np.array(found), expected, 1e-12)
    total = jax.vmap(jax.grad(lambda *x: function.accelerations(*x).sum()))(q, v, tau)
    close(np.array(total), expected.sum(axis=1), 1e-12)


def test_jax_has_no_second_derivatives(jax: ModuleType) -> None:
    solver = mstmm.compile("double-pendulum", target="numpy")
    function, (q, v, *_) = mstmm.jax.function(solver), states(solver, 1)
    total = lambda q: function.accelerations(q, v[0]).sum()  # noqa: E731
    for outer, inner in (
        (jax.jacfwd, jax.jacrev),
        (jax.jacfwd, jax.jacfwd),
        (jax.jacrev, jax.jacrev),
    ):
        twice = outer(inner(total))
        with pytest.raises(UsageError, match="first derivatives alone"):
            twice(q[0])


def test_jax_refuses_single_precision_by_name(jax: ModuleType, solver: Solver) -> None:
    q, v, *_ = states(solver, 1)
    with pytest.raises(UsageError, match=r"float32.*doubles"):
        mstmm.jax.function(solver).accelerations(q, v.astype(np.float32))
    jax.config.update("jax_enable_x64", False)
    try:
        with pytest.raises(UsageError, match="jax_enable_x64"):
            mstmm.jax.function(solver)
    finally:
        jax.config.update("jax_enable_x64", True)


def test_a_rollout_in_jax_is_that_of_its_steps(jax: ModuleType) -> None:
    solver = mstmm.compile("double-pendulum", target="numpy", parameters=("g",))
    function, (q, v, tau, p) = mstmm.jax.function(solver), states(solver, 2)
    forces = np.stack([tau * (k + 1) for k in range(5)])

    def end(forces: Any, p: Any, every: int | None) -> Any:
        qs, vs = function.rollout(q, v, forces, 0.01, p=p, every=every, method="rk4")
        assert len(qs) == 6
        return qs[-1].sum() + (vs[-1] ** 2).sum()

    def stepped(forces: Any, p: Any) -> Any:
        state = q, v
        for k, force in enumerate(forces):
            state = function.step(*state, force, 0.01, p=p, t=0.01 * k, method="rk4")
        return state[0].sum() + (state[1] ** 2).sum()

    expected = jax.jit(jax.grad(stepped, (0, 1)))(forces, p)
    for every in (None, 7):
        for x, y in zip(
            jax.jit(jax.grad(end, (0, 1)), static_argnums=2)(forces, p, every),
            expected,
            strict=True,
        ):
            close(np.array(x), np.array(y), 1e-12)

"""What bridges to PyTorch and JAX refuse, in both alike, and their copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from closeness import close
from compiler import TARGET

import mstmm
from mstmm.errors import UsageError
from mstmm.runtime.solver import Solver

pytestmark = pytest.mark.extras

#: Two links, of which a load that turns with the time pulls the second.
TIMED = """
name = "timed"
dimension = 2
gravity = [0, -9.81]
[bodies.1]
mass = 1
inertia = 0.1
centre = [0.5, 0]
points = { I = {}, O = { position = [1, 0] } }
[bodies.2]
mass = 1
inertia = 0.1
centre = [0.5, 0]
points = { I = {} }
[hinges.a]
kind = "pin"
parent = "ground"
child = "1:I"
[hinges.b]
kind = "pin"
parent = "1:O"
child = "2:I"
[loads.w]
body = "2"
force = ["cos(t)", 1]
"""


@pytest.fixture(scope="module")
def torch() -> ModuleType:
    return pytest.importorskip("torch", reason="PyTorch is not installed")  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def jax() -> ModuleType:
    found = pytest.importorskip("jax", reason="JAX is not installed")
    found.config.update("jax_enable_x64", True)
    return found  # type: ignore[no-any-return]


@pytest.fixture(params=["torch", "jax"])
def bridge(request: Any) -> Callable[[Solver], Any]:
    request.getfixturevalue(request.param)
    import mstmm.jax
    import mstmm.torch

    return mstmm.torch.module if request.param == "torch" else mstmm.jax.function


def test_there_is_no_silent_zero_by_the_time(
    torch: ModuleType, jax: ModuleType, tmp_path: Path
) -> None:
    """A load turns with t: refused in all modes; where no time is read, dt stays right."""
    import mstmm.jax
    import mstmm.torch

    file = tmp_path / "timed.toml"
    file.write_text(TIMED, "utf-8")
    solver = mstmm.compile(str(file), target="numpy")
    q, dt = np.array([0.3, 0.2]), 0.05
    module, function = mstmm.torch.module(solver), mstmm.jax.function(solver)
    Q, number = torch.from_numpy(q), torch.tensor(dt, dtype=torch.float64)
    forces = np.zeros((3, 2))

    def by_torch(t: Any) -> Any:
        return module.accelerations(Q, Q, t=t).sum()

    def end(t: Any) -> Any:
        return function.rollout(q, q, forces, t)[0].sum()

    def by_jax(t: Any) -> Any:
        return function.accelerations(q, q, t=t).sum()

    for asked in (
        lambda: by_torch(number.clone().requires_grad_()).backward(),
        lambda: torch.func.grad(by_torch)(number),
        lambda: torch.func.jvp(by_torch, (number,), (number,)),
        lambda: module.rollout(
            Q, Q, torch.zeros_like(Q)[None], number.clone().requires_grad_(), method="rk4"
        )[0].sum().backward(),
        lambda: jax.grad(by_jax)(0.1),
        lambda: jax.jvp(by_jax, (0.1,), (1.0,)),
        lambda: jax.jit(jax.grad(end))(dt),
    ):  # fmt: skip
        with pytest.raises(UsageError, match="no derivatives by the time"):
            asked()
    function = mstmm.jax.function(mstmm.compile("double-pendulum", target="numpy"))
    close(float(jax.grad(end)(dt)), float(end(dt + 1e-5) - end(dt - 1e-5)) / 2e-5, 1e-6)


def test_quaternions_of_any_length(torch: ModuleType, jax: ModuleType) -> None:
    """Far from 1 the result is the same, and the gradient the length's inverse times it."""
    import mstmm.jax
    import mstmm.torch

    solver = mstmm.compile("ball-chain:n=2", target="numpy")
    q = np.tile(solver.model.q0, (4, 1))
    lengths = np.array([1.0, 1e200, 1e-200, 0.0])
    q[:, :4] = lengths[:, None] * [0.5, -0.5, 0.7, 0.1]
    v = np.zeros((4, 6))
    Q = torch.from_numpy(q).requires_grad_()
    a = mstmm.torch.module(solver).accelerations(Q, torch.from_numpy(v))
    a.sum().backward()
    function = mstmm.jax.function(solver)
    by_jax = jax.grad(lambda q: function.accelerations(q, v).sum())(q)
    for found in (Q.grad.numpy(), np.array(by_jax)):
        close(found[1, :4] * 1e200, found[0, :4], 1e-12)
        close(found[2, :4] * 1e-200, found[0, :4], 1e-12)
        assert np.isnan(found[3, :4]).all()
    a = a.detach().numpy()
    close(a[1:3], a[[0, 0]], 1e-12)
    assert np.isnan(a[3]).all()


def test_steps_of_closed_loops_are_refused(bridge: Any) -> None:
    solver = mstmm.compile("four-bar", target="numpy")
    made, q = bridge(solver), np.array(solver.model.q0)
    v = np.zeros(len(solver.speeds))
    for asked in (lambda: made.step(q, v, v, 0.01), lambda: made.rollout(q, v, v[None], 0.01)):
        with pytest.raises(UsageError, match=r"steps of trees alone.*solver\.project"):
            asked()


def test_a_rollout_broadcasts_or_says_what_does_not_fit(bridge: Any) -> None:
    solver = mstmm.compile("double-pendulum", target="numpy", parameters=("m1", "l2"))
    made, q, tau = bridge(solver), np.zeros(2), np.ones((4, 3, 2))
    p = np.tile(solver.parameter_values(None), (3, 1))
    alone = made.rollout(q, q, tau[:, 0], 0.01)[0]
    assert made.rollout(q, q, tau[:0], 0.01)[0].shape == (1, 3, 2)
    for given, more in ((tau, {}), (tau[:, 0], {"p": p})):
        found = made.rollout(q, q, given, 0.01, **more)[0]
        assert found.shape == (5, 3, 2)
        close(np.array(found[:, 2]), np.array(alone), 1e-14)
    for match, asked in (
        (r"do not broadcast: q \(5,\).*tau \(3,\)", lambda: made.rollout(p[[0] * 5], q, tau, 0.01)),
        (r"tau has the shape \(2,\) instead of \(steps", lambda: made.rollout(q, q, q, 0.01)),
        ("q is one number", lambda: made.rollout(0.1, q, tau, 0.01)),
        ("tau = None is no array", lambda: made.rollout(q, q, None, 0.01)),
        ("p is a mapping.*parameter_values", lambda: made.accelerations(q, q, p={"m1": 1.0})),
        (r"q has the shape \(\)", lambda: made.accelerations(0.1, q)),
        ("q = 'a' is no array", lambda: made.accelerations("a", q)),
        ("v is of .*float32", lambda: made.accelerations(q, q.astype("f4"))),
        ("takes a solver", lambda: bridge("double-pendulum")),  # type: ignore[arg-type]
    ):
        with pytest.raises(UsageError, match=match):
            asked()


def test_copies_are_made_from_the_solver_s(bridge: Any) -> None:
    made, q = bridge(mstmm.compile("double-pendulum", target="numpy")), np.array([0.1, 0.2])
    expected = np.array(made.accelerations(q, q))
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        close(np.array(other.accelerations(q, q)), expected, 0.0)


@pytest.mark.parametrize("target", [TARGET, "numpy"])
def test_parameters_that_the_solver_refuses_are_nan(
    torch: ModuleType, jax: ModuleType, target: str
) -> None:
    """A negative mass among others, in values and gradients; NumPy's code and a library's."""
    import mstmm.jax
    import mstmm.torch

    target = "c-batch" if target == "c" else target
    solver = mstmm.compile("double-pendulum", target=target, parameters=("m1", "l2"))
    q, p = np.full((3, 2), 0.2), np.tile(solver.parameter_values(None), (3, 1))
    p[1, 0] = -1.0
    Q, P = torch.from_numpy(q), torch.from_numpy(p).requires_grad_()
    a = mstmm.torch.module(solver).accelerations(Q, Q, p=P)
    a.sum().backward()
    function = mstmm.jax.function(solver)

    def total(p: Any) -> Any:
        return function.accelerations(q, q, p=p).sum()

    for found in (
        *(a.detach().numpy(), P.grad.numpy()),
        *(function.accelerations(q, q, p=p), jax.grad(total)(p), jax.jit(jax.grad(total))(p)),
        jax.jit(jax.vmap(lambda p: function.accelerations(q[0], q[0], p=p)))(p),
        jax.jit(lambda p: function.rollout(q, q, q[None], 0.01, p=p)[1][-1])(p),
    ):
        assert np.isnan(np.asarray(found)).all(axis=1).tolist() == [False, True, False]

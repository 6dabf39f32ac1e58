"""Vector–Jacobian products: against differences in 50 digits, and against full derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

import acting_models
import loop_models
import numpy as np
import pytest
from closeness import close
from compiler import needs_compiler
from derivative_checks import DIGITS, by_interpreter, differences, exact, parameters_of
from random_models import joint_tree, random_joint_state

import mstmm
from mstmm.errors import UsageError
from mstmm.model import Model
from mstmm.symbolic.language.arithmetic import FLOAT, digits
from mstmm.symbolic.language.cotangent import cotangent_kernel
from mstmm.symbolic.language.interpreter import Interpreter, evaluate
from mstmm.symbolic.language.program import KernelBuilder, Policy, Program
from mstmm.symbolic.methods.inverse.program import inverse_program
from mstmm.symbolic.methods.pullbacks.program import inverse_pullback_program, pullback_program
from mstmm.symbolic.methods.riccati.joint import joint_program
from mstmm.symbolic.plans.plan import plan

Given = dict[str, Sequence[float]]


def pulled(program: Program, given: Given, *names: str) -> np.ndarray:
    """What a program that runs backwards gives, by the reference interpreter in doubles."""
    (entry,) = program.entries
    run = Interpreter(program, FLOAT, parameters_of(program, given))
    found = run.results(entry.name, {x: [*map(float, y)] for x, y in given.items() if x != "p"})
    return np.array([float(x) for name in names if name in found for x in found[name]])


def tree(rng: Random) -> Model:
    """Of hinges and laws of several kinds, springs between bodies, loads, a moving ground."""
    sprung = acting_models.sprung(rng, acting_models.tree(rng, 3, 3))
    return acting_models.moved(rng, acting_models.loaded(rng, sprung))


def sensing(rng: Random) -> Model:
    """Of forces between points and laws that read sensors, their rates and other hinges."""
    known = acting_models.tree(rng, 2, 2)
    known = replace(known, parameters={**known.parameters, **acting_models.PARAMETERS})
    return acting_models.sensing(rng, acting_models.pulled(rng, known, 1))


def loop(rng: Random) -> Model:
    bars = loop_models.four_bar()
    known = {**bars.parameters, **acting_models.PARAMETERS}
    return acting_models.sprung(rng, replace(bars, parameters=known))


@pytest.mark.parametrize("make", [pytest.param(tree, marks=pytest.mark.slow), sensing, loop])
def test_of_accelerations_by_differences(make: Callable[[Random], Model]) -> None:
    """g·a moved along each coordinate, speed, force and parameter, with a loop too."""
    rng = Random(5)
    model, runtime = make(rng), ("A", "K")
    q, v = random_joint_state(rng, model)
    given: Given = {"q": q, "v": v, "tau": [rng.uniform(-3, 3) for _ in v], "t": [0.3]}
    given["p"], g = [0.5, 2.0], np.array([rng.uniform(-1, 1) for _ in v])
    dynamics = joint_program(plan(model), runtime=runtime, forced=True)
    given["c"] = [0.0] * len(dynamics.sets.get("conditions", ()))
    owners = {array.owner for array in dynamics.arrays.values()}
    known = {name: x for name, x in given.items() if name in (*owners, "p")}
    found = pulled(
        pullback_program(plan(model), runtime=runtime),
        {**known, "g": g.tolist()},
        *("gq", "gv", "gtau", "gp"),
    )
    assert np.abs(found[-2:]).max() > 1e-6
    close(found, g @ differences(model, by_interpreter(dynamics), known), 1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_of_inverse_dynamics_by_differences(dimension: int) -> None:
    """By all parameters too, of which constants that are symmetric are made in space."""
    rng = Random(3)
    model = joint_tree(rng, dimension, bodies=3)
    runtime = tuple(model.parameters)
    q, v = random_joint_state(rng, model)
    a, g = ([rng.uniform(-3, 3) for _ in v] for _ in range(2))
    forces = inverse_program(plan(model), runtime=runtime)

    def needed(p: Any, **given: Any) -> Any:
        values = {name: exact(x) for name, x in zip(runtime, p, strict=True)}
        given["ad"] = given.pop("tau")
        return Interpreter(forces, digits(DIGITS), values).results("inverse_dynamics", given)["tau"]

    p = [1.1 * value for value in model.parameters.values()]
    by = differences(model, needed, {"q": q, "v": v, "tau": a, "p": p})
    program = inverse_pullback_program(plan(model), runtime=runtime)
    found = pulled(program, {"q": q, "v": v, "ad": a, "g": g, "p": p}, "gq", "gv", "gad", "gp")
    close(found, np.array(g) @ by)


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    ("name", "target"),
    [
        ("four-bar", "numpy"),
        pytest.param("four-bar", "c", marks=needs_compiler),
        pytest.param("four-bar", "c-batch", marks=needs_compiler),
        pytest.param("rod-chain:n=9", "numpy", marks=SLOW),
        pytest.param("rod-chain:n=9", "c", marks=[SLOW, needs_compiler]),
        pytest.param("spatial-tree", "c-batch", marks=[SLOW, needs_compiler]),
    ],
)
def test_is_what_full_derivatives_give(name: str, target: str) -> None:
    """Of quaternions, a loop, and absolute coordinates in loops of code."""
    mass = {"spatial-tree": "m_nut", "four-bar": "mu", "rod-chain:n=9": "m"}[name]
    solver = mstmm.compile(mstmm.load(name), target=target, parameters=(mass, "g"))
    model, rng = solver.model, np.random.default_rng(1)
    q = np.tile(model.q0, (3, 1))
    if not solver.conditions:
        q += rng.uniform(-0.5, 0.5, q.shape)
        for k in model.quaternions:
            q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    v, tau, g = rng.uniform(-1, 1, (3, 3, len(solver.speeds)))
    v = np.array([solver.project(*x)[1] for x in zip(q, v, strict=True)])
    found, whole = solver.pullback(q, v, tau, g), solver.derivatives(q, v, tau)
    close(found.a, whole.a, 1e-13)
    for by in ("q", "v", "tau", "p"):
        close(getattr(found, by), np.einsum("ni,nij->nj", g, getattr(whole, f"d{by}")), 1e-12)


def test_what_the_face_refuses() -> None:
    solver = mstmm.compile("four-bar", target="numpy")
    q, v = np.array(solver.model.q0), np.zeros(len(solver.speeds))
    with pytest.raises(UsageError, match="closed loops, where many forces"):
        solver.inverse_pullback(q, v, v, v)
    with pytest.raises(UsageError, match=r"g has the shape \(2,\)"):
        solver.pullback(q, v, v, v[:2])
    assert solver.pullback(q, v, v, v + 1).p.shape == (0,)


def test_a_system_that_is_not_symmetric_is_transposed() -> None:
    """x = A⁻¹ b by pivoted elimination: b̄ = A⁻ᵀ g, Ā = −b̄ xᵀ."""
    kernel = KernelBuilder("solved", "a system")
    A, b = kernel.take("A", 2, 2), kernel.take("b", 2)
    kernel.solve("x", A, b, "own", Policy.LU)
    made = cotangent_kernel(kernel.build("x"), (("x", 1),), frozenset(("A", "b")))
    rng = np.random.default_rng(2)
    matrix, side, g = rng.normal(size=(2, 2)), rng.normal(size=2), rng.normal(size=2)
    found = evaluate(made, {"A": matrix.ravel(), "b": side, "b0_x": g}, FLOAT)
    back = np.linalg.solve(matrix.T, g)
    close(np.array(found["b_b"], float), back)
    close(np.array(found["b_A"], float), -np.outer(back, np.linalg.solve(matrix, side)).ravel())

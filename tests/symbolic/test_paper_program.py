"""Algorithms A and B as a program, interpreted, against the independent solver."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest
import random_models
import sympy as sp
from independent.newton_euler import newton_euler

from mstmm.model import Model, load
from mstmm.symbolic.language.arithmetic import FLOAT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Let, Program
from mstmm.symbolic.methods.riccati.paper import paper_program
from mstmm.symbolic.plans.plan import plan

#: A pivoted solve in doubles; the worst of 240 trees was below 1e-11.
TOLERANCE = 1e-9


def check(model: Model, rng: Random, *, forced: bool = False) -> float:
    program = paper_program(plan(model), forced=forced)
    q, v = random_models.random_state(rng, model.dimension, len(model.bodies))
    arguments = {"q": q, "v": v}
    extra = []
    if forced:
        f = random_models.random_wrenches(rng, model)
        tau = np.array([rng.uniform(-3, 3) for _ in model.speeds])
        arguments |= {"f": list(f.ravel()), "tau": list(tau)}
        extra = [f, tau]
    expected = newton_euler(model, q, v, *extra)
    found = Interpreter(program, FLOAT).results("joint_loads", arguments)
    scale = max(1.0, np.abs(expected.accelerations).max())
    error = float(np.abs(np.array(found["a"]) - expected.accelerations).max() / scale)
    loads = np.array(found["loads"]).reshape(-1, 6)
    largest = max(1.0, max(np.abs(force).max() for force in expected.forces.values()))
    for row, end in zip(loads, program.sets["ends"], strict=True):
        force = expected.forces[end]
        error = max(error, float(np.abs(row[3 : 3 + len(force)] - force).max() / largest))
        error = max(error, float(np.abs(row[:3]).max() / largest))
    assert error < TOLERANCE
    return error


@pytest.mark.parametrize("seed", range(40))
def test_planar_trees(seed: int) -> None:
    rng = Random(seed)
    check(random_models.planar_tree(rng, 12), rng, forced=seed % 3 == 0)


@pytest.mark.parametrize("seed", range(10))
def test_spatial_trees(seed: int) -> None:
    rng = Random(100 + seed)
    check(random_models.spatial_tree(rng, 5), rng, forced=seed % 3 == 0)


@pytest.mark.parametrize(
    "name",
    [
        "branch-pendulum",
        "branch-system:N=11",
        "branch-system:N=21",
        "rod-chain:n=1",
        "rod-chain:n=12",
    ],
)
def test_the_papers_systems(name: str) -> None:
    check(load(name), Random(1))


def test_a_long_root_chain() -> None:
    check(load("branch-system", N=199), Random(2))


def test_the_systems_size_does_not_grow() -> None:
    for N in (11, 51):
        program = paper_program(plan(load("branch-system", N=N)))
        (call,) = program.step("overall").calls
        solve = call.kernel.statements[[s.port.name for s in call.kernel.statements].index("zbar")]
        assert solve.matrix.shape == (9, 9)


def branched(dimension: int) -> Model:
    """A random tree with a root chain, a branch, and a branch further out."""
    build = random_models.planar_tree if dimension == 2 else random_models.spatial_tree
    for seed in range(10_000):
        model = build(Random(seed), 7)
        links = plan(model).links
        inputs = [len(link.inputs) for link in reversed(links)]
        if inputs[:2] == [1, 1] and sum(count > 1 for count in inputs) == 2 and len(links) <= 7:
            return model
    raise AssertionError


def mutants(program: Program) -> Iterator[tuple[str, Program]]:
    """The program with one thousandth added to one entry of one statement, one at a time."""
    dynamics = program.entries[1].steps[1:]
    calls = [call for name in dynamics for call in program.step(name).calls]
    for kernel in dict.fromkeys(call.kernel for call in calls):
        for at, statement in enumerate(kernel.statements):
            field = "value" if isinstance(statement, Let) else "rhs"
            for i, j in statement.port.entries:
                changed = sp.Matrix(getattr(statement, field))
                if changed[i, j].is_number:
                    continue
                changed[i, j] += sp.Rational(1, 1000)
                wrong = replace(statement, **{field: changed})
                statements = (*kernel.statements[:at], wrong, *kernel.statements[at + 1 :])
                mutant = replace(kernel, statements=statements)
                steps = tuple(
                    replace(
                        step,
                        calls=tuple(
                            replace(call, kernel=mutant) if call.kernel is kernel else call
                            for call in step.calls
                        ),
                    )
                    for step in program.steps
                )
                name = f"{kernel.name}: {statement.port.entry_name(i, j)}"
                yield name, replace(program, steps=steps)


#: Nobody goes back beyond a tip; a hinge drops the Ω̇ behind it; loads need no acceleration.
NOWHERE_USED = {f"paper_body_0: Pq{i}" for i in (1, 2, 3)} | {
    "paper_point: zbI3",
    "paper_load_root: za2",
    "paper_load_root: za3",
}


def test_every_wrong_entry_is_seen() -> None:
    model = branched(2)
    rng = Random(5)
    q, v = random_models.random_state(rng, 2, len(model.bodies))
    right = Interpreter(paper_program(plan(model)), FLOAT).results("joint_loads", {"q": q, "v": v})
    unseen, count = [], 0
    for name, program in mutants(paper_program(plan(model))):
        count += 1
        found = Interpreter(program, FLOAT).results("joint_loads", {"q": q, "v": v})
        if all(
            np.allclose(found[key], right[key], rtol=TOLERANCE, atol=TOLERANCE) for key in right
        ):
            unseen.append(name)
    assert count > 150
    assert set(unseen) == NOWHERE_USED


def test_a_spatial_branch_with_root_chain() -> None:
    check(branched(3), Random(3), forced=True)

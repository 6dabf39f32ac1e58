"""The derived recursion, run as it stands and compiled, against the independent judges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from random import Random

import numpy as np
import pytest
import random_models
import sympy as sp
from independent.lagrange import energy
from independent.newton_euler import Motion, newton_euler

from mstmm.codegen.interpreter import FLOAT, Interpreter
from mstmm.model import Model
from mstmm.symbolic.fast import fast_program
from mstmm.symbolic.plan import plan
from mstmm.symbolic.program import Kernel, Let, Program, Step

#: Both sides round in double precision: 1e-14 was the most that was seen on 260 random trees.
TOLERANCE = 1e-11

DYNAMICS = ("orientation", "tips_to_root", "root_to_tips", "hinge_loads")

Array = np.ndarray


class Interpreted:
    """A model's program, run by the reference interpreter in double precision."""

    def __init__(self, model: Model, forced: bool) -> None:
        program = fast_program(plan(model), forced=forced)
        self.ends = program.sets["ends"]
        self.runs = Interpreter(program, FLOAT)

    def results(
        self, entry: str, q: Array, v: Array, wrenches: Array | None = None
    ) -> dict[str, Array]:
        arguments = {"q": list(q), "v": list(v)}
        if wrenches is not None:
            arguments["f"] = list(np.ravel(wrenches))
        found = self.runs.results(entry, arguments)
        return {name: np.array(values, dtype=float) for name, values in found.items()}


def check_accelerations(found: Array, expected: Motion) -> None:
    scale = np.abs(expected.accelerations).max()
    assert np.abs(found - expected.accelerations).max() <= TOLERANCE * scale


def check_loads(ends: tuple[str, ...], loads: Array, expected: Motion) -> None:
    """Each force is the one that the tip side exerts on the root side; no moment anywhere."""
    forces = np.zeros((len(ends), 3))
    for row, end in zip(forces, ends, strict=True):
        row[: len(expected.forces[end])] = expected.forces[end]
    scale = np.abs(forces).max()
    rows = loads.reshape(-1, 6)
    assert np.abs(rows[:, 3:] - forces).max() <= TOLERANCE * scale
    assert np.abs(rows[:, :3]).max() <= TOLERANCE * scale


def check_interpreted(model: Model, rng: Random) -> None:
    """At the model's own state; every other model is loaded by external forces and couples."""
    forced = rng.random() < 0.5
    wrenches = random_models.random_wrenches(rng, model) if forced else None
    q, v = np.array(model.q0), np.array(model.v0)
    system = Interpreted(model, forced)
    found = system.results("joint_loads", q, v, wrenches)
    expected = newton_euler(model, q, v, wrenches)
    assert set(system.ends) == set(expected.forces)
    check_accelerations(found["a"], expected)
    check_loads(system.ends, found["loads"], expected)
    total = system.results("energy", q, v)["energy"] if not forced else None
    if total is not None:
        assert total[0] == pytest.approx(energy(model, q, v), rel=1e-12, abs=1e-10)


@pytest.mark.parametrize("seed", range(200))
def test_random_planar_tree(seed: int) -> None:
    rng = Random(seed)
    check_interpreted(random_models.planar_tree(rng), rng)


@pytest.mark.parametrize("seed", range(40))
def test_random_spatial_tree(seed: int) -> None:
    rng = Random(seed)
    check_interpreted(random_models.spatial_tree(rng), rng)


def tree_of(dimension: int, inputs: tuple[int, ...], seed: int) -> Model:
    """A random tree whose bodies have that many inputs, from the ground outwards."""
    build = random_models.planar_tree if dimension == 2 else random_models.spatial_tree
    for attempt in count(1000 * seed):
        model = build(Random(attempt), len(inputs))
        if tuple(len(link.inputs) for link in reversed(plan(model).links)) == inputs:
            return model
    raise AssertionError


@pytest.mark.parametrize("seed", range(10))
def test_spatial_branch_of_four_general_bodies(seed: int) -> None:
    model = tree_of(3, (1, 2, 0, 0), seed)
    rng = Random(seed)
    for _ in range(5):
        q, v = random_models.random_state(rng, 3, 4)
        check_interpreted(replace(model, q0=tuple(q), v0=tuple(v)), rng)


def mutants(model: Model) -> Iterator[tuple[str, Program]]:
    """The program with one thousandth added to one entry of one statement, one at a time."""
    program = fast_program(plan(model))
    steps = [program.step(name) for name in DYNAMICS]
    for kernel in dict.fromkeys(call.kernel for step in steps for call in step.calls):
        used = _used(kernel)
        for at, statement in enumerate(kernel.statements):
            field = "value" if isinstance(statement, Let) else "rhs"
            matrix = getattr(statement, field)
            for i, j in statement.port.entries:
                if statement.port.symbols()[i, j] not in used or matrix[i, j].is_number:
                    continue
                changed = sp.Matrix(matrix)
                changed[i, j] += sp.Rational(1, 1000)
                wrong = replace(statement, **{field: changed})
                statements = (*kernel.statements[:at], wrong, *kernel.statements[at + 1 :])
                name = f"{kernel.name}: {statement.port.entry_name(i, j)}"
                yield name, _swapped(program, kernel, replace(kernel, statements=statements))


def _used(kernel: Kernel) -> set[sp.Symbol]:
    """All symbols that reach an output of the kernel."""
    used = {symbol for port in kernel.outputs for symbol in port.symbols()}
    for statement in reversed(kernel.statements):
        symbols = statement.port.symbols()
        if isinstance(statement, Let):
            for i, j in statement.port.entries:
                if symbols[i, j] in used:
                    used |= statement.value[i, j].free_symbols
        else:
            used |= statement.matrix.free_symbols | statement.rhs.free_symbols
    return used


def _swapped(program: Program, old: Kernel, new: Kernel) -> Program:
    def turned(step: Step) -> Step:
        calls = (replace(c, kernel=new) if c.kernel is old else c for c in step.calls)
        return replace(step, calls=tuple(calls))

    return replace(program, steps=tuple(turned(step) for step in program.steps))


@pytest.mark.parametrize("dimension", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_judge_sees_every_wrong_entry(dimension: int) -> None:
    """The comparison can fail: each entry in each kernel of the dynamics is seen when wrong."""
    model = tree_of(dimension, (1, 1, 2, 0, 0), 1)
    expected = newton_euler(model, model.q0, model.v0)
    state = {"q": list(model.q0), "v": list(model.v0)}
    names, unseen = [], []
    for name, program in mutants(model):
        found = Interpreter(program, FLOAT).results("joint_loads", state)
        names.append(name)
        if _agree(program, found, expected):
            unseen.append(name)
    assert not unseen
    assert len(names) > 30


def _agree(program: Program, found: dict[str, list[float]], expected: Motion) -> bool:
    try:
        check_accelerations(np.array(found["a"]), expected)
        check_loads(program.sets["ends"], np.array(found["loads"]), expected)
    except AssertionError:
        return False
    return True

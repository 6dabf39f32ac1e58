"""Closed loops in joint coordinates against the judge that tries wrenches on the open tree."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import loop_models
import numpy as np
import pytest
import random_models
from independent.loops import LoopMotion, loop_motion
from independent.tree import extended

from mstmm.codegen.interpreter import FLOAT, Interpreter
from mstmm.model import Model
from mstmm.symbolic.jointprogram import joint_program
from mstmm.symbolic.plan import plan

#: Relative to the largest number; the random loops' conditions are 1e4 at worst.
TOLERANCE = 1e-8

Array = np.ndarray


def results(model: Model, entry: str, forced: bool = False, **arguments: Array) -> dict[str, Array]:
    """The reference interpreter's results in double precision."""
    program = joint_program(plan(model), forced=forced)
    flat = {name: [float(x) for x in np.ravel(value)] for name, value in arguments.items()}
    found = Interpreter(program, FLOAT).results(entry, {"c": [], **flat})
    return {name: np.array(values, dtype=float) for name, values in found.items()}


def compare(found: Array, expected: Array, tolerance: float = TOLERANCE) -> None:
    expected = np.array(expected, dtype=float)
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    assert np.abs(found - expected).max(initial=0.0) <= tolerance * scale


def ends_of(model: Model) -> tuple[str, ...]:
    return joint_program(plan(model)).sets["ends"]


def check(model: Model, rng: Random) -> LoopMotion:
    """At the model's own place and random speeds that its loops allow, loaded by forces."""
    q = np.array(model.q0)
    at_rest = loop_motion(model, q, np.zeros(len(model.speeds)))
    if np.abs(at_rest.jacobian).max() < 1e-9:  # between bodies that do not move at all
        return at_rest
    v = loop_models.allowed_speeds(rng, at_rest.jacobian)
    size = 3 if model.dimension == 2 else 6
    f = random_models.random_wrenches(rng, model)
    tau = np.array([rng.uniform(-3, 3) for _ in model.speeds])
    wrenches = np.zeros((len(model.bodies), 6))
    if size == 3:
        wrenches[:, [3, 4, 2]] = f
    else:
        wrenches[:, [3, 4, 5, 0, 1, 2]] = f
    expected = loop_motion(model, q, v, tau, wrenches)
    gaps = results(model, "constraints", q=q, v=v)
    assert np.abs(gaps["phi"]).max() < 1e-13
    assert np.abs(gaps["phid"]).max() < 1e-11
    found = results(model, "joint_loads", forced=True, q=q, v=v, tau=tau, f=f)
    compare(found["a"], expected.accelerations)
    if expected.redundant == 0:
        given = {**expected.tree.loads, **expected.cut_loads}
        compare(found["loads"], np.concatenate([given[end] for end in ends_of(model)]))
    return expected


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_random_loops(dimension: int, seed: int) -> None:
    rng = Random(100 * dimension + seed)
    bodies = rng.randint(2, 7)
    check(loop_models.loop_model(rng, dimension, bodies, rng.randint(1, 3)), rng)


KINDS = [(d, kind) for d, kinds in loop_models.CUTTABLE.items() for kind in kinds]


@pytest.mark.parametrize(("dimension", "kind"), KINDS)
@pytest.mark.parametrize("grounded", [False, True])
def test_every_kind_of_cut(dimension: int, kind: str, grounded: bool) -> None:
    rng = Random(f"{dimension}{kind}{grounded}")
    for _ in range(3):
        check(loop_models.loop_model(rng, dimension, 6, 1, (kind,), grounded), rng)


def test_judge_in_fifty_digits_agrees() -> None:
    rng = Random(5)
    model = loop_models.loop_model(rng, 3, 4, 1, ("revolute",))
    q = np.array(model.q0)
    v = loop_models.allowed_speeds(rng, loop_motion(model, q, 0 * model_speeds(model)).jacobian)
    exact = loop_motion(model, q, v, arithmetic=extended(50))
    found = results(model, "accelerations", q=q, v=v)["a"]
    compare(found, exact.accelerations)


def model_speeds(model: Model) -> Array:
    return np.ones(len(model.speeds))


def test_cuts_do_not_change_the_loads() -> None:
    """The same loop, each of its hinges cut in turn: the same motion and loads by end."""
    pinned = loop_models.four_bar()
    assert pinned.cuts == ("D",)
    found = replace(pinned, cuts=("B",), q0=(), v0=())
    assert found.coordinates == ("qA", "qC", "qD")

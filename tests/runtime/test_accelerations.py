"""The recursion in absolute coordinates, against the judges of trees of pins and of balls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

import hypothesis.strategies as st
import numpy as np
import pytest
import random_models
from compiler import TARGET, TARGETS
from hypothesis import given, settings
from independent.four_rods import four_rods
from independent.lagrange import lagrange
from judging import Interpreted, assert_forward
from planting import mutants
from scenarios import in_absolute_motion

import mstmm
from mstmm.model import Model
from mstmm.symbolic.methods.riccati.absolute import fast_program
from mstmm.symbolic.plans.plan import plan

DYNAMICS = ("orientation", "tips_to_root", "root_to_tips", "hinge_loads")

Array = np.ndarray


@settings(max_examples=40, deadline=None)
@given(random_models.trees(), st.randoms(use_true_random=False))
def test_any_tree(model: Model, rng: Random) -> None:
    """As those of the table, but a failure shrinks to a small model."""
    state, motion = in_absolute_motion(rng, model)
    assert_forward(state, motion, Interpreted(model))


@pytest.mark.slow
@pytest.mark.parametrize("tree", [random_models.planar_tree, random_models.spatial_tree])
def test_two_hundred_trees(tree: Callable[[Random], Model]) -> None:
    for seed in range(200):
        rng = Random(seed)
        state, motion = in_absolute_motion(rng, tree(rng))
        assert_forward(state, motion, Interpreted(state.model))


@pytest.mark.parametrize("dimension", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_judge_sees_every_wrong_entry(dimension: int) -> None:
    """The comparison can fail: each entry in each kernel of the dynamics is seen when wrong."""
    model = random_models.tree_of(dimension, (1, 1, 2, 0, 0), 1)
    state, motion = in_absolute_motion(Random(1), model)
    names, unseen = [], []
    program = fast_program(plan(model), forced=True)
    for name, wrong in mutants(program, steps=DYNAMICS):
        names.append(name)
        with suppress(AssertionError):
            assert_forward(state, motion, Interpreted(model, wrong))
            unseen.append(name)
    assert not unseen
    assert len(names) > 30


def random_states(rng: Random, model: Model, size: int) -> tuple[Array, Array]:
    states = [
        random_models.random_state(rng, model.dimension, len(model.bodies)) for _ in range(size)
    ]
    return np.array([q for q, _ in states]), np.array([v for _, v in states])


@pytest.mark.parametrize("target", TARGETS)
def test_branch_pendulum_at_100_states(target: str) -> None:
    """Against Lagrange's equations of the four angles, to 1e-12; so are the hinge forces."""
    solver = mstmm.compile("branch-pendulum", target=target)
    q, v = random_states(Random(5), solver.model, 100)
    found, loads = solver.accelerations(q, v), solver.joint_loads(q, v)
    for k in range(100):
        expected, forces = four_rods(q[k], v[k])
        scale = max(1.0, np.abs(expected).max())
        assert np.abs(found[k] - expected).max() <= 1e-12 * scale
        wanted = np.array([[0, 0, 0, *forces[end], 0] for end in solver.ends])
        scale = max(1.0, np.abs(wanted).max())
        assert np.abs(loads[k] - wanted).max() <= 1e-12 * scale


@pytest.mark.parametrize("target", TARGETS)
def test_large_branch_system(target: str) -> None:
    """N = 999: the paper's start, and random states against Lagrange's equations (500 × 500).

    The bound is the judge's: its dense solve is right to 6e-11, the solver to 2e-15 (50 digits).
    """
    model = mstmm.load("branch-system", N=999)
    solver = mstmm.compile(model, target=target)
    start = np.array([-3 * 9.81 / 8 if body.name == "11" else 0.0 for body in model.bodies])
    assert np.abs(solver.accelerations(model.q0, model.v0) - start).max() < 1e-10
    rng = Random(999)
    for reach in (0.1, 3.0):
        q = np.array(model.q0) + [rng.uniform(-reach, reach) for _ in model.coordinates]
        v = np.array([rng.uniform(-1, 1) for _ in model.speeds])
        expected = lagrange(model, q, v)
        scale = np.abs(expected.accelerations).max()
        assert np.abs(solver.accelerations(q, v) - expected.accelerations).max() <= 1e-9 * scale
        wanted = np.array([[0, 0, 0, *expected.forces[end], 0] for end in solver.ends])
        assert np.abs(solver.joint_loads(q, v) - wanted).max() <= 1e-9 * np.abs(wanted).max()


@pytest.mark.parametrize("name", ["rod-chain:n=1", "rod-chain:n=2", "rod-chain:n=100"])
def test_rod_chain(name: str) -> None:
    solver = mstmm.compile(name, target=TARGET)
    q, v = random_states(Random(1), solver.model, 3)
    for k in range(3):
        expected = lagrange(solver.model, q[k], v[k])
        scale = np.abs(expected.accelerations).max()
        found = solver.accelerations(q[k], v[k])
        assert np.abs(found - expected.accelerations).max() <= 1e-10 * scale

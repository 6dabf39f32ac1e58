"""The judges agree with each other, with the published equations and with the reference data."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
import random_models
import sympy as sp
from hypothesis import given, settings
from independent import four_rods
from independent.lagrange import energy, lagrange
from independent.newton_euler import Motion, newton_euler
from independent.tree import extended
from places import DATA as ALL_DATA

from mstmm.model import Model, load

DATA = ALL_DATA / "riccati-paper"

#: Two dense double solves of up to 100 unknowns, well conditioned: 3e-14 was seen.
TOLERANCE = 1e-11


def distance(found: Motion, expected: Motion) -> float:
    """Largest difference of accelerations and forces, relative to the largest of each or 1."""
    assert set(found.forces) == set(expected.forces)
    ends = sorted(expected.forces)
    forces = np.array([expected.forces[end] for end in ends], dtype=float)
    other = np.array([found.forces[end] for end in ends], dtype=float)
    turning = np.array(expected.accelerations, dtype=float)
    return max(
        np.abs(np.array(found.accelerations, dtype=float) - turning).max()
        / max(1.0, np.abs(turning).max()),
        np.abs(other - forces).max() / max(1.0, np.abs(forces).max()),
    )


@settings(max_examples=60, deadline=None)
@given(random_models.trees())
def test_newton_euler_and_lagrange_agree(model: Model) -> None:
    rng = Random(len(model.bodies))
    wrenches = random_models.random_wrenches(rng, model)
    tau = np.array([rng.uniform(-3, 3) for _ in model.speeds])
    state = model.q0, model.v0, wrenches, tau
    assert distance(newton_euler(model, *state), lagrange(model, *state)) < TOLERANCE


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_agree_and_are_varied(seed: int) -> None:
    for build in (random_models.planar_tree, random_models.spatial_tree):
        model = build(Random(seed))
        again = build(Random(seed))
        assert again == model
        state = model.q0, model.v0
        assert distance(newton_euler(model, *state), lagrange(model, *state)) < TOLERANCE


def test_200_planar_trees_have_the_wanted_variety() -> None:
    models = [random_models.planar_tree(Random(seed)) for seed in range(200)]
    inputs = [_inputs(model) for model in models]
    assert {2, 3, 4} <= {count for counts in inputs for count in counts}
    assert sum(sum(count > 1 for count in counts) > 1 for counts in inputs) > 20
    assert sum(max(counts) == 1 for counts in inputs) > 5
    assert max(len(model.bodies) for model in models) == 20
    assert all(any(body.centre[1] for body in model.bodies) for model in models)


def _inputs(model: Model) -> list[int]:
    """How many hinges each body has besides the one towards the ground."""
    ends = [end.body for hinge in model.hinges for end in hinge.ends]
    return [ends.count(body.name) - 1 for body in model.bodies]


@pytest.mark.parametrize(
    "model",
    [random_models.planar_tree(Random(3), 6), random_models.spatial_tree(Random(4), 4)],
    ids=["planar", "spatial"],
)
def test_rounding_of_newton_euler_is_small(model: Model) -> None:
    exact = newton_euler(model, model.q0, model.v0, arithmetic=extended(40))
    assert distance(newton_euler(model, model.q0, model.v0), exact) < 1e-13


@pytest.mark.parametrize("build", [random_models.planar_tree, random_models.spatial_tree])
def test_energy_changes_by_nothing_without_external_loads(build: Any) -> None:
    """dE/dt = 0 along the motion; central difference over 2e-4 s."""
    for seed in range(5):
        model = build(Random(seed), 5)
        step = 1e-4
        after = energy(model, *_advance(model, step))
        before = energy(model, *_advance(model, -step))
        scale = abs(energy(model, model.q0, model.v0)) + 10.0
        assert abs(after - before) / (2 * step) < 1e-5 * scale


def _advance(model: Model, h: float) -> tuple[np.ndarray, np.ndarray]:
    """One RK4 step of the judge's motion."""
    y = np.array([*model.q0, *model.v0])
    n = len(model.q0)

    def rate(y: np.ndarray) -> np.ndarray:
        q, v = y[:n], y[n:]
        return np.concatenate([_turning(model, q, v), newton_euler(model, q, v).accelerations])

    k1 = rate(y)
    k2 = rate(y + h / 2 * k1)
    k3 = rate(y + h / 2 * k2)
    k4 = rate(y + h * k3)
    y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y[:n], y[n:]


def _turning(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    if model.dimension == 2:
        return v
    rates = []
    for (w, x, y, z), (p, r, s) in zip(q.reshape(-1, 4), v.reshape(-1, 3), strict=True):
        rates += [-x * p - y * r - z * s, w * p + y * s - z * r]
        rates += [w * r + z * p - x * s, w * s + x * r - y * p]
    return np.array(rates) / 2


def test_judges_see_a_changed_model() -> None:
    """A judge that ignored a mass, an inertia, a centre or a point would judge nothing."""
    model = random_models.planar_tree(Random(11), 8)
    truth = newton_euler(model, model.q0, model.v0)
    body = model.bodies[2]
    x, y = body.points[0].position
    moved = replace(body.points[0], position=(x, y + 1e-6))
    for other in (
        replace(body, mass=body.mass * (1 + 1e-6)),
        replace(body, inertia=body.inertia * (1 + 1e-6)),
        replace(body, centre=(body.centre[0], body.centre[1] + 1e-6)),
        replace(body, points=(moved, *body.points[1:])),
    ):
        bodies = (*model.bodies[:2], other, *model.bodies[3:])
        for judge in (newton_euler, lagrange):
            assert distance(judge(replace(model, bodies=bodies), model.q0, model.v0), truth) > 1e-9


def test_derived_lagrange_equations_of_four_rods_are_the_stated_ones() -> None:
    """The mass matrix and right-hand side, proved entry by entry."""
    equations = four_rods.derive()
    m, a, g = four_rods.m, four_rods.a, four_rods.g
    th, om = four_rods.angles, four_rods.rates

    def C(i: int, j: int) -> sp.Expr:
        return sp.expand_trig(sp.cos(th[i] - th[j]))

    def S(i: int, j: int) -> sp.Expr:
        return sp.expand_trig(sp.sin(th[i] - th[j]))

    third = sp.Rational(1, 3)
    M = sp.Matrix(
        [
            [4 * third, 0, 0, C(1, 7)],
            [0, 4 * third, 2 * C(3, 5), -C(3, 7)],
            [0, 2 * C(3, 5), 16 * third, -3 * C(5, 7)],
            [C(1, 7), -C(3, 7), -3 * C(5, 7), 10 * third],
        ]
    )
    h = sp.Matrix(
        [
            -(om[7] ** 2) * S(1, 7) + g / a * sp.cos(th[1]),
            -2 * om[5] ** 2 * S(3, 5) + om[7] ** 2 * S(3, 7) + g / a * sp.cos(th[3]),
            2 * om[3] ** 2 * S(3, 5) + 3 * om[7] ** 2 * S(5, 7) + 3 * g / a * sp.cos(th[5]),
            om[1] ** 2 * S(1, 7) - om[3] ** 2 * S(3, 7) - 3 * om[5] ** 2 * S(5, 7)
            - g / a * sp.cos(th[7]),
        ]
    )  # fmt: skip
    circle = {sp.sin(angle) ** 2: 1 - sp.cos(angle) ** 2 for angle in th.values()}
    for found, stated in ((equations.M, M), (equations.h, h)):
        difference = (found / (m * a**2) - stated).applyfunc(sp.expand)
        assert difference.subs(circle).applyfunc(sp.expand) == sp.zeros(*found.shape)


def _states() -> list[dict[str, Any]]:
    data = json.loads((DATA / "reference_states.json").read_text())
    return [data["initial"], *data["random_states"]]


@pytest.mark.parametrize("state", _states(), ids=lambda _: "state")
def test_reference_states(state: dict[str, Any]) -> None:
    model = load("branch-pendulum")
    names = [body.name for body in model.bodies]
    q, v, alpha = ([state[key][name] for name in names] for key in ("theta", "omega", "alpha"))
    forces = {f"{name}:O": np.array(state["reactions"][f"q_{name}O"]) for name in names}
    expected = Motion(np.array(alpha), np.zeros((4, 2)), forces)
    assert distance(newton_euler(model, q, v), expected) < 1e-13
    assert distance(lagrange(model, q, v), expected) < 1e-13
    found, found_forces = four_rods.four_rods(q, v)
    assert distance(Motion(found, np.zeros((4, 2)), found_forces), expected) < 1e-13


def test_energy_of_the_reference_trajectory() -> None:
    model = load("branch-pendulum")
    with (DATA / "reference.csv").open() as file:
        for row in csv.DictReader(file):
            q = [float(row[f"theta{body.name}"]) for body in model.bodies]
            v = [float(row[f"omega{body.name}"]) for body in model.bodies]
            assert energy(model, q, v) == pytest.approx(float(row["energy"]), abs=1e-12)


def test_start_of_the_large_branch_system() -> None:
    """N = 999: body 11 starts with −3g/(16a), all others with 0."""
    model = load("branch-system", N=999)
    expected = np.array([-3 * 9.81 / 8 if body.name == "11" else 0.0 for body in model.bodies])
    found = lagrange(model, model.q0, model.v0)
    assert np.abs(found.accelerations - expected).max() < 1e-11

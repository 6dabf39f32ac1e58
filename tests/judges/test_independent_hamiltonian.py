"""The dense judge of Hamilton's equations: known states, other judges, the gauge's freedom."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

import loop_models
import numpy as np
import pytest
from independent.hamiltonian import Hamiltonian
from independent.joints import coordinate_rates
from independent.loops import loop_motion, opened
from loop_checks import MECHANISMS
from places import DATA as ALL_DATA

import mstmm
from mstmm.model import Model, load

DATA = ALL_DATA / "divide-and-conquer-paper"

#: Pins, sliders, and cuts of both in space.
SOME = ("slider-crank", "cylinder and ball", "ball in the tree")

Array = np.ndarray


def states(case: int) -> list[dict[str, Any]]:
    cases = json.loads((DATA / "vectors_planar.json").read_text())
    found: list[dict[str, Any]] = cases[f"case{case}"]["states"]
    return found


@cache
def closed(name: str) -> tuple[Model, Array, Array]:
    """A mechanism in a state that closes its loops, moving."""
    model = MECHANISMS[name]()
    q, v = mstmm.compile(model, target="numpy").project(model.q0, model.v0)
    assert np.abs(v).max() > 1e-3
    return model, q, v


@pytest.mark.parametrize("case", [1, 2, 3])
@pytest.mark.parametrize("k", range(5))
def test_known_states(case: int, k: int) -> None:
    """Stored states of a program of its own, with multipliers of seconds of motion.

    Momenta reach 1600 kg m²/s and cost the rates as many digits: 4e-12 relative. After 10 s the
    stored states are closed to 1e-11 only, which the accelerations and multipliers show (5e-9
    rad/s², 2e-8 N); the loops' judge then differs from them just as much.
    """
    state = states(case)[k]
    judge = Hamiltonian(load(f"hdca-case-{case}"), "inertial")
    q, v, p = (np.array(state[name]) for name in ("q", "qd", "p"))
    sigma, rates = np.array(state["sigma_cut"]), np.array(state["pdot"])
    scale = max(1.0, np.abs(p).max())
    assert np.abs(judge.momenta(q, v, sigma) - p).max() < 1e-11 * scale
    assert np.abs(judge.momenta(q, v, 0 * sigma) - state["p_regauged"]).max() < 1e-11 * scale
    found, impulses = judge.velocities(q, p)
    assert np.abs(found - v).max() < 1e-10
    assert np.abs(impulses - sigma).max() < 1e-11 * scale
    moving = judge.rates(q, v, sigma)
    assert np.abs(moving.momenta - rates).max() < 4e-12 * max(scale, np.abs(rates).max())
    for value, name in ((moving.multipliers, "lambda_cut"), (moving.accelerations, "qdd")):
        assert np.abs(value - state[name]).max() < 1e-9 * max(1.0, np.abs(state[name]).max())
    assert v @ p / 2 == pytest.approx(state["kinetic"], abs=1e-9 * scale)


@pytest.mark.parametrize("axes", ["parent", "inertial"])
@pytest.mark.parametrize("name", MECHANISMS)
def test_mechanisms(name: str, axes: str) -> None:
    """Velocities from momenta; accelerations and loads are those of the loops' own judge."""
    model, q, v = closed(name)
    judge = Hamiltonian(model, axes)
    J = judge.conditions(q)
    assert np.abs(J @ v).max() < 1e-12
    sigma = np.random.default_rng(3).uniform(-5, 5, len(J))
    p = judge.momenta(q, v, sigma)
    found, impulses = judge.velocities(q, p)
    assert np.abs(found - v).max() < 1e-12 * max(1.0, np.abs(p).max())
    assert np.abs(J.T @ (impulses - sigma)).max() < 1e-11
    assert v @ p == pytest.approx(v @ judge.mass(q) @ v, abs=1e-11)
    expected = loop_motion(model, q, v)
    moving = judge.rates(q, v, sigma)
    scale = max(1.0, np.abs(expected.accelerations).max())
    assert np.abs(moving.accelerations - expected.accelerations).max() < 1e-9 * scale
    if axes == "parent":
        assert np.abs(J - expected.jacobian).max() < 1e-13


@pytest.mark.parametrize("name", SOME)
def test_the_rate_of_the_momenta_is_that_of_the_motion(name: str) -> None:
    """ṗ against p at states of the motion before and after, σ growing by λ."""
    model, q, v = closed(name)
    judge = Hamiltonian(model)
    sigma = np.random.default_rng(4).uniform(-5, 5, len(judge.conditions(q)))
    moving = judge.rates(q, v, sigma)
    h = 1e-4
    places = {}
    for sign in (-1, 1):
        rate = np.array(coordinate_rates(opened(model), q, v), dtype=float)
        u = v + sign * h * moving.accelerations
        at = sigma + sign * h * moving.multipliers
        places[sign] = judge.momenta(q + sign * h * rate, u, at)
    differences = (places[1] - places[-1]) / (2 * h)
    assert np.abs(differences - moving.momenta).max() < 1e-5


@pytest.mark.parametrize("name", SOME)
def test_the_gauge_is_free(name: str) -> None:
    """p − Φ_vᵀ μ and σ + μ mean the same motion, whatever constant μ."""
    model, q, v = closed(name)
    judge = Hamiltonian(model)
    J = judge.conditions(q)
    draw = np.random.default_rng(5)
    sigma, mu = draw.uniform(-5, 5, (2, len(J)))
    p = judge.momenta(q, v, sigma)
    assert np.abs(judge.momenta(q, v, sigma + mu) - (p - J.T @ mu)).max() < 1e-12
    assert np.abs(judge.velocities(q, p - J.T @ mu)[0] - v).max() < 1e-11
    one, other = (judge.rates(q, v, s) for s in (sigma, sigma + mu))
    assert np.abs(one.accelerations - other.accelerations).max() < 1e-12
    assert np.abs(one.momenta - other.momenta).max() > 1e-3 or not np.abs(v).max()


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_random_loops(dimension: int, seed: int) -> None:
    """With generalised forces and several cuts of any kind."""
    rng = Random(500 + 10 * dimension + seed)
    model, _ = loop_models.loop_model(rng, dimension, rng.randint(3, 6), 2)
    judge = Hamiltonian(model)
    q = np.array(model.q0)
    v = loop_models.allowed_speeds(rng, judge.conditions(q))
    tau = np.array([rng.uniform(-1, 1) for _ in model.speeds])
    expected = loop_motion(model, q, v, tau)
    moving = judge.rates(q, v, np.zeros(len(expected.jacobian)), tau)
    scale = max(1.0, np.abs(expected.accelerations).max())
    assert np.abs(moving.accelerations - expected.accelerations).max() < 1e-8 * scale

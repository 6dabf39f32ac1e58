"""The Hamiltonian algorithm's code against the dense judge: velocities, rates, re-gauging.

Momenta are the judge's, with impulses of any size. Where a cut holds rotations, code and judge
may name the held directions otherwise; p, and what follows from it, does not know names.
"""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest
from independent.hamiltonian import Hamiltonian
from loop_checks import MECHANISMS
from places import DATA as ALL_DATA

import mstmm
from mstmm.model import load
from mstmm.runtime.solver import Solver

DATA = ALL_DATA / "divide-and-conquer-paper"

Array = np.ndarray


@cache
def solved(name: str) -> Solver:
    model = MECHANISMS[name]() if name in MECHANISMS else load(name)
    return mstmm.compile(model, algorithm="hdca", target="numpy")


#: Whose code is quickly made; the others wait for the slow run.
QUICK = ("four-bar", "slider-crank", "cylinder and ball", "hdca-case-3")
SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in MECHANISMS if name not in QUICK]


@pytest.mark.parametrize("name", [*QUICK, *SLOW])
def test_mechanisms(name: str) -> None:
    """In a moving, closed state."""
    solver = solved(name)
    judge = Hamiltonian(solver.model, "inertial")
    draw = np.random.default_rng(2)
    q, v = solver.project(solver.model.q0, draw.uniform(-2, 2, len(solver.speeds)))
    J = judge.conditions(q)
    sigma = draw.uniform(-5, 5, len(J))
    p = judge.momenta(q, v, sigma)
    assert np.abs(solver.velocities(q, p) - v).max() < 1e-11
    assert np.abs(solver.regauged(q, p) - judge.momenta(q, v, 0 * sigma)).max() < 1e-10
    moving = judge.rates(q, v, sigma)
    rates, scale = solver.momentum_rates(q, p)[1], np.abs(moving.momenta).max()
    assert np.abs(rates - moving.momenta).max() < 1e-10 * max(1.0, scale)
    scale = max(1.0, np.abs(moving.accelerations).max())
    assert np.abs(solver.accelerations(q, v) - moving.accelerations).max() < 1e-9 * scale
    own = solver.momenta(q, v, sigma)
    assert np.abs(solver.velocities(q, own) - v).max() < 1e-11
    again = solver.momenta(q, v, solver.impulses(q, own))
    assert np.abs(again - own).max() < 1e-10
    if all(hinge.kind == "pin" for hinge in judge.cuts):
        assert np.abs(own - p).max() < 1e-11
        assert np.abs(solver.impulses(q, p) - sigma).max() < 1e-10


@pytest.mark.parametrize("case", [1, 2, 3])
def test_states_after_seconds_of_motion(case: int) -> None:
    """Stored states with momenta of up to 1600 kg m²/s, from a program of its own."""
    solver = solved(f"hdca-case-{case}")
    cases = json.loads((DATA / "vectors_planar.json").read_text())
    for state in cases[f"case{case}"]["states"]:
        q, p = np.array(state["q"]), np.array(state["p"])
        scale = max(1.0, np.abs(p).max())
        assert np.abs(solver.velocities(q, p) - state["qd"]).max() < 1e-11
        assert np.abs(solver.impulses(q, p) - state["sigma_cut"]).max() < 1e-11 * scale
        _, rates = solver.momentum_rates(q, p)
        assert np.abs(rates - state["pdot"]).max() < 1e-12 * max(scale, np.abs(rates).max())
        assert np.abs(solver.regauged(q, p) - state["p_regauged"]).max() < 1e-11 * scale

"""Random mechanisms against maximal coordinates: accelerations, loads, which are determinate.

One sort and seed is a family: what is compiled once serves its members, whose numbers differ.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from independent.maximal import MaximalMotion, maximal_motion
from random_mechanisms import SORTS, State, family

import mstmm
from mstmm.runtime.solver import Solver

#: Members of a family; with 25 families of each of four sorts it is a thousand mechanisms.
MEMBERS = 10
FAMILIES = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 25))]


def judged(sort: str, seed: int) -> Iterator[tuple[float, float, float]]:
    """Of each member the errors of accelerations and loads, of the largest number; and κ."""
    solver: Solver | None = None
    for state in family(sort, seed, MEMBERS):
        model = state.model
        solver = solver or mstmm.compile(model, target="numpy", parameters=tuple(model.parameters))
        expected = maximal_motion(model, state.q, state.v, solver.ends)
        yield *errors(solver, state, expected), expected.condition


def errors(solver: Solver, state: State, expected: MaximalMotion) -> tuple[float, float]:
    """Of accelerations and loads; and which of these are told must be what no stress changes."""
    numbers = state.model.parameters
    found = solver.accelerations(state.q, state.v, parameters=numbers)
    loads = solver.joint_loads(state.q, state.v, parameters=numbers)
    told = solver.determinate(state.q, parameters=numbers)
    stresses = np.array([expected.stresses[end] for end in solver.ends])
    free = np.abs(stresses).max(axis=1, initial=0.0)
    assert not told[free > 1e-6 * free.max(initial=0.0)].any()
    assert told[free <= 1e-12 * free.max(initial=0.0)].all()
    wanted = np.array([expected.loads[end] for end in solver.ends])
    return _part(found, expected.accelerations), _part(loads, wanted)


def _part(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("family_of", FAMILIES)
@pytest.mark.parametrize("sort", SORTS)
def test_a_thousand_random_mechanisms(sort: str, family_of: int) -> None:
    for accelerations, loads, condition in judged(sort, family_of):
        assert accelerations < 1e-9 * condition
        assert loads < 1e-9 * condition

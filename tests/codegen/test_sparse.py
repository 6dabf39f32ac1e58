"""Systems with many zeros: the pattern of their factors, what they cost, and what they give."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from compiler import needs_compiler
from proofs import proof_of_blocks
from singular_models import row_of_four_bars

import mstmm
from mstmm.codegen.generate import generate
from mstmm.codegen.solves.sparse import FEWEST, Pattern, pattern

pytestmark = needs_compiler

MODEL = row_of_four_bars(5, angle=1.0)


@cache
def solver(target: str) -> mstmm.Solver:
    return mstmm.compile(MODEL, target=target, derivatives=True)


def zeros(size: int, seed: int, beside: int) -> np.ndarray:
    """Where a symmetric matrix is zero, with so many pairs of entries beside its diagonal."""
    random = np.random.default_rng(seed)
    found = ~np.eye(size, dtype=bool)
    for i, j in random.integers(0, size, (beside, 2)):
        found[i, j] = found[j, i] = False
    return found


def filled(zero: np.ndarray, order: tuple[int, ...], seed: int) -> list[tuple[int, ...]]:
    """Where the factor of a matrix with such zeros has entries, by numbers."""
    random = np.random.default_rng(seed)
    values = np.where(zero, 0.0, random.uniform(0.5, 1.0, zero.shape))
    matrix = (values + values.T + 40.0 * np.eye(len(zero)))[np.ix_(order, order)]
    factor = np.linalg.cholesky(matrix)
    return [tuple(np.flatnonzero(np.abs(row[:i]) > 1e-30)) for i, row in enumerate(factor)]


@pytest.mark.parametrize("seed", range(6))
def test_a_pattern_has_the_entries_that_elimination_fills(seed: int) -> None:
    zero = zeros(24, seed, 16)
    found = pattern(zero.tolist())
    assert isinstance(found, Pattern)
    assert sorted(found.order) == list(range(24))
    assert list(found.rows) == filled(zero, found.order, seed)


def test_a_chain_fills_nothing_in_whatever_order_it_is_given() -> None:
    size = 30
    shuffled = np.random.default_rng(0).permutation(size)
    near = np.abs(shuffled[:, None] - shuffled[None, :]) <= 1
    found = pattern((~near).tolist())
    assert found is not None
    assert found.entries == 2 * size - 1


def test_full_and_small_matrices_have_no_pattern() -> None:
    assert pattern(np.zeros((20, 20), dtype=bool).tolist()) is None
    assert pattern((~np.eye(FEWEST - 1, dtype=bool)).tolist()) is None
    assert pattern((~np.eye(FEWEST, dtype=bool)).tolist()) is not None


def test_the_cost_of_a_row_of_loops_grows_with_their_number() -> None:
    counts = []
    for windows in (12, 16, 20):  # long rows: all of one pattern, as loops
        made = generate(row_of_four_bars(windows), target="c")
        entry = next(x for x in made.module.entries if x.name == "accelerations")
        counts.append(made.module.operations(entry).total())
    assert counts[2] - counts[1] == counts[1] - counts[0]


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_derivatives_without_stored_zeros_are_those_with_them(target: str) -> None:
    """NumPy stores the whole matrix of what the conditions of all loops take from one another."""
    q, v = np.array(MODEL.q0), np.array(MODEL.v0)
    states = [k * q for k in (1.0, 0.3, -1.1, 0.7)]
    sparse, full = solver(target), solver("numpy")
    files = sparse.modules["derivatives"].generated.sources.files
    assert any(x == "mstmm_sparse.h" for x in files)
    for at in (np.array(states), *states):
        speeds = np.broadcast_to(v, np.shape(at))
        tau = np.zeros(np.shape(speeds))
        found, expected = sparse.derivatives(at, speeds, tau), full.derivatives(at, speeds, tau)
        for name in ("a", "dq", "dv", "dtau"):
            one, other = getattr(found, name), getattr(expected, name)
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9 * abs(other).max())


@pytest.mark.parametrize("target", ["c", "c-batch"])
def test_a_solver_without_stored_zeros_is_proven(target: str) -> None:
    assert proof_of_blocks(solver(target)).ok

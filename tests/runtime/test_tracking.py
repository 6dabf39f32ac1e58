"""Modes told apart by how they move: assurance, matching, and tracks through a crossing."""

from __future__ import annotations

import numpy as np
import pytest

from mstmm.runtime.vibration.tracking import Shapes, assurance, followed, matched


def shapes(K: np.ndarray, M: np.ndarray, turn: float = 0.0) -> tuple[np.ndarray, Shapes]:
    """Of K u = λ M u, ascending; equal ones turned among each other, and sizes at random."""
    root = np.linalg.inv(np.linalg.cholesky(M))
    squares, u = np.linalg.eigh(root @ K @ root.T)
    u = (root.T @ u).T
    groups = np.cumsum(np.append(0, np.diff(squares) > 1e-9 * squares[1:]))
    for g in np.unique(groups):
        own = np.flatnonzero(groups == g)
        if len(own) == 2:
            c, s = np.cos(turn), np.sin(turn)
            u[own] = np.array([[c, -s], [s, c]]) @ u[own]
    u *= np.random.default_rng(len(squares)).uniform(0.5, 2.0, (len(u), 1))
    return squares, Shapes(u, u @ M, groups)


def test_assurance_is_one_of_a_mode_and_zero_of_others() -> None:
    rng = np.random.default_rng(0)
    M, K = (x @ x.T + np.eye(6) for x in rng.standard_normal((2, 6, 6)))
    _, one = shapes(K, M)
    np.testing.assert_allclose(assurance(one, one), np.eye(6), atol=1e-12)
    turned = Shapes(one.u * 1j, one.momenta * 1j, one.groups)
    np.testing.assert_allclose(assurance(one, turned), np.eye(6), atol=1e-12)


def test_likest_pairs_are_matched_first() -> None:
    likeness = np.array([[0.9, 0.8], [0.95, 0.1], [0.2, 0.3]])
    assert matched(likeness).tolist() == [1, 0, -1]
    assert matched(likeness, np.array([2, 1])).tolist() == [0, 0, 1]


@pytest.mark.parametrize("exactly", [False, True])
def test_modes_are_followed_through_a_crossing(exactly: bool) -> None:
    """λ = 1 + p and 3 − p cross at p = 1 beside a third, in axes that turn slowly with p."""
    rng = np.random.default_rng(1)
    M = np.diag(rng.uniform(1, 2, 3))
    root = np.sqrt(M)
    values = np.linspace(0, 2, 9 if exactly else 10)
    steps = []
    for k, p in enumerate(values):
        c, s = np.cos(0.1 * p), np.sin(0.1 * p)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        K = root @ R @ np.diag([1 + p, 3 - p, 9.0]) @ R.T @ root
        steps.append(shapes(K, M, turn=0.3 + k))
    assert (np.diff(steps[4][0][:2]) < 1e-12).any() == exactly
    order, alike = followed([x for _, x in steps])
    assert alike.min() > 0.99
    tracked = np.array([squares[row] for (squares, _), row in zip(steps, order, strict=True)])
    np.testing.assert_allclose(tracked[:, 0], 1 + values, rtol=1e-12)
    np.testing.assert_allclose(tracked[:, 1], 3 - values, rtol=1e-12)


def test_a_mode_that_leaves_the_list_is_not_found() -> None:
    _, all_ = shapes(np.diag([1.0, 2, 3]), np.eye(3))
    fewer = Shapes(all_.u[:2], all_.momenta[:2], all_.groups[:2])
    assert followed([all_, fewer, all_])[0].tolist() == [[0, 1, 2], [0, 1, -1], [0, 1, 2]]

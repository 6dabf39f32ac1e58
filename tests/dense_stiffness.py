"""A dynamic stiffness K − ω² M of full matrices, and its count by exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from mstmm.runtime.evaluation.arrays import Floats
from mstmm.runtime.vibration.stiffness import Proven, Whole


class DenseStiffness:
    """Of symmetric K and M."""

    highest, eigenvalues = np.inf, None

    def __init__(self, K: Floats, M: Floats) -> None:
        self.K, self.M = K, M
        self.length = self.leading = len(K)
        self.counts = 0

    def counted(self, squares: Floats) -> tuple[Whole, Floats]:
        self.counts += len(squares)
        A = self.K - np.asarray(squares)[:, None, None] * self.M
        size = np.sqrt(np.abs(A).max(axis=2))
        A /= size[:, :, None] * size[:, None, :]
        below, least = np.zeros(len(squares), dtype=np.int64), np.full(len(squares), np.inf)
        with np.errstate(all="ignore"):
            for k in range(self.length):
                pivot = A[:, k, k].copy()
                below += pivot < 0
                least = np.minimum(least, np.abs(pivot))
                row = A[:, k, k + 1 :] / pivot[:, None]
                A[:, k + 1 :, k + 1 :] -= A[:, k + 1 :, k, None] * row[:, None]
        return below, least

    def responses(self, squares: Floats, loads: Floats) -> tuple[Floats, Floats]:
        A = self.K - squares[:, None, None] * self.M
        found = np.linalg.solve(A, loads[..., None])[..., 0]
        return found, found @ self.M

    def proven(self, square: float) -> Proven:
        A = [
            [Fraction(k) - Fraction(square) * Fraction(m) for k, m in zip(*rows, strict=True)]
            for rows in zip(self.K.tolist(), self.M.tolist(), strict=True)
        ]
        below = 0
        for k, row in enumerate(A):
            below += row[k] < 0
            for i in range(k + 1, len(A)):
                factor = A[i][k] / row[k]
                A[i] = [x - factor * y for x, y in zip(A[i], row, strict=True)]
        return Proven(below, 0)


def chain(n: int) -> DenseStiffness:
    """Unit masses on unit springs, both ends fixed: ω = 2 sin(j π/(2n + 2))."""
    return DenseStiffness(2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1), np.eye(n))


def chain_squares(n: int) -> Floats:
    found: Floats = 4 * np.sin(np.arange(1, n + 1) * np.pi / (2 * n + 2)) ** 2
    return found


def with_eigenvalues(values: list[float], seed: int) -> DenseStiffness:
    """Random full matrices with these eigenvalues."""
    random = np.random.default_rng(seed)
    n = len(values)
    turn = np.linalg.qr(random.standard_normal((n, n)))[0]
    root = 2 * np.eye(n) + 0.3 * random.standard_normal((n, n))
    K = root @ turn @ np.diag(values) @ turn.T @ root.T
    return DenseStiffness((K + K.T) / 2, root @ root.T)

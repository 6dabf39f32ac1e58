"""Damped and gyroscopic systems of full matrices, A(s) = s² M + s (C + p G) + K."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from mstmm.runtime.evaluation.arrays import Floats
from mstmm.runtime.vibration.stiffness import Complex, Whole


class DenseDamped:
    """Of M, C, K and the matrix G that the parameter is a factor of; none need be symmetric."""

    highest = np.inf

    def __init__(self, M: Floats, C: Floats, K: Floats, G: Floats | None = None) -> None:
        self.M, self.C, self.K = M, C, K
        self.G = np.zeros_like(M) if G is None else G
        self.length = len(K)
        self.eigenvalues = 2 * len(K)
        self.calls, self.points = 0, 0

    def at(self, s: Complex, parameters: Floats | None = None) -> Complex:
        s = np.asarray(s, dtype=complex)[:, None, None]
        p = 0.0 if parameters is None else np.asarray(parameters)[:, :1, None]
        return s * s * self.M + s * (self.C + p * self.G) + self.K

    def determinants(
        self, s: Complex, parameters: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        self.calls, self.points = self.calls + 1, self.points + len(s)
        sign, logabs = np.linalg.slogdet(self.at(s, parameters))
        return logabs, np.angle(sign), np.ones(len(s))

    def responses(self, s: Complex, loads: Complex, parameters: Floats | None = None) -> Complex:
        found: Complex = np.linalg.solve(self.at(s, parameters), loads[..., None])[..., 0]
        return found

    def counted(self, omegas: Floats, parameters: Floats | None = None) -> tuple[Whole, Floats]:
        """By the signs of eigenvalues of the Hermitian matrix."""
        values = np.linalg.eigvalsh(self.at(1j * np.asarray(omegas), parameters))
        return (values < 0).sum(axis=1), np.abs(values).min(axis=1) / np.abs(values).max(axis=1)

    def eigenvalues_by_qz(self, parameter: float = 0.0) -> Complex:
        """Those of the pencil of twice the size, ascending by size."""
        one, none = np.eye(self.length), np.zeros_like(self.M)
        A = np.block([[none, one], [-self.K, -(self.C + parameter * self.G)]])
        B = np.block([[one, none], [none, self.M]])
        found: Complex = scipy.linalg.eigvals(A, B)
        return found[np.argsort(np.abs(found))]


def damped_at_random(n: int, seed: int) -> DenseDamped:
    """Of which some modes are overdamped; a third of them with forces of no energy besides."""
    rng = np.random.default_rng(seed)

    def positive(scale: float) -> Floats:
        root = rng.standard_normal((n, n))
        return scale * (root @ root.T / n + 0.05 * np.eye(n))

    M, K = positive(1.0), positive(10.0 ** rng.uniform(0, 4))
    C = positive(10.0 ** rng.uniform(-2, 2))
    if seed % 3 == 0:
        turn = rng.standard_normal((n, n))
        C = C + (turn - turn.T)
        K = K + 0.3 * rng.standard_normal((n, n))
    return DenseDamped(M, C, K)

"""What differs between the plane and space: sizes and cross products."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

POINT = "Riccati paper (14): acceleration of a point of a rigid body"


def blocks(*rows: list[sp.Matrix]) -> sp.Matrix:
    """A matrix of blocks, row by row: `BlockMatrix` takes twenty times as long."""
    return sp.ImmutableMatrix.vstack(*(sp.ImmutableMatrix.hstack(*row) for row in rows))


@dataclass(frozen=True)
class Space:
    """What differs between the plane and space: sizes and cross products."""

    dimension: int

    @property
    def spins(self) -> int:
        """Angular components: 1 or 3."""
        return 1 if self.dimension == 2 else 3

    @property
    def angles(self) -> int:
        """Coordinates of one body: its angle, or its quaternion."""
        return 1 if self.dimension == 2 else 4

    @property
    def motion(self) -> int:
        """Components of an acceleration (r̈, Ω̇)."""
        return self.dimension + self.spins

    def tilde(self, r: sp.Matrix) -> sp.Matrix:
        """The matrix ~r with ~r b = r × b, as (angular of force)ᵀ: spins × dimension.

        In the plane also that of a spin.
        """
        if self.dimension == 2 and len(r) == 1:
            return sp.Matrix([[0, -r[0]], [r[0], 0]])
        if self.dimension == 2:
            return sp.Matrix([[-r[1], r[0]]])
        return sp.Matrix([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])

    def turn(self, spin: sp.Matrix, r: sp.Matrix) -> sp.Matrix:
        """spin × r."""
        return self.tilde(r).T * spin if self.dimension == 2 else self.tilde(spin) * r

    def shift(self, r: sp.Matrix) -> sp.Matrix:
        """X(r): accelerations (r̈, Ω̇) of a point to those of the point at r from it."""
        d, n = self.dimension, self.spins
        lever = sp.Matrix([[-r[1]], [r[0]]]) if d == 2 else -self.tilde(r)
        return blocks([sp.eye(d), lever], [sp.zeros(n, d), sp.eye(n)])

    def ad(self, V: sp.Matrix) -> sp.Matrix:
        """ad_V of a twist (v, ω): [V, X] = ad_V X.

        Source
            screw paper (116), the linear part first.
        """
        d = self.dimension
        if d == 2:
            return sp.Matrix([[0, -V[2], V[1]], [V[2], 0, -V[0]], [0, 0, 0]])
        spin, slide = self.tilde(V[d:, :]), self.tilde(V[:d, :])
        return blocks([spin, slide], [sp.zeros(d, d), spin])

    def bar(self, P: sp.Matrix) -> sp.Matrix:
        """The skew matrix with bar(P) V = ad_Vᵀ P, of a momentum (p, L).

        Source
            own
        """
        d, p = self.dimension, P[: self.dimension, :]
        if d == 2:
            return sp.Matrix([[0, 0, p[1]], [0, 0, -p[0]], [-p[1], p[0], 0]])
        force, moment = self.tilde(p), self.tilde(P[d:, :])
        return blocks([sp.zeros(d, d), force], [force, moment])

    def flat_motion(self, linear: sp.Matrix, angular: sp.Matrix) -> sp.Matrix:
        """(r̈, Ω̇) with three components each."""
        if self.dimension == 3:
            return sp.Matrix.vstack(linear, angular)
        return sp.Matrix([linear[0], linear[1], 0, 0, 0, angular[0]])

    def flat_load(self, moment: sp.Matrix, force: sp.Matrix) -> sp.Matrix:
        """(m, q) with three components each."""
        if self.dimension == 3:
            return sp.Matrix.vstack(moment, force)
        return sp.Matrix([0, 0, moment[0], force[0], force[1], 0])

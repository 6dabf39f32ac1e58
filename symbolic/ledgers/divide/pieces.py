"""Runs of bodies of a chain with two handles: what is true of them, and their coefficients ξ.

Handle 1 of the run of bodies a to b is at joint a, whose successor is a; handle 2 is at joint
b + 1, whose predecessor is b, or the centre of the last body of an open chain.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

from ...exact.screws import skew
from ...exact.series import Series
from .instant import Instant

#: Coefficients that are remembered: of all runs of some chains.
CHAINS = 64


@dataclass(frozen=True)
class Piece:
    """Bodies `first` to `last` of a chain."""

    at: Instant
    first: int
    last: int

    @property
    def bodies(self) -> range:
        return range(self.first, self.last + 1)

    @property
    def ended(self) -> bool:
        """Is handle 2 a free tip?"""
        return self.last + 1 not in self.at.joints

    @property
    def O1(self) -> Series:
        return self.at.O[self.first]

    @property
    def O2(self) -> Series:
        return self.at.C[self.last] if self.ended else self.at.O[self.last + 1]

    @property
    def V1(self) -> sp.Matrix:
        return self.at.V(self.first, self.O1).value

    @property
    def V2(self) -> sp.Matrix:
        return self.at.V(self.last, self.O2).value

    @property
    def S12(self) -> Series:
        return self.at.S(self.O1, self.O2)

    @property
    def P1(self) -> Series:
        """Accumulated momentum about handle 1."""
        total = self.at.P(self.first, self.O1)
        for i in self.bodies[1:]:
            total = total + self.at.P(i, self.O1)
        return total

    @property
    def Q1(self) -> sp.Matrix:
        """Accumulated load about handle 1."""
        return sum((self.at.Q(i, self.O1) for i in self.bodies), sp.zeros(6, 1))

    @property
    def bar1(self) -> Series:
        """P̄_1: the impulse that joint `first` gives to the run."""
        return self.at.articulated(self.first)

    @property
    def bar2(self) -> Series:
        """P̄_2: minus the impulse that the joint at handle 2 gives to what comes after the run."""
        if self.ended:
            return Series.constant(sp.zeros(6, 1), 1)
        return -self.at.articulated(self.last + 1)

    @property
    def T1(self) -> sp.Matrix:
        return self.at.T(self.first).value

    @property
    def T2(self) -> sp.Matrix:
        return sp.zeros(6, 1) if self.ended else -self.at.T(self.last + 1).value

    @property
    def F1(self) -> sp.Matrix:
        return self.at.F(self.first)

    @property
    def F2(self) -> sp.Matrix:
        return sp.zeros(6, 1) if self.ended else -self.at.F(self.last + 1)


@dataclass(frozen=True)
class Coefficients:
    """V_1 = ξ11 T_1 + ξ12 T_2 + ξ10, V_2 = ξ21 T_1 + ξ22 T_2 + ξ20."""

    x11: sp.Matrix
    x12: sp.Matrix
    x21: sp.Matrix
    x22: sp.Matrix
    x10: sp.Matrix
    x20: sp.Matrix

    def V1(self, T1: sp.Matrix, T2: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """The terms of V_1."""
        return self.x11 * T1, self.x12 * T2, self.x10

    def V2(self, T1: sp.Matrix, T2: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """The terms of V_2."""
        return self.x21 * T1, self.x22 * T2, self.x20


@lru_cache(CHAINS)
def leaf(at: Instant, i: int, sign: int = -1) -> Coefficients:
    """ξ of a single body, with M_1⁻¹ S_12 and its like multiplied out; no 6×6 inverse.

    The joint momenta are known: H p acts at handle 1, −H p at handle 2 (`sign`).
    """
    piece = Piece(at, i, i)
    m, C = at.mass[i], at.C[i].value
    arms = [skew(point.value - C) for point in (piece.O1, piece.O2)]
    inverse = at.J(i).value.inv()

    def block(a: sp.Matrix, b: sp.Matrix) -> sp.Matrix:
        above = sp.Matrix.hstack(sp.eye(3) / m - a * inverse * b, -a * inverse)
        return above.col_join(sp.Matrix.hstack(inverse * b, inverse))

    x = [[block(a, b) for b in arms] for a in arms]
    given = [at.H(i).value * at.p(i).value]
    after = i + 1
    given.append(sp.zeros(6, 1) if piece.ended else sign * at.H(after).value * at.p(after).value)
    bias = [row[0] * given[0] + row[1] * given[1] for row in x]
    return Coefficients(x[0][0], x[0][1], x[1][0], x[1][1], bias[0], bias[1])


def merged(A: Coefficients, B: Coefficients, D: sp.Matrix) -> Coefficients:
    """ξ of two runs that a joint connects.

    Source
        divide-and-conquer paper (27), (28), (34)–(36), as printed.
    """
    W = connection(A, B, D)
    beta = W * (B.x10 - A.x20)
    return Coefficients(
        A.x11 + A.x12 * W * A.x21,
        -A.x12 * W * B.x12,
        -B.x21 * W * A.x21,
        B.x22 + B.x21 * W * B.x12,
        A.x10 - A.x12 * beta,
        B.x20 + B.x21 * beta,
    )


def connection(A: Coefficients, B: Coefficients, D: sp.Matrix) -> sp.Matrix:
    """W = −D (Dᵀ (ξ11ᴮ + ξ22ᴬ) D)⁻¹ Dᵀ.

    Source
        divide-and-conquer paper (27).
    """
    return -D * (D.T * (B.x11 + A.x22) * D).inv() * D.T


@lru_cache(CHAINS)
def assembled(at: Instant, first: int, last: int) -> Coefficients:
    """ξ of a run, merged half by half."""
    if first == last:
        return leaf(at, first)
    middle = (first + last) // 2
    left, right = assembled(at, first, middle), assembled(at, middle + 1, last)
    return merged(left, right, at.D(middle + 1).value)

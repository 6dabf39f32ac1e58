"""Runs of bodies of a chain with two handles, and what is true of them.

Handle 1 of the run of bodies a to b is at joint a, whose successor is a; handle 2 is at joint
b + 1, whose predecessor is b, or the centre of the last body of an open chain.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ...symbolic.exact.series import Series
from .instant import Instant


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

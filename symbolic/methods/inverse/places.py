"""A link's orientation and place, as the three representations of twists see them.

A twist is (v, ω) here, linear part first. The representations differ in the axes of ω and in
the point whose velocity v is:

    spatial  ω in inertial axes, v of the body's point that passes the inertial origin;
    hybrid   ω in inertial axes, v of the link's origin, in inertial axes;
    mixed    ω in link axes, v of the link's origin, in inertial axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ...language.program import KernelBuilder
from ...mechanics.space import Space

MOVED = "from link axes and the link's origin to the representation"


@dataclass(frozen=True)
class Place:
    """A link's orientation and place inside a kernel, in the representation `of`."""

    of: str
    space: Space
    A: sp.Matrix
    x: sp.Matrix

    @classmethod
    def taken(cls, kernel: KernelBuilder, of: str, space: Space, suffix: str = "") -> Place:
        d = space.dimension
        x = kernel.take(f"x{suffix}", d) if of == "spatial" else sp.zeros(d, 1)
        return cls(of, space, kernel.take(f"A{suffix}", d, d), x)

    def turned(self, angular: sp.Matrix) -> sp.Matrix:
        """Angular components of link axes in those of the representation."""
        still = self.of == "mixed" or self.space.dimension == 2
        return angular if still else self.A * angular

    def moved(self, kernel: KernelBuilder, name: str, motion: sp.Matrix) -> sp.Matrix:
        """Motions (v, ω) at the link's origin, in its axes."""
        d = self.space.dimension
        angular = kernel.let(f"{name}_ang", self.turned(motion[d:, :]), MOVED)
        linear = self.A * motion[:d, :]
        if self.of == "spatial":
            linear += self.space.shift(-self.x)[:d, d:] * angular
        return sp.Matrix.vstack(linear, angular)

    def wrench(self, kernel: KernelBuilder, name: str, wrench: sp.Matrix) -> sp.Matrix:
        """A wrench (f, t) on the link at its origin and in its axes."""
        d = self.space.dimension
        force = kernel.let(f"{name}_f", self.A * wrench[:d, :], MOVED)
        moment = self.turned(wrench[d:, :])
        if self.of == "spatial":
            moment += self.space.tilde(self.x) * force
        return sp.Matrix.vstack(force, moment)

    def back(self, kernel: KernelBuilder, wrench: sp.Matrix) -> sp.Matrix:
        """A wrench of the representation at the link's origin and in its axes."""
        d = self.space.dimension
        moment = self.about_link(wrench)
        if self.of != "mixed" and d == 3:
            moment = self.A.T * kernel.let("about", moment, MOVED)
        return sp.Matrix.vstack(self.A.T * wrench[:d, :], moment)

    def about_link(self, wrench: sp.Matrix) -> sp.Matrix:
        """The moment of a wrench about the link's origin."""
        d = self.space.dimension
        return wrench[d:, :] - self.space.tilde(self.x) * wrench[:d, :]

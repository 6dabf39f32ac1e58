"""The representations of twists, and a link's orientation and place as they see them.

A twist is (v, ω) here, linear part first. The representations differ in the axes of ω and in
the point whose velocity v is:

    body     ω in link axes, v of the link's origin, in link axes;
    spatial  ω in inertial axes, v of the body's point that passes the inertial origin;
    hybrid   ω in inertial axes, v of the link's origin, in inertial axes;
    mixed    ω in link axes, v of the link's origin, in inertial axes.
"""

from __future__ import annotations

from enum import StrEnum

import sympy as sp

from ...language.written import called, named, number
from ...mechanics.matrices import Algebra, M
from ...mechanics.traced import At, Tracer
from ...tree.inverse_kernels import Moments

#: Where a body's moments come from, as the representation sees them.
INERTIA = {
    "spatial": "screw paper (35): Ad_C⁻ᵀ M Ad_C⁻¹",
    "hybrid": "screw paper (52): Ad_R M Ad_Rᵀ",
}
MOVED = "from link axes and the link's origin to the representation"


class Representation(StrEnum):
    """The axes and the point that twists and wrenches are taken in and about."""

    BODY = "body"
    SPATIAL = "spatial"
    HYBRID = "hybrid"
    MIXED = "mixed"

    @property
    def words(self) -> str:
        """What it is called in a sentence."""
        return "link axes" if self is Representation.BODY else f"{self} representation"


class Place:
    """A link's orientation and place inside a kernel, in the representation `of`."""

    def __init__(self, of: Representation, x: At, k: Algebra, t: Tracer, suffix: str = "") -> None:
        self.of, self.k, self.t = of, k, t
        self.x: M | None = t.read(f"x{suffix}") if of is Representation.SPATIAL else None
        self.A = t.read(f"A{suffix}")

    def turned(self, angular: M) -> M:
        """Angular components of link axes in those of the representation."""
        return angular if self.of is Representation.MIXED else self.k.turned(self.A, angular)

    def moved(self, name: str, motion: M) -> M:
        """Motions (v, ω) at the link's origin, in its axes."""
        k = self.k
        angular = self.t.state(f"{name}_ang", self.turned(k.ang(motion)), MOVED)
        linear, adjoint = (self.A @ k.lin(motion)).value, self._both()
        if self.x:
            shift = k.X(-self.x)
            linear, adjoint = linear + k.block(shift, 1, 2).value * angular.value, shift @ adjoint
        value = sp.Matrix.vstack(linear, angular.value)
        return (self.t.abbreviate("Ad", adjoint) @ motion).by(value)

    def _both(self) -> M:
        """What turns both parts of a motion: in mixed axes the first alone."""
        if self.of is not Representation.MIXED:
            return self.k.both(self.A)
        return M(None, called("diag", self.A.tree, named("one") if self.k.d == 3 else number(1)))

    def wrench(self, name: str, wrench: M) -> M:
        """A wrench (f, t) on the link at its origin and in its axes."""
        k = self.k
        force = self.t.state(f"{name}_f", self.A @ k.lin(wrench), MOVED)
        moment = self.turned(k.ang(wrench))
        return k.stack(force, moment + k.moment(self.x, force) if self.x else moment)

    def moments(self, body: Moments) -> Moments:
        """A body's moments in inertial axes, about the inertial origin or the link's."""
        (mass, first, second), source, t = body, INERTIA[self.of], self.t
        arm = t.state("hA", self.A @ first, source)
        h = t.state("hs", mass @ self.x + arm if self.x else arm, source)
        if self.k.d == 2:
            about = second + self.x.T @ (arm + h) if self.x else second
            return mass, h, t.state("Js", about, source)
        whole = self.A @ t.state("SgR", second @ self.A.T, source)
        if self.x:
            whole = whole + h @ self.x.T + self.x @ arm.T
        return mass, h, t.state("Ss", whole, source, symmetric=True)

    def back(self, wrench: M) -> M:
        """A wrench of the representation at the link's origin and in its axes."""
        k, moment = self.k, self.about_link(wrench)
        if self.of is not Representation.MIXED and k.d == 3:
            moment = self.A.T @ self.t.state("about", moment, MOVED)
        return k.stack(self.A.T @ k.lin(wrench), moment)

    def about_link(self, wrench: M) -> M:
        """The moment of a wrench about the link's origin."""
        k = self.k
        return k.ang(wrench) - k.moment(self.x, k.lin(wrench)) if self.x else k.ang(wrench)

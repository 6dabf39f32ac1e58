"""A small tree in generalised speeds, and a pendulum by a multiplier, at exact instants.

Of the tree the first coordinate is prescribed in time; of the others the generalised speeds are
u = V q̇ + W, with V and W that depend on the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Coordinate
from ...symbolic.exact.once import once
from ...symbolic.exact.series import Series, blocks, cosine_and_sine
from ...symbolic.exact.true_motion import demanded, solved
from .loads import forces, moved, unaided
from .tree import JointMotion, JointTree

SMALL = {1: (0, "screw"), 2: (1, "universal"), 3: (1, "revolute")}


class Kane:
    """Partial velocities of the particles of a small tree; `true`: moved by loads alone."""

    def __init__(self, true: bool = False) -> None:
        tree = JointTree.drawn(61, SMALL)
        self.prescribed, *self.free = tree.coordinates
        if true:
            tree = moved(tree, forces(tree), unaided(tree), [self.prescribed])
        self.tree = tree
        n, draw = len(self.free), Points(62)
        self.V = Series(tuple(sp.Matrix(n, n, lambda *_: draw.number()) for _ in range(3)))
        self.W = Series(tuple(draw.vector(n) for _ in range(3)))
        rates = sp.Matrix([tree.rates[x][1] for x in self.free])
        accelerations = sp.Matrix([tree.rates[x][2] for x in self.free])
        self.u = self.V @ Series((rates, accelerations)) + self.W

    @cached_property
    def inverse(self) -> Series:
        """V⁻¹ and its rate."""
        back = self.V.value.inv()
        return Series((back, -back * self.V.at(1) * back))

    @once
    def slope(self, j: int, x: Coordinate) -> Series:
        """∂x/∂q of a body's particles, and its rate along the motion."""
        tree = self.tree
        rates = {y: r[1] for y, r in tree.rates.items()}
        alone, moving = tree.slopes[x], tree.along(rates)
        both = tree.along({**rates, x: rates[x] + 1})
        mixed = both.x(j).at(2) - moving.x(j).at(2) - alone.x(j).at(2)
        return Series((alone.x(j).at(1), mixed / 2))

    @once
    def X(self, j: int) -> list[Series]:
        """(A.7): the partial velocities, one a generalised speed."""
        columns = [self.slope(j, x) for x in self.free]
        return [self._sum(columns, self._column(self.inverse, i)) for i in range(len(columns))]

    @once
    def Y(self, j: int) -> Series:
        """(A.8)"""
        rate = Series(tuple(sp.Matrix([[self.tree.rates[self.prescribed][k]]]) for k in (1, 2)))
        columns = [self.slope(j, x) for x in self.free]
        moved = self._sum(columns, self.inverse @ self.W)
        return self.slope(j, self.prescribed).times(rate) - moved

    def rates_at(self, u: sp.Matrix) -> dict[Coordinate, sp.Expr]:
        """(A.1): the coordinates' rates at some generalised speeds."""
        free = dict(zip(self.free, solved(self.V.value, u - self.W.value), strict=True))
        return {self.prescribed: self.tree.rates[self.prescribed][1], **free}

    def faster(self, by: sp.Matrix) -> JointMotion:
        """The motion with so much more of the generalised speeds."""
        return self.tree.along(self.rates_at(self.u.value + by))

    @property
    def units(self) -> list[sp.Matrix]:
        """One more of each generalised speed."""
        one = sp.eye(len(self.free))
        return [one[:, i] for i in range(one.cols)]

    def active(self, wrenches: Mapping[int, sp.Matrix]) -> list[sp.Expr]:
        """v_i · F + ω_i · T of (F, T) at the centroids, one a generalised speed."""
        tree = self.tree
        bodies = [
            sum((w.T * tree.slopes[x].v(j).value)[0] for j, w in wrenches.items())
            for x in self.free
        ]
        return list(self.inverse.value.T * sp.Matrix(bodies))

    @cached_property
    def inertial(self) -> list[sp.Expr]:
        """−m a · v_i of the particles."""
        moving = {
            j: self.tree.motion.x(j).at(2) * sp.diag(*body.masses)
            for j, body in self.tree.bodies.items()
        }
        return [
            -sum((moving[j] * self.X(j)[i].value.T).trace() for j in moving)
            for i in range(len(self.free))
        ]

    @cached_property
    def left(self) -> sp.Matrix:
        """What Lagrange's equations of the free coordinates lack."""
        needed = demanded(self.tree, forces(self.tree))
        return -sp.Matrix([needed[x] for x in self.free])

    def _column(self, matrix: Series, i: int) -> Series:
        return matrix.map(lambda term: term[:, i])

    def _sum(self, parts: list[Series], weights: Series) -> Series:
        weighted = [
            part.times(weights.map(lambda term, k=k: term[k : k + 1, :]))  # type: ignore[misc]
            for k, part in enumerate(parts)
        ]
        found, *rest = weighted
        for part in rest:
            found = found + part
        return found


@dataclass(frozen=True)
class Pendulum:
    """A pendulum by length and angle, its length being given in time, l(t), by a multiplier.

    It is pushed so that it moves as it does: by its weight, some force, and the rod along itself.
    """

    seed: int = 63

    @cached_property
    def draw(self) -> dict[str, Any]:
        draw = Points(self.seed)
        m, g, tension = (abs(draw.number()) for _ in range(3))
        length = [abs(draw.number()), draw.number(), draw.number()]
        angle = [draw.number() for _ in range(3)]
        return {"m": m, "g": g, "lambda": tension, "l": length, "phi": angle, "at": draw.circle()}

    @cached_property
    def place(self) -> Series:
        """(l sin φ, −l cos φ)."""
        c, s = cosine_and_sine(Series.of_derivatives(self.draw["phi"]), self.draw["at"])
        return blocks([[s], [-c]]).times(Series.of_derivatives(self.draw["l"]))

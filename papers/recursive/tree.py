"""Trees of joints with several coordinates, in the recursive-formulation paper's letters.

Rotations (3.8), places (3.16), (3.17); of a joint the rotation C and the place c in its own frame
are functions of its coordinates. Columns are (translation, rotation), at centroids.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from ...symbolic.exact import motion, screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import GROUND, Body, Coordinate, Joint, Step, stacked
from ...symbolic.exact.series import Series

#: Accelerations are the highest derivatives.
ORDER = 2


@dataclass(frozen=True)
class Kind:
    """A joint: turns about axes one after the other, and slides, by number of the coordinate.

    A slide is (axis, coordinate, factor, power): c has factor · q^power along the axis.
    """

    count: int
    turns: tuple[tuple[int, int], ...] = ()
    slides: tuple[tuple[int, int, sp.Rational, int], ...] = ()

    @property
    def steps(self) -> tuple[Step, ...]:
        """Its slides, then its turns."""
        one = sp.eye(6)
        return (
            *(Step(factor * one[:, 3 + a], (m,), power) for a, m, factor, power in self.slides),
            *(Step(one[:, a], (m,)) for a, m in self.turns),
        )


def _along(*axes: int, first: int = 0) -> tuple[tuple[int, int, sp.Rational, int], ...]:
    return tuple((axis, first + k, sp.Integer(1), 1) for k, axis in enumerate(axes))


BRYANT = ((0, 0), (1, 1), (2, 2))

KINDS = {
    "revolute": Kind(1, ((2, 0),)),
    "translational": Kind(1, (), _along(2)),
    "cylindrical": Kind(2, ((2, 0),), _along(2, first=1)),
    "screw": Kind(1, ((2, 0),), ((2, 0, sp.Rational(2, 3), 1),)),
    "universal": Kind(2, BRYANT[:2]),
    "spherical": Kind(3, BRYANT),
    "planar": Kind(3, ((2, 2),), _along(0, 1)),
    "free": Kind(6, tuple((axis, k + 3) for axis, k in BRYANT), _along(0, 1, 2)),
    # A pin along a bent slot: c is not linear in the coordinate.
    "cam": Kind(1, ((2, 0),), ((0, 0, sp.Rational(1, 2), 3), (1, 0, sp.Integer(1), 1))),
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Jointed(Joint):
    """A joint of some kind: `Bi`, `Bj` are its frames seen from the inner and from its own body,
    `bi`, `bj` its points from their centroids."""

    kind: Kind

    @classmethod
    def of(
        cls,
        ends: tuple[int, int],
        kind: Kind,
        frames: tuple[sp.Matrix, sp.Matrix],
        circle: tuple[tuple[sp.Expr, sp.Expr], ...],
    ) -> Jointed:
        """From the inner body to the outer one, by the poses of the joint's frames in them."""
        return cls(*ends, kind.steps, *frames, circle, kind=kind)

    @property
    def Bi(self) -> sp.Matrix:
        return screws.turn(self.inner)

    @property
    def Bj(self) -> sp.Matrix:
        return screws.turn(self.outer)

    @property
    def bi(self) -> sp.Matrix:
        return screws.place(self.inner)

    @property
    def bj(self) -> sp.Matrix:
        return screws.place(self.outer)


#: Bodies, their parents (the body connection array) and joints.
TREE = {
    1: (GROUND, "universal"),
    2: (1, "cam"),
    3: (2, "spherical"),
    4: (GROUND, "planar"),
    5: (2, "cylindrical"),
}


class JointMotion(motion.Motion):
    """The joints' C and c, and the bodies' (ṙ, ω)."""

    def joint(self, j: int) -> Series:
        """The pose of body j's joint in its own frame."""
        joint = self.tree.joints[j]
        before = self.constant(screws.inverse(joint.inner))
        return before @ self.relative_by(j) @ self.constant(joint.outer)

    def turned(self, j: int) -> Series:
        """C."""
        return self.joint(j).map(screws.turn)

    def moved(self, j: int) -> Series:
        """c."""
        return self.joint(j).map(screws.place)

    def v(self, j: int) -> Series:
        """(ṙ, ω)."""
        return stacked(self.r(j).rate, self.spin(j))


class JointTree(motion.TreeOf[JointMotion]):
    """Bodies whose frames are at their centroids."""

    seen_as = JointMotion

    joints: Mapping[int, Jointed]

    @classmethod
    def drawn(cls, seed: int, tree: Mapping[int, tuple[int, str]] = TREE) -> JointTree:
        """A generic tree."""
        draw = Points(seed)
        joints, bodies = {}, {}
        for j, (parent, name) in tree.items():
            bodies[j] = Body.drawn(draw).centred
            turns = [draw.rotation(3), draw.rotation(3)]
            first, second = (screws.pose(R, draw.vector(3)) for R in turns)
            kind = KINDS[name]
            circle = tuple(draw.circle() for _ in range(kind.count))
            joints[j] = Jointed.of((parent, j), kind, (first, second), circle)
        coordinates = [(j, m) for j, joint in joints.items() for m in range(joint.kind.count)]
        return cls(
            joints, bodies, {x: [draw.number() for _ in range(ORDER + 1)] for x in coordinates}
        )

    def accelerating(self, accelerations: Mapping[Coordinate, sp.Expr]) -> JointTree:
        """The same instant with other second derivatives of some coordinates."""
        given = {x: (r[1], accelerations.get(x, r[2])) for x, r in self.rates.items()}
        return self.with_rates(given)


def constant(value: sp.Matrix) -> Series:
    return Series.constant(value, ORDER)

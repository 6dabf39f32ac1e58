"""A tree of joints with several coordinates at an exact instant: poses as Taylor series.

Everything here is definition, of what the recursive-formulation paper says of bodies and joints:
rotations (3.8), places (3.16), (3.17), and for a joint the rotation C and the place c in its own
frame as functions of its coordinates. Columns are (translation, rotation), at centroids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy as sp

from . import screws
from .exactpoints import Points
from .screwtree import PARTICLES, stacked
from .series import Series, blocks, cosine_and_sine

GROUND = 0

#: Accelerations are the highest derivatives.
ORDER = 2

#: A coordinate: its body's number and its own, from 0.
Coordinate = tuple[int, int]

#: Values, rates and second rates of coordinates.
Rates = Mapping[Coordinate, Sequence[sp.Expr]]


@dataclass(frozen=True)
class Kind:
    """A joint: turns about axes one after the other, and slides, by number of the coordinate.

    A slide is (axis, coordinate, factor, power): c has factor · q^power along the axis.
    """

    count: int
    turns: tuple[tuple[int, int], ...] = ()
    slides: tuple[tuple[int, int, sp.Rational, int], ...] = ()


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
    "cam": Kind(1, ((2, 0),), ((0, 0, sp.Rational(1, 2), 2), (1, 0, sp.Integer(1), 1))),
}


@dataclass(frozen=True, eq=False)
class Jointed:
    """A body and the joint that it hangs on.

    `Bi`, `Bj` are the joint's frames seen from the inner and from this body, `bi`, `bj` the
    joint's points from their centroids; `masses` and, from the centroid, `points` are particles.
    """

    parent: int
    kind: Kind
    Bi: sp.Matrix
    Bj: sp.Matrix
    bi: sp.Matrix
    bj: sp.Matrix
    masses: sp.Matrix
    points: sp.Matrix
    circle: tuple[tuple[sp.Expr, sp.Expr], ...]

    @property
    def mass(self) -> sp.Expr:
        return sum(self.masses, sp.Integer(0))

    @property
    def J(self) -> sp.Matrix:
        """Inertia about the centroid, in body axes."""
        second = self.points * sp.diag(*self.masses) * self.points.T
        return second.trace() * sp.eye(3) - second


#: Bodies, their parents (the body connection array) and joints.
TREE = {
    1: (GROUND, "universal"),
    2: (1, "cam"),
    3: (2, "spherical"),
    4: (2, "cylindrical"),
    5: (GROUND, "planar"),
}


@dataclass(frozen=True, eq=False)
class JointTree:
    """Bodies, and an instant: `rates` are the coordinates and their derivatives."""

    bodies: Mapping[int, Jointed]
    rates: Rates

    @classmethod
    def drawn(cls, seed: int, tree: Mapping[int, tuple[int, str]] = TREE) -> JointTree:
        """A generic tree."""
        draw = Points(seed)

        def body(parent: int, kind: Kind) -> Jointed:
            masses = draw.vector(PARTICLES).applyfunc(abs)
            points = sp.Matrix.hstack(*(draw.vector(3) for _ in range(PARTICLES)))
            centroid = points * masses / sum(masses)
            return Jointed(
                parent,
                kind,
                Bi=draw.rotation(3),
                Bj=draw.rotation(3),
                bi=draw.vector(3),
                bj=draw.vector(3),
                masses=masses,
                points=points - centroid * sp.ones(1, PARTICLES),
                circle=tuple(draw.circle() for _ in range(kind.count)),
            )

        bodies = {j: body(parent, KINDS[kind]) for j, (parent, kind) in tree.items()}
        coordinates = [(j, m) for j, each in bodies.items() for m in range(each.kind.count)]
        return cls(bodies, {x: [draw.number() for _ in range(ORDER + 1)] for x in coordinates})

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(self.rates)

    def of(self, j: int, order: int) -> sp.Matrix:
        """The m-th derivatives of the coordinates of body j's joint."""
        return sp.Matrix([self.rates[j, m][order] for m in range(self.bodies[j].kind.count)])

    def children(self, j: int) -> tuple[int, ...]:
        return tuple(i for i, body in self.bodies.items() if body.parent == j)

    def path(self, j: int) -> tuple[int, ...]:
        """The bodies from the first after the ground to j."""
        return () if j == GROUND else (*self.path(self.bodies[j].parent), j)

    @cached_property
    def motion(self) -> JointMotion:
        return JointMotion(self, self.rates)

    def accelerating(self, accelerations: Mapping[Coordinate, sp.Expr]) -> JointTree:
        """The same instant with other second derivatives of some coordinates."""
        rates = {x: [*r[:2], accelerations.get(x, r[2])] for x, r in self.rates.items()}
        return JointTree(self.bodies, rates)

    @cached_property
    def slopes(self) -> dict[Coordinate, JointMotion]:
        """The motions in which one coordinate grows at unit rate and the others rest."""
        return {x: self.along({x: sp.Integer(1)}) for x in self.coordinates}

    def along(self, rates: Mapping[Coordinate, sp.Expr]) -> JointMotion:
        """The motion at constant rates of the named coordinates."""
        none = sp.Integer(0)
        moved = {x: [r[0], rates.get(x, none), none] for x, r in self.rates.items()}
        return JointMotion(self, moved)


def elementary(axis: int, c: Series, s: Series) -> Series:
    """The rotation about a coordinate axis."""
    none, one = (Series.constant(sp.Matrix([[x]]), c.order) for x in (0, 1))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    rows = [[one if a == b else none for b in range(3)] for a in range(3)]
    rows[i][i], rows[i][j], rows[j][i], rows[j][j] = c, -s, s, c
    return blocks(rows)


class JointMotion:
    """The tree's rotations R, centroids r and joints' C and c as series."""

    def __init__(self, tree: JointTree, rates: Rates) -> None:
        self.tree = tree
        self.q = {x: Series.of_derivatives(r) for x, r in rates.items()}
        self.R = {GROUND: constant(sp.eye(3))}
        self.r = {GROUND: constant(sp.zeros(3, 1))}
        self.C: dict[int, Series] = {}
        self.c: dict[int, Series] = {}
        for j, body in tree.bodies.items():
            self.C[j], self.c[j] = self._joint(j, body)
            frame = self.R[body.parent] @ constant(body.Bi)
            self.R[j] = frame @ self.C[j] @ constant(body.Bj.T)
            ends = self.R[body.parent] @ constant(body.bi) - self.R[j] @ constant(body.bj)
            self.r[j] = self.r[body.parent] + frame @ self.c[j] + ends

    def _joint(self, j: int, body: Jointed) -> tuple[Series, Series]:
        C, c = constant(sp.eye(3)), constant(sp.zeros(3, 1))
        for axis, m in body.kind.turns:
            C = C @ elementary(axis, *cosine_and_sine(self.q[j, m], body.circle[m]))
        for axis, m, factor, power in body.kind.slides:
            slid = constant(factor * sp.eye(3)[:, axis])
            for _ in range(power):
                slid = slid.times(self.q[j, m])
            c = c + slid
        return C, c

    def v(self, j: int) -> Series:
        """(ṙ, ω)."""
        return stacked(self.r[j].rate, spin(self.R[j]))

    def x(self, j: int) -> Series:
        """The places of the body's particles, as columns."""
        body = self.tree.bodies[j]
        ones = constant(sp.ones(1, body.points.cols))
        return self.R[j] @ constant(body.points) + self.r[j] @ ones


def constant(value: sp.Matrix) -> Series:
    return Series.constant(value, ORDER)


def spin(R: Series) -> Series:
    """The axial vector of Ṙ Rᵀ."""
    return (R.rate @ R.T).map(screws.axial)

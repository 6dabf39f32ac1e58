"""Trees of joints with several coordinates, and their loops, at an exact instant.

Poses are truncated Taylor series in time, products of exponentials (screw paper (93)); all that a
ledger says of a motion is built from them. Everything here is definition: nothing knows an inertia
matrix, a Jacobian or a recursion, which is why it can judge them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import combinations
from math import factorial
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

import sympy as sp

from . import screws
from .evaluation import Points
from .once import once
from .series import Series

GROUND = 0

#: A coordinate: the number of its joint, and its own in the joint, from 0.
Coordinate = tuple[int, int]

#: A coordinate and its derivatives.
Rates = Mapping[Coordinate, Sequence[sp.Expr]]


@dataclass(frozen=True)
class Step:
    """exp(Σ X_m q_mᵖ): a part of a joint's relative motion.

    The columns of `screws` are twists (ω, v) of unit axis or none, one for each coordinate of `by`.
    Several columns do not commute, so their coordinates are zero at the instant.
    """

    screws: sp.Matrix
    by: tuple[int, ...]
    power: int = 1

    def pose(self, q: Sequence[Series], circle: Sequence[tuple[sp.Expr, sp.Expr]]) -> Series:
        """The exponential as a series; `circle` are the cosines and sines of the coordinates."""
        grown = [reduce(Series.times, [q[m]] * self.power) for m in self.by]
        order = grown[0].order
        start = sp.eye(4)
        if len(self.by) == 1:
            start = screws.exponential(self.screws, grown[0].value[0], *circle[self.by[0]])
        elif any(x.value[0] for x in grown):
            raise ValueError("the coordinates of screws that act together start at zero")
        moving = Series.constant(sp.zeros(4, 4), order)
        for k, x in enumerate(grown):
            change = Series((0 * x.value, *x.terms[1:]))
            hat = Series.constant(screws.hat(self.screws[:, k]), order)
            moving = moving + hat.times(change)
        # What grows from nothing has no power beyond the order.
        total = term = Series.constant(sp.eye(4), order)
        for k in range(1, order + 1):
            term = (term @ moving).map(lambda matrix, k=k: matrix / k)  # type: ignore[misc]
            total = total + term
        return Series.constant(start, order) @ total


@dataclass(frozen=True, eq=False)
class Joint:
    """What leads from body `pred` to body `succ`: C_succ = C_pred · inner · Π steps · outer⁻¹.

    `inner` and `outer` are the poses of the joint's two frames in its bodies; `circle` are cosines
    and sines of the coordinates, (1, 0) where none are given.
    """

    pred: int
    succ: int
    steps: tuple[Step, ...]
    inner: sp.Matrix
    outer: sp.Matrix = field(default_factory=lambda: sp.eye(4))
    circle: tuple[tuple[sp.Expr, sp.Expr], ...] = ()

    @property
    def count(self) -> int:
        """How many coordinates it has."""
        return 1 + max((m for step in self.steps for m in step.by), default=-1)

    @property
    def free(self) -> sp.Matrix:
        """The twists (ω, v) that it allows where all its coordinates are zero, as columns."""
        columns = [(m, step.screws[:, k]) for step in self.steps for k, m in enumerate(step.by)]
        return sp.Matrix.hstack(sp.zeros(6, 0), *(X for _, X in sorted(columns, key=_first)))

    @property
    def held(self) -> sp.Matrix:
        """The directions across `free`, as columns."""
        return sp.Matrix.hstack(sp.zeros(6, 0), *self.free.T.nullspace())

    def relative(self, q: Sequence[Series], order: int) -> Series:
        """The pose of the successor in the predecessor."""
        circle = self.circle or ((sp.Integer(1), sp.Integer(0)),) * self.count
        total = Series.constant(self.inner, order)
        for step in self.steps:
            total = total @ step.pose(q, circle)
        return total @ Series.constant(screws.inverse(self.outer), order)


def _first(pair: tuple[int, sp.Matrix]) -> int:
    return pair[0]


@dataclass(frozen=True, eq=False)
class Body:
    """A cloud of particles: `masses`, and as columns of `points` where they are in the body."""

    masses: sp.Matrix
    points: sp.Matrix

    @classmethod
    def drawn(cls, draw: Points, dimension: int = 3) -> Body:
        """Four particles, the fewest that turn about every axis with an inertia of their own."""
        points = sp.Matrix.hstack(*(draw.place(dimension) for _ in range(4)))
        return cls(draw.vector(4).applyfunc(abs), points)

    @property
    def centred(self) -> Body:
        """The same particles, described from their centre of mass."""
        return Body(self.masses, self.points - self.centre * sp.ones(1, self.points.cols))

    @property
    def mass(self) -> sp.Expr:
        return sum(self.masses, sp.Integer(0))

    @property
    def centre(self) -> sp.Matrix:
        return self.points * self.masses / self.mass

    @property
    def J(self) -> sp.Matrix:
        """Inertia about the centre of mass, in the body's axes: Σ m (yᵀ y 1 − y yᵀ)."""
        y = self.centred.points
        second = y * sp.diag(*self.masses) * y.T
        return second.trace() * sp.eye(3) - second


class Motion:
    """The bodies' poses C as series, and what is fixed in them."""

    tree: TreeOf[Any]

    def __init__(self, tree: TreeOf[Any], rates: Rates) -> None:
        self.tree = tree
        self.q = {x: Series.of_derivatives(r) for x, r in rates.items()}
        self.order = tree.order
        self.C = {GROUND: self.constant(sp.eye(4))}
        for i, joint in tree.joints.items():
            self.C[i] = self.C[joint.pred] @ self.relative_by(i)

    def constant(self, value: sp.Matrix) -> Series:
        return Series.constant(value, self.order)

    def relative_by(self, i: int) -> Series:
        """The pose of body i in its predecessor."""
        joint = self.tree.joints[i]
        return joint.relative([self.q[i, m] for m in range(joint.count)], self.order)

    @once
    def R(self, i: int) -> Series:
        return self.C[i].map(screws.turn)

    @once
    def r(self, i: int) -> Series:
        return self.C[i].map(screws.place)

    @once
    def spin(self, i: int) -> Series:
        """Angular velocity, in inertial axes: the vector of Ṙ Rᵀ."""
        return spin(self.R(i))

    def point(self, i: int, at: sp.Matrix) -> Series:
        """Where points that are fixed in body i are, as columns."""
        return self.R(i) @ self.constant(at) + self.r(i) @ self.constant(sp.ones(1, at.cols))

    @once
    def x(self, i: int) -> Series:
        """The places of the body's particles, as columns."""
        return self.point(i, self.tree.bodies[i].points)

    def gap(self, c: int) -> Series:
        """The pose of a cut's outer frame in its inner one; the identity where the loop closes."""
        cut = self.tree.cuts[c]
        inner = self.C[cut.pred] @ self.constant(cut.inner)
        outer = self.C[cut.succ] @ self.constant(cut.outer)
        return inverse(inner) @ outer

    def opening(self, c: int) -> Series:
        """The velocities that a cut holds: across its free directions, in its inner frame's axes.

        Angular velocity, and velocity of the outer frame's origin as seen from the inner body.
        """
        gap = self.gap(c)
        moved = stacked(spin(gap.map(screws.turn)), gap.map(screws.place).rate)
        return self.constant(self.tree.cuts[c].held.T) @ moved


Moving = TypeVar("Moving", bound=Motion)


@dataclass(frozen=True, eq=False)
class TreeOf(Generic[Moving]):
    """Bodies and joints at an instant: joint i carries body i, and comes after its predecessor.

    `rates` are the coordinates and their derivatives, all to the same order; `cuts` are joints that
    close loops, given at the instant at which their frames coincide. `seen_as` is what a motion of
    the tree is, with a paper's letters in it.
    """

    seen_as: ClassVar[type[Motion]] = Motion

    joints: Mapping[int, Joint]
    bodies: Mapping[int, Body]
    rates: Rates
    cuts: Mapping[int, Joint] = field(default_factory=dict)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(self.rates)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The bodies, and the joints that carry them, from the ground outwards."""
        return tuple(self.joints)

    @property
    def order(self) -> int:
        return len(next(iter(self.rates.values()))) - 1

    def parent(self, i: int) -> int:
        return self.joints[i].pred

    def children(self, i: int) -> tuple[int, ...]:
        return tuple(k for k, joint in self.joints.items() if joint.pred == i)

    def path(self, i: int) -> tuple[int, ...]:
        """The bodies from the first after the ground to i."""
        return () if i == GROUND else (*self.path(self.parent(i)), i)

    def outboard(self, k: int) -> tuple[int, ...]:
        """The bodies beyond joint k."""
        return tuple(i for i in self.joints if k in self.path(i))

    def of(self, i: int, order: int) -> sp.Matrix:
        """The m-th derivatives of the coordinates of joint i."""
        return sp.Matrix([self.rates[i, m][order] for m in range(self.joints[i].count)])

    @cached_property
    def motion(self) -> Moving:
        """The motion with the instant's own rates."""
        return cast(Moving, self.seen_as(self, self.rates))

    @cached_property
    def _along(self) -> dict[tuple[sp.Expr, ...], Moving]:
        return {}

    def along(self, rates: Mapping[Coordinate, sp.Expr]) -> Moving:
        """The motion at constant rates of the named coordinates; the others rest."""
        key = tuple(sp.sympify(rates.get(x, 0)) for x in self.rates)
        if key not in self._along:
            steady = {x: (rate,) for x, rate in zip(self.rates, key, strict=True)}
            self._along[key] = self.with_rates(steady).motion
        return self._along[key]

    def with_rates(self, given: Mapping[Coordinate, Sequence[sp.Expr]]) -> Self:
        """The same place with other derivatives; those beyond what is given are zero."""
        none = [sp.Integer(0)] * self.order
        moved = {x: [r[0], *[*given[x], *none][: self.order]] for x, r in self.rates.items()}
        found = replace(self, rates=moved)
        # Motions at constant rates depend on the place alone.
        found.__dict__["_along"] = self._along
        return found

    @property
    def slopes(self) -> dict[Coordinate, Moving]:
        """The motions in which one coordinate grows at unit rate and the others rest."""
        return {x: self.along({x: sp.Integer(1)}) for x in self.coordinates}

    def partial(self, quantity: Callable[[Moving], Series], *by: Coordinate) -> sp.Matrix:
        """∂ᵐ/∂q_k … of a quantity, from the m-th derivatives along sums of directions."""
        total = 0 * quantity(self.motion).value
        for count in range(1, len(by) + 1):
            for chosen in combinations(by, count):
                moving = self.along({x: sp.Integer(chosen.count(x)) for x in chosen})
                total += (-1) ** (len(by) - count) * quantity(moving).at(len(by))
        return total / factorial(len(by))


class Tree(TreeOf[Motion]):
    """A tree whose motion has no paper's letters."""


def spin(R: Series) -> Series:
    """The axial vector of Ṙ Rᵀ."""
    return (R.rate @ R.T).map(screws.axial)


def stacked(above: Series, below: Series) -> Series:
    pairs = zip(above.terms, below.terms, strict=False)
    return Series(tuple(sp.Matrix.vstack(*pair) for pair in pairs))


def inverse(C: Series) -> Series:
    """C⁻¹ = [[Rᵀ, −Rᵀ r], [0, 1]]: of a constant 1 in the corner, so that rates have none."""
    R, r = C.map(screws.turn), C.map(screws.place)
    back = -(R.T @ r)
    terms = (sp.Matrix.hstack(a.T, b) for a, b in zip(R.terms, back.terms, strict=True))
    return Series(
        tuple(
            sp.Matrix.vstack(above, sp.Matrix([[0, 0, 0, int(k == 0)]]))
            for k, above in enumerate(terms)
        )
    )

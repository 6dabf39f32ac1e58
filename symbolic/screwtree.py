"""A tree of one-freedom joints at an exact instant: poses as Taylor series, and what follows.

Everything here is definition: poses are products (93), twists come from the poses' rates (89),
Jacobians from their definitions (104)–(107). What the screw paper states of them is judged in
`screwchecks` and its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import factorial

import sympy as sp

from . import screws
from .exactpoints import Points
from .series import Series, blocks, cosine_and_sine

GROUND = 0

#: Bodies and their parents: a chain that branches at its second body.
PARENTS = {1: GROUND, 2: 1, 3: 2, 4: 2, 5: 4}

#: The derivative of highest order that the statements need.
ORDER = 4

#: The particles of a body: the fewest that turn about every axis with an inertia of their own.
PARTICLES = 4


@dataclass(frozen=True, eq=False)
class Tree:
    """Geometry, mass and an instant, all rational: p(i), X_i, B_i, cos and sin of q_i.

    A body is a cloud of particles: `masses`, and as columns of `points` where they are in the
    body. `rates` are q_i and its derivatives.
    """

    parents: Mapping[int, int]
    X: Mapping[int, sp.Matrix]
    B: Mapping[int, sp.Matrix]
    masses: Mapping[int, sp.Matrix]
    points: Mapping[int, sp.Matrix]
    circle: Mapping[int, tuple[sp.Expr, sp.Expr]]
    rates: Mapping[int, Sequence[sp.Expr]]

    @classmethod
    def drawn(cls, seed: int, parents: Mapping[int, int] = PARENTS) -> Tree:
        """A generic tree of revolute, helical and prismatic joints."""
        draw = Points(seed)

        def screw(kind: int) -> sp.Matrix:
            axis = draw.rotation(3)[:, 0]
            if kind == 2:
                return screws.twist(sp.zeros(3, 1), axis)
            pitch = draw.number() if kind == 1 else sp.Integer(0)
            return screws.unit_screw(axis, draw.vector(3), pitch)

        def points() -> sp.Matrix:
            return sp.Matrix.hstack(*(draw.vector(3) for _ in range(PARTICLES)))

        return cls(
            parents,
            X={i: screw((i + seed) % 3) for i in parents},
            B={i: screws.pose(draw.rotation(3), draw.vector(3)) for i in parents},
            masses={i: draw.vector(PARTICLES).applyfunc(abs) for i in parents},
            points={i: points() for i in parents},
            circle={i: draw.circle() for i in parents},
            rates={i: [draw.number() for _ in range(ORDER + 1)] for i in parents},
        )

    @property
    def bodies(self) -> tuple[int, ...]:
        return tuple(self.parents)

    def path(self, i: int) -> tuple[int, ...]:
        """The bodies from the first after the ground to i."""
        return () if i == GROUND else (*self.path(self.parents[i]), i)

    @cached_property
    def M(self) -> dict[int, sp.Matrix]:
        """M^b of every body: [[−Σ m ~p², Σ m ~p], [−Σ m ~p, Σ m]]."""
        return {i: inertia(self.masses[i], self.points[i]) for i in self.bodies}

    def along(self, directions: Sequence[int]) -> Motion:
        """The motion in which the named joints' coordinates grow at unit rate, the others rest."""
        rates = {
            i: [self.rates[i][0], sp.Integer(directions.count(i)), *[sp.Integer(0)] * (ORDER - 1)]
            for i in self.bodies
        }
        return Motion(self, rates)

    @cached_property
    def motion(self) -> Motion:
        """The motion with the instant's own rates."""
        return Motion(self, self.rates)

    @cached_property
    def _motions(self) -> dict[tuple[int, ...], Motion]:
        return {}

    def partial(self, quantity: Callable[[Motion], Series], *by: int) -> sp.Matrix:
        """∂ᵐ/∂q_k … of a quantity, from the m-th derivatives along sums of directions."""
        total = 0 * quantity(self.motion).value
        for count in range(1, len(by) + 1):
            for chosen in combinations(by, count):
                key = tuple(sorted(chosen))
                if key not in self._motions:
                    self._motions[key] = self.along(key)
                sign = (-1) ** (len(by) - count)
                total += sign * quantity(self._motions[key]).at(len(by))
        return total / factorial(len(by))


class Motion:
    """The tree's poses, twists and Jacobians as series, by their definitions."""

    def __init__(self, tree: Tree, rates: Mapping[int, Sequence[sp.Expr]]) -> None:
        self.tree = tree
        self.q = {i: Series.of_derivatives(rates[i]) for i in tree.bodies}
        self.C = {GROUND: Series.constant(sp.eye(4), ORDER)}
        for i, parent in tree.parents.items():
            step = Series.constant(tree.B[i], ORDER) @ self._joint(i)
            self.C[i] = self.C[parent] @ step

    def _joint(self, i: int) -> Series:
        """exp(q_i hat(X_i)), written out in 1, q, cos q and sin q."""
        q = self.q[i]
        c, s = cosine_and_sine(q, self.tree.circle[i])
        zero, one = sp.Integer(0), sp.Integer(1)
        X = self.tree.X[i]
        # The exponential is affine in (q, c, s): its four coefficients are its values there.
        base = screws.exponential(X, zero, zero, zero)
        parts = (
            (q, screws.exponential(X, one, zero, zero) - base),
            (c, screws.exponential(X, zero, one, zero) - base),
            (s, screws.exponential(X, zero, zero, one) - base),
        )
        total = Series.constant(base, ORDER)
        for scalar, coefficient in parts:
            total = total + Series.constant(coefficient, ORDER).times(scalar)
        return total

    def R(self, i: int) -> Series:
        return self.C[i].map(screws.turn)

    def r(self, i: int) -> Series:
        return self.C[i].map(screws.place)

    def relative(self, i: int, j: int) -> Series:
        """C_{i,j} = C_i⁻¹ C_j."""
        return inverse(self.C[i]) @ self.C[j]

    def shift(self, i: int, j: int) -> Series:
        """r_{i,j} = r_j − r_i in inertial axes."""
        return self.r(j) - self.r(i)

    # Twists (89), (96)–(101)

    def Vb(self, i: int) -> Series:
        return body_twist(self.C[i])

    def Vs(self, i: int) -> Series:
        return spatial_twist(self.C[i])

    def Vh(self, i: int) -> Series:
        return hybrid_twist(self.C[i])

    def Vm(self, i: int) -> Series:
        return mixed_twist(self.C[i])

    # Jacobians (104)–(107); zero where j is not on the path to i

    def _column(self, i: int, j: int, column: Callable[[], Series]) -> Series:
        if j in self.tree.path(i):
            return column()
        return Series.constant(sp.zeros(6, 1), ORDER)

    def X(self, j: int) -> Series:
        return Series.constant(self.tree.X[j], ORDER)

    def Jb(self, i: int, j: int) -> Series:
        return self._column(i, j, lambda: Ad(self.relative(i, j)) @ self.X(j))

    def Js(self, j: int) -> Series:
        return Ad(self.C[j]) @ self.X(j)

    def X0(self, j: int) -> Series:
        """⁰X_j = Ad_{R_j} X_j."""
        return Ad_turn(self.R(j)) @ self.X(j)

    def Jh(self, i: int, j: int) -> Series:
        return self._column(i, j, lambda: Ad_shift(self.shift(i, j)) @ self.X0(j))

    def E(self, i: int) -> Series:
        """diag(R_iᵀ, 1)."""
        one = Series.constant(sp.eye(3), ORDER)
        none = Series.constant(sp.zeros(3, 3), ORDER)
        return blocks([[self.R(i).T, none], [none, one]])

    def Jm(self, i: int, j: int) -> Series:
        return self.E(i) @ self.Jh(i, j)

    def momentum(self, i: int) -> Series:
        """Πˢ = Ad_C⁻ᵀ M Vᵇ."""
        back = Ad(inverse(self.C[i]))
        return back.T @ (Series.constant(self.tree.M[i], ORDER) @ self.Vb(i))


def inertia(masses: sp.Matrix, points: sp.Matrix) -> sp.Matrix:
    """[[Θ, ~h], [−~h, m]] of particles, about the point that they are told from.

    Source
        screw paper (40), (41): the sums that these stand for.
    """
    second = points * sp.diag(*masses) * points.T
    first, theta = screws.skew(points * masses), second.trace() * sp.eye(3) - second
    mass = sum(masses, sp.Integer(0)) * sp.eye(3)
    return sp.Matrix.vstack(sp.Matrix.hstack(theta, first), sp.Matrix.hstack(-first, mass))


def body_twist(C: Series) -> Series:
    """Vᵇ^ = C⁻¹ Ċ."""
    return (inverse(C) @ C.rate).map(screws.vee)


def spatial_twist(C: Series) -> Series:
    """Vˢ^ = Ċ C⁻¹."""
    return (C.rate @ inverse(C)).map(screws.vee)


def hybrid_twist(C: Series) -> Series:
    """Vʰ = (ωˢ, ṙ)."""
    R = C.map(screws.turn)
    return stacked((R.rate @ R.T).map(screws.axial), C.map(screws.place).rate)


def mixed_twist(C: Series) -> Series:
    """Vᵐ = (ωᵇ, ṙ)."""
    R = C.map(screws.turn)
    return stacked((R.T @ R.rate).map(screws.axial), C.map(screws.place).rate)


def stacked(above: Series, below: Series) -> Series:
    return blocks([[above], [below]])


def inverse(C: Series) -> Series:
    """C⁻¹ = [[Rᵀ, −Rᵀ r], [0, 1]]."""
    R, r = C.map(screws.turn), C.map(screws.place)
    none, one = (Series.constant(x, C.order) for x in (sp.zeros(1, 3), sp.eye(1)))
    return blocks([[R.T, -(R.T @ r)], [none, one]])


def Ad(C: Series) -> Series:
    R, r = C.map(screws.turn), C.map(screws.place)
    none = Series.constant(sp.zeros(3, 3), C.order)
    return blocks([[R, none], [r.map(screws.skew) @ R, R]])


def Ad_turn(R: Series) -> Series:
    none = Series.constant(sp.zeros(3, 3), R.order)
    return blocks([[R, none], [none, R]])


def Ad_shift(r: Series) -> Series:
    none = Series.constant(sp.zeros(3, 3), r.order)
    one = Series.constant(sp.eye(3), r.order)
    return blocks([[one, none], [r.map(screws.skew), one]])

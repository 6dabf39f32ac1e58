"""Kane's equations as checks: recursive-formulation paper, (2.4)–(2.11) and Appendix A.

Of a small tree the first coordinate is prescribed in time; of the others the generalised speeds
are u = V q̇ + W, with V and W that depend on the time.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import sympy as sp

from .checks import Check, Sides
from .exactpoints import Points
from .screwlagrange import total
from .series import Series
from .slaatsdynamics import demanded, forces
from .slaatstree import Coordinate, JointTree

SMALL = {1: (0, "screw"), 2: (1, "universal"), 3: (1, "revolute")}


class Kane:
    """Partial velocities of the particles of a small tree."""

    def __init__(self) -> None:
        self.tree = tree = JointTree.drawn(61, SMALL)
        self.prescribed, *self.free = tree.coordinates
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

    def slope(self, j: int, x: Coordinate) -> Series:
        """∂x/∂q of a body's particles, and its rate along the motion."""
        tree = self.tree
        rates = {y: r[1] for y, r in tree.rates.items()}
        alone, moving = tree.slopes[x], tree.along(rates)
        both = tree.along({**rates, x: rates[x] + 1})
        mixed = both.x(j).at(2) - moving.x(j).at(2) - alone.x(j).at(2)
        return Series((alone.x(j).at(1), mixed / 2))

    def X(self, j: int) -> list[Series]:
        """(A.7): the partial velocities, one a generalised speed."""
        columns = [self.slope(j, x) for x in self.free]
        return [self._sum(columns, self._column(self.inverse, i)) for i in range(len(columns))]

    def Y(self, j: int) -> Series:
        """(A.8)"""
        rate = Series(tuple(sp.Matrix([[self.tree.rates[self.prescribed][k]]]) for k in (1, 2)))
        columns = [self.slope(j, x) for x in self.free]
        moved = self._sum(columns, self.inverse @ self.W)
        return self.slope(j, self.prescribed).times(rate) - moved

    def velocity(self, j: int) -> Series:
        """(A.6): Xᵀ u + Y."""
        return self._sum(self.X(j), self.u) + self.Y(j)

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


def velocities(_: JointTree) -> Sides:
    kane = Kane()
    for j in kane.tree.bodies:
        yield kane.tree.motion.x(j).at(1), kane.velocity(j).value


def accelerations(_: JointTree) -> Sides:
    kane = Kane()
    for j in kane.tree.bodies:
        X, Y = kane.X(j), kane.Y(j)
        pushed = _weighted(X, kane.u.at(1), 0)
        Z = _weighted(X, kane.u.value, 1) + Y.at(1)
        yield kane.tree.motion.x(j).at(2), pushed + Z


def _weighted(X: list[Series], weights: sp.Matrix, order: int) -> sp.Matrix:
    return sum((x.at(order) * w for x, w in zip(X, weights, strict=True)), 0 * X[0].value)


def equations(_: JointTree) -> Sides:
    """K + K* is V⁻ᵀ times what Lagrange's equations say of the free coordinates."""
    kane = Kane()
    tree = kane.tree
    given = forces(tree)
    needed = demanded(tree, given)
    lagrange = -sp.Matrix([needed[x] for x in kane.free])
    yield sp.Matrix(list(_kane(kane))), kane.inverse.value.T * lagrange


def _kane(kane: Kane) -> Iterator[sp.Expr]:
    """K_i + K_i*: of rigid bodies ω_i · T + v_i · S, of their particles −m a · v_i."""
    tree = kane.tree
    given = forces(tree)
    for i in range(len(kane.free)):
        column = kane.inverse.value[:, i]
        active, inertial = sp.Integer(0), sp.Integer(0)
        for j, body in tree.bodies.items():
            partial = sum(
                (tree.slopes[x].v(j).value * w for x, w in zip(kane.free, column, strict=True)),
                sp.zeros(6, 1),
            )
            active += (given[j].T * partial)[0]
            moving = tree.motion.x(j).at(2) * sp.diag(*body.masses)
            inertial -= (moving * kane.X(j)[i].value.T).trace()
        yield active + inertial


def multipliers(_: JointTree) -> Sides:
    """(2.4)–(2.8): a pendulum by x, y and a multiplier is the pendulum by its angle (2.3).

    R is the slope of h = (x² + y² − l²)/2; R q̇ = 0. The loads that keep h are Rᵀ λ.
    """
    draw = Points(63)
    m, g, length, rate = (abs(draw.number()) for _ in range(4))
    c, s = draw.circle()
    place, R = length * sp.Matrix([s, -c]), length * sp.Matrix([[s, -c]])
    velocity = length * rate * sp.Matrix([c, s])
    yield R * velocity, sp.zeros(1, 1)
    angular = -g * s / length
    acceleration = length * angular * sp.Matrix([c, s]) - rate**2 * place
    load = sp.Matrix([0, -m * g])
    multiplier = (R * (m * acceleration - load))[0] / length**2
    yield m * acceleration - load - R.T * multiplier, sp.zeros(2, 1)
    yield R * acceleration, sp.Matrix([-(velocity.T * velocity)[0]])


def powers(_: JointTree) -> Sides:
    """(A.4), (A.13): the power of what is left vanishes for every change of the speeds."""
    kane = Kane()
    tree = kane.tree
    needed = demanded(tree, forces(tree))
    left = sp.Matrix(list(_kane(kane)))
    for k, x in enumerate(kane.free):
        change = kane.V.value[:, k]
        yield (
            sp.Matrix([total(a * b for a, b in zip(left, change, strict=True))]),
            sp.Matrix([-needed[x]]),
        )


CHECKS = (
    Check("2.4", "a pendulum by coordinates that depend on each other, (2.3)–(2.8)", multipliers),
    Check("2.9", "Kane's equations, with (2.10), (2.11), (A.14)–(A.18)", equations),
    Check("A.6", "velocities by generalised speeds, (A.1)–(A.8), (A.12)", velocities),
    Check("A.9", "accelerations by generalised speeds, with (A.10), (A.11)", accelerations),
    Check("A.13", "virtual power, with (A.4)", powers),
)

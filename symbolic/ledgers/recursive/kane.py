"""Kane's equations as checks: recursive-formulation paper, (2.4)–(2.11) and Appendix A.

Of a small tree the first coordinate is prescribed in time; of the others the generalised speeds
are u = V q̇ + W, with V and W that depend on the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial

import sympy as sp

from ...exact.evaluation import Points
from ...exact.ledger import Instant, Sides
from ...exact.motion import Coordinate
from ...exact.once import once
from ...exact.series import Series
from ...exact.true_motion import demanded
from ..screw.lagrange import total
from .dynamics import forces
from .tree import JointTree, entry

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

    def velocity(self, j: int) -> Series:
        """(A.6): Xᵀ u + Y."""
        return self._sum(self.X(j), self.u) + self.Y(j)

    def active(self, wrenches: Mapping[int, sp.Matrix]) -> list[sp.Expr]:
        """v_i · F + ω_i · T of (F, T) at the centroids, one a generalised speed."""
        tree = self.tree
        bodies = [
            total((w.T * tree.slopes[x].v(j).value)[0] for j, w in wrenches.items())
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
            -total((moving[j] * self.X(j)[i].value.T).trace() for j in moving)
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


def velocities(kane: Kane) -> Sides:
    for j in kane.tree.bodies:
        yield kane.tree.motion.x(j).at(1), kane.velocity(j).value


def accelerations(kane: Kane) -> Sides:
    for j in kane.tree.bodies:
        X, Y = kane.X(j), kane.Y(j)
        pushed = _weighted(X, kane.u.at(1), 0)
        turned = _weighted(X, kane.u.value, 1)
        yield kane.tree.motion.x(j).at(2), pushed, turned, Y.at(1)


def _weighted(X: list[Series], weights: sp.Matrix, order: int) -> sp.Matrix:
    return sum((x.at(order) * w for x, w in zip(X, weights, strict=True)), 0 * X[0].value)


def equations(kane: Kane) -> Sides:
    """K + K* is V⁻ᵀ times what Lagrange's equations say of the free coordinates."""
    K, inertial = kane.active(forces(kane.tree)), kane.inertial
    yield kane.inverse.value.T * kane.left, sp.Matrix(K), sp.Matrix(inertial)


def active_forces(kane: Kane, printed: bool = False) -> Sides:
    """Of forces on mass points; of rigid bodies v_i · F + ω_i · T. The print has bodies alone."""
    draw = Points(64)
    on_points = {j: draw.vector(12).reshape(3, 4) for j in kane.tree.bodies}
    wrenches = {}
    for j, body in kane.tree.bodies.items():
        f, arms = on_points[j], kane.tree.motion.R(j).value * body.points
        moment = sum((arms[:, k].cross(f[:, k]) for k in range(4)), sp.zeros(3, 1))
        wrenches[j] = sp.Matrix.vstack(f * sp.ones(4, 1), moment)
    by_points = [
        total((on_points[j] * kane.X(j)[i].value.T).trace() for j in kane.tree.bodies)
        for i in range(len(kane.free))
    ]
    pushing = {j: sp.Matrix.vstack(w[:3, :], sp.zeros(3, 1)) for j, w in wrenches.items()}
    turning = {j: w - pushing[j] for j, w in wrenches.items()}
    moments = sp.zeros(len(kane.free), 1) if printed else sp.Matrix(kane.active(turning))
    yield sp.Matrix(by_points), sp.Matrix(kane.active(pushing)), moments


def inertia_forces(kane: Kane, printed: bool = False) -> Sides:
    """Of mass points; of rigid bodies −m a · v_i − (J ω̇ + ω × J ω) · ω_i."""
    tree, none = kane.tree, sp.zeros(3, 1)
    pushing, turning = {}, {}
    for j, body in tree.bodies.items():
        R, v = tree.motion.R(j).value, tree.motion.v(j)
        J, w = R * body.J * R.T, v.value[3:, :]
        pushing[j] = sp.Matrix.vstack(-body.mass * v.at(1)[:3, :], none)
        turning[j] = sp.Matrix.vstack(none, -J * v.at(1)[3:, :] - w.cross(J * w))
    moments = sp.zeros(len(kane.free), 1) if printed else sp.Matrix(kane.active(turning))
    yield sp.Matrix(kane.inertial), sp.Matrix(kane.active(pushing)), moments


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


def powers(kane: Kane) -> Sides:
    """The power of what is left vanishes for every change of the speeds."""
    left = sp.Matrix(kane.active(forces(kane.tree))) + sp.Matrix(kane.inertial)
    for k, needed in enumerate(kane.left):
        yield left.T * kane.V.value[:, k], sp.Matrix([needed])


KANE = Instant("a small tree, a coordinate of which is prescribed", Kane)

small = partial(entry, instants=(KANE,))

BODIES = "np counts mass points, not bodies: of a rigid body the "

ENTRIES = (
    small(
        "2.4",
        "a pendulum by coordinates that depend on each other, (2.3)–(2.8)",
        multipliers,
        "d/dt ∂T/∂q̇ − ∂T/∂q − Rᵀ λ = Q, R q̇ = 0",
    ),
    small("2.9", "Kane's equations, with (A.14)–(A.16)", equations, "K_i + K_i* = 0"),
    small(
        "2.10",
        "generalised active forces, as (A.17)",
        active_forces,
        "K_i = Σ v_i · F over the mass points; of a rigid body v_i · F + ω_i · T",
        as_printed="K_i = Σ v_i · F over the np bodies",
        correction=f"{BODIES}resultant's moment counts too",
    ),
    small(
        "2.11",
        "generalised inertia forces, as (A.18)",
        inertia_forces,
        "K_i* = Σ v_i · (−m a) over the mass points",
        as_printed="K_i* = Σ v_i · (−m a) over the np bodies",
        correction=f"{BODIES}inertia's moment counts too",
    ),
    small(
        "A.6",
        "velocities by generalised speeds, (A.1)–(A.8), (A.12)",
        velocities,
        "v = Xᵀ u + Y, u = V q̇ + W",
    ),
    small(
        "A.9",
        "accelerations by generalised speeds, with (A.10), (A.11)",
        accelerations,
        "a = Xᵀ u̇ + Z, Z = Ẋᵀ u + Ẏ",
    ),
    small("A.13", "virtual power, with (A.4)", powers, "Σ (K_i + K_i*) δu_i = 0"),
)

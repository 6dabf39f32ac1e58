"""Lagrange's and Kane's equations as checks: recursive-formulation paper, (2.3)–(2.11), Appendix A.

Of a small tree the first coordinate is prescribed in time; of the others the generalised speeds
are u = V q̇ + W, with V and W that depend on the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import sympy as sp

from ...exact.claims import Symbols, rates
from ...exact.evaluation import Points
from ...exact.ledger import Instant, Sides
from ...exact.motion import Coordinate
from ...exact.once import once
from ...exact.series import Series, blocks, cosine_and_sine
from ...exact.true_motion import demanded, solved
from ..screw.lagrange import total
from .cases import entry
from .letters import symbols
from .loads import forces
from .tree import JointMotion, JointTree

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
    """(A.5)–(A.12): by the coordinates' rates, by generalised speeds, and their variations."""
    tree = kane.tree
    for j in tree.bodies:
        slopes = {x: kane.slope(j, x).value for x in tree.coordinates}
        rates = [slopes[x] * tree.rates[x][1] for x in kane.free]
        own = slopes[kane.prescribed] * tree.rates[kane.prescribed][1]
        found = tree.motion.x(j).at(1)
        yield found, _weighted(kane.X(j), kane.u.value, 0), kane.Y(j).value
        yield "A.5", found, sum(rates[1:], rates[0]), own
        more = Points(66).vector(len(kane.free))
        yield "A.10", kane.faster(more).x(j).at(1) - found, _weighted(kane.X(j), more, 0)
        for unit, X in zip(kane.units, kane.X(j), strict=True):
            yield "A.12", kane.faster(unit).x(j).at(1) - found, X.value


def partial_velocities(kane: Kane, spinning: bool, printed: bool = False) -> Sides:
    """Of the bodies' centroids or of their spins; the print leaves out what no speed gives.

    The coefficient of a generalised speed is what one more of it adds.
    """
    part = slice(3, 6) if spinning else slice(0, 3)
    for j in kane.tree.bodies:
        whole = kane.tree.motion.v(j).value[part, :]
        still = kane.tree.along(kane.rates_at(sp.zeros(len(kane.free), 1))).v(j).value[part, :]
        rest = 0 * still if printed else still
        added = (kane.faster(unit).v(j).value[part, :] - whole for unit in kane.units)
        terms = [u * v for u, v in zip(kane.u.value, added, strict=True)]
        yield whole, sum(terms[1:], terms[0]), rest


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


def multipliers(at: Pendulum) -> Sides:
    """(2.4)–(2.7), h = ρ − l(t): the multiplier is the force that the rod exerts along itself."""
    draw, r = at.draw, at.place
    m, g = draw["m"], draw["g"]
    (c, s), (l0, l1, l2), (_, w, a) = draw["at"], draw["l"], draw["phi"]
    along, across = sp.Matrix([s, -c]), sp.Matrix([c, s])
    weight = sp.Matrix([0, -m * g])
    push = m * r.at(2) - weight - draw["lambda"] * along
    slopes = sp.Matrix.hstack(along, l0 * across)
    R = sp.Matrix([[1, 0]])
    # T = m (ρ̇² + ρ² φ̇²)/2, U = −m g ρ cos φ.
    change = m * sp.Matrix([l2, 2 * l0 * l1 * w + l0**2 * a])
    kinetic = m * sp.Matrix([l0 * w**2, 0])
    potential = m * g * sp.Matrix([-c, l0 * s])
    held = R.T * draw["lambda"]
    yield slopes.T * push, change, -kinetic, potential, -held
    yield "2.5", (r.value.T * r.value), sp.Matrix([[l0**2]])
    yield "2.6", R * sp.Matrix([(r.value.T * r.at(1))[0] / l0, w]), sp.Matrix([l1])
    yield "2.7", (along.T * slopes), R


def independent(kane: Kane) -> Sides:
    """(2.3): d/dt ∂T/∂q̇ − ∂T/∂q + ∂U/∂q of all particles, U being that of their weights."""
    tree, gravity, none = kane.tree, Points(65).vector(3), sp.zeros(3, 1)
    weights = {j: sp.Matrix.vstack(body.mass * gravity, none) for j, body in tree.bodies.items()}
    needed = demanded(tree, weights)
    for x in tree.coordinates:
        momentum, energy, potential = [], [], []
        for j in tree.outboard(x[0]):
            masses, slope = tree.bodies[j].masses, kane.slope(j, x)
            pushed = tree.motion.x(j).rate.map(lambda v, m=masses: v * sp.diag(*m))  # type: ignore[misc]
            momentum.append((pushed @ slope.T).at(1).trace())
            energy.append(-(pushed.value * slope.at(1).T).trace())
            potential.append(-(gravity.T * slope.value * masses)[0])
        yield (
            sp.Matrix([needed[x]]),
            *(sp.Matrix([total(y)]) for y in (momentum, energy, potential)),
        )


def powers(kane: Kane) -> Sides:
    """The power of what is left vanishes for every change of the speeds, by particles and by K."""
    tree, given = kane.tree, forces(kane.tree)
    left = sp.Matrix(kane.active(given)) + sp.Matrix(kane.inertial)
    for k, (x, needed) in enumerate(zip(kane.free, kane.left, strict=True)):
        yield left.T * kane.V.value[:, k], sp.Matrix([needed])
        pushed = [(w.T * tree.slopes[x].v(j).value)[0] for j, w in given.items()]
        moved = [
            (tree.motion.x(j).at(2) * sp.diag(*body.masses) * kane.slope(j, x).value.T).trace()
            for j, body in tree.bodies.items()
        ]
        yield "A.4", sp.Matrix([needed]), sp.Matrix([total(pushed)]), -sp.Matrix([total(moved)])


def letters(kane: Kane) -> Mapping[str, Any]:
    """Of the tree what `letters` has, of its bodies j with generalised speeds i = 1, ….

    `u`, `V`, `W` and their rates `du`, `dV`, `dW`; `qfree` the rates of the coordinates that are
    free; `x_j` places of a body's particles as columns and `masses_j`; `X_j_i`, `Y_j` (A.7), (A.8)
    with `dX_j_i`, `dY_j`; `K`, `Ks` the active and inertia forces.
    """
    known: dict[str, Any] = dict(rates("u", lambda: kane.u, 1))
    known |= rates("V", lambda: kane.V, 1) | rates("W", lambda: kane.W, 1)
    known["qfree"] = lambda: sp.Matrix([kane.tree.rates[x][1] for x in kane.free])
    known["K"] = lambda: sp.Matrix(kane.active(forces(kane.tree)))
    known["Ks"] = lambda: sp.Matrix(kane.inertial)
    for j, body in kane.tree.bodies.items():
        known |= rates(f"x_{j}", partial(kane.tree.motion.x, j))
        known[f"masses_{j}"] = partial(sp.Matrix, body.masses)
        known |= rates(f"Y_{j}", partial(kane.Y, j), 1)
        for i in range(len(kane.free)):
            known |= rates(f"X_{j}_{i + 1}", lambda j=j, i=i: kane.X(j)[i], 1)  # type: ignore[misc]
    of_tree = symbols(kane.tree)
    return Symbols(
        known | {name: partial(of_tree.__getitem__, name) for name in of_tree if name not in known}
    )


KANE = Instant("a small tree, a coordinate of which is prescribed", Kane)
PENDULUM = Instant("a pendulum whose length is given in time", Pendulum)

small = partial(entry, instants=(KANE,), symbols=letters)

BODIES = "np counts mass points, not bodies: of a rigid body the "
REST = "the rest Y of (A.6) is missing, which W and what is prescribed in time leave"

ENTRIES = (
    small(
        "2.3",
        "Lagrange's equations",
        independent,
        "d/dt ∂T/∂q̇ − ∂T/∂q + ∂U/∂q = Q",
    ),
    entry(
        "2.4",
        "Lagrange's equations by coordinates that depend on each other",
        multipliers,
        "d/dt ∂T/∂q̇ − ∂T/∂q + ∂U/∂q − Rᵀ λ = Q, R = ∂h/∂q, R q̇ = −∂h/∂t",
        instants=(PENDULUM,),
        symbols=None,
        no_claim="its pendulum has letters of its own",
    ),
    small("2.9", "Kane's equations, as (A.14)", equations, "K_i + K_i* = 0"),
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
    *(
        small(
            number,
            f"{what} by partial ones",
            partial(partial_velocities, spinning=number == "A.3"),
            f"{letter} = Σ {letter}_i u_i + {letter}_t",
            printed=partial(partial_velocities, spinning=number == "A.3", printed=True),
            as_printed=f"{letter} = Σ {letter}_i u_i",
            correction=REST,
        )
        for number, what, letter in (("A.2", "velocity", "v"), ("A.3", "angular velocity", "ω"))
    ),
    small(
        "A.6",
        "velocities by generalised speeds",
        velocities,
        "v = Xᵀ u + Y, u = V q̇ + W",
    ),
    small(
        "A.9",
        "accelerations by generalised speeds",
        accelerations,
        "a = Xᵀ u̇ + Z, Z = Ẋᵀ u + Ẏ",
    ),
    small("A.13", "virtual power", powers, "Σ (K_i + K_i*) δu_i = 0"),
)

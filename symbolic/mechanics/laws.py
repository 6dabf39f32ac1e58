"""What springs, dampers and laws exert, in hinges and between points, and what springs store."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ...model import Body, Force, Hinge, Model
from ...model.expressions.differentiated import jacobian
from ...model.expressions.domains import slope
from ...model.expressions.functions import step
from ...model.expressions.quantities import TIME, Quantity, exact_expression, hinge_symbol
from ...model.parts.forces import LENGTH, RATE
from ...model.parts.hinge_kinds import HINGE_KINDS, OFFSET, RATIO, SIZES
from .hinges import Joint, joint
from .rotation_vector import SLOPE, STAGES, relative, rotation_vector
from .space import Space

#: Names that kernels use themselves; a parameter of such a name gets another one there.
TAKEN = frozenset(
    {"A", "C", "H", "K", "R", "V", "W", "fl", "p", "r", "rk", "vr", "wr", "br", "bw"}
    | {size.name for size in (*SIZES, RATIO, OFFSET)}
    | {f"{x}_f" for x in ("R", "p", "vr", "wr", "br", "bw", "H")}
    | {f"{x}_{k}" for x in ("tau", "phi", "ud") for k in range(1, 7)}
    | {f"{x}{k}" for x in ("H", "T", "phi", "phid") for k in range(1, 7)}
    | {f"q_{x}" for x in ("x", "y", "z", "Qw", "Qx", "Qy", "Qz")}
    | {"phi", "phid", "phidd", "Ag", "xg", "vg", "wg", "accg", "Bg", "gI", "w2"}
    | {"rho", "Ebefore", "Erotor", "W1", "W2", "Q0", "Q1", "Q2", "ad_1", "jerk_1", "snap_1"}
    | {f"{x}_{k}" for x in ("at", "rate", "second") for k in range(1, 7)}
    | {"dist", "distd", "pull", "Vbefore", *STAGES, *SLOPE}
)

#: What kernels call the distance of a force's two points, and its rate.
DISTANCE, STRETCHING = sp.symbols("dist distd", real=True)


def inside(name: str) -> sp.Symbol:
    """The symbol of a model parameter inside a kernel."""
    return sp.Symbol(f"p_{name}" if name in TAKEN else name, real=True)


def settled(law: Quantity) -> sp.Expr:
    """A law with exact numbers and with its parameters named as inside a kernel."""
    exact = exact_expression(law)
    return exact.xreplace({symbol: inside(symbol.name) for symbol in exact.free_symbols})


def timed(*laws: Quantity) -> bool:
    """Does any of these depend on the time?"""
    return any(TIME in exact_expression(law).free_symbols for law in laws)


def potential(dimension: int, hinge: Hinge) -> sp.Expr:
    """The energy stored in a hinge, in its coordinates.

    Source
        own
    """
    of = joint(dimension, hinge.kind)
    turn = _torsion(of, hinge)
    return _in_places(dimension, of, hinge) + (
        turn.dot(turn) * _values(hinge.stiffness)[-1] / 2 if turn else 0
    )


def _in_places(dimension: int, of: Joint, hinge: Hinge) -> sp.Expr:
    """The energy of a hinge's potential and springs, but for that of its torsional spring."""
    stored = _own(of, hinge.potential)
    if not hinge.stiffness:
        return stored
    d, k = dimension, _values(hinge.stiffness)
    rest = _values(hinge.rest) or [sp.Integer(0)] * len(of.q)
    along = range(len(of.q) - 4 if d == 3 else d)
    stored += sum(k[i] * (of.position[i] - rest[i]) ** 2 for i in along) / 2
    if d == 2:
        stored += k[2] * (of.q[2] - rest[2]) ** 2 / 2
    elif HINGE_KINDS[d][hinge.kind].sprung:
        stored += 2 * sum(k[3 + i] * of.q[4 + i] ** 2 for i in range(3))
    return stored


def _torsion(of: Joint, hinge: Hinge) -> sp.Matrix | None:
    """The rotation vector φ n that a torsional spring works on, in parent's and child's axes."""
    if not hinge.stiffness or HINGE_KINDS[of.dimension][hinge.kind].sprung:
        return None
    Q = tuple(of.q[-4:, :])
    return rotation_vector(relative(_values(hinge.rest)[-4:], Q) if hinge.rest else Q)


def half_rounds(dimension: int, hinge: Hinge) -> list[sp.Expr]:
    """What a torsional spring's moment steps with, in the hinge's q1, q2, …; nothing of others."""
    of = joint(dimension, hinge.kind)
    turn = _torsion(of, hinge)
    own = {symbol: hinge_symbol("q", k) for k, symbol in enumerate(of.q, start=1)}
    return [x.xreplace(own) for x in turn.atoms(step)] if turn else []


def force(dimension: int, hinge: Hinge) -> tuple[sp.Expr, ...]:
    """The generalised force in a hinge, for each speed; none if it is smooth.

    With q̇ = N(q) u a potential gives −Nᵀ ∂V/∂q, and k φ²/2 of a turn the moment −k φ n.

    Source
        own
    """
    of = joint(dimension, hinge.kind)
    total, turn = _apart_from_turn(dimension, of, hinge), _torsion(of, hinge)
    if turn:
        total[-3:, :] -= _values(hinge.stiffness)[-1] * turn
    if hinge.damping:
        total -= sp.Matrix(_damped(dimension, of, _values(hinge.damping)))
    acts = hinge.force or hinge.damping or _in_places(dimension, of, hinge) != 0 or turn
    return tuple(total) if acts else ()


def _apart_from_turn(dimension: int, of: Joint, hinge: Hinge) -> sp.Matrix:
    """The force of a hinge's laws, potential and springs, without dampers and torsional spring."""
    total = sp.Matrix([_own(of, law) for law in hinge.force] or [0] * len(of.u))
    stored = _in_places(dimension, of, hinge)
    if stored != 0:
        steep = sp.Matrix([[slope(stored, x) for x in of.q]]) * jacobian(of.rates, of.u)
        total -= steep.T
    return total


@dataclass(frozen=True)
class Stiffness:
    """The stiffness in a hinge at rest: `slopes`, and of a torsional spring k, w and e.

    `slopes` is −∂τ_i/∂s_j of all but that spring, whose constant is `torsion`; `quaternion` is the
    turn (w, e) that it works on. Displacements s are the hinge's coordinates, of a turning hinge
    those that its speeds are the rates of at rest.
    """

    slopes: sp.ImmutableMatrix
    torsion: sp.Expr
    quaternion: tuple[sp.Expr, ...]

    @property
    def nothing(self) -> bool:
        return not any(self.slopes) and self.torsion == 0

    @property
    def even(self) -> sp.ImmutableMatrix:
        """The symmetric part of the slopes, which is all that an energy has of them."""
        return sp.ImmutableMatrix((self.slopes + self.slopes.T) / 2)


def stiffness(dimension: int, hinge: Hinge) -> Stiffness:
    """How stiff a hinge is at rest, where nothing moves and what depends on speeds alone is none.

    Source
        own: −∂τ/∂q N of q̇ = N(q) u.
    """
    of = joint(dimension, hinge.kind)
    still = {x: sp.Integer(0) for x in of.u}
    force = _apart_from_turn(dimension, of, hinge).xreplace(still)
    steep = [[slope(x, y) for y in of.q] for x in force]
    slopes = -sp.Matrix(len(of.u), len(of.q), [x for row in steep for x in row])
    found = sp.ImmutableMatrix(slopes * jacobian(of.rates, of.u))
    if _torsion(of, hinge) is None:
        return Stiffness(found, sp.Integer(0), ())
    Q = tuple(of.q[-4:, :])
    turn = relative(_values(hinge.rest)[-4:], Q) if hinge.rest else Q
    return Stiffness(found, _values(hinge.stiffness)[-1], tuple(turn))


def working_slopes(dimension: int, hinge: Hinge) -> sp.ImmutableMatrix:
    """−∂τ/∂χ at rest of virtual work τ · δχ, of all but a torsional spring; not symmetric.

    Of a hinge that turns in any way speeds are u = χ̇ − ½ [χ, χ̇], so that τ′ = τ − ½ bar(τ) χ is
    what works along χ.

    Source
        own
    """
    of, found = joint(dimension, hinge.kind), sp.Matrix(stiffness(dimension, hinge).slopes)
    if of.turning:
        still = {x: sp.Integer(0) for x in of.u}
        at_rest = _apart_from_turn(dimension, of, hinge).xreplace(still)
        H = of.subspace
        found += H.T * Space(dimension).bar(H * at_rest) * H / 2
    return sp.ImmutableMatrix(found)


def slopes_by_place(dimension: int, hinge: Hinge) -> tuple[sp.Matrix, sp.Matrix]:
    """−∂τ/∂q at rest of a hinge that turns in any way: by its position, and by its quaternion."""
    of = joint(dimension, hinge.kind)
    still = {x: sp.Integer(0) for x in of.u}
    slopes = -jacobian(_apart_from_turn(dimension, of, hinge).xreplace(still), of.q)
    return slopes[:, : len(of.q) - 4], slopes[:, len(of.q) - 4 :]


def viscosity(dimension: int, hinge: Hinge) -> sp.ImmutableMatrix:
    """−∂τ/∂u in a hinge at rest: what its dampers and laws resist its speeds by.

    Source
        own
    """
    of = joint(dimension, hinge.kind)
    total = _apart_from_turn(dimension, of, hinge)
    if hinge.damping:
        total -= sp.Matrix(_damped(dimension, of, _values(hinge.damping)))
    still = {x: sp.Integer(0) for x in of.u}
    return sp.ImmutableMatrix(-jacobian(total, of.u).xreplace(still))


def tension(model: Model, force: Force) -> sp.Expr:
    """What draws a force's two points together, in their distance and its rate.

    Source
        own
    """
    pull = settled(force.stiffness) * (DISTANCE - settled(force.rest))
    pull += settled(force.damping) * STRETCHING + _along(force.law)
    pull += slope(_along(force.potential), DISTANCE)
    return pull + _attracted(model, force) / DISTANCE**2


def held(model: Model, force: Force) -> sp.Expr:
    """The energy that a force between two points stores, in their distance.

    Source
        own
    """
    stored = settled(force.stiffness) * (DISTANCE - settled(force.rest)) ** 2 / 2
    return stored + _along(force.potential) - _attracted(model, force) / DISTANCE


def _attracted(model: Model, force: Force) -> sp.Expr:
    """μ m of the body that is attracted."""
    if force.mu == 0:
        return sp.Integer(0)
    body = model.body(force.ends[1].body)
    assert isinstance(body, Body)
    return settled(force.mu) * settled(body.mass)


def _along(law: Quantity) -> sp.Expr:
    """A law of a force, its length and rate as kernels call them."""
    named = exact_expression(law).xreplace({LENGTH: DISTANCE, RATE: STRETCHING})
    mine = {symbol: inside(symbol.name) for symbol in named.free_symbols}
    return named.xreplace({**mine, DISTANCE: DISTANCE, STRETCHING: STRETCHING})


def _own(of: Joint, law: Quantity) -> sp.Expr:
    """A law in the coordinates and speeds as the joint calls them."""
    names = {hinge_symbol("q", k): symbol for k, symbol in enumerate(of.q, start=1)}
    names |= {hinge_symbol("u", k): symbol for k, symbol in enumerate(of.u, start=1)}
    return settled(law).xreplace(names)


def _values(given: tuple[Quantity, ...]) -> list[sp.Expr]:
    return [settled(x) for x in given]


def _damped(dimension: int, of: Joint, c: list[sp.Expr]) -> list[sp.Expr]:
    """Bᵀ c B u, B u being the rates seen from the parent; B turns, where c does not matter."""
    if dimension == 2:
        return [x * u for x, u in zip(c, of.u, strict=True)]
    found: list[sp.Expr] = []
    for own, along in ((of.u[:3, :], c[:3]), (of.u[3:, :], c[3:])):
        even = along[0] == along[1] == along[2]
        turned = own if even else of.rotation * own
        felt = sp.Matrix([x * rate for x, rate in zip(along, turned, strict=True)])
        found += list(felt if even else of.rotation.T * felt)
    return found

"""The assembled chain on its base: divide-and-conquer paper (37)–(46)."""

from __future__ import annotations

from functools import partial

import sympy as sp

from .checks import Check, Sides
from .hdcacases import Cases
from .hdcainstant import Instant, solved
from .hdcapieces import Coefficients, Piece, assembled, leaf, merged
from .screws import axial


def whole(at: Instant) -> tuple[Piece, Coefficients]:
    last = at.system.bodies[-1]
    return Piece(at, 1, last), assembled(at, 1, last)


def velocity(cases: Cases, handle: int) -> Sides:
    for at in (cases.loop, cases.chain):
        piece, xi = whole(at)
        if handle == 1:
            yield piece.V1, xi.V1(piece.T1, piece.T2)
        else:
            yield piece.V2, xi.V2(piece.T1, piece.T2)


def impulses(cases: Cases) -> Sides:
    """T_1 = D_1 σ_1 and −T_2 = D_2 σ_2, each from the chain's momentum; no p at the cut."""
    at = cases.loop
    piece, _ = whole(at)
    first = piece.P1.value - piece.S12.value * piece.bar2.value
    second = piece.S12.value.inv() * (piece.P1.value - piece.bar1.value)
    D, H = at.D(1).value, at.H(1).value
    yield first - H * (H.T * first), D * at.multiplier(1)
    yield -second, at.D(5).value * at.sigma[5]


def joint_rates(cases: Cases) -> Sides:
    """q̇_1 = H_1ᵀ V_1 and −q̇_2 = H_2ᵀ V_2, where the last joint's successor is the ground."""
    at = cases.loop
    piece, _ = whole(at)
    yield at.q(1), at.H(1).value.T * piece.V1
    joint = at.system.joints[5]
    turned = at.R[joint.pred].map(lambda R: R * joint.E).T @ at.R[joint.succ]
    rate = axial(turned.at(1) * turned.value.T)
    yield -sp.Matrix([rate[2]]), at.H(5).value.T * piece.V2


def floating(cases: Cases) -> Sides:
    """Nothing holds the system: V_1 = ξ10, V_2 = ξ20; its p_1 is all momentum about handle 1."""
    at = cases.floating
    piece, xi = whole(at)
    yield piece.V1, xi.x10
    yield piece.V2, xi.x20
    yield at.H(1).value * at.p(1).value, piece.P1.value


def open_chain(cases: Cases) -> Sides:
    """V_1 = ξ11 T_1 + ξ10: nothing acts at the tip."""
    piece, xi = whole(cases.chain)
    yield piece.V1, xi.x11 * piece.T1 + xi.x10


def open_multipliers(cases: Cases) -> Sides:
    """σ_1 of the open chain; the base connection is the merge with a ground whose ξ is zero."""
    at = cases.chain
    piece, xi = whole(at)
    D = at.D(1).value
    yield at.multiplier(1), -solved(D.T * xi.x11 * D, D.T * xi.x10)
    none = sp.zeros(6, 6)
    ground = Coefficients(none, none, none, none, none[:, :1], none[:, :1])
    held = merged(ground, xi, D)
    yield piece.V2, held.V2(sp.zeros(6, 1), piece.T2)


def boundary(at: Instant, own: bool = False) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """diag(D_1, D_2), ξ and ξ_0 of the whole; `own`: ξ_10, ξ_20 of the single end bodies."""
    _, xi = whole(at)
    D = sp.diag(at.D(1).value, at.D(5).value)
    x = sp.Matrix.vstack(sp.Matrix.hstack(xi.x11, xi.x12), sp.Matrix.hstack(xi.x21, xi.x22))
    if own:
        return D, x, leaf(at, 1).x10.col_join(leaf(at, at.system.bodies[-1]).x20)
    return D, x, xi.x10.col_join(xi.x20)


def end_multipliers(at: Instant) -> sp.Matrix:
    """(σ_1, −σ_2)."""
    return at.multiplier(1).col_join(-at.multiplier(5))


def closed(cases: Cases, own: bool = False) -> Sides:
    """Neither end moves where it is held."""
    for at in (cases.loop, cases.planar):
        D, x, bias = boundary(at, own)
        right = D.T * x * D * end_multipliers(at) + D.T * bias
        yield right, sp.zeros(D.cols, 1)


def end_impulses(cases: Cases, own: bool = False) -> Sides:
    """(σ_1, −σ_2) of independent conditions."""
    at = cases.loop
    D, x, bias = boundary(at, own)
    yield end_multipliers(at), -solved(D.T * x * D, D.T * bias)


def rank(cases: Cases, printed: bool = False) -> Sides:
    """Of the ten rows of a planar loop in space seven are independent: no inverse exists.

    With the two in-plane directions at the cut alone the inverse exists, and moves the ends alike.
    """
    at = cases.planar
    D, x, bias = boundary(at)
    yield sp.Matrix([(D.T * x * D).rank()]), sp.Matrix([10 if printed else 7])
    less = sp.diag(at.D(1).value, at.D(5).value[:, :2])
    found = less * -solved(less.T * x * less, less.T * bias)
    yield x * found + bias, x * D * end_multipliers(at) + bias


def end_rates(cases: Cases, own: bool = False) -> Sides:
    """(q̇_1, −q̇_2) from the multipliers."""
    for at in (cases.loop, cases.planar):
        D, x, bias = boundary(at, own)
        H = sp.diag(at.H(1).value, at.H(5).value)
        last = at.H(5).value.T * Piece(at, 1, 4).V2
        yield at.q(1).col_join(last), H.T * x * D * end_multipliers(at) + H.T * bias


ENDS = "E11: ξ10, ξ20 are those of the whole system C, not a body's own"

CHECKS = (
    Check("37", "V_1 of the whole system", partial(velocity, handle=1)),
    Check("38", "V_2 of the whole system", partial(velocity, handle=2)),
    Check("39", "impulses at the ends", impulses),
    Check("40", "joint velocities at the ends", joint_rates),
    Check("41", "a free system", floating),
    Check("42", "an open chain", open_chain),
    Check("43", "σ of an open chain", open_multipliers),
    Check("44", "a closed chain's ends", closed, partial(closed, own=True), ENDS),
    Check("45", "σ of a closed chain's ends", end_impulses, partial(end_impulses, own=True), ENDS),
    Check(
        "45 of a planar loop",
        "rank of the inverse",
        rank,
        partial(rank, printed=True),
        "E3: the paper's own planar loops are redundant in space; the printed inverse does not "
        "exist",
    ),
    Check("46", "joint velocities at the ends by σ", end_rates, partial(end_rates, own=True), ENDS),
)

"""The assembled chain on its base: divide-and-conquer paper (37)–(46)."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact.ledger import Sides
from ...exact.screws import turn
from ...exact.true_motion import solved
from .cases import entry, on
from .instant import Instant
from .pieces import Coefficients, Piece, assembled, leaf, merged


def whole(at: Instant) -> tuple[Piece, Coefficients]:
    last = at.bodies[-1]
    return Piece(at, 1, last), assembled(at, 1, last)


def velocity(at: Instant, handle: int) -> Sides:
    piece, xi = whole(at)
    if handle == 1:
        yield piece.V1, *xi.V1(piece.T1, piece.T2)
    else:
        yield piece.V2, *xi.V2(piece.T1, piece.T2)


def impulses(at: Instant) -> Sides:
    """Each from the chain's momentum; no p at the cut."""
    piece, _ = whole(at)
    first = piece.P1.value - piece.S12.value * piece.bar2.value
    second = piece.S12.value.inv() * (piece.P1.value - piece.bar1.value)
    D, H = at.D(1).value, at.H(1).value
    yield first - H * (H.T * first), D * at.multiplier(1)
    yield -second, at.D(5).value * at.sigma[5]


def joint_rates(at: Instant) -> Sides:
    """The last joint's successor is the ground."""
    piece, _ = whole(at)
    yield at.q(1), at.H(1).value.T * piece.V1
    gap = at.motion.gap(5).map(turn)
    rate = (gap.rate @ gap.T).value[1, 0]
    yield -sp.Matrix([rate]), at.H(5).value.T * piece.V2


def floating(at: Instant) -> Sides:
    """Nothing holds the system; its p_1 is all momentum about handle 1."""
    piece, xi = whole(at)
    yield piece.V1, xi.x10
    yield piece.V2, xi.x20
    yield at.H(1).value * at.p(1).value, piece.P1.value


def open_chain(at: Instant) -> Sides:
    """Nothing acts at the tip."""
    piece, xi = whole(at)
    yield piece.V1, xi.x11 * piece.T1, xi.x10


def open_multipliers(at: Instant) -> Sides:
    """The base connection is the merge with a ground whose ξ is zero."""
    piece, xi = whole(at)
    D = at.D(1).value
    yield at.multiplier(1), -solved(D.T * xi.x11 * D, D.T * xi.x10)
    none = sp.zeros(6, 6)
    ground = Coefficients(none, none, none, none, none[:, :1], none[:, :1])
    held = merged(ground, xi, D)
    yield piece.V2, sum(held.V2(sp.zeros(6, 1), piece.T2), sp.zeros(6, 1))


def boundary(at: Instant, own: bool = False) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """diag(D_1, D_2), ξ and ξ_0 of the whole; `own`: ξ_10, ξ_20 of the single end bodies."""
    _, xi = whole(at)
    D = sp.diag(at.D(1).value, at.D(5).value)
    x = sp.Matrix.vstack(sp.Matrix.hstack(xi.x11, xi.x12), sp.Matrix.hstack(xi.x21, xi.x22))
    if own:
        return D, x, leaf(at, 1).x10.col_join(leaf(at, at.bodies[-1]).x20)
    return D, x, xi.x10.col_join(xi.x20)


def end_multipliers(at: Instant) -> sp.Matrix:
    """(σ_1, −σ_2)."""
    return at.multiplier(1).col_join(-at.multiplier(5))


def closed(at: Instant, own: bool = False) -> Sides:
    """Neither end moves where it is held."""
    D, x, bias = boundary(at, own)
    yield -D.T * x * D * end_multipliers(at), D.T * bias


def end_impulses(at: Instant, own: bool = False) -> Sides:
    """Of independent conditions."""
    D, x, bias = boundary(at, own)
    yield end_multipliers(at), -solved(D.T * x * D, D.T * bias)


def rank(at: Instant, printed: bool = False) -> Sides:
    """Of the ten rows of a planar loop in space seven are independent: no inverse exists.

    With the two in-plane directions at the cut alone the inverse exists, and moves the ends alike.
    """
    D, x, bias = boundary(at)
    yield sp.Matrix([(D.T * x * D).rank()]), sp.Matrix([10 if printed else 7])
    across = at.D(5).value
    less = sp.diag(at.D(1).value, across[:, [k for k in range(5) if any(across[:2, k])]])
    found = less * -solved(less.T * x * less, less.T * bias)
    yield x * found + bias, x * D * end_multipliers(at), bias


def end_rates(at: Instant, own: bool = False) -> Sides:
    """(q̇_1, −q̇_2) from the multipliers."""
    D, x, bias = boundary(at, own)
    H = sp.diag(at.H(1).value, at.H(5).value)
    last = at.H(5).value.T * Piece(at, 1, 4).V2
    yield at.q(1).col_join(last), H.T * x * D * end_multipliers(at), H.T * bias


ENDS = "E11: ξ10, ξ20 are those of the whole system C, not a body's own"

both = partial(entry, instants=on("loop", "chain"))
loop = partial(entry, instants=on("loop"))
loops = partial(entry, instants=on("loop", "planar"))
chain = partial(entry, instants=on("chain"))

ENTRIES = (
    both(
        "37",
        "V_1 of the whole system",
        partial(velocity, handle=1),
        "V_1 = ξ11 T_1 + ξ12 T_2 + ξ10",
    ),
    both(
        "38",
        "V_2 of the whole system",
        partial(velocity, handle=2),
        "V_2 = ξ21 T_1 + ξ22 T_2 + ξ20",
    ),
    loop("39", "impulses at the ends", impulses, "T_1 = D_1 σ_1, −T_2 = D_2 σ_2"),
    loop("40", "joint velocities at the ends", joint_rates, "q̇_1 = H_1ᵀ V_1, −q̇_2 = H_2ᵀ V_2"),
    entry("41", "a free system", floating, "V_1 = ξ10, V_2 = ξ20", instants=on("floating")),
    chain("42", "an open chain", open_chain, "V_1 = ξ11 T_1 + ξ10"),
    chain("43", "σ of an open chain", open_multipliers, "σ_1 = −(D_1ᵀ ξ11 D_1)⁻¹ D_1ᵀ ξ10"),
    loops(
        "44",
        "a closed chain's ends",
        closed,
        "Dᵀ ξ D (σ_1, −σ_2) + Dᵀ (ξ10ᶜ, ξ20ᶜ) = 0, D = diag(D_1, D_2)",
        printed=partial(closed, own=True),
        as_printed="Dᵀ ξ D (σ_1, −σ_2) + Dᵀ (ξ10, ξ20) = 0",
        correction=ENDS,
    ),
    loop(
        "45",
        "σ of a closed chain's ends",
        end_impulses,
        "(σ_1, −σ_2) = −(Dᵀ ξ D)⁻¹ Dᵀ (ξ10ᶜ, ξ20ᶜ)",
        printed=partial(end_impulses, own=True),
        as_printed="(σ_1, −σ_2) = −(Dᵀ ξ D)⁻¹ Dᵀ (ξ10, ξ20)",
        correction=ENDS,
    ),
    entry(
        "45, planar",
        "the inverse for a planar loop in space",
        rank,
        "rank Dᵀ ξ D = 7",
        instants=on("planar"),
        as_printed="(Dᵀ ξ D)⁻¹ of 10 rows",
        kind="text",
        correction="E3: the paper's own planar loops are redundant in space; the printed inverse "
        "does not exist",
    ),
    loops(
        "46",
        "joint velocities at the ends by σ",
        end_rates,
        "(q̇_1, −q̇_2) = Hᵀ ξ D (σ_1, −σ_2) + Hᵀ (ξ10ᶜ, ξ20ᶜ), H = diag(H_1, H_2)",
        printed=partial(end_rates, own=True),
        as_printed="(q̇_1, −q̇_2) = Hᵀ ξ D (σ_1, −σ_2) + Hᵀ (ξ10, ξ20)",
        correction=ENDS,
    ),
)

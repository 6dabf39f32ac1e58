"""Joints and single bodies: divide-and-conquer paper (10)–(13), (15), (16)."""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact.ledger import Sides
from ...exact.screws import skew
from ...exact.series import blocks
from .cases import entry, on
from .instant import Instant
from .pieces import Piece, leaf
from .shift import mass_matrix


def decomposition(at: Instant, sign: int = -1) -> Sides:
    """Together they are the body's momentum."""
    for i in at.bodies:
        piece = Piece(at, i, i)
        found = [
            at.D(k).value * at.multiplier(k) + at.H(k).value * at.p(k).value
            for k in (i, i + 1)
            if k in at.joints
        ]
        after = sign * found[1] if len(found) == 2 else sp.zeros(6, 1)
        yield piece.bar1.value, found[0]
        yield piece.P1.value, found[0], piece.S12.value * after


def orthogonal(at: Instant) -> Sides:
    """In any axes and at all times."""
    for k in at.joints:
        both = blocks([[at.H(k), at.D(k)]])
        product = both.T @ both
        yield product.value, sp.eye(6)
        yield product.at(1), sp.zeros(6, 6)


def turning(at: Instant, printed: bool = False) -> Sides:
    """The joint's axes turn with the predecessor; constants would not turn."""
    for k, joint in at.joints.items():
        W = skew(at.spin(joint.pred).value)
        for columns in (at.H(k), at.D(k)):
            yield columns.at(1), sp.diag(W, W) * columns.value * (0 if printed else 1)


def balances(at: Instant, handle: int) -> Sides:
    for i in at.bodies:
        piece = Piece(at, i, i)
        S12 = piece.S12.value
        S21 = S12.inv()
        one, two = piece.bar1.value, piece.bar2.value
        if handle == 1:
            yield mass_matrix(at, i, piece.O1) * piece.V1, one, S12 * two
        else:
            yield mass_matrix(at, i, piece.O2) * piece.V2, S21 * one, two
            yield mass_matrix(at, i, piece.O2), S21 * mass_matrix(at, i, piece.O1) * S21.T


def velocities(at: Instant, handle: int, sign: int = -1) -> Sides:
    """V of a single body's handle from T_1, T_2 and the joint momenta."""
    for i in at.bodies:
        piece, found = Piece(at, i, i), leaf(at, i, sign)
        if handle == 1:
            yield piece.V1, *found.V1(piece.T1, piece.T2)
            yield found.x11, mass_matrix(at, i, piece.O1).inv()
            yield found.x12, mass_matrix(at, i, piece.O1).inv() * piece.S12.value
        else:
            yield piece.V2, *found.V2(piece.T1, piece.T2)
            yield found.x22, mass_matrix(at, i, piece.O2).inv()
            yield found.x21, found.x12.T


#: Single bodies with two handles, in the loop and in the open chain.
chains = partial(entry, instants=on("loop", "chain"))
coupled = partial(entry, instants=on("coupled"))

ENTRIES = (
    chains(
        "10",
        "articulated momenta",
        decomposition,
        "P̄_1 = D_1 σ_1 + H_1 p_1, P̄_2 = −(D_2 σ_2 + H_2 p_2)",
        printed=partial(decomposition, sign=1),
        as_printed="P̄ = D σ + H p at both handles",
        correction="E5: at handle 2 it is −(D σ + H p)",
    ),
    coupled("11", "allowed and constrained directions", orthogonal, "DᵀH = 0, HᵀH = 1, DᵀD = 1"),
    coupled(
        "11, below",
        "how the directions turn",
        turning,
        "Ḣ = ~ω H, Ḋ = ~ω D, ω of the predecessor",
        as_printed="H and D consist of ones and zeros",
        kind="text",
        correction="E12: H and D consist of ones and zeros in the joint's axes only; if they were "
        "constants (61)–(77) would need no Ḣ and Ḋ",
    ),
    chains(
        "12",
        "a body's momentum, about handle 1",
        partial(balances, handle=1),
        "M_1 V_1 = P̄_1 + S_12 P̄_2",
    ),
    chains(
        "13",
        "a body's momentum, about handle 2",
        partial(balances, handle=2),
        "M_2 V_2 = S_21 P̄_1 + P̄_2, M_2 = S_21 M_1 S_21ᵀ",
    ),
    chains(
        "15",
        "a body's velocity at handle 1",
        partial(velocities, handle=1),
        "V_1 = ξ11 T_1 + ξ12 T_2 + ξ10, ξ10 = M_1⁻¹ (H_1 p_1 − S_12 H_2 p_2)",
        printed=partial(velocities, handle=1, sign=1),
        as_printed="V_1 = ξ11 T_1 + ξ12 T_2 + ξ10, ξ10 = M_1⁻¹ (H_1 p_1 + S_12 H_2 p_2)",
        correction="E5: the momentum of the joint at handle 2 enters ξ10 with the sign −",
    ),
    chains(
        "16",
        "a body's velocity at handle 2",
        partial(velocities, handle=2),
        "V_2 = ξ21 T_1 + ξ22 T_2 + ξ20, ξ20 = M_2⁻¹ (S_21 H_1 p_1 − H_2 p_2)",
        printed=partial(velocities, handle=2, sign=1),
        as_printed="V_2 = ξ21 T_1 + ξ22 T_2 + ξ20, ξ20 = M_2⁻¹ (S_21 H_1 p_1 + H_2 p_2)",
        correction="E5: the momentum of the joint at handle 2 enters ξ20 with the sign −",
    ),
)

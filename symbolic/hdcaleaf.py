"""Joints and single bodies: divide-and-conquer paper (10)–(13), (15), (16)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from .checks import Check, Sides
from .hdcacases import Cases
from .hdcainstant import Instant
from .hdcapieces import Piece, leaf
from .hdcashift import mass_matrix
from .screws import skew


def bodies(cases: Cases) -> Iterator[tuple[Instant, int]]:
    """Single bodies with two handles, in the loop and in the open chain."""
    for at in (cases.loop, cases.chain):
        yield from ((at, i) for i in at.system.bodies)


def decomposition(cases: Cases, sign: int = -1) -> Sides:
    """P̄ = D σ + H p at handle 1, −(D σ + H p) at handle 2: together the body's momentum."""
    for at, i in bodies(cases):
        piece = Piece(at, i, i)
        first: list[sp.Matrix] = []
        second: list[sp.Matrix] = []
        for k, found in ((i, first), (i + 1, second)):
            if k in at.system.joints:
                found.append(at.D(k).value * at.multiplier(k) + at.H(k).value * at.p(k).value)
        yield piece.bar1.value, first[0]
        after = sign * second[0] if second else sp.zeros(6, 1)
        yield piece.P1.value, first[0] + piece.S12.value * after


def orthogonal(cases: Cases) -> Sides:
    """Dᵀ H = 0, Hᵀ H = 1, Dᵀ D = 1, in any axes and at all times."""
    at = cases.coupled
    for k in at.system.joints:
        H, D = at.H(k), at.D(k)
        for left, right in ((D, H), (H, H), (D, D)):
            product = left.T @ right
            none = sp.zeros(*product.value.shape)
            yield product.value, none if left is not right else sp.eye(none.rows)
            yield product.at(1), none


def turning(cases: Cases, printed: bool = False) -> Sides:
    """Ḣ and Ḋ: the joint's axes turn with the predecessor; constants would not turn."""
    at = cases.coupled
    for k, joint in at.system.joints.items():
        W = skew(at.spin(joint.pred).value)
        for columns in (at.H(k), at.D(k)):
            yield columns.at(1), sp.diag(W, W) * columns.value * (0 if printed else 1)


def balances(cases: Cases, handle: int) -> Sides:
    """M_1 V_1 = P̄_1 + S_12 P̄_2, and the same about handle 2; M_2 = S_21 M_1 S_21ᵀ."""
    for at, i in bodies(cases):
        piece = Piece(at, i, i)
        S12 = piece.S12.value
        S21 = S12.inv()
        one, two = piece.bar1.value, piece.bar2.value
        if handle == 1:
            yield mass_matrix(at, i, piece.O1) * piece.V1, one + S12 * two
        else:
            yield mass_matrix(at, i, piece.O2) * piece.V2, S21 * one + two
            yield mass_matrix(at, i, piece.O2), S21 * mass_matrix(at, i, piece.O1) * S21.T


def velocities(cases: Cases, handle: int, sign: int = -1) -> Sides:
    """V of a single body's handle from T_1, T_2 and the joint momenta."""
    for at, i in bodies(cases):
        piece, found = Piece(at, i, i), leaf(at, i, sign)
        if handle == 1:
            yield piece.V1, found.V1(piece.T1, piece.T2)
            yield found.x11, mass_matrix(at, i, piece.O1).inv()
            yield found.x12, mass_matrix(at, i, piece.O1).inv() * piece.S12.value
        else:
            yield piece.V2, found.V2(piece.T1, piece.T2)
            yield found.x22, mass_matrix(at, i, piece.O2).inv()
            yield found.x21, found.x12.T


CHECKS = (
    Check(
        "10",
        "articulated momenta",
        decomposition,
        partial(decomposition, sign=1),
        "E5: at handle 2 it is −(D σ + H p)",
    ),
    Check("11", "allowed and constrained directions", orthogonal),
    Check(
        "below 11",
        "how the directions turn",
        turning,
        partial(turning, printed=True),
        "E12: H and D consist of ones and zeros in the joint's axes only; if they were constants "
        "(61)–(77) would need no Ḣ and Ḋ",
    ),
    Check("12", "a body's momentum, about handle 1", partial(balances, handle=1)),
    Check("13", "a body's momentum, about handle 2", partial(balances, handle=2)),
    Check(
        "15",
        "a body's velocity at handle 1",
        partial(velocities, handle=1),
        partial(velocities, handle=1, sign=1),
        "E5: the momentum of the joint at handle 2 enters ξ10 with the sign −",
    ),
    Check(
        "16",
        "a body's velocity at handle 2",
        partial(velocities, handle=2),
        partial(velocities, handle=2, sign=1),
        "E5: the momentum of the joint at handle 2 enters ξ20 with the sign −",
    ),
)

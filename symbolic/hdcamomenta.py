"""Rates of momenta of runs and of the chain with a cut: divide-and-conquer paper (54)–(68).

A and B are the first and last two bodies of a chain whose last joint is cut and moves, C is all
four; forces F are by Newton and Euler, Ṡ of a handle is that of the velocity of its point.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from .checks import Check, Sides
from .hdcacases import CHAIN, Cases
from .hdcainstant import Instant
from .hdcapieces import Piece
from .hdcashift import rate_of_shift
from .series import Series


def runs(at: Instant) -> tuple[Piece, Piece, Piece]:
    return Piece(at, 1, 2), Piece(at, 3, 4), Piece(at, 1, 4)


def moving(handle: Series) -> sp.Matrix:
    """Ṡ of a handle."""
    return rate_of_shift(handle.at(1))


def balance(piece: Piece) -> tuple[sp.Matrix, sp.Matrix]:
    """Ṗ_1 + Ṡ_1 P_1 and Q_1 + F_1 + S_12 F_2."""
    left = piece.P1.at(1) + moving(piece.O1) * piece.P1.value
    return left, piece.Q1 + piece.F1 + piece.S12.value * piece.F2


def constrained(cases: Cases, which: int) -> Sides:
    """Of a run, single bodies too; the joints' forces do no work along H."""
    for at in (cases.swung, cases.chain):
        yield balance(runs(at)[which])
        for i in CHAIN:
            yield balance(Piece(at, i, i))
            yield at.H(i).value.T * at.F(i), sp.zeros(at.H(i).value.cols, 1)


def coupled(cases: Cases, total: bool) -> Sides:
    """Both balances with the inner force eliminated, term by term or as a total derivative."""
    A, B, _ = runs(cases.swung)
    S, rate = A.S12, moving(A.O1)
    yield moving(B.O1), rate + S.at(1)
    right = A.Q1 + S.value * B.Q1 + A.F1 + S.value * B.S12.value * B.F2
    if total:
        P = A.P1 + S @ B.P1
        yield P.at(1) + rate * P.value, right
    else:
        left = A.P1.at(1) + S.value * B.P1.at(1) + rate * A.P1.value
        yield left + moving(B.O1) * B.P1.value, right


def accumulated(cases: Cases) -> Sides:
    """P_1ᶜ, Q_1ᶜ and S_12ᶜ from those of A and B."""
    A, B, C = runs(cases.swung)
    S = A.S12.value
    yield C.P1.value, A.P1.value + S * B.P1.value
    yield C.Q1, A.Q1 + S * B.Q1
    yield C.S12.value, S * B.S12.value


def coincident(cases: Cases) -> Sides:
    """F_1ᶜ = F_1ᴬ, F_2ᶜ = F_2ᴮ, each from the momenta of C; Ṡ_1ᶜ = Ṡ_1ᴬ."""
    A, B, C = runs(cases.swung)
    lacking = C.P1.at(1) + moving(C.O1) * C.P1.value - C.Q1
    yield lacking - C.S12.value * B.F2, A.F1
    yield C.S12.value.inv() * (lacking - A.F1), B.F2
    yield moving(C.O1), moving(A.O1)


def whole(cases: Cases) -> Sides:
    yield balance(runs(cases.swung)[2])


def accumulated_rate(cases: Cases) -> Sides:
    """(H_1ᵀ P_1)˙ of the accumulated momentum, which needs F_2."""
    at = cases.swung
    C, H = runs(at)[2], at.H(1)
    inner = C.Q1 - moving(C.O1) * C.P1.value + C.S12.value * C.F2
    yield (H.T @ C.P1).at(1), H.value.T * inner + H.at(1).T * C.P1.value


def two_momenta(cases: Cases, printed: bool = False) -> Sides:
    """H_1ᵀ P_1 of (61) and p_1 of (67) differ by what the cut takes up: H_1ᵀ S_12 P̄_2."""
    at = cases.swung
    C, H = runs(at)[2], at.H(1)
    taken = H.value.T * C.S12.value * C.bar2.value
    yield (H.T @ C.P1).value, at.p(1).value + taken * (0 if printed else 1)


def cut(cases: Cases) -> Sides:
    """P̄_2 = T_2: no momentum of its own at the cut."""
    at = cases.swung
    C = runs(at)[2]
    found = C.S12.value.inv() * (C.P1.value - C.bar1.value)
    yield found, C.T2
    yield at.H(5).value.T * found, sp.zeros(1, 1)


def articulated(cases: Cases, handle: int) -> Sides:
    """Accumulated from articulated momenta."""
    for at in (cases.swung, cases.chain):
        for piece in (*runs(at), *(Piece(at, i, i) for i in CHAIN)):
            S = piece.S12.value
            if handle == 1:
                yield piece.P1.value, piece.bar1.value + S * piece.bar2.value
            else:
                about = sum((at.P(i, piece.O2).value for i in piece.bodies), sp.zeros(6, 1))
                yield about, S.inv() * piece.bar1.value + piece.bar2.value


def with_cut(cases: Cases, shift: str = "none", sign: int = 1) -> Sides:
    """The derivative of (63) put into (60); the cut's F_2 is −D_2 λ_2.

    `shift`: what S_1ᶜ in front of Ṡ_12 may mean; `sign`: of Ḋ_2 σ_2 if P̄_2 were +D_2 σ_2.
    """
    at = cases.swung
    C = runs(at)[2]
    before = {"none": sp.eye(6), "a shift": C.S12.value, "its rate": moving(C.O1)}[shift]
    S, rate = C.S12, moving(C.O1)
    left = C.bar1.at(1) + rate * C.bar1.value
    left += (before * S.at(1) + rate * S.value) * sign * C.bar2.value
    yield left - S.value * at.D(5).at(1) * at.sigma[5], C.Q1 + C.F1


def simplified(cases: Cases, sign: int = 1) -> Sides:
    at = cases.swung
    C = runs(at)[2]
    left = C.bar1.at(1) + moving(C.O1) * C.bar1.value + sign * moving(C.O2) * C.bar2.value
    yield left - C.S12.value * at.D(5).at(1) * at.sigma[5], C.Q1 + C.F1


def first_rate(cases: Cases, sign: int = 1) -> Sides:
    """ṗ_1 from articulated momenta, without any force of a joint."""
    at = cases.swung
    C, H = runs(at)[2], at.H(1)
    inner = C.Q1 - moving(C.O1) * C.bar1.value - sign * moving(C.O2) * C.bar2.value
    inner += C.S12.value * at.D(5).at(1) * at.sigma[5]
    yield at.p(1).at(1), H.value.T * inner + H.at(1).T * C.bar1.value


def cut_rate(cases: Cases) -> Sides:
    """ṗ_2 = H_2ᵀ P̄_2˙ + Ḣ_2ᵀ P̄_2 = 0."""
    at = cases.swung
    C, H = runs(at)[2], at.H(5)
    yield H.value.T * C.bar2.at(1) + H.at(1).T * C.bar2.value, sp.zeros(1, 1)


def identity(cases: Cases) -> Sides:
    """H_2ᵀ Ḋ_2 = −Ḣ_2ᵀ D_2."""
    for at in (cases.swung, cases.coupled):
        for c in at.system.cuts:
            H, D = at.H(c), at.D(c)
            yield H.value.T * D.at(1), -H.at(1).T * D.value


def identity_shapes(cases: Cases) -> Sides:
    """−Ḣ_2 D_2 as printed is no product: columns of the one, rows of the other."""
    at = cases.swung
    yield sp.Matrix([at.H(5).value.cols]), sp.Matrix([at.D(5).value.rows])


OPPOSITE = "E5: holds as printed with P̄_2 = −D_2 σ_2 alone, not with the + of (10), (62)"

CHECKS = (
    Check("54", "motion of A", partial(constrained, which=0)),
    Check("55", "motion of B", partial(constrained, which=1)),
    Check("56", "inner force eliminated", partial(coupled, total=False)),
    Check("57", "as a total derivative", partial(coupled, total=True)),
    Check("58", "accumulated momenta and loads", accumulated),
    Check("59", "forces at the handles", coincident),
    Check("60", "motion of C", whole),
    Check("61", "rate of the accumulated momentum", accumulated_rate),
    Check(
        "61, 67",
        "two momenta by one name",
        two_momenta,
        partial(two_momenta, printed=True),
        "E6: H_1ᵀ P_1 of the accumulated momentum is not the state p_1, of the articulated one",
    ),
    Check("62", "the cut has no joint momentum", cut),
    Check("63", "accumulated and articulated momenta at handle 1", partial(articulated, handle=1)),
    Check("64", "accumulated and articulated momenta at handle 2", partial(articulated, handle=2)),
    Check(
        "65",
        "motion with a cut",
        with_cut,
        partial(with_cut, shift="its rate"),
        "E10: S_1ᶜ in front of Ṡ_12 is defined nowhere; with any shift matrix nothing changes, "
        "with the Ṡ_1ᶜ beside it the equation fails",
    ),
    Check("65, any shift", "S Ṡ_12 = Ṡ_12", partial(with_cut, shift="a shift")),
    Check("65, sign", "the cut's term", with_cut, partial(with_cut, sign=-1), OPPOSITE),
    Check("66", "simplified", simplified, partial(simplified, sign=-1), OPPOSITE),
    Check("67", "rate of the first momentum", first_rate, partial(first_rate, sign=-1), OPPOSITE),
    Check("68", "rate at the cut", cut_rate),
    Check(
        "below 68",
        "an identity of H and D",
        identity,
        identity_shapes,
        "E4: Ḣ_2 lacks a transposition; as printed the shapes do not fit",
    ),
)

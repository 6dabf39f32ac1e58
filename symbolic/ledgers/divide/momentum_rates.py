"""Rates of momenta of runs and of the chain with a cut: divide-and-conquer paper (54)–(68).

A and B are the first and last two bodies of a chain between two bodies that swing, whose last
joint is cut: both its handles move. C is all four; forces F are by Newton and Euler, Ṡ of a handle
is that of the velocity of its point.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact.ledger import Sides
from ...exact.series import Series
from .cases import CHAIN, entry, on
from .instant import Instant
from .pieces import Piece
from .shift import rate_of_shift


def runs(at: Instant) -> tuple[Piece, Piece, Piece]:
    return Piece(at, 1, 2), Piece(at, 3, 4), Piece(at, 1, 4)


def moving(handle: Series) -> sp.Matrix:
    """Ṡ of a handle."""
    return rate_of_shift(handle.at(1))


def balance(piece: Piece) -> tuple[sp.Matrix, ...]:
    """Ṗ_1, and −Ṡ_1 P_1, Q_1, F_1, S_12 F_2 whose sum it is."""
    turned = -moving(piece.O1) * piece.P1.value
    return piece.P1.at(1), turned, piece.Q1, piece.F1, piece.S12.value * piece.F2


def constrained(at: Instant, which: int) -> Sides:
    """Of a run, single bodies too; the joints' forces do no work along H."""
    yield balance(runs(at)[which])
    for i in CHAIN:
        yield balance(Piece(at, i, i))
        yield at.H(i).value.T * at.F(i), sp.zeros(at.H(i).value.cols, 1)


def eliminated(at: Instant) -> Sides:
    """Both balances without the inner force."""
    A, B, _ = runs(at)
    S = A.S12.value
    yield moving(B.O1), moving(A.O1), A.S12.at(1)
    forces = (A.F1, S * B.S12.value * B.F2)
    turned = (-moving(A.O1) * A.P1.value, -moving(B.O1) * B.P1.value)
    yield A.P1.at(1), -S * B.P1.at(1), *turned, A.Q1, S * B.Q1, *forces


def total_derivative(at: Instant) -> Sides:
    A, B, _ = runs(at)
    S = A.S12
    P = A.P1 + S @ B.P1
    forces = (A.F1, S.value * B.S12.value * B.F2)
    yield P.at(1), -moving(A.O1) * P.value, A.Q1, S.value * B.Q1, *forces


def accumulated(at: Instant) -> Sides:
    """From those of A and B."""
    A, B, C = runs(at)
    S = A.S12.value
    yield C.P1.value, A.P1.value, S * B.P1.value
    yield C.Q1, A.Q1, S * B.Q1
    yield C.S12.value, S * B.S12.value


def coincident(at: Instant) -> Sides:
    """Each from the momenta of C."""
    A, B, C = runs(at)
    rate, turned, Q, _, _ = balance(C)
    yield A.F1, rate, -turned, -Q, -C.S12.value * B.F2
    yield C.S12.value * B.F2, rate, -turned, -Q, -A.F1
    yield moving(C.O1), moving(A.O1)


def whole(at: Instant) -> Sides:
    yield balance(runs(at)[2])


def accumulated_rate(at: Instant) -> Sides:
    """Of the accumulated momentum, which needs F_2; F_1 does no work along H_1."""
    C, H = runs(at)[2], at.H(1)
    _, turned, Q, _, F = balance(C)
    along = (H.value.T * term for term in (turned, Q, F))
    yield (H.T @ C.P1).at(1), *along, H.at(1).T * C.P1.value


def two_momenta(at: Instant, printed: bool = False) -> Sides:
    """H_1ᵀ P_1 of (61) and p_1 of (67) differ by what the cut takes up."""
    C, H = runs(at)[2], at.H(1)
    taken = H.value.T * C.S12.value * C.bar2.value
    yield (H.T @ C.P1).value, at.p(1).value, taken * (0 if printed else 1)


def cut(at: Instant) -> Sides:
    """No momentum of its own at the cut."""
    C = runs(at)[2]
    found = C.S12.value.inv() * (C.P1.value - C.bar1.value)
    yield found, C.T2
    yield at.H(5).value.T * found, sp.zeros(1, 1)


def articulated(at: Instant, handle: int) -> Sides:
    """Accumulated from articulated momenta."""
    for piece in (*runs(at), *(Piece(at, i, i) for i in CHAIN)):
        S = piece.S12.value
        if handle == 1:
            yield piece.P1.value, piece.bar1.value, S * piece.bar2.value
        else:
            about = sum((at.P(i, piece.O2).value for i in piece.bodies), sp.zeros(6, 1))
            yield about, S.inv() * piece.bar1.value, piece.bar2.value


def with_cut(at: Instant, shift: str = "none", sign: int = 1) -> Sides:
    """The derivative of (63) put into (60); the cut's F_2 is −D_2 λ_2.

    `shift`: what S_1ᶜ in front of Ṡ_12 may mean; `sign`: of Ḋ_2 σ_2 if P̄_2 were +D_2 σ_2.
    """
    C = runs(at)[2]
    before = {"none": sp.eye(6), "a shift": C.S12.value, "its rate": moving(C.O1)}[shift]
    S, rate, second = C.S12, moving(C.O1), sign * C.bar2.value
    turned = (-rate * C.bar1.value, -before * S.at(1) * second, -rate * S.value * second)
    held = S.value * at.D(5).at(1) * at.sigma[5]
    yield C.bar1.at(1), *turned, held, C.Q1, C.F1


def simplified(at: Instant, sign: int = 1) -> Sides:
    C = runs(at)[2]
    turned = (-moving(C.O1) * C.bar1.value, -sign * moving(C.O2) * C.bar2.value)
    held = C.S12.value * at.D(5).at(1) * at.sigma[5]
    yield C.bar1.at(1), *turned, held, C.Q1, C.F1


def first_rate(at: Instant, sign: int = 1) -> Sides:
    """Without any force of a joint."""
    C, H = runs(at)[2], at.H(1)
    turned = (-moving(C.O1) * C.bar1.value, -sign * moving(C.O2) * C.bar2.value)
    held = C.S12.value * at.D(5).at(1) * at.sigma[5]
    along = (H.value.T * term for term in (C.Q1, *turned, held))
    yield at.p(1).at(1), *along, H.at(1).T * C.bar1.value


def cut_rate(at: Instant) -> Sides:
    C, H = runs(at)[2], at.H(5)
    yield H.value.T * C.bar2.at(1), -H.at(1).T * C.bar2.value


def identity(at: Instant) -> Sides:
    for c in at.tree.cuts:
        H, D = at.H(c), at.D(c)
        yield H.value.T * D.at(1), -H.at(1).T * D.value


def identity_shapes(at: Instant) -> Sides:
    """−Ḣ_2 D_2 as printed is no product: columns of the one, rows of the other."""
    for c in at.tree.cuts:
        yield sp.Matrix([at.H(c).value.cols]), sp.Matrix([at.D(c).value.rows])


OPPOSITE = "E5: holds as printed with P̄_2 = −D_2 σ_2 alone, not with the + of (10), (62)"

swung = partial(entry, instants=on("swung"))
chains = partial(entry, instants=on("swung", "chain"))

ENTRIES = (
    chains(
        "54",
        "motion of A",
        partial(constrained, which=0),
        "Ṗ_1ᴬ + Ṡ_1ᴬ P_1ᴬ = Q_1ᴬ + F_1ᴬ + S_12ᴬ F_2ᴬ",
    ),
    chains(
        "55",
        "motion of B",
        partial(constrained, which=1),
        "Ṗ_1ᴮ + Ṡ_1ᴮ P_1ᴮ = Q_1ᴮ + F_1ᴮ + S_12ᴮ F_2ᴮ",
    ),
    swung(
        "56",
        "inner force eliminated",
        eliminated,
        "Ṗ_1ᴬ + S_12ᴬ Ṗ_1ᴮ + Ṡ_1ᴬ P_1ᴬ + Ṡ_1ᴮ P_1ᴮ = Q_1ᴬ + S_12ᴬ Q_1ᴮ + F_1ᴬ + S_12ᴬ S_12ᴮ F_2ᴮ",
    ),
    swung(
        "57",
        "as a total derivative",
        total_derivative,
        "(P_1ᴬ + S_12ᴬ P_1ᴮ)˙ + Ṡ_1ᴬ (P_1ᴬ + S_12ᴬ P_1ᴮ) "
        "= Q_1ᴬ + S_12ᴬ Q_1ᴮ + F_1ᴬ + S_12ᴬ S_12ᴮ F_2ᴮ",
    ),
    swung(
        "58",
        "accumulated momenta and loads",
        accumulated,
        "P_1ᶜ = P_1ᴬ + S_12ᴬ P_1ᴮ, Q_1ᶜ = Q_1ᴬ + S_12ᴬ Q_1ᴮ, S_12ᶜ = S_12ᴬ S_12ᴮ",
    ),
    swung("59", "forces at the handles", coincident, "F_1ᶜ = F_1ᴬ, F_2ᶜ = F_2ᴮ, Ṡ_1ᶜ = Ṡ_1ᴬ"),
    swung("60", "motion of C", whole, "Ṗ_1ᶜ + Ṡ_1ᶜ P_1ᶜ = Q_1ᶜ + F_1ᶜ + S_12ᶜ F_2ᶜ"),
    swung(
        "61",
        "rate of the accumulated momentum",
        accumulated_rate,
        "(H_1ᵀ P_1)˙ = H_1ᵀ (Q_1 − Ṡ_1 P_1 + S_12 F_2) + Ḣ_1ᵀ P_1",
    ),
    swung(
        "61, two momenta",
        "two momenta by one name, in (61) and (67)",
        two_momenta,
        "H_1ᵀ P_1 = p_1 + H_1ᵀ S_12 P̄_2",
        as_printed="p_1 in both",
        kind="text",
        correction="E6: H_1ᵀ P_1 of the accumulated momentum is not the state p_1, of the "
        "articulated one",
    ),
    swung("62", "the cut has no joint momentum", cut, "P̄_2 = T_2, H_2ᵀ P̄_2 = 0"),
    chains(
        "63",
        "accumulated and articulated momenta at handle 1",
        partial(articulated, handle=1),
        "P_1 = P̄_1 + S_12 P̄_2",
    ),
    chains(
        "64",
        "accumulated and articulated momenta at handle 2",
        partial(articulated, handle=2),
        "P_2 = S_21 P̄_1 + P̄_2",
    ),
    swung(
        "65",
        "motion with a cut",
        with_cut,
        "P̄_1˙ + Ṡ_1 P̄_1 + (Ṡ_12 + Ṡ_1 S_12) P̄_2 − S_12 Ḋ_2 σ_2 = Q_1 + F_1",
        printed=partial(with_cut, shift="its rate"),
        as_printed="P̄_1˙ + Ṡ_1 P̄_1 + (S_1ᶜ Ṡ_12 + Ṡ_1 S_12) P̄_2 − S_12 Ḋ_2 σ_2 = Q_1 + F_1",
        correction="E10: S_1ᶜ in front of Ṡ_12 is defined nowhere; with any shift matrix nothing "
        "changes, with the Ṡ_1ᶜ beside it the equation fails",
    ),
    swung(
        "65, any shift",
        "S Ṡ_12 = Ṡ_12",
        partial(with_cut, shift="a shift"),
        "P̄_1˙ + Ṡ_1 P̄_1 + (S Ṡ_12 + Ṡ_1 S_12) P̄_2 − S_12 Ḋ_2 σ_2 = Q_1 + F_1",
        kind="own",
    ),
    swung(
        "65, sign",
        "the cut's term",
        with_cut,
        "P̄_2 = −D_2 σ_2 in (65)",
        printed=partial(with_cut, sign=-1),
        as_printed="P̄_2 = D_2 σ_2 in (65)",
        correction=OPPOSITE,
    ),
    swung(
        "66",
        "simplified",
        simplified,
        "P̄_1˙ + Ṡ_1 P̄_1 + Ṡ_2 P̄_2 − S_12 Ḋ_2 σ_2 = Q_1 + F_1, P̄_2 = −D_2 σ_2",
        printed=partial(simplified, sign=-1),
        as_printed="P̄_1˙ + Ṡ_1 P̄_1 + Ṡ_2 P̄_2 − S_12 Ḋ_2 σ_2 = Q_1 + F_1, P̄_2 = D_2 σ_2",
        correction=OPPOSITE,
    ),
    swung(
        "67",
        "rate of the first momentum",
        first_rate,
        "ṗ_1 = H_1ᵀ (Q_1 − Ṡ_1 P̄_1 − Ṡ_2 P̄_2 + S_12 Ḋ_2 σ_2) + Ḣ_1ᵀ P̄_1, P̄_2 = −D_2 σ_2",
        printed=partial(first_rate, sign=-1),
        as_printed="ṗ_1 = H_1ᵀ (Q_1 − Ṡ_1 P̄_1 − Ṡ_2 P̄_2 + S_12 Ḋ_2 σ_2) + Ḣ_1ᵀ P̄_1, P̄_2 = D_2 σ_2",
        correction=OPPOSITE,
    ),
    swung("68", "rate at the cut", cut_rate, "ṗ_2 = H_2ᵀ P̄_2˙ + Ḣ_2ᵀ P̄_2 = 0"),
    entry(
        "68, below",
        "an identity of H and D",
        identity,
        "H_2ᵀ Ḋ_2 = −Ḣ_2ᵀ D_2",
        instants=on("swung", "coupled"),
        printed=identity_shapes,
        as_printed="H_2ᵀ Ḋ_2 = −Ḣ_2 D_2",
        kind="text",
        correction="E4: Ḣ_2 lacks a transposition; as printed the shapes do not fit",
    ),
)

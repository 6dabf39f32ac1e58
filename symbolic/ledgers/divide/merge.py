"""Two runs of bodies become one: divide-and-conquer paper (17)–(36).

A and B are runs of two bodies of the loop, joined by its third joint; T, V and the joint's q̇
are those of the true motion, ξ are merged from single bodies.
"""

from __future__ import annotations

from functools import partial

import sympy as sp

from ...exact.ledger import Sides
from ...exact.true_motion import solved
from .cases import entry, on
from .instant import Instant
from .letters import RUNS
from .pieces import Coefficients, Piece, assembled, connection, leaf, merged

#: The joint between A and B.
JOINT = 3


def run(at: Instant, name: str) -> tuple[Piece, Coefficients]:
    return Piece(at, *RUNS[name]), assembled(at, *RUNS[name])


class Pair:
    """A, B and what connects them: W (27) and β (28)."""

    def __init__(self, at: Instant) -> None:
        (self.A, self.a), (self.B, self.b) = run(at, "A"), run(at, "B")
        self.D = at.D(JOINT).value

    @property
    def W(self) -> sp.Matrix:
        return connection(self.a, self.b, self.D)

    @property
    def beta(self) -> sp.Matrix:
        return self.W * (self.b.x10 - self.a.x20)


def velocity(at: Instant, name: str, handle: int) -> Sides:
    """Against its bodies' motion."""
    piece, xi = run(at, name)
    if handle == 1:
        yield piece.V1, *xi.V1(piece.T1, piece.T2)
    else:
        yield piece.V2, *xi.V2(piece.T1, piece.T2)


def relative(at: Instant) -> Sides:
    of = Pair(at)
    yield of.B.V1, of.A.V2, at.H(JOINT).value * at.q(JOINT)


def held(at: Instant) -> Sides:
    """What D leaves of the velocity across the joint, in terms of T."""
    of = Pair(at)
    left = sum(of.a.V2(of.A.T1, of.A.T2), sp.zeros(6, 1))
    yield of.D.T * left, *(of.D.T * term for term in of.b.V1(of.B.T1, of.B.T2))


def opposite(at: Instant) -> Sides:
    """Each from the balance of its own run."""
    of = Pair(at)
    A, B, D = of.A, of.B, of.D
    on_A = A.S12.value.inv() * (A.P1.value - A.bar1.value)
    on_B = B.P1.value - B.S12.value * B.bar2.value
    yield D * D.T * on_B, -D * D.T * on_A
    yield D * D.T * on_B, D * at.multiplier(JOINT)


def multipliers(at: Instant) -> Sides:
    """σ of the joint from T_1ᴬ and T_2ᴮ."""
    of = Pair(at)
    a, b, D = of.a, of.b, of.D
    G = D.T * (b.x11 + a.x22) * D
    for_each = (b.x12 * of.B.T2, -a.x21 * of.A.T1, b.x10, -a.x20)
    yield at.multiplier(JOINT), *(-solved(G, D.T * term) for term in for_each)


def invertible(at: Instant, printed: bool = False) -> Sides:
    """Where the ground is A, whose ξ is zero; the print asks that both ξ > 0."""
    D, ground, x = at.D(1).value, sp.zeros(6, 6), assembled(at, 1, 4).x11
    needed = [x, ground] if printed else [D.T * (x + ground) * D]
    yield sp.Matrix([sum(int(m.is_positive_definite) for m in needed)]), sp.Matrix([len(needed)])


def matrices(at: Instant) -> Sides:
    """W is symmetric, and W (ξ11ᴮ + ξ22ᴬ) D = −D."""
    of = Pair(at)
    yield of.W, of.W.T
    yield of.W * (of.b.x11 + of.a.x22) * of.D, -of.D


def bias(at: Instant) -> Sides:
    """The impulse that closes the joint where T_1ᴬ and T_2ᴮ are none."""
    of = Pair(at)
    beta, none, D = of.beta, sp.zeros(6, 1), of.D
    one, _, ten = of.b.V1(beta, none)
    _, two, twenty = of.a.V2(none, -beta)
    yield D.T * (one + ten), D.T * two, D.T * twenty
    yield beta, D * (D.T * beta)


def impulse(at: Instant) -> Sides:
    """T_1ᴮ from the impulses at the outer handles."""
    of = Pair(at)
    yield of.B.T1, of.W * of.b.x12 * of.B.T2, -of.W * of.a.x21 * of.A.T1, of.beta


def outer(at: Instant, handle: int) -> Sides:
    """With the inner impulse eliminated."""
    of = Pair(at)
    a, b, W = of.a, of.b, of.W
    T1, T2 = of.A.T1, of.B.T2
    if handle == 1:
        moved = (a.x11 * T1, a.x12 * W * a.x21 * T1, -a.x12 * W * b.x12 * T2)
        yield of.A.V1, *moved, a.x10, -a.x12 * of.beta
    else:
        moved = (-b.x21 * W * a.x21 * T1, b.x22 * T2, b.x21 * W * b.x12 * T2)
        yield of.B.V2, *moved, b.x20, b.x21 * of.beta


def coincident(at: Instant, handle: int) -> Sides:
    """The handles of C are handle 1 of A and handle 2 of B."""
    (A, _), (B, _), (C, _) = run(at, "A"), run(at, "B"), run(at, "C")
    if handle == 1:
        yield C.V1, A.V1
        inner = C.P1.value - C.S12.value * C.bar2.value
        D = at.D(1).value
        yield D * D.T * inner, A.T1
    else:
        yield C.V2, B.V2
        inner = C.S12.value.inv() * (C.P1.value - C.bar1.value)
        D = at.D(5).value
        yield D * D.T * inner, B.T2


def coefficients(at: Instant, which: tuple[str, ...]) -> Sides:
    """ξ of two bodies, against one dense system of both momenta and the joint.

    Unknown are both bodies' velocities at handle 1 and the joint's σ.
    """
    (A, a), (B, b) = (Piece(at, 2, 2), leaf(at, 2)), (Piece(at, 3, 3), leaf(at, 3))
    D = at.D(JOINT).value
    M = [x.x11.inv() for x in (a, b)]
    SA, SB = A.S12.value, B.S12.value
    rows = [
        [M[0], sp.zeros(6, 6), SA * D],
        [sp.zeros(6, 6), M[1], -D],
        [-D.T * SA.T, D.T, sp.zeros(D.cols, D.cols)],
    ]
    matrix = sp.Matrix.vstack(*(sp.Matrix.hstack(*row) for row in rows))
    none = sp.zeros(6, 6)
    given = {
        "1": sp.Matrix.vstack(sp.eye(6), none, sp.zeros(D.cols, 6)),
        "2": sp.Matrix.vstack(none, SB, sp.zeros(D.cols, 6)),
        "0": sp.Matrix.vstack(M[0] * a.x10, M[1] * b.x10, sp.zeros(D.cols, 1)),
    }
    stated = merged(a, b, D)
    for name in which:
        found = solved(matrix, given[name[1]])
        dense = found[:6, :] if name[0] == "1" else SB.T * found[6:12, :]
        yield getattr(stated, f"x{name}"), dense
    if "21" in which:
        yield stated.x21, stated.x12.T


loop = partial(entry, instants=on("loop"))

ENTRIES = (
    *(
        loop(
            str(number),
            f"V_{handle} of {name}",
            partial(velocity, name=name, handle=handle),
            f"V_{handle} = ξ{handle}1 T_1 + ξ{handle}2 T_2 + ξ{handle}0 of {name}",
        )
        for number, (name, handle) in enumerate(((n, h) for n in "ABC" for h in (1, 2)), start=17)
    ),
    loop("23", "relative velocity across a joint", relative, "V_1ᴮ − V_2ᴬ = H q̇"),
    loop("24", "what the joint holds", held, "Dᵀ (V_1ᴮ − V_2ᴬ) = 0"),
    loop("25", "impulses on both sides of a joint", opposite, "T_1ᴮ = −T_2ᴬ = D σ"),
    loop(
        "26",
        "σ of the joint between two runs",
        multipliers,
        "σ = −(Dᵀ (ξ11ᴮ + ξ22ᴬ) D)⁻¹ Dᵀ (ξ12ᴮ T_2ᴮ − ξ21ᴬ T_1ᴬ + ξ10ᴮ − ξ20ᴬ)",
    ),
    loop(
        "26, below",
        "when the inverse exists",
        invertible,
        "Dᵀ (ξ11ᴮ + ξ22ᴬ) D > 0",
        as_printed="ξ11ᴮ > 0 and ξ22ᴬ > 0",
        kind="text",
        correction="E3: the condition is Dᵀ (ξ11 + ξ22) D > 0; the ground's ξ is zero",
    ),
    loop("27", "W", matrices, "W = −D (Dᵀ (ξ11ᴮ + ξ22ᴬ) D)⁻¹ Dᵀ"),
    loop("28", "β", bias, "β = W (ξ10ᴮ − ξ20ᴬ)"),
    loop("29", "the inner impulse", impulse, "T_1ᴮ = −T_2ᴬ = W ξ12ᴮ T_2ᴮ − W ξ21ᴬ T_1ᴬ + β"),
    loop(
        "30",
        "V_1ᴬ by outer impulses",
        partial(outer, handle=1),
        "V_1ᴬ = (ξ11ᴬ + ξ12ᴬ W ξ21ᴬ) T_1ᴬ − ξ12ᴬ W ξ12ᴮ T_2ᴮ + ξ10ᴬ − ξ12ᴬ β",
    ),
    loop(
        "31",
        "V_2ᴮ by outer impulses",
        partial(outer, handle=2),
        "V_2ᴮ = −ξ21ᴮ W ξ21ᴬ T_1ᴬ + (ξ22ᴮ + ξ21ᴮ W ξ12ᴮ) T_2ᴮ + ξ20ᴮ + ξ21ᴮ β",
    ),
    loop("32", "handle 1 of C", partial(coincident, handle=1), "V_1ᶜ = V_1ᴬ, T_1ᶜ = T_1ᴬ"),
    loop("33", "handle 2 of C", partial(coincident, handle=2), "V_2ᶜ = V_2ᴮ, T_2ᶜ = T_2ᴮ"),
    loop(
        "34",
        "ξ11 and ξ12 of C",
        partial(coefficients, which=("11", "12")),
        "ξ11ᶜ = ξ11ᴬ + ξ12ᴬ W ξ21ᴬ, ξ12ᶜ = −ξ12ᴬ W ξ12ᴮ",
    ),
    loop(
        "35",
        "ξ21 and ξ22 of C",
        partial(coefficients, which=("21", "22")),
        "ξ21ᶜ = −ξ21ᴮ W ξ21ᴬ, ξ22ᶜ = ξ22ᴮ + ξ21ᴮ W ξ12ᴮ",
    ),
    loop(
        "36",
        "ξ10 and ξ20 of C",
        partial(coefficients, which=("10", "20")),
        "ξ10ᶜ = ξ10ᴬ − ξ12ᴬ β, ξ20ᶜ = ξ20ᴮ + ξ21ᴮ β",
    ),
)

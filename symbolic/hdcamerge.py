"""Two runs of bodies become one: divide-and-conquer paper (17)–(36).

A and B are runs of two bodies of the loop, joined by its third joint; T, V and the joint's q̇
are those of the true motion, ξ are merged from single bodies.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import sympy as sp

from .checks import Check, Sides
from .hdcacases import Cases
from .hdcainstant import Instant, solved
from .hdcapieces import Coefficients, Piece, assembled, connection, leaf, merged

#: The joint between A and B.
JOINT = 3

Name = Literal["A", "B", "C"]
RUNS: dict[Name, tuple[int, int]] = {"A": (1, 2), "B": (3, 4), "C": (1, 4)}


def run(at: Instant, name: Name) -> tuple[Piece, Coefficients]:
    return Piece(at, *RUNS[name]), assembled(at, *RUNS[name])


def velocity(cases: Cases, name: Name, handle: int) -> Sides:
    """V_1 or V_2 of a run, against its bodies' motion."""
    piece, xi = run(cases.loop, name)
    if handle == 1:
        yield piece.V1, xi.V1(piece.T1, piece.T2)
    else:
        yield piece.V2, xi.V2(piece.T1, piece.T2)


def relative(cases: Cases, projected: bool) -> Sides:
    """V_1ᴮ − V_2ᴬ = H q̇, and what D leaves of it in terms of T."""
    at = cases.loop
    (A, a), (B, b), D = run(at, "A"), run(at, "B"), at.D(JOINT).value
    if projected:
        across = b.V1(B.T1, B.T2) - a.V2(A.T1, A.T2)
        yield D.T * across, sp.zeros(D.cols, 1)
    else:
        yield B.V1 - A.V2, at.H(JOINT).value * at.q(JOINT)


def opposite(cases: Cases) -> Sides:
    """T_1ᴮ = −T_2ᴬ = D σ, each from the balance of its own run."""
    at = cases.loop
    (A, _), (B, _), D = run(at, "A"), run(at, "B"), at.D(JOINT).value
    on_A = A.S12.value.inv() * (A.P1.value - A.bar1.value)
    on_B = B.P1.value - B.S12.value * B.bar2.value
    yield D * D.T * on_B, -D * D.T * on_A
    yield D * D.T * on_B, D * at.multiplier(JOINT)


def multipliers(cases: Cases) -> Sides:
    """σ of the joint from T_1ᴬ and T_2ᴮ."""
    at = cases.loop
    (A, a), (B, b), D = run(at, "A"), run(at, "B"), at.D(JOINT).value
    right = b.x12 * B.T2 - a.x21 * A.T1 + b.x10 - a.x20
    yield at.multiplier(JOINT), -solved(D.T * (b.x11 + a.x22) * D, D.T * right)


def invertible(cases: Cases, printed: bool = False) -> Sides:
    """Dᵀ (ξ11ᴮ + ξ22ᴬ) D > 0 where the ground is A, whose ξ is zero; the print asks both ξ > 0."""
    at = cases.loop
    D, ground, x = at.D(1).value, sp.zeros(6, 6), assembled(at, 1, 4).x11
    needed = [x, ground] if printed else [D.T * (x + ground) * D]
    yield sp.Matrix([sum(int(m.is_positive_definite) for m in needed)]), sp.Matrix([len(needed)])


def matrices(cases: Cases) -> Sides:
    """W = D C Dᵀ is symmetric, and W (ξ11ᴮ + ξ22ᴬ) D = −D."""
    at = cases.loop
    (_, a), (_, b), D = run(at, "A"), run(at, "B"), at.D(JOINT).value
    W = connection(a, b, D)
    yield W, W.T
    yield W * (b.x11 + a.x22) * D, -D


def bias(cases: Cases) -> Sides:
    """β = D C b: the impulse that closes the joint where T_1ᴬ and T_2ᴮ are none."""
    at = cases.loop
    (_, a), (_, b), D = run(at, "A"), run(at, "B"), at.D(JOINT).value
    beta = connection(a, b, D) * (b.x10 - a.x20)
    none = sp.zeros(6, 1)
    yield D.T * (b.V1(beta, none) - a.V2(none, -beta)), sp.zeros(D.cols, 1)
    yield beta, D * (D.T * beta)


def impulse(cases: Cases) -> Sides:
    """T_1ᴮ from the impulses at the outer handles."""
    at = cases.loop
    (A, a), (B, b), D = run(at, "A"), run(at, "B"), at.D(JOINT).value
    W = connection(a, b, D)
    beta = W * (b.x10 - a.x20)
    yield W * b.x12 * B.T2 - W * a.x21 * A.T1 + beta, B.T1


def outer(cases: Cases, handle: int) -> Sides:
    """V_1ᴬ and V_2ᴮ with the inner impulse eliminated."""
    at = cases.loop
    (A, a), (B, b), D = run(at, "A"), run(at, "B"), at.D(JOINT).value
    W = connection(a, b, D)
    beta = W * (b.x10 - a.x20)
    if handle == 1:
        first = (a.x11 + a.x12 * W * a.x21) * A.T1 - a.x12 * W * b.x12 * B.T2
        yield A.V1, first + a.x10 - a.x12 * beta
    else:
        second = -b.x21 * W * a.x21 * A.T1 + (b.x22 + b.x21 * W * b.x12) * B.T2
        yield B.V2, second + b.x20 + b.x21 * beta


def coincident(cases: Cases, handle: int) -> Sides:
    """The handles of C are handle 1 of A and handle 2 of B."""
    at = cases.loop
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


def coefficients(cases: Cases, which: tuple[str, ...]) -> Sides:
    """ξ of two bodies, against one dense system of both momenta and the joint.

    Unknown are both bodies' velocities at handle 1 and the joint's σ.
    """
    at = cases.loop
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


CHECKS = (
    Check("17", "V_1 of A", partial(velocity, name="A", handle=1)),
    Check("18", "V_2 of A", partial(velocity, name="A", handle=2)),
    Check("19", "V_1 of B", partial(velocity, name="B", handle=1)),
    Check("20", "V_2 of B", partial(velocity, name="B", handle=2)),
    Check("21", "V_1 of C", partial(velocity, name="C", handle=1)),
    Check("22", "V_2 of C", partial(velocity, name="C", handle=2)),
    Check("23", "relative velocity across a joint", partial(relative, projected=False)),
    Check("24", "what the joint holds", partial(relative, projected=True)),
    Check("25", "impulses on both sides of a joint", opposite),
    Check("26", "σ of the joint between two runs", multipliers),
    Check(
        "below 26",
        "when the inverse exists",
        invertible,
        partial(invertible, printed=True),
        "E3: the condition is Dᵀ (ξ11 + ξ22) D > 0; the ground's ξ is zero",
    ),
    Check("27", "W", matrices),
    Check("28", "β", bias),
    Check("29", "T_1ᴮ = −T_2ᴬ", impulse),
    Check("30", "V_1ᴬ by outer impulses", partial(outer, handle=1)),
    Check("31", "V_2ᴮ by outer impulses", partial(outer, handle=2)),
    Check("32", "handle 1 of C", partial(coincident, handle=1)),
    Check("33", "handle 2 of C", partial(coincident, handle=2)),
    Check("34", "ξ11 and ξ12 of C", partial(coefficients, which=("11", "12"))),
    Check("35", "ξ21 and ξ22 of C", partial(coefficients, which=("21", "22"))),
    Check("36", "ξ10 and ξ20 of C", partial(coefficients, which=("10", "20"))),
)

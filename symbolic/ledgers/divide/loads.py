"""Articulated loads and the momenta's rates at any joint: divide-and-conquer paper (69)–(77)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import sympy as sp

from ...exact.ledger import Sides
from ...exact.series import Series
from .cases import entry, on
from .instant import Instant
from .pieces import Piece
from .shift import rate_of_shift


def outboard(at: Instant, k: int) -> sp.Matrix:
    """Q̄_1 of joint k: all loads beyond it about its point; none beyond a cut."""
    bodies = at.tree.outboard(k) if k in at.bodies else ()
    return sum((at.Q(i, at.O[k]) for i in bodies), sp.zeros(6, 1))


def rate(
    at: Instant,
    k: int,
    load: sp.Matrix,
    sides: Iterable[tuple[int, int]],
    material: bool = False,
) -> tuple[sp.Matrix, ...]:
    """The terms of ṗ_k; of a cut's side −s (Ṡ_c D_c σ_c + S_kc Ḋ_c σ_c), with P̄_c = s D_c σ_c.

    `material`: take the velocity of the side's own material point at a cut, not the handle's.
    """
    bar, H = at.articulated(k), at.H(k)
    carried = turned = sp.zeros(6, 1)
    for c, sign in sides:
        velocity = at.O[c].at(1)
        if material:
            joint = at.joints[c]
            velocity = at.V(joint.succ if sign > 0 else joint.pred, at.O[c]).value[:3, :]
        D, S = at.D(c), at.S(at.O[k], at.O[c]).value
        carried -= sign * rate_of_shift(velocity) * D.value * at.sigma[c]
        turned -= sign * S * D.at(1) * at.sigma[c]
    own = -rate_of_shift(at.O[k].at(1)) * bar.value
    return *(H.value.T * term for term in (load, own, carried, turned)), H.at(1).T * bar.value


def rates(at: Instant) -> Sides:
    """At every joint of trees with any number of cuts, against the momenta's own rates."""
    for k in at.bodies:
        yield at.p(k).at(1), *rate(at, k, outboard(at, k), at.sides(k))


def own_load(at: Instant) -> Sides:
    """With the load on body k alone."""
    for k in at.bodies:
        yield at.p(k).at(1), *rate(at, k, at.Q(k, at.O[k]), at.sides(k))


def one_cut(at: Instant) -> Sides:
    """With the first side of a cut alone."""
    for k in at.bodies:
        yield at.p(k).at(1), *rate(at, k, outboard(at, k), list(at.sides(k))[:1])


def material(at: Instant) -> Sides:
    """With the velocity of the predecessor's material point at a sliding cut."""
    for k in at.bodies:
        yield at.p(k).at(1), *rate(at, k, outboard(at, k), at.sides(k), material=True)


def inside(at: Instant) -> Sides:
    """Both sides of a cut beyond one joint cancel: their points coincide."""
    both = [side for side in at.sides(1) if side[0] == 6]
    yield sp.Matrix([len(both)]), sp.Matrix([2])
    load = outboard(at, 1)
    yield sp.Matrix.hstack(*rate(at, 1, load, both)), sp.Matrix.hstack(*rate(at, 1, load, ()))


def articulated(at: Instant, piece: Piece) -> tuple[sp.Matrix, sp.Matrix]:
    """Q̄_1 and Q̄_2 of a run."""
    after = piece.last + 1
    return outboard(at, piece.first), -outboard(at, after) if after in at.O else sp.zeros(6, 1)


def loads_of(at: Instant, first: int, last: int) -> Sides:
    piece = Piece(at, first, last)
    one, two = articulated(at, piece)
    yield piece.Q1, one + piece.S12.value * two


def opposite(at: Instant) -> Sides:
    """Each from its own run's loads."""
    A, B = Piece(at, 1, 2), Piece(at, 3, 4)
    on_A = A.S12.value.inv() * (A.Q1 - articulated(at, A)[0])
    on_B = B.Q1 - B.S12.value * articulated(at, B)[1]
    yield on_B, -on_A


def summed(at: Instant) -> Sides:
    """Also of inner runs."""
    for A, B in (
        (Piece(at, 1, 2), Piece(at, 3, 4)),
        (Piece(at, 1, 1), Piece(at, 2, 2)),
        (Piece(at, 2, 2), Piece(at, 3, 3)),
    ):
        S = A.S12.value
        two = S * B.S12.value * articulated(at, B)[1]
        yield A.Q1, -S * B.Q1, articulated(at, A)[0], two


def at_base(at: Instant) -> Sides:
    """Nothing comes from beyond the cut."""
    A, B, C = Piece(at, 1, 2), Piece(at, 3, 4), Piece(at, 1, 4)
    yield articulated(at, C)[1], sp.zeros(6, 1)
    yield articulated(at, A)[0], C.Q1
    yield C.Q1, A.Q1, A.S12.value * B.Q1


def backwards(at: Instant) -> Sides:
    """Down the tree; ends in each joint's own sum."""
    found: dict[int, sp.Matrix] = {1: Piece(at, 1, 4).Q1}

    def down(first: int, last: int, second: sp.Matrix) -> None:
        if first == last:
            return
        middle = (first + last) // 2
        B = Piece(at, middle + 1, last)
        found[middle + 1] = B.Q1 - B.S12.value * second
        down(first, middle, -found[middle + 1])
        down(middle + 1, last, second)

    down(1, 4, sp.zeros(6, 1))
    for k in at.bodies:
        yield found[k], outboard(at, k)


def scaled(at: Instant, printed: bool = False) -> Sides:
    """What adds up in T and p is not any smaller."""
    c = sp.Integer(1000)
    D, sigma = at.D(5) @ Series.constant(sp.eye(5) * c, 2), at.sigma[5] / c
    yield D.value * sigma, at.T(5).value / (c if printed else 1)
    yield at.reaction(5).at(1), D.value * (at.lam[5] / c), D.at(1) * sigma


RATE = "ṗ_k = H_kᵀ (Q̄_k − Ṡ_k P̄_k − Σ_c s (Ṡ_c D_c + S_kc Ḋ_c) σ_c) + Ḣ_kᵀ P̄_k"
PRINTED = "ṗ_k = H_kᵀ (Q_1ᴷ − Ṡ_1ᴷ P̄_1ᴷ − Ṡ_c P̄_c + S_kc Ḋ_c σ_c) + Ḣ_kᵀ P̄_1ᴷ"

everywhere = partial(entry, instants=on("chain", "loop", "swung", "coupled", "holonomic", "planar"))
loop = partial(entry, instants=on("loop"))
coupled = partial(entry, instants=on("coupled"))
chains = partial(entry, instants=on("loop", "chain"))

ENTRIES = (
    everywhere(
        "69",
        "rate of any joint's momentum",
        rates,
        RATE,
        printed=own_load,
        as_printed=PRINTED,
        correction="E7: Q is all load beyond joint k, not that of one body K",
    ),
    coupled(
        "69, several cuts",
        "rate with several cuts beyond the joint",
        rates,
        RATE,
        printed=one_cut,
        as_printed=PRINTED,
        correction="E8: the cut's terms are summed over all cut sides on bodies beyond joint k",
    ),
    coupled(
        "69, sliding cut",
        "rate with a cut that slides",
        rates,
        f"{RATE}, Ṡ_c of the moving handle",
        printed=material,
        as_printed=f"{PRINTED}, Ṡ_c of the velocity of handle c",
        correction="E9: v_c is the velocity of the moving handle, not of the body's point under it",
    ),
    coupled(
        "69, inner cut",
        "a cut wholly beyond the joint",
        inside,
        "Σ over both sides of s (Ṡ_c D_c + S_kc Ḋ_c) σ_c = 0",
        kind="own",
    ),
    chains(
        "70", "articulated loads of A", partial(loads_of, first=1, last=2), "Q_1 = Q̄_1 + S_12 Q̄_2"
    ),
    chains(
        "71", "articulated loads of B", partial(loads_of, first=3, last=4), "Q_1 = Q̄_1 + S_12 Q̄_2"
    ),
    loop("72", "loads on both sides of a joint", opposite, "Q̄_1ᴮ = −Q̄_2ᴬ"),
    loop(
        "73",
        "loads of A and B together",
        summed,
        "Q_1ᴬ + S_12ᴬ Q_1ᴮ = Q̄_1ᴬ + S_12ᴬ S_12ᴮ Q̄_2ᴮ",
    ),
    chains(
        "74", "articulated loads of C", partial(loads_of, first=1, last=4), "Q_1 = Q̄_1 + S_12 Q̄_2"
    ),
    loop("75", "the load at the base", at_base, "Q̄_1ᴬ = Q_1ᶜ = Q_1ᴬ + S_12ᴬ Q_1ᴮ"),
    loop("76", "loads back down the tree", backwards, "Q̄_1ᴮ = Q_1ᴮ − S_12ᴮ Q̄_2ᶜ = −Q̄_2ᴬ"),
    everywhere("77", "the momenta's rates from articulated loads", rates, RATE),
    loop(
        "Sect. 3.4",
        "scaled directions against growing σ",
        scaled,
        "(D c) (σ/c) = T",
        as_printed="scaling D makes T and p smaller",
        kind="text",
        correction="E13: scaling D changes the number σ, not the impulse T, nor the momenta that "
        "hold it",
    ),
)

#: Claims of the text that no equation states, judged by a study of motions.
MEASURED = ("E14: the energy is better kept for all cases, the drift is negligible",)

"""Articulated loads and the momenta's rates at any joint: divide-and-conquer paper (69)–(77)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp

from .checks import Check, Sides
from .hdcacases import Cases
from .hdcainstant import Instant
from .hdcapieces import Piece
from .hdcashift import rate_of_shift
from .series import Series


def outboard(at: Instant, k: int) -> sp.Matrix:
    """Q̄_1 of joint k: all loads beyond it about its point; none beyond a cut."""
    bodies = at.system.outboard(k) if k in at.system.bodies else ()
    return sum((at.Q(i, at.O[k]) for i in bodies), sp.zeros(6, 1))


def rate(
    at: Instant,
    k: int,
    load: sp.Matrix,
    sides: Iterator[tuple[int, int]],
    material: bool = False,
) -> sp.Matrix:
    """ṗ_k; of a cut's side the term is −s (Ṡ_c D_c σ_c + S_kc Ḋ_c σ_c), P̄_c = −D_c σ_c for s = −1.

    `material`: take the velocity of the side's own material point at a cut, not the handle's.
    """
    bar, H, joint = at.articulated(k), at.H(k), at.system.joints
    total = load - rate_of_shift(at.O[k].at(1)) * bar.value
    for c, sign in sides:
        velocity = at.O[c].at(1)
        if material:
            velocity = at.V(joint[c].succ if sign > 0 else joint[c].pred, at.O[c]).value[:3, :]
        D, S = at.D(c), at.S(at.O[k], at.O[c]).value
        inner = rate_of_shift(velocity) * D.value + S * D.at(1)
        total -= sign * inner * at.sigma[c]
    return H.value.T * total + H.at(1).T * bar.value


def systems(cases: Cases) -> Iterator[Instant]:
    yield from (cases.chain, cases.loop, cases.swung, cases.coupled, cases.holonomic, cases.planar)


def rates(cases: Cases) -> Sides:
    """At every joint of trees with any number of cuts, against the momenta's own rates."""
    for at in systems(cases):
        for k in at.system.bodies:
            yield at.p(k).at(1), rate(at, k, outboard(at, k), at.system.sides(k))


def own_load(cases: Cases) -> Sides:
    """With the load on body k alone."""
    at = cases.loop
    for k in at.system.bodies:
        yield at.p(k).at(1), rate(at, k, at.Q(k, at.O[k]), at.system.sides(k))


def one_cut(cases: Cases) -> Sides:
    """With the first side of a cut alone."""
    at = cases.coupled
    for k in at.system.bodies:
        sides = iter(list(at.system.sides(k))[:1])
        yield at.p(k).at(1), rate(at, k, outboard(at, k), sides)


def material(cases: Cases) -> Sides:
    """With the velocity of the predecessor's material point at a sliding cut."""
    at = cases.coupled
    for k in at.system.bodies:
        yield at.p(k).at(1), rate(at, k, outboard(at, k), at.system.sides(k), material=True)


def inside(cases: Cases) -> Sides:
    """Both sides of a cut beyond one joint cancel: their points coincide."""
    at = cases.coupled
    both = [side for side in at.system.sides(1) if side[0] == 6]
    yield sp.Matrix([len(both)]), sp.Matrix([2])
    yield rate(at, 1, outboard(at, 1), iter(both)), rate(at, 1, outboard(at, 1), iter(()))


def articulated(at: Instant, piece: Piece) -> tuple[sp.Matrix, sp.Matrix]:
    """Q̄_1 and Q̄_2 of a run."""
    after = piece.last + 1
    return outboard(at, piece.first), -outboard(at, after) if after in at.O else sp.zeros(6, 1)


def loads_of(cases: Cases, first: int, last: int) -> Sides:
    """Q_1 = Q̄_1 + S_12 Q̄_2."""
    for at in (cases.loop, cases.chain):
        piece = Piece(at, first, last)
        one, two = articulated(at, piece)
        yield piece.Q1, one + piece.S12.value * two


def opposite(cases: Cases) -> Sides:
    """Q̄_1ᴮ = −Q̄_2ᴬ, each from its own run's loads."""
    at = cases.loop
    A, B = Piece(at, 1, 2), Piece(at, 3, 4)
    on_A = A.S12.value.inv() * (A.Q1 - articulated(at, A)[0])
    on_B = B.Q1 - B.S12.value * articulated(at, B)[1]
    yield on_B, -on_A


def summed(cases: Cases) -> Sides:
    """Q_1ᴬ + S_12ᴬ Q_1ᴮ = Q̄_1ᴬ + S_12ᴬ S_12ᴮ Q̄_2ᴮ: also of inner runs."""
    at = cases.loop
    for A, B in (
        (Piece(at, 1, 2), Piece(at, 3, 4)),
        (Piece(at, 1, 1), Piece(at, 2, 2)),
        (Piece(at, 2, 2), Piece(at, 3, 3)),
    ):
        S = A.S12.value
        right = articulated(at, A)[0] + S * B.S12.value * articulated(at, B)[1]
        yield A.Q1 + S * B.Q1, right


def at_base(cases: Cases) -> Sides:
    """Q̄_1ᴬ = Q_1ᶜ = Q_1ᴬ + S_12ᴬ Q_1ᴮ: nothing comes from beyond the cut."""
    at = cases.loop
    A, B, C = Piece(at, 1, 2), Piece(at, 3, 4), Piece(at, 1, 4)
    yield articulated(at, C)[1], sp.zeros(6, 1)
    yield articulated(at, A)[0], C.Q1
    yield C.Q1, A.Q1 + A.S12.value * B.Q1


def backwards(cases: Cases) -> Sides:
    """Down the tree: Q̄_1ᴮ = Q_1ᴮ − S_12ᴮ Q̄_2ᶜ = −Q̄_2ᴬ; ends in each joint's own sum."""
    at = cases.loop
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
    for k in at.system.bodies:
        yield found[k], outboard(at, k)


def scaled(cases: Cases, printed: bool = False) -> Sides:
    """D c and σ/c mean the same impulse: what adds up in T and p is not any smaller."""
    at = cases.loop
    c = sp.Integer(1000)
    D, sigma = at.D(5) @ Series.constant(sp.eye(5) * c, 2), at.sigma[5] / c
    yield D.value * sigma, at.T(5).value / (c if printed else 1)
    yield D.value * (at.lam[5] / c) + D.at(1) * sigma, at.reaction(5).at(1)


CHECKS = (
    Check(
        "69",
        "rate of any joint's momentum",
        rates,
        own_load,
        "E7: Q is all load beyond joint k, not that of one body K",
    ),
    Check(
        "69, several cuts",
        "rate with several cuts beyond the joint",
        rates,
        one_cut,
        "E8: the cut's terms are summed over all cut sides on bodies beyond joint k",
    ),
    Check(
        "69, sliding cut",
        "rate with a cut that slides",
        rates,
        material,
        "E9: v_c is the velocity of the moving handle, not of the body's point under it",
    ),
    Check("69, inner cut", "a cut wholly beyond the joint", inside),
    Check("70", "articulated loads of A", partial(loads_of, first=1, last=2)),
    Check("71", "articulated loads of B", partial(loads_of, first=3, last=4)),
    Check("72", "loads on both sides of a joint", opposite),
    Check("73", "loads of A and B together", summed),
    Check("74", "articulated loads of C", partial(loads_of, first=1, last=4)),
    Check("75", "the load at the base", at_base),
    Check("76", "loads back down the tree", backwards),
    Check("77", "the momenta's rates from articulated loads", rates),
    Check(
        "3.4",
        "scaled directions against growing σ",
        scaled,
        partial(scaled, printed=True),
        "E13: scaling D changes the number σ, not the impulse T, nor the momenta that hold it",
    ),
)

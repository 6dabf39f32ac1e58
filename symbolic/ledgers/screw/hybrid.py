"""Hybrid and mixed twists and their derivatives: screw paper (25)–(34)."""

from __future__ import annotations

import sympy as sp

from ...exact.ledger import Sides
from ...exact.screws import Ad_shift, Ad_turn, ad, ad_spin, ad_velocity, angular, bracket, linear
from .cases import entry
from .checks import At
from .tree import Motion, Tree


def hybrid_columns(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i, j, k in at.triples():
        found = at.partial(k, of=Motion.Jh, at=(i, j))
        if k not in tree.path(i):
            stated = sp.zeros(6, 1)
        elif j in tree.path(k):
            J, other = at.Jh(i, j), at.Jh(i, k)
            stated = bracket(J, linear(other))
            if not printed:
                turn = Ad_turn(at.m.R(i).value)
                turning = ad(angular(other)) * turn * at.Jb(i, j)
                inner = turn * bracket(at.Jb(i, j), at.Jb(i, k))
                if at.ordered(j, k, i):
                    yield "25", found, turning + inner
                yield "25", found, bracket(angular(other), J) + bracket(J, other)
                yield "25", found, bracket(J, other - angular(other))
        else:
            stated = sp.zeros(6, 1) if printed else bracket(angular(at.Jh(i, k)), at.Jh(i, j))
        yield found, stated


def hybrid_column_rates(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i in tree.numbers:
        for j in tree.path(i):
            before = at.m.Vh(tree.parent(j)).value
            shift = Ad_shift(at.m.shift(i, tree.parent(j)).value)
            J = at.Jh(i, j)
            stated = bracket(J, linear(at.m.Vh(i).value - shift * before))
            if not printed:
                stated += bracket(angular(before), J)
            yield at.m.Jh(i, j).at(1), stated


def hybrid_column_rates_by_spins(tree: Tree, printed: bool = False) -> Sides:
    """Three forms; of the print ḋ_ij is read as ṙ_ij, and Ad_{r_i,j−1} as it stands."""
    at = At(tree)
    for i in tree.numbers:
        for j in tree.path(i):
            arm = at.m.shift(i, j)
            shift = Ad_shift((at.m.shift(i, tree.parent(j)) if printed else arm).value)
            spin = ad_spin(at.m.Vh(j).value[:3, :])
            moving = ad_velocity(arm.at(1))
            twist = at.m.Vs(j) if printed else at.m.Vh(j)
            both = ad(twist.value), -ad_velocity(at.m.r(i).at(1))
            X, rate = at.m.X0(j).value, at.m.Jh(i, j).at(1)
            yield rate, moving * X, shift * spin * X
            yield rate, shift * moving * X, shift * spin * X
            yield rate, shift * both[0] * X, shift * both[1] * X


def hybrid_acceleration_by_columns(tree: Tree, printed: bool = False) -> Sides:
    """By the columns' slopes, then by their rates."""
    at = At(tree)
    none = sp.zeros(6, 1)
    for i in tree.numbers:
        path = tree.path(i)
        pushed = at.moved(Motion.Jh, i, 2)
        later, earlier = none, none
        for n, j in enumerate(path):
            for m, k in enumerate(path):
                both = at.q(j, 1) * at.q(k, 1)
                if n <= m:
                    later += bracket(at.Jh(i, j), linear(at.Jh(i, k))) * both
                elif not printed:
                    earlier += bracket(angular(at.Jh(i, k)), at.Jh(i, j)) * both
        yield at.m.Vh(i).at(1), pushed, later, earlier
        sliding, turning = none, none
        for j in path:
            before = at.m.Vh(tree.parent(j)).value
            shift = Ad_shift(at.m.shift(i, tree.parent(j)).value)
            J = at.Jh(i, j) * at.q(j, 1)
            sliding += bracket(J, linear(at.m.Vh(i).value - shift * before))
            turning += none if printed else bracket(angular(before), J)
        yield at.m.Vh(i).at(1), pushed, sliding, turning


def hybrid_acceleration(tree: Tree) -> Sides:
    """As a sum over the path, and from the parent's."""
    at = At(tree)
    for i, parent in tree.parents.items():
        moving, spinning = sp.zeros(6, 1), sp.zeros(6, 1)
        for j in tree.path(i):
            arm, X = at.m.shift(i, j), at.m.X0(j).value * at.q(j, 1)
            moving += ad_velocity(arm.at(1)) * X
            spinning += Ad_shift(arm.value) * ad_spin(at.m.Vh(j).value[:3, :]) * X
        yield at.m.Vh(i).at(1), at.moved(Motion.Jh, i, 2), moving, spinning
        shift, V, X = at.m.shift(i, parent), at.m.Vh(parent), at.m.X0(i).value
        own = ad_spin(at.m.Vh(i).value[:3, :]) * X * at.q(i, 1)
        carried = Ad_shift(shift.value) * V.at(1), ad_velocity(shift.at(1)) * V.value
        yield at.m.Vh(i).at(1), *carried, own, X * at.q(i, 2)


def hybrid_second_rate(at: At, i: int, j: int) -> sp.Matrix:
    shift, V = at.m.shift(i, j), at.m.Vh(j)
    spin, change = ad_spin(V.value[:3, :]), ad_spin(V.at(1)[:3, :])
    inner = ad_velocity(shift.at(2)) + 2 * ad_velocity(shift.at(1)) * spin
    return (inner + Ad_shift(shift.value) * (change + spin**2)) * at.m.X0(j).value


def hybrid_column_second_rates(tree: Tree) -> Sides:
    at = At(tree)
    for i in tree.numbers:
        for j in tree.path(i):
            yield at.m.Jh(i, j).at(2), hybrid_second_rate(at, i, j)


def hybrid_jerk(tree: Tree) -> Sides:
    """(32), (33): by rates of the columns, and written out."""
    at = At(tree)
    for i in tree.numbers:
        value, other = sp.zeros(6, 1), sp.zeros(6, 1)
        for j in tree.path(i):
            value += at.Jh(i, j) * at.q(j, 3) + 2 * at.m.Jh(i, j).at(1) * at.q(j, 2)
            value += hybrid_second_rate(at, i, j) * at.q(j, 1)
            arm, V, u, a = at.m.shift(i, j), at.m.Vh(j), at.q(j, 1), at.q(j, 2)
            spin, change = ad_spin(V.value[:3, :]), ad_spin(V.at(1)[:3, :])
            sliding = ad_velocity(arm.at(1))
            moving = 2 * sliding * a + (ad_velocity(arm.at(2)) + 2 * sliding * spin) * u
            turning = Ad_shift(arm.value) * (2 * spin * a + (change + spin * spin) * u)
            other += at.Jh(i, j) * at.q(j, 3) + (moving + turning) * at.m.X0(j).value
        yield at.m.Vh(i).at(2), value
        yield "33", at.m.Vh(i).at(2), other


def mixed(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i in tree.numbers:
        E, V = at.m.E(i).value, at.m.Vh(i)
        spin = ad_spin(V.value[:3, :])
        yield at.m.Vm(i).value, E * V.value
        yield at.m.Vm(i).at(1), E * V.at(1)
        for j in tree.path(i):
            J = at.m.Jh(i, j)
            turned = sp.zeros(6, 1) if printed else angular(spin * angular(J.value))
            yield at.m.Jm(i, j).at(1), E * (J.at(1) - turned)
        coriolis = sp.zeros(6, 1) if printed else angular(spin * angular(V.at(1)))
        yield at.m.Vm(i).at(2), E * (V.at(2) - coriolis)


ENTRIES = (
    entry(
        "26",
        "derivative of a column",
        hybrid_columns,
        "∂J_ij/∂q_k = [J_ij, ᵛJ_ik] for j ≤ k, [ʷJ_ik, J_ij] for k < j",
        as_printed="∂J_ij/∂q_k = [J_ij, ᵛJ_ik] for j ≤ k ≤ i",
        correction="for k < j the derivative is [ʷJ_ik, J_ij], which the print lacks",
    ),
    entry(
        "27",
        "rate of a column by twists",
        hybrid_column_rates,
        "J̇_ij = [J_ij, ᵛ(V_i − Ad_{r_i,j−1} V_{j−1})] + [ʷV_{j−1}, J_ij]",
        as_printed="J̇_ij = [J_ij, ᵛ(V_i − Ad_{r_i,j−1} V_{j−1})]",
        correction="[ʷV, J_ij] with the parent's V of joint j is missing",
    ),
    entry(
        "28",
        "rate of a column by spins, three forms",
        hybrid_column_rates_by_spins,
        "J̇_ij = (ad_ṙij + Ad_rij ad_ωj) ⁰X_j = Ad_rij (ad_ṙij + ad_ωj) ⁰X_j "
        "= Ad_rij (ad_{Vʰ_j} − ad_ṙi) ⁰X_j",
        as_printed="J̇_ij = (ad_ṙij + Ad_{r_i,j−1} ad_ωj) ⁰X_j = Ad_{r_i,j−1} (ad_ḋij + ad_ωj) ⁰X_j "
        "= Ad_{r_i,j−1} (ad_{Vˢ_j} − ad_ṙi) ⁰X_j",
        correction="r_ij, not r_i,j−1 nor d_ij; the hybrid twist Vʰ_j, not the spatial one",
    ),
    entry(
        "29",
        "acceleration by columns and their rates",
        hybrid_acceleration_by_columns,
        "V̇_i = Σ J_ij q̈_j + Σ_{j≤k} [J_ij, ᵛJ_ik] q̇_j q̇_k + Σ_{k<j} [ʷJ_ik, J_ij] q̇_j q̇_k "
        "= Σ J_ij q̈_j + ([J_ij, ᵛΔV_j−1,i] + [ʷV_j−1, J_ij]) q̇_j",
        as_printed="V̇_i = Σ J_ij q̈_j + Σ_{j≤k} [J_ij, ᵛJ_ik] q̇_j q̇_k "
        "= Σ J_ij q̈_j + [J_ij, ᵛΔV_j−1,i] q̇_j",
        correction="as in (26) and (27), the turning of what comes before joint j is missing",
    ),
    entry(
        "30",
        "acceleration by spins, and from the parent's as in (73)",
        hybrid_acceleration,
        "V̇_i = Σ J_ij q̈_j + (ad_ṙij + Ad_rij ad_ωj) ⁰X_j q̇_j",
    ),
    entry(
        "31",
        "second rate of a column",
        hybrid_column_second_rates,
        "J̈_ij = (ad_r̈ij + 2 ad_ṙij ad_ωj + Ad_rij (ad_ω̇j + ad_ωj²)) ⁰X_j",
    ),
    entry("32", "jerk", hybrid_jerk, "V̈_i = Σ J q⃛ + 2 J̇ q̈ + J̈ q̇"),
    entry(
        "34",
        "mixed twists, rates and jerk from the hybrid ones",
        mixed,
        "J̇ᵐ = E (J̇ʰ − ad_ω ʷJʰ), V̇ᵐ = E V̇ʰ, V̈ᵐ = E (V̈ʰ − (ω × ω̇, 0)), E = diag(Rᵀ, 1)",
        as_printed="J̇ᵐ = E J̇ʰ, V̇ᵐ = E V̇ʰ, V̈ᵐ = E V̈ʰ, E = diag(Rᵀ, 1)",
        correction="diag(Rᵀ, 1) turns with the body, so that its rate enters J̇ and V̈",
    ),
)

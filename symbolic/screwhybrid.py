"""Hybrid and mixed twists and their derivatives: screw paper (25)–(34)."""

from __future__ import annotations

from functools import partial

import sympy as sp

from .checks import Check, Sides
from .screwchecks import At
from .screws import Ad_shift, ad, ad_spin, ad_velocity, angular, bracket, linear
from .screwtree import Motion, Tree


def hybrid_columns(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i, j, k in at.triples():
        found = at.partial(k, of=Motion.Jh, at=(i, j))
        if k not in tree.path(i):
            stated = sp.zeros(6, 1)
        elif j in tree.path(k):
            stated = bracket(at.Jh(i, j), linear(at.Jh(i, k)))
        else:
            stated = sp.zeros(6, 1) if printed else bracket(angular(at.Jh(i, k)), at.Jh(i, j))
        yield found, stated


def hybrid_column_rates(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i in tree.bodies:
        for j in tree.path(i):
            before = at.m.Vh(tree.parents[j]).value
            shift = Ad_shift(at.m.shift(i, tree.parents[j]).value)
            J = at.Jh(i, j)
            stated = bracket(J, linear(at.m.Vh(i).value - shift * before))
            if not printed:
                stated += bracket(angular(before), J)
            yield at.m.Jh(i, j).at(1), stated


def hybrid_column_rates_by_spins(tree: Tree) -> Sides:
    at = At(tree)
    for i in tree.bodies:
        for j in tree.path(i):
            shift = at.m.shift(i, j)
            spin = ad_spin(at.m.Vh(j).value[:3, :])
            moving = ad_velocity(shift.at(1))
            X = at.m.X0(j).value
            yield at.m.Jh(i, j).at(1), (moving + Ad_shift(shift.value) * spin) * X
            yield at.m.Jh(i, j).at(1), Ad_shift(shift.value) * (moving + spin) * X
            both = ad(at.m.Vh(j).value) - ad_velocity(at.m.r(i).at(1))
            yield at.m.Jh(i, j).at(1), Ad_shift(shift.value) * both * X


def hybrid_acceleration(tree: Tree) -> Sides:
    at = At(tree)
    for i, parent in tree.parents.items():
        shift, X = at.m.shift(i, parent), at.m.X0(i).value
        V = at.m.Vh(parent)
        stated = Ad_shift(shift.value) * V.at(1) + ad_velocity(shift.at(1)) * V.value
        stated += ad_spin(at.m.Vh(i).value[:3, :]) * X * at.q(i, 1) + X * at.q(i, 2)
        yield at.m.Vh(i).at(1), stated


def hybrid_second_rate(at: At, i: int, j: int) -> sp.Matrix:
    shift, V = at.m.shift(i, j), at.m.Vh(j)
    spin, change = ad_spin(V.value[:3, :]), ad_spin(V.at(1)[:3, :])
    inner = ad_velocity(shift.at(2)) + 2 * ad_velocity(shift.at(1)) * spin
    return (inner + Ad_shift(shift.value) * (change + spin**2)) * at.m.X0(j).value


def hybrid_column_second_rates(tree: Tree) -> Sides:
    at = At(tree)
    for i in tree.bodies:
        for j in tree.path(i):
            yield at.m.Jh(i, j).at(2), hybrid_second_rate(at, i, j)


def hybrid_jerk(tree: Tree) -> Sides:
    at = At(tree)
    for i in tree.bodies:
        value = sp.zeros(6, 1)
        for j in tree.path(i):
            value += at.Jh(i, j) * at.q(j, 3) + 2 * at.m.Jh(i, j).at(1) * at.q(j, 2)
            value += hybrid_second_rate(at, i, j) * at.q(j, 1)
        yield at.m.Vh(i).at(2), value


def mixed(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i in tree.bodies:
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


CHECKS = (
    Check(
        "26",
        "derivative of a column (with (25))",
        hybrid_columns,
        partial(hybrid_columns, printed=True),
        "for k < j the derivative is [ʷJ_ik, J_ij], which the print lacks",
    ),
    Check(
        "27",
        "rate of a column by twists",
        hybrid_column_rates,
        partial(hybrid_column_rates, printed=True),
        "[ʷV, J_ij] with the parent's V of joint j is missing",
    ),
    Check("28", "rate of a column by spins, three forms", hybrid_column_rates_by_spins),
    Check("30", "acceleration from the parent's, = (29), (73)", hybrid_acceleration),
    Check("31", "second rate of a column", hybrid_column_second_rates),
    Check("32", "jerk, = (33)", hybrid_jerk),
    Check(
        "34",
        "mixed twists, rates and jerk from the hybrid ones",
        mixed,
        partial(mixed, printed=True),
        "diag(Rᵀ, 1) turns with the body, so that its rate enters J̇ and V̈",
    ),
)

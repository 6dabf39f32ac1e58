"""Spatial twists and their derivatives: screw paper (16)–(24)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations_with_replacement, product

import sympy as sp

from .checks import Check, Sides
from .screwchecks import At
from .screws import ad, bracket
from .screwtree import Motion, Tree


def spatial_columns(tree: Tree) -> Sides:
    at = At(tree)
    for j, k in product(tree.bodies, repeat=2):
        found = at.partial(k, of=Motion.Js, at=(j,))
        moved = at.ordered(k, j, j)
        yield found, bracket(at.Js(k), at.Js(j)) if moved else sp.zeros(6, 1)


def spatial_column_rates(tree: Tree) -> Sides:
    at = At(tree)
    for j in tree.bodies:
        yield at.m.Js(j).at(1), bracket(at.m.Vs(j).value, at.Js(j))


def spatial_acceleration(tree: Tree) -> Sides:
    at = At(tree)
    for i, parent in tree.parents.items():
        V = at.m.Vs(parent)
        jump = bracket(V.value, at.m.Vs(i).value)
        yield at.m.Vs(i).at(1), V.at(1) + at.Js(i) * at.q(i, 2) + jump


def spatial_system(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    L = at.blocks(lambda i, j: sp.eye(6) if j in tree.path(i) else sp.zeros(6, 6))
    b = at.diagonal(lambda i: ad(at.m.Vs(i).value))
    J = L * at.diagonal(at.Js)
    V = at.stack(lambda i: at.m.Vs(i).value)
    inner = V if printed else L.inv() * V
    yield at.stack(lambda i: at.m.Vs(i).at(1)), J * at.rates(2) + L * b * inner


def spatial_nested(at: At, indices: tuple[int, ...]) -> sp.Matrix:
    """[J_k, [J_r, … J_j]] with the smallest index outermost."""
    path = at.tree.path(max(indices, key=lambda k: len(at.tree.path(k))))
    *outer, last = sorted(indices, key=path.index)
    value = at.Js(last)
    for k in reversed(outer):
        value = bracket(at.Js(k), value)
    return value


def higher_spatial_columns(order: int) -> Callable[[Tree], Sides]:
    def sides(tree: Tree) -> Sides:
        at = At(tree)
        for j in tree.bodies:
            for by in combinations_with_replacement(tree.path(j), order):
                found = at.partial(*by, of=Motion.Js, at=(j,))
                yield found, spatial_nested(at, (*by, j)) if j not in by else sp.zeros(6, 1)

    return sides


def spatial_jerk(tree: Tree) -> Sides:
    """(22), which (23) writes out."""
    at = At(tree)
    for i in tree.bodies:
        value = sp.zeros(6, 1)
        for j in tree.path(i):
            V, J = at.m.Vs(j).value, at.Js(j)
            pushed = at.sum(j, lambda k: at.Js(k) * at.q(k, 2))
            before = at.motion_of(j) + V - at.m.Vs(i).value
            value += J * at.q(j, 3) + 2 * bracket(V, J) * at.q(j, 2)
            value += (bracket(pushed, J) + bracket(before, bracket(V, J))) * at.q(j, 1)
        yield at.m.Vs(i).at(2), value


CHECKS = (
    Check("16", "derivative of a column", spatial_columns),
    Check("17", "rate of a column, [V, J]", spatial_column_rates),
    Check("18", "acceleration from the parent's", spatial_acceleration),
    Check(
        "19",
        "system acceleration (with (20))",
        spatial_system,
        partial(spatial_system, printed=True),
        "L b L⁻¹ V instead of L b V, which is L times ad_V V = 0",
    ),
    Check("21", "second derivatives of a column", higher_spatial_columns(2)),
    Check("22", "jerk", spatial_jerk),
    Check("24", "ν-th derivatives of a column, here the third", higher_spatial_columns(3)),
)

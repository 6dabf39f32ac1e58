"""Spatial twists and their derivatives: screw paper (16)–(24)."""

from __future__ import annotations

from functools import partial
from itertools import combinations_with_replacement, product

import sympy as sp

from ...exact.ledger import Sides
from ...exact.screws import ad, bracket
from .cases import entry
from .checks import At
from .tree import Motion, Tree


def spatial_columns(tree: Tree) -> Sides:
    at = At(tree)
    for j, k in product(tree.numbers, repeat=2):
        found = at.partial(k, of=Motion.Js, at=(j,))
        moved = at.ordered(k, j, j)
        yield found, bracket(at.Js(k), at.Js(j)) if moved else sp.zeros(6, 1)


def spatial_column_rates(tree: Tree) -> Sides:
    at = At(tree)
    for j in tree.numbers:
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


def higher_spatial_columns(tree: Tree, order: int) -> Sides:
    at = At(tree)
    for j in tree.numbers:
        for by in combinations_with_replacement(tree.path(j), order):
            found = at.partial(*by, of=Motion.Js, at=(j,))
            yield found, spatial_nested(at, (*by, j)) if j not in by else sp.zeros(6, 1)


def spatial_jerk(tree: Tree) -> Sides:
    """(22), and written out as in (23)."""
    at = At(tree)
    for i in tree.numbers:
        value, other = sp.zeros(6, 1), sp.zeros(6, 1)
        for j in tree.path(i):
            V, J, u = at.m.Vs(j).value, at.Js(j), at.q(j, 1)
            pushed = at.sum(j, lambda k: at.Js(k) * at.q(k, 2))
            both, turned = at.motion_of(j) + V - at.m.Vs(i).value, bracket(V, J)
            same = J * at.q(j, 3) + 2 * turned * at.q(j, 2)
            value += same + (bracket(pushed, J) + bracket(both, turned)) * u
            outer = bracket(turned, at.m.Vs(i).value - 2 * V) + bracket(pushed + turned * u, J)
            other += same + outer * u
        yield at.m.Vs(i).at(2), value
        yield "23", at.m.Vs(i).at(2), other


ENTRIES = (
    entry("16", "derivative of a column", spatial_columns, "∂J_j/∂q_k = [J_k, J_j], k < j"),
    entry("17", "rate of a column, [V, J]", spatial_column_rates, "J̇_j = [V_j, J_j]"),
    entry(
        "18",
        "acceleration from the parent's",
        spatial_acceleration,
        "V̇_i = V̇_{i−1} + J_i q̈_i + [V_{i−1}, V_i]",
    ),
    entry(
        "19",
        "system acceleration",
        spatial_system,
        "V̇ = J q̈ + L b L⁻¹ V, b = diag(ad_{V_i})",
        as_printed="V̇ = J q̈ + L b V, b = diag(ad_{V_i})",
        correction="L b L⁻¹ V instead of L b V, which is L times ad_V V = 0",
    ),
    entry(
        "21",
        "second derivatives of a column",
        partial(higher_spatial_columns, order=2),
        "∂²J_j/∂q_k∂q_r = [J_k, [J_r, J_j]], k ≤ r < j",
    ),
    entry(
        "22",
        "jerk, in two forms",
        spatial_jerk,
        "V̈_i = Σ J q⃛ + 2 [V_j, J_j] q̈_j + [Σ J_k q̈_k, J_j] q̇_j "
        "+ [V_{j−1} + V_j − V_i, [V_j, J_j]] q̇_j",
    ),
    entry(
        "24",
        "ν-th derivatives of a column, here the third",
        partial(higher_spatial_columns, order=3),
        "∂^ν J_j/∂q_k∂q_r… = [J_k, [J_r, [… J_j]]], k ≤ r ≤ … < j",
    ),
)

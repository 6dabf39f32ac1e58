"""Body-fixed twists and their derivatives: screw paper (2)–(15)."""

from __future__ import annotations

from functools import partial
from itertools import combinations_with_replacement, product

import sympy as sp

from ...exact.ledger import Sides
from ...exact.screws import Ad, ad, bracket, hat, inverse
from .cases import entry
from .checks import At
from .tree import Motion, Tree


def acceleration_by_partials(tree: Tree) -> Sides:
    at = At(tree)
    for i in tree.numbers:
        path = tree.path(i)
        value = at.moved(Motion.Jb, i, 2)
        for j, k in product(path, path):
            partial = at.partial(k, of=Motion.Jb, at=(i, j))
            value += partial * at.q(j, 1) * at.q(k, 1)
        yield at.m.Vb(i).at(1), value


def column_as_matrix(tree: Tree, last: bool = True) -> Sides:
    """J_ij^ = C_i⁻¹ C_j A_j⁻¹ Y_j^ A_j C_j⁻¹ C_i, with A_j⁻¹ Y_j^ A_j = X_j^."""
    at = At(tree)
    for i in tree.numbers:
        for j in tree.path(i):
            there = at.m.relative(i, j).value
            back = inverse(there) if last else there
            yield hat(at.Jb(i, j)), there * hat(tree.X[j]) * back


def relative_pose(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i, j, k in at.triples():
        found = at.partial(k, of=Motion.relative, at=(i, j))
        moved = at.ordered(j, k, i) or (printed and j == k)
        pose = at.m.relative(i, j).value
        yield found, -hat(at.Jb(i, k)) * pose if moved else sp.zeros(4, 4)


def relative_pose_back(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i, j, k in at.triples():
        found = at.partial(k, of=Motion.relative, at=(j, i))
        pose = at.m.relative(j, i).value
        column = at.Jb(i, j) if printed else at.Jb(i, k)
        yield found, pose * hat(column) if at.ordered(j, k, i) else sp.zeros(4, 4)


def columns(tree: Tree) -> Sides:
    at = At(tree)
    for i, j, k in at.triples():
        found = at.partial(k, of=Motion.Jb, at=(i, j))
        moved = at.ordered(j, k, i)
        yield found, bracket(at.Jb(i, j), at.Jb(i, k)) if moved else sp.zeros(6, 1)


def acceleration_by_brackets(tree: Tree) -> Sides:
    at = At(tree)
    for i in tree.numbers:
        value = at.moved(Motion.Jb, i, 2)
        for j, k in at.pairs(i):
            value += bracket(at.Jb(i, j), at.Jb(i, k)) * at.q(j, 1) * at.q(k, 1)
        yield at.m.Vb(i).at(1), value


def columns_by_adjoints(tree: Tree) -> Sides:
    at = At(tree)
    for i, j, k in at.triples():
        if at.ordered(j, k, i):
            X, inner = tree.X[k], Ad(at.m.relative(k, j).value) * tree.X[j]
            stated = -Ad(at.m.relative(i, k).value) * ad(X) * inner
            yield at.partial(k, of=Motion.Jb, at=(i, j)), stated


def system(at: At) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """A = (Ad_{C_ij}) over the path, a = diag(q̇ ad_X), J = A X."""
    A = at.blocks(
        lambda i, j: Ad(at.m.relative(i, j).value) if j in at.tree.path(i) else sp.zeros(6, 6)
    )
    a = at.diagonal(lambda i: at.q(i, 1) * ad(at.tree.X[i]))
    return A, a, at.blocks(at.Jb)


def jacobian_rate(tree: Tree) -> Sides:
    at = At(tree)
    A, a, J = system(at)
    yield at.blocks(lambda i, j: at.m.Jb(i, j).at(1)), -A * a * J


def system_acceleration(tree: Tree) -> Sides:
    at = At(tree)
    A, a, J = system(at)
    V = at.stack(lambda i: at.m.Vb(i).value)
    yield at.stack(lambda i: at.m.Vb(i).at(1)), J * at.rates(2) - A * a * V


def joint_accelerations(tree: Tree) -> Sides:
    at = At(tree)
    A, a, _ = system(at)
    X = at.diagonal(lambda i: tree.X[i])
    V, rate = at.stack(lambda i: at.m.Vb(i).value), at.stack(lambda i: at.m.Vb(i).at(1))
    yield at.rates(2), (X.T * X).inv() * X.T * (A.inv() * rate + a * V)


def nested(at: At, i: int, indices: tuple[int, ...]) -> sp.Matrix:
    """[[J_ij, J_ik], …] with the smallest index innermost and first."""
    first, *rest = sorted(indices, key=at.tree.path(i).index)
    value = at.Jb(i, first)
    for k in rest:
        value = bracket(value, at.Jb(i, k))
    return value


def higher_columns(tree: Tree, order: int) -> Sides:
    """The partial derivatives of the given order, by q_k, q_r, … with j before all of them."""
    at = At(tree)
    for i in tree.numbers:
        path = tree.path(i)
        for j, by in product(path, combinations_with_replacement(path, order)):
            found = at.partial(*by, of=Motion.Jb, at=(i, j))
            moved = all(at.ordered(j, k, i) for k in by)
            yield found, nested(at, i, (j, *by)) if moved else sp.zeros(6, 1)


def body_jerk(tree: Tree, printed: bool = False) -> Sides:
    at = At(tree)
    for i in tree.numbers:
        path = tree.path(i)
        value = at.moved(Motion.Jb, i, 3)
        for j, k in at.pairs(i):
            both = 2 * at.q(j, 2) * at.q(k, 1) + at.q(j, 1) * at.q(k, 2)
            value += nested(at, i, (j, k)) * both
            for r in path[path.index(k) :]:
                times = 2 if printed or r != k else 1
                value += times * nested(at, i, (j, k, r)) * at.q(j, 1) * at.q(k, 1) * at.q(r, 1)
        yield at.m.Vb(i).at(2), value


ENTRIES = (
    entry(
        "2",
        "acceleration by the Jacobian's partial derivatives",
        acceleration_by_partials,
        "V̇ᵇ_i = Σ J_ij q̈_j + Σ ∂J_ij/∂q_k q̇_j q̇_k",
    ),
    entry(
        "3",
        "a column of the Jacobian as a matrix",
        column_as_matrix,
        "J_ij^ = C_i⁻¹ C_j A_j⁻¹ Y_j^ A_j C_j⁻¹ C_i",
        printed=partial(column_as_matrix, last=False),
        as_printed="J_ij^ = C_i⁻¹ C_j A_j⁻¹ Y_j^ A_j C_i⁻¹ C_j",
        correction="the first term ends in A_j C_j⁻¹ C_i, not in A_j C_i⁻¹ C_j",
    ),
    entry(
        "4",
        "derivative of the relative pose",
        relative_pose,
        "∂(C_i⁻¹ C_j)/∂q_k = −J_ik^ C_i⁻¹ C_j, j < k ≤ i",
        as_printed="∂(C_i⁻¹ C_j)/∂q_k = −J_ik^ C_i⁻¹ C_j, j ≤ k ≤ i",
        correction="holds for j < k ≤ i; at k = j the derivative is zero",
    ),
    entry(
        "5",
        "derivative of the relative pose, the other way",
        relative_pose_back,
        "∂(C_j⁻¹ C_i)/∂q_k = C_j⁻¹ C_i J_ik^, j < k ≤ i",
        as_printed="∂(C_j⁻¹ C_i)/∂q_k = C_j⁻¹ C_i J_ij^, j ≤ k ≤ i",
        correction="J_ik instead of J_ij, for j < k ≤ i",
    ),
    entry(
        "6",
        "derivative of a column is a screw product",
        columns,
        "∂J_ij/∂q_k = [J_ij, J_ik], j < k ≤ i",
    ),
    entry(
        "7",
        "acceleration by screw products",
        acceleration_by_brackets,
        "V̇ᵇ_i = Σ J_ij q̈_j + Σ_{j<k≤i} [J_ij, J_ik] q̇_j q̇_k",
    ),
    entry(
        "8",
        "derivative of a column by Ad and ad",
        columns_by_adjoints,
        "∂J_ij/∂q_k = −Ad_{C_ik} ad_{X_k} Ad_{C_kj} X_j, j < k ≤ i",
    ),
    entry(
        "9",
        "rate of the system Jacobian, −A a J",
        jacobian_rate,
        "J̇ = −A a J, a = diag(q̇_i ad_{X_i})",
    ),
    entry("11", "system acceleration", system_acceleration, "V̇ = J q̈ − A a V"),
    entry(
        "12", "joint accelerations from twists", joint_accelerations, "q̈ = (XᵀX)⁻¹ Xᵀ (A⁻¹ V̇ + a V)"
    ),
    entry(
        "13",
        "second derivatives of a column",
        partial(higher_columns, order=2),
        "∂²J_ij/∂q_k∂q_r = [[J_ij, J_ik], J_ir], j < k ≤ r ≤ i",
    ),
    entry(
        "14",
        "jerk",
        body_jerk,
        "V̈_i = Σ J q⃛ + Σ [J_ij, J_ik] (2 q̈_j q̇_k + q̇_j q̈_k) "
        "+ Σ_{j<k≤r} (2 − δ_kr) [[J_ij, J_ik], J_ir] q̇_j q̇_k q̇_r",
        as_printed="V̈_i = Σ J q⃛ + Σ [J_ij, J_ik] (2 q̈_j q̇_k + q̇_j q̈_k) "
        "+ Σ_{j<k≤r} 2 [[J_ij, J_ik], J_ir] q̇_j q̇_k q̇_r",
        correction="the factor is 2 − δ_kr, not 2",
    ),
    entry(
        "15",
        "ν-th derivatives of a column, here the third",
        partial(higher_columns, order=3),
        "∂^ν J_ij/∂q_k∂q_r… = [[[J_ij, J_ik], J_ir], …], j < k ≤ r ≤ …",
    ),
)

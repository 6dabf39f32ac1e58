"""Time derivatives of inverse dynamics: Sect. 6.3 of the screw paper, for elastic actuators.

The paper gives no formulas; these are own. Q̇ and Q̈ need the coordinates to their fourth
derivative. They are judged by Q(t) = Σ J_iᵀ (M V̇ − ad_Vᵀ M V) as a Taylor series in time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import sympy as sp

from ...exact import screws
from ...exact.ledger import Sides
from ...exact.motion import GROUND
from ...exact.screws import Ad, Ad_shift, Ad_turn, ad, ad_spin, ad_velocity, angular
from ...exact.series import Series
from .cases import entry
from .checks import At
from .lagrange import total
from .tree import Tree

Screws = dict[int, list[sp.Matrix]]


def forces(tree: Tree) -> dict[int, Series]:
    """Q of every joint as a series, to its second derivative."""
    at = At(tree)
    wrenches: dict[int, Series] = {}
    for i in tree.numbers:
        V = at.m.Vb(i)
        M = Series.constant(tree.M[i], V.order)
        momentum = M @ V
        wrenches[i] = M @ V.rate - V.map(ad).T @ momentum

    def force(j: int) -> Series:
        parts = [at.m.Jb(i, j).T @ wrenches[i] for i in tree.numbers if j in tree.path(i)]
        found, *rest = parts
        for part in rest:
            found = found + part
        return found

    return {j: force(j) for j in tree.numbers}


def _judged(tree: Tree, found: dict[int, list[sp.Expr]]) -> Sides:
    stated = forces(tree)
    for i, values in found.items():
        for order, value in enumerate(values):
            yield stated[i].at(order), sp.Matrix([value])


@dataclass(frozen=True)
class Operators:
    """A linear operator and its derivatives, applied by Leibniz' rule."""

    parts: list[sp.Matrix]

    def on(self, vectors: list[sp.Matrix], order: int) -> sp.Matrix:
        terms = (comb(order, k) * self.parts[k] * vectors[order - k] for k in range(order + 1))
        return sum(terms, 0 * vectors[0])

    @property
    def T(self) -> Operators:
        return Operators([part.T for part in self.parts])


def body_fixed(tree: Tree) -> Sides:
    """V̈, V⃛ from the parent's, and wrenches whose transport turns with the joint."""
    at = At(tree)
    V: Screws = {GROUND: [sp.zeros(6, 1)] * 4}
    for i, parent in tree.parents.items():
        X, back = tree.X[i], Ad(at.m.relative(i, parent).value)
        a, (q1, q2, q3, q4) = ad(X), (at.q(i, k) for k in (1, 2, 3, 4))
        moved = [back * x for x in V[parent]]
        V0 = moved[0] + X * q1
        V1 = moved[1] + X * q2 - q1 * a * V0
        V2 = moved[2] + X * q3 - q2 * a * V0 - 2 * q1 * a * V1 - q1**2 * a**2 * V0
        V3 = moved[3] + X * q4 - q3 * a * V0 - 3 * q2 * a * V1 - 3 * q1 * a * V2
        V3 -= 3 * q1 * q2 * a**2 * V0 + 3 * q1**2 * a**2 * V1 + q1**3 * a**3 * V0
        V[i] = [V0, V1, V2, V3]
    W = {i: [sp.zeros(6, 1)] * 3 for i in tree.numbers}
    found = {}
    for i in reversed(tree.numbers):
        M, (V0, V1, V2, V3), X = tree.M[i], V[i], tree.X[i]
        own = [
            M * V1 - ad(V0).T * M * V0,
            M * V2 - ad(V1).T * M * V0 - ad(V0).T * M * V1,
            M * V3 - ad(V2).T * M * V0 - 2 * ad(V1).T * M * V1 - ad(V0).T * M * V2,
        ]
        W0, W1, W2 = W[i] = [x + y for x, y in zip(W[i], own, strict=True)]
        found[i] = [(X.T * w)[0] for w in W[i]]
        parent = tree.parent(i)
        if parent != GROUND:
            a, (q1, q2) = ad(X).T, (at.q(i, 1), at.q(i, 2))
            back = Ad(at.m.relative(i, parent).value).T
            handed = [W0, W1 - q1 * a * W0, W2 - 2 * q1 * a * W1 - q2 * a * W0 + q1**2 * a**2 * W0]
            W[parent] = [x + back * y for x, y in zip(W[parent], handed, strict=True)]
    yield from _judged(tree, found)


def spatial(tree: Tree) -> Sides:
    """Derivatives of J and of the momentum; wrenches add up as they are."""
    at = At(tree)
    V: Screws = {GROUND: [sp.zeros(6, 1)] * 4}
    J: Screws = {}
    found: dict[int, list[sp.Expr]] = {}
    W = {i: [sp.zeros(6, 1)] * 3 for i in tree.numbers}
    for i, parent in tree.parents.items():
        J0, q = at.Js(i), [at.q(i, k) for k in range(5)]
        own: list[sp.Matrix] = []
        columns = [J0]
        # J^(k+1) = Σ binomials [V^(l), J^(k−l)], which needs V to its k-th derivative only.
        for k in range(4):
            moved = sum((comb(k, m) * columns[m] * q[k + 1 - m] for m in range(k + 1)), 0 * J0)
            own.append(V[parent][k] + moved)
            turned = (comb(k, m) * ad(own[m]) * columns[k - m] for m in range(k + 1))
            columns.append(sum(turned, 0 * J0))
        V[i], J[i] = own, columns
    for i in reversed(tree.numbers):
        back = Ad(screws.inverse(at.m.C[i].value))
        masses = [back.T * tree.M[i] * back]
        for k in range(3):
            rate = sp.zeros(6, 6)
            for m in range(k + 1):
                spin = ad(V[i][m])
                rate -= comb(k, m) * (spin.T * masses[k - m] + masses[k - m] * spin)
            masses.append(rate)
        momentum = Operators(masses)
        W[i] = [w + momentum.on(V[i], k + 1) for k, w in enumerate(W[i])]
        columns = J[i]
        found[i] = [
            total(comb(k, m) * (columns[m].T * W[i][k - m])[0] for m in range(k + 1))
            for k in range(3)
        ]
        parent = tree.parent(i)
        if parent != GROUND:
            W[parent] = [x + y for x, y in zip(W[parent], W[i], strict=True)]
    yield from _judged(tree, found)


def hybrid(tree: Tree) -> Sides:
    """X turns with the body, and the shift to the parent moves with both."""
    at = At(tree)
    V: Screws = {GROUND: [sp.zeros(6, 1)] * 4}
    X: Screws = {}
    shifts: dict[int, Operators] = {}
    for i, parent in tree.parents.items():
        q = [at.q(i, k) for k in range(5)]
        columns, own = [at.m.X0(i).value], list[sp.Matrix]()
        arm = at.m.shift(i, parent).value
        rates = [Ad_shift(arm)]
        for k in range(4):
            parts = (
                comb(k, m) * (rates[m] * V[parent][k - m] + columns[m] * q[k + 1 - m])
                for m in range(k + 1)
            )
            own.append(sum(parts, sp.zeros(6, 1)))
            spun = (comb(k, m) * _spin(own[m]) * columns[k - m] for m in range(k + 1))
            columns.append(sum(spun, 0 * columns[0]))
            rates.append(ad_velocity(V[parent][k][3:, :] - own[k][3:, :]))
        V[i], X[i], shifts[i] = own, columns, Operators(rates)
    W = {i: [sp.zeros(6, 1)] * 3 for i in tree.numbers}
    found: dict[int, list[sp.Expr]] = {}
    for i in reversed(tree.numbers):
        turn = Ad_turn(screws.turn(at.m.C[i].value))
        masses = [turn * tree.M[i] * turn.T]
        spins = [_spin(x) for x in V[i]]
        for k in range(2):
            rate = sp.zeros(6, 6)
            for m in range(k + 1):
                rate += comb(k, m) * (spins[m] * masses[k - m] - masses[k - m] * spins[m])
            masses.append(rate)
        M, spinning = Operators(masses), Operators(spins)
        turned = [M.on([angular(x) for x in V[i]], k) for k in range(3)]
        own = [M.on(V[i][1:], k) + spinning.on(turned, k) for k in range(3)]
        W[i] = [x + y for x, y in zip(W[i], own, strict=True)]
        columns = X[i]
        found[i] = [
            total(comb(k, m) * (columns[m].T * W[i][k - m])[0] for m in range(k + 1))
            for k in range(3)
        ]
        parent = tree.parent(i)
        if parent != GROUND:
            handed = [shifts[i].T.on(W[i], k) for k in range(3)]
            W[parent] = [x + y for x, y in zip(W[parent], handed, strict=True)]
    yield from _judged(tree, found)


def _spin(V: sp.Matrix) -> sp.Matrix:
    return ad_spin(V[:3, :])


ENTRIES = (
    entry(
        "Sect. 6.3, body-fixed",
        "Q, Q̇ and Q̈ by a recursion",
        body_fixed,
        "Q̇_i = X_iᵀ Ẇ_i, Q̈_i = X_iᵀ Ẅ_i",
        kind="own",
    ),
    entry(
        "Sect. 6.3, spatial",
        "Q, Q̇ and Q̈ by a recursion",
        spatial,
        "Q̇ = J̇ᵀ W + Jᵀ Ẇ, Q̈ = J̈ᵀ W + 2 J̇ᵀ Ẇ + Jᵀ Ẅ",
        kind="own",
    ),
    entry(
        "Sect. 6.3, hybrid",
        "Q, Q̇ and Q̈ by a recursion",
        hybrid,
        "Q̇ = Ẋᵀ W + Xᵀ Ẇ, Q̈ = Ẍᵀ W + 2 Ẋᵀ Ẇ + Xᵀ Ẅ",
        kind="own",
    ),
)

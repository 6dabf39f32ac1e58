"""Slopes of inverse dynamics by coordinates, rates and geometry: Sects. 6.1 and 6.2, screw paper.

The paper refers to other works for these formulas; they are own. They are judged by particles:
with x their places, Q_k = Σ m (ẍ − g) · ∂x/∂q_k.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import sympy as sp

from ...exact import screws
from ...exact.evaluation import Points
from ...exact.ledger import Sides
from ...exact.motion import GROUND, Body
from ...exact.screws import Ad, ad, bar, bracket
from ...exact.series import Series
from .cases import entry
from .checks import At
from .recursion import body_fixed, rising
from .tree import ORDER, Tree, one_freedom

Vectors = dict[int, sp.Matrix]

Rates = Mapping[int, sp.Expr]

#: Gravity, in inertial axes.
GRAVITY = Points(91).vector(3)


class Slopes:
    """∂Q/∂q, ∂Q/∂q̇ and ∂Q/∂q̈ by particles."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.u = {i: tree.rates[i, 0][1] for i in tree.numbers}
        self.a = {i: tree.rates[i, 0][2] for i in tree.numbers}
        self._found: dict[tuple[Hashable, int], Series] = {}

    def _along(self, rates: Rates, body: int, order: int) -> sp.Matrix:
        """The derivative of the particles' places at constant rates."""
        key = (tuple(rates.items()), body)
        if key not in self._found:
            motion = self.tree.along({(i, 0): rate for i, rate in rates.items()})
            for each in self.tree.numbers:
                self._found[key[0], each] = motion.x(each)
        return self._found[key].at(order)

    def _plus(self, rates: Rates, m: int, sign: int = 1) -> Rates:
        return {**rates, m: rates[m] + sign}

    def _mixed(self, rates: Rates, m: int, body: int) -> sp.Matrix:
        """Σ x_jm rate_j."""
        whole = self._along(self._plus(rates, m), body, 2)
        return (whole - self._along(rates, body, 2) - self._along(unit(m), body, 2)) / 2

    def _bent(self, m: int, body: int) -> sp.Matrix:
        """Σ x_jkm q̇_j q̇_k."""
        ahead, behind = (self._along(self._plus(self.u, m, sign), body, 3) for sign in (1, -1))
        return (ahead - behind - 2 * self._along(unit(m), body, 3)) / 6

    def _both(self, k: int, m: int, body: int) -> sp.Matrix:
        """∂²x/∂q_k∂q_m."""
        if k == m:
            return self._along(unit(m), body, 2)
        first, second = sorted((k, m))
        both = self._along({**unit(first), **unit(second)}, body, 2)
        return (both - self._along(unit(k), body, 2) - self._along(unit(m), body, 2)) / 2

    def column(self, m: int) -> tuple[sp.Matrix, ...]:
        """The slopes of all Q by q_m, q̇_m and q̈_m."""
        tree = self.tree
        found = [dict.fromkeys(tree.numbers, sp.Integer(0)) for _ in range(3)]
        for body in tree.numbers:
            if m not in tree.path(body):
                continue
            weights = sp.diag(*tree.bodies[body].masses)
            pull = (tree.motion.x(body).at(2) - GRAVITY * sp.ones(1, weights.rows)) * weights
            changes = (
                self._mixed(self.a, m, body) + self._bent(m, body),
                2 * self._mixed(self.u, m, body),
                self._along(unit(m), body, 1),
            )
            for k in tree.path(body):
                lever = weights * self._along(unit(k), body, 1).T
                for slope, change in zip(found, changes, strict=True):
                    slope[k] += (change * lever).trace()
                found[0][k] += (pull * self._both(k, m, body).T).trace()
        return tuple(sp.Matrix(list(slope.values())) for slope in found)

    @cached_property
    def matrices(self) -> tuple[sp.Matrix, ...]:
        columns = [self.column(m) for m in self.tree.numbers]
        return tuple(sp.Matrix.hstack(*(c[n] for c in columns)) for n in range(3))


def unit(m: int) -> Rates:
    return {m: sp.Integer(1)}


@cache
def slopes(tree: Tree) -> Slopes:
    """The particles' judgement of a tree."""
    return Slopes(tree)


def tangent(tree: Tree) -> Sides:
    """One sweep each way for the change of Q along a change of q, q̇ and q̈."""
    at, of, bodies = At(tree), body_fixed(rising(tree, GRAVITY)), tree.numbers
    back = {i: Ad(at.m.relative(i, p).value) for i, p in tree.parents.items()}
    judged = slopes(tree).matrices
    for n, k in enumerate(bodies):
        for which, matrix in enumerate(judged):
            change = {i: [sp.Integer(int(i == k and w == which)) for w in range(3)] for i in bodies}
            dV: Vectors = {GROUND: sp.zeros(6, 1)}
            dA: Vectors = {GROUND: sp.zeros(6, 1)}
            for i, parent in tree.parents.items():
                X, (dq, du, da) = tree.X[i], change[i]
                dV[i] = back[i] * dV[parent] - dq * bracket(X, back[i] * of.V[parent]) + X * du
                dA[i] = back[i] * dA[parent] - dq * bracket(X, back[i] * of.A[parent]) + X * da
                dA[i] -= du * bracket(X, of.V[i]) + at.q(i, 1) * bracket(X, dV[i])
            dW = {i: sp.zeros(6, 1) for i in bodies}
            found = {}
            for i in reversed(bodies):
                M, V, X = tree.M[i], of.V[i], tree.X[i]
                dW[i] += M * dA[i] - ad(dV[i]).T * M * V - ad(V).T * M * dV[i]
                found[i] = (X.T * dW[i])[0]
                parent = tree.parent(i)
                if parent != GROUND:
                    turned = dW[i] - change[i][0] * ad(X).T * of.W[i]
                    dW[parent] += back[i].T * turned
            yield matrix[:, n], sp.Matrix([found[i] for i in bodies])


class Spatial:
    """Spatial columns and their first two rates, inertias and transmitted wrenches."""

    def __init__(self, tree: Tree) -> None:
        at, of = At(tree), body_fixed(rising(tree, GRAVITY))
        to = {i: Ad(at.m.C[i].value) for i in (GROUND, *tree.numbers)}
        self.V = {i: to[i] * V for i, V in of.V.items()}
        # V̇ˢ = Ad_C V̇ᵇ: ad_V V is zero.
        self.A = {i: to[i] * A for i, A in of.A.items()}
        self.W = {i: to[i].inv().T * W for i, W in of.W.items()}
        self.J = {i: at.Js(i) for i in tree.numbers}
        self.M: Vectors = {}
        self.T: Vectors = {}
        for i in reversed(tree.numbers):
            M = to[i].inv().T * tree.M[i] * to[i].inv()
            T = -M * ad(self.V[i]) - bar(M * self.V[i]) - ad(self.V[i]).T * M
            self.M[i] = self.M.get(i, sp.zeros(6, 6)) + M
            self.T[i] = self.T.get(i, sp.zeros(6, 6)) + T
            parent = tree.parent(i)
            if parent != GROUND:
                self.M[parent] = self.M.get(parent, sp.zeros(6, 6)) + self.M[i]
                self.T[parent] = self.T.get(parent, sp.zeros(6, 6)) + self.T[i]

    def rates(self, J: sp.Matrix, k: int) -> tuple[sp.Matrix, sp.Matrix]:
        """J′ = [V_k, J], J″ = [V̇_k, J] + [V_k, J′]."""
        first = bracket(self.V[k], J)
        return first, bracket(self.A[k], J) + bracket(self.V[k], first)


def closed(tree: Tree) -> Sides:
    """All slopes from sums over subtrees."""
    of = Spatial(tree)
    by_q, by_u, by_a = slopes(tree).matrices
    for row, i in enumerate(tree.numbers):
        for col, k in enumerate(tree.numbers):
            J, (first, second) = of.J[k], of.rates(of.J[k], k)
            if i in tree.path(k):
                lower = k
            elif k in tree.path(i):
                lower = i
            else:  # they move no common body
                for matrix in (by_q, by_u, by_a):
                    yield sp.Matrix([matrix[row, col]]), sp.zeros(1, 1)
                continue
            M, T = of.M[lower], of.T[lower]
            change = M * second + T * first
            if lower == k and i != k:
                change -= ad(J).T * of.W[k]
            for matrix, wrench in (
                (by_q, change),
                (by_u, 2 * M * first + T * J),
                (by_a, M * J),
            ):
                yield sp.Matrix([matrix[row, col]]), of.J[i].T * wrench


@dataclass(frozen=True, eq=False)
class Varied:
    """A tree whose B_i is B_i0 exp(U π), at π = 0.

    The variation acts as a joint that is frozen; `frozen` has it as one, before a body of no mass.
    """

    tree: Tree
    i: int

    @cached_property
    def U(self) -> sp.Matrix:
        draw = Points(92)
        return screws.unit_screw(draw.rotation(3)[:, 0], draw.vector(3), draw.number())

    @property
    def inner(self) -> int:
        return self.tree.parent(self.i)

    @property
    def G(self) -> sp.Matrix:
        """The instantaneous geometry screw Ad_{C_p B_i0} U, spatial."""
        return Ad(self.tree.motion.C[self.inner].value * self.tree.B[self.i]) * self.U

    def slope(self, body: int, order: int) -> sp.Matrix:
        """∂/∂π of a pose's derivative in time: C is linear in B_i."""
        if self.i not in self.tree.path(body):
            return sp.zeros(4, 4)
        joint = self.tree.joints[self.i]
        tilted = replace(joint, inner=joint.inner * screws.hat(self.U))
        moved = replace(self.tree, joints={**self.tree.joints, self.i: tilted})
        return moved.motion.C[body].at(order)

    @property
    def frozen(self) -> Tree:
        tree, i, extra = self.tree, self.i, max(self.tree.numbers) + 1
        joints = {}
        for body, joint in tree.joints.items():
            if body == i:
                still = (sp.Integer(1), sp.Integer(0))
                joints[extra] = one_freedom(joint.pred, extra, self.U, joint.inner, still)
                joint = replace(joint, pred=extra, inner=sp.eye(4))
            joints[body] = joint
        nothing = Body(sp.zeros(1, 1), sp.zeros(3, 1))
        rates = {**tree.rates, (extra, 0): [sp.Integer(0)] * (ORDER + 1)}
        return Tree(joints, {**tree.bodies, extra: nothing}, rates)


def geometry(tree: Tree) -> Sides:
    """dC = G^ C, and the slopes of twists and accelerations, of what hangs on the varied joint."""
    varied = Varied(tree, tree.numbers[1])
    at, G = At(tree), varied.G
    V0, A0 = (at.m.Vs(varied.inner).at(k) for k in (0, 1))
    for body in tree.numbers:
        C = at.m.C[body].value
        if varied.i not in tree.path(body):
            continue
        V, A = at.m.Vs(body).value, at.m.Vs(body).at(1)
        dV = bracket(G, V - V0)
        dA = bracket(G, A - A0) + bracket(bracket(V0, G), V - V0)
        v, a, dv, da, g = (screws.hat(x) for x in (V, A, dV, dA, G))
        yield varied.slope(body, 0), g * C
        # Ċ = V^ C and C̈ = (V̇^ + V^ V^) C, and so do their slopes.
        yield varied.slope(body, 1), (dv + v * g) * C
        yield varied.slope(body, 2), (da + dv * v + v * dv + (a + v * v) * g) * C


def geometry_forces(tree: Tree) -> Sides:
    """Slopes of Q by geometry, against those by the frozen joint's coordinate."""
    varied = Varied(tree, tree.numbers[1])
    of, G, i, p = Spatial(tree), varied.G, varied.i, varied.inner
    frozen = varied.frozen
    extra = frozen.parent(i)
    found = dict(zip(frozen.numbers, slopes(frozen).column(extra)[0], strict=True))
    first, second = of.rates(G, p)
    for joint in tree.numbers:
        J = of.J[joint]
        if i in tree.path(joint):
            wrench = of.M[joint] * second + of.T[joint] * first
        elif joint in tree.path(i):
            wrench = of.M[i] * second + of.T[i] * first - ad(G).T * of.W[i]
        else:
            wrench = sp.zeros(6, 1)
        yield sp.Matrix([found[joint]]), J.T * wrench


ENTRIES = (
    entry(
        "Sect. 6.1, tangent",
        "slopes of Q by one sweep each way",
        tangent,
        "δQ = X_iᵀ δW_i by one sweep each way",
        kind="own",
    ),
    entry(
        "Sect. 6.1, closed",
        "slopes of Q by sums over subtrees",
        closed,
        "∂Q_i/∂q_k = J_iᵀ (M J_k″ + T J_k′ − ad_{J_k}ᵀ W_k), ∂Q_i/∂q̇_k = J_iᵀ (2 M J_k′ + T J_k)",
        kind="own",
    ),
    entry(
        "Sect. 6.2",
        "slopes of poses and twists by geometry",
        geometry,
        "δC = G^ C, δV = [G, V − V_p], δV̇ = [G, V̇ − V̇_p] + [[V_p, G], V − V_p]",
        kind="own",
    ),
    entry(
        "Sect. 6.2, forces",
        "slopes of Q by geometry",
        geometry_forces,
        "∂Q_j/∂π = J_jᵀ (M G″ + T G′ − ad_Gᵀ W)",
        kind="own",
    ),
)

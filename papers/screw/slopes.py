"""Slopes of inverse dynamics by coordinates, rates and geometry, by sums over particles.

With x their places, Q_k = Σ m (ẍ − g) · ∂x/∂q_k: what judges Sects. 6.1 and 6.2 of the screw paper.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

import sympy as sp

from ...symbolic.exact import screws
from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Body
from ...symbolic.exact.series import Series
from .tree import ORDER, Tree, one_freedom

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

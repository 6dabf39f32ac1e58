"""A joint's rotation and place as functions of its coordinates, in its own frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from ...symbolic.exact.screws import exponential, turn
from .tree import Kind


@dataclass(frozen=True)
class JointFunctions:
    """C, W, c and their slopes in the joint's own frame, at coordinates and rates.

    W are the axial vectors of ∂C/∂q Cᵀ (3.14): each turn's axis, turned by those before it.
    """

    kind: Kind
    circle: tuple[tuple[sp.Expr, sp.Expr], ...]
    q: sp.Matrix
    u: sp.Matrix

    @property
    def C(self) -> sp.Matrix:
        R = sp.eye(3)
        for axis, m in self.kind.turns:
            R = R * _about(axis, *self.circle[m])
        return R

    @property
    def W(self) -> sp.Matrix:
        columns, R = sp.zeros(3, self.kind.count), sp.eye(3)
        for axis, m in self.kind.turns:
            columns[:, m] = R[:, axis]
            R = R * _about(axis, *self.circle[m])
        return columns

    @property
    def W_rate(self) -> sp.Matrix:
        """Ẇ_m = (Σ W_l q̇_l over the turns before m) × W_m."""
        W, found, spin = self.W, sp.zeros(3, self.kind.count), sp.zeros(3, 1)
        for _, m in self.kind.turns:
            found[:, m] = spin.cross(W[:, m])
            spin += W[:, m] * self.u[m]
        return found

    @property
    def c(self) -> sp.Matrix:
        return self._slides(lambda factor, x, p, u: factor * x**p).sum

    @property
    def c_q(self) -> sp.Matrix:
        return self._slides(lambda factor, x, p, u: factor * p * x ** (p - 1)).columns

    @property
    def c_q_rate(self) -> sp.Matrix:
        def rate(factor: sp.Expr, x: sp.Expr, p: int, u: sp.Expr) -> sp.Expr:
            return factor * p * (p - 1) * x ** (p - 2) * u if p > 1 else sp.Integer(0)

        return self._slides(rate).columns

    def _slides(self, value: Callable[[sp.Expr, sp.Expr, int, sp.Expr], sp.Expr]) -> _Slid:
        columns = sp.zeros(3, self.kind.count)
        for axis, m, factor, power in self.kind.slides:
            columns[axis, m] += value(factor, self.q[m], power, self.u[m])
        return _Slid(columns)


@dataclass(frozen=True)
class _Slid:
    columns: sp.Matrix

    @property
    def sum(self) -> sp.Matrix:
        return self.columns * sp.ones(self.columns.cols, 1)


def _about(axis: int, c: sp.Expr, s: sp.Expr) -> sp.Matrix:
    return turn(exponential(sp.eye(6)[:, axis], sp.Integer(0), c, s))

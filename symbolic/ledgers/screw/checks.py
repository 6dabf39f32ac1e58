"""Equations of papers as checks: both sides at an exact instant of a tree.

They are equal or not, without a tolerance. Sums over j ≤ i run over the path from the ground to
i, and a quantity of a body that is not on the path is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp

from ...exact.series import Series
from .tree import Motion, Tree


class At:
    """What the statements are made of: values at the instant."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.m: Motion = tree.motion

    def q(self, j: int, order: int) -> sp.Expr:
        return self.m.q[j, 0].at(order)[0]

    def sum(self, i: int, term: Callable[[int], sp.Matrix]) -> sp.Matrix:
        """Over the path to i."""
        return sum((term(j) for j in self.tree.path(i)), sp.zeros(6, 1))

    def pairs(self, i: int) -> Iterator[tuple[int, int]]:
        """j < k on the path to i."""
        path = self.tree.path(i)
        return ((j, k) for a, j in enumerate(path) for k in path[a + 1 :])

    def ordered(self, j: int, k: int, i: int) -> bool:
        """Is j strictly before k on the path to i?"""
        return j in self.tree.path(k) and j != k and k in self.tree.path(i)

    def Jb(self, i: int, j: int) -> sp.Matrix:
        return self.m.Jb(i, j).value

    def Js(self, j: int) -> sp.Matrix:
        return self.m.Js(j).value

    def Jh(self, i: int, j: int) -> sp.Matrix:
        return self.m.Jh(i, j).value

    def partial(self, *by: int, of: Callable[..., Series], at: tuple[int, ...]) -> sp.Matrix:
        """The derivative of a motion's quantity at some indices by q_k, q_r, …"""
        return self.tree.partial(lambda motion: of(motion, *at), *((k, 0) for k in by))

    def moved(self, column: Callable[..., Series], i: int, order: int) -> sp.Matrix:
        """Σ J_ij dᵐq_j/dtᵐ over the path to i."""
        return self.sum(i, lambda j: column(self.m, i, j).value * self.q(j, order))

    def triples(self) -> Iterator[tuple[int, int, int]]:
        """i, j on the path to i, and any k."""
        bodies = self.tree.numbers
        return ((i, j, k) for i in bodies for j in self.tree.path(i) for k in bodies)

    def stack(self, each: Callable[[int], sp.Matrix]) -> sp.Matrix:
        return sp.Matrix.vstack(*(each(i) for i in self.tree.numbers))

    def blocks(self, entry: Callable[[int, int], sp.Matrix]) -> sp.Matrix:
        bodies = self.tree.numbers
        rows = (sp.Matrix.hstack(*(entry(i, j) for j in bodies)) for i in bodies)
        return sp.Matrix.vstack(*rows)

    def diagonal(self, block: Callable[[int], sp.Matrix]) -> sp.Matrix:
        return sp.diag(*(block(i) for i in self.tree.numbers))

    def rates(self, order: int) -> sp.Matrix:
        return sp.Matrix([self.q(i, order) for i in self.tree.numbers])

    def motion_of(self, i: int) -> sp.Matrix:
        """V of the parent, zero at the ground."""
        return self.m.Vs(self.tree.parent(i)).value

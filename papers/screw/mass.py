"""The mass matrix of a tree and its slopes, by sums over particles.

With x the places of the particles, M_ij = Σ m ∂x/∂q_i · ∂x/∂q_j; its slopes follow by the product
rule. Nothing here knows screws: it judges the closed forms of the screw paper, (78)–(88).
"""

from __future__ import annotations

from functools import cached_property
from itertools import combinations_with_replacement
from operator import methodcaller

import sympy as sp

from .tree import Tree


class Mass:
    """The mass matrix and its derivatives, from the particles' places."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def first(self) -> dict[tuple[int, int], sp.Matrix]:
        """∂x/∂q_i of the particles of each body."""
        tree = self.tree
        return {(b, i): tree.slopes[i, 0].x(b).at(1) for b in tree.numbers for i in tree.path(b)}

    @cached_property
    def second(self) -> dict[tuple[int, int, int], sp.Matrix]:
        """∂²x/∂q_i∂q_j of the particles of each body."""
        found: dict[tuple[int, int, int], sp.Matrix] = {}
        for body in self.tree.numbers:
            for i, j in combinations_with_replacement(self.tree.path(body), 2):
                bent = self.tree.partial(methodcaller("x", body), (i, 0), (j, 0))
                found[body, i, j] = found[body, j, i] = bent
        return found

    def _dot(self, body: int, a: sp.Matrix, b: sp.Matrix) -> sp.Expr:
        return (a * sp.diag(*self.tree.bodies[body].masses) * b.T).trace()

    def _bearing(self, *joints: int) -> list[int]:
        """The bodies that all of the joints move."""
        return [body for body in self.tree.numbers if {*joints} <= {*self.tree.path(body)}]

    def entry(self, i: int, j: int) -> sp.Expr:
        """M_ij."""
        first = self.first
        terms = (self._dot(b, first[b, i], first[b, j]) for b in self._bearing(i, j))
        return sum(terms, sp.Integer(0))

    def slope(self, i: int, j: int, k: int) -> sp.Expr:
        """∂M_ij/∂q_k."""
        first, second = self.first, self.second
        terms = (
            self._dot(b, second[b, i, k], first[b, j]) + self._dot(b, first[b, i], second[b, j, k])
            for b in self._bearing(i, j, k)
        )
        return sum(terms, sp.Integer(0))

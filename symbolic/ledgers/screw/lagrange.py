"""The mass matrix of a tree and its slopes, by sums over particles.

With x the places of the particles, M_ij = Σ m ∂x/∂q_i · ∂x/∂q_j; its slopes follow by the product
rule. Nothing here knows screws: it judges the closed forms of the screw paper, (78)–(88).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from operator import methodcaller

import sympy as sp

from ...exact.true_motion import Loaded
from .checks import At
from .tree import Tree


class Lagrange:
    """The mass matrix and its derivatives, from the particles' places."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def first(self) -> dict[int, dict[int, sp.Matrix]]:
        """∂x/∂q_i of the particles of each body."""
        tree = self.tree
        return {
            body: {i: tree.slopes[i, 0].x(body).at(1) for i in tree.path(body)}
            for body in tree.numbers
        }

    @cached_property
    def second(self) -> dict[int, dict[tuple[int, int], sp.Matrix]]:
        """∂²x/∂q_i∂q_j of the particles of each body."""
        found: dict[int, dict[tuple[int, int], sp.Matrix]] = {}
        for body in self.tree.numbers:
            found[body] = {}
            for i, j in combinations_with_replacement(self.tree.path(body), 2):
                bent = self.tree.partial(methodcaller("x", body), (i, 0), (j, 0))
                found[body][i, j] = found[body][j, i] = bent
        return found

    def _dot(self, body: int, a: sp.Matrix, b: sp.Matrix) -> sp.Expr:
        return (a * sp.diag(*self.tree.bodies[body].masses) * b.T).trace()

    @cached_property
    def slopes(self) -> dict[tuple[int, int, int], sp.Expr]:
        """∂M_ij/∂q_k."""
        return {
            (i, j, k): total(
                self._dot(body, self.second[body][i, k], self.first[body][j])
                + self._dot(body, self.first[body][i], self.second[body][j, k])
                for body in bearing(self.tree, i, j, k)
            )
            for i, j, k in product(self.tree.numbers, repeat=3)
        }

    def christoffel(self, i: int, j: int, k: int) -> sp.Expr:
        """(86): ½ (∂M_ik/∂q_j + ∂M_ij/∂q_k − ∂M_jk/∂q_i)."""
        return (self.slopes[i, k, j] + self.slopes[i, j, k] - self.slopes[j, k, i]) / 2

    def matrix(self, entry: Callable[[int, int], sp.Expr]) -> sp.Matrix:
        bodies = self.tree.numbers
        return sp.Matrix([[entry(i, j) for j in bodies] for i in bodies])

    def mass(self) -> sp.Matrix:
        return Loaded(self.tree, {}).mass

    def mass_rate(self, at: At) -> sp.Matrix:
        bodies = self.tree.numbers
        return self.matrix(lambda i, j: total(self.slopes[i, j, k] * at.q(k, 1) for k in bodies))

    def coriolis(self, at: At) -> sp.Matrix:
        """Σ Γ_ijk q̇_k."""
        bodies = self.tree.numbers
        return self.matrix(
            lambda i, j: total(self.christoffel(i, j, k) * at.q(k, 1) for k in bodies)
        )


def total(terms: Iterable[sp.Expr]) -> sp.Expr:
    return sum(terms, sp.Integer(0))


def bearing(tree: Tree, *joints: int) -> Iterator[int]:
    """The bodies that all of the joints move."""
    return (body for body in tree.numbers if {*joints} <= {*tree.path(body)})


@cache
def lagrange(tree: Tree) -> Lagrange:
    """The particles' judgement of a tree."""
    return Lagrange(tree)

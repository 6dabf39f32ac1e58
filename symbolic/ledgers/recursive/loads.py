"""What acts on the trees of the recursive formulation, and the recursion with it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import sympy as sp

from ...exact.evaluation import Points
from ...exact.motion import Coordinate
from .formulation import Recursion
from .tree import JointTree


def forces(tree: JointTree) -> dict[int, sp.Matrix]:
    """(F, T) on every body."""
    draw = Points(31)
    return {j: draw.vector(6) for j in tree.bodies}


def joint_forces(tree: JointTree) -> dict[Coordinate, sp.Expr]:
    draw = Points(32)
    return {x: draw.number() for x in tree.coordinates}


@cache
def recursion(tree: JointTree, driven: frozenset[Coordinate] = frozenset()) -> Recursion:
    return Recursion(tree, forces(tree), joint_forces(tree), driven)


def column(values: Mapping[Coordinate, sp.Expr], tree: JointTree) -> sp.Matrix:
    return sp.Matrix([values[x] for x in tree.coordinates])

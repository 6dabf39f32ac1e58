"""What acts on the trees of the recursive formulation, and how they move then."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import sympy as sp

from ...symbolic.exact.evaluation import Points
from ...symbolic.exact.motion import Coordinate
from ...symbolic.exact.true_motion import Loaded, demanded, solved
from .tree import JointTree


def forces(tree: JointTree) -> dict[int, sp.Matrix]:
    """(F, T) on every body."""
    draw = Points(31)
    return {j: draw.vector(6) for j in tree.bodies}


def joint_forces(tree: JointTree) -> dict[Coordinate, sp.Expr]:
    draw = Points(32)
    return {x: draw.number() for x in tree.coordinates}


Loads = Mapping[int, sp.Matrix]
Efforts = Mapping[Coordinate, sp.Expr]


def unaided(tree: JointTree) -> dict[Coordinate, sp.Expr]:
    """No forces along coordinates: loads on bodies alone."""
    return dict.fromkeys(tree.coordinates, sp.Integer(0))


def column(values: Mapping[Coordinate, sp.Expr], tree: JointTree) -> sp.Matrix:
    return sp.Matrix([values[x] for x in tree.coordinates])


def pushed(tree: JointTree, loads: Loads, efforts: Efforts) -> sp.Matrix:
    """What accelerates the coordinates: efforts less what the motion at rest of them demands."""
    resting = tree.accelerating(dict.fromkeys(tree.coordinates, sp.Integer(0)))
    return column(efforts, tree) - column(demanded(resting, loads), tree)


def moved(
    tree: JointTree,
    loads: Loads,
    efforts: Efforts,
    driven: Collection[Coordinate] = (),
) -> JointTree:
    """The instant with the accelerations of its true motion; those that are driven stay.

    By the principle of virtual power on the particles.
    """
    mass, right = Loaded(tree, {}).mass, pushed(tree, loads, efforts)
    names = tree.coordinates
    given = [n for n, x in enumerate(names) if x in driven]
    free = [n for n, x in enumerate(names) if x not in driven]
    rates = sp.Matrix([tree.rates[names[n]][2] for n in given])
    rest = right.extract(free, [0])
    if given:
        rest -= mass.extract(free, given) * rates
    found = solved(mass.extract(free, free), rest)
    return tree.accelerating({names[n]: value for n, value in zip(free, found, strict=True)})

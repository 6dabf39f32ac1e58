"""Pieces that ready-made models in joint coordinates share."""

from __future__ import annotations

import sympy as sp

from ..expressions.quantities import Matrix, Quantity, Vector
from ..parts.bodies import Body, End, Point
from ..parts.hinges import Hinge


def hinge(name: str, kind: str, parent: str, child: str, pitch: Quantity = 0) -> Hinge:
    """A smooth hinge between two ends, each written `body:point`; the ground is body 0."""
    return Hinge(name, kind, (End.parse(parent), End.parse(child)), pitch)


def bar(name: str, mass: sp.Expr, length: sp.Expr, first: str, last: str) -> Body:
    """A uniform slender bar in the plane, along its first axis between its two points."""
    zero = sp.Integer(0)
    return Body(
        name,
        mass,
        mass * length**2 / 12,
        (length / 2, zero),
        (Point(first, (zero, zero)), Point(last, (length, zero))),
    )


def cylinder(
    name: str, mass: sp.Expr, radius: Quantity, length: sp.Expr, centre: Vector, *points: Point
) -> Body:
    """A uniform cylinder in space along its third axis; a slender bar if the radius is zero."""
    across = mass * (3 * radius**2 + length**2) / 12
    return Body(name, mass, diagonal(across, across, mass * radius**2 / 2), centre, points)


def sphere(name: str, mass: sp.Expr, radius: sp.Expr, centre: Vector, *points: Point) -> Body:
    """A uniform ball."""
    moment = 2 * mass * radius**2 / 5
    return Body(name, mass, diagonal(moment, moment, moment), centre, points)


def diagonal(first: Quantity, second: Quantity, third: Quantity) -> Matrix:
    """The inertia about principal axes that are the body's."""
    return ((first, 0, 0), (0, second, 0), (0, 0, third))

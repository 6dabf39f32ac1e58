"""Lumped masses: bodies without inertia about their centre of mass."""

from __future__ import annotations

from ..expressions.quantities import Matrix, Quantity
from .bodies import Body, Point


def lumped_mass(name: str, mass: Quantity, dimension: int, *points: str) -> Body:
    """A point mass as a body of its own: no inertia, its mass where its points are.

    Units
        kg.
    Source
        own
    """
    none: Quantity | Matrix = 0 if dimension == 2 else ((0, 0, 0),) * 3
    place = (0,) * dimension
    return Body(name, mass, none, place, tuple(Point(point, place) for point in points))

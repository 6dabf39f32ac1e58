"""Outlines of bodies: places in the order in which lines go around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...model.expressions.quantities import Vector
from .places import Floats


@dataclass(frozen=True, eq=False)
class Spot:
    """A place in a body's axes: in numbers, and as the model says it."""

    place: Floats
    exact: Vector


def hull(points: list[Spot]) -> list[Spot]:
    """The convex hull of places in the plane, around (Andrew 1979)."""
    ordered = sorted(points, key=lambda x: (x.place[0], x.place[1]))

    def half(spots: list[Spot]) -> list[Spot]:
        found: list[Spot] = []
        for x in spots:
            while len(found) > 1 and _turn(*(s.place for s in (*found[-2:], x))) <= 0:
                found.pop()
            found.append(x)
        return found[:-1]

    return half(ordered) + half(ordered[::-1])


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def ringed(points: list[Spot]) -> list[Spot]:
    """Places in space in the order around their middle, in the plane nearest to them."""
    places = np.array([x.place for x in points])
    spread = places - places.mean(axis=0)
    _, _, axes = np.linalg.svd(spread)
    angles = np.arctan2(spread @ axes[1], spread @ axes[0])
    return [points[k] for k in np.argsort(angles, kind="stable")]

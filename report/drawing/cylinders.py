"""Cylinders: two bars that slide in each other, such as a barrel and its rod."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .places import Floats

#: How far a barrel reaches at most, of the shortest way between both ends; where the place of its
#: centre of mass says nothing it reaches half of that way.
MOST, HALF = 0.85, 0.5

#: How far the rod is in the barrel at least, of the barrel's length.
INSIDE = 0.1


@dataclass(frozen=True)
class Cylinder:
    """How far the barrel reaches from its end, and the rod from its own, towards the other one.

    Units
        m, along the axis; negative against it.
    """

    barrel: float
    rod: float


def cylinder(way: Floats, barrel: Sequence[float], rod: Sequence[float]) -> Cylinder | None:
    """A cylinder, if there is a gap between both bars that nothing is drawn in.

    `way` is how far the rod's end is from the barrel's, `barrel` and `rod` where the bars are
    drawn, each from its own end, the last of both their centres of mass. A bar is taken for a
    uniform one, twice as long as to its centre, as far as there is room.

    Shape
        `way` (T).
    Units
        m, along the axis.
    """
    sign = float(np.sign(way[0]))
    ways, own, other = sign * way, [sign * x for x in barrel], [sign * x for x in rod]
    shortest, longest = float(ways.min()), float(ways.max())
    if shortest <= 0.0 or max(*own, 0.0) >= longest + min(*other, 0.0):
        return None
    reach = min(2 * own[-1], MOST * shortest) if own[-1] > 0.0 else HALF * shortest
    reach = max(reach, *own)
    inside = min(shortest, longest - (1 - INSIDE) * reach)
    return Cylinder(sign * reach, -sign * inside)

"""What a law of one hinge makes of the displacement of another, or of what a sensor tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp

from ....model import GROUND, End, Sensor
from .closing import Tie

#: A link and a freedom of its hinge.
Freedom = tuple[str, int]


@dataclass(frozen=True)
class Fed:
    """A force along a freedom of a link's hinge, by a displacement χ of another: τ = −(k + s c) χ.

    A tie's column whose force acts along one freedom and that another one opens, or the ends of a
    sensor. Where both feel each other's alike, `mutual`, k χ χ′ is ½ (k/2) (χ + χ′)² less
    ½ (k/2) (χ − χ′)²: two springs.
    """

    name: str
    felt: Freedom
    told: Freedom | Sensor
    stiffness: sp.Expr
    viscous: sp.Expr
    mutual: bool = False

    @property
    def width(self) -> int:
        """How many columns it has."""
        return 2 if self.mutual else 1

    @property
    def links(self) -> tuple[str, ...]:
        """The links along whose hinges it acts, and those of whose hinges it reads."""
        return (self.felt[0], *([] if isinstance(self.told, Sensor) else [self.told[0]]))

    @property
    def tie(self) -> Tie:
        """Its columns, which the ends of a sensor open."""
        ends = self.told.ends if isinstance(self.told, Sensor) else ()
        first = (End(GROUND, ""),) * (len(ends) == 1)
        return Tie(self.name, (*first, *ends), None, self.width, gauge=bool(ends))

    def along(self, told: bool) -> Iterator[tuple[Freedom, tuple[int, ...]]]:
        """The freedoms along which its columns act, or if `told` open, and by how much each."""
        if self.mutual:
            assert not isinstance(self.told, Sensor)
            yield from ((self.felt, (1, 1)), (self.told, (1, -1)))
        elif not told:
            yield self.felt, (1,)
        elif not isinstance(self.told, Sensor):
            yield self.told, (1,)

"""What a coordinate and a speed measure: their units, and what they are in words.

Units are written as UDUNITS and Pint read them: `m`, `rad/s^2`, `N m`; `1` is a pure number.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CoordinateUnit:
    """A coordinate: its name, whose it is (a hinge, beam or body), its unit, and what it is.

    `said` is the meaning with `{}` for the owner.
    """

    name: str
    owner: str
    unit: str
    said: str

    @property
    def meaning(self) -> str:
        """What it is, in words."""
        return self.said.format(self.owner)


@dataclass(frozen=True)
class SpeedUnit:
    """A speed: its name, whose it is, and the units of all that is measured along it."""

    name: str
    owner: str
    unit: str
    acceleration: str
    force: str
    momentum: str
    said: str

    @property
    def meaning(self) -> str:
        """What it is, in words."""
        return self.said.format(self.owner)

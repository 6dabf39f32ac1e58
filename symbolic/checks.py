"""An equation as a check: both sides at exact instants, equal or not, without a tolerance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import sympy as sp

#: The two sides of an equation at one choice of indices.
Sides = Iterator[tuple[sp.Matrix, sp.Matrix]]

#: What an equation is judged at.
Instant = TypeVar("Instant")


@dataclass(frozen=True)
class Check(Generic[Instant]):
    """An equation of a paper: its number, what it states, and its two sides.

    `printed` gives the sides as printed where these differ, and `erratum` says how.
    """

    equation: str
    states: str
    sides: Callable[[Instant], Sides]
    printed: Callable[[Instant], Sides] | None = None
    erratum: str = ""

    def holds(self, instant: Instant) -> bool:
        """Are both sides equal, exactly, for all indices?"""
        return _equal(self.sides(instant))

    def print_holds(self, instant: Instant) -> bool:
        """Are they as printed?"""
        return _equal((self.printed or self.sides)(instant))


def _equal(sides: Sides) -> bool:
    pairs = list(sides)
    if not pairs:
        raise ValueError("a check without a case says nothing")
    return all(left == right for left, right in pairs)

"""Tables of letters: what a method's names stand for, each by one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Letter:
    """What a name stands for: its letter, shape, the equation that states it, and words.

    A shape is rows, then columns: `d` (2 or 3), `s` (spins), `n` (of a motion), `f` (the hinge's
    freedoms), `w` (the width of what holds: its conditions) or digits; then what it is: `sym`
    (symmetric), `even` (symmetric where the link says so), `rot` (a rotation), `cos` and `sin` (of
    one angle), `sub` (a hinge's motion subspace).
    """

    letter: str
    shape: str
    source: str
    words: str

    @property
    def symmetric(self) -> bool:
        return "sym" in self.shape.split()

    @property
    def kind(self) -> str:
        """What its values are beyond a matrix of numbers."""
        return next((x for x in self.shape.split() if x in ("rot", "cos", "sin", "sub")), "")


Letters = Mapping[str, Letter]


def letters(table: str) -> dict[str, Letter]:
    """A table of letters from lines `name | letter | shape | equation | words`.

    Raises
        ValueError: one name stands for two things.
    """
    found: dict[str, Letter] = {}
    for line in table.strip().splitlines():
        name, letter, shape, source, words = (x.strip() for x in line.split("|"))
        if name in found:
            raise ValueError(f"{name} is {found[name].words}, and {words}")
        found[name] = Letter(letter, shape, source, words)
    return found

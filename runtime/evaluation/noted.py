"""What a library's solves for multipliers have met: of each its pivots and its rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...codegen.interface import Interface
from ...codegen.solves.elimination import DROPPED, FLOOR, FORGOTTEN, LEAST, RANK
from ...model import GROUND
from .arrays import Floats


@dataclass(frozen=True, eq=False)
class Met:
    """What solves have met, a row each: least pivot, the largest dropped, and the rank.

    The least as a part of its reach, the largest that was taken for zero as a part of its scale;
    the rank of one that was not solved is infinite.
    """

    rows: Floats

    @classmethod
    def nothing(cls) -> Met:
        """Of no solve."""
        return cls(np.zeros((0, 3)))

    @property
    def least(self) -> Floats:
        return np.asarray(self.rows[:, LEAST])

    @property
    def dropped(self) -> Floats:
        return np.asarray(self.rows[:, DROPPED])

    @property
    def rank(self) -> Floats:
        return np.asarray(self.rows[:, RANK])

    def limits(self, part: float) -> Floats:
        """What another state has to keep that is as regular, but for a part of its pivots."""
        return np.column_stack([part * self.least, np.full(len(self.rows), np.inf), self.rank])

    def keeps(self, limits: Floats) -> bool:
        """Is no rank and no least pivot below its limit, and no dropped one above?"""
        above = self.rows >= limits
        return bool(above[:, [LEAST, RANK]].all() and (self.dropped <= limits[:, DROPPED]).all())

    def loses(self, regular: Met) -> bool:
        """Has a solve fewer conditions than where it is regular?"""
        return bool((self.rank < regular.rank).any())

    def least_part(self, regular: Met | None) -> float:
        """The least pivot, as a part of what the same solve has where it is regular."""
        firm = np.ones_like(self.least) if regular is None else regular.least
        parts = self.least / np.where(firm > 0.0, firm, np.inf)
        return float(np.min(parts, initial=1.0, where=firm > 0.0))

    def firmer(self, other: Met) -> Met:
        """That of two states which has more conditions of their own, if it is both the firmer.

        Where they have as many, the one of whose conditions those are that are solved for first.
        """
        solved = np.isfinite(self.rank)
        one, two = ((x.rank[solved].sum(), *x.rank[solved]) for x in (self, other))
        if one != two:
            return max(self, other, key=lambda x: (x.rank[solved].sum(), *x.rank[solved]))
        rows = self.rows.copy()
        rows[:, LEAST] = np.maximum(self.least, other.least)
        return Met(rows)


class Noting:
    """The solves of an entry, by their numbers, in some code."""

    def __init__(self, interface: Interface, numbers: Sequence[int]) -> None:
        self.solved = [interface.solves[k] for k in numbers]
        self.numbers, self.count = numbers, len(numbers)

    def places(self, met: Met) -> dict[str, tuple[int, Floats]]:
        """By place, how many unknowns were solved for, and what was met there last."""
        rows = zip(self.solved, met.rows, strict=True)
        return {x.place: (x.unknowns, row) for x, row in rows if np.isfinite(row[RANK])}

    def lost(self, met: Met) -> dict[str, int]:
        """By place, how many unknowns were not determined, if any."""
        found = {place: n - int(row[RANK]) for place, (n, row) in self.places(met).items()}
        return {place: n for place, n in found.items() if n}


class NumpySolves(Noting):
    """The same of a NumPy module."""

    def __init__(self, met: Any, interface: Interface, numbers: Sequence[int]) -> None:
        super().__init__(interface, numbers)
        self.met = met

    def forget(self) -> None:
        self.met.forget()

    def recall(self) -> Met:
        rows = [self.met.told.get(k, FORGOTTEN) for k in self.numbers]
        return Met(np.array(rows, dtype=float).reshape(-1, FLOOR))

    def bound(self, floor: Floats | None) -> None:
        self.met.floor = {} if floor is None else dict(zip(self.numbers, floor, strict=True))


def closes_at(place: str, interface: Interface) -> str:
    """Where conditions close, by the member that a solve is of: a body, a node, or the ground."""
    if place not in interface.sets.get("closings", ()):
        return place
    name = place.rpartition(" ")[0]
    return "ground" if name == GROUND else name

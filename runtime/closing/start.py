"""What closing a start tells: what stayed, what moved, in which order things are to stay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import Model
from ...shown import Shown
from ..evaluation.arrays import Floats

#: A value has moved if it changes by more than this, relative to itself or 1.
UNMOVED = 1e-9

#: So many items are said with their values.
SAID = 6


@dataclass(frozen=True)
class Moved:
    """A coordinate or speed that could not stay: what was asked, and what closes the loops."""

    name: str
    asked: float
    found: float

    def __str__(self) -> str:
        asked, found = self.values
        return f"{self.name} from {asked} to {found}"

    @property
    def values(self) -> tuple[str, str]:
        """Both values, with as many digits as tell them apart."""
        for digits in (6, 9, 12, 17):
            asked, found = f"{self.asked:.{digits}g}", f"{self.found:.{digits}g}"
            if asked != found:
                break
        return asked, found


@dataclass(frozen=True, eq=False, repr=False)
class Start(Shown):
    """A state with closed loops: what stayed of what was asked, and what moved.

    `undecided`: of a start at rest in a singular position, why no motion can begin there.
    `singular`: of one that was closed in a singular position, that it was.

    Shape
        `q` (nq), `v` (nv).
    """

    q: Floats
    v: Floats
    held: tuple[str, ...]
    moved: tuple[Moved, ...]
    undecided: str = ""
    singular: str = ""

    def __str__(self) -> str:
        return self.told("the loops are closed")

    def told(self, done: str) -> str:
        """What stayed and what moved, so that it is `done`."""
        if self.undecided:
            return self.undecided
        if not self.moved:
            return "the start is closed as asked"
        held = f"with {', '.join(self.held)} as asked, " if self.held else ""
        moved = f"{done} {held}by moving " + ", ".join(map(str, self.moved))
        return f"{moved}; {self.singular}" if self.singular else moved


@dataclass(frozen=True)
class Item:
    """What stays or moves as a whole: a coordinate and its speed, or those of a quaternion."""

    names: tuple[str, ...]
    places: slice
    speeds: slice


def items_of(model: Model) -> Iterator[Item]:
    """What of the state stays or moves as a whole, in the order of the state."""
    place = speed = 0
    for _, coordinates, speeds in model.owners:
        step = 1 if coordinates == speeds else max(coordinates, 1)
        for k in range(0, coordinates, step):
            width = 1 if coordinates == speeds else speeds
            where = slice(place + k, place + k + step)
            yield Item(model.coordinates[where], where, slice(speed + k, speed + k + width))
        place, speed = place + coordinates, speed + speeds


@dataclass(frozen=True)
class Wishes:
    """Items in the order in which they are to stay: the first `fixed` of them must."""

    order: tuple[int, ...]
    fixed: int = 0


@dataclass(frozen=True)
class Items:
    """All that can stay or move, in the order of the coordinates, with the names of the speeds."""

    all: tuple[Item, ...]
    speed_names: tuple[str, ...]

    def names(self, k: int, *, speeds: bool) -> tuple[str, ...]:
        """The names of an item's coordinates or speeds."""
        item = self.all[k]
        return self.speed_names[item.speeds] if speeds else item.names

    def free(self, held: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Which speeds move if these items are held."""
        free = np.ones(len(self.speed_names), dtype=bool)
        for k in held:
            free[self.all[k].speeds] = False
        return free

    def said(self, which: Sequence[int], state: Floats, *, speeds: bool) -> str:
        """Items with their values, in words; the first of them."""
        parts = []
        for k in which[:SAID]:
            item = self.all[k]
            values = state[item.speeds if speeds else item.places]
            parts += [
                f"{name} = {x:.6g}"
                for name, x in zip(self.names(k, speeds=speeds), values, strict=True)
            ]
        return ", ".join(parts) + (", …" if len(which) > SAID else "")

    def moved(
        self, asked: Floats, found: Floats, *, speeds: bool, which: Sequence[int] | None = None
    ) -> Iterator[Moved]:
        """What differs from what was asked."""
        for k in range(len(self.all)) if which is None else which:
            item = self.all[k]
            where = item.speeds if speeds else item.places
            names = self.names(k, speeds=speeds)
            for name, a, b in zip(names, asked[where], found[where], strict=True):
                if abs(a - b) > UNMOVED * max(1.0, abs(a)):
                    yield Moved(name, float(a), float(b))

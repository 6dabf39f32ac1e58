"""Where the eigenvalues ω² lie: bisection of their count, all open intervals as one batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .stiffness import BELIEVED, DynamicStiffness, Whole

#: An interval is narrow enough at this part of its place, and this part of the gap to the next one:
#: what refines it converges fast. Eigenvalues that are nearer than the least part are together.
ALONE, OF_GAP, TOGETHER = 1e-6, 0.1, 1e-9

#: Eigenvalues below this part of the largest that is looked at are zero: motions that nothing
#: resists, moved off zero by rounding.
ZERO = 1e-13

#: So many eigenvalues set that measure, even if fewer are asked for: more than a free body has.
MEASURE = 12

#: Where equations are right up to some ω², all below this part of it is counted at once.
AT_TOP = 0.9

#: Where an interval is parted, if it is not believed at the place before. Not at 1/2 alone, where
#: symmetric models have eigenvalues and poles.
PARTS = (0.5, 0.382, 0.618, 0.27, 0.73, 0.44, 0.56)

#: Powers of ten between which all eigenvalues are looked for.
POWERS = np.arange(-20.0, 20.5)


@dataclass(frozen=True)
class Located:
    """Points on the axis of ω² and how many eigenvalues lie below each; both ascending.

    Those between the last point below 0 and the first above are zero. `wanted` are so many, the
    first ones.
    """

    squares: Floats
    below: Whole
    wanted: int

    def __post_init__(self) -> None:
        if (np.diff(self.below) < 0).any():
            raise NumericsError("the count of eigenvalues is not monotone: it cannot be relied on")

    @property
    def about_zero(self) -> int:
        """The interval in which eigenvalues are zero."""
        return int(np.searchsorted(self.squares, 0.0)) - 1

    @property
    def zero(self) -> float:
        """How large an eigenvalue may be that is zero."""
        return float(self.squares[self.about_zero + 1])

    @property
    def jump(self) -> Whole:
        """How many lie between each two neighbours."""
        return np.diff(self.below)

    @property
    def width(self) -> Floats:
        """How far neighbours are apart, as a part of their place; of what is zero, nothing."""
        low, high = self.squares[:-1], self.squares[1:]
        return np.where(low * high < 0, 0.0, (high - low) / np.maximum(np.abs(low), np.abs(high)))

    @property
    def chains(self) -> Whole:
        """A number for each interval: the same of those that hold eigenvalues next to each other.

        A point that fell among equal ones, or what rounding makes of them, parts them in vain.
        """
        close = (self.jump > 0) & (self.width <= TOGETHER)
        return np.cumsum(np.append(True, ~(close[:-1] & (self.jump[1:] > 0))))

    @property
    def holding(self) -> Whole:
        """The intervals, by their lower points, in which there are wanted eigenvalues.

        And those that may be equal to the last of them.
        """
        chains, wanted = self.chains, (self.jump > 0) & (self.below[:-1] < self.wanted)
        return np.flatnonzero((self.jump > 0) & np.isin(chains, chains[wanted]))

    def places(self) -> tuple[Floats, Floats, Whole]:
        """Where wanted eigenvalues lie, alone or together: from, to, and how many."""
        own, chains = self.holding, self.chains[self.holding]
        first = np.flatnonzero(np.append(True, np.diff(chains) > 0)[: len(own)])
        last = np.append(first[1:], len(own))[: len(first)] - 1
        low, high = own[first], own[last] + 1
        return self.squares[low], self.squares[high], self.below[high] - self.below[low]

    @property
    def ends(self) -> tuple[float, float]:
        """Points beyond the first and the last of them, with nothing between."""
        own = self.holding
        beyond = np.flatnonzero(self.jump > 0)
        beyond = beyond[beyond > (own[-1] if own.size else -1)]
        last = beyond[0] if beyond.size else -1
        return float(self.squares[0]), float(self.squares[last])


def located(stiffness: DynamicStiffness, *, first: int | None, below: float | None) -> Located:
    """All eigenvalues of the negative axis, zero, and the positive ones that are asked for.

    These are the `first` ones, all on the axis counted, or those `below` a value of ω². Those that
    are farther up are in intervals that are wide.

    Raises
        NumericsError: the counts contradict each other.
    """
    return _narrowed(stiffness, surveyed(stiffness, first=first, below=below))


def surveyed(
    stiffness: DynamicStiffness, *, first: int | None = None, below: float | None = None
) -> Located:
    """In which decades eigenvalues lie, and how many are zero; see `located`.

    Raises
        NumericsError: the counts contradict each other.
    """
    powers = POWERS[stiffness.highest > 10.0**POWERS]
    rungs = 10.0 ** np.append(powers, powers[-1] + 1)
    rungs[-1] = min(rungs[-1], stiffness.highest)
    low = np.concatenate([-rungs[:0:-1], rungs[:-1]])
    high = np.concatenate([-rungs[-2::-1], rungs[1:]])
    if np.isfinite(stiffness.highest):
        low[-1] = max(low[-1], AT_TOP * high[-1])
        high[0] = -low[-1]
    squares, count, _ = between(stiffness, low, high)
    if below is not None:
        measure, given = below, [below]
    else:
        most = int(count[-1])
        first = min(most, first or most)
        rung = np.searchsorted(count, min(most, max(first, MEASURE)))
        measure, given = abs(float(squares[rung])), []
    zero = ZERO * measure
    ends = np.array([-zero, zero, *given])
    ends, counts, _ = between(stiffness, ends, ends * (1 + TOGETHER))
    kept = (np.abs(squares) > 2 * zero) & (squares < (np.inf if below is None else below))
    squares, count = np.append(squares[kept], ends), np.append(count[kept], counts)
    order = np.argsort(squares)
    wanted = int(counts[-1]) if first is None else first
    return Located(squares[order], count[order], wanted)


def _narrowed(stiffness: DynamicStiffness, found: Located) -> Located:
    """Intervals that hold any of the wanted eigenvalues parted until they are narrow."""
    while True:
        own, each = np.flatnonzero(found.jump > 0), found.holding
        gaps = np.full(len(own) + 1, np.inf)
        gaps[1:-1] = found.squares[own[1:]] - found.squares[own[:-1] + 1]
        gap = np.minimum(gaps[:-1], gaps[1:])[np.isin(own, each)]
        size = np.abs(found.squares[[each, each + 1]]).max(axis=0)
        wide = np.clip(
            OF_GAP * gap / size, TOGETHER, np.where(found.jump[each] > 1, TOGETHER, ALONE)
        )
        parted = each[found.width[each] > wide]
        if not parted.size:
            return found
        low, high = found.squares[parted], found.squares[parted + 1]
        at, below, _ = between(stiffness, low, high)
        below = np.clip(below, found.below[parted], found.below[parted + 1])
        found = Located(
            np.insert(found.squares, parted + 1, at),
            np.insert(found.below, parted + 1, below),
            found.wanted,
        )


def between(stiffness: DynamicStiffness, low: Floats, high: Floats) -> tuple[Floats, Whole, Floats]:
    """A point of each interval, its count, and the smallest pivot there.

    The first of some points whose count is believed, else that with the largest smallest pivot.
    """
    at, below, pivot = low.copy(), np.zeros(len(low), dtype=np.int64), -np.ones_like(low)
    left = np.arange(len(low))
    for part in PARTS:
        tried = _parted(low[left], high[left], part)
        count, least = stiffness.counted(tried)
        better = least > pivot[left]
        taken = left[better]
        at[taken], below[taken], pivot[taken] = tried[better], count[better], least[better]
        left = left[pivot[left] < BELIEVED]
        if not left.size:
            break
    return at, below, pivot


def _parted(low: Floats, high: Floats, part: float) -> Floats:
    """A point between: by ratio, where the ends have one sign and are far apart."""
    near, far = np.where(high > 0, low, high), np.where(high > 0, high, low)
    along = np.where(high > 0, part, 1 - part)
    ratio = np.divide(far, near, out=np.zeros_like(far), where=near != 0)
    geometric = ratio > 4
    return np.where(
        geometric, near * np.where(geometric, ratio, 1.0) ** along, low + part * (high - low)
    )

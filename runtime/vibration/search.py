"""Where the eigenvalues ω² lie: bisection of their count, all open intervals as one batch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...errors import NumericsError, ToolchainError
from ..evaluation.arrays import Floats
from .stiffness import BELIEVED, DynamicStiffness, Whole

#: An interval is narrow enough at this part of its place, and this part of the gap to the next one:
#: what refines it converges fast. Eigenvalues that are nearer than the least part are together.
ALONE, OF_GAP, TOGETHER = 1e-6, 0.1, 1e-9

#: Eigenvalues nearer to each other than this part of them are refined together.
NEAR = 1e-6

#: Eigenvalues below this part of the measure are zero: motions that nothing resists, moved off zero
#: by rounding. Balls see farther down; what is in the model's numbers is rounded, too.
ZERO, ZERO_OF_BALLS = 1e-13, 1e-15

#: The measure is the lowest eigenvalue, or the one of this number, whichever is larger in size:
#: more than a free body has, and the same however many are asked for.
MEASURE = 12

#: Where equations are right up to some ω², all below this part of it is counted at once.
AT_TOP = 0.9

#: Where an interval is parted, if it is not believed at the place before. Not at 1/2 alone, where
#: symmetric models have eigenvalues and poles.
PARTS = (0.5, 0.382, 0.618, 0.27, 0.73, 0.44, 0.56)

#: Powers of ten between which all eigenvalues are looked for, in smaller steps where they are.
POWERS = np.append(np.arange(-20.0, 20.5), np.arange(30.0, 105.0, 10.0))


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
    def filled(self) -> Whole:
        """The intervals, by their lower points, in which there are eigenvalues."""
        return np.flatnonzero(self.jump > 0)

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

    @property
    def groups(self) -> Whole:
        """A number for each of `filled`: the same of those that are near each other."""
        own = self.filled
        low, high = self.squares[own], self.squares[own + 1]
        narrow = (self.width[own] <= NEAR) & (own != self.about_zero)
        near = low[1:] - high[:-1] <= NEAR * np.maximum(np.abs(low[1:]), np.abs(high[:-1]))
        return np.cumsum(np.append(True, ~(near & narrow[1:] & narrow[:-1])))[: len(own)]

    @property
    def looked_at(self) -> Whole:
        """The intervals of wanted eigenvalues, and of others that are near the last of them."""
        groups = self.groups
        return self.filled[np.isin(groups, groups[np.isin(self.filled, self.holding)])]

    @property
    def gaps(self) -> Floats:
        """From each of `looked_at` to the next interval that holds eigenvalues, on either side."""
        own = self.filled
        between = np.full(len(own) + 1, np.inf)
        between[1:-1] = self.squares[own[1:]] - self.squares[own[:-1] + 1]
        return np.stack([between[:-1], between[1:]])[:, : len(self.looked_at)]

    def together(self) -> tuple[Floats, Floats, Whole, Floats]:
        """What is refined together: from, to, how many, and how far others are."""
        own, gaps = self.looked_at, self.gaps
        first = np.flatnonzero(np.diff(self.groups[: len(own)], prepend=0))
        last = np.append(first[1:], len(own))[: len(first)] - 1
        low, high = own[first], own[last] + 1
        count = self.below[high] - self.below[low]
        return (
            self.squares[low],
            self.squares[high],
            count,
            np.minimum(gaps[0, first], gaps[1, last]),
        )

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


def located(
    stiffness: DynamicStiffness, *, first: int | None, below: float | None, prove: bool = False
) -> Located:
    """All eigenvalues of the negative axis, zero, and the positive ones that are asked for.

    These are the `first` ones, all on the axis counted, or those `below` a value of ω². Those that
    are farther up are in intervals that are wide.

    Raises
        NumericsError: the counts contradict each other.
    """
    return _narrowed(stiffness, surveyed(stiffness, first=first, below=below, prove=prove))


def surveyed(
    stiffness: DynamicStiffness,
    *,
    first: int | None = None,
    below: float | None = None,
    prove: bool = False,
) -> Located:
    """In which decades eigenvalues lie, and how many are zero; see `located`.

    Raises
        NumericsError: the counts contradict each other.
    """
    squares, count = _rungs(stiffness)
    # The lowest lies above the rung before the first that has any below it.
    lowest = squares[max(int(np.searchsorted(count, 1)) - 1, 0)]
    rung = np.searchsorted(count, min(int(count[-1]), MEASURE))
    measure = max(abs(float(squares[rung])), -float(lowest))
    zero, about = _about_zero(stiffness, measure, prove=prove)
    given = np.array([] if below is None else [below])
    given, counts, _ = between(stiffness, given, given * (1 + TOGETHER))
    kept = np.abs(squares) > 2 * ZERO * measure
    squares = np.concatenate([squares[kept], zero, given])
    count = np.concatenate([count[kept], about, counts])
    order = np.argsort(squares)
    most = int(count.max())
    if most < (stiffness.eigenvalues or 0):
        raise NumericsError(
            f"of {stiffness.eigenvalues} eigenvalues ω² doubles count {most}; the others are too "
            "large for them, or masses and stiffnesses differ by too much"
        )
    wanted = int(counts[0]) if below is not None else min(most, first or most)
    return Located(squares[order], count[order], wanted)


def _rungs(stiffness: DynamicStiffness) -> tuple[Floats, Whole]:
    """Points in every decade on both sides, and their counts.

    A count never falls: one that is not believed, as beside a pole of the recursion at zero, lies
    between those that are.
    """
    powers = POWERS[stiffness.highest > 10.0**POWERS]
    rungs = 10.0 ** np.append(powers, powers[-1] + 1)
    rungs[-1] = min(rungs[-1], stiffness.highest)
    low = np.concatenate([-rungs[:0:-1], rungs[:-1]])
    high = np.concatenate([-rungs[-2::-1], rungs[1:]])
    if np.isfinite(stiffness.highest):
        low[-1] = max(low[-1], AT_TOP * high[-1])
        high[0] = -low[-1]
    squares, count, pivot = between(stiffness, low, high)
    sure, most = pivot >= BELIEVED, np.iinfo(np.int64).max
    least = np.maximum.accumulate(np.where(sure, count, 0))
    greatest = np.minimum.accumulate(np.where(sure, count, most)[::-1])[::-1]
    return squares, np.where(sure, count, np.clip(count, least, greatest))


def _about_zero(
    stiffness: DynamicStiffness, measure: float, *, prove: bool
) -> tuple[Floats, Whole]:
    """Points between whose innermost eigenvalues are zero, and their counts.

    Balls are asked nearer to zero where doubles see that anything moves there, or to `prove` it.
    """
    at = np.array([-ZERO, ZERO]) * measure
    at, below, _ = between(stiffness, at, at * (1 + TOGETHER))
    nearer = np.array([-ZERO_OF_BALLS, ZERO_OF_BALLS]) * measure
    if below[0] == below[1] or (not prove and np.array_equal(stiffness.counted(nearer)[0], below)):
        return at, below
    try:
        told = np.array([stiffness.proven(float(x)).below for x in nearer])
    except ToolchainError:
        if prove:
            raise
        return at, below
    return np.append(at, nearer), np.append(below, told)


def _narrowed(stiffness: DynamicStiffness, found: Located) -> Located:
    """Intervals that hold any of the wanted eigenvalues parted until they are narrow."""
    while True:
        each, gaps = found.looked_at, found.gaps
        if not each.size:
            return found
        gap = gaps.min(axis=0)
        size = np.abs(found.squares[[each, each + 1]]).max(axis=0)
        wide = np.clip(
            OF_GAP * gap / size, TOGETHER, np.where(found.jump[each] > 1, TOGETHER, ALONE)
        )
        parted = each[found.width[each] > wide]
        # How far the next one is has to be known, too.
        for beyond in found.filled[len(each) : len(each) + 1]:
            far = found.squares[beyond + 1] - found.squares[beyond]
            if found.width[beyond] > TOGETHER and far > gaps[1, -1]:
                parted = np.append(parted, beyond)
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
        if not left.size:
            break
        tried = _parted(low[left], high[left], part)
        count, least = stiffness.counted(tried)
        better = least > pivot[left]
        taken = left[better]
        at[taken], below[taken], pivot[taken] = tried[better], count[better], least[better]
        left = left[pivot[left] < BELIEVED]
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

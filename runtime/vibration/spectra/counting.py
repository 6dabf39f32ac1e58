"""Where a count rises, as that of the frequencies of what spins without damping: all are found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ....errors import NumericsError
from ...evaluation.arrays import Floats
from ..search import PARTS
from ..stiffness import BELIEVED, Whole

#: How many lie below points, each in its lane, and the smallest pivot that was met.
Count = Callable[[Floats, Whole], tuple[Whole, Floats]]

#: A function of points, each in its lane, that changes its sign where one alone is, up to a
#: constant of each lane: its size as a logarithm, and its angle.
Determinant = Callable[[Floats, Whole], tuple[Floats, Floats]]

#: Several within this part of their place are refined together.
TOGETHER = 1e-6

#: Steps of the refinement at most, and where it ends, as a part of the place.
ROUNDS, SETTLED = 100, 2e-16

#: Of so many lanes one is refined without its neighbours. What four of these say of the others is
#: off by less than this part of how far it is from a straight line, or of the place.
EVERY, CURVED, NEAR = 8, 0.1, 1e-10


class Intervals(NamedTuple):
    """Intervals of lanes, how many lie below their ends; the ends are not among these.

    Shape
        Each (intervals).
    """

    low: Floats
    high: Floats
    below: Whole
    above: Whole
    lanes: Whole

    @property
    def jump(self) -> Whole:
        """How many lie in each."""
        return self.above - self.below

    def only(self, some: Whole) -> Intervals:
        """Some of them."""
        return Intervals(
            self.low[some], self.high[some], self.below[some], self.above[some], self.lanes[some]
        )


def joined(parts: list[Intervals]) -> Intervals:
    """All intervals of several lists, by lane and place."""
    columns: Any = (np.concatenate(x) for x in zip(*parts, strict=True))
    whole = Intervals(*columns)
    return whole.only(np.lexsort([whole.low, whole.lanes]))


def believed(count: Count, low: Floats, high: Floats, lanes: Whole) -> tuple[Floats, Whole]:
    """A point of each interval, above 0, and its count: the first that pivots leave no doubt of."""
    at, below, pivot = low.copy(), np.zeros(len(low), dtype=np.int64), np.full(len(low), -1.0)
    for part in PARTS:
        left = np.flatnonzero(pivot < BELIEVED)
        if not left.size:
            break
        near, far = low[left], high[left]
        tried = np.where(far > 4 * near, near * (far / near) ** part, near + part * (far - near))
        number, least = count(tried, lanes[left])
        better = least > pivot[left]
        taken = left[better]
        at[taken], below[taken], pivot[taken] = tried[better], number[better], least[better]
    return at, below


def parted(
    count: Count, wide: Intervals, wanted: Whole, *, alone: int = 1, together: float = TOGETHER
) -> Intervals:
    """Intervals that hold one each, or several that lie together; all up to `wanted` of each lane.

    With `alone` 0 those that hold one are made as narrow, too.

    Raises
        NumericsError: the count does not rise everywhere, or one could not be told from another.
    """
    done: list[Intervals] = []
    while True:
        kept = np.flatnonzero((wide.jump > 0) & (wide.below < wanted[wide.lanes]))
        wide = wide.only(kept)
        narrow = (wide.jump == alone) | (wide.high - wide.low <= together * wide.high)
        done.append(wide.only(np.flatnonzero(narrow)))
        wide = wide.only(np.flatnonzero(~narrow))
        if not len(wide.low):
            return joined(done)
        at, below = believed(count, wide.low, wide.high, wide.lanes)
        if ((below < wide.below) | (below > wide.above)).any():
            k = int(np.flatnonzero((below < wide.below) | (below > wide.above))[0])
            raise NumericsError(
                f"the count falls from {wide.below[k]} to {below[k]} between {wide.low[k]:.9g} and "
                f"{at[k]:.9g} rad/s: it does not tell whether these are all"
            )
        wide = joined(
            [
                wide._replace(high=at, above=below),
                wide._replace(low=at, below=below),
            ]
        )


def followed(determinant: Determinant, single: Intervals) -> Floats:
    """As `refined`, of lanes that change little from each to the next, with fewer points.

    Most begin near what their neighbours say. A sign that changes there, within an interval that
    holds one by the count, is that one; where none does, they begin at the ends.
    """
    at = np.full(len(single.low), np.nan)
    some = np.flatnonzero(single.lanes % EVERY == 0)
    at[some] = refined(determinant, single.only(some))
    low, high = np.full((2, len(at)), np.nan)
    for number in np.unique(single.below):
        own = single.below == number
        known, asked = np.flatnonzero(own & ~np.isnan(at)), np.flatnonzero(own & np.isnan(at))
        if len(known) >= 4:
            x, places = single.lanes[known], at[known]
            guess = _cubic(x, places, single.lanes[asked])
            bent = np.abs(guess - np.interp(single.lanes[asked], x, places))
            low[asked] = guess - CURVED * bent - NEAR * guess
            high[asked] = guess + CURVED * bent + NEAR * guess
    inside = np.flatnonzero((low > single.low) & (high < single.high))
    near = single._replace(low=low, high=high).only(inside)
    at[inside] = refined(determinant, near)
    left = np.setdiff1d(np.flatnonzero(np.isnan(at)), some)
    at[left] = refined(determinant, single.only(left))
    return at


def _cubic(x: Whole, y: Floats, at: Whole) -> Floats:
    """Lagrange's polynomials through the four points about each place; `x` ascends."""
    first = np.clip(np.searchsorted(x, at) - 2, 0, len(x) - 4)
    four = first[:, np.newaxis] + np.arange(4)
    value = np.zeros(len(at))
    for k in range(4):
        others = np.delete(x[four], k, axis=1)
        parts = (at[:, np.newaxis] - others) / (x[four[:, [k]]] - others)
        value += y[four[:, k]] * parts.prod(axis=1)
    return value


def refined(determinant: Determinant, single: Intervals) -> Floats:
    """The place of the one in each interval to the last digits; no number where no sign changes.

    Source
        Chandrupatla (1997): inverse quadratic interpolation where it is safe, else halves.
    """
    lanes, n = single.lanes, len(single.low)
    if not n:
        return np.zeros(0)
    a, c = single.low.copy(), single.high.copy()
    (size_a, angle_a), (size_c, angle_c) = determinant(a, lanes), determinant(c, lanes)
    unit = np.maximum(size_a, size_c)
    fa, fc = np.exp(size_a - unit), np.exp(size_c - unit) * np.cos(angle_c - angle_a)
    b, fb, part = c.copy(), fc.copy(), np.full(n, 0.5)
    good = fc < 0
    left = np.flatnonzero(good)
    for _ in range(ROUNDS):
        # Of those that are left a and c are on either side, b is the one before.
        width = np.abs(c[left] - a[left])
        left = left[width > SETTLED * 2 * np.abs(a[left])]
        if not left.size:
            break
        x = a[left] + part[left] * (c[left] - a[left])
        size, angle = determinant(x, lanes[left])
        f = np.exp(size - unit[left]) * np.cos(angle - angle_a[left])
        same = np.sign(f) == np.sign(fa[left])
        b[left], fb[left] = np.where(same, a[left], c[left]), np.where(same, fa[left], fc[left])
        c[left], fc[left] = np.where(same, c[left], a[left]), np.where(same, fc[left], fa[left])
        a[left], fa[left] = x, f
        c[left[f == 0]] = x[f == 0]
        part[left] = _next(*(y[left] for y in (a, b, c, fa, fb, fc)))
    nearer = np.abs(fa) < np.abs(fc)
    return np.where(good, np.where(nearer, a, c), np.nan)


def _next(a: Floats, b: Floats, c: Floats, fa: Floats, fb: Floats, fc: Floats) -> Floats:
    """Where to look next, as a part of the way from a to c."""
    with np.errstate(all="ignore"):
        xi, phi = (a - c) / (b - c), (fa - fc) / (fb - fc)
        safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        inverse = fa / (fc - fa) * fb / (fc - fb)
        inverse += (b - a) / (c - a) * fa / (fb - fa) * fc / (fb - fc)
        least = SETTLED * np.abs(a) / np.abs(c - a)
    part = np.where(safe & np.isfinite(inverse), inverse, 0.5)
    return np.clip(part, np.minimum(least, 0.5), np.maximum(1 - least, 0.5))

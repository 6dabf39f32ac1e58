"""Frequencies of what spins without damping, at many speeds at once: counted, and refined."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....errors import NumericsError, UsageError
from ...evaluation.arrays import Floats
from ..search import MEASURE, ZERO
from ..stiffness import BELIEVED, Complex, ComplexStiffness, Whole
from .contours import ROUNDS, shapes
from .counting import Count, Intervals, believed, followed, parted
from .spectrum import POWERS, logarithm_of
from .winding import Boxes, counted_within
from .zeros import zeros

#: Frequencies between which A(iω) is looked at, and by how much of its size it may be no Hermitian
#: matrix by rounding.
LOOKS, HERMITIAN = 4, 1e-8

#: Frequencies that differ by less than this part of them are equal.
EQUAL = 1e-8

#: Half the width of a box about several frequencies that are together, by its height.
WIDTH = 0.3


class Frequencies(NamedTuple):
    """Frequencies ω > 0 of a lane, ascending, equal ones as often as they occur, and their modes.

    Of motions that nothing resists there are so many, `zero`.
    """

    omegas: Floats
    multiplicity: Whole
    modes: Complex
    zero: int


def axis(omegas: Floats) -> Complex:
    """The points s = iω."""
    return np.asarray(1j * omegas, dtype=np.complex128)


def undamped(stiffness: ComplexStiffness, parameters: Floats, below: float) -> bool:
    """Is A(iω) Hermitian, so that nothing takes energy or gives any, whatever the frequency?

    Told by what loads at random move each other by, in every lane at some frequencies.
    """
    random = np.random.default_rng(1)
    lanes = np.repeat(np.arange(len(parameters)), LOOKS)
    s = axis(below * random.uniform(0.1, 1.0, len(lanes)))
    size = (2, stiffness.length)
    f, g = random.standard_normal(size) + 1j * random.standard_normal(size)
    moved = [
        stiffness.responses(s, np.tile(load, (len(s), 1)), parameters[lanes]) for load in (f, g)
    ]
    there, back = moved[0] @ g.conj(), (moved[1] @ f.conj()).conj()
    return bool((np.abs(there - back) <= HERMITIAN * (np.abs(there) + np.abs(back))).all())


def frequencies(
    stiffness: ComplexStiffness,
    parameters: Floats,
    *,
    first: int | None,
    below: float | None,
    still: Floats | None = None,
) -> list[Frequencies]:
    """All frequencies below one, or the first ones, for each row of parameters.

    That K is not negative is seen at each row, or at the rows `still` if K is the same at all.

    Raises
        UsageError: the model is unstable at rest, where a count does not tell.
        NumericsError: they are not all, by the count.
    """

    def count(omegas: Floats, lanes: Whole) -> tuple[Whole, Floats]:
        return stiffness.counted(omegas, parameters[lanes])

    n = len(parameters)
    whole = ladder(count, n, stiffness.highest, first=first, below=below)
    zero = whole.below
    seen = parameters if still is None else still
    see_positive(stiffness, seen, np.resize(whole.low, len(seen)))
    found = parted(count, whole, whole.above if first is None else zero + first)
    omegas, multiplicity, lanes = _places(stiffness, parameters, found)
    last = np.diff(lanes, append=-1) != 0
    before = np.where(np.diff(lanes, prepend=-1) == 0, np.roll(omegas, 1), 0.0)
    radii = np.minimum(omegas - before, np.where(last, omegas, np.roll(omegas, -1) - omegas)) / 4
    number = zero[lanes[last]] + np.diff(np.cumsum(multiplicity)[last], prepend=0)
    radii[last] = _free_above(count, omegas[last], number, radii[last], lanes[last]) / 4
    modes = shapes(stiffness, axis(omegas), multiplicity, radii, parameters[lanes])
    times = np.array([len(each) for each in modes], dtype=np.int64)
    if (times != multiplicity).any():
        raise NumericsError("equal frequencies have fewer modes than they are by the count")
    rows = np.concatenate([np.zeros((0, stiffness.length), complex), *modes])
    omegas, lanes = np.repeat(omegas, times), np.repeat(lanes, times)
    multiplicity = np.repeat(multiplicity, times)
    listed = []
    for lane in range(n):
        own = np.flatnonzero(lanes == lane)
        listed.append(Frequencies(omegas[own], multiplicity[own], rows[own], int(zero[lane])))
    return listed


def ladder(
    count: Count, lanes: int, highest: float, *, first: int | None, below: float | None
) -> Intervals:
    """From what is zero to a place above all that are asked for, in each lane.

    Zero is what is below 10⁻⁶·⁵ of the twelfth one, to the next power of ten, as in `modes`.
    """
    each = np.arange(lanes)
    powers = POWERS[highest > 10.0**POWERS]
    rungs = 10.0 ** np.append(powers, powers[-1] + 1)
    rungs[-1] = min(rungs[-1], 0.98 * highest)
    some = np.unique([0, lanes // 2, lanes - 1])
    at = np.repeat(rungs, len(some))
    _, numbers = believed(count, at, 1.02 * at, np.tile(some, len(rungs)))
    numbers = np.maximum.accumulate(numbers.reshape(len(rungs), -1).max(axis=1))
    measure = rungs[np.searchsorted(numbers, min(numbers[-1], MEASURE))]
    zero = np.full(lanes, np.sqrt(ZERO) * measure)
    low, at_low = believed(count, zero, 1.5 * zero, each)
    most = at_low.max() + first if first is not None else 0
    enough = np.flatnonzero(numbers >= most)
    top = rungs[enough[0] if enough.size else -1] if below is None else below
    while True:
        tops = np.full(lanes, top)
        high, at_high = believed(count, tops, (1 + 1e-9) * tops, each)
        if below is not None or (at_high >= most).all() or top >= rungs[-1]:
            return Intervals(low, high, at_low, at_high, each)
        top = min(4 * top, rungs[-1])


def see_positive(stiffness: ComplexStiffness, parameters: Floats, low: Floats) -> None:
    """Raise where what is counted below `low` are no motions that nothing resists, but unstable.

    Raises
        UsageError: the count does not tell what this model's frequencies are.
    Source
        If K is not negative, eigenvalues s are imaginary and in pairs: within a radius there are
        twice as many as are counted below it. Each negative eigenvalue of K is counted besides.
    """

    def count(omegas: Floats, lanes: Whole) -> tuple[Whole, Floats]:
        return stiffness.counted(omegas, parameters[lanes])

    radii, zero = believed(count, low, 1.5 * low, np.arange(len(low)))
    some = np.flatnonzero(zero > 0)
    if not some.size:
        return
    at_zero = counted_within(logarithm_of(stiffness, parameters), radii[some], some)
    if not (at_zero >= 2 * zero[some]).all():
        raise UsageError(
            "but for its spin the model would be unstable, and a count does not tell its "
            "frequencies; solver.damped finds them at each speed"
        )


def _free_above(count: Count, last: Floats, listed: Whole, reach: Floats, lanes: Whole) -> Floats:
    """How far above the last frequency of each lane, at most so far, there is no other.

    So many are `listed` up to it, those at zero among them.

    Raises
        NumericsError: there are others hard by that are not listed.
    """
    reach, left = reach.copy(), np.arange(len(last))
    for _ in range(ROUNDS):
        number, pivot = count(last[left] + reach[left], lanes[left])
        left = left[(number != listed[left]) | (pivot < BELIEVED)]
        if not left.size:
            return reach
        reach[left] /= 8
    raise NumericsError(
        f"above {last[left[0]]:.9g} rad/s the count tells of others: the list would not be whole"
    )


def _places(
    stiffness: ComplexStiffness, parameters: Floats, found: Intervals
) -> tuple[Floats, Whole, Whole]:
    """The frequencies in intervals, how often each occurs, and their lanes."""

    def determinant(omegas: Floats, lanes: Whole) -> tuple[Floats, Floats]:
        return stiffness.determinants(axis(omegas), parameters[lanes])[:2]

    alone = found.jump == 1
    at = np.full(len(found.low), np.nan)
    at[alone] = followed(determinant, found.only(np.flatnonzero(alone)))
    left = found.only(np.flatnonzero(np.isnan(at)))
    kept = ~np.isnan(at)
    places, times, lanes = at[kept], np.ones(kept.sum(), dtype=np.int64), found.lanes[kept]
    if len(left.low):
        # Where no sign changes, as where two lie together, they are told as in the plane of s.
        wide = WIDTH * (left.high - left.low)
        boxes = Boxes(np.stack([-wide, wide, left.low, left.high], axis=1), left.lanes)
        logarithm, n = logarithm_of(stiffness, parameters), len(parameters)
        if not np.array_equal(boxes.counted(logarithm), left.jump):
            raise NumericsError(
                f"between {left.low[0]:.9g} and {left.high[0]:.9g} rad/s there are other numbers "
                "of eigenvalues by their count and by turns: the list would not be whole"
            )
        told = zeros(logarithm, boxes, left.jump, np.zeros(n), np.zeros(n, dtype=np.int64))
        places = np.append(places, told.values.imag)
        times, lanes = np.append(times, told.multiplicity), np.append(lanes, told.lanes)
    order = np.lexsort([places, lanes])
    places, times, lanes = places[order], times[order], lanes[order]
    new = np.diff(places, prepend=0.0) > EQUAL * places
    group = np.cumsum(new | (np.diff(lanes, prepend=-1) > 0)) - 1
    first = np.flatnonzero(np.diff(group, prepend=-1))
    together = np.bincount(group, times).astype(np.int64)
    return np.bincount(group, times * places) / together, together, lanes[first]

"""All eigenvalues s of damped motions in a region, with their modes, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .contours import shapes
from .search import MEASURE, ZERO
from .stiffness import Complex, ComplexStiffness, Whole
from .winding import Boxes, Logarithm, counted_within
from .zeros import zeros

#: Radii about 0 within which eigenvalues are counted first, by powers of ten.
POWERS = np.arange(-10.0, 16.0)

#: If an eigenvalue lies on the edge of a region, it is made larger by this.
MOVED = (1.0, 1.013, 1.037, 1.071)


@dataclass(frozen=True)
class Survey:
    """How many eigenvalues s lie within radii about 0, ascending; so many of them are zero.

    Zero are those nearer than `zero`. As in `modes`, the square of each is below 10⁻¹³ of that of
    the 24th, or the last, to the next power of ten; of one alone, which rounding hardly moves, it
    is s itself that is.
    """

    radii: Floats
    count: Floats
    zero: float
    at_zero: int


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues s in a region with no negative imaginary part, by their size, and their modes.

    An eigenvalue stands once for each of its independent modes; `multiplicity` says how often it
    occurs. In the region, and in the mirror image of what lies off the real axis, they add up to
    its winding number `number`.
    """

    values: Complex
    multiplicity: Whole
    modes: Complex
    region: tuple[float, float, float, float]
    number: int

    def only(self, some: npt.NDArray[np.bool_]) -> Spectrum:
        """Some of them, in the same region."""
        return replace(
            self,
            values=self.values[some],
            multiplicity=self.multiplicity[some],
            modes=self.modes[some],
        )


def logarithm_of(stiffness: ComplexStiffness, parameters: Floats | None = None) -> Logarithm:
    """log Δ; in each lane at its row of parameters."""

    def logarithm(s: Complex, lanes: Whole) -> Complex:
        own = None if parameters is None else parameters[lanes]
        size, angle, _ = stiffness.determinants(s, own)
        found: Complex = size + 1j * angle
        return found

    return logarithm


def surveyed(stiffness: ComplexStiffness) -> Survey:
    """How many eigenvalues there are in which decade, and how many are zero."""
    logarithm = logarithm_of(stiffness)
    powers = POWERS[stiffness.highest > 10.0**POWERS]
    radii = np.append(10.0**powers, min(stiffness.highest, 10.0 ** (POWERS[-1] + 1)))
    count = np.nan_to_num(_within(logarithm, radii))
    measure = radii[np.searchsorted(np.maximum.accumulate(count), min(count.max(), 2 * MEASURE))]
    zero = float(np.sqrt(ZERO) * measure)
    at_zero, nearer = np.nan_to_num(_within(logarithm, np.array([zero, ZERO * measure])))
    if at_zero <= 1:
        zero, at_zero = ZERO * float(measure), nearer
    return Survey(radii, count, zero, int(at_zero))


def _within(logarithm: Logarithm, radii: Floats) -> Floats:
    """Numbers of eigenvalues within radii, a little larger ones where one is on the edge.

    None where doubles tell nothing, as so near to zero eigenvalues.
    """
    count = np.full(len(radii), np.nan)
    for moved in MOVED:
        left = np.flatnonzero(np.isnan(count))
        if not left.size:
            return count
        lanes = np.zeros(len(left), dtype=np.int64)
        count[left] = counted_within(logarithm, moved * radii[left], lanes)
    return count


def radius_of(stiffness: ComplexStiffness, survey: Survey, first: int) -> float:
    """A radius about 0 within which there are so many eigenvalues, and few more."""
    first = min(first, int(survey.count.max()))
    enough = survey.count >= first
    high = survey.radii[enough.argmax()]
    radii = high * 10.0 ** np.linspace(-1.0, 0.0, 24)
    enough = _within(logarithm_of(stiffness), radii) >= first
    return float(radii[enough.argmax() if enough.any() else -1])


def found_within(stiffness: ComplexStiffness, survey: Survey, radius: float) -> Spectrum:
    """All eigenvalues within a radius about 0.

    Raises
        NumericsError: the list is not whole.
    """
    logarithm = logarithm_of(stiffness)
    for moved in MOVED:
        side = moved * radius
        box = (-side, side, 0.0, side)
        if not np.isnan(_boxes(box).counted(logarithm)[0]):
            break
    found = found_in(stiffness, survey, box)
    return found.only(np.abs(found.values) <= radius)


def found_in(
    stiffness: ComplexStiffness, survey: Survey, box: tuple[float, float, float, float]
) -> Spectrum:
    """All eigenvalues in a box: left, right, low, high; where `low` is 0, also below the axis.

    Raises
        NumericsError: the list is not whole, or an eigenvalue lies on the edge.
    """
    logarithm, boxes = logarithm_of(stiffness), _boxes(box)
    about_zero = box[0] < 0 < box[1] and box[2] == 0
    number = boxes.counted(logarithm)
    edge = min(np.abs(box)[: 3 if box[2] else 2].min(), np.abs(box)[3])
    if np.isnan(number[0]) or (survey.at_zero and edge <= 4 * survey.zero):
        raise NumericsError(f"an eigenvalue lies on the edge of the region {box}; move it a little")
    at_zero = survey.at_zero if about_zero else 0
    found = zeros(
        logarithm,
        boxes,
        number.astype(np.int64),
        np.array([survey.zero]),
        np.array([at_zero]),
    )
    values, multiplicity, radii = found.values, found.multiplicity, found.radii
    if at_zero:
        others = np.abs(values).min(initial=max(edge, 100 * survey.zero)) / 8
        values, multiplicity = np.append(0.0, values), np.append(at_zero, multiplicity)
        radii = np.append(others, radii)
    order = np.lexsort([values.imag, values.real.round(12), np.abs(values)])
    values, multiplicity, radii = values[order], multiplicity[order], radii[order]
    modes = shapes(stiffness, values, multiplicity, radii)
    times = [len(each) for each in modes]
    return Spectrum(
        np.repeat(values, times),
        np.repeat(multiplicity, times),
        np.concatenate([np.zeros((0, stiffness.length), complex), *modes]),
        box,
        int(number[0]),
    )


def _boxes(box: tuple[float, float, float, float]) -> Boxes:
    return Boxes(np.array([box]), np.zeros(1, dtype=np.int64))

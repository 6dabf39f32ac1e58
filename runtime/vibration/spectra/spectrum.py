"""All eigenvalues s of damped motions in a region, with their modes, and how many there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ....errors import NumericsError
from ...evaluation.arrays import Floats
from ..search import MEASURE, ZERO
from ..stiffness import Complex, ComplexStiffness, Whole
from .contours import shapes
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

    Shape
        `region` (4): left, right, low, high.
    """

    values: Complex
    multiplicity: Whole
    modes: Complex
    region: Floats
    number: int

    @property
    def held(self) -> int:
        """How many eigenvalues these are, with those below the real axis."""
        values, first = np.unique(self.values, return_index=True)
        mirrored = (values.imag > 0) & (self.region[2] == 0)
        return int((self.multiplicity[first] * (1 + mirrored)).sum())

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
    """A radius about 0 within which there are so many eigenvalues, and few more.

    It is a little larger than where they were counted: rounding throws out none on that edge.
    """
    first = min(first, int(survey.count.max()))
    enough = survey.count >= first
    high = survey.radii[enough.argmax()]
    radii = high * 10.0 ** np.linspace(-1.0, 0.0, 24)
    enough = _within(logarithm_of(stiffness), radii) >= first
    return MOVED[-1] * float(radii[enough.argmax() if enough.any() else -1])


def found_within(
    stiffness: ComplexStiffness,
    survey: Survey,
    radius: float,
    parameters: Floats | None = None,
) -> list[Spectrum]:
    """All eigenvalues within a radius about 0, for each row of parameters.

    Raises
        NumericsError: a list is not whole.
    """
    found = found_in(stiffness, survey, square(stiffness, radius, parameters), parameters)
    return [each.only(np.abs(each.values) <= radius) for each in found]


def square(stiffness: ComplexStiffness, radius: float, parameters: Floats | None = None) -> Boxes:
    """A square about the circle of a radius about 0, a little larger where one is on its edge."""
    n = 1 if parameters is None else len(parameters)
    boxes = Boxes(np.tile([-radius, radius, 0.0, radius], (n, 1)), np.arange(n))
    logarithm = logarithm_of(stiffness, parameters)
    for moved in MOVED:
        lost = np.flatnonzero(np.isnan(boxes.counted(logarithm)))
        if not lost.size:
            break
        boxes.sides[lost] = moved * np.array([-radius, radius, 0.0, radius])
    return boxes


def found_in(
    stiffness: ComplexStiffness, survey: Survey, boxes: Boxes, parameters: Floats | None = None
) -> list[Spectrum]:
    """All eigenvalues in boxes, one for each row of parameters; and below the axis, where on it.

    Raises
        NumericsError: a list is not whole, or an eigenvalue lies on an edge.
    """
    each, number = placed(stiffness, survey, boxes, parameters)
    return listed(stiffness, each, boxes.sides, number, parameters)


def found_about(
    stiffness: ComplexStiffness,
    survey: Survey,
    sides: Floats,
    told: Callable[[Boxes], bool] | None = None,
) -> Spectrum:
    """All eigenvalues in a box, whose edges are moved outwards where one lies on them, or near.

    By parts of its width and height, see `MOVED`; a lower edge above the real axis stays above it.
    `told` says whether the number in a box is told besides.

    Raises
        NumericsError: the list is not whole wherever the edges are.
    """
    left, right, low, high = sides
    why = NumericsError("how many eigenvalues a region holds is not told wherever its edges are")
    for moved in MOVED:
        x, y = ((moved - 1) / 2 * span for span in (right - left, high - low if low else 2 * high))
        box = np.array([left - x, right + x, max(low - y, low / moved), high + y])
        boxes = Boxes(box[np.newaxis], np.zeros(1, np.int64))
        try:
            if told is None or told(boxes):
                return found_in(stiffness, survey, boxes)[0]
        except NumericsError as error:
            why = error
    raise why


def listed(
    stiffness: ComplexStiffness,
    each: list[tuple[Complex, Whole, Floats]],
    sides: Floats,
    number: Floats,
    parameters: Floats | None,
) -> list[Spectrum]:
    """What is `placed` in boxes with these sides, and the modes.

    Raises
        NumericsError: displacements are not finite.
    """
    lanes = np.repeat(np.arange(len(each)), [len(x[0]) for x in each])
    values, times, radii = (np.concatenate(x) for x in zip(*each, strict=True))
    own_parameters = None if parameters is None else parameters[lanes]
    modes = shapes(stiffness, values, times, radii, own_parameters)
    found = []
    for lane, (values, times, _) in enumerate(each):
        own_modes = [modes[k] for k in np.flatnonzero(lanes == lane)]
        often = [len(x) for x in own_modes]
        found.append(
            Spectrum(
                np.repeat(values, often),
                np.repeat(times, often),
                np.concatenate([np.zeros((0, stiffness.length), complex), *own_modes]),
                sides[lane],
                int(number[lane]),
            )
        )
    return found


def placed(
    stiffness: ComplexStiffness, survey: Survey, boxes: Boxes, parameters: Floats | None = None
) -> tuple[list[tuple[Complex, Whole, Floats]], Floats]:
    """Of each box all eigenvalues, how often each occurs and a radius; and its winding number.

    Raises
        NumericsError: as `found_in`.
    """
    n, logarithm = len(boxes), logarithm_of(stiffness, parameters)
    left, right, low, high = boxes.sides.T
    about_zero = (left < 0) & (right > 0) & (low == 0)
    at_zero = np.where(about_zero, survey.at_zero, 0)
    if parameters is not None:
        at_zero = counted_within(logarithm, np.full(n, survey.zero), boxes.lanes)
        at_zero = np.where(about_zero, np.nan_to_num(at_zero), 0.0).astype(np.int64)
    number = boxes.counted(logarithm)
    edges = np.min([np.abs(left), np.abs(right), high, np.where(low > 0, low, np.inf)], axis=0)
    lost = np.isnan(number) | ((survey.at_zero > 0) & (edges <= 4 * survey.zero))
    if lost.any():
        said = ", ".join(f"{x:.6g}" for x in boxes.sides[lost.argmax()])
        raise NumericsError(
            f"an eigenvalue lies on the edge of the region ({said}); move it a little"
        )
    zero = np.full(n, survey.zero)
    found = zeros(logarithm, boxes, number.astype(np.int64), zero, at_zero)
    each = []
    for lane in range(n):
        own = found.lanes == lane
        values, times, radii = found.values[own], found.multiplicity[own], found.radii[own]
        if at_zero[lane]:
            others = np.abs(values).min(initial=max(edges[lane], 100 * survey.zero)) / 8
            values, times = np.append(0.0, values), np.append(at_zero[lane], times)
            radii = np.append(others, radii)
        order = np.lexsort([values.imag, np.abs(values)])
        each.append((values[order], times[order], radii[order]))
    return each, number

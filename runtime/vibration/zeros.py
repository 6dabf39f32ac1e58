"""All zeros of an entire function in regions: boxes that are halved, then discs about zeros."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .stiffness import Whole
from .winding import Boxes, Complexes, Logarithm

#: Where a box is halved, if a zero lies on the cut before. Not at 1/2, where symmetric models have
#: zeros.
PARTS = (0.487, 0.531, 0.443, 0.569, 0.411, 0.613)

#: Points on a circle, by which its zeros are told; more zeros are parted by boxes first, if these
#: are not small, as a part of their place.
AROUND, FEW, SMALL = 64, 4, 1e-2

#: A disc becomes so much smaller at a time. A single zero is told where the disc's radius is less
#: than this part of its place.
SMALLER, NEAR = 1 / 8, 1e-2

#: Of several zeros in a disc those farther apart than this part of its radius are parted; it has
#: shrunk until the product of distances over the edge is this part of what it is at 0: less is
#: rounding of f. Two zeros that differ by 1e-8 of them are therefore equal, three by 1e-6.
APART, ROUNDING = 1e-2, 1e-12

#: A part of its place below which a box is not halved.
LEAST = 1e-11


class Zeros(NamedTuple):
    """Zeros with no negative imaginary part, each with how often it occurs, and in which lane.

    In a disc about each, of this radius, no others lie.
    """

    values: Complexes
    multiplicity: Whole
    radii: Floats
    lanes: Whole


@dataclass(frozen=True)
class _Discs:
    """Discs that hold so many zeros each, of a box; `inner` ones lie in one that holds the same."""

    centres: Complexes
    radii: Floats
    count: Whole
    box: Whole
    inner: bool = False


def zeros(logarithm: Logarithm, boxes: Boxes, count: Whole, zero: Floats, at_zero: Whole) -> Zeros:
    """All zeros in boxes, which hold so many, but for those at 0.

    In each lane there are so many `at_zero`, nearer than `zero`.

    Raises
        NumericsError: they were not found, or do not add up to the number in a box.
    """
    found = [Zeros(np.zeros(0, complex), *(np.zeros(0, t) for t in (int, float, int)))]
    while True:
        left, right, low, _ = boxes.sides.T
        about_zero = (left < 0) & (0 < right) & (low == 0)
        kept = np.flatnonzero(count > np.where(about_zero, at_zero[boxes.lanes], 0))
        boxes, count = boxes.only(kept), count[kept]
        if not len(boxes):
            return Zeros(*(np.concatenate(x) for x in zip(*found, strict=True)))
        discs = _first_discs(boxes, count, zero)
        told, complete = _told(logarithm, boxes, count, discs)
        found.append(told)
        left = np.flatnonzero(~complete)
        boxes, count = boxes.only(left), count[left]
        span = boxes.spans.max(axis=0)
        place = np.maximum(np.abs(boxes.centres), zero[boxes.lanes])
        if (stuck := span < LEAST * (place + span)).any():
            k = int(np.flatnonzero(stuck)[0])
            raise NumericsError(
                f"near s = {boxes.centres[k]:.9g} there are {count[k]} eigenvalues, which were not "
                "found: the list would not be whole"
            )
        if len(boxes):
            boxes, count = _halved(logarithm, boxes, count, zero)


def _halved(logarithm: Logarithm, boxes: Boxes, count: Whole, zero: Floats) -> tuple[Boxes, Whole]:
    """Both halves of each, and how many zeros each holds."""
    parts, numbers = [], []
    left = np.arange(len(boxes))
    for part in PARTS:
        both = boxes.only(left).halves(part)
        held = [half.counted(logarithm, int(count.max())) for half in both]
        # The first side of the second half that the first half does not have is the cut.
        cut = np.where(both[0].sides[:, 0] == both[1].sides[:, 0], *both[1].sides[:, [2, 0]].T)
        twice = 1 + (both[0].mirrored & ~both[1].mirrored)
        good = (held[0] + twice * held[1] == count[left]) & (np.abs(cut) > 4 * zero[both[0].lanes])
        for half, number in zip(both, held, strict=True):
            parts.append(half.only(np.flatnonzero(good)))
            numbers.append(number[good].astype(np.int64))
        left = left[~good]
        if not len(left):
            sides = np.concatenate([x.sides for x in parts])
            return Boxes(sides, np.concatenate([x.lanes for x in parts])), np.concatenate(numbers)
    raise NumericsError(
        f"near s = {boxes.centres[left[0]]:.6g} the zeros of two halves of a region do not add up "
        "to those of the whole, wherever it is cut"
    )


def _first_discs(boxes: Boxes, count: Whole, zero: Floats) -> _Discs:
    """A disc around each box with few zeros, or around a small one; none about 0."""
    radii = 0.6 * np.hypot(*boxes.spans)
    place = np.abs(boxes.centres)
    tried = (count <= FEW) | (radii < SMALL * place)
    tried &= place > radii + 2 * zero[boxes.lanes]
    k = np.flatnonzero(tried)
    return _Discs(boxes.centres[k], radii[k], count[k], k)


def _told(
    logarithm: Logarithm, boxes: Boxes, count: Whole, discs: _Discs
) -> tuple[Zeros, np.ndarray]:
    """The zeros that discs tell of boxes, and of which boxes these are all."""
    mirrored = boxes.mirrored
    values: list[tuple[complex, int, float, int]] = []
    failed = np.ones(len(boxes), dtype=bool)
    failed[discs.box] = False
    while len(discs.box):
        number, sums = power_sums(
            logarithm, discs.centres, discs.radii, boxes.lanes[discs.box], int(discs.count.max())
        )
        failed[discs.box[number != discs.count]] = True
        next_discs: list[tuple[complex, float, int, int]] = []
        for k in np.flatnonzero(~failed[discs.box]):
            box, centre, radius = int(discs.box[k]), discs.centres[k], discs.radii[k]
            several = [
                *_parted(
                    sums[k, : discs.count[k]], real_or_paired=mirrored[box] and centre.imag == 0
                )
            ]
            for offset, held, clear in several:
                at = complex(centre + radius * offset)
                if mirrored[box] and at.imag < 0:
                    continue
                near = NEAR if held == 1 else ROUNDING ** (1 / held)
                small = radius < near * abs(at) and abs(offset) < 0.1
                if len(several) == 1 and discs.inner and small:
                    values.append((at, held, float(radius), box))
                else:
                    next_discs.append((at, float(radius * clear), held, box))
        if not next_discs:
            break
        discs = _Discs(*(np.array(x) for x in zip(*next_discs, strict=True)), inner=True)
    return _collected(values, boxes, count, failed)


def _collected(
    values: list[tuple[complex, int, float, int]],
    boxes: Boxes,
    count: Whole,
    failed: np.ndarray,
) -> tuple[Zeros, np.ndarray]:
    s, held, radii, box = (
        np.array(x, dtype=t)
        for x, t in zip(
            zip(*values, strict=True) if values else [[]] * 4,
            (complex, int, float, int),
            strict=True,
        )
    )
    left, right, low, high = boxes.sides[box].T
    inside = (left <= s.real) & (s.real <= right) & (low <= s.imag) & (s.imag <= high)
    pairs = boxes.mirrored[box] & (s.imag > 0)
    total = np.bincount(box[inside], (held * (1 + pairs))[inside], len(boxes))
    complete = ~failed & (total == count)
    kept = complete[box] & inside
    return Zeros(s[kept], held[kept], radii[kept], boxes.lanes[box[kept]]), complete


def power_sums(
    logarithm: Logarithm, centres: Complexes, radii: Floats, lanes: Whole, most: int
) -> tuple[Whole, Complexes]:
    """How many zeros discs hold, −1 if that is not told, and Σ zᵢᵏ, z = (s − centre)/radius.

    Shape
        (discs); (discs, most), k from 1 on.
    Source
        Σ zᵢᵏ = (1/2πi) ∮ zᵏ d log f, by parts the Fourier coefficients of log f − i m θ.
    """
    angles = 2 * np.pi * np.arange(AROUND) / AROUND
    unit = np.exp(1j * angles)
    s = centres[:, np.newaxis] + radii[:, np.newaxis] * unit
    f = logarithm(s.ravel(), np.repeat(lanes, AROUND)).reshape(s.shape)
    closed = np.unwrap(np.append(f.imag, f.imag[:, :1], axis=1), axis=1)
    step = np.abs(np.diff(closed, axis=1)).max(axis=1)
    number = np.rint((closed[:, -1] - closed[:, 0]) / (2 * np.pi))
    good = np.isfinite(f).all(axis=1) & (step < 2.5)
    number = np.where(good, number, -1).astype(np.int64)
    smooth = f.real + 1j * (closed[:, :-1] - number[:, np.newaxis] * angles)
    powers = np.arange(1, most + 1)
    return number, -powers * (smooth @ unit[:, np.newaxis] ** powers) / AROUND


def _parted(sums: Complexes, *, real_or_paired: bool) -> Iterator[tuple[complex, int, float]]:
    """Groups of zeros by their power sums: where, how many, and a clear radius, all by the disc's."""
    m = len(sums)
    if real_or_paired:
        sums = sums.real + 0j
    # Newton's identities: the coefficients of the polynomial with these zeros.
    coefficients = [1.0 + 0j]
    for k in range(1, m + 1):
        total = sum(coefficients[k - j] * sums[j - 1] for j in range(1, k + 1))
        coefficients.append(-total / k)
    roots = np.roots(coefficients) if m > 1 else np.array([-coefficients[1]])
    near = np.abs(roots[:, np.newaxis] - roots) < APART
    for _ in range(m):
        near = near @ near
    groups = np.unique(near, axis=0)
    middles = np.array([roots[x].mean() for x in groups])
    for k, group in enumerate(groups):
        others = np.abs(np.delete(middles, k) - middles[k])
        middle = middles[k]
        if real_or_paired and abs(middle.imag) < APART / 2:
            middle = complex(middle.real)
        yield complex(middle), int(group.sum()), min(SMALLER, float(others.min(initial=np.inf)) / 4)

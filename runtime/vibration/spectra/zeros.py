"""All zeros of an entire function in regions: boxes that are halved, then discs about zeros."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ....errors import NumericsError
from ...evaluation.arrays import Floats
from ..stiffness import Complex, Whole
from .winding import Boxes, Logarithm, joined

#: Where a box is halved, if a zero lies on the cut before. Not at 1/2, where symmetric models have
#: zeros.
PARTS = (0.487, 0.531, 0.443, 0.569, 0.411, 0.613)

#: Points on a circle, by which its zeros are told; more zeros are parted by boxes first, if these
#: are not small, as a part of their place.
AROUND, FEW, SMALL = 32, 4, 1e-2

#: A disc becomes so much smaller at a time. A single zero is told where the disc's radius is less
#: than this part of its place.
SMALLER, NEAR = 1 / 8, 1e-2

#: Of several zeros in a disc those farther apart than this part of its radius are parted. It has
#: shrunk until the product of their distances from its edge, as parts of their place, is this:
#: rounding of f is a thousandth of what it is there. Two zeros that differ by less than 1e-6 of
#: them are therefore equal; three by 3e-5.
APART, ROUNDING = 3e-2, 1e-9

#: A part of its place below which a box is not halved.
LEAST = 1e-11


class Zeros(NamedTuple):
    """Zeros with no negative imaginary part, each with how often it occurs, and in which lane.

    In a disc about each, four times as wide as these radii, no others lie.
    """

    values: Complex
    multiplicity: Whole
    radii: Floats
    lanes: Whole


@dataclass(frozen=True)
class Disc:
    """A disc that holds so many zeros, of a box; within four times the radius `wide` no others."""

    centre: complex
    radius: float
    count: int
    box: int
    wide: float = 0.0


def zeros(logarithm: Logarithm, boxes: Boxes, count: Whole, zero: Floats, at_zero: Whole) -> Zeros:
    """All zeros in boxes, which hold so many, but for those at 0.

    In each lane there are so many `at_zero`, nearer than `zero`.

    Raises
        NumericsError: they were not found, or do not add up to the number in a box.
    """
    found = [Zeros(np.zeros(0, complex), *(np.zeros(0, t) for t in (int, float, int)))]
    while True:
        left, right, low, _ = boxes.sides.T
        about_zero = (left < 0) & (right > 0) & (low == 0)
        kept = np.flatnonzero(count > np.where(about_zero, at_zero[boxes.lanes], 0))
        boxes, count = boxes.only(kept), count[kept]
        if not len(boxes):
            return Zeros(*(np.concatenate(x) for x in zip(*found, strict=True)))
        discs = _first_discs(boxes, count, zero)
        told, complete = told_in(logarithm, boxes, count, discs)
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
        held = np.split(joined(both).counted(logarithm, np.tile(count[left], 2)), 2)
        # The first side of the second half that the first half does not have is the cut.
        cut = np.where(both[0].sides[:, 0] == both[1].sides[:, 0], *both[1].sides[:, [2, 0]].T)
        twice = 1 + (both[0].mirrored & ~both[1].mirrored)
        good = (held[0] + twice * held[1] == count[left]) & (np.abs(cut) > 4 * zero[both[0].lanes])
        for half, number in zip(both, held, strict=True):
            parts.append(half.only(np.flatnonzero(good)))
            numbers.append(number[good].astype(np.int64))
        left = left[~good]
        if not len(left):
            return joined(parts), np.concatenate(numbers)
    raise NumericsError(
        f"near s = {boxes.centres[left[0]]:.6g} the zeros of two halves of a region do not add up "
        "to those of the whole, wherever it is cut: move the edges of the region away from there"
    )


def _first_discs(boxes: Boxes, count: Whole, zero: Floats) -> list[Disc]:
    """A disc around each box with few zeros, or around a small one; none about 0."""
    radii = 0.6 * np.hypot(*boxes.spans)
    place = np.abs(boxes.centres)
    tried = (count <= FEW) | (radii < SMALL * place)
    tried &= place > radii + 2 * zero[boxes.lanes]
    return [
        Disc(complex(boxes.centres[k]), float(radii[k]), int(count[k]), int(k))
        for k in np.flatnonzero(tried)
    ]


def told_in(
    logarithm: Logarithm, boxes: Boxes, count: Whole, discs: list[Disc]
) -> tuple[Zeros, npt.NDArray[np.bool_]]:
    """The zeros that discs tell of boxes, and of which boxes these are all."""
    failed = np.ones(len(boxes), dtype=bool)
    failed[[disc.box for disc in discs]] = False
    told: list[Disc] = []
    while discs:
        centres = np.array([disc.centre for disc in discs])
        radii = np.array([disc.radius for disc in discs])
        lanes = boxes.lanes[[disc.box for disc in discs]]
        most = max(disc.count for disc in discs)
        number, sums = power_sums(logarithm, centres, radii, lanes, most)
        several: list[Disc] = []
        for disc, held, of in zip(discs, number, sums, strict=True):
            if held != disc.count:
                failed[disc.box] = True
                continue
            inner = [*_inner(disc, of, mirrored=bool(boxes.mirrored[disc.box]))]
            if len(inner) == 1 and disc.wide and _is_small(disc, inner[0]):
                told += inner
            else:
                several += inner
        discs = [disc for disc in several if not failed[disc.box]]
    return _collected(told, boxes, count, failed)


def _inner(disc: Disc, sums: Complex, *, mirrored: bool) -> Iterator[Disc]:
    """Smaller discs about the zeros in one, by their power sums; no mirror images."""
    parts = [*_parted(sums[: disc.count], paired=mirrored and disc.centre.imag == 0)]
    for offset, count, clear in parts:
        centre = disc.centre + disc.radius * offset
        if mirrored and centre.imag < 0:
            continue
        radius, wide = disc.radius * clear, disc.wide
        if len(parts) > 1 or not wide or wide > SMALL * abs(centre):
            wide = radius
        yield Disc(centre, radius, count, disc.box, wide)


def _is_small(disc: Disc, inner: Disc) -> bool:
    """Is a disc small enough for its zeros, or its only one, to be told by it?"""
    near = NEAR if disc.count == 1 else ROUNDING ** (1 / disc.count)
    offset = abs(inner.centre - disc.centre)
    return disc.radius < near * abs(inner.centre) and offset < 0.1 * disc.radius


def _collected(
    told: list[Disc], boxes: Boxes, count: Whole, failed: npt.NDArray[np.bool_]
) -> tuple[Zeros, npt.NDArray[np.bool_]]:
    """What was told of boxes, and whether it is all."""
    s = np.array([disc.centre for disc in told], dtype=complex)
    held = np.array([disc.count for disc in told], dtype=np.int64)
    box = np.array([disc.box for disc in told], dtype=np.int64)
    wide = np.array([disc.wide for disc in told])
    left, right, low, high = boxes.sides[box].T
    inside = (left <= s.real) & (s.real <= right) & (low <= s.imag) & (s.imag <= high)
    pairs = boxes.mirrored[box] & (s.imag > 0)
    total = np.bincount(box[inside], (held * (1 + pairs))[inside], len(boxes))
    complete = ~failed & (total == count)
    kept = complete[box] & inside
    return Zeros(s[kept], held[kept], wide[kept], boxes.lanes[box[kept]]), complete


def power_sums(
    logarithm: Logarithm, centres: Complex, radii: Floats, lanes: Whole, most: int
) -> tuple[Whole, Complex]:
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
    finite = np.isfinite(f)
    f = np.where(finite, f, 0.0)
    closed = np.unwrap(np.append(f.imag, f.imag[:, :1], axis=1), axis=1)
    step = np.abs(np.diff(closed, axis=1)).max(axis=1)
    number = np.rint((closed[:, -1] - closed[:, 0]) / (2 * np.pi))
    good = finite.all(axis=1) & (step < 2.5)
    number = np.where(good, number, -1).astype(np.int64)
    smooth = f.real + 1j * (closed[:, :-1] - number[:, np.newaxis] * angles)
    powers = np.arange(1, most + 1)
    return number, -powers * (smooth @ unit[:, np.newaxis] ** powers) / AROUND


def _parted(sums: Complex, *, paired: bool) -> Iterator[tuple[complex, int, float]]:
    """Groups of zeros in a disc, by its radius: where, how many, and within what are no others.

    If `paired`, they are real or in pairs.
    """
    m = len(sums)
    if paired:
        sums = sums.real.astype(complex)
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
        if paired and abs(middle.imag) < APART / 2:
            middle = complex(middle.real)
        yield complex(middle), int(group.sum()), min(SMALLER, float(others.min(initial=np.inf)) / 4)

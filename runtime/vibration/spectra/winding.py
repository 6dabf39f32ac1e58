"""How many zeros of an entire function a region holds: how often its argument turns around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from ...evaluation.arrays import Floats
from ..stiffness import Complex, Whole

#: log f of points, each in its lane; f is real on the real axis, so that zeros come in pairs.
Logarithm = Callable[[Complex, Whole], Complex]

#: Steps along a path are halved until f turns by less, in rad, and grows by less.
TURN, GROWTH = 0.7, 1.5

#: A side of a region has so many steps at first, and one more for each zero that may be inside. Of
#: a path never more than so many times its first steps are to be halved, or f is rounding there.
STEPS, MOST = 12, 3

#: Shorter steps, as a part of where they are, are a path through a zero.
SHORTEST = 1e-14

#: A turn this near to a whole number of turns is one; what is farther is no turn of a real f.
WHOLE = 1e-3


class Boxes:
    """Rectangles, of those on the real axis (`low` 0) also the mirror images below it.

    Shape
        `sides` (boxes, 4): left, right, low, high; `lanes` (boxes).
    """

    def __init__(self, sides: Floats, lanes: Whole) -> None:
        self.sides, self.lanes = sides, lanes

    def __len__(self) -> int:
        return len(self.lanes)

    def only(self, some: Whole) -> Boxes:
        """Some of them."""
        return Boxes(self.sides[some], self.lanes[some])

    @property
    def mirrored(self) -> npt.NDArray[np.bool_]:
        """Which have a mirror image."""
        found: npt.NDArray[np.bool_] = self.sides[:, 2] == 0
        return found

    @property
    def centres(self) -> Complex:
        """Their middles, of both halves."""
        left, right, low, high = self.sides.T
        middle: Complex = (left + right) / 2 + 0.5j * np.where(low == 0, 0.0, low + high)
        return middle

    @property
    def spans(self) -> Floats:
        """Width and height, of both halves.

        Shape
            (2, boxes).
        """
        left, right, low, high = self.sides.T
        return np.array([right - left, np.where(low == 0, 2 * high, high - low)])

    def halves(self, part: float) -> tuple[Boxes, Boxes]:
        """Each in two, across its longer side: at a part of it, of both halves at that height."""
        left, right, low, high = self.sides.T
        wide = self.spans[0] > self.spans[1]
        x = np.where(wide, left + part * (right - left), right)
        y = np.where(wide, high, low + part * (high - low))
        first = np.stack([left, x, low, y], axis=1)
        second = np.stack([np.where(wide, x, left), right, np.where(wide, low, y), high], axis=1)
        return Boxes(first, self.lanes), Boxes(second, self.lanes)

    @property
    def paths(self) -> list[list[complex]]:
        """The corners around each; of those that are mirrored those above the real axis."""
        found = []
        for (left, right, low, high), mirrored in zip(self.sides, self.mirrored, strict=True):
            corners = [right + 1j * low, right + 1j * high, left + 1j * high, left + 1j * low]
            found.append(corners if mirrored else [*corners, corners[0]])
        return found

    def counted(self, logarithm: Logarithm, most: Whole | None = None) -> Floats:
        """How many zeros each holds, `most` if that is known; not a number with one on its edge."""
        if most is None:
            return _surely(lambda most: self.counted(logarithm, most), len(self))
        whole = np.where(self.mirrored, np.pi, 2 * np.pi)
        return _numbers(turned(logarithm, self.paths, self.lanes, STEPS + most) / whole)


def joined(parts: Sequence[Boxes]) -> Boxes:
    """All boxes of several: what is asked of them at once is computed as one batch."""
    sides, lanes = (np.concatenate([getattr(x, of) for x in parts]) for of in ("sides", "lanes"))
    return Boxes(sides, lanes)


def counted_within(
    logarithm: Logarithm, radii: Floats, lanes: Whole, most: Whole | None = None
) -> Floats:
    """How many zeros lie in regular octagons around 0, `most` if that is known.

    No number where one lies on the edge.
    """
    upper = np.exp(1j * np.pi * np.arange(5) / 4)
    upper[[0, -1]] = [1, -1]
    paths = [r * upper for r in radii]

    def counted(most: Whole) -> Floats:
        return _numbers(turned(logarithm, paths, lanes, STEPS + most) / np.pi)

    return _surely(counted, len(paths)) if most is None else counted(most)


def _surely(counted: Callable[[Whole], Floats], paths: int) -> Floats:
    """Numbers of zeros that stay the same when it is assumed that there are twice as many."""
    most, before = np.zeros(paths, dtype=np.int64), np.full(paths, -1.0)
    while True:
        number = counted(most)
        if np.array_equal(number, before, equal_nan=True):
            return number
        found = np.nan_to_num(number).astype(np.int64)
        most, before = 2 * np.maximum(np.maximum(most, found), STEPS // 2), number


def _numbers(turns: Floats) -> Floats:
    near = np.rint(turns)
    return np.where(np.abs(turns - near) < WHOLE, near + 0.0, np.nan)


def turned(
    logarithm: Logarithm,
    paths: Sequence[Sequence[complex] | Complex],
    lanes: Whole,
    steps: Whole | None = None,
) -> Floats:
    """By how much arg f turns along each path of straight sides; no number through a zero.

    The sides of each have so many `steps` at first. All paths are refined as one batch. Every step
    is halved once more than it seems to need, so that whole rounds between two points are seen, as
    where two zeros are passed.

    Shape
        (paths), rad.
    Source
        The argument principle; the steps are own.
    """
    points, of = [], []
    for number, path in enumerate(paths):
        corners = np.asarray(path, dtype=complex)
        count = STEPS if steps is None else int(steps[number])
        parts = np.arange(count) / count
        sides = corners[:-1, np.newaxis] + np.diff(corners)[:, np.newaxis] * parts
        points.append(np.append(sides.ravel(), corners[-1]))
        of.append(np.full(len(points[-1]), number))
    s, path_of = np.concatenate(points), np.concatenate(of)
    f, most = logarithm(s, lanes[path_of]), MOST * np.bincount(path_of)
    lost, seen_twice = np.zeros(len(paths), dtype=bool), False
    while True:
        lost[path_of[~np.isfinite(f)]] = True
        f[~np.isfinite(f)] = 0.0
        step, length = np.diff(f), np.abs(np.diff(s))
        along = path_of[1:] == path_of[:-1]
        turn = np.remainder(step.imag + np.pi, 2 * np.pi) - np.pi
        fine = (np.abs(turn) < TURN) & (np.abs(step.real) < GROWTH)
        place = np.maximum(np.abs(s[1:]), np.abs(s[:-1]))
        lost[path_of[1:][along & ~fine & (length <= SHORTEST * place)]] = True
        lost |= np.bincount(path_of[1:], along & ~fine, len(paths)) > most
        coarse = along & ~fine & ~lost[path_of[1:]]
        if not coarse.any() and not seen_twice:
            coarse, seen_twice = along & ~lost[path_of[1:]], True
        if not coarse.any():
            total = np.bincount(path_of[1:], np.where(along & fine, turn, 0.0), len(paths))
            return np.where(lost, np.nan, total)
        k = np.flatnonzero(coarse)
        middle = (s[k] + s[k + 1]) / 2
        f = np.insert(f, k + 1, logarithm(middle, lanes[path_of[k]]))
        s, path_of = np.insert(s, k + 1, middle), np.insert(path_of, k + 1, path_of[k])

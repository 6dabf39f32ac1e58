"""How often a determinant turns around a region, proven: its edges are enclosed in balls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ....errors import NumericsError
from ....symbolic.language.arithmetic import Number
from ....symbolic.language.balls import UndecidedError, whole, working_bits

#: An edge is halved so often at most, and so many parts of a path are enclosed: in all, and of
#: those halved more often than `OFTEN`. Near a simple zero each length needs a few, but near a
#: double one, at a distance d, parts are as short as d², and more bits do not help.
HALVINGS, PARTS = 64, 50_000
OFTEN, SHORT_PARTS = 14, 1_000

#: Σ arg p of the pivots p at s, of which the determinant is the product, by a function for arg.
Angle = Callable[[Number, Callable[[Number], Number]], Number]


class _Point(NamedTuple):
    """A point and the pivots there."""

    s: Number
    pivots: tuple[Number, ...]


class Turns:
    """By how much a product of pivots turns along straight edges.

    Over a part of an edge each pivot lies in a ball. Where none of these holds 0, each turns by
    less than π there, so that the pivots at both ends say by how much; else the part is halved.

    Source
        The argument principle in interval arithmetic; own for pivots, whose poles are left alone.
    """

    def __init__(self, angle: Angle) -> None:
        self.angle, self._left, self._short = angle, PARTS, SHORT_PARTS

    def number(self, path: Sequence[complex], *, mirrored: bool) -> int:
        """How many zeros lie within a path, which is `mirrored` at the real axis or closed.

        Raises
            UndecidedError: one lies on it, or near, or a pole of a pivot does.
            NumericsError: the path has too many parts.
        """
        import flint

        points = [self._at(flint.acb(s.real, s.imag)) for s in path]
        total = sum(x for a, b in pairwise(points) for x in self._turned(a, b, HALVINGS))
        return whole((total / flint.acb.pi()).real / (1 if mirrored else 2))

    def _at(self, s: Number) -> _Point:
        seen: list[Number] = []

        def noted(pivot: Number) -> Number:
            seen.append(pivot)
            return 0

        self.angle(s, noted)
        return _Point(s, tuple(seen))

    def _turned(self, a: _Point, b: _Point, halvings: int) -> Iterator[Number]:
        """By how much each part from a to b turns."""
        self._left -= 1
        self._short -= halvings < HALVINGS - OFTEN
        if min(self._left, self._short) < 0:
            raise NumericsError(
                f"around the region more than {PARTS - self._left - 1} parts do not tell how often "
                "the determinant turns: leave prove out, or move the edges away from eigenvalues"
            )
        try:
            yield self._along(a, b)
            return
        except UndecidedError:
            if not halvings:
                raise
        middle = self._at((a.s + b.s) / 2)
        yield from self._turned(a, middle, halvings - 1)
        yield from self._turned(middle, b, halvings - 1)

    def _along(self, a: _Point, b: _Point) -> Number:
        import flint

        turns = iter([y / x for x, y in zip(a.pivots, b.pivots, strict=True)])

        def turned(pivot: Number) -> Number:
            turn = next(turns)
            if not (pivot.is_finite() and abs(pivot) > 0 and turn.real > 0):
                raise UndecidedError
            return flint.acb(turn.arg())

        both = zip((a.s.real, a.s.imag), (b.s.real, b.s.imag), strict=True)
        return self.angle(flint.acb(*(x.union(y) for x, y in both)), turned)


def proven(
    angle: Angle, path: Sequence[complex], bits: Sequence[int], *, mirrored: bool
) -> int | None:
    """`Turns.number`, in more and more bits; none where it stays undecided."""
    for count in bits:
        with working_bits(count):
            try:
                return Turns(angle).number(path, mirrored=mirrored)
            except UndecidedError:
                continue
    return None

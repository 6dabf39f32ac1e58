"""Does an expression jump? Looked for in sixty digits, just before and just behind every place.

A place is where what a step or a sign takes is zero, or what is divided by, on lines through places
drawn at random. Where it jumps, a difference across 10⁻²⁰ is as large as one across 10⁻³⁰; where it
has a corner it is 10¹⁰ times as large, across a root at least 10⁵ times, and at a pole far smaller.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp

from .evaluation import evaluated
from .functions import step

Values = Mapping[sp.Symbol, Fraction]

#: Lines that are drawn, how far apart they are looked at, and the pieces of a line.
DRAWS, FAR, PIECES = 6, 8, 64

#: Halvings that leave 10⁻⁴⁵ of a piece.
HALVINGS = 150

#: How near to a place on either side values are compared.
NEAR = Fraction(1, 10**20), Fraction(1, 10**30)


@dataclass(frozen=True)
class Jump:
    """Where what an expression is made of is zero, and by how much it jumps there."""

    zero: sp.Expr
    height: float


def jump(
    law: sp.Expr, along: Sequence[sp.Symbol], values: Values, above: float = -math.inf
) -> Jump | None:
    """The first jump of a law along one of its variables that is found, if any.

    `values` are those of the parameters; what else varies is drawn. The variables exceed `above`.

    Source
        own
    """
    chooser = random.Random(0)
    varies = sorted(law.free_symbols - values.keys(), key=str)
    for zero in sorted(_places(law), key=sp.default_sort_key):
        for symbol in sorted(zero.free_symbols & {*along}, key=str):
            for _ in range(DRAWS if varies != [symbol] else 1):
                drawn = {x: Fraction(chooser.randint(-999, 999), 500) for x in varies}
                for at in _zeros(zero, symbol, {**values, **drawn}):
                    height = _height(law, symbol, at, {**values, **drawn})
                    if at > above and height:
                        return Jump(zero, height)
    return None


def _places(law: sp.Expr) -> set[sp.Expr]:
    """What is zero where the law may jump."""
    steps: set[sp.Expr] = {x.args[0] for x in law.atoms(step, sp.sign)}
    over = {x.base for x in law.atoms(sp.Pow) if x.exp.is_negative}
    return steps | over | {sp.cos(x.args[0]) for x in law.atoms(sp.tan)}


def _zeros(function: sp.Expr, symbol: sp.Symbol, values: Values) -> Iterable[Fraction]:
    """Some zeros along a symbol: of a function that is linear in it the one that it has."""
    slope = function.diff(symbol)
    if symbol in slope.free_symbols or slope.atoms(sp.DiracDelta, sp.Derivative):
        return _passed(function, symbol, values)
    rise, start = evaluated(slope, values), evaluated(function, {**values, symbol: Fraction(0)})
    return [] if not rise or start is None else [-start / rise]


def _passed(function: sp.Expr, symbol: sp.Symbol, values: Values) -> Iterator[Fraction]:
    """Where the function's sign changes between neighbouring points of a line."""
    points = [Fraction(2 * FAR * k, PIECES) - FAR + Fraction(1, 997) for k in range(PIECES + 1)]
    found = [evaluated(function, {**values, symbol: x}) for x in points]
    for low, high, before, after in zip(points, points[1:], found, found[1:], strict=False):
        if before is None or after is None or (before > 0) == (after > 0):
            continue
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            value = evaluated(function, {**values, symbol: middle})
            if value is None:
                break
            low, high = (middle, high) if (value > 0) == (before > 0) else (low, middle)
        else:
            yield (low + high) / 2


def _height(law: sp.Expr, symbol: sp.Symbol, at: Fraction, values: Values) -> float:
    """How far the law jumps there; 0 where it does not, or has no value on one side."""
    across = []
    for near in NEAR:
        sides = [evaluated(law, {**values, symbol: at + side * near}) for side in (-1, 1)]
        if sides[0] is None or sides[1] is None:
            return 0.0
        across.append(abs(sides[1] - sides[0]))
    wide, narrow = across
    return float(narrow) if wide / 2 < narrow < 2 * wide else 0.0

"""Values and slopes of expressions at a state, in exact numbers and sixty digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import sympy as sp

from ...errors import ModelError
from .domains import slope
from .evaluation import evaluated
from .quantities import exact_expression, parameter
from .text import read


def slopes(text: str, values: Mapping[str, float], along: Sequence[str]) -> list[float]:
    """The partial derivatives of an expression by some of its names, at these values of all.

    What steps or has a corner is left out there, as in the derivatives of laws.

    Raises
        ModelError: the text is no expression of the names, or has no finite slope there.
    Source
        own
    """
    known = {parameter(name): None for name in values}
    expression = exact_expression(read(text, known))
    at = {parameter(name): Fraction(float(value)) for name, value in values.items()}
    return [_slope(text, expression, parameter(name), at) for name in along]


def _slope(
    text: str, expression: sp.Expr, symbol: sp.Symbol, at: Mapping[sp.Symbol, Fraction]
) -> float:
    found = evaluated(slope(expression, symbol), at)
    if found is None:
        raise ModelError(f"{text!r} has no finite slope along {symbol} there")
    return float(found)

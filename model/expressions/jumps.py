"""The instants at which laws in time jump or bend, found for sure.

Laws are smooth but where what `step`, `sign` or `abs` takes is zero. Where that is a function f of
the time and the parameters alone, its zeros are isolated in interval arithmetic: a piece of time
on which the range of f holds no zero is left out; one on which f is monotone has a zero if the
signs at its ends differ; all others are halved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt
import sympy as sp

from ...errors import UsageError
from ..parts.system import System
from .functions import defined, step
from .instants import MOST, UNSURE, Instant, instants_among, unsure
from .quantities import TIME, Quantity, exact_expression, parameter, shown

Floats = npt.NDArray[np.float64]

#: The least and the largest value of an expression on pieces of time.
Range = tuple[Floats, Floats]


def instants(
    model: System, values: Mapping[str, float], start: float, end: float, unit: float
) -> tuple[Instant, ...]:
    """The jumps and bends in time of all laws of a model within [start, end], in order.

    `values` are the parameters'; times are told apart by roundings of them or of `unit`.
    Zeros that depend on the state are none of these.

    Units
        s.
    Raises
        UsageError: a law jumps more than a million times.
    """
    return instants_among(sorted(zeros(laws(model), values, start, end, unit)), unit)


def zeros(
    laws: Iterable[Quantity], values: Mapping[str, float], start: float, end: float, unit: float
) -> list[float]:
    """When laws of the time and the parameters jump or bend within [start, end].

    Raises
        UsageError: one does more than a million times.
    """
    given = {parameter(name): exact_expression(x) for name, x in values.items()}
    inside = (start - unsure(start, unit), end + unsure(end, unit))
    found: list[float] = []
    for taken in sorted(arguments(laws), key=str):
        function = taken.xreplace(given)
        known = all(x.func in KNOWN for x in function.atoms(sp.Function))
        if known and function.free_symbols == {TIME}:
            found += _zeros(function, *inside, unit)
    return found


def laws(model: System) -> list[Quantity]:
    """The laws of a model that may jump or bend."""
    found = [law for h in model.hinges for law in (*h.force, h.potential)]
    found += [law for load in model.loads for law in (*load.force, *load.moment)]
    return found + [law for x in model.forces for law in (x.law, x.potential, *x.medium)]


def arguments(laws: Iterable[Quantity]) -> set[sp.Expr]:
    """What laws take the `step`, `sign` or `abs` of."""
    jumps = (exact_expression(law).atoms(step, sp.sign, sp.Abs) for law in set(laws))
    return {jump.args[0] for found in jumps for jump in found}


#: The functions that NumPy does not have.
_NUMPY = {"step": lambda x: np.heaviside(x, 1.0), "defined": lambda x: 1.0 + (x - x)}


def _zeros(function: sp.Expr, start: float, end: float, unit: float) -> list[float]:
    """The zeros of a function of time, each at least once."""
    function = function.replace(sp.Abs, lambda x: x * (2 * step(x) - 1))
    function = function.replace(sp.sign, lambda x: 2 * step(x) - 1)
    slope = function.diff(TIME)
    value = sp.lambdify(TIME, function, [_NUMPY, "numpy"])
    edges = np.linspace(start, end, 17)
    low, high = edges[:-1], edges[1:]
    found: list[float] = []
    with np.errstate(all="ignore"):
        while len(low):
            if len(low) + len(found) > MOST:
                raise UsageError(
                    f"{shown(function)} is zero more than {MOST // 2:.0e} times from "
                    f"t = {start:g} to {end:g} s: end the motion earlier"
                )
            least, most = _range(function, (low, high))
            may = (least <= 0) & (most >= 0) & (least < most)
            low, high = low[may], high[may]
            least, most = _range(slope, (low, high))
            monotone = (least > 0) | (most < 0)
            found += _bisected(value, low[monotone], high[monotone])
            width = UNSURE / 8 * np.maximum(np.abs(high), unit)
            narrow = ~monotone & (high - low <= width)
            found += (0.5 * (low + high))[narrow].tolist()
            low, high = low[~monotone & ~narrow], high[~monotone & ~narrow]
            middle = 0.5 * (low + high)
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return found


def _bisected(value: Callable[[Floats], Floats], low: Floats, high: Floats) -> list[float]:
    """The zeros between times where signs differ, to neighbouring doubles."""
    differ = np.sign(value(low)) * np.sign(value(high)) <= 0
    low, high = low[differ], high[differ]
    end = np.sign(value(high))
    while ((low < (middle := 0.5 * (low + high))) & (middle < high)).any():
        after = np.sign(value(middle)) == end
        low, high = np.where(after, low, middle), np.where(after, middle, high)
    nearer = np.abs(value(low)) < np.abs(value(high))
    return [float(x) for x in np.where(nearer, low, high)]


# Interval arithmetic


def _range(x: sp.Expr, t: Range) -> Range:
    """Bounds of an expression on pieces of time; where it is not real, of nothing at all."""
    if x == TIME:
        return t
    if x.is_number:
        return np.full_like(t[0], float(x)), np.full_like(t[0], float(x))
    parts = [_range(part, t) for part in x.args]
    match x:
        case sp.Add():
            return _sum(parts)
        case sp.Mul():
            return _product(parts)
        case sp.Pow(exp=sp.Rational() as exponent):
            return _power(parts[0], exponent)
        case sp.sin():
            return _sine(parts[0])
        case sp.cos():
            return _sine((parts[0][0] + np.pi / 2, parts[0][1] + np.pi / 2))
        case sp.tan():
            return _product([_sine(parts[0]), _power(_range(sp.cos(x.args[0]), t), sp.Integer(-1))])
    function, lowest, highest = _RISING[x.func]
    low, high = (function(np.clip(bound, lowest, highest)) for bound in parts[0])
    return (high, low) if x.func is sp.acos else (low, high)


#: Monotone functions with the least and the largest number that they take.
_RISING: dict[type, tuple[Callable[[Floats], Floats], float, float]] = {
    sp.exp: (np.exp, -np.inf, np.inf),
    sp.log: (np.log, 0.0, np.inf),
    sp.tanh: (np.tanh, -np.inf, np.inf),
    sp.atan: (np.arctan, -np.inf, np.inf),
    sp.asin: (np.arcsin, -1.0, 1.0),
    sp.acos: (np.arccos, -1.0, 1.0),
    step: (lambda x: np.heaviside(x, 1.0), -np.inf, np.inf),
    defined: (np.ones_like, -np.inf, np.inf),
}

#: The functions of which bounds are known.
KNOWN = {*_RISING, sp.sin, sp.cos, sp.tan, sp.sign, sp.Abs}


def _sum(parts: list[Range]) -> Range:
    """Rounding is on the side of more, in proportion to the terms, unless these stand still."""
    bounds = np.array(parts)
    slack = 4 * np.finfo(np.float64).eps * np.abs(bounds).max(axis=1).sum(axis=0)
    slack = np.where((bounds[:, 0] == bounds[:, 1]).all(axis=0), 0.0, slack)
    low, high = bounds.sum(axis=0)
    return low - slack, high + slack


def _product(parts: list[Range]) -> Range:
    low, high = parts[0]
    for other in parts[1:]:
        ends = np.nan_to_num(  # 0 times whatever is 0
            np.array([a * b for a in (low, high) for b in other]), posinf=np.inf, neginf=-np.inf
        )
        low, high = ends.min(axis=0), ends.max(axis=0)
    return low, high


def _power(base: Range, exponent: sp.Rational) -> Range:
    if exponent < 0:
        low, high = _power(base, -exponent)
        wide = (low <= 0) & (high >= 0)
        return np.where(wide, -np.inf, 1 / high), np.where(wide, np.inf, 1 / low)
    least, most = base
    if exponent.q != 1:
        least, most = np.maximum(least, 0.0), np.maximum(most, 0.0)
    ends = np.sort(np.array([least, most]) ** float(exponent), axis=0)
    turns = exponent.p % 2 == 0 and exponent.q == 1
    return np.where(turns & (least < 0) & (most > 0), 0.0, ends[0]), ends[1]


def _sine(of: Range) -> Range:
    """±1 where a quarter of a turn is passed, else what the ends say."""
    low, high = of
    ends = np.sort(np.array([np.sin(low), np.sin(high)]), axis=0)
    tops = np.floor((high - np.pi / 2) / (2 * np.pi)) > np.floor((low - np.pi / 2) / (2 * np.pi))
    bottoms = np.floor((high + np.pi / 2) / (2 * np.pi)) > np.floor((low + np.pi / 2) / (2 * np.pi))
    return np.where(bottoms, -1.0, ends[0]), np.where(tops, 1.0, ends[1])

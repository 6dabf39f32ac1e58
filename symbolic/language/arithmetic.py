"""The numbers that programs are run in: floats, exact fractions, mpmath's and long decimals.

Floats and mpmath's may be complex; a step and a sign then are those of the real part.

Sums, products and quotients of Python's decimals take a tenth of the time of mpmath's; their sines
and the like are mpmath's.
"""

from __future__ import annotations

import cmath
import decimal
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath

from ...errors import UsageError

Number = Any


@dataclass(frozen=True)
class Arithmetic:
    """How numbers are made of fractions, and its functions by SymPy's names.

    Of pivots that of the greatest `size` is taken.
    """

    name: str
    make: Callable[[Fraction], Number]
    functions: Mapping[str, Callable[..., Number]]
    size: Callable[[Number], Any] = abs


def _refused(*_: Number) -> Number:
    raise UsageError("atan2 has no exact form; use floats or digits")


def _of_reals(function: Callable[..., Number]) -> Callable[..., Number]:
    """The function where its value is real: as in C, there is no square root of −1."""

    def real(*x: Number) -> Number:
        try:
            found = function(*x)
        except ValueError:
            return math.nan
        return mpmath.nan if isinstance(found, mpmath.mpc) else found

    return real


def _partial(of: Mapping[str, Any], power: str) -> dict[str, Callable[..., Number]]:
    """Those functions that have no real value everywhere."""
    partial = {name: _of_reals(of[name]) for name in ("sqrt", "log", "asin", "acos")}
    return partial | {"pow": _of_reals(of[power])}


_PLAIN: dict[str, Callable[..., Number]] = {
    "Abs": abs,
    "sign": lambda x: (x.real > 0) - (x.real < 0),
    "step": lambda x: 1 if x.real >= 0 else 0,
    "defined": lambda x: 1 + (x - x),
}
_MATH = vars(math) | _PLAIN | _partial(vars(math), "pow")
_MPMATH = vars(mpmath) | _PLAIN | _partial(vars(mpmath), "power")
_MPMATH |= {"pi": lambda: +mpmath.pi, "E": lambda: +mpmath.e, "I": lambda: mpmath.j}
_MATH |= {"pi": lambda: math.pi, "E": lambda: math.e, "I": lambda: 1j, "arg": cmath.phase}

FLOAT = Arithmetic("double", float, _MATH)
EXACT = Arithmetic("exact fractions", Fraction, {**FLOAT.functions, "atan2": _refused})


class _Generic(dict[str, Callable[..., Fraction]]):
    """Of functions without exact values others that have; by name, and as good as any."""

    def __missing__(self, name: str) -> Callable[..., Fraction]:
        seed = Fraction(sum(map(ord, name)))
        self[name] = lambda *x: seed + sum((seed + k) * y + y * y for k, y in enumerate(x, 1))
        return self[name]


#: The binary exponents of decimals made of mpmath's numbers; those of doubles are within 1075.
FAR = 10**5

#: What is so in this arithmetic is so whatever the functions are.
GENERIC = Arithmetic("fractions, any functions", Fraction, _Generic(_PLAIN))


def digits(count: int) -> Arithmetic:
    """mpmath numbers; the caller sets `mpmath.mp.dps` (see `working_digits`)."""
    return Arithmetic(f"{count} digits", lambda x: mpmath.mpf(x.numerator) / x.denominator, _MPMATH)


def decimals(count: int) -> Arithmetic:
    """Decimal numbers; the caller sets how many digits are kept (see `working`).

    Source
        own
    """
    return Arithmetic(f"{count} decimals", _made, _Functions(digits(count)))


def working(count: int) -> AbstractContextManager[decimal.Context]:
    """So many digits in this block, and no bounds: what is no number is passed on as such.

    Source
        own
    """
    return decimal.localcontext(
        decimal.Context(
            prec=count,
            Emax=decimal.MAX_EMAX,
            Emin=decimal.MIN_EMIN,
            traps=[decimal.DivisionByZero],
        )
    )


def as_mpf(x: Any) -> mpmath.mpf:
    """The number as one of mpmath's, rounded to its working precision.

    Source
        own
    """
    return mpmath.mpf(str(x) if isinstance(x, Decimal) else x)


def as_decimal(x: Any) -> Decimal:
    """The number as a decimal: of a double exactly, of mpmath's rounded to the working digits.

    A complex one is none: as in C, there is no square root of -1. One that is far out of the range
    of doubles, as exp(−1e6) is, is zero or infinite: its power of 2 would fill the memory.

    Source
        own
    """
    if isinstance(x, mpmath.mpc):
        return Decimal("NaN")
    if not isinstance(x, mpmath.mpf):
        return Decimal(x)
    if not mpmath.isfinite(x):
        return Decimal(float(x))
    if abs(mpmath.mag(x)) > FAR:
        return Decimal(0) if abs(x) < 1 else Decimal("Infinity") * int(mpmath.sign(x))
    numerator, denominator = mpmath.libmp.to_rational(x._mpf_)
    return Decimal(int(numerator)) / Decimal(int(denominator))


def _made(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


class _Functions(dict[str, Callable[..., Any]]):
    """The functions of mpmath's numbers, of decimals."""

    def __init__(self, of: Arithmetic) -> None:
        plain = {name: of.functions[name] for name in ("Abs", "sign", "step", "defined")}
        super().__init__(plain | {"sqrt": Decimal.sqrt})
        self._of = of.functions

    def __missing__(self, name: str) -> Callable[..., Any]:
        function = self._of[name]
        self[name] = lambda *x: as_decimal(function(*map(as_mpf, x)))
        return self[name]

"""Numbers of expressions: a walk over the tree, whose cost is bounded by the text's length.

SymPy, given numbers for the symbols, would simplify what it meets: a power of a decimal becomes a
root of the 2⁵⁴th degree, for which no memory suffices. Here sums, products and whole powers of
rational numbers are exact; all else has sixty digits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeAlias

import mpmath
import sympy as sp

Number: TypeAlias = "Fraction | mpmath.mpf"

#: Digits of what is not rational, and what of a sum or a sine is nothing but their rounding.
DIGITS = 60
ROUNDING = mpmath.mpf(10) ** -45

#: Powers of rational numbers of more bits than this are not exact.
BITS = 20_000

#: The functions of expressions, by SymPy's names.
FUNCTIONS: Mapping[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
    **{
        name: getattr(mpmath, name)
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "tanh", "sign")
    },
    "Abs": mpmath.fabs,
    "step": lambda x: mpmath.mpf(x >= 0),
    "defined": lambda x: 1 + (x - x),
}


def evaluated(expression: sp.Expr, values: Mapping[sp.Symbol, Fraction]) -> Fraction | None:
    """The expression's value; None if it is no finite real number.

    Raises
        KeyError: it has a symbol without a value.
    Source
        own
    """
    with mpmath.workdps(DIGITS):
        try:
            found = _Walk(values).number(expression)
        except (ZeroDivisionError, ValueError, OverflowError):
            return None
        if isinstance(found, Fraction):
            return found
        if not isinstance(found, mpmath.mpf) or not mpmath.isfinite(found):
            return None
        if abs(mpmath.mag(found)) > BITS:
            return Fraction(0) if mpmath.mag(found) < 0 else None
        mantissa, exponent = found.man_exp
        return int(mpmath.sign(found)) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


class _Walk:
    """The value of each node of a tree, its arguments' values first."""

    def __init__(self, values: Mapping[sp.Symbol, Fraction]) -> None:
        self.values = values

    def number(self, x: sp.Expr) -> Number:
        if isinstance(x, sp.Rational):
            return Fraction(int(x.p), int(x.q))
        if isinstance(x, sp.Float):
            return Fraction(float(x))
        if isinstance(x, sp.Symbol):
            return self.values[x]
        if x is sp.pi or x is sp.E:
            return +mpmath.pi if x is sp.pi else +mpmath.e
        if isinstance(x, sp.Add):
            return _sum([self.number(term) for term in x.args])
        if isinstance(x, sp.Mul):
            product: Number = Fraction(1)
            for factor in x.args:
                product = _product(product, self.number(factor))
            return product
        if isinstance(x, sp.Pow):
            return _power(self.number(x.base), self.number(x.exp))
        if x in (sp.zoo, sp.nan, sp.oo, -sp.oo):
            raise ZeroDivisionError
        if x.func.__name__ in FUNCTIONS and len(x.args) == 1:
            return _function(x.func.__name__, self.number(x.args[0]))
        return self.by_sympy(x)

    def by_sympy(self, x: sp.Expr) -> Number:
        """The value of a function that model files have not, in a model written in Python."""
        values = {s: sp.Rational(v.numerator, v.denominator) for s, v in self.values.items()}
        found = sp.N(x.xreplace(values), DIGITS)
        if not found.is_Number or not found.is_finite:
            raise ValueError(str(x))
        return mpmath.mpf(str(found))


def _real(x: Number) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def _sum(terms: list[Number]) -> Number:
    exact = sum((x for x in terms if isinstance(x, Fraction)), Fraction(0))
    others = [x for x in terms if not isinstance(x, Fraction)]
    if not others:
        return exact
    parts = [_real(exact), *others]
    total = mpmath.fsum(parts)
    return Fraction(0) if abs(total) <= ROUNDING * max(map(abs, parts)) else total


def _product(a: Number, b: Number) -> Number:
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return _real(a) * _real(b)


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        if base == 0 and exponent < 0:
            raise ZeroDivisionError
        if exponent.denominator == 1:
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(exponent.numerator) <= BITS:
                return base**exponent.numerator
        elif exponent.denominator == 2 and base >= 0:
            root = _root(base)
            if root is not None:
                return _power(root, Fraction(exponent.numerator))
    return mpmath.power(_real(base), _real(exponent))


def _root(x: Fraction) -> Fraction | None:
    """The square root of a square; else None."""
    above, over = sp.integer_nthroot(x.numerator, 2)
    below, under = sp.integer_nthroot(x.denominator, 2)
    return Fraction(int(above), int(below)) if over and under else None


def _function(name: str, argument: Number) -> Number:
    if isinstance(argument, Fraction):
        if name in ("Abs", "sign", "step", "defined"):
            return {
                "Abs": abs(argument),
                "sign": Fraction((argument > 0) - (argument < 0)),
                "step": Fraction(int(argument >= 0)),
                "defined": Fraction(1),
            }[name]
        if argument == 0 and name in ("sin", "tan", "asin", "atan", "tanh"):
            return argument
        if argument == 0 and name in ("cos", "exp"):
            return Fraction(1)
        if argument == 1 and name == "log":
            return Fraction(0)
    elif isinstance(argument, mpmath.mpc):
        raise ValueError(name)
    found = FUNCTIONS[name](_real(argument))
    if name in ("sin", "cos", "tan") and abs(found) <= ROUNDING:
        return Fraction(0)
    return found

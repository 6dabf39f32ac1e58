"""Constants that keep their formulas in the model's parameters while they are folded.

A number that is made of baked parameters is a fraction with a formula beside it: of m = 1.2 and
a = 0.5 the product is 0.6 and says m a. It is equal to the plain fraction and hashed alike, so that
nothing that is computed depends on formulas; they are for the names of printed constants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache

import sympy as sp

#: Operations beyond which a formula is given up.
LONGEST = 12

#: Numbers in a formula are small fractions; others have come out of some longer computation.
LARGEST = 10_000


class Named(Fraction):
    """A number made of parameters, and its formula in their symbols.

    The formula is NaN where nobody would read it. Numbers are asked for their type: to
    ask for an instance of fractions, an abstract base class, takes ten times as long.
    """

    __slots__ = ("formula",)

    formula: sp.Expr

    @classmethod
    def of(cls, value: Fraction, formula: sp.Expr) -> Fraction:
        """The number with its formula, if that is not too long."""
        if not value:
            return Fraction(0)
        made = cls(value.numerator, value.denominator)
        made.formula = formula if _is_read(formula) else sp.nan
        return made

    def __reduce__(self) -> tuple[Callable[..., Fraction], tuple[object, ...]]:
        return Named.of, (Fraction(self.numerator, self.denominator), self.formula)


@cache
def _is_read(formula: sp.Expr) -> bool:
    return bool(formula.count_ops() <= LONGEST)


def decimal(formula: sp.Expr) -> sp.Expr:
    """A formula with the decimals of a model, which are doubles, as those: 0.8 is 4/5."""
    long = [x for x in formula.atoms(sp.Rational) if x.q > LARGEST and abs(x) <= LARGEST]
    return formula.xreplace({x: sp.Rational(repr(float(x))) for x in long})


def formula_of(value: Fraction | int | None) -> sp.Expr | None:
    """The formula of a number; None of one that is made of no parameter."""
    return value.formula if type(value) is Named else None


def lost(value: Fraction) -> Fraction:
    """The number without its formula."""
    return Named.of(value, sp.nan)


def agreed(values: Iterable[Fraction]) -> Fraction:
    """Equal numbers as one, with their formula if it is the same."""
    first, *others = values
    formula = formula_of(first)
    return first if all(formula_of(x) == formula for x in others) else lost(first)


def product(x: Fraction, y: Fraction) -> Fraction:
    return _made(x * y, x, y, lambda a, b: a * b)


def total(x: Fraction, y: Fraction) -> Fraction:
    return _made(x + y, x, y, lambda a, b: a + b)


def negative(x: Fraction) -> Fraction:
    return Named.of(-x, -x.formula) if type(x) is Named else -x


def inverse(x: Fraction) -> Fraction:
    return Named.of(1 / x, 1 / x.formula) if type(x) is Named else 1 / x


def _made(
    value: Fraction, x: Fraction, y: Fraction, made: Callable[[sp.Expr, sp.Expr], sp.Expr]
) -> Fraction:
    """A plain value unless one of the two that it is made of has a formula."""
    if type(x) is not Named and type(y) is not Named:
        return value
    return Named.of(value, made(_formula(x), _formula(y)))


def _formula(x: Fraction) -> sp.Expr:
    if type(x) is Named:
        return x.formula
    known = decimal(sp.Rational(x.numerator, x.denominator))
    return known if max(abs(known.p), known.q) <= LARGEST else sp.nan

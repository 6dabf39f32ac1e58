"""The functions of expressions: SymPy's, and those that step or say where there is a value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp


class step(sp.Function):  # type: ignore[misc]  # noqa: N801 (named as in files)
    """0 for x < 0, 1 for x ≥ 0. Its derivative is 0: let it multiply what is 0 where it steps."""

    nargs = 1

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        if x.is_extended_negative:
            return sp.Integer(0)
        return sp.Integer(1) if x.is_extended_nonnegative else None

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return sp.Integer(0)

    def _eval_is_extended_real(self) -> bool:
        return True


class defined(sp.Function):  # type: ignore[misc]  # noqa: N801 (named as in files)
    """1 where x has a finite real value; no number where it has none, as √x has none at x < 0."""

    nargs = 1

    @classmethod
    def eval(cls, x: sp.Expr) -> sp.Expr | None:
        return sp.Integer(1) if x.is_number and x.is_real else None

    def fdiff(self, argindex: int = 1) -> sp.Expr:
        return sp.Integer(0)

    def _eval_is_extended_real(self) -> bool:
        return True


def _absolute(x: sp.Expr) -> sp.Expr:
    """|x|. Of what SymPy does not know to be real it has no derivative."""
    return sp.Abs(x) if x.is_extended_real else x * (2 * step(x) - 1)


def _signed(x: sp.Expr) -> sp.Expr:
    return sp.sign(x) if x.is_extended_real else step(x) - step(-x)


def _greatest(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    """a where a ≥ b, else b: either as it is, without rounding."""
    first = step(a - b)
    return a * first + b * (1 - first)


def _least(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    first = step(b - a)
    return a * first + b * (1 - first)


@dataclass(frozen=True)
class Known:
    """A function of expressions, and the one in double precision that bounds its value."""

    exact: Callable[..., sp.Expr]
    double: Callable[..., float]
    arguments: int = 1


#: The functions of an expression, as texts call them.
FUNCTIONS: dict[str, Known] = {
    **{
        name: Known(getattr(sp, name), getattr(math, name))
        for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "tanh")
    },
    "abs": Known(_absolute, abs),
    "sign": Known(_signed, lambda x: x and math.copysign(1.0, x)),
    "step": Known(step, lambda x: x if math.isnan(x) else float(x >= 0)),
    "min": Known(_least, lambda a, b: a + b if math.isnan(a + b) else min(a, b), arguments=2),
    "max": Known(_greatest, lambda a, b: a + b if math.isnan(a + b) else max(a, b), arguments=2),
    "defined": Known(defined, lambda x: 1.0 + (x - x)),
}

#: Those of SymPy's names that texts call otherwise.
WRITTEN: dict[type, str] = {sp.Abs: "abs"}

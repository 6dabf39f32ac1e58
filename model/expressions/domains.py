"""Where a text has a value, kept beside what SymPy makes of it.

SymPy takes √q² for q, e^(log q) for q and q²/q for q: what is left has values where the text has
none. What a text takes a root of must not be negative, what it divides by not zero; a condition
that is lost from the expression is put back as a factor `defined`, 1 where it holds. A derivative
loses conditions too: that of log q, 1/q, has values at q < 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import sympy as sp

from .differentiated import differentiated
from .functions import defined, step


def conditions(x: sp.Expr) -> frozenset[sp.Expr]:
    """The roots and inverses without which the expression has no value.

    A step hides what it takes: as emitted it is 0 of what is no number.
    """
    match x:
        case step() | sp.sign():
            return frozenset()
        case sp.Pow(base=base, exp=sp.Rational() | sp.Float() as exponent):
            found = conditions(base)
            if not float(exponent).is_integer():
                found |= _root(base)
            return found | _inverse(base) if exponent < 0 else found
        case sp.log():
            return conditions(x.args[0]) | _root(x.args[0]) | _inverse(x.args[0])
        case sp.asin() | sp.acos():
            return conditions(x.args[0]) | _root(1 - x.args[0] ** 2)
    return frozenset[sp.Expr]().union(*map(conditions, x.args))


def within(x: sp.Expr, domain: Iterable[sp.Expr]) -> sp.Expr:
    """The expression where all of the domain has a value too."""
    lost = sorted({*domain} - conditions(x), key=sp.default_sort_key)
    if x == 0:
        return sp.Add(*(defined(each) - 1 for each in lost))
    return sp.Mul(x, *map(defined, lost))


def slope(x: sp.Expr, along: sp.Symbol) -> sp.Expr:
    """∂x/∂along where x has a value. What steps or has a corner there is left out.

    Source
        own
    """
    found = differentiated(x, along)
    if found.has(sp.DiracDelta):
        found = found.replace(sp.DiracDelta, lambda *_: sp.Integer(0))
    logs = [conditions(each) for each in _logs(x) if along in each.free_symbols]
    lost = {y for each in logs for y in each if along in y.free_symbols}
    return within(found, lost) if lost else found


@lru_cache(maxsize=1 << 15)
def _logs(x: sp.Basic) -> frozenset[sp.Expr]:
    """The logarithms in an expression, each part of which is looked into once."""
    own = [x] if isinstance(x, sp.log) else []
    return frozenset(own).union(*map(_logs, x.args))


def _root(x: sp.Expr) -> frozenset[sp.Expr]:
    """√x, or what is left of it: √(x² y) is |x| √y."""
    root = sp.Integer(0) if x.is_extended_nonnegative else sp.sqrt(x)
    return frozenset(
        sp.sqrt(each.base)
        for each in sp.Mul.make_args(root)
        if isinstance(each, sp.Pow) and not each.is_number and each.exp == sp.Rational(1, 2)
    )


def _inverse(x: sp.Expr) -> frozenset[sp.Expr]:
    factors = (f.base if isinstance(f, sp.Pow) else f for f in sp.Mul.make_args(x))
    return frozenset(1 / f for f in factors if f.is_zero is not False)

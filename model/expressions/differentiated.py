"""Derivatives as SymPy writes them, found by a walk that keeps what it has found.

`Expr.diff` asks of every part whether it is zero, and what it holds, again and again; of kernels of
some hundred entries that takes most of the time. The same rules without these questions give the
same expressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from operator import mul

import sympy as sp


@lru_cache(maxsize=1 << 15)
def differentiated(x: sp.Expr, along: sp.Symbol) -> sp.Expr:
    """∂x/∂along, the expression that `x.diff(along)` gives."""
    if x.is_Symbol:
        return sp.S.One if x == along else sp.S.Zero
    if not x.args:
        return sp.S.Zero
    if x.is_Add:
        return sp.Add(*(differentiated(part, along) for part in x.args))
    if x.is_Mul:
        return sp.Add(*_products(x.args, along))
    if x.is_Pow:
        return _power(x, along)
    if type(x)._eval_derivative is sp.Function._eval_derivative:
        steps = enumerate((differentiated(part, along) for part in x.args), start=1)
        return sp.Add(*(x.fdiff(i) * step for i, step in steps if step))
    return x.diff(along)


def jacobian(column: Iterable[sp.Expr], by: Sequence[sp.Symbol]) -> sp.Matrix:
    """∂column/∂by, a row for each entry of the column."""
    rows = [[differentiated(x, y) for y in by] for x in column]
    return sp.Matrix(len(rows), len(by), [x for row in rows for x in row])


def rate(value: sp.Matrix, steps: Iterable[tuple[sp.Symbol, sp.Expr]]) -> sp.Matrix:
    """Σ ∂value/∂x ẋ over the steps (x, ẋ)."""
    known = [*steps]
    rates = [sp.Add(*(differentiated(x, y) * step for y, step in known)) for x in value]
    return sp.Matrix(*value.shape, rates)


def _products(factors: tuple[sp.Expr, ...], along: sp.Symbol) -> list[sp.Expr]:
    """The terms of the rule for products."""
    changes = [differentiated(factor, along) for factor in factors]
    return [
        reduce(mul, (*factors[:i], change, *factors[i + 1 :]), sp.S.One)
        for i, change in enumerate(changes)
        if change
    ]


def _power(x: sp.Pow, along: sp.Symbol) -> sp.Expr:
    """(bᵉ)' = bᵉ (e' log b + b' e / b)."""
    base, exponent = (differentiated(part, along) for part in x.args)
    relative = exponent * sp.log(x.base) if exponent else sp.S.Zero
    if base:
        relative += base * x.exp / x.base
    return x * relative

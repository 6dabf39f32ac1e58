"""Derivatives found by the walk are the expressions that SymPy finds."""

from __future__ import annotations

from random import Random

import pytest
import sympy as sp

from mstmm.model.expressions.differentiated import differentiated, jacobian, rate
from mstmm.model.expressions.functions import defined, step

X, Y = sp.symbols("x y", real=True)


def expression(rng: Random, depth: int) -> sp.Expr:
    """Sums, products, powers of all sorts, functions with and without corners."""
    if depth == 0:
        return rng.choice((X, X, Y, sp.Integer(3), sp.Rational(-2, 7), sp.pi))
    a, b = expression(rng, depth - 1), expression(rng, rng.randrange(depth))
    return rng.choice(
        (
            a + b,
            a + b,
            a * b,
            a * b,
            a / (b**2 + 1),
            a**3,
            (a**2 + 1) ** b,
            sp.sqrt(a**2 + 2),
            sp.sin(a) * sp.cos(b),
            sp.atan2(a, b**2 + 1),
            sp.log(a**2 + 1),
            sp.exp(-b),
            step(a) * b,
            defined(a) * b,
            sp.Abs(a),
            sp.Piecewise((a, X > Y), (b, True)),
        )
    )


@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_sympy_finds(seed: int) -> None:
    rng = Random(seed)
    for _ in range(5):
        found = expression(rng, 3)
        for along in (X, Y):
            assert differentiated(found, along) == found.diff(along), found


def test_rows_and_rates() -> None:
    column = sp.Matrix([X * Y, sp.sin(X), Y**2])
    assert jacobian(column, (X, Y)) == column.jacobian([X, Y])
    assert jacobian(column, ()).shape == (3, 0)
    assert rate(column.T, [(X, Y), (Y, X)]) == sp.Matrix([[Y**2 + X**2, Y * sp.cos(X), 2 * X * Y]])

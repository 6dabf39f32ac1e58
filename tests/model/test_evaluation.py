"""Numbers of expressions: exact where they are rational, bounded in cost whatever the text."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from mstmm.model.expressions.evaluation import evaluated
from mstmm.model.expressions.functions import FUNCTIONS
from mstmm.model.expressions.quantities import exact_expression, parameter
from mstmm.model.expressions.text import read

A, B = parameter("a"), parameter("b")
VALUES = {A: Fraction(37, 100), B: Fraction(-5, 3)}


def value(text: str) -> Fraction | None:
    return evaluated(read(text, {A: 0.37, B: -5 / 3}), VALUES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b", Fraction(37, 100) - Fraction(5, 3)),
        ("1/(a*b)", 1 / (Fraction(37, 100) * Fraction(-5, 3))),
        ("(b + 1)**3", Fraction(-8, 27)),
        ("sqrt((b - 1/3)**2)", Fraction(2)),
        ("abs(b) + sign(b) + step(b) + step(a)", Fraction(5, 3)),
        ("sin(a - a) + cos(0*a)", Fraction(1)),
    ],
)
def test_what_is_rational_is_exact(text: str, expected: Fraction) -> None:
    assert value(text) == expected


def test_a_sine_of_multiples_of_pi_is_exactly_zero() -> None:
    assert evaluated(sp.sin(sp.pi * A), {A: Fraction(7)}) == 0
    assert evaluated(sp.cos(sp.pi * A / 2) + 1, {A: Fraction(3)}) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + sin(tanh(a**0.3) + 1/3)", 2.8213328626931653),
        ("exp((0.1 - 1e16)*a)**(1/3)", 0.0),
        ("exp(exp(exp(a)))", 70.34894935387348),
    ],
)
def test_powers_of_decimals_cost_no_more_than_others(text: str, expected: float) -> None:
    """SymPy took gigabytes for the first, and did not come back from the second."""
    found = value(text)
    assert found is not None
    assert float(found) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    "expression",
    [sp.log(B), sp.sqrt(B), 1 / (A - sp.Rational(37, 100)), sp.log(A * 0), sp.asin(A + 2)],
)
def test_what_is_no_finite_real_number_is_none(expression: sp.Expr) -> None:
    assert evaluated(expression, VALUES) is None


def test_a_model_written_in_python_may_have_other_functions() -> None:
    found = evaluated(sp.sinh(A) + sp.Max(A, B), VALUES)
    assert found is not None
    assert float(found) == pytest.approx(math.sinh(0.37) + 0.37, rel=1e-15)


LEAVES = st.sampled_from([A, B, sp.Integer(2), sp.Rational(1, 3), sp.pi])


def _grown(children: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
    bounded = [FUNCTIONS[name].exact for name in ("sin", "cos", "atan", "tanh", "abs")]
    return st.one_of(
        st.tuples(children, children).map(sum),
        st.tuples(children, children).map(lambda pair: pair[0] * pair[1]),
        st.tuples(st.sampled_from(bounded), children).map(lambda pair: pair[0](pair[1])),
        st.tuples(children, st.sampled_from([2, 3])).map(lambda pair: pair[0] ** pair[1]),
    )


@given(st.recursive(LEAVES, _grown, max_leaves=6))
def test_random_expressions_have_sympys_value(expression: sp.Expr) -> None:
    """SymPy's own evaluation to 50 digits, of the expression with rational numbers put in."""
    found = evaluated(expression, VALUES)
    exact = {symbol: sp.Rational(x.numerator, x.denominator) for symbol, x in VALUES.items()}
    expected = exact_expression(expression.xreplace(exact)).evalf(50)
    assert found is not None
    error = abs(sp.Rational(found.numerator, found.denominator) - expected)
    assert error <= sp.Float("1e-30") * max(1, abs(expected))

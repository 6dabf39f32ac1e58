"""Expressions in files: what is read, what is refused, and that nothing is ever run."""

from __future__ import annotations

import ast
import contextlib
from contextlib import suppress
from pathlib import Path

import hypothesis.strategies as st
import pytest
import sympy as sp
from counting import python_calls
from hypothesis import assume, example, given, reject, settings

from mstmm.errors import ModelError
from mstmm.model.expressions import text
from mstmm.model.expressions.domains import conditions, within
from mstmm.model.expressions.functions import FUNCTIONS, step
from mstmm.model.expressions.quantities import TIME, hinge_symbol, parameter
from mstmm.model.expressions.text import MAX_LENGTH, read, write

A, B, Q, LAMBDA = parameter("a"), parameter("b"), hinge_symbol("q", 1), parameter("lambda")
VALUES = {A: 1.25, B: 3.5, LAMBDA: 2.0, Q: None, TIME: None}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", A),
        (" 2*a ", 2 * A),
        ("a*b/3", A * B / 3),
        ("1/3", sp.Rational(1, 3)),
        ("0.1", sp.Float(0.1)),
        ("1e-3*q1", sp.Float(1e-3) * Q),
        ("-a**2", -(A**2)),
        ("a - b - t", A - B - TIME),
        ("a/b/t", A / B / TIME),
        ("a**-2", A**-2),
        ("2**3**2", sp.Integer(512)),
        ("sqrt(a)*pi", sp.sqrt(A) * sp.pi),
        ("2*(a + b)*t", sp.Mul(2, A + B, TIME)),
        ("-(a + b)/t", sp.Mul(-1, A + B, 1 / TIME)),
        ("tanh(q1/0.5)", sp.tanh(Q / sp.Float(0.5))),
        ("lambda + 1", LAMBDA + 1),
        ("+a", A),
        ("a+" * 900 + "a", 901 * A),
    ],
)
def test_what_is_read(text: str, expected: sp.Expr) -> None:
    assert read(text, VALUES) == expected


def test_decimals_are_doubles_and_names_have_the_given_symbols() -> None:
    found = read("0.1*a", VALUES)
    assert float(found.as_coeff_Mul()[0]) == 0.1
    assert found.free_symbols == {A}


REFUSED = [
    ("__import__('os')", "no function '__import__'"),
    ("a.b", "is no arithmetic"),
    ("a.__class__", "is no arithmetic"),
    ("(1).real", "is no arithmetic"),
    ("a[0]", "is no arithmetic"),
    ("lambda x: x", "is no expression"),
    ("(lambda: 1)()", "is no expression"),
    ("[a for a in b]", "is no expression"),
    ("[a, b]", "is no arithmetic"),
    ("{}", "is no arithmetic"),
    ("a if b else t", "is no expression"),
    ("1if a else b", "is no expression"),
    ("a := 1", "is no expression"),
    ("a = 1", "is no expression"),
    ("a; b", "is no expression"),
    ("f'{a}'", "is no expression"),
    ("'text'", "is no arithmetic"),
    ("1j", "is no arithmetic"),
    ("a < b", "is no arithmetic"),
    ("a // b", "is no arithmetic"),
    ("a % b", "is no arithmetic"),
    ("~a", "is no arithmetic"),
    ("a^2", "a power is written **"),
    ("...", "is no arithmetic"),
    ("None", "there is no 'None'"),
    ("True", "there is no 'True'"),
    ("c", "there is no 'c'; there are: a, b, lambda, q1, t, pi"),
    ("eval('1')", "there is no function 'eval'"),
    ("max(a)", "max takes two arguments"),
    ("sin", "there is no 'sin'"),
    ("sin(a, b)", "sin takes one argument"),
    ("sin(x=a)", "sin takes one argument"),
    ("sin(*a)", "is no arithmetic"),
    ("a(b)", "there is no function 'a'"),
    ("", "is no expression"),
    ("a +", "is no expression"),
    ("a\0", "characters that no expression has"),
    ("a\nb", "characters that no expression has"),
    ("é", "characters that no expression has"),
    ("1e999", "exceeds the range"),
    ("9**9**9", "an exponent is a number of at most 64"),
    ("9**9**9**9", "an exponent is a number of at most 64"),
    ("(9**64)**64", "exceeds the range"),
    ("((1/97)**64)**64", "exceeds the range"),
    ("(q1**64)**64", "powers of powers"),
    ("(q1**64*t**64)**64", "powers of powers"),
    ("2**a", "an exponent is a number"),
    ("q1**(1/97)", "an exponent is a number"),
    ("exp(exp(exp(exp(9))))", "exceeds the range"),
    ("sin(exp(exp(a*30)))", "exceeds the range"),
    ("1/0", "divides by zero"),
    ("1/(a - a)", "divides by zero"),
    ("sqrt(-1)", "is no real number"),
    ("asin(b)", "is no real number"),
    ("log(0)", "is no real number"),
    ("1" * 1000, "exceeds the range"),
    ("-" * 1900 + "1", "nested too deeply"),
    ("2**" * 600 + "2", ""),
    ("(" * 60 + "a" + ")" * 60, "nests brackets more than 50 deep"),
    ("(" * 10**6 + ")" * 10**6, f"at most {MAX_LENGTH} are read"),
    ("a" * 10**7, f"at most {MAX_LENGTH} are read"),
]


@pytest.mark.parametrize(("text", "part"), REFUSED, ids=[text[:24] for text, _ in REFUSED])
def test_what_is_refused(text: str, part: str) -> None:
    with pytest.raises(ModelError) as caught:
        read(text, VALUES)
    assert part in str(caught.value)
    assert len(str(caught.value)) < 250
    assert "\n" not in str(caught.value)

    def reading() -> None:
        with contextlib.suppress(ModelError):
            read(text, VALUES)

    assert python_calls(reading) < 10_000


@given(st.text(max_size=60) | st.text("ab1.*/+-()^ sqrtin,'_[]e", max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ModelError):
        assert isinstance(read(text, VALUES), sp.Expr)


def test_nothing_is_evaluated() -> None:
    """No call in the module can run a text."""
    tree = ast.parse(Path(text.__file__).read_text())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not names & {"eval", "exec", "compile", "__import__"}
    assert not attributes & {"sympify", "parse_expr", "lambdify", "S", "subs"}


LEAVES = st.one_of(
    st.sampled_from([A, B, Q, TIME, LAMBDA, sp.pi, sp.exp(1), sp.exp(Q - A)]),
    st.integers(-9, 9).map(sp.Integer),
    st.fractions(-5, 5, max_denominator=12).map(lambda x: sp.Rational(x.numerator, x.denominator)),
    st.floats(-1e3, 1e3).map(sp.Float),
)
EXPONENTS = st.sampled_from(
    [sp.Integer(2), sp.Integer(-1), sp.Integer(-3), sp.Rational(1, 2), sp.Rational(-3, 2)]
)


def grown(inner: st.SearchStrategy[sp.Expr]) -> st.SearchStrategy[sp.Expr]:
    """No tower of exponentials: SymPy would evaluate one of numbers."""
    names = sorted(set(FUNCTIONS) - {"asin", "acos", "log", "exp", "min", "max"})
    return st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda x: sp.Add(*x)),
        st.lists(inner, min_size=2, max_size=3).map(lambda x: sp.Mul(*x)),
        st.builds(sp.Pow, inner, EXPONENTS),
        st.builds(lambda name, x: FUNCTIONS[name].exact(x), st.sampled_from(names), inner),
        st.builds(
            lambda name, x, y: FUNCTIONS[name].exact(x, y),
            st.sampled_from(["min", "max"]),
            inner,
            inner,
        ),
    )


def rebuilt(expression: sp.Expr) -> sp.Expr:
    """Some products of roots of numbers change when SymPy multiplies them once more."""
    if not expression.args:
        return expression
    return expression.func(*map(rebuilt, expression.args))


def everywhere(expression: sp.Expr) -> set[sp.Expr]:
    """What the text needs to have a value, a step's own argument included."""
    return {each for part in sp.preorder_traversal(expression) for each in conditions(part)}


@given(st.recursive(LEAVES, grown, max_leaves=8))
@example(FUNCTIONS["sign"].exact(1 / A))
@example(step(-sp.sqrt(A) / B))
@settings(max_examples=400, deadline=None)
def test_what_is_written_reads_back(expression: sp.Expr) -> None:
    assume(not expression.has(sp.nan, sp.zoo, sp.oo, sp.I))
    assume(rebuilt(expression) == expression)
    try:
        text = write(expression)
        found = read(text, dict.fromkeys(VALUES))
    except ModelError:
        reject()
    assert found == within(expression, everywhere(expression)), text
    assert found != expression or write(found) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (A * B**2 / 3, "a*b**2/3"),
        (-A / 2, "-a/2"),
        (1 - A, "1 - a"),
        (sp.sqrt(A) / B, "sqrt(a)/b"),
        (A ** sp.Rational(-3, 2), "1/a**(3/2)"),
        (sp.Float(0.1) * sp.sin(A - B) ** 2, "0.1*sin(a - b)**2"),
        (sp.exp(1), "exp(1)"),
        (-sp.pi * A / 2, "-pi*a/2"),
    ],
)
def test_written_text_is_what_a_person_writes(expression: sp.Expr, text: str) -> None:
    assert write(expression) == text


def test_a_number_that_is_no_double_has_no_text() -> None:
    for number in (sp.Float("1e400"), sp.Float("1e-400"), sp.Float("0.1", 30)):
        with pytest.raises(ModelError, match="no number of double precision"):
            write(number * A)


@pytest.mark.parametrize("expression", [sp.sinh(A), A**B, sp.Max(A, B), sp.atan2(A, B), A**100])
def test_what_has_no_text(expression: sp.Expr) -> None:
    with pytest.raises(ModelError, match="cannot be written"):
        write(expression)

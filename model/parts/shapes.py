"""Shape functions of beams: so many built-in ones, or the polynomials that a user gives.

Given functions are kept as the texts of their expanded polynomials: what is the same function has
the same text, and a model needs no SymPy to be kept, compared or remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb
from typing import TYPE_CHECKING, TypeAlias

from ...errors import ModelError
from ..expressions.quantities import parameter, shown

if TYPE_CHECKING:
    import sympy as sp

#: Shape functions of a kind; with more, a beam's system keeps few digits.
MOST_FUNCTIONS = 8
#: Of a given function: built-in ones have 9 at most.
MOST_DEGREE = 12
#: Of a coefficient's numerator and denominator: all products of functions are doubles.
MOST_DIGITS = 30
#: Of a coefficient on the way; there is no need for so many.
MOST_BITS = 4_000

#: A number of built-in functions, or the functions.
ShapeFunctions: TypeAlias = "int | tuple[str | sp.Expr | sp.Poly, ...]"
Stated: TypeAlias = "int | tuple[str, ...]"
#: A polynomial's coefficients from that of ξ⁰ on, the last of which is not zero.
Row: TypeAlias = "tuple[Fraction, ...]"

#: How often a function is zero at ξ = 0, where the beam is clamped to its frame.
ALONG, ACROSS = 1, 2

_WANTED = "must be a polynomial in xi alone with rational coefficients, as xi**2*(3 - xi)"
_CLAMPED = {
    ALONG: "must vanish at xi = 0, where the beam is clamped to its frame; "
    "subtract its value there",
    ACROSS: "must vanish with its slope at xi = 0, where the beam is clamped to its frame; "
    "subtract its terms below xi**2",
}


def count(functions: int | Sequence[object]) -> int:
    """How many functions these are."""
    return functions if isinstance(functions, int) else len(functions)


def stated(functions: object, kind: int) -> Stated:
    """The number of built-in functions, or the texts of given ones, expanded.

    `kind` is `ALONG` or `ACROSS`.

    Raises
        ModelError: the number is none; or there are too few or too many functions, or one is no
            polynomial in xi, of too high a degree, not clamped at ξ = 0, or a sum of multiples of
            those before it.
    """
    if isinstance(functions, list | tuple):
        return _checked(functions, kind)
    if type(functions) is not int or not 0 <= functions <= MOST_FUNCTIONS:
        raise ModelError(
            f"must be a whole number from 0 to {MOST_FUNCTIONS}, or a list of polynomials in xi, "
            f"is {functions!r}"
        )
    return functions


@cache
def coefficients(functions: Stated, kind: int) -> tuple[Row, ...]:
    """The coefficients of ξ⁰, ξ¹, … of each function, `kind` as in `stated`.

    Built-in ones are ξ Pᵢ(2ξ − 1) (axial) and ξ² Pᵢ(2ξ − 1) (bending), i = 0, 1, …, with
    Legendre's Pᵢ(2ξ − 1) = Σ (−1)ⁱ⁺ᵏ C(i, k) C(i + k, k) ξᵏ.
    """
    if not isinstance(functions, int):
        return tuple(_read(text) for text in functions)
    zeros = [Fraction(0)] * kind
    return tuple(
        (*zeros, *(Fraction((-1) ** (i + k) * comb(i, k) * comb(i + k, k)) for k in range(i + 1)))
        for i in range(functions)
    )


def _checked(functions: Sequence[object], kind: int) -> tuple[str, ...]:
    if not functions:
        raise ModelError("lists no function; list some, or write 0")
    if len(functions) > MOST_FUNCTIONS:
        raise ModelError(
            f"lists {len(functions)} functions; at most {MOST_FUNCTIONS} are taken, leave some out"
        )
    rows: list[Row] = []
    for k, given in enumerate(functions, start=1):
        said = f"function {k}, {shown(str(given))!r},"
        try:
            row = _read(given) if isinstance(given, str) else _row(_expression(given))
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{said} {_WANTED}: {error or 'it nests too deeply'}") from None
        if any(row[:kind]):
            raise ModelError(f"{said} {_CLAMPED[kind]}")
        if max((max(abs(x.numerator), x.denominator) for x in row), default=0) >= 10**MOST_DIGITS:
            raise ModelError(
                f"{said} has a coefficient of more than {MOST_DIGITS} digits; round or scale it"
            )
        rows.append(row)
        if _rank(rows) < k:
            others = "is zero" if k == 1 else "is zero or a sum of multiples of those before it"
            raise ModelError(f"{said} {others}; leave it out")
    return tuple(map(_text, rows))


def _expression(given: object) -> sp.Expr:
    import sympy as sp

    if isinstance(given, sp.Poly):
        return given.as_expr()
    if not isinstance(given, sp.Expr):
        raise ValueError("it is neither a text nor of SymPy")
    return given


def _read(text: str) -> Row:
    """A text's polynomial; a power is written ** or ^, and decimals are exact.

    Raises
        ValueError: it is none.
    """
    from ..expressions.text import read

    try:
        return _row(read(text.replace("^", "**"), {parameter("xi"): None}, exact=True))
    except ModelError as error:
        raise ValueError(str(error)) from None


def _text(row: Row) -> str:
    import sympy as sp

    from ..expressions.text import write

    xi = parameter("xi")
    return write(sp.Add(*(sp.Rational(*x.as_integer_ratio()) * xi**k for k, x in enumerate(row))))


def _rank(rows: Sequence[Row]) -> int:
    """Of the matrix of coefficients, by Gauss's elimination."""
    width = max(map(len, rows))
    left = [[*row, *[Fraction(0)] * (width - len(row))] for row in rows]
    rank = 0
    for k in range(width):
        pivot = next((row for row in left[rank:] if row[k]), None)
        if pivot is None:
            continue
        left.remove(pivot)
        left.insert(rank, pivot)
        rank += 1
        for i in range(rank, len(left)):
            factor = left[i][k] / pivot[k]
            left[i] = [x - factor * y for x, y in zip(left[i], pivot, strict=True)]
    return rank


# Polynomials of bounded degree, whatever the expression would be multiplied out


def _row(x: sp.Expr) -> Row:
    """The coefficients of an expression; no part of it may have more than `MOST_DEGREE`.

    Raises
        ValueError: it is no such polynomial.
    """
    import sympy as sp

    match x:
        case sp.Rational() if x.is_finite:
            return _bounded([Fraction(int(x.p), int(x.q))])
        case sp.Float():
            return _bounded([Fraction(repr(float(x)))])
        case sp.Symbol() if x.name == "xi":
            return (Fraction(0), Fraction(1))
        case sp.Add():
            total: Row = ()
            for term in x.args:
                total = _sum(total, _row(term))
            return total
        case sp.Mul():
            return _product(map(_row, x.args))
        case sp.Pow(exp=sp.Integer() as exponent) if 0 < exponent <= MOST_DEGREE:
            return _product([_row(x.base)] * int(exponent))
        case sp.Pow(exp=sp.Integer() as exponent) if exponent > 0 and x.free_symbols:
            raise ValueError(f"its degree is more than {MOST_DEGREE}")
    raise ValueError(f"{shown(x)} is none")


def _sum(a: Row, b: Row) -> Row:
    width = max(len(a), len(b))
    a, b = ((*row, *[Fraction(0)] * (width - len(row))) for row in (a, b))
    return _bounded([x + y for x, y in zip(a, b, strict=True)])


def _product(rows: Iterator[Row] | Sequence[Row]) -> Row:
    product: Row = (Fraction(1),)
    for row in rows:
        found = [Fraction(0)] * max(0, len(product) + len(row) - 1)
        for i, x in enumerate(product):
            for j, y in enumerate(row):
                found[i + j] += x * y
        product = _bounded(found)
    return product


def _bounded(row: list[Fraction]) -> Row:
    while row and not row[-1]:
        row.pop()
    if len(row) > MOST_DEGREE + 1:
        raise ValueError(f"its degree is more than {MOST_DEGREE}")
    if any(max(x.numerator.bit_length(), x.denominator.bit_length()) > MOST_BITS for x in row):
        raise ValueError("it has a coefficient of too many digits")
    return tuple(row)

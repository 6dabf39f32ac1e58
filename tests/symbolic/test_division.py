"""Exact division of polynomials, against SymPy's division with remainder."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import assume, given
from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, ring

from mstmm.symbolic.exact.division import quotient

RING, X, Y, Z = ring("x, y, z", QQ)

MONOMIALS = st.tuples(*[st.integers(0, 2)] * 3)
POLYNOMIALS = st.dictionaries(MONOMIALS, st.fractions(-2, 2, max_denominator=3), max_size=4).map(
    lambda terms: RING.from_dict({at: QQ(c.numerator, c.denominator) for at, c in terms.items()})
)


@given(POLYNOMIALS, POLYNOMIALS, POLYNOMIALS)
def test_it_is_the_division_without_a_remainder(
    a: PolyElement, b: PolyElement, c: PolyElement
) -> None:
    assume(b)
    assert quotient(a * b, b) == a
    whole, remainder = (a * b + c).div(b)
    assert quotient(a * b + c, b) == (None if remainder else whole)


def test_what_does_not_divide_is_none() -> None:
    """The greatest term, the least one, and one between rule it out."""
    assert quotient(X * Y + 1, Y + 1) is None
    assert quotient(X**2 + X + 1, X + Y) is None
    assert quotient(X**2 + Z + 1, X + 1) is None
    assert quotient(X**2 + 2 * X + 1, X + 1) == X + 1

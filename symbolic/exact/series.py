"""Matrices as truncated Taylor series in time: what a motion is at one exact instant.

Sums and products of series are those of polynomials, so that every derivative of what is built
from them is exact: the independent judge of formulas that state derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import factorial

import sympy as sp


@dataclass(frozen=True, eq=False)
class Series:
    """Σ terms[k] t^k up to the order that the terms reach; the terms are matrices of one shape."""

    terms: tuple[sp.Matrix, ...]

    @classmethod
    def constant(cls, value: sp.Matrix, order: int) -> Series:
        """A value that does not change."""
        return cls((value, *(sp.zeros(*value.shape) for _ in range(order))))

    @classmethod
    def of_derivatives(cls, derivatives: Sequence[sp.Expr]) -> Series:
        """A scalar by its value and its derivatives."""
        return cls(tuple(sp.Matrix([[x]]) / factorial(k) for k, x in enumerate(derivatives)))

    @property
    def order(self) -> int:
        return len(self.terms) - 1

    @property
    def value(self) -> sp.Matrix:
        return self.terms[0]

    def at(self, k: int) -> sp.Matrix:
        """The k-th derivative."""
        return self.terms[k] * factorial(k)

    @property
    def rate(self) -> Series:
        """The derivative, of one order less."""
        return Series(tuple(k * term for k, term in enumerate(self.terms))[1:])

    @property
    def T(self) -> Series:
        return self.map(lambda term: term.T)

    def map(self, linear: Callable[[sp.Matrix], sp.Matrix]) -> Series:
        """A linear map of the matrix, term by term."""
        return Series(tuple(linear(term) for term in self.terms))

    def __add__(self, other: Series) -> Series:
        return Series(tuple(a + b for a, b in zip(self.terms, other.terms, strict=False)))

    def __sub__(self, other: Series) -> Series:
        return self + -other

    def __neg__(self) -> Series:
        return self.map(lambda term: -term)

    def __matmul__(self, other: Series) -> Series:
        """The product, as far as both factors reach."""
        count = min(len(self.terms), len(other.terms))
        zero = sp.zeros(self.value.rows, other.value.cols)
        return Series(
            tuple(
                sum((self.terms[j] * other.terms[k - j] for j in range(k + 1)), zero)
                for k in range(count)
            )
        )

    def times(self, scalar: Series) -> Series:
        """The product with a 1×1 series."""
        count = min(len(self.terms), len(scalar.terms))
        zero = sp.zeros(*self.value.shape)
        return Series(
            tuple(
                sum((scalar.terms[j][0] * self.terms[k - j] for j in range(k + 1)), zero)
                for k in range(count)
            )
        )


def blocks(rows: Sequence[Sequence[Series]]) -> Series:
    """A matrix of series from its blocks."""
    count = min(len(block.terms) for row in rows for block in row)
    return Series(
        tuple(
            sp.Matrix.vstack(
                *(sp.Matrix.hstack(*(block.terms[k] for block in row)) for row in rows)
            )
            for k in range(count)
        )
    )


def cosine_and_sine(q: Series, at: tuple[sp.Expr, sp.Expr]) -> tuple[Series, Series]:
    """cos q and sin q, whose values are given: c′ = −s q′, s′ = c q′."""
    rate = q.rate
    c, s = [at[0]], [at[1]]
    for k in range(q.order):
        c.append(-_convolved(s, rate, k) / (k + 1))
        s.append(_convolved(c[:-1], rate, k) / (k + 1))
    return _scalar(c), _scalar(s)


def _convolved(numbers: Sequence[sp.Expr], rate: Series, k: int) -> sp.Expr:
    return sum((numbers[j] * rate.terms[k - j][0] for j in range(k + 1)), sp.Integer(0))


def _scalar(numbers: Iterable[sp.Expr]) -> Series:
    return Series(tuple(sp.Matrix([[x]]) for x in numbers))

"""Exact matrices over a common denominator, and truncated Taylor series of them.

Whole numbers meet whole numbers; one division by the greatest common divisor ends each operation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import factorial, gcd, lcm
from operator import mul as times
from typing import Any

Rows = Sequence[Sequence[int]]


class Mat:
    """Rows of whole numbers over one denominator, without a common divisor."""

    __slots__ = ("cols", "over", "rows", "whole")

    def __init__(self, whole: Rows, over: int, shape: tuple[int, int]) -> None:
        if over != 1:
            common = gcd(over, *(x for row in whole for x in row))
            if common != 1:
                whole, over = [[x // common for x in row] for row in whole], over // common
        self.whole, self.over, (self.rows, self.cols) = whole, over, shape

    @classmethod
    def of(cls, value: Any) -> Mat:
        """From a SymPy matrix, a matrix of fractions by rows, a number, or a matrix."""
        if isinstance(value, Mat):
            return value
        if hasattr(value, "tolist"):
            return cls.of_rows(value.tolist(), value.cols)
        if isinstance(value, list):
            return cls.of_rows(value)
        return cls.of_rows([[value]])

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[Any]], cols: int | None = None) -> Mat:
        split = [[ratio(x) for x in row] for row in rows]
        over = lcm(1, *(q for row in split for _, q in row))
        width = cols if cols is not None else len(rows[0]) if rows else 0
        return cls([[p * (over // q) for p, q in row] for row in split], over, (len(rows), width))

    @classmethod
    def number(cls, value: int | Fraction) -> Mat:
        p, q = value.as_integer_ratio()
        return cls([[p]], q, (1, 1))

    @classmethod
    def eye(cls, n: int) -> Mat:
        return cls([[int(i == j) for j in range(n)] for i in range(n)], 1, (n, n))

    @classmethod
    def zeros(cls, rows: int, cols: int) -> Mat:
        return cls([[0] * cols for _ in range(rows)], 1, (rows, cols))

    @property
    def shape(self) -> tuple[int, int]:
        return (self.rows, self.cols)

    @property
    def zero(self) -> bool:
        return not any(map(any, self.whole))

    @property
    def T(self) -> Mat:
        turned = [[row[j] for row in self.whole] for j in range(self.cols)]
        return Mat(turned, self.over, (self.cols, self.rows))

    def __getitem__(self, place: tuple[int, int]) -> Fraction:
        return Fraction(self.whole[place[0]][place[1]], self.over)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mat) or self.shape != other.shape or self.over != other.over:
            return False
        return all(list(a) == list(b) for a, b in zip(self.whole, other.whole, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: Mat) -> Mat:
        over = lcm(self.over, other.over)
        a, b = over // self.over, over // other.over
        return Mat(
            [
                [x * a + y * b for x, y in zip(r, s, strict=True)]
                for r, s in zip(self.whole, other.whole, strict=True)
            ],
            over,
            self.shape,
        )

    def __neg__(self) -> Mat:
        return Mat([[-x for x in row] for row in self.whole], self.over, self.shape)

    def __sub__(self, other: Mat) -> Mat:
        return self + -other

    def times(self, by: int | Fraction) -> Mat:
        p, q = by.as_integer_ratio()
        return Mat([[x * p for x in row] for row in self.whole], self.over * q, self.shape)

    def __matmul__(self, other: Mat) -> Mat:
        columns = list(zip(*other.whole, strict=True)) if other.whole else [()] * other.cols
        found = [[sum(map(times, row, column)) for column in columns] for row in self.whole]
        return Mat(found, self.over * other.over, (self.rows, other.cols))

    def part(self, rows: Iterable[int], cols: Iterable[int]) -> Mat:
        across = list(cols)
        found = [[self.whole[i][j] for j in across] for i in rows]
        return Mat(found, self.over, (len(found), len(across)))

    # Elimination without fractions (Bareiss): every division is exact.

    def eliminated(self) -> tuple[list[list[int]], list[int], int, int]:
        """Reduced rows, their pivots' columns, the last pivot and the sign of the exchanges."""
        A, pivots, last, sign = [list(row) for row in self.whole], list[int](), 1, 1
        for c in range(self.cols):
            r = len(pivots)
            k = next((i for i in range(r, self.rows) if A[i][c]), None)
            if k is None:
                continue
            if k != r:
                A[r], A[k], sign = A[k], A[r], -sign
            row, p = A[r], A[r][c]
            for i in range(self.rows):
                if i != r:
                    f = A[i][c]
                    A[i] = [(p * x - f * y) // last for x, y in zip(A[i], row, strict=True)]
            last = p
            pivots.append(c)
            if len(pivots) == self.rows:
                break
        return A, pivots, last, sign

    def solve(self, right: Mat) -> Mat | None:
        """What times this is the right side; none if this is singular."""
        n = self.rows
        both = Mat(
            [[*a, *b] for a, b in zip(self.whole, right.whole, strict=True)], 1, (n, n + right.cols)
        )
        A, pivots, last, _ = both.eliminated()
        if pivots != list(range(n)):
            return None
        sign = -1 if last < 0 else 1
        found = [[sign * x * self.over for x in row[n:]] for row in A]
        return Mat(found, abs(last) * right.over, (n, right.cols))

    def inv(self) -> Mat | None:
        return self.solve(Mat.eye(self.rows))

    def rank(self) -> int:
        return len(self.eliminated()[1])

    def det(self) -> Fraction:
        _, pivots, last, sign = self.eliminated()
        return (
            Fraction(sign * last, self.over**self.rows) if len(pivots) == self.rows else Fraction()
        )

    def positive(self) -> bool:
        """Whether every leading minor is positive."""
        return all(self.part(range(k), range(k)).det() > 0 for k in range(1, self.rows + 1))


def ratio(value: Any) -> tuple[int, int]:
    """Numerator and denominator of a whole number, a fraction or SymPy's rational."""
    if isinstance(value, int | Fraction):
        return value.as_integer_ratio()
    return int(value.p), int(value.q)


def hcat(parts: Sequence[Mat]) -> Mat:
    over = lcm(*(m.over for m in parts))
    scaled = [_over(m, over) for m in parts]
    rows = [[x for m in scaled for x in m[i]] for i in range(parts[0].rows)]
    return Mat(rows, over, (parts[0].rows, sum(m.cols for m in parts)))


def vcat(parts: Sequence[Mat]) -> Mat:
    over = lcm(*(m.over for m in parts))
    rows = [row for m in parts for row in _over(m, over)]
    return Mat(rows, over, (len(rows), parts[0].cols))


def _over(m: Mat, over: int) -> Rows:
    by = over // m.over
    return m.whole if by == 1 else [[x * by for x in row] for row in m.whole]


def block(rows: Sequence[Sequence[Mat]]) -> Mat:
    return vcat([hcat(row) for row in rows])


def diag(parts: Sequence[Mat]) -> Mat:
    return block(
        [
            [b if i == j else Mat.zeros(a.rows, b.cols) for j, b in enumerate(parts)]
            for i, a in enumerate(parts)
        ]
    )


def skew(a: Mat) -> Mat:
    """~a of three numbers: ~a b = a × b."""
    (x,), (y,), (z,) = a.whole
    return Mat([[0, -z, y], [z, 0, -x], [-y, x, 0]], a.over, (3, 3))


# Series: terms[k] t^k, as far as they are known.

Terms = list[Mat]


def still(value: Mat, order: int) -> Terms:
    """A value that does not change."""
    return [value, *([Mat.zeros(*value.shape)] * order)]


def add(a: Terms, b: Terms) -> Terms:
    return [x + y for x, y in zip(a, b, strict=False)]


def neg(a: Terms) -> Terms:
    return [-x for x in a]


def product(a: Terms, b: Terms, one: Callable[[Mat, Mat], Mat] = Mat.__matmul__) -> Terms:
    """The product of two series by the product of their terms."""
    found = list[Mat]()
    for k in range(min(len(a), len(b))):
        total = None
        for j in range(k + 1):
            if k and (a[j].zero or b[k - j].zero):
                continue
            term = one(a[j], b[k - j])
            total = term if total is None else total + term
        found.append(total if total is not None else Mat.zeros(*one(a[0], b[0]).shape))
    return found


def scaled(a: Terms, by: Terms) -> Terms:
    """A series of matrices by one of numbers."""
    return product(a, by, lambda x, y: x.times(y[0, 0]))


def inverse(a: Terms) -> Terms | None:
    first = a[0].inv()
    if first is None:
        return None
    found = [first]
    for k in range(1, len(a)):
        total = Mat.zeros(*first.shape)
        for j in range(1, k + 1):
            total = total + a[j] @ found[k - j]
        found.append(-(first @ total))
    return found


def rate(a: Terms) -> Terms:
    return [x.times(k) for k, x in enumerate(a)][1:]


def derivative(a: Terms, k: int) -> Mat:
    return a[k].times(factorial(k))

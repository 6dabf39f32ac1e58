"""Small and dense systems, solved in any numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import mpmath

from ...errors import NumericsError, UsageError
from .arithmetic import Number, as_decimal, as_mpf
from .program import Policy
from .tolerances import CUT_OFF, FAINT, FIRM

Rows = list[list[Number]]


Rounded = Callable[..., Number]


def solve(
    matrix: Rows,
    rhs: Rows,
    policy: Policy,
    size_of: Callable[[Number], Any] = abs,
    reach: Sequence[Number] = (),
) -> Rows:
    """Gaussian elimination (pivoted unless the policy is LDL); by eigenvalues against a reach.

    The scale of each unknown follows the reaches.
    """
    if policy is Policy.MIN_NORM:
        return _min_norm(matrix, rhs, reach)
    size = len(matrix)
    rows = [list(left) + list(right) for left, right in zip(matrix, rhs, strict=True)]
    for k in range(size):
        if policy is Policy.LU:
            best = max(range(k, size), key=lambda i: size_of(rows[i][k]))
            rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, size):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    for k in reversed(range(size)):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(k):
            factor = rows[i][k]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


def _is_sound(matrix: Rows, scale: Sequence[Number]) -> bool:
    """Are all pivots of L D Lᵀ above `FIRM` of their scale?"""
    rows = [list(row) for row in matrix]
    for k, row in enumerate(rows):
        if not (row[k] > FIRM * scale[k] and scale[k] > 0):
            return False
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / row[k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], row, strict=True)]
    return True


def _min_norm(matrix: Rows, rhs: Rows, reach: Sequence[Number]) -> Rows:
    """Least squares of a positive semidefinite system A x = b, of the least Σ sᵢ xᵢ².

    In floats, mpmath or decimals. The scale s is that given, or `FAINT` of the reach where that
    is more. By elimination where pivots are large, else by the eigenvalues of A so scaled.
    """
    size = len(matrix)
    numbers = [x for row in (*matrix, *rhs) for x in row]
    if any(isinstance(x, Decimal) for x in numbers):
        matrix, rhs = ([[as_mpf(x) for x in row] for row in rows] for rows in (matrix, rhs))
        found = _min_norm(matrix, rhs, [as_mpf(x) for x in reach])
        return [[as_decimal(x) for x in row] for row in found]
    if not all(isinstance(x, float | mpmath.mpf) for row in matrix for x in row):
        raise UsageError("a minimum norm has no exact form; use floats or digits")
    limits = zip(reach[:size], reach[size:], strict=True)
    sizes = [max(scale, FAINT * d) if d > 0 else 0 for d, scale in limits]
    if _is_sound(matrix, sizes):
        return solve(matrix, rhs, Policy.LDL)
    scale = [s**-0.5 if s > 0 else 0 for s in sizes]
    scaled = [[scale[i] * x * scale[j] for j, x in enumerate(row)] for i, row in enumerate(matrix)]
    values, vectors = mpmath.eigsy(mpmath.matrix(scaled))
    if not any(isinstance(x, mpmath.mpf) for x in numbers):
        values, vectors = values.apply(float), vectors.apply(float)
    largest = max(values[k] for k in range(size))
    kept = [k for k in range(size) if values[k] > CUT_OFF * max(largest, 1)]
    found = [[0 * x for x in row] for row in rhs]
    for j in range(len(rhs[0])):
        for k in kept:
            amount = sum(vectors[i, k] * scale[i] * rhs[i][j] for i in range(size)) / values[k]
            for i in range(size):
                found[i][j] += amount * vectors[i, k] * scale[i]
    return found


def solve_dense(
    matrix: Rows,
    rhs: Sequence[Number],
    rounded: Rounded | None = None,
    size_of: Callable[[Number], Any] = abs,
) -> Rows:
    """matrix⁻¹ rhs by pivoted elimination, one row an unknown.

    `rounded` changes every entry of the matrix by what rounding does in an elimination: in
    proportion to the largest entries of its row and its column.

    Raises
        NumericsError: the matrix is exactly singular.
    """
    try:
        if rounded is not None:
            matrix = _shaken(matrix, rounded)
        return solve(matrix, [[x] for x in rhs], Policy.LU, size_of)
    except ZeroDivisionError:
        raise NumericsError("the matrix of the dense system is singular") from None


def _shaken(matrix: Rows, rounded: Rounded) -> Rows:
    rows = [max(map(abs, row)) for row in matrix]
    columns = [
        max(abs(x) / r for x, r in zip(column, rows, strict=True))
        for column in zip(*matrix, strict=True)
    ]
    return [
        [rounded(x, r * c) for x, c in zip(row, columns, strict=True)]
        for row, r in zip(matrix, rows, strict=True)
    ]

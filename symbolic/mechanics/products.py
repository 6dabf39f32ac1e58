"""Products of matrices of symbols, which most of a derivation is made of.

They are what SymPy's are, to the order of the factors. SymPy looks at each pair of factors for
powers to gather and for what 0 times infinity could be; of two different symbols there is nothing
to gather, and what a matrix has here is finite.
"""

from __future__ import annotations

from collections import defaultdict

import sympy as sp


def multiplied(left: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """The product of two matrices."""
    rows = [[(j, x) for j, x in enumerate(row) if x] for row in right.tolist()]
    found = list[sp.Expr]()
    for row in left.tolist():
        terms = defaultdict[int, list[sp.Expr]](list)
        for x, others in zip(row, rows, strict=True):
            for j, y in others if x else ():
                terms[j].append(times(x, y))
        found += [sp.Add(*terms[j]) for j in range(right.cols)]
    return sp.Matrix(left.rows, right.cols, found)


def times(left: sp.Expr, right: sp.Expr) -> sp.Expr:
    """The product of two numbers."""
    if not (left.is_Symbol and right.is_Symbol) or left == right:
        return left * right
    factors = (left, right) if left.compare(right) < 0 else (right, left)
    return sp.Mul(*factors, evaluate=False)

"""Products of matrices of symbols are SymPy's own, to the order of factors and terms."""

from __future__ import annotations

from random import Random

import sympy as sp

from mstmm.symbolic.mechanics.products import multiplied

NUMBERS = (*sp.symbols("a:d x1:4 ρ", real=True), *map(sp.Integer, (0, 0, 1, -1)), sp.Rational(1, 2))


def entry(draw: Random) -> sp.Expr:
    first, second, third = (draw.choice(NUMBERS) for _ in range(3))
    return draw.choice((first, first, -first, first * second, first + second * third, first**2))


def test_products_are_those_of_sympy() -> None:
    draw = Random(3)
    for _ in range(30):
        n, k, m = (draw.randint(1, 4) for _ in range(3))
        left = sp.Matrix(n, k, lambda i, j: entry(draw))
        right = sp.Matrix(k, m, lambda i, j: entry(draw))
        found, known = multiplied(left, right), left * right
        assert sp.srepr(found) == sp.srepr(known)
        assert [str(x.args) for x in found] == [str(x.args) for x in known]

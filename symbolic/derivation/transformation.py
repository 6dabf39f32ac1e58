"""The results of the chain and its Riccati transformation, (18)–(34), in symbols of blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import sympy as sp

from ..methods.riccati.recursion import (
    Backward,
    Blocks,
    Coefficients,
    Split,
    advance,
    back,
    rearrange,
)
from .formulas import column_of
from .results import Line, Row


def _letter(name: str) -> sp.Symbol:
    return sp.Symbol(name, commutative=False)


T11, T12, T21, T22 = (_letter(f"T{i}{j}") for i in "12" for j in "12")
S, e, fa, fb, P, q = (_letter(name) for name in ("S_i", "e_i", "f_a", "f_b", "P_i", "q_i"))
z_aI, z_bI, z_bO = _letter("z_aI"), _letter("z_bI"), _letter("z_bO")

#: The end of the next element's input: z_i,O is z_i+1,I.
NEXT = _letter("z_bnext")
#: The last element of a chain.
S_n, e_n, z_bn = _letter("S_last"), _letter("e_last"), _letter("z_broot")


def _row(
    symbol: str,
    equation: str,
    title: str,
    derived: Callable[[], sp.Matrix],
    text: str,
    errata: tuple[str, ...] = (),
) -> Row:
    """An equation of the recursion: what is derived, and how."""
    return Row(
        symbol, equation, title, lambda: derived().expand(), errata=errata, steps=(Line(text),),
    )  # fmt: skip


# What follows from what.


def _chain(z: sp.Expr) -> sp.Expr:
    """Three elements, one after the other: z_i,O = U_i z_i,I (3), and z_i,O is z_i+1,I."""
    for i in (1, 2, 3):
        z = _letter(f"U_{i}") * z
    return z


def _split() -> tuple[sp.Matrix, sp.Matrix]:
    """T and f of (20) for a free tip, from a matrix of 5 × 5 blocks in the order of (1)."""
    U = sp.Matrix(5, 5, lambda i, j: _letter(f"u_{i + 1}{j + 1}"))
    T = rearrange(U, Split(a=(2, 3), b=(0, 1)))
    return sp.Matrix([[T.T11, T.T12], [T.T21, T.T22]]), sp.Matrix([T.fa, T.fb])


def _second_row() -> sp.Expr:
    """z_b,O by (20), z_a,I being inserted from (21)."""
    z_a = S * z_bI + e
    return sp.expand(T21 * z_a + T22 * z_bI + fb)


def _slope() -> sp.Expr:
    return column_of(_second_row(), z_bI)


def _offset() -> sp.Expr:
    return -sp.expand(_second_row() - sp.expand(_slope() * z_bI))


def _solved(slope: sp.Expr, offset: sp.Expr) -> sp.Expr:
    """(22), which is linear in z_b,I, solved for it."""
    return slope * (z_bO + offset)


def _first_row(z_b: sp.Expr) -> sp.Expr:
    """z_a,O by (20), with z_a,I from (21) and z_b,I from (25)."""
    z_bI_ = P * z_b + P * q
    return sp.expand(T11 * (S * z_bI_ + e) + T12 * z_bI_ + fa)


def _next_S(z_b: sp.Expr = z_bO) -> sp.Expr:
    return column_of(_first_row(z_b), z_b)


def _next_e(z_b: sp.Expr = z_bO) -> sp.Expr:
    return sp.expand(_first_row(z_b) - sp.expand(_next_S(z_b) * z_b))


def _by_coefficients(z_b: sp.Expr, S_: sp.Expr, e_: sp.Expr) -> sp.Matrix:
    """z_a of an end from its z_b: what `riccati.back` says with nothing in between."""
    end = Coefficients(sp.Matrix([S_]), sp.Matrix([e_]))
    nothing = Backward(sp.eye(1), sp.zeros(1))
    return back(end, nothing, sp.Matrix([z_b]))[0]


def _passed_on() -> sp.Matrix:
    """z_a,O by the coefficients that one step of the recursion gives."""
    T = Blocks(*(sp.Matrix([block]) for block in (T11, T12, T21, T22, fa, fb)))
    after, _ = advance(T, Coefficients(sp.Matrix([S]), sp.Matrix([e])), sp.Matrix([P]))
    return _by_coefficients(z_bO, after.S[0], after.e[0])


def _backward() -> sp.Matrix:
    element = Backward(sp.Matrix([P]), sp.Matrix([P * q]))
    end = Coefficients(sp.Matrix([S]), sp.Matrix([e]))
    z_a, z_b = back(end, element, sp.Matrix([z_bO]))
    return sp.Matrix([z_b, z_a])


def _free_tip() -> tuple[sp.Matrix, sp.Matrix]:
    """S and e of z_a = 0 whatever z_b is, in the plane."""
    z_b = sp.Matrix([sp.Symbol(name, real=True) for name in ("ddx", "ddy", "dOmega_z")])
    z_a = sp.zeros(3, 1)
    slope = z_a.jacobian(z_b)
    return slope, z_a - slope * z_b


def _of(expression: Callable[[], sp.Expr]) -> Callable[[], sp.Matrix]:
    return lambda: sp.Matrix([expression()])


_INSERTED = "(21) in the second row of (20)"
_FIRST = "(21) and (25) in the first row of (20)"

ENTRIES = (
    _row(
        "chain", "18", "a chain of three elements, from tip to root",
        _of(lambda: _chain(_letter("z_1"))),
        "each element's output is the next one's input",
    ),
    _row(
        "U_chain", "19", "overall matrix of a chain, n = 3",
        _of(lambda: column_of(_chain(_letter("z_1")), _letter("z_1"))),
        "what stands before z_1 in (18)",
        ("X14",),
    ),
    _row(
        "T", "20", "rearranged matrix, z_a = (m, q), z_b = (r̈, Ω̇), by the blocks of (4)",
        lambda: _split()[0],
        "rows and columns of U in the order z_a, z_b, without its last row and column",
        ("X12",),
    ),
    _row(
        "f", "20", "rearranged last column",
        lambda: _split()[1], "the last column of U in the order z_a, z_b",
        ("X12",),
    ),
    _row(
        "z_aI", "21", "Riccati transformation: z_a from z_b at an input",
        lambda: _by_coefficients(z_bI, S, e), "assumed; the recursion passes it on",
    ),
    _row(
        "z_bO", "22", "z_b at the output from z_b at the input",
        _of(_second_row), _INSERTED,
    ),
    _row(
        "z_bI_solved", "23", "solved for z_b at the input",
        _of(lambda: _solved(_slope() ** -1, _offset())),
        "(22) solved for z_b,I",
    ),
    _row(
        "P_i", "24", "slope of the backward step",
        _of(lambda: _slope() ** -1), "what (23) multiplies by", ("X15",),
    ),
    _row(
        "q_i", "24", "offset of the backward step",
        _of(_offset), "what (23) adds to z_b,O", ("X15",),
    ),
    _row(
        "z_bI", "25", "backward step",
        _of(lambda: _solved(P, q)), "(23) with (24)", ("X15",),
    ),
    _row(
        "z_aO_inserted", "26", "z_a at the output, inserted",
        _of(partial(_first_row, z_bO)),
        _FIRST,
    ),
    _row(
        "z_aO", "27", "z_a at the output, rearranged",
        _of(lambda: _next_S() * z_bO + _next_e()), "(26) by what stands before z_b,O",
    ),
    _row(
        "z_aI_next", "28", "z_a at the next element's input",
        _of(lambda: _next_S(NEXT) * NEXT + _next_e(NEXT)),
        "an output is the next element's input: (26) with that end's z_b",
    ),
    _row(
        "S_next", "29", "S behind the element",
        _of(_next_S), "what stands before z_b,O in (27)", ("X15",),
    ),
    _row(
        "e_next", "30", "e behind the element",
        _of(_next_e), "the rest of (27)", ("X15",),
    ),
    _row(
        "z_aO_next", "31", "the transformation, passed on",
        _passed_on,
        "(27) has the form of (21), S and e being those of (29), (30)",
    ),
    _row(
        "z_aO_root", "32", "the transformation at the root, whose S and e are the last ones",
        lambda: _by_coefficients(z_bn, S_n, e_n), "(31) at the output of the last element",
    ),
    _row(
        "z_back", "33", "backward recursion: z_b, then z_a at the input",
        _backward, "(25), then (21)", ("X15",),
    ),
    _row(
        "S1", "34", "S at a free tip in the plane",
        lambda: _free_tip()[0], "z_a = 0 whatever z_b is", ("X13",),
    ),
    _row(
        "e1", "34", "e at a free tip in the plane",
        lambda: _free_tip()[1], "z_a = 0 whatever z_b is", ("X13",),
    ),
)  # fmt: skip

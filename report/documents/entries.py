"""Expressions and matrices as text that fits a line, as SymPy reads them."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Collection, Iterator, Sequence

import sympy as sp

from ...symbolic.language.decimals import text


def said(value: sp.Basic) -> str:
    """A formula as it is typed; between block matrices a blank is a product."""
    if isinstance(value, sp.Eq):
        return f"{said(value.lhs)} = {said(value.rhs)}"
    shown = text(value)
    if getattr(value, "is_commutative", True):
        return shown
    return re.sub(r"(?<!\*)\*(?!\*)", " ", shown)


def strings(matrix: sp.MatrixBase) -> list[list[str]]:
    """The entries row by row."""
    return [[said(x) for x in row] for row in matrix.tolist()]


def lines(
    value: sp.Basic | sp.MatrixBase,
    width: int,
    labels: Sequence[str] = (),
    products: dict[str, str] | None = None,
) -> list[str]:
    """A formula; rows of a matrix if they fit the width, else its entries one by one.

    Long products of block matrices get names before that, which are added to `products` and
    stand below the matrix.
    """
    if not isinstance(value, sp.MatrixBase):
        return wrapped(said(value), width)
    if value.is_zero_matrix:
        return [f"0 ({value.rows} x {value.cols})" if len(value) > 1 else "0"]
    if len(value) == 1:
        return wrapped(said(value[0, 0]), width)
    whole = _aligned(value, labels)
    if max(map(len, whole)) <= width:
        return whole
    if products is not None and not all(x.is_commutative for x in value):
        names = dict(products)
        short = _aligned(value.applyfunc(lambda x: _named(x, names)), labels)
        if max(map(len, short)) <= width:
            defined = [f"{name} = {text}" for text, name in names.items()][len(products) :]
            products |= names
            return [*short, *(x for each in defined for x in wrapped(each, width, "", " " * 5))]
    return [*_one_by_one(strings(value), width)]


def _aligned(matrix: sp.MatrixBase, labels: Sequence[str]) -> list[str]:
    """Rows with their cells one below the other, each with what it is at its end."""
    rows = strings(matrix)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    ends = [f"  {label}" for label in labels] or [""] * len(rows)
    return [
        f"[ {'  '.join(x.ljust(w) for x, w in zip(row, widths, strict=True))} ]{end}"
        for row, end in zip(rows, ends, strict=True)
    ]


def _named(entry: sp.Expr, products: dict[str, str]) -> sp.Expr:
    """The entry with a name for each of its products; the C of a cut stays outside."""
    terms = []
    for term in sp.Add.make_args(entry):
        number, factors = term.args_cnc()
        last = factors[-1:] if factors and factors[-1].name == "C" else []
        inner = factors[: len(factors) - len(last)]
        if len(inner) > 1:
            name = products.setdefault(said(sp.Mul(*inner)), f"P{len(products) + 1}")
            inner = [sp.Symbol(name, commutative=False)]
        terms.append(sp.Mul(*number, *inner, *last))
    return sp.Add(*terms, evaluate=False) if len(terms) > 1 else terms[0]


def _one_by_one(rows: list[list[str]], width: int) -> Iterator[str]:
    """The entries that are not zero, each at its place."""
    zeros = sum(entry == "0" for row in rows for entry in row)
    size = len(rows) * len(rows[0])
    rest = f", all but these {size - zeros} zero" if zeros else ""
    yield f"{len(rows)} x {len(rows[0])}{rest}:"
    for i, row in enumerate(rows, start=1):
        for j, entry in enumerate(row, start=1):
            if entry != "0":
                yield from wrapped(entry, width, f"({i},{j})".ljust(7), " " * 7)


def compared(
    heads: tuple[str, str],
    left: sp.MatrixBase,
    right: sp.MatrixBase,
    width: int,
    places: Collection[tuple[int, int]] = (),
) -> Iterator[str]:
    """Two matrices, entry beside entry; those that are zero in both are left out."""
    half = (width - 9) // 2
    yield f"{'':7}{heads[0]:<{half}}  {heads[1]}"
    every = sorted(places) or [(i, j) for i in range(left.rows) for j in range(left.cols)]
    shown = [at for at in every if left[at] != 0 or right[at] != 0]
    for i, j in shown:
        first, second = said(left[i, j]), said(right[i, j])
        cells = [wrapped(first, half), wrapped("the same" if first == second else second, half)]
        for k, (a, b) in enumerate(itertools.zip_longest(*cells, fillvalue="")):
            start = f"({i + 1},{j + 1})" if k == 0 else ""
            yield f"{start:<7}{a:<{half}}  {b}".rstrip()
    if rest := len(every) - len(shown):
        yield f"{'':7}{rest} more of {left.rows} x {left.cols}: zero in both"


def wrapped(text: str, width: int, first: str = "", further: str = "") -> list[str]:
    """Lines of a formula: broken at spaces, and in a long product before a factor."""
    return textwrap.wrap(
        _breakable(text, width - len(further)), width, initial_indent=first,
        subsequent_indent=further, break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _breakable(entry: str, width: int) -> str:
    """The entry with spaces in products that are longer than a line, before a factor."""
    words = []
    for word in entry.split(" "):
        factors = re.split(r"(?<!\*)\*(?!\*)", word) if len(word) > width else [word]
        line = factors[0]
        for factor in factors[1:]:
            if len(line) + len(factor) + 2 > width:
                words.append(f"{line}*")
                line = factor
            else:
                line += f"*{factor}"
        words.append(line)
    return " ".join(words)

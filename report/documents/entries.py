"""Expressions and matrices as text that fits a line, as SymPy reads them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import sympy as sp


def strings(matrix: sp.MatrixBase) -> list[list[str]]:
    """The entries row by row, as SymPy reads them."""
    return [[str(x) for x in row] for row in matrix.tolist()]


def lines(value: sp.Basic | sp.MatrixBase, width: int) -> list[str]:
    """A formula; rows of a matrix if they fit the width, else its entries one by one."""
    if not isinstance(value, sp.MatrixBase):
        said = f"{value.lhs} = {value.rhs}" if isinstance(value, sp.Eq) else str(value)
        return wrapped(said, width)
    if value.is_zero_matrix:
        return [f"0 ({value.rows} x {value.cols})" if len(value) > 1 else "0"]
    if len(value) == 1:
        return wrapped(str(value[0, 0]), width)
    rows = strings(value)
    aligned = [f"[ {row} ]" for row in columns(rows)]
    return aligned if len(aligned[0]) <= width else [*_one_by_one(rows, width)]


def columns(rows: list[list[str]]) -> list[str]:
    """Rows with their cells one below the other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) for row in rows]


def _one_by_one(rows: list[list[str]], width: int) -> Iterator[str]:
    """The entries that are not zero, each at its place."""
    zeros = sum(entry == "0" for row in rows for entry in row)
    size = len(rows) * len(rows[0])
    rest = f", all but these {size - zeros} zero" if zeros else ""
    yield f"{len(rows)} x {len(rows[0])}{rest}:"
    for i, row in enumerate(rows, start=1):
        for j, entry in enumerate(row, start=1):
            if entry != "0":
                start = f"({i},{j})"
                yield from wrapped(entry, width, f"{start:<7}", " " * 7)


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

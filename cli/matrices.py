"""A derived matrix as text that fits a screen, as LaTeX, or as strings."""

from __future__ import annotations

import re
import textwrap
from typing import Any

import sympy as sp

from ..symbolic.derivation.results import Result
from .screen import WIDTH

INDENT = " " * 7


def strings(matrix: Any) -> list[list[str]]:
    """The entries row by row, as SymPy reads them."""
    return [[str(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]


def as_object(result: Result) -> dict[str, Any]:
    """The result as JSON has it."""
    return {
        "symbol": result.symbol,
        "equation": result.equation,
        "verdict": result.verdict.sentence(),
        "matrix": strings(result.matrix),
    }


def heading(result: Result) -> list[str]:
    """Symbol, number, title and verdict."""
    number = f"({result.equation})" if result.equation else ""
    form = "" if result.form == "both" else f"{result.form} form"
    first = "  ".join(part for part in (result.symbol, number, form) if part)
    verdict = f"Verdict: {result.verdict.sentence()}."
    return [first, result.title, *textwrap.wrap(verdict, WIDTH)]


def text(result: Result, width: int = WIDTH) -> str:
    """The result as rows of a matrix if they fit the width, else entry by entry."""
    entries = strings(result.matrix)
    widths = [max(map(len, column)) for column in zip(*entries, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) + 4 <= width:
        body = [
            "[ " + "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) + " ]"
            for row in entries
        ]
    else:
        body = _one_by_one(result.symbol, entries, width)
    return "\n".join([*heading(result), "", f"{result.symbol} =", *body])


def _one_by_one(symbol: str, entries: list[list[str]], width: int) -> list[str]:
    lines: list[str] = []
    for i, row in enumerate(entries, start=1):
        for j, entry in enumerate(row, start=1):
            if entry != "0":
                lines += textwrap.wrap(
                    f"({i},{j})  {_breakable(entry, width - len(INDENT))}",
                    width,
                    subsequent_indent=INDENT,
                    break_long_words=False,
                    break_on_hyphens=False,
                )
    rows, columns = len(entries), len(entries[0])
    zeros = sum(entry == "0" for row in entries for entry in row)
    rest = f", all but these {rows * columns - zeros} zero" if zeros else ""
    return [f"{rows} x {columns}{rest}:", *lines]


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


def latex(result: Result) -> str:
    """The result as one displayed formula under comments that say what it is."""
    letter, bracket, end = result.symbol.partition("[")
    name = f"{letter}_{{{end[:-1]}}}" if bracket else sp.latex(sp.Symbol(letter))
    comments = [f"% {line}" for line in heading(result)]
    return "\n".join([*comments, f"{name} = {sp.latex(result.matrix)}"])

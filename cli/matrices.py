"""A derived matrix as text that fits a screen, as LaTeX, or as strings."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Collection
from typing import Any

import sympy as sp

from ..symbolic.derivation.derivation import Derivation
from ..symbolic.derivation.results import Result
from .screen import WIDTH

INDENT = " " * 7

Places = Collection[tuple[int, int]] | None


def strings(matrix: Any) -> list[list[str]]:
    """The entries row by row, as SymPy reads them."""
    return [[str(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]


def as_object(result: Result) -> dict[str, Any]:
    """The result as JSON has it."""
    return {
        "symbol": result.symbol,
        "equation": result.equation,
        "verdict": result.verdict.sentence(),
        "steps": [line.text for line in result.steps],
        "matrix": strings(result.matrix),
        "printed": None if result.printed is None else strings(result.printed),
    }


def heading(result: Result) -> list[str]:
    """Symbol, number, title and verdict."""
    number = f"({result.equation})" if result.equation else ""
    form = "" if result.form == "both" else f"{result.form} form"
    first = "  ".join(part for part in (result.symbol, number, form) if part)
    verdict = f"Verdict: {result.verdict.sentence()}."
    return [first, result.title, *textwrap.wrap(verdict, WIDTH)]


def text(result: Result, width: int = WIDTH) -> str:
    """The print where it differs from what is derived, how the result comes about, the result."""
    lines = [*heading(result), *_as_printed(result, width), *_steps(result, width)]
    return "\n".join((*lines, "", f"{result.symbol} =", *_entries(strings(result.matrix), width)))


def forms(derivation: Derivation, result: Result, width: int = WIDTH) -> str:
    """The result; of one with two forms the print beside the completed form, then how both come."""
    found = derivation.both(result)
    if found is None:
        return text(result, width)
    printed, completed = found
    left = printed.matrix if printed.printed is None else printed.printed
    heads = ("printed form" if printed.printed is None else "as printed", "completed form")
    lines = [f"{result.symbol}  ({result.equation})  {heads[0]}, and completed", ""]
    lines += _beside(heads, left, completed.matrix, width)
    for each in found:
        lines += ["", *heading(each), *_as_printed(each, width), *_steps(each, width)]
    return "\n".join(lines)


def _beside(
    heads: tuple[str, str], left: sp.Matrix, right: sp.Matrix, width: int, only: Places = None
) -> list[str]:
    """Two matrices, entry beside entry; those that are zero in both are left out."""
    half = (width - len(INDENT) - 2) // 2
    columns, lines = left.cols, [f"{INDENT}{heads[0]:<{half}}  {heads[1]}"]
    places = sorted(only or {divmod(k, columns) for k in range(left.rows * columns)})
    shown = [(i, j) for i, j in places if left[i, j] != 0 or right[i, j] != 0]
    for i, j in shown:
        first, second = str(left[i, j]), str(right[i, j])
        cells = [_wrapped(first, half), _wrapped("the same" if first == second else second, half)]
        for k, (a, b) in enumerate(itertools.zip_longest(*cells, fillvalue="")):
            start = f"({i + 1},{j + 1})" if k == 0 else ""
            lines.append(f"{start:<{len(INDENT)}}{a:<{half}}  {b}".rstrip())
    if rest := len(places) - len(shown):
        lines.append(f"{INDENT}{rest} more of {left.rows} x {columns}: zero in both")
    return lines


def _wrapped(entry: str, width: int) -> list[str]:
    return textwrap.wrap(
        _breakable(entry, width), width, break_long_words=False, break_on_hyphens=False
    )


def _steps(result: Result, width: int) -> list[str]:
    """The steps of the derivation, with the formulas between them."""
    lines: list[str] = []
    own = [step for step in result.steps if step.formula != result.matrix]
    for k, step in enumerate(own, start=1):
        start = f"{k:>2}. "
        lines += textwrap.wrap(step.text, width, initial_indent=start, subsequent_indent=" " * 4)
        if step.formula is not None:
            lines += [f"    {line}" for line in _formula(step.formula, width - 4)]
    return ["", "Steps:", *lines] if lines else []


def _formula(formula: sp.Basic | sp.MatrixBase, width: int) -> list[str]:
    if isinstance(formula, sp.MatrixBase):
        return _entries(strings(formula), width)
    said = f"{formula.lhs} = {formula.rhs}" if isinstance(formula, sp.Eq) else str(formula)
    return textwrap.wrap(_breakable(said, width), width, break_long_words=False)


def _as_printed(result: Result, width: int) -> list[str]:
    """The entries of the print that differ from what is derived, and those beside them."""
    if result.verdict.status != "differs" or result.printed is None:
        return []
    heads = ("as printed", "as derived")
    return ["", *_beside(heads, result.printed, result.matrix, width, result.verdict.places)]


def _entries(entries: list[list[str]], width: int) -> list[str]:
    """Rows of a matrix if they fit the width, else entry by entry."""
    widths = [max(map(len, column)) for column in zip(*entries, strict=True)]
    if sum(widths) + 2 * (len(widths) - 1) + 4 <= width:
        return [
            "[ " + "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) + " ]"
            for row in entries
        ]
    return _one_by_one(entries, width)


def _one_by_one(entries: list[list[str]], width: int) -> list[str]:
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

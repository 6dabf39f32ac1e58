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
    """How the result comes about, the result, and what the paper prints in its place."""
    lines = [*heading(result), *_steps(result, width), "", f"{result.symbol} ="]
    lines += [*_entries(strings(result.matrix), width), *_as_printed(result, width)]
    return "\n".join(lines)


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
    """The entries of the print that differ from what is derived."""
    if result.verdict.status != "differs" or result.printed is None:
        return []
    lines = []
    for i, j in sorted(result.verdict.places):
        entry = f"({i + 1},{j + 1})  {result.printed[i, j]}"
        lines += textwrap.wrap(entry, width, subsequent_indent=INDENT, break_long_words=False)
    return ["", "The print has in place of these:", *lines] if lines else []


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

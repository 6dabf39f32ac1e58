"""What the writers of plain text, Markdown and LaTeX share: formulas as LaTeX, text as it is."""

from __future__ import annotations

import re
from collections.abc import Callable

import sympy as sp

from ...symbolic.equations.alphabets import latex
from ...symbolic.equations.layout import Box, row
from .. import written
from ..formulas import MINUS, TIMES, bold, equal, formula, number, quantity, symbol
from .document import Formula, Letters, Numbers

#: A word that is emphasised, `*so*`; no product.
EMPHASIS = re.compile(r"(?<![\w)])\*(\w+)\*(?![\w(])")


def sentence(text: str) -> str:
    """The text as a sentence: a capital letter, a stop."""
    return f"{text[:1].upper()}{text[1:]}."


def latex_name(name: str) -> str:
    """The name of a matrix: its letters bold, the rest as indices."""
    return latex(quantity(name))


def latex_letters(cell: Letters) -> str:
    """A name in a table: a scalar's is not bold."""
    return latex(symbol(cell.name)) if cell.scalar else latex_name(cell.name)


def latex_line(text: str, words: Callable[[str], str]) -> str:
    """Formulas in a line between words, which `words` writes."""
    found = (f"${latex(x.box)}$" if x.box else words(x.text) for x in written.parts(text))
    return "".join(found)


def latex_numbers(numbers: Numbers) -> str:
    """Numbers as a matrix."""
    rows = r" \\ ".join(" & ".join(map(_number, row)) for row in numbers.rows)
    if len(numbers.rows) == len(numbers.rows[0]) == 1:
        return rows
    return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"


def _number(text: str) -> str:
    plain = text.replace("−", "-").replace("~0", r"{\sim}0")
    mantissa, power, exponent = plain.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if power else mantissa


def laid(block: Formula) -> Box:
    """`name = value`, `name = matrix⁻¹ value` or `value states = 0`, as far as there are such."""
    sides: list[Box] = []
    if block.value is not None:
        value = block.value
        zero = isinstance(value, sp.MatrixBase) and value.is_zero_matrix
        shown = formula(sp.S.Zero if zero else value, block.marked, block.shaded)
        if block.matrix is not None:
            inverse = Box("sup", parts=(formula(block.matrix), row([MINUS, number("1")])))
            shown = row([inverse, TIMES, shown])
        if block.states is not None:
            return equal(row([shown, formula(block.states)]), bold("0"))
        sides = [shown]
    return equal(*([quantity(block.name)] if block.name else []), *sides)


def named(name: str, value: sp.Expr | sp.MatrixBase) -> Box:
    """A value under its name, which is bold for a matrix."""
    drawn = quantity if isinstance(value, sp.MatrixBase) else symbol
    return equal(drawn(name), formula(value))


def latex_sides(block: Formula) -> list[str]:
    """`name = value` and its numbers, as far as there are such."""
    sides = [latex(laid(block))] if block.name or block.value is not None else []
    if block.numbers is not None:
        sides.append(latex_numbers(block.numbers))
    return sides


_SPECIAL = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex_text(text: str) -> str:
    """Text with all that LaTeX would take for a command escaped."""
    return "".join(_SPECIAL.get(c, c) for c in text)

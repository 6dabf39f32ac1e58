"""What the writers of plain text, Markdown and LaTeX share: formulas as LaTeX, text as it is."""

from __future__ import annotations

import re

import sympy as sp
from sympy.printing.latex import LatexPrinter

from .decimals import typed
from .document import Formula, Letters, Numbers

#: Letters of names that LaTeX writes by a command.
_GREEK = frozenset(
    {"alpha", "beta", "gamma", "delta", "epsilon", "theta", "lambda", "mu", "nu", "xi", "rho"}
    | {"sigma", "tau", "phi", "psi", "omega", "Gamma", "Delta", "Theta", "Omega", "Sigma"}
)


def sentence(text: str) -> str:
    """The text as a sentence: a capital letter, a stop."""
    return f"{text[:1].upper()}{text[1:]}."


def latex_name(name: str) -> str:
    """The name of a matrix: its letters bold, the rest as indices, a raised order in brackets."""
    name, _, order = name.partition("^")
    head, _, rest = name.partition("_")
    found = re.fullmatch(r"([A-Za-z]+?)(\d*)", head)
    if not found:
        return rf"\text{{{latex_text(name)}}}"
    letters = rf"\{found[1]}" if found[1] in _GREEK else found[1]
    indices = [x for x in (found[2], *rest.split("," if "," in rest else "_")) if x]
    below = ",".join(map(_latex_index, indices))
    return rf"\mathbf{{{letters}}}" + f"_{{{below}}}" * bool(below) + f"^{{{order}}}" * bool(order)


def _latex_index(index: str) -> str:
    if re.fullmatch(r"I\d", index):
        return f"I_{{{index[1:]}}}"
    return index if index.isdigit() or len(index) == 1 else rf"\mathrm{{{latex_text(index)}}}"


def latex_letters(cell: Letters) -> str:
    """A name in a table: a scalar's is not bold."""
    return latex_value(sp.Symbol(cell.name)) if cell.scalar else latex_name(cell.name)


def latex_value(value: sp.Expr | sp.MatrixBase) -> str:
    """A matrix in brackets, or an expression; a 1 × 1 matrix is its entry."""
    if isinstance(value, sp.MatrixBase) and value.shape == (1, 1):
        value = value[0, 0]
    return str(_Printer({"mat_str": "matrix", "mat_delim": "["}).doprint(typed(value)))


class _Printer(LatexPrinter):  # type: ignore[misc]
    """Blanks to be filled in are squares; names of block matrices are bold."""

    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        if expr.name == "▢":
            return r"\square"
        if expr.name[0].isdigit():
            return _number(expr.name)
        if not expr.is_commutative:
            return latex_name(expr.name)
        return str(super()._print_Symbol(expr, style))


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


def latex_formula(formula: Formula) -> str:
    """`name = value = numbers`, as far as there are such."""
    parts = [latex_name(formula.name)] if formula.name else []
    if formula.value is not None:
        value = latex_value(formula.value)
        if formula.matrix is not None:
            value = f"{latex_value(formula.matrix)}^{{-1}} {value}"
        if formula.states is not None:
            value, parts = rf"{value} {latex_value(formula.states)} = \mathbf{{0}}", []
        parts.append(value)
    if formula.numbers is not None:
        parts.append(latex_numbers(formula.numbers))
    return " = ".join(parts)


_SPECIAL = {c: rf"\{c}" for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def latex_text(text: str) -> str:
    """Text with all that LaTeX would take for a command escaped."""
    return "".join(_SPECIAL.get(c, c) for c in text)

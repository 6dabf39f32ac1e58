"""The overall transfer equation as text, LaTeX, JSON: blocks as products of named matrices."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..symbolic.plans.deduction import Factor, OverallEquation, Row, Term
from ..symbolic.plans.transfer import Boundary, symbol
from .overallgrid import (
    FILE,
    OWN,
    PAGE,
    PAPER,
    Grid,
    appended,
    factors,
    grid,
    known,
    own_rows,
    some,
    sources,
)

WIDTH = 80
ELLIPSIS = "…"


# Text


def _product(equation: OverallEquation, term: Term, most: int) -> str:
    shown = factors(equation, term, most)
    return " ".join(ELLIPSIS if factor is None else factor.text() for factor in shown)


def _sum(terms: Sequence[Term], draw: Callable[[Term], str], zero: str = "O") -> str:
    """Signed products; a zero block is O."""
    parts: list[str] = []
    for term in terms:
        sign = ("- " if term.sign < 0 else "+ ") if parts else ("-" if term.sign < 0 else "")
        parts.append(sign + draw(term))
    return " ".join(parts) or zero


def _matrix(name: str, cells: Sequence[Sequence[str]], ends: Sequence[str]) -> list[str]:
    """Rows of a matrix, each with what it says at its end."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for number, (row, end) in enumerate(zip(cells, ends, strict=True)):
        left = f"{name} = " if number == len(cells) // 2 else " " * (len(name) + 3)
        inner = "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True))
        lines.append(f"{left}[ {inner} ]  {end}".rstrip())
    return lines


def _label(equation: OverallEquation, row: Row | None) -> str:
    if row is None:
        return ""
    element = equation.transfer.elements[row.element]
    if row.kind == "main":
        several = len(equation.transfer.trees) > 1
        return f"main, tree {row.entry + 1}" if several else "main"
    return f"body {element.label}, I{row.entry}" if row.kind == "geometric" else element.label


def _drawn(equation: OverallEquation, name: str, shown: Grid, names: dict[str, str]) -> list[str]:
    """A block matrix in the width of a screen: as it is, or with P1, P2, … for its products.

    `names` are those given so far; new ones are added, and defined below the matrix.
    """
    ends = [_label(equation, row) for row in shown.rows]

    def lines(draw: Callable[[Term], str]) -> list[str]:
        cells = [
            [ELLIPSIS if cell is None else _sum(cell, draw) for cell in row] for row in shown.cells
        ]
        return _matrix(name, cells, ends)

    plain = lines(lambda term: _product(equation, term, PAGE.factors))
    if max(map(len, plain)) <= WIDTH:
        return plain
    products = dict(names)

    def named(term: Term) -> str:
        # C stands outside, so that P, Q of P + Q C are seen.
        text = _product(equation, replace(term, paired=False), PAGE.factors)
        if " " in text:
            text = products.setdefault(text, f"P{len(products) + 1}")
        return f"{text} C" if term.paired else text

    short = lines(named)
    if max(map(len, short)) > WIDTH:
        return [line for row in shown.rows for line in _one(equation, row, shown)]
    added = [f"{name} = {text}" for text, name in products.items() if text not in names]
    names |= products
    defined = [line for one in added for line in _wrapped(one)]
    return [*short, "", *defined] if defined else short


def _one(equation: OverallEquation, row: Row | None, shown: Grid) -> list[str]:
    """A row as an equation of its own, without the zeros."""
    if row is None:
        return [f"  {ELLIPSIS}"]
    cells = shown.cells[shown.rows.index(row)]
    parts = []
    for column, cell in zip(shown.columns, cells, strict=True):
        if column is None or cell is None:
            parts.append(f"+ {ELLIPSIS}")
            continue
        state = symbol(equation.end(column).indices)
        for term in cell:
            sign = "-" if term.sign < 0 else "+"
            parts.append(f"{sign} {_product(equation, term, PAGE.factors)} {state}")
    text = " ".join(parts).removeprefix("+ ")
    return _wrapped(f"{_label(equation, row)}: {text} = 0")


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="     ", break_on_hyphens=False)


def text(equation: OverallEquation) -> str:
    """The equation in 80 columns: z_all, U_all, the rows of s, what is known, the counts.

    Source
        own
    """
    transfer, names = equation.transfer, dict[str, str]()
    lines = [part for line in transfer.describe().splitlines() for part in _wrapped(line)]
    lines.append("")
    said = (
        f"U_all z_all = 0, deduction paper {sources(equation)}; the 1 of each state and s "
        f"({appended(equation)}) belong to every state and are counted once"
    )
    lines += [*textwrap.wrap(said, WIDTH), ""]
    if transfer.pairs:
        lines += [f"{_state(equation, True)}", ""]
        lines += [*_drawn(equation, "U_all", grid(equation, PAPER, True), names), ""]
        lines += ["with the ends of each cut paired:", ""]
    lines += [_state(equation, False), ""]
    lines += [*_drawn(equation, "U_all", grid(equation, PAPER), names), ""]
    if equation.auxiliaries:
        lines += [*textwrap.wrap(f"{own_rows(equation)}:", WIDTH), ""]
        lines += [*_drawn(equation, "G_all", grid(equation, OWN), names), ""]
    lines += ["boundary conditions:"]
    ends = [equation.end(column) for column in equation.columns]
    for end in some(ends, PAGE.columns):
        lines.append(f"  {ELLIPSIS}" if end is None else f"  {_condition(equation, end)}")
    return "\n".join([*lines, "", *_counts(equation)])


def _state(equation: OverallEquation, opened: bool) -> str:
    columns = some(equation.opened if opened else equation.columns, PAGE.columns)
    names = [ELLIPSIS if c is None else symbol(equation.end(c).indices) for c in columns]
    return f"z_all = [ {'; '.join(names)} ]"


def _condition(equation: OverallEquation, end: Boundary) -> str:
    return f"{symbol(end.indices)}: {end.condition} ({end.at}), {known(equation, end)}"


def _counts(equation: OverallEquation) -> list[str]:
    counts = equation.counts
    return [
        line
        for total, what, items in (
            (counts.unknown, "unknowns", counts.unknowns),
            (counts.given, "equations", counts.equations),
        )
        for line in _wrapped(
            f"{total} {what}: " + ", ".join(f"{number} {name}" for name, number in items)
        )
    ]


# LaTeX


def latex(equation: OverallEquation) -> str:
    """The equation as displayed formulas, under comments that say what they are.

    Source
        own
    """
    lines = [f"% {line}" for line in equation.transfer.describe().splitlines()]
    lines.append(f"% deduction paper {sources(equation)}")
    if equation.transfer.pairs:
        lines += ["% before the ends of the cuts are paired", *_latex(equation, PAPER, True)]
        lines.append("% with the ends of the cuts paired")
    lines += _latex(equation, PAPER, False)
    if equation.auxiliaries:
        lines += [f"% {own_rows(equation)}", *_latex(equation, OWN, False)]
    return "\n".join(lines)


def _latex(equation: OverallEquation, kinds: Sequence[str], opened: bool) -> list[str]:
    shown = grid(equation, kinds, opened)
    rows = [
        " & ".join(
            r"\cdots"
            if cell is None
            else _sum(cell, lambda term: _latex_product(equation, term), r"\mathbf{O}")
            for cell in row
        )
        for row in shown.cells
    ]
    states = [
        r"\vdots" if c is None else _latex_name("z", equation.end(c).indices) for c in shown.columns
    ]
    return [
        r"\begin{bmatrix}",
        " \\\\\n".join(rows),
        r"\end{bmatrix}",
        r"\begin{bmatrix}" + r" \\ ".join(states) + r"\end{bmatrix} = \mathbf{0}",
    ]


def _latex_product(equation: OverallEquation, term: Term) -> str:
    return " ".join(
        r"\cdots" if factor is None else _latex_factor(factor)
        for factor in factors(equation, term, PAGE.factors)
    )


def _latex_factor(factor: Factor) -> str:
    name = _latex_name(factor.letter, factor.indices)
    return f"{name}^{{({factor.order})}}" if factor.order else name


def _latex_name(letter: str, indices: Sequence[str]) -> str:
    if not indices:
        return rf"\mathbf{{{letter}}}"
    inner = ",".join(_latex_index(index, k) for k, index in enumerate(indices))
    return rf"\mathbf{{{letter}}}_{{{inner}}}"


def _latex_index(index: str, place: int) -> str:
    if place and index.startswith("I") and index[1:].isdigit():
        return f"I_{{{index[1:]}}}"
    return index if index.isdigit() or len(index) == 1 else rf"\mathrm{{{index}}}"


# JSON


def as_object(equation: OverallEquation) -> dict[str, Any]:
    """The equation as JSON has it; long systems by their first and last rows and factors.

    Source
        own
    """
    transfer, counts = equation.transfer, equation.counts
    return {
        "model": transfer.model.name,
        "form": transfer.form,
        "source": f"deduction paper {sources(equation)}; hinge rows own",
        "elements": [
            {
                "label": element.label,
                "kind": element.kind,
                "name": element.name,
                "inputs": [str(end) for end in element.inputs],
                "output": str(element.output),
                "feeds": None
                if element.feeds is None
                else [transfer.elements[element.feeds[0]].label, element.feeds[1]],
                "open_accelerations": element.freedoms,
            }
            for element in transfer.elements
        ],
        "ends": [
            {
                "state": symbol(end.indices),
                "at": str(end.at),
                "condition": end.condition,
                "known": known(equation, end),
                "role": "tip" if end.entry else "root",
            }
            for end in transfer.ends
        ],
        "cuts": [
            {
                "hinge": pair.hinge,
                "kept": symbol(transfer.ends[pair.kept].indices),
                "dropped": symbol(transfer.ends[pair.dropped].indices),
                "factor": "I" if pair.ring else "C",
            }
            for pair in transfer.pairs
        ],
        "opened": _json_matrix(equation, PAPER, True) if transfer.pairs else None,
        "overall": _json_matrix(equation, PAPER, False),
        "modal": _json_matrix(equation, ("modal",), False),
        "hinges": _json_matrix(equation, ("hinge",), False),
        "couplings": _json_matrix(equation, ("coupling",), False),
        "unknowns": dict(counts.unknowns),
        "equations": dict(counts.equations),
    }


def _json_matrix(equation: OverallEquation, kinds: Sequence[str], opened: bool) -> dict[str, Any]:
    shown = grid(equation, kinds, opened, FILE)
    return {
        "columns": [
            ELLIPSIS if c is None else symbol(equation.end(c).indices) for c in shown.columns
        ],
        "rows": [
            ELLIPSIS
            if row is None
            else {
                "kind": row.kind,
                "of": _label(equation, row),
                "equations": row.size,
                "blocks": [
                    ELLIPSIS
                    if cell is None
                    else _sum(cell, lambda term: _product(equation, term, FILE.factors))
                    for cell in cells
                ],
            }
            for row, cells in zip(shown.rows, shown.cells, strict=True)
        ],
    }

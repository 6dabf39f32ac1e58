"""What of an overall transfer equation is shown: which rows, columns and factors, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import sympy as sp

from ..symbolic.plans.deduction import CUT, Factor, OverallEquation, Row, Term
from ..symbolic.plans.transfer import Boundary, symbol
from .documents.entries import strings

#: What is known at the ends of each condition, on the ground that stands still or moves.
KNOWN = {
    "free": "m = 0, q = 0",
    "clamped": "r̈ = 0, Ω̇ = 0",
    "pinned": "r̈ = 0, m = 0",
    "cut": "nothing known",
}
CARRIED = KNOWN | {"clamped": "r̈ = r̈_g, Ω̇ = Ω̇_g", "pinned": "r̈ = r̈_g, m = 0"}
T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """How many rows of a kind, columns, and factors of a product are shown."""

    rows: int
    columns: int
    factors: int


PAGE = Limits(rows=12, columns=9, factors=20)
FILE = Limits(rows=100, columns=100, factors=400)


def of_displacements(text: str) -> str:
    """What is said of accelerations, said of displacements."""
    for one, other in (("acceleration", "displacement"), ("r̈", "r"), ("Ω̇", "θ")):
        text = text.replace(one, other)
    return text


def known(equation: OverallEquation, end: Boundary) -> str:
    """What is known at a boundary end; r̈_g, Ω̇_g are those of the moving ground there."""
    moving = equation.transfer.model.base is not None
    return (CARRIED if moving else KNOWN)[end.condition]


def some(items: Sequence[T], most: int, last: int = 2) -> list[T | None]:
    """At most that many items; what is left out before the `last` ones is one None."""
    if len(items) <= most:
        return list(items)
    return [*items[: most - last - 1], None, *items[len(items) - last :]]


def factors(equation: OverallEquation, term: Term, most: int) -> list[Factor | None]:
    """A term's factors from left to right; of a long product both ends and a None."""
    if equation.length(term) <= most:
        return list(equation.factors(term))
    route = equation.route(term)
    head = () if term.head is None else (term.head,)
    first, last = (
        [equation.matrix(*place) for place in reversed(ends)] for ends in (route[:2], route[-2:])
    )
    return [*head, *last, None, *first, *((CUT,) if term.paired else ())]


@dataclass(frozen=True)
class Grid:
    """A block matrix as it is shown: None where rows or columns are left out."""

    columns: tuple[int | None, ...]
    rows: tuple[Row | None, ...]
    cells: tuple[tuple[tuple[Term, ...] | None, ...], ...]


def grid(
    equation: OverallEquation, kinds: Iterable[str], opened: bool = False, limits: Limits = PAGE
) -> Grid:
    """The rows of some kinds; `opened`: before the ends of cuts are paired."""
    columns = some(equation.opened if opened else equation.columns, limits.columns)
    rows: list[Row | None] = []
    for kind in kinds:
        rows += some([row for row in equation.rows if row.kind == kind], limits.rows)
    cells = tuple(
        tuple(
            None if row is None or column is None else equation.block(row, column, opened)
            for column in columns
        )
        for row in rows
    )
    return Grid(tuple(columns), tuple(rows), cells)


PAPER = ("main", "geometric")
OWN = ("modal", "hinge", "coupling")


def appended(equation: OverallEquation) -> str:
    """What s is."""
    kinds = {row.kind for row in equation.rows}
    modal = ["the beams' modal"] if "modal" in kinds else []
    open_ = ["the hinges' open"] if "hinge" in kinds or not modal else []
    loads = ", then the loads of couplings" if "coupling" in kinds else ""
    return f"{' and '.join([*modal, *open_])} accelerations{loads}"


def own_rows(equation: OverallEquation) -> str:
    """Which rows stand for s."""
    kinds = {row.kind for row in equation.rows}
    modal = ["modal rows of the beams"] if "modal" in kinds else []
    hinge = ["rows of the hinges (own: what drives their open accelerations)"]
    coupling = ["rows of couplings (own: how the follower moves)"] if "coupling" in kinds else []
    return " and ".join([*modal, *(hinge if "hinge" in kinds else []), *coupling])


def sources(equation: OverallEquation) -> str:
    """The deduction paper's numbers of the equation."""
    numbers = {
        "chain": "(8)",
        "closed loop": "(12)",
        "tree": "(32), (33)",
        "general system": "(36)–(39)",
    }
    forms = dict.fromkeys(tree.form for tree in equation.transfer.trees)
    return ", ".join(numbers[form] for form in forms)


# Blocks as symbols


def _symbol(name: str) -> sp.Symbol:
    return sp.Symbol(name, commutative=False)


ELLIPSIS, ZERO = _symbol("…"), _symbol("O")


def matrix_of(equation: OverallEquation, shown: Grid, limits: Limits) -> sp.Matrix:
    """The blocks as sums of products of named matrices; O where there is none."""
    return sp.Matrix(
        [
            [ELLIPSIS if cell is None else _sum(equation, cell, limits.factors) for cell in cells]
            for cells in shown.cells
        ]
    )


def _sum(equation: OverallEquation, terms: Sequence[Term], most: int) -> sp.Expr:
    products = [
        term.sign
        * sp.Mul(
            *(
                ELLIPSIS if factor is None else _symbol(factor.text())
                for factor in factors(equation, term, most)
            )
        )
        for term in terms
    ]
    return sp.Add(*products, evaluate=False) if len(products) > 1 else (*products, ZERO)[0]


def states_of(equation: OverallEquation, shown: Grid) -> sp.Matrix:
    """The states that the columns stand for."""
    return sp.Matrix([_symbol(name) for name in _columns(equation, shown)])


def _columns(equation: OverallEquation, shown: Grid) -> list[str]:
    return [str(ELLIPSIS) if c is None else symbol(equation.end(c).indices) for c in shown.columns]


def label(equation: OverallEquation, row: Row | None) -> str:
    """What a row is of."""
    if row is None:
        return str(ELLIPSIS)
    of = _of(equation, row)
    if row.kind in ("main", "geometric"):
        return of
    element = equation.transfer.elements[row.element]
    what = "coupled hinge" if row.kind == "coupling" else "beam" if element.is_beam else "hinge"
    return f"{what} {of}"


def _of(equation: OverallEquation, row: Row) -> str:
    element = equation.transfer.elements[row.element]
    if row.kind == "main":
        several = len(equation.transfer.trees) > 1
        return f"main, tree {row.entry + 1}" if several else "main"
    return f"body {element.label}, I{row.entry}" if row.kind == "geometric" else element.label


# JSON


def as_object(equation: OverallEquation) -> dict[str, Any]:
    """The equation as JSON has it; long systems by their first and last rows and factors.

    Source
        own
    """
    transfer, counts = equation.transfer, equation.counts
    elements = [
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
    ]
    ends = [
        {
            "state": symbol(end.indices),
            "at": str(end.at),
            "condition": end.condition,
            "known": known(equation, end),
            "role": "tip" if end.entry else "root",
        }
        for end in transfer.ends
    ]
    cuts = [
        {
            "hinge": pair.hinge,
            "kept": symbol(transfer.ends[pair.kept].indices),
            "dropped": symbol(transfer.ends[pair.dropped].indices),
            "factor": "I" if pair.ring else "C",
        }
        for pair in transfer.pairs
    ]
    return {
        "model": transfer.model.name,
        "form": transfer.form,
        "source": f"deduction paper {sources(equation)}; hinge rows own",
        "elements": elements,
        "ends": ends,
        "cuts": cuts,
        "opened": _json_matrix(equation, PAPER, True) if transfer.pairs else None,
        "overall": _json_matrix(equation, PAPER),
        "modal": _json_matrix(equation, ("modal",)),
        "hinges": _json_matrix(equation, ("hinge",)),
        "couplings": _json_matrix(equation, ("coupling",)),
        "unknowns": dict(counts.unknowns),
        "equations": dict(counts.equations),
    }


def _json_matrix(
    equation: OverallEquation, kinds: Sequence[str], opened: bool = False
) -> dict[str, Any]:
    shown = grid(equation, kinds, opened, FILE)
    blocks = strings(matrix_of(equation, shown, FILE))
    return {
        "columns": _columns(equation, shown),
        "rows": [
            str(ELLIPSIS)
            if row is None
            else {
                "kind": row.kind,
                "of": _of(equation, row),
                "equations": row.size,
                "blocks": cells,
            }
            for row, cells in zip(shown.rows, blocks, strict=True)
        ],
    }

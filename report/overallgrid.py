"""What of an overall transfer equation is shown: which rows, columns and factors, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..symbolic.plans.deduction import CUT, Factor, OverallEquation, Row, Term
from ..symbolic.plans.transfer import Boundary

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

"""What a derivation shows: a result, its steps, and its verdict on the print."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import sympy as sp

from ...model.expressions.quantities import shorten
from ...shown import Shown, report
from ..exact.budget import Budget
from ..exact.rational import ExactMatrix, Field, generators

Status = Literal["equals", "differs", "lost", "own"]
Form = Literal["printed", "completed", "both"]
AnyMatrix = Any  # a SymPy matrix or an ExactMatrix


@dataclass(frozen=True)
class Print:
    """What the paper prints of a result; no matrix where our copy lacks the display.

    `why` and `errata` are said of a print that differs.
    """

    matrix: sp.Matrix | None
    why: str = ""
    errata: tuple[str, ...] = ()


#: What the paper prints, by a result's symbol and form; None of a result that is not in it.
Prints = Callable[[str, Form], Print | None]


def unprinted(symbol: str, form: Form) -> None:
    """No paper to compare with."""


@dataclass(frozen=True)
class Verdict:
    """What a result says of the paper's print.

    `status`: it equals the print, differs from it, our copy of the paper lacks the display, or
    the paper prints none. `where` names the entries that differ, counted from 1; `errata` the
    entries of the errata list that it belongs to.
    """

    status: Status
    where: tuple[str, ...] = ()
    why: str = ""
    errata: tuple[str, ...] = ()
    equation: str = ""

    @property
    def places(self) -> frozenset[tuple[int, int]]:
        """Where entries differ, counted from 0: `entry (1,2)` → (0, 1)."""
        found = (re.search(r"\((\d+),(\d+)\)", text) for text in self.where)
        return frozenset((int(at[1]) - 1, int(at[2]) - 1) for at in found if at)

    def sentence(self) -> str:
        """The verdict in one sentence."""
        where = ", ".join(self.where)
        says = {
            "equals": f"equals the print of ({self.equation})",
            "differs": f"differs from the print of ({self.equation}) at {where}",
            "lost": f"our copy of the paper lacks the display ({self.equation})",
            "own": "not printed in the paper",
        }[self.status]
        marks = f" [{', '.join(self.errata)}]" if self.errata else ""
        return f"{says}{f': {self.why}' if self.why else ''}{marks}"


#: That of a result for bodies of which the paper prints nothing.
OTHER_DATA = Verdict("own", why="the print is of other data")


@dataclass(frozen=True)
class Line:
    """One line of a derivation: what is done, and the formula that comes of it."""

    text: str
    formula: sp.Expr | sp.Matrix | sp.Eq | None = None


@dataclass(frozen=True, repr=False)
class Result:
    """A derived matrix with its number in the paper, its print, and its derivation.

    Raises
        ValueError: it is said to equal or differ from a print that it does not have.
    """

    symbol: str
    equation: str
    title: str
    matrix: sp.Matrix
    printed: sp.Matrix | None
    verdict: Verdict
    form: Form
    steps: tuple[Line, ...] = ()

    def __post_init__(self) -> None:
        if self.verdict.status in ("equals", "differs") and self.printed is None:
            raise ValueError(f"{self.symbol} ({self.equation}) has no print to compare with")

    def __repr__(self) -> str:
        number = f" ({self.equation})" if self.equation else ""
        size = " × ".join(map(str, self.matrix.shape))
        return f"<Result {self.symbol}{number}, {size}: {self.title}>"

    def record(self) -> dict[str, Any]:
        """The result as JSON has it."""
        return {
            "symbol": self.symbol,
            "equation": self.equation,
            "verdict": self.verdict.sentence(),
            "steps": [line.text for line in self.steps],
            "matrix": _strings(self.matrix),
            "printed": None if self.printed is None else _strings(self.printed),
        }

    def _repr_latex_(self) -> str:
        return str(report("notebook").result(self))


def _strings(matrix: AnyMatrix) -> list[list[str]]:
    """The entries row by row, as SymPy reads them."""
    return [[str(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]


@dataclass(frozen=True)
class Row:
    """A result before it is computed: what is derived, and what is said of it.

    `why` and `errata` are said of the comparison with the print, unless the print has its own;
    where there is no print, of that. `steps` come first, then the matrices of `shown`; a result
    whose lines follow from them states all lines itself. `of` are the bodies that it depends on,
    and `applies` says whether those are the ones that the paper prints it of; what `why` computes
    of a result that the paper has no print of is true of any.
    """

    symbol: str
    equation: str
    title: str
    derived: Callable[[], AnyMatrix]
    why: str | Callable[[], str] = ""
    errata: tuple[str, ...] = ()
    form: Form = "both"
    steps: tuple[Line, ...] | Callable[[sp.Matrix], tuple[Line, ...]] = ()
    shown: tuple[tuple[str, Callable[[], AnyMatrix]], ...] = ()
    of: tuple[str, ...] = ()
    applies: bool = True

    def build(self, prints: Prints = unprinted) -> Result:
        """Derive and compare."""
        # a result without a number is none of the paper's, whatever its letter
        found, print_ = self.derived(), prints(self.symbol, self.form) if self.equation else None
        judged = self.applies or (callable(self.why) and print_ is None)
        matrix = _plain(found)
        printed = None
        if self.applies and print_ and print_.matrix is not None:
            printed = sized(print_.matrix, *matrix.shape)
        verdict = self._verdict(found, print_, printed) if judged else OTHER_DATA
        if callable(self.steps):
            steps = self.steps(matrix)
        else:
            shown = (Line(text, _plain(value())) for text, value in self.shown)
            steps = (*self.steps, *shown, Line(f"{self.symbol} ({self.equation})", matrix))
        return Result(
            self.symbol, self.equation, self.title, matrix, printed, verdict, self.form, steps
        )

    def _verdict(
        self, found: AnyMatrix, print_: Print | None, printed: sp.Matrix | None
    ) -> Verdict:
        why, errata = self.why if isinstance(self.why, str) else self.why(), self.errata
        if printed is None:
            status: Status = "lost" if print_ else "own"
            return Verdict(status, why=why, errata=errata, equation=self.equation)
        where = differing(found, printed)
        if where and print_ and print_.why:
            why, errata = print_.why, print_.errata
        return Verdict("differs" if where else "equals", where, why, errata, self.equation)


def sized(value: sp.Matrix, rows: int, columns: int) -> sp.Matrix:
    """A number as a multiple of 1, or as 0, of this size."""
    if value.shape == (rows, columns):
        return value
    return value[0] * (sp.eye(rows) if rows == columns else sp.ones(rows, columns))


def _plain(matrix: AnyMatrix) -> sp.Matrix:
    return matrix.matrix() if isinstance(matrix, ExactMatrix) else matrix


def differing(found: AnyMatrix, print_: sp.Matrix) -> tuple[str, ...]:
    """The entries, counted from 1, where a derived matrix is not the print.

    A matrix of symbols is a polynomial in them, which need not commute.
    """
    if isinstance(found, ExactMatrix):
        left, right = beside(found, print_)
        difference: AnyMatrix = left - right
    else:
        difference = (found - print_).expand()
    return tuple(
        f"entry ({i + 1},{j + 1})"
        for i in range(print_.rows)
        for j in range(print_.cols)
        if difference[i, j]
    )


def beside(exact: ExactMatrix, matrix: sp.Matrix) -> tuple[ExactMatrix, ExactMatrix]:
    """An exact matrix and one of symbols, in one field."""
    found = {gen for x in matrix for gen in generators(x)} | {*exact.field.expressions}
    field = Field(found, exact.field.budget, exact.field.relations)
    return exact.over(field), field.matrix(matrix)


class Results(Shown, Sequence[Result]):
    """The results in the paper's order, each computed when it is asked for."""

    def __init__(self, entries: Sequence[Row], budget: Budget, prints: Prints) -> None:
        self.entries = tuple(entries)
        self._budget, self._prints = budget, prints
        self._known: dict[int, Result] = {}

    def __repr__(self) -> str:
        return f"<{len(self)} results: {shorten([entry.symbol for entry in self.entries])}>"

    def __len__(self) -> int:
        return len(self.entries)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | Sequence[Result]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        if position not in self._known:
            self._budget.spent = 0
            self._known[position] = self.entries[position].build(self._prints)
        return self._known[position]

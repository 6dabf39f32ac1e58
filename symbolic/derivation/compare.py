"""A derived matrix beside its print: where they differ, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy as sp

from ..exact.rational import ExactMatrix
from .demonstration import Demonstration
from .results import Entry, Form, Line, Result, Verdict, judge

Source = Callable[[], ExactMatrix]
Judgement = Callable[[tuple[str, ...]], Verdict]


def entry(
    example: Demonstration,
    symbol: str,
    equation: str,
    title: str,
    source: Source,
    *,
    print_: Callable[[], sp.Matrix] | None = None,
    verdict: Judgement | None = None,
    form: Form = "both",
    steps: Sequence[Line] = (),
    shown: Sequence[tuple[str, Source]] = (),
) -> Entry:
    """A result that is computed and judged when it is asked for.

    Its lines are the `steps`, then the matrices of `shown`, then its own.
    """

    def build() -> Result:
        exact = source()
        print_matrix = print_() if print_ else None
        where = differing(example, exact, print_matrix) if print_matrix is not None else ()
        said = verdict(where) if verdict else judge(where, equation)
        matrix = exact.matrix()
        between = (Line(text, value().matrix()) for text, value in shown)
        lines = (*steps, *between, Line(f"{symbol} ({equation})", matrix))
        return Result(symbol, equation, title, matrix, print_matrix, said, form, lines)

    return Entry(symbol, equation, form, build)


def differing(
    example: Demonstration, exact: ExactMatrix, print_matrix: sp.Matrix
) -> tuple[str, ...]:
    """The entries, counted from 1, where the derived matrix is not the print."""
    difference = exact - example.field.matrix(print_matrix)
    return tuple(
        f"entry ({i + 1},{j + 1})"
        for i in range(exact.rows)
        for j in range(exact.cols)
        if difference[i, j]
    )


def lost(equation: str, why: str = "derived", errata: tuple[str, ...] = ()) -> Judgement:
    """There is nothing to compare with: our copy of the paper lacks the display."""
    return lambda where: Verdict("lost", why=why, errata=errata, equation=equation)


def compared(equation: str, why: str, errata: tuple[str, ...] = ()) -> Judgement:
    """Equal where nothing differs, and what the print is made of."""
    return lambda where: judge(where, equation, why, errata)


def misprint(equation: str, why: str, errata: tuple[str, ...]) -> Judgement:
    """Where entries differ, this is why."""

    def said(where: tuple[str, ...]) -> Verdict:
        if not where:
            return Verdict("equals", equation=equation)
        return Verdict("differs", where, why, errata, equation)

    return said


def own(equation: str, why: str, errata: tuple[str, ...] = ("X1",)) -> Judgement:
    """There is nothing to compare with: the paper prints none."""
    return lambda where: Verdict("own", why=why, errata=errata, equation=equation)

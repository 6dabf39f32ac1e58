"""What a derivation shows: a result, its steps, and its verdict on the print."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import sympy as sp

Status = Literal["equals", "differs", "lost", "own"]
Form = Literal["printed", "completed", "both"]


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

    def sentence(self) -> str:
        """The verdict in one sentence."""
        marks = f" [{', '.join(self.errata)}]" if self.errata else ""
        why = f": {self.why}" if self.why else ""
        if self.status == "equals":
            return f"equals the print of ({self.equation}){why}{marks}"
        if self.status == "differs":
            where = ", ".join(self.where)
            return f"differs from the print of ({self.equation}) at {where}{why}{marks}"
        if self.status == "lost":
            return f"our copy of the paper lacks the display ({self.equation}){why}{marks}"
        return f"not printed in the paper{why}{marks}"


def judge(
    where: tuple[str, ...], equation: str, why: str = "", errata: tuple[str, ...] = ()
) -> Verdict:
    """What a comparison says: equal where nothing differs."""
    return Verdict("differs" if where else "equals", where, why, errata, equation)


@dataclass(frozen=True)
class Line:
    """One line of a derivation: what is done, and the formula that comes of it."""

    text: str
    formula: sp.Expr | sp.Matrix | sp.Eq | None = None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class Entry:
    """A result by name, before it is computed."""

    symbol: str
    equation: str
    form: Form
    build: Callable[[], Result]

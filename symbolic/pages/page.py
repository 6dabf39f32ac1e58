"""An element's derivation as plain data: what a page shows, and what was proven for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..language.program import Kernel, Solve


@dataclass(frozen=True, eq=False)
class Statement:
    """One line: a text, or `name = value`, or (with `divisor`) `name = divisor⁻¹ value`.

    `source` says where it comes from: an equation's number, or own.
    """

    text: str = ""
    name: str = ""
    value: sp.Matrix | None = None
    source: str = ""
    divisor: sp.Matrix | None = None

    def record(self) -> dict[str, Any]:
        """What is said, as JSON has it: matrices row by row, each entry as SymPy reads it."""
        found: dict[str, Any] = {}
        for key, said in vars(self).items():
            if isinstance(said, sp.MatrixBase):
                found[key] = [[str(x) for x in row] for row in said.tolist()]
            elif said is not None and said != "":
                found[key] = str(said)
        return found


@dataclass(frozen=True, eq=False)
class Section:
    title: str
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Check:
    """A claim, and at how many exact points it was found to hold; `where` it fails first."""

    claim: str
    points: int
    where: str = ""

    @property
    def ok(self) -> bool:
        return not self.where

    def sentence(self) -> str:
        """The outcome in words."""
        if self.ok:
            return f"holds exactly at {self.points} of {self.points} points"
        return f"fails: {self.where}"


@dataclass(frozen=True, eq=False)
class ElementPage:
    """All that is shown of one element, in order."""

    element: str
    dimension: int
    title: str
    summary: str
    sections: tuple[Section, ...]
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether everything that is claimed was proven."""
        return all(check.ok for check in self.checks)

    def record(self) -> dict[str, Any]:
        """The page as JSON has it."""
        return {
            "element": self.element,
            "dimension": self.dimension,
            "title": self.title,
            "summary": self.summary,
            "ok": self.ok,
            "sections": [
                {"title": section.title, "statements": [x.record() for x in section.statements]}
                for section in self.sections
            ],
            "proof": [
                {"claim": check.claim, "points": check.points, "ok": check.ok, "where": check.where}
                for check in self.checks
            ],
        }


def kernel_section(title: str, kernel: Kernel, about: str) -> Section:
    """A kernel as it is emitted: what it takes, its statements in order, what it gives."""
    taken = ", ".join(_shape(port.name, port.rows, port.cols) for port in kernel.inputs)
    given = ", ".join(port.name for port in kernel.outputs)
    lines = [Statement(about), Statement(f"takes {taken or 'nothing'}; gives {given}")]
    for statement in kernel.statements:
        name, source = statement.port.name, statement.source
        if isinstance(statement, Solve):
            lines.append(Statement("", name, statement.rhs, source, statement.matrix))
        else:
            lines.append(Statement("", name, statement.value, source))
    return Section(title, tuple(lines))


def _shape(name: str, rows: int, cols: int) -> str:
    if rows == cols == 1:
        return name
    return f"{name} ({rows})" if cols == 1 else f"{name} ({rows}×{cols})"

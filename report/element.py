"""An element's page: its derivation as data becomes one self-contained HTML page."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..symbolic.pages.page import Check, ElementPage, Section, Statement
from . import mathml
from .environment import environment
from .page import prose

#: A formula with more characters of MathML than this waits behind a line to click on.
FOLDED = 60_000

#: A formula with fewer characters than this leaves room for its source beside it.
NARROW = 2_000


@dataclass(frozen=True)
class Row:
    """A statement as the template sees it."""

    text: str
    name: str
    formula: str
    size: str
    source: str

    @property
    def folded(self) -> bool:
        return len(self.formula) > FOLDED

    @property
    def beside(self) -> bool:
        """Whether formula and source fit on one line."""
        return not self.text and len(self.formula) < NARROW


@dataclass(frozen=True)
class Part:
    anchor: str
    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Outcome:
    claim: str
    ok: bool
    sentence: str


def element_html(page: ElementPage) -> str:
    """The page's text; the same for the same element.

    Source
        own
    """
    parts = tuple(_part(number, each) for number, each in enumerate(page.sections, start=1))
    return (
        environment()
        .get_template("html/element.html.jinja")
        .render(
            title=page.title[0].upper() + page.title[1:],
            summary=prose(page.summary),
            command=f"mstmm derive --element {page.element} --dimension {page.dimension}",
            parts=parts,
            ok=page.ok,
            points=sum(check.points for check in page.checks),
            proof=tuple(_outcome(check) for check in page.checks),
        )
    )


def _part(number: int, section: Section) -> Part:
    rows = tuple(_row(statement) for statement in section.statements)
    return Part(f"part-{number}", prose(section.title), rows)


def _row(statement: Statement) -> Row:
    value = statement.value
    size = ""
    if isinstance(value, sp.MatrixBase) and len(value) > 1:
        size = f"{value.rows}×{value.cols}"
    name = mathml.inline(mathml.quantity(statement.name)) if statement.name else ""
    return Row(prose(statement.text), name, _formula(statement), size, prose(statement.source))


def _formula(statement: Statement) -> str:
    if statement.value is None:
        return ""
    content = _value(statement.value)
    if statement.divisor is not None:
        inverse = (
            f"<msup>{mathml.formula(statement.divisor)}<mrow><mo>−</mo><mn>1</mn></mrow></msup>"
        )
        content = f"{inverse}{mathml.TIMES}{content}"
    if statement.name:
        content = f"{mathml.quantity(statement.name)}<mo>=</mo>{content}"
    return mathml.math(f"<mrow>{content}</mrow>")


def _value(value: sp.Expr | sp.MatrixBase) -> str:
    """A matrix of zeros as one zero."""
    if isinstance(value, sp.MatrixBase) and value.is_zero_matrix:
        return mathml.formula(sp.S.Zero)
    return mathml.formula(value)


def _outcome(check: Check) -> Outcome:
    return Outcome(prose(check.claim), check.ok, check.sentence())

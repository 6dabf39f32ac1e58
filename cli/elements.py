"""An element's derivation on the command line: as text, LaTeX, strings, or one HTML page."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import sympy as sp

from ..symbolic.pages.page import ElementPage, Statement
from .matrices import strings
from .screen import WIDTH


def text(page: ElementPage) -> str:
    """The page as text: short matrices as rows, others entry by entry."""
    lines = [page.title, *textwrap.wrap(page.summary, WIDTH)]
    for section in page.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for statement in section.statements:
            lines += _lines(statement)
    lines += ["", "Proof", "-----"]
    for check in page.checks:
        lines += textwrap.wrap(f"{check.claim}: {check.sentence()}", WIDTH)
    return "\n".join(lines)


def _lines(statement: Statement) -> list[str]:
    if statement.value is None:
        return textwrap.wrap(_said(statement), WIDTH)
    name = f"{statement.name} =" if statement.name else ""
    if statement.divisor is not None:
        name = f"{name} D⁻¹ b:"
    if statement.text:
        lines = [*textwrap.wrap(_said(statement), WIDTH), *([name] if name else [])]
    else:
        lines = textwrap.wrap(f"{name}  {_said(statement)}".strip(), WIDTH)
    if statement.divisor is not None:
        lines += ["D =", *_rows(statement.divisor), "b ="]
    return [*lines, *_rows(statement.value)]


def _said(statement: Statement) -> str:
    """A statement's words and where it comes from."""
    source = f"[{statement.source}]" if statement.source else ""
    return "  ".join(part for part in (statement.text, source) if part)


def _rows(value: sp.Matrix | sp.Expr) -> list[str]:
    if not isinstance(value, sp.MatrixBase):
        return [f"  {value}"]
    if value.is_zero_matrix:
        return [f"  0 ({value.rows} x {value.cols})"]
    entries = strings(value)
    widths = [max(map(len, column)) for column in zip(*entries, strict=True)]
    if sum(widths) + 2 * len(widths) + 4 <= WIDTH:
        return [
            "  [ " + "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) + " ]"
            for row in entries
        ]
    return [
        line
        for i, row in enumerate(entries, start=1)
        for j, entry in enumerate(row, start=1)
        if entry != "0"
        for line in textwrap.wrap(
            f"  ({i},{j})  {entry}",
            WIDTH,
            subsequent_indent="         ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]


def latex(page: ElementPage) -> str:
    """Every formula as one displayed line, the rest as comments."""
    lines = [f"% {page.title}", f"% {page.summary}"]
    for section in page.sections:
        lines += ["%", f"% {section.title}"]
        for statement in section.statements:
            said = _said(statement)
            lines += [f"% {said}"] if said else []
            if statement.value is not None:
                lines.append(_displayed(statement))
    lines += ["%", *(f"% {check.claim}: {check.sentence()}" for check in page.checks)]
    return "\n".join(lines)


def _displayed(statement: Statement) -> str:
    value = sp.latex(statement.value)
    if statement.divisor is not None:
        value = f"{sp.latex(statement.divisor)}^{{-1}} {value}"
    name = f"{sp.latex(sp.Symbol(statement.name))} = " if statement.name else ""
    return f"\\[ {name}{value} \\]"


def as_object(page: ElementPage) -> dict[str, Any]:
    """The page as JSON has it."""
    return {
        "element": page.element,
        "dimension": page.dimension,
        "title": page.title,
        "summary": page.summary,
        "ok": page.ok,
        "sections": [
            {
                "title": section.title,
                "statements": [_object(statement) for statement in section.statements],
            }
            for section in page.sections
        ],
        "proof": [
            {"claim": check.claim, "points": check.points, "ok": check.ok, "where": check.where}
            for check in page.checks
        ],
    }


def _object(statement: Statement) -> dict[str, Any]:
    found: dict[str, Any] = {
        key: said for key in ("text", "name", "source") if (said := getattr(statement, key))
    }
    for key in ("value", "divisor"):
        value = getattr(statement, key)
        if value is not None:
            found[key] = strings(value) if isinstance(value, sp.MatrixBase) else str(value)
    return found


def written(page_text: str, path: Path) -> None:
    """Write a page, whole or not at all.

    Raises
        UsageError: the folder cannot be written.
    """
    from ..runtime.files import check_folder, made_beside

    check_folder(path.parent)
    with made_beside(path.parent) as scratch:
        (scratch / path.name).write_text(page_text, encoding="utf-8")

"""A document as plain text of 80 columns, as Markdown, and as a Jupyter notebook."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import sympy as sp

from .document import (
    Beside,
    Block,
    Cell,
    Code,
    Document,
    Fold,
    Formula,
    Items,
    Letters,
    Link,
    Numbers,
    Page,
    Prose,
    Section,
    Table,
    Typed,
)
from .words import latex_formula, latex_name

WIDTH = 80


# Plain text


def text(document: Document) -> str:
    """The whole document, folded parts opened.

    Source
        own
    """
    lines = [document.title, "=" * len(document.title), "", *_wrapped(document.lead)]
    for section in document.sections:
        lines += ["", section.title, "-" * len(section.title)]
        for block in section.blocks:
            lines += _plain(block)
    if document.command:
        lines += ["", f"Written by {document.command}"]
    return "\n".join(lines) + "\n"


def _wrapped(words: str, indent: str = "") -> list[str]:
    return textwrap.wrap(words, WIDTH, initial_indent=indent, subsequent_indent=indent)


def _plain(block: Block) -> Iterator[str]:
    if isinstance(block, Prose):
        yield from ("", *_wrapped(block.text))
    elif isinstance(block, Items):
        yield ""
        for item in block.texts:
            yield from textwrap.wrap(f"- {item}", WIDTH, subsequent_indent="  ")
    elif isinstance(block, Formula):
        yield from _plain_formula(block)
    elif isinstance(block, Table):
        yield from _plain_table(block)
    elif isinstance(block, Code):
        yield from ("", *(f"    {line}" for line in block.text.splitlines()))
    elif isinstance(block, Beside):
        for each in (*block.left, *block.right):
            yield from _plain(each)
    elif isinstance(block, Fold):
        yield from ("", f"* {block.title}")
        for each in block.blocks:
            yield from _plain(each)


def _plain_formula(block: Formula) -> Iterator[str]:
    words = " — ".join(x for x in (block.says, block.source) if x)
    if words:
        yield from ("", *_wrapped(words, "  "))
    name = f"{block.name} = " if block.name else ""
    if block.value is not None:
        rows = _entries(block.value)
        if block.matrix is not None:
            rows = [*_entries(block.matrix), "to the power −1, times", *rows]
        yield from _beside(name, rows)
    elif block.more:
        yield f"  {block.name} is {block.more}"
    if block.numbers is not None:
        sign = "  = " if block.value is not None else f"  {name}"
        yield from _beside(
            sign.removeprefix("  "), [f"[ {line} ]" for line in block.numbers.lines()]
        )


def _beside(name: str, rows: Sequence[str]) -> Iterator[str]:
    for k, row in enumerate(rows):
        start = name if k == 0 else " " * len(name)
        yield from textwrap.wrap(
            row, WIDTH, initial_indent=f"  {start}", subsequent_indent=" " * (len(name) + 6),
            drop_whitespace=False, break_on_hyphens=False,
        )  # fmt: skip


def _entries(value: sp.Expr | sp.MatrixBase) -> list[str]:
    """Rows of a matrix if they fit a line, else its entries one by one."""
    if not isinstance(value, sp.MatrixBase):
        return [str(value)]
    if value.shape == (1, 1):
        return [str(value[0, 0])]
    cells = [[str(x) for x in row] for row in value.tolist()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    if sum(widths) + 2 * len(widths) > WIDTH - 12:
        return [
            f"({i},{j})  {x}"
            for i, row in enumerate(cells, 1)
            for j, x in enumerate(row, 1)
            if x != "0"
        ]
    return [
        "[ " + "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)) + " ]"
        for row in cells
    ]


def _lines_of(cell: Cell) -> Sequence[str]:
    if isinstance(cell, Numbers):
        return cell.lines()
    if isinstance(cell, Letters):
        return (cell.name,)
    return (cell.text if isinstance(cell, Link | Page | Typed) else cell,)


def _plain_table(block: Table) -> Iterator[str]:
    rows = [[_lines_of(cell) for cell in row] for row in block.rows]
    columns = [*zip(*([[[x] for x in block.head], *rows]), strict=True)]
    widths = [max(len(line) for cell in column for line in cell) for column in columns]
    room = WIDTH - sum(widths[:-1]) - 2 * len(widths[:-1])
    if widths[-1] > room >= 30 and all(isinstance(row[-1], str) for row in block.rows):
        rows = [[*row[:-1], textwrap.wrap(row[-1][0], room) or [""]] for row in rows]
        widths[-1] = room
    head = "  ".join(x.ljust(w) for x, w in zip(block.head, widths, strict=True)).rstrip()
    if len(head) > WIDTH or sum(widths) + 2 * len(widths) > WIDTH + 2:
        yield from _listed(block)
        return
    yield from ("", head, "  ".join("-" * w for w in widths))
    for row in rows:
        for k in range(max(map(len, row))):
            cells = [cell[k] if k < len(cell) else "" for cell in row]
            yield "  ".join(x.ljust(w) for x, w in zip(cells, widths, strict=True)).rstrip()


def _listed(block: Table) -> Iterator[str]:
    """A table that is too wide, row by row."""
    for row in block.rows:
        yield ""
        for name, cell in zip(block.head, row, strict=True):
            lines = _lines_of(cell)
            if len(lines) == 1:
                yield from textwrap.wrap(f"{name}: {lines[0]}", WIDTH, subsequent_indent="    ")
            else:
                yield from (f"{name}:", *(f"    {line}" for line in lines))


# Markdown and notebooks


def markdown(document: Document) -> str:
    """The whole document, formulas between dollar signs.

    Source
        own
    """
    lines = [f"# {document.title}", "", _escaped(document.lead), ""]
    for section in document.sections:
        lines += [f"## {section.title}", "", *_marked(section.blocks)]
    if document.command:
        lines += [f"Written by `{document.command}`", ""]
    return "\n".join(lines)


def _escaped(words: str) -> str:
    return words.replace("_", r"\_").replace("*", r"\*").replace("<", "&lt;").replace("|", r"\|")


def _marked(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        yield from _mark(block)
        yield ""


def _mark(block: Block) -> Iterator[str]:
    if isinstance(block, Prose):
        yield _escaped(block.text)
    elif isinstance(block, Items):
        yield from (f"- {_escaped(item)}" for item in block.texts)
    elif isinstance(block, Formula):
        words = " — ".join(x for x in (block.says, block.source) if x)
        if words:
            yield from (f"*{_escaped(words)}*", "")
        if block.more:
            yield f"${latex_name(block.name)}$ is {_escaped(block.more)}."
        yield f"$${latex_formula(block)}$$"
    elif isinstance(block, Table):
        yield "| " + " | ".join(map(_escaped, block.head)) + " |"
        yield "|" + " --- |" * len(block.head)
        yield from ("| " + " | ".join(map(_mark_cell, row)) + " |" for row in block.rows)
    elif isinstance(block, Code):
        yield f"```{block.language}\n{block.text}\n```"
    elif isinstance(block, Beside):
        yield from _marked((*block.left, *block.right))
    elif isinstance(block, Fold):
        yield from (f"### {_escaped(block.title)}", "", *_marked(block.blocks))


def _mark_cell(cell: Cell) -> str:
    if isinstance(cell, Numbers):
        return "<br>".join(f"`{line}`" for line in cell.lines())
    if isinstance(cell, Letters):
        return f"${latex_name(cell.name)}$"
    if isinstance(cell, Typed):
        return f"`{cell.text}`"
    return _escaped(cell.text if isinstance(cell, Link | Page) else cell)


def notebook(document: Document, code: Callable[[], Sequence[str]]) -> str:
    """The document as a Jupyter notebook, with cells of Python that compute it again.

    Source
        own
    """
    cells = [_cell("markdown", f"# {document.title}\n\n{_escaped(document.lead)}")]
    cells += [_cell("code", source) for source in code()]
    for section in document.sections:
        cells += _section_cells(section)
    for k, cell in enumerate(cells):
        cell["id"] = f"cell-{k}"
    whole = {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _section_cells(section: Section) -> Iterator[dict[str, Any]]:
    loose: list[Block] = []
    yield _cell("markdown", f"## {section.title}")
    for block in section.blocks:
        if isinstance(block, Fold):
            if loose:
                yield _cell("markdown", "\n".join(_marked(loose)))
                loose = []
            yield _cell("markdown", "\n".join(_mark(block)))
        else:
            loose.append(block)
    if loose:
        yield _cell("markdown", "\n".join(_marked(loose)))


def _cell(kind: str, source: str) -> dict[str, Any]:
    whole: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    return whole | ({"execution_count": None, "outputs": []} if kind == "code" else {})

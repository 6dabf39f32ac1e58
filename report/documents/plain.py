"""A document as plain text of 80 columns, as Markdown, and as a Jupyter notebook."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from . import document as doc
from .entries import compared, lines, said
from .words import EMPHASIS, latex_letters, latex_line, latex_name, latex_sides
from .writer import Writer

WIDTH = 80


# Plain text


def text(document: doc.Document) -> str:
    """The whole document, folded parts opened.

    Source
        own
    """
    found = [document.title, "=" * len(document.title)]
    found += ["", *_wrapped(document.lead)] if document.lead else []
    writer = _Plain()
    for section in document.sections:
        found += ["", section.title, "-" * len(section.title)]
        found += writer.blocks(section.blocks)
    if document.command:
        found += ["", f"Written by {document.command}"]
    return "\n".join(found) + "\n"


def _wrapped(words: str, indent: str = "") -> list[str]:
    return textwrap.wrap(words, WIDTH, initial_indent=indent, subsequent_indent=indent)


class _Plain(Writer):
    def __init__(self) -> None:
        #: What products of block matrices are called where they are too long for a line.
        self.products: dict[str, str] = {}

    def prose(self, block: doc.Prose) -> Iterator[str]:
        if block.kind == "step":
            # The steps stand close together, apart from what is before them.
            yield from [""] if block.text.startswith("1. ") else []
            yield from textwrap.wrap(block.text, WIDTH, subsequent_indent="   ")
        else:
            yield from ("", *_wrapped(block.text))

    def items(self, block: doc.Items) -> Iterator[str]:
        yield ""
        for item in block.texts:
            yield from textwrap.wrap(f"- {item}", WIDTH, subsequent_indent="  ")

    def code(self, block: doc.Code) -> Iterator[str]:
        yield from ("", *(f"    {line}" for line in block.text.splitlines()))

    def fold(self, block: doc.Fold) -> Iterator[str]:
        yield from ("", f"* {block.title}")
        yield from self.blocks(block.blocks)

    def formula(self, block: doc.Formula) -> Iterator[str]:
        words = " — ".join(x for x in (block.says, block.source) if x)
        if words:
            yield from ("", *_wrapped(words, "  "))
        name = f"{block.name} = " if block.name else ""
        if block.value is not None:
            rows = lines(block.value, WIDTH - 4, block.rows, self.products)
            if block.matrix is not None:
                rows = [*lines(block.matrix, WIDTH - 4), "to the power −1, times", *rows]
            yield from _beside(name, rows)
            if block.states is not None:
                yield from _wrapped(f"times [ {'; '.join(map(said, block.states))} ] = 0", "  ")
        elif block.more:
            yield f"  {block.name} is {block.more}"
        if block.numbers is not None:
            sign = "  = " if block.value is not None else f"  {name}"
            yield from _beside(
                sign.removeprefix("  "), [f"[ {line} ]" for line in block.numbers.lines()]
            )

    def compared(self, block: doc.Compared) -> Iterator[str]:
        yield ""
        yield from compared(block.heads, block.left, block.right, WIDTH, block.places)

    def table(self, block: doc.Table) -> Iterator[str]:
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


def _beside(name: str, rows: Sequence[str]) -> Iterator[str]:
    """Rows behind a name, which stands before the first; below it where there is no room."""
    if name and max(map(len, rows), default=0) > WIDTH - len(name) - 2:
        beside = len(name) + len(rows[0]) < WIDTH
        yield f"  {name}{rows[0] if beside else ''}".rstrip()
        name, rows = "  ", rows[1:] if beside else rows
    for k, row in enumerate(rows):
        start = f"  {name if k == 0 else ' ' * len(name)}"
        yield from textwrap.wrap(
            row, WIDTH, initial_indent=start, subsequent_indent=" " * (len(start) + 4),
            drop_whitespace=False, break_on_hyphens=False,
        )  # fmt: skip


def _lines_of(cell: doc.Cell) -> Sequence[str]:
    if isinstance(cell, doc.Numbers):
        return cell.lines()
    if isinstance(cell, doc.Letters):
        return (cell.name,)
    if isinstance(cell, doc.Lines):
        return cell.texts
    return (cell if isinstance(cell, str) else cell.text,)


def _listed(block: doc.Table) -> Iterator[str]:
    """A table that is too wide, row by row."""
    for row in block.rows:
        yield ""
        for name, cell in zip(block.head, row, strict=True):
            shown = _lines_of(cell)
            if len(shown) == 1:
                yield from textwrap.wrap(f"{name}: {shown[0]}", WIDTH, subsequent_indent="    ")
            else:
                yield from (f"{name}:", *(f"    {line}" for line in shown))


# Markdown and notebooks


def markdown(document: doc.Document) -> str:
    """The whole document, formulas between dollar signs.

    Source
        own
    """
    found = [f"# {document.title}", "", _escaped(document.lead), ""]
    for section in document.sections:
        found += [f"## {section.title}", "", *_marked(section.blocks)]
    if document.command:
        found += [f"Written by `{document.command}`", ""]
    return "\n".join(found)


def _escaped(words: str) -> str:
    """Words as they are; Markdown knows what is typed, in grave accents, and *emphasis*."""
    parts = words.split("`")
    for k in range(0, len(parts), 2):
        parts[k] = EMPHASIS.sub("\0\\1\0", parts[k]).replace("<", "&lt;")
        parts[k] = re.sub(r"([_*|])", r"\\\1", parts[k]).replace("\0", "*")
    return "`".join(parts)


def _marked(blocks: Iterable[doc.Block]) -> Iterator[str]:
    """Blocks with an empty line behind each."""
    for block in blocks:
        yield from _MARKDOWN.block(block)
        yield ""


class _Markdown(Writer):
    def prose(self, block: doc.Prose) -> Iterator[str]:
        yield _escaped(block.text)

    def items(self, block: doc.Items) -> Iterator[str]:
        yield from (f"- {_escaped(item)}" for item in block.texts)

    def formula(self, block: doc.Formula) -> Iterator[str]:
        words = " — ".join(x for x in (block.says, block.source) if x)
        if words:
            yield from (f"*{_escaped(words)}*", "")
        if block.more:
            yield f"${latex_name(block.name)}$ is {_escaped(block.more)}."
        yield f"$${' = '.join(latex_sides(block))}$$"
        if block.rows:
            yield f"rows: {_escaped('; '.join(block.rows))}"

    def table(self, block: doc.Table) -> Iterator[str]:
        yield "| " + " | ".join(map(_escaped, block.head)) + " |"
        yield "|" + " --- |" * len(block.head)
        yield from ("| " + " | ".join(map(self.cell, row)) + " |" for row in block.rows)

    def code(self, block: doc.Code) -> Iterator[str]:
        yield f"```{block.language}\n{block.text}\n```"

    def picture(self, block: doc.Picture) -> Iterator[str]:
        words = _escaped(block.words)
        yield from (f"![{words}]({block.file})", "", f"*{words}*")

    def beside(self, block: doc.Beside) -> Iterator[str]:
        yield from _marked((*block.left, *block.right))

    def fold(self, block: doc.Fold) -> Iterator[str]:
        yield from (f"### {_escaped(block.title)}", "", *_marked(block.blocks))

    def cell_text(self, text: str) -> str:
        return _escaped(text)

    def cell_line(self, cell: doc.Line) -> str:
        return latex_line(cell.text, _escaped)

    def cell_lines(self, cell: doc.Lines) -> str:
        return "<br>".join(latex_line(text, _escaped) for text in cell.texts)

    def cell_numbers(self, cell: doc.Numbers) -> str:
        return "<br>".join(f"`{line}`" for line in cell.lines())

    def cell_letters(self, cell: doc.Letters) -> str:
        return f"${latex_letters(cell)}$"

    def cell_typed(self, cell: doc.Typed) -> str:
        return f"`{cell.text}`"

    def cell_link(self, cell: doc.Link) -> str:
        return _escaped(cell.text)

    def cell_page(self, cell: doc.Page) -> str:
        return _escaped(cell.text)


_MARKDOWN = _Markdown()


def notebook(document: doc.Document) -> str:
    """The document as a Jupyter notebook, with cells of Python that compute it again.

    Source
        own
    """
    cells = [_cell("markdown", f"# {document.title}\n\n{_escaped(document.lead)}")]
    cells += [_cell("code", source) for source in document.code]
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


def _section_cells(section: doc.Section) -> Iterator[dict[str, Any]]:
    loose: list[doc.Block] = []
    yield _cell("markdown", f"## {section.title}")
    for block in section.blocks:
        if isinstance(block, doc.Fold):
            if loose:
                yield _cell("markdown", "\n".join(_marked(loose)))
                loose = []
            yield _cell("markdown", "\n".join(_MARKDOWN.block(block)))
        else:
            loose.append(block)
    if loose:
        yield _cell("markdown", "\n".join(_marked(loose)))


def _cell(kind: str, source: str) -> dict[str, Any]:
    whole: dict[str, Any] = {"cell_type": kind, "metadata": {}, "source": source}
    return whole | ({"execution_count": None, "outputs": []} if kind == "code" else {})

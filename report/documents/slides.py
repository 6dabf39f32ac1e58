"""A document as slides: a page that shows one part after the other, and prints one on a sheet.

What is folded in a page is a slide here, or several where it is long. What a step reads and the
code that is emitted for it are what the presenter sees beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import sympy as sp
from markupsafe import Markup

from ..environment import environment
from . import document as doc
from .html import fragment, prose

#: About so many lines fit on a slide; a table of more than `LONG` is left to the page.
LINES, LONG = 19, 90


class Slide(NamedTuple):
    """A slide of a section: what is shown, and what the presenter sees besides."""

    section: str
    title: str
    shown: Markup
    notes: Markup


def slides(document: doc.Document) -> str:
    """The page's text; the same for the same document.

    Source
        own
    """
    return (
        environment()
        .get_template("html/slides.html.jinja")
        .render(document=document, lead=Markup(prose(document.lead)), slides=[*_all(document)])
    )


def _all(document: doc.Document) -> Iterator[Slide]:
    for section in document.sections:
        plain = [x for x in section.blocks if not isinstance(x, doc.Fold)]
        folds = [x for x in section.blocks if isinstance(x, doc.Fold)]
        if not all(isinstance(x, doc.Prose) for x in plain):
            yield from _slides(section.title, section.title, plain)
            plain = []
        for fold in folds:  # what is said of all of them stands on the first
            yield from _slides(section.title, fold.title, [*plain, *fold.blocks])
            plain = []
        if plain:
            yield from _slides(section.title, section.title, plain)


def _slides(section: str, title: str, blocks: Iterable[doc.Block]) -> Iterator[Slide]:
    """One slide, or as many as these blocks need."""
    flat = [*_flat(blocks)]
    aside = [x for x in flat if isinstance(x, doc.Code) or _is_read(x)]
    parts = [*_parts(x for x in flat if x not in aside)]
    for number, part in enumerate(parts, start=1):
        counted = f"{title} ({number} of {len(parts)})" if len(parts) > 1 else title
        notes = aside if number == 1 else []
        yield Slide(section, counted, Markup(fragment(part)), Markup(fragment(notes)))


def _is_read(block: doc.Block) -> bool:
    """Does a table say where a step's values come from?"""
    return isinstance(block, doc.Table) and block.head[0] == "reads"


def _flat(blocks: Iterable[doc.Block]) -> Iterator[doc.Block]:
    """Blocks one after the other: folds opened, code apart from what it computes."""
    for block in blocks:
        if isinstance(block, doc.Fold):
            yield doc.Prose(block.title, "head")
            yield from _flat(block.blocks)
        elif isinstance(block, doc.Beside):
            codes = [x for x in block.right if isinstance(x, doc.Code)]
            yield from _flat((*block.left, *(codes or block.right)))
        elif isinstance(block, doc.Listing):
            yield from (doc.Listing(x) for x in _cut(block.lines))
        elif isinstance(block, doc.Table) and not _is_read(block) and _lines(block) > LINES:
            rows = block.rows if _lines(block) <= LONG else ()
            yield from (doc.Table(block.head, x) for x in _cut(rows))
        else:
            yield block


Line = TypeVar("Line")


def _cut(lines: Sequence[Line]) -> Iterator[tuple[Line, ...]]:
    """As many as a slide takes below what introduces them."""
    step = LINES - 3
    return (tuple(lines[k : k + step]) for k in range(0, len(lines), step))


def _parts(blocks: Iterable[doc.Block]) -> Iterator[list[doc.Block]]:
    part, used = list[doc.Block](), 0
    for block in blocks:
        if part and used + _lines(block) > LINES:
            yield part
            part, used = [], 0
        part.append(block)
        used += _lines(block)
    if part:
        yield part


def _lines(block: doc.Block) -> int:
    """About how tall a block is."""
    if isinstance(block, doc.Drawing):
        return 8
    if isinstance(block, doc.Table):
        return 1 + sum(map(_row, block.rows))
    if isinstance(block, doc.Formula):
        rows = block.value.rows if isinstance(block.value, sp.MatrixBase) else 1
        numbers = len(block.numbers.rows) if block.numbers else 1
        return math.ceil(1.3 * max(rows, numbers)) + bool(block.says)
    if isinstance(block, doc.Items):
        return len(block.texts)
    if isinstance(block, doc.Listing):
        return len(block.lines)
    return 1


def _row(cells: Iterable[doc.Cell]) -> int:
    return max([len(x.rows) if isinstance(x, doc.Numbers) else 1 for x in cells], default=1)

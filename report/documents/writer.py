"""What all writers of documents share: a method for each kind of block, and for each of cell."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from .document import (
    Beside,
    Block,
    Cell,
    Code,
    Compared,
    Drawing,
    Formula,
    Formulas,
    Laid,
    Line,
    Lines,
    Links,
    Listed,
    Listing,
    Picture,
    Prose,
    Tabs,
)

#: The width of a listing, and where a source stands in it, unless the line is longer.
WIDTH, SOURCES = 76, 44


class Writer:
    """Writes block by block: a `Prose` by the method `prose`, cells of tables by `cell_text`.

    A writer says how blocks and cells look: `prose`, `items`, `formula`, `table`, `code`, `fold`,
    and `cell_text` (of plain text), `cell_numbers`, `cell_link`, `cell_letters`, `cell_page`,
    `cell_typed`. Where it says nothing else of them, formulas in cells are their text, what stands
    beside each other follows one after the other, and drawings are left out.
    """

    def blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        for block in blocks:
            yield from self.block(block)

    def block(self, block: Block) -> Iterator[str]:
        write: Any = getattr(self, type(block).__name__.lower())
        return write(block)  # type: ignore[no-any-return]

    def cell(self, cell: Cell) -> str:
        if isinstance(cell, str):
            return self.cell_text(cell)
        write: Any = getattr(self, f"cell_{type(cell).__name__.lower()}")
        return write(cell)  # type: ignore[no-any-return]

    def cell_text(self, text: str) -> str:
        return text

    def cell_line(self, cell: Line) -> str:
        return self.cell_text(cell.text)

    def cell_lines(self, cell: Lines) -> str:
        return self.cell_text(cell.text)

    def cell_formulas(self, cell: Formulas) -> str:
        return self.cell_text(cell.text)

    def compared(self, block: Compared) -> Iterator[str]:
        sides = zip(block.heads, (block.left, block.right), strict=True)
        return self.beside(
            Beside(
                *(
                    (Prose(head, "caption"), Formula(block.name, value, marked=block.places))
                    for head, value in sides
                )
            )
        )

    def links(self, block: Links) -> Iterator[str]:
        return self.block(Prose("; ".join(link.text for link in block.links)))

    def cell_laid(self, cell: Laid) -> str:
        return self.cell_text(cell.text)

    def beside(self, block: Beside) -> Iterator[str]:
        return self.blocks((*block.left, *block.right))

    def picture(self, block: Picture) -> Iterator[str]:
        return self.block(Prose(f"{block.file}: {block.words}", "caption"))

    def drawing(self, block: Drawing) -> Iterator[str]:
        return iter(())

    def listing(self, block: Listing) -> Iterator[str]:
        return self.block(
            Code("\n".join(x for each in block.lines for x in _wrapped(each)), "text")
        )

    def tabs(self, block: Tabs) -> Iterator[str]:
        return iter(())


def _wrapped(line: Listed) -> Iterator[str]:
    """A line of a listing, its source behind it or, where there is no room, below."""
    start = "  " * line.depth
    found = textwrap.wrap(
        line.words, WIDTH, initial_indent=start, subsequent_indent=start + "      ",
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    source = f"▷ {line.source}" if line.source else ""
    beside = (f"{found[-1].ljust(width)}  {source}" for width in (SOURCES, 0))
    fits = next((text for text in beside if len(text) <= WIDTH), "")
    if source and fits:
        found[-1] = fits
    elif source:
        below = start + " " * 6
        found += textwrap.wrap(source, WIDTH, initial_indent=below, subsequent_indent=below + "  ")
    yield from found

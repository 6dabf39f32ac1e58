"""A document as plain data: what pages, worksheets and ledgers say, however it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import sympy as sp

from ...symbolic.equations import alphabets
from ...symbolic.equations.layout import Box

#: Numbers below this part of the largest beside them are rounding: they are shown as `~0`.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Prose:
    """A paragraph; `kind` is empty, or caption, head, step, good, bad. Indices as in `z_a`."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Items:
    """A list of sentences, or of texts as they are typed."""

    texts: tuple[str, ...]
    typed: bool = False


@dataclass(frozen=True, eq=False)
class Numbers:
    """A matrix of numbers, each as it is shown."""

    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, matrix: npt.ArrayLike) -> Numbers:
        """Six digits of each; what is nothing but rounding beside the others as `~0`."""
        values = np.atleast_2d(np.asarray(matrix, dtype=float))
        largest = max(1.0, float(np.abs(values).max(initial=0.0)))
        return cls(tuple(tuple(shown(x, largest) for x in row) for row in values.tolist()))

    def lines(self) -> tuple[str, ...]:
        """Rows of aligned text."""
        widths = [max(map(len, column)) for column in zip(*self.rows, strict=True)]
        return tuple(
            "  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in self.rows
        )


def shown(x: float, largest: float = 1.0) -> str:
    """A number with six digits."""
    if x == 0:
        return "0"
    if abs(x) < ROUNDING * largest:
        return "~0"
    return f"{x:.6g}".replace("-", "−")


@dataclass(frozen=True, eq=False)
class Formula:
    """`name = value`, or `matrix name = value` of a system, with its numbers beside it.

    `says` is the same between matrices, in the letters of its `source`; `more` tells why there
    is no value. `shaded` marks zeros, so that zero blocks are seen. `states` is a column that
    the value takes to zero, `rows` what each of its rows is, `marked` entries that are wrong.
    """

    name: str
    value: sp.Expr | sp.MatrixBase | None = None
    numbers: Numbers | None = None
    says: str = ""
    source: str = ""
    matrix: sp.MatrixBase | None = None
    more: str = ""
    shaded: bool = False
    states: sp.MatrixBase | None = None
    rows: tuple[str, ...] = ()
    marked: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True, eq=False)
class Compared:
    """Two values of one name under their heads, to be read entry by entry.

    `places` are the entries where they differ, if that is what is shown.
    """

    name: str
    heads: tuple[str, str]
    left: sp.MatrixBase
    right: sp.MatrixBase
    places: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Link:
    """A word that leads to another place of the document, coloured by its `kind`."""

    text: str
    anchor: str
    kind: str = ""


@dataclass(frozen=True)
class Links:
    """Words that lead to other places."""

    links: tuple[Link, ...]


@dataclass(frozen=True)
class Letters:
    """The name of a quantity, as formulas write it: a matrix bold, a scalar not."""

    name: str
    scalar: bool = False


@dataclass(frozen=True)
class Page:
    """A word that leads to another file beside this one."""

    file: str
    text: str


@dataclass(frozen=True)
class Typed:
    """Text as it is typed: no index in it is lowered."""

    text: str


@dataclass(frozen=True)
class Line:
    """Formulas in a line, with words between them."""

    text: str


@dataclass(frozen=True)
class Lines:
    """Formulas one under the other, with words between them."""

    texts: tuple[str, ...]

    @property
    def text(self) -> str:
        return "; ".join(self.texts)


@dataclass(frozen=True, eq=False)
class Formulas:
    """Values by their names, or names alone, then words; `text` is all of it in a line."""

    values: tuple[tuple[str, sp.Expr | sp.MatrixBase | None], ...]
    words: str
    text: str


@dataclass(frozen=True)
class Laid:
    """Formulas that are laid out already, one under the other."""

    boxes: tuple[Box, ...]

    @property
    def text(self) -> str:
        return "; ".join(map(alphabets.text, self.boxes))


Cell: TypeAlias = str | Numbers | Link | Letters | Page | Typed | Line | Lines | Formulas | Laid


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of cells under a head; `kinds` are classes of the rows, which a page may filter by."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    kinds: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Code:
    """Source text."""

    text: str
    language: str = "c"


@dataclass(frozen=True)
class Listed:
    """A line of a listing: how far in, a word of control, formulas with words, whence.

    `of` as of a section.
    """

    depth: int
    control: str
    text: str
    source: str = ""
    of: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The line as it is without its source."""
        return f"{self.control} {self.text}".strip()


@dataclass(frozen=True)
class Listing:
    """An algorithm, line by line."""

    lines: tuple[Listed, ...]


@dataclass(frozen=True)
class Drawing:
    """A drawing as SVG, and what it shows in words."""

    svg: str
    words: str


@dataclass(frozen=True)
class Picture:
    """A picture in a file beside the document, and what it shows in words."""

    file: str
    words: str


@dataclass(frozen=True, eq=False)
class Beside:
    """Formulas, and the code that computes them."""

    left: tuple[Block, ...]
    right: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class Fold:
    """A part that is opened by a click."""

    title: str
    anchor: str
    blocks: tuple[Block, ...]
    opened: bool = False


@dataclass(frozen=True)
class Tabs:
    """What sections are of, by name and words: a page shows those of one, the first to begin with.

    Elsewhere one follows after the other, and nothing is written here.
    """

    tabs: tuple[tuple[str, str], ...]


Block: TypeAlias = (
    "Prose | Items | Formula | Compared | Links | Table | Code | Drawing | Picture | Beside | Fold"
    " | Tabs | Listing"
)


@dataclass(frozen=True, eq=False)
class Section:
    """A chapter of a document; `of` are the names of the tabs that it is shown with, none: all."""

    title: str
    anchor: str
    blocks: tuple[Block, ...]
    of: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Document:
    """All that is said, in order; `command` writes it again, and Python's `code` its numbers."""

    title: str
    lead: str
    sections: tuple[Section, ...]
    command: str = ""
    filters: tuple[str, ...] = ()
    code: tuple[str, ...] = ()


def every_block(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks with all that is inside them."""
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from every_block(block.blocks)
        elif isinstance(block, Beside):
            yield from every_block((*block.left, *block.right))


def anchor_of(*parts: str) -> str:
    """A name for a place: letters, digits and dashes alone, each other character as its number."""
    text = "-".join(part for part in parts if part)
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else f".{ord(c)}" for c in text)


def place_of(paper: str, number: str) -> str:
    """The name of the place where a document or a ledger's page has a paper's equation."""
    return anchor_of("eq", paper, number)


def some(rows: Sequence[tuple[Cell, ...]], most: int) -> tuple[tuple[Cell, ...], ...]:
    """The first and the last rows, if there are too many, with a row between that counts them."""
    if len(rows) <= most:
        return tuple(rows)
    left = len(rows) - most + 1
    between: tuple[Cell, ...] = (f"… {left} more", *("" for _ in rows[0][1:]))
    return (*rows[: most - 2], between, rows[-1])

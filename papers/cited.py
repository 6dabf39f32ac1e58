"""The papers' equations that a document cites, at its end, as their ledgers have them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass, replace

from ..model.expressions.quantities import told
from ..report.documents.document import Cell, Document, Fold, Prose, Section, Table
from ..report.ledgerpages import places, stated
from ..symbolic.equations.citations import cited
from ..symbolic.equations.ledger import Judged
from . import PAPERS, ledger

HEAD = ("paper", "no.", "what it states", "as printed", "as derived", "correction")


def with_equations(document: Document) -> Document:
    """The document with the equations that it cites: each citation in it leads to its own.

    Source
        own
    """
    section = equations(each for text in _texts(document.sections) for each in cited(text))
    return replace(document, sections=(*document.sections, *section))


def equations(numbers: Iterable[tuple[str, str]]) -> tuple[Section, ...]:
    """A section of the entries of some papers and numbers; none where there are no numbers.

    Source
        own
    """
    numbers, found = set(numbers), list[Judged]()
    for paper in PAPERS:
        own = {number for name, number in numbers if name == paper}
        found += ledger(paper).entries_of(own) if own else ()
    if not found:
        return ()
    lead = Prose(
        "These are the entries of the papers' ledgers that are cited above. What comes of their "
        "comparison says mstmm ledger --paper PAPER --equation NUMBER."
    )
    table = Table(HEAD, tuple(map(_row, found)), anchors=places(found))
    listed = Fold(f"{told(len(found), 'entry', 'entries')} of ledgers", "cited-entries", (table,))
    return (Section("The equations that are cited", "cited", (lead, listed)),)


def _row(entry: Judged) -> tuple[Cell, ...]:
    said = stated(entry.print_), stated(entry.as_derived)
    if entry.print_ is entry.as_derived:
        said = said[0], "the same" if entry.as_derived else ""
    return entry.paper, entry.number, entry.title, *said, entry.correction


def _texts(part: object) -> Iterator[str]:
    """Every text in a part of a document."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _texts(each)
    elif is_dataclass(part):
        for each in vars(part).values():
            yield from _texts(each)

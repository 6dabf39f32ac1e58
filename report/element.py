"""An element's page as a document: what it states, section by section, and the proof."""

from __future__ import annotations

from collections.abc import Iterator

from ..symbolic.pages.page import ElementPage, Statement
from .documents.document import Block, Document, Formula, Prose, Section, Table

SIGNS = (
    "On the element act +q, −m at an input and −q, +m at the output; λ = (−q, m). ~a b = a × b; "
    "a dot in words: qd is q̇; v, w a relative velocity and spin; r̈ the acceleration of a point."
)

TRIED = (
    "Run when this page was made: both forms evaluated in exact fractions at random points "
    "(rational points of circles and spheres for angles and quaternions), and compared without "
    "tolerance."
)


def element_document(page: ElementPage) -> Document:
    """The document of an element, however it is written.

    Source
        own
    """
    points = sum(check.points for check in page.checks)
    outcome = (
        f"Proven: each of the {len(page.checks)} claims below holds exactly at all random rational "
        f"points tried ({points} comparisons)."
        if page.ok
        else "Not proven: a claim fails; see the proof."
    )
    sections = [
        Section(each.title, f"part-{k}", tuple(b for s in each.statements for b in _blocks(s)))
        for k, each in enumerate(page.sections, start=1)
    ]
    rows = tuple((x.claim, f"{'✓' if x.ok else '✗'} {x.sentence()}") for x in page.checks)
    return Document(
        page.title[0].upper() + page.title[1:],
        page.summary,
        (
            Section("How to read it", "reading", (_outcome(outcome, page.ok), Prose(SIGNS))),
            *sections,
            Section("Proof", "proof", (Prose(TRIED), Table(("claim", "outcome"), rows))),
        ),
        f"mstmm derive --element {page.element} --dimension {page.dimension}",
    )


def _outcome(text: str, ok: bool) -> Prose:
    return Prose(text, "good" if ok else "bad")


def _blocks(of: Statement) -> Iterator[Block]:
    source = of.source
    if of.text:
        yield Prose(of.text if of.value is not None or not source else f"{of.text} ({source})")
    if of.value is not None:
        yield Formula(of.name, of.value, source=source, matrix=of.divisor)

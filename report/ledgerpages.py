"""The ledger as pages: one for each paper, one for all errata, and one that leads to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ..model.expressions.quantities import told
from ..symbolic.derivation.errata import ERRATA, Erratum
from ..symbolic.derivation.errata import KINDS as KINDS_OF_ERRATA
from ..symbolic.equations.account import Account
from ..symbolic.equations.ledger import Judged, Lines
from ..symbolic.equations.verdicts import SENTENCES, Status
from .documents.document import (
    Cell,
    Document,
    Items,
    Laid,
    Line,
    Page,
    Prose,
    Section,
    Table,
    anchor_of,
    place_of,
)
from .documents.html import html

#: What a reader sifts by.
KINDS: tuple[Status, ...] = ("equals", "differs", "absent", "own", "fails")

HEAD = ("no.", "what it states", "as printed", "as derived", "correction", "verdict", "judged")


def ledger_pages(
    entries: Sequence[Judged], about: Mapping[str, str], accounts: Mapping[str, Account]
) -> dict[str, str]:
    """The pages by file name; every entry is judged.

    `about` says what each paper is about; `accounts` are those of papers that are there as a whole.

    Source
        own
    """
    papers = dict.fromkeys(entry.paper for entry in entries)
    by_paper = {p: [entry for entry in entries if entry.paper == p] for p in papers}
    pages = {
        f"{paper}.html": html(
            _paper(f"The {paper} paper: {about[paper]}", own, accounts.get(paper))
        )
        for paper, own in by_paper.items()
    }
    pages["errata.html"] = html(_errata(by_paper))
    pages["index.html"] = html(_index(by_paper, about, accounts))
    return pages


def _counts(entries: Sequence[Judged]) -> str:
    counts = Counter(entry.verdict.status for entry in entries)
    return ", ".join(f"{counts[status]} {status}" for status in KINDS if counts[status])


def _paper(title: str, entries: Sequence[Judged], account: Account | None) -> Document:
    kinds = tuple(entry.verdict.status for entry in entries)
    table = Table(HEAD, tuple(map(_row, entries)), kinds, places(entries))
    sections = (
        Section("How to read it", "reading", (_reading(), _meanings(entries))),
        Section(f"The {len(entries)} entries", "entries", (table,)),
        *_accounts(account),
    )
    lead = f"Its equations, each judged at exact instants: {_counts(entries)}."
    present = tuple(s for s in KINDS if any(e.verdict.status == s for e in entries))
    return Document(title, lead, sections, "mstmm ledger --format html --output DIR", present)


def places(entries: Sequence[Judged]) -> tuple[str, ...]:
    """Where each entry is found: under its number, one of each equation under that alone."""
    first = {(entry.paper, entry.equation): entry.number for entry in reversed(entries)}
    whole = ((entry.paper, entry.number) for entry in entries)
    first |= {(paper, number): number for paper, number in whole if (paper, number) in first}

    def place(entry: Judged) -> str:
        alone = first[entry.paper, entry.equation] == entry.number
        return place_of(entry.paper, entry.equation if alone else entry.number)

    return tuple(map(place, entries))


def _accounts(found: Account | None) -> tuple[Section, ...]:
    """What becomes of every number that the paper prints."""
    if found is None:
        return ()
    lead = Prose(
        f"The paper numbers {len(found.numbered)} equations. {len(found.of('defines'))} are "
        f"definitions; of the {len(found.statements)} others {len(found.running)} "
        f"({found.share:.1%}) have a running check."
    )
    rows: list[tuple[Cell, ...]] = [
        (each.row.number, each.row.says, ", ".join(each.row.by), each.sentence())
        for each in found.rows
    ]
    table = Table(("no.", "what it says", "judged by", "what came of it"), tuple(rows))
    return (Section("Every number of the paper", "account", (lead, table)),)


def _reading() -> Prose:
    return Prose(
        "Both readings of an equation, the print's and what is derived, are evaluated in exact "
        "rational arithmetic at instants of true motions: there is no tolerance. The last column "
        "says where, how many pairs of sides were compared, and the file and line that states "
        "them. A print of your own is judged by mstmm ledger --paper NAME --claim '…', in the "
        "letters that --symbols lists."
    )


def _meanings(entries: Sequence[Judged]) -> Items:
    found = dict.fromkeys(entry.verdict.status for entry in entries)
    return Items(tuple(f"{status}: {SENTENCES[status]}" for status in KINDS if status in found))


def _row(entry: Judged) -> tuple[Cell, ...]:
    record, print_ = entry.record(), entry.print_
    verdict = entry.verdict
    said: str = verdict.status
    if verdict.status == "differs":
        said = f"differs in {verdict.failing} of its pairs"
    elif verdict.why:
        said = f"{verdict.status}: {verdict.why}"
    judged = f"{', '.join(record['instants'])}; {record['compared']} compared; {record['code']}"
    same = print_ is entry.as_derived
    derived = "the same" if same else stated(entry.as_derived)
    number, title, correction = (record[name] for name in ("number", "title", "correction"))
    return number, title, stated(print_), derived, correction, said, judged


def stated(what: Lines) -> Cell:
    """What an entry states, as a cell."""
    return Laid(what.boxes)


def _errata(by_paper: dict[str, list[Judged]]) -> Document:
    sections = []
    for paper, entries in by_paper.items():
        wrong = [entry for entry in entries if entry.verdict.status == "differs"]
        rows: list[tuple[Cell, ...]] = []
        for entry in wrong:
            record, verdict = entry.record(), entry.verdict
            proof = (
                f"as printed it fails in {verdict.failing} pairs of sides at "
                f"{', '.join(record['instants'])}; as derived it holds in all "
                f"{record['compared']} ({record['code']})"
            )
            rows.append(
                (
                    record["number"], record["title"], stated(entry.as_printed),
                    stated(entry.as_derived), record["correction"], proof,
                )
            )  # fmt: skip
        head = ("no.", "what it states", "printed", "right", "correction", "shown by")
        blocks = (Table(head, tuple(rows)),) if rows else (Prose("No print of it fails."),)
        sections.append(Section(f"{paper}: {told(len(wrong), 'print')}", anchor_of(paper), blocks))
    if "riccati" in by_paper:
        title = "The marks X1, X2, … of the Riccati paper"
        sections.append(Section(title, "marks", (marks(ERRATA),)))
    number = sum(e.verdict.status == "differs" for own in by_paper.values() for e in own)
    lead = f"{number} prints fail at exact instants, and hold once corrected."
    return Document("Errata of the papers", lead, tuple(sections), "mstmm ledger --format html")


def marks(errata: Iterable[Erratum]) -> Table:
    """The errata of the Riccati paper by their marks."""
    rows: list[tuple[Cell, ...]] = [
        (x.id, x.where, KINDS_OF_ERRATA[x.kind], Line(x.printed), Line(x.correct), x.proof)
        for x in errata
    ]
    head = ("mark", "where", "kind", "printed", "right", "shown by")
    return Table(head, tuple(rows), anchors=tuple(str(row[0]) for row in rows))


def _share(found: Account | None) -> str:
    if found is None:
        return ""
    return f"{len(found.running)} of {len(found.statements)} ({found.share:.1%})"


def _index(
    by_paper: dict[str, list[Judged]], about: Mapping[str, str], accounts: Mapping[str, Account]
) -> Document:
    rows: list[tuple[Cell, ...]] = [
        (
            Page(f"{paper}.html", paper),
            about[paper],
            _share(accounts.get(paper)),
            str(len(entries)),
            _counts(entries),
        )
        for paper, entries in by_paper.items()
    ]
    wrong = sum(e.verdict.status == "differs" for own in by_paper.values() for e in own)
    rows.append((Page("errata.html", "all errata"), "prints that fail", "", str(wrong), ""))
    head = ("paper", "about", "equations with a running check", "entries", "verdicts")
    table = Table(head, tuple(rows))
    section = Section("The papers", "papers", (table,))
    lead = "What five papers print, beside what is derived, and what the comparison says."
    return Document("The ledger", lead, (section,), "mstmm ledger --format html --output DIR")

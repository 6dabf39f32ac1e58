"""The account of a paper: every number that it prints, and what came of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from .ledger import Ledger
from .paper import Entry

Kind = Literal["states", "defines", "open", "text", "own"]

#: How a row's kind reads.
KINDS: Mapping[Kind, str] = {
    "states": "an equation that may be wrong",
    "defines": "a definition",
    "open": "not accounted",
    "text": "a statement between the displays",
    "own": "not in the paper",
}


@dataclass(frozen=True)
class Row:
    """A number, the entries that judge it (`as 2.9`: the very same equation), what it says."""

    number: str
    kind: Kind
    by: tuple[str, ...]
    says: str

    @property
    def numbered(self) -> bool:
        """Whether the paper numbers it, so that it counts in the account."""
        return self.kind in ("states", "defines", "open")


@dataclass(frozen=True)
class Accounted:
    """A row with what its entries' comparisons came to: how many, where, and their verdicts."""

    row: Row
    compared: int = 0
    instants: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()

    @property
    def running(self) -> bool:
        """Whether sides were compared, and nothing that the ledger says of it is wrong."""
        return self.compared > 0 and "fails" not in self.verdicts

    @property
    def status(self) -> str:
        """One word: the worst that its entries say, or its kind where none does."""
        for status in ("fails", "differs", "absent", "equals", "own"):
            if status in self.verdicts:
                return status
        return {"states": "open"}.get(self.row.kind, self.row.kind)

    def sentence(self) -> str:
        """What was judged: the print, or, where our copy lacks it, what was restored."""
        if not self.compared:
            return KINDS[self.row.kind]
        count = f"{self.compared} comparison{'' if self.compared == 1 else 's'}"
        places = f"{len(self.instants)} instant{'' if len(self.instants) == 1 else 's'}"
        who = {
            "absent": "our restoration holds",
            "differs": "the print fails, corrected it holds",
            "own": "it holds",
            "fails": "what the ledger says fails",
        }.get(self.status, "the print holds")
        return f"{who} at {places} ({count})"


@dataclass(frozen=True)
class Account:
    """A paper's rows, judged."""

    paper: str
    rows: tuple[Accounted, ...] = field(repr=False)

    def of(self, *kinds: Kind) -> list[Accounted]:
        return [judged for judged in self.rows if judged.row.kind in kinds]

    @property
    def numbered(self) -> list[Accounted]:
        return [judged for judged in self.rows if judged.row.numbered]

    @property
    def statements(self) -> list[Accounted]:
        """The numbers that are no definitions."""
        return self.of("states", "open")

    @property
    def running(self) -> list[Accounted]:
        """Those of them that have a running check."""
        return [judged for judged in self.statements if judged.running]

    @property
    def share(self) -> float:
        return len(self.running) / len(self.statements)

    def record(self) -> dict[str, Any]:
        """The account in plain words and numbers."""
        return {
            "paper": self.paper,
            "numbered": len(self.numbered),
            "definitions": len(self.of("defines")),
            "statements": len(self.statements),
            "with_a_running_check": len(self.running),
            "share": self.share,
            "rows": [
                {
                    "number": judged.row.number,
                    "kind": judged.row.kind,
                    "says": judged.row.says,
                    "by": list(judged.row.by),
                    "verdict": judged.status,
                    "compared": judged.compared,
                    "instants": list(judged.instants),
                    "sentence": judged.sentence(),
                }
                for judged in self.rows
            ],
        }


#: What entries of these kinds are in an account; any other states something.
_ROWS: Mapping[str, Kind] = {
    **{"defines": "defines", "restored": "defines"},
    **{"open": "open", "text": "text", "own": "own"},
}
_BESIDE = ("text", "own")

#: An equation's number, of an appendix too: 39, 3.16, B.27.
NUMBER = re.compile(r"(?:[A-Z]\.)?\d+(?:\.\d+)?")


def account(ledger: Ledger) -> Account:
    """The account of a paper, as its file has it; entries are judged if they are not yet.

    A number is accounted by its own entries, or by those that it says to see. A statement of the
    text, and our own, has a row where no number has it.
    """
    return Account(ledger.paper.name, tuple(accounted(ledger, row) for row in rows(ledger)))


def rows(ledger: Ledger) -> Iterator[Row]:
    """Each number once, in their order; then what no number has."""
    entries = ledger.paper.entries
    numbered = dict[str, list[Entry]]()
    for entry in entries:
        if NUMBER.fullmatch(entry.equation):
            numbered.setdefault(entry.equation, []).append(entry)
    for number in sorted(numbered, key=_in_order):
        first = min(numbered[number], key=lambda entry: entry.kind in _BESIDE)
        kind = "states" if first.kind in _BESIDE else _ROWS.get(first.kind, "states")
        judged = first.kind not in ("defines", "open") or bool(first.right)
        by = first.by if first.kind == "see" else (number,) if judged else ()
        yield Row(number, kind, by, first.title)
    for entry in entries:
        if entry.equation not in numbered:
            kind = _ROWS.get(entry.kind, "text")
            yield Row(entry.number, kind, (entry.number,), entry.title)


def _in_order(number: str) -> list[tuple[str, int]]:
    """3.9 before 3.10, and before A.1."""
    return [("", int(x)) if x.isdigit() else (x, 0) for x in re.findall(r"\d+|[A-Z]+", number)]


def accounted(ledger: Ledger, row: Row) -> Accounted:
    """A row with what its entries say; that of the whole number, if one is, gives the verdict."""
    found = [e for e in ledger.entries_of(row.by) if e.written.right]
    own = [e for e in found if e.number == row.number]
    failing = any(e.verdict.status == "fails" for e in found)
    verdicts = [e.verdict.status for e in (own if own and not failing else found)]
    return Accounted(
        row,
        sum(e.verdict.compared for e in found),
        tuple(dict.fromkeys(instant for e in found for instant in e.instants)),
        tuple(dict.fromkeys(verdicts)),
    )

"""The account of each paper: every number that it prints, and what the ledger does with it.

A table a paper, `PACKAGE/account.py`, has a line for each numbered equation: `states`, with the
entries that judge it; `defines`, which nothing could be wrong of; or `open`, with the reason. Below
them stand the entries of what no number has: statements of the `text`, and our `own`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, cast, get_args

from ...errors import InternalError
from ..exact.ledger import Entry, Status

Kind = Literal["states", "defines", "open", "text", "own"]

#: How a row's kind reads.
KINDS: Mapping[Kind, str] = {
    "states": "an equation that may be wrong",
    "defines": "a definition",
    "open": "not accounted",
    "text": "a statement between the displays",
    "own": "not in the paper",
}

#: What stands before an entry that judges the very same equation under another number.
SAME = "as "


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
class Judged:
    """A row with what its entries' comparisons came to: how many, where, and their verdicts."""

    row: Row
    compared: int = 0
    instants: tuple[str, ...] = ()
    verdicts: tuple[Status, ...] = ()

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
    rows: tuple[Judged, ...] = field(repr=False)

    def of(self, *kinds: Kind) -> list[Judged]:
        return [judged for judged in self.rows if judged.row.kind in kinds]

    @property
    def numbered(self) -> list[Judged]:
        return [judged for judged in self.rows if judged.row.numbered]

    @property
    def statements(self) -> list[Judged]:
        """The numbers that are no definitions."""
        return self.of("states", "open")

    @property
    def running(self) -> list[Judged]:
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


@cache
def rows(package: str) -> tuple[Row, ...]:
    """The table of a paper's package, line by line: `number | kind | entries | what it says`.

    What no number has is judged by its own entry, which is not named once more.

    Raises
        InternalError: a line is not of that form.
    """
    table: str = import_module(f".{package}.account", __package__).TABLE
    found = []
    for line in table.strip().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 4 or cells[1] not in get_args(Kind) or not cells[3]:
            raise InternalError(f"no line of an account: {line!r}")
        number, kind, by, says = cells
        own = number if kind in ("text", "own") else by
        found.append(Row(number, cast(Kind, kind), tuple(own.split("; ")) if own else (), says))
    return tuple(found)


def holders(row: Row, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that a row names, by their whole numbers or by the equation's alone."""
    wanted = {name.removeprefix(SAME) for name in row.by}
    return [entry for entry in entries if wanted & {entry.number, entry.equation}]


def judged(row: Row, entries: Sequence[Entry]) -> Judged:
    """A row with what its entries say of it, which are judged if they are not yet.

    An entry of the very number counts with what it compares itself, another one with what it
    compares under this number. The verdict is that of the entry with the whole number, if one is:
    `48, before` says something of the text before (48).
    """
    compared, instants = 0, dict[str, None]()
    verdicts: dict[str, Status] = {}
    same = {name.removeprefix(SAME) for name in row.by if name.startswith(SAME)}
    for entry in holders(row, entries):
        verdict, named = entry.verdict, dict(entry.verdict.numbers)
        own = row.number in (entry.equation, entry.number) or entry.equation in same
        count = named.get(row.number, 0)
        if own:
            count += verdict.compared - sum(named.values())
        compared += count
        if count or verdict.status == "fails":
            instants |= dict.fromkeys(instant.name for instant in entry.instants)
            # Another number than the one whose print differs holds as it is printed.
            status = verdict.status
            verdicts[entry.number] = "equals" if status == "differs" and not own else status
    if row.number in verdicts and "fails" not in verdicts.values():
        verdicts = {row.number: verdicts[row.number]}
    return Judged(row, compared, tuple(instants), tuple(dict.fromkeys(verdicts.values())))


def account(paper: str, package: str, entries: Sequence[Entry]) -> Account:
    """The account of a paper: each row of its table with what its entries' comparisons came to."""
    return Account(paper, tuple(judged(row, entries) for row in rows(package)))

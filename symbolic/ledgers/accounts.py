"""The account of each paper: every number that it prints, and what the ledger does with it.

A table a paper, `PACKAGE/account.py`, has a line for each numbered equation: `states`, with the
entries that judge it; `defines`, which nothing could be wrong of; or `open`, with the reason. Below
them stand the entries of what no number has: statements of the `text`, and our `own`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import cast, get_args

from ...errors import InternalError
from ..equations.account import Account, Accounted, Kind, Row
from ..exact.ledger import Entry, Status

#: What stands before an entry that judges the very same equation under another number.
SAME = "as "


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


def judged(row: Row, entries: Sequence[Entry]) -> Accounted:
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
    return Accounted(row, compared, tuple(instants), tuple(dict.fromkeys(verdicts.values())))


def account(paper: str, package: str, entries: Sequence[Entry]) -> Account:
    """The account of a paper: each row of its table with what its entries' comparisons came to."""
    return Account(paper, tuple(judged(row, entries) for row in rows(package)))

"""`mstmm ledger --account`: every number that the papers print, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..errors import ValidationError
from .screen import WIDTH, print_json, print_wrapped, said, screen, working

if TYPE_CHECKING:
    from ..symbolic.equations.account import Account
    from ..symbolic.equations.ledger import Judged

#: What is said before the first entry is judged.
READING = "reading the papers' equations"


def show_accounts(paper: str | None, as_json: bool) -> None:
    """Every number of one paper, or how many there are of each."""
    from ..papers import PAPERS
    from ..papers.shelf import account as accounted
    from ..papers.shelf import entries

    with working(READING):
        every = entries(paper)
    judge_all(every)
    found = [accounted(name) for name in ([paper] if paper else PAPERS)]
    if as_json:
        print_json([each.record() for each in found])
    elif paper is not None:
        _rows(found[0])
    else:
        _totals(found)
    refuse_failures(every)


def _totals(found: Sequence[Account]) -> None:
    """A line a paper, and the sum."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, width=WIDTH)
    table.add_column("paper", ratio=1)
    for name in ("numbered", "definitions", "others", "checked", "share"):
        table.add_column(name, justify="right")
    count = [[0, 0, 0, 0]]
    for each in found:
        numbers = [len(each.numbered), len(each.of("defines"))]
        numbers += [len(each.statements), len(each.running)]
        table.add_row(each.paper, *map(str, numbers), f"{each.share:.1%}")
        count.append(numbers)
    total = [sum(column) for column in zip(*count, strict=True)]
    table.add_section()
    table.add_row("all", *map(str, total), f"{total[3] / total[2]:.1%}")
    screen().print(table)
    print_wrapped(
        [
            "checked: sides were compared at exact instants, and hold as printed or corrected; "
            "--paper PAPER lists every number",
            *(f"without a check, {each.paper}: {_open(each)}" for each in found if _open(each)),
        ]
    )


def _open(found: Account) -> str:
    """The numbers that have no running check."""
    return ", ".join(f"({each.row.number})" for each in found.statements if not each.running)


def _rows(found: Account) -> None:
    """Every number of a paper, then what no number has."""
    from rich import box
    from rich.table import Table

    from ..papers.shelf import about

    print(f"{found.paper}: {about(found.paper)}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, width=WIDTH)
    table.add_column("no.", max_width=21)
    table.add_column("what it says", ratio=1)
    table.add_column("verdict", no_wrap=True)
    table.add_column("by", no_wrap=True)
    table.add_column("compared", no_wrap=True, justify="right")
    previous = True
    for each in found.rows:
        row = each.row
        if previous and not row.numbered:
            table.add_section()
        previous = row.numbered
        by = ", ".join(row.by) if row.numbered and row.by != (row.number,) else ""
        status = "restored" if each.status == "absent" else each.status
        compared = f"{each.compared} at {len(each.instants)}" if each.compared else ""
        table.add_row(row.number, row.says, status, by, compared)
    screen().print(table)
    checked, others = len(found.running), len(found.statements)
    without = f"; without one: {_open(found)}" if _open(found) else ""
    print_wrapped(
        [
            f"{len(found.numbered)} numbered: {len(found.of('defines'))} definitions, {others} "
            f"others, of which {checked} ({found.share:.1%}) have a running check{without}",
            "compared: how many pairs of sides, at how many exact instants; restored: our copy of "
            "the paper lacks the display, and what is derived in its place is judged",
        ]
    )


def show_number(paper: str | None, equation: str, found: Sequence[Judged], as_json: bool) -> bool:
    """What the account says of a number that has no entry of its own; whether entries judge it."""
    from ..papers import PAPERS
    from ..papers.shelf import row
    from ..symbolic.equations.account import KINDS

    number = equation.strip("() ")
    if any(number in (entry.equation, entry.number) for entry in found):
        return True
    names = [found[0].paper] if found else [paper] if paper else list(PAPERS)
    held, name = next((held, name) for name in names if (held := row(name, number)))
    if as_json and not found:
        record = {"paper": name, "number": number, "kind": held.kind, "title": held.says}
        print_json([record])
    elif not as_json:
        judges = f"judged with ({', '.join(held.by)})" if found else KINDS[held.kind]
        print_wrapped([f"{name} ({number})  {held.says}: {judges}"])
    return bool(found)


def judge_all(found: Sequence[Judged]) -> None:
    """Judge each entry, and say meanwhile on a terminal which it is, and how many are left."""
    with said() as say:
        for k, entry in enumerate(found, start=1):
            say(f"judging {entry.paper} ({entry.number}), {k} of {len(found)}")
            _ = entry.verdict


def refuse_failures(found: Sequence[Judged]) -> None:
    failed = [entry for entry in found if entry.verdict.status == "fails"]
    if failed:
        first = failed[0]
        raise ValidationError(f"{first.paper} ({first.number}): {first.verdict.sentence()}")

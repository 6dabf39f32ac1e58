"""`mstmm ledger`: the papers' equations, each judged."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError, ValidationError
from ..model.expressions.quantities import told
from .accounts import READING, judge_all, refuse_failures, show_accounts, show_number
from .screen import WIDTH, Json, one_of, print_json, print_marks, print_wrapped, screen, working
from .theory import DERIVED_PAPER

if TYPE_CHECKING:
    from ..papers.citations import Cited
    from ..symbolic.equations.ledger import Judged, Ledger

FORMATS = ("text", "json", "html")

#: The ready-made model in which the equations of that paper are derived.
DEMONSTRATION = "branch-pendulum"

Paper = Annotated[
    str | None,
    typer.Option(metavar="PAPER", help="riccati, deduction, divide-and-conquer, screw, …"),
]


def ledger(
    paper: Paper = None,
    equation: Annotated[
        str | None, typer.Option(metavar="N", help="The paper's number, e.g. 39: in full.")
    ] = None,
    format: Annotated[
        str, typer.Option(metavar="NAME", help=one_of(FORMATS, "How to show it"))
    ] = "text",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Where the pages of html go."),
    ] = None,
    claim: Annotated[
        str | None,
        typer.Option(metavar="'LEFT = RIGHT'", help="A print of your own, in its letters."),
    ] = None,
    symbols: Annotated[
        bool, typer.Option("--symbols", help="The paper's letters: what a claim may name.")
    ] = False,
    account: Annotated[
        bool,
        typer.Option("--account", help="What becomes of every number that the papers print."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Judge the papers' equations at exact instants, and show what came of it.

    Each print is compared with what is derived: it holds, or it fails and holds once corrected.
    Without --equation a table, with it an equation in full. With --format html one page for each
    paper and one for all errata. --paper screw --claim 'Vb_i = inv(Ad(C_i)) Vs_i' judges what you
    type, at the instants of --equation if one is named; --symbols lists the letters.
    --account counts the numbered equations: definitions, and how many others a check runs for.
    """
    if format not in FORMATS:
        raise UsageError(f"there is no format {format!r}; there are: {', '.join(FORMATS)}")
    from ..papers.shelf import entries

    if account:
        if equation is not None or claim is not None or symbols or format == "html":
            raise UsageError("--account is of whole papers: --paper PAPER, --json")
        show_accounts(paper, as_json or format == "json")
        return
    if symbols and (claim is not None or equation is not None):
        raise UsageError("--symbols lists a paper's letters: with --paper PAPER alone, or --json")
    if (claim is not None or symbols) and (output is not None or format == "html"):
        raise UsageError("--claim and --symbols have no pages: no --format html, no --output DIR")
    if format == "html" and output is None:
        raise UsageError("--format html writes pages into a folder: name it by --output DIR")
    if output is not None and format != "html":
        raise UsageError("--output DIR goes with --format html")
    as_json = as_json or format == "json"
    if claim is not None or symbols:
        _claimed(*_letters_of(paper, equation), claim, as_json)
        return
    with working(READING):
        found = entries(paper, equation)
    if equation is not None and not show_number(paper, equation, found, as_json):
        return
    judge_all(found)
    if output is not None:
        _pages(found, output)
    elif as_json:
        print_json([entry.record() for entry in found])
    elif equation is not None:
        print("\n\n".join(_in_full(entry) for entry in found))
        _explained(found)
        _derived(found)
        _citing(found)
    else:
        for name in dict.fromkeys(entry.paper for entry in found):
            _table(name, [entry for entry in found if entry.paper == name])
    refuse_failures(found)


def _letters_of(paper: str | None, equation: str | None) -> tuple[Ledger, tuple[str, ...]]:
    """The ledger whose letters a claim is in, and the instants at which it is judged."""
    from ..papers import ledger as ledger_of
    from ..papers.shelf import entries

    found = entries(paper, equation) if equation is not None else ()
    name = found[0].paper if found else paper
    if name is None:
        raise UsageError("--claim and --symbols are of one paper: name it by --paper")
    instants = dict.fromkeys(instant for entry in found for instant in entry.instants)
    return ledger_of(name), tuple(instants)


def _claimed(ledger: Ledger, instants: tuple[str, ...], claim: str | None, as_json: bool) -> None:
    """Judge what a reader types, or say what it may name."""
    if claim is None:
        _letters(ledger, as_json)
        return
    paper = ledger.paper.name
    with working(f"judging a claim in the letters of the {paper} paper"):
        outcome = ledger.claim(claim, instants)
    if as_json:
        print_json({"claim": claim, "ok": outcome.ok, "sentence": outcome.sentence()})
    else:
        where = ", ".join(outcome.instants)
        print_wrapped([f"{paper}, at {where}", f"  {claim}"])
        if outcome.ok:
            print_wrapped([f"  {outcome.sentence()}"])
    if not outcome.ok:
        raise ValidationError(f"the claim {outcome.sentence()}")


def _letters(ledger: Ledger, as_json: bool) -> None:
    """Every letter of a paper, as it is typed and shown, with its shape and meaning."""
    from ..symbolic.equations.grammar import CALLED

    legend = ledger.legend()
    if as_json:
        names = ("typed", "shown", "shape", "says")
        print_json([dict(zip(names, each, strict=True)) for each in legend])
        return
    print_wrapped(_meanings(legend))
    print_wrapped(
        [
            f"Indices run over {', '.join(f'{x}: {run}' for x, run in ledger.indices)}.",
            f"Functions: {', '.join(sorted(CALLED))}; ' is a rate, ∂_k(…) a slope, Σ_j … a sum.",
        ]
    )


def _meanings(legend: Sequence[tuple[str, str, str, str]]) -> Iterator[str]:
    """Letters with what they mean; those that mean the same together."""
    for means, same in groupby(legend, lambda each: each[2:]):
        names = (typed + (f" ({shown})" if shown != typed else "") for typed, shown, *_ in same)
        said = ", ".join(filter(None, means))
        named = ", ".join(names)
        yield said if said.startswith(f"{named} = ") else f"{named}  {said}"


def _pages(found: Sequence[Judged], folder: Path) -> None:
    """Write the pages of entries, all or none."""
    from ..papers.shelf import about, account, entries
    from ..report.ledgerpages import ledger_pages
    from ..runtime.files import made_beside, made_folder

    papers = dict.fromkeys(entry.paper for entry in found)
    whole = [p for p in papers if {*entries(p)} <= {*found}]
    pages = ledger_pages(
        found, {p: about(p) for p in papers}, {paper: account(paper) for paper in whole}
    )
    with made_folder(folder), made_beside(folder) as scratch:
        for name, text in pages.items():
            (scratch / name).write_text(text, encoding="utf-8")
    print(f"{folder}: {', '.join(pages)}")


def _table(paper: str, found: Sequence[Judged]) -> None:
    from rich import box
    from rich.table import Table

    from ..papers.shelf import about

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, width=WIDTH)
    table.add_column("no.", max_width=22)
    table.add_column("what it states", ratio=1)
    table.add_column("verdict", no_wrap=True)
    for entry in found:
        table.add_row(entry.number, entry.title, entry.verdict.status)
    counts = Counter(entry.verdict.status for entry in found)
    print(f"{paper}: {about(paper)}")
    screen().print(table)
    each = ", ".join(f"{n} {status}" for status, n in counts.items())
    print(f"{told(len(found), 'entry', 'entries')}: {each}\n")


def _explained(found: Sequence[Judged]) -> None:
    """The letters and the marks of corrections that entries speak of."""
    letters = sorted({x for entry in found for x in entry.letters()}, key=lambda x: x.at)
    legend = found[0].ledger.legend(letters)
    if legend:
        print("\nLetters:")
        print_wrapped(f"  {line}" for line in _meanings([(x, x, "", y) for _, x, _, y in legend]))
    print_marks(" ".join(entry.correction for entry in found))


def _derived(found: Sequence[Judged]) -> None:
    """The command that derives an equation step by step, where there is one."""
    from .. import derive

    if found[0].paper != DERIVED_PAPER:
        return
    derived = derive(DEMONSTRATION).equations
    for number in dict.fromkeys(entry.equation for entry in found if entry.equation in derived):
        print_wrapped(["", f"Derived by: mstmm derive {DEMONSTRATION} --equation {number}"])


def _citing(found: Sequence[Judged]) -> None:
    """The kernels whose statements come from an equation, and where it stands in emitted C."""
    from ..papers.citations import kernels, lines_of_code

    paper, numbers = found[0].paper, {entry.equation for entry in found}
    with working("looking through the algorithms' kernels"):
        citing = kernels(paper, numbers)
        of_forms: dict[str, Cited] = {}
        for one in citing:
            if one.algorithm == citing[0].algorithm:
                of_forms.setdefault(one.form, one)
        code = {one: list(lines_of_code(paper, numbers, one)) for one in of_forms.values()}
    if not citing:
        return
    names: dict[str, dict[str, list[str]]] = {}
    for one in citing:
        form = "" if one.form == "fast" else f" ({one.form})"
        stated = names.setdefault(f"{one.algorithm}{form}", {})
        stated.setdefault(one.stated, []).append(one.kernel)
    print("\nKernels that cite it, by the functions that state them:")
    for name, functions in names.items():
        print(f"  {name}:")
        print_wrapped(f"    {where}: {', '.join(each)}" for where, each in functions.items())
    for one, found_lines in code.items():
        if found_lines:
            lines = ", ".join(f"{file}:{number}" for file, number, _ in found_lines)
            form = "" if one.form == "fast" else f" --form {one.form}"
            written = f"mstmm generate {one.model} --algorithm {one.algorithm}{form} -o DIR"
            print_wrapped([f"Lines of C that cite it, of what {written} writes: {lines}"])


def _in_full(entry: Judged) -> str:
    record = entry.record()
    count = record["compared"]
    compared = f"{record['sentence']} ({told(count, 'comparison')})"
    print_, derived = record["as_printed"], record["as_derived"]
    lines = [
        ("as printed", print_),
        ("as derived", "the same" if print_ and print_ == derived else derived),
        ("correction", record["correction"]),
        ("verdict", f"{record['verdict']}: {compared}"),
        ("judged at", ", ".join(record["instants"])),
        ("stated in", record["code"]),
    ]
    head = textwrap.wrap(f"{entry.paper} ({entry.number})  {entry.title}", WIDTH)
    body = (
        textwrap.fill(text, WIDTH, initial_indent=f"  {name:<12}", subsequent_indent=" " * 14)
        for name, text in lines
        if text
    )
    return "\n".join((*head, *body))

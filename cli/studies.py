"""`mstmm study`: what a paper shows by numbers, repeated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import UsageError
from .screen import listed, note, print_wrapped, said

if TYPE_CHECKING:
    from ..papers.studies.study import Section, Study

SMALL = "A small size was run, to see that it works: what is said below is of these sizes alone."


def study(
    paper: Annotated[
        str | None, typer.Argument(metavar="[PAPER]", help="riccati, deduction, screw, …")
    ] = None,
    only: Annotated[
        str | None, typer.Option(metavar="PART,…", help="These parts of the study; default: all.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Where page, plots and tables go."),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A small size, within seconds.")] = False,
) -> None:
    """Repeat what a paper shows by numbers: figures and tables, computed anew.

    Without PAPER the studies and their parts are listed. With --output DIR the page is written as
    README.md, with its plots (.png, extra `plot`), drawings (.svg) and tables (.csv). A study
    that is stopped keeps the parts that it has finished.
    """
    from ..papers import PAPERS, study_of

    if paper is None:
        if only or output or quick:
            raise UsageError("name a paper: " + ", ".join(PAPERS))
        _list([study_of(name) for name in PAPERS])
        return
    chosen = study_of(paper)
    names = listed(only or "")
    chosen.chosen(names)
    if output is None:
        with said() as say:
            found = list(chosen.found(names, quick=quick, say=say))
        _show(chosen, found, SMALL if quick else "")
        return
    _written(chosen, names, output, quick)


def _list(studies: Sequence[Study]) -> None:
    for one in studies:
        print_wrapped([f"{one.paper}: {one.title}"])
        print_wrapped(f"  {part.name}: {part.what}" for part in one.parts)


def _show(chosen: Study, found: Sequence[Section], remark: str) -> None:
    from ..papers.studies.written import study_document
    from ..report.documents.plain import text

    print(text(study_document(chosen, found, note=remark)), end="")


def _written(chosen: Study, names: Sequence[str], output: Path, quick: bool) -> None:
    """Run with a page at the end; what is finished is kept when the study is stopped."""
    from ..papers.studies.written import save
    from ..runtime.extras import require
    from ..runtime.files import made_folder

    require("matplotlib.figure", extra="plot", purpose="a study's plots")
    found: list[Section] = []
    wanted = chosen.chosen(names)
    with made_folder(output):
        try:
            with said() as say:
                for section in chosen.found(names, quick=quick, say=say):
                    found.append(section)
                    save(output, chosen, found, note=_note(chosen, wanted[: len(found)], quick))
        except KeyboardInterrupt:
            if found:
                left = ", ".join(part.name for part in wanted[len(found) :])
                note(f"stopped; {output} has {len(found)} of {len(wanted)} parts, without {left}")
            raise
    print(f"{output / 'README.md'}: {chosen.title}")


def _note(chosen: Study, done: Sequence[object], quick: bool) -> str:
    """What a reader must know of a page that has not all of the study."""
    missing = [part.name for part in chosen.parts if part not in done]
    partial = f"Only a part of the study was run: without {', '.join(missing)}." if missing else ""
    return " ".join(filter(None, (SMALL if quick else "", partial)))

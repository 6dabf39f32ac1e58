"""Whole documents: a model's derivation as a page, LaTeX, a notebook or text."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .screen import working

if TYPE_CHECKING:
    from ..report.documents.document import Document
    from ..report.state import State

#: What a document may be written as.
DOCUMENTS = ("html", "slides", "latex", "notebook", "text")


def derivation(
    model: str,
    algorithm: str,
    form: str | None,
    at: str | None,
    shown_as: str,
    output: Path | None,
    entry: str | None = None,
) -> None:
    """The whole derivation of a model, or of one `entry`, to a file or to the screen.

    Slides are of one entry, by default that which shows most.

    Raises
        UsageError: no such format, algorithm, form, state or entry.
    """
    if shown_as not in DOCUMENTS:
        raise UsageError(f"a whole derivation has no format {shown_as!r}: {', '.join(DOCUMENTS)}")
    from .. import derive, load
    from ..report.chapters.entries import entry_of
    from ..report.derivation import derivation_document
    from ..report.state import shown_state

    with working(f"deriving {model}"):
        found = load(model)
        state = shown_state(found, at, rest=algorithm == "linear")
        derived = derive(found, algorithm=algorithm, **_options(form))
        more = ["--entry", entry] if entry else []
        command = _command(model, algorithm, form, at, *more, "--format", shown_as)
        if entry is None and shown_as == "slides":
            entry = entry_of(derived).name
        document = derivation_document(derived, state, command, entry)
        again = _again(model, algorithm, form, state)
        put_document(replace(document, code=again), shown_as, output)


def interactive(
    model: str, algorithm: str, form: str | None, at: str | None, output: Path | None
) -> None:
    """The page to play with, to a file or to the screen.

    Raises
        UsageError: no such algorithm, form or state, or a model of which there is no such page.
        ToolchainError: the extra `cc` is missing, or fails.
    """
    from .. import derive

    with working(f"deriving and compiling {model}"):
        page = derive(model, algorithm=algorithm, **_options(form)).interactive(at)
        content = page.html(_command(model, algorithm, form, at, "--interactive"))
    put(content, output)


def _options(form: str | None) -> dict[str, Any]:
    return {} if form is None else {"form": form}


def _command(model: str, algorithm: str, form: str | None, at: str | None, *rest: str) -> str:
    words = ["mstmm", "derive", model]
    words += ["--algorithm", algorithm] if algorithm != "riccati" else []
    words += ["--form", form] if form else []
    words += ["--at", at] if at else []
    return shlex.join([*words, *rest])


def put(content: str, output: Path | None) -> None:
    """Write a text to a file, whole or not at all, or to standard output.

    Raises
        UsageError: the file's folder cannot be written.
    """
    if output is None:
        sys.stdout.write(content)
    else:
        from ..runtime.files import made_beside

        with made_beside(output.parent) as scratch:
            (scratch / output.name).write_text(content, encoding="utf-8")


def put_document(document: Document, shown_as: str, output: Path | None) -> None:
    """Write a document to a file, or to standard output; a page with the equations it cites."""
    from ..report.documents.formats import WRITERS

    if shown_as == "html":
        from ..papers.cited import with_equations

        document = with_equations(document)
    put(WRITERS[shown_as](document), output)


def _again(model: str, algorithm: str, form: str | None, state: State) -> tuple[str, ...]:
    """Python that gives the same numbers."""
    more = f", form={form!r}" if form else ""
    return (
        "import mstmm\n\n"
        f"derived = mstmm.derive({model!r}, algorithm={algorithm!r}{more})\n"
        f"values = derived.at(\n    {list(state.q)!r},\n    {list(state.v)!r},\n"
        f"    t={state.t!r},\n    parameters={state.parameters!r},\n)",
        "list(values)[:20]  # the names of all results and quantities; values[name] is a number",
    )

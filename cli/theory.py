"""`mstmm models` and `mstmm derive`: what there is, and what follows from Newton's law."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import DerivationError, UsageError, ValidationError
from .pages import put, put_document
from .screen import (
    Json,
    ModelName,
    one_of,
    print_json,
    print_marks,
    print_wrapped,
    screen,
    working,
)

if TYPE_CHECKING:
    from ..symbolic.derivation.derivation import Derivation
    from ..symbolic.derivation.results import Result, Row

FORMATS = ("text", "latex", "json", "html", "notebook", "slides")

#: The format of a file whose name ends so, where none is asked for.
ENDINGS = {".html": "html", ".tex": "latex", ".ipynb": "notebook", ".json": "json"}

#: Forms of an algorithm, as against those of one result.
ALGORITHM_FORMS = ("fast", "paper")

#: The algorithms whose results are listed with a verdict each.
LISTED = ("riccati", "articulated")

#: The paper whose symbols and numbers a derivation answers to.
DERIVED_PAPER = "riccati"


def models(as_json: Json = False) -> None:
    """List the ready-made models and their arguments."""
    from ..model import MODELS

    if as_json:
        print_json(
            [
                {
                    "name": name,
                    "argument": ready.argument,
                    "default": ready.default,
                    "description": ready.description,
                }
                for name, ready in MODELS.items()
            ]
        )
        return
    usages = {
        f"{name}:{ready.argument}={ready.default}" if ready.argument else name: ready.description
        for name, ready in MODELS.items()
    }
    width = max(map(len, usages)) + 2
    print("\n".join(f"{usage:<{width}}{text}" for usage, text in usages.items()))


def derive(
    model: Annotated[
        str | None,
        typer.Argument(metavar="[MODEL]", help="A ready-made model or file; or give --element."),
    ] = None,
    symbol: Annotated[
        str | None, typer.Option(help="S2, e2, U5, …; at an end: S[1:O]; of a step: inward/IA/1.")
    ] = None,
    equation: Annotated[str | None, typer.Option(help="The paper's number, e.g. 39.")] = None,
    paper: Annotated[
        str | None,
        typer.Option(metavar="riccati", help="Whose number it is; mstmm ledger has the others'."),
    ] = None,
    overall: Annotated[
        bool,
        typer.Option("--overall", help="Show the overall transfer equation, of any model."),
    ] = False,
    element: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="An element instead of a model; list shows them all."),
    ] = None,
    dimension: Annotated[
        int | None,
        typer.Option(metavar="2|3", help="Of an element that is in both; default: 3."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="Of a result: printed, completed. Of the algorithm: fast, paper.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=one_of(FORMATS, "How; default: by FILE's ending, else text"),
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="STATE", help="The state of a page: 'theta1=0.3, g=9.81'."),
    ] = None,
    entry: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What a page derives: energy, mass_matrix; default: all."
        ),
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", help="A page with sliders, and the motion.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where it goes; default: the screen."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="Whose program is read; default: riccati.")
    ] = "riccati",
    budget: Annotated[
        int, typer.Option(help="Most products of polynomial terms that one result may take.")
    ] = 200_000,
) -> None:
    """Derive a model's equations: the whole as a document, or a part of it on the screen.

    With --format html, slides, latex or notebook (or text with --at or -o): the whole derivation,
    from the balance of each element to what comes out, with numbers at a state and the emitted C.
    With --interactive: a page that computes, with sliders for state and parameters, and the motion.
    With --symbol one result, with --equation all of that number in the Riccati paper (mstmm ledger
    shows those of every paper), with --overall the overall transfer equation, with --element NAME
    a body or hinge by itself, with its proof. With none of these: a list of what there is.
    """
    if format is None:
        format = ENDINGS.get(output.suffix.lower(), "text") if output else "text"
    if format not in FORMATS:
        raise UsageError(f"there is no format {format!r}; there are: {', '.join(FORMATS)}")
    shown_as = "json" if as_json else format
    if paper not in (None, DERIVED_PAPER):
        raise UsageError(
            f"derive shows the {DERIVED_PAPER} paper's results; an equation of another is shown "
            f"by mstmm ledger --paper {paper} --equation {equation or 'N'}"
        )
    if entry is not None and (interactive or element or overall or symbol or equation or as_json):
        raise UsageError("--entry chooses what a whole derivation derives: leave the others out")
    if element is not None:
        if model is not None or overall or interactive or symbol or equation or form:
            raise UsageError(
                "--element stands alone, without MODEL, --overall, --interactive, --symbol, "
                "--equation or --form"
            )
        _element(element, dimension, shown_as, output)
        return
    if model is None:
        raise UsageError("name a MODEL, or an element by --element NAME")
    if dimension is not None:
        raise UsageError("--dimension goes with --element")
    whole = not overall and symbol is None and equation is None and shown_as != "json"
    if interactive:
        if not whole or format not in ("text", "html"):
            raise UsageError(
                "--interactive is a page of the whole: leave --overall, --symbol, --equation, "
                "--json and other formats out"
            )
        _check_form(form)
        from .pages import interactive as write_page

        write_page(model, algorithm, form, at, output)
        return
    if whole and (shown_as != "text" or at is not None or output is not None or entry is not None):
        _check_form(form)
        from .pages import derivation as write

        write(model, algorithm, form, at, shown_as, output, entry)
        return
    if at is not None:
        raise UsageError("--at is the state of a whole derivation: leave --symbol and the like out")
    if output is not None and not overall:
        raise UsageError("--output goes with a whole derivation, --overall or --element")
    if overall:
        if symbol is not None or equation is not None or form is not None:
            raise UsageError("--overall shows one equation: leave --symbol, --equation, --form out")
        _overall(model, algorithm == "linear", shown_as, output)
        return
    if shown_as in ("html", "notebook", "slides"):
        raise UsageError(
            f"--format {shown_as} is of a whole derivation, --overall or --element: leave --symbol "
            "and --equation out; mstmm ledger --format html writes pages of all equations"
        )
    from .. import derive as derive_model

    options = {"form": form} if form in ALGORITHM_FORMS else {}
    form = None if options else form
    results: list[Result] = []
    rows: list[tuple[Row, Result | DerivationError]] = []
    with working(f"deriving {model}"):
        derivation = derive_model(model, algorithm=algorithm, budget=budget, **options)
        if symbol is not None:
            results = [derivation.find(symbol, equation, form)]
        elif equation is not None:
            results = list(derivation.of_equation(equation, form))
        elif form is not None:
            raise UsageError("--form chooses one of two forms of a result: name it by --symbol")
        elif derivation.algorithm.name in LISTED:
            rows = [*derivation.listed()]
    if symbol is None and equation is None:
        if derivation.algorithm.name in LISTED:
            _list(derivation, rows, shown_as)
        else:
            _list_steps(derivation, shown_as)
    else:
        _show(derivation, results, shown_as, form is None)


def slides(
    model: ModelName,
    at: Annotated[
        str | None, typer.Option(metavar="STATE", help="Its numbers: 'theta1=0.3, g=9.81'.")
    ] = None,
    algorithm: Annotated[
        str, typer.Option(metavar="NAME", help="Whose program is read; default: riccati.")
    ] = "riccati",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: MODEL-slides.html."),
    ] = None,
) -> None:
    """Write a derivation as slides for a lecture: mstmm derive MODEL --format slides, in a file.

    Arrow keys lead on; P opens the presenter's window, with the next slide, what a step reads and
    its C, and a clock; printed, each slide is a sheet.
    """
    from .pages import derivation as write

    stem = re.sub(r"[^\w.-]+", "-", Path(model).stem)
    file = output or Path(f"{stem}-slides.html")
    if file.suffix.lower() != ".html":
        raise UsageError(f"{file}: slides are a page, FILE.html, which a browser prints to a PDF")
    write(model, algorithm, None, at, "slides", file)
    print(file)


def _check_form(form: str | None) -> None:
    if form not in (None, *ALGORITHM_FORMS):
        raise UsageError(f"--form of a whole derivation is fast or paper, not {form}")


def _overall(model: str, small: bool, shown_as: str, output: Path | None) -> None:
    from .. import derive as derive_model
    from ..report.overall import overall_document, overall_object

    equation = derive_model(model).overall
    if shown_as == "json":
        put(json.dumps(overall_object(equation, small=small), indent=1) + "\n", output)
    else:
        of = ["--algorithm", "linear"] * small
        command = shlex.join(["mstmm", "derive", model, "--overall", *of, "--format", shown_as])
        document = overall_document(equation, command, small=small)
        if shown_as == "text" and output is None:
            document = replace(document, sections=document.sections[:2], command="")
        put_document(document, shown_as, output)
        if shown_as == "text" and output is None:
            print("\nIts matrices, entry by entry, and its elements: with -o FILE.")


def _element(name: str, dimension: int | None, shown_as: str, output: Path | None) -> None:
    from ..report.element import element_document
    from ..symbolic.pages.catalogue import element_names, element_page

    if name == "list":
        _list_elements(element_names(), shown_as)
        return
    with working(f"deriving {name}"):
        page = element_page(name, dimension)
    if shown_as == "json":
        put(json.dumps(page.record(), indent=1) + "\n", output)
    else:
        put_document(element_document(page), shown_as, output)
    if output is not None:
        print(f"{output}: {page.title}, {'proven' if page.ok else 'not proven'}")
    failed = [check for check in page.checks if not check.ok]
    if failed:
        raise ValidationError(f"{page.title}: {failed[0].claim}: {failed[0].sentence()}")


def _list_elements(names: Iterable[tuple[str, tuple[int, ...]]], shown_as: str) -> None:
    if shown_as == "json":
        print_json([{"element": name, "dimensions": list(found)} for name, found in names])
        return
    words = {(2,): "in the plane", (3,): "in space", (2, 3): "in the plane and in space"}
    print("\n".join(f"{name:<14}{words[found]}" for name, found in names))


def _show(derivation: Derivation, results: list[Result], shown_as: str, both: bool) -> None:
    """Results; with `both`, of one with two forms the print beside the completed one."""
    from ..report.documents.plain import text
    from ..report.results import forms_document, latex_formula, result_document

    if shown_as == "json":
        objects = [result.record() for result in results]
        print_json(objects[0] if len(objects) == 1 else objects)
    elif shown_as == "latex":
        print("\n\n".join(map(latex_formula, results)))
    else:
        found = [(both and derivation.both(result)) or (result,) for result in results]
        print(
            "\n".join(
                text(forms_document(*forms) if len(forms) > 1 else result_document(*forms))
                for forms in found
            ),
            end="",
        )
        print_marks(" ".join(x.verdict.sentence() for pair in found for x in pair))


def _list_steps(derivation: Derivation, shown_as: str) -> None:
    """What an algorithm's steps compute of the model, with names that --symbol takes."""
    found: dict[str, dict[str, list[str]]] = {}
    for name in derivation.named:
        step, _, rest = name.partition("/")
        array = rest.partition("/")[0]
        found.setdefault(step, {}).setdefault(array, []).append(name)
    titles = {step.name: step.title for step in derivation.program().steps}
    if shown_as == "json":
        print_json(
            [
                {
                    "step": step,
                    "title": titles.get(step, ""),
                    "quantities": list(chain(*each.values())),
                }
                for step, each in found.items()
            ]
        )
        return
    if shown_as == "latex":
        raise UsageError("--format latex shows one result: name it by --symbol")
    lines = []
    for step, arrays in found.items():
        each = ", ".join(f"{array} ({len(names)})" for array, names in arrays.items())
        lines += [f"{titles.get(step, step)}:", f"  {step}/  {each}"]
    print_wrapped(lines)
    print(f"One of them: --symbol '{derivation.named[0]}'.")


def _as_row(row: Row, found: Result | DerivationError) -> dict[str, str]:
    """A result of the list as JSON has it; in place of one that fails the reason."""
    known = {"symbol": row.symbol, "equation": row.equation, "form": row.form}
    if isinstance(found, DerivationError):
        return {**known, "error": str(found)}
    return {**known, "verdict": found.verdict.sentence()}


def _list(
    derivation: Derivation, rows: list[tuple[Row, Result | DerivationError]], shown_as: str
) -> None:
    if shown_as == "json":
        print_json([_as_row(*each) for each in rows])
        return
    if shown_as == "latex":
        raise UsageError("--format latex shows one result: name it by --symbol or --equation")
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("symbol", no_wrap=True)
    table.add_column("eq.", justify="right")
    table.add_column("form")
    table.add_column("verdict")
    reasons: dict[str, int] = {}
    for row, found in rows:
        form = "" if row.form == "both" else row.form
        if isinstance(found, DerivationError):
            verdict = f"none ({reasons.setdefault(str(found), len(reasons) + 1)})"
        else:
            verdict = found.verdict.sentence()
        table.add_row(row.symbol, row.equation, form, verdict)
    screen().print(table)
    print_wrapped([f"({k}) {reason}." for reason, k in reasons.items()])
    names = derivation.named
    letters = " and ".join(dict.fromkeys(f"{name.partition('[')[0]}[end]" for name in names[:2]))
    what = f"{letters} for the ends" if "[" in names[0] else "the quantities"
    first, last = (name.partition("[")[2].rstrip("]") or name for name in (names[0], names[-1]))
    print(f"And {what} {first} to {last}, e.g. --symbol '{names[0]}'.")

"""Results of a derivation as blocks of a document: the print beside it, its steps, its verdict."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from ..symbolic.derivation.results import Line, Result
from ..symbolic.equations.alphabets import latex
from .documents.document import Block, Compared, Document, Formula, Prose, Section
from .documents.plain import WIDTH
from .formulas import equal, formula, result_name

#: How a verdict is coloured.
COLOURS = {"equals": "good", "differs": "bad", "lost": "lost", "own": "own"}


def result_document(result: Result) -> Document:
    """A result: the print where it differs, how the result comes about, the result.

    Source
        own
    """
    parts = (
        ("As printed", as_printed(result, result.symbol)),
        ("Steps", steps(result)),
        ("The result", (Formula(result.symbol, result.matrix),)),
    )
    return Document(_heading(result), _verdict(result), _sections(parts))


def forms_document(printed: Result, completed: Result) -> Document:
    """A result with two forms: the print beside the completed one, then how each comes about.

    Source
        own
    """
    left = printed.matrix if printed.printed is None else printed.printed
    head = "printed form" if printed.printed is None else "as printed"
    beside = Compared(printed.symbol, (head, "completed form"), left, completed.matrix)
    each = (
        (_heading(x), (_lead(x), *as_printed(x, x.symbol), *steps(x))) for x in (printed, completed)
    )
    title = f"{printed.symbol}  ({printed.equation})  {head}, and completed"
    return Document(title, "", _sections((("Entry by entry", (beside,)), *each)))


def _sections(parts: Iterable[tuple[str, Iterable[Block]]]) -> tuple[Section, ...]:
    """The parts that say something."""
    found = ((title, tuple(blocks)) for title, blocks in parts)
    return tuple(
        Section(title, f"part-{k}", blocks)
        for k, (title, blocks) in enumerate(found, start=1)
        if blocks
    )


def latex_formula(result: Result) -> str:
    """The result as one displayed formula under comments that say what it is.

    Source
        own
    """
    verdict = textwrap.wrap(_verdict(result), WIDTH)
    comments = [f"% {line}" for line in (_heading(result), *verdict)]
    return "\n".join([*comments, latex(equal(result_name(result.symbol), formula(result.matrix)))])


def _heading(result: Result) -> str:
    number = f"({result.equation})" if result.equation else ""
    form = f"{result.form} form" if result.form != "both" else ""
    return f"{'  '.join(filter(None, (result.symbol, number, form)))}: {result.title}"


def _verdict(result: Result) -> str:
    return f"Verdict: {result.verdict.sentence()}."


def _lead(result: Result) -> Prose:
    return Prose(_verdict(result), COLOURS[result.verdict.status])


def as_printed(result: Result, name: str) -> Iterator[Block]:
    """The print beside what is derived, where they differ."""
    if result.verdict.status == "differs" and result.printed is not None:
        heads = ("as printed", "as derived")
        yield Compared(name, heads, result.printed, result.matrix, result.verdict.places)


def own_steps(result: Result) -> tuple[Line, ...]:
    """The steps without the last one if it only repeats the result."""
    if result.steps and result.steps[-1].formula == result.matrix:
        return result.steps[:-1]
    return result.steps


def steps(result: Result) -> Iterator[Block]:
    """The steps of the derivation, with the formulas between them."""
    for k, step in enumerate(own_steps(result), start=1):
        yield Prose(f"{k}. {step.text}", "step")
        if step.formula is not None:
            yield Formula("", step.formula)

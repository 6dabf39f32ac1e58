"""One self-contained HTML page that shows a derivation, what was generated and the proof."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import sympy as sp

from ..codegen.blocks import Block
from ..codegen.generate import Generated
from ..codegen.targets.registry import target_named
from ..codegen.views import counts
from ..symbolic.derivation.derivation import Derivation, Line, Result
from ..symbolic.derivation.errata import Erratum
from . import mathml, written
from .environment import environment
from .overallpage import overall_context

if TYPE_CHECKING:
    from ..codegen.proof.records import Proof

BADGES = {
    "equals": "equals the print",
    "differs": "differs from the print",
    "lost": "not in our copy",
    "own": "not printed",
}
#: What a section with several verdicts is coloured by.
GRAVEST = ("differs", "lost", "own", "equals")
KINDS = {"W": "wrong", "I": "incomplete", "N": "notation"}
#: The last equation of each part, and the part's title; without number comes last.
PARTS = (
    (17, "Elements: rigid body, smooth hinge, multi-hinge"),
    (34, "The Riccati recursion"),
    (99, "The demonstration example"),
)
UNNUMBERED = "This system"


@dataclass(frozen=True)
class Step:
    """One line of a derivation."""

    text: str
    formula: str | None


@dataclass(frozen=True)
class Shown:
    """A result as the template sees it."""

    name: str
    title: str
    form: str
    badge: str
    status: str
    sentence: str
    formula: str
    printed: str | None
    steps: tuple[Step, ...]
    as_before: bool


@dataclass(frozen=True)
class Section:
    """The results of one equation."""

    anchor: str
    equation: str
    names: tuple[str, ...]
    badge: str
    results: tuple[Shown, ...]


@dataclass(frozen=True)
class Part:
    title: str
    anchor: str
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Rank:
    """The rank of the reduced system in one form, with the lines that show it."""

    form: str
    rank: int
    size: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class BlockRow:
    title: str
    kernel: str
    equations: tuple[str, ...]
    operations: str


@dataclass(frozen=True)
class StepTable:
    title: str
    name: str
    blocks: tuple[BlockRow, ...]


# Text


def prose(text: str) -> str:
    """Text with its formulas as MathML, its emphasis and its numbers of errata linked.

    What may be a word is a word: a letter alone, `panda_link7`, marks of corrections (`E15:`).
    """
    return "".join(
        mathml.inline(part.mathml) if part.is_telling else _words(part.text)
        for part in written.parts(text)
    )


def _words(text: str) -> str:
    marked = re.sub(r"(?<![\w)])\*(\w+)\*(?![\w(])", r"<em>\1</em>", escape(text, quote=False))
    return re.sub(r"\b(X\d+)\b", r'<a href="#\1">\1</a>', marked)


def _math(content: str) -> str:
    return mathml.math(content)


def equality(
    symbol: str, value: sp.Expr | sp.MatrixBase, marked: Iterable[tuple[int, int]] = ()
) -> str:
    """A result under its name, as MathML."""
    content = mathml.formula(value, frozenset(marked))
    return _math(f"<mrow>{mathml.result_name(symbol)}<mo>=</mo>{content}</mrow>")


# Results


def _own_steps(result: Result) -> tuple[Line, ...]:
    """The steps without the last one if it only repeats the result."""
    if result.steps and result.steps[-1].formula == result.matrix:
        return result.steps[:-1]
    return result.steps


def _shown(result: Result, before: Result | None) -> Shown:
    verdict = result.verdict
    steps = _own_steps(result)
    marked = verdict.places
    differs = verdict.status == "differs" and result.printed is not None
    return Shown(
        name=mathml.inline(mathml.result_name(result.symbol)),
        title=prose(result.title),
        form="" if result.form == "both" else f"{result.form} form",
        badge=BADGES[verdict.status],
        status=verdict.status,
        sentence=prose(_sentence(result)),
        formula=equality(result.symbol, result.matrix, marked),
        printed=equality(result.symbol, result.printed, marked) if differs else None,
        steps=tuple(
            Step(
                prose(line.text),
                None if line.formula is None else _math(mathml.formula(line.formula)),
            )
            for line in steps
        ),
        as_before=before is not None and bool(steps) and steps == _own_steps(before),
    )


def _sentence(result: Result) -> str:
    """What the verdict says beyond its badge."""
    verdict = result.verdict
    if verdict.status == "equals" and not verdict.why and not verdict.errata:
        return ""
    sentence = verdict.sentence()
    return sentence[0].upper() + sentence[1:] + "."


def _sections(results: Iterable[Result]) -> Iterator[tuple[int, Section]]:
    """The results by equation, in the order of the numbers; those without one last."""

    def number(result: Result) -> int:
        return int(result.equation) if result.equation.isdigit() else 10**6

    ordered = sorted(results, key=number)
    for at, (key, group) in enumerate(
        groupby(ordered, lambda result: (number(result), result.equation or result.symbol))
    ):
        found = list(group)
        shown, before = [], None
        for result in found:
            shown.append(_shown(result, before))
            before = result
        statuses = {result.verdict.status for result in found}
        worst = next(
            status for status in ("differs", "lost", "own", "equals") if status in statuses
        )
        equation = found[0].equation
        yield (
            key[0],
            Section(
                anchor=f"eq-{equation}" if equation else f"result-{at}",
                equation=equation,
                names=tuple(dict.fromkeys(result.name for result in shown)),
                badge=worst,
                results=tuple(shown),
            ),
        )


def _parts(results: Iterable[Result]) -> tuple[Part, ...]:
    sections = list(_sections(results))
    parts: list[Part] = []
    lowest = 0
    for last, title in (*PARTS, (10**6, UNNUMBERED)):
        chosen = tuple(section for number, section in sections if lowest < number <= last)
        if chosen:
            parts.append(Part(title, f"part-{len(parts) + 1}", chosen))
        lowest = last
    return tuple(parts)


def _ranks(results: Iterable[Result]) -> tuple[Rank, ...]:
    found = list(results)
    sizes = {result.form: result.matrix.rows for result in found if result.symbol == "Ubar"}
    return tuple(
        Rank(
            result.form,
            int(result.matrix[0, 0]),
            sizes[result.form],
            tuple(prose(line.text) for line in result.steps),
        )
        for result in found
        if result.symbol == "rank"
    )


# Code and proof


def _block(block: Block) -> BlockRow:
    return BlockRow(
        title=block.title,
        kernel=block.name,
        equations=tuple(prose(source) for source in block.sources),
        operations=counts(block.operations()),
    )


def _code(generated: Generated) -> dict[str, object]:
    module = generated.module
    main = next(
        name for name in generated.sources.files if name.endswith((".c", ".py")) and "_" in name
    )
    return {
        "target": target_named(generated.sources.target).language,
        "steps": tuple(
            StepTable(step.title, step.name, tuple(_block(block) for block in step.blocks))
            for step in module.steps
        ),
        "entries": tuple(
            (entry.name, entry.title, counts(module.operations(entry))) for entry in module.entries
        ),
        "files": tuple(
            (name, len(text.encode("utf-8"))) for name, text in generated.sources.files.items()
        ),
        "main": main,
        "source": generated.sources.files[main],
    }


def _erratum(erratum: Erratum) -> tuple[str, ...]:
    return (
        erratum.id,
        erratum.where,
        KINDS[erratum.kind],
        written.formulas(erratum.printed),
        written.formulas(erratum.correct),
        prose(erratum.proof),
    )


# The page


def page(
    derivation: Derivation, generated: Generated | None = None, proof: Proof | None = None
) -> str:
    """The page's text; the same for the same arguments.

    Raises
        DerivationError: a result exceeds the derivation's operation budget.
    Source
        own
    """
    model, results = derivation.model, list(derivation.results)
    values = [f"{name} = {value:g}" for name, value in model.parameters.items()]
    context = {
        "name": model.name,
        "description": model.description,
        "topology": derivation.plan.describe().splitlines(),
        "bodies": len(model.bodies),
        "hinges": len(model.hinges),
        "dimension": "planar" if model.dimension == 2 else "spatial",
        "parameters": values,
        "spin": mathml.SPIN,
        "tally": [
            (status, label, sum(result.verdict.status == status for result in results))
            for status, label in BADGES.items()
        ],
        "ranks": _ranks(results),
        "parts": _parts(results),
        "overall": overall_context(derivation.overall),
        "errata": tuple(_erratum(erratum) for erratum in derivation.errata),
        "code": None if generated is None else _code(generated),
        "proof": proof,
    }
    return environment().get_template("html/derivation.html.jinja").render(context)


def write_page(
    derivation: Derivation,
    path: Path,
    generated: Generated | None = None,
    proof: Proof | None = None,
) -> None:
    """Write the page of a derivation, whole or not at all.

    Raises
        OSError: the file cannot be written.
        DerivationError: a result exceeds the derivation's operation budget.
    Source
        own
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_text(page(derivation, generated, proof), encoding="utf-8")
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)

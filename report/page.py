"""A derivation beside the paper's print, with its errata, what was generated, and the proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ..codegen.generate import Generated
from ..codegen.targets.registry import target_named
from ..codegen.views import counts
from ..model.expressions.quantities import told
from ..symbolic.derivation.derivation import Derivation
from ..symbolic.derivation.results import Result
from .documents.document import (
    Beside,
    Block,
    Cell,
    Code,
    Document,
    Fold,
    Formula,
    Items,
    Link,
    Links,
    Prose,
    Section,
    Table,
    Typed,
)
from .formulas import written_name
from .ledgerpages import marks
from .overall import overall_sections
from .results import COLOURS, as_printed, own_steps, steps

if TYPE_CHECKING:
    from ..codegen.proof.records import Proof

VERDICTS = {
    "equals": "equal the print",
    "differs": "differ from the print",
    "lost": "are not in our copy",
    "own": "are not printed",
}
#: What an equation with several verdicts is coloured by.
GRAVEST = ("differs", "lost", "own", "equals")
#: The last equation of each part, and the part's title; without number comes last.
PARTS = (
    (17, "Elements: rigid body, smooth hinge, multi-hinge"),
    (34, "The Riccati recursion"),
    (99, "The demonstration example"),
    (10**6, "This system"),
)

LETTERS = (
    "State at an end: z = [r̈; Ω̇; m; q; 1]: acceleration, angular acceleration, cutting moment and "
    "force; in the plane [ẍ ÿ Ω̇_z m_z q_x q_y 1]",
    "Signs: on the element act +q, −m at an input and −q, +m at an output",
    "Letters: c_i = cos θ_i, s_i = sin θ_i, ω_i = θ̇_i; m is a rod's mass, 2a its length; a number "
    "in parentheses is that of the paper’s equation",
    "Riccati: z_a = S z_b + e with z_a = (m, q) and z_b = (r̈, Ω̇) along a chain from a free tip",
    "Forms: *printed*: with the paper's hinge (10); *completed*: with m = 0 stated at the hinge "
    "itself",
)


def compared_document(
    derivation: Derivation, generated: Generated | None = None, proof: Proof | None = None
) -> Document:
    """Every result with its verdict; the same for the same arguments.

    Raises
        DerivationError: a result exceeds the derivation's operation budget.
    Source
        own
    """
    model, results = derivation.model, list(derivation.results)
    parts = list(_parts(results))
    sections = [
        Section("The system", "system", tuple(_system(derivation))),
        *_ranks(results),
        Section("Contents", "contents", tuple(_contents(results, parts))),
        *(Section(title, anchor, folds) for title, anchor, folds, _ in parts),
        *overall_sections(derivation.overall),
        Section("Errata of the paper", "errata", (marks(derivation.errata),)),
    ]
    if generated is not None:
        language = target_named(generated.sources.target).language
        sections.append(Section(f"Generated {language}", "code", tuple(_code(generated))))
    if proof is not None:
        sections.append(Section("Validation", "proof", tuple(_proof(proof))))
    what = model.description or "a multibody system"
    lead = f"{what}, derived by the Riccati transfer matrix method"
    return Document(model.name, lead, tuple(sections))


def _system(derivation: Derivation) -> Iterator[Block]:
    model = derivation.model
    values = ", ".join(f"{name} = {value:g}" for name, value in model.parameters.items())
    yield Prose(
        f"A {'planar' if model.dimension == 2 else 'spatial'} tree of "
        f"{told(len(model.bodies), 'body', 'bodies')} and "
        f"{told(len(model.hinges), 'hinge')}"
        f"{f'; by default {values} (SI units)' if values else ''}. Transfer runs from the tips to "
        "the root:"
    )
    yield Items(tuple(derivation.plan.describe().splitlines()))
    yield Items(LETTERS)


def _ranks(results: Sequence[Result]) -> Iterator[Section]:
    """The rank of the reduced system in each form, with the lines that show it."""
    sizes = {result.form: result.matrix.rows for result in results if result.symbol == "Ubar"}
    found = [result for result in results if result.symbol == "rank"]
    if found:
        sides = [
            (
                Prose(
                    f"rank {int(result.matrix[0, 0])} of {sizes[result.form]}, {result.form} form, "
                    "system (59)",
                    "head",
                ),
                Items(tuple(line.text for line in result.steps)),
            )
            for result in found
        ]
        title = "As printed, the equations do not determine the motion"
        blocks: tuple[Block, ...] = (Beside(*sides),) if len(sides) == 2 else sides[0]
        yield Section(title, "rank", blocks)


# Results

#: A part: its title, its anchor, a fold for each equation, and what leads to them.
Part = tuple[str, str, tuple[Fold, ...], tuple[Link, ...]]


def _parts(results: Iterable[Result]) -> Iterator[Part]:
    """The results by equation, in the order of the numbers; those without one last."""

    def number(result: Result) -> int:
        return int(result.equation) if result.equation.isdigit() else 10**6

    def part(result: Result) -> str:
        return next(title for last, title in PARTS if number(result) <= last)

    ordered = sorted(results, key=number)
    for k, (title, inside) in enumerate(groupby(ordered, part), start=1):
        folds, links = [], []
        grouped = groupby(inside, lambda result: result.equation or result.symbol)
        for at, (_, group) in enumerate(grouped):
            found = list(group)
            fold = _equation(found, at)
            folds.append(fold)
            statuses = {result.verdict.status for result in found}
            gravest = next(status for status in GRAVEST if status in statuses)
            links.append(Link(_names(found), fold.anchor, gravest))
        yield title, f"part-{k}", tuple(folds), tuple(links)


def _names(found: Sequence[Result]) -> str:
    names = list(dict.fromkeys(written_name(result.symbol) for result in found))
    number = f"({found[0].equation}) " if found[0].equation else ""
    return f"{number}{', '.join(names[:3])}{' …' if len(names) > 3 else ''}"


def _equation(found: Sequence[Result], at: int) -> Fold:
    equation = found[0].equation
    blocks: list[Block] = []
    before: Result | None = None
    for result in found:
        blocks += _result(result, before, len(found) > 1)
        before = result
    title = _names(found) if len(found) > 1 else f"{_names(found)}: {found[0].title}"
    anchor = f"eq-{equation}" if equation else f"result-{at}"
    return Fold(title, anchor, tuple(blocks), True)


def _result(result: Result, before: Result | None, several: bool) -> Iterator[Block]:
    name = written_name(result.symbol)
    form = "" if result.form == "both" else f"{result.form} form"
    if several or form:
        head = f"{name}: {result.title}" if several else ""
        yield Prose(", ".join(filter(None, (head, form))), "head")
    verdict = result.verdict.sentence()
    yield Prose(f"{verdict[0].upper()}{verdict[1:]}.", COLOURS[result.verdict.status])
    if before is not None and own_steps(result) and own_steps(result) == own_steps(before):
        yield Prose("Derived by the same steps as the one before.", "caption")
    else:
        yield from steps(result)
    if result.verdict.status == "differs" and result.printed is not None:
        yield from as_printed(result, name)
    else:
        yield Formula(name, result.matrix)


def _contents(results: Sequence[Result], parts: Sequence[Part]) -> Iterator[Block]:
    for status, what in VERDICTS.items():
        number = sum(result.verdict.status == status for result in results)
        yield Prose(f"{told(number, 'result')} {what}.", COLOURS[status])
    for title, _, _, links in parts:
        yield Prose(title, "caption")
        yield Links(links)


# Code and proof


def _code(generated: Generated) -> Iterator[Block]:
    module, files = generated.module, generated.sources.files
    rows: list[tuple[Cell, ...]] = [
        (Typed(entry.name), entry.title, counts(module.operations(entry)))
        for entry in module.entries
    ]
    yield Table(("function", "gives", "operations"), tuple(rows))
    for step in module.steps:
        rows = [
            (b.title, Typed(b.name), "; ".join(b.sources), counts(b.operations()))
            for b in step.blocks
        ]
        yield Prose(f"{step.title} ({step.name})", "head")
        yield Table(("block", "kernel", "from", "operations"), tuple(rows))
    sizes = ", ".join(f"{name} ({len(text.encode('utf-8'))} bytes)" for name, text in files.items())
    yield Prose(f"Files: {sizes}", "caption")
    main = next(name for name in files if name.endswith((".c", ".py")) and "_" in name)
    language = "python" if main.endswith(".py") else "c"
    yield Fold(main, "source", (Code(files[main], language),))


def _proof(proof: Proof) -> Iterator[Block]:
    yield Prose(
        "The generated code against the symbolic form in 50-digit arithmetic, errors in units in "
        "the last place times κ (what rounding of the data does to the result):"
    )
    outcome = "All kernels are within their bounds." if proof.ok else f"{proof.worst}."
    yield Prose(outcome, "good" if proof.ok else "bad")
    rows: list[tuple[Cell, ...]] = [
        (
            Typed(row.kernel), str(row.points), f"{row.max_ulps:.3g}", f"{row.bound:.3g}",
            "✓" if row.ok else "✗ fails",
        )
        for row in proof.rows
    ]  # fmt: skip
    yield Table(("kernel", "points", "largest error, κ ulp", "bound", ""), tuple(rows))

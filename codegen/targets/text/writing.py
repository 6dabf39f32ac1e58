"""The file of the text: what each entry does, then the steps, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from ...blocks import Module
from ...interface import Interface
from ...printing.languages import Language
from ...printing.printer import PrintedBlock
from ...views import EntryView, StepView
from ..writer import Asked, Writer, Written
from .language import TEXT


class TextWriter(Writer):
    """Writes the program to be read."""

    language: ClassVar[Language] = TEXT

    def own(
        self, module: Module, interface: Interface, context: Mapping[str, Any], asked: Asked
    ) -> Written:
        named = [
            line
            for places in context["names"].places.listed
            for line in (places.title, *_indented(places.rows), "")
        ]
        constants = [f"{x.name} = {x.value}" for x in context["names"].constants.listed]
        parts = [
            [context["title"]],
            READING.splitlines(),
            *(_entry(entry) for entry in context["entries"]),
            named[:-1],
            constants,
            *(_step(step) for step in context["steps"]),
        ]
        text = "\n\n".join("\n".join(part) for part in map(list, parts) if part)
        return {f"{interface.prefix}.txt": f"{text}\n"}, ""


WRITER = TextWriter()

READING = """\
How to read it. A line states a number; what stands without brackets is of the element
at hand. all.c[2] is number 2 of all the c that the elements have, counted from 0, and
q[2] that of what is given or comes out. Where such a buffer's places have names in
capitals, lists below say which places they are: q[Q_HINGE] is the coordinate of hinge."""


def _entry(entry: EntryView) -> Iterator[str]:
    results = ", ".join(name for name, _ in entry.results)
    given = ", ".join(name for name in entry.arguments if name not in dict(entry.results))
    yield f"{entry.name}({given}) → {results}: {entry.counts} operations"
    yield from _indented(step.name for step in entry.steps)


def _step(step: StepView) -> Iterator[str]:
    yield f"{step.name}: {step.title}"
    yield from _indented(f"{name} = 0" for name in step.clears)
    for block in step.blocks:
        yield from _indented(_block(block))
    if step.dense:
        of = step.dense
        yield from _indented([f"{of.unknowns} = solution of {of.matrix} x = {of.rhs}"])


def _block(block: PrintedBlock) -> Iterator[str]:
    yield block.title
    for table in block.tables:
        yield f"    {table.name} = {', '.join(table.values)}"
    if block.count == 1:
        yield from _indented(block.body)
        return
    yield from _indented(f"{name} = {value}" for name, value in block.starts)
    yield f"    for i = 0 … {block.count - 1}"
    yield from _indented(_indented((*block.body, *block.updates)))
    yield from _indented(block.after)


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)

"""Pass *chunks*: a step of very long straight code becomes several functions.

Compilers take more than proportional time over a long function, and a function of this length
gains nothing from another thousand lines: blocks hand over through memory alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..blocks import Block, LoweredStep, Module

#: Operations in the text of one function, after which the next block begins another.
LONGEST = 4_000


def chunked(module: Module) -> Module:
    """Cut steps of long straight code between blocks."""
    parts = {step.name: tuple(_parts(step)) for step in module.steps}
    entries = (
        replace(entry, steps=tuple(part.name for name in entry.steps for part in parts[name]))
        for entry in module.entries
    )
    steps = tuple(part for step in module.steps for part in parts[step.name])
    return replace(module, steps=steps, entries=tuple(entries))


def _parts(step: LoweredStep) -> Iterator[LoweredStep]:
    chunks = list(_chunks(step.blocks))
    if len(chunks) < 2:
        yield step
        return
    for number, blocks in enumerate(chunks, start=1):
        yield LoweredStep(
            f"{step.name}_part{number}",
            f"{step.title}, part {number} of {len(chunks)}",
            tuple(blocks),
            step.clears if number == 1 else (),
            step.dense if number == len(chunks) else None,
        )


def _chunks(blocks: tuple[Block, ...]) -> Iterator[list[Block]]:
    chunk: list[Block] = []
    length = 0
    for block in blocks:
        if length >= LONGEST and not block.joined:
            yield chunk
            chunk, length = [], 0
        chunk.append(block)
        length += sum(block.operations().values())
    yield chunk

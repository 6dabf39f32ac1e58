"""Pass *whole*: the blocks of a straight-line entry as one, values handed on in local variables.

Only results are stored. What a block writes for another goes through no memory, what nothing
reads at this very member is not computed, and signs and products are numbered across blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...symbolic.language.program import Call, Program, Storage
from ..blocks import Block, Cell, LoweredStep, Module, Operand
from ..graph import Graph

#: What the name of a step made of an entry begins with.
WHOLE = "straight_"

#: Operations beyond which blocks stay apart: compilers take more than proportional time.
LARGEST = 12_000


def whole(module: Module) -> Module:
    """The entries marked as whole as one step each, where nothing in them repeats."""
    by_name = {step.name: step for step in module.steps}
    entries, found = [], []
    for entry in module.entries:
        own = [by_name[name] for name in entry.steps]
        if entry.whole and _straight(own):
            block = _merged(module.program, own, entry.title)
            found.append(LoweredStep(f"{WHOLE}{entry.name}", entry.title, (block,)))
            entry = replace(entry, steps=(found[-1].name,))
        entries.append(entry)
    used = {name for entry in entries for name in entry.steps}
    steps = tuple(step for step in (*module.steps, *found) if step.name in used)
    return replace(module, steps=steps, entries=tuple(entries))


def _straight(steps: Sequence[LoweredStep]) -> bool:
    blocks = [block for step in steps for block in step.blocks]
    if any(step.dense or step.clears for step in steps) or not blocks:
        return False
    if any(block.count > 1 or block.span for block in blocks):
        return False
    return sum(sum(block.operations().values()) for block in blocks) <= LARGEST


def _merged(program: Program, steps: Sequence[LoweredStep], heading: str) -> Block:
    graph = Graph()
    graph.ones.update(*(block.graph.ones for step in steps for block in step.blocks))
    inputs: dict[str, Operand] = {}
    names: dict[Operand, str] = {}
    memory: dict[Cell, int] = {}
    stores: dict[Cell, int] = {}
    calls: list[Call] = []

    def read(name: str, operand: Operand) -> int:
        if isinstance(operand, Cell) and operand in memory:
            return memory[operand]
        if operand not in names:
            unique, suffix = name, 2
            while unique in inputs:
                unique, suffix = f"{name}_{suffix}", suffix + 1
            names[operand], inputs[unique] = unique, operand
        return graph.input(names[operand])

    for step in steps:
        for block in step.blocks:
            known = {name: read(name, operand) for name, operand in block.inputs.items()}
            nodes = graph.copy(block.graph, block.wanted(), known, block.members)
            for cell, number in block.stores:
                memory[cell] = nodes[number]
                if program.arrays[cell.array].storage is Storage.RESULT:
                    stores[cell] = nodes[number]
            calls += block.calls[0]
    graph = graph.narrowed(stores.values())
    used = graph.inputs(stores.values())
    inputs = {name: operand for name, operand in inputs.items() if name in used}
    return Block((tuple(calls),), graph, inputs, list(stores.items()), {}, heading=heading)

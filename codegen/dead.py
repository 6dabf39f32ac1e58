"""Passes *dead*, *special* and *memory*: what nothing reads is not computed, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..symbolic.program import Program, Storage
from .blocks import Block, Carried, Cell, Index, LoweredStep, Module, Operand
from .freeze import Entry as PortEntry


def dead(module: Module) -> Module:
    """Drop what nothing reads."""
    steps = copied(module.steps)
    drop_dead(module.program, steps)
    kept = _without_empty_blocks(steps)
    names = {step.name for step in kept}
    entries = (
        replace(entry, steps=tuple(name for name in entry.steps if name in names))
        for entry in module.entries
    )
    return replace(module, steps=kept, entries=tuple(entries))


def memory(module: Module) -> Module:
    """List what the workspace holds: the entries of work arrays that something reads."""
    needed = drop_dead(module.program, copied(module.steps))
    workspace = {
        module.cell_name(Cell(name, entry, Index(0))): module.values(array)
        for name, array in module.program.arrays.items()
        if array.storage is Storage.WORK
        for entry in array.port.entries
        if (name, entry) in needed
    }
    return replace(module, workspace=workspace)


def drop_dead(program: Program, steps: Sequence[LoweredStep]) -> set[tuple[str, PortEntry]]:
    """Keep only stores and carries that something reads; gives the array entries kept."""
    systems = [step.dense for step in steps if step.dense]
    needed = {(name, (0, 0)) for x in systems for name in (x.matrix, x.rhs, x.unknowns)}
    blocks = [block for step in steps for block in step.blocks]
    before = -1
    live: dict[int, set[Carried]] = {id(block): set() for block in blocks}
    while before != (before := len(needed) + sum(map(len, live.values()))):
        for block in blocks:
            wanted = [node for cell, node in block.stores if _kept(program, cell, needed)]
            wanted += [block.carries[carried].value for carried in live[id(block)]]
            for operand in _operands(block, wanted):
                if isinstance(operand, Cell):
                    needed.add((operand.array, operand.entry))
                elif isinstance(operand, Carried):
                    live[id(block)].add(operand)
                    start = block.carries[operand].start
                    if isinstance(start, Cell):
                        needed.add((start.array, start.entry))
    for block in blocks:
        block.stores = [item for item in block.stores if _kept(program, item[0], needed)]
        block.carries = {c: h for c, h in block.carries.items() if c in live[id(block)]}
        used = set(map(id, _operands(block, block.wanted())))
        block.inputs = {n: operand for n, operand in block.inputs.items() if id(operand) in used}
    return needed


def _kept(program: Program, cell: Cell, needed: set[tuple[str, PortEntry]]) -> bool:
    is_result = program.arrays[cell.array].storage is Storage.RESULT
    return is_result or (cell.array, cell.entry) in needed


def _operands(block: Block, wanted: Iterable[int]) -> list[Operand]:
    graph = block.graph
    names = (graph.nodes[n].value for n in graph.live(wanted) if graph.nodes[n].op == "input")
    return [block.inputs[str(name)] for name in names]


#: What the blocks of a step store.
_Stored = tuple[tuple[tuple[Cell, int], ...], ...]


def special(module: Module) -> Module:
    """Each step once for all entries that need the same of it.

    The variant that stores most keeps the step's name; another is called after the first entry
    that it serves.
    """
    steps, entries = module.steps, module.entries
    found: dict[str, dict[_Stored, LoweredStep]] = {step.name: {} for step in steps}
    served: dict[str, dict[str, _Stored]] = {entry.name: {} for entry in entries}
    for entry in entries:
        own = copied(step for step in steps if step.name in entry.steps)
        drop_dead(module.program, own)
        for step in _without_empty_blocks(own):
            key = tuple(tuple(block.stores) for block in step.blocks)
            served[entry.name][step.name] = key
            found[step.name].setdefault(key, replace(step, name=f"{step.name}_{entry.name}"))
    for name, variants in found.items():
        if variants:
            fullest = max(variants, key=lambda key: sum(map(len, key)))
            variants[fullest] = replace(variants[fullest], name=name)
    chosen = tuple(
        replace(
            entry,
            steps=tuple(
                found[name][served[entry.name][name]].name
                for name in entry.steps
                if name in served[entry.name]
            ),
        )
        for entry in entries
    )
    kept = tuple(step for variants in found.values() for step in variants.values())
    return replace(module, steps=kept, entries=chosen)


def copied(steps: Iterable[LoweredStep]) -> tuple[LoweredStep, ...]:
    """The steps with blocks that can lose stores without the others' doing so."""
    return tuple(replace(s, blocks=tuple(replace(block) for block in s.blocks)) for s in steps)


def _without_empty_blocks(steps: Iterable[LoweredStep]) -> tuple[LoweredStep, ...]:
    """The steps and blocks that still store something."""
    kept = (replace(step, blocks=tuple(_joined(step.blocks))) for step in steps)
    return tuple(step for step in kept if step.blocks or step.dense)


def _joined(blocks: Iterable[Block]) -> Iterable[Block]:
    """The blocks that store something; what joins a dropped one starts the loop itself."""
    open_loop = False
    for block in blocks:
        open_loop = open_loop and block.joined
        if block.stores:
            block.joined = open_loop
            open_loop = True
            yield block

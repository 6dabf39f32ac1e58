"""Pass *alike*: blocks one after the other that differ in places alone become one short loop.

The same sweep of statements at body 1 and at body 3 is read once. Compilers unroll so short a loop,
so that it costs nothing; what it computes, and in which order, stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from ..blocks import Block, Cell, Index, Module, Operand

#: What two blocks share if they differ in places alone.
_Shape = tuple[object, ...]


def alike(module: Module) -> Module:
    """Make loops of blocks that differ in places alone."""
    steps = (replace(step, blocks=tuple(_joined(step.blocks))) for step in module.steps)
    return replace(module, steps=tuple(steps))


def _joined(blocks: Sequence[Block]) -> Iterable[Block]:
    at = 0
    while at < len(blocks):
        count = _count(blocks[at:]) if _is_single(blocks[at]) else 1
        yield _loop(blocks[at : at + count]) if count > 1 else blocks[at]
        at += count


def _is_single(block: Block) -> bool:
    """Is the block a kernel at one member, whose places are numbers?"""
    return not (
        block.count > 1
        or block.segmented
        or block.span
        or block.joined
        or block.heading
        or block.carries
        or block.graph.eliminations
    )


def _count(blocks: Sequence[Block]) -> int:
    """How many blocks from the first on are turns of one loop."""
    shape = _shape(blocks[0])
    places = [_places(blocks[0])]
    for block in blocks[1:]:
        if not _is_single(block) or _shape(block) != shape:
            break
        here = _places(block)
        steps = [b - a for a, b in zip(places[-1], here, strict=True)]
        if len(places) > 1 and steps != [b - a for a, b in zip(*places[-2:], strict=True)]:
            break
        if not all(steps[len(block.inputs) :]):
            break  # they store at one place
        places.append(here)
    return len(places)


def _shape(block: Block) -> _Shape:
    """All that is printed of a block but places."""
    graph = block.graph
    live = graph.live(block.wanted())
    inputs = [(name, _placeless(operand)) for name, operand in block.inputs.items()]
    stores = [(_placeless(cell), number) for cell, number in block.stores]
    nodes = [(n, graph.nodes[n], graph.names.get(n), graph.labels[n]) for n in live]
    kernels = [call.kernel for call in block.calls[0]]
    return tuple(inputs), tuple(stores), tuple(nodes), tuple(map(id, kernels))


def _placeless(operand: Operand) -> object:
    return (operand.array, operand.entry, operand.along) if isinstance(operand, Cell) else operand


def _places(block: Block) -> list[int]:
    """The places of what is read, then of what is stored."""
    operands = chain(block.inputs.values(), (cell for cell, _ in block.stores))
    return [operand.index.start if isinstance(operand, Cell) else 0 for operand in operands]


def _loop(blocks: Sequence[Block]) -> Block:
    first, second = blocks[:2]
    steps = iter([b - a for a, b in zip(_places(first), _places(second), strict=True)])
    inputs = {name: _moving(operand, next(steps)) for name, operand in first.inputs.items()}
    stores = [
        (cell._replace(index=Index(cell.index.start, next(steps))), number)
        for cell, number in first.stores
    ]
    calls = tuple(turn for block in blocks for turn in block.calls)
    return replace(first, calls=calls, inputs=inputs, stores=stores)


def _moving(operand: Operand, step: int) -> Operand:
    if not isinstance(operand, Cell):
        return operand
    return operand._replace(index=Index(operand.index.start, step))

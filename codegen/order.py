"""Loops whose turns may run in any order: side by side in vectors, and long ones in threads."""

from __future__ import annotations

from collections import defaultdict

from .blocks import Block, Cell, Index
from .runs import LOOP_MIN

#: What stands before such a loop in C. The compiler sees by itself that arrays differ, but not
#: that the places of one array do.
INDEPENDENT = "INDEPENDENT"
IN_THREADS = "IN_THREADS"

#: Operations of a loop from which handing it out to threads costs little beside them.
LONG = 200_000


def order(block: Block) -> str:
    """The mark of a block's loop in C: empty if it needs none or its turns follow each other."""
    if block.count < LOOP_MIN or block.span or not _any_order(block):
        return ""
    if block.count * sum(block.operations().values()) >= LONG:
        return IN_THREADS
    return INDEPENDENT if _read(block).keys() & _written(block).keys() else ""


def _any_order(block: Block) -> bool:
    """Does no turn read or write what another one writes, or what its solves have met?"""
    if block.carries or any(system.reach for system in block.graph.eliminations):
        return False
    written, read = _written(block), _read(block)
    return all(
        _apart(own, other, block.count)
        for array, places in written.items()
        for own in places
        for other in places | read[array]
    )


def _written(block: Block) -> dict[str, set[Index]]:
    found: dict[str, set[Index]] = defaultdict(set)
    for cell, _ in block.stores:
        found[cell.array].add(cell.index)
    return found


def _read(block: Block) -> dict[str, set[Index]]:
    found: dict[str, set[Index]] = defaultdict(set)
    for operand in block.inputs.values():
        if isinstance(operand, Cell):
            found[operand.array].add(operand.index)
    return found


def _apart(own: Index, other: Index, count: int) -> bool:
    """Is no place of one turn another turn's?"""
    if not (own.table or own.curve or other.table or other.curve) and own.step:
        if other == own:
            return True
        if other.step == own.step:
            turns, rest = divmod(other.start - own.start, own.step)
            return rest != 0 or abs(turns) >= count
    turn = {own.at(i): i for i in range(count)}
    return len(turn) == count and all(turn.get(other.at(i), i) == i for i in range(count))

"""Pass *lasts*: a loop stores after its last turn what is read of that turn alone.

What one turn hands to the next stands in a local variable; where only the last of those values
is read from memory, storing the others would be traffic for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...symbolic.language.program import Storage
from ..blocks import Block, Cell, Index, Module
from ..freeze import Entry as PortEntry
from .dead import copied

#: An entry of an array, and the places where it is read, loop by loop; none: it may be anywhere.
_Read = dict[tuple[str, PortEntry], list[Sequence[int]] | None]


def lasts(module: Module) -> Module:
    """Store what a loop hands on after the loop, if at all, where nothing reads other turns."""
    steps = copied(module.steps)
    read = _read(module)
    for step in steps:
        for block in step.blocks:
            if block.count > 1 and not block.segmented:
                handed = {handover.value for handover in block.carries.values()}
                block.stores = [
                    (place, node)
                    for cell, node in block.stores
                    for place in (_places(module, block, cell, read) if node in handed else [cell])
                ]
    return replace(module, steps=steps)


def _places(module: Module, block: Block, cell: Cell, read: _Read) -> list[Cell]:
    """Where a value that is handed on is stored: at every turn, after the last, or nowhere."""
    found = read.get((cell.array, cell.entry), [])
    if module.array(cell.array).storage is not Storage.WORK or cell.along or found is None:
        return [cell]
    places = cell.index.places(block.count)
    others, last = places[:-1], places[-1]
    if any(not _disjoint(others, read) for read in found):
        return [cell]
    return [cell._replace(index=Index(last))] if any(last in read for read in found) else []


def _disjoint(these: Sequence[int], those: Sequence[int]) -> bool:
    """Have two lists of places none in common?"""
    if isinstance(these, range) and isinstance(those, range) and these.step == those.step:
        return not (these and those) or (
            (these.start - those.start) % these.step != 0
            or max(these[0], these[-1]) < min(those[0], those[-1])
            or max(those[0], those[-1]) < min(these[0], these[-1])
        )
    few, many = sorted((these, those), key=len)
    if isinstance(many, range):
        return not any(place in many for place in few)
    return set(few).isdisjoint(many)


def _read(module: Module) -> _Read:
    """Where the steps read each entry of the work arrays."""
    found: _Read = {}
    for step in module.steps:
        if step.dense:
            for name in (step.dense.matrix, step.dense.rhs, step.dense.unknowns):
                found[name, (0, 0)] = None
        for block in step.blocks:
            for cell in _cells(block):
                key = cell.array, cell.entry
                known = found.setdefault(key, [])
                if block.segmented or cell.along:
                    found[key] = None
                elif known is not None:
                    known.append(cell.index.places(block.count))
    return found


def _cells(block: Block) -> Iterable[Cell]:
    yield from (x for x in block.inputs.values() if isinstance(x, Cell))
    starts = (handover.start for handover in block.carries.values())
    yield from (start for start in starts if isinstance(start, Cell))

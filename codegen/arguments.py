"""Which of the caller's buffers a function takes, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from ..symbolic.language.program import Storage
from .blocks import Cell, Module, Parameter


def arguments_of(module: Module, steps: Sequence[str]) -> tuple[str, ...]:
    """The caller's buffers that the steps touch, arguments (then `p`) before results."""
    used: set[str] = set()
    for name in steps:
        for block in module.step(name).blocks:
            for operand in block.inputs.values():
                if isinstance(operand, Cell):
                    used.add(operand.array)
                elif isinstance(operand, Parameter):
                    used.add("p")
            for handover in block.carries.values():
                if isinstance(handover.start, Cell):
                    used.add(handover.start.array)
                elif isinstance(handover.start, Parameter):
                    used.add("p")
            used.update(cell.array for cell, _ in block.stores)
    given = [n for n, a in module.program.arrays.items() if a.storage is Storage.ARGUMENT]
    results = [n for n, a in module.program.arrays.items() if a.storage is Storage.RESULT]
    return tuple(name for name in (*given, "p", *results) if name in used)

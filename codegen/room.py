"""Room in the workspace for linear systems that are too large for a thread's stack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .blocks import Block, Module
from .graph import Elimination

#: Unknowns up to which a system's matrix is a local variable: 2 KiB, in vectors 16 KiB.
LARGEST_LOCAL = 16


@dataclass(frozen=True)
class Room:
    """Where a system's numbers stand from a place in the room on."""

    matrix: int
    rhs: int
    scratch: int
    end: int


def rooms(block: Block) -> dict[int, Room]:
    """The places of a block's large systems, by their number; in a loop they stay local."""
    found: dict[int, Room] = {}
    at = 0
    for number, system in enumerate(block.graph.eliminations):
        if is_large(system) and block.count == 1:
            n, width = len(system.matrix), len(system.rhs[0])
            rhs = at + n * n
            scratch = rhs + n * width
            found[number] = Room(at, rhs, scratch, scratch + n * (2 * n + width + 2))
            at = found[number].end
    return found


def is_large(system: Elimination) -> bool:
    """Is the system kept from the stack?"""
    return len(system.matrix) > LARGEST_LOCAL


def room(module: Module) -> int:
    """The length of the room that the blocks of a module share, one after the other."""
    return max(map(_end, _blocks(module)), default=0)


def needs_room(blocks: Iterable[Block]) -> bool:
    """Does one of the blocks have a large system?"""
    return any(map(_end, blocks))


def _end(block: Block) -> int:
    return max((place.end for place in rooms(block).values()), default=0)


def _blocks(module: Module) -> Iterable[Block]:
    return (block for step in module.steps for block in step.blocks)

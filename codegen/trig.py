"""The sines and cosines of a step's angles: all at once, before its blocks, in C.

The angles that a step reads straight from the caller's buffers fill the lanes of one vector
call; what is computed from others calls the scalar function where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, count, repeat

from ..symbolic.language.program import Storage
from .blocks import Block, Cell, Index, LoweredStep, Module

#: Up to here the angles are listed one by one, padded to full vectors.
LISTED = 32

#: Doubles of the widest vector register: what a list of angles is padded to.
LANES = 8

#: One angle: the caller's buffer and the position in it.
Angle = tuple[str, int]


@dataclass(frozen=True)
class Trig:
    """The angles of a step, and where each sine or cosine of a block is found among them.

    `where` is keyed by the position of the block and the number of the argument's node; lists of
    angles fill vectors of so many `lanes`.
    """

    angles: tuple[Angle, ...]
    where: Mapping[tuple[int, int], Index]
    lanes: int = LANES

    @property
    def listed(self) -> bool:
        """Are the angles few enough to be listed one by one?"""
        return len(self.angles) <= LISTED

    @property
    def size(self) -> int:
        """Length of the arrays of sines and cosines, padding included."""
        number = len(self.angles)
        return -(-number // self.lanes) * self.lanes if self.listed else number

    @property
    def first(self) -> Angle | None:
        """The first angle, if all others follow it in the caller's buffer."""
        owner, start = self.angles[0]
        following = zip(repeat(owner), range(start, start + len(self.angles)), strict=False)
        return (owner, start) if self.angles == tuple(following) else None

    @property
    def owners(self) -> dict[str, tuple[int, ...]]:
        """The positions of the angles, buffer by buffer."""
        found: dict[str, list[int]] = {}
        for owner, position in self.angles:
            found.setdefault(owner, []).append(position)
        return {owner: tuple(positions) for owner, positions in found.items()}


def angles_of(module: Module, step: LoweredStep) -> Trig:
    """Gather the angles of a step, in the order in which the caller's buffers hold them.

    Source
        own
    """
    uses: dict[tuple[int, int], list[Angle]] = {}
    for position, block in enumerate(step.blocks):
        for number in _arguments(block):
            operand = block.inputs.get(str(block.graph.nodes[number].value))
            if isinstance(operand, Cell) and _given(module, operand):
                uses[position, number] = _angles(module, operand, block.count)
    angles = sorted(dict.fromkeys(chain.from_iterable(uses.values())))  # mostly in order before
    places = dict(zip(angles, count(), strict=False))
    where = {key: Index.of(places[angle] for angle in use) for key, use in uses.items()}
    return Trig(tuple(places), where)


def _angles(module: Module, cell: Cell, times: int) -> list[Angle]:
    """The caller's numbers that a cell is, iteration by iteration."""
    array = module.array(cell.array)
    width, offset = len(array.port.entries), array.port.entries.index(cell.entry)
    return [(array.owner, place * width + offset) for place in cell.index.places(times)]


def _arguments(block: Block) -> list[int]:
    """The input nodes of which the block takes a sine or a cosine."""
    graph = block.graph
    arguments = (
        graph.nodes[number].args[0]
        for number in graph.live(block.wanted())
        if graph.nodes[number].op in ("sin", "cos")
    )
    return [n for n in dict.fromkeys(arguments) if graph.nodes[n].op == "input"]


def _given(module: Module, cell: Cell) -> bool:
    return module.array(cell.array).storage is Storage.ARGUMENT

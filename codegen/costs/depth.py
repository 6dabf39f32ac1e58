"""The longest chain of operations of an entry: what remains serial with any number of workers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...errors import CodegenError
from ...symbolic.language.program import Entry
from ..blocks import Block, Carried, Cell, Index, Module
from ..graph import COUNTED, Graph, Node

#: When the values at the places of an array's entry are there, in operations.
Times = npt.NDArray[np.int64]


def depths(module: Module, entry: Entry) -> dict[str, int]:
    """By step: when its last value is there, in operations one after the other from the start.

    Every operation takes as long as any other and waits for its operands alone; a sine or a
    cosine counts as one, a solve by pivots as all of its operations.

    Raises
        CodegenError: a step has columns or a dense system.
    Source
        own
    """
    clock = _Clock(module)
    found = {}
    for name in entry.steps:
        step = module.step(name)
        if step.dense or any(block.span for block in step.blocks):
            raise CodegenError(f"{name}: the depth of columns and dense systems is not known")
        found[name] = max((clock.block(block) for block in step.blocks), default=0)
    return found


class _Clock:
    """Runs blocks for the times at which their values are there."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.times: dict[tuple[str, tuple[int, int]], Times] = {}

    def block(self, block: Block) -> int:
        stored = {(cell.array, cell.entry) for cell, _ in block.stores}
        read = {(x.array, x.entry) for x in block.inputs.values() if isinstance(x, Cell)}
        serial = block.carries or not stored.isdisjoint(read)
        turns = range(block.count) if serial else [slice(None)]
        carried = {key: self._start(handover.start) for key, handover in block.carries.items()}
        last = 0
        for turn in turns:
            nodes = self._nodes(block, turn, carried)
            carried = {key: nodes[handover.value] for key, handover in block.carries.items()}
            for cell, number in block.stores:
                places = _places(cell.index, block.count)[turn]
                self._array(cell)[places] = nodes[number]
                last = max(last, int(np.max(nodes[number])))
        return last

    def _nodes(
        self, block: Block, turn: int | slice, carried: dict[Carried, Times]
    ) -> dict[int, Times]:
        """The times of all values of a turn, or of all turns at once."""
        nodes: dict[int, Times] = {}
        for number in block.graph.live(block.wanted()):
            node = block.graph.nodes[number]
            if node.op == "input":
                nodes[number] = self._input(block, str(node.value), turn, carried)
            else:
                cost, args = _cost(block.graph, node)
                ready = [nodes[arg] for arg in args]
                latest = ready[0] if ready else np.zeros((), dtype=np.int64)
                for other in ready[1:]:
                    latest = np.maximum(latest, other)
                nodes[number] = latest + cost
        return nodes

    def _input(
        self, block: Block, name: str, turn: int | slice, carried: dict[Carried, Times]
    ) -> Times:
        operand = block.inputs[name]
        if isinstance(operand, Carried):
            return carried[operand]
        if isinstance(operand, Cell):
            return np.asarray(self._array(operand)[_places(operand.index, block.count)[turn]])
        return np.zeros((), dtype=np.int64)

    def _start(self, start: object) -> Times:
        if isinstance(start, Cell):
            return np.asarray(self._array(start)[start.index.at(0)])
        return np.zeros((), dtype=np.int64)

    def _array(self, cell: Cell) -> Times:
        key = cell.array, cell.entry
        if key not in self.times:
            size = self.module.values(self.module.array(cell.array))
            self.times[key] = np.zeros(size, dtype=np.int64)
        return self.times[key]


def _cost(graph: Graph, node: Node) -> tuple[int, tuple[int, ...]]:
    """How many operations a node takes, and which nodes it waits for."""
    if node.op != "eliminate":
        return int(node.op in COUNTED), node.args
    assert isinstance(node.value, int)
    system = graph.eliminations[node.value]
    return sum(system.operations.values()), tuple(set(system.arguments))


def _places(index: Index, count: int) -> npt.NDArray[np.intp]:
    if index.table:
        return np.array(index.table)
    i = np.arange(count)
    return np.asarray(index.start + index.step * i + index.curve * (i * (i - 1) // 2))

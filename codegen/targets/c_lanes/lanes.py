"""Sweeps over the segments of a chain: one block for all lanes, and how it is printed.

All lanes do the same to different bodies, so a sweep is frozen once, with the cells of the
first lane; the rows of the arrays hold the lanes side by side, so that the first lane's place
is that of the row. The caller's buffers have the chains' members in rows as well (the *native*
order), then the others one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from ....errors import CodegenError
from ....symbolic.language.program import Array, Port, Ref, Step, Storage
from ....symbolic.language.walk import Place, taken
from ....symbolic.plans.segments import Chain, LaneProgram, LaneStep
from ...blocks import Block, Carried, Cell, Index, LoweredStep, Module, Operand, Parameter, Table
from ...freeze import Entry as PortEntry
from ...frozen import Frozen, Known, Lowering
from ...graph import Node
from ...printing.names import Names
from ...printing.printer import BlockPrinter, PrintedBlock, PrintedStep
from ...runs import Places, Run
from ..c.language import C
from ..c_batch.language import BATCH

#: Code for all lanes: a row of an array is a vector.
VECTORS = replace(
    BATCH,
    name="c-lanes",
    work="AT(w->{name}, {index})",
    buffer="AT({name}, {index})",
    places=False,
)

#: Code for what is in no lane; its sines and cosines are computed where they stand.
SCALARS = replace(C, name="c-lanes, one by one", places=False, scalar=False)


@dataclass(eq=False)
class LaneBlock(Block):
    """A loop over the rows of a chain's segments, in all lanes at once.

    `calls` are those of all bodies, row by row. Only the first `rest` lanes have a body in the last
    row of memory.
    """

    segmented = True

    chain: Chain | None = None
    rows: int = 0
    ascending: bool = True

    @property
    def members(self) -> str:
        assert self.chain is not None
        first, last = self.chain.links[0].name, self.chain.links[-1].name
        return f"{first} to {last} in {self.chain.lanes} segments"


class LaneLowering(Lowering):
    """Lowers sweeps over segments as a whole, everything else as usual."""

    def step(self, step: Step, loop_min: int) -> Iterable[Block]:
        if isinstance(step, LaneStep):
            yield self._sweep(step)
        else:
            yield from super().step(step, loop_min)

    def _sweep(self, step: LaneStep) -> LaneBlock:
        frozen = self.settled(lambda known: _LaneFrozen(self, step, known))
        assert isinstance(frozen, _LaneFrozen)
        frozen.remember()
        return frozen.lane_block()


class _LaneFrozen(Frozen):
    """The first lane's run, with what is known of all lanes and the constants of all.

    What is done at the end of a segment alone gives no code of its own: it stores the values of
    the last iteration once more.
    """

    def __init__(self, lowering: Lowering, step: LaneStep, carried: dict[Carried, Known]) -> None:
        self.lane_step, self.course = step, step.course
        size = min(map(len, step.bodies.units))
        self.walk = replace(step.bodies, units=[unit[:size] for unit in step.bodies.units])
        self.every = Run(self.walk, 0, 1, len(self.walk.kinds))
        lane = self.walk.at(self.course.first_lane)
        super().__init__(lowering, Run(lane, 0, 1, len(lane.kinds)), carried)

    def constants(self, position: int, port: str) -> list[sp.Matrix]:
        bound: list[sp.Matrix] = [unit[position].reads[port] for unit in self.walk.units]
        first, *others = {id(x): x for x in bound}.values()
        if all(binding == first for binding in others):
            return [first]
        if any(self.lowering.runtime & x.free_symbols for x in (first, *others)):
            raise CodegenError(
                f"{self.lane_step.title}: its bodies differ in constants that depend on run-time "
                "parameters; use target c"
            )
        return [bound[kind] for kind in self.course.filled(self.walk.kinds)]

    def carried_input(
        self, name: str, key: tuple[int, str], port: Port, entry: PortEntry, first: Places
    ) -> int:
        """Equal values are handed over once, whoever reads them."""
        for (position, other), produced in self.previous.items():
            if produced == self.previous[key] and self.reads(position, other).first == first:
                key = position, other
                break
        return super().carried_input(name, key, port, entry, first)

    def known(self, key: tuple[int, str], port: Port, places: Places) -> Sequence[Known]:
        """What is known of the values in all lanes; of those handed on, at the lanes' starts."""
        position, name = key
        if key in self.previous:
            starts = [self.every[at][position].reads[name] for at in self.course.starts]
            refs = [ref for ref in starts if isinstance(ref, Ref)]
            return super().known(key, port, Places.of(refs, self.lowering.place))
        return super().known(key, port, self.every.reads(position, name, self.lowering.place))

    def learnt(self, position: int, port: str) -> Places:
        return self.every.writes(position, port, self.lowering.place)

    def remember(self) -> None:
        """What is known of one lane's outputs is known of all lanes'."""
        super().remember()
        for place, nodes in self._ends():
            value = tuple(map(self.graph.constant, nodes))
            self.lowering.learn(self._places(place, self.course.stops), value)

    def _ends(self) -> Iterator[tuple[Place, Collection[int]]]:
        """What is kept of a segment as a whole, and its nodes: after the last iteration."""
        unit = self.lane_step.bodies.unit(self.course.first_lane[-1])
        size = len(self.calls)
        made = {
            place: self.outputs[position][name].values()
            for position, action in enumerate(unit[:size])
            for name, place in action.writes.items()
        }
        for action in unit[size:]:
            for source, place in zip(action.reads.values(), action.writes.values(), strict=True):
                assert isinstance(place, Place)
                yield place, made[source]

    def _places(self, place: Place, bodies: Sequence[int]) -> Places:
        """Where a value lies, seen from some of the bodies."""
        return Places(place.array, taken(self.walk.relations[place.relation].places, bodies))

    def lane_block(self) -> LaneBlock:
        block, step = self.block(), self.lane_step
        for place, nodes in self._ends():
            entries = self.lowering.program.arrays[place.array].port.entries
            cell = self.lowering.cell((0, 0), self._places(place, self.course.first_lane[-1:]))
            block.stores += [
                (cell._replace(entry=entry), node)
                for entry, node in zip(entries, nodes, strict=True)
            ]
        return LaneBlock(
            Run(step.bodies, 0, 1, len(step.bodies.kinds)),
            block.graph,
            block.inputs,
            block.stores,
            block.carries,
            chain=step.chain,
            rows=len(self.run),
            ascending=self.course.ascending,
        )


@dataclass(frozen=True)
class NativeChain:
    """A chain in the native order of a buffer, in members: its first, its stride, its first row."""

    chain: Chain
    first: int
    stride: int
    base: int


@dataclass(frozen=True)
class Native:
    """The native order of a caller's buffer: chains in rows of lanes, then the others.

    `width` numbers belong to a member.
    """

    name: str
    width: int
    members: int
    chains: tuple[NativeChain, ...]

    @classmethod
    def of(cls, array: Array, members: int, chains: Sequence[Chain]) -> Native:
        """The order of an array's buffer."""
        found, base = [], 0
        for chain in chains:
            if array.index_set in chain.seats:
                first, stride = chain.seats[array.index_set]
                found.append(NativeChain(chain, first, stride, base))
                base += stride * chain.rows
        return cls(array.owner, len(array.port.entries), members, tuple(found))

    @property
    def lanes(self) -> int:
        return self.chains[0].chain.lanes

    @property
    def rows(self) -> int:
        return sum(x.stride * x.chain.rows for x in self.chains)

    @property
    def others(self) -> tuple[tuple[int, int], ...]:
        """Where the members in no chain stand: their first and how many follow each other."""
        found = []
        at = 0
        for x in sorted(self.chains, key=lambda x: x.first):
            found.append((at, x.first - at))
            at = x.first + x.stride * len(x.chain.links)
        found.append((at, self.members - at))
        return tuple((start, count) for start, count in found if count)

    @property
    def size(self) -> int:
        """The number of doubles, those in no use included."""
        return self.width * (self.lanes * self.rows + sum(count for _, count in self.others))

    @property
    def pieces(self) -> tuple[tuple[int, int, int], ...]:
        """Doubles in no chain: their first, their number, and the first's native place."""
        found = []
        at = self.lanes * self.rows
        for start, count in self.others:
            found.append((self.width * start, self.width * count, self.width * at))
            at += count
        return tuple(found)

    def row(self, chain: Chain, index: Index) -> Index:
        """The row of the chain's bodies, from the places of those in the first lane."""
        own = next(x for x in self.chains if x.chain is chain)
        return index._replace(start=index.start + own.base - own.first)

    def single(self, index: Index, count: int) -> Index:
        """The place of members one by one."""
        return Index.of(self._single(index.at(i)) for i in range(count))

    def _single(self, place: int) -> int:
        before = self.lanes * self.rows
        for start, count in self.others:
            if start <= place < start + count:
                return before + place - start
            before += count
        for x in self.chains:
            body, component = divmod(place - x.first, x.stride)
            if 0 <= body < len(x.chain.links):
                assert self.width == 1, "a row holds a member's numbers apart"
                lane, row = x.chain.seat(body)
                return self.lanes * (x.base + x.stride * row + component) + lane
        raise AssertionError(place)


def native_of(module: Module) -> dict[str, Native]:
    """The native order of every buffer that the caller has, if chains have a share in it."""
    program = module.program
    assert isinstance(program, LaneProgram)
    found = {}
    for array in program.arrays.values():
        if array.storage is not Storage.WORK:
            members = len(program.sets[array.index_set])
            native = Native.of(array, members, program.chains)
            if native.chains:
                found[array.owner] = native
    return found


def plain_entries(module: Module) -> frozenset[str]:
    """The entries that sweep no segments: they take the caller's buffers as they are."""
    sweeping = {s.name for s in module.steps if any(isinstance(b, LaneBlock) for b in s.blocks)}
    return frozenset(e.name for e in module.entries if sweeping.isdisjoint(e.steps))


def plain_steps(module: Module) -> frozenset[str]:
    """The steps of plain entries."""
    plain = plain_entries(module)
    return frozenset(step for e in module.entries if e.name in plain for step in e.steps)


@dataclass(frozen=True)
class PrintedSweep(PrintedBlock):
    """A sweep as text; a block that is none has no `rows`.

    `rest` lanes have a body in all `rows`; `short` is the row that the others lack, `results`
    what is zero there.
    """

    lanes: int = 0
    rows: int = 0
    rest: int = 0
    ascending: bool = True
    fixed: tuple[tuple[str, str], ...] = ()
    results: tuple[str, ...] = ()


class LanePrinter(BlockPrinter):
    """Prints a block of scalar code with the caller's buffers in native order."""

    def __init__(self, module: Module, step: LoweredStep, position: int, names: Names) -> None:
        sweep = isinstance(step.blocks[position], LaneBlock)
        super().__init__(module, step, position, VECTORS if sweep else SCALARS, names)
        self.native = native_of(module)
        self.plain = step.name in plain_steps(module)
        self.reserved = self.reserved | {"part", "AT", "lane"}
        self.taken |= self.reserved

    def _native_cell(self, array: Array, index: Index, entry: PortEntry) -> str:
        entries = array.port.entries
        at = self._scaled(index, len(entries), entries.index(entry))
        return self.language.buffer.format(name=array.owner, index=at)

    def _cell(self, cell: Cell) -> str:
        array = self.module.array(cell.array)
        if array.storage is Storage.WORK or self.plain or array.owner not in self.native:
            return super()._cell(cell)
        index = self.native[array.owner].single(cell.index, self.block.count)
        return self._native_cell(array, index, cell.entry)


class SweepPrinter(LanePrinter):
    """Prints a sweep over segments, in vectors."""

    def __init__(self, module: Module, step: LoweredStep, position: int, names: Names) -> None:
        super().__init__(module, step, position, names)
        block = self.block
        assert isinstance(block, LaneBlock)
        assert block.chain is not None
        self.chain = block.chain
        self.sweep = block
        self.fixed: list[tuple[str, str]] = []
        self.results: list[str] = []

    def print(self) -> PrintedSweep:
        base = super().print()
        chain = self.chain
        return PrintedSweep(
            **{f: getattr(base, f) for f in PrintedBlock.__dataclass_fields__},
            lanes=chain.lanes,
            rows=chain.rows,
            rest=chain.rest,
            ascending=self.sweep.ascending,
            fixed=tuple(self.fixed),
            results=tuple(self.results),
        )

    def _store(self) -> None:
        super()._store()
        self.results += [
            self._cell(cell)
            for cell, _ in self.block.stores
            if not cell.index.fixed and self.module.array(cell.array).storage is Storage.RESULT
        ]

    def _note(self, number: int, node: Node) -> None:
        """Parameters are alike in all lanes, what is tabled differs."""
        operand = self.block.inputs[str(node.value)] if node.op == "input" else None
        if isinstance(operand, Parameter):
            self.alike.add(number)
        elif not isinstance(operand, Table):
            super()._note(number, node)

    def _input(self, number: int, name: str, uses: int) -> None:
        operand = self.block.inputs[name]
        if isinstance(operand, Cell) and operand.index.fixed:
            unique = self._unique(name)
            self.fixed.append((unique, self._fixed(operand)))
            self.text[number] = (unique, 4)
        else:
            super()._input(number, name, uses)

    def _fixed(self, cell: Cell) -> str:
        """What is the same at every row: of each lane its own, or of all the same."""
        array = self.module.array(cell.array)
        shared = array.storage is not Storage.WORK and array.owner not in self.native
        return f"broadcast({array.owner}[{cell.index.start}])" if shared else self._cell(cell)

    def _operand(self, name: str, operand: Operand) -> str:
        if isinstance(operand, Table):
            return f"AT({super()._operand(name, operand).removesuffix('[i]')}, i)"
        return super()._operand(name, operand)

    def _parameter(self, name: str) -> str:
        return f"p[{self.module.program.runtime.index(name)}]"

    def _cell(self, cell: Cell) -> str:
        array = self.module.array(cell.array)
        if array.storage is not Storage.WORK:
            index = self.native[array.owner].row(self.chain, cell.index)
            return self._native_cell(array, index, cell.entry)
        lanes = self.chain.lanes
        index = Index(cell.index.start // lanes, cell.index.step // lanes)
        assert (index.start * lanes, index.step * lanes) == (cell.index.start, cell.index.step)
        return super()._cell(cell._replace(index=index))


def print_lanes(module: Module, step: LoweredStep, names: Names) -> PrintedStep:
    """The blocks of a step as text."""
    blocks = []
    for k, block in enumerate(step.blocks):
        printer = SweepPrinter if isinstance(block, LaneBlock) else LanePrinter
        blocks.append(printer(module, step, k, names).print())
    return PrintedStep(None, tuple(blocks))

"""What lowering makes of a program: blocks of scalar code over cells of named arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

from ..errors import InternalError
from ..symbolic.language.program import Array, Call, Dense, Entry, Program, Storage
from .freeze import Entry as PortEntry
from .freeze import label
from .graph import Graph
from .solves.elimination import Elimination, elimination


class Index(NamedTuple):
    """A position at iteration i: start + step·i + curve·i (i − 1)/2, or a table's value.

    Positions along a column axis are curved where the range of columns grows with i.
    """

    start: int
    step: int = 0
    table: tuple[int, ...] = ()
    curve: int = 0

    @property
    def fixed(self) -> bool:
        """Is it the same position at every iteration?"""
        return not (self.step or self.curve or self.table)

    @classmethod
    def of(cls, positions: Iterable[int], curved: bool = False) -> Index:
        """The index that runs through the given positions; `curved`: it may be quadratic."""
        if isinstance(positions, range):
            return cls(positions.start, positions.step if len(positions) > 1 else 0)
        found = tuple(positions)
        step = found[1] - found[0] if len(found) > 1 else 0
        curve = found[2] - 2 * found[1] + found[0] if curved and len(found) > 2 else 0
        whole = cls(found[0], step, (), curve)
        return whole if all(x == whole.at(i) for i, x in enumerate(found)) else cls(0, 0, found)

    def at(self, i: int) -> int:
        """The position at iteration i."""
        if self.table:
            return self.table[i]
        return self.start + self.step * i + self.curve * (i * (i - 1) // 2)

    def places(self, count: int) -> Sequence[int]:
        """The positions at all iterations."""
        if self.fixed:
            return (self.start,) * count
        if self.table or self.curve:
            return [self.at(i) for i in range(count)]
        return range(self.start, self.start + self.step * count, self.step)


class Cell(NamedTuple):
    """One entry of an array at an index: memory; `along`: the block's column is added to it."""

    array: str
    entry: PortEntry
    index: Index  # type: ignore[assignment]  # where a tuple has a method
    along: bool = False


@dataclass(frozen=True)
class Span:
    """The columns of a block at iteration i: from the first to one before the last."""

    start: Index
    stop: Index


@dataclass(frozen=True)
class Table:
    """A constant that differs from iteration to iteration."""

    values: tuple[Fraction, ...]


@dataclass(frozen=True)
class Parameter:
    """A model parameter that is an argument of the generated code."""

    name: str


@dataclass(frozen=True)
class Carried:
    """A value handed from one iteration to the next; `key` says which."""

    key: tuple[int, str, PortEntry]


Operand = Cell | Table | Parameter | Carried


@dataclass(frozen=True)
class Handover:
    """What a carried value starts from, and the node that it becomes."""

    start: Cell | Parameter | Fraction
    value: int


#: Members up to which a loop's are told one by one.
FEW = 7


@dataclass(eq=False)
class Block:
    """One kernel, or several fused, at one member or in a loop over many.

    `inputs` binds the graph's inputs, `stores` writes nodes to memory, `carries` hands values
    on. `calls[t]` are the calls of iteration t, from which the block came; a `heading` says what
    the many calls of a whole entry are. A block with a `span` is applied to every column of it;
    one that is `joined` shares the loop of the block before it.
    """

    calls: Sequence[tuple[Call, ...]]
    graph: Graph
    inputs: dict[str, Operand]
    stores: list[tuple[Cell, int]]
    carries: dict[Carried, Handover]
    span: Span | None = None
    joined: bool = False
    heading: str = ""

    #: Is it a loop over rows of lanes, whose indices are those of the first lane?
    segmented: ClassVar[bool] = False

    @property
    def count(self) -> int:
        return len(self.calls)

    @property
    def times(self) -> int:
        """How often the block's code runs: iterations and columns."""
        if self.span is None:
            return self.count
        return sum(len(calls[0].columns) for calls in self.calls)

    @property
    def title(self) -> str:
        """The kernels' titles and the members they work on."""
        kernels = dict.fromkeys(call.kernel.title for call in self.calls[0])
        done, at = self.heading or ", ".join(kernels), self.members
        return f"{at}: {done}" if at else done

    @property
    def name(self) -> str:
        """The kernels' names, joined: what `validate` calls the block."""
        kernels = dict.fromkeys(call.kernel.name for call in self.calls[0])
        return "all kernels" if self.heading else "+".join(kernels)

    @property
    def members(self) -> str:
        first = tuple(dict.fromkeys(call.member for call in self.calls[0] if call.member))
        if self.heading and len(first) > 2:
            return f"{first[0]} to {first[-1]}"
        if self.count == 1:
            return ", ".join(first)
        if self.count <= FEW:
            return ", ".join(dict.fromkeys(call.member for turn in self.calls for call in turn))
        last = dict.fromkeys(call.member for call in self.calls[-1])
        return f"{', '.join(first)} to {', '.join(last)} ({self.count} times)"

    @property
    def sources(self) -> tuple[str, ...]:
        """The equations behind the block, each once."""
        return tuple(
            dict.fromkeys(source for call in self.calls[0] for source in call.kernel.sources)
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """What the statements say whose results the block stores, each once; else what all say."""
        stored = {cell.array for cell, _ in self.stores}
        own: dict[str, None] = {}
        every: dict[str, None] = {}
        for call in self.calls[0]:
            for statement in call.kernel.statements:
                ref, said = call.writes.get(statement.port.name), label(statement)
                every[said] = None
                if ref and ref.array in stored:
                    own[said] = None
        return tuple(own if any(" = " in said for said in own) else every)

    @property
    def noting(self) -> list[int]:
        """Which of the graph's solves note what they meet, at each turn."""
        return [k for k, system in enumerate(self.graph.eliminations) if system.reach]

    def stored_after(self, cell: Cell) -> bool:
        """Is the cell one place for all turns of the loop, so that the last one's value stays?"""
        return self.count > 1 and not cell.along and cell.index.fixed

    def wanted(self) -> list[int]:
        """The nodes that leave the block."""
        carried = [handover.value for handover in self.carries.values()]
        return [node for _, node in self.stores] + carried

    def operations(self) -> Counter[str]:
        """Operations of one iteration, by kind."""
        return self._operations

    @cached_property
    def _operations(self) -> Counter[str]:
        return self.graph.count(self.graph.live(self.wanted()))


@dataclass(frozen=True)
class LoweredStep:
    """A step as blocks in order, then a dense system: becomes one function."""

    name: str
    title: str
    blocks: tuple[Block, ...]
    clears: tuple[str, ...] = ()
    dense: Dense | None = None


@dataclass(frozen=True)
class Module:
    """A program ready to print: steps, entries and the memory they use.

    `workspace` lists the entries of work arrays that something reads back, with their length.
    """

    program: Program
    steps: tuple[LoweredStep, ...]
    entries: tuple[Entry, ...]
    workspace: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def noting(self) -> Mapping[str, tuple[range, ...]]:
        """Of each step's blocks the numbers of their solves that note what they meet."""
        found: dict[str, tuple[range, ...]] = {}
        first = 0
        for step in self.steps:
            each = []
            for block in step.blocks:
                count = block.count * len(block.noting)
                each.append(range(first, first + count))
                first += count
            found[step.name] = tuple(each)
        return found

    def array(self, name: str) -> Array:
        return self.program.arrays[name]

    def cell_name(self, cell: Cell) -> str:
        """The name of a work array's entry."""
        return self.array(cell.array).port.entry_name(*cell.entry)

    def owners(self, storage: Storage) -> dict[str, int]:
        """The caller's buffers and their lengths."""
        return {
            array.owner: self.values(array) * len(array.port.entries)
            for array in self.program.arrays.values()
            if array.storage is storage
        }

    def values(self, array: Array) -> int:
        """How many members, or members' columns, an array has."""
        return array.count(len(self.program.sets[array.index_set]))

    def size(self, dense: Dense) -> int:
        """The number of unknowns of a dense system."""
        return self.values(self.array(dense.unknowns))

    def step(self, name: str) -> LoweredStep:
        """The step called `name`.

        Raises
            InternalError: there is none.
        """
        for step in self.steps:
            if step.name == name:
                return step
        raise InternalError(f"{self.program.name}: the code has no step {name!r}")

    def operations(self, entry: Entry) -> Counter[str]:
        """Operations of a whole entry, by kind."""
        total: Counter[str] = Counter()
        for name in entry.steps:
            total.update(self.step_operations(self.step(name)))
        return total

    def step_operations(self, step: LoweredStep) -> Counter[str]:
        """Operations of one step, by kind: of its blocks, and of its dense system."""
        total: Counter[str] = Counter()
        for block in step.blocks:
            for kind, number in block.operations().items():
                total[kind] += number * block.times
        if step.dense:
            total.update(elimination(self.size(step.dense), 1))
        return total


#: Unknowns up to which a system's matrix is a local variable: 2 KiB, in vectors 16 KiB.
LARGEST_LOCAL = 16


@dataclass(frozen=True)
class Room:
    """Where a large system's numbers stand in the workspace: a thread's stack may be small."""

    matrix: int
    rhs: int
    reach: int
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
            reach = rhs + n * width
            scratch = reach + len(system.reach)
            end = scratch + n * (2 * n + width + 4)
            found[number] = Room(at, rhs, reach, scratch, end)
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

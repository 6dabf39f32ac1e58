"""Passes *freeze*, *constants* and *structure*: runs of calls to blocks.

Each run is frozen with what is known of its inputs: constants are baked in, zeros followed, and
where a run feeds itself the knowledge is iterated until it stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import repeat
from operator import is_
from typing import Any, TypeVar

import sympy as sp

from ..errors import CodegenError
from ..symbolic.language.program import Port, Program, Ref, Step
from ..symbolic.language.walk import Walk, put, taken
from .blocks import (
    Block,
    Carried,
    Cell,
    Handover,
    Index,
    LoweredStep,
    Operand,
    Parameter,
    Span,
    Table,
)
from .formulas import Named, agreed, decimal, lost
from .freeze import Entry as PortEntry
from .freeze import Freezer, Values, freeze_kernel
from .graph import Graph
from .runs import Places, Run, find_runs

#: A constant below this fraction of its matrix's largest entry is the noise of a rotation.
SNAP = Fraction(1, 10**15)

#: What is known of a value: its constant, or None.
Known = Fraction | None

F = TypeVar("F", bound="Frozen")


def frozen(
    program: Program,
    loops: Mapping[str, int],
    lowering: Callable[[Program], Lowering] | None = None,
) -> tuple[LoweredStep, ...]:
    """The steps that `loops` names as blocks, in the program's order, as `lowering` does it.

    It says from how many repetitions on a pattern of each becomes a loop.
    """
    walk = (lowering or Lowering)(program)
    return tuple(
        LoweredStep(
            step.name,
            step.title,
            tuple(walk.step(step, loops[step.name])),
            step.clears,
            step.dense,
        )
        for step in program.steps
        if step.name in loops
    )


def runtime_of(program: Program) -> frozenset[sp.Symbol]:
    """The parameters that stay arguments."""
    return frozenset(sp.Symbol(name, real=True) for name in program.runtime)


def snapped(numbers: Sequence[Any]) -> list[Any]:
    """The numbers of a matrix with the noise of rotations set to exactly zero (see `SNAP`)."""
    largest = max(map(abs, numbers), default=0)
    return [0 * x if abs(x) * SNAP.denominator <= largest else x for x in numbers]


def rational(value: sp.Expr) -> sp.Expr:
    """A number as a rational, to 60 digits where it is none; an expression as it is."""
    if isinstance(value, sp.Rational) or value.free_symbols:
        return value
    return sp.Rational(str(value.evalf(60)))


class Lowering:
    """Walks through the program once, remembering what is known of every value.

    `graph` makes the graph of a block; `folds`: constants are baked in; `follows`: what is known
    of a value is followed into what reads it.
    """

    graph: Callable[[], Graph] = Graph
    folds = True
    follows = True

    def __init__(self, program: Program) -> None:
        self.program = program
        self.runtime = runtime_of(program)
        self.baked = {
            sp.Symbol(name, real=True): sp.Rational(*Fraction(value).as_integer_ratio())
            for name, value in program.parameters.items()
            if name not in program.runtime
        }
        self.positions: dict[str, dict[str, int]] = {}
        self.known: dict[str, list[tuple[Known, ...] | None]] = {}
        self.constants: dict[int, tuple[sp.Matrix, list[list[Fraction | sp.Expr]]]] = {}

    def step(self, step: Step, loop_min: int) -> Iterable[Block]:
        """The blocks of a step."""
        for run in find_runs(Walk.of(step.calls), self.runtime, loop_min):
            yield from self.blocks(run)

    def place(self, ref: Ref) -> int:
        """Where a value stands among those of its array; of a column, where column 0 would."""
        array = self.program.arrays[ref.array]
        if array.index_set not in self.positions:
            members = self.program.sets[array.index_set]
            self.positions[array.index_set] = {member: i for i, member in enumerate(members)}
        at = self.positions[array.index_set][ref.member]
        return array.offsets[at] + max(ref.column or 0, 0) if array.columns else at

    def cell(self, entry: PortEntry, places: Places) -> Cell:
        """Where one entry of the values lies, iteration by iteration."""
        curved = bool(self.program.arrays[places.array].columns)
        return Cell(places.array, entry, Index.of(places.places, curved), places.along)

    def known_at(self, places: Places) -> tuple[Known, ...] | None:
        """What is known of all the values at these places, entry by entry, if it is the same."""
        known = self.known.get(places.array)
        if known is None or places.along:
            return None
        found = taken(known, places.places)
        if all(map(is_, found, repeat(found[0]))):
            return found[0]
        return _common({id(value): value for value in found}.values())

    def learn(self, places: Places, value: tuple[Known, ...]) -> None:
        """Remember what is known of the values at these places."""
        if places.along:
            return
        if places.array not in self.known:
            array = self.program.arrays[places.array]
            members = self.program.sets[array.index_set]
            self.known[places.array] = [None] * array.count(len(members))
        put(self.known[places.array], places.places, [value] * len(places.places))

    def constant(self, matrix: sp.Matrix) -> list[list[Fraction | sp.Expr]]:
        """The matrix with all baked parameters' values, exactly; rotation noise snapped to 0.

        A number has its formula in the parameters that it is made of.
        """
        found = self.constants.get(id(matrix))
        if found is None or found[0] is not matrix:
            rows = [[self._baked(x) for x in row] for row in matrix.tolist()]
            exact = iter(snapped([x for row in rows for x in row if not isinstance(x, sp.Expr)]))
            rows = [[x if isinstance(x, sp.Expr) else next(exact) for x in row] for row in rows]
            found = self.constants[id(matrix)] = (matrix, rows)
        return found[1]

    def _baked(self, formula: sp.Expr) -> Fraction | sp.Expr:
        symbols = formula.free_symbols
        value = rational(formula.xreplace(self.baked) if symbols else formula)
        if not isinstance(value, sp.Rational):
            return value
        number = Fraction(int(value.p), int(value.q))
        return Named.of(number, decimal(formula)) if symbols else number

    def blocks(self, run: Run) -> Iterable[Block]:
        """A run as one block; with columns in it as one block a call, through memory."""
        if all(call.span is None for call in run[0]):
            yield self.block(run)
            return
        for position in range(len(run[0])):
            single = replace(run, only=position)
            frozen = Frozen(self, single, {}, alone=True)
            frozen.remember()
            block = frozen.block()
            block.joined = position > 0 and len(run) > 1
            spans = [call.span for (call,) in single if call.span]
            if spans:
                ends = (Index.of(end, curved=True) for end in zip(*spans, strict=True))
                block.span = Span(*ends)
            yield block

    def block(self, run: Run) -> Block:
        """A run as one block."""
        frozen = self.settled(lambda known: Frozen(self, run, known))
        frozen.remember()
        return frozen.block()

    @staticmethod
    def settled(freeze: Callable[[dict[Carried, Known]], F]) -> F:
        """Freeze a run; where it feeds itself, until what is known stays the same."""
        carried: dict[Carried, Known] = {}
        while True:
            frozen = freeze(dict(carried))
            settled = frozen.settled()
            if settled == frozen.carried:
                return frozen
            carried = settled


@dataclass(frozen=True)
class _Produced:
    """Where a read value comes from inside the run: call position and output port."""

    position: int
    port: str


class Frozen:
    """One attempt at freezing a run, given what is known of the carried values.

    `alone`: nothing is handed over inside the run but through memory.
    """

    def __init__(
        self, lowering: Lowering, run: Run, carried: dict[Carried, Known], alone: bool = False
    ) -> None:
        self.lowering = lowering
        self.run = run
        self.calls = run[0]
        self.last = self.calls if len(run) == 1 else run[-1]
        self.carried = carried
        self.graph = lowering.graph()
        self.inputs: dict[str, Operand] = {}
        self.named: dict[Operand, str] = {}
        self.starts: dict[Carried, Cell | Parameter | Fraction] = {}
        self.outputs: list[dict[str, Values]] = []
        self.same = {} if alone else self._producers(0)
        self.previous = {} if alone else self._producers(1)
        for position, call in enumerate(self.calls):
            self.outputs.append(
                freeze_kernel(self.graph, call.kernel, _Reader(self, position).operand)
            )

    def constants(self, position: int, port: str) -> Sequence[sp.Matrix]:
        """The constants that an input is bound to, turn by turn; one if it is always the same."""
        return self.run.constants(position, port)

    def reads(self, position: int, port: str) -> Places:
        """Where the values lie that an input is bound to, turn by turn."""
        return self.run.reads(position, port, self.lowering.place)

    def _producers(self, back: int) -> dict[tuple[int, str], _Produced]:
        """Reads that are written `back` iterations before, in every iteration that has one."""
        if back >= len(self.run):
            return {}
        calls = self.run[len(self.run) - 1 - back] if back else self.last
        written = {
            ref: _Produced(position, name)
            for position, call in enumerate(calls)
            for name, ref in call.writes.items()
        }
        return {
            (position, name): written[binding]
            for position, call in enumerate(self.last)
            for name, binding in call.reads.items()
            if isinstance(binding, Ref)
            and binding in written
            and (back or written[binding].position < position)
        }

    def new_input(self, name: str, operand: Operand) -> int:
        """The input node of an operand; equal operands share one."""
        if operand not in self.named:
            unique, suffix = name, 2
            while unique in self.inputs:
                unique, suffix = f"{name}_{suffix}", suffix + 1
            self.inputs[unique] = operand
            self.named[operand] = unique
        return self.graph.input(self.named[operand])

    def parameter_input(self, name: str) -> int:
        return self.new_input(name, Parameter(name))

    def node_of(self, produced: _Produced, entry: PortEntry) -> int:
        return self.outputs[produced.position][produced.port][entry]

    def carried_input(
        self, name: str, key: tuple[int, str], port: Port, entry: PortEntry, first: Places
    ) -> int:
        """The node of a value that the iteration before has made."""
        own = self.own_entry(self.previous[key], port, entry)
        carried = Carried((*key, own))
        start = self.known(key, port, first)[port.entries.index(entry)]
        known = self.carried.setdefault(carried, start)
        if known is not None:
            return self.graph.const(lost(known))  # another turn may have made it otherwise
        self.starts[carried] = self.cell(port, entry, first) if start is None else start
        return self.new_input(name, carried)

    def own_entry(self, produced: _Produced, port: Port, entry: PortEntry) -> PortEntry:
        """The entry of the producing port that is this port's entry: same storage order."""
        producer = self.calls[produced.position].kernel
        source = next(p for p in producer.outputs if p.name == produced.port)
        return source.entries[port.entries.index(entry)]

    def known(self, key: tuple[int, str], port: Port, places: Places) -> Sequence[Known]:
        """What is known of the entries that an input has from these places, if it is the same."""
        known = self.lowering.known_at(places) if self.lowering.follows else None
        return (None,) * len(port.entries) if known is None else known

    def cell(self, port: Port, entry: PortEntry, places: Places) -> Cell:
        array = self.lowering.program.arrays[places.array]
        if len(array.port.entries) != len(port.entries):
            raise CodegenError(f"{array.name} does not fit the input {port.name}")
        target = array.port.entries[port.entries.index(entry)]
        return self.lowering.cell(target, places)

    def settled(self) -> dict[Carried, Known]:
        """What is known of the carried values after one more turn around the loop."""
        result = {}
        for carried, before in self.carried.items():
            position, name, entry = carried.key
            after = self.graph.constant(self.node_of(self.previous[(position, name)], entry))
            result[carried] = before if before == after else None
        return result

    def remember(self) -> None:
        """Tell the later blocks what is known of this one's outputs."""
        found = [
            {name: tuple(map(self.graph.constant, nodes.values())) for name, nodes in port.items()}
            for port in self.outputs
        ]
        for position, outputs in enumerate(found):
            for name, value in outputs.items():
                if name in self.calls[position].writes:
                    self.lowering.learn(self.learnt(position, name), value)

    def learnt(self, position: int, port: str) -> Places:
        """Where the values lie of which is known what is known of an output."""
        return self.writes(position, port)

    def writes(self, position: int, port: str) -> Places:
        """Where the values of an output are kept, turn by turn."""
        return self.run.writes(position, port, self.lowering.place)

    def block(self) -> Block:
        stores = []
        for position, call in enumerate(self.calls):
            for name, ref in call.writes.items():
                cell = self.lowering.cell((0, 0), self.writes(position, name))
                target = self.lowering.program.arrays[ref.array].port.entries
                for entry, node in zip(target, self.outputs[position][name].values(), strict=True):
                    stores.append((cell._replace(entry=entry), node))
        carries = {
            carried: Handover(
                self.starts[carried],
                self.node_of(self.previous[carried.key[:2]], carried.key[2]),
            )
            for carried, known in self.carried.items()
            if known is None
        }
        return Block(self.run, self.graph, self.inputs, stores, carries)


class _Reader:
    """Finds the node of each input entry of the call at one position of the run."""

    def __init__(self, frozen: Frozen, position: int) -> None:
        self.frozen = frozen
        self.position = position
        self.cells: dict[Port, Cell] = {}
        self.constants: dict[Port, tuple[Sequence[sp.Matrix], dict[int, sp.Matrix]]] = {}
        self.places: dict[Port, Places] = {}
        self.known: dict[Port, Sequence[Known]] = {}

    def operand(self, port: Port, i: int, j: int) -> int:
        if isinstance(self.frozen.calls[self.position].reads[port.name], Ref):
            return self._value(port, (i, j))
        return self._constant(port, (i, j))

    def _constant(self, port: Port, entry: PortEntry) -> int:
        frozen = self.frozen
        if not frozen.lowering.folds:
            unknown = Parameter(f"{self.position} {port.entry_name(*entry)}")
            return frozen.new_input(port.entry_name(*entry), unknown)
        if port not in self.constants:
            matrices = frozen.constants(self.position, port.name)
            self.constants[port] = matrices, {id(matrix): matrix for matrix in matrices}
        matrices, distinct = self.constants[port]
        i, j = entry
        known = {at: frozen.lowering.constant(x)[i][j] for at, x in distinct.items()}
        first = known[id(matrices[0])]
        if isinstance(first, sp.Expr):
            names = sorted(symbol.name for symbol in first.free_symbols)
            inputs = {name: frozen.parameter_input(name) for name in names}
            return Freezer(frozen.graph, inputs).freeze(first)
        if len(set(known.values())) == 1:
            return frozen.graph.const(agreed(known.values()))
        table = Table(tuple(Fraction(known[id(matrix)]) for matrix in matrices))
        return frozen.new_input(port.entry_name(*entry), table)

    def _value(self, port: Port, entry: PortEntry) -> int:
        frozen = self.frozen
        key = (self.position, port.name)
        if key in frozen.same:
            return frozen.node_of(frozen.same[key], frozen.own_entry(frozen.same[key], port, entry))
        name = port.entry_name(*entry)
        if key in frozen.previous:
            first = self._places(port)
            return frozen.carried_input(name, key, port, entry, first.first)
        position = port.entries.index(entry)
        value = self._known(port)[position]
        if value is not None:
            return frozen.graph.const(value)
        return frozen.new_input(name, self._cell(port, position))

    def _places(self, port: Port) -> Places:
        if port not in self.places:
            self.places[port] = self.frozen.reads(self.position, port.name)
        return self.places[port]

    def _known(self, port: Port) -> Sequence[Known]:
        """What is known of the port's entries, found once."""
        if port not in self.known:
            key = self.position, port.name
            self.known[port] = self.frozen.known(key, port, self._places(port))
        return self.known[port]

    def _cell(self, port: Port, position: int) -> Cell:
        """The cell of the entry at this position; where the values lie is found once."""
        if port not in self.cells:
            self.cells[port] = self.frozen.cell(port, port.entries[0], self._places(port))
        array = self.frozen.lowering.program.arrays[self.cells[port].array]
        return self.cells[port]._replace(entry=array.port.entries[position])


def _common(found: Collection[tuple[Known, ...] | None]) -> tuple[Known, ...] | None:
    """Entry by entry what is known of all, where it is the same."""
    known = [value for value in found if value is not None]
    if len(known) < len(found):
        return None
    entries = zip(*known, strict=True)
    return tuple(_shared(entry) for entry in entries)


def _shared(values: Sequence[Known]) -> Known:
    """What all these are, if they are the same."""
    if len(set(values)) > 1 or values[0] is None:
        return None
    return agreed(value for value in values if value is not None)

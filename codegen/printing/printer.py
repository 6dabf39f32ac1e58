"""Blocks to lines of text: one printer for all languages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...symbolic.language.program import Storage
from ..blocks import (
    Carried,
    Cell,
    Handover,
    Index,
    LoweredStep,
    Module,
    Parameter,
    Span,
    Table,
    rooms,
)
from ..freeze import SAYS, SOLVERS
from ..graph import Graph, Node
from ..order import INDEPENDENT, order
from ..solves.elimination import MET
from ..trig import Trig, angles_of
from .constants import literal
from .languages import COLUMN_NAMES, WORDS, Language
from .names import Names
from .placeprinter import PlacePrinter, PrintedTable

#: The workspace's arrays of the sines and cosines of a step's angles, in C.
LOOKED_UP = {"sin": "sines", "cos": "cosines"}

#: What of scalars is a scalar, in code for many lanes.
SCALAR = frozenset({"const", "add", "sub", "mul", "neg", "recip"})

#: Names that a local variable must not take, besides those of the caller's buffers.
RESERVED = WORDS | {"i", "lanes", "np", "p", "w", *SOLVERS.values()}

#: How lines begin that declare no name in C: comments, stores, and what follows in a row of them.
_NAMELESS = re.compile(r"/\*|w->|mstmm_put_|    |\w+\[")

#: What is read or stored stands side by side on lines of so many characters.
ROW = 88

#: Whole values of so many entries are written by a call.
WHOLE = (6, 16)


def _length(line: str) -> int:
    """The length of a line; numbers count alike, so that a chain's length changes no row."""
    return len(_NUMBER.sub("0", line))


_NUMBER = re.compile(r"\d+")

#: So many equations stand above a block whose own lines show none.
ABOVE = 2

#: Characters beyond which a remark names what is stated alone: its formula is the code below.
LONGEST = 400

#: How a source says that it is none of the papers'.
_OWN = re.compile(r"(^|: )own(: |$)")


@dataclass(frozen=True)
class PrintedBlock:
    """A block as text: a title, the equations, what a loop starts from, its body, what follows.

    `order` is the mark of a loop whose turns may run in any order.
    """

    title: str
    sources: tuple[str, ...]
    count: int
    starts: tuple[tuple[str, str], ...]
    body: tuple[str, ...]
    updates: tuple[str, ...]
    tables: tuple[PrintedTable, ...]
    after: tuple[str, ...] = ()
    order: str = ""

    @property
    def declares(self) -> bool:
        """Has it names of its own?"""
        return not all(map(_NAMELESS.match, self.body))


@dataclass(frozen=True)
class PrintedStep:
    """A step as text: its angles, whose sines and cosines come first, and its blocks."""

    trig: Trig | None
    blocks: tuple[PrintedBlock, ...]


class BlockPrinter(PlacePrinter):
    """Prints one block; every value that is used twice or has a name gets its own line."""

    def __init__(
        self,
        module: Module,
        step: LoweredStep,
        position: int,
        language: Language,
        names: Names,
        trig: Trig | None = None,
    ):
        super().__init__(module, step, position, language, names)
        self.position = position
        self.trig = trig
        self.graph: Graph = self.block.graph
        arrays = module.program.arrays.values()
        self.reserved = RESERVED | {array.owner for array in arrays}
        if self.block.span:
            self.reserved |= COLUMN_NAMES
        self.taken: set[str] = {*self.reserved, *names.constants.names.values()}
        self.text: dict[int, tuple[str, int]] = {}
        self.lines: list[str] = []
        self.carried: dict[Carried, str] = {}
        self.pairs: dict[int, dict[str, str]] = {}
        self.alike: set[int] = set()
        self.said = ""
        self.shows = False
        self.row = ("", 0)
        self.only_stored: set[int] = set()

    def print(self) -> PrintedBlock:
        """The block's text."""
        live = self.graph.live(self.block.wanted())
        uses = Counter(
            arg
            for number in live
            if self._place(number) is None
            for arg in self.graph.nodes[number].args
        )
        uses.update(self.block.wanted())
        handed = {handover.value for handover in self.block.carries.values()}
        stored = {node for cell, node in self.block.stores if not self.block.stored_after(cell)}
        self.only_stored = {n for n in stored - handed if uses[n] == 1}
        varying = self._varying(live)
        for number in live:
            if uses[number] and number not in varying:
                self._node(number, uses[number], number in handed)
        if self.block.span:
            self._columns(self.block.span, [n for n in live if n in varying], uses)
        else:
            self._store()
        updates = self._updates()
        return PrintedBlock(
            title=self.block.title,
            sources=self.block.sources,
            count=self.block.count,
            starts=tuple(
                (self.carried[carried], self._start(handover))
                for carried, handover in self.block.carries.items()
            ),
            body=(*self._above(), *self.lines),
            updates=updates,
            tables=tuple(self.tables.values()),
            after=self._after(),
            order=order(self.block) if self.language.scalar else "",
        )

    def _above(self) -> tuple[str, ...]:
        """What a block computes whose lines say no equation: it copies, or constants are left."""
        if self.shows:
            return ()
        labels = [label for label in self.block.labels if " = " in _text(label)][:ABOVE]
        texts = [_text(*pair) for pair in zip(labels, ("", *labels), strict=False)]
        return (self.language.remark("; ".join(texts)),) if texts else ()

    def _store(self) -> None:
        stores = [item for item in self.block.stores if not self.block.stored_after(item[0])]
        while stores:
            values = self._whole_value(stores)
            for _, number in stores[: max(values, 1)]:
                if number in self.only_stored and self.text[number][1] < 3:
                    self._say(self.graph.labels[number])
            if values:
                first = self._cell(stores[0][0])
                self._put(first, [self._whole(number) for _, number in stores[:values]])
            else:
                self._store_one(*stores[0])
            stores = stores[max(values, 1) :]

    def _whole_value(self, stores: Sequence[tuple[Cell, int]]) -> int:
        """How many entries the first stores have, if they are a whole value of the caller's."""
        first = stores[0][0]
        array = self.module.array(first.array)
        entries = array.port.entries
        kept = array.storage is Storage.WORK or first.along
        if not self.language.scalar or kept or len(entries) not in WHOLE:
            return 0
        following = [cell for cell, _ in stores[: len(entries)]]
        whole = [Cell(first.array, entry, first.index) for entry in entries]
        return len(entries) if following == whole else 0

    def _put(self, place: str, values: Sequence[str]) -> None:
        """A row of numbers, or several."""
        put = f"mstmm_put_{len(values)}(&{place},"
        line = f"{put} {', '.join(values)});"
        if _length(line) <= ROW:
            self.lines.append(line)
            return
        width = 4 if len(values) == 16 else 6
        rows = [values[k : k + width] for k in range(0, len(values), width)]
        texts = [f"    {', '.join(row)}" for row in rows]
        self.lines += [put, *(f"{x}," for x in texts[:-1]), f"{texts[-1]});"]

    def _store_one(self, cell: Cell, number: int) -> None:
        line = f"{self._cell(cell)} = {self._whole(number)}{self.language.end}"
        if number in self.only_stored and self.text[number][1] < 3:
            self.lines.append(line)
        else:
            self._append("stores", line, f" {line}")

    def _append(self, kind: str, line: str, more: str) -> None:
        """A line, or what it adds to the one before of its kind, where that stays short."""
        end = self.language.end
        goes_on = self.lines and end and self.row == (kind, len(self.lines))
        last = self.lines[-1] if goes_on else ""
        row = last + more if kind == "stores" else f"{last.removesuffix(end)}{more}{end}"
        if last and _length(row) <= ROW:
            self.lines[-1] = row
        else:
            self.lines.append(line)
        self.row = (kind, len(self.lines))

    def _after(self) -> tuple[str, ...]:
        """Store what the last turn has handed on."""
        names = {handover.value: self.carried[c] for c, handover in self.block.carries.items()}
        return tuple(
            f"{self._cell(cell)} = {names.get(number) or self._whole(number)}{self.language.end}"
            for cell, number in self.block.stores
            if self.block.stored_after(cell)
        )

    def _varying(self, live: Sequence[int]) -> set[int]:
        """The nodes that differ from column to column."""
        found: set[int] = set()
        for number in live:
            node = self.graph.nodes[number]
            operand = self.block.inputs[str(node.value)] if node.op == "input" else None
            if (isinstance(operand, Cell) and operand.along) or not found.isdisjoint(node.args):
                found.add(number)
        return found

    def _columns(self, span: Span, live: Sequence[int], uses: Counter[int]) -> None:
        """The lines of every column, after those that all columns share."""
        language = self.language
        outer, self.lines = self.lines, []
        for number in live:
            if uses[number]:
                self._node(number, uses[number], False)
        self._store()
        ends = [self._scaled(end, 1, 0) for end in (span.start, span.stop)]
        for name, text in zip(("first", "last"), ends, strict=True):
            outer.append(f"{language.whole}{name} = {text}{language.end}")
        for index, name in self.places.items():
            text = self._scaled(index, 1, 0)
            outer.append(f"{language.whole}{name} = {text}{language.end}")
        if not language.arrays:
            inner = [f"    {line}" for line in self.lines]
            independent = [] if language.lanes else [INDEPENDENT]
            loop = "for (int c = first; c < last; c++) {"
            self.lines = [*independent, loop, *inner, "}"]
        self.lines = [*outer, *self.lines]

    def _unique(self, name: str) -> str:
        candidate, suffix = (f"{name}_" if name in self.reserved else name), 2
        while candidate in self.taken:
            candidate, suffix = f"{name}_{suffix}", suffix + 1
        self.taken.add(candidate)
        return candidate

    def _node(self, number: int, uses: int, handed: bool) -> None:
        node = self.graph.nodes[number]
        self._note(number, node)
        if node.op == "const":
            assert isinstance(node.value, Fraction)
            text = self.names.number(node.value)
            self.text[number] = (text, 3 if text.startswith("-") else 4)
        elif node.op == "input":
            self._input(number, str(node.value), uses)
        elif node.op == "eliminate":
            self._eliminate(number, node)
        elif node.op == "unknown":
            self.text[number] = (f"{self.text[node.args[0]][0]}[{node.value}]", 4)
        else:
            if self.language.lanes and node.op in LOOKED_UP:
                self._pair(node.args[0])
            expression = self._expression(number, node)
            name = self.graph.names.get(number)
            if number in self.only_stored:
                name = None
            if name is None and uses == 1 and not handed and len(expression[0]) < 60:
                self.text[number] = expression
            else:
                self._say(self.graph.labels[number])
                self._declare(number, name or "t", expression[0])

    def _note(self, number: int, node: Node) -> None:
        """Remember values that are alike in all lanes: constants and what is made of them."""
        if node.op == "input":
            alike = isinstance(self.block.inputs[str(node.value)], Table)
        else:
            alike = node.op in SCALAR and self.alike.issuperset(node.args)
        if self.language.lanes and alike:
            self.alike.add(number)

    def _pair(self, argument: int) -> None:
        """Declare the sine and the cosine of an argument, from one call."""
        if argument not in self.pairs:
            names = {"sin": self._unique("sine"), "cos": self._unique("cosine")}
            self.pairs[argument] = names
            self.lines.append(f"lanes {names['sin']}, {names['cos']};")
            places = f"&{names['sin']}, &{names['cos']}"
            self.lines.append(f"sincos_lanes({self._whole(argument)}, {places});")

    def _say(self, label: str) -> None:
        """An equation of matrices, and its source unless that was the one before's."""
        if not label or label == self.said:
            return
        text = _text(label, self.said)
        if text:
            self.lines.append(self.language.remark(text))
        self.shows = self.shows or " = " in text
        self.said = label

    def _declare(self, number: int, name: str, text: str, read: bool = False) -> None:
        unique = self._unique(name)
        declare = "const double " if number in self.alike else self.language.declare
        line = f"{declare}{unique} = {text}{self.language.end}"
        if read:
            self._append(declare, line, f", {unique} = {text}")
        else:
            self.lines.append(line)
        self.text[number] = (unique, 4)

    def _input(self, number: int, name: str, uses: int) -> None:
        operand = self.block.inputs[name]
        if isinstance(operand, Carried):
            self.carried[operand] = unique = self._unique(name)
            self.text[number] = (unique, 4)
        else:
            text = self._operand(name, operand)
            if uses > 1:
                self._declare(number, name, text, read=True)
            else:
                self.text[number] = (text, 4)

    def _operand(self, name: str, operand: Cell | Table | Parameter | Carried) -> str:
        if isinstance(operand, Cell):
            return self._cell(operand)
        if isinstance(operand, Table):
            values = tuple(literal(value) for value in operand.values)
            return f"{self._table(operand, name, values, integer=False)}[i]"
        assert isinstance(operand, Parameter)
        return self._parameter(operand.name)

    def _expression(self, number: int, node: Node) -> tuple[str, int]:
        """Text and precedence: 1 sums, 2 products, 3 signs, 4 atoms."""
        a = node.args
        if (place := self._place(number)) is not None:
            index = self._scaled(place, 1, 0)
            return self.language.work.format(name=LOOKED_UP[node.op], index=index), 4
        if node.op == "add":
            return f"{self._at(a[0], 1)} + {self._at(a[1], 2)}", 1
        if node.op == "sub":
            return f"{self._at(a[0], 1)} - {self._at(a[1], 2)}", 1
        if node.op == "mul":
            first, second = reversed(a) if self.graph.constant(a[1]) is not None else a
            return f"{self._at(first, 2)} * {self._at(second, 3)}", 2
        if node.op == "neg":
            return f"-{self._at(a[0], 3)}", 3
        if node.op == "recip":
            return f"1.0 / {self._at(a[0], 3)}", 2
        if node.op == "step":
            return self.language.step.format(self._whole(a[0])), 4
        if node.op == "defined":
            return self.language.defined.format(self._at(a[0], 2)), 4
        if a[0] in self.pairs and node.op in LOOKED_UP:
            return self.pairs[a[0]][node.op], 4
        arguments = ", ".join(map(self._whole, a))
        return f"{self.language.functions.get(node.op, node.op)}({arguments})", 4

    def _place(self, number: int) -> Index | None:
        """Where a sine or cosine stands in the workspace, if it does."""
        node = self.graph.nodes[number]
        if self.trig is None or node.op not in LOOKED_UP:
            return None
        return self.trig.where.get((self.position, node.args[0]))

    def _at(self, number: int, precedence: int) -> str:
        text, own = self.text[number]
        return text if own >= precedence else f"({text})"

    def _bare(self, number: int) -> str:
        return self.text[number][0]

    def _whole(self, number: int) -> str:
        """The text as a value for every lane."""
        text = self._bare(number)
        return self.language.broadcast.format(text) if number in self.alike else text

    def _eliminate(self, number: int, node: Node) -> None:
        assert isinstance(node.value, int)
        name = self._unique("z")
        self._say(self.graph.labels[number])
        if self.language.arrays:
            self._eliminate_in_batch(name, node.value)
        else:
            self._eliminate_in_place(name, node.value)
        self.text[number] = (name, 4)

    def _eliminate_in_batch(self, name: str, index: int) -> None:
        system = self.graph.eliminations[index]
        matrix = [f"[{', '.join(map(self._bare, row))}]" for row in system.matrix]
        rows = [f"[{', '.join(map(self._bare, row))}]" for row in system.rhs]
        self.lines.append(f"{name} = {self.language.solver.format(system.solver)}(")
        self.lines.append("    [")
        self.lines += [f"        {row}," for row in matrix]
        self.lines += ["    ],", f"    [{', '.join(rows)}],"]
        if system.reach:
            self.lines.append(f"    [{', '.join(map(self._bare, system.reach))}],")
            self.lines.append(f"    {self._solve_number(index)},")
        self.lines.append(")")

    def _solve_number(self, index: int, width: int = 1) -> str:
        """Which of the module's solves that note what they meet this is, times a width."""
        own = self.block.noting
        first = self.module.noting[self.step.name][self.position].start + own.index(index)
        step = len(own) if self.block.count > 1 else 0
        return self._scaled(Index(first, step), width, 0)

    def _noted(self, index: int) -> str:
        """Where a solve notes what it meets."""
        if not self.language.notes:
            return "w->met"
        at = self._solve_number(index, MET)
        place = "w->met" if at == "0" else f"w->met + {at}"
        return f"(double *)({place})" if self.language.lanes else place

    def _eliminate_in_place(self, name: str, index: int) -> None:
        """A call that overwrites arrays of the matrix and of the right-hand side."""
        system = self.graph.eliminations[index]
        n, width = len(system.matrix), len(system.rhs[0])
        real = "lanes" if self.language.lanes else "double"
        solver, scratch = self.language.solver.format(system.solver), f"{name}_room"
        given = f"{name}_matrix, {name}"
        place = rooms(self.block).get(index)
        if place:
            scratch = f"(double *)(w->room + {place.scratch})"
            self._set(real, f"{name}_matrix", place.matrix, system.matrix)
            self._set(real, name, place.rhs, system.rhs)
            if system.reach:
                self._set(real, f"{name}_reach", place.reach, [system.reach])
        else:
            rows = [", ".join(map(self._whole, row)) for row in system.matrix]
            self.lines.append(f"{real} {name}_matrix[{n * n}] = {{")
            self.lines += [f"    {row}," for row in rows[:-1]] + [f"    {rows[-1]}", "};"]
            rhs = ", ".join(self._whole(x) for row in system.rhs for x in row)
            self.lines.append(f"{real} {name}[{n * width}] = {{{rhs}}};")
            if system.reach:
                reach = ", ".join(map(self._whole, system.reach))
                self.lines.append(f"const {real} {name}_reach[{2 * n}] = {{{reach}}};")
        if system.reach:
            given += f", {name}_reach, {self._noted(index)}"
        needed = system.scratch(self.language.lanes)
        if needed and not place:
            self.lines.append(f"double {scratch}[{needed}];")
        self.lines.append(f"{solver}({n}, {width}, {given}{f', {scratch}' if needed else ''});")

    def _set(self, real: str, name: str, at: int, rows: Sequence[Sequence[int]]) -> None:
        """Numbers in the workspace, row by row."""
        self.lines.append(f"{real} *const {name} = w->room + {at};")
        first = 0
        for row in rows:
            sets = (f"{name}[{j}] = {self._whole(x)}" for j, x in enumerate(row, start=first))
            self.lines.append(f"{', '.join(sets)};")
            first += len(row)

    def _start(self, handover: Handover) -> str:
        start = handover.start
        if isinstance(start, Fraction):
            return self.language.broadcast.format(literal(start))
        return self._cell(start) if isinstance(start, Cell) else self._parameter(start.name)

    def _updates(self) -> tuple[str, ...]:
        """Hand over at the end of an iteration; what is itself carried is read first."""
        first, then = [], []
        moving = {self.carried[c] for c in self.block.carries}
        for carried, handover in self.block.carries.items():
            target, text = self.carried[carried], self._whole(handover.value)
            if text in moving and text != target:
                fresh = self._unique(f"{target}_next")
                first.append(f"{self.language.declare}{fresh} = {text}{self.language.end}")
                text = fresh
            if text != target:
                then.append(f"{target} = {text}{self.language.end}")
        return (*first, *then)


def _text(label: str, before: str = "") -> str:
    """A label as a remark, without its source if that was the one `before`."""
    says, source = _told(label)
    known = source == _told(before)[1]
    return f"{says} ({source})" if says and source and not known else says or source


def _told(label: str) -> tuple[str, str]:
    """The equation of a label, and its source unless that is no paper but this program."""
    says, _, source = label.rpartition(SAYS)
    if len(says) > LONGEST:
        says = f"{says.partition(' = ')[0]} = …"
    return says, _OWN.sub(r"\1", source)


def print_step(module: Module, step: LoweredStep, language: Language, names: Names) -> PrintedStep:
    """All blocks of a step as text; those that share a loop as one."""
    trig = angles_of(module, step) if language.scalar else None
    loops: list[list[PrintedBlock]] = []
    for position, block in enumerate(step.blocks):
        printed = BlockPrinter(module, step, position, language, names, trig).print()
        if block.joined:
            loops[-1].append(printed)
        else:
            loops.append([printed])
    return PrintedStep(
        trig if trig and trig.angles else None,
        tuple(_together(blocks, language) for blocks in loops),
    )


def _together(blocks: Sequence[PrintedBlock], language: Language) -> PrintedBlock:
    """Blocks one after the other in one loop, each with names of its own."""
    if len(blocks) == 1:
        return blocks[0]
    body: list[str] = []
    for block in blocks:
        scope = ["{", *(f"    {line}" for line in block.body), "}"]
        body += [language.remark(block.title), *(block.body if language.arrays else scope)]
    return PrintedBlock(
        title="; ".join(dict.fromkeys(block.title for block in blocks)),
        sources=tuple(dict.fromkeys(source for block in blocks for source in block.sources)),
        count=blocks[0].count,
        starts=(),
        body=tuple(body),
        updates=(),
        tables=tuple(table for block in blocks for table in block.tables),
    )

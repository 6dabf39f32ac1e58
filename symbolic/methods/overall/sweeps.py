"""The sweeps of the overall transfer equation: its blocks, as products along the transfer order.

What a row reads, and of what columns, is read off the printed equation; a product of element
matrices is carried from the tips to the root, a column at a time, and each row's head applied
where it stands. Where a kernel's port lies follows from its name:

==============  =====================================================================
`a_Ik`, `ao`    of a state (a, m, q) at the element's k-th input, or behind it: a column
                (`c`), the column of the 1 (`k`), or what is solved for (`z`)
`u_j`, `x_j`    an unknown: the element's j-th own acceleration, an end's j-th entry
`row_j`         the j-th equation of a row: in the matrix, or on the right-hand side
any other       the element's own, see `Motion.read`
==============  =====================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import sympy as sp

from ....model import Hinge
from ....model.expressions.quantities import exact_expression
from ...language.program import THIS, Call, Kernel, Ref
from ...mechanics.constants import column
from ...mechanics.space import Space
from ...plans.deduction import Row
from ...plans.plan import Plan
from ...plans.transfer import Boundary, Element, symbol
from ...tree.acting import Reads
from ...tree.conditions import taken
from . import end_kernels, kernels
from . import row_kernels as rows
from .columns import Columns
from .motion import Motion, still

#: The parts of a state.
PARTS = "amq"


class Sweeps:
    """The equation's rows and columns, and the calls that make them."""

    def __init__(self, plan: Plan, motion: Motion) -> None:
        self.plan, self.motion = plan, motion
        self.equation = motion.equation
        self.transfer = self.equation.transfer
        self.dimension = plan.model.dimension
        self.space = Space(self.dimension)
        apart = (element.label for element in self.transfer.elements if motion.apart(element))
        self.columns = Columns(self.equation, frozenset(apart))
        self.unknowns = self.equation.unknowns
        self.names = {row: self._names(row) for row in self.equation.rows}
        self._feeding = {e.feeds: e.label for e in self.transfer.elements if e.feeds}

    def _names(self, row: Row) -> tuple[str, ...]:
        label = self.transfer.elements[row.element].label
        entry = f" {row.entry}" if row.kind in ("main", "geometric") else ""
        return tuple(f"{row.kind} {label}{entry} {j}" for j in range(1, row.size + 1))

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(name for row in self.equation.rows for name in self.names[row])

    # Names

    def reads(self, kernel: Kernel, element: Element, known: Reads) -> Reads:
        """A kernel's inputs: from what is known, else the element's own."""
        names = (port.name for port in kernel.inputs)
        return {x: known[x] if x in known else self.motion.read(x, element) for x in names}

    def state(self, array: str, at: Mapping[int, str]) -> Reads:
        """States at inputs of an element, by number, and (0) behind it."""
        places = {f"_I{k}" if k else "o": member for k, member in at.items()}
        return {f"{x}{end}": self.part(x, array, at) for end, at in places.items() for x in PARTS}

    @staticmethod
    def part(part: str, array: str, member: str) -> Ref:
        """A part of a state; of a column, that which a call is applied to."""
        return Ref(f"{part}{array}", member, THIS if array == "c" else None)

    def behind(self, array: str, member: str) -> dict[str, Ref]:
        """Where the state behind an element is kept."""
        return {f"{x}o": self.part(x, array, member) for x in PARTS}

    def entering(self, i: int, entry: int) -> str:
        """The state at an input of an element."""
        feeding = self._feeding.get((i, entry))
        tip = self.transfer.elements[i].tips[entry - 1][0]
        return feeding or symbol(self.transfer.ends[tip].indices)

    def around(self, i: int, array: str) -> Reads:
        """The states at all inputs of an element and behind it."""
        element = self.transfer.elements[i]
        inputs = {k: self.entering(i, k) for k in range(1, len(element.inputs) + 1)}
        return self.state(array, {**inputs, 0: element.label})

    def constants(self) -> Iterable[Call]:
        """The constants of all elements at their places."""
        for element in self.transfer.elements:
            yield from self.motion.element(element)

    # Columns that begin

    def begins(self) -> Iterable[Call]:
        """The columns that begin at tips, hinges and beams, and single entries of the matrix."""
        for number, end in enumerate(self.transfer.ends):
            if end.entry:
                entries = self.equation.open_entries(number)
                kernel = end_kernels.begun.of(
                    dimension=self.dimension, entries=entries, other=self._other(number)
                )
                yield self._begun(kernel, symbol(end.indices), {}, self.columns.starts[number])
        for i, element in enumerate(self.transfer.elements):
            if element.freedoms:
                yield from self._own(i, element)
        for tree, row in zip(self.transfer.trees, self.equation.rows, strict=False):
            root = self.transfer.ends[tree.root]
            if root.condition != "cut":
                start = self.columns.starts[tree.root]
                places = enumerate(self.equation.open_entries(tree.root), start=start)
                at = [(self.names[row][entry], column) for column, entry in places]
                values = -sp.ones(len(at), 1)
                yield self._entries(symbol(root.indices), values, at, rows.MAIN)
        yield from self._couplings()

    def _other(self, end: int) -> bool:
        """Is it the end of a cut whose state is C times the other's?"""
        return any(pair.dropped == end and not pair.ring for pair in self.transfer.pairs)

    def _begun(self, kernel: Kernel, state: str, reads: Reads, start: int) -> Call:
        writes = {}
        for port in kernel.outputs:
            name, _, number = port.name.partition("_")
            writes[port.name] = Ref(f"{name}c", state, start + int(number) - 1)
        return Call(kernel, state, reads, writes)

    def _own(self, i: int, element: Element) -> Iterable[Call]:
        """The columns of an element's entries of s, and what these are in its own rows."""
        own, kernel = self.columns.own[element.label], self.own_columns(element)
        state = self.columns.behind(i, own.start)
        yield self._begun(kernel, state, self.reads(kernel, element, {}), own.start)
        if not element.is_beam and self.equation.hinges[element.name].rotor:
            at = list(zip(self.names[self._row("hinge", i)], own, strict=True))
            rotor = column(self.equation.hinges[element.name].rotor)
            yield self._entries(element.label, -rotor, at, rows.ROTOR)

    def own_columns(self, element: Element) -> Kernel:
        """The kernel of the columns of an element's entries of s."""
        if element.is_beam:
            return end_kernels.modal_columns.of(**self.motion.facts(element))
        return end_kernels.own_columns.of(**self.motion.facts(element))

    def _row(self, kind: str, element: int) -> Row:
        return next(x for x in self.equation.rows if (x.kind, x.element) == (kind, element))

    def demands(self, hinge: Hinge) -> tuple[tuple[str, sp.Expr], ...]:
        """What the coupling of a hinge demands of its rate, and of the other hinge's."""
        assert hinge.mimic is not None
        ratio = exact_expression(hinge.mimic.ratio)
        return (hinge.name, sp.Integer(1)), (hinge.mimic.hinge, -ratio)

    def _couplings(self) -> Iterable[Call]:
        """A coupling's row, and its load in the rows of the two hinges."""
        at = {e.name: i for i, e in enumerate(self.transfer.elements) if not e.is_body}
        for hinge in self.equation.couplings:
            load = self.columns.couplings[hinge.name]
            (condition,) = self.names[self._row("coupling", at[hinge.name])]
            for name, demand in self.demands(hinge):
                (driven,) = self.names[self._row("hinge", at[name])]
                own = self.columns.own[self.transfer.elements[at[name]].label].start
                both = [(driven, load), (condition, own)]
                values = sp.Matrix([demand] * 2)
                yield self._entries(f"{hinge.name} {name}", values, both, rows.COUPLING)

    def _entries(
        self, member: str, values: sp.Matrix, at: Sequence[tuple[str, int]], source: str
    ) -> Call:
        writes = {f"row_{j}": Ref("matrix", row, c) for j, (row, c) in enumerate(at, start=1)}
        kernel = rows.entries.of(dimension=self.dimension, count=len(at), source=source)
        return Call(kernel, member, {"x": values}, writes)

    # Columns carried, and their rows

    def carried(self) -> Iterable[Call]:
        """All columns through all elements, and the rows that they make."""
        for i, element in enumerate(self.transfer.elements):
            if element.is_body or self.motion.apart(element):
                yield from self._through(i, element)
            for row in self.equation.rows:
                if row.element == i and row.kind != "coupling":
                    yield from self._columns(row, i, element)

    def _through(self, i: int, element: Element) -> Iterable[Call]:
        for segment in self.columns.segments(i):
            kernel = self.through(element, tuple(segment.states))
            to = self.columns.behind(i, segment.start)
            reads = self.reads(kernel, element, self.state("c", segment.states))
            yield Call(kernel, to, reads, self.behind("c", to), segment.span)

    def through(
        self, element: Element, entries: tuple[int, ...], constants: bool = False
    ) -> Kernel:
        """The kernel from some inputs of an element to what is behind it."""
        if not element.is_body:
            return kernels.across.of(**self.motion.facts(element), constants=constants)
        facts = self.motion.facts(element)
        return kernels.through.of(**facts, entries=entries, constants=constants)

    def _columns(self, row: Row, i: int, element: Element) -> Iterable[Call]:
        """A row's entries, of all columns that arrive where it reads states."""
        places = [reading.place[1] for reading in self.equation.readings(row)]
        for segment in self.columns.segments(i, places):
            states = {0: self.columns.behind(i, segment.start)} | segment.states
            entries = tuple(k for k in places if k in segment.states)
            for span, closed in self._spans(row, segment.span):
                known = self.state("c", states) | (self._begin(row) if closed else {})
                kernel = self.head(row, element, entries, closed=closed)
                yield self._write(row, kernel, self.reads(kernel, element, known), span)
        own = self.own_head(row, element)
        if own is None:
            return
        for j, number in enumerate(self.columns.own[element.label]):
            known = self.state("c", {0: self.columns.behind(i, number)})
            known["unit"] = sp.eye(element.freedoms)[:, j]
            yield self._write(row, own, self.reads(own, element, known), (number, number + 1))

    def head(
        self,
        row: Row,
        element: Element,
        entries: tuple[int, ...],
        right: bool = False,
        closed: bool = False,
    ) -> Kernel:
        """What a row makes of a column that arrives at some of the inputs that it reads.

        `right`: of the column of the 1; `closed`: of one that begins where the ring is cut.
        """
        facts = self.motion.facts(element) | {"entries": entries, "number": row.entry}
        facts |= {"right": right, "closed": closed}
        if row.kind == "main":
            unknown = self._open(row) if right else ()
            return rows.main.of(**facts | {"entries": unknown})
        if row.kind == "geometric":
            return rows.geometric.of(**facts)
        if row.kind == "modal":
            return rows.modal.of(**facts)
        return rows.hinge.of(**facts, acting=right and self.motion.pushed(element))

    def own_head(self, row: Row, element: Element) -> Kernel | None:
        """What a row of a beam makes of one of its own accelerations, by a unit vector."""
        if not element.is_beam or not element.freedoms or row.kind == "main":
            return None
        if row.kind == "modal":
            return rows.modal_own.of(**self.motion.facts(element))
        return rows.geometric_own.of(**self.motion.facts(element), number=row.entry)

    def _root(self, row: Row) -> Boundary:
        return self.transfer.ends[self.transfer.trees[row.entry].root]

    def _open(self, row: Row) -> tuple[int, ...]:
        """The unknown entries at the root of a main row, unless the tree is a closed ring."""
        ring = self._root(row).condition == "cut"
        return () if ring else self.equation.open_entries(self.transfer.trees[row.entry].root)

    def _begin(self, row: Row) -> Reads:
        """The columns of a closed ring where they begin."""
        tip = self.transfer.ends[self.transfer.trees[row.entry].tips[0]]
        return {f"{x}0": self.part(x, "c", symbol(tip.indices)) for x in PARTS}

    def _spans(self, row: Row, span: tuple[int, int]) -> Iterator[tuple[tuple[int, int], bool]]:
        """The columns of which a row has entries, and whether they begin where a ring is cut."""
        start, stop = span
        parts = [(start, stop, False)]
        if row.kind == "hinge":  # its own bring no load
            own = self.columns.own[self.transfer.elements[row.element].label].start
            parts = [(start, own if start <= own < stop else stop, False)]
        elif row.kind == "main" and self._root(row).condition == "cut":
            first, last = self.columns.span(self.transfer.trees[row.entry].tips[0])
            parts = [(start, first, False), (first, last, True), (last, stop, False)]
        within = ((max(x, start), min(y, stop), closed) for x, y, closed in parts)
        yield from (((x, y), closed) for x, y, closed in within if x < y)

    def _write(
        self, row: Row, kernel: Kernel, reads: Reads, span: tuple[int, int] | None = None
    ) -> Call:
        """A row's entries in the columns of a span, or on the right-hand side."""
        names, array = self.names[row], "matrix" if span else "right"
        column = THIS if span else None
        writes = {f"row_{j}": Ref(array, name, column) for j, name in enumerate(names, start=1)}
        return Call(kernel, names[0], reads, writes, span)

    # The column of the 1, and all states once the unknowns are known

    def states(self, solved: bool) -> Iterable[Call]:
        """The states of all ends: with the unknowns zero, or solved for."""
        array = "z" if solved else "k"
        for number, end in enumerate(self.transfer.ends):
            if end.entry:
                yield self._end(number, end, array)
        for i, element in enumerate(self.transfer.elements):
            kernel = self.through(element, tuple(range(1, len(element.inputs) + 1)), True)
            rates = self.equation.rates(element) if element.freedoms else ()
            known = self.around(i, array) | self.unknown("u", rates, solved)
            reads = self.reads(kernel, element, known)
            yield Call(kernel, element.label, reads, self.behind(array, element.label))

    def _end(self, number: int, end: Boundary, array: str) -> Call:
        """The state of an end where columns begin."""
        solved, state = array == "z", symbol(end.indices)
        entries = self.equation.open_entries(number)
        facts = {"dimension": self.dimension, "entries": entries, "other": self._other(number)}
        kernel = end_kernels.end_state.of(**facts, solved=solved)
        names = self.unknowns[slice(*self.columns.span(number))]
        known = self.motion.known(end) | self.unknown("x", names)
        return Call(kernel, state, taken(kernel, known), self.behind(array, state))

    def unknown(self, port: str, names: Sequence[str], solved: bool = True) -> Reads:
        """Unknowns as ports with numbers; zero before they are solved for."""
        none = sp.zeros(1, 1)
        return {
            f"{port}_{j}": Ref("unknown", name) if solved else none
            for j, name in enumerate(names, start=1)
        }

    def rights(self) -> Iterable[Call]:
        """The right-hand side of every row."""
        for row in self.equation.rows:
            if row.kind != "coupling":
                element = self.transfer.elements[row.element]
                entries = tuple(reading.place[1] for reading in self.equation.readings(row))
                kernel, known = (
                    self.head(row, element, entries, True),
                    self.around(row.element, "k"),
                )
                if row.kind == "main":
                    ring = self._root(row).condition == "cut"
                    at = still(self.space) if ring else self.motion.known(self._root(row))
                    known |= {f"{x}0": value for x, value in at.items()}
                yield self._write(row, kernel, self.reads(kernel, element, known))

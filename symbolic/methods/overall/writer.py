"""The calls of the overall transfer equation: its blocks, as products along the transfer order.

What a row reads, and of what columns, is read off the printed equation; a product of element
matrices is carried from the tips to the root, a column at a time, and each row's head applied
where it stands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import sympy as sp

from ....model import End, Hinge
from ....model.quantities import exact_expression
from ...language.program import THIS, Call, Kernel, Ref
from ...mechanics.constants import column
from ...mechanics.space import Space
from ...plans.deduction import Row
from ...plans.plan import Plan, reported
from ...plans.transfer import Boundary, Element, symbol
from ...tree.acting import Reads
from ...tree.conditions import driven_names, taken
from . import kernels
from . import row_kernels as rows
from .columns import Columns, Segment
from .motion import Loose, Motion, called, still


class Writer:
    """Collects the calls of the overall equation, step by step."""

    def __init__(self, plan: Plan, motion: Motion) -> None:
        self.plan, self.motion = plan, motion
        self.equation = motion.equation
        self.transfer = self.equation.transfer
        self.dimension = d = plan.model.dimension
        self.space = Space(d)
        apart = (element.label for element in self.transfer.elements if motion.apart(element))
        self.columns = Columns(self.equation, frozenset(apart))
        self.unknowns = self.equation.unknowns
        self.names = {row: self._names(row) for row in self.equation.rows}
        self._by_element: dict[int, list[Row]] = {}
        for row in self.equation.rows:
            self._by_element.setdefault(row.element, []).append(row)
        self._feeding = {e.feeds: e.label for e in self.transfer.elements if e.feeds}

    def _names(self, row: Row) -> tuple[str, ...]:
        label = self.transfer.elements[row.element].label
        entry = f" {row.entry}" if row.kind in ("main", "geometric") else ""
        return tuple(f"{row.kind} {label}{entry} {j}" for j in range(1, row.size + 1))

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(name for row in self.equation.rows for name in self.names[row])

    def elements(self) -> Iterable[Call]:
        for element in self.transfer.elements:
            yield from self.motion.element(element)

    def _modes(self, element: Element) -> int:
        return element.freedoms if element.is_beam else 0

    def data(self, element: Element) -> Reads:
        """All that the kernels of columns and states read of a body or beam."""
        names = ["h", "JI", "rIO", "gO", "fq", "fm"]
        names += [f"{x}K{k}" for k in range(2, len(element.inputs) + 1) for x in "rg"]
        if element.freedoms:
            n = element.freedoms
            names += [f"Me{n}", f"Mee{n}", f"pe{n}", f"YO_{n}"]
            names += [f"Y{k}_{n}" for k in range(2, len(element.inputs) + 1)]
        found: Reads = {name: Ref(name, element.label) for name in names}
        return found | {"mass": self.motion.mass(element)}

    # Columns

    def begins(self) -> Iterable[Call]:
        """The columns that begin at tips, hinges and beams, and single entries of the matrix."""
        for number, end in enumerate(self.transfer.ends):
            if end.entry:
                entries = self.equation.open_entries(number)
                kernel = kernels.begun(self.dimension, entries, self._other(number))
                yield self._begun(kernel, symbol(end.indices), {}, self.columns.starts[number])
        for i, element in enumerate(self.transfer.elements):
            if element.freedoms:
                yield from self._own(i, element)
        for tree, row in zip(self.transfer.trees, self.equation.rows, strict=False):
            if self.transfer.ends[tree.root].condition != "cut":
                start, names = self.columns.starts[tree.root], self.names[row]
                places = enumerate(self.equation.open_entries(tree.root), start=start)
                at = [(names[entry], column) for column, entry in places]
                yield self._entries(
                    symbol(self.transfer.ends[tree.root].indices), -1, at, rows.MAIN
                )

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
        own = self.columns.own[element.label]
        state = self.columns.behind(i, own.start)
        if element.is_beam:
            kernel = kernels.modal_columns(element.freedoms)
            yield self._begun(kernel, state, taken(kernel, self.data(element)), own.start)
            return
        kernel = kernels.own_columns(self.dimension, element.freedoms)
        reads = self.motion.hinged(element, f"Hs{element.freedoms}")
        yield self._begun(kernel, state, reads, own.start)
        hinge = self.equation.hinges[element.name]
        if hinge.rotor:
            row = self.names[self._row("hinge", i)]
            at = list(zip(row, own, strict=True))
            yield self._entries(element.label, -column(hinge.rotor), at, rows.ROTOR)

    def _row(self, kind: str, element: int) -> Row:
        return next(row for row in self._by_element[element] if row.kind == kind)

    def demands(self, hinge: Hinge) -> tuple[tuple[str, sp.Expr], ...]:
        """What the coupling of a hinge demands of its rate, and of the other hinge's."""
        assert hinge.mimic is not None
        ratio = exact_expression(hinge.mimic.ratio)
        return (hinge.name, sp.Integer(1)), (hinge.mimic.hinge, -ratio)

    def couplings(self) -> Iterable[Call]:
        """A coupling's row, and its load in the rows of the two hinges."""
        at = {e.name: i for i, e in enumerate(self.transfer.elements) if not e.is_body}
        for hinge in self.equation.couplings:
            load = self.columns.couplings[hinge.name]
            (condition,) = self.names[self._row("coupling", at[hinge.name])]
            for name, demand in self.demands(hinge):
                i = at[name]
                (driven,) = self.names[self._row("hinge", i)]
                own = self.columns.own[self.transfer.elements[i].label].start
                both = [(driven, load), (condition, own)]
                values = sp.Matrix([demand] * 2)
                yield self._entries(f"{hinge.name} {name}", values, both, rows.COUPLING)

    def _entries(
        self, member: str, values: sp.Matrix | int, at: list[tuple[str, int]], source: str
    ) -> Call:
        given = sp.Matrix([values] * len(at)) if isinstance(values, int) else values
        writes = {f"row_{j}": Ref("matrix", row, c) for j, (row, c) in enumerate(at, start=1)}
        return Call(rows.entries(len(at), source), member, {"x": given}, writes)

    def carried(self) -> Iterable[Call]:
        """All columns through all elements, and the rows that they make."""
        for i, element in enumerate(self.transfer.elements):
            if element.is_body or self.motion.apart(element):
                yield from self._through(i, element)
            for row in self._by_element.get(i, ()):
                write = getattr(self, f"_{row.kind}_rows")
                yield from write(i, element, row)

    def _through(self, i: int, element: Element) -> Iterable[Call]:
        for segment in self.columns.segments(i):
            if element.is_body:
                kernel = kernels.through(self.dimension, tuple(segment.states))
                reads = self.data(element) | self._arriving(segment)
            else:
                kernel = kernels.across(self.dimension)
                reads = self.motion.hinged(element, "dh") | self._state(segment.states[1])
            to = self.columns.behind(i, segment.start)
            writes = {f"{x}o": Ref(f"{x}c", to, THIS) for x in "amq"}
            yield Call(kernel, to, taken(kernel, reads), writes, segment.span)

    def _state(self, member: str, at: str = "") -> Reads:
        return {f"{x}{at}": Ref(f"{x}c", member, THIS) for x in "amq"}

    def _arriving(self, segment: Segment) -> Reads:
        found: Reads = {}
        for k, member in segment.states.items():
            found |= self._state(member, f"_I{k}")
        return found

    def _write(self, kernel: Kernel, row: Row, reads: Reads, span: tuple[int, int]) -> Call:
        names = enumerate(self.names[row], start=1)
        writes = {f"row_{j}": Ref("matrix", name, THIS) for j, name in names}
        return Call(kernel, self.names[row][0], taken(kernel, reads), writes, span)

    def _main_rows(self, i: int, element: Element, row: Row) -> Iterable[Call]:
        tree = self.transfer.trees[row.entry]
        for run in self.columns.at[i, 0]:
            if self.transfer.ends[tree.root].condition == "cut":
                yield from self._closed_rows(run.member, run.span, row, tree.tips[0])
            else:
                kernel = rows.main(self.dimension, right=False)
                yield self._write(kernel, row, self._state(run.member), run.span)

    def _closed_rows(
        self, member: str, span: tuple[int, int], row: Row, tip: int
    ) -> Iterable[Call]:
        """Of a ring closed in itself: (U − I) z, a column of z's own at a time."""
        start, stop = self.columns.span(tip)
        state = symbol(self.transfer.ends[tip].indices)
        for first, last, own in ((span[0], start, 0), (start, stop, 1), (stop, span[1], 0)):
            if first < last:
                kernel = rows.main(self.dimension, right=False, closed=bool(own))
                begun = {f"{x}0": Ref(f"{x}c", state, THIS) for x in "amq"} if own else {}
                yield self._write(kernel, row, self._state(member) | begun, (first, last))

    def _geometric_rows(self, i: int, element: Element, row: Row) -> Iterable[Call]:
        k = row.entry
        for segment in self.columns.segments(i, (1, k)):
            kernel = rows.geometric(self.dimension, 1 in segment.states, k in segment.states)
            reads: Reads = {"rK": Ref(f"rK{k}", element.label)}
            reads |= self._state(segment.states[1]) if 1 in segment.states else {}
            reads |= self._state(segment.states[k], "_k") if k in segment.states else {}
            yield self._write(kernel, row, reads, segment.span)
        n = self._modes(element)
        if n:
            yield from self._each(rows.geometric_own(n, k), row, element, {})

    def _each(
        self, kernel: Kernel, row: Row, element: Element, state: Mapping[str, str]
    ) -> Iterator[Call]:
        """A kernel at each column of a beam's own, told which by a unit vector."""
        unit = sp.eye(element.freedoms)
        for j, column_ in enumerate(self.columns.own[element.label]):
            reads = self.data(element) | {"unit": unit[:, j]}
            reads |= {port: Ref(port[0] + "c", state["o"], THIS) for port in ("mo", "qo") if state}
            yield self._write(kernel, row, reads, (column_, column_ + 1))

    def _modal_rows(self, i: int, element: Element, row: Row) -> Iterable[Call]:
        n = element.freedoms
        for segment in self.columns.segments(i):
            kernel = rows.modal(n, tuple(segment.states))
            output = self._state(self.columns.behind(i, segment.start), "o")
            reads = self.data(element) | self._arriving(segment) | output
            yield self._write(kernel, row, reads, segment.span)
        own = self.columns.behind(i, self.columns.own[element.label].start)
        yield from self._each(rows.modal_own(n), row, element, {"o": own})

    def _hinge_rows(self, i: int, element: Element, row: Row) -> Iterable[Call]:
        own = self.columns.own[element.label].start
        kernel = rows.hinge(self.dimension, element.freedoms)
        for run in self.columns.at[i, 0]:
            stop = min(run.stop, own) if own in range(*run.span) else run.stop
            if run.start < stop:
                reads = self.motion.hinged(element, f"Hs{element.freedoms}")
                reads |= self._state(run.member)
                yield self._write(kernel, row, reads, (run.start, stop))

    def _coupling_rows(self, i: int, element: Element, row: Row) -> Iterable[Call]:
        return ()

    # The column of the 1, and all states once the unknowns are known

    def _starts(self, solved: bool) -> Iterable[Call]:
        """The states of the ends where columns begin."""
        suffix = "z" if solved else "k"
        for number, end in enumerate(self.transfer.ends):
            if not end.entry:
                continue
            entries = self.equation.open_entries(number)
            kernel = kernels.end_state(self.dimension, entries, self._other(number), solved)
            unknowns = self.unknowns[slice(*self.columns.span(number))]
            reads = self.motion.known(end)
            reads |= {f"x_{j}": Ref("unknown", x) for j, x in enumerate(unknowns, start=1)}
            writes = {f"{x}o": Ref(f"{x}{suffix}", symbol(end.indices)) for x in "amq"}
            yield Call(kernel, symbol(end.indices), taken(kernel, reads), writes)

    def entering(self, i: int, entry: int) -> str:
        """The state at an input of an element."""
        feeding = self._feeding.get((i, entry))
        tip = self.transfer.elements[i].tips[entry - 1][0]
        return feeding or symbol(self.transfer.ends[tip].indices)

    def states(self, solved: bool) -> Iterable[Call]:
        """The states of all ends: with the unknowns zero, or solved for."""
        yield from self._starts(solved)
        suffix = "z" if solved else "k"
        for i, element in enumerate(self.transfer.elements):
            kernel, reads = self.behind(i, element, suffix)
            rates = self.equation.rates(element) if element.freedoms else ()
            for j, name in enumerate(rates, start=1):
                reads[f"u_{j}"] = Ref("unknown", name) if solved else sp.zeros(1, 1)
            writes = {f"{x}o": Ref(f"{x}{suffix}", element.label) for x in "amq"}
            yield Call(kernel, element.label, taken(kernel, reads), writes)

    def behind(self, i: int, element: Element, suffix: str) -> tuple[Kernel, Reads]:
        def at(entry: int, label: str) -> Reads:
            state = self.entering(i, entry)
            return {f"{x}{label}": Ref(f"{x}{suffix}", state) for x in "amq"}

        if not element.is_body:
            apart = self.motion.apart(element)
            kernel = kernels.hinge_state(self.dimension, element.freedoms, apart)
            names = ["gs", *["dh"] * apart, *[f"Hs{element.freedoms}"] * bool(element.freedoms)]
            return kernel, at(1, "") | self.motion.hinged(element, *names)
        inputs = len(element.inputs)
        reads = self.data(element)
        for k in range(1, inputs + 1):
            reads |= at(k, f"_I{k}")
        return kernels.body_state(self.dimension, inputs, self._modes(element)), reads

    def rights(self) -> Iterable[Call]:
        """The right-hand side of every row."""
        for row in self.equation.rows:
            element = self.transfer.elements[row.element]
            if row.kind == "coupling":
                continue
            kernel, reads = getattr(self, f"_{row.kind}_right")(row, element)
            names = enumerate(self.names[row], start=1)
            writes = {f"row_{j}": Ref("right", name) for j, name in names}
            yield Call(kernel, self.names[row][0], taken(kernel, reads), writes)

    def _constant(self, member: str, at: str = "") -> Reads:
        return {f"{x}{at}": Ref(f"{x}k", member) for x in "amq"}

    def _main_right(self, row: Row, element: Element) -> tuple[Kernel, Reads]:
        root = self.transfer.trees[row.entry].root
        end = self.transfer.ends[root]
        closed = end.condition == "cut"
        known = still(self.space) if closed else self.motion.known(end)
        reads = self._constant(element.label) | {f"{x}0": value for x, value in known.items()}
        entries = () if closed else self.equation.open_entries(root)
        return rows.main(self.dimension, right=True, entries=entries), reads

    def _geometric_right(self, row: Row, element: Element) -> tuple[Kernel, Reads]:
        k = row.entry
        reads: Reads = {x: Ref(f"{x}{k}", element.label) for x in ("rK", "gK")}
        reads |= self._constant(self.entering(row.element, 1))
        reads |= self._constant(self.entering(row.element, k), "_k")
        return rows.geometric(self.dimension, True, True, right=True), reads

    def _hinge_right(self, row: Row, element: Element) -> tuple[Kernel, Reads]:
        force = self.motion.force(element)
        kernel = rows.hinge(self.dimension, element.freedoms, right=True, acting=bool(force))
        own = self.motion.hinged(element, f"Hs{element.freedoms}")
        return kernel, own | force | self._constant(element.label)

    def _modal_right(self, row: Row, element: Element) -> tuple[Kernel, Reads]:
        entries = tuple(range(1, len(element.inputs) + 1))
        reads = self.data(element) | self._constant(element.label, "o")
        for k in entries:
            reads |= self._constant(self.entering(row.element, k), f"_I{k}")
        return rows.modal(element.freedoms, entries, right=True), reads

    # Results

    def results(self) -> Iterable[Call]:
        """The accelerations of the coordinates."""
        if self.plan.model.absolute:
            for element in self.transfer.elements:
                if element.is_body:
                    kernel = rows.spin_rate(self.dimension)
                    reads = {"a": Ref("az", element.label), "A": Ref("A", element.name)}
                    writes = {"rate": Ref("a", element.name)}
                    yield Call(kernel, element.name, taken(kernel, reads), writes)
            return
        speeds = set(self.plan.model.speeds)
        for element in self.equation.auxiliaries:
            names = self.equation.rates(element)
            if speeds.issuperset(names):
                yield self._copied(element.label, names)
        for end, hinge in self.motion.rates():
            yield self._pinned_rates(end, hinge)
        for loose in self.motion.loose:
            yield self._loose_rates(loose)

    def _copied(self, member: str, names: tuple[str, ...]) -> Call:
        reads: Reads = {f"x_{j}": Ref("unknown", x) for j, x in enumerate(names, start=1)}
        writes = {f"a_{j}": Ref("a", x) for j, x in enumerate(names, start=1)}
        return Call(rows.copied(len(names), "a"), member, reads, writes)

    def _pinned_rates(self, end: Boundary, hinge: Hinge) -> Call:
        speeds = self.plan.model.hinge_speeds(hinge)
        kernel = rows.pinned_rates(self.dimension, len(speeds))
        start = self.columns.starts[self.transfer.ends.index(end)]
        unknowns = self.unknowns[start : start + self.space.spins]
        reads: Reads = {"ag": self.motion.ground(called(end))}
        reads |= {x: Ref(x, f"hinge {hinge.name}") for x in ("gs", f"Hs{len(speeds)}")}
        reads |= {f"x_{j}": Ref("unknown", x) for j, x in enumerate(unknowns, start=1)}
        writes = {f"a_{j}": Ref("a", x) for j, x in enumerate(speeds, start=1)}
        return Call(kernel, hinge.name, reads, writes)

    def _loose_rates(self, loose: Loose) -> Call:
        kernel = rows.loose_rates(self.dimension)
        body = loose.element.name
        reads: Reads = {"ag": self.motion.ground(loose.member), "rOL": loose.arm}
        reads |= {x: Ref(x, loose.member) for x in ("gs", "dh", f"Hs{self.space.motion}")}
        reads |= {"a": Ref("az", loose.element.label)}
        reads |= {"A": Ref("A", body), "omega": Ref("w", body)}
        speeds = enumerate(self.plan.model.hinge_speeds(loose.hinge), start=1)
        writes = {f"a_{j}": Ref("a", x) for j, x in speeds}
        return Call(kernel, loose.hinge.name, reads, writes)

    def loads(self) -> Iterable[Call]:
        """The loads at the ends where bodies hang, whichever way states pass there."""
        outputs = {e.output: e.label for e in self.transfer.elements if e.is_body}
        inputs = {
            end: self.entering(i, k)
            for i, element in enumerate(self.transfer.elements)
            if element.is_body
            for k, end in enumerate(element.inputs, start=1)
        }
        ends = [End(link.name, link.output) for link in self.plan.links]
        ends += [reported(hinge)[1] for hinge in self.plan.cuts]
        reads: Reads
        wanted = set(self.motion.program.sets["ends"])
        for loose in self.motion.loose:
            end = next(end for end in loose.hinge.ends if end in ends)
            wanted.remove(str(end))
            forced = self.motion.forced
            given = Ref("Wg", loose.hinge.name) if forced else sp.zeros(self.space.motion, 1)
            reads = {"W": given, "A": Ref("A", loose.element.name)}
            kernel = rows.loose_load(self.dimension)
            yield Call(kernel, str(end), reads, {"load": Ref("loads", str(end))})
        for end in ends:
            if str(end) in wanted:
                sign = 1 if end in outputs else -1
                state = outputs.get(end) or inputs[end]
                reads = {name: Ref(f"{name}z", state) for name in "mq"}
                kernel = rows.load(self.dimension, sign)
                yield Call(kernel, str(end), reads, {"load": Ref("loads", str(end))})

    def drives(self) -> Iterable[Call]:
        """The forces that drive the driven hinges."""
        for element in self.transfer.elements:
            hinge = None if element.is_body else self.equation.hinges[element.name]
            if hinge is None or not hinge.motion:
                continue
            names = driven_names(hinge)
            force = self.motion.force(element)
            kernel = rows.drive(self.dimension, len(names), bool(force))
            reads: Reads = {name: Ref(f"{name}z", element.label) for name in "mq"}
            reads |= self.motion.hinged(element, f"Hs{len(names)}") | force
            writes = {f"drive_{j}": Ref("drive", name) for j, name in enumerate(names, start=1)}
            yield Call(kernel, element.label, reads, writes)

    def shown(self) -> Iterable[Call]:
        """The overall equation as results."""
        for row in self.rows:
            reads: Reads = {"x": Ref("matrix", row, THIS)}
            writes = {"y": Ref("U_all", row, THIS)}
            yield Call(rows.shown("matrix"), row, reads, writes, (0, len(self.unknowns)))
        for row in self.rows:
            reads = {"x": Ref("right", row)}
            yield Call(rows.shown("right"), row, reads, {"y": Ref("r_all", row)})

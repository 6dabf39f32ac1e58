"""The calls of the overall transfer equation, one step at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import sympy as sp

from . import overallkernels as kernels
from . import overallrows as rowkernels
from .constants import column
from .overallcolumns import Numbering, Side
from .overallforms import Form, Reads
from .plan import Link
from .program import THIS, Call, Kernel, Ref
from .space import Space


class Writer:
    """Collects the calls of the overall equation, step by step."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.plan = form.plan
        self.dimension = form.plan.model.dimension
        self.space = Space(self.dimension)
        self.numbering = Numbering(form)

    def elements(self) -> Iterable[Call]:
        gravity = column(self.plan.model.gravity)
        for link in self.plan.links:
            points = link.inputs or (self.numbering.point(link),)
            data = self.form.data(link, points)
            pushes, absolute = self.form.pushes(link), self.plan.model.absolute
            kernel = kernels.element(
                self.dimension, len(points), self.form.forced, absolute, len(pushes)
            )
            reads = (
                pushes
                | self.form.moving(link)
                | {
                    "m": data.mass,
                    "g": gravity,
                    "rC": data.centre,
                    "JC": data.central,
                }
            )
            reads |= {f"r_I{k}": arm for k, arm in enumerate(data.arms, start=1)}
            yield Call(kernel, link.name, reads, _same(kernel, link.name))

    def _columns(self, state: str, names: Iterable[str] = "amq") -> dict[str, Ref]:
        return {name: Ref(f"{name}c", state, THIS) for name in names}

    def begins(self) -> Iterable[Call]:
        """The columns that begin at tips, hinges and cuts, and the entries of single unknowns."""
        for link in self.plan.links:
            if not link.children:
                yield self._begun(kernels.begin(self.dimension), self.numbering.tip(link), {})
            for side in self.numbering.at_body.get(link.name, ()):
                kernel = kernels.cut_columns(self.dimension, side.size)
                reads = {"E": Ref(f"E{side.letter}{side.size}", side.hinge)}
                call = self._begun(kernel, side.name, reads | self.form.turned(link))
                writes = {f"Ec{side.size}": Ref(f"Ec{side.size}", side.name)}
                yield replace(call, writes={**call.writes, **writes})
            freedom = self.form.freedom(link)
            if freedom:
                kernel = kernels.own_columns(self.dimension, freedom)
                reads = self.form.hinged(link, f"Hs{freedom}")
                start = self.numbering.spans[link.name][1] - freedom
                yield self._begun(kernel, link.name, reads, start)
                yield from self._resisted(link)
            if link.parent is None:
                names = self.numbering.root_unknowns(link)
                rows = self.numbering.main_rows(link)[-len(names) :]
                yield self._signs(link.name, -1, zip(rows, names, strict=True), rowkernels.MAIN)
        for sides in self.numbering.cuts:
            yield from self._paired(sides)

    def _resisted(self, link: Link) -> Iterable[Call]:
        """What rotors and couplings add to a hinge's own rows."""
        names, rows = self.form.names(link), self.numbering.own_rows(link)
        rotor = self.form.rotor(link)
        if rotor is not None:
            own = zip(rows, names, strict=True)
            yield self._entries(link.name, rotor, own, rowkernels.ROTOR)
        for name, demand in self.form.couplings(link).items():
            load, row = self.numbering.coupling(name)
            both = ((rows[0], load), (row, names[0]))
            value = sp.Matrix([demand, demand])
            yield self._entries(link.name, value, both, rowkernels.COUPLING)

    def _entries(
        self, member: str, values: sp.Matrix, entries: Iterable[tuple[str, str]], source: str
    ) -> Call:
        writes = {
            f"row_{j}": Ref("matrix", row, self.numbering.position[unknown])
            for j, (row, unknown) in enumerate(entries, start=1)
        }
        return Call(rowkernels.entries(len(values), source), member, {"x": values}, writes)

    def _paired(self, sides: list[Side]) -> Iterable[Call]:
        """Both ends of a cut: the accelerations add up, the loads are the same."""
        first = sides[0]
        for side, sign in zip(sides, (1, -1), strict=False):
            own = zip(side.rows, side.accelerations, strict=True)
            yield self._signs(side.name, -1, own, kernels.CONDITION)
            rows = first.paired("acceleration")
            both = zip(rows, side.accelerations, strict=True)
            yield self._signs(side.name, 1, both, kernels.PAIR)
            if len(sides) == 2:
                rows = first.paired("load")
                both = zip(rows, side.multipliers, strict=True)
                yield self._signs(side.name, sign, both, kernels.PAIR)

    def _begun(self, kernel: Kernel, state: str, reads: Reads, start: int | None = None) -> Call:
        first = self.numbering.spans[state][0] if start is None else start
        writes = {}
        for port in kernel.outputs:
            name, _, number = port.name.partition("_")
            if number:
                writes[port.name] = Ref(f"{name}c", state, first + int(number) - 1)
        return Call(kernel, state, reads, writes)

    def _signs(
        self, member: str, sign: int, entries: Iterable[tuple[str, str]], source: str
    ) -> Call:
        pairs = list(entries)
        writes = {
            f"row_{j}": Ref("matrix", row, self.numbering.position[unknown])
            for j, (row, unknown) in enumerate(pairs, start=1)
        }
        return Call(rowkernels.signs((sign,) * len(pairs), source), member, {}, writes)

    def carried(self) -> Iterable[Call]:
        """All columns through all elements, and the rows that they make."""
        numbering = self.numbering
        for link in self.plan.links:
            first = numbering.source(link)
            yield self._through(link, first, "amq", self._first_reads(link))
            for k, child in enumerate(link.children[1:], start=2):
                arm = {"rK": Ref(f"rK{k}", link.name)}
                yield self._through(link, child, "mq", arm)
                rows = numbering.geometric_rows(child)
                yield self._rows(rowkernels.geometric_first(self.dimension), first, "a", arm, rows)
                yield self._rows(rowkernels.geometric_other(self.dimension), child, "a", {}, rows)
            for side in numbering.at_body.get(link.name, ()):
                yield self._through(link, side.name, "mq", {"rK": Ref("rIO", link.name)})
                reads: Reads = {
                    "rIO": Ref("rIO", link.name),
                    f"Ec{side.size}": Ref(f"Ec{side.size}", side.name),
                }
                kernel = rowkernels.condition_rows(self.dimension, side.size)
                yield self._rows(kernel, first, "a", reads, side.rows)
            if link.parent is None:
                kernel = rowkernels.main_rows(self.dimension)
                yield self._rows(kernel, link.name, "amq", {}, numbering.main_rows(link))

    def _first_reads(self, link: Link) -> Reads:
        mass = self.form.data(link, link.inputs or (self.numbering.point(link),)).mass
        return {"mass": mass, "h": Ref("h", link.name), "JI": Ref("JI", link.name)}

    def _through(self, link: Link, state: str, names: str, reads: Reads) -> Call:
        freedom, apart = self.form.freedom(link), self.form.apart(link)
        make = kernels.first_column if names == "amq" else kernels.other_column
        kernel = make(self.dimension, freedom, apart)
        reads = {**self._columns(state, names), "rIO": Ref("rIO", link.name), **reads}
        wanted = [f"Hs{freedom}"] * bool(freedom) + ["dh"] * apart
        reads |= self.form.hinged(link, *wanted)
        writes = {f"{name}h": ref for name, ref in self._columns(link.name).items()}
        for j, row in enumerate(self.numbering.own_rows(link), start=1):
            writes[f"row_{j}"] = Ref("matrix", row, THIS)
        return Call(kernel, link.name, reads, writes, self.numbering.spans[state])

    def _rows(
        self, kernel: Kernel, state: str, names: str, reads: Reads, rows: tuple[str, ...]
    ) -> Call:
        writes = {f"row_{j}": Ref("matrix", row, THIS) for j, row in enumerate(rows, start=1)}
        given: Reads = {**self._columns(state, names), **reads}
        return Call(kernel, state, given, writes, self.numbering.spans[state])

    def states(self, solved: bool) -> Iterable[Call]:
        """The states of all ends: with the unknowns zero, or solved for."""
        for link in self.plan.links:
            suffix = "z" if solved else "k"
            sides = self.numbering.at_body.get(link.name, ())
            if solved:
                yield from self._known_starts(link, sides)
            freedom, apart = self.form.freedom(link), self.form.apart(link)
            inputs = max(1, len(link.children))
            kernel = kernels.state(self.dimension, inputs, len(sides), freedom, apart, solved)
            reads = self._first_reads(link) | self._entering(link, suffix, solved)
            for k, child in enumerate(link.children[1:], start=2):
                reads |= {f"{x}_I{k}": Ref(f"{x}{suffix}", child) for x in "mq"}
                reads[f"rK{k}"] = Ref(f"rK{k}", link.name)
            for k, side in enumerate(sides, start=1):
                at = self._still() if not solved else self._at(side.name, "z")
                reads |= {f"{x}_C{k}": at[x] for x in "mq"}
            reads |= {name: Ref(name, link.name) for name in ("rIO", "gO", "fq", "fm")}
            wanted = [f"Hs{freedom}"] * bool(freedom and solved) + ["dh"] * apart
            reads |= self.form.hinged(link, "gs", *wanted)
            if solved:
                names = self.form.names(link)
                reads |= {f"u_{j}": Ref("unknown", x) for j, x in enumerate(names, start=1)}
            writes = {f"{x}h": Ref(f"{x}{suffix}", link.name) for x in "amq"}
            writes |= {f"{x}O": Ref(f"{x}o{suffix}", link.name) for x in "amq"}
            yield Call(kernel, link.name, reads, writes)

    def _known_starts(self, link: Link, sides: Iterable[Side]) -> Iterable[Call]:
        if not link.children:
            tip = self.numbering.tip(link)
            kernel = kernels.tip_state(self.dimension)
            yield Call(kernel, tip, self._unknowns(tip), {"a": Ref("az", tip)})
        for side in sides:
            kernel = kernels.cut_state(self.dimension, side.size)
            reads: Reads = {f"Ec{side.size}": Ref(f"Ec{side.size}", side.name)}
            writes = {name: Ref(f"{name}z", side.name) for name in "mq"}
            yield Call(kernel, side.name, reads | self._unknowns(side.name), writes)

    def _unknowns(self, state: str) -> Reads:
        columns = range(*self.numbering.spans[state])
        names = [self.numbering.unknowns[column] for column in columns]
        return {f"x_{j}": Ref("unknown", name) for j, name in enumerate(names, start=1)}

    def _still(self) -> Reads:
        sizes = {"a": self.space.motion, "m": self.space.spins, "q": self.dimension}
        return {name: sp.zeros(size, 1) for name, size in sizes.items()}

    def _at(self, state: str, suffix: str) -> Reads:
        return {name: Ref(f"{name}{suffix}", state) for name in "amq"}

    def _entering(self, link: Link, suffix: str, solved: bool) -> Reads:
        """The state at the first input."""
        if link.children:
            return self._at(link.children[0], suffix)
        tip = {"a": Ref("az", self.numbering.tip(link))} if solved else {}
        return self._still() | tip

    def rights(self) -> Iterable[Call]:
        """The right-hand side of every row."""
        numbering, d = self.numbering, self.dimension
        for link in self.plan.links:
            at, freedom = self._at(link.name, "k"), self.form.freedom(link)
            if freedom:
                force = self.form.force(link)
                kernel = rowkernels.own_right(d, freedom, bool(force))
                reads = {"m": at["m"], "q": at["q"], **force}
                reads |= self.form.hinged(link, f"Hs{freedom}")
                yield _right(kernel, link.name, reads, numbering.own_rows(link))
            entering = self._entering(link, "k", False)["a"]
            for k, child in enumerate(link.children[1:], start=2):
                reads = {"a": entering, "a_k": Ref("ak", child)}
                reads |= {x: Ref(f"{x}{k}", link.name) for x in ("rK", "gK")}
                rows = numbering.geometric_rows(child)
                yield _right(rowkernels.geometric_right(d), link.name, reads, rows)
            if link.parent is None:
                yield _right(rowkernels.main_right(d), link.name, at, numbering.main_rows(link))
        for sides in numbering.cuts:
            for side in sides:
                reads = {"E": Ref(f"Ec{side.size}", side.name), "a": Ref("aok", side.body)}
                kernel = rowkernels.condition_right(d, side.size)
                yield _right(kernel, side.name, reads, side.rows)
            first = sides[0]
            reads = {"bias": Ref(f"bias{first.size}", first.hinge)}
            kernel = rowkernels.pair_right(first.size)
            yield _right(kernel, first.hinge, reads, first.paired("acceleration"))

    def results(self) -> Iterable[Call]:
        """The accelerations, and the multipliers of the cuts."""
        for link in self.plan.links:
            names = self.form.names(link)
            if self.plan.model.absolute:
                kernel = kernels.spin_rate(self.dimension)
                reads = {"a": Ref("az", self.numbering.source(link))}
                turned = self.form.turned(link) if self.dimension == 3 else {}
                yield Call(kernel, link.name, reads | turned, {"rate": Ref("a", link.name)})
            elif names:
                yield _copied(link.name, names, "a", names)
        for side, *_ in self.numbering.cuts:
            yield _copied(side.hinge, side.multipliers, "mu", side.conditions)

    def loads(self) -> Iterable[Call]:
        kernel = kernels.load(self.dimension)
        for link in self.plan.links:
            reads: Reads = {name: Ref(f"{name}oz", link.name) for name in "mq"}
            load = Ref("loads", f"{link.name}:{link.output}")
            yield Call(kernel, link.name, reads, {"load": load})

    def shown(self) -> Iterable[Call]:
        """The overall equation as results."""
        size = len(self.numbering.unknowns)
        for row in self.numbering.rows:
            reads: Reads = {"x": Ref("matrix", row, THIS)}
            writes = {"y": Ref("U_all", row, THIS)}
            yield Call(rowkernels.shown("matrix"), row, reads, writes, (0, size))
        for row in self.numbering.rows:
            reads = {"x": Ref("right", row)}
            yield Call(rowkernels.shown("right"), row, reads, {"y": Ref("r_all", row)})


def _same(kernel: Kernel, member: str) -> dict[str, Ref]:
    return {port.name: Ref(port.name, member) for port in kernel.outputs}


def _right(kernel: Kernel, member: str, reads: Reads, rows: tuple[str, ...]) -> Call:
    writes = {f"b_{j}": Ref("right", row) for j, row in enumerate(rows, start=1)}
    return Call(kernel, member, reads, writes)


def _copied(member: str, unknowns: tuple[str, ...], array: str, members: tuple[str, ...]) -> Call:
    reads: Reads = {f"x_{j}": Ref("unknown", name) for j, name in enumerate(unknowns, start=1)}
    writes = {f"{array}_{j}": Ref(array, name) for j, name in enumerate(members, start=1)}
    return Call(rowkernels.copied(len(unknowns), array), member, reads, writes)

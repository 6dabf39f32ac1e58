"""The calls of the derivatives of inverse dynamics, one step at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from ...language.program import Array, Call, Kernel, Port, Ref, Storage
from ...language.tangent import Binding, Tangents
from ...plans.plan import Link, Plan
from ...tree.writer import index_sets
from ..inverse.body_fixed import InverseWriter
from . import factor_kernels, kernels
from .tangents import Columns, derivative

#: The right-hand sides M⁻¹ is applied to: rows of speeds, columns of directions.
RHS = "R"

#: Those of them that are found row by row, for each direction.
TRANSPOSED = "Rt"

#: What of a hinge and its link is at rest while accelerations are added.
AT_REST = ("w", "wp", "vr", "wr", "br", "bw")


class DerivativeWriter(InverseWriter):
    """Collects the calls of the program, in the order of the rows of M: tips first."""

    def __init__(self, plan: Plan, tangents: Tangents, directions: Columns) -> None:
        super().__init__(plan, loaded=False)
        self.tangents = tangents
        self.directions = directions
        self.number = {name: k for k, name in enumerate(self.model.speeds)}
        self.moving = [link for link in plan.links if self.freedom(link)]
        self.order = [name for link in self.moving for name in self.speeds(link)]
        place = {name: k for k, name in enumerate(self.order)}
        self.beyond: dict[str, list[int]] = {}
        for link in self.moving:
            inner = [p for p in self.paths if p.ancestor is link]
            coupled = [place[name] for p in inner for name in self.speeds(p.link)]
            for k, name in enumerate(self.speeds(link)):
                own = [place[other] for other in self.speeds(link)[:k]]
                self.beyond[name] = sorted((*coupled, *own))
        self.pattern = tuple(tuple(self.beyond[name]) for name in self.order)
        self.factor = factor_kernels.factors(self.pattern)

    def arrays(self) -> Iterator[Array]:
        """The arrays that inverse dynamics does not have."""
        d, s, n = self.dimension, self.space.spins, self.space.motion

        def work(name: str, rows: int = 1, cols: int = 1, index_set: str = "links") -> Array:
            return Array(name, index_set, Port(name, rows, cols))

        yield Array("tau", "speeds", Port("tau"), Storage.ARGUMENT, "tau")
        yield Array("a", "speeds", Port("a"), Storage.RESULT, "a")
        yield work("bias", index_set="speeds")
        yield work("need", index_set="speeds")
        for name in ("accd", "acca", "lamd", "lama", "ltd"):
            yield work(name, n)
        yield work("Bd", d, d)
        for stage in "ct":
            yield work(f"m{stage}")
            yield work(f"h{stage}", d)
            yield work(f"P{stage}", d)
            shape = (1, 1) if d == 2 else (3, 3)
            yield Array(f"S{stage}", "links", Port(f"S{stage}", *shape, symmetric=d == 3))
            yield work(f"Q{stage}", *shape)
        for f in self.freedoms():
            for along in "qv":
                yield work(f"W{along}{f}", s, f)
                yield work(f"A{along}{f}", n, f)
        count = len(self.number)
        yield self._wide("Y", "links", count, n)
        yield self._wide("Z", "links", count, s)
        yield self._wide("L", "links", 2 * count, n)
        yield self._wide("M", "speeds", count)
        yield self._wide(TRANSPOSED, "directions", count)
        yield self._wide(RHS, "rows", self.directions.count)
        yield work("LD", index_set="factors")

    def sets(self) -> dict[str, tuple[str, ...]]:
        return {
            "directions": tuple(str(c) for c in range(self.directions.count)),
            "factors": tuple(port.name for port in self.factor.outputs),
            "rows": tuple(map(str, self.number.values())),
        }

    def _wide(self, name: str, index_set: str, columns: int, rows: int = 1) -> Array:
        sets = {**index_sets(self), **self.sets()}
        wide = tuple((0, columns) for _ in sets[index_set])
        return Array(name, index_set, Port(name, rows), columns=wide)

    def biased(self) -> Iterator[Call]:
        """Inverse dynamics without accelerations of the hinges."""
        still: Mapping[str, Binding] = {f"ad_{j}": sp.zeros(1, 1) for j in range(1, 7)}
        for call in (*self.carried(), *self.wrenches(), *self.required()):
            if any(ref.array == "drive" for ref in call.writes.values()):
                continue
            reads = {n: still.get(n, x) for n, x in call.reads.items()}
            writes = {
                n: replace(ref, array="bias") if ref.array == "tau" else ref
                for n, ref in call.writes.items()
            }
            yield replace(call, reads=reads, writes=writes)

    def needed(self) -> Iterator[Call]:
        """What all accelerations need; only its tangents are ever computed."""
        for call in self.required():
            reads = {n: _with_accelerations(x) for n, x in call.reads.items()}
            writes = {n: replace(ref, array="need") for n, ref in call.writes.items()}
            if not any(ref.array == "drive" for ref in call.writes.values()):
                yield replace(call, reads=reads, writes=writes)

    def adding(self) -> Iterator[Call]:
        """What the accelerations of the hinges add, outwards and inwards, and the sums."""
        n = self.space.motion
        for call in (*self.carried(), *self.wrenches()):
            reads = {name: self._more(name, x) for name, x in call.reads.items()}
            yield replace(call, reads=reads, writes={k: _more(r) for k, r in call.writes.items()})
            for ref in call.writes.values():
                if ref.array in ("acc", "lam"):
                    both: dict[str, Binding] = {"bias": ref, "more": _more(ref)}
                    total = {"total": replace(ref, array=f"{ref.array}a")}
                    yield Call(kernels.added(n), call.member, both, total)

    def _more(self, name: str, binding: Binding) -> Binding:
        if isinstance(binding, Ref):
            if binding.array == "ad":
                return replace(binding, array="a")
            shape = self.ground_shapes.get(binding.array)
            if name in AT_REST or shape:
                return sp.zeros(*(shape or self._shape(name)))
            return _more(binding)
        return sp.zeros(*binding.shape) if name in ("ap", "Bp") else binding

    @property
    def ground_shapes(self) -> dict[str, tuple[int, int]]:
        return {array.name: (array.port.rows, array.port.cols) for array in self.ground.arrays()}

    def _shape(self, name: str) -> tuple[int, int]:
        return (self.dimension if name in ("vr", "br") else self.space.spins), 1

    def gathered(self) -> Iterator[Call]:
        """Moments of mass, inwards."""
        move = kernels.moved_moments(self.dimension)
        for link in self.plan.links:
            kernel = kernels.moments(self.dimension, len(link.inputs))
            data = self.data[link.name]
            reads = self.own(link, "w") | {
                "m": data.mass,
                "h": data.first,
                "S": kernels.second_moments(self.dimension, data.inertia),
            }
            for k, child in enumerate(link.children, 1):
                reads |= {f"{x}t_I{k}": Ref(f"{x}t", child) for x in "mhSPQ"}
            yield self._call(kernel, link, reads)
            if link.parent is not None:
                yield self._call(move, link, {"wp": self.of_parent("w", link)})

    def demands(self) -> Iterator[Call]:
        """Every hinge's rows at the hinge itself."""
        for link in self.moving:
            speeds, rotor = self.speeds(link), self.resisting(link)
            kernel = kernels.demand(self.dimension, len(speeds), bool(rotor))
            entries = {
                f"M_{i}_{j}": Ref("M", row, self.number[col])
                for i, row in enumerate(speeds, 1)
                for j, col in enumerate(speeds, 1)
            }
            for j, name in enumerate(speeds, 1):
                entries |= {f"{x}_{j}": Ref(x, link.name, self.number[name]) for x in "YZ"}
            yield self._call(kernel, link, rotor, entries)

    def varied(self) -> Iterator[Call]:
        """Every hinge's columns at the hinge itself."""
        for link in self.moving:
            for along in "qv":
                yield self._varied(link, self.speeds(link), along)

    def _varied(self, link: Link, speeds: tuple[str, ...], along: str) -> Call:
        f = len(speeds)
        active: list[frozenset[str]] = []
        reads: dict[str, Binding] = {}
        law = False
        for j, name in enumerate(speeds, 1):
            column = self._columns(along)[self.number[name]]
            found: dict[str, Binding] = {}
            for array in ("vr", "wr", "br", "bw", f"H{f}", f"T{f}"):
                value = self.tangents.active.get(Ref(array, link.name), {}).get(column)
                if value is not None:
                    found[array.rstrip("123456")] = value
            names = kernels.RELATIVE if along == "q" else ("br", "bw")
            active.append(frozenset(found) & set(names))
            reads |= {f"d_{x}_{j}": found[x] for x in active[-1]}
            law = law or "T" in found
            reads[f"dT_{j}"] = found.get("T", sp.zeros(f, 1))
        kernel = kernels.varied(self.dimension, f, along, tuple(active), law)
        reads |= {f"a_{j}": Ref("a", name) for j, name in enumerate(speeds, 1)}
        reads |= {"acc": Ref("acca", link.name), "lam": Ref("lama", link.name)}
        columns = [self._columns(along)[self.number[name]] for name in speeds]
        entries = {f"L_{j}": Ref("L", link.name, c) for j, c in enumerate(columns, 1)}
        for i, row in enumerate(speeds, 1):
            for j, c in enumerate(columns, 1):
                entries[f"R_{i}_{j}"] = Ref(RHS, str(self.number[row]), c)
        return self._call(kernel, link, reads, entries)

    def rows(self) -> Iterator[Call]:
        """Every row moved to all hinges inside it."""
        for below, beyond in self.steps_inwards():
            ancestor = self.plan.link(below.parent or "")
            kernel = kernels.row_inwards(self.dimension, self.freedom(ancestor))
            for name in beyond:
                column = self.number[name]
                entries = {
                    f"M_{i}": Ref("M", other, column)
                    for i, other in enumerate(self.speeds(ancestor), 1)
                }
                yield self._inwards(kernel, below, ancestor, column, entries)

    def columns_inwards(self) -> Iterator[Call]:
        """Every column moved to all hinges inside it."""
        for below, beyond in self.steps_inwards():
            ancestor = self.plan.link(below.parent or "")
            kernel = kernels.column_inwards(self.dimension, self.freedom(ancestor))
            for along in "qv":
                for name in beyond:
                    column = self._columns(along)[self.number[name]]
                    entries = {
                        f"R_{i}": Ref(RHS, str(self.number[other]), column)
                        for i, other in enumerate(self.speeds(ancestor), 1)
                    }
                    yield self._inwards(kernel, below, ancestor, column, entries)

    def steps_inwards(self) -> Iterator[tuple[Link, list[str]]]:
        """Every link that hangs on another, and the speeds of it and all beyond it, in order."""
        for link in self.plan.links:
            if link.parent is not None:
                beyond = [x for x in self.moving if link.name in self.plan.way(x.name)]
                names = [name for each in beyond for name in self.speeds(each)]
                yield link, sorted(names, key=self.number.__getitem__)

    def _inwards(
        self, kernel: Kernel, below: Link, ancestor: Link, column: int, entries: Mapping[str, Ref]
    ) -> Call:
        """A call at a link, of what is moved there from the link below it."""
        known: dict[str, Binding] = dict(self.own(below, "C", "r"))
        known["Hp"] = Ref(f"H{self.freedom(ancestor)}", ancestor.name)
        known |= {f"{x}b": Ref(x, below.name, column) for x in CARRIED}
        places = {x: Ref(x, ancestor.name, column) for x in CARRIED}
        return Call(
            kernel,
            f"{below.name} to {ancestor.name}",
            {port.name: known[port.name] for port in kernel.inputs},
            {port.name: {**places, **entries}[port.name] for port in kernel.outputs},
        )

    def row_entries(self) -> Iterator[Call]:
        """What every hinge's force feels of the directions of all hinges inside it."""
        for below, beyond in self.steps_inwards():
            ancestor = self.plan.link(below.parent or "")
            g = self.freedom(ancestor)
            for along in "qv" if g else "":
                kernel = kernels.row_entries(self.dimension, g, along)
                directions = [self._columns(along)[self.number[x]] for x in self.speeds(ancestor)]
                for name in beyond:
                    row = self.number[name]
                    reads: dict[str, Binding] = {x: Ref(x, ancestor.name, row) for x in "YZ"}
                    reads |= self.own(ancestor, f"A{along}{g}", f"W{along}{g}")
                    writes = {
                        f"R_{i}": Ref(TRANSPOSED, str(c), row) for i, c in enumerate(directions, 1)
                    }
                    yield Call(kernel, ancestor.name, reads, writes)

    def transposed(self, calls: Iterable[Call]) -> Iterator[Call]:
        for call in calls:
            for ref in call.writes.values():
                there = Ref(RHS, str(ref.column), int(ref.member))
                yield Call(kernels.transposed(), "R", {"given": ref}, {"value": there})

    def factored(self) -> Iterator[Call]:
        kernel = self.factor
        reads: dict[str, Binding] = {}
        for i, row in enumerate(self.pattern):
            for j in (*row, i):
                column = self.number[self.order[j]]
                reads[f"M_{i + 1}_{j + 1}"] = Ref("M", self.order[i], column)
        yield Call(kernel, "M", reads, {p.name: Ref("LD", p.name) for p in kernel.outputs})

    def accelerations(self) -> Iterator[Call]:
        kernel = factor_kernels.substitution(self.pattern, biased=True)
        reads: dict[str, Binding] = {}
        for i, name in enumerate(self.order, 1):
            reads |= {f"b_{i}": Ref("tau", name), f"bias_{i}": Ref("bias", name)}
        yield self._solved(
            kernel, reads, {f"x_{i}": Ref("a", n) for i, n in enumerate(self.order, 1)}
        )

    def solved(self) -> Iterator[Call]:
        kernel = factor_kernels.substitution(self.pattern, biased=False)
        rows = [self.number[name] for name in self.order]
        for column in range(self.directions.count):
            reads: dict[str, Binding] = {
                f"b_{i}": Ref(RHS, str(r), column) for i, r in enumerate(rows, 1)
            }
            writes = {f"x_{i}": derivative(r, column) for i, r in enumerate(rows, 1)}
            yield self._solved(kernel, reads, writes)

    def _solved(self, kernel: Kernel, reads: dict[str, Binding], writes: dict[str, Ref]) -> Call:
        known = reads | {p.name: Ref("LD", p.name) for p in kernel.inputs if p.name not in reads}
        return Call(kernel, "M", known, writes)

    def filled(self, written: Iterable[Ref]) -> Iterator[Call]:
        """The right-hand sides' entries that nothing else gives: of τ 1, of others 0."""
        known = set(written)
        for name, row in self.number.items():
            for column in range(self.directions.count):
                ref = Ref(RHS, str(row), column)
                if ref not in known:
                    kernel = kernels.constant(int(column == self.directions.of(2)[row]))
                    yield Call(kernel, name, {}, {"value": ref})

    def by_parameters(self, calls: Iterable[Call]) -> Iterator[Call]:
        """The derivatives of inverse dynamics at given accelerations along the parameters."""
        tangents = Tangents(parameters=self.directions.parameter())
        for call in (*calls, *self.needed()):
            yield from tangents.of(call)
        for name, row in self.number.items():
            for column, value in tangents.active.get(Ref("need", name), {}).items():
                yield Call(
                    kernels.needed(), name, {"given": value}, {"value": Ref(RHS, str(row), column)}
                )

    def _columns(self, along: str) -> range:
        return self.directions.of("qv".index(along))

    def _call(
        self,
        kernel: Kernel,
        link: Link,
        reads: Mapping[str, Binding],
        entries: Mapping[str, Ref] | None = None,
    ) -> Call:
        """A call at a link: what is not said is the link's own."""
        known = {p.name: reads.get(p.name, Ref(p.name, link.name)) for p in kernel.inputs}
        own = {p.name: Ref(p.name, link.name) for p in kernel.outputs}
        writes = {name: (entries or {}).get(name, ref) for name, ref in own.items()}
        return Call(kernel, link.name, known, writes)


#: What is moved inwards: wrenches of unit accelerations, what rows feel, columns.
CARRIED = ("Y", "Z", "L")


def _with_accelerations(binding: Binding) -> Binding:
    names = {"ad": "a", "lam": "lama"}
    if isinstance(binding, Ref) and binding.array in names:
        return replace(binding, array=names[binding.array])
    return binding


def _more(ref: Ref) -> Ref:
    """Where the part lies that accelerations of the hinges add."""
    return replace(ref, array=f"{ref.array}d") if ref.array in ("acc", "B", "lam", "lt") else ref

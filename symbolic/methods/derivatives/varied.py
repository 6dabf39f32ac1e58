"""What the derivatives of inverse dynamics are made of, hinge by hinge and column by column.

The rows of M and of all that is solved for are in the order of the sweep: tips first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product

import sympy as sp

from ...language.program import Array, Call, Kernel, Port, Program, Ref, given, result
from ...language.tangent import Binding, Tangents
from ...plans.plan import Link, Plan
from ...tree.joint import Joint
from ...tree.mass_matrix import moving, paths
from . import factor_kernels, kernels
from .tangents import Columns, derivative

#: The right-hand sides M⁻¹ is applied to: rows of speeds, columns of directions.
RHS = "R"

#: Those of them that are found row by row, for each direction.
TRANSPOSED = "Rt"

#: What is moved inwards: wrenches of unit accelerations, what rows feel, columns.
CARRIED = ("Y", "Z", "L")

#: What of a hinge and its link is at rest while accelerations are added.
AT_REST = ("w", "wp", "vr", "wr", "br", "bw")


class Varied(Joint):
    """The links of a tree with what varies of them along every direction.

    `recursion` are the calls of inverse dynamics outwards, inwards and in the hinges.
    """

    def __init__(self, plan: Plan, program: Program, columns: Columns, tangents: Tangents) -> None:
        super().__init__(plan, forced=False)
        self.recursion = tuple(
            tuple(program.step(x).calls) for x in ("outward", "inward", "needed")
        )
        self.directions, self.tangents = columns, tangents
        self.number = {name: k for k, name in enumerate(self.model.speeds)}
        self.moving = moving(self)
        self.order = [name for link in self.moving for name in self.speeds(link)]
        self.sets |= {
            "directions": tuple(str(c) for c in range(columns.count)),
            "rows": tuple(map(str, self.number.values())),
            "factors": tuple(port.name for port in self.factor.outputs),
        }

    @cached_property
    def pattern(self) -> tuple[tuple[int, ...], ...]:
        """For each row the earlier ones that it is coupled with."""
        place = {name: k for k, name in enumerate(self.order)}
        coupled: dict[str, list[int]] = {name: [] for name in self.order}
        for path in paths(self):
            for name in self.speeds(path.ancestor):
                coupled[name] += (place[other] for other in self.speeds(path.link))
        for link in self.moving:
            for k, name in enumerate(self.speeds(link)):
                coupled[name] += (place[other] for other in self.speeds(link)[:k])
        return tuple(tuple(sorted(coupled[name])) for name in self.order)

    @cached_property
    def factor(self) -> Kernel:
        """M as L D Lᵀ."""
        return factor_kernels.factors.of(dimension=self.dimension, pattern=self.pattern)

    def arrays(self) -> Iterator[Array]:
        """The arrays that have columns, and those over other sets than links."""
        n, count = self.space.motion, len(self.number)
        yield given("tau", "speeds")
        yield result("a", "speeds")
        yield Array("bias", "speeds", Port("bias"))
        yield Array("need", "speeds", Port("need"))
        yield Array("LD", "factors", Port("LD"))
        yield self._wide("Y", "links", count, n)
        yield self._wide("Z", "links", count, self.space.spins)
        yield self._wide("L", "links", 2 * count, n)
        yield self._wide("M", "speeds", count)
        yield self._wide(TRANSPOSED, "directions", count)
        yield self._wide(RHS, "rows", self.directions.count)

    def _wide(self, name: str, index_set: str, columns: int, rows: int = 1) -> Array:
        wide = ((0, columns),) * len(self.sets[index_set])
        return Array(name, index_set, Port(name, rows), columns=wide)

    # Inverse dynamics without and with the accelerations of the hinges

    def biased(self) -> Iterator[Call]:
        """Inverse dynamics without accelerations of the hinges."""
        for call in (call for calls in self.recursion for call in calls):
            if not drives(call):
                still = {n: sp.zeros(1, 1) for n in call.reads if n.startswith("ad_")}
                yield renamed(replace(call, reads={**call.reads, **still}), {"tau": "bias"})

    def needed(self) -> Iterator[Call]:
        """What all accelerations need; only its tangents are ever computed."""
        names = {"ad": "a", "lam": "lama", "tau": "need"}
        return (renamed(call, names) for call in self.recursion[2] if not drives(call))

    def adding(self) -> Iterator[Call]:
        """What the accelerations of the hinges add, outwards and inwards, and the sums."""
        kernel = kernels.added.of(dimension=self.dimension)
        for call in (*self.recursion[0], *self.recursion[1]):
            reads = {name: self._more(name, x) for name, x in call.reads.items()}
            yield replace(call, reads=reads, writes={k: _more(r) for k, r in call.writes.items()})
            for ref in call.writes.values():
                if ref.array in ("acc", "lam"):
                    both = {"bias": ref, "more": _more(ref)}
                    yield Call(
                        kernel, call.member, both, {"total": replace(ref, array=f"{ref.array}a")}
                    )

    def _more(self, name: str, binding: Binding) -> Binding:
        if isinstance(binding, Ref):
            if binding.array == "ad":
                return replace(binding, array="a")
            shape = self.ground_shapes.get(binding.array)
            if name in AT_REST or shape:
                return sp.zeros(*(shape or self._shape(name)))
            return _more(binding)
        return sp.zeros(*binding.shape) if name in ("ap", "Bp") else binding

    @cached_property
    def ground_shapes(self) -> dict[str, tuple[int, int]]:
        """The shapes of what is known of a moving ground."""
        return {array.name: (array.port.rows, array.port.cols) for array in self.ground.arrays()}

    def _shape(self, name: str) -> tuple[int, int]:
        return (self.dimension if name in ("vr", "br") else self.space.spins), 1

    # Rows and columns, hinge by hinge and then inwards

    def demands(self) -> Iterator[Call]:
        """Every hinge's rows at the hinge itself."""
        for link in self.moving:
            speeds = self.speeds(link)
            kernel = kernels.demand.at(self, link)
            numbers = [self.number[name] for name in speeds]
            places = entries("M", [[Ref("M", row, c) for c in numbers] for row in speeds])
            for name in "YZ":
                places |= entries(name, [Ref(name, link.name, c) for c in numbers])
            yield self.call(kernel, link, {}, places)

    def varied(self) -> Iterator[Call]:
        """Every hinge's columns at the hinge itself."""
        for link in self.moving:
            for along in "qv":
                yield self._varied(link, along)

    def _varied(self, link: Link, along: str) -> Call:
        speeds, f = self.speeds(link), self.freedom(link)
        columns = [self.column(along, name) for name in speeds]
        names = kernels.RELATIVE if along == "q" else ("br", "bw")
        active: list[frozenset[str]] = []
        reads: dict[str, Binding] = {}
        law = False
        for j, column in enumerate(columns, 1):
            found = self._tangents(link, column)
            active.append(frozenset(found) & set(names))
            reads |= {f"d_{x}_{j}": found[x] for x in active[-1]}
            law = law or "T" in found
            reads[f"dT_{j}"] = found.get("T", sp.zeros(f, 1))
        kernel = kernels.varied.at(self, link, along=along, active=tuple(active), law=law)
        reads |= {"acc": Ref("acca", link.name), "lam": Ref("lama", link.name)}
        places = entries("L", [Ref("L", link.name, c) for c in columns])
        places |= entries("R", [[self.right(row, c) for c in columns] for row in speeds])
        return self.call(kernel, link, reads, places)

    def _tangents(self, link: Link, column: int) -> dict[str, Binding]:
        """How a hinge's motion and force vary along a direction, as far as they do."""
        f = self.freedom(link)
        arrays = {**{name: name for name in kernels.RELATIVE}, "H": f"H{f}", "T": f"T{f}"}
        found = {
            name: self.tangents.active.get(Ref(array, link.name), {}).get(column)
            for name, array in arrays.items()
        }
        return {name: value for name, value in found.items() if value is not None}

    def column(self, along: str, name: str) -> int:
        """The direction of a speed's coordinate (`q`) or of the speed itself (`v`)."""
        return self.directions.of("qv".index(along))[self.number[name]]

    def right(self, name: str, column: int) -> Ref:
        """A right-hand side's entry: a speed's row, a direction's column."""
        return Ref(RHS, str(self.number[name]), column)

    def rows(self) -> Iterator[Call]:
        """Every row moved to all hinges inside it."""
        for below, ancestor, beyond in self.inwards():
            kernel = kernels.row_inwards.at(self, ancestor)
            for name in beyond:
                column = self.number[name]
                places = entries("M", [Ref("M", x, column) for x in self.speeds(ancestor)])
                yield self._inwards(kernel, below, ancestor, column, places)

    def columns(self) -> Iterator[Call]:
        """Every column moved to all hinges inside it."""
        for below, ancestor, beyond in self.inwards():
            kernel = kernels.column_inwards.at(self, ancestor)
            for along, name in product("qv", beyond):
                column = self.column(along, name)
                places = entries("R", [self.right(x, column) for x in self.speeds(ancestor)])
                yield self._inwards(kernel, below, ancestor, column, places)

    def inwards(self) -> Iterator[tuple[Link, Link, list[str]]]:
        """Every link that hangs on another, that one, and the speeds beyond it, in order."""
        beyond: dict[str, set[str]] = {link.name: set() for link in self.links}
        for link in self.moving:
            for name in self.plan.way(link.name):
                beyond[name].update(self.speeds(link))
        for link in self.links:
            if link.parent is not None:
                speeds = sorted(beyond[link.name], key=self.number.__getitem__)
                yield link, self.plan.link(link.parent), speeds

    def _inwards(
        self, kernel: Kernel, below: Link, ancestor: Link, column: int, entries: Mapping[str, Ref]
    ) -> Call:
        """A call at a link, of what is moved there from the link below it."""
        reads: dict[str, Binding] = {f"{x}b": Ref(x, below.name, column) for x in CARRIED}
        reads["Hp"] = Ref(f"H{self.freedom(ancestor)}", ancestor.name)
        places = {x: Ref(x, ancestor.name, column) for x in CARRIED}
        found = self.call(kernel, below, reads, {**places, **entries})
        return replace(found, member=f"{below.name} to {ancestor.name}")

    def row_entries(self) -> Iterator[Call]:
        """What every hinge's force feels of the directions of all hinges inside it."""
        for _, ancestor, beyond in self.inwards():
            g = self.freedom(ancestor)
            for along, name in product("qv" if g else "", beyond):
                row = self.number[name]
                columns = [self.column(along, x) for x in self.speeds(ancestor)]
                places = entries("R", [Ref(TRANSPOSED, str(c), row) for c in columns])
                reads: dict[str, Binding] = {x: Ref(x, ancestor.name, row) for x in "YZ"}
                kernel = kernels.row_entries.at(self, ancestor, along=along)
                yield self.call(kernel, ancestor, reads, places)

    # The system

    def transposed(self, calls: Iterable[Call]) -> Iterator[Call]:
        """What calls found row by row, where its row is."""
        for call in calls:
            for ref in call.writes.values():
                there = Ref(RHS, str(ref.column), int(ref.member))
                yield Call(
                    kernels.transposed.of(dimension=self.dimension),
                    "R",
                    {"given": ref},
                    {"value": there},
                )

    def factored(self) -> Iterator[Call]:
        """M as L D Lᵀ."""
        reads = {
            f"M_{i + 1}_{j + 1}": Ref("M", self.order[i], self.number[self.order[j]])
            for i, row in enumerate(self.pattern)
            for j in (*row, i)
        }
        writes = {port.name: Ref("LD", port.name) for port in self.factor.outputs}
        yield Call(self.factor, "M", reads, writes)

    def accelerations(self) -> Iterator[Call]:
        """The accelerations of the hinges."""
        reads = entries("b", [Ref("tau", name) for name in self.order])
        reads |= entries("bias", [Ref("bias", name) for name in self.order])
        yield self.substituted(True, reads, [Ref("a", name) for name in self.order])

    def solved(self) -> Iterator[Call]:
        """The derivatives of the accelerations, direction by direction."""
        for column in range(self.directions.count):
            reads = entries("b", [self.right(name, column) for name in self.order])
            found = [derivative(self.number[name], column) for name in self.order]
            yield self.substituted(False, reads, found)

    def substituted(self, biased: bool, reads: dict[str, Ref], found: list[Ref]) -> Call:
        kernel = factor_kernels.substitution.of(
            dimension=self.dimension, pattern=self.pattern, biased=biased
        )
        known = {p.name: reads.get(p.name, Ref("LD", p.name)) for p in kernel.inputs}
        return Call(kernel, "M", known, entries("x", found))

    def by_parameters(self, calls: Iterable[Call]) -> Iterator[Call]:
        """The derivatives of inverse dynamics at given accelerations along the parameters."""
        tangents = Tangents(parameters=self.directions.parameter())
        for call in (*calls, *self.needed()):
            yield from tangents.of(call)
        for name in self.number:
            for column, value in tangents.active.get(Ref("need", name), {}).items():
                writes = {"value": self.right(name, column)}
                yield Call(
                    kernels.needed.of(dimension=self.dimension), name, {"given": value}, writes
                )

    def filled(self, written: Iterable[Call]) -> Iterator[Call]:
        """The right-hand sides' entries that these calls do not give: of τ 1, of others 0."""
        given = {ref for call in written for ref in call.writes.values()}
        for name, row in self.number.items():
            for column in range(self.directions.count):
                ref = self.right(name, column)
                if ref not in given:
                    known = int(column == self.directions.of(2)[row])
                    kernel = kernels.constant.of(dimension=self.dimension, known=known)
                    yield Call(kernel, name, {}, {"value": ref})


def entries(port: str, refs: Sequence[Ref | Sequence[Ref]]) -> dict[str, Ref]:
    """Places by the names of a port's entries, of a column or of a matrix."""
    found: dict[str, Ref] = {}
    for i, ref in enumerate(refs, 1):
        found |= {f"{port}_{i}": ref} if isinstance(ref, Ref) else entries(f"{port}_{i}", ref)
    return found


def drives(call: Call) -> bool:
    """Does a call say what drives a hinge?"""
    return any(ref.array == "drive" for ref in call.writes.values())


def renamed(call: Call, arrays: Mapping[str, str]) -> Call:
    """A call with other arrays in the place of these."""

    def other(ref: Ref) -> Ref:
        return replace(ref, array=arrays.get(ref.array, ref.array))

    reads = {name: other(x) if isinstance(x, Ref) else x for name, x in call.reads.items()}
    return replace(call, reads=reads, writes={n: other(x) for n, x in call.writes.items()})


def _more(ref: Ref) -> Ref:
    """Where the part lies that accelerations of the hinges add."""
    return replace(ref, array=f"{ref.array}d") if ref.array in ("acc", "B", "lam", "lt") else ref

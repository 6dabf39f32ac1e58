"""What the derivatives of inverse dynamics are made of, hinge by hinge and column by column.

The rows of M and of all that is solved for are in the order of the sweep: tips first.

Of hinges that share a coordinate each has a direction of its own, as far as rows and columns are
moved: those of hinges that follow come after all others. What the shared coordinate has of M and
of the right-hand sides is the sum over its hinges, Tᵀ M T and Tᵀ R T; the ratios are in the hinges'
H, so that T is of zeros and ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations_with_replacement, product

import sympy as sp

from ...language.program import Array, Call, Kernel, Port, Program, Ref, given, result
from ...language.tangent import Binding, Tangents
from ...plans.plan import Link, Plan
from ...sharing.sums import sum_of
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

#: What the names of arrays end with that hold what single hinges have of shared coordinates.
OF_HINGES = "_of"

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
        self.recursion = (*self.recursion[:2], (*self.recursion[2], *_shares(program)))
        self.directions, self.tangents = columns, tangents
        self.moving = moving(self)
        #: By the own speeds of hinges, see `own`, those that they are or share.
        self.led = {
            name: led
            for link in self.moving
            for name, led in zip(self.own(link), self.speeds(link), strict=True)
        }
        following = [name for name, led in self.led.items() if name != led]
        self.number = {name: k for k, name in enumerate((*self.model.speeds, *following))}
        #: By the speeds that several hinges share these hinges' own ones.
        self.groups = {
            led: [name for name in self.led if self.led[name] == led]
            for led in dict.fromkeys(self.led[name] for name in following)
        }
        last = {name: k for k, name in enumerate(self.led.values())}
        self.order = sorted(last, key=last.__getitem__)
        self.sets |= {
            "directions": tuple(str(c) for c in range(columns.count + 2 * len(following))),
            "rows": tuple(str(self.number[name]) for name in self.model.speeds),
            "hinge speeds": tuple(self.number),
            "factors": tuple(port.name for port in self.factor.outputs),
        }

    def own(self, link: Link) -> tuple[str, ...]:
        """The names of the speeds of the link's hinge, its own where it follows another."""
        return (f"u{link.hinge}",) if link.hinge in self.leaders else self.speeds(link)

    @cached_property
    def masses(self) -> dict[tuple[str, str], list[Ref]]:
        """By pairs of speeds what their entry of M is the sum of, the later in the order first."""
        place = {name: k for k, name in enumerate(self.order)}
        found: dict[tuple[str, str], list[Ref]] = {}
        pairs = [
            (inner, outer)
            for link in self.moving
            for outer, inner in combinations_with_replacement(self.own(link), 2)
        ]
        for path in paths(self):
            pairs += product(self.own(path.ancestor), self.own(path.link))
        for inner, outer in pairs:
            both = sorted((self.led[inner], self.led[outer]), key=place.__getitem__)
            twice = inner != outer and both[0] == both[1]
            found.setdefault((both[1], both[0]), []).extend([self.mass(inner, outer)] * (1 + twice))
        return found

    @cached_property
    def pattern(self) -> tuple[tuple[int, ...], ...]:
        """For each row the earlier ones that it is coupled with, at once or by what is filled in.

        Nothing is filled in but where branches share coordinates.
        """
        place = {name: k for k, name in enumerate(self.order)}
        rows: list[set[int]] = [set() for _ in self.order]
        for inner, outer in self.masses:
            rows[place[inner]].add(place[outer])
        for k, row in enumerate(rows):
            row.discard(k)
            beyond = [later for later in range(k, len(rows)) if k in rows[later]]
            for at, later in enumerate(beyond):
                rows[later].update(beyond[:at])
        return tuple(map(tuple, map(sorted, rows)))

    @cached_property
    def factor(self) -> Kernel:
        """M as L D Lᵀ."""
        return factor_kernels.factors.of(dimension=self.dimension, pattern=self.pattern)

    def arrays(self) -> Iterator[Array]:
        """The arrays that have columns, and those over other sets than links."""
        n, count = self.space.motion, len(self.number)
        following = count - len(self.model.speeds)
        columns = self.directions.count + 2 * following if following else 2 * count
        yield given("tau", "speeds")
        yield result("a", "speeds")
        yield Array("bias", "speeds", Port("bias"))
        yield Array("need", "speeds", Port("need"))
        yield Array("LD", "factors", Port("LD"))
        yield self._wide("Y", "links", count, n)
        yield self._wide("Z", "links", count, self.space.spins)
        yield self._wide("L", "links", columns, n)
        yield self._wide("M", "speeds", len(self.model.speeds))
        yield self._wide(TRANSPOSED, "directions", count)
        if following:
            yield self._wide(f"M{OF_HINGES}", "hinge speeds", count)
            yield self._wide(f"{RHS}{OF_HINGES}", "hinge speeds", columns)
            for name in ("bias", "need"):
                yield Array(f"{name}_of", "tau shares", Port(f"{name}_of"))
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
                names = {"tau": "bias", "tau_of": "bias_of"}
                yield renamed(replace(call, reads={**call.reads, **still}), names)

    def needed(self) -> Iterator[Call]:
        """What all accelerations need; only its tangents are ever computed."""
        names = {"ad": "a", "lam": "lama", "tau": "need", "tau_of": "need_of"}
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
            speeds = self.own(link)
            kernel = kernels.demand.at(self, link)
            places = entries("M", [[self.mass(row, name) for name in speeds] for row in speeds])
            for name in "YZ":
                places |= entries(name, [Ref(name, link.name, self.number[x]) for x in speeds])
            yield self.call(kernel, link, {}, places)

    def varied(self) -> Iterator[Call]:
        """Every hinge's columns at the hinge itself."""
        for link in self.moving:
            for along in "qv":
                yield self._varied(link, along)

    def _varied(self, link: Link, along: str) -> Call:
        speeds, f = self.own(link), self.freedom(link)
        columns = [self.column(along, name) for name in speeds]
        names = kernels.RELATIVE if along == "q" else ("br", "bw")
        active: list[frozenset[str]] = []
        reads: dict[str, Binding] = {}
        law = False
        for j, name in enumerate(self.speeds(link), 1):
            found = self._tangents(link, self.column(along, name))
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
        block, number = "qv".index(along), self.number[name]
        if (k := number - len(self.model.speeds)) >= 0:
            return self.directions.count + block * (len(self.number) - len(self.model.speeds)) + k
        return self.directions.of(block)[number]

    def mass(self, row: str, column: str) -> Ref:
        """An entry of M, or what two hinges have of one that is a sum."""
        shared = {self.led[row], self.led[column]} & self.groups.keys()
        return Ref(f"M{OF_HINGES}" if shared else "M", row, self.number[column])

    def right(self, name: str, column: int) -> Ref:
        """A right-hand side's entry, or a part of it: a speed's row, a direction's column."""
        if self.led[name] in self.groups or column in self._shared_columns:
            return Ref(f"{RHS}{OF_HINGES}", name, column)
        return Ref(RHS, str(self.number[name]), column)

    @cached_property
    def _shared_columns(self) -> dict[int, int]:
        """By the columns of hinges that share a coordinate the one that is the coordinate's."""
        return {
            self.column(along, name): self.column(along, led)
            for along, (led, names) in product("qv", self.groups.items())
            for name in names
        }

    def shared_mass(self) -> Iterator[Call]:
        """The entries of M that are sums over hinges."""
        for (row, column), parts in self.masses.items():
            if {row, column} & self.groups.keys():
                yield sum_of(parts, Ref("M", row, self.number[column]))

    def shared_sides(self, calls: Iterable[Call]) -> Iterator[Call]:
        """The right-hand sides' entries that are sums over what these calls found of hinges."""
        parts: dict[Ref, list[Ref]] = {}
        for ref in (ref for call in calls for ref in call.writes.values()):
            if ref.array == f"{RHS}{OF_HINGES}":
                assert ref.column is not None
                row = str(self.number[self.led[ref.member]])
                column = self._shared_columns.get(ref.column, ref.column)
                parts.setdefault(Ref(RHS, row, column), []).append(ref)
        for ref, shares in parts.items():
            yield sum_of(shares, ref)

    def rows(self) -> Iterator[Call]:
        """Every row moved to all hinges inside it."""
        for below, ancestor, beyond in self.inwards():
            kernel = kernels.row_inwards.at(self, ancestor)
            for name in beyond:
                places = entries("M", [self.mass(x, name) for x in self.own(ancestor)])
                yield self._inwards(kernel, below, ancestor, self.number[name], places)

    def columns(self) -> Iterator[Call]:
        """Every column moved to all hinges inside it."""
        for below, ancestor, beyond in self.inwards():
            kernel = kernels.column_inwards.at(self, ancestor)
            for along, name in product("qv", beyond):
                column = self.column(along, name)
                places = entries("R", [self.right(x, column) for x in self.own(ancestor)])
                yield self._inwards(kernel, below, ancestor, column, places)

    def inwards(self) -> Iterator[tuple[Link, Link, list[str]]]:
        """Every link that hangs on another, that one, and the speeds beyond it, in order."""
        beyond: dict[str, set[str]] = {link.name: set() for link in self.links}
        for link in self.moving:
            for name in self.plan.way(link.name):
                beyond[name].update(self.own(link))
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
                columns = [self.column(along, x) for x in self.own(ancestor)]
                places = entries("R", [Ref(TRANSPOSED, str(c), row) for c in columns])
                reads: dict[str, Binding] = {x: Ref(x, ancestor.name, row) for x in "YZ"}
                kernel = kernels.row_entries.at(self, ancestor, along=along)
                yield self.call(kernel, ancestor, reads, places)

    # The system

    def transposed(self, calls: Iterable[Call]) -> Iterator[Call]:
        """What calls found row by row, where its row is."""
        names = tuple(self.number)
        for call in calls:
            for ref in call.writes.values():
                assert isinstance(ref.column, int)
                there = self.right(names[ref.column], int(ref.member))
                yield Call(
                    kernels.transposed.of(dimension=self.dimension),
                    "R",
                    {"given": ref},
                    {"value": there},
                )

    def factored(self) -> Iterator[Call]:
        """M as L D Lᵀ."""
        reads: dict[str, Binding] = {}
        for i, columns in enumerate(self.pattern):
            for j in (*columns, i):
                pair = self.order[i], self.order[j]
                known = Ref("M", pair[0], self.number[pair[1]])
                reads[f"M_{i + 1}_{j + 1}"] = known if pair in self.masses else sp.zeros(1, 1)
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
            reads = entries("b", [Ref(RHS, str(self.number[x]), column) for x in self.order])
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
        for name in self.model.speeds:
            for column, value in tangents.active.get(Ref("need", name), {}).items():
                writes = {"value": Ref(RHS, str(self.number[name]), column)}
                yield Call(
                    kernels.needed.of(dimension=self.dimension), name, {"given": value}, writes
                )

    def filled(self, written: Iterable[Call]) -> Iterator[Call]:
        """The right-hand sides' entries that these calls do not give: of τ 1, of others 0."""
        given = {ref for call in written for ref in call.writes.values()}
        for row, name in enumerate(self.model.speeds):
            for column in range(self.directions.count):
                ref = Ref(RHS, str(row), column)
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


def _shares(program: Program) -> Sequence[Call]:
    """What sums the forces needed in hinges that share a coordinate."""
    found = (step.calls for step in program.steps if step.name == "needed_shared")
    return tuple(next(found, ()))


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

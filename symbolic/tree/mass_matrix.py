"""The mass matrix of a tree, column by column.

The inertias are gathered inwards with every hinge locked; then each hinge's column is moved to
its ancestors, all by one link, then all by another, so that long chains are one loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, product, takewhile
from string import digits

import sympy as sp

from ..language.program import (
    Array,
    Call,
    Kernel,
    Map,
    Port,
    Ref,
    Step,
    Storage,
    Sweep,
    Written,
    result,
)
from ..plans.plan import Link, Plan
from . import inverse_kernels as kernels
from . import recursion_kernels
from .acting import Reads
from .conditions import refuse
from .joint import Joint
from .writer import Writer


@dataclass(frozen=True)
class Path:
    """From a link inwards to an ancestor, `below` being the ancestor's child on the way."""

    link: Link
    below: Link
    ancestor: Link

    @property
    def member(self) -> str:
        """What it is called among index sets."""
        return f"{self.link.name} at {self.ancestor.name}"


def paths(tree: Joint) -> Iterator[Path]:
    """All pairs of a link that moves and an ancestor, near ancestors first."""
    ends = [(link, link) for link in moving(tree)]
    while ends:
        found = [
            Path(link, below, tree.plan.link(below.parent))
            for link, below in ends
            if below.parent is not None
        ]
        yield from found
        ends = [(path.link, path.ancestor) for path in found]


def moving(tree: Joint) -> list[Link]:
    """The links that move in their hinges."""
    return [link for link in tree.links if tree.freedom(link)]


def mass_matrix(tree: Joint) -> Iterator[Step]:
    """The steps of the mass matrix; its columns are written when asked for, as they are many."""
    d = tree.dimension

    def composite(link: Link) -> Iterator[Kernel]:
        yield kernels.composite(d, len(link.inputs))
        yield kernels.locked(d, tree.turn(link))

    yield Sweep("composites", "composite inertias, inwards", tree.inward(composite))
    near = takewhile(lambda path: path.link is path.below, paths(tree))
    columns = Written(lambda: _columns(tree, paths(tree)), like=_columns(tree, near))
    yield Sweep("columns", "mass matrix, column by column", columns)
    yield apart(tree, "apart", "M")


def _columns(tree: Joint, along: Iterator[Path]) -> Iterator[Call]:
    """Every hinge's own column, and what is moved along these paths."""
    d = tree.dimension
    for link in moving(tree):
        speeds = tree.speeds(link)
        kernel = kernels.column(d, len(speeds), tree.rotor(link) is not None)
        writes = entries("M", speeds, speeds) | {f"U{len(speeds)}": _column(tree, link, link)}
        yield tree.call(kernel, link, {}, writes)
    for path in along:
        speeds, others = tree.speeds(path.link), tree.speeds(path.ancestor)
        kernel = kernels.along(d, len(speeds), len(others), tree.turn(path.below))
        reads = {"U": _column(tree, path.link, path.below)}
        reads["Hp"] = Ref(f"H{len(others)}", path.ancestor.name)
        writes = {f"U{len(speeds)}": _column(tree, path.link, path.ancestor)}
        writes |= entries("M", speeds, others) | entries("N", others, speeds)
        yield replace(tree.call(kernel, path.below, reads, writes), member=path.member)


def _column(tree: Joint, link: Link, at: Link) -> Ref:
    return Ref(f"U{tree.freedom(link)}", Path(link, at, at).member)


def apart(tree: Joint, name: str, array: str) -> Step:
    """The entries of a matrix for speeds on different branches."""
    title = "speeds on different branches"
    return Map(name, title, Written(partial(_apart, tree, array), islice(_apart(tree, array), 1)))


def _apart(tree: Joint, array: str) -> Iterator[Call]:
    speeds = {link.name: tree.speeds(link) for link in moving(tree)}
    inner = {name: {*tree.plan.way(name)} for name in speeds}
    for first, second in product(speeds, repeat=2):
        if first not in inner[second] and second not in inner[first]:
            for row, column in product(speeds[first], speeds[second]):
                ref = Ref(array, pair(row, column))
                yield Call(kernels.apart(), ref.member, {}, {"zero": ref})


def entries(
    port: str, rows: tuple[str, ...], columns: tuple[str, ...], array: str = "M"
) -> dict[str, Ref]:
    """The places of a block's entries in a matrix of speeds by speeds, by the ports' names."""
    return {
        f"{port}_{i}_{j}": Ref(array, pair(row, column))
        for i, row in enumerate(rows, 1)
        for j, column in enumerate(columns, 1)
    }


def pair(row: str, column: str) -> str:
    """The member of `pairs` of two speeds."""
    return f"{row} {column}"


def pairs(tree: Joint) -> dict[str, tuple[str, ...]]:
    """The index set of the entries of a matrix of speeds by speeds."""
    return {"pairs": tuple(pair(*each) for each in product(tree.model.speeds, repeat=2))}


def column_sets(tree: Joint) -> dict[str, tuple[str, ...]]:
    """The index sets of the columns, by their hinges' numbers of speeds: where each is moved."""
    freedoms = {link.name: tree.freedom(link) for link in moving(tree)}
    found: dict[int, list[str]] = {freedom: [] for freedom in sorted({*freedoms.values()})}
    own = (Path(link, link, link) for link in moving(tree))
    for path in chain(own, paths(tree)):
        found[freedoms[path.link.name]].append(path.member)
    return {f"columns{freedom}": tuple(members) for freedom, members in found.items()}


def mass_arrays(tree: Joint) -> Iterator[Array]:
    """The mass matrix, and its columns on their way."""
    yield result("M", "pairs")
    for freedom in sorted(set(map(tree.freedom, moving(tree)))):
        port = Port(f"U{freedom}", tree.space.motion, freedom)
        yield Array(port.name, f"columns{freedom}", port)


#: What of a relative motion depends on the coordinates alone.
PLACEMENT = ("C", "cz", "sz", "r", "H")


class MassMatrixWriter(Writer):
    """Collects the calls of the mass matrix."""

    def __init__(self, plan: Plan, loaded: bool) -> None:
        super().__init__(plan, forced=False)
        self.loaded = loaded
        self.paths = tuple(self._paths())

    def refuse(self, takes: str, instead: str, **more: bool) -> None:
        """See that the tree stands on the ground, all rigid and driven by forces alone.

        `more`: what else is not taken, and whether the model has it.

        Raises
            UsageError: names what the model has of all that.
        """
        refuse(self.loops, takes, instead, **more)

    def _paths(self) -> Iterator[Path]:
        """All pairs of a link that moves and an ancestor, near ancestors first."""
        ends = [(link, link) for link in self.plan.links if self.freedom(link)]
        while ends:
            paths = [
                Path(link, below, self.plan.link(below.parent))
                for link, below in ends
                if below.parent is not None
            ]
            yield from paths
            ends = [(path.link, path.ancestor) for path in paths]

    def speeds(self, link: Link) -> tuple[str, ...]:
        return self.model.hinge_speeds(self.hung[link.name].hinge)

    def freedoms(self) -> list[int]:
        """The numbers of speeds that hinges have here, and of coordinates that are driven."""
        driven = {len(self.hung[link.name].hinge.motion) for link in self.driven()}
        return sorted((driven | set(map(self.freedom, self.plan.links))) - {0})

    def placements(self) -> Iterable[Call]:
        """The relative motions again, without those parts that speeds enter."""
        for call in self.relatives():
            writes = {n: ref for n, ref in call.writes.items() if n.rstrip(digits) in PLACEMENT}
            yield Call(call.kernel, call.member, call.reads, writes)

    def composites(self) -> Iterable[Call]:
        """Each link's inertia with all that hangs on it, every hinge locked and at rest."""
        still = sp.zeros(self.space.spins, 1)
        for link in self.plan.links:
            way, pose = self.way(link.name)
            rigid = recursion_kernels.hinge(
                self.dimension, "fixed", False, acting=False, moving=False, way=way
            )
            rest: Reads = {
                port.name: sp.zeros(port.rows, port.cols)
                for port in rigid.inputs
                if port.name not in ("IA", "r", *pose)
            }
            body = recursion_kernels.body(self.dimension, len(link.inputs), forced=False)
            reads = self._inertia(link) | {"w": still}
            for k, child in enumerate(link.children, 1):
                reads |= {f"IAt_I{k}": Ref("IAt", child), f"pAt_I{k}": rest["pA"]}
            yield Call(body, link.name, reads, self.own(link, "IA"))
            yield Call(
                rigid, link.name, rest | self.own(link, "IA", "r") | pose, self.own(link, "IAt")
            )

    def columns(self) -> Iterable[Call]:
        for link in self.plan.links:
            speeds = self.speeds(link)
            if speeds:
                rotor = self.resisting(link)
                kernel = kernels.column(self.dimension, len(speeds), bool(rotor))
                writes = {f"U{len(speeds)}": self._column(link, link)}
                writes |= self._block("M", speeds, speeds)
                yield Call(kernel, link.name, self._own_of(kernel, link) | rotor, writes)
        for path in self.paths:
            speeds, others = self.speeds(path.link), self.speeds(path.ancestor)
            way, pose = self.way(path.below.name)
            kernel = kernels.along(self.dimension, len(speeds), len(others), way)
            reads = self.own(path.below, "r") | pose
            reads["U"] = self._column(path.link, path.below)
            if others:
                reads["Hp"] = Ref(f"H{len(others)}", path.ancestor.name)
            writes = {f"U{len(speeds)}": self._column(path.link, path.ancestor)}
            writes |= self._block("M", speeds, others) | self._block("N", others, speeds)
            yield Call(kernel, f"{path.link.name} at {path.ancestor.name}", reads, writes)

    def apart(self) -> Iterable[Call]:
        related = {(link.name, link.name) for link in self.plan.links}
        related |= {(path.link.name, path.ancestor.name) for path in self.paths}
        for first in self.plan.links:
            for second in self.plan.links:
                if not related & {(first.name, second.name), (second.name, first.name)}:
                    for row in self.speeds(first):
                        for col in self.speeds(second):
                            ref = Ref("M", pair(row, col))
                            yield Call(kernels.apart(), ref.member, {}, {"zero": ref})

    def columns_set(self, freedom: int) -> tuple[str, ...]:
        own = [self._column(x, x).member for x in self.plan.links if self.freedom(x) == freedom]
        moved = [
            self._column(path.link, path.ancestor).member
            for path in self.paths
            if self.freedom(path.link) == freedom
        ]
        return (*own, *moved)

    def _own_of(self, kernel: Kernel, link: Link) -> Reads:
        """All of a kernel's inputs from the link itself; the caller replaces what is not."""
        return self.own(link, *(port.name for port in kernel.inputs))

    def _inertia(self, link: Link) -> Reads:
        data = self.data[link.name]
        return {"m": data.mass, "h": data.first, "J": data.inertia}

    def _column(self, link: Link, at: Link) -> Ref:
        return Ref(f"U{self.freedom(link)}", f"{link.name} at {at.name}")

    def _block(
        self, name: str, rows: tuple[str, ...], cols: tuple[str, ...], array: str = "M"
    ) -> dict[str, Ref]:
        return {
            f"{name}_{i}_{j}": Ref(array, pair(row, col))
            for i, row in enumerate(rows, 1)
            for j, col in enumerate(cols, 1)
        }

    def mass_matrix(self) -> Iterable[Step]:
        """The steps of the mass matrix, with beams none; pairs are written when asked for."""
        if not self.model.beams:
            columns, apart = Written(self.columns), Written(self.apart)
            inertias = tuple(self.composites())
            yield Sweep("composites", "composite inertias, inwards", inertias)
            if self.paths or self.outer:
                yield Sweep("columns", "mass matrix, column by column", columns)
            if any(self.apart()):
                yield Map("apart", "speeds on different branches", apart)

    @property
    def outer(self) -> list[Link]:
        """The links that move in their hinges."""
        return [link for link in self.plan.links if self.freedom(link)]

    def mass_steps(self) -> tuple[str, ...]:
        """The names of the steps of the mass matrix."""
        return ("placements", "composites", "columns", *(("apart",) if any(self.apart()) else ()))

    def mass_sets(self) -> dict[str, tuple[str, ...]]:
        """The index sets of the mass matrix."""
        speeds = self.model.speeds
        return {
            "pairs": tuple(pair(row, col) for row in speeds for col in speeds),
            **{f"columns{n}": self.columns_set(n) for n in self.freedoms()},
        }

    def mass_arrays(self) -> Iterable[Array]:
        """The arrays of the mass matrix."""
        n = self.space.motion
        if not self.model.beams:
            yield Array("M", "pairs", Port("M"), Storage.RESULT, "M")
        for name in ("IA", "IAt"):
            yield Array(name, "links", Port(name, n, n, symmetric=True))
        for freedom in self.freedoms():
            yield Array(f"U{freedom}", f"columns{freedom}", Port(f"U{freedom}", n, freedom))

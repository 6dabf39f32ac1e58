"""The mass matrix of a tree, column by column.

The inertias are gathered inwards with every hinge locked; then each hinge's column is moved to
its ancestors, all by one link, then all by another, so that long chains are one loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, product, takewhile

from ..language.program import (
    Array,
    Call,
    Kernel,
    Map,
    Port,
    Ref,
    Step,
    Sweep,
    result,
)
from ..language.walk import Written
from ..plans.plan import Link
from . import inverse_kernels as kernels
from .joint import Joint
from .walking import Rule


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


def mass_matrix(tree: Joint, lighter: Callable[[Rule], Rule] | None) -> Iterator[Step]:
    """The steps of the mass matrix; its columns are written when asked for, as they are many.

    `lighter` makes of a rule the same on other constants of bodies, with which M is the same.
    """

    def composite(link: Link) -> Iterator[Kernel]:
        yield kernels.composite.at(tree, link)
        yield kernels.locked.at(tree, link)

    rule = lighter(composite) if lighter else composite
    yield Sweep("composites", "composite inertias, inwards", tree.inward(rule))
    near = takewhile(lambda path: path.link is path.below, paths(tree))
    columns = Written(lambda: _columns(tree, paths(tree)), like=_columns(tree, near))
    yield Sweep("columns", "mass matrix, column by column", columns)
    yield apart(tree, "apart", "M")


def _columns(tree: Joint, along: Iterator[Path]) -> Iterator[Call]:
    """Every hinge's own column, and what is moved along these paths."""
    d = tree.dimension
    for link in moving(tree):
        speeds = tree.speeds(link)
        kernel = kernels.column.at(tree, link)
        writes = entries("M", speeds, speeds) | {f"U{len(speeds)}": _column(tree, link, link)}
        yield tree.call(kernel, link, {}, writes)
    for path in along:
        speeds, others = tree.speeds(path.link), tree.speeds(path.ancestor)
        way = tree.turn(path.below)
        kernel = kernels.along.of(dimension=d, count=len(speeds), ancestor=len(others), way=way)
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
    kernel = kernels.apart.of(dimension=tree.dimension)
    speeds = {link.name: tree.speeds(link) for link in moving(tree)}
    inner = {name: {*tree.plan.way(name)} for name in speeds}
    met = _met(speeds, inner) if tree.shared else set[str]()
    for first, second in product(speeds, repeat=2):
        if first not in inner[second] and second not in inner[first]:
            for row, column in product(speeds[first], speeds[second]):
                ref = Ref(array, pair(row, column))
                if ref.member not in met:
                    yield Call(kernel, ref.member, {}, {"zero": ref})
                if tree.shared:
                    met.add(ref.member)


def _met(speeds: Mapping[str, tuple[str, ...]], inner: Mapping[str, set[str]]) -> set[str]:
    """The pairs of speeds of which some hinges lie on one branch."""
    return {
        pair(*each)
        for first, second in product(speeds, repeat=2)
        if first in inner[second] or second in inner[first]
        for each in product(speeds[first], speeds[second])
    }


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

"""The mass matrix of a tree, column by column.

The inertias are gathered inwards with every hinge locked; then each hinge's column is moved to
its ancestors, all by one link, then all by another, so that long chains are one loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import digits

import sympy as sp

from ..language.program import Array, Call, Kernel, Map, Port, Ref, Step, Storage, Sweep, Written
from ..plans.plan import Link, Plan
from . import inverse_kernels as kernels
from . import recursion_kernels
from .acting import Reads
from .conditions import refuse
from .writer import Writer

#: What of a relative motion depends on the coordinates alone.
PLACEMENT = ("C", "cz", "sz", "r", "H")


@dataclass(frozen=True)
class _Path:
    """From a link inwards to an ancestor, `below` being the ancestor's child on the way."""

    link: Link
    below: Link
    ancestor: Link


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

    def _paths(self) -> Iterator[_Path]:
        """All pairs of a link that moves and an ancestor, near ancestors first."""
        ends = [(link, link) for link in self.plan.links if self.freedom(link)]
        while ends:
            paths = [
                _Path(link, below, self.plan.link(below.parent))
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


def pair(row: str, col: str) -> str:
    """The member of `pairs` of two speeds."""
    return f"{row} {col}"

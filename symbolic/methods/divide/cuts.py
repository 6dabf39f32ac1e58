"""The calls of the divide-and-conquer methods at cut hinges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ....model import GROUND, Hinge
from ...language.program import Call, Kernel, Ref
from ...mechanics.traced import Traced
from ...plans.plan import reported
from ...tree.acting import Reads
from ...tree.conditions import taken
from . import cut_kernels as kernels
from . import merge_kernels
from .tree import Divided


class Cuts:
    """The cuts of a tree: every call reads both sides, and is kept with the hinge."""

    def __init__(self, tree: Divided) -> None:
        self.tree = tree

    def _sides(self, hinge: Hinge, motion: str = "") -> Reads:
        """Both sides of a cut: place and motion of the bodies, and the cut's point and axes."""
        known: Reads = {}
        place = self.tree.loops.sides(hinge)
        for side, end in zip("ab", hinge.ends, strict=True):
            known |= {f"r{side}": place[f"r{side}"], f"K{side}": place[f"K{side}"]}
            if end.body != GROUND:
                known |= {f"{x}{side}": Ref(x, end.body) for x in ("A", "ce", "x")}
                known[f"V{side}"] = Ref(motion, end.body)
        return known

    def _call(
        self,
        kernel: Kernel,
        name: str,
        motion: str = "",
        known: Reads | None = None,
        writes: Mapping[str, Ref] | None = None,
    ) -> Call:
        reads = self._sides(self.tree.cuts[name], motion) | (known or {})
        targets = {port.name: Ref(port.name, name) for port in kernel.outputs}
        return Call(kernel, name, taken(kernel, reads), {**targets, **(writes or {})})

    def _made(self, kernel: Traced, ends: kernels.Ends) -> Kernel:
        return self.tree.made(kernel, ends=ends, width=ends.hinge.count)

    def conditions(self, cut: str) -> list[str]:
        """The names of a cut's conditions."""
        return [f"{cut}_{j + 1}" for j in range(self.tree.cut_ends[cut].hinge.count)]

    def columns(self) -> Iterable[Call]:
        """The directions of the cuts at the bodies."""
        for name, ends in self.tree.cut_ends.items():
            yield self._call(self._made(kernels.cut_columns, ends), name)

    def biases(self) -> Iterable[Call]:
        """The velocity terms of the cuts."""
        for name, ends in self.tree.cut_ends.items():
            target = {f"g{ends.hinge.count}": Ref(f"g{ends.hinge.count}d", name)}
            yield self._call(self._made(kernels.cut_bias, ends), name, "motion_v", writes=target)

    def demands(self) -> Iterable[Call]:
        """What the cuts are to open at, along their directions."""
        for name, ends in self.tree.cut_ends.items():
            m = ends.hinge.count
            reads: Reads = {f"c_{j}": Ref("c", x) for j, x in enumerate(self.conditions(name), 1)}
            kernel = self.tree.made(kernels.cut_demand, width=m)
            yield Call(kernel, name, reads, {f"g{m}": Ref(f"g{m}c", name)})

    def gaps(self) -> Iterable[Call]:
        """How far the cuts are open along their directions, and how fast they open."""
        for name, ends in self.tree.cut_ends.items():
            writes: dict[str, Ref] = {}
            for j, x in enumerate(self.conditions(name), 1):
                writes |= {f"phi_{j}": Ref("phi", x), f"phid_{j}": Ref("phid", x)}
            yield self._call(self._made(kernels.cut_gap, ends), name, "motion_v", writes=writes)

    def impulses(self) -> Iterable[Call]:
        """The multipliers of the cuts as results."""
        for name, ends in self.tree.cut_ends.items():
            writes = {f"x_{j}": Ref("sig", x) for j, x in enumerate(self.conditions(name), 1)}
            reads: Reads = {"x": self.tree.multiplier(name, "h")}
            kernel = self.tree.made(merge_kernels.parts, width=ends.hinge.count)
            yield Call(kernel, name, reads, writes)

    def couples(self) -> Iterable[Call]:
        """What the cuts' impulses do to the rates of momenta."""
        for name, ends in self.tree.cut_ends.items():
            known: Reads = {"sigma": self.tree.multiplier(name, "h")}
            yield self._call(self._made(kernels.cut_couples, ends), name, "motion_h", known)

    def loads(self) -> Iterable[Call]:
        """The loads at the cuts, by the multipliers of the accelerations."""
        for name, hinge in self.tree.cuts.items():
            side, end = reported(hinge)
            letter, place = "ab"[side], self._sides(hinge)
            known = {x: place[f"{x}{letter}"] for x in ("A", "ce")}
            known |= {"arm": place[f"r{letter}"], "W": self.tree.held(name, end.body)}
            known["sigma"] = self.tree.multiplier(name, "d")
            kernel = self.tree.made(kernels.cut_load, width=self.tree.cut_ends[name].hinge.count)
            yield Call(kernel, name, taken(kernel, known), {"load": Ref("loads", str(end))})

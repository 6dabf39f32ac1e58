"""The calls of the divide-and-conquer methods on what acts, momenta and loads."""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ...language.program import Call, Ref
from ...plans.plan import Link, reported
from ...tree.acting import Reads
from ...tree.conditions import taken
from . import cut_kernels as dcacuts
from . import merge_kernels
from . import momentum_kernels as hdcakernels
from .writer import Scheme


class Acting(Scheme):
    """A scheme with what acts on the bodies, their momenta and loads."""

    def hinges_at(self, link: Link, acting: bool = False) -> list[Link]:
        """The links whose hinges with speeds are at a link: its own, then its children's."""
        found = [link, *(self.plan.link(child) for child in link.children)]
        return [x for x in found if self.freedom(x) and (not acting or self.tree.pushed(x))]

    def _ways_at(self, link: Link, hinges: list[Link]) -> Reads:
        return {
            f"Z_{k}": Ref(f"Z{'s' if x is link else 'p'}{self.freedom(x)}", x.name)
            for k, x in enumerate(hinges, 1)
        }

    def impelled(self) -> Iterable[Call]:
        """The motions by joint momenta alone."""
        for link in self.plan.links:
            hinges = self.hinges_at(link)
            kernel = hdcakernels.impelled(self.dimension, tuple(map(self.freedom, hinges)))
            known = self._ways_at(link, hinges)
            for k, x in enumerate(hinges, 1):
                known |= {
                    f"p_{k}_{j}": Ref("mom", name) for j, name in enumerate(self.speeds(x), 1)
                }
            yield self.call(kernel, link, known, V0=Ref("free_h", link.name))

    def _applied(self, link: Link) -> Reads:
        """External loads on a link, numbered, and the caller's."""
        found: Reads = {f"P_{k}": ref for k, ref in enumerate(self.tree.applied.on(link.name), 1)}
        return found | {"f": Ref("f", link.name)}

    def _pushes(self, link: Link) -> int:
        return len(self.tree.applied.on(link.name))

    def acted(self) -> Iterable[Call]:
        """The accelerations without constraint wrenches."""
        for link in self.plan.links:
            hinges = self.hinges_at(link, acting=True)
            freedoms = tuple(map(self.freedom, hinges))
            kernel = hdcakernels.acted(
                self.dimension, freedoms, self._pushes(link), self.tree.loaded
            )
            known = self._ways_at(link, hinges) | self._applied(link)
            known |= {f"T_{k}": Ref(f"T{self.freedom(x)}", x.name) for k, x in enumerate(hinges, 1)}
            known["w"] = Ref("wI", link.name)
            yield self.call(kernel, link, known, V0=Ref("free_d", link.name))

    def moving(self) -> Iterable[Call]:
        """The motion of all links from the hinges' speeds, outwards."""
        for link in self.outward():
            way = self.ways[link.name]
            kernel = hdcakernels.outward(self.dimension, way.H.cols, way.complete)
            known = self._own_speeds(link)
            known |= {"vp": self.of_parent("vx", link), "wp": self.of_parent("wI", link)}
            yield self.call(kernel, link, known, V=Ref("motion_v", link.name))

    def _own_speeds(self, link: Link) -> Reads:
        return {f"u_{j}": Ref("v", name) for j, name in enumerate(self.speeds(link), 1)}

    def biases(self) -> Iterable[Call]:
        """The velocity terms of all joints."""
        for link in self.plan.links:
            way = self.ways[link.name]
            f, m = way.H.cols, way.D.cols
            kernel = hdcakernels.bias(self.dimension, f, m, link.parent is None, way.complete)
            known = self._own_speeds(link) | {"w": Ref("wI", link.name)}
            known |= {"wp": self.of_parent("wI", link), "cp": self.of_parent("ce", link)}
            writes = {f"g{m}": Ref(f"g{m}d", link.hinge)} if m else {}
            yield self.call(kernel, link, known, **writes)
        for name, ends in self.cut_ends.items():
            kernel = dcacuts.cut_bias(ends)
            hinge, m = self.cuts[name], ends.hinge.count
            known = self._sides(hinge, "motion_v")
            yield self._cut_call(kernel, hinge, known, **{f"g{m}": Ref(f"g{m}d", name)})

    def demands(self) -> Iterable[Call]:
        """What the cuts are to open at, along their directions."""
        for name, ends in self.cut_ends.items():
            m = ends.hinge.count
            reads: Reads = {f"c_{j}": Ref("c", x) for j, x in enumerate(self.conditions(name), 1)}
            yield Call(dcacuts.cut_demand(m), name, reads, {f"g{m}": Ref(f"g{m}c", name)})

    def gaps(self) -> Iterable[Call]:
        """How far the cuts are open along their directions, and how fast they open."""
        for name, ends in self.cut_ends.items():
            writes: dict[str, Ref] = {}
            for j, x in enumerate(self.conditions(name), 1):
                writes |= {f"phi_{j}": Ref("phi", x), f"phid_{j}": Ref("phid", x)}
            kernel, hinge = dcacuts.cut_gap(ends), self.cuts[name]
            yield Call(kernel, name, taken(kernel, self._sides(hinge, "motion_v")), writes)

    def conditions(self, cut: str) -> list[str]:
        """The names of a cut's conditions."""
        return [f"{cut}_{j + 1}" for j in range(self.cut_ends[cut].hinge.count)]

    def impulses(self) -> Iterable[Call]:
        """The multipliers of the cuts as results."""
        for name in self.cuts:
            m = self.cut_ends[name].hinge.count
            writes = {f"x_{j}": Ref("sig", x) for j, x in enumerate(self.conditions(name), 1)}
            yield Call(merge_kernels.parts(m), name, {"x": self.multiplier(name, "h")}, writes)

    def couples(self) -> Iterable[Call]:
        """What the cuts' impulses do to the rates of momenta."""
        for name, ends in self.cut_ends.items():
            known = self._sides(self.cuts[name], "motion_h")
            known["sigma"] = self.multiplier(name, "h")
            yield self._cut_call(dcacuts.cut_couples(ends), self.cuts[name], known)

    def cuts_at(self, body: str) -> list[tuple[str, str]]:
        """The cuts at a body, each with the side that it is."""
        return [
            (name, side)
            for name, hinge in self.cuts.items()
            for side, end in zip("ab", hinge.ends, strict=True)
            if end.body == body
        ]

    def _children(self, link: Link, array: str) -> Reads:
        known: Reads = {}
        for k, child in enumerate(link.children, 1):
            known |= {f"ar_{k}": Ref("ar", child), f"{array[0]}_{k}": Ref(array, child)}
        return known

    def loads(self) -> Iterable[Call]:
        """The loads outboard of every hinge, inwards."""
        for link in self.plan.links:
            cuts = self.cuts_at(link.name)
            kernel = hdcakernels.load(
                self.dimension,
                len(link.children),
                self._pushes(link),
                self.tree.loaded,
                len(cuts),
            )
            known = self._children(link, "Q") | self._applied(link)
            known |= {f"X_{k}": Ref(f"X{side}", name) for k, (name, side) in enumerate(cuts, 1)}
            yield self.call(kernel, link, known)

    def momentum_rates(self) -> Iterable[Call]:
        """The rates of all joint momenta."""
        for link in self.plan.links:
            names, way = self.speeds(link), self.ways[link.name]
            if names:
                f, m = way.H.cols, way.D.cols
                acting = self.tree.pushed(link)
                kernel = hdcakernels.momentum_rate(self.dimension, f, m, way.complete, acting)
                known: Reads = {f"p_{j}": Ref("mom", name) for j, name in enumerate(names, 1)}
                known |= {"V": Ref("motion_h", link.name), "T": Ref(f"T{f}", link.name)}
                known["wc"] = self._spin_h(link)
                if m:
                    known["sigma"] = self.multiplier(link.hinge, "h")
                writes = {f"pd_{j}": Ref("pd", name) for j, name in enumerate(names, 1)}
                yield self.call(kernel, link, known, **writes)

    def _spin_h(self, link: Link) -> Ref | sp.Matrix:
        way = self.ways[link.name]
        return self.of_parent("wh", link) if way.parental else Ref("wh", link.name)

    def spins(self) -> Iterable[Call]:
        """The angular velocities of the links from their motions by momenta."""
        kernel = hdcakernels.angular(self.dimension)
        for link in self.plan.links:
            reads: Reads = {"V": Ref("motion_h", link.name)}
            yield Call(kernel, link.name, reads, {"w": Ref("wh", link.name)})

    def momenta(self, motion: str, array: str, result: str, impulses: bool) -> Iterable[Call]:
        """Joint momenta of motions, less what the cuts' impulses `sigma` are."""
        for link in self.plan.links:
            cuts = self.cuts_at(link.name) if impulses else []
            widths = tuple(self.cut_ends[name].hinge.count for name, _ in cuts)
            kernel = hdcakernels.momentum(self.dimension, len(link.children), widths)
            known = self._children(link, array) | {"V": Ref(motion, link.name)}
            for k, (name, _) in enumerate(cuts, 1):
                known[f"W_{k}"] = self.joint_columns(name, link.name)
                for j, condition in enumerate(self.conditions(name), 1):
                    known[f"sigma_{k}_{j}"] = Ref("sigma", condition)
            yield self.call(kernel, link, known, P=Ref(array, link.name))
        for link in self.plan.links:
            names, way = self.speeds(link), self.ways[link.name]
            if names:
                kernel = hdcakernels.joint_momentum(self.dimension, len(names), way.complete)
                writes = {f"p_{j}": Ref(result, name) for j, name in enumerate(names, 1)}
                yield self.call(kernel, link, {"P": Ref(array, link.name)}, **writes)

    def joint_loads(self) -> Iterable[Call]:
        """The loads at the hinges and cuts, by the multipliers of the accelerations."""
        for link in self.plan.links:
            way, acting = self.ways[link.name], self.tree.pushed(link)
            f, m = way.H.cols if acting else 0, way.D.cols
            kernel = hdcakernels.joint_load(self.dimension, m, f)
            known: Reads = {"W": Ref(f"Ws{m}", link.name), "Z": Ref(f"Zs{f}", link.name)}
            known["T"] = Ref(f"T{f}", link.name)
            if m:
                known["sigma"] = self.multiplier(link.hinge, "d")
            target = Ref("loads", f"{link.name}:{link.output}")
            yield self.call(kernel, link, known, load=target)
        for name, hinge in self.cuts.items():
            side, end = reported(hinge)
            m = self.cut_ends[name].hinge.count
            kernel = dcacuts.cut_load(self.dimension, m, pushed=False)
            place = self._sides(hinge)
            letter = "ab"[side]
            known = {x: place[f"{x}{letter}"] for x in ("A", "ce")}
            known |= {"arm": place[f"r{letter}"], "W": self.joint_columns(name, end.body)}
            known["sigma"] = self.multiplier(name, "d")
            yield Call(kernel, name, taken(kernel, known), {"load": Ref("loads", str(end))})

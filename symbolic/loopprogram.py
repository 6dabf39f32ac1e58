"""Closed loops in joint coordinates: the calls that the cuts add to a tree's program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from ..errors import ModelError
from ..model import GROUND, End, Hinge
from . import jointkernels, loopkernels
from .beamprogram import Beams
from .constants import axes_of, column
from .ends import landing, reported
from .loopkernels import Feed
from .plan import Link, Plan
from .program import Array, Call, Port, Ref, Storage
from .space import Space

Reads = dict[str, Ref | sp.Matrix]


def _placed(member: str) -> Reads:
    """Place and motion of a link, or of a section of a beam."""
    arrays = (("A", "A"), ("x", "x"), ("v", "vl"), ("w", "w"))
    return {name: Ref(array, member) for name, array in arrays}


@dataclass(frozen=True)
class Mobility:
    """Of a link's hinge: kind, told from the child's side or not, and its speeds."""

    kind: str
    backward: bool
    freedom: int


class Loops:
    """The cuts of a plan: their conditions, columns and multipliers."""

    def __init__(
        self, plan: Plan, ground: sp.Matrix, mobility: Mapping[str, Mobility], beams: Beams
    ) -> None:
        self.plan = plan
        self.beams = beams
        self.dimension = d = plan.model.dimension
        self.space = Space(d)
        self.ground = ground
        self.mobility = mobility
        self.cuts = [hinge for hinge in plan.cuts if loopkernels.count(d, hinge.kind)]
        self.widths = tuple(loopkernels.count(d, hinge.kind) for hinge in self.cuts)
        self.ways = [
            tuple(frozenset(plan.way(end.body)) for end in hinge.ends) for hinge in self.cuts
        ]
        for hinge, (a, b) in zip(self.cuts, self.ways, strict=True):
            base = max(a & b, key=lambda body: len(plan.way(body)), default="")
            bends = any(body in beams.beams for body in {*(a ^ b), base})
            if not bends and not any(mobility[body].freedom for body in a ^ b):
                raise ModelError(
                    "closes a loop in which nothing can move; leave the hinge out",
                    element=f"hinge {hinge.name}",
                )
        self.active = {link.name: self._active(link.name) for link in plan.links}

    def _active(self, body: str) -> tuple[int, ...]:
        """The cuts whose columns pass through a link."""
        return tuple(i for i, (a, b) in enumerate(self.ways) if body in a | b)

    @property
    def size(self) -> int:
        """Conditions in all."""
        return sum(self.widths)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of all conditions, cut by cut."""
        return tuple(name for i in range(len(self.cuts)) for name in self._names(i))

    def _names(self, cut: int) -> list[str]:
        return [f"{self.cuts[cut].name}_{j + 1}" for j in range(self.widths[cut])]

    def width(self, link: str) -> int:
        """Columns that pass through a link."""
        return sum(self.widths[i] for i in self.active[link])

    def _places(self, cuts: Iterable[int], among: tuple[int, ...]) -> tuple[int, ...]:
        start, at = {}, 0
        for i in among:
            start[i] = at
            at += self.widths[i]
        return tuple(start[i] + j for i in cuts for j in range(self.widths[i]))

    def _multipliers(self, array: str, link: str) -> Reads:
        names = [name for i in self.active[link] for name in self._names(i)]
        return {f"mu_{j}": Ref(array, name) for j, name in enumerate(names, start=1)}

    def _side(self, end: End, side: str) -> Reads:
        """Place and motion of a side of a cut, and the cut's point and axes in it."""
        d = self.dimension
        model = self.plan.model
        if end.body == GROUND:
            point = model.ground_point(end.point)
            known: Reads = {"A": sp.eye(d), "x": sp.zeros(d, 1), "v": sp.zeros(d, 1)}
            known["w"] = sp.zeros(self.space.spins, 1)
            arm, axes = column(point.position), axes_of(point, d)
        elif end.body in self.beams.beams:
            known = _placed(str(end))
            arm, axes = sp.zeros(d, 1), sp.eye(d)
        else:
            body = model.body(end.body)
            origin = body.point(self.plan.link(end.body).output)
            point = body.point(end.point)
            turn = axes_of(origin, d).T
            known = _placed(end.body)
            arm = turn * (column(point.position) - column(origin.position))
            axes = turn * axes_of(point, d)
        known |= {"r": arm, "K": axes}
        return {f"{name}{side}": value for name, value in known.items()}

    def _sides(self, hinge: Hinge) -> Reads:
        return self._side(hinge.ends[0], "a") | self._side(hinge.ends[1], "b")

    def gaps(self) -> Iterable[Call]:
        for i, hinge in enumerate(self.cuts):
            kernel = loopkernels.gap(self.dimension, hinge.kind)
            writes: dict[str, Ref] = {}
            for j, name in enumerate(self._names(i), start=1):
                writes |= {f"phi_{j}": Ref("phi", name), f"phid_{j}": Ref("phid", name)}
            yield Call(kernel, hinge.name, self._sides(hinge), writes)

    def openings(self) -> Iterable[Call]:
        for hinge, m in zip(self.cuts, self.widths, strict=True):
            kernel = loopkernels.cut(self.dimension, hinge.kind)
            reads = self._sides(hinge)
            for side, end in zip("ab", hinge.ends, strict=True):
                still = sp.zeros(self.space.motion, 1)
                reads[f"g{side}"] = self.ground if end.body == GROUND else still
            writes = {f"{x}{m}": Ref(f"{x}{m}", hinge.name) for x in ("EA", "EB", "bias")}
            yield Call(kernel, hinge.name, reads, writes)

    def _feeds(self, link: Link) -> tuple[tuple[Feed, ...], Reads, list[str]]:
        """What columns arrive at a link, from its inputs and the cuts at it, and at what points."""
        own = self.active[link.name]
        feeds: list[Feed] = []
        reads: Reads = {}
        points = []
        for point, child in zip(link.inputs, link.children, strict=True):
            if self.active[child]:
                feeds.append(Feed(self._places(self.active[child], own)))
                reads |= self._arriving(child, len(feeds))
                points.append(point)
        for i, hinge in enumerate(self.cuts):
            for side, end in zip("AB", hinge.ends, strict=True):
                if end.body == link.name:
                    feeds.append(Feed(self._places((i,), own), begins=True))
                    start = Ref(f"E{side}{self.widths[i]}", hinge.name)
                    reads[f"Et_I{len(feeds)}"] = start
                    points.append(end.point)
        return tuple(feeds), reads, points

    def _arriving(self, child: str, number: int) -> Reads:
        c = self.width(child)
        return {f"{x}t_I{number}": Ref(f"{x}t{c}", child) for x in ("E", "k", "L")}

    def gathered(self, link: Link) -> Iterable[Call]:
        """Columns at a link, before its hinge."""
        c = self.width(link.name)
        if not c:
            return
        feeds, reads, points = self._feeds(link)
        if link.name in self.beams.beams:
            yield self.beams.gathered(link, c, feeds, points, reads)
            return
        kernel = loopkernels.gather(self.dimension, c, feeds)
        writes = {f"{x}{c}": Ref(f"{x}{c}", link.name) for x in ("E", "kb", "L")}
        yield Call(kernel, link.name, reads, writes)

    def passed(self, link: Link) -> Iterable[Call]:
        """Columns behind a link's hinge."""
        c = self.width(link.name)
        if c:
            of = self.mobility[link.name]
            kernel = loopkernels.through(self.dimension, of.kind, of.backward, of.freedom > 0, c)
            reads: Reads = {port.name: Ref(port.name, link.name) for port in kernel.inputs}
            writes = {port.name: Ref(port.name, link.name) for port in kernel.outputs}
            yield Call(kernel, link.name, reads, writes)

    def _roots(self) -> tuple[tuple[Feed, ...], Reads]:
        every = tuple(range(len(self.cuts)))
        feeds: list[Feed] = []
        reads: Reads = {}
        for link in self.plan.roots:
            if self.active[link.name]:
                feeds.append(Feed(self._places(self.active[link.name], every)))
                reads |= self._arriving(link.name, len(feeds))
        return tuple(feeds), reads

    def multipliers(self) -> Iterable[Call]:
        feeds, reads = self._roots()
        kernel = loopkernels.multipliers(self.dimension, self.widths, feeds)
        reads["ground"] = self.ground
        for j, (hinge, m) in enumerate(zip(self.cuts, self.widths, strict=True), start=1):
            reads[f"bias_{j}"] = Ref(f"bias{m}", hinge.name)
        writes = {f"mu_{j}": Ref("mu", name) for j, name in enumerate(self.conditions, start=1)}
        yield Call(kernel, "", reads, writes)

    def compliance(self) -> Iterable[Call]:
        feeds, reads = self._roots()
        kernel = loopkernels.compliance(self.dimension, self.size, feeds)
        reads = {port.name: reads[port.name] for port in kernel.inputs}
        yield Call(kernel, "", reads, {"Lam": Ref("Lam", "")})

    def corrections(self) -> Iterable[Call]:
        feeds, reads = self._roots()
        kernel = loopkernels.corrections(self.dimension, self.size, feeds)
        for j, name in enumerate(self.conditions, start=1):
            reads[f"c_{j}"] = Ref("c", name)
        taken = {port.name for port in kernel.inputs}
        reads = {name: binding for name, binding in reads.items() if name in taken}
        writes = {f"nu_{j}": Ref("nu", name) for j, name in enumerate(self.conditions, start=1)}
        yield Call(kernel, "", reads, writes)

    def known(self, link: Link, correction: bool = False) -> Iterable[Call]:
        """The hinge's own acceleration without its parent's, once the multipliers are known.

        Of a beam the modal accelerations too.
        """
        c, freedom = self.width(link.name), self.mobility[link.name].freedom
        modes = self.beams.modes_of(link)
        for count, e in ((freedom, ""), (modes, "e")):
            if c and count:
                kernel = loopkernels.known(self.dimension, count, c, correction)
                reads = self._multipliers("nu" if correction else "mu", link.name)
                reads[f"K{count}_{c}"] = Ref(f"K{e}{count}_{c}", link.name)
                if not correction:
                    reads[f"k{count}"] = Ref(f"k{e}{count}", link.name)
                target = f"k{e}{'c' if correction else 'm'}{count}"
                yield Call(kernel, link.name, reads, {"km": Ref(target, link.name)})

    def corrected(self) -> Iterable[Call]:
        """The motion of a correction, root to tips."""
        n = self.space.motion
        for link in reversed(self.plan.links):
            yield from self.known(link, correction=True)
            freedom = self.mobility[link.name].freedom
            kernel = jointkernels.accelerate(self.dimension, freedom)
            reads: Reads = {port.name: Ref(port.name, link.name) for port in kernel.inputs}
            still = sp.zeros(n, 1)
            base = self.beams.base(link)
            reads["ap"] = still if base is None else Ref("dacc", base)
            reads["gam"] = still
            if freedom:
                moves = self.width(link.name) > 0
                none = sp.zeros(freedom, 1)
                reads[f"k{freedom}"] = Ref(f"kc{freedom}", link.name) if moves else none
            writes = {"acc": Ref("dacc", link.name), "a0": Ref("da0", link.name)}
            hinge = next(h for h in self.plan.model.hinges if h.name == link.hinge)
            speeds = self.plan.model.hinge_speeds(hinge)
            writes |= {f"a_{j}": Ref("du", name) for j, name in enumerate(speeds, start=1)}
            yield Call(kernel, link.name, reads, writes)
            yield from self.beams.corrected(link, closed=self.width(link.name) > 0)

    def biases(self) -> Iterable[Call]:
        for link in self.plan.links:
            c = self.width(link.name)
            if c:
                kernel = loopkernels.bias(self.dimension, c)
                reads = self._multipliers("mu", link.name)
                reads |= {name: Ref(name, link.name) for name in (f"Eh{c}", "pAh")}
                yield Call(kernel, link.name, reads, {"pAm": Ref("pAm", link.name)})

    def loads(self) -> Iterable[Call]:
        for i, hinge in enumerate(self.cuts):
            side, end = reported(hinge)
            yield self._load(i, side, Ref("loads", str(end)))

    def end_loads(self) -> Iterable[Call]:
        """The loads at both ends of every cut hinge."""
        for i, hinge in enumerate(self.cuts):
            side, end = reported(hinge)
            yield self._load(i, side, Ref("za", str(end)))
            far = landing(hinge.name, hinge.ends[1 - side])
            yield self._load(i, 1 - side, Ref("za", far), arriving=True)

    def _load(self, cut: int, side: int, target: Ref, arriving: bool = False) -> Call:
        hinge, m = self.cuts[cut], self.widths[cut]
        place = self._side(hinge.ends[side], "")
        reads: Reads = {"A": place["A"], "arm": place["r"]}
        reads["E"] = Ref(f"E{'AB'[side]}{m}", hinge.name)
        for j, name in enumerate(self._names(cut), start=1):
            reads[f"mu_{j}"] = Ref("mu", name)
        kernel = loopkernels.load(self.dimension, m, arriving)
        return Call(kernel, hinge.name, reads, {"load": target})

    def arrays(self) -> Iterable[Array]:
        if not self.cuts:
            return
        n = self.space.motion

        def work(index_set: str, name: str, rows: int = 1, cols: int = 1) -> Array:
            return Array(name, index_set, Port(name, rows, cols))

        yield Array("c", "conditions", Port("c"), Storage.ARGUMENT, "c")
        for name in ("phi", "phid"):
            yield Array(name, "conditions", Port(name), Storage.RESULT, name)
        yield Array("du", "speeds", Port("du"), Storage.RESULT, "du")
        size = self.size
        yield Array("Lam", "system", Port("Lam", size, size, True), Storage.RESULT, "Lam")
        for name in ("mu", "nu"):
            yield work("conditions", name)
        for m in sorted(set(self.widths)):
            yield work("cuts", f"EA{m}", n, m)
            yield work("cuts", f"EB{m}", n, m)
            yield work("cuts", f"bias{m}", m)
        yield work("links", "pAm", n)
        for name in ("dacc", "da0"):
            yield work("links", name, n)
        widths = {(self.width(name), self.mobility[name].freedom) for name in self.active}
        for c in sorted({c for c, _ in widths if c}):
            for name in ("E", "Eh", "Et"):
                yield work("links", f"{name}{c}", n, c)
            for name in ("kb", "kt"):
                yield work("links", f"{name}{c}", c)
            for name in ("L", "Lt"):
                yield Array(f"{name}{c}", "links", Port(f"{name}{c}", c, c, symmetric=True))
        for c, freedom in sorted(pair for pair in widths if all(pair)):
            yield work("links", f"K{freedom}_{c}", freedom, c)
        for freedom in sorted({f for c, f in widths if c and f}):
            yield work("links", f"km{freedom}", freedom)
            yield work("links", f"kc{freedom}", freedom)
        for c in sorted({c for c, _ in widths if c}):
            for modes in self.beams.modes:
                yield work("links", f"Ke{modes}_{c}", modes, c)
        for modes in self.beams.modes:
            yield work("links", f"kem{modes}", modes)
            yield work("links", f"kec{modes}", modes)

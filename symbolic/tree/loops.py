"""Closed loops in joint coordinates: calls, index sets and arrays that cuts add to a program."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

import sympy as sp

from ...model import Hinge
from ..language.program import Array, Call, Port, Ref, Storage
from ..language.walk import Binding, Place
from ..mechanics.constants import column
from ..plans.ends import landing
from ..plans.plan import Link, reported
from . import cut_kernels, inverse_kernels, loop_kernels
from .acting import Reads
from .conditions import Conditions, coupled, taken
from .loop_kernels import Feed
from .reach import reaches


class Loops(Conditions):
    """The columns of the conditions in the sweeps, and their multipliers."""

    def _feeds(self, link: Link, bare: bool = False) -> tuple[tuple[Feed, ...], Reads, list[str]]:
        """What columns arrive at a link, from its inputs and the cuts at it, and at what points.

        `bare`: the columns alone, of all hinges locked.
        """
        active = self.held if bare else self.active
        own = active[link.name]
        feeds: list[Feed] = []
        reads: Reads = {}
        points = []
        for point, child in zip(link.inputs, link.children, strict=False):
            if active[child]:
                feeds.append(Feed(self._places(active[child], own), begins=bare))
                c = sum(self.widths[i] for i in active[child])
                bound = {f"Et_I{len(feeds)}": Ref(f"Ej{c}", child)}
                reads |= bound if bare else self._arriving(child, len(feeds))
                points.append(point)
        for i, hinge in enumerate(self.cuts):
            for side, end in zip("AB", hinge.ends, strict=True):
                if end.body == link.name:
                    feeds.append(Feed(self._places((i,), own), begins=True))
                    start = Ref(f"E{side}{self.widths[i]}", hinge.name)
                    reads[f"Et_I{len(feeds)}"] = start
                    points.append(end.point)
        return tuple(feeds), reads, points

    def arriving_at(self, link: Link) -> bool:
        """Is there a column at a link before its hinge?"""
        return link.name in self.beams.beams or bool(self._feeds(link)[0])

    def _arriving(self, child: str, number: int) -> Reads:
        c = self.width(child)
        return {f"{x}t_I{number}": Ref(f"{x}t{c}", child) for x in ("E", "k", "L")}

    def gathered(self, link: Link) -> Iterable[Call]:
        """Columns at a link, before its hinge."""
        c = self.width(link.name)
        feeds, reads, points = self._feeds(link)
        if c and link.name in self.beams.beams:
            yield self.beams.gathered(link, c, feeds, points, reads)
        elif feeds:
            kernel = loop_kernels.gather.of(dimension=self.dimension, width=c, feeds=feeds)
            writes = {f"{x}{c}": Ref(f"{x}{c}", link.name) for x in ("E", "kb", "L")}
            yield Call(kernel, link.name, reads, writes)

    def passed(self, link: Link) -> Iterable[Call]:
        """Columns behind a link's hinge."""
        c = self.width(link.name)
        if c:
            of, coupling = self.mobility[link.name], self._row(link)
            extra = {"rho": of.rotor, "sigma": coupling}
            kernel = loop_kernels.through.of(
                dimension=self.dimension,
                width=c,
                freedom=of.freedom,
                count=of.freedom,
                kind=of.kind,
                backward=of.backward,
                rotor=of.rotor is not None,
                coupled=coupling is not None,
            )
            reads: Reads = {port.name: Ref(port.name, link.name) for port in kernel.inputs}
            reads |= {name: value for name, value in extra.items() if value is not None}
            if not self._feeds(link)[0] and link.name not in self.beams.beams:
                none = {port: sp.zeros(port.rows, port.cols) for port in kernel.inputs[:3]}
                reads |= {port.name: value for port, value in none.items()}
            writes = {port.name: Ref(port.name, link.name) for port in kernel.outputs}
            yield Call(kernel, link.name, reads, writes)

    def _roots(self) -> tuple[tuple[Feed, ...], Reads]:
        every = tuple(range(len(self.widths)))
        feeds: list[Feed] = []
        reads: Reads = {}
        for link in self.plan.roots:
            if self.active[link.name]:
                feeds.append(Feed(self._places(self.active[link.name], every)))
                reads |= self._arriving(link.name, len(feeds))
        return tuple(feeds), reads

    def reaches(self) -> Iterable[Call]:
        """What the rank of the conditions is decided against."""
        for i, moved in enumerate(reaches(self)):
            kernel = loop_kernels.reach.of(
                dimension=self.dimension,
                width=self.widths[i],
                freedoms=tuple(x.squares.cols for x in moved),
            )
            reads: Reads = {}
            for k, x in enumerate(moved, start=1):
                array = f"y{'e' * x.bends}{x.squares.cols}"
                reads |= {f"R_{k}": x.squares, f"y_{k}": Ref(array, x.link)}
            names = enumerate(self.names_of(i), start=1)
            yield Call(kernel, "", reads, {f"d_{j}": Ref("d", name) for j, name in names})

    def _whole(self, feeds: tuple[Feed, ...]) -> dict[str, Hashable]:
        """What kernels ask that gather from all roots."""
        return {"dimension": self.dimension, "width": self.size, "feeds": feeds}

    def _scale(self) -> Reads:
        names = enumerate(self.conditions, start=1)
        return {f"d_{j}": Ref("d", name) for j, name in names}

    def multipliers(self) -> Iterable[Call]:
        feeds, reads = self._roots()
        reads |= self._scale()
        couplings = len(self.couplings)
        bent = {k: h for k, h in enumerate(self.couplings) if h in self.curved}
        kernel = loop_kernels.multipliers.of(
            **self._whole(feeds), widths=self.cut_widths, couplings=couplings, curved=tuple(bent)
        )
        reads |= {f"bent_{k}": Ref("cb", hinge.name) for k, hinge in bent.items()}
        reads["ground"] = self.ground
        for j, (hinge, m) in enumerate(zip(self.cuts, self.cut_widths, strict=True), start=1):
            reads[f"bias_{j}"] = Ref(f"bias{m}", hinge.name)
        writes = {f"mu_{j}": Ref("mu", name) for j, name in enumerate(self.conditions, start=1)}
        yield Call(kernel, "", reads, writes)

    def compliance(self) -> Iterable[Call]:
        feeds, reads = self._roots()
        kernel = loop_kernels.compliance.of(**self._whole(feeds))
        reads = taken(kernel, reads | self._scale())
        writes = {port.name: Ref(port.name, "") for port in kernel.outputs}
        yield Call(kernel, "", reads, writes)

    def corrections(self) -> Iterable[Call]:
        feeds, reads = self._roots()
        kernel = loop_kernels.corrections.of(**self._whole(feeds))
        reads |= self._scale()
        for j, name in enumerate(self.conditions, start=1):
            reads[f"c_{j}"] = Ref("c", name)
        reads = taken(kernel, reads)
        writes = {f"nu_{j}": Ref("nu", name) for j, name in enumerate(self.conditions, start=1)}
        yield Call(kernel, "", reads, writes)

    def passing(self, link: str) -> tuple[str, ...]:
        """The conditions whose columns pass through a link."""
        return tuple(name for i in self.active[link] for name in self.names_of(i))

    def _multipliers(self, array: str, link: str) -> Reads:
        names = enumerate(self.passing(link), start=1)
        return {f"mu_{j}": Ref(array, name) for j, name in names}

    def known(self, link: Link, correction: bool = False) -> Iterable[Call]:
        """The hinge's own acceleration without its parent's, once the multipliers are known.

        Of a beam the modal accelerations too.
        """
        c, freedom = self.width(link.name), self.mobility[link.name].freedom
        modes = self.beams.modes_of(link)
        for count, e in ((freedom, ""), (modes, "e")):
            if c and count:
                kernel = loop_kernels.known.of(
                    dimension=self.dimension, width=c, count=count, correction=correction
                )
                reads = self._multipliers("nu" if correction else "mu", link.name)
                reads[f"K{count}_{c}"] = Ref(f"K{e}{count}_{c}", link.name)
                if not correction:
                    reads[f"k{count}"] = Ref(f"k{e}{count}", link.name)
                target = f"k{e}{'c' if correction else 'm'}{count}"
                yield Call(kernel, link.name, reads, {"km": Ref(target, link.name)})

    def demanded(self, link: Link) -> Mapping[str, Binding]:
        """What a link demands without acceleration, where multipliers are part of it."""
        return {"pAh": Place("pAm", "own")} if self.width(link.name) else {}

    def biased(self, link: Link) -> Iterator[Call]:
        """What a link demands without acceleration, with the multipliers."""
        c = self.width(link.name)
        if c:
            kernel = loop_kernels.bias.of(dimension=self.dimension, width=c)
            reads = self._multipliers("mu", link.name)
            reads |= {name: Ref(name, link.name) for name in (f"Eh{c}", "pAh")}
            yield Call(kernel, link.name, reads, {"pAm": Ref("pAm", link.name)})

    def loads(self) -> Iterable[Call]:
        for hinge in self.borne:
            side, end = reported(hinge)
            yield self._load(hinge, side, Ref("loads", str(end)))

    def end_loads(self) -> Iterable[Call]:
        """The loads at both ends of every cut hinge."""
        for hinge in self.borne:
            side, end = reported(hinge)
            yield self._load(hinge, side, Ref("za", str(end)))
            far = landing(hinge.name, hinge.ends[1 - side])
            yield self._load(hinge, 1 - side, Ref("za", far), arriving=True)

    def _load(self, hinge: Hinge, side: int, target: Ref, arriving: bool = False) -> Call:
        m = self.forms[hinge.name].count
        kernel = cut_kernels.load.at(
            None, self.forms[hinge.name], pushed=hinge in self.loaded, arriving=arriving
        )
        place = self._side(hinge.ends[side], "")
        reads: Reads = {"A": place["A"], "arm": place["r"]}
        reads["W"] = Ref(f"W{'AB'[side]}", hinge.name)
        if m:
            reads["E"] = Ref(f"E{'AB'[side]}{m}", hinge.name)
            reads |= self.multipliers_of(hinge)
        return Call(kernel, hinge.name, taken(kernel, reads), {"load": target})

    def slopes(self) -> Iterable[Call]:
        """The conditions' Jacobian: columns moved inwards with all hinges locked."""
        zero = inverse_kernels.apart.of(dimension=self.dimension)
        for link in self.plan.links:
            speeds = self._speeds(link)
            names = [name for i in self.held[link.name] for name in self.names_of(i)]
            parting = [
                name
                for i, (a, b) in enumerate(self.ways[: len(self.cuts)])
                if link.name in a ^ b
                for name in self.names_of(i)
            ]
            coupled = [self.names_of(i)[0] for i in self.coefficients(link)]
            if names:
                feeds, reads, _ = self._feeds(link, bare=True)
                moved = tuple(name in parting for name in names)
                kernel = loop_kernels.slope.of(
                    dimension=self.dimension,
                    width=len(names),
                    count=len(speeds),
                    feeds=feeds,
                    moved=moved,
                )
                for x in ("C", "r", f"H{len(speeds)}"):
                    reads[x] = Ref(x, link.name)
                writes = {f"Ej{len(names)}": Ref(f"Ej{len(names)}", link.name)}
                for i, name in enumerate(names, start=1):
                    for j, speed in enumerate(speeds, start=1):
                        writes[f"J_{i}_{j}"] = Ref("J", f"{name} {speed}")
                writes = {port.name: writes[port.name] for port in kernel.outputs}
                yield Call(kernel, link.name, taken(kernel, reads), writes)
            for name in self.conditions:
                for speed in speeds if name not in (*parting, *coupled) else ():
                    ref = Ref("J", f"{name} {speed}")
                    yield Call(zero, ref.member, {}, {"zero": ref})
        for hinge in self.couplings:
            yield self._coupling_slope(hinge)

    def stresses(self) -> Iterable[Call]:
        """What given multipliers `c` bring into all hinges while these are locked.

        Couplings bring in nothing: their forces act along speeds.
        """
        nothing = loop_kernels.unstressed.of(dimension=self.dimension)
        for link in self.plan.links:
            target = {"load": Ref("loads", f"{link.name}:{link.output}")}
            names = [name for i in self.held[link.name] for name in self.names_of(i)]
            if not names:
                yield Call(nothing, link.name, {}, target)
                continue
            feeds, reads, _ = self._feeds(link, bare=True)
            kernel = loop_kernels.stress.of(dimension=self.dimension, width=len(names), feeds=feeds)
            reads |= {f"mu_{j}": Ref("c", name) for j, name in enumerate(names, start=1)}
            reads["A"] = Ref("A", link.name)
            yield Call(kernel, link.name, taken(kernel, reads), target)
        for hinge in self.borne:
            side, end = reported(hinge)
            target = {"load": Ref("loads", str(end))}
            m = self.forms[hinge.name].count
            if not m:
                yield Call(nothing, hinge.name, {}, target)
                continue
            place, names = self._side(hinge.ends[side], ""), self.names_of(self.cuts.index(hinge))
            kernel = cut_kernels.load.at(None, self.forms[hinge.name], pushed=False, arriving=False)
            reads = {"A": place["A"], "arm": place["r"]}
            reads["E"] = Ref(f"E{'AB'[side]}{m}", hinge.name)
            reads |= {f"mu_{j}": Ref("c", name) for j, name in enumerate(names, start=1)}
            yield Call(kernel, hinge.name, taken(kernel, reads), target)

    def _coupling_slope(self, hinge: Hinge) -> Call:
        assert hinge.mimic is not None
        model = self.plan.model
        named = {other.name: other for other in model.hinges}
        speeds = [model.hinge_speeds(named[name])[0] for name in coupled(hinge)]
        writes = {f"J_{j}": Ref("J", f"{hinge.name} {u}") for j, u in enumerate(speeds, start=1)}
        if hinge.mimic.law is None:
            reads: Reads = {"ratio": column([hinge.mimic.ratio])}
            return Call(
                loop_kernels.coupling_slope.of(dimension=self.dimension), hinge.name, reads, writes
            )
        leaders = hinge.mimic.hinges
        reads = {f"s_{k}": Ref("cs", f"{hinge.name} {name}") for k, name in enumerate(leaders, 2)}
        kernel = loop_kernels.curve_slopes.of(dimension=self.dimension, leaders=len(leaders))
        return Call(kernel, hinge.name, reads, writes)

    def _speeds(self, link: Link) -> tuple[str, ...]:
        model = self.plan.model
        return model.hinge_speeds(next(h for h in model.hinges if h.name == link.hinge))


# What they add to a program


def condition_sets(of: Conditions) -> dict[str, tuple[str, ...]]:
    """The index sets that loops add."""
    model = of.plan.model
    return {
        "cuts": tuple(hinge.name for hinge in of.borne),
        "conditions": of.conditions,
        "cut coordinates": tuple(x for h in of.loaded for x in model.hinge_coordinates(h)),
        "cut speeds": tuple(x for h in of.loaded for x in model.hinge_speeds(h)),
        "slopes": tuple(f"{name} {u}" for name in of.conditions for u in model.speeds),
        **({"curves": of.curve_names} if of.curved else {}),
    }


def condition_arrays(of: Conditions) -> Iterable[Array]:
    """The arrays of the conditions, forces and drives of the cuts."""
    n, rows = of.space.motion, dict[str, int]()
    for name in ("phi", "phid"):
        yield Array(name, "conditions", Port(name), Storage.RESULT, name)
    yield Array("J", "slopes", Port("J"), Storage.RESULT, "J")
    for m in sorted(set(of.cut_widths)):
        yield _work("cuts", f"EA{m}", n, m)
        yield _work("cuts", f"EB{m}", n, m)
        yield _work("cuts", f"bias{m}", m)
    for name in ("at", "rate", "second"):
        yield _work("driven", name)
    yield _work("cut coordinates", "cq")
    yield _work("cut speeds", "cu")
    for freedom in sorted({len(of.laws[hinge.name]) for hinge in of.loaded}):
        yield _work("cuts", f"Tc{freedom}", freedom)
    for name in ("WA", "WB"):
        yield _work("cuts", name, n)
    yield _work("cuts", "Vc")
    if of.curved:
        yield _work("curves", "cs")
        yield _work("conditions", "cb")
        for call in of.curve_rows():
            (ref,) = call.writes.values()
            rows[ref.array] = call.kernel.outputs[0].cols
        for name, width in rows.items():
            yield _work("links", name, 1, width)


def loop_arrays(of: Conditions) -> Iterable[Array]:
    """The arrays of the columns and multipliers in the sweep."""
    if not of.size:
        return
    yield Array("c", "conditions", Port("c"), Storage.ARGUMENT, "c")
    yield Array("du", "speeds", Port("du"), Storage.RESULT, "du")
    size = of.size
    yield Array("Lam", "system", Port("Lam", size, size, True), Storage.RESULT, "Lam")
    yield Array("reach", "system", Port("reach", size), Storage.RESULT, "reach")
    for name in ("mu", "nu", "d"):
        yield _work("conditions", name)


def _work(index_set: str, name: str, rows: int = 1, cols: int = 1) -> Array:
    return Array(name, index_set, Port(name, rows, cols))

"""Closed loops in joint coordinates: calls, index sets and arrays that cuts add to a program."""

from __future__ import annotations

from collections.abc import Iterable

from ...model import Hinge
from ..language.program import Array, Call, Port, Ref, Storage
from ..mechanics.constants import column
from ..plans.ends import landing
from ..plans.plan import Link, reported
from . import cut_kernels, inverse_kernels, loop_kernels
from .acting import Reads
from .closing.corrections import Corrections
from .conditions import Conditions, coupled, taken
from .loop_kernels import Feed


class Loops(Corrections):
    """Besides the multipliers, what they bring into hinges, and how conditions change."""

    def _locked(self, link: Link) -> tuple[tuple[Feed, ...], Reads]:
        """What columns arrive at a link and pass it, of all hinges locked."""
        own = self.held[link.name]
        feeds: list[Feed] = []
        reads: Reads = {}
        for child in link.children:
            names = [i for i in self.held[child] if i in own]
            if names:
                ending = self._places(
                    [i for i in self.held[child] if i not in own], self.held[child]
                )
                feeds.append(Feed(self._places(names, own), begins=True, ending=ending))
                reads[f"Et_I{len(feeds)}"] = Ref(f"Ej{self._width(self.held[child])}", child)
        for i, hinge in enumerate(self.cuts):
            for side, end in zip("AB", hinge.ends, strict=True):
                if end.body == link.name and i in own:
                    feeds.append(Feed(self._places((i,), own), begins=True))
                    start = Ref(f"E{side}{self.widths[i]}", hinge.name)
                    reads[f"Et_I{len(feeds)}"] = start
        return tuple(feeds), reads

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
        for link in self.plan.links:
            speeds = self._speeds(link)
            names = [name for i in self.held[link.name] for name in self.names_of(i)]
            parting = self._parting(link)
            if names:
                feeds, reads = self._locked(link)
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
        for hinge in self.couplings:
            yield self._coupling_slope(hinge)

    def _parting(self, link: Link) -> list[str]:
        """The conditions whose two sides a link's hinge moves apart."""
        ways = enumerate(self.ways[: len(self.cuts)])
        return [name for i, (a, b) in ways if link.name in a ^ b for name in self.names_of(i)]

    def no_slopes(self) -> Iterable[Call]:
        """The entries of the conditions' Jacobian for speeds that do not change a condition."""
        zero = inverse_kernels.apart.of(dimension=self.dimension)
        for link in self.plan.links:
            coupled = [self.names_of(i)[0] for i in self.coefficients(link)]
            changed = {*self._parting(link), *coupled}
            for name in self.conditions:
                for speed in self._speeds(link) if name not in changed else ():
                    ref = Ref("J", f"{name} {speed}")
                    yield Call(zero, ref.member, {}, {"zero": ref})

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
            feeds, reads = self._locked(link)
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


def condition_sets(of: Loops) -> dict[str, tuple[str, ...]]:
    """The index sets that loops add."""
    model = of.plan.model
    return {
        "cuts": tuple(hinge.name for hinge in of.borne),
        "conditions": of.conditions,
        "closings": of.closing_names,
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
    for name in ("mu", "nu"):
        yield _work("conditions", name)


def _work(index_set: str, name: str, rows: int = 1, cols: int = 1) -> Array:
    return Array(name, index_set, Port(name, rows, cols))

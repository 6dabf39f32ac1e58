"""Closed loops in joint coordinates: the calls that the cuts add to a tree's program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sympy as sp

from ..errors import ModelError
from ..model import GROUND, End, Hinge
from ..model.quantities import exact_expression
from . import cutkernels, inversekernels, laws, loopkernels, recursionkernels
from .acting import Ground, Reads
from .beamprogram import Beams
from .constants import axes_of, column
from .cutkernels import CutHinge
from .ends import landing, reported
from .joints import PITCH, joint
from .loopkernels import Feed
from .plan import Link, Plan
from .program import Array, Call, Kernel, Port, Ref, Storage
from .space import Space


def _coupled(hinge: Hinge) -> tuple[str, str]:
    """The names of a hinge that follows another, and of that one."""
    assert hinge.mimic is not None
    return hinge.name, hinge.mimic.hinge


def _placed(member: str) -> Reads:
    """Place and motion of a link, or of a section of a beam."""
    arrays = (("A", "A"), ("x", "x"), ("v", "vl"), ("w", "w"))
    return {name: Ref(array, member) for name, array in arrays}


@dataclass(frozen=True)
class Mobility:
    """Of a link's hinge: kind, told from the child's side or not, speeds, rotor's inertia."""

    kind: str
    backward: bool
    freedom: int
    rotor: sp.Matrix | None = None


class Loops:
    """The conditions of a plan, their columns and multipliers: cuts, then coupled hinges."""

    def __init__(
        self, plan: Plan, ground: Ground, mobility: Mapping[str, Mobility], beams: Beams
    ) -> None:
        self.plan = plan
        self.beams = beams
        self.dimension = d = plan.model.dimension
        self.space = Space(d)
        self.place = ground
        self.ground = ground.at("acc")
        self.mobility = mobility
        self.forms = {hinge.name: CutHinge.of(d, hinge) for hinge in plan.cuts}
        self.cuts = [hinge for hinge in plan.cuts if self.forms[hinge.name].count]
        self.couplings = [hinge for hinge in plan.model.hinges if hinge.mimic]
        self.cut_widths = tuple(self.forms[hinge.name].count for hinge in self.cuts)
        self.widths = (*self.cut_widths, *(1 for _ in self.couplings))
        self.laws = {hinge.name: laws.force(d, hinge) for hinge in plan.cuts}
        self.loaded = [hinge for hinge in plan.cuts if any(x != 0 for x in self.laws[hinge.name])]
        self.driven = [hinge for hinge in self.cuts if hinge.motion]
        beyond = {link.hinge: link.name for link in plan.links}
        joined = [tuple(end.body for end in hinge.ends) for hinge in self.cuts]
        joined += [tuple(beyond[name] for name in _coupled(hinge)) for hinge in self.couplings]
        self.ways = [tuple(frozenset(plan.way(body)) for body in bodies) for bodies in joined]
        for hinge, (a, b) in zip(self.cuts, self.ways, strict=False):
            base = max(a & b, key=lambda body: len(plan.way(body)), default="")
            bends = any(body in beams.beams for body in {*(a ^ b), base})
            if not bends and not any(mobility[body].freedom for body in a ^ b):
                raise ModelError(
                    "closes a loop in which nothing can move; leave the hinge out",
                    element=f"hinge {hinge.name}",
                )
        for hinge in self.loaded:
            if any(end.body in beams.beams for end in hinge.ends):
                raise ModelError(
                    "cannot be cut: a force acts in it and it leads to a beam; cut another hinge "
                    "of its loop (cuts=…)",
                    element=f"hinge {hinge.name}",
                )
        self.active = {link.name: self._active(link.name) for link in plan.links}
        self.held = {
            link: tuple(i for i in own if i < len(self.cuts)) for link, own in self.active.items()
        }

    def _active(self, body: str) -> tuple[int, ...]:
        """The cuts and couplings whose columns pass through a link."""
        return tuple(i for i, (a, b) in enumerate(self.ways) if body in a | b)

    @property
    def borne(self) -> list[Hinge]:
        """The cuts that bear a load: those with conditions or a force law."""
        return [h for h in self.plan.cuts if h in self.cuts or h in self.loaded]

    @property
    def size(self) -> int:
        """Conditions in all."""
        return sum(self.widths)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Names of all conditions, cut by cut, then coupling by coupling."""
        return tuple(name for i in range(len(self.widths)) for name in self._names(i))

    def _names(self, number: int) -> list[str]:
        if number >= len(self.cuts):
            return [self.couplings[number - len(self.cuts)].name]
        return [f"{self.cuts[number].name}_{j + 1}" for j in range(self.widths[number])]

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
        names = (("A", "A"), ("x", "x"), ("v", "vl"), ("w", "w"))
        if end.body == GROUND:
            point = model.ground_point(end.point)
            known: Reads = {name: self.place.at(array) for name, array in names}
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

    def sides(self, hinge: Hinge) -> Reads:
        """Both sides of a cut, its pitch, and its prescribed motion if it is driven."""
        reads = self._side(hinge.ends[0], "a") | self._side(hinge.ends[1], "b")
        reads[PITCH.name] = sp.Matrix([exact_expression(hinge.pitch)])
        if hinge.motion:
            of = joint(self.dimension, hinge.kind)
            for i, name in enumerate(driven_names(hinge)):
                reads[of.q[i].name] = Ref("at", name)
                reads[of.u[i].name] = Ref("rate", name)
                reads[f"s{i + 1}"] = Ref("second", name)
        return reads

    def gaps(self) -> Iterable[Call]:
        for i, hinge in enumerate(self.cuts):
            kernel = cutkernels.gap(self.forms[hinge.name])
            writes: dict[str, Ref] = {}
            for j, name in enumerate(self._names(i), start=1):
                writes |= {f"phi_{j}": Ref("phi", name), f"phid_{j}": Ref("phid", name)}
            yield Call(kernel, hinge.name, taken(kernel, self.sides(hinge)), writes)
        for hinge in self.couplings:
            yield self._coupling_gap(hinge)

    def _coupling_gap(self, hinge: Hinge) -> Call:
        """How far a coupled hinge is from where it should be."""
        assert hinge.mimic is not None
        model = self.plan.model
        named = {other.name: other for other in model.hinges}
        reads: Reads = {
            "ratio": column([hinge.mimic.ratio]),
            "offset": column([hinge.mimic.offset]),
        }
        for number, name in enumerate(_coupled(hinge), start=1):
            reads[f"q_{number}"] = Ref("q", model.hinge_coordinates(named[name])[0])
            reads[f"u_{number}"] = Ref("v", model.hinge_speeds(named[name])[0])
        writes = {"phi_1": Ref("phi", hinge.name), "phid_1": Ref("phid", hinge.name)}
        return Call(loopkernels.coupling_gap(), hinge.name, reads, writes)

    def _coefficients(self, link: Link) -> dict[int, sp.Expr]:
        """σ: by coupling, what its condition demands of the speed of a link's hinge itself."""
        found: dict[int, sp.Expr] = {}
        for i, hinge in enumerate(self.couplings, start=len(self.cuts)):
            if link.hinge in _coupled(hinge):
                assert hinge.mimic is not None
                follows = link.hinge == hinge.name
                found[i] = sp.Integer(1) if follows else -exact_expression(hinge.mimic.ratio)
        return found

    def _row(self, link: Link) -> sp.Matrix | None:
        """σ among the columns that pass through a link: a row, or nothing."""
        own = self.active[link.name]
        found = {self._places((i,), own)[0]: x for i, x in self._coefficients(link).items()}
        if not found:
            return None
        return sp.Matrix(1, self.width(link.name), lambda _, j: found.get(int(j), 0))

    def coupling(self, link: Link) -> Reads:
        """σ of a link's hinge and the multipliers of its couplings, if it has any."""
        found = self._coefficients(link)
        if not found:
            return {}
        names = [name for i in found for name in self._names(i)]
        reads: Reads = {f"mu_{j}": Ref("mu", name) for j, name in enumerate(names, start=1)}
        return {"sigma": sp.Matrix([list(found.values())]), **reads}

    def openings(self) -> Iterable[Call]:
        for hinge, m in zip(self.cuts, self.cut_widths, strict=True):
            kernel = cutkernels.cut(self.forms[hinge.name])
            reads = self.sides(hinge)
            for side, end in zip("ab", hinge.ends, strict=True):
                still = sp.zeros(self.space.motion, 1)
                reads[f"g{side}"] = self.ground if end.body == GROUND else still
            writes = {f"{x}{m}": Ref(f"{x}{m}", hinge.name) for x in ("EA", "EB", "bias")}
            yield Call(kernel, hinge.name, taken(kernel, reads), writes)

    def _feeds(self, link: Link, bare: bool = False) -> tuple[tuple[Feed, ...], Reads, list[str]]:
        """What columns arrive at a link, from its inputs and the cuts at it, and at what points.

        `bare`: the columns alone, of all hinges locked.
        """
        active = self.held if bare else self.active
        own = active[link.name]
        feeds: list[Feed] = []
        reads: Reads = {}
        points = []
        for point, child in zip(link.inputs, link.children, strict=True):
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
            kernel = loopkernels.gather(self.dimension, c, feeds)
            writes = {f"{x}{c}": Ref(f"{x}{c}", link.name) for x in ("E", "kb", "L")}
            yield Call(kernel, link.name, reads, writes)

    def passed(self, link: Link) -> Iterable[Call]:
        """Columns behind a link's hinge."""
        c = self.width(link.name)
        if c:
            of, coupling = self.mobility[link.name], self._row(link)
            extra = {"rho": of.rotor, "sigma": coupling}
            kernel = loopkernels.through(
                self.dimension,
                of.kind,
                of.backward,
                of.freedom > 0,
                c,
                frozenset(name for name, value in extra.items() if value is not None),
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

    def multipliers(self) -> Iterable[Call]:
        feeds, reads = self._roots()
        couplings = len(self.couplings)
        kernel = loopkernels.multipliers(self.dimension, self.cut_widths, feeds, couplings)
        reads["ground"] = self.ground
        for j, (hinge, m) in enumerate(zip(self.cuts, self.cut_widths, strict=True), start=1):
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
            kernel = recursionkernels.accelerate(self.dimension, freedom)
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
        kernel = cutkernels.load(self.dimension, m, hinge in self.loaded, arriving)
        place = self._side(hinge.ends[side], "")
        reads: Reads = {"A": place["A"], "arm": place["r"]}
        reads["W"] = Ref(f"W{'AB'[side]}", hinge.name)
        if m:
            reads["E"] = Ref(f"E{'AB'[side]}{m}", hinge.name)
            reads |= self.multipliers_of(hinge)
        return Call(kernel, hinge.name, taken(kernel, reads), {"load": target})

    def multipliers_of(self, hinge: Hinge) -> Reads:
        """The multipliers of a cut's own conditions."""
        names = self._names(self.cuts.index(hinge))
        return {f"mu_{j}": Ref("mu", name) for j, name in enumerate(names, start=1)}

    def holding(self, link: Link) -> tuple[tuple[int, ...], Reads]:
        """The cuts that hold a link: their widths, their columns and multipliers, numbered."""
        held: list[int] = []
        reads: Reads = {}
        for hinge, m in zip(self.cuts, self.cut_widths, strict=True):
            for side, end in zip("AB", hinge.ends, strict=True):
                if end.body == link.name:
                    held.append(m)
                    k = len(held)
                    reads[f"E_{k}"] = Ref(f"E{side}{m}", hinge.name)
                    names = self._names(self.cuts.index(hinge))
                    reads |= {f"mu_{k}_{j}": Ref("mu", n) for j, n in enumerate(names, start=1)}
        return tuple(held), reads

    def slopes(self) -> Iterable[Call]:
        """The conditions' Jacobian: columns moved inwards with all hinges locked."""
        zero = inversekernels.apart()
        for link in self.plan.links:
            speeds = self._speeds(link)
            names = [name for i in self.held[link.name] for name in self._names(i)]
            parting = [
                name
                for i, (a, b) in enumerate(self.ways[: len(self.cuts)])
                if link.name in a ^ b
                for name in self._names(i)
            ]
            coupled = [self._names(i)[0] for i in self._coefficients(link)]
            if names:
                feeds, reads, _ = self._feeds(link, bare=True)
                moved = tuple(name in parting for name in names)
                kernel = loopkernels.slope(self.dimension, len(speeds), feeds, moved)
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

    def _coupling_slope(self, hinge: Hinge) -> Call:
        assert hinge.mimic is not None
        model = self.plan.model
        named = {other.name: other for other in model.hinges}
        speeds = [model.hinge_speeds(named[name])[0] for name in _coupled(hinge)]
        writes = {f"J_{j}": Ref("J", f"{hinge.name} {u}") for j, u in enumerate(speeds, start=1)}
        reads: Reads = {"ratio": column([hinge.mimic.ratio])}
        return Call(loopkernels.coupling_slope(), hinge.name, reads, writes)

    def _speeds(self, link: Link) -> tuple[str, ...]:
        model = self.plan.model
        return model.hinge_speeds(next(h for h in model.hinges if h.name == link.hinge))

    def sets(self) -> dict[str, tuple[str, ...]]:
        """The index sets that loops add."""
        model = self.plan.model
        return {
            "cuts": tuple(hinge.name for hinge in self.borne),
            "conditions": self.conditions,
            "cut coordinates": tuple(x for h in self.loaded for x in model.hinge_coordinates(h)),
            "cut speeds": tuple(x for h in self.loaded for x in model.hinge_speeds(h)),
            "slopes": tuple(f"{name} {u}" for name in self.conditions for u in model.speeds),
        }

    def demands(self) -> Iterable[Array]:
        """The arrays of the conditions, forces and drives of the cuts."""

        def work(index_set: str, name: str, rows: int = 1, cols: int = 1) -> Array:
            return Array(name, index_set, Port(name, rows, cols))

        n = self.space.motion
        for name in ("phi", "phid"):
            yield Array(name, "conditions", Port(name), Storage.RESULT, name)
        yield Array("J", "slopes", Port("J"), Storage.RESULT, "J")
        for m in sorted(set(self.cut_widths)):
            yield work("cuts", f"EA{m}", n, m)
            yield work("cuts", f"EB{m}", n, m)
            yield work("cuts", f"bias{m}", m)
        held = {sum(self.widths[i] for i in own) for own in self.held.values()}
        for c in sorted(held - {0}):
            yield work("links", f"Ej{c}", n, c)
        for name in ("at", "rate", "second"):
            yield work("driven", name)
        yield work("cut coordinates", "cq")
        yield work("cut speeds", "cu")
        for freedom in sorted({len(self.laws[hinge.name]) for hinge in self.loaded}):
            yield work("cuts", f"Tc{freedom}", freedom)
        for name in ("WA", "WB"):
            yield work("cuts", name, n)
        yield work("cuts", "Vc")

    def arrays(self) -> Iterable[Array]:
        """The arrays of the columns and multipliers in the sweep."""
        if not self.size:
            return
        n = self.space.motion

        def work(index_set: str, name: str, rows: int = 1, cols: int = 1) -> Array:
            return Array(name, index_set, Port(name, rows, cols))

        yield Array("c", "conditions", Port("c"), Storage.ARGUMENT, "c")
        yield Array("du", "speeds", Port("du"), Storage.RESULT, "du")
        size = self.size
        yield Array("Lam", "system", Port("Lam", size, size, True), Storage.RESULT, "Lam")
        for name in ("mu", "nu"):
            yield work("conditions", name)
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


def taken(kernel: Kernel, known: Reads) -> Reads:
    """Of what is known, what a kernel takes."""
    return {port.name: known[port.name] for port in kernel.inputs}


def driven_names(hinge: Hinge) -> tuple[str, ...]:
    """Names of a driven hinge's coordinates: the hinge's, a number where it has several."""
    count = len(hinge.motion)
    if count == 1:
        return (hinge.name,)
    return tuple(f"{hinge.name}_{j}" for j in range(1, count + 1))

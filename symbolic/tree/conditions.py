"""What cut and coupled hinges demand of a tree: conditions, counted cut by cut, then by coupling.

Each condition is borne by a multiplier, whose column passes through the links between the two
sides of its hinge. Here stand who they are, which links each passes, and how far a hinge is from
what it demands.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import sympy as sp

from ...errors import ModelError, UsageError
from ...model import GROUND, End, Hinge, Model
from ...model.expressions.quantities import exact_expression, hinge_symbol
from ..language.program import Call, Kernel, Ref, Slot
from ..mechanics import laws
from ..mechanics.constants import axes_of, column
from ..mechanics.hinges import joint, sizes
from ..mechanics.space import Space
from ..plans.closings import Closings, Item
from ..plans.plan import Link, Plan
from . import cut_force_kernels, cut_kernels, loop_kernels
from .acting import Ground, Reads, symbols
from .beams import Beams
from .cut_kernels import CutHinge


@dataclass(frozen=True)
class Mobility:
    """Of a link's hinge: kind, described from the child's side or not, speeds, rotor's inertia."""

    kind: str
    backward: bool
    freedom: int
    rotor: sp.Matrix | None = None


@dataclass(frozen=True)
class Bearing:
    """A cut hinge that bears a load: its form, and the generalised force of its law."""

    hinge: Hinge
    form: CutHinge
    law: tuple[sp.Expr, ...]

    @property
    def demands(self) -> bool:
        """Has it conditions? An elastic or a free one has none."""
        return bool(self.form.count)

    @property
    def acts(self) -> bool:
        """Does a law, a spring or a damper act in it?"""
        return any(x != 0 for x in self.law)


def bearing(model: Model) -> list[Bearing]:
    """The cuts that bear a load, those with conditions or a force law, in the model's order."""
    d = model.dimension
    cuts = (hinge for hinge in model.hinges if hinge.name in model.cuts)
    every = (Bearing(hinge, CutHinge.of(d, hinge), laws.force(d, hinge)) for hinge in cuts)
    return [x for x in every if x.demands or x.acts]


class Conditions:
    """The conditions of a plan, cuts first, then coupled hinges."""

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
        followers = plan.model.followers
        self.couplings = [h for h in plan.model.hinges if h.mimic and h.name not in followers]
        self.curved = [h for h in self.couplings if h.mimic and h.mimic.law is not None]
        self.cut_widths = tuple(self.forms[hinge.name].count for hinge in self.cuts)
        self.widths = (*self.cut_widths, *(1 for _ in self.couplings))
        self.laws = {hinge.name: laws.force(d, hinge) for hinge in plan.cuts}
        self.loaded = [hinge for hinge in plan.cuts if any(x != 0 for x in self.laws[hinge.name])]
        self.driven = [hinge for hinge in self.cuts if hinge.motion]
        beyond = {link.hinge: link.name for link in plan.links}
        joined = [tuple(end.body for end in hinge.ends) for hinge in self.cuts]
        joined += [tuple(beyond[name] for name in coupled(hinge)) for hinge in self.couplings]
        self.ways = [tuple(frozenset(plan.way(body)) for body in bodies) for bodies in joined]
        for hinge, (a, b) in zip(self.cuts, self.ways[: len(self.cuts)], strict=True):
            base = max(a & b, key=lambda body: len(plan.way(body)), default="")
            bends = not beams.bending.isdisjoint({*(a ^ b), base})
            if not bends and not any(mobility[body].freedom for body in a ^ b):
                raise ModelError(
                    "closes a loop in which nothing can move; leave the hinge out",
                    element=f"hinge {hinge.name}",
                )
        for hinge in self.loaded:
            if not cut_force_kernels.is_read(d, hinge.kind):
                raise ModelError(
                    f"cannot be cut: a force acts in it, and the coordinates of a {hinge.kind} "
                    "hinge cannot be read off its pose; cut another hinge of its loop (cuts=…)",
                    element=f"hinge {hinge.name}",
                )
            if any(end.body in beams.beams for end in hinge.ends):
                raise ModelError(
                    "cannot be cut: a force acts in it and it leads to a beam; cut another hinge "
                    "of its loop (cuts=…)",
                    element=f"hinge {hinge.name}",
                )
        items = [
            Item(bodies, n < len(self.cuts), width)
            for n, (bodies, width) in enumerate(zip(joined, self.widths, strict=True))
        ]
        self.closings = Closings(plan, items, beams.beams)
        #: The cuts and couplings whose columns pass each link's hinge, in the order they close.
        self.active = self.closings.passing
        self.held = {
            link: tuple(i for i in own if i < len(self.cuts)) for link, own in self.active.items()
        }

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
        return tuple(name for i in range(len(self.widths)) for name in self.names_of(i))

    @property
    def curve_names(self) -> tuple[str, ...]:
        """The slopes of the laws by which hinges follow, each by both hinges' names."""
        return tuple(f"{h.name} {other}" for h in self.curved for other in coupled(h)[1:])

    def names_of(self, number: int) -> list[str]:
        if number >= len(self.cuts):
            return [self.couplings[number - len(self.cuts)].name]
        return [f"{self.cuts[number].name}_{j + 1}" for j in range(self.widths[number])]

    @property
    def extents(self) -> tuple[float, ...]:
        """The size that each condition is judged by: a length of the model, or 1 of an angle."""
        length, found = self.plan.model.longest, list[float]()
        for hinge in self.cuts:
            places, pairs = self.forms[hinge.name].held
            own = [length] * len(places) + [1.0] * len(pairs)
            found += [*own, *[length] * (self.forms[hinge.name].count - len(own))]
        for hinge in self.couplings:
            of = joint(self.dimension, hinge.kind)
            found.append(1.0 if of.slots[0] is Slot.ANGLE else length)
        return tuple(found)

    def width(self, link: str) -> int:
        """Columns that pass through a link's hinge."""
        return sum(self.widths[i] for i in self.active[link])

    def _places(self, cuts: Iterable[int], among: tuple[int, ...]) -> tuple[int, ...]:
        start, at = {}, 0
        for i in among:
            start[i] = at
            at += self.widths[i]
        return tuple(start[i] + j for i in cuts for j in range(self.widths[i]))

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
        """Both sides of a cut, its sizes, and its prescribed motion if it is driven."""
        reads = self._side(hinge.ends[0], "a") | self._side(hinge.ends[1], "b")
        reads |= {size.name: sp.Matrix([x]) for size, x in sizes(hinge).items()}
        if hinge.motion:
            of = joint(self.dimension, hinge.kind)
            for i, name in enumerate(driven_names(hinge)):
                reads[of.q[i].name] = Ref("at", name)
                reads[of.u[i].name] = Ref("rate", name)
                reads[f"s{i + 1}"] = Ref("second", name)
        return reads

    def gaps(self) -> Iterable[Call]:
        for i, hinge in enumerate(self.cuts):
            kernel = cut_kernels.gap.at(None, self.forms[hinge.name])
            writes: dict[str, Ref] = {}
            for j, name in enumerate(self.names_of(i), start=1):
                writes |= {f"phi_{j}": Ref("phi", name), f"phid_{j}": Ref("phid", name)}
            yield Call(kernel, hinge.name, taken(kernel, self.sides(hinge)), writes)
        for hinge in self.couplings:
            yield self._coupling_gap(hinge)

    def _coupling_gap(self, hinge: Hinge) -> Call:
        """How far a coupled hinge is from where it should be."""
        assert hinge.mimic is not None
        reads = self._coupled_state(hinge)
        writes = {"phi_1": Ref("phi", hinge.name), "phid_1": Ref("phid", hinge.name)}
        if hinge.mimic.law is None:
            reads["ratio"] = column([hinge.mimic.ratio])
            reads["offset"] = column([hinge.mimic.offset])
            kernel = loop_kernels.coupling_gap.of(dimension=self.dimension)
            return Call(kernel, hinge.name, taken(kernel, reads), writes)
        kernel = loop_kernels.curve_gap.of(**self._curve(hinge))
        return Call(kernel, hinge.name, taken(kernel, reads), writes)

    def _curve(self, hinge: Hinge) -> dict[str, Hashable]:
        """What kernels ask of the law by which a hinge follows others."""
        assert hinge.mimic is not None
        return {
            "dimension": self.dimension,
            "label": hinge.name,
            "law": curve(hinge),
            "leaders": len(hinge.mimic.hinges),
        }

    def _coupled_state(self, hinge: Hinge) -> Reads:
        """Coordinates and speeds of a hinge that follows, then of those that it follows."""
        model = self.plan.model
        named = {other.name: other for other in model.hinges}
        reads: Reads = {}
        for number, name in enumerate(coupled(hinge), start=1):
            reads[f"q_{number}"] = Ref("q", model.hinge_coordinates(named[name])[0])
            reads[f"u_{number}"] = Ref("v", model.hinge_speeds(named[name])[0])
        return reads | (symbols(model) if self.curved else {})

    def curves(self) -> Iterable[Call]:
        """Of the hinges that follow by a law: σ of those that they follow, and the bias."""
        for hinge in self.curved:
            known = self._coupled_state(hinge)
            leaders = coupled(hinge)[1:]
            kernel = loop_kernels.curve_slope.of(**self._curve(hinge))
            writes = {
                f"s_{k}": Ref("cs", f"{hinge.name} {name}") for k, name in enumerate(leaders, 2)
            }
            if leaders:
                yield Call(kernel, hinge.name, taken(kernel, known), writes)
            kernel = loop_kernels.curve_bias.of(**self._curve(hinge))
            yield Call(kernel, hinge.name, taken(kernel, known), {"b": Ref("cb", hinge.name)})

    def curve_rows(self) -> Iterable[Call]:
        """σ of links among whose coefficients are some that vary, in both orders that are read."""
        for link in self.plan.links:
            found = self.coefficients(link)
            if not any(isinstance(x, Ref) for x in found.values()):
                continue
            own = self.active[link.name]
            wide = {self._places((i,), own)[0]: x for i, x in found.items()}
            near = dict(enumerate(found.values()))
            for stem, entries, size in (
                ("sig", wide, self.width(link.name)),
                ("sgm", near, len(found)),
            ):
                kernel = loop_kernels.row.of(
                    dimension=self.dimension, width=size, places=tuple(sorted(entries))
                )
                reads: Reads = {
                    f"s_{k}": x if isinstance(x, Ref) else sp.Matrix([x])
                    for k, x in entries.items()
                }
                yield Call(kernel, link.name, reads, {"sigma": Ref(f"{stem}{size}", link.name)})

    def coefficients(self, link: Link) -> dict[int, sp.Expr | Ref]:
        """σ: by coupling, what its condition demands of the speed of a link's hinge itself."""
        found: dict[int, sp.Expr | Ref] = {}
        for i, hinge in enumerate(self.couplings, start=len(self.cuts)):
            if link.hinge in coupled(hinge):
                assert hinge.mimic is not None
                follows = link.hinge == hinge.name
                if follows:
                    found[i] = sp.Integer(1)
                elif hinge.mimic.law is None:
                    found[i] = -exact_expression(hinge.mimic.ratio)
                else:
                    found[i] = Ref("cs", f"{hinge.name} {link.hinge}")
        return found

    def _row(self, link: Link) -> sp.Matrix | Ref | None:
        """σ among the columns that pass through a link: a row, or nothing."""
        own, size = self.active[link.name], self.width(link.name)
        found = {self._places((i,), own)[0]: x for i, x in self.coefficients(link).items()}
        if not found:
            return None
        if any(isinstance(x, Ref) for x in found.values()):
            return Ref(f"sig{size}", link.name)
        return sp.Matrix(1, size, lambda _, j: found.get(int(j), 0))

    def coupling(self, link: Link) -> Reads:
        """σ of a link's hinge and the multipliers of its couplings, if it has any."""
        found = self.coefficients(link)
        if not found:
            return {}
        names = [name for i in found for name in self.names_of(i)]
        reads: Reads = {f"mu_{j}": Ref("mu", name) for j, name in enumerate(names, start=1)}
        if any(isinstance(x, Ref) for x in found.values()):
            return {"sigma": Ref(f"sgm{len(found)}", link.name), **reads}
        return {"sigma": sp.Matrix([list(found.values())]), **reads}

    def openings(self) -> Iterable[Call]:
        for hinge, m in zip(self.cuts, self.cut_widths, strict=True):
            kernel = cut_kernels.cut.at(None, self.forms[hinge.name])
            reads = self.sides(hinge)
            for side, end in zip("ab", hinge.ends, strict=True):
                still = sp.zeros(self.space.motion, 1)
                reads[f"g{side}"] = self.ground if end.body == GROUND else still
            writes = {f"{x}{m}": Ref(f"{x}{m}", hinge.name) for x in ("EA", "EB", "bias")}
            yield Call(kernel, hinge.name, taken(kernel, reads), writes)

    def multipliers_of(self, hinge: Hinge) -> Reads:
        """The multipliers of a cut's own conditions."""
        names = self.names_of(self.cuts.index(hinge))
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
                    names = self.names_of(self.cuts.index(hinge))
                    reads |= {f"mu_{k}_{j}": Ref("mu", n) for j, n in enumerate(names, start=1)}
        return tuple(held), reads


def refuse(
    of: Conditions,
    takes: str,
    instead: str,
    closed: bool = False,
    kinds: Mapping[str, str] = MappingProxyType({}),
    **more: bool,
) -> None:
    """See that a tree stands on the ground, all rigid and driven by forces alone.

    `closed`: loops and couplings are taken too; `kinds`: those of hinges that are not, each with
    a hinge of the model that is one; `more`: what else is not, and whether the model has it.

    Raises
        UsageError: names what the model has of all that.
    """
    model = of.plan.model
    reasons = {
        "beams": bool(model.beams),
        "closed loops": bool(of.cuts or of.borne) and not closed,
        "coupled hinges": bool(of.couplings) and not closed,
        "driven hinges": any(hinge.motion for hinge in model.hinges),
        "a moving base": model.base is not None,
    } | {reason.replace("_", " "): holds for reason, holds in more.items()}
    found = [reason for reason, holds in reasons.items() if holds]
    found += [
        f"{kind} hinges (hinge {name}: its screws stand still in neither body)"
        for kind, name in sorted(kinds.items())
    ]
    if found:
        raise UsageError(
            f"{model.name}: {takes} on the ground, without {' and '.join(found)}; {instead}"
        )


def taken(kernel: Kernel, known: Reads) -> Reads:
    """Of what is known, what a kernel takes."""
    return {port.name: known[port.name] for port in kernel.inputs}


def driven_names(hinge: Hinge) -> tuple[str, ...]:
    """Names of a driven hinge's coordinates: the hinge's, a number where it has several."""
    count = len(hinge.motion)
    if count == 1:
        return (hinge.name,)
    return tuple(f"{hinge.name}_{j}" for j in range(1, count + 1))


def coupled(hinge: Hinge) -> tuple[str, ...]:
    """The names of a hinge that follows others, and of those."""
    assert hinge.mimic is not None
    return hinge.name, *hinge.mimic.leaders


def curve(hinge: Hinge) -> sp.Expr:
    """The law by which a hinge follows others, as kernels call their coordinates: q_2, q_3, …"""
    assert hinge.mimic is not None
    assert hinge.mimic.law is not None
    names = {
        hinge_symbol("q", k): sp.Symbol(f"q_{k + 1}", real=True)
        for k in range(1, len(hinge.mimic.hinges) + 1)
    }
    return laws.settled(hinge.mimic.law).xreplace(names)


def _placed(member: str) -> Reads:
    """Place and motion of a link, or of a section of a beam."""
    arrays = (("A", "A"), ("x", "x"), ("v", "vl"), ("w", "w"))
    return {name: Ref(array, member) for name, array in arrays}

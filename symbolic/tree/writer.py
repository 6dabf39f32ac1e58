"""The calls of the Riccati method in joint coordinates, one step at a time.

Shared by the programs that differ in which steps they run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from ...model import GROUND, Beam, End, Hinge, Model
from ...model.quantities import TIME
from ..language.program import (
    Array,
    Call,
    Entry,
    Kernel,
    KernelBuilder,
    Map,
    Port,
    Ref,
    Slot,
    Step,
    Sweep,
)
from ..mechanics import laws
from ..mechanics.constants import LinkConstants, axes_of, column
from ..mechanics.hinges import joint, sizes
from ..mechanics.space import Space
from ..mechanics.turning import Way
from ..plans.plan import Link, Plan, reported
from . import motion_kernels as kernels
from . import recursion_kernels
from .acting import Ground, Loads, Reads, outside, symbols
from .beams import Beams
from .conditions import Mobility, driven_names
from .cut_forces import CutForces
from .loop_arrays import condition_sets
from .loops import Loops


@dataclass(frozen=True)
class Hung:
    """A link's hinge: the hinge, whether it is described from the child's side, and its place."""

    hinge: Hinge
    backward: bool
    entry: sp.Matrix
    arm: sp.Matrix


class Linkage:
    """The links of a plan with their hinges, laws and loops, and what kernels read of them."""

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None = None) -> None:
        self.plan = plan
        self.model: Model = plan.model
        self.dimension = d = plan.model.dimension
        self.space = Space(d)
        self.forced = forced
        self.loaded = forced if loaded is None else loaded
        self.ground = Ground(self.model)
        self.applied = Loads(plan)
        self.zero = sp.zeros(d, 1)
        self.beams = Beams(plan, self.loaded)
        self.data = self._constants()
        hinges = {hinge.name: hinge for hinge in self.model.hinges}
        self.hung = {link.name: self._hang(link, hinges[link.hinge]) for link in plan.links}
        self.laws = {hinge.name: laws.force(d, hinge) for hinge in self.model.tree_hinges}
        given = [(*h.force, *h.motion, h.potential) for h in self.model.hinges]
        self.timed = laws.timed(*(law for each in given for law in each), *outside(self.model))
        mobility = {
            link.name: Mobility(
                hung.hinge.kind, hung.backward, self.freedom(link), self.rotor(link)
            )
            for link in plan.links
            for hung in [self.hung[link.name]]
        }
        self.loops = Loops(plan, self.ground, mobility, self.beams)
        self.cut_forces = CutForces(self.loops)

    def _constants(self) -> dict[str, LinkConstants]:
        same: dict[tuple[object, ...], LinkConstants] = {}
        data = {}
        for link in self.plan.links:
            body = link.body
            if isinstance(body, Beam):
                continue
            key = (body.mass, body.inertia, body.centre, body.points, link.output, link.inputs)
            if key not in same:
                same[key] = LinkConstants.of(body, link.output, link.inputs, self.dimension)
            data[link.name] = same[key]
        return data

    def _hang(self, link: Link, hinge: Hinge) -> Hung:
        backward = hinge.ends[0] == End(link.name, link.output)
        if link.parent is None:
            end = next(end for end in hinge.ends if end.body == GROUND)
            point = self.model.ground_point(end.point)
            axes = axes_of(point, self.dimension)
            return Hung(hinge, backward, axes, column(point.position))
        parent = self.plan.link(link.parent)
        if isinstance(parent.body, Beam):
            return Hung(hinge, backward, sp.eye(self.dimension), self.zero)
        k = parent.children.index(link.name)
        data = self.data[parent.name]
        return Hung(hinge, backward, data.entries[k], data.arms[k])

    def way(self, member: str) -> tuple[Way, Reads]:
        """How a member's axes turn into those of what it moves on, and what that reads."""
        hung = self.hung.get(member)
        if hung is None:  # a part of a beam
            return Way(), read_at(member, "C")
        of = joint(self.dimension, hung.hinge.kind)
        way = Way.of(of.rotation, hung.entry)
        taken = KernelBuilder("", "")
        way.taken(taken, self.space)
        reads: Reads = read_at(member, *(port.name for port in taken.inputs))
        return way, reads | ({"K": hung.entry} if "K" in reads else {})

    def freedom(self, link: Link) -> int:
        """Speeds of the link's hinge: none if it is driven."""
        return len(self.model.hinge_speeds(self.hung[link.name].hinge))

    def acting(self, link: Link) -> bool:
        """Does a force act in the link's hinge?"""
        law = self.laws[link.hinge]
        return self.freedom(link) > 0 and (self.forced or any(x != 0 for x in law))

    def rotor(self, link: Link) -> sp.Matrix | None:
        """Inertia of a rotor along each speed of the link's hinge, none if it is driven."""
        inertia = self.hung[link.name].hinge.rotor
        return column(inertia) if inertia and self.freedom(link) else None

    def resisting(self, link: Link) -> Reads:
        """A kernel's further input where the link's hinge has a rotor."""
        rotor = self.rotor(link)
        return {} if rotor is None else {"rho": rotor}

    def law(self, link: Link) -> tuple[sp.Expr, ...]:
        """The force in the link's hinge; in a driven one, that of its rotor."""
        hinge = self.hung[link.name].hinge
        if not hinge.motion:
            return self.laws[hinge.name]
        rates = sp.Matrix(list(map(laws.settled, hinge.motion))).diff(TIME, 2)
        return tuple(-x * rate for x, rate in zip(column(hinge.rotor), rates, strict=False))

    def pushed(self, link: Link) -> bool:
        """Is there a law of the force in the link's hinge, or of its rotor's?"""
        return self.acting(link) or any(x != 0 for x in self.law(link))

    def driven(self) -> list[Link]:
        return [link for link in self.plan.links if self.hung[link.name].hinge.motion]

    def outward(self) -> Iterable[Link]:
        return reversed(self.plan.links)

    def members(self) -> Iterable[tuple[str, str | None]]:
        """Links and the parts of beams outwards, each with what it moves relative to."""
        for link in self.outward():
            yield link.name, self.beams.base(link)
            yield from ((part.name, part.base) for part in self.beams.parts(link.name))

    def at(self, array: str, base: str | None) -> Ref | sp.Matrix:
        """A member's value; without one, the ground's."""
        return self.ground.at(array) if base is None else Ref(array, base)

    def of_parent(self, array: str, link: Link) -> Ref | sp.Matrix:
        return self.at(array, self.beams.base(link))

    def own(self, link: Link, *names: str) -> Reads:
        return read_at(link.name, *names)

    def state(self, link: Link) -> Reads:
        """A hinge's coordinates, speeds and sizes, the time and all parameters, by name."""
        hinge = self.hung[link.name].hinge
        of = joint(self.dimension, hinge.kind)
        reads = symbols(self.model)
        reads |= {size.name: sp.Matrix([x]) for size, x in sizes(hinge).items()}
        if hinge.motion:
            return reads
        for symbol, name in zip(of.q, self.model.hinge_coordinates(hinge), strict=True):
            reads[symbol.name] = Ref("q", name)
        for symbol, name in zip(of.u, self.model.hinge_speeds(hinge), strict=True):
            reads[symbol.name] = Ref("v", name)
        return reads


def read_at(member: str, *names: str) -> Reads:
    """A member's values, each by the name of its array."""
    return {name: Ref(name, member) for name in names}


class Writer(Linkage):
    """Collects the calls of the program, step by step."""

    def relatives(self) -> Iterable[Call]:
        for link in self.plan.links:
            hung = self.hung[link.name]
            kernel = self._relative(hung)
            known = self.state(link) | {"K": hung.entry, "rk": hung.arm}
            yield Call(
                kernel,
                link.name,
                {port.name: known[port.name] for port in kernel.inputs},
                {port.name: Ref(port.name, link.name) for port in kernel.outputs},
            )
            yield from self.beams.relatives(link)

    def _relative(self, hung: Hung) -> Kernel:
        hinge = hung.hinge
        if not hinge.motion:
            return kernels.relative(self.dimension, hinge.kind, hung.backward)
        motion = tuple(map(laws.settled, hinge.motion))
        return kernels.driven(hinge.name, self.dimension, hinge.kind, hung.backward, motion)

    def forces(self) -> Iterable[Call]:
        named: dict[tuple[sp.Expr, ...], str] = {}
        for link in self.plan.links:
            if not self.pushed(link):
                continue
            hinge, law = self.hung[link.name].hinge, self.law(link)
            label = named.setdefault(law, hinge.name)
            count, forced = self.freedom(link) or len(law), self.forced and self.acting(link)
            kernel = kernels.force(label, law, count, forced)
            known = self.state(link)
            speeds = self.model.hinge_speeds(hinge)
            known |= {f"tau_{j}": Ref("tau", name) for j, name in enumerate(speeds, start=1)}
            yield Call(
                kernel,
                link.name,
                {port.name: known[port.name] for port in kernel.inputs},
                {port.name: Ref(port.name, link.name) for port in kernel.outputs},
            )

    def spins(self) -> Iterable[Call]:
        for member, base in self.members():
            way, pose = self.way(member)
            kernel = kernels.spins(self.dimension, way)
            reads = read_at(member, "wr") | {"wp": self.at("w", base)}
            reads |= {name: x for name, x in pose.items() if self.dimension == 3}
            yield Call(kernel, member, reads, {"w": Ref("w", member)})

    def through(self, link: Link) -> tuple[Kernel, Reads]:
        """The kernel of the link's hinge and what it reads."""
        hung = self.hung[link.name]
        way, pose = self.way(link.name)
        kernel = recursion_kernels.hinge(
            self.dimension,
            hung.hinge.kind,
            hung.backward,
            self.acting(link),
            self.freedom(link) > 0,
            self.rotor(link) is not None,
            way,
        )
        known = self.own(link, *(port.name for port in kernel.inputs)) | pose
        known |= {"wp": self.of_parent("w", link), **self.resisting(link)}
        return kernel, {port.name: known[port.name] for port in kernel.inputs}

    def pushes(self, link: Link) -> Reads:
        """The wrenches of cuts and loads on a link, numbered as its body takes them."""
        found = [*self.cut_forces.on(link), *self.applied.on(link.name)]
        return {f"W_{k}": ref for k, ref in enumerate(found, start=1)}

    def places(self) -> Iterable[Call]:
        kernel = kernels.place(self.dimension)
        for member, base in self.members():
            reads = read_at(member, "C", "r") | {
                "Ap": self.at("A", base),
                "xp": self.at("x", base),
            }
            yield Call(kernel, member, reads, read_at(member, "A", "x"))

    def poses(self) -> Iterable[Call]:
        kernel = kernels.pose(self.dimension)
        for link in self.plan.links:
            if isinstance(link.body, Beam):
                reads = read_at(self.beams.frame(link), "A", "x")
                reads |= {"Kb": sp.eye(self.dimension), "ob": self.zero}
            else:
                data = self.data[link.name]
                reads = self.own(link, "A", "x") | {"Kb": data.axes, "ob": data.origin}
            yield Call(kernel, link.name, reads, {"pose": Ref("poses", link.name)})

    def velocities(self) -> Iterable[Call]:
        kernel = kernels.speed(self.dimension)
        for member, base in self.members():
            reads = read_at(member, "C", "r", "vr") | {
                "vp": self.at("vl", base),
                "wp": self.at("w", base),
            }
            yield Call(kernel, member, reads, {"vl": Ref("vl", member)})

    def stores(self) -> Iterable[Call]:
        """The energy stored in every hinge that stores any."""
        named: dict[sp.Expr, str] = {}
        for link, law in self._stored():
            kernel = kernels.stored(named.setdefault(law, link.hinge), law)
            known = self.state(link)
            reads = {port.name: known[port.name] for port in kernel.inputs}
            yield Call(kernel, link.name, reads, {"V": Ref("V", link.name)})
        yield from self.cut_forces.stores()

    def _stored(self) -> Iterable[tuple[Link, sp.Expr]]:
        for link in self.plan.links:
            hinge = self.hung[link.name].hinge
            law = laws.potential(self.dimension, hinge)
            if law != 0 and not hinge.motion:
                yield link, law

    def energies(self) -> Iterable[Call]:
        kernel = kernels.energy(self.dimension)
        springs = {link.name: [Ref("V", link.name)] for link, _ in self._stored()}
        root = self.plan.root.name
        springs.setdefault(root, []).extend(Ref("Vc", name) for name in self.cut_forces.storing)
        before: Ref | sp.Matrix = sp.zeros(1, 1)
        for link in self.plan.links:
            spinning = self.spinning(link, before)
            yield from spinning
            before = Ref("Erotor", link.name) if spinning else before
            own = springs.get(link.name, [])
            if own:
                reads: Reads = {f"V_{j}": ref for j, ref in enumerate(own, start=1)}
                reads["Ebefore"] = before
                before = Ref("Espring", link.name)
                yield Call(kernels.sprung(len(own)), link.name, reads, {"E": before})
            here = Ref("energy", "") if link is self.plan.root else Ref("E", link.name)
            if isinstance(link.body, Beam):
                known = {"g": self.ground.gravity, "Ebefore": before}
                known |= self.beams.energetic(link)
                beam = self.beams.energy(link)
                reads = {port.name: known[port.name] for port in beam.inputs}
                yield Call(beam, link.name, reads, {"E": here})
                before = here
                continue
            data = self.data[link.name]
            reads = self.own(link, "A", "x", "vl", "w") | {
                "m": data.mass,
                "g": self.ground.gravity,
                "JC": data.central,
                "rC": data.centre,
                "Ebefore": before,
            }
            yield Call(kernel, link.name, reads, {"E": here})
            before = here

    def spinning(self, link: Link, before: Ref | sp.Matrix) -> list[Call]:
        """The energy of the link's hinge's rotor, if it has one."""
        hinge = self.hung[link.name].hinge
        if not hinge.rotor:
            return []
        if hinge.motion:
            rates = sp.Matrix(list(map(laws.settled, hinge.motion))).diff(TIME)
            kernel = kernels.spinning(hinge.name, tuple(rates))
        else:
            count = len(hinge.rotor)
            kernel = kernels.spinning(str(count), tuple(joint(self.dimension, hinge.kind).u))
        known = self.state(link) | {"rho": column(hinge.rotor), "Ebefore": before}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        return [Call(kernel, link.name, reads, {"Erotor": Ref("Erotor", link.name)})]

    def by_hinge(self, result: str) -> Iterable[Call]:
        """Rates (`qd`) or retraction (`qn`) of all coordinates."""
        make = kernels.rate if result == "qd" else kernels.retract
        for link in self.plan.links:
            hinge = self.hung[link.name].hinge
            names = self.model.hinge_coordinates(hinge)
            if names:
                kernel = make(self.dimension, hinge.kind)
                known = self.state(link)
                yield Call(
                    kernel,
                    link.name,
                    {port.name: known[port.name] for port in kernel.inputs},
                    {f"{result}_{i}": Ref(result, name) for i, name in enumerate(names, start=1)},
                )
            for action in self.beams.copied(link, result):
                writes = {n: x for n, x in action.writes.items() if isinstance(x, Ref)}
                yield Call(action.kernel, link.name, action.reads, writes)


def acting_arrays(writer: Writer) -> Iterable[Array]:
    """The arrays of stored energies, of loads and of the moving ground."""
    if any(writer.stores()):
        yield Array("V", "links", Port("V"))
        yield Array("Espring", "links", Port("Espring"))
    yield from writer.applied.arrays()
    yield from writer.ground.arrays()
    loops, n = writer.loops, writer.space.motion
    for c in sorted({sum(loops.widths[i] for i in own) for own in loops.held.values()} - {0}):
        yield Array(f"Ej{c}", "links", Port(f"Ej{c}", n, c))


def index_sets(writer: Writer) -> dict[str, tuple[str, ...]]:
    plan, model, loops = writer.plan, writer.model, writer.loops
    return {
        "links": (
            *(link.name for link in plan.links),
            *(part.name for part in writer.beams.every),
        ),
        "bodies": tuple(body.name for body in model.bodies),
        "coordinates": model.coordinates,
        "speeds": model.speeds,
        "ends": (
            *(f"{body.name}:{plan.link(body.name).output}" for body in model.bodies),
            *(str(reported(hinge)[1]) for hinge in loops.borne),
        ),
        "driven": tuple(name for hinge in model.hinges for name in driven_names(hinge)),
        "system": ("",),
        **condition_sets(loops),
        **writer.applied.sets(),
    }


def grounded(writer: Writer) -> list[Step]:
    """The motion of the ground, if it moves."""
    calls = tuple(writer.ground.calls())
    return [Map("base", "motion of the base", calls)] if calls else []


def stored(writer: Writer) -> list[Step]:
    """The energy of springs, if there are any."""
    calls = tuple(writer.stores())
    return [Map("stores", "energy stored in every hinge", calls)] if calls else []


def retracted(writer: Writer, slots: tuple[Slot, ...]) -> list[Step]:
    """All coordinates, with quaternions back to unit length, if there are any."""
    if Slot.QUATERNION not in slots:
        return []
    calls = tuple(writer.by_hinge("qn"))
    return [Map("retract", "quaternions back to unit length", calls)]


def before(writer: Writer) -> list[Step]:
    """What cut hinges demand, and what acts in them, from the place and motion of all links."""
    loops, forces = writer.loops, writer.cut_forces
    steps = [
        Map("prescribed", "motion of the cut driven hinges", tuple(forces.prescribed())),
        Map("gaps", "gaps of the cut hinges", tuple(loops.gaps())),
        Map("openings", "cut hinges", tuple(loops.openings())),
        Sweep("cut_forces", "force in every cut hinge", tuple(forces.laws())),
        Map("applied", "loads on the bodies", tuple(writer.applied.calls())),
    ]
    if not writer.model.beams:
        title = "how the conditions change with the speeds"
        steps.append(Sweep("slopes", title, tuple(loops.slopes())))
    return [step for step in steps if step.calls]


def based(writer: Writer) -> tuple[str, ...]:
    """The step of the moving ground."""
    return ("base",) if writer.model.base else ()


def energetic(writer: Writer) -> tuple[str, ...]:
    """The steps that energy needs, once all links have their places."""
    measured = ("cut_forces",) if writer.cut_forces.storing else ()
    springs = ("stores",) if any(writer.stores()) else ()
    return ("velocities", *measured, *springs, "energies")


def opened(writer: Writer) -> tuple[str, ...]:
    """The steps before the inward sweep, once all links have their places: cuts and loads."""
    loops = writer.loops
    steps = ["prescribed"] if loops.driven else []
    steps += ["openings"] if loops.cuts else []
    steps += ["cut_forces"] if loops.loaded else []
    applied = ("applied",) if writer.model.loads else ()
    return ("velocities", *steps, *applied) if steps else applied


def condition_entries(writer: Writer) -> list[Entry]:
    """The conditions of cut and coupled hinges and their Jacobian."""
    loops = writer.loops
    driven = ("prescribed",) if loops.driven else ()
    moving = (
        (*based(writer), "relatives", "spins", "places", "velocities", *driven)
        if loops.cuts
        else ()
    )
    columns = ("openings",) if loops.cuts else ()
    gaps = Entry(
        "constraints",
        "how far the cut hinges are open, and how fast they open",
        (*moving, "gaps"),
        ("phi", "phid"),
    )
    if loops.plan.model.beams:
        return [gaps]
    title = "how fast the cut hinges open per speed"
    return [gaps, Entry("jacobian", title, (*moving, *columns, "slopes"), ("J",))]

"""The calls of the Riccati method in joint coordinates, one step at a time.

Shared by the programs that differ in which steps they run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy as sp

from ..model import GROUND, Beam, End, Hinge, Model
from ..model.quantities import TIME, exact_expression
from . import jointkernels as kernels
from . import laws, recursionkernels
from .acting import Ground, Loads, Reads, outside, symbols
from .beamprogram import Beams
from .conditions import Mobility, driven_names
from .constants import LinkConstants, axes_of, column
from .cutprogram import CutForces
from .ends import reported
from .joints import PITCH, joint
from .looparrays import condition_sets
from .loopprogram import Loops
from .plan import Link, Plan
from .program import Array, Call, Kernel, KernelBuilder, Port, Ref
from .space import Space
from .turning import Way


@dataclass(frozen=True)
class _Hung:
    """A link's hinge: the hinge, whether it is told from the child's side, and its place."""

    hinge: Hinge
    backward: bool
    entry: sp.Matrix
    arm: sp.Matrix


class Writer:
    """Collects the calls of the program, step by step."""

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
        self.hung = {link.name: self._hung(link, hinges[link.hinge]) for link in plan.links}
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

    def _hung(self, link: Link, hinge: Hinge) -> _Hung:
        backward = hinge.ends[0] == End(link.name, link.output)
        if link.parent is None:
            end = next(end for end in hinge.ends if end.body == GROUND)
            point = self.model.ground_point(end.point)
            axes = axes_of(point, self.dimension)
            return _Hung(hinge, backward, axes, column(point.position))
        parent = self.plan.link(link.parent)
        if isinstance(parent.body, Beam):
            return _Hung(hinge, backward, sp.eye(self.dimension), self.zero)
        k = parent.children.index(link.name)
        data = self.data[parent.name]
        return _Hung(hinge, backward, data.entries[k], data.arms[k])

    def way(self, member: str) -> tuple[Way, Reads]:
        """How a member's axes turn into those of what it moves on, and what that reads."""
        hung = self.hung.get(member)
        if hung is None:  # a part of a beam
            return Way(), _own(member, "C")
        of = joint(self.dimension, hung.hinge.kind)
        way = Way.of(of.rotation, hung.entry)
        taken = KernelBuilder("", "")
        way.taken(taken, self.space)
        reads: Reads = _own(member, *(port.name for port in taken.inputs))
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
        return _own(link.name, *names)

    def state(self, link: Link) -> Reads:
        """A hinge's coordinates, speeds and pitch, the time and all parameters, by name."""
        hinge = self.hung[link.name].hinge
        of = joint(self.dimension, hinge.kind)
        reads = symbols(self.model) | {PITCH.name: sp.Matrix([exact_expression(hinge.pitch)])}
        if hinge.motion:
            return reads
        for symbol, name in zip(of.q, self.model.hinge_coordinates(hinge), strict=True):
            reads[symbol.name] = Ref("q", name)
        for symbol, name in zip(of.u, self.model.hinge_speeds(hinge), strict=True):
            reads[symbol.name] = Ref("v", name)
        return reads

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
        yield from self.beams.relatives()

    def _relative(self, hung: _Hung) -> Kernel:
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

    def drives(self) -> Iterable[Call]:
        for link in self.driven():
            hinge = self.hung[link.name].hinge
            kernel = recursionkernels.drive(self.dimension, len(hinge.motion), self.pushed(link))
            yield Call(
                kernel,
                link.name,
                self.own(link, *(port.name for port in kernel.inputs)) | self.bias(link),
                {
                    f"drive_{j}": Ref("drive", name)
                    for j, name in enumerate(driven_names(hinge), start=1)
                },
            )

    def spins(self) -> Iterable[Call]:
        for member, base in self.members():
            way, pose = self.way(member)
            kernel = kernels.spins(self.dimension, way)
            reads = _own(member, "wr") | {"wp": self.at("w", base)}
            reads |= {name: x for name, x in pose.items() if self.dimension == 3}
            yield Call(kernel, member, reads, {"w": Ref("w", member)})

    def inward(self) -> Iterable[Call]:
        for link in self.plan.links:
            yield from self.balanced(link)
            yield from self.loops.gathered(link)
            through, reads = self.through(link)
            writes = {port.name: Ref(port.name, link.name) for port in through.outputs}
            yield Call(through, link.name, reads, writes)
            yield from self.loops.passed(link)

    def through(self, link: Link) -> tuple[Kernel, Reads]:
        """The kernel of the link's hinge and what it reads."""
        hung = self.hung[link.name]
        way, pose = self.way(link.name)
        kernel = recursionkernels.hinge(
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

    def balanced(self, link: Link) -> Iterable[Call]:
        """A body with all that hangs on it, seen from its output."""
        if isinstance(link.body, Beam):
            yield from self.beams.inward(link)
            return
        data = self.data[link.name]
        pushes = self.pushes(link)
        body = recursionkernels.body(self.dimension, len(link.inputs), self.loaded, len(pushes))
        reads: Reads = pushes | self.own(link, "w")
        reads |= {"m": data.mass, "h": data.first, "J": data.inertia}
        if self.loaded:
            reads |= self.own(link, "A") | {"f": Ref("f", link.name), "rC": data.centre}
        for k, child in enumerate(link.children, start=1):
            reads |= {f"IAt_I{k}": Ref("IAt", child), f"pAt_I{k}": Ref("pAt", child)}
        yield Call(body, link.name, reads, self.own(link, "IA", "pA"))

    def accelerations(self) -> Iterable[Call]:
        for link in self.outward():
            yield from self.loops.known(link)
            yield self.accelerated(link)
            yield from self.beams.outward(link, closed=self.loops.width(link.name) > 0)

    def accelerated(self, link: Link) -> Call:
        """From the parent's acceleration to the hinge's and the link's."""
        freedom = self.freedom(link)
        way, pose = self.way(link.name)
        kernel = recursionkernels.accelerate(self.dimension, freedom, way)
        reads = self.own(link, *(port.name for port in kernel.inputs)) | pose
        if freedom and self.loops.width(link.name):
            reads[f"k{freedom}"] = Ref(f"km{freedom}", link.name)
        reads["ap"] = self.of_parent("acc", link)
        writes = {name: Ref(name, link.name) for name in ("acc", "a0")}
        speeds = self.model.hinge_speeds(self.hung[link.name].hinge)
        writes |= {f"a_{j}": Ref("a", name) for j, name in enumerate(speeds, start=1)}
        return Call(kernel, link.name, reads, writes)

    def places(self) -> Iterable[Call]:
        kernel = kernels.place(self.dimension)
        for member, base in self.members():
            reads = _own(member, "C", "r") | {
                "Ap": self.at("A", base),
                "xp": self.at("x", base),
            }
            yield Call(kernel, member, reads, _own(member, "A", "x"))

    def loads(self) -> Iterable[Call]:
        kernel = recursionkernels.load(self.dimension)
        for link in self.plan.links:
            reads = self.own(link, "IAh", "a0", "A") | self.bias(link)
            yield Call(
                kernel, link.name, reads, {"load": Ref("loads", f"{link.name}:{link.output}")}
            )

    def bias(self, link: Link) -> Reads:
        """What a link demands without acceleration, with the multipliers if there are any."""
        array = "pAm" if self.loops.width(link.name) else "pAh"
        return {"pAh": Ref(array, link.name)}

    def poses(self) -> Iterable[Call]:
        kernel = kernels.pose(self.dimension)
        for link in self.plan.links:
            if isinstance(link.body, Beam):
                reads = _own(self.beams.frame(link), "A", "x")
                reads |= {"Kb": sp.eye(self.dimension), "ob": self.zero}
            else:
                data = self.data[link.name]
                reads = self.own(link, "A", "x") | {"Kb": data.axes, "ob": data.origin}
            yield Call(kernel, link.name, reads, {"pose": Ref("poses", link.name)})

    def velocities(self) -> Iterable[Call]:
        kernel = kernels.speed(self.dimension)
        for member, base in self.members():
            reads = _own(member, "C", "r", "vr") | {
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
                yield self.beams.energy(link, known, here)
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
        yield from self.beams.copied(result)


def acting_arrays(writer: Writer) -> Iterable[Array]:
    """The arrays of stored energies, of loads and of the moving ground."""
    if any(writer.stores()):
        yield Array("V", "links", Port("V"))
        yield Array("Espring", "links", Port("Espring"))
    yield from writer.applied.arrays()
    yield from writer.ground.arrays()


def _own(member: str, *names: str) -> Reads:
    return {name: Ref(name, member) for name in names}


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

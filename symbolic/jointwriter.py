"""The calls of the Riccati method in joint coordinates, one step at a time.

Shared by the programs that differ in which steps they run.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ..model import Beam
from ..model.quantities import TIME
from . import jointkernels as kernels
from . import laws, recursionkernels
from .acting import Reads
from .conditions import driven_names
from .constants import column
from .ends import reported
from .joints import joint
from .linkage import Hung, Linkage, read_at
from .looparrays import condition_sets
from .plan import Link
from .program import Array, Call, Kernel, Port, Ref


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
        yield from self.beams.relatives()

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
            reads = read_at(member, "wr") | {"wp": self.at("w", base)}
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
            reads = read_at(member, "C", "r") | {
                "Ap": self.at("A", base),
                "xp": self.at("x", base),
            }
            yield Call(kernel, member, reads, read_at(member, "A", "x"))

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

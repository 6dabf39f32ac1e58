"""The recursive formulation with effective masses, in joint coordinates, as a program.

Motions are those of centroids in inertial axes (hybrid), and the effective mass M_r and load Q_r
of what hangs on a body go from the tips to the root. Up to the point, the axes and signs that they
are told in, M_r is the Riccati coefficient S of the hinge; `slaatsproof` says how.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ..errors import UsageError
from ..model.quantities import TIME
from . import slaatskernels as kernels
from .acting import Reads
from .conditions import driven_names
from .jointprogram import based, energetic, grounded, retracted, stored
from .joints import joint
from .jointwriter import Writer, acting_arrays, index_sets
from .plan import Link, Plan
from .program import (
    Array,
    Call,
    Entry,
    Kernel,
    Port,
    Program,
    Ref,
    Slot,
    Step,
    given,
    result,
)

#: What the moving ground's values are called, by the names of a body's.
GROUND = {"c": "cg", "vel": "velg", "vd": "vdg"}


class SlaatsWriter(Writer):
    """Collects the calls of the program."""

    def count(self, link: Link) -> int:
        """Columns of B: the speeds of the link's hinge, or its driven coordinates."""
        return self.freedom(link) or len(self.hung[link.name].hinge.motion)

    def before(self, array: str, link: Link) -> Ref | sp.Matrix:
        """The value of the body that the link's hinge holds to, or the ground's."""
        if link.parent is not None:
            return Ref(array, link.parent)
        if self.model.base is not None:
            return Ref(GROUND[array], "")
        if array == "vel":
            return sp.zeros(self.space.motion, 1)
        return self.ground.at({"c": "x", "vd": "acc"}[array])

    def _call(self, kernel: Kernel, link: Link, known: Reads) -> Call:
        """A kernel at a link, which reads its own arrays but for what is known otherwise."""
        reads = self.own(link, *(port.name for port in kernel.inputs))
        reads |= {port.name: known[port.name] for port in kernel.inputs if port.name in known}
        return Call(kernel, link.name, reads, self.own(link, *(p.name for p in kernel.outputs)))

    def bases(self) -> Iterable[Call]:
        if self.model.base is not None:
            reads = {name: self.ground.at(name) for name in ("A", "x", "vl", "w", "acc")}
            writes = {name: Ref(array, "") for name, array in GROUND.items()}
            yield Call(kernels.base(self.dimension), "", reads, writes)

    def motions(self) -> Iterable[Call]:
        for link in self.outward():
            kernel = kernels.kinematics(self.dimension, self.count(link))
            known: Reads = {
                "cp": self.before("c", link),
                "vp": self.before("vel", link),
                "rC": self.data[link.name].centre,
            }
            yield self._call(kernel, link, known)

    def gathered(self) -> Iterable[Call]:
        for link in self.plan.links:
            pushes, data = self.pushes(link), self.data[link.name]
            kernel = kernels.body(self.dimension, len(link.inputs), self.loaded, len(pushes))
            known: Reads = {"m": data.mass, "JC": data.central, "rC": data.centre} | pushes
            for k, child in enumerate(link.children, start=1):
                known |= {f"Mr_I{k}": Ref("Mr", child), f"Qr_I{k}": Ref("Qr", child)}
            yield self._call(kernel, link, known)
            rotor = self.resisting(link)
            freedom = self.freedom(link)
            through = kernels.reduce(self.dimension, freedom, self.acting(link), bool(rotor))
            yield self._call(through, link, rotor)

    def forward(self) -> Iterable[Call]:
        for link in self.outward():
            kernel = kernels.accelerate(self.dimension, self.freedom(link))
            call = self._call(kernel, link, {"vdp": self.before("vd", link)})
            names = self.model.hinge_speeds(self.hung[link.name].hinge)
            rates = {f"a_{j}": Ref("a", name) for j, name in enumerate(names, start=1)}
            yield Call(kernel, link.name, call.reads, {**call.writes, **rates})

    def carried(self) -> Iterable[Call]:
        for link in self.plan.links:
            call = self._call(kernels.load(self.dimension), link, {})
            writes = {"load": Ref("loads", f"{link.name}:{link.output}")}
            yield Call(call.kernel, link.name, call.reads, writes)

    def driving(self) -> Iterable[Call]:
        for link in self.driven():
            names = driven_names(self.hung[link.name].hinge)
            kernel = kernels.drive(self.dimension, len(names), self.pushed(link))
            writes = {f"drive_{j}": Ref("drive", name) for j, name in enumerate(names, start=1)}
            yield Call(kernel, link.name, self._call(kernel, link, {}).reads, writes)


def slaats_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """The recursive formulation for trees of bodies and hinges in joint coordinates.

    `runtime` names the model parameters that stay arguments; `forced` adds forces in the hinges
    and external loads.

    Shape
        Arguments and results as of `joint_program`, as far as it has them.
    Frame
        `f`, `loads`: inertial; `q`, `v`, `tau`, `a`: hinge by hinge, see `Hinge`.
    Sign
        `tau` drives the hinge's child relative to its parent along the speed.
    Raises
        UsageError: the model has closed loops, coupled hinges or beams.
    Source
        Recursive-formulation paper, Sects. 3.3, 3.4 and 4.1, corrected.
    """
    writer = SlaatsWriter(plan, forced)
    if plan.model.beams or plan.cuts or writer.loops.size:
        raise UsageError(
            f"{plan.model.name}: slaats takes trees of rigid bodies, without closed loops, coupled "
            "hinges or beams; use riccati"
        )
    free = [hinge for hinge in plan.model.tree_hinges if not hinge.motion]
    slots = tuple(slot for h in free for slot in joint(writer.dimension, h.kind).slots)
    turning = Slot.QUATERNION in slots
    steps = (
        *grounded(writer),
        Step("map", "bases", "motion of the ground, in inertial axes", tuple(writer.bases())),
        Step("map", "relatives", "relative motion in every hinge", tuple(writer.relatives())),
        Step("map", "forces", "force in every hinge", tuple(writer.forces())),
        Step("sweep", "places", "orientation and position of every link", tuple(writer.places())),
        Step("map", "applied", "loads on the bodies", tuple(writer.applied.calls())),
        Step("sweep", "motions", "motion of every centroid, A, B and D", tuple(writer.motions())),
        Step("sweep", "inward", "effective mass and load, inwards", tuple(writer.gathered())),
        Step("sweep", "outward", "accelerations, outwards", tuple(writer.forward())),
        Step("map", "hinge_loads", "loads at every hinge", tuple(writer.carried())),
        Step("map", "drives", "driving forces", tuple(writer.driving())),
        Step("map", "body_poses", "pose of every body", tuple(writer.poses())),
        Step("sweep", "spins", "angular velocities, outwards", tuple(writer.spins())),
        Step("sweep", "velocities", "velocity of every link", tuple(writer.velocities())),
        *stored(writer),
        Step("sweep", "energies", "energy of the system", tuple(writer.energies())),
        Step("map", "rates", "rates of the coordinates", tuple(writer.by_hinge("qd"))),
        *retracted(writer, slots),
    )
    return Program(
        name=plan.model.name,
        title=f"recursive formulation with effective masses: {plan.model.name}",
        algorithm="slaats",
        sets=index_sets(writer),
        arrays={array.name: array for array in _arrays(writer)},
        steps=tuple(step for step in steps if step.calls),
        entries=tuple(_entries(writer, turning)),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=slots,
    )


def _arrays(writer: SlaatsWriter) -> Iterable[Array]:
    d, s, n = writer.dimension, writer.space.spins, writer.space.motion

    def work(name: str, rows: int = 1, cols: int = 1, symmetric: bool = False) -> Array:
        return Array(name, "links", Port(name, rows, cols, symmetric))

    yield given("q", "coordinates")
    yield given("v", "speeds")
    if writer.timed:
        yield given(TIME.name, "system")
    if writer.forced:
        yield given("tau", "speeds")
    if writer.loaded:
        yield given("f", "bodies", n)
    yield result("a", "speeds")
    yield result("loads", "ends", 6)
    yield result("drive", "driven")
    yield result("poses", "bodies", 4, 4)
    yield result("energy", "system")
    yield result("qd", "coordinates")
    yield result("qn", "coordinates")
    for name in ("C", "A"):
        yield work(name, d, d)
    for name in ("r", "vr", "br", "x", "vl", "c", "z"):
        yield work(name, d)
    for name in ("wr", "bw", "w"):
        yield work(name, s)
    for name in ("cz", "sz", "E"):
        yield work(name)
    for name in ("vel", "D", "Qh", "Qr", "vd"):
        yield work(name, n)
    for name in ("Mh", "Mr"):
        yield work(name, n, n, symmetric=True)
    for name, rows in zip(GROUND.values(), (d, n, n), strict=True):
        yield Array(name, "system", Port(name, rows))
    for count in sorted({writer.count(link) for link in writer.plan.links} - {0}):
        yield work(f"T{count}", count)
        yield work(f"H{count}", n, count)
        yield work(f"B{count}", n, count)
        yield work(f"G{count}", count, n)
        yield work(f"k{count}", count)
    if any(hinge.rotor for hinge in writer.model.hinges):
        yield work("Erotor")
    yield from acting_arrays(writer)


def _entries(writer: SlaatsWriter, turning: bool) -> Iterable[Entry]:
    forces = ("forces",) if any(writer.pushed(link) for link in writer.plan.links) else ()
    ground = based(writer)
    applied = ("applied",) if writer.model.loads else ()
    moving = (*ground, *(("bases",) if ground else ()), "relatives", "places", "motions")
    dynamics = (*moving, *applied, *forces, "inward", "outward")
    yield Entry("accelerations", "accelerations of the coordinates", dynamics, ("a",), whole=True)
    yield Entry(
        "joint_loads",
        "loads at the hinges, moment then force, on the root side by the tip side",
        (*dynamics, "hinge_loads"),
        ("a", "loads"),
    )
    placing = (*ground, "relatives", "places", "body_poses")
    yield Entry("poses", "pose of every body", placing, ("poses",))
    steps = (*ground, "relatives", "spins", "places", *energetic(writer))
    yield Entry("energy", "kinetic plus potential energy", steps, ("energy",))
    yield Entry("rates", "rates of the coordinates", ("rates",), ("qd",))
    if writer.driven():
        title = "forces that drive the driven hinges"
        yield Entry("driving_forces", title, (*dynamics, "drives"), ("a", "drive"))
    if turning:
        yield Entry("retract", "coordinates back to unit length", ("retract",), ("qn",))

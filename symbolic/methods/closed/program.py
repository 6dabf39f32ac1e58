"""The closed form of the equations of motion of a tree: M, C, gravity's forces, as a program.

All hinges' columns are expressed at the inertial origin, so that nothing is moved along the tree:
inertias just add up inwards, and a block of M or C is a product of what two hinges have.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ...language.program import (
    Array,
    Call,
    Entry,
    Kernel,
    Map,
    Port,
    Program,
    Ref,
    Storage,
    Sweep,
    named,
    result,
)
from ...mechanics.constants import second_moments
from ...mechanics.hinges import joint
from ...plans.plan import Link, Plan
from ...tree.acting import Reads
from ...tree.inverse_kernels import apart
from ...tree.mass_matrix import MassMatrixWriter
from ...tree.writer import acting_arrays, energetic, index_sets, retracted, stored
from . import kernels


class ClosedWriter(MassMatrixWriter):
    """Collects the calls of the closed form."""

    algorithm = "closed-form"
    instead = "rnea-body takes these"

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, loaded=False)
        self.refuse(f"{self.algorithm} takes trees of rigid bodies", self.instead, **self.unfit())

    def unfit(self) -> dict[str, bool]:
        """What else is not taken, and whether the model has it; see `refuse`."""
        return {}

    def _of(self, kernel: Kernel, link: Link, reads: Reads) -> Reads:
        """What a kernel takes: as given, the rest from the link itself."""
        known = self._own_of(kernel, link) | reads
        return {port.name: known[port.name] for port in kernel.inputs}

    def columns_of_hinges(self) -> Iterable[Call]:
        for link in self.outer:
            kernel = kernels.screws(self.dimension, self.freedom(link))
            yield Call(kernel, link.name, self._of(kernel, link, {}), self._written(kernel, link))

    def changes(self) -> Iterable[Call]:
        """The rates of those H that change in their children."""
        for link in self.outer:
            hung = self.hung[link.name]
            if self.changing(link):
                kernel = kernels.subspace_rate(self.dimension, hung.hinge.kind, hung.backward)
                known = self.state(link)
                reads = {port.name: known[port.name] for port in kernel.inputs}
                yield Call(kernel, link.name, reads, self._written(kernel, link))

    def changing(self, link: Link) -> bool:
        hung = self.hung[link.name]
        return kernels.changing(self.dimension, hung.hinge.kind, hung.backward) is not None

    def twists(self) -> Iterable[Call]:
        for link in self.outward():
            freedom = self.freedom(link)
            kernel = kernels.twist(self.dimension, freedom, freedom > 0 and self.changing(link))
            rest = sp.zeros(self.space.motion, 1)
            reads: Reads = {"Vp": Ref("Vs", link.parent) if link.parent else rest}
            reads |= {f"u_{j}": Ref("v", name) for j, name in enumerate(self.speeds(link), 1)}
            reads = self._of(kernel, link, reads)
            yield Call(kernel, link.name, reads, self._written(kernel, link))

    def inertias(self) -> Iterable[Call]:
        for link in self.plan.links:
            kernel = kernels.composite(self.dimension, len(link.inputs))
            reads = self._inertia(link)
            if self.dimension == 3:
                reads["Sg"] = second_moments(self.data[link.name].inertia)
            reads |= {f"Mc_I{k}": Ref("Mc", child) for k, child in enumerate(link.children, 1)}
            reads = self._of(kernel, link, reads)
            yield Call(kernel, link.name, reads, self._written(kernel, link))

    def gatherings(self, variant: str) -> Iterable[Call]:
        """Y with all links outwards; every variant has arrays of its own."""
        array = f"Y_{variant}"
        for link in self.plan.links:
            kernel = kernels.gathered(self.dimension, len(link.inputs), variant)
            reads = {f"Yc_I{k}": Ref(array, child) for k, child in enumerate(link.children, 1)}
            reads = self._of(kernel, link, reads)
            yield Call(kernel, link.name, reads, {"Yc": Ref(array, link.name)})

    def momentous(self) -> Iterable[Call]:
        """What every hinge's screws are as momenta of all links outwards."""
        for link in self.outer:
            kernel = kernels.momentous(self.dimension, self.freedom(link))
            yield Call(kernel, link.name, self._of(kernel, link, {}), self._written(kernel, link))

    def masses(self) -> Iterable[Call]:
        for link in self.outer:
            speeds, rotor = self.speeds(link), self.resisting(link)
            kernel = kernels.mass_column(self.dimension, len(speeds), bool(rotor))
            writes = self._block("M", speeds, speeds)
            yield Call(kernel, link.name, self._of(kernel, link, rotor), writes)

    def mass_pairs(self) -> Iterable[Call]:
        for link, inner in self.ways():
            speeds, others = self.speeds(link), self.speeds(inner)
            kernel = kernels.mass_pair(self.dimension, len(speeds), len(others))
            reads = {
                "U": Ref(f"U{len(speeds)}", link.name),
                "Ja": Ref(f"J{len(others)}", inner.name),
            }
            writes = self._block("M", speeds, others) | self._block("N", others, speeds)
            yield Call(kernel, f"{link.name} at {inner.name}", reads, writes)

    def coriolis(self, variant: str) -> Iterable[Call]:
        for link in self.outer:
            speeds = self.speeds(link)
            kernel = kernels.coriolis_column(self.dimension, len(speeds))
            writes = {f"{x}{len(speeds)}": self._varied(x, variant, link) for x in "FG"}
            writes |= self._block("C", speeds, speeds, f"C_{variant}")
            reads = self._of(kernel, link, {"Yc": Ref(f"Y_{variant}", link.name)})
            yield Call(kernel, link.name, reads, writes)

    def coriolis_pairs(self, variant: str) -> Iterable[Call]:
        for link, inner in self.ways():
            speeds, others = self.speeds(link), self.speeds(inner)
            n, m = len(speeds), len(others)
            kernel = kernels.coriolis_pair(self.dimension, n, m)
            reads = {x: self._varied(x, variant, link) for x in "FG"}
            reads |= {"U": Ref(f"U{n}", link.name)}
            reads |= {"Ja": Ref(f"J{m}", inner.name), "Jda": Ref(f"Jd{m}", inner.name)}
            writes = self._block("C", speeds, others, f"C_{variant}")
            writes |= self._block("D", others, speeds, f"C_{variant}")
            yield Call(kernel, f"{link.name} at {inner.name}", reads, writes)

    def _varied(self, name: str, variant: str, link: Link) -> Ref:
        return Ref(f"{name}{self.freedom(link)}_{variant}", link.name)

    def ways(self) -> Iterable[tuple[Link, Link]]:
        """All pairs of hinges that move, the second on the first's way to the ground."""
        for path in self.paths:
            if self.freedom(path.ancestor):
                yield path.link, path.ancestor

    def zeros(self, array: str) -> Iterable[Call]:
        """The entries of speeds on different branches."""
        for call in self.apart():
            where = call.writes["zero"].member
            yield Call(apart(), where, {}, {"zero": Ref(array, where)})

    def weights(self) -> Iterable[Call]:
        for link in self.outer:
            speeds = self.speeds(link)
            kernel = kernels.gravity(self.dimension, len(speeds))
            writes = {f"g_{j}_1": Ref("gravity", name) for j, name in enumerate(speeds, 1)}
            reads = self._of(kernel, link, {"g": self.ground.gravity})
            yield Call(kernel, link.name, reads, writes)

    def momenta(self) -> Iterable[Call]:
        kernel = kernels.momentum(self.dimension)
        for link in self.plan.links:
            reads = self._of(kernel, link, {})
            yield Call(kernel, link.name, reads, {"momentum": Ref("momenta", link.name)})

    def screws(self) -> Iterable[Call]:
        for link in self.outer:
            speeds = self.speeds(link)
            kernel = kernels.shown(self.dimension, len(speeds))
            writes = {f"S_{j}": Ref("screws", name) for j, name in enumerate(speeds, 1)}
            yield Call(kernel, link.name, self._of(kernel, link, {}), writes)

    def _written(self, kernel: Kernel, link: Link) -> dict[str, Ref]:
        return {port.name: Ref(port.name, link.name) for port in kernel.outputs}


def closed_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """M(q), C(q, u) in three variants, gravity's forces, momenta and screws of a tree.

    M u̇ + C u + gravity are the forces that u̇ needs besides the hinges' laws and external loads.
    `runtime` names the model parameters that stay arguments; `forced` changes nothing.

    Shape
        Arguments `q`, `v`; results `M` and `C_printed`, `C_skew`
        and `C_christoffel` (row by row), `gravity` (per speed), `momenta`
        (per body the moment of momentum, then the momentum, three components each), `screws` (per
        speed angular, then linear, three components each), `poses`, `energy`, `qd` and, if there
        are quaternions, `qn`.
    Frame
        `momenta`, `screws`: inertial axes, about the inertial origin.
    Sign
        As of `inverse_program`.
    Raises
        UsageError: the model has beams, closed loops, driven hinges or a moving base.
    Source
        Screw paper (82), (85), (36); the variants and the sums over links are own.
    """
    writer = ClosedWriter(plan)
    slots = tuple(s for h in plan.model.tree_hinges for s in joint(writer.dimension, h.kind).slots)
    variants = [
        step
        for name in kernels.VARIANTS
        for step in (
            Sweep(f"{name}_terms", "terms, tips to root", tuple(writer.gatherings(name))),
            Map(f"{name}_hinges", "C, hinge by hinge", tuple(writer.coriolis(name))),
            Map(f"{name}_pairs", "C, pair by pair", tuple(writer.coriolis_pairs(name))),
            Map(f"{name}_apart", "different branches", tuple(writer.zeros(f"C_{name}"))),
        )
    ]
    steps = (
        Map("relatives", "relative motion in every hinge", tuple(writer.relatives())),
        Map("placements", "relative pose in every hinge", tuple(writer.placements())),
        Sweep("spins", "angular velocities, outwards", tuple(writer.spins())),
        Sweep("places", "orientation and position of links", tuple(writer.places())),
        Map("columns", "screws of every hinge", tuple(writer.columns_of_hinges())),
        Map("changes", "how hinges' H change", tuple(writer.changes())),
        Sweep("twists", "twists, root to tips", tuple(writer.twists())),
        Sweep("inertias", "inertias, tips to root", tuple(writer.inertias())),
        Map("momentous", "momenta of every screw", tuple(writer.momentous())),
        Map("masses", "mass matrix, hinge by hinge", tuple(writer.masses())),
        Map("mass_pairs", "mass matrix, pair by pair", tuple(writer.mass_pairs())),
        Map("apart", "speeds on different branches", tuple(writer.zeros("M"))),
        *variants,
        Map("weights", "gravity along every hinge", tuple(writer.weights())),
        Map("moving", "momentum of every body", tuple(writer.momenta())),
        Map("shown", "screws as results", tuple(writer.screws())),
        Map("body_poses", "pose of every body", tuple(writer.poses())),
        Sweep("velocities", "velocity of every link", tuple(writer.velocities())),
        *stored(writer),
        Sweep("energies", "energy of the system", tuple(writer.energies())),
        Map("rates", "rates of the coordinates", tuple(writer.by_hinge("qd"))),
        *retracted(writer, slots),
    )
    steps = tuple(step for step in steps if step.calls)
    known = {step.name for step in steps}
    return Program(
        name=plan.model.name,
        title=f"closed form of the equations of motion: {plan.model.name}",
        algorithm="closed-form",
        sets=index_sets(writer) | {"pairs": writer.mass_sets()["pairs"]},
        arrays=named(_arrays(writer)),
        steps=steps,
        entries=tuple(_entries(writer, known)),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=slots,
    )


def _arrays(writer: ClosedWriter) -> Iterable[Array]:
    d, s, n = writer.dimension, writer.space.spins, writer.space.motion

    def work(name: str, rows: int = 1, cols: int = 1) -> Array:
        return Array(name, "links", Port(name, rows, cols))

    for name, index_set in (("q", "coordinates"), ("v", "speeds")):
        yield Array(name, index_set, Port(name), Storage.ARGUMENT, name)
    yield result("M", "pairs")
    for variant in kernels.VARIANTS:
        yield result(f"C_{variant}", "pairs")
    yield result("gravity", "speeds")
    yield result("momenta", "bodies", 6)
    yield result("screws", "speeds", 6)
    yield result("poses", "bodies", 4, 4)
    yield result("energy", "system")
    yield result("qd", "coordinates")
    yield result("qn", "coordinates")
    for name in ("C", "A"):
        yield work(name, d, d)
    for name in ("r", "vr", "br", "x", "vl"):
        yield work(name, d)
    for name in ("wr", "bw", "w"):
        yield work(name, s)
    for name in ("cz", "sz", "E"):
        yield work(name)
    yield work("Vs", n)
    for name in ("Ms", "Mc"):
        yield Array(name, "links", Port(name, n, n, symmetric=True))
    for freedom in writer.freedoms():
        for name in ("H", "Hd", "J", "Jd", "U"):
            yield work(f"{name}{freedom}", n, freedom)
        for variant in kernels.VARIANTS:
            yield work(f"F{freedom}_{variant}", n, freedom)
            yield work(f"G{freedom}_{variant}", n, freedom)
    for variant in kernels.VARIANTS:
        yield work(f"Y_{variant}", n, n)
    if any(hinge.rotor for hinge in writer.model.hinges):
        yield work("Erotor")
    yield from acting_arrays(writer)


def _entries(writer: ClosedWriter, known: set[str]) -> Iterable[Entry]:
    def entry(name: str, title: str, steps: tuple[str, ...], result: str, whole: bool) -> Entry:
        return Entry(name, title, tuple(s for s in steps if s in known), (result,), whole)

    placed = ("placements", "places")
    gathered = ("inertias", "momentous")
    massive = (*placed, "columns", *gathered, "masses", "mass_pairs", "apart")
    yield entry("mass_matrix", "mass matrix", massive, "M", True)
    moved = ("relatives", "places", "columns", "changes", "twists", *gathered)
    for name in kernels.VARIANTS:
        product = (f"{name}_terms", f"{name}_hinges", f"{name}_pairs", f"{name}_apart")
        title = f"coriolis matrix, {name}"
        yield entry(f"coriolis_{name}", title, (*moved, *product), f"C_{name}", True)
    weights = (*placed, "columns", *gathered, "weights")
    yield entry("gravity_forces", "forces that balance gravity", weights, "gravity", True)
    moving = ("relatives", "places", "columns", "changes", "twists", "inertias", "moving")
    yield entry("spatial_momenta", "momentum of every body", moving, "momenta", False)
    yield entry("screws", "screws of all speeds", (*placed, "columns", "shown"), "screws", False)
    yield entry("poses", "pose of every body", (*placed, "body_poses"), "poses", False)
    motion = ("relatives", "spins", "places", *energetic(writer))
    yield entry("energy", "kinetic plus potential energy", motion, "energy", False)
    yield entry("rates", "rates of the coordinates", ("rates",), "qd", False)
    if "retract" in known:
        yield entry("retract", "coordinates back to unit length", ("retract",), "qn", False)

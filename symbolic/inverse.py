"""Inverse dynamics and the mass matrix in joint coordinates, as a program.

Newton–Euler in link axes (`rnea-body`): accelerations outwards, wrenches inwards. For the mass
matrix the inertias are gathered inwards with every hinge locked; then each hinge's column is
moved to its ancestors, all by one link, then all by another, so that long chains are one loop.

Loops are cut; the multipliers of the cuts' conditions are given, and what they are chosen by
is not decided here: every choice keeps the given accelerations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import digits

import sympy as sp

from ..errors import UsageError
from ..model import Beam
from ..model.types import TIME
from . import inversekernels as kernels
from . import recursionkernels
from .acting import Reads
from .jointprogram import based, before, condition_entries, energetic, grounded, opened, stored
from .joints import joint
from .jointwriter import Writer, acting_arrays, index_sets
from .loopprogram import driven_names
from .plan import Link, Plan
from .program import Array, Call, Entry, Kernel, Port, Program, Ref, Slot, Step, Storage
from .regroup import second_moments

#: What of a relative motion depends on the coordinates alone.
PLACEMENT = ("C", "cz", "sz", "r", "H")


@dataclass(frozen=True)
class _Path:
    """From a link inwards to an ancestor, `below` being the ancestor's child on the way."""

    link: Link
    below: Link
    ancestor: Link


class InverseWriter(Writer):
    """Collects the calls of the program; `loaded`: with external loads on the bodies."""

    def __init__(self, plan: Plan, loaded: bool) -> None:
        super().__init__(plan, forced=False)
        self.loaded = loaded
        self.paths = tuple(self._paths())

    def _paths(self) -> Iterator[_Path]:
        """All pairs of a link that moves and an ancestor, near ancestors first."""
        ends = [(link, link) for link in self.plan.links if self.freedom(link)]
        while ends:
            paths = [
                _Path(link, below, self.plan.link(below.parent))
                for link, below in ends
                if below.parent is not None
            ]
            yield from paths
            ends = [(path.link, path.ancestor) for path in paths]

    def speeds(self, link: Link) -> tuple[str, ...]:
        return self.model.hinge_speeds(self.hung[link.name].hinge)

    def freedoms(self) -> list[int]:
        """The numbers of speeds that hinges have here, and of coordinates that are driven."""
        driven = {len(self.hung[link.name].hinge.motion) for link in self.driven()}
        return sorted((driven | set(map(self.freedom, self.plan.links))) - {0})

    def placements(self) -> Iterable[Call]:
        """The relative motions again, without those parts that speeds enter."""
        for call in self.relatives():
            writes = {n: ref for n, ref in call.writes.items() if n.rstrip(digits) in PLACEMENT}
            yield Call(call.kernel, call.member, call.reads, writes)

    def carried(self) -> Iterable[Call]:
        for link in self.outward():
            way, pose = self.way(link.name)
            kernel = kernels.carry(self.dimension, self.freedom(link), way)
            reads = (
                self._own_of(kernel, link)
                | pose
                | {
                    "ap": self.of_parent("acc", link),
                    "Bp": self.of_parent("B", link),
                    "wp": self.of_parent("w", link),
                }
            )
            reads |= {f"ad_{j}": Ref("ad", name) for j, name in enumerate(self.speeds(link), 1)}
            yield Call(kernel, link.name, reads, self.own(link, "acc", "B"))
            yield from self.beams.carried(link)

    def wrenches(self) -> Iterable[Call]:
        for link in self.plan.links:
            if isinstance(link.body, Beam):
                yield from self.beams.wrenches(link, self.loaded)
            else:
                yield self._wrench(link)
            way, pose = self.way(link.name)
            transmit = kernels.transmit(self.dimension, way)
            reads = self._own_of(transmit, link) | pose
            yield Call(transmit, link.name, reads, self.own(link, "lt"))

    def _wrench(self, link: Link) -> Call:
        pushes = self.pushes(link)
        held, holding = self.loops.holding(link)
        kernel = kernels.wrench(self.dimension, len(link.inputs), self.loaded, len(pushes), held)
        data = self.data[link.name]
        known = self._inertia(link)
        if self.dimension == 3:
            known["Sg"] = second_moments(data.inertia)
        known = {port.name: known[port.name] for port in kernel.inputs if port.name in known}
        reads = self._own_of(kernel, link) | known | pushes | holding
        if self.loaded:
            reads["rC"] = self.data[link.name].centre
        reads |= {f"lt_I{k}": Ref("lt", child) for k, child in enumerate(link.children, 1)}
        return Call(kernel, link.name, reads, self.own(link, "lam"))

    def required(self) -> Iterable[Call]:
        for link in self.plan.links:
            hinge = self.hung[link.name].hinge
            array, names = (
                ("drive", driven_names(hinge)) if hinge.motion else ("tau", self.speeds(link))
            )
            if names:
                rotor, held = self.resisting(link), self.loops.coupling(link)
                count = sum(name.startswith("mu_") for name in held)
                kernel = kernels.required(
                    self.dimension, len(names), self.pushed(link), bool(rotor), count
                )
                reads = self._own_of(kernel, link) | rotor | held
                if rotor:
                    reads |= {f"ad_{j}": Ref("ad", name) for j, name in enumerate(names, 1)}
                writes = {f"tau_{j}": Ref(array, name) for j, name in enumerate(names, 1)}
                yield Call(kernel, link.name, reads, writes)

    def wrench_loads(self) -> Iterable[Call]:
        kernel = kernels.load(self.dimension)
        for link in self.plan.links:
            writes = {"load": Ref("loads", f"{link.name}:{link.output}")}
            yield Call(kernel, link.name, self._own_of(kernel, link), writes)

    def composites(self) -> Iterable[Call]:
        """Each link's inertia with all that hangs on it, every hinge locked and at rest."""
        still = sp.zeros(self.space.spins, 1)
        for link in self.plan.links:
            way, pose = self.way(link.name)
            rigid = recursionkernels.hinge(
                self.dimension, "fixed", False, acting=False, moving=False, way=way
            )
            rest: Reads = {
                port.name: sp.zeros(port.rows, port.cols)
                for port in rigid.inputs
                if port.name not in ("IA", "r", *pose)
            }
            body = recursionkernels.body(self.dimension, len(link.inputs), forced=False)
            reads = self._inertia(link) | {"w": still}
            for k, child in enumerate(link.children, 1):
                reads |= {f"IAt_I{k}": Ref("IAt", child), f"pAt_I{k}": rest["pA"]}
            yield Call(body, link.name, reads, self.own(link, "IA"))
            yield Call(
                rigid, link.name, rest | self.own(link, "IA", "r") | pose, self.own(link, "IAt")
            )

    def columns(self) -> Iterable[Call]:
        for link in self.plan.links:
            speeds = self.speeds(link)
            if speeds:
                rotor = self.resisting(link)
                kernel = kernels.column(self.dimension, len(speeds), bool(rotor))
                writes = {f"U{len(speeds)}": self._column(link, link)}
                writes |= self._block("M", speeds, speeds)
                yield Call(kernel, link.name, self._own_of(kernel, link) | rotor, writes)
        for path in self.paths:
            speeds, others = self.speeds(path.link), self.speeds(path.ancestor)
            way, pose = self.way(path.below.name)
            kernel = kernels.along(self.dimension, len(speeds), len(others), way)
            reads = self.own(path.below, "r") | pose
            reads["U"] = self._column(path.link, path.below)
            if others:
                reads["Hp"] = Ref(f"H{len(others)}", path.ancestor.name)
            writes = {f"U{len(speeds)}": self._column(path.link, path.ancestor)}
            writes |= self._block("M", speeds, others) | self._block("N", others, speeds)
            yield Call(kernel, f"{path.link.name} at {path.ancestor.name}", reads, writes)

    def apart(self) -> Iterable[Call]:
        related = {(link.name, link.name) for link in self.plan.links}
        related |= {(path.link.name, path.ancestor.name) for path in self.paths}
        for first in self.plan.links:
            for second in self.plan.links:
                if not related & {(first.name, second.name), (second.name, first.name)}:
                    for row in self.speeds(first):
                        for col in self.speeds(second):
                            ref = Ref("M", _pair(row, col))
                            yield Call(kernels.apart(), ref.member, {}, {"zero": ref})

    def columns_set(self, freedom: int) -> tuple[str, ...]:
        own = [self._column(x, x).member for x in self.plan.links if self.freedom(x) == freedom]
        moved = [
            self._column(path.link, path.ancestor).member
            for path in self.paths
            if self.freedom(path.link) == freedom
        ]
        return (*own, *moved)

    def _own_of(self, kernel: Kernel, link: Link) -> Reads:
        """All of a kernel's inputs from the link itself; the caller replaces what is not."""
        return self.own(link, *(port.name for port in kernel.inputs))

    def _inertia(self, link: Link) -> Reads:
        data = self.data[link.name]
        return {"m": data.mass, "h": data.first, "J": data.inertia}

    def _column(self, link: Link, at: Link) -> Ref:
        return Ref(f"U{self.freedom(link)}", f"{link.name} at {at.name}")

    def _block(self, name: str, rows: tuple[str, ...], cols: tuple[str, ...]) -> dict[str, Ref]:
        return {
            f"{name}_{i}_{j}": Ref("M", _pair(row, col))
            for i, row in enumerate(rows, 1)
            for j, col in enumerate(cols, 1)
        }


def _pair(row: str, col: str) -> str:
    return f"{row} {col}"


def inverse_program(plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False) -> Program:
    """Inverse dynamics and mass matrix of bodies and hinges in joint coordinates; loops are cut.

    `runtime` names the model parameters that stay arguments; `forced` adds external loads. With
    beams there is no mass matrix.

    Shape
        Arguments `q`, `v`, `t` (if anything depends on the time), `ad` (per speed its
        derivative) and if forced `f` (per body the force at its centre of mass, then a
        couple) and with loops `mu` (per condition of a cut its multiplier); results `tau` (per
        speed), `drive` (per driven coordinate), `loads` (per output end, then per cut, m then
        q, three components each), `M` (row by row, of the tree), `poses`, `energy`, `qd` and,
        if there are quaternions, `qn`. With loops also `phi`, `phid` and `J`, see
        `joint_program`; `tau` is that of the tree plus Jᵀ μ.
    Frame
        `f`, `loads`: inertial; `q`, `v`, `ad`, `tau`, `drive`: hinge by hinge, see `Hinge`.
    Sign
        `tau`, `drive`: on the hinge's child by its parent, along the speed; `tau` is needed
        besides the hinge's force law; of a beam's modal coordinate, besides strain and damping.
    Raises
        UsageError: the model has beams and closed loops.
    Source
        Riccati paper (5), (14) in link axes; deduction paper for the hinges; the mass matrix
        is own.
    """
    writer = InverseWriter(plan, forced)
    if plan.model.beams and writer.loops.size:
        raise UsageError(f"{plan.model.name}: rnea-body takes beams in trees alone, not in loops")
    free = [hinge for hinge in plan.model.tree_hinges if not hinge.motion]
    slots = tuple(slot for h in free for slot in joint(writer.dimension, h.kind).slots)
    borne = writer.loops.borne
    velocities = Step("sweep", "velocities", "velocity of every link", tuple(writer.velocities()))
    slots += writer.beams.slots
    steps = (
        *grounded(writer),
        Step("map", "relatives", "relative motion in every hinge", tuple(writer.relatives())),
        Step("map", "placements", "relative pose in every hinge", tuple(writer.placements())),
        Step("map", "forces", "force in every hinge", tuple(writer.forces())),
        Step("sweep", "spins", "angular velocities, outwards", tuple(writer.spins())),
        Step("sweep", "places", "orientation and position of every link", tuple(writer.places())),
        *([velocities] if borne else []),
        *before(writer),
        Step("sweep", "outward", "accelerations, root to tips", tuple(writer.carried())),
        Step("sweep", "inward", "wrenches, tips to root", tuple(writer.wrenches())),
        Step("map", "needed", "forces needed in every hinge", tuple(writer.required())),
        Step("map", "hinge_loads", "loads at every hinge", tuple(writer.wrench_loads())),
        Step("map", "cut_loads", "loads at the cut hinges", tuple(writer.loops.loads())),
        Step("map", "cut_drives", "driving forces of cuts", tuple(writer.cut_forces.drives())),
        *_mass_matrix(writer),
        Step("map", "body_poses", "pose of every body", tuple(writer.poses())),
        *([] if borne else [velocities]),
        *stored(writer),
        Step("sweep", "energies", "energy of the system", tuple(writer.energies())),
        Step("map", "rates", "rates of the coordinates", tuple(writer.by_hinge("qd"))),
        Step("map", "retract", "quaternions back to unit length", tuple(_turned(writer, slots))),
    )
    return Program(
        name=plan.model.name,
        title=f"inverse dynamics in link axes: {plan.model.name}",
        algorithm="rnea-body",
        sets=_sets(writer),
        arrays={array.name: array for array in _arrays(writer)},
        steps=tuple(step for step in steps if step.calls),
        entries=tuple(_entries(writer, Slot.QUATERNION in slots)),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=slots,
    )


def _mass_matrix(writer: InverseWriter) -> Iterable[Step]:
    if not writer.model.beams:
        inertias, columns = tuple(writer.composites()), tuple(writer.columns())
        yield Step("sweep", "composites", "composite inertias, inwards", inertias)
        yield Step("sweep", "columns", "mass matrix, column by column", columns)
        yield Step("map", "apart", "speeds on different branches", tuple(writer.apart()))


def _turned(writer: Writer, slots: tuple[Slot, ...]) -> Iterable[Call]:
    return writer.by_hinge("qn") if Slot.QUATERNION in slots else ()


def _sets(writer: InverseWriter) -> dict[str, tuple[str, ...]]:
    speeds = writer.model.speeds
    return index_sets(writer) | {
        "pairs": tuple(_pair(row, col) for row in speeds for col in speeds),
        **{f"columns{n}": writer.columns_set(n) for n in writer.freedoms()},
    }


def _arrays(writer: InverseWriter) -> Iterable[Array]:
    d, s, n = writer.dimension, writer.space.spins, writer.space.motion

    def given(name: str, index_set: str, rows: int = 1) -> Array:
        return Array(name, index_set, Port(name, rows), Storage.ARGUMENT, name)

    def result(name: str, index_set: str, rows: int = 1, cols: int = 1) -> Array:
        return Array(name, index_set, Port(name, rows, cols), Storage.RESULT, name)

    def work(name: str, rows: int = 1, cols: int = 1, index_set: str = "links") -> Array:
        return Array(name, index_set, Port(name, rows, cols))

    yield given("q", "coordinates")
    yield given("v", "speeds")
    if writer.timed:
        yield given(TIME.name, "system")
    yield given("ad", "speeds")
    if writer.loaded:
        yield given("f", "bodies", n)
    if writer.loops.size:
        yield given("mu", "conditions")
    yield result("tau", "speeds")
    yield result("drive", "driven")
    yield result("loads", "ends", 6)
    if not writer.model.beams:
        yield result("M", "pairs")
    yield result("poses", "bodies", 4, 4)
    yield result("energy", "system")
    yield result("qd", "coordinates")
    yield result("qn", "coordinates")
    for name in ("C", "A", "B"):
        yield work(name, d, d)
    for name in ("r", "vr", "br", "x", "vl"):
        yield work(name, d)
    for name in ("wr", "bw", "w"):
        yield work(name, s)
    for name in ("cz", "sz"):
        yield work(name)
    for name in ("acc", "lam", "lt"):
        yield work(name, n)
    for name in ("IA", "IAt"):
        yield Array(name, "links", Port(name, n, n, symmetric=True))
    for freedom in writer.freedoms():
        yield work(f"T{freedom}", freedom)
        yield work(f"H{freedom}", n, freedom)
        yield work(f"U{freedom}", n, freedom, f"columns{freedom}")
    yield work("E")
    if any(hinge.rotor for hinge in writer.model.hinges):
        yield work("Erotor")
    yield from acting_arrays(writer)
    yield from writer.loops.demands()
    yield from writer.beams.arrays()


def _entries(writer: InverseWriter, turning: bool) -> Iterable[Entry]:
    laws = ("forces",) if any(map(writer.pushed, writer.plan.links)) else ()
    motion = (*based(writer), "relatives", "spins")
    loops = writer.loops
    driving = ("cut_drives",) if loops.driven else ()
    wrenches = (*opened(writer), "outward", "inward", *laws, "needed", *driving)
    placed = ("places",) if writer.loaded or loops.borne or writer.applied.placed else ()
    needed = ("tau", "drive") if writer.driven() or loops.driven else ("tau",)
    yield Entry(
        "inverse_dynamics",
        "generalised forces that given accelerations need",
        (*motion, *placed, *wrenches),
        needed,
        whole=True,
    )
    cut_loads = ("cut_loads",) if loops.borne else ()
    yield Entry(
        "inverse_loads",
        "loads at the hinges at given accelerations",
        (*motion, "places", *wrenches, "hinge_loads", *cut_loads),
        (*needed, "loads"),
    )
    if loops.size:
        yield from condition_entries(writer)
    gathered = ("placements", "composites", "columns")
    apart = ("apart",) if any(writer.apart()) else ()
    if not writer.model.beams:
        yield Entry("mass_matrix", "mass matrix", (*gathered, *apart), ("M",), whole=True)
    placing = (*based(writer), "placements", "places", "body_poses")
    yield Entry("poses", "pose of every body", placing, ("poses",))
    steps = (*motion, "places", *energetic(writer))
    yield Entry("energy", "kinetic plus potential energy", steps, ("energy",))
    yield Entry("rates", "rates of the coordinates", ("rates",), ("qd",))
    if turning:
        yield Entry("retract", "coordinates back to unit length", ("retract",), ("qn",))

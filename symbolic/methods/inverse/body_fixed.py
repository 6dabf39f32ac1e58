"""Inverse dynamics and the mass matrix in joint coordinates, as a program.

Newton–Euler in link axes (`rnea-body`): accelerations outwards, wrenches inwards. The same
program with other wrenches and motions is that of another representation of twists.

Loops are cut; the multipliers of the cuts' conditions are given, and what they are chosen by
is not decided here: every choice keeps the given accelerations.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....errors import UsageError
from ....model import Beam
from ....model.quantities import TIME
from ...language.program import (
    Array,
    Call,
    Entry,
    Kernel,
    Map,
    Port,
    Program,
    Ref,
    Slot,
    Step,
    Sweep,
    Written,
    given,
    named,
    result,
)
from ...mechanics.constants import second_moments
from ...mechanics.hinges import joint
from ...plans.plan import Link, Plan
from ...tree import inverse_kernels as kernels
from ...tree.conditions import driven_names
from ...tree.loop_arrays import condition_arrays
from ...tree.mass_matrix import MassMatrixWriter
from ...tree.writer import (
    acting_arrays,
    based,
    before,
    condition_entries,
    energetic,
    grounded,
    index_sets,
    opened,
    retracted,
    stored,
)


class InverseWriter(MassMatrixWriter):
    """Collects the calls of the program; `loaded`: with external loads on the bodies.

    Another representation of twists has its own `steps`, `motion`, `wrenched` and `arrays`.
    """

    algorithm = "rnea-body"
    title = "inverse dynamics in link axes"

    #: What of a child's wrench its parent takes.
    arriving = "lt"

    #: Is Hᵀ λ known before the forces needed are gathered?
    projected = False

    #: The steps from the motion in all hinges to what the links demand.
    wrenched: tuple[str, ...] = ("outward", "inward")

    def steps(self) -> tuple[Step, ...]:
        """The recursion: accelerations outwards, wrenches inwards, and what follows from them."""
        return (
            Sweep("outward", "accelerations, root to tips", tuple(self.carried())),
            Sweep("inward", "wrenches, tips to root", tuple(self.wrenches())),
            Map("forces", "force in every hinge", tuple(self.forces())),
            Map("needed", "forces needed in every hinge", tuple(self.required())),
            Map("hinge_loads", "loads at every hinge", tuple(self.wrench_loads())),
        )

    @property
    def placed(self) -> bool:
        """Do forces depend on the links' orientations and places?"""
        return self.loaded or bool(self.loops.borne) or self.applied.placed

    def motion(self, placed: bool) -> tuple[str, ...]:
        """The names of the steps of the links' motion, and of their places if these are wanted."""
        return (*based(self), "relatives", "spins", *(("places",) if placed else ()))

    def arrays(self) -> Iterable[Array]:
        """The arrays of the recursion."""
        d, n = self.dimension, self.space.motion
        for name in ("acc", "lam", "lt"):
            yield Array(name, "links", Port(name, n))
        yield Array("B", "links", Port("B", d, d))

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
        kernel = self.demanded(len(link.inputs), len(pushes), held)
        data = self.data[link.name]
        known = self._inertia(link)
        if self.dimension == 3:
            known["Sg"] = second_moments(data.inertia)
        known = {port.name: known[port.name] for port in kernel.inputs if port.name in known}
        reads = self._own_of(kernel, link) | known | pushes | holding
        if self.loaded:
            reads["rC"] = self.data[link.name].centre
        reads |= {f"lt_I{k}": Ref(self.arriving, child) for k, child in enumerate(link.children, 1)}
        return Call(kernel, link.name, reads, self.own(link, "lam"))

    def demanded(self, inputs: int, pushes: int, held: tuple[int, ...]) -> Kernel:
        """The kernel of what a link demands of its output hinge."""
        return kernels.wrench(self.dimension, inputs, self.loaded, pushes, held)

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
                    self.dimension,
                    len(names),
                    self.pushed(link),
                    bool(rotor),
                    count,
                    self.projected,
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
    return inverse_of(InverseWriter(plan, forced), runtime)


def inverse_of(writer: InverseWriter, runtime: tuple[str, ...]) -> Program:
    """The program of inverse dynamics whose recursion is the writer's; see `inverse_program`."""
    plan = writer.plan
    if plan.model.beams and writer.loops.size:
        raise UsageError(
            f"{plan.model.name}: {writer.algorithm} takes beams in trees alone, not in loops"
        )
    free = [hinge for hinge in plan.model.tree_hinges if not hinge.motion]
    slots = tuple(slot for h in free for slot in joint(writer.dimension, h.kind).slots)
    slots += writer.beams.slots
    steps = (
        *grounded(writer),
        Map("relatives", "relative motion in every hinge", tuple(writer.relatives())),
        Map("placements", "relative pose in every hinge", tuple(writer.placements())),
        Sweep("spins", "angular velocities, outwards", tuple(writer.spins())),
        Sweep("places", "orientation and position of every link", tuple(writer.places())),
        Sweep("velocities", "velocity of every link", tuple(writer.velocities())),
        *before(writer),
        *writer.steps(),
        Map("cut_loads", "loads at the cut hinges", tuple(writer.loops.loads())),
        Map("cut_drives", "driving forces of cuts", tuple(writer.cut_forces.drives())),
        *writer.mass_matrix(),
        Map("body_poses", "pose of every body", tuple(writer.poses())),
        *stored(writer),
        Sweep("energies", "energy of the system", tuple(writer.energies())),
        Map("rates", "rates of the coordinates", tuple(writer.by_hinge("qd"))),
        *retracted(writer, slots),
    )
    return Program(
        name=plan.model.name,
        title=f"{writer.title}: {plan.model.name}",
        algorithm=writer.algorithm,
        sets=index_sets(writer) | writer.mass_sets(),
        arrays=named(_arrays(writer)),
        steps=tuple(step for step in steps if isinstance(step.calls, Written) or step.calls),
        entries=tuple(_entries(writer, Slot.QUATERNION in slots)),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=slots,
    )


def _arrays(writer: InverseWriter) -> Iterable[Array]:
    d, s, n = writer.dimension, writer.space.spins, writer.space.motion

    def work(name: str, rows: int = 1, cols: int = 1) -> Array:
        return Array(name, "links", Port(name, rows, cols))

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
    for name in ("cz", "sz"):
        yield work(name)
    for freedom in writer.freedoms():
        yield work(f"T{freedom}", freedom)
        yield work(f"H{freedom}", n, freedom)
    yield work("E")
    if any(hinge.rotor for hinge in writer.model.hinges):
        yield work("Erotor")
    yield from writer.arrays()
    yield from writer.mass_arrays()
    yield from acting_arrays(writer)
    yield from condition_arrays(writer.loops)
    yield from writer.beams.arrays()


def _entries(writer: InverseWriter, turning: bool) -> Iterable[Entry]:
    laws = ("forces",) if any(map(writer.pushed, writer.plan.links)) else ()
    loops = writer.loops
    driving = ("cut_drives",) if loops.driven else ()
    wrenches = (*opened(writer), *writer.wrenched, *laws, "needed", *driving)
    needed = ("tau", "drive") if writer.driven() or loops.driven else ("tau",)
    yield Entry(
        "inverse_dynamics",
        "generalised forces that given accelerations need",
        (*writer.motion(writer.placed), *wrenches),
        needed,
        whole=True,
    )
    cut_loads = ("cut_loads",) if loops.borne else ()
    yield Entry(
        "inverse_loads",
        "loads at the hinges at given accelerations",
        (*writer.motion(placed=True), *wrenches, "hinge_loads", *cut_loads),
        (*needed, "loads"),
    )
    if loops.size:
        yield from condition_entries(writer)
    if not writer.model.beams:
        yield Entry("mass_matrix", "mass matrix", writer.mass_steps(), ("M",), whole=True)
    placing = (*based(writer), "placements", "places", "body_poses")
    yield Entry("poses", "pose of every body", placing, ("poses",))
    steps = (*based(writer), "relatives", "spins", "places", *energetic(writer))
    yield Entry("energy", "kinetic plus potential energy", steps, ("energy",))
    yield Entry("rates", "rates of the coordinates", ("rates",), ("qd",))
    if turning:
        yield Entry("retract", "coordinates back to unit length", ("retract",), ("qn",))

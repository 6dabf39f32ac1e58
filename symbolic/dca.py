"""The divide-and-conquer methods as programs: accelerations (DCA) and momenta (HDCA).

Both merge the bodies on one binary assembly tree and go back down it; the coefficients of the
merges are the same, only what is known of the bodies without their constraints differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..model.quantities import TIME
from .assembly import BASE, Assembly
from .hdcawriter import Acting
from .joints import joint
from .jointwriter import Writer, acting_arrays, index_sets
from .looparrays import condition_arrays
from .plan import Plan
from .program import Array, Call, Entry, Port, Program, Ref, Slot, Step, given, result

#: Up to here the text of an assembly tree stands in the title of the code.
TOLD = 120

GEOMETRY = ("relatives", "places", "geometry", "columns", "coefficients")


def dca_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False, assembly: str | None = None
) -> Program:
    """Accelerations by divide and conquer, for trees and loops in joint coordinates.

    `runtime` names the model parameters that stay arguments; `forced` adds forces in the hinges
    and external loads; `assembly` is the assembly tree, a balanced one by default.

    Shape
        As `joint_program`: arguments `q`, `v`, `t`, `tau`, `f`; results `a`, `loads`, `poses`,
        `energy`, `qd`, `qn`; with loops `phi`, `phid`, and `du` from the argument `c`.
    Frame
        As `joint_program`; conditions of a cut that holds all translations: along inertial axes.
    Sign
        As `joint_program`.
    Raises
        UsageError: the model has what the method does not take, or the tree is none.
    Source
        Divide-and-conquer paper (15)-(46), with accelerations for velocities.
    """
    return _program(plan, "dca", runtime, forced, assembly)


def hdca_program(
    plan: Plan, *, runtime: tuple[str, ...] = (), forced: bool = False, assembly: str | None = None
) -> Program:
    """Velocities and rates of joint momenta by divide and conquer, and all of `dca_program`.

    Shape
        Besides the argument `mom` (per speed the joint momentum) and `sigma` (per condition the
        impulse of a cut); results `vel` (speeds), `sig` (per condition), `pd` (rates of `mom`),
        `pn` (momenta of given speeds) and `pg` (of the same motion with `sigma` zero).
    Sign
        `sigma`, `sig`: on the child of the cut hinge.
    Raises
        UsageError: the model has what the method does not take, or the tree is none.
    Source
        Divide-and-conquer paper (15)-(46), (61)-(77).
    """
    return _program(plan, "hdca", runtime, forced, assembly)


def _program(
    plan: Plan, algorithm: str, runtime: tuple[str, ...], forced: bool, tree: str | None
) -> Program:
    writer = Writer(plan, forced)
    scheme = Acting(plan, writer, algorithm, tree)
    hamiltonian = algorithm == "hdca"
    slots = tuple(
        slot
        for hinge in plan.model.tree_hinges
        for slot in joint(writer.dimension, hinge.kind).slots
    )
    steps = [*_statics(scheme), *_dynamics(scheme), *(_momenta(scheme) if hamiltonian else ())]
    if Slot.QUATERNION in slots:
        steps.append(
            Step("map", "retract", "quaternions to unit length", tuple(writer.by_hinge("qn")))
        )
    entries = [*(_momentum_entries(scheme) if hamiltonian else ()), *_entries(scheme)]
    if Slot.QUATERNION in slots:
        entries.append(Entry("retract", "coordinates back to unit length", ("retract",), ("qn",)))
    name = "Hamiltonian divide and conquer" if hamiltonian else "divide and conquer"
    return Program(
        name=plan.model.name,
        title=f"{name}: {plan.model.name}; {_told(scheme.assembly)}",
        algorithm=algorithm,
        sets=index_sets(writer) | _sets(scheme),
        arrays={array.name: array for array in _arrays(scheme, hamiltonian)},
        steps=tuple(step for step in steps if step.calls),
        entries=tuple(_without_idle(entries, steps)),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=slots,
    )


def assembly_of(plan: Plan, algorithm: str, tree: str | None = None) -> Assembly:
    """The assembly tree of a plan: the one that is given, or a balanced one.

    Raises
        UsageError: the model has what the method does not take, or the tree is none.
    """
    return Acting(plan, Writer(plan, False), algorithm, tree).assembly


def _told(tree: Assembly) -> str:
    text = tree.text()
    return f"assembly {text}" if len(text) <= TOLD else f"assembly tree of depth {tree.depth}"


def _without_idle(entries: Iterable[Entry], steps: Iterable[Step]) -> Iterable[Entry]:
    """The entries without the steps that have nothing to do."""
    busy = {step.name for step in steps if step.calls}
    for entry in entries:
        yield replace(entry, steps=tuple(name for name in entry.steps if name in busy))


def _statics(scheme: Acting) -> Iterable[Step]:
    """What the place says, and motions from speeds."""
    writer = scheme.writer
    yield Step("map", "relatives", "relative motion in every hinge", tuple(writer.relatives()))
    yield Step("sweep", "places", "orientation and position of links", tuple(writer.places()))
    yield Step("map", "geometry", "arms and inertias of all links", tuple(scheme.geometry()))
    yield Step("map", "columns", "directions of all joints", tuple(scheme.columns()))
    title = "coefficients of the nodes, level by level"
    yield Step("sweep", "coefficients", title, tuple(scheme.coefficients()), "assembly")
    yield Step("sweep", "spins", "angular velocities, outwards", tuple(writer.spins()))
    yield Step("sweep", "velocities", "velocity of every link", tuple(writer.velocities()))
    yield Step("map", "body_poses", "pose of every body", tuple(writer.poses()))
    yield Step("map", "stores", "energy stored in every hinge", tuple(writer.stores()))
    yield Step("sweep", "energies", "energy of the system", tuple(writer.energies()))
    yield Step("map", "rates", "rates of the coordinates", tuple(writer.by_hinge("qd")))


def _dynamics(scheme: Acting) -> Iterable[Step]:
    """Accelerations, loads and corrections."""
    writer = scheme.writer
    yield Step("map", "forces", "force in every hinge", tuple(writer.forces()))
    yield Step("sweep", "motions", "motion of every link, outwards", tuple(scheme.moving()))
    yield Step("map", "gaps", "gaps of the cut hinges", tuple(scheme.gaps()))
    yield Step("map", "drifts", "velocity terms of all joints", tuple(scheme.drifts()))
    yield Step("map", "applied", "loads on the bodies", tuple(writer.applied.calls()))
    yield Step("map", "acted", "accelerations without constraints", tuple(scheme.acted()))
    title = "constraint wrenches and accelerations"
    yield Step("sweep", "solved_d", title, tuple(scheme.solved("d")), "assembly")
    calls = tuple(scheme.hinge_speeds("d", "a"))
    yield Step("map", "accelerated", "rates of the hinges' speeds", calls)
    yield Step("map", "hinge_loads", "loads at every hinge", tuple(scheme.joint_loads()))
    if scheme.cuts:
        yield Step("map", "demands", "what the cuts are to open at", tuple(scheme.demands()))
        title = "impulses and motions of a correction"
        yield Step("sweep", "solved_c", title, tuple(scheme.solved("c")), "assembly")
        calls = tuple(scheme.hinge_speeds("c", "du"))
        yield Step("map", "corrected", "speeds of a correction", calls)


def _momenta(scheme: Acting) -> Iterable[Step]:
    """Velocities from momenta, and the rates of both."""
    writer = scheme.writer
    yield Step("map", "impelled", "motions by joint momenta alone", tuple(scheme.impelled()))
    title = "impulses of the constraints and velocities"
    yield Step("sweep", "solved_h", title, tuple(scheme.solved("h")), "assembly")
    calls = tuple(scheme.hinge_speeds("h", "vel"))
    yield Step("map", "speeds", "speeds of the hinges", calls)
    yield Step("map", "impulses", "impulses of the cuts", tuple(scheme.impulses()))
    yield Step("map", "spins_h", "angular velocities", tuple(scheme.spins()))
    yield Step("map", "couples", "couples of the cuts' impulses", tuple(scheme.couples()))
    calls = tuple(map(_at_found_speeds, writer.forces()))
    yield Step("map", "forces_h", "force in every hinge", calls)
    yield Step("sweep", "loads_h", "loads outboard of every hinge", tuple(scheme.loads()))
    calls = tuple(scheme.momentum_rates())
    yield Step("map", "momentum_rates", "rates of the joint momenta", calls)
    calls = tuple(scheme.momenta("motion_v", "Pv", "pn", impulses=True))
    yield Step("sweep", "momenta_v", "momenta of given speeds", calls)
    calls = tuple(scheme.momenta("motion_h", "Ph", "pg", impulses=False))
    yield Step("sweep", "momenta_h", "momenta without the cuts' impulses", calls)


def _at_found_speeds(call: Call) -> Call:
    """The call with speeds that follow from momenta for given ones."""
    reads = {
        name: Ref("vel", x.member) if isinstance(x, Ref) and x.array == "v" else x
        for name, x in call.reads.items()
    }
    return Call(call.kernel, call.member, reads, call.writes)


def _entries(scheme: Acting) -> Iterable[Entry]:
    """What both methods compute, of places and speeds."""
    solve = (*GEOMETRY, "forces", "motions", "drifts", "applied", "acted", "solved_d")
    accelerated = (*solve, "accelerated")
    title = "accelerations of the coordinates"
    yield Entry("accelerations", title, accelerated, ("a",), whole=True)
    title = "loads at the hinges, moment then force, on the root side by the tip side"
    yield Entry("joint_loads", title, (*accelerated, "hinge_loads"), ("a", "loads"))
    steps: tuple[str, ...] = ("relatives", "places", "body_poses")
    yield Entry("poses", "pose of every body", steps, ("poses",))
    moved = ("relatives", "spins", "places", "velocities")
    steps = (*moved, "stores", "energies")
    yield Entry("energy", "kinetic plus potential energy", steps, ("energy",))
    yield Entry("rates", "rates of the coordinates", ("rates",), ("qd",))
    if scheme.cuts:
        title = "how far the cut hinges are open, and how fast they open"
        yield Entry("constraints", title, (*GEOMETRY[:3], "motions", "gaps"), ("phi", "phid"))
        title = "the least change of the speeds that adds -c to what the cuts open at"
        steps = (*GEOMETRY, "demands", "solved_c", "corrected")
        yield Entry("correction", title, steps, ("du",), whole=True)


def _momentum_entries(scheme: Acting) -> Iterable[Entry]:
    solve = (*GEOMETRY, "impelled", "solved_h")
    found = ("vel", "sig") if scheme.cuts else ("vel",)
    steps: tuple[str, ...] = (*solve, "speeds", "impulses")
    yield Entry("velocities", "speeds from momenta, impulses of the cuts", steps, found, whole=True)
    rates = ("spins_h", "couples", "forces_h", "applied", "loads_h", "momentum_rates")
    title = "speeds and rates of the joint momenta"
    steps = (*solve, "speeds", *rates)
    yield Entry("momentum_rates", title, steps, ("vel", "pd"), whole=True)
    steps = (*GEOMETRY[:-1], "motions", "momenta_v")
    yield Entry("momenta", "joint momenta of given speeds", steps, ("pn",))
    title = "joint momenta of the same motion, the cuts' impulses zero"
    yield Entry("regauge", title, (*solve, "momenta_h"), ("pg",), whole=True)


def _sets(scheme: Acting) -> dict[str, tuple[str, ...]]:
    """The index sets of the assembly tree: nodes, merges and joints by their sizes."""
    tree = scheme.assembly
    found: dict[str, list[str]] = {}
    for node in tree.nodes:
        if node.name != BASE:
            found.setdefault(f"nodes{tree.width(node.open)}", []).append(node.name)
    for node in tree.merges:
        m = tree.width(node.joined)
        found.setdefault(f"merges{m}", []).append(node.name)
        found.setdefault(f"merges{m}_{tree.width(node.open)}", []).append(node.name)
    for name, of in tree.joints.items():
        found.setdefault(f"joints{of.width}", []).append(name)
    return {name: tuple(members) for name, members in found.items()}


def _arrays(scheme: Acting, hamiltonian: bool) -> Iterable[Array]:
    writer = scheme.writer
    d, s, n = writer.dimension, writer.space.spins, writer.space.motion

    def work(name: str, rows: int = 1, cols: int = 1) -> Array:
        return Array(name, "links", Port(name, rows, cols))

    yield given("q", "coordinates")
    yield given("v", "speeds")
    if hamiltonian:
        yield given("mom", "speeds")
    if writer.timed:
        yield given(TIME.name, "system")
    if writer.forced:
        yield given("tau", "speeds")
    if writer.loaded:
        yield given("f", "bodies", n)
    if scheme.cuts:
        yield given("c", "conditions")
        yield result("du", "speeds")
    if hamiltonian and scheme.cuts:
        yield given("sigma", "conditions")
        yield result("sig", "conditions")
    for name in ("vel", "pd", "pn", "pg") if hamiltonian else ():
        yield result(name, "speeds")
    yield result("a", "speeds")
    yield result("loads", "ends", 6)
    yield result("poses", "bodies", 4, 4)
    yield result("energy", "system")
    yield result("qd", "coordinates")
    yield result("qn", "coordinates")
    square, columns = ("C", "A", "Bc"), ("r", "vr", "br", "x", "vl", "ce", "ar", "vx")
    for name in square:
        yield work(name, d, d)
    for name in columns:
        yield work(name, d)
    for name in ("wr", "bw", "w", "wI", "wh"):
        yield work(name, s)
    for name in ("cz", "sz", "E"):
        yield work(name)
    for name in ("free_h", "free_d", "motion_h", "motion_d", "motion_c", "motion_v", "Q"):
        yield work(name, n)
    for name in ("Pv", "Ph"):
        yield work(name, n)
    yield Array("Ji", "links", Port("Ji", s, s, symmetric=True))
    yield from _by_size(scheme)
    yield from acting_arrays(writer)
    yield from condition_arrays(writer.loops)


def _by_size(scheme: Acting) -> Iterable[Array]:
    """The arrays whose shapes depend on the joints."""
    n, tree = scheme.space.motion, scheme.assembly

    def work(name: str, index_set: str, rows: int, cols: int = 1, symmetric: bool = False) -> Array:
        return Array(name, index_set, Port(name, rows, cols, symmetric))

    for f in sorted({scheme.freedom(link) for link in scheme.plan.links} - {0}):
        for name in ("H", "Zs", "Zp"):
            yield work(f"{name}{f}", "links", n, f)
        for name in ("T", "h"):
            yield work(f"{name}{f}", "links", f)
    for m in sorted({scheme.width(link) for link in scheme.plan.links} - {0}):
        yield from (work(f"W{x}{m}", "links", n, m) for x in "sp")
    for m in sorted({ends.hinge.count for ends in scheme.cut_ends.values()}):
        yield from (work(f"W{x}{m}", "cuts", n, m) for x in "ab")
    if scheme.cuts:
        yield from (work(f"X{x}", "cuts", n) for x in "ab")
    for m in sorted({of.width for of in tree.joints.values()}):
        yield from (work(f"g{m}{x}", f"joints{m}", m) for x in "dc")
        yield from (work(f"sigma{m}{x}", f"joints{m}", m) for x in "hdc")
    nodes = [node for node in tree.nodes if node.open and node.name != BASE]
    for size in sorted({tree.width(node.open) for node in nodes}):
        yield work(f"Xi{size}", f"nodes{size}", size, size, symmetric=True)
        yield from (work(f"xi{size}{x}", f"nodes{size}", size) for x in "hdc")
    for m in sorted({tree.width(node.joined) for node in tree.merges}):
        yield work(f"l{m}", f"merges{m}", m * (m - 1) // 2)
        yield work(f"inv{m}", f"merges{m}", m)
        yield work(f"P{m}", f"merges{m}", m, m)
        yield work(f"G{m}", f"merges{m}", m, m, symmetric=True)
        yield from (work(f"s{m}{x}", f"merges{m}", m) for x in "hdc")
    for m, left in sorted(
        {(tree.width(node.joined), tree.width(node.open)) for node in tree.merges if node.open}
    ):
        yield work(f"U{m}_{left}", f"merges{m}_{left}", m, left)

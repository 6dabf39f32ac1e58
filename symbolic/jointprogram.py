"""The Riccati method in joint coordinates, for trees and closed loops, as a program.

One sweep outwards for the spins, one inwards that eliminates hinge after hinge, one outwards
for the accelerations; all in link axes, so that neither orientation nor position of the
bodies in space is computed unless poses, energy, loads or external loads ask for it.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from ..model import Model
from ..model.quantities import TIME, exact_expression, parameter
from .drift import Drift
from .endprogram import end_arrays, end_entry, end_sets, joint_end_step
from .joints import joint
from .jointwriter import Writer, acting_arrays, index_sets
from .looparrays import condition_arrays, loop_arrays
from .loopprogram import Loops
from .plan import Plan
from .program import Array, Entry, Port, Program, Slot, Step, given, result


def joint_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    regroup: bool = True,
) -> Program:
    """The Riccati method for bodies and hinges in joint coordinates; loops are cut.

    `runtime` names the model parameters that stay arguments; `forced` adds forces in the hinges,
    `loaded` (as `forced` by default) external loads.

    Shape
        Arguments `q`, `v`, `t` (if anything depends on the time), if forced `tau` (per speed) and
        if loaded `f` (per body the force at its centre of mass, of a beam at its middle section,
        then a couple); results `a`,
        `loads` (per output end, then per cut, m then q, three components each), `za` and `zb`
        (the same and r̈, Ω̇ for all `states`), `poses` (per body a 4×4 transform), `energy`
        (with the springs', not the loads'), `qd`,
        `drive` (per driven coordinate) and, if there are quaternions, `qn`. With loops also
        `phi`, `phid` (per condition of a cut), `J` (conditions by speeds), `Lam`, and `du` from
        the argument `c` (per condition).
    Frame
        `f`, `loads`: inertial; `q`, `v`, `tau`, `a`: hinge by hinge, see `Hinge`, then beam by
        beam, see `Beam`.
    Sign
        `tau` drives the hinge's child relative to its parent along the speed.
    Source
        Riccati paper, Sect. 3, in the articulated-body form; deduction paper for the hinges.
    """
    writer = Writer(plan, forced, loaded)
    free = [hinge for hinge in plan.model.tree_hinges if not hinge.motion]
    slots = tuple(slot for h in free for slot in joint(writer.dimension, h.kind).slots)
    slots += writer.beams.slots
    turning = Slot.QUATERNION in slots
    loops = writer.loops.size > 0
    borne = writer.loops.borne
    velocities = Step("sweep", "velocities", "velocity of every link", tuple(writer.velocities()))
    biases = Step("map", "biases", "biases with the multipliers", tuple(writer.loops.biases()))
    drift = Drift(writer, known(plan.model, runtime), regroup) if Drift.serves(writer) else None
    steps = [
        *grounded(writer),
        Step("map", "relatives", "relative motion in every hinge", tuple(writer.relatives())),
        Step("map", "forces", "force in every hinge", tuple(writer.forces())),
        Step("sweep", "spins", "angular velocities, outwards", tuple(writer.spins())),
        Step("sweep", "places", "orientation and position of every link", tuple(writer.places())),
        *([velocities] if borne else []),
        *before(writer),
        Step("sweep", "inward", "Riccati recursion, tips to root", tuple(writer.inward())),
        *(drift.steps() if drift else ()),
        *_between(writer.loops),
        Step("sweep", "outward", "accelerations, root to tips", tuple(writer.accelerations())),
        *([biases] if loops else []),
        Step("map", "hinge_loads", "loads at every hinge", tuple(writer.loads())),
        joint_end_step(writer),
        Step("map", "drives", "driving forces", (*writer.drives(), *writer.cut_forces.drives())),
        Step("map", "body_poses", "pose of every body", tuple(writer.poses())),
        *([] if borne else [velocities]),
        *stored(writer),
        Step("sweep", "energies", "energy of the system", tuple(writer.energies())),
        Step("map", "rates", "rates of the coordinates", tuple(writer.by_hinge("qd"))),
    ]
    steps += [*_after(writer), *retracted(writer, slots)]
    return Program(
        name=plan.model.name,
        title=f"Riccati transfer matrix method, joint coordinates: {plan.model.name}",
        algorithm="riccati",
        sets=index_sets(writer) | end_sets(plan),
        arrays={
            array.name: array for array in (*_arrays(writer), *(drift.arrays() if drift else ()))
        },
        steps=tuple(steps),
        entries=_entries(writer, turning, drift is not None),
        parameters=dict(plan.model.parameters),
        runtime=runtime,
        slots=slots,
    )


def grounded(writer: Writer) -> list[Step]:
    """The motion of the ground, if it moves."""
    calls = tuple(writer.ground.calls())
    return [Step("map", "base", "motion of the base", calls)] if calls else []


def stored(writer: Writer) -> list[Step]:
    """The energy of springs, if there are any."""
    calls = tuple(writer.stores())
    return [Step("map", "stores", "energy stored in every hinge", calls)] if calls else []


def retracted(writer: Writer, slots: tuple[Slot, ...]) -> list[Step]:
    """All coordinates, with quaternions back to unit length, if there are any."""
    if Slot.QUATERNION not in slots:
        return []
    calls = tuple(writer.by_hinge("qn"))
    return [Step("map", "retract", "quaternions back to unit length", calls)]


def before(writer: Writer) -> list[Step]:
    """What cut hinges demand, and what acts in them, from the place and motion of all links."""
    loops, forces = writer.loops, writer.cut_forces
    steps = [
        Step("map", "prescribed", "motion of the cut driven hinges", tuple(forces.prescribed())),
        Step("map", "gaps", "gaps of the cut hinges", tuple(loops.gaps())),
        Step("map", "openings", "cut hinges", tuple(loops.openings())),
        Step("sweep", "cut_forces", "force in every cut hinge", tuple(forces.laws())),
        Step("map", "applied", "loads on the bodies", tuple(writer.applied.calls())),
    ]
    if not writer.model.beams:
        title = "how the conditions change with the speeds"
        steps.append(Step("sweep", "slopes", title, tuple(loops.slopes())))
    return [step for step in steps if step.calls]


def _between(loops: Loops) -> list[Step]:
    """What conditions need between the inward and the outward sweep."""
    if not loops.size:
        return []
    title = "multipliers of the cut hinges"
    return [Step("solve", "multipliers", title, tuple(loops.multipliers()))]


def _after(writer: Writer) -> list[Step]:
    """What conditions and cuts add to the results."""
    loops = writer.loops
    loads = Step("map", "cut_loads", "loads at the cut hinges", tuple(loops.loads()))
    if not loops.size:
        return [loads] if loops.borne else []
    calls = tuple(loops.corrections())
    return [
        loads,
        Step("output", "compliance", "how the cuts yield", tuple(loops.compliance())),
        Step("solve", "corrections", "multipliers of a correction", calls),
        Step("sweep", "corrected", "motion of a correction", tuple(loops.corrected())),
    ]


def _arrays(writer: Writer) -> Iterable[Array]:
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
    yield from end_arrays()
    yield result("drive", "driven")
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
    for name in ("IA", "IAh", "IAt"):
        yield work(name, n, n, symmetric=True)
    for name in ("pA", "pAh", "pAt", "gam", "acc", "a0"):
        yield work(name, n)
    freedoms = {writer.freedom(link) for link in writer.plan.links}
    freedoms |= {len(writer.hung[link.name].hinge.motion) for link in writer.driven()}
    for freedom in sorted(freedoms - {0}):
        yield work(f"T{freedom}", freedom)
        yield work(f"H{freedom}", n, freedom)
        yield work(f"G{freedom}", freedom, n)
        yield work(f"k{freedom}", freedom)
    yield work("E")
    if any(hinge.rotor for hinge in writer.model.hinges):
        yield work("Erotor")
    yield from acting_arrays(writer)
    yield from condition_arrays(writer.loops)
    yield from writer.beams.arrays()
    yield from loop_arrays(writer.loops)


def known(model: Model, runtime: tuple[str, ...]) -> dict[sp.Symbol, sp.Expr]:
    """The values of the parameters that are no arguments, exactly."""
    return {
        parameter(name): exact_expression(value)
        for name, value in model.parameters.items()
        if name not in runtime
    }


def _entries(writer: Writer, turning: bool, drifting: bool) -> tuple[Entry, ...]:
    forces = ("forces",) if any(writer.pushed(link) for link in writer.plan.links) else ()
    loops, borne = writer.loops.size > 0, bool(writer.loops.borne)
    placed = ("places",) if writer.loaded or borne or writer.applied.placed else ()
    closed = ("multipliers",) if loops else ()
    inward = (*forces, *opened(writer), "inward")
    ground = based(writer)
    dynamics = (*ground, "relatives", "spins", *placed, *inward, *closed, "outward")
    biased = ("biases",) if loops else ()
    carried = ("hinge_loads", "cut_loads") if borne else ("hinge_loads",)
    swept = (*ground, "relatives", "spins", "places", *inward)
    moved = (*swept, *closed, "outward", *biased)
    if drifting:
        sweeps = (*opened(writer), "drifts", "demands", *forces, "inward_b", "outward_b")
        shortest = (*ground, "relatives", "spins", *placed, *sweeps)
    else:
        shortest = dynamics
    entries = [
        Entry("accelerations", "accelerations of the coordinates", shortest, ("a",), whole=True),
        Entry(
            "joint_loads",
            "loads at the hinges, moment then force, on the root side by the tip side",
            (*moved, *carried),
            ("a", "loads"),
        ),
        end_entry(moved),
        Entry(
            "poses",
            "pose of every body",
            (*ground, "relatives", "places", "body_poses"),
            ("poses",),
        ),
        Entry(
            "energy",
            "kinetic plus potential energy",
            (*ground, "relatives", "spins", "places", *energetic(writer)),
            ("energy",),
        ),
        Entry("rates", "rates of the coordinates", ("rates",), ("qd",)),
    ]
    if writer.driven() or writer.loops.driven:
        title = "forces that drive the driven hinges"
        steps = (*dynamics, *biased, "drives")
        entries.append(Entry("driving_forces", title, steps, ("a", "drive")))
    if loops:
        entries += [*condition_entries(writer), *_loop_entries(ground, (*placed, *inward))]
    if turning:
        entries.append(Entry("retract", "coordinates back to unit length", ("retract",), ("qn",)))
    return tuple(entries)


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


def _loop_entries(ground: tuple[str, ...], inward: tuple[str, ...]) -> list[Entry]:
    """What only the sweep of a model with closed loops has."""
    swept = (*ground, "relatives", "spins", *inward)
    return [
        Entry(
            "correction",
            "the least change of the speeds that adds -c to what the cuts open at",
            (*swept, "corrections", "corrected"),
            ("du",),
        ),
        Entry(
            "compliance",
            "how the conditions yield to their multipliers",
            (*swept, "compliance"),
            ("Lam",),
        ),
    ]

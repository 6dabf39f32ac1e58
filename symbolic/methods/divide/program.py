"""The divide-and-conquer methods as programs: accelerations (DCA) and momenta (HDCA).

Both merge the bodies on one binary assembly tree and go back down it; the coefficients of the
merges are the same, only what is known of the bodies without their constraints differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...language.program import (
    Array,
    Call,
    Kernel,
    Map,
    Program,
    Ref,
    Step,
    Sweep,
    given,
    result,
)
from ...language.scans import SHORT
from ...language.slices import Wanted
from ...language.walk import Action, Binding, Place
from ...plans.assembly import Assembly
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.acting import Reads
from ...tree.loops import condition_arrays
from . import kernels, momentum_kernels, scan_kernels
from .cuts import Cuts
from .hubs import summed
from .tree import Divided

#: Up to here the text of an assembly tree stands in the title of the code.
LONGEST = 120


def dca_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    assembly: str | None = None,
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
    return _program(plan, "dca", runtime, (forced, loaded), assembly)


def hdca_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    assembly: str | None = None,
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
    return _program(plan, "hdca", runtime, (forced, loaded), assembly)


def _program(
    plan: Plan,
    algorithm: str,
    runtime: tuple[str, ...],
    acting: tuple[bool, bool | None],
    assembly: str | None,
) -> Program:
    tree = Divided(plan, *acting, algorithm, assembly)
    hamiltonian = algorithm == "hdca"
    cuts = Cuts(tree)
    steps = [*_statics(tree, cuts), *_dynamics(tree, cuts)]
    steps += [*(_momenta(tree, cuts) if hamiltonian else ()), *shared.retraction(tree)]
    wanted = (*(_momentum_entries(tree) if hamiltonian else ()), *ENTRIES)
    tree.sets |= _sets(tree.assembly) | tree.along.blocks()
    name = "Hamiltonian divide and conquer" if hamiltonian else "divide and conquer"
    made = tree.program(algorithm, name, steps, _arrays(tree, hamiltonian), wanted, runtime)
    return replace(made, title=f"{made.title}; {_described(tree.assembly)}")


def assembly_of(plan: Plan, algorithm: str, tree: str | None = None) -> Assembly:
    """The assembly tree of a plan: the one that is given, or a balanced one.

    Raises
        UsageError: the model has what the method does not take, or the tree is none.
    """
    return Divided(plan, False, None, algorithm, tree).assembly


def _described(tree: Assembly) -> str:
    text = tree.text()
    return f"assembly {text}" if len(text) <= LONGEST else f"assembly tree of depth {tree.depth}"


def _statics(tree: Divided, cuts: Cuts) -> Iterator[Step]:
    """What the place says, and motions from speeds."""

    def geometry(link: Link) -> Iterator[Kernel]:
        yield kernels.geometry.at(tree, link)
        yield kernels.reach.at(tree, link)
        if tree.ways[link.name].parental:
            yield kernels.carrier.at(tree, link)
        if tree.dimension == 3:
            yield kernels.mobility.at(tree, link)

    def columns(link: Link) -> Iterator[Kernel]:
        yield kernels.columns.at(tree, link)

    yield shared.relatives(tree)
    title = "orientation of every link"
    yield Sweep("turns", title, tuple(tree.along.outwards("C", "A")))
    yield Map("geometry", "arms and inertias of all links", tree.outward(geometry))
    yield Sweep("places", "place of every link", tuple(tree.along.outwards("ar", "x")))
    joints = shared.joined(tree.outward(columns), cuts.columns())
    yield Map("columns", "directions of all joints", joints)
    title = "coefficients of the nodes, level by level"
    yield Sweep("coefficients", title, tuple(tree.coefficients()))
    yield from _motions(tree)
    yield from shared.lines(tree)
    yield shared.poses(tree)
    yield from shared.stores(tree)
    yield from _energies(tree)
    yield shared.rates(tree)


def _energies(tree: Divided) -> Iterator[Step]:
    """The energy: of few links one after the other, of many two by two."""
    many = len(tree.links) > SHORT
    yield shared.energies(tree, apart=many)
    if many:
        calls = tree.along.total("E", Ref("energy", ""))
        yield Sweep("energy_sum", "energy of the system", tuple(calls))


def _motions(tree: Divided) -> Iterator[Step]:
    """Motions of all links from given speeds."""

    def relative(link: Link) -> Iterator[Kernel]:
        own = scan_kernels.relative if tree.freedom(link) else scan_kernels.still
        yield own.at(tree, link)

    def faster(link: Link) -> Iterator[Kernel]:
        yield scan_kernels.faster.at(tree, link)

    def moving(link: Link) -> Iterator[Action]:
        kernel = momentum_kernels.motion.at(tree, link)
        yield tree.bound(kernel, link, writes={"V": Place("motion_v", "own")})

    def turned(link: Link) -> Iterator[Kernel]:
        yield momentum_kernels.turned.at(tree, link)

    yield Map("relative_motions", "motion in every hinge", tree.outward(relative))
    title = "angular velocity of every link"
    yield Sweep("spins", title, tuple(tree.along.outwards("ws", "wI")))
    yield Map("faster", "velocities against the parents'", tree.outward(faster))
    title = "velocity of every link's origin"
    yield Sweep("velocities", title, tuple(tree.along.outwards("vs", "vx")))
    yield Map("motions", "motion of every link", tree.outward(moving))
    yield Map("turned", "motions in the axes of the links", tree.outward(turned))


def _dynamics(tree: Divided, cuts: Cuts) -> Iterator[Step]:
    """Accelerations, loads and corrections."""

    def bias(link: Link) -> Iterator[Action]:
        m = tree.width(link)
        own = {f"g{m}": Ref(f"g{m}d", link.hinge)} if m else {}
        yield tree.bound(momentum_kernels.bias.at(tree, link), link, writes=own)

    def acted(link: Link) -> Iterator[Action]:
        hinges, known = tree.ways_at(link, acting=True)
        freedoms = tuple(map(tree.freedom, hinges))
        known |= {
            f"T_{k}": Ref(f"T{f}", x.name)
            for k, (x, f) in enumerate(zip(hinges, freedoms, strict=True), 1)
        }
        kernel = momentum_kernels.acted.at(tree, link, freedoms=freedoms)
        yield tree.bound(kernel, link, known, {"V0": Place("free_d", "own")})

    def load(link: Link) -> Iterator[Action]:
        count = tree.freedom(link) if tree.pushed(link) else 0
        kernel = momentum_kernels.joint_load.at(tree, link, count=count)
        known = {"sigma": tree.multiplier(link.hinge, "d")} if tree.width(link) else {}
        yield tree.bound(kernel, link, known)

    yield shared.forces(tree)
    yield Map("gaps", "gaps of the cut hinges", tuple(cuts.gaps()))
    terms = shared.joined(tree.inward(bias), cuts.biases())
    yield Map("biases", "velocity terms of all joints", terms)
    yield from shared.applied(tree)
    yield Map("acted", "accelerations without constraints", tree.inward(acted))
    title = "constraint wrenches and accelerations"
    yield Sweep("solved_d", title, tuple(tree.solved("d")))
    yield Map("accelerated", "rates of the hinges' speeds", tree.hinge_speeds("d", "a"))
    loads = shared.joined(tree.inward(load), cuts.loads())
    yield Map("hinge_loads", "loads at every hinge", loads)
    if tree.cuts:
        yield Map("demands", "what the cuts are to open at", tuple(cuts.demands()))
        title = "impulses and motions of a correction"
        yield Sweep("solved_c", title, tuple(tree.solved("c")))
        yield Map("corrected", "speeds of a correction", tree.hinge_speeds("c", "du"))


def _momenta(tree: Divided, cuts: Cuts) -> Iterator[Step]:
    """Velocities from momenta, and the rates of both."""

    def impelled(link: Link) -> Iterator[Action]:
        hinges, known = tree.ways_at(link)
        for k, x in enumerate(hinges, 1):
            known |= {f"p_{k}_{j}": Ref("mom", name) for j, name in enumerate(tree.speeds(x), 1)}
        kernel = momentum_kernels.impelled.at(tree, link, freedoms=tuple(map(tree.freedom, hinges)))
        yield tree.bound(kernel, link, known, {"V0": Place("free_h", "own")})

    def spin(link: Link) -> Iterator[Action]:
        reads, writes = {"V": Place("motion_h", "own")}, {"w": Place("wh", "own")}
        yield tree.bound(momentum_kernels.angular.at(tree, link), link, reads, writes)

    def load(link: Link) -> Iterator[Action]:
        held = tree.cuts_at(link.name)
        known = {f"X_{k}": Ref(f"X{side}", name) for k, (name, side) in enumerate(held, 1)}
        yield tree.bound(momentum_kernels.load.at(tree, link), link, known)

    def rate(link: Link) -> Iterator[Action]:
        if tree.freedom(link):
            known: dict[str, Binding] = {"V": Place("motion_h", "own")}
            known["wc"] = tree.carrying("wh", link)
            if tree.width(link):
                known["sigma"] = tree.multiplier(link.hinge, "h")
            yield tree.bound(momentum_kernels.momentum_rate.at(tree, link), link, known)

    yield Map("impelled", "motions by joint momenta alone", tree.inward(impelled))
    title = "impulses of the constraints and velocities"
    yield Sweep("solved_h", title, tuple(tree.solved("h")))
    yield Map("speeds", "speeds of the hinges", tree.hinge_speeds("h", "vel"))
    yield Map("impulses", "impulses of the cuts", tuple(cuts.impulses()))
    yield Map("spins_h", "angular velocities", tree.inward(spin))
    yield Map("couples", "couples of the cuts' impulses", tuple(cuts.couples()))
    calls = tuple(map(_at_found_speeds, shared.forces(tree).calls))
    yield Map("forces_h", "force in every hinge", calls)
    yield Map("own_loads", "loads of every body", tree.inward(load))
    yield from _outboard(tree, "outboard", "loads", ("fs", "Qf", "ms", "mt", "Qm"))
    yield Map("momentum_rates", "rates of the joint momenta", tree.inward(rate))
    yield from _joint_momenta(tree, cuts, "v", "pn", "momenta of given speeds")
    yield from _joint_momenta(tree, cuts, "h", "pg", "momenta without the cuts' impulses")


def _joint_momenta(
    tree: Divided, cuts: Cuts, letter: str, result: str, title: str
) -> Iterator[Step]:
    """Joint momenta of motions; of those of given speeds, less what the cuts' `sigma` are."""

    def own(link: Link) -> Iterator[Action]:
        held = tree.cuts_at(link.name) if letter == "v" else []
        known: dict[str, Binding] = {"V": Place(f"motion_{letter}", "own")}
        for k, (name, _) in enumerate(held, 1):
            known[f"W_{k}"] = tree.held(name, link.name)
            for j, condition in enumerate(cuts.conditions(name), 1):
                known[f"sigma_{k}_{j}"] = Ref("sigma", condition)
        widths = tree.widths(name for name, _ in held)
        kernel = momentum_kernels.momentum.at(tree, link, cut_widths=widths)
        writes = {word: Place(f"{word}{letter}", "own") for word in ("ps", "ls")}
        yield tree.bound(kernel, link, known, writes)

    def along(link: Link) -> Iterator[Action]:
        count = tree.freedom(link)
        if count:
            kernel = momentum_kernels.joint_momentum.at(tree, link)
            writes = {f"p_{j}": Place(result, f"speed {j}") for j in range(1, count + 1)}
            reads = {word: Place(f"{word}{letter}", "own") for word in ("Pf", "Pm")}
            yield tree.bound(kernel, link, reads, writes)

    yield Map(f"own_momenta_{letter}", "momentum of every body", tree.inward(own))
    words = "ps", "Pf", "ls", "lt", "Pm"
    yield from _outboard(tree, f"outboard_{letter}", "momenta", words, letter)
    yield Map(f"momenta_{letter}", title, tree.inward(along))


def _outboard(
    tree: Divided, name: str, what: str, words: tuple[str, str, str, str, str], letter: str = ""
) -> Iterator[Step]:
    """Of all that hangs on every link the sum: of forces first, then of moments about its origin.

    `words`: a link's own force and its sum, its own moment, this with that of the next one's force
    by its arm, and its sum.
    """
    force, forces, moment, levered, moments = words
    along = tree.along

    def lever(own: str, link: str, after: str, kept: str) -> Call:
        """A link's moment, with that of the force on the next link, or on itself, by its arm."""
        kernel = tree.made(momentum_kernels.lever, words=(own, forces), found=levered)
        reads: Reads = {own: Ref(f"{own}{letter}", link), "ar_I1": Ref("ar", after)}
        reads[f"{forces}_I1"] = Ref(f"{forces}{letter}", after)
        return Call(kernel, link, reads, {levered: Ref(f"{kept}{letter}", link)})

    calls = along.inwards(force, forces, letter, lambda x: Ref(f"{force}{letter}", x))
    yield Sweep(f"{name}_forces", f"{what} of all outboard", tuple(calls))
    nexts = along.paths.heaviest
    calls = (lever(moment, link, after, levered) for link, after in nexts.items())
    yield Map(f"{name}_levers", "moments by the arm of the next link", tuple(calls))
    calls = along.inwards(
        levered,
        moments,
        letter,
        lambda x: Ref(f"{levered if x in nexts else moment}{letter}", x),
        lambda x: lever(moments, x, x, f"{levered}_branch"),
    )
    yield Sweep(f"{name}_moments", f"moments of {what} of all outboard", tuple(calls))


def _at_found_speeds(call: Call) -> Call:
    """The call with speeds that follow from momenta for given ones."""
    reads = {
        name: Ref("vel", x.member) if isinstance(x, Ref) and x.array == "v" else x
        for name, x in call.reads.items()
    }
    return Call(call.kernel, call.member, reads, call.writes)


#: What both methods compute, of places and speeds.
ENTRIES = (
    shared.ACCELERATIONS,
    shared.JOINT_LOADS,
    shared.POSES,
    shared.ENERGY,
    shared.RATES,
    shared.CONSTRAINTS,
    replace(shared.CORRECTION, whole=True),
    shared.RETRACT,
)


def _momentum_entries(tree: Divided) -> Iterator[Wanted]:
    found = ("vel", "sig") if tree.cuts else ("vel",)
    title = "speeds from momenta, impulses of the cuts"
    yield Wanted("velocities", title, found, whole=True)
    title = "speeds and rates of the joint momenta"
    rates = Wanted("momentum_rates", title, ("vel", "pd"), whole=True)
    yield rates.skipping("forces")
    yield Wanted("momenta", "joint momenta of given speeds", ("pn",))
    title = "joint momenta of the same motion, the cuts' impulses zero"
    yield Wanted("regauge", title, ("pg",), whole=True)


def _sets(tree: Assembly) -> dict[str, tuple[str, ...]]:
    """The index sets of the assembly tree: nodes, merges and joints by their sizes."""
    found: dict[str, list[str]] = {}
    for node in tree.nodes:
        if not node.still:
            found.setdefault(f"nodes{tree.width(node.open)}", []).append(node.name)
    for node in tree.merges:
        m = tree.width(node.joined)
        found.setdefault(f"merges{m}", []).append(node.name)
        found.setdefault(f"merges{m}_{tree.width(node.open)}", []).append(node.name)
    for name, of in tree.joints.items():
        found.setdefault(f"joints{of.width}", []).append(name)
    for node in tree.leaves:
        for name in tree.raked(node):
            found.setdefault(f"branches{tree.joints[name].width}", []).append(name)
    sets = {name: tuple(members) for name, members in found.items()}
    return sets | ({"summed": summed(tree)} if summed(tree) else {})


def _arrays(tree: Divided, hamiltonian: bool) -> Iterator[Array]:
    yield from tree.arguments()
    if hamiltonian:
        yield given("mom", "speeds")
    if tree.cuts:
        yield given("c", "conditions")
        yield result("du", "speeds")
    if hamiltonian and tree.cuts:
        yield given("sigma", "conditions")
        yield result("sig", "conditions")
    for name in ("vel", "pd", "pn", "pg") if hamiltonian else ():
        yield result(name, "speeds")
    yield result("a", "speeds")
    yield result("loads", "ends", 6)
    yield from shared.RESULTS
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)

"""The divide-and-conquer methods as programs: accelerations (DCA) and momenta (HDCA).

Both merge the bodies on one binary assembly tree and go back down it; the coefficients of the
merges are the same, only what is known of the bodies without their constraints differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...language.program import (
    Array,
    Call,
    Map,
    Port,
    Program,
    Ref,
    Step,
    Sweep,
    given,
    result,
)
from ...language.slices import Wanted
from ...plans.assembly import BASE, Assembly
from ...plans.plan import Plan
from ...tree import steps as shared
from ...tree.joint import Joint
from ...tree.loop_arrays import condition_arrays
from .momenta import Acting

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
    tree: str | None,
) -> Program:
    scheme = Acting(Joint(plan, *acting), algorithm, tree)
    hamiltonian = algorithm == "hdca"
    steps = [*_statics(scheme), *_dynamics(scheme), *(_momenta(scheme) if hamiltonian else ())]
    steps += shared.retraction(scheme.tree)
    wanted = (*(_momentum_entries(scheme) if hamiltonian else ()), *ENTRIES)
    scheme.tree.sets |= _sets(scheme)
    name = "Hamiltonian divide and conquer" if hamiltonian else "divide and conquer"
    made = scheme.tree.program(
        algorithm, name, steps, _arrays(scheme, hamiltonian), wanted, runtime
    )
    return replace(made, title=f"{made.title}; {_described(scheme.assembly)}")


def assembly_of(plan: Plan, algorithm: str, tree: str | None = None) -> Assembly:
    """The assembly tree of a plan: the one that is given, or a balanced one.

    Raises
        UsageError: the model has what the method does not take, or the tree is none.
    """
    return Acting(Joint(plan, False), algorithm, tree).assembly


def _described(tree: Assembly) -> str:
    text = tree.text()
    return f"assembly {text}" if len(text) <= LONGEST else f"assembly tree of depth {tree.depth}"


def _statics(scheme: Acting) -> Iterable[Step]:
    """What the place says, and motions from speeds."""
    tree = scheme.tree
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield Map("geometry", "arms and inertias of all links", tuple(scheme.geometry()))
    yield Map("columns", "directions of all joints", tuple(scheme.columns()))
    title = "coefficients of the nodes, level by level"
    yield Sweep("coefficients", title, tuple(scheme.coefficients()))
    yield shared.velocities(tree)
    yield from shared.lines(tree)
    yield shared.poses(tree)
    yield from shared.stores(tree)
    yield shared.energies(tree)
    yield shared.rates(tree)


def _dynamics(scheme: Acting) -> Iterable[Step]:
    """Accelerations, loads and corrections."""
    tree = scheme.tree
    yield shared.forces(tree)
    yield Sweep("motions", "motion of every link, outwards", tuple(scheme.moving()))
    yield Map("gaps", "gaps of the cut hinges", tuple(scheme.gaps()))
    yield Map("biases", "velocity terms of all joints", tuple(scheme.biases()))
    yield from shared.applied(tree)
    yield Map("acted", "accelerations without constraints", tuple(scheme.acted()))
    title = "constraint wrenches and accelerations"
    yield Sweep("solved_d", title, tuple(scheme.solved("d")))
    calls = tuple(scheme.hinge_speeds("d", "a"))
    yield Map("accelerated", "rates of the hinges' speeds", calls)
    yield Map("hinge_loads", "loads at every hinge", tuple(scheme.joint_loads()))
    if scheme.cuts:
        yield Map("demands", "what the cuts are to open at", tuple(scheme.demands()))
        title = "impulses and motions of a correction"
        yield Sweep("solved_c", title, tuple(scheme.solved("c")))
        calls = tuple(scheme.hinge_speeds("c", "du"))
        yield Map("corrected", "speeds of a correction", calls)


def _momenta(scheme: Acting) -> Iterable[Step]:
    """Velocities from momenta, and the rates of both."""
    tree = scheme.tree
    yield Map("impelled", "motions by joint momenta alone", tuple(scheme.impelled()))
    title = "impulses of the constraints and velocities"
    yield Sweep("solved_h", title, tuple(scheme.solved("h")))
    calls = tuple(scheme.hinge_speeds("h", "vel"))
    yield Map("speeds", "speeds of the hinges", calls)
    yield Map("impulses", "impulses of the cuts", tuple(scheme.impulses()))
    yield Map("spins_h", "angular velocities", tuple(scheme.spins()))
    yield Map("couples", "couples of the cuts' impulses", tuple(scheme.couples()))
    calls = tuple(map(_at_found_speeds, shared.forces(tree).calls))
    yield Map("forces_h", "force in every hinge", calls)
    yield Sweep("loads_h", "loads outboard of every hinge", tuple(scheme.loads()))
    calls = tuple(scheme.momentum_rates())
    yield Map("momentum_rates", "rates of the joint momenta", calls)
    calls = tuple(scheme.momenta("motion_v", "Pv", "pn", impulses=True))
    yield Sweep("momenta_v", "momenta of given speeds", calls)
    calls = tuple(scheme.momenta("motion_h", "Ph", "pg", impulses=False))
    yield Sweep("momenta_h", "momenta without the cuts' impulses", calls)


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


def _momentum_entries(scheme: Acting) -> Iterable[Wanted]:
    found = ("vel", "sig") if scheme.cuts else ("vel",)
    title = "speeds from momenta, impulses of the cuts"
    yield Wanted("velocities", title, found, whole=True)
    title = "speeds and rates of the joint momenta"
    rates = Wanted("momentum_rates", title, ("vel", "pd"), whole=True)
    yield rates.skipping("forces")
    yield Wanted("momenta", "joint momenta of given speeds", ("pn",))
    title = "joint momenta of the same motion, the cuts' impulses zero"
    yield Wanted("regauge", title, ("pg",), whole=True)


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
    tree = scheme.tree
    yield from tree.arguments()
    if hamiltonian:
        yield given("mom", "speeds")
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
    yield from shared.RESULTS
    yield from _by_size(scheme)
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)


def _by_size(scheme: Acting) -> Iterable[Array]:
    """The arrays whose shapes depend on the joints."""
    n, tree = scheme.space.motion, scheme.assembly

    def work(name: str, index_set: str, rows: int, cols: int = 1, symmetric: bool = False) -> Array:
        return Array(name, index_set, Port(name, rows, cols, symmetric))

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

"""The Riccati method in joint coordinates, for trees and closed loops, as a program.

One sweep outwards for the spins, one inwards that eliminates hinge after hinge, one outwards
for the accelerations; all in link axes, so that neither orientation nor position of the
bodies in space is computed unless poses, energy, loads or external loads ask for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain

import sympy as sp

from ...language.program import (
    Array,
    Call,
    Kernel,
    Map,
    Program,
    Solution,
    Step,
    Sweep,
    result,
)
from ...language.slices import Wanted
from ...language.walk import Action, Binding, Place
from ...mechanics.turning import Way
from ...plans.plan import Link, Plan
from ...tree import recursion_kernels as kernels
from ...tree import steps as shared
from ...tree.end_states import END_STATES, end_arrays, end_sets, joint_ends
from ...tree.joint import Joint
from ...tree.loops import condition_arrays, loop_arrays
from ...tree.walking import Rule
from ..regroup import Lighter, known
from .bias import OTHER_WAY, Bias, apart_of, ended


def steps_of(tree: Joint, bias: Bias | None, lighter: Lighter | None = None) -> Iterator[Step]:
    """The whole method; accelerations alone go a shorter way, if there is one."""
    yield shared.based(tree)
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield shared.velocities(tree)
    yield from shared.lines(tree)
    yield from shared.opened(tree)
    if bias:
        yield from bias.biased()
    yield shared.forces(tree)
    if bias:
        yield from bias.at_rest()
    if lighter:
        inward, outward = lighter.rule(rule_inward(tree)), lighter.rule(rule_outward(tree))
        title = "Riccati recursion with masses on hinges' axes counted to the parent"
        yield Sweep("inward_b", title, tree.inward(inward))
        yield from ended(tree, partial(map, lighter.apart.call), "_b", " by this recursion")
        yield Sweep("outward_b", "accelerations, by this recursion", tree.outward(outward))
    yield from recursion(tree)
    yield joint_ends(tree)
    yield drives(tree)
    yield shared.poses(tree)
    yield from shared.stores(tree)
    yield shared.energies(tree)
    yield shared.rates(tree)
    yield from loop_results(tree)
    yield from shared.retraction(tree)


def rule_inward(tree: Joint) -> Rule:
    """What is done at a link from the tips to the root: gather, and eliminate its hinge."""

    def inward(link: Link) -> Iterator[Kernel | Action | Call]:
        if link.name in tree.beams.beams:
            yield from tree.beams.inward(link)
        else:
            yield from tree.shared.gathered(link)
            ending, kept = tree.shared.closings(link), tree.loops.before(link)
            yield tree.bound(kernels.body.at(tree, link), link, ending, kept)
        yield from tree.loops.gathered(link)
        yield tree.through(link)
        yield from tree.loops.passed(link)
        yield from tree.shared.passed(link)

    return inward


def rule_outward(tree: Joint) -> Rule:
    """What is done at a link from the root to the tips: its accelerations."""

    def outward(link: Link) -> Iterator[Kernel | Action | Call]:
        freedom, closed = tree.freedom(link), tree.loops.width(link.name) > 0
        yield from tree.loops.known(link)
        yield from tree.shared.known(link)
        known, kept = tree.shared.rates(link)
        if closed:
            known = {f"k{freedom}": Place(f"km{freedom}", "own")}
        yield tree.bound(kernels.accelerate.at(tree, link), link, known, kept)
        yield from tree.shared.ended(link)
        yield from tree.loops.backs(link)
        yield from tree.beams.outward(link, closed)

    return outward


def recursion(tree: Joint) -> Iterator[Step]:
    """Tips to root and back, and what every hinge carries."""
    loops = tree.loops

    def load(link: Link) -> Iterator[Action]:
        yield tree.bound(kernels.load.at(tree, link), link, tree.demanded(link))

    yield Sweep("inward", "Riccati recursion, tips to root", tree.inward(rule_inward(tree)))
    yield _at_ground(tree, "closings", "closings at the ground", loops.closed_at_ground)
    title = "multipliers of what closed at the ground"
    yield _at_ground(tree, "multipliers", title, loops.known_at_ground, back=True)
    yield from ended(tree, tuple)
    yield Sweep("outward", "accelerations, root to tips", tree.outward(rule_outward(tree)))
    yield Map("biases", "biases with the multipliers", tree.inward(loops.biased))
    title = "biases with shared accelerations"
    yield Map("shared_biases", title, tree.inward(tree.shared.biased))
    yield Map("hinge_loads", "loads at every hinge", tree.inward(load))


def _at_ground(
    tree: Joint, name: str, title: str, rule: Callable[[int], Iterable[Action]], back: bool = False
) -> Step:
    """What is done where loops close at the ground, one after the other, or `back`."""
    loops = tree.loops
    numbers = loops.ground_rounds[::-1] if back else loops.ground_rounds
    return Solution(name, title, tree.over(numbers, rule, loops.at_ground, loops.ground_kind))


def drives(tree: Joint) -> Step:
    """What drives the driven hinges."""

    def drive(link: Link) -> Iterator[Action]:
        if tree.hinge(link).motion:
            yield tree.bound(kernels.drive.at(tree, link), link, tree.demanded(link))

    calls = shared.joined(tree.inward(drive), tree.cut_forces.drives())
    return Map("drives", "driving forces", calls)


def loop_results(tree: Joint) -> Iterator[Step]:
    """What conditions and cuts add to the results."""
    n, loops = tree.space.motion, tree.loops
    still = sp.zeros(n, 1)

    def corrected(link: Link) -> Iterator[Action | Call]:
        yield from loops.known(link, correction=True)
        freedom, closed = tree.freedom(link), loops.width(link.name) > 0
        reads: dict[str, Binding] = {"gam": still}
        reads["ap"] = still if link.parent is None else Place("dacc", "parent")
        word = "kc" if closed else "kp" if loops.moves(link) else ""
        reads[f"k{freedom}"] = Place(f"{word}{freedom}", "own") if word else sp.zeros(freedom, 1)
        writes = {f"a_{j}": Place("du", f"speed {j}") for j in range(1, freedom + 1)}
        writes |= {"acc": Place("dacc", "own"), "a0": Place("da0", "own")}
        yield tree.bound(kernels.accelerate.at(tree, link, way=Way()), link, reads, writes)
        yield from loops.backs(link, correction=True)
        yield from tree.beams.corrected(link, closed)

    yield Map("cut_loads", "loads at the cut hinges", tuple(loops.loads()))
    if loops.size:
        title = "what closed loops demand in a correction"
        yield Sweep("demanding", title, tree.inward(loops.demanding))
        title = "corrections that close at the ground"
        yield _at_ground(tree, "demanding_at_ground", title, loops.demanding_at_ground)
        title = "multipliers of a correction that close at the ground"
        yield _at_ground(tree, "corrections", title, loops.corrected_at_ground, back=True)
        yield Sweep("corrected", "motion of a correction", tree.outward(corrected))


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
        `phi`, `phid` (per condition of a cut), `J` (conditions by speeds), and `du` from the
        argument `c` (per condition).
    Frame
        `f`, `loads`: inertial; `q`, `v`, `tau`, `a`: hinge by hinge, see `Hinge`, then beam by
        beam, see `Beam`.
    Sign
        `tau` drives the hinge's child relative to its parent along the speed.
    Source
        Riccati paper, Sect. 3, in the articulated-body form; deduction paper for the hinges.
    """
    tree = Joint(plan, forced, loaded, folds=True)
    tree.sets |= end_sets(plan)
    values = known(plan.model, runtime)
    bias = Bias(tree, values, regroup) if Bias.serves(tree) else None
    plain = bias or not regroup or tree.loops.size or not Lighter.serves(tree)
    lighter = None if plain else Lighter(tree, values, apart_of(tree))
    apart = [way.apart.arrays() for way in (bias, lighter) if way]
    return tree.program(
        "riccati",
        "Riccati transfer matrix method, joint coordinates",
        steps_of(tree, bias, lighter),
        chain(caller_arrays(tree), *apart),
        KINEMATIC if plan.model.kinematic else entries(bias is not None or lighter is not None),
        runtime,
    )


#: What a caller may ask for of kinematics alone.
KINEMATIC = (
    shared.POSES,
    shared.RATES,
    shared.CONSTRAINTS,
    shared.JACOBIAN,
    shared.CORRECTION,
    shared.RETRACT,
)


def entries(shorter: bool) -> tuple[Wanted, ...]:
    """What a caller may ask for, as far as the model has it."""
    return (
        shared.ACCELERATIONS.skipping(*(("inward", "outward") if shorter else ())),
        shared.JOINT_LOADS.skipping(*OTHER_WAY),
        END_STATES.skipping(*OTHER_WAY),
        shared.POSES,
        shared.ENERGY,
        shared.RATES,
        shared.DRIVING.skipping(*OTHER_WAY),
        shared.CONSTRAINTS,
        shared.JACOBIAN,
        shared.CORRECTION,
        shared.RETRACT,
    )


def caller_arrays(tree: Joint) -> Iterator[Array]:
    """The arguments and results of the method, and the work arrays of loops."""
    yield from tree.arguments()
    yield result("a", "speeds")
    yield result("loads", "ends", 6)
    yield from end_arrays()
    yield result("drive", "driven")
    yield from shared.RESULTS
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)
    yield from loop_arrays(tree.loops)
    if tree.shared:
        yield from tree.shared.arrays()

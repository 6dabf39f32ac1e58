"""Inverse dynamics and the mass matrix in joint coordinates, as a program.

Newton–Euler: motions outwards, wrenches inwards. In which axes and about which point a link's
twist and wrench are taken is the program's `Representation`; the hinges, their laws, what acts in
link axes and the mass matrix are the same in all of them.

Loops are cut; the multipliers of the cuts' conditions are given, and what they are chosen by
is not decided here: every choice keeps the given accelerations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

import sympy as sp

from ....errors import UsageError
from ...language.program import Array, Call, Kernel, Map, Program, Ref, Step, Sweep, given, result
from ...language.slices import Wanted
from ...language.walk import Action, Place
from ...mechanics.hinges import joint
from ...mechanics.letters import PARENTS
from ...plans.plan import Link, Plan
from ...tree import inverse_kernels
from ...tree import steps as shared
from ...tree.joint import Joint
from ...tree.loops import condition_arrays
from ...tree.mass_matrix import column_sets, mass_arrays, mass_matrix, pairs
from ..regroup import Apart, Lighter, known
from . import kernels
from .places import Representation


class Represented(Joint):
    """The links of a tree, with twists and wrenches in a representation."""

    parents: ClassVar[Mapping[str, str]] = {**PARENTS, "Vp": "Vs", "Vdp": "Vds", "op": "o"}

    def __init__(self, plan: Plan, loaded: bool, of: Representation) -> None:
        super().__init__(plan, forced=False, loaded=loaded)
        self.of = of
        moves = self.model.base is not None and of is not Representation.BODY
        #: Gives the ground's motion in the representation, where it moves.
        self.base = kernels.base.of(dimension=self.dimension, of=of) if moves else None

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground's value of a link's array; at rest it rises against gravity."""
        if self.base is not None and f"{array}0" in {port.name for port in self.base.outputs}:
            return Ref(f"{array}0", "")
        if array in ("Vs", "o"):
            return sp.zeros(self.space.motion if array == "Vs" else self.space.spins, 1)
        return super().grounded("acc" if array == "Vds" else array)

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """In a driven hinge the force needed is that of the drive."""
        if name.startswith("tau_") and self.hinge(link).motion:
            return Place("drive", f"driven {name.removeprefix('tau_')}")
        return super().writes(name, link)

    def steady(self, link: Link) -> bool:
        """Has the link's hinge one freedom, of a fixed screw whose turn takes no slide along?"""
        attached = self.attachment(link)
        of = joint(self.dimension, attached.hinge.kind)
        return of.steady(attached.backward) and self.freedom(link) == 1


#: What the inward sweep computes of links, which regrouped constants change.
ARRAYS = frozenset(("lam", "lt", "P"))

#: The steps of the shorter way to the forces.
OTHER_WAY = ("inward_b", "needed_b")


def steps_of(tree: Represented, lighter: Lighter | None) -> Iterator[Step]:
    """The whole method; forces alone go a shorter way, if there is one."""
    of, loops = tree.of, tree.loops
    own = inverse_kernels if of is Representation.BODY else kernels

    def arm(link: Link) -> Iterator[Kernel]:
        if of is Representation.HYBRID:
            yield kernels.arm.at(tree, link)

    def outward(link: Link) -> Iterator[Kernel | Call]:
        yield kernels.MOTIONS[of].at(tree, link)
        yield from tree.beams.carried(link)

    def inward(link: Link) -> Iterator[Kernel | Action | Call]:
        if link.name in tree.beams.beams:
            yield from tree.beams.wrenches(link, tree.loaded)
        else:
            _, holding = loops.holding(link)
            yield tree.bound(own.wrench.at(tree, link), link, holding)
        if of is not Representation.SPATIAL:  # there wrenches are all about one point
            yield own.transmit.at(tree, link)

    def needed(link: Link) -> Iterator[Action]:
        if tree.count(link):
            coupling = loops.coupling(link)
            if of is not Representation.BODY:
                yield tree.bound(kernels.projected.at(tree, link), link, coupling)
            yield tree.bound(inverse_kernels.required.at(tree, link), link, coupling)

    def load(link: Link) -> Iterator[Kernel]:
        yield kernels.load.at(tree, link)

    yield shared.based(tree)
    yield Map("ground", "motion of the base, as represented", tuple(ground(tree)))
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield shared.velocities(tree)
    yield from shared.lines(tree)
    yield from shared.opened(tree)
    yield Map("arms", "from every link's parent to it", tree.inward(arm))
    yield Sweep("outward", "motion, root to tips", tree.outward(outward))
    yield Sweep("inward", "wrenches, tips to root", tree.inward(inward))
    yield shared.forces(tree)
    drives = tuple(tree.cut_forces.drives())
    yield Map("needed", "forces needed", shared.joined(tree.inward(needed), drives))
    if lighter:
        title = "wrenches, tips to root, with masses on hinges' axes counted to the parent"
        yield Sweep("inward_b", title, tree.inward(lighter.rule(inward)))
        shorter = tree.inward(lighter.rule(needed))
        yield Map("needed_b", "forces needed, by these wrenches", shared.joined(shorter, drives))
    yield Map("hinge_loads", "loads at every hinge", tree.inward(load))
    yield Map("cut_loads", "loads at the cut hinges", tuple(loops.loads()))
    if not tree.model.beams:
        yield from mass_matrix(tree, lighter.rule if lighter else None)
    yield shared.poses(tree)
    yield from shared.stores(tree)
    yield shared.energies(tree)
    yield shared.rates(tree)
    yield from shared.retraction(tree)


def ground(tree: Represented) -> Iterator[Call]:
    """The motion of the base in the representation."""
    if tree.base is not None:
        reads = {port.name: Ref(port.name, "") for port in tree.base.inputs}
        yield Call(tree.base, "", reads, {x.name: Ref(x.name, "") for x in tree.base.outputs})


def inverse_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    of: Representation = Representation.BODY,
    regroup: bool = True,
) -> Program:
    """Inverse dynamics and mass matrix of bodies and hinges in joint coordinates; loops are cut.

    `runtime` names the model parameters that stay arguments; `loaded` (as `forced`
    by default) adds external loads. With beams there is no mass matrix.

    Shape
        Arguments `q`, `v`, `t` (if anything depends on the time), `ad` (per speed its
        derivative) and if loaded `f` (per body the force at its centre of mass, then a
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
        UsageError: the model has beams and closed loops, or beams and not link axes.
    Source
        Riccati paper (5), (14) in link axes, deduction paper for the hinges; of the other
        representations screw paper (69)-(72), (73), (76), (77) and (57), (58), with `Wapp`
        subtracted and several freedoms in a hinge; the mass matrix is own.
    """
    algorithm, beams = f"rnea-{of}", bool(plan.model.beams)
    if beams and of is not Representation.BODY:
        raise UsageError(
            f"{plan.model.name}: {algorithm} takes rigid bodies alone, no beams; "
            "rnea-body takes beams"
        )
    tree = Represented(plan, forced if loaded is None else loaded, of)
    if beams and tree.loops.size:
        raise UsageError(f"{plan.model.name}: {algorithm} takes beams in trees alone, not in loops")
    tree.sets |= pairs(tree) | column_sets(tree)
    title = f"inverse dynamics in {of.words}"
    arrays = caller_arrays(tree)
    light = regroup and Lighter.serves(tree)
    lighter = Lighter(tree, known(plan.model, runtime), Apart(ARRAYS)) if light else None
    wanted = entries(tree, light)
    return tree.program(algorithm, title, steps_of(tree, lighter), arrays, wanted, runtime)


def entries(tree: Represented, shorter: bool) -> tuple[Wanted, ...]:
    """What a caller may ask for, as far as the model has it."""
    driven = tree.driven() or tree.loops.driven
    needed = ("tau", "drive") if driven else ("tau",)
    forces = "generalised forces that given accelerations need"
    loads = "loads at the hinges at given accelerations"
    plain = ("inward", "needed") if shorter else ()
    return (
        Wanted("inverse_dynamics", forces, needed, whole=True, without=plain),
        Wanted("inverse_loads", loads, (*needed, "loads"), without=OTHER_WAY),
        shared.CONSTRAINTS,
        shared.JACOBIAN,
        Wanted("mass_matrix", "mass matrix", ("M",), whole=True),
        shared.POSES,
        shared.ENERGY,
        shared.RATES,
        shared.RETRACT,
    )


def caller_arrays(tree: Represented) -> Iterator[Array]:
    """The arguments and results of the method, and the work arrays of loops and of the ground."""
    yield from tree.arguments()
    yield given("ad", "speeds")
    if tree.loops.size:
        yield given("mu", "conditions")
    yield result("tau", "speeds")
    yield result("drive", "driven")
    yield result("loads", "ends", 6)
    yield from shared.RESULTS
    if not tree.model.beams:
        yield from mass_arrays(tree)
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)
    for call in ground(tree):
        for port in call.kernel.outputs:
            yield Array(port.name, "system", port)

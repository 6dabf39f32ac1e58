"""The recursive formulation with effective masses, in joint coordinates, as a program.

Motions are those of centroids in inertial axes (hybrid), and the effective mass M_r and load Q_r
of what hangs on a body go from the tips to the root. Up to the point, the axes and signs that they
are expressed in, M_r is the Riccati coefficient S of the hinge; `papers.recursive.proof` says how.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

import sympy as sp

from ....errors import UsageError
from ...language.program import Array, Call, Kernel, Map, Program, Ref, Step, Sweep, result
from ...language.walk import Action
from ...mechanics.letters import PARENTS
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.joint import Joint
from . import kernels

#: What the moving ground's values are called, by the names of a body's.
GROUND = {"c": "cg", "vel": "velg", "vd": "vdg"}


class Centroids(Joint):
    """The links of a tree, with motions of their centroids in inertial axes."""

    parents: ClassVar[Mapping[str, str]] = {**PARENTS, "cp": "c", "vdp": "vd"}

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground's value: what a centroid's would be at its origin."""
        if array not in GROUND:
            return super().grounded(array)
        if self.model.base is not None:
            return Ref(GROUND[array], "")
        if array == "vel":
            return sp.zeros(self.space.motion, 1)
        return super().grounded({"c": "x", "vd": "acc"}[array])


def steps_of(tree: Centroids) -> Iterator[Step]:
    """The whole method."""

    def motion(link: Link) -> Iterator[Action]:
        above = {"vp": tree.of_parent("vel", link)}
        yield tree.bound(kernels.kinematics.at(tree, link), link, above)

    def inward(link: Link) -> Iterator[Kernel]:
        yield kernels.body.at(tree, link)
        yield kernels.reduce.at(tree, link)

    def outward(link: Link) -> Iterator[Kernel]:
        yield kernels.accelerate.at(tree, link)

    def load(link: Link) -> Iterator[Kernel]:
        yield kernels.load.at(tree, link)

    def drive(link: Link) -> Iterator[Kernel]:
        if tree.hinge(link).motion:
            yield kernels.drive.at(tree, link)

    yield shared.based(tree)
    yield Map("bases", "motion of the ground, in inertial axes", tuple(ground(tree)))
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield Sweep("motions", "motion of every centroid, A, B and D", tree.outward(motion))
    yield shared.velocities(tree)
    yield from shared.lines(tree)
    yield from shared.applied(tree)
    yield shared.forces(tree)
    yield Sweep("inward", "effective mass and load, inwards", tree.inward(inward))
    yield Sweep("outward", "accelerations, outwards", tree.outward(outward))
    yield Map("hinge_loads", "loads at every hinge", tree.inward(load))
    yield Map("drives", "driving forces", tree.inward(drive))
    yield shared.poses(tree)
    yield from shared.stores(tree)
    yield shared.energies(tree)
    yield shared.rates(tree)
    yield from shared.retraction(tree)


def ground(tree: Centroids) -> Iterator[Call]:
    """The motion of the base as that of a centroid at its origin."""
    if tree.model.base is not None:
        reads = {name: tree.ground.at(name) for name in ("A", "x", "vl", "w", "acc")}
        writes = {name: Ref(array, "") for name, array in GROUND.items()}
        yield Call(kernels.base.of(dimension=tree.dimension), "", reads, writes)


def slaats_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
) -> Program:
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
    tree = Centroids(plan, forced, loaded)
    if plan.model.beams or plan.cuts or tree.loops.size:
        raise UsageError(
            f"{plan.model.name}: slaats takes trees of rigid bodies, without closed loops, coupled "
            "hinges or beams; use riccati"
        )
    title = "recursive formulation with effective masses"
    return tree.program("slaats", title, steps_of(tree), caller_arrays(tree), ENTRIES, runtime)


#: What a caller may ask for.
ENTRIES = (
    shared.ACCELERATIONS,
    shared.JOINT_LOADS,
    shared.POSES,
    shared.ENERGY,
    shared.RATES,
    shared.DRIVING,
    shared.RETRACT,
)


def caller_arrays(tree: Centroids) -> Iterator[Array]:
    """The arguments and results of the method, and the motion of the ground."""
    yield from tree.arguments()
    yield result("a", "speeds")
    yield result("loads", "ends", 6)
    yield result("drive", "driven")
    yield from shared.RESULTS
    yield from tree.outer_arrays()
    for call in ground(tree):
        for port in call.kernel.outputs:
            yield Array(GROUND[port.name], "system", replace(port, name=GROUND[port.name]))

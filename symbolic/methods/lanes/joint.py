"""The Riccati method in joint coordinates with a tree's long chains in segments."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import ClassVar

import sympy as sp

from ....errors import CodegenError
from ....model.parts.hinge_kinds import ABSOLUTE_KINDS
from ...language.program import Array, Call, Ref, Step
from ...language.walk import Action, Binding, Place, Walk
from ...plans.plan import Link, Plan
from ...plans.segments import LANES, Chain, LaneProgram, Members
from ...tree import motion_kernels
from ...tree import steps as shared
from ...tree.end_states import end_sets
from ...tree.joint import Joint
from ..riccati import joint as whole
from . import kernels
from .page import Page, opened
from .program import Segmented


class JointPage(Page):
    """`riccati.joint`: a hinge hands on what it does not let go."""

    inertia, wrench, own_wrench, bias = "IAt", "pAt", "pA", "gam"
    wanted = (
        shared.ACCELERATIONS,
        shared.JOINT_LOADS,
        shared.RATES,
        shared.DRIVING,
        shared.RETRACT,
    )
    plain = (shared.POSES, shared.ENERGY)
    differing = ("forces", "applied")
    relative: ClassVar[Mapping[str, str]] = {"C": "A", "r": "x", "wr": "w"}

    def __init__(self, plan: Plan, forced: bool, loaded: bool | None) -> None:
        self.tree: Joint = Joint(plan, forced, loaded)
        self.tree.sets |= end_sets(plan)
        self.motion = self.near = self.tree.space.motion
        self.loaded = {load.name: load.body for load in plan.model.loads}
        d = plan.model.dimension
        self.moving = {"spins": motion_kernels.spins.of(dimension=d, way=motion_kernels.ANY)}
        self.moving |= {"places": motion_kernels.place.of(dimension=d)}

    def steps(self) -> Iterable[Step]:
        """The page's steps."""
        return whole.steps_of(self.tree, None)

    def walk(self, step: Step) -> Walk | None:
        """Of the loads on the bodies, those on each."""
        if step.name != "applied":
            return super().walk(step)
        tree, given = self.tree, {call.member: call for call in step.calls}
        loads = {
            link.name: [given[ref.member] for ref in tree.applied.on(link.name)]
            for link in tree.links
        }

        def rule(link: Link) -> Iterator[Action]:
            for call, push in zip(loads[link.name], tree.pushes(link), strict=True):
                turned = {"A": Place("A", "own")} if "A" in call.reads else {}
                yield Action(call.kernel, {**call.reads, **turned}, {"W": push})

        def kind(link: Link) -> Hashable:
            return tuple(map(_like, loads[link.name]))

        most = max(map(len, loads.values()))
        related = {"own": (tree.set, lambda link: link.name)} | {
            name: found
            for name in (f"push {k}" for k in range(most))
            if (found := tree.finder(name))
        }
        return tree.over(tree.links, rule, related, kind)

    def holder(self, step: Step, member: str) -> str:
        """A load is at the body that it acts on."""
        return self.loaded[member] if step.name == "applied" else member

    def arrays(self) -> Iterable[Array]:
        """The arrays that the page declares."""
        return whole.caller_arrays(self.tree)

    def members(self, link: Link) -> Members:
        """What of the caller's arrays belongs to a link."""
        hinge = self.tree.hinge(link)
        return {
            "coordinates": self.tree.model.hinge_coordinates(hinge),
            "speeds": self.tree.speeds(link),
            "bodies": (link.name,),
            "ends": (f"{link.name}:{link.output}",),
        }

    def mobility(self, link: Link) -> tuple[int, int, Binding, str]:
        """u̇ = k − G a0."""
        freedom = self.tree.freedom(link)
        return self.motion, freedom, Place(f"H{freedom}", "own"), f"k{freedom}"

    def width(self, chain: Chain) -> int:
        """A force alone, if nothing else is handed on between segments; else a wrench."""
        child = () if chain.child is None else (self.tree.plan.link(chain.child),)
        alone = all(self._force_alone(link) for link in (chain.top, *child))
        return self.tree.dimension if alone else self.motion

    def _force_alone(self, link: Link) -> bool:
        """Does the link's hinge hand on a force alone, at a point of what it hangs on?"""
        hinge = self.tree.hinge(link)
        plain = hinge.kind == ABSOLUTE_KINDS[self.tree.dimension].name
        return plain and not (hinge.motion or hinge.rotor or self.tree.acting(link))

    def hold(self, link: Link, width: int) -> sp.Matrix:
        """A wrench, or a force at the hinge of the link that hangs on this one."""
        if width == self.motion:
            return sp.eye(width)
        return sp.Matrix(self.tree.space.shift(self._arm(link)).T[:, :width])

    def _arm(self, link: Link) -> sp.Matrix:
        return self.tree.data[link.name].arms[0]

    def at_rest(self, array: str) -> sp.Matrix:
        """The same as the ground."""
        return self.tree.ground.still(array)

    # Hinges that hand on a force alone

    def reached(self, link: Link, acc: Place, writes: Mapping[str, Place]) -> Action:
        """How the next hinge moves, and how the link turns."""
        reads = {"acc": acc, "arm": self._arm(link)}
        return Action(kernels.reach.of(dimension=self.tree.dimension), reads, writes)

    def held_back(self, action: Action, rate: Place | Ref) -> Action:
        """`accelerate` without the accelerations of the coordinates, but with u̇."""
        writes = {port: x for port, x in action.writes.items() if not port.startswith("a_")}
        kernel = kernels.exposing(action.kernel, "ud")
        return Action(kernel, action.reads, writes | {"ud": rate})

    def let_go(self, action: Action, rate: Place | Ref, turned: Place | Ref) -> Action:
        """The accelerations of the coordinates: u̇ is affine in what the link hangs on."""
        k = next(port.name for port in action.kernel.inputs if re.fullmatch(r"k\d", port.name))
        reads = {**action.reads, k: rate, "ap": turned, "r": self.tree.zero}
        writes = {port: x for port, x in action.writes.items() if port.startswith("a_")}
        return Action(action.kernel, reads, writes)


def _like(load: Call) -> Hashable:
    """What loads share that do the same: the law, and all that it reads but how the body turns."""
    bound = (x for port, x in load.reads.items() if port != "A")
    return load.kernel.name, *(x if isinstance(x, Ref) else tuple(x) for x in bound)


def joint_segment_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    lanes: int = LANES,
) -> LaneProgram:
    """The Riccati method in joint coordinates, long chains in segments side by side.

    Shape
        As `joint_program`, of which it has all but the states of ends.
    Raises
        CodegenError: the tree has no long chain, or there are closed loops.
    Source
        Riccati paper, Sect. 3, in the articulated-body form; two-handle form:
        divide-and-conquer paper (34) – (36).
    """
    page = JointPage(plan, forced, loaded)
    if page.tree.loops.size or page.tree.shared or plan.cuts:
        raise CodegenError(
            f"{plan.model.name}: closed loops and coupled hinges join what segments set apart; use "
            "target c"
        )
    if plan.model.forces or plan.model.controlled:
        what = "forces between points" if plan.model.forces else "laws that read other hinges"
        raise CodegenError(f"{plan.model.name}: {what} join what segments set apart; use target c")
    return Segmented(page, JointPage(opened(plan), forced, loaded), lanes).program(
        "Riccati transfer matrix method, joint coordinates", runtime
    )

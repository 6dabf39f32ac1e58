"""One step of inverse kinematics by damped least squares, as a program (`reaching`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from ...language.program import (
    Array,
    Call,
    Map,
    Port,
    Program,
    Ref,
    Solution,
    Step,
    Storage,
    Sweep,
    given,
    result,
)
from ...language.slices import Wanted
from ...language.walk import Action, Binding, Place
from ...plans.plan import Link, Plan
from ...tree import steps as shared
from ...tree.joint import BY_SPEED
from ...tree.loops import condition_arrays
from ...tree.walking import Finder
from ..frames.any_frame import Chosen
from ..frames.framed import ANY, Framed, chosen, motion, screwed
from ..frames.kernels import columns, unmoved
from ..inverse.places import Representation
from ..jacobians.kernels import frame as placed
from . import kernels

COLUMNS = "Jf"
_COLUMN = re.compile(r"Jk_(\d+)")
_SLOPE = re.compile(r"Gk_(\d+)_(\d+)")


class Reaching(Framed):
    """The links of a tree with one frame, its columns and those of the loops."""

    by_speed: ClassVar[Mapping[str, str]] = {**BY_SPEED, "wt": "weight", "step": "step"}

    def reads(self, name: str, link: Link) -> Binding | None:
        """What is asked for is the system's; columns are found by frame and by condition."""
        if name in ("task", "pull"):
            return Ref(name, "")
        if found := _COLUMN.fullmatch(name):
            return Place(COLUMNS, f"column {found[1]}")
        if found := _SLOPE.fullmatch(name):
            return Place("J", f"slope {found[1]} {found[2]}")
        return super().reads(name, link)

    def finder(self, relation: str) -> Finder | None:
        """The columns of the link's speeds; the link that moves before it in the order."""
        word, _, rest = relation.partition(" ")
        if word == "column":
            frame = self.frames[0].name
            return "frame speeds", self._by_speed(frame, int(rest))
        if word == "slope":
            i, k = map(int, rest.split())
            return "slopes", self._by_speed(self.loops.conditions[i - 1], k)
        if relation == "moving before":
            moving = [link.name for link in self.links if self.freedom(link)]
            before = dict(zip(moving[1:], moving, strict=False))
            return self.set, lambda link: before.get(link.name)
        return super().finder(relation)

    def _by_speed(self, owner: str, k: int) -> Callable[[Link], str | None]:
        def member(link: Link) -> str | None:
            speeds = self.speeds(link)
            return f"{owner} {speeds[k - 1]}" if k <= len(speeds) else None

        return member


class ReachingAny(Chosen, Reaching):
    """The links of a tree with one frame in any of them, which is told at run time."""

    of_link: ClassVar[tuple[str, ...]] = ("A", "x")
    of_hinge: ClassVar[Mapping[str, str]] = {"J": "Jo"}

    def choosing(self) -> Iterator[Step]:
        yield from super().choosing()
        yield from self.masks()


def steps_of(tree: Reaching) -> Iterator[Step]:
    """The whole method."""
    freedom, conditions = tree.freedom, len(tree.loops.conditions)
    moving = [link for link in tree.links if freedom(link)]
    tree.distinct = {link.name: "first" for link in moving[:1]}

    def gram(link: Link) -> Iterator[Action]:
        if freedom(link):
            kernel = kernels.gram.at(tree, link, conditions=conditions, first=link is moving[0])
            yield tree.bound(kernel, link, {"Gbefore": Place("G", "moving before")})

    def stepped(link: Link) -> Iterator[Action]:
        if freedom(link):
            yield tree.bound(kernels.stepped.at(tree, link, conditions=conditions), link)

    yield from motion(tree)
    yield from screwed(tree)
    yield from tree.choosing()
    yield Map("placed", "axes and origin of the frame", tree.at_frames(placed))
    seen = tree.at_columns(columns, COLUMNS, tree.seen(), of=Representation.HYBRID)
    yield Map("frame_columns", "columns of the frame", seen)
    none = tree.at_columns(unmoved, COLUMNS, tree.unmoved())
    yield Map("no_columns", "speeds off the frame's way", none)
    yield from shared.gaps(tree)
    yield from shared.slopes(tree)
    yield Map("errors", "what is left to the target", (left(tree),))
    yield Sweep("grams", "columns, hinge by hinge", tree.inward(gram))
    if moving:
        yield Solution("damped", "damped least squares", (solved(tree, moving[-1]),))
    yield Map("steps", "step of every speed", tree.inward(stepped))
    yield shared.poses(tree)
    yield shared.rates(tree)
    yield from shared.retraction(tree)


def left(tree: Reaching) -> Call:
    """The error of the frame."""
    name = tree.frames[0].name
    reads = {x: Ref(x, name) for x in ("Ab", "xb")}
    reads |= {x: Ref(x, "") for x in ("target", "task")}
    kernel = kernels.error.of(dimension=tree.dimension)
    return Call(kernel, "", reads, {"left": Ref("left", "")})


def solved(tree: Reaching, last: Link) -> Call:
    """The system of all columns."""
    names = tree.loops.conditions
    reads = {f"phi_{i}": Ref("phi", name) for i, name in enumerate(names, start=1)}
    reads |= {"G": Ref("G", last.name), **{x: Ref(x, "") for x in ("damping", "left")}}
    kernel = kernels.damped.of(dimension=tree.dimension, conditions=len(names))
    return Call(kernel, "", reads, {"pull": Ref("pull", "")})


def reaching_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    frame: str = "",
) -> Program:
    """One step that takes a frame towards a target, by damped least squares; loops close with it.

    Of the name `*` it is one that is told at run time, see `frames.any_frame`.

    `runtime` names the model parameters that stay arguments; `forced` and `loaded` change nothing.

    Shape
        Arguments `q`, `target` (4×4, the frame's pose to be), `task` (6 factors of the error:
        turn, then way, in inertial axes), `weight` (per speed), `damping` (λ²), and `t` (if
        anything depends on the time); results `left` (6), `step` (per speed), with loops `phi`,
        `phid` and `J`, see `joint_program`.
    Raises
        UsageError: there is no such frame (by default the last body's), or the model has beams.
    Source
        See `kernels`.
    """
    if (frame,) == ANY:
        tree: Reaching = ReachingAny(plan)
    else:
        tree = Reaching(plan, chosen(plan.model, [frame or plan.model.bodies[-1].name]))
    steps, arrays = steps_of(tree), caller_arrays(tree)
    return tree.program("reaching", "inverse kinematics", steps, arrays, entries(tree), runtime)


def entries(tree: Reaching) -> Iterator[Wanted]:
    """What a caller may ask for; with loops their gaps are a part of what is left."""
    gaps = ("phi",) if tree.loops.conditions else ()
    title = "a damped step towards the target"
    yield Wanted("reaching_step", title, ("left", "step", *gaps), whole=True)
    yield shared.CONSTRAINTS
    yield shared.JACOBIAN
    yield shared.POSES
    yield shared.RATES
    yield shared.RETRACT


def caller_arrays(tree: Reaching) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield from tree.arguments()
    yield from tree.choice()
    yield Array("target", "system", Port("target", 4, 4), Storage.ARGUMENT, "target")
    yield given("task", "system", kernels.TASK)
    yield given("damping", "system")
    yield given("weight", "speeds")
    yield result("left", "system", kernels.TASK)
    yield result("step", "speeds")
    yield Array(COLUMNS, "frame speeds", Port(COLUMNS, kernels.TASK))
    yield Array("pull", "system", Port("pull", kernels.TASK + len(tree.loops.conditions)))
    yield from (x for x in shared.RESULTS if x.name != "energy")
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)

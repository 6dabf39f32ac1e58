"""Frames of a tree: where they are, how they move, their Jacobians and the rates.

A frame is fixed in a link or in the ground, and reads what the sweeps give there; of each speed on
its way to the ground it takes the hinge's screws. What is off the way is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import sympy as sp

from ....errors import UsageError
from ....model import GROUND, Frame, Model, Point
from ....model.expressions.quantities import shorten
from ....model.parts.naming import nearest
from ...language.program import Array, Kernel, Map, Step, Sweep, given, result
from ...language.slices import Wanted
from ...language.walk import Action, Binding, Place, Walk
from ...mechanics.constants import axes_of, column
from ...mechanics.traced import Traced
from ...plans.plan import Link, Plan
from ...tree import inverse_kernels, motion_kernels
from ...tree import steps as shared
from ...tree.acting import Ground
from ...tree.joint import Joint
from ...tree.loops import condition_arrays
from ..closed.kernels import changes, screws, subspace_rate
from ..inverse.places import Representation
from ..jacobians.kernels import frame as placed
from . import kernels

#: In place of names: one frame that is told at run time.
ANY = ("*",)

#: What a frame reads of the link, or of the ground, that it is fixed in.
CARRIER = ("A", "x", "vl", "w", "acc", "B")
#: What is found of a frame itself.
OWN = ("Ab", "xb", "Vf", "af")


@dataclass(frozen=True)
class Seen:
    """A frame and a link whose hinge moves it, or a speed that does not."""

    frame: str
    link: str
    speeds: tuple[str, ...]


class Framed(Joint):
    """The links of a tree, the frames in them, and the screws of the hinges.

    The ground does not rise against gravity here: accelerations are true ones.
    """

    of_link: ClassVar[tuple[str, ...]] = CARRIER
    of_frame: ClassVar[tuple[str, ...]] = OWN
    #: Where the screws of hinges are that columns are made of, and their rates.
    of_hinge: ClassVar[Mapping[str, str]] = {"J": "J", "Jd": "Jd"}

    def __init__(self, plan: Plan, frames: Sequence[Frame]) -> None:
        super().__init__(plan, forced=False)
        if plan.model.beams:
            raise UsageError(
                f"{plan.model.name}: frames and what they need are not found behind beams; "
                "end_states of riccati gives the motion of a beam's points"
            )
        self.ground = Ground(plan.model, weightless=True)
        self.frames = tuple(frames)
        names = tuple(frame.name for frame in frames)
        self.sets |= {
            "frames": names,
            "frame speeds": tuple(f"{name} {u}" for name in names for u in self.model.speeds),
        }

    def constants(self, frame: Frame) -> tuple[sp.Matrix, sp.Matrix]:
        """A frame's axes and origin in link axes, from the link's origin."""
        axes = axes_of(Point("", frame.position, frame.axes), self.dimension)
        position = column(frame.position)
        if frame.body == GROUND:
            return axes, position
        link = self.data[frame.body]
        return link.axes * axes, link.origin + link.axes * position

    def carried(self, frame: Frame) -> dict[str, Binding]:
        """What kernels read of a frame's link, or of the ground, and of the frame in it."""
        axes, origin = self.constants(frame)
        found: dict[str, Binding] = {"Kb": axes, "ob": origin}
        for array in self.of_link:
            on_ground = frame.body == GROUND
            found[array] = self.grounded(array) if on_ground else Place(array, "link")
        return found

    def choosing(self) -> Iterator[Step]:
        """What is to be found of the links of frames that are chosen at run time."""
        yield from ()

    def choice(self) -> Iterator[Array]:
        """The arrays that frames are chosen by."""
        yield from ()

    def way(self, frame: Frame) -> Iterable[str]:
        """The links whose hinges may move a frame."""
        return self.plan.way(frame.body)

    def at_frames(
        self,
        traced: Traced,
        keeps: str = "",
        among: Iterable[Frame] | None = None,
        index_set: str = "frames",
        **facts: Hashable,
    ) -> Walk:
        """A kernel at every frame, or at those `among` all that are an index set of their own.

        Its one result is kept in the array `keeps`, if that is given.
        """
        kernel = traced.of(dimension=self.dimension, **facts)

        def rule(frame: Frame) -> Iterator[Action]:
            known = self.carried(frame) | {x: Place(x, "own") for x in self.of_frame}
            kept = {p.name: Place(keeps or p.name, "own") for p in kernel.outputs}
            yield Action.of(kernel, known, kept)

        def link(frame: Frame) -> str | None:
            return None if frame.body == GROUND else frame.body

        related = {"own": (index_set, lambda frame: frame.name), "link": (self.set, link)}
        walked = self.frames if among is None else among
        return self.over(walked, rule, related, kind=self.alike)

    def alike(self, frame: Frame) -> Hashable:
        """What frames share for which kernels do the same: their place in equal links."""
        carrier = GROUND if frame.body == GROUND else id(self.data[frame.body])
        return carrier, frame.position, frame.axes

    def seen(self) -> Iterator[Seen]:
        """All frames with the links whose hinges move them."""
        for frame in self.frames:
            for name in self.way(frame):
                link = self.plan.link(name)
                if self.freedom(link):
                    yield Seen(frame.name, name, self.speeds(link))

    def unmoved(self) -> Iterator[Seen]:
        """All frames with the speeds that do not move them."""
        moved = {(seen.frame, speed) for seen in self.seen() for speed in seen.speeds}
        for frame in self.frames:
            for speed in self.model.speeds:
                if (frame.name, speed) not in moved:
                    yield Seen(frame.name, "", (speed,))

    def at_columns(
        self, traced: Traced, array: str, things: Iterable[Seen], **facts: Hashable
    ) -> Walk:
        """A kernel, by the number of speeds, at frames with links; its k-th result at a speed."""
        things = tuple(things)
        most = max((len(x.speeds) for x in things), default=0)

        def speed(k: int) -> Callable[[Seen], str | None]:
            return lambda x: f"{x.frame} {x.speeds[k]}" if k < len(x.speeds) else None

        def rule(x: Seen) -> Iterator[Action]:
            n = len(x.speeds)
            known = {f"{x}{n}": Place(f"{array}{n}", "link") for x, array in self.of_hinge.items()}
            known |= {name: Place(name, "frame") for name in ("Ab", "xb", "Vf")}
            made = traced.of(dimension=self.dimension, count=n, **facts)
            kept = {p.name: Place(array, f"speed {k}") for k, p in enumerate(made.outputs)}
            yield Action.of(made, known, kept)

        related = {
            "own": ("frame speeds", speed(0)),
            "frame": ("frames", lambda x: x.frame),
            "link": (self.set, lambda x: x.link or None),
            **{f"speed {k}": ("frame speeds", speed(k)) for k in range(most)},
        }
        return self.over(things, rule, related, kind=lambda x: len(x.speeds))


def motion(tree: Framed) -> Iterator[Step]:
    """Where all links are and how they move, in link axes."""
    yield shared.based(tree)
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield shared.velocities(tree)


def accelerations(tree: Framed) -> Step:
    """acc and B: the true accelerations of all links, in link axes."""

    def carry(link: Link) -> Iterator[Kernel]:
        yield inverse_kernels.carry.at(tree, link)

    return Sweep("accelerations", "accelerations, outwards", tree.outward(carry))


def screwed(tree: Framed) -> Iterator[Step]:
    """J and Jd: the screws of every hinge at the inertial origin, and their rates."""
    d, freedom = tree.dimension, tree.freedom
    twisted = kernels.twisted.of(dimension=d)

    def change(link: Link) -> Iterator[Action]:
        if freedom(link) and changes(tree, link):
            yield tree.law_of(subspace_rate.at(tree, link), link)

    def screw(link: Link) -> Iterator[Kernel]:
        if freedom(link):
            yield screws.at(tree, link)

    def rate(link: Link) -> Iterator[Kernel]:
        if freedom(link):
            yield kernels.screw_rates.at(tree, link)

    yield Map("twists", "twists at the origin", tree.inward(lambda _: [twisted]))
    yield Map("screws", "screws of every hinge", tree.inward(screw))
    yield Map("changes", "how hinges' H change", tree.inward(change))
    yield Map("screw_rates", "rates of the screws", tree.inward(rate))


def steps_of(tree: Framed) -> Iterator[Step]:
    """The whole method."""
    yield from motion(tree)
    yield accelerations(tree)
    yield from screwed(tree)
    yield from tree.choosing()
    yield Map("placed", "axes and origins of frames", tree.at_frames(placed))
    yield Map("moving", "velocities of frames", tree.at_frames(kernels.moving))
    yield Map(
        "accelerated",
        "accelerations of frames",
        tree.at_frames(kernels.accelerated),
    )
    yield Map("shown", "poses", tree.at_frames(motion_kernels.pose, "frame_poses"))
    for of in Representation:
        V, a, J, Jd = names(of)
        title = f"as seen, {of}"
        yield Map(f"show_{V}", title, tree.at_frames(kernels.velocity, V, of=of))
        yield Map(f"show_{a}", title, tree.at_frames(kernels.acceleration, a, of=of))
        for array, kernel in ((J, kernels.columns), (Jd, kernels.column_rates)):
            seen = tree.at_columns(kernel, array, tree.seen(), of=of)
            yield Map(f"show_{array}", title, seen)
            none = tree.at_columns(kernels.unmoved, array, tree.unmoved())
            yield Map(f"none_{array}", "speeds off a frame's way", none)
    yield from shared.gaps(tree)
    yield from shared.slopes(tree)
    yield shared.poses(tree)
    yield shared.rates(tree)
    yield from shared.retraction(tree)


def names(of: Representation) -> tuple[str, str, str, str]:
    """What velocities, accelerations, Jacobians and their rates are called."""
    return f"velocity_{of}", f"acceleration_{of}", f"jacobian_{of}", f"jacobian_rate_{of}"


def chosen(model: Model, names: Sequence[str] | None) -> list[Frame]:
    """The frames of these names, or all.

    Raises
        UsageError: there is no such frame.
    """
    every = model.every_frame
    for name in names or ():
        if name not in every:
            known = f"; it has: {shorten([*every])}" if every else ""
            guess = nearest(str(name), every) or known
            raise UsageError(f"{model.name} has no frame {name!r}{guess}")
    return [every[name] for name in (every if names is None else names)]


#: What a caller may ask for.
ENTRIES = (
    Wanted("frame_poses", "poses of frames", ("frame_poses",)),
    Wanted("every_pose", "poses of all frames of the model", ("every_pose",)),
    *(
        Wanted(f"frame_{array}", f"{what} of frames, {of}", (array,))
        for of in Representation
        for array, what in zip(
            names(of), ("twists", "accelerations", "Jacobians", "Jacobians' rates"), strict=True
        )
    ),
    shared.CONSTRAINTS,
    shared.JACOBIAN,
    shared.POSES,
    shared.RATES,
    shared.RETRACT,
)


def caller_arrays(tree: Framed) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield from tree.arguments()
    yield given("ad", "speeds")
    yield from tree.choice()
    yield result("frame_poses", "frames", 4, 4)
    for of in Representation:
        for array, index_set in zip(
            names(of), ("frames", "frames", "frame speeds", "frame speeds"), strict=True
        ):
            yield result(array, index_set, 6)
    yield from (x for x in shared.RESULTS if x.name != "energy")
    yield from tree.outer_arrays()
    yield from condition_arrays(tree.loops)

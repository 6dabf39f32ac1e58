"""One frame that is told at run time: its motion, its Jacobians, or its twists with their rates.

A frame is told by its place in a body, and by a number s for each body: 1 of the one that carries
it, 0 of all others. What the programs of named frames read of a frame's link is here the sum Σ s y
over all links of what they have, y, and the ground has the rest. A hinge moves the frame where a
link outwards of it carries it, as the sum σ of their s says: its screws are taken σ times.

Such a program has, besides the arguments and results of the others, the arguments `which` (per body
s), `axes` (d, d) and `place` (d) of the frame in its body or in the ground, in their axes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar

import sympy as sp

from ....model import GROUND, Frame
from ...language.letters import Letter, letters
from ...language.program import (
    Array,
    Call,
    Kernel,
    Map,
    Port,
    Ref,
    Step,
    Storage,
    Sweep,
    given,
    result,
)
from ...language.walk import Binding, Place
from ...language.words import counted
from ...mechanics.letters import FACTS
from ...mechanics.matrices import Algebra
from ...mechanics.traced import At, Traced, Tracer, tracing
from ...plans.plan import Link, Plan
from ...tree import motion_kernels
from ..kinematics import along as kinematics
from ..kinematics import kernels as moving
from . import framed as frames
from .kernels import FRAMES

#: What is read of a frame's link besides `of_link`: the body's own axes and origin.
OF_BODY = ("Kb", "ob")

CHOICE = "own: Σ s y over all links, and the rest of the ground"
ON_THE_WAY = "own: the sum of s over all links outwards"
PLACED = "a frame fixed in a body: axes K F, origin o + K f"


def part(array: str) -> str:
    """What the sum over a link and all outwards of it is called."""
    return f"{array}c"


def whole(array: str) -> str:
    """What the chosen link's value of an array is called, or the ground's."""
    return f"{array}t"


def _chosen() -> Iterator[tuple[str, Letter]]:
    known = FRAMES | moving.FRAMES
    for array in dict.fromkeys((*frames.CARRIER, *moving.OF_LINK, *OF_BODY)):
        of = known[array]
        shape = " ".join(x for x in of.shape.split() if x != "rot")
        yield part(array), Letter(f"{of.letter}ᶜ", shape, CHOICE, f"{of.words}: of the chosen")


CHOSEN = (
    FRAMES
    | moving.FRAMES
    | dict(_chosen())
    | letters(f"""
    s    | s   | 1   | own          | 1 of the link that carries the frame, 0 of another
    on   | σ   | 1   | {ON_THE_WAY} | 1 of links on the way to the frame, 0 of others
    F    | F   | d d |              | the frame's axes, in those of its body
    at   | f   | d   |              | the frame's origin, from its body's and in its axes
    Kf   | K_f | d d | {PLACED}     | the frame's axes, in those of its link
    of   | o_f | d   | {PLACED}     | the frame's origin, from its link's and in its axes
    Jo_  | Jᶜ  | n f | {ON_THE_WAY} | screws of the hinge, if it moves the frame
    Jdo_ | J̇ᶜ  | n f | {ON_THE_WAY} | their rates
""")
)
traced = tracing(CHOSEN, FACTS, {})


@traced
def on_the_way(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """Whether a link is on the way from the ground to the frame."""
    t.called(f"way_{x.input_count}", f"the way to the frame, {counted(x.input_count, 'input')}")
    total = x.s
    for y in x.inputs:
        total = total + y.on
    x.on = total
    return ("on",)


@traced
def gathered(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What the chosen link has, if it is this one or one outwards."""
    array, inputs = t.ask("array"), x.input_count
    t.called(f"gathered_{array}_{inputs}", f"{array} of the frame's link")
    total = x.s @ t.read(array)
    for y in x.inputs:
        total = total + getattr(y, part(array))
    t.state(part(array), total)
    return (part(array),)


@traced
def carrying(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """What the frame's link has, or the ground if no link carries it."""
    array, roots = t.ask("array"), t.ask("roots")
    t.called(f"carrying_{array}_{roots}", f"{array} of what carries the frame")
    rest = k.unit(1, 0)
    for j in range(1, roots + 1):
        rest = rest - t.read("on", f"_{j}")
    x.s = rest
    total = x.s @ t.read(array)
    for j in range(1, roots + 1):
        total = total + t.read(part(array), f"_{j}")
    t.state(part(array), total)
    return (part(array),)


@traced
def attached(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """The frame's axes and origin, as its link has them."""
    t.called("attached", "axes and origin of the frame in its link")
    x.Kf = x.Kbc @ x.F
    x.of = x.obc + x.Kbc @ x.at
    return "Kf", "of"


@traced
def masked(x: At, k: Algebra, t: Tracer) -> tuple[str, ...]:
    """A hinge's screws or their rates, if it moves the frame."""
    array = t.ask("array")
    t.called(f"masked_{array}_{x.count}", f"screws of {counted(x.count, 'freedom')} on the way")
    t.state(f"{array}o_", x.on @ t.read(f"{array}_"))
    return (t.port(f"{array}o_"),)


class Chosen(frames.Framed):
    """The links of a tree, and one frame in any of them or in the ground."""

    of_hinge: ClassVar[Mapping[str, str]] = {"J": "Jo", "Jd": "Jdo"}

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, [Frame("frame", GROUND, (0,) * plan.model.dimension)])

    def reads(self, name: str, link: Link) -> Binding | None:
        """A number for each body says which carries the frame."""
        return Place("which", "body") if name == "s" else super().reads(name, link)

    def way(self, frame: Frame) -> Iterable[str]:
        """All links: the screws of those off the way are zero."""
        return (link.name for link in self.plan.links)

    def carried(self, frame: Frame) -> dict[str, Binding]:
        """What kernels read of the frame's link, and of the frame in it."""
        if frame not in self.frames:
            return super().carried(frame)
        places: dict[str, Binding] = {"Kb": Ref("Kf", ""), "ob": Ref("of", "")}
        return places | {array: Ref(whole(array), "") for array in self.of_link}

    def choosing(self) -> Iterator[Step]:
        """What the links have is gathered, and the frame put into its link."""
        yield Sweep(
            "way", "the way to the frame, tips to root", self.inward(self._rule(on_the_way))
        )
        for array, call in self._takings():
            what = f"{array} of what carries the frame"
            parts = self.inward(self._rule(gathered, array=array))
            yield Sweep(f"gather_{array}", f"{what}, tips to root", parts)
            yield Map(f"take_{array}", what, (call,))
        yield Map("attached", "the frame in its link", (self._attached,))

    def masks(self) -> Iterator[Step]:
        """The screws of hinges that move the frame; zero of the others."""
        for array in self.of_hinge:
            yield Map(f"mask_{array}", "screws on the way", self.inward(self._masking(array)))

    def choice(self) -> Iterator[Array]:
        """Which body carries the frame, and its axes and origin there; what follows from them."""
        d = self.dimension
        yield given("which", "bodies")
        yield Array("axes", "system", Port("axes", d, d), Storage.ARGUMENT, "axes")
        yield given("place", "system", d)
        for call in (*dict(self._takings()).values(), self._attached):
            for port in call.kernel.outputs:
                name = call.writes[port.name].array
                yield Array(name, "system", replace(port, name=name))

    def _rule(self, traced: Traced, **facts: Hashable) -> Callable[[Link], Iterator[Kernel]]:
        def at(link: Link) -> Iterator[Kernel]:
            yield traced.at(self, link, **facts)

        return at

    def _masking(self, array: str) -> Callable[[Link], Iterator[Kernel]]:
        at = self._rule(masked, array=array)
        return lambda link: at(link) if self.freedom(link) else iter(())

    def _takings(self) -> Iterator[tuple[str, Call]]:
        """By array what takes the sum of the roots, and the rest of the ground."""
        d, roots = self.dimension, [link.name for link in self.plan.roots]
        still = {"Kb": sp.eye(d), "ob": sp.zeros(d, 1)}
        for array in (*self.of_link, *OF_BODY):
            kernel = carrying.of(dimension=d, array=array, roots=len(roots))
            reads = {array: still[array] if array in still else self.grounded(array)}
            for j, root in enumerate(roots, start=1):
                reads |= {f"on_{j}": Ref("on", root), f"{part(array)}_{j}": Ref(part(array), root)}
            yield array, Call(kernel, "", reads, {part(array): Ref(whole(array), "")})

    @property
    def _attached(self) -> Call:
        known = {part(array): whole(array) for array in OF_BODY} | {"F": "axes", "at": "place"}
        reads = {name: Ref(array, "") for name, array in known.items()}
        kernel = attached.of(dimension=self.dimension)
        return Call(kernel, "", reads, {port.name: Ref(port.name, "") for port in kernel.outputs})


class AnyFrame(Chosen):
    """Such a frame with the screws that move it, and the places of all frames."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.every = plan.model.every_frame
        self.sets["every frame"] = tuple(self.every)

    def choosing(self) -> Iterator[Step]:
        yield from super().choosing()
        yield from self.masks()
        every = self.at_frames(
            motion_kernels.pose, "every_pose", self.every.values(), "every frame"
        )
        yield Map("placed_all", "poses of all frames", every)

    def choice(self) -> Iterator[Array]:
        yield from super().choice()
        yield result("every_pose", "every frame", 4, 4)


class AnyMotion(Chosen, kinematics.Along):
    """Such a frame with its twist and the rates of it."""

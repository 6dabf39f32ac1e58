"""Twists of frames with their first and second rates, as a program (`kinematics`).

The recursion outwards is that of `inverse-rates`, over a ground without gravity.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from ...language.program import Array, Map, Program, Step, given, result
from ...language.slices import Wanted
from ...plans.plan import Plan
from ...tree import steps as shared
from ...tree.conditions import refuse
from ..frames.program import ANY, Framed, chosen
from ..inverse.places import Representation
from ..jacobians.kernels import frame as placed
from ..rates.program import Twists, twist_steps
from . import kernels


class Along(Twists, Framed):
    """The links of a tree, their twists with rates, and the frames in them."""

    rates: ClassVar[int] = len(kernels.OWN) - 1
    of_link: ClassVar[tuple[str, ...]] = ("A", "x", *kernels.OF_LINK)
    of_frame: ClassVar[tuple[str, ...]] = ("Ab", "xb", *kernels.OWN)


def steps_of(tree: Along) -> Iterator[Step]:
    """The whole method."""
    yield shared.relatives(tree)
    yield shared.spins(tree)
    yield shared.places(tree)
    yield from twist_steps(tree)
    yield from tree.choosing()
    yield Map("placed", "axes and origins of frames", tree.at_frames(placed))
    yield Map("carried", "twists of frames, with rates", tree.at_frames(kernels.carried))
    for of in Representation:
        yield Map(f"seen_{of}", f"as seen, {of}", tree.at_frames(kernels.seen, of=of))
    yield shared.rates(tree)


def kinematics_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    frames: Sequence[str] | None = None,
) -> Program:
    """The twists of these frames with their first and second rates; of all, if none are given.

    Of the names `ANY` those of one frame that is told at run time, see `any_frame`. `runtime` names
    the model parameters that stay arguments; `forced` and `loaded` change nothing.

    Shape
        Arguments `q`, `v`, `ad`, `jerk` (per speed, its first and second rate); results per
        representation R `twist_R`, `twist_rate_R`, `twist_second_rate_R` (per frame 6: angular,
        then linear), and `qd`. With loops the speeds are those of the tree that the cuts leave.
    Frame
        See `kernels`. Rates are those of the components.
    Raises
        UsageError: there is no such frame; the model has beams, driven hinges or a moving base.
    Source
        Screw paper (14), (22), (32); the recursion is own.
    """
    if frames == ANY:
        from ..frames.any_frame import AnyMotion

        tree: Along = AnyMotion(plan)
    else:
        tree = Along(plan, chosen(plan.model, frames))
    refuse(
        tree.loops,
        "kinematics takes rigid bodies",
        "frame_velocities and frame_accelerations take these, without jerks",
        closed=True,
    )
    title = "motions of frames with two rates"
    steps, arrays = steps_of(tree), caller_arrays(tree)
    return tree.program("kinematics", title, steps, arrays, ENTRIES, runtime)


#: What a caller may ask for.
ENTRIES = (
    *(
        Wanted(f"kinematics_{of}", f"twists of frames with two rates, {of}", kernels.results(of))
        for of in Representation
    ),
    shared.RATES,
)


def caller_arrays(tree: Along) -> Iterator[Array]:
    """The arguments and results of the method."""
    yield from tree.arguments()
    for name in ("ad", "jerk"):
        yield given(name, "speeds")
    yield from tree.choice()
    for of in Representation:
        for name in kernels.results(of):
            yield result(name, "frames", 6)
    yield result("qd", "coordinates")

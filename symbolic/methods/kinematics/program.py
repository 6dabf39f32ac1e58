"""The program of kinematics: of frames that are named, or of one that is told at run time."""

from __future__ import annotations

from collections.abc import Sequence

from ...language.program import Program
from ...plans.plan import Plan
from ...tree.conditions import refuse
from ..frames.any_frame import AnyMotion
from ..frames.framed import ANY, chosen
from .along import ENTRIES, Along, caller_arrays, steps_of


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

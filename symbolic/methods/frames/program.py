"""The program of frames: of those that are named, or of one that is told at run time."""

from __future__ import annotations

from collections.abc import Sequence

from ...language.program import Program
from ...plans.plan import Plan
from .any_frame import AnyFrame
from .framed import ANY, ENTRIES, Framed, caller_arrays, chosen, steps_of


def frame_program(
    plan: Plan,
    *,
    runtime: tuple[str, ...] = (),
    forced: bool = False,
    loaded: bool | None = None,
    frames: Sequence[str] | None = None,
) -> Program:
    """Poses, motion, Jacobians and their rates of these frames; of all, if none are given.

    Of the names `ANY` it is those of one frame that is told at run time, see `any_frame`.

    `runtime` names the model parameters that stay arguments; `forced` and `loaded`
    change nothing.

    Shape
        Arguments `q`, `v`, `ad` (per speed its derivative) and `t` (if anything depends on the
        time); results `frame_poses` (per frame 4×4) and per representation R `velocity_R`,
        `acceleration_R` (per frame 6: angular, then linear), `jacobian_R` and `jacobian_rate_R`
        (per frame and speed 6), `poses`, `qd` and, if there are quaternions, `qn`. With loops
        also `phi`, `phid` and `J`, see `joint_program`; columns are those of the tree's speeds.
    Frame
        See `kernels`. Accelerations are classical; J u̇ + J̇ u is the rate of the twist's
        components: the same in `hybrid` and `mixed`, and ω × v less in `body` and `spatial`. Of
        driven hinges and a moving base there are no columns: what they add is in the twist and
        in the acceleration alone.
    Raises
        UsageError: there is no such frame, or the model has beams.
    Source
        Screw paper (102)-(107), (17), (28), (34); accelerations are own.
    """
    if frames == ANY:
        tree: Framed = AnyFrame(plan)
    else:
        tree = Framed(plan, chosen(plan.model, frames))
    title = "frames"
    steps, arrays = steps_of(tree), caller_arrays(tree)
    return tree.program("frames", title, steps, arrays, ENTRIES, runtime)

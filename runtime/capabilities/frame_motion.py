"""Frames: how they move, and what moves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...shown import Shown
from ..evaluation.arrays import Floats, Out
from .any_frame import chosen_frames, of_frames, told_of
from .result import SINGULAR, UNFIT, Result, There, Told, transposed

#: How twists are told, as the algorithms have it.
REPRESENTATIONS = ("body", "spatial", "hybrid", "mixed")


def _of_frames(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    frames: str | Sequence[str] | None = None,
    representation: str = "hybrid",
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion of these frames."""
    return locals()


def _accelerated(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike,
    *,
    frames: str | Sequence[str] | None = None,
    representation: str = "hybrid",
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion of these frames with accelerations."""
    return locals()


def _placed(
    q: npt.ArrayLike,
    *,
    frames: str | Sequence[str] | None = None,
    representation: str = "hybrid",
    independent: Sequence[str] = (),
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place of these frames, and the speeds from which all others follow there."""
    return locals()


def _up_to_jerks(
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    a: npt.ArrayLike | None = None,
    jerk: npt.ArrayLike | None = None,
    *,
    frames: str | Sequence[str] | None = None,
    representation: str = "body",
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A motion with its second and third rates."""
    return locals()


def _seen(
    there: There,
    frames: str | Sequence[str] | None,
    representation: str,
    independent: Sequence[str] = (),
) -> Told | None:
    """Twists or accelerations of frames; of Jacobians a column for each speed."""
    check_representation(representation)
    if not chosen_frames(there.code, frames) or independent:
        return None
    entry, columns = f"{there.entry}_{representation}", "jacobian" in there.entry
    axes = {entry.removeprefix("frame_"): (len(there.code.speeds), 6) if columns else (6,)}
    return told_of(there.code, frames, entry, axes, transposed if columns else None)


def _read(
    there: There,
    frames: str | Sequence[str] | None,
    representation: str,
    independent: Sequence[str] = (),
    **given: Any,
) -> Floats:
    """The same at other parameters, of Jacobians for independent speeds, and of no frames."""
    names, one = chosen_frames(there.code, frames), isinstance(frames, str)
    told = _seen(there, frames, representation)
    if told is None:
        batch = there.code.state("q", given["q"]).shape[:-1]
        columns = (len(there.code.speeds),) if "jacobian" in there.entry else ()
        return np.zeros((*batch, 0, 6, *columns))
    found: Floats = of_frames(there, told, names, one, **given)
    if not independent:
        return found
    from .following import following

    N = following(told.code, tuple(independent), **given)
    return np.asarray(found @ (N if one else N[..., np.newaxis, :, :]))


class FrameMotion:
    """Frames: twists, accelerations, Jacobians and their rates.

    `frames` are names of `solver.frames`, by default all; one name by itself leaves its axis out.
    The code of any frame is generated and built when one is first asked for.
    """

    frame_velocities = Result(
        _of_frames,
        "The twists of frames: angular velocity and velocity.",
        *("(…, nframes, 6): angular, then linear; (…, 6) of one name", "rad/s, m/s"),
        """`hybrid`: inertial axes, the frame's origin; `body`: the frame's own axes and origin;
        `mixed`: the angular part in the frame's axes, the linear part as in `hybrid`;
        `spatial`: inertial axes, the body's point that passes the inertial origin""",
        raises=f"UsageError: no such frame or representation; the model has beams; {UNFIT}",
        source="Screw paper (98)-(101)",
        entry="frame_velocity",
        always=True,
        models="frames",
        told=_seen,
        read=_read,
    )
    frame_accelerations = Result(
        _accelerated,
        "The classical accelerations of frames, without gravity: ω̇, and r̈ of a point.",
        "(…, nframes, 6): angular, then linear; (…, 6) of one name; `a` (…, nv)",
        "rad/s², m/s²",
        "As `frame_velocities`; the point is that whose velocity is given there",
        raises="UsageError: as `frame_velocities`",
        source="Riccati paper (14)",
        entry="frame_acceleration",
        always=True,
        models="frames",
        told=_seen,
        read=_read,
    )
    frame_jacobian = Result(
        _placed,
        """J of frames: their twists are J v, and what driven hinges and a moving base add.

        With closed loops the columns are those of all speeds of the tree that the cuts leave: J v
        is the twist for speeds v that keep the loops closed, and one column by itself is the
        motion of the opened tree. `independent` (names of speeds) projects them: with the other
        speeds following by N as the loops demand it, J N is the twist for each independent speed.
        """,
        """(…, nframes, 6, nv): rows angular, then linear; (…, 6, nv) of one name; with
        `independent` its number in place of nv""",
        *("1, m, 1/m: of a twist by that of the speed", "As `frame_velocities`"),
        raises="""
        UsageError: as `frame_velocities`; an independent speed that there is not.
        NumericsError: the independent speeds do not determine the others there, or hang
        together themselves.
        """,
        source="Screw paper (102)-(107); the projection is own: G N = 0, G the loops' `jacobian`",
        always=True,
        models="frames",
        told=_seen,
        read=_read,
    )
    frame_jacobian_rate = Result(
        _of_frames,
        """J̇ of frames: J a + J̇ v is the rate of the twists' components.

        In `hybrid` and `mixed` that is the acceleration, in `body` and `spatial` its linear part
        is less by ω × v of the twist. With closed loops the columns are those of the tree.
        """,
        *("As `frame_jacobian`", "Those of `frame_jacobian` by s"),
        "As `frame_velocities`: the rates of the components there",
        raises="UsageError: as `frame_velocities`",
        source="Screw paper (17), (28), (34), the latter two corrected",
        always=True,
        models="frames",
        told=_seen,
        read=_read,
    )


@dataclass(frozen=True, repr=False)
class Motions(Shown):
    """Twists V of bodies or frames, and the first and second rate of their components.

    Shape
        Each (…, n, 6): angular, then linear; (…, 6) of one frame's name.
    Units
        rad/s and m/s; by s; by s².
    """

    twists: Floats
    accelerations: Floats
    jerks: Floats


def _with_rates(
    there: There, frames: str | Sequence[str] | None, representation: str
) -> Told | None:
    """The twists of frames and their rates, by default those of the bodies."""
    check_representation(representation)
    frames = there.code.bodies if frames is None else frames
    if not chosen_frames(there.code, frames):
        return None
    order = ("twist", "twist_rate", "twist_second_rate")
    axes = dict.fromkeys((f"{name}_{representation}" for name in order), (6,))
    entry, still = f"kinematics_{representation}", np.zeros(len(there.code.speeds))
    told = told_of(there.code, frames, entry, axes, Motions, "kinematics")
    return replace(told, held={**told.held, "ad": still, "jerk": still})


def _read_rates(
    there: There,
    frames: str | Sequence[str] | None,
    representation: str,
    **given: Any,
) -> Motions:
    """Twists of these frames and their rates; what is not given is zero."""
    of, one = there.code, isinstance(frames, str)
    names = tuple(of.bodies) if frames is None else chosen_frames(of, frames)
    given["v"] = of.state("v", given["v"])
    for name in ("a", "jerk"):
        given[name] = np.zeros_like(given["v"]) if given[name] is None else given[name]
    told = _with_rates(there, frames, representation)
    if told is None:
        batch = of.state("q", given["q"]).shape[:-1]
        return Motions(*(np.zeros((*batch, 0, 6)) for _ in range(3)))
    found: Motions = of_frames(there, told, names, one, **given)
    return found


class Kinematics:
    """Kinematics: twists, accelerations and jerks of bodies or frames.

    The code of any frame is generated and built when one is first asked for.
    """

    kinematics = Result(
        _up_to_jerks,
        """The twists of all bodies, or of these frames, and their rates: V, V̇ and V̈.

        V̇ and V̈ are the rates of the components of V in its representation, as the screw paper has
        them, without gravity: in `hybrid` (ω̇, r̈) and (ω̈, r⃛) of the frame's origin. In `body`
        V̇ is less by ω × v in its linear part than the acceleration of that point.
        """,
        "`v`, `a` and `jerk` (…, nv): the speeds, their first and second rate; by default 0",
        "As `Motions`",
        """`body`: the frame's own axes and origin; `spatial`: inertial axes, the body's point that
        passes the inertial origin; `hybrid`: inertial axes, the frame's origin; `mixed`: the
        angular part as in `body`, the linear part as in `hybrid`""",
        raises=f"""
        UsageError: no such frame or representation; the model has beams, driven hinges or a
        moving base; {UNFIT}.
        {SINGULAR}
        """,
        source="Screw paper (98)-(101); V̇ (11), (18), (30), V̈ (14), (22), (32), by a recursion",
        always=True,
        models="kinematics",
        told=_with_rates,
        read=_read_rates,
    )


def check_representation(representation: str) -> None:
    """See that there is such a representation.

    Raises
        UsageError: there is not.
    """
    if representation not in REPRESENTATIONS:
        known = ", ".join(REPRESENTATIONS)
        raise UsageError(f"there is no representation {representation!r}; there are: {known}")

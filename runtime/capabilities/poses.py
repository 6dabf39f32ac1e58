"""Where a state puts the bodies: poses, energy, rates of the coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError
from ...model import GROUND
from ..evaluation.arrays import Floats, Out
from . import takes
from .any_frame import chosen_frames, code_of, of_frames, offset, told_of
from .result import REFUSED, UNFIT, Result, There, Told, read_out


def _bodies(
    q: npt.ArrayLike,
    *,
    frames: str | Sequence[str] | None = None,
    t: npt.ArrayLike = 0.0,
    parameters: Mapping[str, float] | None = None,
    out: Out = None,
) -> Any:
    """A place of all bodies, or of these frames."""
    return locals()


def _coordinates(q: npt.ArrayLike, *, out: Out = None) -> Any:
    """Coordinates of any length."""
    return locals()


def _of_bodies(there: There, frames: str | Sequence[str] | None) -> Told | None:
    """The bodies' poses, or those of frames, if there is code of these."""
    code = there.code
    if frames is None:
        return there.plain
    if code.model.beams or code.model.absolute:
        return None
    if isinstance(frames, str):
        return told_of(code, frames, "frame_poses", {"frame_poses": (4, 4)})
    every, names = tuple(code.model.every_frame), chosen_frames(code, frames)
    at = [every.index(name) for name in names]
    taken = None if names == every else lambda poses: poses[..., at, :, :]
    return Told(code_of(code), "every_pose", {"every_pose": (len(every), 4, 4)}, makes=taken)


def _placed(there: There, frames: str | Sequence[str] | None, **given: Any) -> Floats:
    """The bodies, or the frames in the bodies that carry them or in the ground."""
    one, told = isinstance(frames, str), _of_bodies(there, frames)
    if told and not one:
        found: Floats = read_out(there, told, **given)
        return found
    code, names = there.code, chosen_frames(there.code, frames)
    if told:
        found = of_frames(there, told, names, one, **given)
        return found
    model = code.model
    if given["parameters"]:
        model = replace(model, parameters={**model.parameters, **given["parameters"]})
    wanted = [model.every_frame[name] for name in names]
    if model.base is not None and any(frame.body == GROUND for frame in wanted):
        code_of(code)  # which says that there is none
    bodies = read_out(there, there.plain, **given)
    ground = np.broadcast_to(np.eye(4), (*bodies.shape[:-3], 1, 4, 4))
    carriers = np.concatenate([bodies, ground], axis=-3)
    every = (*code.bodies, GROUND)
    at = [every.index(frame.body) for frame in wanted]
    offsets = np.array([offset(model, frame) for frame in wanted]).reshape(-1, 4, 4)
    placed = np.asarray(carriers[..., at, :, :] @ offsets)
    return placed[..., 0, :, :] if one else placed


def _where_turned(there: There) -> Told | None:
    """As the code has them, if it turns anything; then they may have any length."""
    return there.plain if there.code.computes(there.entry) else None


def _retracted(there: There, q: npt.ArrayLike) -> Floats:
    code = there.code
    array = code.state("q", q, any_length=True)
    if not code.computes("retract"):
        return array
    flat = np.ascontiguousarray(array.reshape(-1, array.shape[-1]))
    result = np.empty_like(flat)
    if not code.backend.run("retract", {"q": flat, "qn": result}):
        raise NumericsError(f"{code.model.name}: a quaternion of the state has no direction")
    return result.reshape(array.shape)


class Poses:
    """The state: poses, energy, and rates of the coordinates."""

    poses = Result(
        _bodies,
        """Where each body is: the transform from its own axes to the inertial frame.

        A beam's own axes are its floating frame. With `frames` (names of `solver.frames`) where
        these are, instead of the bodies.
        """,
        """(…, nbodies, 4, 4), homogeneous; (…, nframes, 4, 4), or (…, 4, 4) of one name by
        itself""",
        *(
            "m",
            "Inertial; its origin is where the ground's points are that the model does not place",
        ),
        raises=f"UsageError: there is no such frame; {UNFIT}",
        told=_of_bodies,
        read=_placed,
    )
    energy = Result(
        takes.a_state,
        """Kinetic plus potential energy; that of gravity is zero at the origin.

        It holds the strain energy of beams and the potentials of hinges, of their force laws
        and of the loads on bodies nothing; on a moving base it is not conserved.
        """,
        *("(…)", "J"),
    )
    rates = Result(
        takes.a_motion,
        "The time derivative of the coordinates: θ̇ = ω, or the quaternions' rates.",
        *("(…, nq)", "rad/s, 1/s"),
        arrays="qd",
    )
    retracted = Result(
        _coordinates,
        *("The coordinates with quaternions of unit length.", "(…, nq)"),
        raises=f"{REFUSED}\nNumericsError: a quaternion is zero",
        entry="retract",
        arrays="qn",
        always=True,
        told=_where_turned,
        read=_retracted,
    )

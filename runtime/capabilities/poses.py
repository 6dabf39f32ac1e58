"""Where a state puts the bodies: poses, energy, rates of the coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ...errors import NumericsError, UsageError
from ...model import GROUND, Frame, Model
from ...model.parts.naming import nearest
from ..evaluation.arrays import Floats, Out
from ..evaluation.evaluator import Evaluator
from . import takes
from .result import REFUSED, UNFIT, Result, There, Told, plainly

#: The algorithm that has frames.
FRAMES = "frames"


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


def _coordinates(q: npt.ArrayLike) -> Any:
    """Coordinates of any length."""
    return locals()


def _all(there: There, frames: str | Sequence[str] | None) -> Told | None:
    return there.plain if frames is None else None


def _placed(there: There, frames: str | Sequence[str] | None, **given: Any) -> Floats:
    """The bodies, or the frames in the bodies that carry them or in the ground."""
    bodies: Floats = plainly(there, frames=None, **given)
    if frames is None:
        return bodies
    model, names = there.code.model, chosen_frames(there.code, frames)
    if given["parameters"]:
        model = replace(model, parameters={**model.parameters, **given["parameters"]})
    found = [model.every_frame[name] for name in names]
    if model.base is not None and any(frame.body == GROUND for frame in found):
        code, at = code_of(there.code, names)
        flat = code.results("frame_poses", **given)["frame_poses"]
        placed = flat.reshape(*flat.shape[:-1], flat.shape[-1] // 16, 4, 4)[..., at, :, :]
    else:
        ground = np.broadcast_to(np.eye(4), (*bodies.shape[:-3], 1, 4, 4))
        carriers = np.concatenate([bodies, ground], axis=-3)
        every = (*there.code.bodies, GROUND)
        at = [every.index(frame.body) for frame in found]
        offsets = np.array([offset(model, frame) for frame in found]).reshape(-1, 4, 4)
        placed = np.asarray(carriers[..., at, :, :] @ offsets)
    return placed[..., 0, :, :] if isinstance(frames, str) else placed


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
        told=_all,
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
        "The coordinates with quaternions of unit length.",
        raises=f"{REFUSED}\nNumericsError: a quaternion is zero",
        always=True,
        read=_retracted,
    )


def offset(model: Model, frame: Frame) -> Floats:
    """A frame's place in its body, as a homogeneous transform (4, 4)."""
    d, found = model.dimension, np.eye(4)
    found[:d, 3] = [model.value(x) for x in frame.position]
    if isinstance(frame.axes, tuple):
        found[:3, :3] = [[model.value(x) for x in row] for row in frame.axes]
    elif frame.axes is not None:
        c, s = math.cos(model.value(frame.axes)), math.sin(model.value(frame.axes))
        found[:2, :2] = [[c, -s], [s, c]]
    return found


def chosen_frames(code: Evaluator, frames: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names of the frames that are meant: all, if none are named.

    Raises
        UsageError: there is no such frame.
    """
    every = code.model.every_frame
    if frames is None:
        return tuple(every)
    if not isinstance(frames, str | Sequence):
        raise UsageError(f"frames = {frames!r} must be a name or a list of names")
    names = (frames,) if isinstance(frames, str) else tuple(frames)
    for name in names:
        if name not in every:
            raise UsageError(
                f"{code.model.name} has no frame {name!r}{nearest(str(name), every)}; "
                "solver.frames lists them"
            )
    return names


def code_of(
    code: Evaluator, names: tuple[str, ...], algorithm: str = FRAMES
) -> tuple[Evaluator, list[int]]:
    """Code of `frames`, or of another such algorithm, with these, and where they stand there."""
    if code.algorithm != algorithm or not {*names} <= {*code.names("frames")}:
        code = code.companion(Choice.named(algorithm, frames=names))
    there = code.names("frames")
    return code, [there.index(name) for name in names]

"""Where a state puts the bodies: poses, energy, rates of the coordinates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import final

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ...errors import NumericsError, UsageError
from ...model import GROUND, Frame, Model
from ...model.parts.naming import nearest
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from . import takes
from .capability import Capability
from .result import Result

#: The algorithm that has frames.
FRAMES = "frames"


@final
class Poses(Capability):
    """Numbers that depend on the state alone."""

    def poses(
        self,
        q: npt.ArrayLike,
        *,
        frames: str | Sequence[str] | None = None,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Where each body is: the transform from its own axes to the inertial frame.

        A beam's own axes are its floating frame. With `frames` (names of `solver.frames`) where
        these are, instead of the bodies.

        Shape
            (…, nbodies, 4, 4), homogeneous; (…, nframes, 4, 4), or (…, 4, 4) of one name by itself.
        Units
            m.
        Frame
            Inertial; its origin is where the ground's points are that the model does not place.
        Raises
            UsageError: there is no such frame; a shape that does not fit, or a number that is not
                finite.
        Source
            own
        """
        found = self.code.results("poses", q, t=t, parameters=parameters)["poses"]
        bodies = found.reshape(*found.shape[:-1], len(self.code.bodies), 4, 4)
        if frames is None:
            return bodies
        names = chosen_frames(self.code, frames)
        placed = self._placed(q, bodies, names, t, parameters)
        return placed[..., 0, :, :] if isinstance(frames, str) else placed

    def _placed(
        self,
        q: npt.ArrayLike,
        bodies: Floats,
        names: tuple[str, ...],
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
    ) -> Floats:
        """The frames in the bodies that carry them, or in the ground."""
        model = self.code.model
        if parameters:
            model = replace(model, parameters={**model.parameters, **parameters})
        frames = [model.every_frame[name] for name in names]
        if model.base is not None and any(frame.body == GROUND for frame in frames):
            code, at = code_of(self.code, names)
            flat = code.results("frame_poses", q, t=t, parameters=parameters)["frame_poses"]
            return flat.reshape(*flat.shape[:-1], flat.shape[-1] // 16, 4, 4)[..., at, :, :]
        ground = np.broadcast_to(np.eye(4), (*bodies.shape[:-3], 1, 4, 4))
        carriers = np.concatenate([bodies, ground], axis=-3)
        every = (*self.code.bodies, GROUND)
        at = [every.index(frame.body) for frame in frames]
        offsets = np.array([offset(model, frame) for frame in frames]).reshape(-1, 4, 4)
        return np.asarray(carriers[..., at, :, :] @ offsets)

    def retracted(self, q: npt.ArrayLike) -> Floats:
        """The coordinates with quaternions of unit length.

        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: a quaternion is zero.
        Source
            own
        """
        array = self.code.state("q", q, any_length=True)
        if not self.code.computes("retract"):
            return array
        flat = np.ascontiguousarray(array.reshape(-1, array.shape[-1]))
        result = np.empty_like(flat)
        if not self.code.backend.run("retract", {"q": flat, "qn": result}):
            raise NumericsError(
                f"{self.code.model.name}: a quaternion of the state has no direction"
            )
        return result.reshape(array.shape)


class OfState:
    """Numbers that are read out as the code has them."""

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

"""Frames: how they move, and what moves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...symbolic.methods.inverse.places import Representation
from ..evaluation.arrays import Floats
from .capability import Capability
from .following import following
from .poses import chosen_frames, code_of


@final
class FrameMotion(Capability):
    """Twists, accelerations, Jacobians and their rates of frames, whatever the algorithm.

    `frames` are names of `solver.frames`, by default all; one name by itself leaves its axis out.
    The code of these frames is generated and built when they are first asked for.
    """

    def frame_velocities(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        frames: str | Sequence[str] | None = None,
        representation: str = "hybrid",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The twists of frames: angular velocity and velocity.

        Shape
            (…, nframes, 6): angular, then linear; (…, 6) of one name.
        Units
            rad/s, m/s.
        Frame
            `hybrid`: inertial axes, the frame's origin; `body`: the frame's own axes and origin;
            `mixed`: the angular part in the frame's axes, the linear part as in `hybrid`;
            `spatial`: inertial axes, the body's point that passes the inertial origin.
        Raises
            UsageError: no such frame or representation; the model has beams; a shape that does
                not fit, or a number that is not finite.
        Source
            Screw paper (98)-(101).
        """
        return self._found("velocity", representation, frames, q, v, t, parameters)

    def frame_accelerations(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        frames: str | Sequence[str] | None = None,
        representation: str = "hybrid",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The classical accelerations of frames, without gravity: ω̇, and r̈ of a point.

        Shape
            (…, nframes, 6): angular, then linear; (…, 6) of one name; `a` (…, nv).
        Units
            rad/s², m/s².
        Frame
            As `frame_velocities`; the point is that whose velocity is given there.
        Raises
            UsageError: as `frame_velocities`.
        Source
            Riccati paper (14).
        """
        rates = self.code.state("a", a)
        return self._found("acceleration", representation, frames, q, v, t, parameters, ad=rates)

    def frame_jacobian(
        self,
        q: npt.ArrayLike,
        *,
        frames: str | Sequence[str] | None = None,
        representation: str = "hybrid",
        independent: Sequence[str] = (),
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """J of frames: their twists are J v, and what driven hinges and a moving base add.

        With closed loops the columns are those of all speeds of the tree that the cuts leave: J v
        is the twist for speeds v that keep the loops closed, and one column by itself is the
        motion of the opened tree. `independent` (names of speeds) projects them: with the other
        speeds following by N as the loops demand it, J N is the twist for each independent speed.

        Shape
            (…, nframes, 6, nv): rows angular, then linear; (…, 6, nv) of one name; with
            `independent` its number in place of nv.
        Units
            1, m, 1/m: of a twist by that of the speed.
        Frame
            As `frame_velocities`.
        Raises
            UsageError: as `frame_velocities`; an independent speed that there is not.
            NumericsError: the independent speeds do not determine the others there, or hang
                together themselves.
        Source
            Screw paper (102)-(107); the projection is own: G N = 0, G the loops' `jacobian`.
        """
        J = self._found("jacobian", representation, frames, q, None, t, parameters)
        if not independent:
            return J
        code, _ = code_of(self.code, chosen_frames(self.code, frames))
        N = following(code, tuple(independent), q, t, parameters)
        return np.asarray(J @ (N if isinstance(frames, str) else N[..., np.newaxis, :, :]))

    def frame_jacobian_rate(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        frames: str | Sequence[str] | None = None,
        representation: str = "hybrid",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """J̇ of frames: J a + J̇ v is the rate of the twists' components.

        In `hybrid` and `mixed` that is the acceleration, in `body` and `spatial` its linear part
        is less by ω × v of the twist. With closed loops the columns are those of the tree.

        Shape
            As `frame_jacobian`.
        Units
            Those of `frame_jacobian` by s.
        Frame
            As `frame_velocities`: the rates of the components there.
        Raises
            UsageError: as `frame_velocities`.
        Source
            Screw paper (17), (28), (34), the latter two corrected.
        """
        return self._found("jacobian_rate", representation, frames, q, v, t, parameters)

    def _found(
        self,
        what: str,
        representation: str,
        frames: str | Sequence[str] | None,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None,
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
        **more: Floats,
    ) -> Floats:
        if representation not in list(Representation):
            known = ", ".join(Representation)
            raise UsageError(f"there is no representation {representation!r}; there are: {known}")
        names = chosen_frames(self.code, frames)
        code, at = code_of(self.code, names)
        array = f"{what}_{representation}"
        if not code.computes(f"frame_{array}"):  # no frame, or nothing that moves
            batch = self.code.state("q", q).shape[:-1]
            found = np.zeros((*batch, len(names), len(self.code.speeds) if "jac" in what else 1, 6))
        else:
            flat = code.results(f"frame_{array}", q, v, t=t, parameters=parameters, **more)[array]
            count = len(code.names("frames"))
            each = flat.shape[-1] // (6 * count)
            found = flat.reshape(*flat.shape[:-1], count, each, 6)[..., at, :, :]
        found = found.swapaxes(-1, -2) if "jacobian" in what else found[..., 0, :]
        if not isinstance(frames, str):
            return found
        return found[..., 0, :, :] if "jacobian" in what else found[..., 0, :]

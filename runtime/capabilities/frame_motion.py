"""Frames: how they move, and what moves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...shown import Shown
from ...symbolic.methods.inverse.places import Representation
from ...symbolic.methods.kinematics.kernels import results
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
        check_representation(representation)
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


@final
class Kinematics(Capability):
    """Twists, accelerations and jerks, whatever the algorithm.

    The code of the frames is generated and built when they are first asked for.
    """

    def kinematics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike | None = None,
        jerk: npt.ArrayLike | None = None,
        *,
        frames: str | Sequence[str] | None = None,
        representation: str = "body",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Motions:
        """The twists of all bodies, or of these frames, and their rates: V, V̇ and V̈.

        V̇ and V̈ are the rates of the components of V in its representation, as the screw paper has
        them, without gravity: in `hybrid` (ω̇, r̈) and (ω̈, r⃛) of the frame's origin. In `body`
        V̇ is less by ω × v in its linear part than the acceleration of that point.

        Shape
            `v`, `a` and `jerk` (…, nv): the speeds, their first and second rate; by default 0.
        Units
            As `Motions`.
        Frame
            `body`: the frame's own axes and origin; `spatial`: inertial axes, the body's point that
            passes the inertial origin; `hybrid`: inertial axes, the frame's origin; `mixed`: the
            angular part as in `body`, the linear part as in `hybrid`.
        Raises
            UsageError: no such frame or representation; the model has beams, driven hinges or a
                moving base; a shape that does not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            Screw paper (98)-(101); V̇ (11), (18), (30), V̈ (14), (22), (32), by a recursion.
        """
        check_representation(representation)
        names = tuple(self.code.bodies) if frames is None else chosen_frames(self.code, frames)
        code, at = code_of(self.code, names, "kinematics")
        speeds = self.code.state("v", v)
        along = {
            name: self.code.state(said, np.zeros_like(speeds) if given is None else given)
            for name, said, given in (("ad", "a", a), ("jerk", "jerk", jerk))
        }
        entry = f"kinematics_{representation}"
        if not code.computes(entry):  # no frame, or nothing that moves
            batch = self.code.state("q", q).shape[:-1]
            none = np.zeros((*batch, len(names), 6))
            found = [none, none.copy(), none.copy()]
        else:
            arrays = code.results(entry, q, speeds, t=t, parameters=parameters, **along)
            count = len(code.names("frames"))
            found = [
                flat.reshape(*flat.shape[:-1], count, 6)[..., at, :]
                for flat in (arrays[name] for name in results(Representation(representation)))
            ]
        return Motions(*(x[..., 0, :] if isinstance(frames, str) else x for x in found))


def check_representation(representation: str) -> None:
    """See that there is such a representation.

    Raises
        UsageError: there is not.
    """
    if representation not in list(Representation):
        known = ", ".join(Representation)
        raise UsageError(f"there is no representation {representation!r}; there are: {known}")

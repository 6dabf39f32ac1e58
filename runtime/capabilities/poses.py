"""Where a state puts the bodies: poses, energy, rates of the coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .capability import Capability


@final
class Poses(Capability):
    """Numbers that depend on the state alone."""

    def poses(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Where each body is: the transform from its own axes to the inertial frame.

        A beam's own axes are its floating frame.

        Shape
            (…, nbodies, 4, 4), homogeneous.
        Units
            m.
        Frame
            Inertial; its origin is where the ground's points are that the model does not place.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        found = self.code.results("poses", q, t=t, parameters=parameters)["poses"]
        return found.reshape(*found.shape[:-1], len(self.code.bodies), 4, 4)

    def energy(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Kinetic plus potential energy; that of gravity is zero at the origin.

        It holds the strain energy of beams and the potentials of hinges, of their force laws
        and of the loads on bodies nothing; on a moving base it is not conserved.

        Shape
            (…).
        Units
            J.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        return self.code.results("energy", q, v, t=t, parameters=parameters)["energy"][..., 0]

    def rates(
        self, q: npt.ArrayLike, v: npt.ArrayLike, *, parameters: Mapping[str, float] | None = None
    ) -> Floats:
        """The time derivative of the coordinates: θ̇ = ω, or the quaternions' rates.

        Shape
            (…, nq).
        Units
            rad/s, 1/s.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
        Source
            own
        """
        return self.code.results("rates", q, v, parameters=parameters)["qd"]

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

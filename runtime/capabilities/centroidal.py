"""The centre of mass of all bodies, and their momentum about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .capability import Capability
from .following import following


@final
class CentroidalMotion(Capability):
    """Centre of mass and centroidal momentum, whatever the algorithm.

    The code is generated and built when one of them is first asked for.
    """

    def centre_of_mass(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Where the centre of mass of all bodies is.

        Shape
            (…, 3).
        Units
            m.
        Frame
            Inertial.
        Raises
            UsageError: the model has beams; a shape that does not fit, or a number that is not
                finite.
        Source
            own
        """
        return self._found("com", q, None, t, parameters)

    def com_velocity(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The velocity of the centre of mass.

        Shape
            (…, 3).
        Units
            m/s.
        Frame
            Inertial.
        Raises
            UsageError: as `centre_of_mass`.
        Source
            own
        """
        return self._found("com_velocity", q, v, t, parameters)

    def com_acceleration(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """The acceleration of the centre of mass, without gravity.

        Shape
            (…, 3); `a` (…, nv).
        Units
            m/s².
        Frame
            Inertial.
        Raises
            UsageError: as `centre_of_mass`.
        Source
            own
        """
        rates = self.code.state("a", a)
        return self._found("com_acceleration", q, v, t, parameters, ad=rates)

    def com_jacobian(
        self,
        q: npt.ArrayLike,
        *,
        independent: Sequence[str] = (),
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """J: the centre of mass moves at J v, and at what driven hinges and a moving base add.

        In closed loops as `frame_jacobian`: the columns are those of the tree's speeds, or, with
        `independent`, of these.

        Shape
            (…, 3, nv), or the number of independent speeds in place of nv.
        Units
            m, 1.
        Frame
            Inertial.
        Raises
            UsageError: as `centre_of_mass`, and as `frame_jacobian`.
            NumericsError: as `frame_jacobian`.
        Source
            own
        """
        return self._columns("com_jacobian", q, None, independent, t, parameters)

    def com_jacobian_rate(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """J̇ of the centre of mass: its acceleration is J a + J̇ v, and what is driven adds.

        Shape
            (…, 3, nv).
        Units
            m/s, 1/s.
        Frame
            Inertial.
        Raises
            UsageError: as `centre_of_mass`.
        Source
            own
        """
        return self._columns("com_jacobian_rate", q, v, (), t, parameters)

    def centroidal_momentum(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Moment of momentum of all bodies about their centre of mass, and momentum.

        Shape
            (…, 6): angular, then linear.
        Units
            N m s, N s.
        Frame
            Inertial axes.
        Raises
            UsageError: as `centre_of_mass`.
        Source
            Screw paper (36).
        """
        return self._found("momentum", q, v, t, parameters)

    def centroidal_momentum_matrix(
        self,
        q: npt.ArrayLike,
        *,
        independent: Sequence[str] = (),
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """A: the centroidal momentum is A v, and what driven hinges and a moving base add.

        Rotors' own spins count nothing. In closed loops as `com_jacobian`.

        Shape
            (…, 6, nv): rows angular, then linear; or the number of independent speeds for nv.
        Units
            Those of `centroidal_momentum` by that of the speed.
        Frame
            Inertial axes.
        Raises
            UsageError: as `com_jacobian`.
            NumericsError: as `com_jacobian`.
        Source
            Screw paper (36); sums over links are own.
        """
        return self._columns("matrix", q, None, independent, t, parameters)

    def centroidal_momentum_matrix_rate(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """Ȧ: the centroidal momentum changes by A a + Ȧ v, and by what is driven.

        Shape
            (…, 6, nv).
        Units
            Those of `centroidal_momentum_matrix` by s.
        Frame
            Inertial axes.
        Raises
            UsageError: as `centre_of_mass`.
        Source
            Screw paper (36), (38); sums over links are own.
        """
        return self._columns("matrix_rate", q, v, (), t, parameters)

    def _code(self) -> Evaluator:
        own = self.code.algorithm == "centroidal"
        return self.code if own else self.code.companion(Choice("centroidal"))

    def _found(
        self,
        name: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None,
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
        **more: Floats,
    ) -> Floats:
        code = self._code()
        return code.results(f"centroidal_{name}", q, v, t=t, parameters=parameters, **more)[name]

    def _columns(
        self,
        name: str,
        q: npt.ArrayLike,
        v: npt.ArrayLike | None,
        independent: Sequence[str],
        t: npt.ArrayLike,
        parameters: Mapping[str, float] | None,
    ) -> Floats:
        flat = self._found(name, q, v, t, parameters)
        n = len(self.code.speeds)
        found = flat.reshape(*flat.shape[:-1], n, flat.shape[-1] // n).swapaxes(-1, -2)
        if not independent:
            return found
        return np.asarray(found @ following(self._code(), tuple(independent), q, t, parameters))

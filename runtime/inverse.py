"""Inverse dynamics: what given accelerations need, and the mass matrix."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from .backend import Floats
from .kinematics import Kinematics


class InverseDynamics(Kinematics):
    """Forces for given accelerations.

    Shape
        As in `Solver`.
    """

    def inverse_dynamics(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The generalised forces that given accelerations need, besides the hinges' force laws.

        Shape
            (…, nv); `a` (…, nv); `wrenches` as in `accelerations`.
        Units
            N, N m.
        Frame
            Hinge by hinge, as the speeds; `wrenches` in the inertial frame.
        Sign
            On the hinge's child by its parent, along the speed: the `tau` of `accelerations`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
            NumericsError: the result is not finite.
        Source
            Riccati paper (5), (14), in link axes.
        """
        return self._results(
            "inverse_dynamics", q, v, t, None, parameters, wrenches, self._given(a)
        )["tau"]

    def inverse_loads(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        frame: str = "inertial",
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """Moment and force at the hinge of each body's output end, at given accelerations.

        Shape
            (…, nends, 6), as `joint_loads`; `a` (…, nv).
        Units
            N m, N.
        Frame
            `inertial`, or `body`: the axes of the body whose output end it is (of a beam: of its
            floating frame).
        Sign
            As `joint_loads`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, a number
                that is not finite, another frame.
            NumericsError: the result is not finite.
        Source
            Riccati paper (2), (5), (14).
        """
        self._check_frame(frame)
        found = self._results("inverse_loads", q, v, t, None, parameters, wrenches, self._given(a))[
            "loads"
        ]
        return self._loads_in(frame, found, q, t, parameters)

    def inverse_drives(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> Floats:
        """The generalised forces that drive the driven hinges, at given accelerations.

        Shape
            (…, len(driven)); `a` (…, nv).
        Units
            N, N m.
        Sign
            As `driving_forces`.
        Raises
            UsageError: no hinge is driven; another algorithm computes this; a shape that does
                not fit, or a number that is not finite.
            NumericsError: the result is not finite.
        Source
            Own: τ = Hᵀ λ.
        """
        if not self.driven:
            raise UsageError(f"{self.model.name}: no hinge is driven")
        return self._results(
            "inverse_dynamics", q, v, t, None, parameters, wrenches, self._given(a)
        )["drive"]

    def mass_matrix(
        self,
        q: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> Floats:
        """M: the generalised forces are M a and what accelerations of zero need.

        Shape
            (…, nv, nv), symmetric and positive definite.
        Units
            kg, kg m, kg m².
        Frame
            Hinge by hinge, as the speeds.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Own: composite inertias, M = Hᵀ U.
        """
        at_rest = np.zeros(len(self.speeds))
        found = self._results("mass_matrix", q, at_rest, t, None, parameters, None)["M"]
        return found.reshape(*found.shape[:-1], len(self.speeds), len(self.speeds))

    def _given(self, a: npt.ArrayLike) -> dict[str, Floats]:
        """Given accelerations, as the generated code calls them."""
        return {"ad": self.state("a", a)}

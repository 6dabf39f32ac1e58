"""Inverse dynamics with its rates in time, and what drives with elastic gears make of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...shown import Shown
from ..evaluation.arrays import Floats, shaped
from .capability import Capability


@dataclass(frozen=True, repr=False)
class ForceRates(Shown):
    """Generalised forces and their first and second rate in time.

    Shape
        Each (…, nv).
    Units
        N, N m; by s; by s².
    """

    tau: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True, repr=False)
class ElasticDrives(Shown):
    """What motors behind springs do so that the joints follow a motion.

    Shape
        Each (…, nv).
    Units
        `torque` N m or N, `angle` rad or m, both at the joint's side of the gear.
    """

    torque: Floats
    angle: Floats


@final
class TimeRates(Capability):
    """Inverse dynamics along a motion that is known up to its fourth derivative."""

    def inverse_rates(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        jerk: npt.ArrayLike,
        snap: npt.ArrayLike,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> ForceRates:
        """The forces that a motion needs, with their first and second rate.

        With closed loops those of the tree that the cuts leave: they give the motion, if it keeps
        the loops closed, as do all that differ by what the `jacobian` carries of multipliers.

        Shape
            All (…, nv); `jerk` and `snap` are the second and third rate of the speeds.
        Units
            As `ForceRates`.
        Sign
            As `inverse_dynamics`.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
            NumericsError: the result is not finite.
        Source
            Screw paper, Sect. 6.3; the recursion is own.
        """
        found = self.code.results(
            "inverse_rates",
            q,
            v,
            t=t,
            parameters=parameters,
            ad=self.code.state("a", a),
            jerk=self.code.state("jerk", jerk),
            snap=self.code.state("snap", snap),
        )
        return ForceRates(found["tau"], found["taud"], found["taudd"])

    def series_elastic(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        a: npt.ArrayLike,
        jerk: npt.ArrayLike,
        snap: npt.ArrayLike,
        *,
        stiffness: npt.ArrayLike,
        inertia: npt.ArrayLike,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> ElasticDrives:
        """Feed-forward of motors that drive the joints through springs.

        A motor of the inertia J stands at θ = q + τ/k and needs J θ̈ + τ.

        Shape
            As `inverse_rates`; `stiffness` k and `inertia` J (nv) or one number.
        Units
            N m/rad or N/m; kg m² or kg, at the joint's side of the gear.
        Raises
            UsageError: as `inverse_rates`; a stiffness that is not positive, a negative inertia.
            NumericsError: the result is not finite.
        Source
            Screw paper, Sect. 6.3.
        """
        one_each = (len(self.code.speeds),)
        k = shaped("stiffness", stiffness, one_each, ())
        J = shaped("inertia", inertia, one_each, ())
        if not (k > 0).all():
            raise UsageError(f"stiffness = {stiffness!r} must be positive")
        if not (J >= 0).all():
            raise UsageError(f"inertia = {inertia!r} must not be negative")
        found = self.inverse_rates(q, v, a, jerk, snap, t=t, parameters=parameters)
        angle = self.code.state("q", q) + found.tau / k
        return ElasticDrives(J * (np.asarray(a) + found.second / k) + found.tau, angle)

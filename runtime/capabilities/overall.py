"""The overall transfer equation in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

import numpy.typing as npt

from ..evaluation.arrays import Floats
from .capability import Capability


@final
class OverallEquation(Capability):
    """U_all z_all = 0 of the system as it stands in a state."""

    def overall_equation(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
    ) -> tuple[Floats, Floats]:
        """Matrix and right-hand side of the overall transfer equation, in its `unknowns`.

        Shape
            (…, N, N) and (…, N), N being len(unknowns); `tau`, `wrenches` as in
            `accelerations`.
        Units
            SI; rows and columns differ in theirs.
        Frame
            Inertial; a hinge's own along its coordinates.
        Raises
            UsageError: another algorithm computes this; a shape that does not fit, or a number
                that is not finite.
        Source
            Deduction paper, rules for chains, trees and general systems.
        """
        found = self.code.results(
            "overall_equation", q, v, tau, t=t, parameters=parameters, wrenches=wrenches
        )
        matrix, right = found["U_all"], found["r_all"]
        return matrix.reshape(*right.shape, right.shape[-1]), right

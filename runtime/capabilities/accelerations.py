"""Forward dynamics: the accelerations that forces give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import final

import numpy.typing as npt

from ..evaluation.arrays import Floats, into
from .capability import Capability


@final
class Accelerations(Capability):
    """The equations of motion solved for the accelerations."""

    def accelerations(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike | None = None,
        *,
        t: npt.ArrayLike = 0.0,
        parameters: Mapping[str, float] | None = None,
        wrenches: npt.ArrayLike | None = None,
        out: Floats | None = None,
    ) -> Floats:
        """The time derivative of the speeds.

        Shape
            (…, nv). `t` (…): the time, for laws that depend on it. `tau` (…, nv): a force along
            each speed. `wrenches` (…, nbodies, 6): per body an external moment and force at its
            centre of mass, of a beam at its middle section, in the order of the loads. `out`: an
            array of the result's shape, which takes it and is returned.
        Units
            rad/s², m/s²; N m, N.
        Frame
            As the speeds; `wrenches` in the inertial frame.
        Sign
            About positive axes; in joint coordinates on the hinge's child.
        Raises
            UsageError: a shape that does not fit, or a number that is not finite.
            NumericsError: the result is not finite.
            SingularPositionError: the loops are singular there, and the speeds tell no limit.
        Source
            Riccati paper, Sects. 3 and 4, completed.
        """
        if parameters is None and wrenches is None:
            quick = self._quick(q, v, tau, t, out)
            if quick is not None:
                return quick
        found = self.code.results(
            "accelerations", q, v, tau, t=t, parameters=parameters, wrenches=wrenches
        )
        return into(out, found["a"])

    @cached_property
    def _quick(self) -> Callable[..., Floats | None]:
        return self.code.quick("accelerations", ("q", "v", "tau", "t"), ("a",))

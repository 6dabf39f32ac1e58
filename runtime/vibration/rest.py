"""The place about which a model vibrates: at rest, given or found."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..capabilities.assembly import assemble
from ..capabilities.forward import ForwardDynamics
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from ..linear.equilibrium import STILL, equilibrium

#: What accelerates by less, in SI units, is at rest: places may be given with nine digits.
REST = 1e-6


def at_rest(
    code: Evaluator,
    q: npt.ArrayLike | None,
    *,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Floats:
    """The place that is given, or the start if it is at rest, or an equilibrium near it.

    Raises
        UsageError: the place that is given is of several, or not at rest.
        NumericsError: no equilibrium is found.
        OpenStateError: the place leaves loops open.
    """
    code = anywhere(code)
    if q is None:
        place = assemble(code, t=t, parameters=parameters).q
    else:
        place = code.state("q", q)
        if place.ndim != 1:
            raise UsageError(f"q has the shape {place.shape}: modes are about one place")
        code.see_closed("modes", place, t=t, parameters=parameters)
    still = np.zeros(len(code.speeds))
    a = ForwardDynamics.accelerations(code, place, still, t=t, parameters=parameters)
    if np.abs(a).max(initial=0.0) < (STILL if q is None else REST):
        return place
    if q is None:
        return equilibrium(code, place, t=t, parameters=parameters).q
    k = int(np.abs(a).argmax())
    raise UsageError(
        f"{code.model.name} is not at rest there: {code.speeds[k]} accelerates at {a[k]:.3g}; "
        "modes are about an equilibrium: solver.equilibrium(q).q is one nearby"
    )

"""The place about which a model vibrates: at rest, given or found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ...errors import NumericsError, UsageError
from ..capabilities.assembly import assemble
from ..capabilities.forward import ForwardDynamics
from ..evaluation.anywhere import anywhere
from ..evaluation.arrays import Floats, shaped
from ..evaluation.evaluator import Evaluator
from ..linear.equilibrium import STILL, equilibrium
from .generated import FEWEST

#: What accelerates by less, in SI units, is at rest: places may be given with nine digits.
REST = 1e-6


class Rest(NamedTuple):
    """A place at rest, which is `given`, `the start`, or `found near the start`."""

    q: Floats
    origin: str
    code: Evaluator


def at_rest(
    code: Evaluator,
    q: npt.ArrayLike | None = None,
    *,
    start: npt.ArrayLike | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Rest:
    """The place that is given, or the start if it is at rest, or an equilibrium near it.

    Before it is sought the model's structure is seen to be one that has modes. Of exact beams no
    accelerations are known: they are where the model has them.

    Raises
        UsageError: the place that is given is of several, or not at rest, or the model has no
            modes, as one that is driven.
        NumericsError: no equilibrium is found.
        OpenStateError: the place leaves loops open.
    """
    shaped("t", t, ())
    code.small_motions(FEWEST if code.model.beams else None)
    code = anywhere(_judge(code))
    if q is None:
        place = assemble(code, start, t=t, parameters=parameters).q
    else:
        place = code.state("q", q)
        if place.ndim != 1:
            raise UsageError(f"q has the shape {place.shape}: modes are about one place")
        code.see_closed("modes", place, t=t, parameters=parameters)
    rest = Rest(place, "the start" if q is None else "given", code)
    if not code.computes("accelerations"):
        return rest
    still = np.zeros(len(code.speeds))
    a = ForwardDynamics.accelerations(code, place, still, t=t, parameters=parameters)
    if np.abs(a).max(initial=0.0) < (STILL if q is None else REST):
        return rest
    if q is None:
        try:
            found = equilibrium(code, place, t=t, parameters=parameters).q
        except NumericsError as error:
            raise NumericsError(
                f"{error} in solver.equilibrium, and give its .q to modes"
            ) from None
        return Rest(found, "found near the start", code)
    k = int(np.abs(a).argmax())
    raise UsageError(
        f"{code.model.name} is not at rest there: {code.speeds[k]} accelerates at {a[k]:.3g}; "
        "modes are about an equilibrium: solver.equilibrium(q).q is one nearby"
    )


def _judge(code: Evaluator) -> Evaluator:
    """Code that tells accelerations, if there is any."""
    if code.computes("accelerations"):
        return code
    try:
        return code.companion(Choice("riccati"))
    except UsageError:  # exact beams, of which only `linear` knows
        return code

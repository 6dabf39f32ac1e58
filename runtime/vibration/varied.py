"""The values of a parameter that results are told over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ..evaluation.arrays import Floats, real_numbers


def varied(
    parameter: str, called: str, values: npt.ArrayLike, parameters: Mapping[str, Any] | None
) -> Floats:
    """The values that a parameter goes through, one number as well as a row of them.

    Raises
        UsageError: there are none, one is not finite, or as `see_varied`.
    """
    see_varied(parameter, called, parameters)
    at = np.atleast_1d(real_numbers(called, values))
    if at.ndim != 1 or not len(at) or not np.isfinite(at).all():
        raise UsageError(f"{called} = {values!r} must be a row of finite numbers, one at least")
    return at


def see_varied(parameter: str, called: str, parameters: Mapping[str, Any] | None) -> None:
    """See that the parameter that changes has no value of its own besides.

    Raises
        UsageError: it has one, which would count for nothing.
    """
    if parameter in (parameters or {}):
        raise UsageError(
            f"{parameter} goes through {called}, and parameters sets it to one: leave it out there"
        )

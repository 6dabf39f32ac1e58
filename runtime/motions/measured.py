"""What the sensors of a model measure along a motion that has been recorded."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import UsageError
from ...model import Model
from ..evaluation.arrays import Floats
from .functions import over_states
from .variables import Variable

#: What a run's attributes say besides its parameters.
SETTINGS = {"model", "algorithm", "form", "target", "method", "dt", "rtol", "atol", "max_step"}


def measured(
    model: Model, attrs: Mapping[str, str | float], name: str, time: Floats, q: Floats, v: Floats
) -> Variable | None:
    """A sensor's readings or their rate at recorded states; nothing if the name is none of these.

    `attrs` are the run's, which say what parameters were set for it.

    Raises
        UsageError: a parameter has the name of one of the run's settings.
    """
    units = {x: unit for s in model.sensors for x, unit in ((s.name, "m"), (s.rate, "m/s"))}
    if name not in units:
        return None
    for parameter in sorted(SETTINGS & model.parameters.keys()):
        raise UsageError(
            f"the parameter {parameter} has the name of a setting, so that the run does not say "
            f"its value, which {name} may need; call the parameter otherwise"
        )
    given = {x: float(value) for x, value in attrs.items() if x in model.parameters}
    found = over_states(model, [name], [name], tuple(given))
    values = found(time, q, v, np.array(list(given.values())))[:, 0]
    values.flags.writeable = False
    rate = "rate of " if units[name] == "m/s" else ""
    said = f"{rate}what sensor {name.removesuffix('_rate') if rate else name} measures"
    return Variable(("time",), values, units[name], said)

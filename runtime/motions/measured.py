"""What follows from a motion that has been recorded: sensors, hinges that share coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...errors import UsageError
from ...model import Model
from ..evaluation.arrays import Floats
from .functions import over_states
from .variables import Arrays, Members, Part, Variable, described

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


def followed(
    model: Model, attrs: Mapping[str, str | float], name: str, ends: Sequence[str], array: Arrays
) -> Part | Variable | None:
    """A hinge that follows, its coordinate or its speed; nothing if the name is none of these.

    A run holds its leader's; `attrs` say what parameters were set for it.
    """
    if name not in {x for hinge in model.followers for x in (hinge, f"q{hinge}", f"u{hinge}")}:
        return None
    known = model.parameters.keys() - SETTINGS
    given = {x: float(value) for x, value in attrs.items() if x in known}
    led = model.with_parameters(**given) if given else model
    own = led.with_own_coordinates()

    def every(key: str) -> Variable | None:
        whole = array(key) if key in ("q", "v", "a", "loads") else None
        if whole is None or key == "loads":
            return whole
        columns = led.with_followers(np.moveaxis(whole.values, -1, 0), speeds=key != "q")
        return described(own, (), key, np.stack([*columns.values()], axis=-1))

    members = Members(own, ends)
    return members.part(name, every) or members.single(name, every)

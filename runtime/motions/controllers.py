"""What the inputs of a motion are: constants, and controllers that C or Python calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...model import Model
from ...model.expressions.instants import MOST, UNSURE, Instant, instants_among
from ...model.expressions.quantities import Quantity
from ..evaluation.arrays import Floats
from ..evaluation.backend import CBatchLibrary, CLibrary
from ..evaluation.efforts import Place
from ..evaluation.evaluator import Evaluator
from .functions import Values

#: What makes a text jump or bend.
_JUMP = re.compile(r"\b(step|sign|abs|min|max)\b")


@dataclass(frozen=True)
class Line:
    """constant − gains (q, v), the quaternions of q on the side of `near`.

    Shape
        `constant` (inputs), `gains` (inputs, nq + nv), `near` (nq).
    """

    constant: Floats
    gains: Floats
    near: Floats


#: What C calls: a function and its data, and what must be kept as long.
Native = tuple[Any, Any, Any]


@dataclass
class Controller:
    """What gives some inputs along a motion.

    `function` is it in Python; `native` makes it a C function of a library, if it is one without
    Python. `texts` are those of expressions, which `made` reads. `line` is it where it is
    linear in the state. `failure` is what a Python function raised inside the generated code.
    """

    names: tuple[str, ...]
    places: tuple[Place, ...]
    function: Values
    native: Callable[[CLibrary | CBatchLibrary], Native] | None = None
    period: float | None = None
    times: Floats = field(default_factory=lambda: np.empty(0))
    texts: tuple[str, ...] = ()
    made: Callable[[], tuple[Quantity, ...]] = tuple
    line: Line | None = None
    failure: BaseException | None = None

    @cached_property
    def expressions(self) -> tuple[Quantity, ...]:
        """The texts as expressions."""
        return self.made()

    def samples(self, origin: float, start: float, end: float, unit: float, first: bool) -> Floats:
        """When it acts within [start, end]; at the start itself only if the motion begins there."""
        if self.period is None:
            return np.empty(0)
        count = (end - origin) / self.period
        if count > MOST:
            raise UsageError(
                f"input {', '.join(self.names)}: {count:.0e} samples are more than {MOST:.0e}; end "
                "the motion earlier, and resume it"
            )
        per_second = round(1.0 / self.period)
        exact = per_second and abs(per_second * self.period - 1.0) <= 1e-12
        numbers = np.arange(np.floor(count + 1e-9) + 1.0)
        times = origin + (numbers / per_second if exact else numbers * self.period)
        slack = 4 * UNSURE * max(abs(start), abs(end), unit)
        found: Floats = times[times >= start - slack if first else times > start + slack]
        return found


@dataclass(frozen=True)
class Steered:
    """The inputs of a motion: constants by place, controllers, and the names of all in order."""

    names: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    constants: Mapping[Place, float] = field(default_factory=dict)
    controllers: tuple[Controller, ...] = ()

    @property
    def controlled(self) -> tuple[Place, ...]:
        """The places that controllers set, in their order."""
        return tuple(place for each in self.controllers for place in each.places)

    def known(self, code: Evaluator) -> dict[str, float]:
        """The constants among the model's inputs."""
        return {code.parameters[k]: x for (name, k), x in self.constants.items() if name == "p"}

    def units(self, model: Model) -> tuple[str, ...]:
        """The units of all inputs: what the model says, of efforts that of the force."""
        said, along = {x.name: x.unit for x in model.inputs}, model.speed_units
        named = zip(self.names, self.places, strict=True)
        return tuple(along[k].force if array == "tau" else said[n] for n, (array, k) in named)

    def over_time(self, records: int, controlled: Floats) -> Floats:
        """All inputs at the records, from those of the controllers."""
        columns = {place: controlled[:, k] for k, place in enumerate(self.controlled)}
        found = np.empty((records, len(self.places)))
        for k, place in enumerate(self.places):
            found[:, k] = columns[place] if place in columns else self.constants[place]
        return found

    def due(
        self,
        jumps: Sequence[float],
        origin: float,
        start: float,
        end: float,
        unit: float,
        first: bool,
    ) -> tuple[tuple[Instant, ...], npt.NDArray[np.uint8]]:
        """All instants, the laws' jumps among them, and which controllers are due there."""
        samples = [c.samples(origin, start, end, unit, first) for c in self.controllers]
        inside = [c.times[(c.times >= start) & (c.times <= end)] for c in self.controllers]
        every = np.sort(np.concatenate([np.asarray(jumps, dtype=np.float64), *samples, *inside]))
        found = instants_among(every.tolist(), unit)
        due = np.zeros((len(found), len(self.controllers)), dtype=np.uint8)
        when = np.array([x.time for x in found])
        for k, times in enumerate(samples):
            if len(times):
                after = np.searchsorted(when, times).clip(1, max(len(when) - 1, 1))
                before = after - 1
                after = after.clip(0, len(when) - 1)
                nearer = np.abs(when[before] - times) <= np.abs(when[after] - times)
                due[np.where(nearer, before, after), k] = 1
        return found, due

    def jumps(
        self, values: Mapping[str, float], start: float, end: float, unit: float
    ) -> list[float]:
        """The jumps and bends in time of the controllers' expressions."""
        jumping = [c for c in self.controllers if c.period is None and _JUMP.search(str(c.texts))]
        expressions = [x for c in jumping for x in c.expressions]
        if not expressions:
            return []
        from ...model.expressions.jumps import zeros

        return zeros(expressions, values, start, end, unit)

"""When a motion is stepped and recorded, and how exact it is to be: checked settings."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ...errors import UsageError
from ...model import Model
from ...model.expressions.instants import UNSURE, Instant
from ..evaluation.arrays import Floats

#: The step of the demonstration in Riccati paper, Sect. 5.1.
DEFAULT_DT = 1e-3

#: Tight enough for a motion to stay within about 1e-7 of the exact one over some seconds.
DEFAULT_TOLERANCE = 1e-9

#: More steps than anybody waits for, and than are counted everywhere.
MOST = 2**53

#: A remainder below this part of the whole is the rounding of decimals such as 1e-3.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Schedule:
    """When a motion is stepped and recorded.

    `steps` whole ones of dt from `origin` on and a shortened last one if `rest` > 0; a record every
    `stride` steps. A motion that goes on has `done` of them behind it when it starts.
    """

    t_end: float
    dt: float
    steps: int
    rest: float
    stride: int
    t_start: float = 0.0
    origin: float = 0.0
    done: int = 0

    @property
    def _has_short_interval(self) -> bool:
        return bool(self.steps % self.stride) or self.rest > 0.0

    @property
    def records(self) -> int:
        return self.steps // self.stride - self.done // self.stride + self._has_short_interval + 1

    def times(self) -> Floats:
        """The recorded times: t_start, multiples of the interval from `origin` on, t_end."""
        return self._times.copy()

    @cached_property
    def _times(self) -> Floats:
        numbers = np.arange(self.done // self.stride, self.steps // self.stride + 1)
        multiples = numbers.astype(np.float64) * self.stride
        per_second = round(1.0 / self.dt)
        # k / 1000 is the double nearest to k ms; k * 1e-3 is not always.
        if per_second and abs(per_second * self.dt - 1.0) <= ROUNDING:
            times = self.origin + multiples / per_second
        else:
            times = self.origin + multiples * self.dt
        times[0] = self.t_start
        if self._has_short_interval:
            return np.append(times, self.t_end)
        times[-1] = self.t_end
        return times


def schedule(
    t_end: float,
    dt: float | None,
    record: float | None,
    *,
    fixed: bool,
    t_start: float = 0.0,
    origin: float | None = None,
) -> Schedule:
    """The schedule of a method of fixed steps or of one that chooses its own.

    A motion that goes on keeps the grid of times from its `origin`, if it starts on that.

    Raises
        UsageError: a time that is no finite number, or that does not fit another.
    """
    t_start, t_end = _number("t_start", t_start), _number("t_end", t_end)
    if not t_end > t_start:
        raise UsageError(f"t_end = {t_end:g} s must be after the start at t = {t_start:g} s")
    dt = _positive("dt", DEFAULT_DT if dt is None else dt)
    record = dt if record is None else _positive("record", record)
    stride, left = _split(record, dt) if fixed else (1, 0.0)
    if left or not stride:
        raise UsageError(f"record = {record:g} s must be a whole multiple of dt = {dt:g} s")
    step = dt if fixed else record
    if abs(t_end - t_start) > MOST * step:
        raise UsageError(
            f"{t_end - t_start:g} s have more than {MOST:.0e} steps of {step:g} s: end the motion "
            "earlier, or take larger ones"
        )
    origin = t_start if origin is None else origin
    largest = max(abs(t_start), abs(t_end))
    done, left = _split(t_start - origin, step, largest)
    if fixed and left:
        origin, done = t_start, 0
    steps, rest = _split(t_end - origin, step, largest)
    if step < UNSURE * largest or (steps == done and not rest):
        raise UsageError(f"times of {largest:g} s cannot be told apart by steps of {step:g} s")
    return Schedule(t_end, step, steps, rest, min(stride, steps + 1), t_start, origin, done)


def _split(span: float, step: float, times: float = 0.0) -> tuple[int, float]:
    """The whole steps in a span, and what is left: nothing if that is rounding.

    A span between `times` of that size is off by their last places.
    """
    ratio = span / step
    if not math.isfinite(ratio):
        raise UsageError(f"{span:g} s cannot be cut into steps of {step:g} s")
    nearest = round(ratio)
    unsure = 2 * math.ulp(times) / step if times else 0.0
    if nearest and abs(ratio - nearest) <= max(ROUNDING * nearest, unsure):
        return nearest, 0.0
    whole = math.floor(ratio)
    return whole, span - whole * step


def tolerances(
    rtol: float | None,
    atol: float | None,
    max_step: float | None,
    method: str,
    *,
    fixed: bool,
    dt: float | None = None,
) -> dict[str, float]:
    """The tolerances of a method that chooses its steps, and their bound; nothing for another.

    Raises
        UsageError: a step or a tolerance that the method does not have, or that means nothing.
    """
    if dt is not None and not fixed:
        raise UsageError(
            f"dt means nothing to {method}, which chooses its steps: give rtol and atol, max_step "
            "for the longest step, record for the times that are recorded"
        )
    given = {"rtol": rtol, "atol": atol, "max_step": max_step}
    if fixed:
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name} means nothing to {method}, whose step is fixed: give dt")
        return {}
    found = {
        name: _positive(name, DEFAULT_TOLERANCE if given[name] is None else given[name], "")
        for name in ("rtol", "atol")
    }
    rounding = float(np.finfo(np.float64).eps)
    if found["rtol"] < 100 * rounding:
        raise UsageError(
            f"rtol = {found['rtol']:g} is below what doubles can keep, {100 * rounding:.1e}"
        )
    least = rounding * found["rtol"]
    if found["atol"] < least:
        raise UsageError(
            f"atol = {found['atol']:g} is below what doubles can keep, {least:.1e}: numbers that "
            "are nothing but rounding would have to meet rtol"
        )
    return found | ({} if max_step is None else {"max_step": _positive("max_step", max_step)})


def _positive(name: str, value: float | None, unit: str = " s") -> float:
    number = _number(name, value, unit)
    if not number > 0.0:
        raise UsageError(f"{name} = {number:g}{unit} must be a positive, finite number")
    return number


def _number(name: str, value: object, unit: str = " s") -> float:
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise UsageError(f"{name} = {value!r} is no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UsageError(f"{name} = {number:g}{unit} must be a finite number")
    return number


def jumps_of(
    model: Model, values: Mapping[str, float], start: float, end: float, unit: float
) -> tuple[Instant, ...]:
    """When a model's laws jump or bend in time, see `model.expressions.jumps.instants`."""
    if not model.jumps:
        return ()
    from ...model.expressions.jumps import instants

    return instants(model, values, start, end, unit)

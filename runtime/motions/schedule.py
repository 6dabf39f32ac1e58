"""When a motion is stepped and recorded, and how exact it is to be: checked settings."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...errors import UsageError
from ..evaluation.arrays import Floats

#: The step of the demonstration in Riccati paper, Sect. 5.1.
DEFAULT_DT = 1e-3

#: Tight enough for a motion to stay within about 1e-7 of the exact one over some seconds.
DEFAULT_TOLERANCE = 1e-9

#: A remainder below this part of the whole is the rounding of decimals such as 1e-3.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Schedule:
    """Whole steps of dt, a shortened last one if `rest` > 0; a record every `stride` steps."""

    t_end: float
    dt: float
    steps: int
    rest: float
    stride: int

    @property
    def _has_short_interval(self) -> bool:
        return bool(self.steps % self.stride) or self.rest > 0.0

    @property
    def records(self) -> int:
        return self.steps // self.stride + self._has_short_interval + 1

    def times(self) -> Floats:
        """The recorded times: 0, multiples of the interval, t_end."""
        multiples = np.arange(self.steps // self.stride + 1, dtype=np.float64) * self.stride
        per_second = round(1.0 / self.dt)
        # k / 1000 is the double nearest to k ms; k * 1e-3 is not always.
        if per_second and abs(per_second * self.dt - 1.0) <= ROUNDING:
            times = multiples / per_second
        else:
            times = multiples * self.dt
        if self._has_short_interval:
            return np.append(times, self.t_end)
        times[-1] = self.t_end
        return times


def schedule(t_end: float, dt: float | None, record: float | None, *, fixed: bool) -> Schedule:
    """The schedule of a method of fixed steps or of one that chooses its own.

    Raises
        UsageError: a time that is no positive number, or that does not fit another.
    """
    t_end = _positive("t_end", t_end)
    dt = _positive("dt", DEFAULT_DT if dt is None else dt)
    record = dt if record is None else _positive("record", record)
    if not fixed:
        return Schedule(t_end, record, *_split(t_end, record), stride=1)
    stride, left = _split(record, dt)
    if left or not stride:
        raise UsageError(f"record = {record:g} s must be a whole multiple of dt = {dt:g} s")
    return Schedule(t_end, dt, *_split(t_end, dt), stride=stride)


def _split(span: float, step: float) -> tuple[int, float]:
    """The whole steps in a span, and what is left: nothing if that is rounding."""
    ratio = span / step
    if not math.isfinite(ratio):
        raise UsageError(f"{span:g} s cannot be cut into steps of {step:g} s")
    nearest = round(ratio)
    if nearest and abs(ratio - nearest) <= ROUNDING * nearest:
        return nearest, 0.0
    whole = math.floor(ratio)
    return whole, span - whole * step


def tolerances(
    rtol: float | None, atol: float | None, method: str, *, fixed: bool
) -> dict[str, float]:
    """The tolerances of a method that chooses its steps; nothing for another.

    Raises
        UsageError: a tolerance that the method does not have, or that means nothing.
    """
    given = {"rtol": rtol, "atol": atol}
    if fixed:
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name} means nothing to {method}, whose step is fixed: give dt")
        return {}
    found = {
        name: _positive(name, DEFAULT_TOLERANCE if value is None else value, "")
        for name, value in given.items()
    }
    least = 100 * np.finfo(np.float64).eps
    if found["rtol"] < least:
        raise UsageError(f"rtol = {found['rtol']:g} is below what doubles can keep, {least:.1e}")
    return found


def _positive(name: str, value: float, unit: str = " s") -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} = {value!r} is no number") from None
    if not (math.isfinite(number) and number > 0.0):
        raise UsageError(f"{name} = {number:g}{unit} must be a positive, finite number")
    return number

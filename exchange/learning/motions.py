"""Steps of integrators in any array library, by its own chain rule over the stages."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import Any

from ...errors import UsageError
from ...model import Model
from . import places

#: The accelerations at q, v and a time.
Accelerate = Callable[[Any, Any, Any], Any]

#: The part of the step at which each stage of `rk4` stands, and its weight.
STAGES = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))


def step(
    model: Model,
    accelerate: Accelerate,
    q: Any,
    v: Any,
    t: Any,
    dt: float,
    method: str,
    join: places.Join,
    unit: Callable[[Any], Any],
) -> tuple[Any, Any]:
    """q and v after one step: v′ = v + a dt, q′ = q + q̇(v′) dt, or by `rk4`.

    Quaternions come back with unit length, by `unit`.

    Raises
        UsageError: there is no such method.
    """
    if method == "semi-implicit":
        v = v + dt * accelerate(q, v, t)
        return unit(q + dt * places.rates(model, q, v, join)), v
    if method != "rk4":
        raise UsageError(f"there is no method {method!r}; there are: semi-implicit, rk4")
    found, by = (q, v), (0.0, 0.0)
    for at, weight in STAGES:
        here, now = q + at * dt * by[0], v + at * dt * by[1]
        by = places.rates(model, here, now, join), accelerate(here, now, t + at * dt)
        found = found[0] + weight * dt * by[0], found[1] + weight * dt * by[1]
    return unit(found[0]), found[1]


def segment(steps: int, every: int | None) -> int:
    """After how many steps of a rollout a state is kept for its gradient: about √N.

    Raises
        UsageError: it is no whole number from 1 on.
    """
    if every is None:
        return max(1, isqrt(steps))
    if type(every) is not int or every < 1:
        raise UsageError(f"every = {every!r} must be a whole number from 1 on")
    return every

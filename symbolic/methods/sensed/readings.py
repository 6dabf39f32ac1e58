"""Named numbers that an expression along a motion reads, and where a program has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ....model import Model
from ...language.program import Ref


@dataclass(frozen=True)
class Reading:
    """Where in a program a named number is: one entry of a value."""

    at: Ref
    rows: int = 1
    entry: int = 0


def asked_of(model: Model, names: Iterable[str]) -> frozenset[str]:
    """The sensors and rates among these names."""
    own = {name for sensor in model.sensors for name in (sensor.name, sensor.rate)}
    return frozenset(own.intersection(names))

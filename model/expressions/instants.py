"""Instants at which a motion starts anew, and how near to each other times may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import float_info

#: Roundings of a time within which a law may see either side of its jump.
UNSURE = 64 * float_info.epsilon

#: Pieces of time that are looked at together; more mean that the law jumps all the time.
MOST = 1_000_000


@dataclass(frozen=True)
class Instant:
    """When a law jumps, and the nearest times that are before and after it for sure."""

    before: float
    time: float
    after: float


def instants_among(times: Iterable[float], unit: float) -> tuple[Instant, ...]:
    """Instants at rising times, of several that cannot be told apart one."""
    return tuple(_apart(times, unit))


def _apart(times: Iterable[float], unit: float) -> Iterator[Instant]:
    last = float("-inf")
    for time in times:
        width = unsure(time, unit)
        if time - last > 4 * width:
            last = time
            yield Instant(time - width, time, time + width)


def unsure(time: float, unit: float) -> float:
    """How near to a time another cannot be told from it."""
    return UNSURE * max(abs(time), unit)

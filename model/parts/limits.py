"""Limits of a hinge's positions, speeds and forces: part of the model, not of its motion.

No solver stops at them, but a motion `within_limits` cuts efforts off. They bound what inverse
kinematics looks for, and tell others what the drives can do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...blame import blamed_parts
from ...errors import ModelError
from ..expressions.quantities import miscounted

if TYPE_CHECKING:
    from .hinge_kinds import HingeKind

#: A position that is not bounded.
FREE = (-math.inf, math.inf)

Range = tuple[float, float]


@blamed_parts
@dataclass(frozen=True)
class Limits:
    """How far, how fast and how hard a hinge's drive may go; what is empty is not bounded.

    Shape
        `position`: a lower and an upper limit for each coordinate, none of a hinge with a
        quaternion; `speed`, `effort`: a limit of the absolute value for each speed. Infinite
        where there is no limit.
    Units
        m, rad; m/s, rad/s; N, N m.
    """

    position: tuple[Range, ...] = ()
    speed: tuple[float, ...] = ()
    effort: tuple[float, ...] = ()


def check_limits(limits: Limits, kind: HingeKind, element: str) -> None:
    """See that a hinge's limits are numbers, as many as it has coordinates and speeds.

    Raises
        ModelError: names the hinge and the field.
    """
    if limits.position and kind.has_quaternion:
        raise ModelError(
            f"a {kind.name} hinge has a quaternion; it takes limits of speed and effort",
            element=element,
            field="limits.position",
        )
    counts = {"position": kind.coordinates, "speed": kind.speeds, "effort": kind.speeds}
    for field, count in counts.items():
        given: Sequence[object] = getattr(limits, field)
        if given and len(given) != count:
            raise ModelError(
                miscounted(given, count),
                element=element,
                field=f"limits.{field}",
            )
    for lower, upper in limits.position:
        if not lower <= upper or math.inf in (lower, -upper):
            raise ModelError(
                f"the lower, {lower:g}, must not exceed the upper, {upper:g}",
                element=element,
                field="limits.position",
            )
    for field in ("speed", "effort"):
        for value in getattr(limits, field):
            if not value >= 0:
                raise ModelError(
                    f"must not be negative, is {value:g}", element=element, field=f"limits.{field}"
                )


def described(limits: Limits, kind: HingeKind) -> str:
    """Limits in words: `[-2.9, 2.9] rad, 2.2 rad/s, 87 N m`; empty if there are none."""
    from .hinge_kinds import ANGLE

    turns = [slot == ANGLE for slot in kind.slots]
    spins = [k >= kind.speeds - 3 for k in range(kind.speeds)] if kind.has_quaternion else turns
    parts = [
        f"[{lower:g}, {upper:g}] {'rad' if turn else 'm'}"
        for (lower, upper), turn in zip(limits.position, turns, strict=False)
        if (lower, upper) != FREE
    ]
    for values, units in ((limits.speed, ("m/s", "rad/s")), (limits.effort, ("N", "N m"))):
        parts += [
            f"{value:g} {units[turn]}"
            for value, turn in zip(values, spins, strict=False)
            if value != math.inf
        ]
    return ", ".join(parts)

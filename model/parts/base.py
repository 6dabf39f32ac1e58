"""What moves a system from outside: the ground, and the inputs of laws."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ...blame import blamed_parts
from ...shown import Shown
from ..expressions.quantities import Vector


@blamed_parts
@dataclass(frozen=True)
class Base:
    """Where the ground is, as it moves: all its points move with it.

    Shape
        `position`: as a point; `angles`: one (planar) or three (spatial): turns about the fixed
        first, second and third axis, in that order; none: zero. Each is an expression in the
        time t and the parameters.
    Units
        m, rad.
    Frame
        The ground's axes and origin as seen from the inertial frame.
    """

    position: Vector = ()
    angles: Vector = ()


@blamed_parts
@dataclass(frozen=True)
class Input(Shown):
    """A quantity of the laws of hinges and loads that may change along a motion: a motor's torque.

    Its symbol is that of a parameter of its name (`quantities.parameter`). It is `default` where
    nothing else is said; `solver.simulate(inputs=…)` says what it is.

    Shape
        `limits`: the least and the largest value of what drives it; no solver stops there.
    Units
        `unit` names the unit for readers: "N m", "V". Laws are in SI units whatever it says.
    """

    name: str
    default: float = 0.0
    unit: str = ""
    limits: tuple[float, float] = (-math.inf, math.inf)

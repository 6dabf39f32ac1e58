"""Ready-made planar mechanisms with a closed loop, in joint coordinates and without damping.

Each starts at rest in a place that closes its loop at the parameters' default values; with
other values a simulation closes the loop first.
"""

from __future__ import annotations

import math

import sympy as sp

from ..expressions.quantities import parameter
from ..model import Model
from ..parts.bodies import Body, Point
from .pieces import bar, hinge

_ZERO = sp.Integer(0)
_g = parameter("g")
_GRAVITY = (_ZERO, -_g)


def example_2() -> Model:
    """Seven equal square plates: a ring of six (3, 5, 7, 9, 13, 11) hangs on plate 1.

    Deduction paper, Example 2. The text gives the bodies' and hinges' numbers, m = 1 kg, the
    inertia 1/6 kg m², the cut (hinge 14), the start at rest with all plates parallel, 30° from
    the x axis. It leaves open what is assumed here: plates of side a = 1 m; plate 3 branches,
    for with equal plates the ring then closes, and with no other; 3 and 9 carry their two
    neighbours in the ring at the corners of one side, the others all hinges at the middles of
    opposite sides; y points up, g = 9.81 m/s², plate 1's hinge is at the inertial origin.
    """
    m, a = parameter("m"), parameter("a")
    left, right = (-a / 2, _ZERO), (a / 2, _ZERO)
    above, below = (a / 2, a / 2), (a / 2, -a / 2)

    def plate(name: str, **points: tuple[sp.Expr, sp.Expr]) -> Body:
        places = tuple(Point(point, position) for point, position in points.items())
        return Body(name, m, m * a**2 / 6, (_ZERO, _ZERO), places)

    return Model(
        name="example-2",
        dimension=2,
        bodies=(
            plate("1", O=left, I1=right),
            plate("3", O=left, I1=above, I2=below),
            *(plate(name, O=left, I1=right) for name in ("5", "7")),
            plate("9", O=(-a / 2, a / 2), I1=(-a / 2, -a / 2)),
            *(plate(name, O=left, I1=right) for name in ("11", "13")),
        ),
        hinges=(
            hinge("ground", "pin", "0:O", "1:O"),
            hinge("2", "pin", "1:I1", "3:O"),
            hinge("4", "pin", "3:I1", "5:O"),
            hinge("6", "pin", "5:I1", "7:O"),
            hinge("8", "pin", "7:I1", "9:O"),
            hinge("10", "pin", "3:I2", "11:O"),
            hinge("12", "pin", "11:I1", "13:O"),
            hinge("14", "pin", "13:I1", "9:I1"),
        ),
        gravity=_GRAVITY,
        parameters={"m": 1.0, "a": 1.0, "g": 9.81},
        q0=(math.pi / 6, *(0.0,) * 6),
        description="Example 2 of the deduction paper, a ring of six plates hung on a seventh; "
        "assumed: square plates of 1 m, plate 3 branches, y up, g = 9.81 m/s²",
        absolute=False,
        cuts=("14",),
    )


def four_bar() -> Model:
    """A crank-rocker: crank a, coupler b, rocker c between pivots a distance d apart.

    Assumed: uniform slender bars of flat steel 20 mm × 5 mm (μ = 0.785 kg/m), smooth pins,
    gravity in the plane. At the start the crank points up, the loop is open upwards and at
    rest. With a + d < b + c the crank can turn all the way.
    """
    mu, a, b, c, d = (parameter(name) for name in ("mu", "a", "b", "c", "d"))
    values = {"mu": 0.785, "a": 0.2, "b": 0.5, "c": 0.4, "d": 0.5, "g": 9.81}
    return Model(
        name="four-bar",
        dimension=2,
        bodies=(
            bar("crank", mu * a, a, "shaft", "pin"),
            bar("coupler", mu * b, b, "left", "right"),
            bar("rocker", mu * c, c, "top", "foot"),
        ),
        hinges=(
            hinge("shaft", "pin", "0:O", "crank:shaft"),
            hinge("left", "pin", "crank:pin", "coupler:left"),
            hinge("right", "pin", "coupler:right", "rocker:top"),
            hinge("pivot", "pin", "0:pivot", "rocker:foot"),
        ),
        gravity=_GRAVITY,
        parameters=values,
        q0=_closed_four_bar(math.pi / 2, *(values[name] for name in "abcd")),
        description="a four-bar linkage (crank-rocker) of uniform steel bars, without friction",
        absolute=False,
        cuts=("pivot",),
        ground=(Point("pivot", (d, _ZERO)),),
    )


def _closed_four_bar(
    crank: float, a: float, b: float, c: float, d: float
) -> tuple[float, float, float]:
    """The angles of crank, coupler and rocker, each from the bar before it; coupler above.

    Law of cosines in the triangle of coupler, rocker and the line from crank pin to pivot.
    """
    x, y = d - a * math.cos(crank), -a * math.sin(crank)
    reach = math.hypot(x, y)
    towards = math.atan2(y, x)
    coupler = towards + math.acos((b**2 + reach**2 - c**2) / (2 * b * reach))
    rocker = towards - math.acos((c**2 + reach**2 - b**2) / (2 * c * reach))
    return crank, coupler - crank, rocker - coupler


def slider_crank() -> Model:
    """A crank r and a connecting rod l drive a piston along the level line through the shaft.

    Assumed: uniform slender crank and rod, the piston a square block of side s; smooth hinges,
    gravity across the guide. At the start the crank stands 60° above the guide, at rest. With
    r < l the crank can turn all the way.
    """
    r, l, s = parameter("r"), parameter("l"), parameter("s")  # noqa: E741
    crank, rod, piston = (parameter(f"m_{name}") for name in ("crank", "rod", "piston"))
    values = {
        "r": 0.05,
        "l": 0.15,
        "s": 0.06,
        "m_crank": 0.6,
        "m_rod": 0.4,
        "m_piston": 0.3,
        "g": 9.81,
    }
    angle = math.pi / 3
    tilt = -math.asin(values["r"] * math.sin(angle) / values["l"])
    reach = values["r"] * math.cos(angle) + values["l"] * math.cos(tilt)
    return Model(
        name="slider-crank",
        dimension=2,
        bodies=(
            bar("crank", crank, r, "shaft", "pin"),
            bar("rod", rod, l, "big", "small"),
            Body(
                "piston",
                piston,
                piston * s**2 / 6,
                (_ZERO, _ZERO),
                (Point("guide", (_ZERO, _ZERO)), Point("pin", (_ZERO, _ZERO))),
            ),
        ),
        hinges=(
            hinge("shaft", "pin", "0:O", "crank:shaft"),
            hinge("crankpin", "pin", "crank:pin", "rod:big"),
            hinge("guide", "prismatic", "0:O", "piston:guide"),
            hinge("wristpin", "pin", "rod:small", "piston:pin"),
        ),
        gravity=_GRAVITY,
        parameters=values,
        q0=(angle, tilt - angle, reach),
        description="a crank, a connecting rod and a piston in a level guide, without friction",
        absolute=False,
        cuts=("wristpin",),
    )

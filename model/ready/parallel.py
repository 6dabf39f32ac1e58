"""Ready-made parallel robots, in joint coordinates and without friction."""

from __future__ import annotations

import math

import sympy as sp

from ..expressions.quantities import Matrix, Vector, parameter
from ..model import Model
from ..parts.bodies import Body, Point
from ..parts.hinges import Hinge
from .pieces import cylinder, diagonal, hinge

_ZERO = sp.Integer(0)
_LEGS = (1, 2, 3)

#: Of an arm's end, the first axis along the two rods' distance, the third back along the arm.
_ELBOW = ((0, 0, -1), (0, 1, 0), (1, 0, 0))

_VALUES = {
    "R": 0.35,
    "l": 0.25,
    "L": 0.7,
    "s": 0.04,
    "P": 0.05,
    "d": 0.005,
    "m_arm": 0.4,
    "m_rod": 0.08,
    "m_platform": 0.3,
    "g": 9.81,
}


def delta_robot() -> Model:
    """Clavel's Delta: three arms on a base above, and on each two rods that bear the platform.

    A leg stands at every 120 degrees. Its arm turns about a level axis at the radius R; its angle
    is zero where it points level outwards, positive downwards. From the arm's end, at ±s beside
    it, hang two equal rods by universal hinges, which keep them from spinning about themselves;
    balls hold the platform, at the radius P, at their lower ends. As long as the rods of a leg are
    parallel the platform cannot turn: it has three freedoms, one for each arm, and neither the
    loads nor the motion are undetermined.

    Assumed: slender arms of length l, round rods of length L and radius d, a thin disc as
    platform; smooth hinges. The balls are cut, so that the platform's place is among the
    coordinates and all legs are alike. It starts at rest with all arms level, the platform below.
    """
    R, l, L, s, P, d = (parameter(name) for name in ("R", "l", "L", "s", "P", "d"))  # noqa: E741
    arm, rod, plate = (parameter(f"m_{name}") for name in ("arm", "rod", "platform"))
    sides = {"a": -s, "b": s}
    across = arm * l**2 / 12
    centre = (_ZERO,) * 3
    bodies, hinges, feet, balls = list[Body](), list[Hinge](), list[Point](), list[Point]()
    for leg in _LEGS:
        radial, tangent = _directions(leg)
        feet.append(Point(f"foot{leg}", _along(radial, R), _shoulder(radial, tangent)))
        elbows = tuple(Point(side, (l, _ZERO, y), _ELBOW) for side, y in sides.items())
        bodies.append(
            Body(
                f"arm{leg}",
                arm,
                diagonal(_ZERO, across, across),
                (l / 2, _ZERO, _ZERO),
                (Point("shoulder", centre), *elbows),
            )
        )
        hinges.append(hinge(f"arm{leg}", "revolute", f"0:foot{leg}", f"arm{leg}:shoulder"))
        for side, y in sides.items():
            name = f"rod{leg}{side}"
            top, low = Point("top", centre), Point("low", (_ZERO, _ZERO, -L))
            bodies.append(cylinder(name, rod, d, L, (_ZERO, _ZERO, -L / 2), top, low))
            hinges.append(hinge(name, "universal", f"arm{leg}:{side}", f"{name}:top"))
            place = zip(_along(radial, P), _along(tangent, y), strict=True)
            balls.append(Point(f"{leg}{side}", tuple(a + b for a, b in place)))
    points = (Point("O", centre), *balls)
    bodies.append(cylinder("platform", plate, P, _ZERO, centre, *points))
    hinges.append(hinge("platform", "free", "0:O", "platform:O"))
    cuts = [f"{leg}{side}" for leg in _LEGS for side in sides]
    hinges += [hinge(f"ball{x}", "ball", f"platform:{x}", f"rod{x}:low") for x in cuts]
    swing, depth = _level_start(**{name: _VALUES[name] for name in ("R", "l", "L", "P")})
    return Model(
        name="delta-robot",
        dimension=3,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=(_ZERO, _ZERO, -parameter("g")),
        parameters=dict(_VALUES),
        q0=(*(0.0, *(swing, 0.0) * 2) * 3, 0.0, 0.0, -depth, 1.0, 0.0, 0.0, 0.0),
        description="a Delta robot: three arms, six rods in parallelograms, a platform that "
        "does not turn, without friction",
        absolute=False,
        cuts=tuple(f"ball{x}" for x in cuts),
        ground=tuple(feet),
    )


def _directions(leg: int) -> tuple[Vector, Vector]:
    """Of a leg: outwards, and the level axis about which its arm turns."""
    angle = 2 * sp.pi * (leg - 1) / 3
    c, s = sp.cos(angle), sp.sin(angle)
    return (c, s, _ZERO), (-s, c, _ZERO)


def _along(direction: Vector, length: sp.Expr) -> tuple[sp.Expr, ...]:
    return tuple(x * length for x in direction)


def _shoulder(radial: Vector, tangent: Vector) -> Matrix:
    """Axes outwards, down, and along the axis of the arm, as columns."""
    down = (_ZERO, _ZERO, sp.Integer(-1))
    return tuple(zip(radial, down, tangent, strict=True))


def _level_start(R: float, l: float, L: float, P: float) -> tuple[float, float]:  # noqa: E741
    """The rods' angles from their level arms, and how deep the platform hangs."""
    reach = R + l - P
    depth = math.sqrt(L**2 - reach**2)
    return math.pi - math.atan2(depth, reach), depth

"""Planar systems of equal rods in absolute angles: those of the Riccati paper, and a chain."""

from __future__ import annotations

import math
from functools import cache
from itertools import repeat

import sympy as sp

from ...errors import UsageError
from ..columns import made
from ..expressions.quantities import parameter
from ..model import Model
from ..parts.bodies import Body, End, Point
from ..parts.hinges import GROUND, Hinge

_m, _a, _g = parameter("m"), parameter("a"), parameter("g")
_PARAMETERS = {"m": 1.0, "a": 0.5, "g": 9.81}
_GRAVITY = (sp.Integer(0), -_g)
_ZERO = sp.Integer(0)
_INERTIA, _CENTRE = _m * _a**2 / 3, (_a, _ZERO)
_ENDS = (("I", _ZERO), ("O", 2 * _a))


def _rod(name: str) -> Body:
    """A slender rod of mass m and length 2a from its input I to its output O."""
    return _rod_with_points(name, _ENDS)


def _rod_with_points(name: str, points: tuple[tuple[str, sp.Expr], ...]) -> Body:
    return Body(name, _m, _INERTIA, _CENTRE, _points(points))


@cache
def _points(points: tuple[tuple[str, sp.Expr], ...]) -> tuple[Point, ...]:
    """Equal rods share their points, so that what is the same of many is seen at once."""
    return tuple(Point(point, (at, _ZERO)) for point, at in points)


def _pin(name: str, tip_side: str, root_side: str) -> Hinge:
    return Hinge(name, "pin", (End.parse(tip_side), End.parse(root_side)))


def branch_pendulum() -> Model:
    """Four equal rods: body 1, and bodies 3 – 5, hang on the two ends of body 7.

    Body 7 is pinned to the ceiling at its centre. Riccati paper, Sect. 5.1 and Fig. 2.
    """
    ends = (("I1", _ZERO), ("I2", 2 * _a), ("O", _a))
    return Model(
        name="branch-pendulum",
        dimension=2,
        bodies=(_rod("1"), _rod("3"), _rod("5"), _rod_with_points("7", ends)),
        hinges=(
            _pin("2", "1:O", "7:I1"),
            _pin("4", "3:O", "5:I"),
            _pin("6", "5:O", "7:I2"),
            _pin("8", "7:O", f"{GROUND}:O"),
        ),
        gravity=_GRAVITY,
        parameters=_PARAMETERS,
        q0=(math.pi / 2, math.pi / 2, math.pi / 2, 0.0),
        description="four rods, one branch: the demonstration example of the Riccati paper",
        absolute=True,
    )


def branch_system(N: int = 999) -> Model:
    """The paper's large branch system of (N + 1)/2 rods; body N hangs from the ceiling.

    Chains 1 – 3 and 5 – 7 – 9 hang on the two ends of body 11, whose centre hangs on the
    chain 13 – … – N. Riccati paper, Sect. 5.2 and Fig. 1; the layout that the paper leaves
    open is the one its numbering implies.

    Raises
        UsageError: N is even or smaller than 11.
    """
    if N < 11 or N % 2 == 0:
        raise UsageError(f"branch-system: N = {N} must be an odd number, 11 or more")
    ends = (("I1", _ZERO), ("I2", 2 * _a), ("O", _a))
    bodies = [
        _rod_with_points("11", ends) if number == 11 else _rod(str(number))
        for number in range(1, N + 1, 2)
    ]
    into = {3: "11:I1", 9: "11:I2", N: f"{GROUND}:O"}
    hinges = [
        _pin(str(number + 1), f"{number}:O", into.get(number, f"{number + 2}:I"))
        for number in range(1, N + 1, 2)
    ]
    return Model(
        name="branch-system",
        dimension=2,
        bodies=tuple(bodies),
        hinges=tuple(hinges),
        gravity=_GRAVITY,
        parameters=_PARAMETERS,
        q0=tuple(0.0 if body.name == "11" else math.pi / 2 for body in bodies),
        description="the large branch system of the Riccati paper, bodies 1, 3, …, N",
        absolute=True,
    )


def rod_chain(n: int = 10) -> Model:
    """A chain of n equal rods, bodies 1, 3, …, 2n − 1; the last hangs from the ceiling.

    It starts at rest, stretched out to the left of its support.

    Raises
        UsageError: n is smaller than 1.
    """
    if n < 1:
        raise UsageError(f"rod-chain: n = {n} must be 1 or more")
    names = [str(number) for number in range(1, 2 * n, 2)]
    above = made(End, n - 1, body=names[1:], point=repeat("I", n - 1))
    roots = (*above, End(GROUND, "O"))
    tips = made(End, n, body=names, point=repeat("O", n))
    return Model(
        name="rod-chain",
        dimension=2,
        bodies=made(
            Body,
            n,
            name=names,
            mass=repeat(_m, n),
            inertia=repeat(_INERTIA, n),
            centre=repeat(_CENTRE, n),
            points=repeat(_points(_ENDS), n),
        ),
        hinges=made(
            Hinge,
            n,
            name=[str(number) for number in range(2, 2 * n + 1, 2)],
            kind=repeat("pin", n),
            ends=zip(tips, roots, strict=True),
        ),
        gravity=_GRAVITY,
        parameters=_PARAMETERS,
        description="a chain of n rods hanging from the ceiling",
        absolute=True,
    )

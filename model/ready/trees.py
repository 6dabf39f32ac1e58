"""Ready-made trees in joint coordinates, without springs and damping."""

from __future__ import annotations

import math
from dataclasses import replace

import sympy as sp

from ...errors import UsageError
from ..expressions.quantities import parameter
from ..model import Model
from ..parts.base import Input
from ..parts.bodies import Body, Point
from .pieces import cylinder, diagonal, hinge, sphere

_ZERO = sp.Integer(0)
_g = parameter("g")


def double_pendulum() -> Model:
    """Two uniform slender rods, the upper pinned to the ground, the lower to its end.

    Assumed: smooth pins. Both angles are zero where the rods hang straight down; the lower's is
    relative to the upper. It starts at rest, the upper rod level, the lower hanging.
    """

    def rod(number: int, *points: str) -> Body:
        m, length = parameter(f"m{number}"), parameter(f"l{number}")
        places = (_ZERO, -length)
        return Body(
            str(number),
            m,
            m * length**2 / 12,
            (_ZERO, -length / 2),
            tuple(Point(name, (_ZERO, y)) for name, y in zip(points, places, strict=False)),
        )

    return Model(
        name="double-pendulum",
        dimension=2,
        bodies=(rod(1, "O", "I1"), rod(2, "O")),
        hinges=(hinge("1", "pin", "0:O", "1:O"), hinge("2", "pin", "1:I1", "2:O")),
        gravity=(_ZERO, -_g),
        parameters={"m1": 1.0, "l1": 0.6, "m2": 0.8, "l2": 0.4, "g": 9.81},
        q0=(math.pi / 2, -math.pi / 2),
        description="two uniform rods in relative angles, without friction",
        absolute=False,
    )


def cart_pole() -> Model:
    """A uniform slender pole that stands on a cart on a level rail, driven by the force `u`.

    Assumed: no friction. The angle of the pole is zero upright, positive counter-clockwise; the
    force, an input, pushes the cart along the rail. It starts at rest, the pole aslant.
    """
    M, m, length = parameter("M"), parameter("m"), parameter("l")
    pivot = Point("O", (_ZERO, _ZERO))
    return Model(
        name="cart-pole",
        dimension=2,
        bodies=(
            Body("cart", M, _ZERO, (_ZERO, _ZERO), (pivot, Point("I1", (_ZERO, _ZERO)))),
            Body("pole", m, m * length**2 / 12, (_ZERO, length / 2), (pivot,)),
        ),
        hinges=(
            replace(hinge("cart", "prismatic", "0:O", "cart:O"), force=(parameter("u"),)),
            hinge("pole", "pin", "cart:I1", "pole:O"),
        ),
        gravity=(_ZERO, -_g),
        parameters={"M": 1.0, "m": 0.2, "l": 0.6, "g": 9.81},
        q0=(0.0, 0.2),
        inputs=(Input("u", 0.0, "N"),),
        description="a pole on a cart that a force drives along a level rail, without friction",
        absolute=False,
    )


def ball_chain(n: int = 10) -> Model:
    """A chain of n uniform round rods in space, hung from the ground and joined by balls.

    Assumed: smooth balls at the ends of the axes; rods of steel, 0.2 m long, 20 mm thick. Each
    body's third axis runs up its rod. The chain starts stretched out level, all of it turning
    at 1 rad/s about the vertical through its support.

    Raises
        UsageError: n is smaller than 1.
    """
    if n < 1:
        raise UsageError(f"ball-chain: n = {n} must be 1 or more")
    m, length, r = parameter("m"), parameter("l"), parameter("r")
    middle = (_ZERO, _ZERO, -length / 2)
    top, end = Point("O", (_ZERO,) * 3), Point("I1", (_ZERO, _ZERO, -length))
    half = math.sqrt(0.5)
    return Model(
        name="ball-chain",
        dimension=3,
        bodies=(
            *(cylinder(str(k), m, r, length, middle, top, end) for k in range(1, n)),
            cylinder(str(n), m, r, length, middle, top),
        ),
        hinges=tuple(
            hinge(str(number), "ball", f"{number - 1}:{'I1' if number > 1 else 'O'}", f"{number}:O")
            for number in range(1, n + 1)
        ),
        gravity=(_ZERO, _ZERO, -_g),
        parameters={"m": 0.49, "l": 0.2, "r": 0.01, "g": 9.81},
        q0=(half, 0.0, -half, 0.0, *(1.0, 0.0, 0.0, 0.0) * (n - 1)),
        v0=(1.0, *(0.0,) * (3 * n - 1)),
        description="n uniform steel rods in space, joined by balls, without friction",
        absolute=False,
    )


#: The masses of the spatial tree's bodies, in kg.
_MASSES = {
    "carriage": 12.0,
    "nut": 3.0,
    "sleeve": 1.5,
    "turret": 4.0,
    "weight": 2.0,
    "boom": 0.8,
    "bob": 2.5,
}

#: Axes whose third is the inertial first: a rail along x for hinges that move along their third.
_ALONG_X = ((0, 0, 1), (1, 0, 0), (0, 1, 0))


def spatial_tree() -> Model:
    """A carriage on a level rail with three branches: one hinge of each of seven kinds.

    The carriage slides along x (prismatic). On it turn a flywheel as the nut of a screw along x
    (helical), a bent sleeve on a rod along x (cylindrical) and, about the vertical, a turret
    (revolute). The turret bears a counterweight (fixed) and a hanging boom (universal), and
    this a round bob (ball).

    Assumed: smooth hinges; a cube as carriage, a disc as flywheel, cylinders as turret and
    sleeve (its centre of mass e off the rod), a slender boom, balls as counterweight and bob.
    Nothing falls: what can slide slides level. It starts with boom, bob and sleeve aside and
    the turret turning.
    """
    m = {name: parameter(f"m_{name}") for name in _MASSES}
    a, h, r, l, e, R = (parameter(name) for name in "ahrleR")  # noqa: E741
    centre = (_ZERO,) * 3
    O = Point("O", centre)  # noqa: E741
    cube = m["carriage"] * a**2 / 6
    bodies = (
        Body(
            "carriage",
            m["carriage"],
            diagonal(cube, cube, cube),
            centre,
            (
                Point("O", centre, _ALONG_X),
                Point("I1", (_ZERO, a / 2, _ZERO), _ALONG_X),
                Point("I2", (_ZERO, -a / 2, _ZERO), _ALONG_X),
                Point("I3", (_ZERO, _ZERO, -a / 2)),
            ),
        ),
        cylinder("nut", m["nut"], r, h, centre, O),
        cylinder("sleeve", m["sleeve"], r / 2, 2 * h, (e, _ZERO, _ZERO), O),
        cylinder(
            "turret",
            m["turret"],
            r,
            h,
            (_ZERO, _ZERO, -h / 2),
            O,
            Point("I1", (-2 * r, _ZERO, -h / 2)),
            Point("I2", (2 * r, _ZERO, -h)),
        ),
        sphere("weight", m["weight"], R, centre, O),
        cylinder(
            "boom",
            m["boom"],
            _ZERO,
            l,
            (_ZERO, _ZERO, -l / 2),
            O,
            Point("I1", (_ZERO, _ZERO, -l)),
        ),
        sphere("bob", m["bob"], R, (_ZERO, _ZERO, -2 * R), O),
    )
    turn = 0.3
    state = {
        "turret": ((0.0,), (0.8,)),
        "boom": ((0.5, 0.4), (0.0, 0.0)),
        "bob": ((math.cos(turn), math.sin(turn), 0.0, 0.0), (0.0, 0.0, 0.0)),
        "sleeve": ((1.0, 0.0), (0.0, 0.0)),
    }
    hinges = (
        hinge("carriage", "prismatic", "0:rail", "carriage:O"),
        hinge("nut", "helical", "carriage:I1", "nut:O", parameter("p")),
        hinge("sleeve", "cylindrical", "carriage:I2", "sleeve:O"),
        hinge("turret", "revolute", "carriage:I3", "turret:O"),
        hinge("weight", "fixed", "turret:I1", "weight:O"),
        hinge("boom", "universal", "turret:I2", "boom:O"),
        hinge("bob", "ball", "boom:I1", "bob:O"),
    )
    start = [state.get(h.name, ((0.0,), (0.0,))) for h in hinges if h.kind != "fixed"]
    return Model(
        name="spatial-tree",
        dimension=3,
        bodies=bodies,
        hinges=hinges,
        gravity=(_ZERO, _ZERO, -_g),
        parameters={
            **{f"m_{name}": mass for name, mass in _MASSES.items()},
            **{"a": 0.4, "h": 0.1, "r": 0.1, "l": 0.6, "e": 0.08, "R": 0.05, "p": 0.004},
            "g": 9.81,
        },
        q0=tuple(x for q, _ in start for x in q),
        v0=tuple(x for _, v in start for x in v),
        description="a carriage on a level rail with a flywheel on a screw, a sleeve on a rod, "
        "and a turret with boom, bob and counterweight, without friction",
        absolute=False,
        ground=(Point("rail", centre, _ALONG_X),),
    )

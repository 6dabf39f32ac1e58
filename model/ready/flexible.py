"""A ready-made rigid–flexible tree in joint coordinates, driven by a force."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from ..expressions.quantities import parameter
from ..model import Model
from ..parts.bodies import Beam, Body, Point
from ..parts.forces import Load
from ..parts.hinges import Hinge
from .pieces import hinge

_ZERO = sp.Integer(0)


def example_1() -> Model:
    """Two cubes (1, 5) welded to the ends of a beam (3); springs hold the second and a third (8).

    Deduction paper, Example 1. The text gives the bodies' and hinges' numbers, m = 7.8 kg, the
    inertia 0.013 kg m², the beam's length l = 3 m and EA = 1000 N, a step force F upwards at the
    centre of mass of body 1, the start at rest and undeformed. It leaves open what is assumed
    here: cubes of side a = 0.1 m (that inertia is m a²/6) in one line along x, body 1's free side
    at the inertial origin; beam mass μ = 1 kg/m, EI = 1000 N m², two axial and four bending
    functions, displacements linear in them (no foreshortening); spring 7 between the sides of 5
    and 8 that face each other, spring 6 between the middle of 5's lower side and the ground, both
    without length, k = 10⁴ N/m in all directions, kt = 10³ N m/rad, no damping; F = 10 N from the
    start on, y up, no gravity (g = 0).
    """
    m, a, l = parameter("m"), parameter("a"), parameter("l")  # noqa: E741
    left, right, below = (-a / 2, _ZERO), (a / 2, _ZERO), (_ZERO, -a / 2)

    def cube(name: str, **points: tuple[sp.Expr, sp.Expr]) -> Body:
        places = tuple(Point(point, position) for point, position in points.items())
        return Body(name, m, m * a**2 / 6, (_ZERO, _ZERO), places)

    beam = Beam(
        "3",
        l,
        parameter("mu"),
        parameter("EA"),
        parameter("EI"),
        axial=2,
        bending=4,
        foreshortening=False,
        points=(Point("I", (_ZERO, _ZERO)), Point("O", (l, _ZERO))),
    )
    return Model(
        name="example-1",
        dimension=2,
        bodies=(
            cube("1", I=left, O=right),
            beam,
            cube("5", I1=left, I2=right, O=below),
            cube("8", I=right, O=left),
        ),
        hinges=(
            hinge("2", "fixed", "3:I", "1:O"),
            hinge("4", "fixed", "5:I1", "3:O"),
            _spring("6", "0:O", "5:O"),
            _spring("7", "5:I2", "8:O"),
        ),
        gravity=(_ZERO, -parameter("g")),
        parameters={
            **{"m": 7.8, "a": 0.1, "l": 3.0, "mu": 1.0, "EA": 1000.0, "EI": 1000.0},
            **{"k": 1e4, "kt": 1e3, "F": 10.0, "g": 0.0},
        },
        description="Example 1 of the deduction paper, cubes on a beam and on springs, pushed by "
        "a step force; assumed: beam mass and EI, springs, force, without damping and gravity",
        absolute=False,
        ground=(Point("O", (l + 3 * a / 2, -a / 2)),),
        loads=(Load("F", "1", force=(_ZERO, parameter("F"))),),
    )


def _spring(name: str, parent: str, child: str) -> Hinge:
    """Equal springs in all directions and one against turning, without damping."""
    k = parameter("k")
    return replace(hinge(name, "elastic", parent, child), stiffness=(k, k, parameter("kt")))

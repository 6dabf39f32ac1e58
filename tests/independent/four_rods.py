"""Lagrange's equations of the demonstration example: four rods, one branch, derived by SymPy.

Positions → kinetic and potential energy → Lagrange's equations, in the angles of rods 1, 3, 5,
7. Hinge forces follow from Newton's law of the rods' centres.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

Array = np.ndarray[Any, Any]

RODS = (1, 3, 5, 7)
m, a, g, t = sp.symbols("m a g t", positive=True)
theta = {i: sp.Function(f"theta{i}")(t) for i in RODS}
angles = {i: sp.Symbol(f"th{i}", real=True) for i in RODS}
rates = {i: sp.Symbol(f"om{i}", real=True) for i in RODS}
accelerations = {i: sp.Symbol(f"al{i}", real=True) for i in RODS}


def _along(i: int) -> sp.Matrix:
    return sp.Matrix([sp.cos(theta[i]), sp.sin(theta[i])])


def centres() -> dict[int, sp.Matrix]:
    """Positions of the four centres; the origin is where rod 7 is pinned at its middle."""
    top_of_1 = -a * _along(7)
    top_of_5 = +a * _along(7)
    top_of_3 = top_of_5 - 2 * a * _along(5)
    return {
        1: top_of_1 - a * _along(1),
        3: top_of_3 - a * _along(3),
        5: top_of_5 - a * _along(5),
        7: sp.zeros(2, 1),
    }


def _plain(expression: Any) -> Any:
    """Functions of time → symbols."""
    second = {sp.diff(theta[i], t, 2): accelerations[i] for i in RODS}
    first = {sp.diff(theta[i], t): rates[i] for i in RODS}
    return expression.subs(second).subs(first).subs({theta[i]: angles[i] for i in RODS})


@dataclass(frozen=True)
class Equations:
    """M(θ) θ̈ = h(θ, θ̇), and the accelerations of the centres (with θ̈ in them)."""

    M: sp.Matrix
    h: sp.Matrix
    centre_accelerations: dict[int, sp.Matrix]


@cache
def derive() -> Equations:
    """Lagrange's equations of the four angles."""
    position = centres()
    turning = sum(m * a**2 / 3 * sp.diff(theta[i], t) ** 2 / 2 for i in RODS)
    moving = sum(m * position[i].diff(t).dot(position[i].diff(t)) / 2 for i in RODS)
    potential = sum(m * g * position[i][1] for i in RODS)
    function = turning + moving - potential
    equations = []
    for i in RODS:
        rate = sp.diff(theta[i], t)
        equations.append(sp.expand(_plain(function.diff(rate).diff(t) - function.diff(theta[i]))))
    unknowns = [accelerations[i] for i in RODS]
    matrix = sp.Matrix(4, 4, lambda r, c: equations[r].coeff(unknowns[c]))
    rest = sp.Matrix([-e.subs(dict.fromkeys(unknowns, 0)) for e in equations])
    second = {i: _plain(position[i].diff(t, 2)) for i in RODS}
    return Equations(matrix, rest, second)


@cache
def _compiled() -> tuple[Any, Any]:
    equations = derive()
    state = [m, a, g, *angles.values(), *rates.values()]
    balance = sp.lambdify(state, (equations.M, equations.h), cse=True)
    centre = sp.lambdify(
        [*state, *accelerations.values()],
        sp.Matrix.hstack(*(equations.centre_accelerations[i] for i in RODS)),
        cse=True,
    )
    return balance, centre


def four_rods(
    q: Sequence[float],
    v: Sequence[float],
    parameters: tuple[float, float, float] = (1.0, 0.5, 9.81),
) -> tuple[Array, dict[str, Array]]:
    """θ̈ of rods 1, 3, 5, 7, and the force that a rod exerts at its output `rod:O`."""
    balance, centre = _compiled()
    state = [*parameters, *q, *v]
    matrix, rest = balance(*state)
    alpha = np.linalg.solve(matrix, rest).ravel()
    mass, _, gravity = parameters
    weight = np.array([0.0, -mass * gravity])
    missing = dict(zip(RODS, weight - mass * centre(*state, *alpha).T, strict=True))
    q3 = missing[3]
    q5 = missing[5] + q3
    q1 = missing[1]
    return alpha, {"1:O": q1, "3:O": q3, "5:O": q5, "7:O": missing[7] + q1 + q5}

"""A cart-pole by Lagrange's equations in SymPy: it shares nothing with the model's code."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

VALUES = {"M": 1.0, "m": 0.2, "l": 0.6, "g": 9.81}


@cache
def equations() -> tuple[sp.Matrix, list[sp.Symbol], sp.Symbol]:
    """The accelerations of cart and pole, in their places and speeds and the force u."""
    t, u = sp.symbols("t u")
    M, m, l, g = (sp.Float(VALUES[name], 40) for name in ("M", "m", "l", "g"))  # noqa: E741
    x, phi = sp.Function("x")(t), sp.Function("phi")(t)
    # Upright at φ = 0, counter-clockwise: the middle of the pole is at (x − l/2 sin φ, l/2 cos φ).
    middle = sp.Matrix([x - l / 2 * sp.sin(phi), l / 2 * sp.cos(phi)])
    speed = middle.diff(t)
    kinetic = M * x.diff(t) ** 2 / 2 + m * (speed.T * speed)[0] / 2
    kinetic += m * l**2 / 12 * phi.diff(t) ** 2 / 2
    lagrangian = kinetic - m * g * middle[1]
    q, state = (x, phi), sp.symbols("x phi xd phid")
    forces = (u, 0)
    rows = [
        lagrangian.diff(c.diff(t)).diff(t) - lagrangian.diff(c) - f
        for c, f in zip(q, forces, strict=True)
    ]
    second = [c.diff(t, 2) for c in q]
    matrix, rest = sp.linear_eq_to_matrix([sp.expand(row) for row in rows], second)
    names = dict(zip([c.diff(t) for c in q], state[2:], strict=True))
    names |= dict(zip(q, state[:2], strict=True))
    solved = (matrix.inv() * rest).subs(names)
    return solved, list(state), u


@cache
def dynamics() -> Callable[[Any, Any], np.ndarray]:
    """ẏ of y = (x, φ, ẋ, φ̇) under the force u."""
    second, state, u = equations()
    found = sp.lambdify([*state, u], list(second), "numpy")
    return lambda y, force: np.array([y[2], y[3], *found(*y, force)])


def linear(state: tuple[float, ...], force: float) -> tuple[np.ndarray, np.ndarray]:
    """A and B of the same equations, differentiated in SymPy, at 40 digits."""
    second, names, u = equations()
    at = {**dict(zip(names, map(sp.Float, state), strict=True)), u: sp.Float(force)}
    full = sp.Matrix([names[2], names[3], *second])
    A, B = full.jacobian(names).subs(at), full.jacobian([u]).subs(at)
    return np.array(A, dtype=np.float64), np.array(B, dtype=np.float64)

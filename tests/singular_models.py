"""Mechanisms that pass singular positions, with one freedom on the way that they are to go."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from mstmm.model import Body, End, Hinge, Model, Point

GRAVITY = 9.81
ZERO = sp.Integer(0)

#: The time in which there are four passages or more.
T_END = 3.5


def bar(name: str) -> Body:
    """A uniform bar of 1 kg and 1 m, which carries two others at its far end."""
    points = (("a", 0), ("b", 1), ("c", 1))
    places = tuple(Point(point, (sp.Integer(x), ZERO)) for point, x in points)
    return Body(name, sp.Integer(1), sp.Rational(1, 12), (sp.Rational(1, 2), ZERO), places)


def pin(name: str, *ends: str) -> Hinge:
    first, second = (End(*end.split(":")) for end in ends)
    return Hinge(name, "pin", (first, second))


def row_of_four_bars(windows: int, angle: float = np.pi / 2, speed: float = -1.0) -> Model:
    """Parallelograms side by side: bars on pivots 1 m apart, their ends joined by level bars.

    Where the bars lie level, each parallelogram can also become an antiparallelogram.
    """
    columns = range(windows + 1)
    hinges = [pin(f"foot{i}", f"0:G{i}", f"post{i}:a") for i in columns]
    for i in columns[1:]:
        hinges += [pin(f"left{i}", f"post{i - 1}:c", f"beam{i}:a")]
        hinges += [pin(f"right{i}", f"post{i}:b", f"beam{i}:b")]
    posts = tuple(bar(f"post{i}") for i in columns)
    model = Model(
        name=f"row-of-{windows}",
        dimension=2,
        bodies=(*posts, *(bar(f"beam{i}") for i in columns[1:])),
        hinges=tuple(hinges),
        gravity=(ZERO, sp.Rational(-981, 100)),
        parameters={},
        absolute=False,
        cuts=tuple(f"right{i}" for i in columns[1:]),
        ground=tuple(Point(f"G{i}", (sp.Integer(i), ZERO)) for i in columns),
    )
    signs = [1.0 if name.startswith("qfoot") else -1.0 for name in model.coordinates]
    return replace(model, q0=tuple(angle * x for x in signs), v0=tuple(speed * x for x in signs))


def posts(model: Model) -> list[int]:
    """Which coordinates are the angles of the posts."""
    return [k for k, name in enumerate(model.coordinates) if name.startswith("qfoot")]


def followed(
    windows: int, t_end: float = T_END, speed: float = -1.0
) -> tuple[float, float, list[float]]:
    """Angle and speed of the row's posts at the end, and when they lay level: its one freedom.

    Lagrange: ((n + 1)/3 + n) θ'' = −g ((n + 1)/2 + n) cos θ, n level bars moving in parallel.
    """
    n = windows
    pull = -GRAVITY * ((n + 1) / 2 + n) / ((n + 1) / 3 + n)
    found = solve_ivp(
        lambda t, y: [y[1], pull * np.cos(y[0])],
        (0.0, t_end),
        [np.pi / 2, speed],
        method="DOP853",
        rtol=3e-14,
        atol=1e-14,
        dense_output=True,
    )

    def level(t: float) -> float:
        return float(np.sin(found.sol(t)[0]))

    times = np.linspace(0.0, t_end, 400)
    heights = [level(t) for t in times]
    crossings = [
        brentq(level, times[k], times[k + 1], xtol=1e-14)
        for k in range(len(times) - 1)
        if heights[k] * heights[k + 1] < 0.0
    ]
    return float(found.y[0, -1]), float(found.y[1, -1]), crossings

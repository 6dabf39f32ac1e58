"""Mechanisms whose conditions are redundant wherever they stand."""

from __future__ import annotations

import numpy as np
import sympy as sp

from mstmm.model import Body, End, Hinge, Model, Point

#: The rods of Bricard's mechanism along edges of a cube; the last one is the ground.
EDGES = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1))


def frame(axis: np.ndarray) -> tuple[tuple[sp.Expr, ...], ...]:
    """Axes of which the third is the given one, as rows of the matrix of their columns."""
    other = np.roll(axis, 1)
    columns = np.array([other, np.cross(axis, other), axis]).T
    return tuple(tuple(sp.Integer(int(x)) for x in row) for row in columns)


def bricard(cut: str = "f", kind: str = "revolute") -> Model:
    """Bricard's orthogonal mechanism: six hinges, five rods of 1 m and 1 kg, one freedom.

    Each hinge's axis is normal to both rods; of six conditions for five freedoms less one, one is
    redundant. All angles are zero at the start.
    """
    edges = np.array(EDGES)
    axes = [np.cross(edges[i - 1], edges[i]) for i in range(6)]
    where = np.vstack([np.zeros((1, 3), dtype=int), np.cumsum(edges, axis=0)])

    def vector(x: np.ndarray) -> tuple[sp.Expr, ...]:
        return tuple(sp.Rational(round(2 * float(y)), 2) for y in x)

    bodies = []
    for i in range(5):
        d = edges[i]
        inertia = 2 * np.eye(3, dtype=int) - np.outer(d, d)  # a rod that is stout
        rows = tuple(tuple(sp.Rational(int(x), 24) for x in row) for row in inertia)
        points = (
            Point("a", vector(0 * d), axes=frame(axes[i])),
            Point("b", vector(d), axes=frame(axes[i + 1])),
        )
        bodies.append(Body(f"rod{i}", sp.Integer(1), rows, vector(d / 2), points))
    names = "abcdef"
    ends = [
        ("0:A", "rod0:a"),
        *((f"rod{i}:b", f"rod{i + 1}:a") for i in range(4)),
        ("rod4:b", "0:B"),
    ]
    hinges = tuple(
        Hinge(name, kind, (End(*one.split(":")), End(*other.split(":"))))
        for name, (one, other) in zip(names, ends, strict=True)
    )
    return Model(
        name=f"bricard-{cut}",
        dimension=3,
        bodies=tuple(bodies),
        hinges=hinges,
        gravity=(sp.Integer(0), sp.Rational(-981, 100), sp.Integer(0)),
        parameters={},
        absolute=False,
        cuts=(cut,),
        ground=(
            Point("A", vector(where[0]), axes=frame(axes[0])),
            Point("B", vector(where[5]), axes=frame(axes[5])),
        ),
    )

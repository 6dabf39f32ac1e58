"""Lines through modes over a parameter: by how they move, never by their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...evaluation.arrays import Floats
from ..stiffness import Complex, Whole
from ..tracking import Shapes, followed

#: Turns and displacements of a body.
PARTS = (slice(0, 3), slice(3, 6))

#: What moves across an axis by less than this part of all, by squares, does so by rounding.
ROUNDING = 1e-12

#: What moves by less than this part of its turns, m² per rad², moves by rounding.
TURNED = 1e-24

#: Modes that are less alike than this are not one line.
UNLIKE = 0.25


def lines(steps: Sequence[Shapes]) -> Whole:
    """Which mode of each step each line goes through; −1 where a line has none.

    Lines are followed from the last step backwards: at rest the modes of rotors may be equal, which
    spin tells apart. Where no mode is like those of a line it ends, and others begin.

    Shape
        (steps, lines).
    """
    left = [np.arange(len(x.u)) for x in steps]
    found: list[Whole] = []
    while any(len(x) for x in left):
        last = max(k for k, x in enumerate(left) if len(x))
        some = [_part(steps[k], left[k]) for k in range(last, -1, -1)]
        order, alike = followed(some)
        used = [np.zeros(len(x), dtype=bool) for x in left]
        for line, likeness in zip(order.T, alike.T, strict=True):
            row = np.full(len(steps), -1, dtype=np.int64)
            for k, own in enumerate(line.tolist()):
                if own < 0 or likeness[k] <= UNLIKE:
                    break
                row[last - k] = left[last - k][own]
                used[last - k][own] = True
            found.append(row)
        left = [x[~taken] for x, taken in zip(left, used, strict=True)]
    return np.array(found, dtype=np.int64).reshape(len(found), len(steps)).T


def _part(shapes: Shapes, some: Whole) -> Shapes:
    groups = np.unique(shapes.groups[some], return_inverse=True)[1].astype(np.int64)
    return Shapes(shapes.u[some], shapes.momenta[some], groups)


def along(order: Whole, values: Sequence[Any]) -> Any:
    """Values of modes along lines; no numbers where a line has no mode.

    Shape
        (at, line, …).
    """
    found = np.full((*order.shape, *values[0].shape[1:]), np.nan, dtype=values[0].dtype)
    for row, own, each in zip(found, order, values, strict=True):
        row[own >= 0] = each[own[own >= 0]]
    return found


def scaled(bodies: Sequence[Complex]) -> list[Complex]:
    """Motions of bodies with turns as displacements that are about as large on the whole.

    Shape
        Of each step (modes, bodies, 6).
    """
    turned, moved = (sum(float((np.abs(x[..., k]) ** 2).sum()) for x in bodies) for k in PARTS)
    scale = np.ones(6)
    scale[:3] = np.sqrt(moved / turned) if moved > TURNED * turned > 0 else 1.0
    return [x * scale for x in bodies]


def shapes_of(bodies: Sequence[Complex], groups: Sequence[Whole]) -> list[Shapes]:
    """Modes by motions of bodies that are `scaled`; each with the number of its group of equals."""
    rows = (x.reshape(len(x), math.prod(x.shape[1:])) for x in bodies)
    return [Shapes(u, u, group) for u, group in zip(rows, groups, strict=True)]


def whirl_of(bodies: Complex, axes: Floats, spins: Floats) -> Floats:
    """How what spins goes round: 1 in circles with its spin, −1 against it, 0 to and fro.

    Of the motion (v, w) across the axis, of the centre and of the axis itself, it is the mean over
    the bodies of −2 Im v* w/(|v|² + |w|²): the area that is gone round over that of a circle. What
    does not move across the axis does not whirl.

    Shape
        `bodies` (…, bodies, 6), `scaled`; `axes` (bodies, 3, 3), whose columns are the body's axes,
        the first the one it spins about; `spins` (…, bodies), of which the signs count.
    """
    total, size = np.zeros(bodies.shape[:-2]), np.zeros(bodies.shape[:-2])
    whole = (np.abs(bodies) ** 2).sum(axis=(-1, -2))
    for part in PARTS:
        across = np.einsum("...bi,bik->...bk", bodies[..., part], axes[:, :, 1:])
        v, w = across[..., 0], across[..., 1]
        total += (-2 * (v.conj() * w).imag * np.sign(spins)).sum(axis=-1)
        size += ((np.abs(v) ** 2 + np.abs(w) ** 2) * (spins != 0)).sum(axis=-1)
    moves = size > ROUNDING * whole
    found: Floats = np.divide(total, size, out=np.zeros_like(size), where=moves)
    return found


def group_numbers(values: Floats | Complex) -> Whole:
    """The same number for neighbours that are listed as equal, ascending from 0."""
    return np.cumsum(np.diff(values, prepend=values[:1]) != 0).astype(np.int64)

"""Places near a place: a small motion along each speed, for what turns by quaternions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model import Model
from ..evaluation.arrays import Floats


def turning(model: Model) -> Iterator[tuple[slice | None, slice]]:
    """Where the speeds of quaternions are: of the place that turns with them, and theirs."""
    if model.dimension == 2:
        return
    if model.absolute:
        yield from ((None, slice(3 * k, 3 * k + 3)) for k in range(len(model.body_names)))
        return
    stop = 0
    for coordinates, speeds in _blocks(model):
        stop += speeds
        if coordinates != speeds:
            yield slice(stop - 6, stop - 3) if speeds == 6 else None, slice(stop - 3, stop)


def place_names(model: Model) -> tuple[str, ...]:
    """A name for a small motion along each speed: the coordinate's; `turn_…` or `move_…` where the
    coordinates are a quaternion's, or of a place that turns with it."""
    names = [""] * len(model.speeds)
    for lin, ang in turning(model):
        for part, word in ((lin, "move"), (ang, "turn")):
            for k in range(len(names))[part] if part else ():
                names[k] = f"{word}_{model.speeds[k]}"
    others = iter([name for name, own in zip(model.coordinates, _own(model), strict=True) if own])
    return tuple(name or next(others) for name in names)


def _own(model: Model) -> list[bool]:
    """Which coordinates change as one speed says."""
    counts = _blocks(model)
    return [nq == nv for nq, nv in counts for _ in range(nq)]


def _blocks(model: Model) -> list[tuple[int, int]]:
    """The numbers of coordinates and speeds of what has them, in the order of the state."""
    return [(coordinates, speeds) for _, coordinates, speeds in model.owners]


def differences(model: Model, q: Floats) -> Floats:
    """E of δ = E (q′ − q): how far a place q′ near q is along each speed, to first order.

    Shape
        (nv, nq).
    Source
        Own: of a quaternion Q the turn is 2 vec(Q* Q′), of a free body's place Aᵀ (x′ − x).
    """
    found = np.zeros((len(model.speeds), len(model.coordinates)))
    row = column = 0
    for nq, nv in _blocks(model):
        own = slice(column, column + nq)
        block = np.eye(nv, nq)
        if nq > nv:
            turn = slice(nq - 4, nq)
            w, x, y, z = q[own][turn]
            block[nv - 3 :, turn] = 2 * np.array([[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]])
            if nv == 6:
                block[:3, :3] = _axes(w, x, y, z).T
        found[row : row + nv, own] = block
        row, column = row + nv, column + nq
    return found


def rates_by_place(model: Model, q: Floats, v: Floats) -> Floats:
    """How the rates q′ of the coordinates change with these, quaternions taken at unit length.

    Shape
        (nq, nq); zero but for quaternions and places that turn with them.
    Source
        Own: of Q′ = Q ∘ (0, ω)/2, and of x′ = A v: −A (v × 2 vec(Q* δQ)).
    """
    found = np.zeros((len(model.coordinates),) * 2)
    row = column = 0
    for nq, nv in _blocks(model):
        if nq > nv:
            turn = slice(column + nq - 4, column + nq)
            Q, (x, y, z) = q[turn], v[row + nv - 3 : row + nv]
            product = np.array([[0, -x, -y, -z], [x, 0, z, -y], [y, -z, 0, x], [z, y, -x, 0]]) / 2
            found[turn, turn] = product @ (np.eye(4) - np.outer(Q, Q))
            if nv == 6:
                w, i, j, k = Q
                by = 2 * np.array([[-i, w, k, -j], [-j, -k, w, i], [-k, j, -i, w]])
                across = np.cross(v[row : row + 3], by, axisa=0, axisb=0, axisc=0)
                found[column : column + 3, turn] = -_axes(w, i, j, k) @ across
        row, column = row + nv, column + nq
    return found


def _axes(w: float, x: float, y: float, z: float) -> Floats:
    """The axes that a unit quaternion turns to, as columns."""
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )

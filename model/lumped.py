"""Lumped masses: bodies without inertia about their centre of mass, and what must hold them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from .types import Body, Hinge, Matrix, Model, Point, Quantity

Array = npt.NDArray[np.float64]

#: Motions smaller than this part of the largest are none: far above rounding.
NONE = 1e-9

#: What a kind lets the child do, in the axes of its point: columns of (velocity, spin).
#: A universal hinge and a slot are moved a little, lest they lie as they rarely do.
_MOVED = 0.7
_FREE: dict[int, dict[str, list[list[float]]]] = {
    2: {
        "pin": [[0, 0, 1]],
        "prismatic": [[1, 0, 0]],
        "free": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "elastic": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "fixed": [],
    },
    3: {
        "revolute": [[0, 0, 0, 0, 0, 1]],
        "prismatic": [[0, 0, 1, 0, 0, 0]],
        "cylindrical": [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]],
        "planar": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]],
        "ball": [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]],
        "free": np.eye(6).tolist(),
        "elastic": np.eye(6).tolist(),
        "fixed": [],
    },
}


def lumped_mass(name: str, mass: Quantity, dimension: int, *points: str) -> Body:
    """A point mass as a body of its own: no inertia, its mass where its points are.

    Units
        kg.
    Source
        own
    """
    none: Quantity | Matrix = 0 if dimension == 2 else ((0, 0, 0),) * 3
    place = (0,) * dimension
    return Body(name, mass, none, place, tuple(Point(point, place) for point in points))


def check_held(model: Model) -> None:
    """See that no body can turn about its centre of mass without inertia against it.

    Its neighbours are taken to be still, so that of several such bodies in a row not all that
    is wrong may be found.

    Raises
        ModelError: names the body.
    """
    for body in model.bodies:
        turns = _without_inertia(model, body)
        if not turns.shape[1]:
            continue
        hinges = [h for h in model.tree_hinges if any(e.body == body.name for e in h.ends)]
        for hinge in hinges:
            turns = _let_through(model, body, hinge, turns)
        if turns.shape[1]:
            kinds = ", ".join(f"{hinge.kind} hinge {hinge.name}" for hinge in hinges)
            raise ModelError(
                f"can turn about its centre of mass without any inertia against it ({kinds}); "
                "give it an inertia, or hinges that hold its rotation",
                element=f"body {body.name}",
                field="inertia",
            )


def _without_inertia(model: Model, body: Body) -> Array:
    """Spins in body axes that cost nothing, as columns."""
    if not isinstance(body.inertia, tuple):
        return np.ones((1, 1 if model.value(body.inertia) == 0 else 0))
    values, axes = np.linalg.eigh(_numbers(model, body.inertia))
    return np.asarray(axes[:, values <= NONE * max(values[-1], 0.0)], dtype=np.float64)


def _let_through(model: Model, body: Body, hinge: Hinge, turns: Array) -> Array:
    """Those of the turns about the centre of mass that a hinge allows."""
    d = model.dimension
    end = next(end for end in hinge.ends if end.body == body.name)
    point = body.point(end.point)
    arm = _numbers(model, [point.position])[0] - _numbers(model, [body.centre])[0]
    axes, child = _axes(model, point), end == hinge.ends[1]
    if hinge.kind == "slot" and not child:
        arm = arm + _MOVED * axes[:, 0]
    if d == 2:
        moving = np.outer([-arm[1], arm[0]], turns[0])
        motion = np.vstack([axes.T @ moving, turns])
    else:
        motion = np.vstack([axes.T @ np.cross(turns.T, arm).T, axes.T @ turns])
    allowed = _allowed(model, hinge, child)
    left = motion - allowed @ np.linalg.lstsq(allowed, motion, rcond=None)[0]
    scale = np.array([[1.0 / max(float(np.abs(arm).max()), 1.0)]] * d + [[1.0]] * (len(left) - d))
    _, sizes, rows = np.linalg.svd(scale * left)
    kept = [k for k in range(len(rows)) if k >= len(sizes) or sizes[k] < NONE]
    return np.asarray(turns @ rows[kept].T, dtype=np.float64)


def _allowed(model: Model, hinge: Hinge, child: bool) -> Array:
    size = 3 if model.dimension == 2 else 6
    if hinge.motion:
        return np.zeros((size, 1))
    c, s = float(np.cos(_MOVED)), float(np.sin(_MOVED))
    if hinge.kind == "helical":
        columns = [[0, 0, model.value(hinge.pitch), 0, 0, 1.0]]
    elif hinge.kind == "slot":
        columns = [[c, -s, 0.0] if child else [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    elif hinge.kind == "universal":
        near, far = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
        seen = ([c, 0.0, s], far) if child else (near, [0.0, c, s])
        columns = [[0.0, 0.0, 0.0, *axis] for axis in seen]
    else:
        columns = _FREE[model.dimension][hinge.kind]
    return np.array(columns, dtype=np.float64).T.reshape(size, -1)


def _axes(model: Model, point: Point) -> Array:
    if point.axes is None:
        return np.eye(model.dimension)
    if isinstance(point.axes, tuple):
        return _numbers(model, point.axes)
    angle = model.value(point.axes)
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def _numbers(model: Model, rows: object) -> Array:
    assert isinstance(rows, tuple | list)
    return np.array([[model.value(x) for x in row] for row in rows], dtype=np.float64)

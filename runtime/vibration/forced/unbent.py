"""How all moves with each speed while beams stay straight, as augmented vectors of modes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ....codegen.face.choice import Choice
from ....errors import UsageError
from ....model import Beam, Body, Model
from ...capabilities.frame_motion import FrameMotion
from ...capabilities.poses import Poses
from ...evaluation.arrays import Floats
from ...evaluation.evaluator import Evaluator
from ..coded.small import SmallMotions
from ..inside import POINTS, Inside


def with_speeds(of: Inside, motions: SmallMotions) -> Floats:
    """Of each speed the augmented vector of a unit of it, in the layout of `Inside.shapes`.

    Shape
        (speed, length).
    Raises
        UsageError: loops are closed, which beams have to bend for.
    Source
        own: Jacobians of the model with a rigid body in the place of each beam.
    """
    model, d = motions.model, of.dimension
    if model.cuts:
        raise UsageError(
            f"q0 and v0: {model.name} has closed loops, in which straight beams do not move; start "
            "at rest, or settled under the first loads (settled=True)"
        )
    code = Evaluator(
        _rigid(model),
        method=Choice("riccati"),
        target="numpy",
        parameters=(),
        portable=True,
        threads=False,
        asked_by=motions.code,
    )
    q = motions.q
    poses = dict(zip(model.body_names, Poses.poses(code, q), strict=True))
    rows = [*range(3, 3 + d), *(range(3) if d == 3 else [2])]

    def moved(body: str, point: str, local: Floats, places: Floats) -> Iterator[Floats]:
        """Displacements and turns of places of a body, whose point is at `local`: (n, speed)."""
        J = FrameMotion.frame_jacobian(code, q, frames=f"{body}:{point}")
        for place in places:
            arm = poses[body][:3, :3] @ (place - local)
            whole = J.copy()
            whole[3:] += np.cross(J[:3].T, arm).T
            yield whole[rows]

    found: list[Floats] = [np.eye(motions.speeds)]
    for name in (x for x in motions.moving if x not in motions.cells_of):
        body = model.body(name)
        assert isinstance(body, Body)
        found += moved(name, *_point(model, body), _numbers(model, body.centre)[np.newaxis])
    for beam, cells in of.cells.items():
        body = model.body(beam)
        assert isinstance(body, Beam)
        for _, cell in cells:
            x = cell.start + POINTS * cell.section.values["l"]
            found += moved(beam, *_point(model, body), np.outer(x, [1.0, 0.0, 0.0]))
    return np.vstack(found).T


def _rigid(model: Model) -> Model:
    def body(given: Body | Beam) -> Body:
        if isinstance(given, Body):
            return given
        inertia = 1 if model.dimension == 2 else ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        return Body(given.name, 1, inertia, (0,) * model.dimension, given.points)

    return replace(model, bodies=tuple(map(body, model.bodies)), q0=(), v0=())


def _point(model: Model, body: Body | Beam) -> tuple[str, Floats]:
    point = body.points[0]
    return point.name, _numbers(model, point.position)


def _numbers(model: Model, given: tuple[object, ...]) -> Floats:
    """In space, with zeros."""
    found = np.zeros(3)
    found[: len(given)] = [model.value(x) for x in given]
    return found

"""A figure for a page that moves it by itself: what each vertex goes with, and how beams bend."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import GROUND, Beam, Model
from .figure import Anchor, Figure
from .mechanism import view_of
from .places import shapes


def moving(model: Model, drawn: Figure) -> dict[str, Any]:
    """The drawing: which body each vertex moves with, strokes and marks between them."""
    numbers = {body.name: k for k, body in enumerate(model.bodies)}
    anchors = [(k, anchor) for k, anchor in enumerate(drawn.anchors) if anchor]
    centres = {mark.owner: mark.vertex for mark in drawn.marks if mark.role == "centre"}
    points = [
        *([f"hinge {name}", vertex] for name, vertex in drawn.hinges.items()),
        *([f"centre of {name}", vertex] for name, vertex in centres.items()),
    ]
    return {
        "dimension": drawn.dimension,
        "count": int(drawn.vertices.shape[1]),
        "fixed": [[k, numbers.get(x.body, -1)] for k, x in anchors if not beam_of(model, x)],
        "bent": [
            {"vertex": k, "body": numbers[x.body], **_bending(model, beam, x)}
            for k, x in anchors
            if (beam := beam_of(model, x))
        ],
        # A spring is drawn between its ends: what lies between them follows.
        "strokes": [
            [
                s.role,
                [s.vertices[0], s.vertices[-1]] if s.role == "spring" else [*s.vertices],
                s.closed,
            ]
            for s in drawn.strokes
        ],
        "marks": [[m.role, m.vertex, m.beside] for m in drawn.marks],
        "points": points,
        "traced": _outermost(drawn),
        "view": view_of(model).tolist(),
    }


def _outermost(drawn: Figure) -> int:
    """The vertex to trace: of all the bodies' the farthest from the ground."""
    places = drawn.vertices[0]
    grounds = [places[mark.vertex] for mark in drawn.marks if mark.role == "ground"] or [0.0]
    own = [v for vertices in drawn.bodies.values() for v in vertices]
    return max(own, key=lambda v: min(float(np.linalg.norm(places[v] - x)) for x in grounds))


def beam_of(model: Model, anchor: Anchor) -> Beam | None:
    """The beam that an anchor is on, if it is on one."""
    body = None if anchor.body == GROUND else model.body(anchor.body)
    return body if isinstance(body, Beam) else None


def _bending(model: Model, beam: Beam, anchor: Anchor) -> dict[str, Any]:
    """Where a section of a beam is by its coordinates η: x + a·η − η·B η, and c·η.

    The shapes are those of the model's own length.
    """
    x = model.value(anchor.local[0])
    if anchor.point is not None:
        x += model.value(beam.point(anchor.point).position[0])
    first = model.coordinates.index(f"eta{beam.name}_1") if beam.modes else 0
    along, across, shortening = shapes(beam, model.value(beam.length), x)
    return {"first": first, "x": x, "along": along, "across": across, "shortening": shortening}

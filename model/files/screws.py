"""Hinges given by their axes, as the screw paper models: by the screws of its construction frame.

Where all coordinates are zero the child's frame is the parent's. If every hinge is given so, all
frames are the inertial one there, in which every `axis`, `through` and centre of mass is written:
the bodies' reference poses A_i are identities, and the hinge's screw is
Y = (e, s × e + h e), of a slider (0, e), with the unit `axis` e, the point `through` s and the
pitch h (SPEC-003, 1.3; screw paper, Sect. 2.1).
"""

from __future__ import annotations

import math
from collections.abc import Container
from itertools import chain, count

import numpy as np
import sympy as sp
from msgspec.structs import replace

from ...errors import ModelError
from ..expressions.quantities import miscounted
from ..parts.hinge_kinds import HINGE_KINDS, HingeKind
from .entries import Reader
from .placing import hinge_axes, rows
from .tables import GroundTable, ModelTable, Number, PointTable


def axis_of(kind: HingeKind) -> int | None:
    """The one axis of the parent's point about and along which the child moves, if there is one.

    In the plane none is the normal's.
    """
    if kind.has_quaternion:
        return None
    found = set()
    at_rest = dict.fromkeys(kind.q, 0)
    for q in kind.q:
        found |= {i for i, x in enumerate(kind.position) if sp.diff(x, q) != 0}
        if kind.dimension == 3:
            turned = sp.diff(kind.rotation, q).xreplace(at_rest)
            found |= {i for i in range(3) if turned[(i + 2) % 3, (i + 1) % 3] != 0}
    return found.pop() if len(found) == 1 else None


def pointed(reader: Reader) -> ModelTable:
    """The reader's tables with hinges between points alone.

    Raises
        ModelError: an axis without direction, or that its kind has not; ends that are no bodies.
    """
    table = reader.table
    for name, hinge in table.hinges.items():
        kind = HINGE_KINDS[reader.dimension].get(hinge.kind)
        if kind is None or not (hinge.axis or hinge.through is not None):
            continue
        axes = _axes(reader, hinge.axis, kind, f"hinges.{name}.axis")
        point = PointTable(position=hinge.through, axes=axes)
        for key in ("parent", "child"):
            body = getattr(hinge, key)
            table, called = _with_point(table, body, point, name, f"hinges.{name}.{key}")
            hinge = replace(hinge, **{key: f"{body}:{called}"})
        hinge = replace(hinge, axis=[], through=None)
        table = replace(table, hinges={**table.hinges, name: hinge})
    return table


def _axes(
    reader: Reader, axis: list[Number], kind: HingeKind, where: str
) -> Number | list[list[Number]] | None:
    """Axes of a point such that a hinge there moves about or along `axis`."""
    place = axis_of(kind)
    if place is None:
        if axis:
            raise ModelError(
                f"a {kind.name} hinge has not one axis; leave it out, or place points with axes",
                field=where,
            )
        return None
    if len(axis) != reader.dimension:
        raise ModelError(miscounted(axis, reader.dimension), field=where)
    components = reader.vector(axis, where)
    if any(isinstance(x, sp.Expr) and x.free_symbols for x in components):
        raise ModelError(
            "must be of numbers alone; one with parameters is said by the axes of its points",
            field=where,
        )
    direction = np.array([float(x) for x in components])
    length = math.hypot(*direction)
    if not (length > 0 and math.isfinite(length)):
        raise ModelError("has no direction", field=where)
    direction /= length
    if reader.dimension == 2:
        return math.atan2(direction[1], direction[0]) or None
    turned = hinge_axes(direction)
    return None if np.array_equal(turned, np.eye(3)) else [list(row) for row in rows(turned)]


def _with_point(
    table: ModelTable, body: str, point: PointTable, hinge: str, where: str
) -> tuple[ModelTable, str]:
    """The tables with a point more, and its name: the hinge's, numbered where there is one."""
    if body == "ground" and body not in table.bodies:
        called = _free(hinge, table.ground.points)
        points = {**table.ground.points, called: point}
        return replace(table, ground=GroundTable(points=points)), called
    if body not in table.bodies:
        said = "it has no such body"
        if body in table.beams:
            said = "beams have points along themselves"
        elif body.partition(":")[0] in (*table.bodies, "ground"):
            said = "leave the point out: the hinge makes its own"
        raise ModelError(
            f"with axis or through it is a body or ground, not {body!r} ({said}); "
            f"bodies: {', '.join(table.bodies)}",
            field=where,
        )
    owner = table.bodies[body]
    called = _free(hinge, owner.points)
    owner = replace(owner, points={**owner.points, called: point})
    return replace(table, bodies={**table.bodies, body: owner}), called


def _free(name: str, taken: Container[str]) -> str:
    names = chain([name], (f"{name}{k}" for k in count(2)))
    return next(x for x in names if x not in taken)

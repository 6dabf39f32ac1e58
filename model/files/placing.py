"""Poses in numbers as points and axes of a model."""

from __future__ import annotations

import math

import numpy as np

from ..parts.bodies import Point
from .urdf_rigid import Floats, Pose


def hinge_axes(axis: Floats) -> Floats:
    """Right-handed axes, the third along an axis of unit length.

    They are coordinate axes if it is one.
    """
    k = int(np.argmax(np.abs(axis)))
    first = np.eye(3)[(k + 1) % 3] if axis[k] > 0 else np.eye(3)[(k + 2) % 3]
    first = first - axis * (axis @ first)
    first = first / math.hypot(*first)
    return np.column_stack([first, np.cross(axis, first), axis])


def point_at(name: str, frame: Pose) -> Point:
    """A point with axes; none where they are the body's."""
    axes = None if np.array_equal(frame.axes, np.eye(3)) else rows(frame.axes)
    return Point(name, row(frame.origin), axes)


def row(numbers: Floats) -> tuple[float, ...]:
    """Components as plain numbers."""
    return tuple(float(x) for x in numbers + 0.0)  # + 0.0: no negative zeros


def rows(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    """A matrix as rows of plain numbers."""
    return tuple(map(row, matrix))

"""Numbers, vectors and axes of a model: one clear message where they are none."""

from __future__ import annotations

import math
import numbers

import numpy as np

from ...errors import ModelError
from ..expressions.quantities import Quantity
from ..parts.bodies import Point
from ..parts.system import System

#: How far the axes of a point and a start quaternion's norm may be from 1: nine digits.
UNIT_SLACK = 1e-9


def finite(name: str, value: object, field: str) -> None:
    """Refuse what is no finite number."""
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ModelError(f"{name} = {value!r} is no finite number", field=field)


def number(model: System, quantity: Quantity, element: str, field: str) -> float:
    """The quantity's value; what has none is refused as this field of the element."""
    try:
        return model.value(quantity)
    except ModelError as error:
        raise ModelError(str(error), element=element, field=field) from None


def vector(model: System, given: object, element: str, field: str) -> tuple[float, ...]:
    """The values of as many quantities as the model has dimensions."""
    if not isinstance(given, tuple | list):
        raise ModelError(
            f"must be {model.dimension} numbers, is {given!r}", element=element, field=field
        )
    if len(given) != model.dimension:
        raise ModelError(
            f"has {len(given)} components instead of {model.dimension}",
            element=element,
            field=field,
        )
    return tuple(number(model, component, element, field) for component in given)


def axes(model: System, point: Point, element: str, field: str = "") -> None:
    """Refuse axes of a point that are no rotation."""
    field = field or f"axes of point {point.name}"
    if point.axes is None:
        return
    if model.dimension == 2:
        if isinstance(point.axes, tuple):
            raise ModelError("are one angle in the plane", element=element, field=field)
        number(model, point.axes, element, field)
        return
    if not isinstance(point.axes, tuple) or [len(row) for row in point.axes] != [3, 3, 3]:
        raise ModelError("must be a 3×3 matrix in space", element=element, field=field)
    A = np.array([[number(model, x, element, field) for x in row] for row in point.axes])
    if np.abs(A.T @ A - np.eye(3)).max() > UNIT_SLACK or np.linalg.det(A) < 0:
        raise ModelError("are no right-handed unit axes", element=element, field=field)

"""Poses and rates of hinge kinds as functions of numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import sympy as sp

from .hinge_kinds import SIZES, HingeKind


@cache
def pose_of(kind: HingeKind) -> Callable[..., Any]:
    """The pose: coordinates and sizes to d×(d+1), the rotation and beside it the position."""
    pose = sp.Matrix(kind.rotation).row_join(sp.Matrix(kind.position))
    return sp.lambdify((*kind.q, *SIZES), pose, "numpy")  # type: ignore[no-any-return]


@cache
def rates_of(kind: HingeKind) -> Callable[..., Any]:
    """The rates of the coordinates: coordinates and speeds to a column."""
    return sp.lambdify((*kind.q, *kind.u), kind.rates, "numpy")  # type: ignore[no-any-return]

"""A model's bodies as the elements of its plan: the names of their symbols, their inputs."""

from __future__ import annotations

import sympy as sp

from ...model import Model
from ..mechanics.vectors import column
from .plan import Link


def angle(body: str) -> sp.Symbol:
    """θ of a planar body, from +x to its first axis."""
    return sp.Symbol(f"theta{body}", real=True)


def spin(model: Model, body: str) -> sp.Matrix:
    """The angular velocity's symbols: one in the plane, three in body axes in space."""
    if model.dimension == 2:
        return column(sp.Symbol(f"omega{body}", real=True))
    return column(*(sp.Symbol(f"omega{body}_{axis}", real=True) for axis in "xyz"))


def quaternion(body: str) -> tuple[sp.Symbol, ...]:
    """The unit quaternion w, x, y, z of a spatial body."""
    return tuple(sp.Symbol(f"Q{body}_{axis}", real=True) for axis in "wxyz")


def input_points(link: Link) -> tuple[str, ...]:
    """The body's inputs: where bodies hang on it, else its first free point.

    A tip body without a free point has its output for a load-free input.
    """
    return link.inputs or link.free[:1] or (link.output,)

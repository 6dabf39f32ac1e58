"""A body's constants as a method needs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy as sp

from ...model import Body, Point
from ...model.expressions.quantities import exact_expression


@dataclass(frozen=True)
class BodyConstants:
    """A body's constants as seen from its output end, as 1-column matrices of expressions.

    Shape
        `first` = m r_OC, `centre` = r_OC, `arms` r_Ok, `origin` from O to the body's origin;
        `inertia` about O, `central` about C.
    Frame
        Body axes.
    """

    mass: sp.Matrix
    first: sp.Matrix
    centre: sp.Matrix
    inertia: sp.Matrix
    central: sp.Matrix
    arms: tuple[sp.Matrix, ...]
    origin: sp.Matrix

    @classmethod
    def of(cls, body: Body, output: str, inputs: Sequence[str]) -> BodyConstants:
        """Move a body's constants to its output end (Steiner's theorem for the inertia)."""
        mass = exact_expression(body.mass)
        at = column(body.point(output).position)
        centre = column(body.centre) - at
        if isinstance(body.inertia, tuple):
            central = sp.Matrix([[exact_expression(x) for x in row] for row in body.inertia])
            square = (centre.T * centre)[0]
            steiner = mass * (square * sp.eye(3) - centre * centre.T)
        else:
            central = sp.Matrix([exact_expression(body.inertia)])
            steiner = mass * (centre.T * centre)
        return cls(
            mass=sp.Matrix([mass]),
            first=mass * centre,
            centre=centre,
            inertia=central + steiner,
            central=central,
            arms=tuple(column(body.point(name).position) - at for name in inputs),
            origin=-at,
        )


@dataclass(frozen=True)
class LinkConstants:
    """A body's constants in link axes: those of its output point, from that point.

    `arms` and `entries` are the places and axes of the inputs; `axes` the body's axes and
    `origin` its origin.
    """

    mass: sp.Matrix
    first: sp.Matrix
    centre: sp.Matrix
    inertia: sp.Matrix
    central: sp.Matrix
    arms: tuple[sp.Matrix, ...]
    entries: tuple[sp.Matrix, ...]
    axes: sp.Matrix
    origin: sp.Matrix

    @classmethod
    def of(cls, body: Body, output: str, inputs: tuple[str, ...], dimension: int) -> LinkConstants:
        plain = BodyConstants.of(body, output, inputs)
        K = axes_of(body.point(output), dimension).T

        def turned(tensor: sp.Matrix) -> sp.Matrix:
            return tensor if dimension == 2 else K * tensor * K.T

        return cls(
            mass=plain.mass,
            first=K * plain.first,
            centre=K * plain.centre,
            inertia=turned(plain.inertia),
            central=turned(plain.central),
            arms=tuple(K * arm for arm in plain.arms),
            entries=tuple(K * axes_of(body.point(name), dimension) for name in inputs),
            axes=K,
            origin=K * plain.origin,
        )

    @property
    def second(self) -> sp.Matrix:
        """Σ = ∫ r rᵀ dm about the output point, in space."""
        return second_moments(self.inertia)


def second_moments(inertia: sp.Matrix) -> sp.Matrix:
    """Σ = ∫ r rᵀ dm = ½ tr(J) 1 − J, in space."""
    return inertia.trace() / 2 * sp.eye(3) - inertia


def column(vector: Iterable[sp.Expr | int | float]) -> sp.Matrix:
    return sp.Matrix([exact_expression(component) for component in vector])


def axes_of(point: Point, dimension: int) -> sp.Matrix:
    """A point's axes in its body's: the direction cosine matrix."""
    if point.axes is None:
        return sp.eye(dimension)
    if isinstance(point.axes, tuple):
        return sp.Matrix([[exact_expression(x) for x in row] for row in point.axes])
    angle = exact_expression(point.axes)
    return sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])

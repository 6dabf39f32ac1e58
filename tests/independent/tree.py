"""What a judge reads from a model: numbers, and who hangs on whom, seen from the ground."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from mstmm.model import GROUND, Body, End, Model

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Arithmetic:
    """The numbers that a judge calculates with."""

    dtype: type
    number: Callable[[Fraction], Any]
    cos: Callable[[Any], Any]
    sin: Callable[[Any], Any]
    solve: Callable[[Array, Array], Array]

    def array(self, values: Sequence[float]) -> Array:
        return np.array([self.number(Fraction(float(x))) for x in values], dtype=self.dtype)


FLOAT = Arithmetic(float, float, np.cos, np.sin, np.linalg.solve)


def extended(digits: int) -> Arithmetic:
    """Arithmetic with that many decimal digits (mpmath, in a context of its own)."""
    context = mpmath.MPContext()
    context.dps = digits

    def solve(matrix: Array, right: Array) -> Array:
        found = context.lu_solve(context.matrix(matrix.tolist()), context.matrix(right.tolist()))
        return np.array(list(found), dtype=object)

    def number(value: Fraction) -> Any:
        return context.mpf(value.numerator) / value.denominator

    return Arithmetic(object, number, context.cos, context.sin, solve)


@dataclass(frozen=True)
class Joint:
    """A hinge as seen from the ground: `tip` is the end farther from it, `root` the nearer."""

    tip: End
    root: End


def joints(model: Model) -> tuple[Joint, ...]:
    """All hinges, the ground's first, each before those that lie behind it."""
    found: list[Joint] = []
    left = list(model.hinges)
    reached = deque([GROUND])
    while reached:
        here = reached.popleft()
        for hinge in [hinge for hinge in left if here in (end.body for end in hinge.ends)]:
            first, second = hinge.ends
            root, tip = (first, second) if first.body == here else (second, first)
            found.append(Joint(tip, root))
            reached.append(tip.body)
            left.remove(hinge)
    return tuple(found)


@dataclass(frozen=True)
class Numbers:
    """Masses, central inertias and arms (from the centre of mass to a point), body axes, SI."""

    names: tuple[str, ...]
    mass: Array
    inertia: Array
    gravity: Array
    arm: dict[End, Array]

    def index(self, body: str) -> int:
        return self.names.index(body)


def numbers(model: Model, arithmetic: Arithmetic = FLOAT) -> Numbers:
    """The model's quantities at its parameters' values."""

    def value(quantity: Any) -> Any:
        return arithmetic.number(model.exact(quantity))

    def vector(components: Sequence[Any]) -> Array:
        return np.array([value(x) for x in components], dtype=arithmetic.dtype)

    def inertia(body: Body) -> list[list[Any]]:
        rows = body.inertia if isinstance(body.inertia, tuple) else ((body.inertia,),)
        return [[value(entry) for entry in row] for row in rows]

    return Numbers(
        names=tuple(body.name for body in model.bodies),
        mass=vector([body.mass for body in model.bodies]),
        inertia=np.array([inertia(body) for body in model.bodies], dtype=arithmetic.dtype),
        gravity=vector(model.gravity),
        arm={
            End(body.name, point.name): vector(point.position) - vector(body.centre)
            for body in model.bodies
            for point in body.points
        },
    )


def orientations(model: Model, q: Sequence[float], arithmetic: Arithmetic = FLOAT) -> list[Array]:
    """Each body's rotation matrix, body to inertial axes, in the order of the bodies."""
    if model.dimension == 2:
        return [_turn(angle, arithmetic) for angle in arithmetic.array(q)]
    return [_rotation(quaternion) for quaternion in arithmetic.array(q).reshape(-1, 4)]


def _turn(angle: Any, arithmetic: Arithmetic) -> Array:
    c, s = arithmetic.cos(angle), arithmetic.sin(angle)
    return np.array([[c, -s], [s, c]], dtype=arithmetic.dtype)


def _rotation(quaternion: Array) -> Array:
    """Columns are the images q e q* / |q|² of the body's axes, by the Hamilton product."""
    conjugate = quaternion * np.array([1, -1, -1, -1])
    square = (quaternion * quaternion).sum()
    axes = [np.array([0, *row]) for row in np.eye(3, dtype=int)]
    images = [hamilton(hamilton(quaternion, axis), conjugate)[1:] / square for axis in axes]
    return np.array(images).T


def hamilton(p: Array, q: Array) -> Array:
    scalar = p[0] * q[0] - p[1:] @ q[1:]
    vector = p[0] * q[1:] + q[0] * p[1:] + cross(p[1:]) @ q[1:]
    return np.array([scalar, *vector])


def cross(r: Array) -> Array:
    """The matrix of r ×, three components."""
    x, y, z = r
    return np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])


def lever(r: Array) -> Array:
    """L with L α = α × r; its transpose gives the moment: Lᵀ f = r × f."""
    if len(r) == 2:
        return np.array([[-r[1]], [r[0]]])
    return -cross(r)

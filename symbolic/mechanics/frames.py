"""Frames as functions of time: place and orientation with two derivatives, composed exactly.

Independent of the hinges' own formulas: nothing enters but poses and the product rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ...model.expressions.differentiated import rate
from ..exact.evaluation import Points, Values
from .hinges import Joint
from .space import Space

#: A value with its first and second time derivative.
Jet = tuple[sp.Matrix, sp.Matrix, sp.Matrix]


def product(a: Jet, b: Jet) -> Jet:
    """(a b)″ = a″ b + 2 a′ b′ + a b″."""
    return a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]


def plus(a: Jet, b: Jet) -> Jet:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@dataclass(frozen=True)
class Frame:
    """A frame's orientation (its axes as columns) and place, in inertial axes."""

    R: Jet
    x: Jet

    def __matmul__(self, other: Frame) -> Frame:
        """A frame expressed in this one."""
        return Frame(product(self.R, other.R), plus(self.x, product(self.R, other.x)))

    def inverse(self) -> Frame:
        """The frame in which it is described, expressed in it."""
        back: Jet = (self.R[0].T, self.R[1].T, self.R[2].T)
        place = product(back, self.x)
        return Frame(back, (-place[0], -place[1], -place[2]))

    def velocity(self) -> sp.Matrix:
        """Velocity and angular velocity in its own axes."""
        return sp.Matrix.vstack(self.R[0].T * self.x[1], _axial(self.R[0].T * self.R[1]))

    def acceleration(self) -> sp.Matrix:
        """(r̈, Ω̇) in its own axes."""
        turning = self.R[1].T * self.R[1] + self.R[0].T * self.R[2]
        return sp.Matrix.vstack(self.R[0].T * self.x[2], _axial(turning))


def _axial(W: sp.Matrix) -> sp.Matrix:
    """w of the skew part ~w."""
    W = (W - W.T) / 2
    return sp.Matrix([W[1, 0]]) if W.rows == 2 else sp.Matrix([W[2, 1], W[0, 2], W[1, 0]])


def fixed(R: sp.Matrix, x: sp.Matrix) -> Frame:
    """A frame that does not move."""
    return Frame((R, 0 * R, 0 * R), (x, 0 * x, 0 * x))


def drawn(points: Points, dimension: int) -> Frame:
    """A frame that moves at random."""
    space = Space(dimension)

    def cross(w: sp.Matrix) -> sp.Matrix:
        return sp.Matrix([[0, -w[0]], [w[0], 0]]) if dimension == 2 else space.tilde(w)

    R = points.rotation(dimension)
    W, turning = cross(points.vector(space.spins)), cross(points.vector(space.spins))
    place = (points.vector(dimension), points.vector(dimension), points.vector(dimension))
    return Frame((R, R * W, R * (W * W + turning)), place)


@dataclass(frozen=True)
class Path:
    """A hinge's relative pose along a motion q(t), differentiated twice in symbols."""

    of: Joint
    rates: sp.Matrix
    frame: Frame

    @classmethod
    def along(cls, of: Joint) -> Path:
        """q̇ from the speeds u, whose rates u̇ are symbols."""
        rates = sp.Matrix([sp.Symbol(f"ud{j + 1}", real=True) for j in range(len(of.u))])

        places = [*zip(of.q, of.rates, strict=True)]
        both = [*places, *zip(of.u, rates, strict=True)]

        def jet(value: sp.Matrix) -> Jet:
            one = rate(value, places)
            return value, one, rate(one, both)

        return cls(of, rates, Frame(jet(of.rotation), jet(of.position)))

    def at(self, values: Values, rates: sp.Matrix) -> Frame:
        """The frame at a point, with these rates of the speeds."""
        known = {**values, **dict(zip(self.rates, rates, strict=True))}
        R, x = (tuple(part.xreplace(known) for part in jet) for jet in (self.frame.R, self.frame.x))
        return Frame((R[0], R[1], R[2]), (x[0], x[1], x[2]))

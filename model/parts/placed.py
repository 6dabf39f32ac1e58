"""The data of a model at one state, in fractions or in floating point numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp

from .bodies import End
from .hinge_kinds import HINGE_KINDS, TURN, HingeKind
from .hinges import GROUND, Hinge
from .system import System

#: Of fractions, or of floating point numbers.
Numbers = npt.NDArray[Any]

#: What is computed with: `float`, or `Fraction`.
Number = type[float] | type[Fraction]


@dataclass(frozen=True)
class Reader:
    """The data of a model in one kind of number."""

    model: System
    number: Number

    def array(self, numbers: Any) -> Numbers:
        given = np.asarray(numbers, dtype=object)
        kind = float if self.number is float else object
        return np.array([self.number(x) for x in given.flat], dtype=kind).reshape(given.shape)

    def value(self, quantity: Any) -> Any:
        return (self.model.value if self.number is float else self.model.exact)(quantity)

    def values(self, quantities: Iterable[Any]) -> Numbers:
        return self.array([self.value(x) for x in quantities])

    def place(self, position: Iterable[Any]) -> Numbers:
        return self.values([*position, *[0] * (3 - self.model.dimension)])

    def frame(self, end: End) -> tuple[Numbers, Numbers]:
        """A point's axes and place in its body's."""
        model = self.model
        named = model.ground_point if end.body == GROUND else model.body(end.body).point
        point, axes = named(end.point), self.array(np.eye(3))
        if isinstance(point.axes, tuple):
            axes = self.array([[self.value(x) for x in row] for row in point.axes])
        elif point.axes is not None:
            angle = model.value(point.axes)
            c, s = np.cos(angle), np.sin(angle)
            axes[:2, :2] = self.array([[c, -s], [s, c]])
        return axes, self.place(point.position)

    def posed(self, hinge: Hinge, chooser: Random) -> tuple[Numbers, Numbers, Numbers]:
        """The child's point frame as seen from the parent's, and the twists, at some coordinates.

        Angles are points of circles, apart from lengths; a quaternion is one of its sphere.
        """
        model = self.model
        kind = HINGE_KINDS[model.dimension][hinge.kind]
        given = {size: model.exact(getattr(hinge, size.name)) for size in kind.sizes}
        known: dict[sp.Expr, Any] = {size: _rational(x) for size, x in given.items()}
        for q in kind.q:
            c, s = _circle(chooser)
            known |= {q: _number(chooser), sp.cos(q): c, sp.sin(q): s}
        if kind.has_quaternion:
            at = sp.Matrix([_number(chooser) for _ in range(3)])
            square = (at.T * at)[0]
            turn = [(1 - square) / (1 + square), *(2 * x / (1 + square) for x in at)]
            known |= dict(zip(TURN, turn, strict=True))
        R, p, twists = (
            self.array([_fraction(x.xreplace(known)) for x in matrix]).reshape(matrix.shape)
            for matrix in _expanded(kind)
        )
        return R, p[:, 0], twists


@cache
def _twists(kind: HingeKind) -> sp.Matrix:
    """Per speed, the velocity of the child's point and the spin, in the parent's axes."""
    d = kind.dimension
    columns = []
    for q in kind.q:
        turning = sp.zeros(3, 3)
        turning[:d, :d] = kind.rotation.diff(q) * kind.rotation.T
        along = [*sp.Matrix(kind.position).diff(q), *[0] * (3 - d)]
        columns.append([*along, turning[2, 1], turning[0, 2], turning[1, 0]])
    return sp.Matrix(columns).T * kind.rates.jacobian(kind.u) if columns else sp.zeros(6, 0)


@cache
def _expanded(kind: HingeKind) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
    """Rotation, position and twists of a kind, in sines and cosines of single coordinates."""
    R, p = sp.eye(3), sp.zeros(3, 1)
    R[: kind.dimension, : kind.dimension] = kind.rotation
    p[: kind.dimension, :] = sp.Matrix(kind.position)
    return (
        R.applyfunc(sp.expand_trig),
        p.applyfunc(sp.expand_trig),
        _twists(kind).applyfunc(sp.expand_trig),
    )


def _fraction(value: sp.Expr) -> Fraction:
    exact = value if value.is_Rational else sp.Rational(str(value.evalf(40)))
    return Fraction(int(exact.p), int(exact.q))


def _number(chooser: Random) -> sp.Rational:
    return sp.Rational(chooser.randint(1, 99), 64)


def _circle(chooser: Random) -> tuple[sp.Rational, sp.Rational]:
    """A cosine and a sine: (1 − t², 2t)/(1 + t²)."""
    t = _number(chooser)
    return (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)


def _rational(number: Fraction) -> sp.Rational:
    return sp.Rational(number.numerator, number.denominator)

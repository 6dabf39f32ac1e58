"""Exact evaluation at random rational points: the proof where an identity has too many terms.

An identity of rational functions on circles and spheres that holds at random rational points
of them holds; what is compared is compared exactly, so there is no tolerance.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

import sympy as sp

from ..language.program import Kernel, Let, Port

Values = Mapping[sp.Expr, sp.Expr]


class Points:
    """Draws rational numbers, vectors, rotations and inertias; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chooser = random.Random(seed)

    def number(self) -> sp.Rational:
        """A small fraction that is not zero."""
        sign = self._chooser.choice((-1, 1))
        return sp.Rational(sign * self._chooser.randint(1, 9), self._chooser.randint(1, 5))

    def vector(self, size: int) -> sp.Matrix:
        return sp.Matrix(size, 1, [self.number() for _ in range(size)])

    def place(self, dimension: int) -> sp.Matrix:
        """Three entries, in the plane the last one zero."""
        return self.vector(3).multiply_elementwise(sp.Matrix([1, 1, dimension - 2]))

    def turn(self, dimension: int) -> sp.Matrix:
        """A rotation in space, in the plane about the third axis."""
        return sp.diag(self.rotation(2), 1) if dimension == 2 else self.rotation(3)

    def circle(self) -> tuple[sp.Rational, sp.Rational]:
        """A cosine and a sine: (1 − t², 2t)/(1 + t²)."""
        t = self.number()
        return (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)

    def quaternion(self) -> list[sp.Expr]:
        """A unit quaternion: a point of the sphere, seen from its pole."""
        at = self.vector(3)
        square = (at.T * at)[0]
        return [(1 - square) / (1 + square), *(2 * x / (1 + square) for x in at)]

    def rotation(self, dimension: int) -> sp.Matrix:
        """A rotation matrix, (1 − ~s)⁻¹ (1 + ~s) of Cayley."""
        if dimension == 2:
            c, s = self.circle()
            return sp.Matrix([[c, -s], [s, c]])
        x, y, z = self.vector(3)
        skew = sp.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return (sp.eye(3) - skew).inv() * (sp.eye(3) + skew)

    def positive(self, size: int) -> sp.Matrix:
        """A symmetric positive definite matrix."""
        factor = sp.Matrix(size, size, lambda i, j: self._chooser.randint(-3, 3))
        return factor.T * factor + sp.eye(size)


def evaluated(
    kernel: Kernel, inputs: Mapping[str, sp.Matrix], elementary: Values | None = None
) -> dict[str, sp.Matrix]:
    """All outputs of a kernel, exactly; `elementary` gives sines and cosines their values."""
    known: dict[sp.Expr, sp.Expr] = dict(elementary or {})
    found: dict[str, sp.Matrix] = {}
    for port in kernel.inputs:
        known.update(_entries(port, inputs[port.name]))
    for statement in kernel.statements:
        if isinstance(statement, Let):
            value = statement.value.xreplace(known)
        else:
            value = statement.matrix.xreplace(known).LUsolve(statement.rhs.xreplace(known))
        found[statement.port.name] = value
        known.update(_entries(statement.port, value))
    return {port.name: found[port.name] for port in kernel.outputs}


def _entries(port: Port, value: sp.Matrix) -> dict[sp.Expr, sp.Expr]:
    symbols = port.symbols()
    return {symbols[i, j]: value[i, j] for i, j in port.entries}

"""Small motions of Example 1 of the deduction paper with the beam itself, not with functions of it.

Euler–Bernoulli's beam and the elastic bar have solutions in closed form at any frequency ω: sines,
cosines and their hyperbolic sisters. Forces at the two ends are then an exact matrix of ω times
the ends' displacements, without any discretisation. Frequencies of the whole system are counted
by Wittrick and Williams' theorem and found by bisection, so that none is missed. Beside it the
usual finite elements, for the motion after a step force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...model import Model

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Straight:
    """The beam: length, mass per length, stiffness against stretching and bending."""

    L: float
    mu: float
    EA: float
    EI: float

    def stiffness(self, omega: float) -> Floats:
        """Forces (f_x, f_y, m) at both ends for displacements (u, v, θ) of both, (6, 6)."""
        found = np.zeros((6, 6))
        k = omega * math.sqrt(self.mu / self.EA)
        axial = self.EA * k / math.sin(k * self.L)
        along = axial * np.array([[math.cos(k * self.L), -1.0], [-1.0, math.cos(k * self.L)]])
        found[np.ix_([0, 3], [0, 3])] = along
        found[np.ix_([1, 2, 4, 5], [1, 2, 4, 5])] = self._bent(omega)
        return found

    def _bent(self, omega: float) -> Floats:
        b = self._wave(omega)
        x = b * self.L
        c, s, C, S = math.cos(x), math.sin(x), math.cosh(x), math.sinh(x)
        a, d = b**2 * (c * S + s * C), s * C - c * S
        e, f, g, h = b * s * S, b**2 * (s + S), b * (C - c), S - s
        shape = np.array([[a, e, -f, g], [e, d, -g, h], [-f, -g, a, -e], [g, h, -e, d]])
        found: Floats = self.EI * b / (1 - c * C) * shape
        return found

    def _wave(self, omega: float) -> float:
        """The number of bending waves along the beam, in rad/m."""
        return math.sqrt(omega * math.sqrt(self.mu / self.EI))

    def held(self, omega: float) -> int:
        """How many frequencies the beam has below ω when both of its ends are clamped."""
        bars = math.floor(omega * self.L * math.sqrt(self.mu / self.EA) / math.pi)
        x = self._wave(omega) * self.L
        i = math.floor(x / math.pi)
        sign = math.copysign(1.0, 1 - math.cos(x) * math.cosh(x))
        return bars + i - (sign < 0 if i % 2 == 0 else sign > 0)


@dataclass(frozen=True)
class Small:
    """Cubes and springs on the two ends of the beam: displacements (u, v, θ) of both, and of 8.

    Shape
        `mass`, `springs` (9, 9); `push` (9): the step force.
    """

    beam: Straight
    mass: Floats
    springs: Floats
    push: Floats

    @classmethod
    def of(cls, model: Model) -> Small:
        """The system of the model `example-1`, at its parameters."""
        p = model.parameters
        m, a, k, kt = p["m"], p["a"], p["k"], p["kt"]
        inertia = np.diag([m, m, m * a**2 / 6])
        stiff = np.diag([k, k, kt])
        first, fifth, eighth = np.eye(9)[0:3], np.eye(9)[3:6], np.eye(9)[6:9]
        parts = [_at(-a / 2, 0.0) @ first, _at(a / 2, 0.0) @ fifth, eighth]
        ground = _at(a / 2, -a / 2) @ fifth
        between = _at(a, 0.0) @ fifth - _at(-a / 2, 0.0) @ eighth
        return cls(
            Straight(p["l"], p["mu"], p["EA"], p["EI"]),
            np.asarray(sum(T.T @ inertia @ T for T in parts)),
            ground.T @ stiff @ ground + between.T @ stiff @ between,
            parts[0].T @ np.array([0.0, p["F"], 0.0]),
        )

    def below(self, omega: float) -> int:
        """How many frequencies the system has below ω."""
        dynamic = self.springs - omega**2 * self.mass
        dynamic[:6, :6] += self.beam.stiffness(omega)
        return self.beam.held(omega) + int((np.linalg.eigvalsh(dynamic) < 0).sum())

    def frequencies(self, count: int) -> Floats:
        """The lowest frequencies, exact to rounding.

        Units
            rad/s.
        """
        found = []
        for k in range(1, count + 1):
            low, high = 1e-3, 1.0
            while self.below(high) < k:
                high *= 2
            while high - low > 1e-13 * high:
                middle = (low + high) / 2
                low, high = (low, middle) if self.below(middle) >= k else (middle, high)
            found.append(high)
        return np.array(found)

    def elements(self, count: int) -> tuple[Floats, Floats, Floats]:
        """Mass and stiffness matrix and the force, with so many Hermite elements for the beam.

        Displacements of all nodes, then of body 8.
        """
        size = 3 * (count + 1) + 3
        M, K, F = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        mass, stiffness = _element(self.beam, self.beam.L / count)
        for e in range(count):
            own = slice(3 * e, 3 * e + 6)
            M[own, own] += mass
            K[own, own] += stiffness
        ends = [0, 1, 2, *range(size - 6, size)]
        M[np.ix_(ends, ends)] += self.mass
        K[np.ix_(ends, ends)] += self.springs
        F[ends] += self.push
        return M, K, F

    def _swinging(self, count: int) -> tuple[Floats, Floats, Floats]:
        """Squares of the frequencies, shapes of unit mass, and the force, by finite elements."""
        M, K, F = self.elements(count)
        inverse = np.linalg.inv(np.linalg.cholesky(M))
        squares, shapes = np.linalg.eigh(inverse @ K @ inverse.T)
        return squares, inverse.T @ shapes, F

    def by_elements(self, count: int) -> Floats:
        """All frequencies with so many finite elements, in rad/s."""
        return np.sqrt(self._swinging(count)[0])

    def step(self, times: Floats, count: int = 40) -> Floats:
        """Small motions after the step force: displacements of both ends and of 8, (T, 9)."""
        squares, modes, F = self._swinging(count)
        swing = (1 - np.cos(np.sqrt(squares) * times[:, None])) / squares * (modes.T @ F)
        found: Floats = (swing @ modes.T)[:, [0, 1, 2, *range(-6, 0)]]
        return found


def _at(x: float, y: float) -> Floats:
    """From (u, v, θ) of a place to those of another, (x, y) away."""
    return np.array([[1.0, 0.0, -y], [0.0, 1.0, x], [0.0, 0.0, 1.0]])


def _element(beam: Straight, h: float) -> tuple[Floats, Floats]:
    """A bar with linear and a beam with Hermite's cubic functions."""
    M, K = np.zeros((6, 6)), np.zeros((6, 6))
    along, across = np.ix_([0, 3], [0, 3]), np.ix_([1, 2, 4, 5], [1, 2, 4, 5])
    M[along] = beam.mu * h / 6 * np.array([[2, 1], [1, 2]])
    K[along] = beam.EA / h * np.array([[1, -1], [-1, 1]])
    M[across] = (beam.mu * h / 420) * np.array(
        [
            [156, 22 * h, 54, -13 * h],
            [22 * h, 4 * h**2, 13 * h, -3 * h**2],
            [54, 13 * h, 156, -22 * h],
            [-13 * h, -3 * h**2, -22 * h, 4 * h**2],
        ]
    )
    K[across] = (beam.EI / h**3) * np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h**2, -6 * h, 2 * h**2],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h**2, -6 * h, 4 * h**2],
        ]
    )
    return M, K

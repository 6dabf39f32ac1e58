"""Plane frames of slender beams under loads, by finite elements: Hermite's cubics.

As books on buckling have it: straight at rest, where loads give each element its axial force by
linear statics, and that gives it its geometric stiffness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import scipy

#: Points and weights of Gauss on (0, 1).
AT, WEIGHTS = (x / 2 for x in np.polynomial.legendre.leggauss(6))
AT = AT + 0.5


@dataclass
class Frame:
    """Points, beams from point to point, what points bear, and which motions the ground holds.

    `masses` and inertias of bodies at points, `loads` on them (two forces and a couple); `held`
    says motions (0, 1, 2 of a point) that are none, `springs` what resists them, and `pinned`
    which points are in one place.
    """

    points: Sequence[tuple[float, float]]
    beams: Sequence[tuple[int, int]]
    held: Sequence[tuple[int, int]]
    EA: float = 1e3
    EI: float = 1.0
    density: float = 1.0
    gravity: tuple[float, float] = (0.0, 0.0)
    masses: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    loads: Mapping[int, Sequence[float]] = field(default_factory=dict)
    springs: Mapping[tuple[int, int], float] = field(default_factory=dict)
    pinned: Sequence[tuple[int, int]] = ()

    def squares(self, count: int, parts: int = 8) -> np.ndarray:
        """The lowest ω², extrapolated from meshes: errors are of even powers of their size."""
        found = [self._squares(count, parts << k) for k in range(3)]
        for power in (4, 16):
            found = [y + (y - x) / (power - 1) for x, y in pairwise(found)]
        return found[0]

    def _squares(self, count: int, parts: int) -> np.ndarray:
        places, elements = [np.array(x, float) for x in self.points], list[tuple[int, int]]()
        for a, b in self.beams:
            inner = [len(places) + k for k in range(parts - 1)]
            steps = np.arange(1, parts)[:, None] / parts
            places += list(places[a] + steps * (places[b] - places[a]))
            chain = [a, *inner, b]
            elements += list(pairwise(chain))
        size = 3 * len(places)
        own = np.arange(size)
        for a, b in self.pinned:
            own[3 * b : 3 * b + 2] = own[3 * a : 3 * a + 2]
        K, M, f = np.zeros((size, size)), np.zeros((size, size)), np.zeros(size)
        for point, (mass, inertia) in self.masses.items():
            here = own[3 * point : 3 * point + 3]
            M[here, here] += [mass, mass, inertia]
            f[here] += mass * np.array([*self.gravity, 0.0])
        for point, load in self.loads.items():
            f[own[3 * point : 3 * point + 3]] += load
        for (point, way), stiffness in self.springs.items():
            K[3 * point + way, 3 * point + way] += stiffness
        known = [self._element(places[a], places[b]) for a, b in elements]
        at = [own[np.r_[3 * a : 3 * a + 3, 3 * b : 3 * b + 3]] for a, b in elements]
        for where, (turn, stiff, mass, load, _) in zip(at, known, strict=True):
            K[np.ix_(where, where)] += turn.T @ stiff @ turn
            M[np.ix_(where, where)] += turn.T @ mass @ turn
            f[where] += turn.T @ load
        held = {3 * point + way for point, way in self.held}
        free = [k for k in range(size) if own[k] == k and k not in held]
        u = np.zeros(size)
        u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
        for where, (turn, stiff, _, load, bent) in zip(at, known, strict=True):
            ends = stiff @ turn @ u[where] - load
            K[np.ix_(where, where)] += turn.T @ bent(-ends[0], ends[3]) @ turn
        found = scipy.linalg.eigh(K[np.ix_(free, free)], M[np.ix_(free, free)], eigvals_only=True)
        return np.asarray(found[:count])

    def _element(self, a: np.ndarray, b: np.ndarray):  # type: ignore[no-untyped-def]
        """Of an element: its turn, stiffness, mass and load, and what its tension adds."""
        h = float(np.linalg.norm(b - a))
        c, s = (b - a) / h
        turn = np.kron(np.eye(2), np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))
        x, o = AT, np.zeros_like(AT)
        along = np.array([1 - x, o, o, x, o, o])
        across = [o, 1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3)]
        across = np.array([*across, o, 3 * x**2 - 2 * x**3, h * (x**3 - x**2)])
        steep = np.array([o, -6 * x + 6 * x**2, h * (1 - 4 * x + 3 * x**2)])
        steep = np.array([*steep, o, 6 * x - 6 * x**2, h * (3 * x**2 - 2 * x)]) / h
        curved = np.array([o, -6 + 12 * x, h * (-4 + 6 * x), o, 6 - 12 * x, h * (6 * x - 2)]) / h**2
        stretch = np.array([o - 1, o, o, o + 1, o, o]) / h
        w = h * WEIGHTS
        stiff = self.EA * (stretch * w) @ stretch.T + self.EI * (curved * w) @ curved.T
        mass = self.density * ((along * w) @ along.T + (across * w) @ across.T)
        g = self.density * np.array([[c, s], [-s, c]]) @ self.gravity
        load = g[0] * along @ w + g[1] * across @ w

        def bent(first: float, last: float) -> np.ndarray:
            return (steep * w * (first + (last - first) * x)) @ steep.T  # type: ignore[no-any-return]

        return turn, stiff, mass, load, bent

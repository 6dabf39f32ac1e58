"""Planar bodies in redundant coordinates: Newton–Euler with a multiplier for every condition.

This is what the papers compare with: x, y and the angle of each centre of mass are unknowns of
their own, a pin is two conditions, and accelerations and multipliers solve one system,

    [ M  −Φᵀ ] [ ẍ ]   [ Q  ]
    [ Φ   0  ] [ λ ] = [ −γ ]

by SuperLU as the sparse matrix it is. No tree and no recursion.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...model import GROUND, Body, Model
from ...runtime.extras import require

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class _Pins:
    """The two bodies of every pin (−1: the ground) and the arms from their centres of mass."""

    bodies: npt.NDArray[np.int64]
    arms: Floats


class Redundant:
    """The equations of motion of a planar model of rigid bodies and smooth pins.

    Shape
        `x` and `u` (n, 3): place and angle of every body in the model's order, and their rates.
    Units
        m, rad, m/s, rad/s.
    Frame
        Inertial.
    Raises
        UsageError: a model in space, or with anything but rigid bodies, pins and gravity.
    """

    def __init__(self, model: Model) -> None:
        self._sparse = require("scipy.sparse", extra="scipy", purpose="redundant coordinates")
        self._linear = require("scipy.sparse.linalg", extra="scipy", purpose="the sparse solution")
        bodies = [body for body in model.bodies if isinstance(body, Body)]
        kinds = {hinge.kind for hinge in model.hinges}
        if model.dimension != 2 or len(bodies) != len(model.bodies) or kinds != {"pin"}:
            raise UsageError(f"{model.name}: redundant coordinates take planar bodies and pins")
        if model.loads or model.forces:
            raise UsageError(f"{model.name}: redundant coordinates take no forces but gravity")
        self.model = model
        self.centres = np.array([[model.value(c) for c in body.centre] for body in bodies])
        self.mass = np.array([model.value(body.mass) for body in bodies])
        inertia = np.array([model.value(body.inertia) for body in bodies])
        self.gravity = np.array([model.value(c) for c in model.gravity])
        self.inertias = np.column_stack([self.mass, self.mass, inertia])
        self.pins = self._pins(bodies)
        self._pattern()

    def _pins(self, bodies: list[Body]) -> _Pins:
        model, index = self.model, {body.name: k for k, body in enumerate(bodies)}
        of, arms = [], []
        for hinge in model.hinges:
            for end in hinge.ends:
                k = index.get(end.body, -1)
                points = model.ground if end.body == GROUND else bodies[k].points
                found = [p.position for p in points if p.name == end.point]
                place = np.array([model.value(c) for c in found[0]] if found else [0.0, 0.0])
                of.append(k)
                arms.append(place - (self.centres[k] if k >= 0 else 0.0))
        return _Pins(np.array(of).reshape(-1, 2), np.array(arms).reshape(-1, 2, 2))

    def _pattern(self) -> None:
        """Where the entries of the matrix lie: they do not move, only their values change."""
        n, pins = len(self.mass), len(self.pins.bodies)
        self.size = 3 * n + 2 * pins
        diagonal = np.arange(3 * n)
        rows, columns = [], []
        for side in range(2):
            body = self.pins.bodies[:, side]
            held = np.flatnonzero(body >= 0)
            for axis in range(2):
                row = 3 * n + 2 * held + axis
                rows += [row, row]
                columns += [3 * body[held] + axis, 3 * body[held] + 2]
        row, column = np.concatenate(rows), np.concatenate(columns)
        self._rows = np.concatenate([diagonal, column, row])
        self._columns = np.concatenate([diagonal, row, column])

    def state(self, q: npt.ArrayLike, v: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Places and angles, and their rates, of angles and spins along the model's tree.

        `q`, `v` are the bodies' absolute angles and spins, in the model's order.
        """
        angles, spins = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        x = np.column_stack([np.zeros((len(angles), 2)), angles])
        u = np.column_stack([np.zeros((len(angles), 2)), spins])
        known, left = {-1}, set(range(len(self.pins.bodies)))
        while left:
            placed = [j for j in left if len(known & set(self.pins.bodies[j].tolist())) > 0]
            for j in placed:
                left.discard(j)
                sides = [int(k) for k in self.pins.bodies[j]]
                new = [s for s in range(2) if sides[s] not in known]
                if not new:
                    continue
                s, k, there = new[0], sides[new[0]], sides[1 - new[0]]
                point, rate = self._point(x, u, there, self.pins.arms[j, 1 - s])
                own, turned = self._point(x, u, k, self.pins.arms[j, s])
                x[k, :2], u[k, :2] = point - own, rate - turned
                known.add(k)
        return x, u

    def _point(self, x: Floats, u: Floats, k: int, arm: Floats) -> tuple[Floats, Floats]:
        if k < 0:
            return arm, np.zeros(2)
        c, s = np.cos(x[k, 2]), np.sin(x[k, 2])
        r = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
        return x[k, :2] + r, u[k, :2] + u[k, 2] * np.array([-r[1], r[0]])

    def _turned(self, x: Floats) -> Floats:
        """The pins' arms in inertial axes; of the ground as they are."""
        body = self.pins.bodies
        angle = np.where(body >= 0, x[body, 2], 0.0)
        c, s = np.cos(angle), np.sin(angle)
        a = self.pins.arms
        return np.stack([c * a[..., 0] - s * a[..., 1], s * a[..., 0] + c * a[..., 1]], axis=-1)

    def accelerations(self, x: Floats, u: Floats) -> Floats:
        """The second derivatives of `x`, (n, 3)."""
        n, body, r = len(x), self.pins.bodies, self._turned(x)
        jacobian, gamma = [], np.zeros((len(body), 2))
        for side, sign in ((0, 1.0), (1, -1.0)):
            held = np.flatnonzero(body[:, side] >= 0)
            arm, spin = r[held, side], u[body[held, side], 2]
            ones = np.full(len(held), sign)
            jacobian += [ones, -sign * arm[:, 1], ones, sign * arm[:, 0]]
            gamma[held] -= sign * spin[:, None] ** 2 * arm
        phi = np.concatenate(jacobian)
        values = np.concatenate([self.inertias.ravel(), -phi, phi])
        right = np.zeros(self.size)
        right[: 3 * n] = np.column_stack([self.mass[:, None] * self.gravity, np.zeros(n)]).ravel()
        right[3 * n :] = -gamma.ravel()
        found: Floats = self._solved(values, right)[: 3 * n].reshape(n, 3)
        return found

    def _solved(self, values: Floats, right: Floats) -> Any:
        place = (self._rows, self._columns)
        matrix = self._sparse.csc_matrix((values, place), shape=(self.size, self.size))
        return self._linear.splu(matrix).solve(right)

    def gap(self, x: Floats) -> float:
        """How far the pins are open by, in m."""
        body, r = self.pins.bodies, self._turned(x)
        place = np.where(body[..., None] >= 0, x[body, :2], 0.0) + r
        return float(np.abs(place[:, 0] - place[:, 1]).max())

    def motion(
        self, x: Floats, u: Floats, dt: float, steps: int, say: Callable[[int], None]
    ) -> Floats:
        """Places and angles at every step of classical Runge–Kutta, (steps + 1, n, 3)."""
        found = [x]
        for step in range(steps):
            say(step)
            k1 = self.accelerations(x, u)
            k2 = self.accelerations(x + dt / 2 * u, u + dt / 2 * k1)
            k3 = self.accelerations(x + dt / 2 * u + dt**2 / 4 * k1, u + dt / 2 * k2)
            k4 = self.accelerations(x + dt * u + dt**2 / 2 * k2, u + dt * k3)
            x = x + dt * u + dt**2 / 6 * (k1 + k2 + k3)
            u = u + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            found.append(x)
        return np.array(found)

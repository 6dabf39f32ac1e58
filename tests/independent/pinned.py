"""Planar links joined by pins, each link by x, y, θ of its centre: multipliers, dense, in time.

Every pin, cut or not, asks that its two points coincide. M ẍ = f + Φ_xᵀ λ and the pins'
second derivative stand in one dense system (KKT); DOP853 integrates, without any
stabilisation. No tree, no joint coordinates, but to read the start and to tell the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from mstmm.model import GROUND, End, Model

from .joints import poses
from .moving import opened
from .tree import Array


@dataclass(frozen=True)
class _Side:
    """A body (none: the ground) and where it is pinned, from its centre in its own axes."""

    body: int | None
    arm: Array

    def place(self, x: Array) -> Array:
        return self.arm if self.body is None else x[self.body, :2] + self.turned(x)

    def turned(self, x: Array) -> Array:
        c, s = np.cos(x[self.body, 2]), np.sin(x[self.body, 2])
        return np.array([c * self.arm[0] - s * self.arm[1], s * self.arm[0] + c * self.arm[1]])


class Pinned:
    """A model of rigid planar bodies and smooth pins."""

    def __init__(self, model: Model) -> None:
        self.model = model
        assert {hinge.kind for hinge in model.hinges} == {"pin"}
        self.index = {body.name: k for k, body in enumerate(model.bodies)}
        mass = [model.value(body.mass) for body in model.bodies]
        inertia = [model.value(body.inertia) for body in model.bodies]
        self.mass = np.array([mass, mass, inertia]).T
        self.pins = [tuple(self._side(end) for end in hinge.ends) for hinge in model.hinges]
        self.weight = self.mass * np.array([*map(model.value, model.gravity), 0.0])

    def _side(self, end: End) -> _Side:
        points = self.model.ground if end.body == GROUND else self.model.body(end.body).points
        at = next((point.position for point in points if point.name == end.point), (0, 0))
        arm = np.array([self.model.value(x) for x in at])
        if end.body == GROUND:
            return _Side(None, arm)
        centre = [self.model.value(x) for x in self.model.body(end.body).centre]
        return _Side(self.index[end.body], arm - centre)

    def place(self, q: Array) -> Array:
        """x, y, θ of each body, where joint coordinates put it."""
        found = []
        for body, pose in zip(self.model.bodies, poses(opened(self.model), q), strict=True):
            centre = [self.model.value(x) for x in body.centre]
            at = pose[:2, :2] @ centre + pose[:2, 3]
            found.append([*at, np.arctan2(pose[1, 0], pose[0, 0])])
        return np.array(found)

    def gaps(self, x: Array) -> Array:
        """Φ: child's point less parent's, for each pin."""
        return np.concatenate([child.place(x) - parent.place(x) for parent, child in self.pins])

    def jacobian(self, x: Array) -> Array:
        """Φ_x."""
        rows = np.zeros((2 * len(self.pins), x.size))
        for k, sides in enumerate(self.pins):
            for sign, side in zip((-1, 1), sides, strict=True):
                if side.body is not None:
                    arm, at = side.turned(x), 3 * side.body
                    own = [[1.0, 0.0, -arm[1]], [0.0, 1.0, arm[0]]]
                    rows[2 * k : 2 * k + 2, at : at + 3] += sign * np.array(own)
        return rows

    def motion(self, x: Array, u: Array) -> tuple[Array, Array]:
        """ẍ, and the force on each pin's child, (pins, 2)."""
        J, n = self.jacobian(x), x.size
        matrix = np.zeros((n + len(J), n + len(J)))
        matrix[:n, :n] = np.diag(self.mass.ravel())
        matrix[n:, :n], matrix[:n, n:] = J, -J.T
        bias = np.zeros((len(self.pins), 2))
        for k, sides in enumerate(self.pins):
            for sign, side in zip((-1, 1), sides, strict=True):
                if side.body is not None:
                    bias[k] -= sign * u[side.body, 2] ** 2 * side.turned(x)
        right = np.concatenate([self.weight.ravel(), -bias.ravel()])
        found = np.linalg.solve(matrix, right)
        return found[:n].reshape(x.shape), found[n:].reshape(-1, 2)

    def energy(self, x: Array, u: Array) -> float:
        return float((self.mass * u * u).sum() / 2 - (self.weight * x).sum())

    def run(self, times: Array, tolerance: float = 1e-12) -> tuple[Array, Array]:
        """x and u at these times, from the model's start at rest; (times, bodies, 3) each."""
        assert not any(self.model.v0)
        start = self.place(np.array(self.model.q0))

        def rate(_: float, y: Array) -> Array:
            x, u = y.reshape(2, -1, 3)
            return np.concatenate([u.ravel(), self.motion(x, u)[0].ravel()])

        y = np.concatenate([start.ravel(), np.zeros(start.size)])
        span = times[0], times[-1]
        found = scipy.integrate.solve_ivp(
            rate, span, y, "DOP853", times, rtol=tolerance, atol=tolerance
        )
        x, u = found.y.T.reshape(len(times), 2, -1, 3).swapaxes(0, 1)
        return x, u

"""What a planar linkage of pins does at given angles and rates: places, energy, open loops.

Read off the model's numbers, for all states of a run at once, and used for every method alike.
Each link keeps its own point at a cut pin, so that the gap and its rate are those of two points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mstmm.model import GROUND, End, Model

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moving:
    """Places and velocities of points; (states, 2)."""

    x: Floats
    u: Floats

    def __sub__(self, other: Moving) -> Moving:
        return Moving(self.x - other.x, self.u - other.u)


class Linkage:
    """A model whose hinges are smooth pins, each told from the link nearer to the ground."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.index = {body.name: k for k, body in enumerate(model.bodies)}
        self.links = [
            (self.index.get(hinge.ends[0].body), self.index[hinge.ends[1].body])
            for hinge in model.tree_hinges
        ]
        assert {hinge.kind for hinge in model.hinges} == {"pin"}
        self.mass = np.array([model.value(body.mass) for body in model.bodies])
        self.inertia = np.array([model.value(body.inertia) for body in model.bodies])
        self.gravity = np.array([model.value(x) for x in model.gravity])
        self.cuts = [hinge for hinge in model.hinges if hinge.name in model.cuts]

    def angles(self, q: Floats) -> Floats:
        """The links' own angles from the joints'; rates alike."""
        found = np.empty_like(q)
        for k, (parent, child) in enumerate(self.links):
            found[:, child] = q[:, k] + (0.0 if parent is None else found[:, parent])
        return found

    def _place(self, given: Sequence[object]) -> Floats:
        return np.array([self.model.value(x) for x in given])

    def _at(self, end: End) -> Floats:
        points = self.model.ground if end.body == GROUND else self.model.body(end.body).points
        return next(self._place(p.position) for p in points if p.name == end.point)

    def _origins(self, theta: Floats, omega: Floats) -> dict[int, Moving]:
        """Where each link's own origin is."""
        found: dict[int, Moving] = {}
        for hinge, (_, k) in zip(self.model.tree_hinges, self.links, strict=True):
            at = self._on(found, theta, omega, hinge.ends[0])
            arm = _turned(theta[:, k], omega[:, k], self._at(hinge.ends[1]))
            found[k] = at - arm
        return found

    def _on(self, origins: dict[int, Moving], theta: Floats, omega: Floats, end: End) -> Moving:
        """A point on a link or on the ground."""
        if end.body == GROUND:
            at = np.broadcast_to(self._at(end), (len(theta), 2))
            return Moving(at, np.zeros_like(at))
        k = self.index[end.body]
        arm = _turned(theta[:, k], omega[:, k], self._at(end))
        return Moving(origins[k].x + arm.x, origins[k].u + arm.u)

    def point(self, q: Floats, v: Floats, end: str) -> Moving:
        """A body's point `body:point`."""
        theta, omega = self.angles(q), self.angles(v)
        return self._on(self._origins(theta, omega), theta, omega, End.parse(end))

    def gaps(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Largest distance of a cut pin's two points, and largest relative velocity; (states,)."""
        theta, omega = self.angles(q), self.angles(v)
        origins = self._origins(theta, omega)
        open_, opening = np.zeros(len(q)), np.zeros(len(q))
        for cut in self.cuts:
            first, last = (self._on(origins, theta, omega, end) for end in cut.ends)
            gap = last - first
            open_ = np.maximum(open_, np.linalg.norm(gap.x, axis=1))
            opening = np.maximum(opening, np.linalg.norm(gap.u, axis=1))
        return open_, opening

    def energy(self, q: Floats, v: Floats) -> Floats:
        """Kinetic and potential, the latter zero at the inertial origin; (states,)."""
        theta, omega = self.angles(q), self.angles(v)
        total = np.zeros(len(q))
        for k, origin in self._origins(theta, omega).items():
            own = self._place(self.model.bodies[k].centre)
            arm = _turned(theta[:, k], omega[:, k], own)
            x, u = origin.x + arm.x, origin.u + arm.u
            total += self.mass[k] * ((u * u).sum(axis=1) / 2 - x @ self.gravity)
            total += self.inertia[k] * omega[:, k] ** 2 / 2
        return total


def _turned(theta: Floats, omega: Floats, arm: Floats) -> Moving:
    c, s = np.cos(theta), np.sin(theta)
    x = np.stack([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]], axis=1)
    return Moving(x, omega[:, None] * np.stack([-x[:, 1], x[:, 0]], axis=1))

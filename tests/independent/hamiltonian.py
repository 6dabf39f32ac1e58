"""Hamilton's equations with augmented momenta of any mechanism with closed loops, dense.

With M of the open tree and Φ_v, the relative velocities that the cuts hold, of its speeds:
p = M v − Φ_vᵀ σ, and (v, −σ) from p by the saddle system. Columns are bodies' velocities of
unit speeds, read off their frames (`motions`). The rates of M and Φ_v along a motion are
differences; so ṗ = Ṁ v + M v̇ − Φ̇_vᵀ σ − Φ_vᵀ λ needs no formula for forces in momenta, and v̇
and λ come from the accelerations' saddle system. No body's own balance, no recursion.

Source
    divide-and-conquer paper (3), (6), (8).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mstmm.model import GROUND, Hinge, Model

from .joints import (
    _axial,
    _inertia,
    _number,
    _place,
    _point_frame,
    _rotors,
    coordinate_rates,
    joint_motion,
    motions,
)
from .loops import held, opened
from .tree import FLOAT, Array

#: Offsets and weights of a central difference of order six.
DIFFERENCE = ((-3, -1 / 60), (-2, 3 / 20), (-1, -3 / 4), (1, 3 / 4), (2, -3 / 20), (3, 1 / 60))

#: Its step in s at speeds up to 1/s, where the rest and the rounding are both about 1e-12.
STEP = 4e-3


@dataclass(frozen=True)
class Rates:
    """v̇ (of the speeds), λ = σ̇ (of the conditions) and ṗ."""

    accelerations: Array
    multipliers: Array
    momenta: Array


class Hamiltonian:
    """A model in joint coordinates whose loops are closed by cuts.

    A condition is Dᵀ(V_child − V_parent) = 0, V = (v, ω) in inertial axes. `axes`: both at the
    child's point, and the held directions D turn with the parent ("parent"); or, where a cut
    holds all translation, each at its own point and D the inertial axes ("inertial"). On closed
    loops the choice is one of σ's and p's gauge.
    """

    def __init__(self, model: Model, axes: str = "parent") -> None:
        assert axes in ("parent", "inertial")
        assert not any(hinge.mimic or hinge.motion for hinge in model.hinges)
        self.model, self.axes, self.tree = model, axes, opened(model)
        self.cuts = [hinge for hinge in model.hinges if hinge.name in model.cuts]
        self.index = {body.name: k for k, body in enumerate(model.bodies)}

    def mass(self, q: Array) -> Array:
        """M of the open tree."""
        frames = motions(self.tree, q, np.zeros(len(self.model.speeds)))
        total = np.diag(np.array(_rotors(self.tree, FLOAT), dtype=float))
        for k, body in enumerate(self.model.bodies):
            own = np.array([*_place(self.model, body.centre, FLOAT), 1.0])
            R, d = frames[k].x[:3, :3], frames[k].dd[1:]
            shifts, turns = (d @ own)[:, :3], _axial(d[:, :3, :3] @ R.T)
            inertia = R @ _inertia(self.model, k, FLOAT) @ R.T
            total = total + _number(self.model, body.mass, FLOAT) * shifts @ shifts.T
            total = total + turns @ inertia @ turns.T
        return total

    def conditions(self, q: Array) -> Array:
        """Φ_v: held relative velocities, a row each, of the speeds."""
        frames = motions(self.tree, q, np.zeros(len(self.model.speeds)))
        rows = [np.zeros((0, len(self.model.speeds)))]
        for cut in self.cuts:
            ends, twists = [], []
            for end in cut.ends:
                point = _point_frame(self.model, end, FLOAT)
                if end.body == GROUND:
                    ends.append(point)
                    twists.append(np.zeros((len(self.model.speeds), 6)))
                    continue
                frame = frames[self.index[end.body]]
                d = frame.dd[1:]
                spin = _axial(d[:, :3, :3] @ frame.x[:3, :3].T)
                ends.append(frame.x @ point)
                twists.append(np.hstack([(d @ point)[:, :3, 3], spin]))
            if not self._inertial(cut):
                arm = ends[1][:3, 3] - ends[0][:3, 3]
                twists[0][:, :3] += np.cross(twists[0][:, 3:], arm)
            rows.append(self._held(cut, ends).T @ (twists[1] - twists[0]).T)
        return np.vstack(rows)

    def _inertial(self, cut: Hinge) -> bool:
        whole = set(range(self.model.dimension)) <= set(held(self.model.dimension, cut))
        return self.axes == "inertial" and whole

    def _held(self, cut: Hinge, ends: Sequence[Array]) -> Array:
        """D, the held directions as columns (v, ω) in inertial axes."""
        kept = held(self.model.dimension, cut)
        parent, none = ends[0][:3, :3], np.zeros(3)
        still = np.eye(3) if self._inertial(cut) else parent
        pitch, radius = (_number(self.model, x, FLOAT) for x in (cut.pitch, cut.radius))
        columns = {
            **{k: np.concatenate([still[:, k], none]) for k in range(3)},
            **{3 + k: np.concatenate([none, parent[:, k]]) for k in range(3)},
            6: np.concatenate([none, np.cross(parent[:, 0], ends[1][:3, 1])]),
            7: np.concatenate([parent[:, 2], -pitch * parent[:, 2]]),
            8: np.concatenate([parent[:, 0], -radius * parent[:, 2]]),
        }
        return np.array([columns[k] for k in kept]).T

    def momenta(self, q: Array, v: Array, sigma: Array) -> Array:
        """p = M v − Φ_vᵀ σ."""
        return self.mass(q) @ v - self.conditions(q).T @ sigma

    def velocities(self, q: Array, p: Array) -> tuple[Array, Array]:
        """v and σ from p; σ of least norm where conditions are redundant."""
        M, J = self.mass(q), self.conditions(q)
        v, least = _saddle(M, J, np.asarray(p), np.zeros(len(J)))
        return v, -least

    def rates(self, q: Array, v: Array, sigma: Array, tau: Array | None = None) -> Rates:
        """Along the true motion through this state; `tau`: generalised forces of the speeds."""
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        M, J = self.mass(q), self.conditions(q)
        direction = np.array(coordinate_rates(self.tree, q, v), dtype=float)
        step = STEP / max(1.0, np.abs(v).max(initial=0.0))
        Mdot, Jdot = (
            sum(w * matrix(q + k * step * direction) for k, w in DIFFERENCE) / step
            for matrix in self._matrices
        )
        free = joint_motion(self.tree, q, v, tau).accelerations
        a, least = _saddle(M, J, M @ free, -Jdot @ v)
        momenta = Mdot @ v + M @ a - Jdot.T @ np.asarray(sigma) + J.T @ least
        return Rates(a, -least, momenta)

    @property
    def _matrices(self) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
        return self.mass, self.conditions


def _saddle(M: Array, J: Array, above: Array, below: Array) -> tuple[Array, Array]:
    """x and y of M x + Jᵀ y = above, J x = below; y of least norm."""
    n, m = len(M), len(J)
    matrix = np.zeros((n + m, n + m))
    matrix[:n, :n], matrix[:n, n:], matrix[n:, :n] = M, J.T, J
    found = np.linalg.lstsq(matrix, np.concatenate([above, below]), rcond=1e-11)[0]
    return found[:n], found[n:]

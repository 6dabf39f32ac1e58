"""A tree of bodies that flies, in coordinates in which its spatial momentum is kept.

The tree moves in the coordinates and speeds of its hinges, but for the body that flies: its pose
moves by exponentials, and in the place of its twist stands the spatial momentum of all bodies
together, which nothing but external loads can change.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..errors import UsageError
from ..model import GROUND, Model
from .backend import Floats as Array
from .geometric import Flight, exponential, inverse_differential, inward, outward, pose_of
from .solver import Solver, compile_model


@dataclass(frozen=True)
class _State:
    """The pose of the body that flies, the hinges' coordinates and speeds, the momentum."""

    pose: Array
    q: Array
    u: Array
    P: Array


class FlyingTree:
    """A tree of bodies in space whose root body flies, in coordinates that keep its momentum.

    The state is the pose C of the root body, the coordinates q and speeds u of the other hinges,
    and the spatial momentum Π of all bodies. The root's twist follows from it,
    M_bb V = Ad_Cᵀ Π − M_bh u with the base's rows of the mass matrix, u̇ is that of the Riccati
    method, and Π̇ is what weights exert: without gravity Π does not change.

    Raises
        UsageError: the model is not in space, its one hinge to the ground is not a free one told
            from the ground, or another hinge has a quaternion, a drive, loops or loads.
        ToolchainError: there is no C compiler, or it fails (target `c`).
    Source
        own; screw paper (37), (80), (89), (90).
    """

    def __init__(self, model: Model, *, target: str = "c") -> None:
        self.model = model
        self._check(model)
        self.forward: Solver = compile_model(model, target=target)
        self.inverse: Solver = compile_model(model, algorithm="rnea-body", target=target)
        self.g = np.array([float(model.value(x)) for x in model.gravity])

    def _check(self, model: Model) -> None:
        grounded = [h for h in model.hinges if GROUND in (end.body for end in h.ends)]
        others = [h for h in model.hinges if h not in grounded]
        quaternions = sum(name.endswith("_Qw") for name in model.coordinates)
        if model.dimension != 3 or model.absolute:
            raise UsageError(f"{model.name}: a flying tree is in space and in joint coordinates")
        if (
            len(grounded) != 1
            or grounded[0].kind != "free"
            or grounded[0].ends[0].body != GROUND
            or grounded[0] != model.hinges[0]
        ):
            raise UsageError(
                f"{model.name}: the first hinge of a flying tree must be its only one to the "
                "ground, of kind free, and told from the ground"
            )
        if quaternions > 1:
            raise UsageError(
                f"{model.name}: the hinges of a flying tree must have no quaternions but the first"
            )
        if model.cuts or model.loads or model.base or any(h.motion or h.mimic for h in others):
            raise UsageError(
                f"{model.name}: a flying tree takes no loops, loads, drives or moving base"
            )

    @cached_property
    def placed(self) -> Array:
        """The ground's point where the free hinge begins, as a pose."""
        C = np.eye(4)
        end = self.model.hinges[0].ends[0]
        point = self.model.ground_point(end.point)
        C[:3, 3] = [float(self.model.value(x)) for x in point.position]
        if point.axes is not None:
            assert isinstance(point.axes, tuple)
            C[:3, :3] = [[float(self.model.value(x)) for x in row] for row in point.axes]
        return C

    def begin(self, q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None) -> _State:
        """The state of coordinates and speeds; the model's start by default."""
        q = np.array(self.model.q0 if q is None else q, dtype=float)
        v = np.array(self.model.v0 if v is None else v, dtype=float)
        local = pose_of(_rotation(q[3:7]), q[:3])
        C = self.placed @ local
        p = self.inverse.mass_matrix(q)[:6] @ v
        return _State(C, q[7:], v[6:], outward(C, np.concatenate([p[3:], p[:3]])))

    def coordinates(self, state: _State) -> tuple[Array, Array]:
        """(q, v) of a state; the free hinge's quaternion is that of the pose."""
        local = np.linalg.inv(self.placed) @ state.pose
        q = np.concatenate([local[:3, 3], _quaternion(local[:3, :3]), state.q])
        rows = self.inverse.mass_matrix(q)[:6]
        own = inward(state.pose, state.P)
        demand = np.concatenate([own[3:], own[:3]]) - rows[:, 6:] @ state.u
        return q, np.concatenate([np.linalg.solve(rows[:, :6], demand), state.u])

    def _rates(self, state: _State, X: Array) -> tuple[Array, Array, Array, Array]:
        q, v = self.coordinates(state)
        R, r = state.pose[:3, :3], state.pose[:3, 3]
        spin = R @ v[3:6]
        V = np.concatenate([spin, R @ v[:3] + np.cross(r, spin)])
        block = self.inverse.mass_matrix(q)[:6, :3] @ (R.T @ self.g)
        W = outward(state.pose, np.concatenate([block[3:], block[:3]]))
        a = self.forward.accelerations(q, v)
        return inverse_differential(X, V), self.forward.rates(q, v)[7:], a[6:], W

    def step(self, state: _State, h: float) -> _State:
        """One step of the classical Runge–Kutta method on increments."""
        stages: list[tuple[Array, Array, Array, Array]] = []
        for weights in ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)):
            moved = _moved(state, h, weights, stages)
            stages.append(self._rates(moved[0], moved[1]))
        return _moved(state, h, (1 / 6, 1 / 3, 1 / 3, 1 / 6), stages)[0]

    def simulate(
        self,
        *,
        steps: int,
        dt: float,
        record: int = 1,
    ) -> Flight:
        """The motion from the model's start in steps of fixed length.

        The flight's poses and twists are those of the root body's point; its momenta are of all
        bodies, from the mass matrix.

        Raises
            UsageError: a number of steps that `record` does not divide.
        """
        if record < 1 or steps % record:
            raise UsageError(f"record = {record} must divide steps = {steps}")
        state = self.begin()
        kept = [state]
        for k in range(1, steps + 1):
            state = self.step(state, dt)
            if k % record == 0:
                kept.append(state)
        poses, twists, momenta, energy = [], [], [], []
        for each in kept:
            q, v = self.coordinates(each)
            p = self.inverse.mass_matrix(q)[:6] @ v
            poses.append(each.pose)
            twists.append(np.concatenate([v[3:6], v[:3]]))
            momenta.append(outward(each.pose, np.concatenate([p[3:], p[:3]])))
            energy.append(float(self.forward.energy(q, v)))
        return Flight(
            dt * record * np.arange(len(kept), dtype=float),
            np.array(poses),
            np.array(twists),
            np.array(momenta),
            np.array(energy),
        )


def _moved(
    state: _State,
    h: float,
    weights: tuple[float, ...],
    stages: list[tuple[Array, Array, Array, Array]],
) -> tuple[_State, Array]:
    """The state that weighted stages lead to, and the pose's increment."""
    used = [(w * h, stage) for w, stage in zip(weights, stages, strict=True) if w]

    def total(k: int, start: Array) -> Array:
        return start + sum((w * stage[k] for w, stage in used), np.zeros_like(start))

    X = total(0, np.zeros(6))
    pose = exponential(X) @ state.pose
    return _State(pose, total(1, state.q), total(2, state.u), total(3, state.P)), X


def _rotation(Q: Array) -> Array:
    w, x, y, z = Q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _quaternion(R: Array) -> Array:
    """The unit quaternion of a rotation, by its largest component."""
    squares = np.array([1 + R.trace(), *(1 + 2 * R[i, i] - R.trace() for i in range(3))]) / 4
    largest = int(np.argmax(squares))
    mixed = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    if largest == 0:
        Q = np.array([squares[0], *(mixed / 4)])
    else:
        i = largest - 1
        Q = np.array([mixed[i] / 4, *((R[i] + R[:, i]) / 4)])
        Q[largest] = squares[largest]
    return np.asarray(Q / np.linalg.norm(Q), dtype=float)

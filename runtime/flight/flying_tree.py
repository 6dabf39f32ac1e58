"""A tree of bodies that flies, in coordinates in which its spatial momentum is kept.

The tree moves in the coordinates and speeds of its hinges, but for the body that flies: its pose
moves by exponentials, and in the place of its twist stands the spatial momentum of all bodies
together, which nothing but external loads can change.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from ...blame import blamed_parts
from ...codegen.targets.registry import single
from ...errors import NumericsError, UsageError
from ...model import GROUND, Model, load
from ...shown import Shown
from ...symbolic.plans.plan import plan
from ..evaluation.arrays import Floats as Array
from ..evaluation.arrays import shaped
from ..evaluation.backend import SingleBackend
from ..solver import Solver, compile_model
from .free_body import Flight, check_steps
from .poses import cross, exponential, inverse_differential, inward, outward, pose_of, rounded


class _Bound:
    """An entry of a solver at one state, called again and again without checks."""

    def __init__(self, solver: Solver, entry: str, result: str) -> None:
        backend = cast(SingleBackend, solver.backend)
        interface = backend.interface
        names = interface.arguments[entry]
        self.buffers: dict[str, Array] = {
            name: np.zeros((1, interface.sizes[name])) for name in names
        }
        self.given = [name for name in names if name not in interface.results[entry]]
        self.result = result
        self.call = backend.bound(entry, self.buffers)

    def __call__(self, **values: Array) -> Array:
        for name in self.given:
            if name in values:
                self.buffers[name][0] = values[name]
        if not self.call():
            raise NumericsError("the result is not finite; the configuration is singular")
        return np.array(self.buffers[self.result][0], dtype=float)


@dataclass(frozen=True)
class _State:
    """The pose of the body that flies, the hinges' coordinates and speeds, the momentum."""

    pose: Array
    q: Array
    u: Array
    P: Array


@dataclass(frozen=True)
class _Moved:
    """A state, and the increments of the pose and of the coordinates that led to it."""

    state: _State
    X: Array
    x: Array


#: Rates of the pose's increment, of the coordinates, of the speeds and of the momentum.
_Rates = tuple[Array, Array, Array, Array]


@blamed_parts
class FlyingTree(Shown):
    """A tree of bodies in space whose root body flies, in coordinates that keep its momentum.

    The state is the pose C of the root body, the coordinates q and speeds u of the other hinges,
    and the spatial momentum Π of all bodies. The root's twist follows from it,
    M_bb V = Ad_Cᵀ Π − M_bh u with the base's rows of the mass matrix, u̇ is that of the Riccati
    method, and Π̇ is what weights exert: without gravity Π does not change.

    Raises
        UsageError: the model is not in space, its one hinge to the ground is not a free one told
            from the ground, or another one is driven, or there are loops or loads.
        ToolchainError: there is no C compiler, or it fails (target `c`).
    Source
        own; screw paper (37), (80), (89), (90).
    """

    def __init__(self, model: Model | str, *, target: str = "c") -> None:
        self.model = model = load(model) if isinstance(model, str) else model
        self._check(model)
        target = single("a flying tree", target).name
        self.forward: Solver = compile_model(model, target=target)
        self.inverse: Solver = compile_model(model, algorithm="rnea-body", target=target)
        if "t" in self.forward.interface.inputs:
            raise UsageError(f"{model.name}: nothing of a flying tree may depend on the time")
        self._accelerations = _Bound(self.forward, "accelerations", "a")
        self._coordinate_rates = _Bound(self.forward, "rates", "qd")
        self._mass_matrix = _Bound(self.inverse, "mass_matrix", "M")
        self.g = np.array([float(model.value(x)) for x in model.gravity])

    def __repr__(self) -> str:
        return f"<FlyingTree of {self.model.name}: {len(self.model.bodies)} bodies>"

    def _check(self, model: Model) -> None:
        grounded = [h for h in model.hinges if GROUND in (end.body for end in h.ends)]
        others = [h for h in model.hinges if h not in grounded]
        if model.dimension != 3 or model.absolute:
            raise UsageError(f"{model.name}: a flying tree is in space and in joint coordinates")
        if (
            len(grounded) != 1
            or grounded[0].kind != "free"
            or grounded[0].ends[0].body != GROUND
            or grounded[0] != model.hinges[0]
            or any(
                getattr(grounded[0], field)
                for field in ("force", "motion", "rotor", "potential", "stiffness")
            )
        ):
            raise UsageError(
                f"{model.name}: the first hinge of a flying tree must be its only one to the "
                "ground, of kind free, described from the ground, and nothing may act in it"
            )
        driven = any(h.motion or h.mimic for h in others)
        if plan(model).cuts or model.loads or model.forces or model.base or driven:
            raise UsageError(
                f"{model.name}: a flying tree takes no loops, loads, forces between points, drives "
                "or moving base"
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

    @cached_property
    def _unplaced(self) -> Array:
        return np.asarray(np.linalg.inv(self.placed), dtype=float)

    def begin(self, q: npt.ArrayLike | None = None, v: npt.ArrayLike | None = None) -> _State:
        """The state of coordinates and speeds; the model's start by default.

        Raises
            UsageError: a shape that does not fit, a number that is not finite, or a quaternion
                without unit length.
        """
        q = self.forward.state("q", self.model.q0 if q is None else q)
        v = self.forward.state("v", self.model.v0 if v is None else v)
        q, v = shaped("q", q, q.shape[-1:]), shaped("v", v, v.shape[-1:])
        local = pose_of(_rotation(q[3:7]), q[:3])
        C = self.placed @ local
        p = self.base_rows(q) @ v
        return _State(C, q[7:], v[6:], outward(C, np.concatenate([p[3:], p[:3]])))

    def base_rows(self, q: Array) -> Array:
        """The mass matrix's rows of the free hinge: times v they are the momentum (p, L) there."""
        return self._mass_matrix(q=q).reshape(len(self.model.speeds), -1)[:6]

    def coordinates(self, state: _State) -> tuple[Array, Array]:
        """(q, v) of a state; the free hinge's quaternion is that of the pose."""
        q, v, _ = self._told(state)
        return q, v

    def _told(self, state: _State) -> tuple[Array, Array, Array]:
        local = self._unplaced @ state.pose
        q = np.concatenate([local[:3, 3], _quaternion(local[:3, :3]), state.q])
        rows = self.base_rows(q)
        own = inward(state.pose, state.P)
        demand = np.concatenate([own[3:], own[:3]]) - rows[:, 6:] @ state.u
        return q, np.concatenate([np.linalg.solve(rows[:, :6], demand), state.u]), rows

    @cached_property
    def turns(self) -> tuple[tuple[int, int], ...]:
        """Where quaternions stand in q, and the angular velocities that turn them in u."""
        found = self.forward.interface.turns
        return tuple((turn.q - 7, turn.v - 6) for turn in found if turn.q > 6)

    def _rates(self, moved: _Moved) -> _Rates:
        state = moved.state
        q, v, rows = self._told(state)
        R, r = state.pose[:3, :3], state.pose[:3, 3]
        spin = R @ v[3:6]
        V = np.concatenate([spin, R @ v[:3] + cross(r, spin)])
        block = rows[:, :3] @ (R.T @ self.g)
        W = outward(state.pose, np.concatenate([block[3:], block[:3]]))
        a, rates = self._accelerations(q=q, v=v), self._coordinate_rates(q=q, v=v)
        turning = rates[7:]
        for at, spin_at in self.turns:
            turning[at : at + 4] = _turn_rate(moved.x[at : at + 3], state.u[spin_at : spin_at + 3])
        return inverse_differential(moved.X, V), turning, a[6:], W

    def step(self, state: _State, h: float) -> _State:
        """One step of the classical Runge–Kutta method on increments."""
        stages: list[_Rates] = []
        for weights in ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)):
            stages.append(self._rates(self._moved(state, h, weights, stages)))
        end = self._moved(state, h, (1 / 6, 1 / 3, 1 / 3, 1 / 6), stages).state
        return replace(end, pose=rounded(end.pose))

    def _moved(
        self, state: _State, h: float, weights: tuple[float, ...], stages: list[_Rates]
    ) -> _Moved:
        """The state that weighted stages lead to."""
        used = [(w * h, stage) for w, stage in zip(weights, stages, strict=True) if w]

        def total(k: int, like: Array) -> Array:
            return sum((w * stage[k] for w, stage in used), np.zeros_like(like))

        X, x = total(0, np.zeros(6)), total(1, state.q)
        q = state.q + x
        for at, _ in self.turns:
            q[at : at + 4] = _turned(state.q[at : at + 4], x[at : at + 3])
        pose = exponential(X) @ state.pose
        u, P = state.u + total(2, state.u), state.P + total(3, state.P)
        return _Moved(_State(pose, q, u, P), X, x)

    def simulate(
        self,
        q: npt.ArrayLike | None = None,
        v: npt.ArrayLike | None = None,
        *,
        steps: int,
        dt: float,
        record: int = 1,
    ) -> Flight:
        """The motion from (q, v), by default the model's start, in steps of fixed length.

        The flight's poses and twists are those of the root body's point; its momenta are of all
        bodies, from the mass matrix; its `q` and `v` those of all hinges.

        Raises
            UsageError: a start that `begin` refuses, a step that is not positive, or a number of
                steps that `record` does not divide.
            NumericsError: the motion leaves the finite numbers.
        """
        check_steps(steps, dt, record)
        state = self.begin(q, v)
        kept = [state]
        for k in range(1, steps + 1):
            state = self.step(state, dt)
            if k % record == 0:
                kept.append(state)
        told = [self.coordinates(each) for each in kept]
        moved = [self.base_rows(q) @ v for q, v in told]
        return Flight(
            time=dt * record * np.arange(len(kept), dtype=float),
            poses=np.array([each.pose for each in kept]),
            twists=np.array([np.concatenate([v[3:6], v[:3]]) for _, v in told]),
            momenta=np.array(
                [
                    outward(each.pose, np.concatenate([p[3:], p[:3]]))
                    for each, p in zip(kept, moved, strict=True)
                ]
            ),
            energy=np.array([float(self.forward.energy(q, v)) for q, v in told]),
            q=np.array([q for q, _ in told]),
            v=np.array([v for _, v in told]),
        )


def _turned(Q: Array, x: Array) -> Array:
    """Q exp(x), of unit length."""
    angle = float(np.sqrt(x @ x)) / 2
    s = np.sin(angle) / (2 * angle) if angle > 1e-8 else 0.5
    w, r, c, y = Q[0], Q[1:], np.cos(angle), s * x
    moved = np.array([w * c - r @ y, *(c * r + w * y + cross(r, y))])
    return np.asarray(moved / np.sqrt(moved @ moved), dtype=float)


def _turn_rate(x: Array, omega: Array) -> Array:
    """dexp⁻¹_{−x} ω to x², and a zero in the place of the fourth component."""
    once = cross(x, omega)
    return np.array([*(omega + once / 2 + cross(x, once) / 12), 0.0])


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

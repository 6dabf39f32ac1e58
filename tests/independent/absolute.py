"""Newton–Euler in absolute coordinates with Lagrange multipliers: every hinge kind, any topology.

Unknowns: for each body the acceleration of its centre of mass and its angular acceleration, for
each condition of a hinge, cut or not, a multiplier. A hinge's conditions are entries of the
child's frame as seen from the parent's that stay what they are (`HELD`); a driven hinge holds
all six of the frame that its motion prescribes. The conditions are differentiated along the
bodies' motions (`Jet`), and all stand in one dense system (KKT). No tree, no recursion.

Joint coordinates enter twice: poses and velocities are composed from them, and the speeds'
derivatives are read off the bodies' accelerations at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mstmm.model import GROUND, End, Hinge, Model

from .conditions import held
from .joints import (
    Jet,
    _across,
    _axial,
    _inertia,
    _inverse,
    _place,
    _point_frame,
    _steady,
    frames_along,
)
from .moving import State, applied, opened, paths, prescribed, subspace
from .tree import FLOAT, Array, cross, joints

#: A body's own motions: its velocity as it is, then six unit accelerations from rest.
MOTIONS = 7

#: What a hinge may be open and open by, in m, rad, m/s, rad/s: rounding.
CLOSED = 1e-9

#: Singular values below this part of the largest are none.
RANK = 1e-9


@dataclass(frozen=True)
class Motion:
    """What the judge finds: `accelerations` and `loads` as of `JointMotion`, cuts included.

    `drives`: the generalised force that drives each prescribed coordinate. `redundant`:
    conditions that follow from the others; `undetermined`: the ends whose loads they leave
    open. `condition`: of the dense system. `left`: what of its equations cannot be met.
    """

    accelerations: Array
    loads: dict[str, Array]
    drives: dict[str, Array]
    undetermined: frozenset[str]
    redundant: int
    condition: float
    left: float


def absolute_motion(state: State) -> Motion:
    """Solve the balances of all bodies and the conditions of all hinges at once."""
    bodies = _bodies(state)
    index = {body.name: k for k, body in enumerate(state.model.bodies)}
    across = {hinge.name: _Across.of(state, hinge, bodies, index) for hinge in state.model.hinges}
    own = list(range(6)) if state.model.dimension == 3 else [0, 1, 5]
    n, size = len(bodies), len(own)
    rows = sum(len(hinge.bias) for hinge in across.values())
    matrix = np.zeros((size * n + rows, size * n + rows))
    right = np.zeros(size * n + rows)
    for k, body in enumerate(bodies):
        at = slice(size * k, size * (k + 1))
        matrix[at, at] = body.mass[np.ix_(own, own)]
        right[at] = body.force[own]
    first = size * n
    for hinge in across.values():
        below = slice(first, first + len(hinge.bias))
        for end, J, acting in zip(hinge.bodies, hinge.rows, hinge.applied, strict=True):
            if end is not None:
                at = slice(size * end, size * (end + 1))
                matrix[below, at] = J[:, own]
                matrix[at, below] = -J[:, own].T
                right[at] += acting[own]
        right[below] = -hinge.bias
        first = below.stop
    solved = _solved(matrix, right, bool(state.model.cuts))
    found = solved.found
    A = np.zeros((n, 6))
    A[:, own] = found[: size * n].reshape(n, size)
    multipliers, free, first = {}, {}, size * n
    for name, hinge in across.items():
        below = slice(first, first + len(hinge.bias))
        multipliers[name], free[name] = found[below], solved.free[below]
        first = below.stop
    return Motion(
        accelerations=_speeds_derivatives(state, across, A),
        loads=_loads(state, bodies, across, multipliers),
        drives=_drives(state, bodies, across, multipliers),
        undetermined=_undetermined(state, across, free),
        redundant=solved.free.shape[1],
        condition=solved.condition,
        left=float(np.abs(matrix @ found - right).max() / max(1.0, np.abs(right).max())),
    )


@dataclass(frozen=True)
class _Solved:
    """The unknowns, of least norm; `free`: columns that may be added to them."""

    found: Array
    free: Array
    condition: float


def _solved(matrix: Array, right: Array, closed: bool) -> _Solved:
    """Only what is closed can be redundant."""
    if not closed:
        condition = float(np.linalg.cond(matrix, 1))
        return _Solved(np.linalg.solve(matrix, right), np.zeros((len(right), 0)), condition)
    left, values, rows = np.linalg.svd(matrix)
    rank = int((values > RANK * values[0]).sum())
    found = rows[:rank].T @ ((left[:, :rank].T @ right) / values[:rank])
    return _Solved(found, rows[rank:].T, float(values[0] / values[rank - 1]))


@dataclass(frozen=True)
class _Body:
    """Its frame along its own motions; mass matrix and forces about the centre of mass."""

    frame: Jet
    mass: Array
    force: Array
    centre: Array


def _bodies(state: State) -> list[_Body]:
    model = state.model
    along = paths(model, state.q, state.v[None], 0 * state.v[None], state.t, np.ones(1))
    gravity = _place(model, model.gravity, FLOAT)
    found = []
    for k, moving in enumerate(frames_along(opened(model), along, 1, FLOAT)):
        R, own = moving.x[:3, :3], _place(model, model.bodies[k].centre, FLOAT)
        spin = _axial(moving.d[0, :3, :3] @ R.T)
        speed = moving.d[0, :3, :3] @ own + moving.d[0, :3, 3]
        mass = model.value(model.bodies[k].mass)
        inertia = R @ _inertia(model, k, FLOAT) @ R.T
        external = state.wrenches[k]
        force = np.concatenate(
            [mass * gravity + external[3:], external[:3] - np.cross(spin, inertia @ spin)]
        )
        matrix = np.zeros((6, 6))
        matrix[:3, :3], matrix[3:, 3:] = mass * np.eye(3), inertia
        frame = _moving(moving.x, own, speed, spin)
        found.append(_Body(frame, matrix, force, R @ own + moving.x[:3, 3]))
    return found


def _moving(place: Array, own: Array, speed: Array, spin: Array) -> Jet:
    """A body's frame: R' = ω × R, R'' = α × R + ω × (ω × R); the origin follows the centre."""
    R = place[:3, :3]
    d, dd = np.zeros((MOTIONS, 4, 4)), np.zeros((MOTIONS, 4, 4))
    W = cross(spin)
    d[0, :3, :3], d[0, :3, 3] = W @ R, speed - W @ R @ own
    dd[0, :3, :3], dd[0, :3, 3] = W @ W @ R, -W @ W @ R @ own
    for i, unit in enumerate(np.eye(3)):
        dd[1 + i, :3, 3] = unit
        dd[4 + i, :3, :3], dd[4 + i, :3, 3] = cross(unit) @ R, -cross(unit) @ R @ own
    return Jet(place, d, dd)


@dataclass(frozen=True)
class _Across:
    """A hinge: its two bodies, rows of J for each, bias, and the applied wrench on each.

    `ends`: the frames of the two ends, inertial axes; `frame`: the child's as seen from the
    parent's, along motion 0, then the parent's and the child's six unit accelerations. `H`:
    relative velocity and spin for each speed, parent's axes.
    """

    hinge: Hinge
    ends: tuple[Array, Array]
    bodies: tuple[int | None, int | None]
    rows: tuple[Array, Array]
    bias: Array
    applied: tuple[Array, Array]
    frame: Jet
    H: Array

    @classmethod
    def of(cls, state: State, hinge: Hinge, bodies: list[_Body], index: dict[str, int]) -> _Across:
        model = state.model
        own = [index.get(end.body) for end in hinge.ends]
        sides = [_side(model, end, bodies, index, k) for k, end in enumerate(hinge.ends)]
        frame = _inverse(sides[0]) @ sides[1]
        along = prescribed(state, hinge, len(frame.d))
        zero = held(model, hinge, frame if along is None else _inverse(along) @ frame)
        assert np.abs(zero.x).max(initial=0.0) < CLOSED, f"hinge {hinge.name} is open"
        assert np.abs(zero.d[0]).max(initial=0.0) < CLOSED, f"hinge {hinge.name} opens"
        H, tau = subspace(state, hinge), applied(state, hinge)
        wrench = H @ np.linalg.solve(H.T @ H, tau) if H.size else np.zeros(6)
        force, moment = (sides[0].x[:3, :3] @ half for half in (wrench[:3], wrench[3:]))
        acting = []
        for sign, k in zip((-1, 1), own, strict=True):
            arm = np.zeros(3) if k is None else sides[1].x[:3, 3] - bodies[k].centre
            acting.append(sign * np.concatenate([force, moment + np.cross(arm, force)]))
        return cls(
            hinge,
            (sides[0].x, sides[1].x),
            (own[0], own[1]),
            (zero.dd[1:7].T, zero.dd[7:13].T),
            zero.dd[0],
            (acting[0], acting[1]),
            frame,
            H,
        )


def _side(model: Model, end: End, bodies: list[_Body], index: dict[str, int], which: int) -> Jet:
    """The point's frame, along both bodies' motions."""
    point = _steady(_point_frame(model, end, FLOAT), 2 * MOTIONS - 1)
    if end.body == GROUND:
        return point
    body = bodies[index[end.body]].frame
    d, dd = np.zeros((2 * MOTIONS - 1, 4, 4)), np.zeros((2 * MOTIONS - 1, 4, 4))
    own = slice(1, 7) if which == 0 else slice(7, 13)
    d[0], dd[0], dd[own] = body.d[0], body.dd[0], body.dd[1:]
    return Jet(body.x, d, dd) @ point


def _wrench(across: _Across, multipliers: Array, bodies: list[_Body], side: int) -> Array:
    """Force on a side's body, and moment about that side's point; inertial axes."""
    k = across.bodies[side]
    if k is None:
        there = _wrench(across, multipliers, bodies, 1 - side)
        arm = across.ends[1 - side][:3, 3] - across.ends[side][:3, 3]
        return -np.concatenate([there[:3], there[3:] + np.cross(arm, there[:3])])
    wrench = across.rows[side].T @ multipliers + across.applied[side]
    arm = bodies[k].centre - across.ends[side][:3, 3]
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(arm, wrench[:3])])


def _loaded(state: State, hinge: Hinge) -> int:
    """The side whose loads are told: away from the ground; of a cut the child's, if a body."""
    if hinge.name in state.model.cuts:
        return int(hinge.ends[1].body != GROUND)
    return int(hinge.ends[1] in {joint.tip for joint in joints(opened(state.model))})


def _loads(
    state: State,
    bodies: list[_Body],
    across: dict[str, _Across],
    multipliers: dict[str, Array],
) -> dict[str, Array]:
    loads = {}
    for name, hinge in across.items():
        side = _loaded(state, hinge.hinge)
        wrench = _wrench(hinge, multipliers[name], bodies, side)
        if state.model.dimension == 2:
            wrench[[2, 3, 4]] = 0.0
        loads[str(hinge.hinge.ends[side])] = np.concatenate([wrench[3:], -wrench[:3]])
    return loads


def _undetermined(
    state: State, across: dict[str, _Across], free: dict[str, Array]
) -> frozenset[str]:
    """Ends whose loads change with what may be added to the multipliers."""
    found = set()
    for name, hinge in across.items():
        if np.abs(free[name]).max(initial=0.0) > RANK**0.5:
            found.add(str(hinge.hinge.ends[_loaded(state, hinge.hinge)]))
    return frozenset(found)


def _drives(
    state: State,
    bodies: list[_Body],
    across: dict[str, _Across],
    multipliers: dict[str, Array],
) -> dict[str, Array]:
    """Hᵀ times the wrench on the child, at its point, in the parent's axes."""
    found = {}
    for name, hinge in across.items():
        if hinge.hinge.motion:
            E = hinge.ends[0][:3, :3].T
            wrench = _wrench(hinge, multipliers[name], bodies, 1)
            found[name] = hinge.H.T @ np.concatenate([E @ wrench[:3], E @ wrench[3:]])
    return found


def _speeds_derivatives(state: State, across: dict[str, _Across], A: Array) -> Array:
    """dv/dt: the relative acceleration of each hinge's ends, expressed in its own speeds."""
    model = state.model
    found: list[Array] = [np.zeros(0)]
    speeds = len(state.v)
    v = np.vstack([state.v, np.zeros((speeds, speeds))])
    rates = np.vstack([np.zeros((1, speeds)), np.eye(speeds)])
    along = paths(model, state.q, v, rates, state.t, np.zeros(speeds + 1))
    for hinge in model.tree_hinges:
        if hinge.motion or not model.hinge_speeds(hinge):
            continue
        seen = across[hinge.name]
        amounts = np.concatenate(
            [[1.0], *(np.zeros(6) if k is None else A[k] for k in seen.bodies)]
        )
        relative = np.tensordot(amounts, seen.frame.dd, 1)
        own = [1 + model.speeds.index(name) for name in model.hinge_speeds(hinge)]
        path = _across(model, hinge, along[hinge.name], FLOAT)
        columns = path.dd[own].reshape(len(own), 16).T
        found.append(np.linalg.lstsq(columns, (relative - path.dd[0]).ravel(), rcond=None)[0])
    return np.concatenate(found)

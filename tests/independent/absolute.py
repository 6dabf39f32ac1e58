"""Newton–Euler in absolute coordinates with Lagrange multipliers: every hinge kind, any topology.

Unknowns: for each body the acceleration of its centre of mass and its angular acceleration, for
each condition of a hinge, cut or not, and for each coupling a multiplier. A hinge's conditions are
entries of the child's frame as seen from the parent's that stay what they are (`HELD`); a driven
hinge holds all six of the frame that its motion prescribes. The conditions are differentiated along
the bodies' motions (`Jet`), and all stand in one dense system (KKT). No tree, no recursion.

What acts, in hinges, between points and on bodies, is that of `forces`; a rotor's inertia resists
the acceleration of its hinge. Massless bodies have rows of zeros in the mass matrix.

Joint coordinates enter twice: poses and velocities are composed from them, and the speeds'
derivatives are read off the bodies' accelerations at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mstmm.model import GROUND, End, Hinge, Model
from mstmm.model.expressions.quantities import TIME

from .conditions import held
from .forces import cut_spring, external, generalised, moving_base, read, seen, tree_energy
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
    grounded,
)
from .moving import State, opened, paths, places, prescribed, subspace
from .tree import FLOAT, Array, cross, joints

#: A body's own motions: its velocity as it is, then six unit accelerations from rest.
MOTIONS = 7

#: So many places between a model's start and a state tell how often what turns has turned.
TURNED = 33

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
    `energy`: kinetic, of gravity and of all that is stored. `poses`: as of `JointMotion`.
    """

    accelerations: Array
    loads: dict[str, Array]
    energy: float
    poses: Array
    condition: float
    drives: dict[str, Array] = field(default_factory=dict)
    undetermined: frozenset[str] = frozenset()
    redundant: int = 0
    left: float = 0.0


def absolute_motion(state: State) -> Motion:
    """Solve the balances of all bodies and the conditions of all hinges at once."""
    model = state.model
    base = moving_base(model, state.t)
    bodies = _bodies(state, base)
    index = {body.name: k for k, body in enumerate(model.bodies)}
    across = {h.name: _Across.of(state, h, bodies, index, base) for h in model.hinges}
    own = list(range(6)) if model.dimension == 3 else [0, 1, 5]
    kept = [6 * k + i for k in range(len(bodies)) for i in own]
    mass = np.zeros((6 * len(bodies),) * 2)
    right = np.concatenate([body.force for body in bodies])
    for k, body in enumerate(bodies):
        mass[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = body.mass
    hinges = list(across.values())
    J = np.vstack([np.zeros((0, len(right))), *(_spread(h, h.rows, len(right)) for h in hinges)])
    for hinge in hinges:
        right += _spread(hinge, tuple(x[None] for x in hinge.sprung), len(right))[0]
    known = read(model, [body.frame for body in bodies], base, (state.q, state.v))
    forces = generalised(model, state.q, state.v, state.t, known) + state.tau
    # Speeds' derivatives are L A + b; unit forces along the speeds are the columns of B.
    L, b = _speeds_derivatives(state, across, len(right))
    B = np.hstack([np.zeros((len(right), 0)), *(_driven(state, h, len(right)) for h in hinges)])
    rotors, coupled = _rotors(model), couplings(model)
    rows = np.vstack([J, coupled @ L])
    columns = np.hstack([J.T, B @ coupled.T])
    matrix = np.block(
        [
            [(mass + B @ np.diag(rotors) @ L)[np.ix_(kept, kept)], -columns[kept]],
            [rows[:, kept], np.zeros((len(rows), len(rows)))],
        ]
    )
    bias = np.concatenate([np.zeros(0), *(hinge.bias for hinge in hinges)])
    rest = np.concatenate([(right + B @ (forces - rotors * b))[kept], -bias, -coupled @ b])
    solved = _solved(matrix, rest, len(rows) > 0 and bool(model.cuts or len(coupled)))
    A = np.zeros(len(right))
    A[kept] = solved.found[: len(kept)]
    accelerations = L @ A + b
    multipliers, free, first = {}, {}, len(kept)
    for name, hinge in across.items():
        below = slice(first, first + len(hinge.bias))
        multipliers[name], free[name] = solved.found[below], solved.free[below]
        first = below.stop
    forces = forces - rotors * accelerations + coupled.T @ solved.found[first:]
    open_forces = coupled.T @ solved.free[first:]
    found = {name: _Acting(multipliers[name], forces) for name in across}
    return Motion(
        accelerations=accelerations,
        loads=_loads(state, bodies, across, found),
        drives=_drives(state, bodies, across, found),
        undetermined=_undetermined(state, across, free, open_forces),
        redundant=solved.free.shape[1],
        condition=solved.condition,
        left=float(np.abs(matrix @ solved.found - rest).max() / max(1.0, np.abs(rest).max())),
        energy=_energy(state, bodies, base, across),
        poses=np.array([body.frame.x for body in bodies]),
    )


@dataclass(frozen=True)
class _Acting:
    """What acts in a hinge: multipliers of its conditions, and the forces along all speeds."""

    multipliers: Array
    forces: Array


def nearest(state: State) -> float:
    """The least distance that is measured between two points, of sensors and of forces.

    One of rounding has a direction of rounding.
    """
    model, base = state.model, moving_base(state.model, state.t)
    frames = [body.frame for body in _bodies(state, base)]
    pairs = [x.ends for x in model.sensors if not x.along] + [x.ends for x in model.forces]
    apart = (
        np.subtract(*(seen(model, frames, base, end)[0] for end in ends))
        for ends in pairs
        if len(ends) == 2
    )
    return min((float(np.linalg.norm(x)) for x in apart), default=np.inf)


def _spread(hinge: _Across, rows: tuple[Array, Array], size: int) -> Array:
    """Rows of both bodies among those of all."""
    found = np.zeros((len(rows[0]), size))
    for k, own in zip(hinge.bodies, rows, strict=True):
        if k is not None:
            found[:, 6 * k : 6 * k + 6] += own
    return found


def _driven(state: State, hinge: _Across, size: int) -> Array:
    """The wrenches of unit forces along a hinge's speeds, on all bodies, as columns."""
    return _spread(hinge, (hinge.units[0].T, hinge.units[1].T), size).T


def _rotors(model: Model) -> Array:
    """The inertia of each speed's rotor."""
    per_hinge = [
        [model.value(x) for x in hinge.rotor] or [0.0] * len(model.hinge_speeds(hinge))
        for hinge in model.tree_hinges
        if not hinge.motion
    ]
    return np.array([x for rotors in per_hinge for x in rotors])


def _driven_rotors(state: State) -> float:
    """What the rotors of driven hinges hold, which turn as the laws of time say."""
    model = state.model
    return sum(
        np.array([model.value(rotor) for rotor in hinge.rotor]) @ _rates(state, hinge, 1) ** 2 / 2
        for hinge in model.tree_hinges
        if hinge.motion and hinge.rotor
    )


def _rates(state: State, hinge: Hinge, order: int) -> Array:
    """A driven hinge's speeds, or their rates: the laws of its coordinates are differentiated."""
    model = state.model
    return np.array(
        [model.value(law.diff(TIME, order).subs(TIME, state.t)) for law in hinge.motion]
    )


def couplings(model: Model) -> Array:
    """A row for each coupling, q̈ − ratio · q̈_other = 0."""
    rows = [np.zeros((0, len(model.speeds)))]
    for hinge in model.hinges:
        if hinge.mimic:
            row = np.zeros((1, len(model.speeds)))
            row[0, model.speeds.index(f"u{hinge.name}")] = 1.0
            row[0, model.speeds.index(f"u{hinge.mimic.hinge}")] -= model.value(hinge.mimic.ratio)
            rows.append(row)
    return np.vstack(rows)


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
    energy: float


def _bodies(state: State, base: Jet | None) -> list[_Body]:
    model = state.model
    along = paths(model, state.q, state.v[None], 0 * state.v[None], state.t, np.ones(1))
    gravity = _place(model, model.gravity, FLOAT)
    frames = frames_along(opened(model), along, 1, FLOAT, base)
    # Springs in cuts act in their hinges, see `_Across`.
    loads, _ = external(opened(model), frames, base, state.t, (state.q, state.v))
    found = []
    for k, moving in enumerate(frames):
        R, own = moving.x[:3, :3], _place(model, model.bodies[k].centre, FLOAT)
        spin = _axial(moving.d[0, :3, :3] @ R.T)
        speed = moving.d[0, :3, :3] @ own + moving.d[0, :3, 3]
        mass = model.value(model.bodies[k].mass)
        inertia = R @ _inertia(model, k, FLOAT) @ R.T
        pushed = state.wrenches[k] + loads[k]
        force = np.concatenate(
            [mass * gravity + pushed[3:], pushed[:3] - np.cross(spin, inertia @ spin)]
        )
        matrix = np.zeros((6, 6))
        matrix[:3, :3], matrix[3:, 3:] = mass * np.eye(3), inertia
        frame = _moving(moving.x, own, speed, spin)
        centre = R @ own + moving.x[:3, 3]
        energy = (mass * speed @ speed + spin @ inertia @ spin) / 2 - mass * gravity @ centre
        found.append(_Body(frame, matrix, force, centre, float(energy)))
    return found


def _energy(
    state: State, bodies: list[_Body], base: Jet | None, across: dict[str, _Across]
) -> float:
    model = state.model
    frames = [body.frame for body in bodies]
    _, stored = external(opened(model), frames, base, state.t, (state.q, state.v))
    springs = sum(hinge.stored for hinge in across.values())
    turning = _rotors(model) @ (state.v * state.v) / 2 + _driven_rotors(state)
    of_bodies = sum(body.energy for body in bodies)
    return of_bodies + turning + stored + springs + tree_energy(model, state.q, state.t)


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
    """A hinge: its two bodies, rows of J for each, bias.

    `ends`: the frames of the two ends, inertial axes; `frame`: the child's as seen from the
    parent's, along motion 0, then the parent's and the child's six unit accelerations. `H`:
    relative velocity and spin for each speed, parent's axes. `units`: the wrenches on each body of
    unit forces along the speeds, as columns; `own`: which of all speeds these are. `sprung`: what
    springs in a cut exert on each, and have `stored`.
    """

    hinge: Hinge
    ends: tuple[Array, Array]
    bodies: tuple[int | None, int | None]
    rows: tuple[Array, Array]
    bias: Array
    frame: Jet
    H: Array
    units: tuple[Array, Array]
    own: tuple[int, ...]
    sprung: tuple[Array, Array]
    stored: float

    @classmethod
    def of(
        cls,
        state: State,
        hinge: Hinge,
        bodies: list[_Body],
        index: dict[str, int],
        base: Jet | None,
    ) -> _Across:
        model = state.model
        own = [index.get(end.body) for end in hinge.ends]
        sides = [_side(model, end, bodies, index, k, base) for k, end in enumerate(hinge.ends)]
        frame = _inverse(sides[0]) @ sides[1]
        along = prescribed(state, hinge, len(frame.d))
        zero = held(model, hinge, frame if along is None else _inverse(along) @ frame)
        assert np.abs(zero.x).max(initial=0.0) < CLOSED, f"hinge {hinge.name} is open"
        assert np.abs(zero.d[0]).max(initial=0.0) < CLOSED, f"hinge {hinge.name} opens"
        cut = hinge.name in model.cuts
        H = subspace(state, hinge)
        here = sides[1].x[:3, 3]
        arms = [np.zeros(3) if k is None else here - bodies[k].centre for k in own]
        axes = np.kron(np.eye(2), sides[0].x[:3, :3])
        wrenches = axes @ (H @ np.linalg.inv(H.T @ H)) if H.size else np.zeros((6, 0))
        moving = () if cut or hinge.motion else model.hinge_speeds(hinge)
        sprung, stored = np.zeros(6), 0.0
        if cut and hinge.kind == "elastic":
            angle = _turned(state, hinge) if model.dimension == 2 else None
            force, moment, stored = cut_spring(model, hinge, sides[0], sides[1], angle)
            sprung = np.concatenate([force, moment])
        return cls(
            hinge,
            (sides[0].x, sides[1].x),
            (own[0], own[1]),
            (zero.dd[1:7].T, zero.dd[7:13].T),
            zero.dd[0],
            frame,
            H,
            (-_about(wrenches, arms[0]), _about(wrenches, arms[1])) if moving else _none(),
            tuple(model.speeds.index(name) for name in moving),
            (-_about(sprung[:, None], arms[0])[:, 0], _about(sprung[:, None], arms[1])[:, 0]),
            stored,
        )


def _turned(state: State, hinge: Hinge) -> float:
    """A planar cut's angle: within half a turn at the model's start, and on from there."""
    model, q0 = state.model, np.array(state.model.q0)

    def angle(part: float) -> float:
        bodies = places(model, q0 + part * (state.q - q0), part * state.t)
        at = {body.name: place for body, place in zip(model.bodies, bodies, strict=True)}
        a, b = (at.get(end.body, np.eye(4)) @ _point_frame(model, end, FLOAT) for end in hinge.ends)
        R = (np.linalg.inv(a) @ b)[:2, :2]
        return float(np.arctan2(R[1, 0], R[0, 0]))

    return float(np.unwrap([angle(part) for part in np.linspace(0.0, 1.0, TURNED)])[-1])


def _none() -> tuple[Array, Array]:
    return np.zeros((6, 0)), np.zeros((6, 0))


def _about(wrenches: Array, arm: Array) -> Array:
    """Wrenches (force, moment) about a point from which theirs is an arm away."""
    return np.vstack([wrenches[:3], wrenches[3:] + np.cross(arm, wrenches[:3], axis=0)])


def _side(
    model: Model,
    end: End,
    bodies: list[_Body],
    index: dict[str, int],
    which: int,
    base: Jet | None,
) -> Jet:
    """The point's frame, along both bodies' motions."""
    point = _steady(_point_frame(model, end, FLOAT), 2 * MOTIONS - 1)
    if end.body == GROUND:
        return grounded(base, 2 * MOTIONS - 1) @ point
    body = bodies[index[end.body]].frame
    d, dd = np.zeros((2 * MOTIONS - 1, 4, 4)), np.zeros((2 * MOTIONS - 1, 4, 4))
    own = slice(1, 7) if which == 0 else slice(7, 13)
    d[0], dd[0], dd[own] = body.d[0], body.dd[0], body.dd[1:]
    return Jet(body.x, d, dd) @ point


def _wrench(across: _Across, acting: _Acting, bodies: list[_Body], side: int) -> Array:
    """Force on a side's body, and moment about that side's point; inertial axes."""
    k = across.bodies[side]
    if k is None:
        there = _wrench(across, acting, bodies, 1 - side)
        arm = across.ends[1 - side][:3, 3] - across.ends[side][:3, 3]
        return -np.concatenate([there[:3], there[3:] + np.cross(arm, there[:3])])
    wrench = across.rows[side].T @ acting.multipliers + across.sprung[side]
    wrench = wrench + across.units[side] @ acting.forces[list(across.own)]
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
    found: dict[str, _Acting],
) -> dict[str, Array]:
    loads = {}
    for name, hinge in across.items():
        side = _loaded(state, hinge.hinge)
        wrench = _wrench(hinge, found[name], bodies, side)
        if state.model.dimension == 2:
            wrench[[2, 3, 4]] = 0.0
        loads[str(hinge.hinge.ends[side])] = np.concatenate([wrench[3:], -wrench[:3]])
    return loads


def _undetermined(
    state: State, across: dict[str, _Across], free: dict[str, Array], forces: Array
) -> frozenset[str]:
    """Ends whose loads change with what may be added to the multipliers."""
    found = set()
    for name, hinge in across.items():
        either = np.vstack([free[name], forces[list(hinge.own)]])
        if np.abs(either).max(initial=0.0) > RANK**0.5:
            found.add(str(hinge.hinge.ends[_loaded(state, hinge.hinge)]))
    return frozenset(found)


def _drives(
    state: State,
    bodies: list[_Body],
    across: dict[str, _Across],
    acting: dict[str, _Acting],
) -> dict[str, Array]:
    """Hᵀ times the wrench on the child, at its point, in the parent's axes, and the rotor's own."""
    found = {}
    for name, hinge in across.items():
        if hinge.hinge.motion:
            E = hinge.ends[0][:3, :3].T
            wrench = _wrench(hinge, acting[name], bodies, 1)
            found[name] = hinge.H.T @ np.concatenate([E @ wrench[:3], E @ wrench[3:]])
            if hinge.hinge.rotor:
                rotors = [state.model.value(rotor) for rotor in hinge.hinge.rotor]
                found[name] += rotors * _rates(state, hinge.hinge, 2)
    return found


def _speeds_derivatives(state: State, across: dict[str, _Across], size: int) -> tuple[Array, Array]:
    """dv/dt = L A + b: the relative acceleration of each hinge's ends, in its own speeds."""
    model = state.model
    speeds = len(state.v)
    v = np.vstack([state.v, np.zeros((speeds, speeds))])
    rates = np.vstack([np.zeros((1, speeds)), np.eye(speeds)])
    along = paths(model, state.q, v, rates, state.t, np.zeros(speeds + 1))
    L, b = np.zeros((speeds, size)), np.zeros(speeds)
    for hinge in across.values():
        if not hinge.own:
            continue
        own, count = list(hinge.own), len(hinge.own)
        path = _across(model, hinge.hinge, along[hinge.hinge.name], FLOAT)
        columns = path.dd[[1 + i for i in own]].reshape(count, 16).T
        inverse = np.linalg.pinv(columns)
        units = (inverse @ hinge.frame.dd[1:].reshape(12, 16).T).reshape(count, 12)
        L[own] = _spread(hinge, (units[:, :6], units[:, 6:]), size)
        b[own] = inverse @ (hinge.frame.dd[0] - path.dd[0]).ravel()
    return L, b

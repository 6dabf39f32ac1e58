"""Closed loops in maximal coordinates: six accelerations a body, a multiplier a held component.

No hinge is cut, none is followed: all of them are conditions on the accelerations of free bodies,
and Gauss' principle says which accelerations those are. Where conditions depend on each other the
pseudo-inverse gives the accelerations all the same, and of the loads those with the least
Σ |q|² + |m|² / l² over all hinges, moments m about the points of the hinges' children.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mstmm.model import GROUND, End, Hinge, Model

from .joints import Jet, _axial, _frames, _inertia, _number, _place, _point_frame
from .loops import HELD, _end, _unit, conditions, opened
from .tree import FLOAT, Array

#: Singular values up to this part of the largest are zeros.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class MaximalMotion:
    """What the judge finds.

    `accelerations` in the order of `model.speeds`; `loads` by end: the moment on that body there
    and the force that it exerts on the other one, inertial axes; `stresses` likewise (states, 6):
    what may be added to them without moving anything. `condition` is the ratio of the largest to
    the least singular value, zeros aside, of the conditions weighed by the masses, or of the loads.
    """

    accelerations: Array
    loads: dict[str, Array]
    stresses: dict[str, Array]
    condition: float


def maximal_motion(model: Model, q: Array, v: Array, ends: Sequence[str]) -> MaximalMotion:
    """Accelerations and loads, of closed loops, by the hinges' conditions alone."""
    tree = opened(model)
    speeds, bodies = len(model.speeds), len(model.bodies)
    unit = np.eye(speeds)
    frames = _frames(
        tree,
        np.array(q, dtype=float),
        np.vstack([v, 0 * unit]),
        np.vstack([0 * unit[:1], unit]),
        FLOAT,
    )
    places = [np.array([*_place(model, body.centre, FLOAT), 1.0]) for body in model.bodies]
    free = [2, 3, 4] if model.dimension == 2 else list(range(6))
    keep = [6 * k + i for k in range(bodies) for i in free]
    # Body accelerations (turn, shift) of the tree's motion at these speeds, and per unit of each.
    taken = np.hstack([_turn_and_shift(*pair) for pair in zip(frames, places, strict=True)])
    mass, right = _newton_euler(model, frames, places)
    root = np.linalg.cholesky(mass[np.ix_(keep, keep)])
    ends_of = _ends(model, frames, places)
    G, bias, _ = conditions(model, list(model.hinges), ends_of, 0.0, FLOAT)
    G = G[:, keep]
    alone = np.linalg.solve(mass[np.ix_(keep, keep)], right[keep])
    weighed = np.linalg.solve(root, G.T).T
    inverse, first = _pseudo_inverse(weighed)
    found = alone - np.linalg.solve(root.T, inverse @ (G @ alone + bias))
    map_, rest = taken[1:, keep].T, found - taken[0, keep]
    a = np.linalg.lstsq(map_, rest, rcond=None)[0]
    # The multipliers: wrenches on the children, by hinge
    wrenches, weights = _wrenches(model, ends_of)
    needed = mass[np.ix_(keep, keep)] @ found - right[keep]
    inward = _onto_bodies(model, ends_of, places, frames, wrenches)[keep]
    scaled = inward @ np.linalg.inv(weights)
    back, second = _pseudo_inverse(scaled)
    _, values, rows = np.linalg.svd(scaled)
    rank = int((values > NEGLIGIBLE * values[0]).sum())
    per_unit = np.linalg.inv(weights)
    amounts = per_unit @ np.column_stack([back @ needed, rows[rank:].T])
    loads = {end: _load(model, ends_of, end, wrenches, amounts) for end in ends}
    return MaximalMotion(
        a,
        {end: load[:, 0] for end, load in loads.items()},
        {end: load[:, 1:].T for end, load in loads.items()},
        max(first, second),
    )


def _pseudo_inverse(matrix: Array) -> tuple[Array, float]:
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    kept = values > NEGLIGIBLE * values[0]
    inverse = right[kept].T @ (left[:, kept].T / values[kept, None])
    return inverse, float(values[0] / values[kept][-1])


def _turn_and_shift(frame: Jet, place: Array) -> Array:
    """Angular acceleration and that of the centre of mass, a row a motion."""
    turning = _axial(frame.dd[:, :3, :3] @ frame.x[:3, :3].T)
    return np.hstack([turning, (frame.dd @ place)[:, :3]])


def _newton_euler(model: Model, frames: list[Jet], places: list[Array]) -> tuple[Array, Array]:
    """Masses, and the forces of gravity and of the spins, moment before force."""
    mass = np.zeros((6 * len(frames),) * 2)
    right = np.zeros(6 * len(frames))
    gravity = _place(model, model.gravity, FLOAT)
    for k, (body, frame) in enumerate(zip(model.bodies, frames, strict=True)):
        R = frame.x[:3, :3]
        inertia = R @ _inertia(model, k, FLOAT) @ R.T
        spin = _axial(frame.d[0, :3, :3] @ R.T)
        amount = _number(model, body.mass, FLOAT)
        at = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
        mass[at[0], at[0]], mass[at[1], at[1]] = inertia, amount * np.eye(3)
        right[at[0]], right[at[1]] = -np.cross(spin, inertia @ spin), amount * gravity
    return mass, right


def _ends(model: Model, frames: list[Jet], places: list[Array]) -> dict[End, Jet]:
    """The hinges' ends along the bodies' motion with accelerations of zero, then a unit of each."""
    count = 6 * len(frames)
    loose = []
    for k, (frame, place) in enumerate(zip(frames, places, strict=True)):
        d, dd = (np.zeros((count + 1, 4, 4)) for _ in range(2))
        d[0] = frame.d[0]
        R, arm = frame.x[:3, :3], place[:3]
        spin = _across(_axial(frame.d[0, :3, :3] @ R.T))
        dd[0, :3, :3] = spin @ spin @ R
        for i in range(3):
            dd[1 + 6 * k + i, :3, :3] = _across(np.eye(3)[i]) @ R
            dd[4 + 6 * k + i, i, 3] = 1.0
        dd[:, :3, 3] -= dd[:, :3, :3] @ arm  # the centre of mass stays where it is turned about
        loose.append(Jet(frame.x, d, dd))
    hinges = model.hinges
    return {end: _end(model, loose, end, count + 1, FLOAT) for x in hinges for end in x.ends}


def frame_of(model: Model, end: End) -> Array:
    """An end's axes and place in its body's."""
    return np.array(_point_frame(model, end, FLOAT), dtype=float)


def _across(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]], dtype=float)


def _held(model: Model, hinge: Hinge) -> tuple[int, ...]:
    return HELD[model.dimension, hinge.kind]


def _wrenches(model: Model, ends: dict[End, Jet]) -> tuple[dict[str, Array], Array]:
    """By hinge the unit wrenches (moment, force) on its child as columns; and their weights.

    Weights: W with |W λ|² = Σ |q|² + |m|² / l², a block a hinge.
    """
    length = arms(model)
    scale = np.array([1 / length] * 3 + [1.0] * 3)
    found, blocks = {}, []
    for hinge in model.hinges:
        units = [np.zeros((6, 0))]
        for component in _held(model, hinge):
            force, moment = _unit(model, hinge, ends, component)
            units.append(np.concatenate([moment, force])[:, None].astype(float))
        found[hinge.name] = np.hstack(units)
        blocks.append(np.linalg.qr(scale[:, None] * found[hinge.name])[1])
    weights = np.zeros((sum(len(x) for x in blocks),) * 2)
    at = 0
    for block in blocks:
        weights[at : at + len(block), at : at + len(block)] = block
        at += len(block)
    return found, weights


def arms(model: Model) -> float:
    """The longest arm of a body."""

    def place(vector: Sequence[object]) -> Array:
        return np.array([float(model.exact(x)) for x in vector])

    return max(
        float(np.linalg.norm(place(point.position) - place(body.centre)))
        for body in model.bodies
        for point in body.points
    )


def _onto_bodies(
    model: Model,
    ends: dict[End, Jet],
    places: list[Array],
    frames: list[Jet],
    wrenches: dict[str, Array],
) -> Array:
    """Moment and force on the bodies, about their centres of mass, of each unit wrench."""
    names = [body.name for body in model.bodies]
    columns = []
    for hinge in model.hinges:
        units = wrenches[hinge.name]
        column = np.zeros((6 * len(names), units.shape[1]))
        for sign, end in ((-1, hinge.ends[0]), (1, hinge.ends[1])):
            if end.body != GROUND:
                k = names.index(end.body)
                arm = ends[hinge.ends[1]].x[:3, 3] - (frames[k].x @ places[k])[:3]
                column[6 * k : 6 * k + 6] += sign * _moved(units, arm)
        columns.append(column)
    return np.hstack(columns)


def _moved(wrench: Array, arm: Array) -> Array:
    """Wrenches (moment, force) at another point, from which theirs is an arm away."""
    return np.vstack([wrench[:3] + np.cross(arm, wrench[3:], axis=0), wrench[3:]])


def _load(
    model: Model, ends: dict[End, Jet], end: str, wrenches: dict[str, Array], amounts: Array
) -> Array:
    """What the end's body feels there, moment, and exerts on the other one, force."""
    at = 0
    for hinge in model.hinges:
        units = wrenches[hinge.name]
        own = units @ amounts[at : at + units.shape[1]]
        at += units.shape[1]
        if end in map(str, hinge.ends):
            here = next(x for x in hinge.ends if str(x) == end)
            sign = 1 if here == hinge.ends[1] else -1
            arm = ends[hinge.ends[1]].x[:3, 3] - ends[here].x[:3, 3]
            moved = sign * _moved(own, np.array(arm, dtype=float))
            return np.vstack([moved[:3], -moved[3:]])
    raise AssertionError(end)

"""Closed loops in joint coordinates: the tree's judge, and wrenches that keep the cuts closed.

A cut's force law acts as an external load on both bodies, of the power τ·u; its speeds u are
those that give the relative velocity of its ends, its coordinates are given by the caller. A
driven cut is held fixed to its parent's point frame as the prescribed motion moves it.

The cut hinges are taken away. Each transmits a wrench along what it does not let move; its
unknown components are found by trying one after the other on the tree, as external loads on
the two bodies, and asking that the relative accelerations of the two ends vanish. The ends'
places are functions of time (`Jet`). No columns, no recursion. A hinge that follows another
does it by a generalised force that does no work: one on it, and −ratio on the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mstmm.model import GROUND, End, Hinge, Model
from mstmm.model.expressions.quantities import TIME, exact_expression, hinge_symbol, parameter
from mstmm.model.parts.hinge_kinds import HINGE_KINDS

from .joints import (
    Jet,
    JointMotion,
    _across,
    _array,
    _axial,
    _frames,
    _inverse,
    _number,
    _path,
    _place,
    _point_frame,
    _steady,
    joint_motion,
    poses,
)
from .tree import FLOAT, Arithmetic, Array

#: What a hinge holds: components of the relative velocity (x, y, z), then of the spin, in the
#: parent's axes; 6 is the spin about the normal of the parent's first and child's second axis,
#: 7 the velocity along z less the pitch times the spin about it, 8 that along x less the radius
#: times the spin about z.
HELD = {
    (2, "pin"): (0, 1),
    (2, "prismatic"): (1, 5),
    (2, "slot"): (1,),
    (2, "rack"): (1, 8),
    (2, "fixed"): (0, 1, 5),
    (2, "elastic"): (),
    (2, "free"): (),
    (3, "revolute"): (0, 1, 2, 3, 4),
    (3, "prismatic"): (0, 1, 3, 4, 5),
    (3, "slot"): (1, 2, 3, 4),
    (3, "cylindrical"): (0, 1, 3, 4),
    (3, "helical"): (0, 1, 3, 4, 7),
    (3, "universal"): (0, 1, 2, 6),
    (3, "planar"): (2, 3, 4),
    (3, "ball"): (0, 1, 2),
    (3, "fixed"): (0, 1, 2, 3, 4, 5),
    (3, "elastic"): (),
    (3, "free"): (),
}


def held(dimension: int, cut: Hinge) -> tuple[int, ...]:
    """What a cut holds; a driven one all."""
    return HELD[dimension, "fixed" if cut.motion else cut.kind]


@dataclass(frozen=True)
class LoopMotion:
    """The tree's motion under the cuts' wrenches; whether those are the only ones possible.

    `jacobian`: relative velocities that must vanish, of the speeds; `opening` those velocities;
    `cut_loads`: at each cut's child (parent if the child is the ground), as `JointMotion.loads`.
    `drives`: of each driven cut the forces along its coordinates.
    """

    tree: JointMotion
    jacobian: Array
    opening: Array
    redundant: int
    cut_loads: dict[str, Array]
    drives: dict[str, Array]

    @property
    def accelerations(self) -> Array:
        return self.tree.accelerations


def opened(model: Model) -> Model:
    """The tree that the cuts leave, every hinge for itself."""
    free = tuple(replace(hinge, mimic=None) for hinge in model.tree_hinges)
    return replace(model, hinges=free, cuts=())


def _couplings(model: Model, arithmetic: Arithmetic) -> Array:
    """Per hinge that follows another the row of speeds that must add up to zero."""
    at = {hinge.name: hinge for hinge in model.hinges}
    rows = []
    for hinge in model.hinges:
        if hinge.mimic:
            row = np.zeros(len(model.speeds), dtype=arithmetic.dtype)
            for name, factor in ((hinge.name, 1), (hinge.mimic.hinge, -hinge.mimic.ratio)):
                (speed,) = model.hinge_speeds(at[name])
                row[model.speeds.index(speed)] = arithmetic.number(model.exact(factor))
            rows.append(row)
    return np.array(rows).reshape(-1, len(model.speeds))


def loop_motion(
    model: Model,
    q: Sequence[float],
    v: Sequence[float],
    tau: Sequence[float] | None = None,
    wrenches: Array | None = None,
    arithmetic: Arithmetic = FLOAT,
    rank_tolerance: float = 1e-8,
    at: Mapping[str, Sequence[float]] | None = None,
    t: float = 0.0,
) -> LoopMotion:
    """Accelerations and loads of a model whose cuts are closed at this state.

    `at`: the coordinates of the cuts that a force law acts in.
    """
    tree = opened(model)
    force = _array([0.0] * len(model.speeds) if tau is None else tau, arithmetic)
    coupled = _couplings(model, arithmetic)
    cuts = [hinge for hinge in model.hinges if hinge.name in model.cuts]
    speeds = len(model.speeds)
    unit = np.eye(speeds, dtype=int)
    frames = _frames(
        tree,
        _array(q, arithmetic),
        np.vstack([_array(v, arithmetic), 0 * unit]),
        np.vstack([0 * unit[:1], unit]),
        arithmetic,
    )
    ends = {
        end: _end(model, frames, end, speeds + 1, arithmetic) for cut in cuts for end in cut.ends
    }
    load = np.zeros((len(model.bodies), 6)) if wrenches is None else np.asarray(wrenches)
    pushes = {
        cut.name: _push(model, cut, ends, (at or {}).get(cut.name, ()), t)
        for cut in cuts
        if any(x != 0 for x in cut.force)
    }
    bodies = poses(tree, q, arithmetic)
    for cut in cuts:
        if cut.name in pushes:
            load = load + _on_bodies(model, bodies, cut, ends, *pushes[cut.name], arithmetic)
    J, bias, opening = conditions(model, cuts, ends, t, arithmetic)
    tries = [
        _on_bodies(model, bodies, cut, ends, *_unit(model, cut, ends, component), arithmetic)
        for cut in cuts
        for component in held(model.dimension, cut)
    ]
    J, bias = np.vstack([J, coupled]), np.concatenate([bias, np.zeros(len(coupled), dtype=int)])
    opening = np.concatenate([opening, coupled @ _array(v, arithmetic)])
    free = joint_motion(tree, q, v, force, load, arithmetic)
    found, rank = np.zeros(0), 0
    if len(J):
        tried = [joint_motion(tree, q, v, force, load + one, arithmetic) for one in tries]
        tried += [joint_motion(tree, q, v, force + one, load, arithmetic) for one in coupled]
        moved = [motion.accelerations - free.accelerations for motion in tried]
        yields = J @ np.array(moved).T
        right = -(J @ free.accelerations + bias)
        found, rank = _least(yields, right, rank_tolerance)
    total = load + sum(amount * one for amount, one in zip(found, tries, strict=False))
    if len(coupled):
        force = force + found[len(tries) :] @ coupled
    cut_wrenches = _cut_wrenches(model, cuts, ends, found, pushes)
    return LoopMotion(
        joint_motion(tree, q, v, force, total, arithmetic),
        J,
        opening,
        len(found) - rank,
        {
            end: load
            for cut in cuts
            if cut.name in cut_wrenches
            for end, load in [_cut_load(cut, ends, *cut_wrenches[cut.name])]
        },
        {
            cut.name: _twists(model, cut, _at(model, cut, t)[0], arithmetic)
            @ _turned(ends[cut.ends[0]].x[:3, :3], *cut_wrenches[cut.name])
            for cut in cuts
            if cut.motion
        },
    )


def _turned(axes: Array, force: Array, moment: Array) -> Array:
    return np.concatenate([axes.T @ force, axes.T @ moment])


def _at(model: Model, cut: Hinge, t: float) -> Array:
    """A driven cut's coordinates, rates and second rates."""
    values = {parameter(name): value for name, value in model.parameters.items()} | {TIME: t}
    laws = [exact_expression(law) for law in cut.motion]
    return np.array(
        [[float(law.diff(TIME, k).subs(values)) for law in laws] for k in range(3)], dtype=float
    )


def across(model: Model, cut: Hinge, q: Sequence[float]) -> Array:
    """The child's point frame as seen from the parent's, at a cut hinge's own coordinates."""
    count = HINGE_KINDS[model.dimension][cut.kind].speeds
    still = np.zeros((1, count))
    return _across(model, cut, _path(np.array(q), still, still), FLOAT).x


def _twists(model: Model, cut: Hinge, q: Array, arithmetic: Arithmetic = FLOAT) -> Array:
    """Per unit speed: velocity of the child's point and spin, in the parent's axes."""
    count = HINGE_KINDS[model.dimension][cut.kind].speeds
    pose = _across(model, cut, _path(np.array(q), np.eye(count), np.zeros((count, count))), FLOAT)
    return np.hstack([pose.d[:, :3, 3], _axial(pose.d[:, :3, :3] @ pose.x[:3, :3].T)])


def _push(
    model: Model, cut: Hinge, ends: dict[End, Jet], q: Sequence[float], t: float
) -> tuple[Array, Array]:
    """Force and moment of a cut's law on its child, at the child's point, inertial axes."""
    twists = _twists(model, cut, np.array(q, dtype=float))
    seen = _inverse(ends[cut.ends[0]]) @ ends[cut.ends[1]]
    moving = np.concatenate([seen.d[0, :3, 3], _axial(seen.d[0, :3, :3] @ seen.x[:3, :3].T)])
    u = np.linalg.lstsq(twists.T, np.array(moving, dtype=float), rcond=None)[0]
    values = {parameter(name): value for name, value in model.parameters.items()} | {TIME: t}
    values |= {hinge_symbol("q", k): x for k, x in enumerate(q, start=1)}
    values |= {hinge_symbol("u", k): x for k, x in enumerate(u.tolist(), start=1)}
    tau = [float(exact_expression(law).subs(values)) for law in cut.force]
    wrench = np.linalg.pinv(twists) @ tau
    axes = ends[cut.ends[0]].x[:3, :3]
    return axes @ wrench[:3], axes @ wrench[3:]


def _least(matrix: Array, right: Array, tolerance: float) -> tuple[Array, int]:
    """Unknowns and rank; where the rank is full, refined to the arithmetic's own digits."""
    plain = np.array(matrix, dtype=float)
    inverse = np.linalg.pinv(plain, rcond=tolerance)
    rank = int(np.linalg.matrix_rank(plain, tol=tolerance * np.linalg.norm(plain, 2)))
    found = inverse @ right
    for _ in range(6):
        found = found + inverse @ (right - matrix @ found)
    return found, rank


def _end(model: Model, frames: list[Jet], end: End, motions: int, arithmetic: Arithmetic) -> Jet:
    names = [body.name for body in model.bodies]
    own = _steady(_point_frame(model, end, arithmetic), motions)
    return own if end.body == GROUND else frames[names.index(end.body)] @ own


def conditions(
    model: Model, cuts: list[Hinge], ends: dict[End, Jet], t: float, arithmetic: Arithmetic
) -> tuple[Array, Array, Array]:
    """Of the accelerations what the cuts hold: per motion from rest, then of the first motion."""
    speeds = len(next(iter(ends.values())).d) - 1 if ends else len(model.speeds)
    rows, rest, open_at = [np.zeros((0, speeds))], [np.zeros(0)], [np.zeros(0)]
    for cut in cuts:
        seen = _inverse(ends[cut.ends[0]]) @ ends[cut.ends[1]]
        if cut.motion:
            place, rate, second = _at(model, cut, t)
            still = np.zeros((speeds, len(place)))
            path = Jet(place, np.vstack([rate, still]), np.vstack([second, still]))
            seen = _inverse(_across(model, cut, path, arithmetic)) @ seen
        back = seen.x[:3, :3].T
        spin, turning = _axial(seen.d[:, :3, :3] @ back), _axial(seen.dd[:, :3, :3] @ back)
        normal, tilting = (np.cross([1, 0, 0], x[..., :3, 1]) for x in (seen.x, seen.d))
        about = turning @ normal + (spin * tilting).sum(axis=1)
        pitch = _number(model, cut.pitch, arithmetic)
        shifts = seen.dd[:, :3, 3], seen.d[:, :3, 3]
        radius = _number(model, cut.radius, arithmetic)
        led = [
            np.stack([x[:, 2] - pitch * w[:, 2], x[:, 0] - radius * w[:, 2]], axis=1)
            for x, w in zip(shifts, (turning, spin), strict=True)
        ]
        second = np.hstack([shifts[0], turning, about[:, None], led[0]])
        first = np.hstack([shifts[1], spin, (spin @ normal)[:, None], led[1]])
        kept = list(held(model.dimension, cut))
        rows.append(second[1:, kept].T)
        rest.append(second[0, kept])
        open_at.append(first[0, kept])
    return np.vstack(rows), np.concatenate(rest), np.concatenate(open_at)


def _on_bodies(
    model: Model,
    places: Array,
    cut: Hinge,
    ends: dict[End, Jet],
    force: Array,
    moment: Array,
    arithmetic: Arithmetic,
) -> Array:
    """A wrench at the child's point on the child, and its reaction, at the centres of mass."""
    point = ends[cut.ends[1]].x[:3, 3]
    load = np.zeros((len(model.bodies), 6), dtype=arithmetic.dtype)
    for sign, end in ((-1, cut.ends[0]), (1, cut.ends[1])):
        for k, body in enumerate(model.bodies):
            if body.name == end.body:
                own = np.array([*_place(model, body.centre, arithmetic), 1])
                arm = point - (places[k] @ own)[:3]
                load[k, :3] += sign * (moment + np.cross(arm, force))
                load[k, 3:] += sign * force
    return load


def _unit(model: Model, cut: Hinge, ends: dict[End, Jet], component: int) -> tuple[Array, Array]:
    """Force and moment of a unit of a component on the child, inertial axes."""
    axes, far = (ends[end].x[:3, :3] for end in cut.ends)
    none = 0 * axes[:, 0]
    if component == 6:
        return none, np.cross(axes[:, 0], far[:, 1])
    if component == 7:
        return axes[:, 2], -_number(model, cut.pitch, FLOAT) * axes[:, 2]
    if component == 8:
        return axes[:, 0], -_number(model, cut.radius, FLOAT) * axes[:, 2]
    one = axes[:, component % 3]
    return (one, none) if component < 3 else (none, one)


def _cut_wrenches(
    model: Model,
    cuts: list[Hinge],
    ends: dict[End, Jet],
    found: Array,
    pushes: dict[str, tuple[Array, Array]],
) -> dict[str, tuple[Array, Array]]:
    """Force and moment on each cut's child, at its point."""
    wrenches, at = {}, 0
    for cut in cuts:
        none = 0 * ends[cut.ends[0]].x[:3, 0]
        force, moment = pushes.get(cut.name, (none, none))
        kept = held(model.dimension, cut)
        for component in kept:
            f, m = _unit(model, cut, ends, component)
            force, moment = force + found[at] * f, moment + found[at] * m
            at += 1
        if kept or cut.name in pushes:
            wrenches[cut.name] = force, moment
    return wrenches


def _cut_load(cut: Hinge, ends: dict[End, Jet], force: Array, moment: Array) -> tuple[str, Array]:
    if cut.ends[1].body == GROUND:
        arm = ends[cut.ends[1]].x[:3, 3] - ends[cut.ends[0]].x[:3, 3]
        force, moment = -force, -(moment + np.cross(arm, force))
        return str(cut.ends[0]), np.concatenate([moment, -force])
    return str(cut.ends[1]), np.concatenate([moment, -force])

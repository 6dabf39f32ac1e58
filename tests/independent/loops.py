"""Closed loops in joint coordinates: the tree's judge, and wrenches that keep the cuts closed.

The cut hinges are taken away. Each transmits a wrench along what it does not let move; its
unknown components are found by trying one after the other on the tree, as external loads on
the two bodies, and asking that the relative accelerations of the two ends vanish. The ends'
places are functions of time (`Jet`). No columns, no recursion. A hinge that follows another
does it by a generalised force that does no work: one on it, and −ratio on the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mstmm.model import GROUND, End, Hinge, Model

from .joints import (
    Jet,
    JointMotion,
    _array,
    _axial,
    _frames,
    _inverse,
    _place,
    _point_frame,
    _steady,
    joint_motion,
    poses,
)
from .tree import FLOAT, Arithmetic, Array

#: What a hinge holds: components of the relative velocity (x, y, z), then of the spin, in the
#: parent's axes; 6 is the spin about the normal of the parent's first and child's second axis.
HELD = {
    (2, "pin"): (0, 1),
    (2, "prismatic"): (1, 5),
    (2, "slot"): (1,),
    (2, "fixed"): (0, 1, 5),
    (3, "revolute"): (0, 1, 2, 3, 4),
    (3, "prismatic"): (0, 1, 3, 4, 5),
    (3, "cylindrical"): (0, 1, 3, 4),
    (3, "universal"): (0, 1, 2, 6),
    (3, "planar"): (2, 3, 4),
    (3, "ball"): (0, 1, 2),
    (3, "fixed"): (0, 1, 2, 3, 4, 5),
}


@dataclass(frozen=True)
class LoopMotion:
    """The tree's motion under the cuts' wrenches; whether those are the only ones possible.

    `jacobian`: relative velocities that must vanish, of the speeds; `opening` those velocities;
    `cut_loads`: at each cut's child (parent if the child is the ground), as `JointMotion.loads`.
    """

    tree: JointMotion
    jacobian: Array
    opening: Array
    redundant: int
    cut_loads: dict[str, Array]

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
) -> LoopMotion:
    """Accelerations and loads of a model whose cuts are closed at this state."""
    tree = opened(model)
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
    coupled = _couplings(model, arithmetic)
    J, bias, opening = _conditions(cuts, ends, model.dimension, coupled, _array(v, arithmetic))
    load = np.zeros((len(model.bodies), 6)) if wrenches is None else np.asarray(wrenches)
    tries = _unit_wrenches(model, cuts, ends, q, arithmetic)
    force = _array([0.0] * speeds if tau is None else tau, arithmetic)
    free = joint_motion(tree, q, v, force, load, arithmetic)
    tried = [joint_motion(tree, q, v, force, load + one, arithmetic) for one in tries]
    tried += [joint_motion(tree, q, v, force + one, load, arithmetic) for one in coupled]
    moved = [motion.accelerations - free.accelerations for motion in tried]
    yields = J @ np.array(moved).T
    right = -(J @ free.accelerations + bias)
    found, rank = _least(yields, right, rank_tolerance)
    wrenches, forces = found[: len(tries)], found[len(tries) :]
    total = load + sum(amount * one for amount, one in zip(wrenches, tries, strict=True))
    return LoopMotion(
        joint_motion(tree, q, v, force + forces @ coupled, total, arithmetic),
        J,
        opening,
        len(right) - rank,
        _cut_loads(model, cuts, ends, found),
    )


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


def _conditions(
    cuts: list[Hinge], ends: dict[End, Jet], dimension: int, coupled: Array, v: Array
) -> tuple[Array, Array, Array]:
    rows, rest, open_at = [], [], []
    for cut in cuts:
        across = _inverse(ends[cut.ends[0]]) @ ends[cut.ends[1]]
        back = across.x[:3, :3].T
        spin, turning = _axial(across.d[:, :3, :3] @ back), _axial(across.dd[:, :3, :3] @ back)
        normal, tilting = (np.cross([1, 0, 0], x[..., :3, 1]) for x in (across.x, across.d))
        about = turning @ normal + (spin * tilting).sum(axis=1)
        second = np.hstack([across.dd[:, :3, 3], turning, about[:, None]])
        first = np.hstack([across.d[:, :3, 3], spin, (spin @ normal)[:, None]])
        held = list(HELD[dimension, cut.kind])
        rows.append(second[1:, held].T)
        rest.append(second[0, held])
        open_at.append(first[0, held])
    rest, open_at = [*rest, np.zeros(len(coupled), dtype=int)], [*open_at, coupled @ v]
    return np.vstack([*rows, coupled]), np.concatenate(rest), np.concatenate(open_at)


def _unit_wrenches(
    model: Model,
    cuts: list[Hinge],
    ends: dict[End, Jet],
    q: Sequence[float],
    arithmetic: Arithmetic,
) -> list[Array]:
    """External loads (moment, force at the centres of mass) of a unit of each component."""
    found = []
    places = poses(opened(model), q, arithmetic)
    for cut in cuts:
        axes, point = ends[cut.ends[0]].x[:3, :3], ends[cut.ends[1]].x[:3, 3]
        for component in HELD[model.dimension, cut.kind]:
            force, moment = _unit(axes, ends[cut.ends[1]].x[:3, :3], component)
            load = np.zeros((len(model.bodies), 6), dtype=arithmetic.dtype)
            for sign, end in ((-1, cut.ends[0]), (1, cut.ends[1])):
                for k, body in enumerate(model.bodies):
                    if body.name == end.body:
                        own = np.array([*_place(model, body.centre, arithmetic), 1])
                        arm = point - (places[k] @ own)[:3]
                        load[k, :3] += sign * (moment + np.cross(arm, force))
                        load[k, 3:] += sign * force
            found.append(load)
    return found


def _unit(axes: Array, far: Array, component: int) -> tuple[Array, Array]:
    """Force and moment of a unit of a component; axes of the cut's two ends, inertial."""
    none = 0 * axes[:, 0]
    if component == 6:
        return none, np.cross(axes[:, 0], far[:, 1])
    one = axes[:, component % 3]
    return (one, none) if component < 3 else (none, one)


def _cut_loads(
    model: Model, cuts: list[Hinge], ends: dict[End, Jet], found: Array
) -> dict[str, Array]:
    loads, at = {}, 0
    for cut in cuts:
        axes = ends[cut.ends[0]].x[:3, :3]
        force, moment = 0 * axes[:, 0], 0 * axes[:, 0]
        for component in HELD[model.dimension, cut.kind]:
            f, m = _unit(axes, ends[cut.ends[1]].x[:3, :3], component)
            force, moment = force + found[at] * f, moment + found[at] * m
            at += 1
        if cut.ends[1].body == GROUND:
            arm = ends[cut.ends[1]].x[:3, 3] - ends[cut.ends[0]].x[:3, 3]
            force, moment = -force, -(moment + np.cross(arm, force))
            loads[str(cut.ends[0])] = np.concatenate([moment, -force])
        else:
            loads[str(cut.ends[1])] = np.concatenate([moment, -force])
    return loads

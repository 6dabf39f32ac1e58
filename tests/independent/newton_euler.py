"""Newton–Euler in absolute coordinates: all balances and hinge conditions in one dense system.

Unknowns: acceleration of each centre of mass, angular acceleration of each body, force in each
hinge. Nothing is eliminated, nothing is recursive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mstmm.model import GROUND, Model

from .tree import FLOAT, Arithmetic, Array, joints, lever, numbers, orientations


@dataclass(frozen=True)
class Motion:
    """What a judge finds.

    `accelerations` in the order of `model.speeds` (in space: derivatives of the body-axes
    angular velocities); `centres`: acceleration of each centre of mass, inertial axes;
    `forces`: at each output end `body:point`, the force that this body exerts on the body (or
    ground) at the root side, inertial axes.
    """

    accelerations: Array
    centres: Array
    forces: dict[str, Array]


def newton_euler(
    model: Model,
    q: Sequence[float],
    v: Sequence[float],
    wrenches: Array | None = None,
    tau: Array | None = None,
    arithmetic: Arithmetic = FLOAT,
) -> Motion:
    """Accelerations and hinge forces of a tree with smooth pins or balls.

    `wrenches` (bodies × 3 or 6): external force at the centre of mass, then couple, inertial.
    `tau`: external couples, in the order and axes of the speeds.
    """
    d = model.dimension
    turns = 1 if d == 2 else 3
    size = d + turns
    data = numbers(model, arithmetic)
    rotation = orientations(model, q, arithmetic)
    speed = arithmetic.array(v).reshape(-1, turns)
    found = joints(model)
    n = len(data.names)
    unknowns = size * n + d * len(found)
    matrix = np.zeros((unknowns, unknowns), dtype=arithmetic.dtype)
    right = np.zeros(unknowns, dtype=arithmetic.dtype)
    load = np.zeros((n, size), dtype=arithmetic.dtype)
    if wrenches is not None:
        load = load + arithmetic.array(np.ravel(wrenches)).reshape(n, size)
    couples = np.zeros((n, turns), dtype=arithmetic.dtype)
    if tau is not None:
        couples = couples + arithmetic.array(np.ravel(tau)).reshape(n, turns)

    spin, tensor = [], []
    for k in range(n):
        a = slice(size * k, size * k + d)
        turn = slice(a.stop, a.stop + turns)
        axes = rotation[k] if d == 3 else np.eye(1, dtype=int)
        spin.append(axes @ speed[k])
        tensor.append(axes @ data.inertia[k] @ axes.T)
        matrix[a, a] = np.eye(d, dtype=int) * data.mass[k]
        matrix[turn, turn] = tensor[k]
        right[a] = data.mass[k] * data.gravity + load[k, :d]
        right[turn] = load[k, d:] + axes @ couples[k]
        if d == 3:
            right[turn] = right[turn] - np.cross(spin[k], tensor[k] @ spin[k])

    for j, joint in enumerate(found):
        force = slice(size * n + d * j, size * n + d * (j + 1))
        for end, sign in ((joint.tip, -1), (joint.root, +1)):
            if end.body == GROUND:
                continue
            k = data.index(end.body)
            a = slice(size * k, size * k + d)
            turn = slice(a.stop, a.stop + turns)
            r = rotation[k] @ data.arm[end]
            matrix[a, force] = -sign * np.eye(d, dtype=int)
            matrix[turn, force] = -sign * lever(r).T
            matrix[force, a] = sign * np.eye(d, dtype=int)
            matrix[force, turn] = sign * lever(r)
            right[force] = right[force] - sign * _centripetal(spin[k], r)

    solution = arithmetic.solve(matrix, right)
    motion = solution[: size * n].reshape(n, size)
    angular = motion[:, d:]
    if d == 3:
        angular = np.array([rotation[k].T @ angular[k] for k in range(n)])
    forces = solution[size * n :].reshape(-1, d)
    return Motion(
        accelerations=angular.reshape(-1),
        centres=motion[:, :d],
        forces={str(joint.tip): forces[j] for j, joint in enumerate(found)},
    )


def _centripetal(spin: Array, r: Array) -> Array:
    if len(r) == 2:
        return -(spin[0] ** 2) * r
    return np.cross(spin, np.cross(spin, r))

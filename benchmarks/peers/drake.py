"""Drake. Its wheel has no headers: it is called through Python, which adds a few µs a call.

Its balls have angles for coordinates, and their speeds are in the parent's axes.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..cases import Case, NotHereError
from ..contenders import Contender, absent
from ..harness import Call
from ..trees import BALL, SLIDE, Floats, Tree, Z
from .wheels import site

NAME = "drake"


class DrakeCall(Call):
    """Evaluates each state's derivatives; the clock is the harness's: this thread's time."""

    def __init__(self, tree: Tree, q: Floats, v: Floats, tau: Floats, result: Floats) -> None:
        self.plant, self.context = _plant(tree)
        self.nq = self.plant.num_positions()
        self.inputs = np.concatenate([q, v], axis=1)
        self.result = result
        self.forces = tau
        self.port = self.plant.get_applied_generalized_force_input_port()
        self.derivatives: Any = self.plant.AllocateTimeDerivatives()

    @property
    def states(self) -> int:
        return len(self.inputs)

    def once(self) -> int:
        for state, tau, result in zip(self.inputs, self.forces, self.result, strict=True):
            self.plant.SetPositionsAndVelocities(self.context, state)
            self.port.FixValue(self.context, tau)
            self.plant.CalcTimeDerivatives(self.context, self.derivatives)
            result[:] = self.derivatives.get_vector().CopyToVector()[self.nq :]
        return 0

    def seconds(self, passes: int) -> float:
        begin = time.thread_time()
        for _ in range(passes):
            self.once()
        return (time.thread_time() - begin) / (passes * self.states)


def contenders(case: Case) -> list[Contender]:
    if case.entry != "forward":
        return []
    try:
        site("drake")
        tree = case.numbers
    except NotHereError as error:
        return [absent(NAME, str(error))]
    if tree.free:
        return [absent(NAME, "floating robots are not built for it here")]
    q, v = tree.state(*case.drawn[:2])
    tau = tree.forces(case.drawn[2])
    result = np.zeros_like(v)
    if not tree.balls:
        return [Contender(NAME, DrakeCall(tree, q, v, tau, result), result.copy, tree.back)]
    R = rotations(q.reshape(len(q), -1, 4))
    q = angles(R).reshape(len(q), -1)
    v = (R @ v.reshape(len(q), -1, 3, 1)).reshape(v.shape)
    tau = (R @ tau.reshape(len(q), -1, 3, 1)).reshape(v.shape)

    def back(found: Floats) -> Floats:
        """Its speeds are in the parent's axes, the case's in the child's."""
        return (R.swapaxes(-1, -2) @ found.reshape(len(q), -1, 3, 1)).reshape(found.shape)

    return [Contender(NAME, DrakeCall(tree, q, v, tau, result), result.copy, back)]


def rotations(q: Floats) -> Floats:
    """Of quaternions w, x, y, z; child's axes to parent's."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def angles(R: Floats) -> Floats:
    """Roll, pitch and yaw about the parent's x, y and z, one after another."""
    roll = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    yaw = np.arctan2(R[..., 1, 0], R[..., 0, 0])
    return np.stack([roll, -np.arcsin(R[..., 2, 0]), yaw], axis=-1)


def _plant(tree: Tree) -> tuple[Any, Any]:
    from pydrake.math import RigidTransform, RotationMatrix
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import (
        BallRpyJoint,
        FixedOffsetFrame,
        PrismaticJoint,
        RevoluteJoint,
        SpatialInertia,
        UnitInertia,
    )

    plant = MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector(tree.gravity)
    bodies = [plant.world_body()]
    for k, link in enumerate(tree.links):
        c = link.centre
        unit = link.inertia / link.mass + c @ c * np.eye(3) - np.outer(c, c)
        moments = (unit[0, 0], unit[1, 1], unit[2, 2], unit[0, 1], unit[0, 2], unit[1, 2])
        inertia = SpatialInertia(link.mass, c, UnitInertia(*moments))
        bodies.append(plant.AddRigidBody(f"body{k}", inertia))
        placed = RigidTransform(RotationMatrix(link.rotation), link.place)
        parent = bodies[link.parent].body_frame()
        ends = (
            plant.AddFrame(FixedOffsetFrame(f"frame{k}", parent, placed)),
            bodies[-1].body_frame(),
        )
        if link.kind == BALL:
            plant.AddJoint(BallRpyJoint(f"joint{k}", *ends))
        elif link.kind == SLIDE:
            plant.AddJoint(PrismaticJoint(f"joint{k}", *ends, np.eye(3)[Z]))
        else:
            plant.AddJoint(RevoluteJoint(f"joint{k}", *ends, np.eye(3)[link.kind]))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()

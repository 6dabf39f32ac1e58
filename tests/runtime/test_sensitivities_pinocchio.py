"""Jacobians, their slopes and derivatives of inverse dynamics against Pinocchio, of robots."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import mstmm

pin = pytest.importorskip("pinocchio", reason="needs the extra robots (Pinocchio)")

from test_urdf_pinocchio import ROBOTS, Pair, close, shipped  # noqa: E402

pytestmark = pytest.mark.extras

#: Pinocchio's names of what it is expressed in; it knows no mixed representation.
FRAMES = {"body": "LOCAL", "spatial": "WORLD", "hybrid": "LOCAL_WORLD_ALIGNED"}

#: Its ten parameters are m, m c and the tensor column by column, ours row by row.
PARAMETERS = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]


def robot(name: str) -> Pair:
    file, held = ROBOTS[name]
    return Pair.of(shipped(file), held)


def ordered(pair: Pair) -> list[int]:
    """Where its speeds stand, in the model's order."""
    return [joint.idx_v for _, joint, _ in pair.hinges]


def angular_first(columns: Any) -> Any:
    return np.concatenate([columns[3:], columns[:3]])


def by_columns(tensor: Any) -> Any:
    """Its Python face hands out the tensor's numbers, first index fastest, as if last were."""
    return np.ravel(tensor).reshape(tensor.shape, order="F")


@pytest.mark.parametrize("name", ROBOTS)
def test_jacobians_and_their_slopes(name: str) -> None:
    pair = robot(name)
    order, rng = ordered(pair), Random(name)
    solver = mstmm.compile(pair.model, algorithm="jacobians", target="numpy", order=1)
    for _ in range(5):
        q, v, tau = pair.random_state(rng)
        q_, _, _ = pair.told(q, v, tau)
        data = pair.other.createData()
        pin.computeJointJacobians(pair.other, data, q_)
        pin.computeJointKinematicHessians(pair.other, data, q_)
        for representation, frame in FRAMES.items():
            reference = getattr(pin.ReferenceFrame, frame)
            J = solver.geometric_jacobian(q, representation=representation)
            slopes = solver.geometric_jacobian_derivatives(q, representation=representation)
            for hinge, _, number in pair.hinges:
                body = solver.bodies.index(hinge.ends[1].body)
                theirs = pin.getJointJacobian(pair.other, data, number, reference)
                close(J[body], angular_first(theirs)[:, order])
                theirs = pin.getJointKinematicHessian(pair.other, data, number, reference)
                close(slopes[body], angular_first(by_columns(theirs))[:, order][:, :, order])


@pytest.mark.parametrize("name", ROBOTS)
def test_linearised_equations_and_regressor(name: str) -> None:
    pair = robot(name)
    order, rng = ordered(pair), Random(name)
    here = np.ix_(order, order)
    solver = mstmm.compile(pair.model, algorithm="sensitivities", target="numpy")
    joints = {hinge.ends[1].body: number for hinge, _, number in pair.hinges}
    columns = [10 * (joints[body] - 1) + k for body in solver.bodies for k in PARAMETERS]
    for _ in range(20):
        q, v, a = pair.random_state(rng)
        q_, v_, a_ = pair.told(q, v, a)
        data = pair.other.createData()
        pin.computeRNEADerivatives(pair.other, data, q_, v_, a_)
        found = solver.force_derivatives(q, v, a)
        close(found.dq, data.dtau_dq[here])
        close(found.dv, data.dtau_dv[here])
        theirs = pin.computeJointTorqueRegressor(pair.other, data, q_, v_, a_)
        close(solver.inertia_regressor(q, v, a), theirs[order][:, columns])
    pi = np.concatenate([pair.other.inertias[n].toDynamicParameters() for n in joints.values()])
    expected = dict(zip(joints, pi.reshape(-1, 10)[:, PARAMETERS], strict=True))
    own = solver.inertia_parameters().reshape(-1, 10)
    for body, parameters in zip(solver.bodies, own, strict=True):
        close(parameters, expected[body])

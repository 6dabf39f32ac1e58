"""Frames of robots against Pinocchio: every link's place and motion, the centre of mass."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import mstmm
from mstmm.errors import ModelError
from mstmm.model.urdf import read_urdf
from mstmm.runtime.solver import Solver

pin = pytest.importorskip("pinocchio", reason="needs the extra robots (Pinocchio)")

from test_urdf_pinocchio import Pair, shipped  # noqa: E402

#: Of the largest entry. 1e-13 was seen of humanoids; where a file rounds π/2 to twelve digits,
#: which is read as the right angle that it means, 3e-11.
TOLERANCE = 1e-11
ROUNDED = 1e-10

#: Pinocchio's names of what it is expressed in; it knows no mixed representation.
REPRESENTATIONS = {"body": "LOCAL", "spatial": "WORLD", "hybrid": "LOCAL_WORLD_ALIGNED"}

#: File, and whether the root floats: an arm with a hand and mimic fingers, a quadruped, a human.
FEW = {"panda": ("panda.urdf", False), "solo": ("solo12.urdf", True), "human": ("human.urdf", True)}

STATES = 20


def every_file() -> list[str]:
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        return []
    return sorted({Path(str(file)).name for file in files if file.suffix == ".urdf"})


class Judge:
    """A robot here and there, at a state."""

    def __init__(self, pair: Pair, solver: Solver, rng: Random) -> None:
        self.solver, self.other = solver, pair.other
        self.q, self.v, a = pair.random_state(rng)
        self.a = np.clip(a, -3, 3)
        q, v, self.a_ = pair.told(self.q, self.v, self.a)
        still = np.zeros(len(self.v))
        # What is one of our speeds among theirs: all may be in other places and other axes.
        units = np.eye(len(self.v))
        self.T = np.array([pair.told(self.q, unit, still)[1] for unit in units]).T
        self.a_ = self.T @ self.a
        if any(hinge.kind == "planar" for hinge in pair.model.hinges):
            self.a_ = theirs(pair, self.q, self.v, self.a, self.T)
        self.data = data = pair.other.createData()
        pin.forwardKinematics(pair.other, data, q, v, self.a_)
        pin.updateFramePlacements(pair.other, data)
        pin.computeJointJacobians(pair.other, data, q)
        self.state = q, v

    def frames(self, names: list[str], tolerance: float) -> None:
        """Every link's pose, twist, classical acceleration and Jacobian."""
        other, data, solver = self.other, self.data, self.solver
        numbers = [other.getFrameId(name, pin.FrameType.BODY) for name in names]
        poses = solver.poses(self.q, frames=names)
        close(poses, np.array([data.oMf[k].homogeneous for k in numbers]), tolerance)
        for of, called in REPRESENTATIONS.items():
            axes = getattr(pin.ReferenceFrame, called)
            known = {"frames": names, "representation": of}
            V = solver.frame_velocities(self.q, self.v, **known)
            A = solver.frame_accelerations(self.q, self.v, self.a, **known)
            J = solver.frame_jacobian(self.q, **known)
            theirs = [pin.getFrameVelocity(other, data, k, axes).vector for k in numbers]
            close(V, angular_first(np.array(theirs)), tolerance)
            theirs = [pin.getFrameClassicalAcceleration(other, data, k, axes) for k in numbers]
            close(A, angular_first(np.array([x.vector for x in theirs])), tolerance)
            columns = np.array([pin.getFrameJacobian(other, data, k, axes) for k in numbers])
            close(J, angular_first(columns.swapaxes(1, 2)).swapaxes(1, 2) @ self.T, tolerance)

    def rates(self, names: list[str], tolerance: float) -> None:
        """J̇ of every link, where speeds are the same."""
        pin.computeJointJacobiansTimeVariation(self.other, self.data, *self.state)
        for of, called in REPRESENTATIONS.items():
            axes = getattr(pin.ReferenceFrame, called)
            found = self.solver.frame_jacobian_rate(self.q, self.v, frames=names, representation=of)
            for rate, name in zip(found, names, strict=True):
                number = self.other.getFrameId(name, pin.FrameType.BODY)
                theirs = pin.getFrameJacobianTimeVariation(self.other, self.data, number, axes)
                close(rate, angular_first(theirs.T).T @ self.T, tolerance)

    def centre(self, tolerance: float) -> None:
        """The centre of mass, its Jacobian; the centroidal momentum, its matrix and the rate."""
        other, data, solver, (q, v) = self.other, self.data, self.solver, self.state
        pin.centerOfMass(other, data, q, v, self.a_)
        close(solver.centre_of_mass(self.q), data.com[0], tolerance)
        close(solver.com_velocity(self.q, self.v), data.vcom[0], tolerance)
        close(solver.com_acceleration(self.q, self.v, self.a), data.acom[0], tolerance)
        close(
            solver.com_jacobian(self.q),
            pin.jacobianCenterOfMass(other, data, q) @ self.T,
            tolerance,
        )
        pin.dccrba(other, data, q, v)
        close(solver.centroidal_momentum(self.q, self.v), angular_first(data.hg.vector), tolerance)
        A = solver.centroidal_momentum_matrix(self.q)
        close(A, angular_first(data.Ag.T).T @ self.T, tolerance)
        rate = solver.centroidal_momentum_matrix_rate(self.q, self.v)
        close(
            rate @ self.v + A @ self.a, angular_first(data.dAg @ v + data.Ag @ self.a_), tolerance
        )


def theirs(pair: Pair, q: Any, v: Any, a: Any, T: Any) -> Any:
    """Accelerations of speeds some of which are in axes that turn: of planar joints."""
    found = T @ a
    offset = pair.back(q, v, 0 * found)
    return T @ (a - offset)


def angular_first(rows: Any) -> Any:
    return np.concatenate([rows[..., 3:], rows[..., :3]], axis=-1)


def close(found: Any, expected: Any, tolerance: float) -> None:
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def rounding(path: Path) -> float:
    """The tolerance for a file: is a right angle written with a few digits?"""
    text = path.read_text(errors="replace")
    return ROUNDED if any(x in text for x in ("1.57079", "3.14159", "4.71238")) else TOLERANCE


@pytest.mark.filterwarnings("ignore::mstmm.errors.ModelWarning")
@pytest.mark.parametrize("name", FEW)
def test_frames_and_centres_are_those_of_pinocchio(name: str) -> None:
    file, floating = FEW[name]
    path = shipped(file)
    pair = Pair.of(path, {}, floating=floating)
    solver = mstmm.compile(pair.model, target="numpy")
    names = [frame.name for frame in pair.model.frames]
    rng = Random(name)
    for _ in range(3):
        judge = Judge(pair, solver, rng)
        judge.frames(names, rounding(path))
        judge.rates(names, rounding(path))
        judge.centre(rounding(path))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mstmm.errors.ModelWarning")
@pytest.mark.parametrize("file", every_file())
def test_every_frame_of_every_robot(file: str) -> None:
    """The files that are refused say why; two dozen and more are not."""
    path = shipped(file)
    try:
        floating = not read_urdf(path).ground
    except ModelError as error:
        try:
            read_urdf(path, floating=True)
        except ModelError:
            pytest.skip(f"not read: {error}")
        floating = True
    pair = Pair.of(path, {}, floating=floating)
    solver = mstmm.compile(pair.model, target="numpy")
    names = [frame.name for frame in pair.model.frames]
    assert len(names) >= len(pair.model.bodies)
    rng = Random(file)
    for _ in range(STATES):
        judge = Judge(pair, solver, rng)
        judge.frames(names, rounding(path))
        judge.centre(rounding(path))

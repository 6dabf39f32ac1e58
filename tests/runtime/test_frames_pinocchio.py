"""Frames of robots against Pinocchio: every link's place and motion, the centre of mass."""

from __future__ import annotations

import math
import re
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from closeness import close

import mstmm
from mstmm.errors import ModelError
from mstmm.model.files.urdf import read_urdf
from mstmm.model.files.urdf_rigid import RIGHT_ANGLE_SLACK
from mstmm.runtime.solver import Solver

pin = pytest.importorskip("pinocchio", reason="needs the extra robots (Pinocchio)")

from test_urdf_pinocchio import Pair, shipped  # noqa: E402

pytestmark = pytest.mark.extras

#: Of the largest entry. 1e-13 was seen of humanoids.

NUMBER = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?", re.IGNORECASE)
#: The angles of a link's axes in a file.
TURNED = re.compile(r'(?<=rpy=")[^"]*(?=")')

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

    def frames(self, names: list[str]) -> None:
        """Every link's pose, twist, classical acceleration and Jacobian."""
        other, data, solver = self.other, self.data, self.solver
        numbers = [other.getFrameId(name, pin.FrameType.BODY) for name in names]
        poses = solver.poses(self.q, frames=names)
        close(poses, np.array([data.oMf[k].homogeneous for k in numbers]))
        for of, called in REPRESENTATIONS.items():
            axes = getattr(pin.ReferenceFrame, called)
            known = {"frames": names, "representation": of}
            V = solver.frame_velocities(self.q, self.v, **known)
            A = solver.frame_accelerations(self.q, self.v, self.a, **known)
            J = solver.frame_jacobian(self.q, **known)
            theirs = [pin.getFrameVelocity(other, data, k, axes).vector for k in numbers]
            close(V, angular_first(np.array(theirs)))
            theirs = [pin.getFrameClassicalAcceleration(other, data, k, axes) for k in numbers]
            close(A, angular_first(np.array([x.vector for x in theirs])))
            columns = np.array([pin.getFrameJacobian(other, data, k, axes) for k in numbers])
            close(J, angular_first(columns.swapaxes(1, 2)).swapaxes(1, 2) @ self.T)

    def rates(self, names: list[str]) -> None:
        """J̇ of every link, where speeds are the same."""
        pin.computeJointJacobiansTimeVariation(self.other, self.data, *self.state)
        for of, called in REPRESENTATIONS.items():
            axes = getattr(pin.ReferenceFrame, called)
            found = self.solver.frame_jacobian_rate(self.q, self.v, frames=names, representation=of)
            for rate, name in zip(found, names, strict=True):
                number = self.other.getFrameId(name, pin.FrameType.BODY)
                theirs = pin.getFrameJacobianTimeVariation(self.other, self.data, number, axes)
                close(rate, angular_first(theirs.T).T @ self.T)

    def centre(self) -> None:
        """The centre of mass, its Jacobian; the centroidal momentum, its matrix and the rate."""
        other, data, solver, (q, v) = self.other, self.data, self.solver, self.state
        pin.centerOfMass(other, data, q, v, self.a_)
        close(solver.centre_of_mass(self.q), data.com[0])
        close(solver.com_velocity(self.q, self.v), data.vcom[0])
        close(solver.com_acceleration(self.q, self.v, self.a), data.acom[0])
        close(
            solver.com_jacobian(self.q),
            pin.jacobianCenterOfMass(other, data, q) @ self.T,
        )
        pin.dccrba(other, data, q, v)
        close(solver.centroidal_momentum(self.q, self.v), angular_first(data.hg.vector))
        A = solver.centroidal_momentum_matrix(self.q)
        close(A, angular_first(data.Ag.T).T @ self.T)
        rate = solver.centroidal_momentum_matrix_rate(self.q, self.v)
        close(rate @ self.v + A @ self.a, angular_first(data.dAg @ v + data.Ag @ self.a_))


def theirs(pair: Pair, q: Any, v: Any, a: Any, T: Any) -> Any:
    """Accelerations of speeds some of which are in axes that turn: of planar joints."""
    found = T @ a
    offset = pair.back(q, v, 0 * found)
    return T @ (a - offset)


def angular_first(rows: Any) -> Any:
    return np.concatenate([rows[..., 3:], rows[..., :3]], axis=-1)


def in_full(path: Path, folder: Path) -> Path:
    """A copy of the file where right angles that it rounds to a few digits less have all of them.

    We read such an angle as the right angle that it means, Pinocchio as it is written: 3e-11 off.
    """

    def angle(text: str) -> str:
        if not NUMBER.fullmatch(text):  # of a template
            return text
        quarters = round(float(text) / (math.pi / 2)) * math.pi / 2
        return repr(quarters) if abs(float(text) - quarters) <= RIGHT_ANGLE_SLACK else text

    copy = folder / path.name
    text = path.read_bytes().decode(errors="surrogateescape")
    text = TURNED.sub(lambda found: " ".join(map(angle, found[0].split())), text)
    copy.write_bytes(text.encode(errors="surrogateescape"))
    return copy


@pytest.mark.filterwarnings("ignore::mstmm.errors.ModelWarning")
@pytest.mark.parametrize("name", FEW)
def test_frames_and_centres_are_those_of_pinocchio(name: str, tmp_path: Path) -> None:
    file, floating = FEW[name]
    path = in_full(shipped(file), tmp_path)
    pair = Pair.of(path, {}, floating=floating)
    solver = mstmm.compile(pair.model, target="numpy")
    names = [frame.name for frame in pair.model.frames]
    rng = Random(name)
    for _ in range(3):
        judge = Judge(pair, solver, rng)
        judge.frames(names)
        judge.rates(names)
        judge.centre()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mstmm.errors.ModelWarning")
@pytest.mark.parametrize("file", every_file())
def test_every_frame_of_every_robot(file: str, tmp_path: Path) -> None:
    """The files that are refused say why; two dozen and more are not."""
    path = in_full(shipped(file), tmp_path)
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
        judge.frames(names)
        judge.centre()

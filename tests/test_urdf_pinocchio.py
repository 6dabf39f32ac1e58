"""Robots of URDF files against Pinocchio, which reads the same files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import urdf_text
from scipy.spatial.transform import Rotation

import mstmm
from mstmm.model import Hinge, Model
from mstmm.model.urdf import read_urdf

pin = pytest.importorskip("pinocchio", reason="needs the extra robots (Pinocchio)")

#: Of the largest entry. 2e-15 was seen where angles are exact; files that round π/2 to twelve
#: digits are read with the right angle, which moves accelerations and forces by up to 2e-11.
TOLERANCE = 1e-10

#: File, joints held, and damping of every joint, which Pinocchio's `aba` leaves out.
ROBOTS: dict[str, tuple[str, dict[str, float], float]] = {
    "panda": ("panda.urdf", {"panda_finger_joint1": 0.01}, 0.003),
    "ur5": ("ur5_robot.urdf", {}, 0.0),
}


def close(found: Any, expected: Any, scale: float = 1.0) -> None:
    scale = max(scale, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * scale)


def shipped(name: str) -> Path:
    """A file of the package example-robot-data."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("needs the wheel example-robot-data")
    return Path(str(next(file for file in files if file.name == name).locate()))


@dataclass(frozen=True)
class Pair:
    """A model, and the other's model of the same file; joints are matched by name."""

    model: Model
    other: Any

    @classmethod
    def of(cls, path: Path, held: Mapping[str, float], *, floating: bool = False) -> Pair:
        model = read_urdf(path, locked=held, floating=floating)
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        other = pin.buildModelFromUrdf(str(path), *root)
        everything = dict(held)
        if "panda_finger_joint1" in held:  # its follower
            everything["panda_finger_joint2"] = held["panda_finger_joint1"]
        if everything:
            q = pin.neutral(other)
            for name, value in everything.items():
                at = other.joints[other.getJointId(name)]
                turning = at.nq == 2
                q[at.idx_q : at.idx_q + at.nq] = (
                    [np.cos(value), np.sin(value)] if turning else [value]
                )
            ids = [other.getJointId(name) for name in everything]
            other = pin.buildReducedModel(other, ids, q)
        return cls(model, other)

    @cached_property
    def solver(self) -> Any:
        return mstmm.compile(self.model, target="numpy")

    @cached_property
    def inverse(self) -> Any:
        return mstmm.compile(self.model, algorithm="rnea-body", target="numpy")

    @cached_property
    def hinges(self) -> list[tuple[Hinge, Any, int]]:
        """Hinges with coordinates, the other's joints, and the number of each."""
        plain = {name.replace("_", ""): number for number, name in enumerate(self.other.names)}
        plain["root"] = plain.get("rootjoint", 0)
        moving = [hinge for hinge in self.model.hinges if hinge.kind != "fixed"]
        assert len(moving) == self.other.njoints - 1
        return [(h, self.other.joints[plain[h.name]], plain[h.name]) for h in moving]

    def random_state(self, rng: Random) -> tuple[Any, Any, Any]:
        q: list[float] = []
        for hinge, _, _ in self.hinges:
            if hinge.kind == "free":
                turn = np.array([rng.gauss(0, 1) for _ in "wxyz"])
                q += [*(rng.uniform(-1, 1) for _ in "xyz"), *(turn / np.linalg.norm(turn))]
            else:
                q += [rng.uniform(-3, 3) for _ in self.model.hinge_coordinates(hinge)]
        v, tau = ([rng.uniform(-s, s) for _ in self.model.speeds] for s in (3, 20))
        return np.array(q), np.array(v), np.array(tau)

    def told(self, q: Any, v: Any, tau: Any) -> tuple[Any, Any, Any]:
        """The same state in the other's coordinates.

        It has cosine and sine for the angle of continuous and planar joints, a quaternion's
        scalar last, and a planar joint's speeds in the child's axes.
        """
        theirs = [np.zeros(self.other.nq), np.zeros(self.other.nv), np.zeros(self.other.nv)]
        i = j = 0
        for hinge, joint, _ in self.hinges:
            n, m = (len(f(hinge)) for f in (self.model.hinge_coordinates, self.model.hinge_speeds))
            at, u, f = q[i : i + n], v[j : j + m], tau[j : j + m]
            if hinge.kind == "free":
                at = [*at[:3], *at[4:], at[3]]
            elif hinge.kind == "planar":
                T = flat(at[2]).T
                at, u, f = [*at[:2], np.cos(at[2]), np.sin(at[2])], T @ u, T @ f
            elif joint.nq == 2:
                at = [np.cos(at[0]), np.sin(at[0])]
            theirs[0][joint.idx_q : joint.idx_q + joint.nq] = at
            theirs[1][joint.idx_v : joint.idx_v + joint.nv] = u
            theirs[2][joint.idx_v : joint.idx_v + joint.nv] = f
            i, j = i + n, j + m
        return theirs[0], theirs[1], theirs[2]

    def back(self, q: Any, v: Any, a: Any) -> Any:
        """The other's accelerations in the order and coordinates of the model."""
        found, i, j = [], 0, 0
        for hinge, joint, _ in self.hinges:
            n, m = (len(f(hinge)) for f in (self.model.hinge_coordinates, self.model.hinge_speeds))
            own = np.array(a[joint.idx_v : joint.idx_v + joint.nv])
            if hinge.kind == "planar":
                x, y, spin = v[j : j + m]
                own = flat(q[i + 2]) @ own + spin * np.array([-y, x, 0.0])
            found.append(own)
            i, j = i + n, j + m
        return np.concatenate(found)

    def compare(self, rng: Random, damping: float = 0.0) -> None:
        q, v, tau = self.random_state(rng)
        data = self.other.createData()
        q_, v_, tau_ = self.told(q, v, tau)
        a_ = pin.aba(self.other, data, q_, v_, tau_ - damping * v_).copy()
        close(self.solver.accelerations(q, v, tau), self.back(q, v, a_))
        pin.forwardKinematics(self.other, data, q_)
        pin.rnea(self.other, data, q_, v_, a_)
        loads = dict(zip(self.solver.ends, self.solver.joint_loads(q, v, tau), strict=True))
        poses = dict(zip(self.solver.bodies, self.solver.poses(q), strict=True))
        for hinge, _, number in self.hinges:
            end = hinge.ends[1]
            A, x = poses[end.body][:3, :3], poses[end.body][:3, 3]
            force = A @ data.f[number].linear
            arm = A @ np.array(self.model.body(end.body).point(end.point).position, dtype=float)
            moment = A @ data.f[number].angular - np.cross(arm, force)
            close(loads[str(end)], np.concatenate([moment, -force]))
            if self.still:
                close(A, data.oMi[number].rotation)
                close(x, data.oMi[number].translation)

    def compare_inverse(self, rng: Random, damping: float) -> None:
        """The forces that random accelerations need; for joints with equal coordinates."""
        q, v, a = self.random_state(rng)
        theirs = pin.rnea(self.other, self.other.createData(), *self.told(q, v, a))
        close(self.inverse.inverse_dynamics(q, v, a), theirs + damping * v)

    @property
    def still(self) -> bool:
        """Is the inertial frame the root link's?"""
        return "inertial frame" not in self.model.description

    @property
    def weight(self) -> float:
        return 9.81 * sum(inertia.mass for inertia in self.other.inertias)

    def energies(self, rng: Random) -> tuple[float, float]:
        q, v, tau = self.random_state(rng)
        q_, v_, _ = self.told(q, v, tau)
        data = self.other.createData()
        return float(self.solver.energy(q, v)), pin.computeMechanicalEnergy(
            self.other, data, q_, v_
        )


def flat(angle: float) -> Any:
    return Rotation.from_euler("z", angle).as_matrix()


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_move_as_in_pinocchio(name: str) -> None:
    file, held, damping = ROBOTS[name]
    pair = Pair.of(shipped(file), held)
    assert pair.still
    rng = Random(name)
    for _ in range(100):
        pair.compare(rng, damping)
        pair.compare_inverse(rng, damping)
        close(*pair.energies(rng), scale=pair.weight)  # a sum of weights times heights


KINDS = [
    ["revolute"],
    ["continuous"],
    ["prismatic", "revolute"],
    ["planar", "fixed"],
    ["revolute", "continuous", "prismatic", "planar", "fixed"],
]


@pytest.mark.parametrize("root", ["massive", "massless", "floating"])
@pytest.mark.parametrize("kinds", KINDS, ids=" ".join)
def test_random_trees_move_as_in_pinocchio(kinds: list[str], root: str, tmp_path: Path) -> None:
    rng = Random(f"{kinds} {root}")
    path = tmp_path / "robot.urdf"
    path.write_text(urdf_text.random_robot(rng, 5, kinds, root_mass=root != "massless"))
    pair = Pair.of(path, {}, floating=root == "floating")
    for _ in range(3):
        pair.compare(rng)
    first, second = (pair.energies(rng) for _ in range(2))  # zero is at another height
    close(first[0] - second[0], first[1] - second[1], scale=pair.weight)


def test_floating_joints_move_as_in_pinocchio(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    rng = Random(0)
    path.write_text(urdf_text.random_robot(rng, 3, ["floating", "revolute"], root_mass=True))
    pair = Pair.of(path, {})
    for _ in range(3):
        pair.compare(rng)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic"])
def test_locked_joints_hold_as_in_pinocchio(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    rng = Random(kind)
    path.write_text(urdf_text.random_robot(rng, 5, [kind], root_mass=True))
    for held in ({"j1": 0.7}, {"j2": -0.4, "j4": 1.1}, {"j3": 2.0, "j4": 0.1, "j5": 0.3}):
        pair = Pair.of(path, held)
        for _ in range(3):
            pair.compare(rng)

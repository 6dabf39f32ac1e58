"""Robots of URDF files against Pinocchio, which reads the same files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy
import urdf_text
from closeness import within

import mstmm
from mstmm.model import Hinge, Model
from mstmm.model.files.urdf import read_urdf
from mstmm.model.files.urdf_joints import FRICTION_SPEED

pytestmark = pytest.mark.extras

pin = pytest.importorskip("pinocchio", reason="needs the extra robots (Pinocchio)")

#: Of the largest entry. 2e-15 was seen where angles are exact; files that round π/2 to twelve
#: digits are read with the right angle, which moves accelerations and forces by up to 2e-11.
close = within(1e-10)

#: File and joints held, of two arms.
ROBOTS: dict[str, tuple[str, dict[str, float]]] = {
    "panda": ("panda.urdf", {"panda_finger_joint1": 0.01}),
    "ur5": ("ur5_robot.urdf", {}),
}

#: Larger ones, whose root floats.
FLOATING = {"anymal": "anymal.urdf", "talos": "talos_full_v2.urdf"}

#: And of others, with whether their root floats: a finger that mimics another, a quadruped,
#: two arms with mimic joints, a flying arm, a human whose joints are rows of massless links.
OTHERS: dict[str, tuple[str, dict[str, float], bool]] = {
    "panda with fingers": ("panda.urdf", {}, False),
    "solo": ("solo12.urdf", {}, True),
    "baxter": ("baxter.urdf", {}, False),
    "borinot": ("borinot_flying_arm_2.urdf", {}, True),
    "human": ("human.urdf", {}, True),
}

#: Others yet, and whether their root floats: a quadruped, an arm on a torso that slides, a humanoid
#: with axes in no simple way.
PUSHED = {
    "hyq": ("hyq_no_sensors.urdf", True),
    "tiago": ("tiago_no_hand.urdf", False),
    "icub": ("icub_reduced.urdf", True),
}


def shipped(name: str) -> Path:
    """A file of the package example-robot-data."""
    try:
        files = metadata.files("example-robot-data") or []
    except metadata.PackageNotFoundError:
        pytest.skip("needs the wheel example-robot-data")
    return Path(str(next(file for file in files if file.name == name).locate()))


def laws(path: Path) -> dict[str, tuple[float, float]]:
    """Damping and friction by joint, which Pinocchio's `aba` and `rnea` leave out."""
    found = {}
    for joint in ElementTree.parse(path).getroot().findall("joint"):
        given = joint.find("dynamics")
        said = {} if given is None else given.attrib
        law = (float(said.get("damping", 0)), float(said.get("friction", 0)))
        found[str(joint.get("name"))] = law
    return found


@dataclass(frozen=True)
class Pair:
    """A model, and the other's model of the same file; joints are matched by name.

    The other's joints all move for themselves; `compare` projects its equations onto what
    mimic joints allow.
    """

    model: Model
    other: Any
    laws: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, path: Path, held: Mapping[str, float], *, floating: bool = False) -> Pair:
        model = read_urdf(path, locked=held, floating=floating).with_own_coordinates()
        root = (pin.JointModelFreeFlyer(),) if floating else ()
        other = pin.buildModelFromUrdf(str(path), *root)
        everything = dict(held)
        if "panda_finger_joint1" in held:  # its follower
            everything["panda_finger_joint2"] = held["panda_finger_joint1"]
        names = {hinge.name for hinge in model.hinges}
        assert len(everything) + len(names - {"root"}) == other.njoints - 1 - floating
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
        return cls(model, other, laws(path))

    @cached_property
    def solver(self) -> Any:
        return mstmm.compile(self.model, target="numpy")

    @cached_property
    def inverse(self) -> Any:
        free = tuple(replace(hinge, mimic=None) for hinge in self.model.hinges)
        tree = replace(self.model, hinges=free)
        return mstmm.compile(tree, algorithm="rnea-body", target="numpy")

    @cached_property
    def hinges(self) -> list[tuple[Hinge, Any, int]]:
        """Hinges with coordinates, the other's joints, and the number of each."""
        plain = {
            re.sub("[^A-Za-z0-9]", "_", name): number
            for number, name in enumerate(self.other.names)
        }
        plain["root"] = plain.get("root_joint", 0)
        assert len(self.model.hinges) == self.other.njoints - 1
        return [(h, self.other.joints[plain[h.name]], plain[h.name]) for h in self.model.hinges]

    @cached_property
    def projection(self) -> Any:
        """G: the other's speeds from those of the joints that follow none."""
        at = {hinge.name: joint.idx_v for hinge, joint, _ in self.hinges}
        G = np.eye(self.other.nv)
        mimics = [(at[h.name], h.mimic) for h, _, _ in self.hinges if h.mimic]
        for _ in mimics:  # chains of mimic joints
            for row, mimic in mimics:
                G[row] = float(mimic.ratio) * G[at[mimic.hinge]]
        return np.delete(G, [row for row, _ in mimics], axis=1)

    def random_state(self, rng: Random) -> tuple[Any, Any, Any]:
        q: list[float] = []
        for hinge, _, _ in self.hinges:
            if hinge.kind == "free":
                turn = np.array([rng.gauss(0, 1) for _ in "wxyz"])
                q += [*(rng.uniform(-1, 1) for _ in "xyz"), *(turn / np.linalg.norm(turn))]
            else:
                q += [rng.uniform(-3, 3) for _ in self.model.hinge_coordinates(hinge)]
        v, tau = ([rng.uniform(-s, s) for _ in self.model.speeds] for s in (3, 20))
        for _ in self.hinges:
            for hinge, _, _ in self.hinges:
                if hinge.mimic:
                    (i, k), (j, m) = (self.places[name] for name in (hinge.name, hinge.mimic.hinge))
                    q[i] = float(hinge.mimic.ratio) * q[j] + float(hinge.mimic.offset)
                    v[k] = float(hinge.mimic.ratio) * v[m]
        return np.array(q), np.array(v), np.array(tau)

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """Where each hinge's coordinates and speeds begin."""
        found, i, k = {}, 0, 0
        for hinge in self.model.hinges:
            found[hinge.name] = i, k
            i += len(self.model.hinge_coordinates(hinge))
            k += len(self.model.hinge_speeds(hinge))
        return found

    def resistance(self, v: Any) -> Any:
        """Force of damping and friction along the other's speeds."""
        force = np.zeros(self.other.nv)
        for _, joint, number in self.hinges:
            d, f = self.laws.get(self.other.names[number], (0.0, 0.0))
            u = v[joint.idx_v]
            if d or f:
                force[joint.idx_v] = -d * u - f * np.tanh(u / FRICTION_SPEED)
        return force

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

    def compare(self, rng: Random) -> None:
        q, v, tau = self.random_state(rng)
        data = self.other.createData()
        q_, v_, tau_ = self.told(q, v, tau)
        force, G = tau_ + self.resistance(v_), self.projection
        if G.shape[1] == len(G):
            a_ = pin.aba(self.other, data, q_, v_, force).copy()
        else:
            M = pin.crba(self.other, data, q_)
            rest = force - pin.nonLinearEffects(self.other, data, q_, v_)
            a_ = G @ np.linalg.solve(G.T @ M @ G, G.T @ rest)
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
            close(A, data.oMi[number].rotation)
            close(x, data.oMi[number].translation)

    def compare_inverse(self, rng: Random) -> None:
        """The forces that random accelerations need, and M; for joints with equal coordinates.

        Joints that mimic others move for themselves here.
        """
        q, v, a = self.random_state(rng)
        q_, v_, a_ = self.told(q, v, a)
        order = [
            k for _, joint, _ in self.hinges for k in range(joint.idx_v, joint.idx_v + joint.nv)
        ]
        data = self.other.createData()
        theirs = pin.rnea(self.other, data, q_, v_, a_) - self.resistance(v_)
        close(self.inverse.inverse_dynamics(q, v, a), theirs[order])
        M = np.triu(pin.crba(self.other, data, q_))
        close(self.inverse.mass_matrix(q), (M + np.triu(M, 1).T)[np.ix_(order, order)])

    def compare_derivatives(self, rng: Random) -> None:
        """The derivatives of `a`, where coordinates are equal and damping is all that resists."""
        q, v, tau = self.random_state(rng)
        q_, v_, tau_ = self.told(q, v, tau)
        assert not any(friction for _, friction in self.laws.values())
        damping = np.zeros(self.other.nv)
        for _, joint, number in self.hinges:
            damping[joint.idx_v] = self.laws[self.other.names[number]][0]
        data = self.other.createData()
        pin.computeABADerivatives(self.other, data, q_, v_, tau_ + self.resistance(v_))
        Minv = np.triu(data.Minv)
        Minv += np.triu(Minv, 1).T
        order = [joint.idx_v for _, joint, _ in self.hinges]
        found = self.solver.derivatives(q, v, tau)
        here = np.ix_(order, order)
        close(found.dq, data.ddq_dq[here])
        close(found.dv, (data.ddq_dv - Minv * damping)[here])
        close(found.dtau, Minv[here])

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
    return scipy.spatial.transform.Rotation.from_euler("z", angle).as_matrix()


@pytest.mark.parametrize("name", ROBOTS)
def test_robots_move_as_in_pinocchio(name: str) -> None:
    pair = Pair.of(shipped(ROBOTS[name][0]), ROBOTS[name][1])
    rng = Random(name)
    for _ in range(100):
        pair.compare(rng)
        pair.compare_inverse(rng)
        close(*pair.energies(rng), scale=pair.weight)  # a sum of weights times heights


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOATING)
def test_floating_robots_move_as_in_pinocchio(name: str) -> None:
    pair = Pair.of(shipped(FLOATING[name]), {}, floating=True)
    rng = Random(name)
    for _ in range(100):
        pair.compare(rng)
        pair.compare_inverse(rng)


@pytest.mark.parametrize("name", ROBOTS)
def test_derivatives_are_those_of_pinocchio(name: str) -> None:
    pair = Pair.of(shipped(ROBOTS[name][0]), ROBOTS[name][1])
    rng = Random(name)
    for _ in range(20):
        pair.compare_derivatives(rng)


@pytest.mark.parametrize("name", OTHERS)
def test_other_robots_move_as_in_pinocchio(name: str) -> None:
    file, held, floating = OTHERS[name]
    pair = Pair.of(shipped(file), held, floating=floating)
    rng = Random(name)
    for _ in range(5):
        pair.compare(rng)
        pair.compare_inverse(rng)


@pytest.mark.parametrize("name", PUSHED)
def test_forces_and_mass_matrices_are_those_of_pinocchio(name: str) -> None:
    file, floating = PUSHED[name]
    pair = Pair.of(shipped(file), {}, floating=floating)
    rng = Random(name)
    for _ in range(5):
        pair.compare_inverse(rng)


def test_rotors_are_armatures(tmp_path: Path) -> None:
    path = tmp_path / "robot.urdf"
    rng = Random(7)
    plain = urdf_text.random_robot(rng, 5, ["revolute", "prismatic"], root_mass=True)
    motors = [
        f'<transmission name="t{k}" xmlns:drake="http://drake.mit.edu"><joint name="j{k}"/>'
        f'<actuator name="m{k}"><drake:rotor_inertia value="{k * 1e-4!r}"/>'
        '<drake:gear_ratio value="70"/></actuator></transmission>'
        for k in (1, 3, 4)
    ]
    path.write_text(plain.replace("</robot>", f"{''.join(motors)}</robot>"))
    pair = Pair.of(path, {})
    for k in (1, 3, 4):
        joint = pair.other.joints[pair.other.getJointId(f"j{k}")]
        pair.other.armature[joint.idx_v] = k * 1e-4 * 70**2
    for _ in range(5):
        pair.compare(rng)
        pair.compare_inverse(rng)


def test_mimic_joints_move_as_projected(tmp_path: Path) -> None:
    """A chain of followers, one of them behind its leader, one on another branch."""
    path = tmp_path / "robot.urdf"
    rng = Random(8)
    text = urdf_text.random_robot(rng, 6, ["revolute", "prismatic"], root_mass=True)
    for name, leader, ratio, offset in (("j4", "j2", -1.5, 0.2), ("j6", "j4", 0.7, 0.0)):
        mimic = f'<mimic joint="{leader}" multiplier="{ratio}" offset="{offset}"/>'
        first, second = text.split(f'<joint name="{name}"')
        text = f'{first}<joint name="{name}"' + second.replace("</joint>", f"{mimic}</joint>", 1)
    path.write_text(text)
    pair = Pair.of(path, {})
    assert sum(hinge.mimic is not None for hinge in pair.model.hinges) == 2
    for _ in range(5):
        pair.compare(rng)
        pair.compare_inverse(rng)
    shared = read_urdf(path)
    few = [pair.model.speeds.index(name) for name in shared.speeds]
    q, v, _ = pair.random_state(rng)
    a = mstmm.compile(shared, target="numpy").accelerations(q[few], v[few])
    np.testing.assert_allclose(a, pair.solver.accelerations(q, v)[few], rtol=1e-9)


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

"""Two legs whose ankles close loops, from MJCF and from URDF, against MuJoCo and Pinocchio.

The judges solve for the tree and its conditions as one system of equations; of MuJoCo only matrices
are taken, since its own constraints are soft.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import scipy
from test_mjcf import FREE, Judge, mujoco

import mstmm
from mstmm.model import Model
from mstmm.model.files.urdf import read_urdf

pytestmark = pytest.mark.slow
#: Of the largest entry; all solve in double precision what is conditioned up to 1e6.
TOLERANCE = 1e-9
STATES = 100
FILE = Path(__file__).parents[1] / "data" / "robots" / "closed-ankles.xml"
CONNECT, WELD = int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=TOLERANCE * np.abs(expected).max())


def unactuated() -> Any:
    spec = mujoco.MjSpec.from_file(str(FILE))
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    return spec


@dataclass(frozen=True)
class Asked:
    """What a judge says of a state: M, the forces that are not of inertia, J and J̇ v."""

    M: Any
    force: Any
    J: Any
    rate: Any

    def accelerations(self) -> Any:
        """M a + Jᵀ λ = f, J a = -J̇ v."""
        n, m = len(self.M), len(self.J)
        A = np.block([[self.M, self.J.T], [self.J, np.zeros((m, m))]])
        return np.linalg.solve(A, np.concatenate([self.force, -self.rate]))[:n]

    def inverse(self, a: Any, tau: Any) -> Any:
        """The least forces that give `a`: without those along the conditions."""
        needed = self.M @ a - (self.force - tau)
        return needed - self.J.T @ np.linalg.lstsq(self.J.T, needed, rcond=None)[0]


class Mujoco(Judge):
    """The file's equalities in MuJoCo's arrays, in the coordinates and speeds of the model."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.m.opt.jacobian = int(mujoco.mjtJacobian.mjJAC_DENSE)

    def ask(self, q: Any, v: Any, tau: Any) -> Asked:
        m, d, T = self.m, self.d, self.turned(q)
        M = self.mass_matrix(q)
        d.qpos, d.qvel, d.qfrc_applied = q, T @ v, T @ tau
        mujoco.mj_forward(m, d)
        rows = [self.row(k) for k in range(m.neq)]
        J, rates = (np.vstack(each) for each in zip(*rows, strict=True))
        rates = (rates @ d.qvel)[:, None] if rates.ndim == 2 else rates
        force = d.qfrc_passive + d.qfrc_applied - d.qfrc_bias
        inertial = T.T @ (force - self.plain_mass() @ self.rates(T, v))
        return Asked(M, inertial, J @ T, rates.ravel() + J @ self.rates(T, v))

    def plain_mass(self) -> Any:
        M, identity = np.zeros((self.m.nv, self.m.nv)), np.eye(self.m.nv)
        for k in range(self.m.nv):
            column = np.zeros(self.m.nv)
            mujoco.mj_mulM(self.m, self.d, column, identity[k])
            M[:, k] = column
        return M

    def row(self, k: int) -> tuple[Any, Any]:
        """J and J̇ of an equality."""
        m, data, sort = self.m, self.m.eq_data[k], self.m.eq_type[k]
        if sort not in (CONNECT, WELD):
            J = np.zeros((1, m.nv))
            J[0, m.jnt_dofadr[m.eq_obj1id[k]]] = 1.0
            J[0, m.jnt_dofadr[m.eq_obj2id[k]]] = -data[1]
            return J, 0 * J
        anchors = (data[:3], data[3:6]) if sort == CONNECT else (data[3:6], data[:3])
        found = []
        for body, anchor in zip((m.eq_obj1id[k], m.eq_obj2id[k]), anchors, strict=True):
            point = self.d.xpos[body] + self.d.xmat[body].reshape(3, 3) @ anchor
            both = []
            for function in (mujoco.mj_jac, mujoco.mj_jacDot):
                jacp, jacr = np.zeros((3, m.nv)), np.zeros((3, m.nv))
                function(m, self.d, jacp, jacr, point, body)
                both.append(jacp if sort == CONNECT else np.vstack([jacp, jacr]))
            found.append(both)
        (J1, D1), (J2, D2) = found
        return J1 - J2, D1 - D2


def urdf_of(spec: Any) -> str:
    """The tree of the file as URDF: a link for each joint of a body, the last with its mass."""
    m = spec.compile()
    name = lambda sort, k: mujoco.mj_id2name(m, sort, k)  # noqa: E731
    links, joints = [], []
    for body in range(1, m.nbody):
        own = name(mujoco.mjtObj.mjOBJ_BODY, body)
        links.append(_link(own, m, body))
        numbers = range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body])
        if m.jnt_type[numbers[0]] == FREE:
            continue
        between = [f"{own}_{k}" for k in numbers[:-1]]
        links += [f'<link name="{each}"/>' for each in between]
        chain = [name(mujoco.mjtObj.mjOBJ_BODY, m.body_parentid[body]), *between, own]
        turn = scipy.spatial.transform.Rotation.from_quat(m.body_quat[body], scalar_first=True)
        angles = turn.as_euler("xyz")
        for k, (parent, child) in zip(numbers, pairwise(chain), strict=True):
            at = m.body_pos[body] if k == numbers[0] else np.zeros(3)
            joints.append(
                f'<joint name="{name(mujoco.mjtObj.mjOBJ_JOINT, k)}" type="revolute">'
                f'<parent link="{parent}"/><child link="{child}"/>'
                f'<origin xyz="{_told(at)}" rpy="{_told(angles if k == numbers[0] else 0 * at)}"/>'
                f'<axis xyz="{_told(m.jnt_axis[k])}"/><limit effort="1e9" velocity="1e9" '
                'lower="-9" upper="9"/></joint>'
            )
    return f'<robot name="closed_ankles">{"".join(links + joints)}</robot>'


def _link(name: str, m: Any, body: int) -> str:
    turn = scipy.spatial.transform.Rotation.from_quat(
        m.body_iquat[body], scalar_first=True
    ).as_matrix()
    inertia = turn @ np.diag(m.body_inertia[body]) @ turn.T
    entries = {f"i{'xyz'[i]}{'xyz'[j]}": inertia[i, j] for i in range(3) for j in range(i, 3)}
    told = " ".join(f'{key}="{float(value)!r}"' for key, value in entries.items())
    return (
        f'<link name="{name}"><inertial><origin xyz="{_told(m.body_ipos[body])}"/>'
        f'<mass value="{float(m.body_mass[body])!r}"/><inertia {told}/></inertial></link>'
    )


def _told(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)


def closed(tree: Model, other: Model) -> Model:
    """The tree of a URDF file with the loops, couplings, rotors, springs and dampers of `other`."""
    points = {body.name: body.points for body in other.bodies}
    closing = [hinge for hinge in other.hinges if hinge.name in other.cuts]
    used = {(end.body, end.point) for hinge in closing for end in hinge.ends}
    bodies = []
    for body in tree.bodies:
        more = [
            replace(point, name=f"C{point.name}")
            for point in points.get(body.name, ())
            if (body.name, point.name) in used
        ]
        bodies.append(replace(body, points=(*body.points, *more)))
    ends = [
        replace(h, ends=tuple(replace(e, point=f"C{e.point}") for e in h.ends)) for h in closing
    ]
    of = {hinge.name: hinge for hinge in other.hinges}
    hinges = [
        replace(
            hinge,
            rotor=of[hinge.name].rotor,
            force=of[hinge.name].force,
            potential=of[hinge.name].potential,
            mimic=of[hinge.name].mimic,
        )
        if hinge.name in of
        else hinge
        for hinge in tree.hinges
    ]
    return replace(
        tree, bodies=tuple(bodies), hinges=(*hinges, *ends), cuts=tuple(h.name for h in closing)
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder, spec = tmp_path_factory.mktemp("robot"), unactuated()
    spec.compile()
    xml, urdf = folder / "closed-ankles.xml", folder / "closed-ankles.urdf"
    xml.write_text(spec.to_xml())
    urdf.write_text(urdf_of(spec))
    return xml, urdf


class Ours:
    """Solvers of a model, of the tree alone, and random states with closed loops."""

    def __init__(self, model: Model) -> None:
        self.model = model
        tree = [replace(h, mimic=None) for h in model.hinges if h.name not in model.cuts]
        self.tree = replace(model, hinges=tuple(tree), cuts=())

    @cached_property
    def solver(self) -> Any:
        return mstmm.compile(self.model, target="numpy")

    @cached_property
    def inverse(self) -> Any:
        return mstmm.compile(self.model, algorithm="rnea-body", target="numpy")

    @cached_property
    def matrices(self) -> Any:
        return mstmm.compile(self.tree, algorithm="rnea-body", target="numpy")

    def states(self, seed: str) -> Iterator[tuple[Any, Any, Any]]:
        rng, n = Random(seed), len(self.model.speeds)
        driven = [f"q{h.name}" for h in self.model.hinges if h.rotor and h.kind == "revolute"]
        for _ in range(STATES):
            q = np.array(self.model.q0)
            q[:7] += [rng.uniform(-0.5, 0.5) for _ in range(7)]
            q[3:7] /= np.linalg.norm(q[3:7])
            fixed = {name: rng.uniform(-0.3, 0.3) for name in driven}
            q = self.solver.assemble(q, fixed=fixed).q
            q, v = self.solver.project(q, [rng.uniform(-2, 2) for _ in range(n)])
            yield q, v, np.array([rng.uniform(-20, 20) for _ in range(n)])

    def agree(self, state: tuple[Any, Any, Any], said: Asked) -> None:
        q, v, tau = state
        a = self.solver.accelerations(q, v, tau)
        close(a, said.accelerations())
        close(self.inverse.inverse_dynamics(q, v, a), said.inverse(a, tau))
        close(self.matrices.mass_matrix(q), said.M)


def test_closed_ankles_move_as_in_mujoco(files: tuple[Path, Path]) -> None:
    ours, judge = Ours(mstmm.load(str(files[0]), strict=True)), Mujoco(files[0])
    for state in ours.states("mujoco"):
        ours.agree(state, judge.ask(*state))


def test_closed_ankles_of_a_urdf_move_as_in_mujoco_and_pinocchio(files: tuple[Path, Path]) -> None:
    pin = pytest.importorskip("pinocchio", reason="needs the extra robots (Pinocchio)")
    model = closed(read_urdf(files[1], floating=True), mstmm.load(str(files[0])))
    ours, judge = Ours(model), Pinocchio(pin, files[1], model)
    for state in ours.states("pinocchio"):
        ours.agree(state, judge.ask(*state))


class Pinocchio:
    """The URDF's tree in Pinocchio, with frames where the loops close."""

    def __init__(self, pin: Any, path: Path, model: Model) -> None:
        self.pin, self.model = pin, model
        self.other = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        plain = {name: k for k, name in enumerate(self.other.names)}
        plain["root"] = plain["root_joint"]
        self.joints = [self.other.joints[plain[h.name]] for h in model.hinges if not self.cut(h)]
        self.order = [k for j in self.joints for k in range(j.idx_v, j.idx_v + j.nv)]
        for hinge, joint in zip(model.hinges, self.joints, strict=False):
            if hinge.rotor:
                self.other.armature[joint.idx_v] = float(hinge.rotor[0])
        self.pairs = [self.ends(hinge) for hinge in model.hinges if self.cut(hinge)]
        self.data = self.other.createData()

    def cut(self, hinge: Any) -> bool:
        return hinge.name in self.model.cuts

    def ends(self, hinge: Any) -> tuple[bool, list[int]]:
        """Is it a weld? And the frames of its ends."""
        found = []
        for k, end in enumerate(hinge.ends):
            body = next(b for b in self.other.frames if b.name == end.body)
            at = np.array(self.model.body(end.body).point(end.point).position, dtype=float)
            place = body.placement * self.pin.SE3(np.eye(3), at)
            name = f"{hinge.name}{k}"
            frame = self.pin.Frame(name, body.parentJoint, place, self.pin.FrameType.OP_FRAME)
            found.append(self.other.addFrame(frame))
        return hinge.kind == "fixed", found

    def ask(self, q: Any, v: Any, tau: Any) -> Asked:
        pin, other, data = self.pin, self.other, self.data
        q_, v_ = np.zeros(other.nq), np.zeros(other.nv)
        q_[:7] = [*q[:3], *q[4:7], q[3]]
        v_[self.order] = v
        for joint, value in zip(self.joints[1:], q[7:], strict=True):
            q_[joint.idx_q] = value
        M = np.triu(pin.crba(other, data, q_))
        M += np.triu(M, 1).T
        force = tau + self.laws(q, v) - pin.nonLinearEffects(other, data, q_, v_)[self.order]
        pin.computeJointJacobians(other, data, q_)
        pin.forwardKinematics(other, data, q_, v_, 0 * v_)
        pin.updateFramePlacements(other, data)
        rows, rates = [], []
        world = pin.LOCAL_WORLD_ALIGNED
        for weld, frames in self.pairs:
            count = 6 if weld else 3
            J = [pin.getFrameJacobian(other, data, f, world)[:count] for f in frames]
            a = [pin.getFrameClassicalAcceleration(other, data, f, world) for f in frames]
            rows.append((J[0] - J[1])[:, self.order])
            rates.append((a[0].vector - a[1].vector)[:count])
        J, rate = self.coupled(np.vstack(rows), np.concatenate(rates))
        return Asked(M[np.ix_(self.order, self.order)], force, J, rate)

    def laws(self, q: Any, v: Any) -> Any:
        """Springs and dampers, which a URDF file has not: of the file's numbers."""
        found = np.zeros(len(v))
        for k, hinge in enumerate(self.model.hinges[1 : len(self.joints)], start=6):
            name = hinge.name
            if "toe" in name:
                found[k] = -2.0 * q[k + 1]
            elif "ankle" in name:
                found[k] = -0.1 * v[k]
            elif hinge.rotor:
                found[k] = -0.8 * v[k]
        return found

    def coupled(self, J: Any, rate: Any) -> tuple[Any, Any]:
        at = {hinge.name: k for k, hinge in enumerate(self.model.hinges[: len(self.joints)], 5)}
        more = np.zeros((2, J.shape[1]))
        for row, side in zip(more, "lr", strict=True):
            row[at[f"{side}_toe"]], row[at[f"{side}_knee"]] = 1.0, 0.3
        return np.vstack([J, more]), np.append(rate, [0.0, 0.0])

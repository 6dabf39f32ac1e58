"""A MuJoCo model (MJCF) as a model in joint coordinates.

MuJoCo itself compiles the file, with its defaults, classes, includes and meshes; its arrays are
read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ModelError, ToolchainError, UsageError
from ..checks.doubts import doubt
from ..expressions.functions import FUNCTIONS
from ..expressions.quantities import exact_expression, hinge_symbol, parameter, shorten
from ..files.placing import hinge_axes, point_at, row, rows
from ..files.urdf_rigid import Floats, Mass, Pose, turn
from ..model import Model
from ..parts.base import Input
from ..parts.bodies import Body, End, Point
from ..parts.frames import GROUND_NAMES, Frame, is_own
from ..parts.hinges import GROUND, Hinge, Mimic
from ..parts.limits import FREE, Limits
from ..parts.naming import FRAME_NAME, Names
from .mjcf_omitted import actuators, omitted
from .mjcf_tendons import Motor, Pulling

_KINDS = {"mjJNT_HINGE": "revolute", "mjJNT_SLIDE": "prismatic", "mjJNT_BALL": "ball"}
_FREE = "mjJNT_FREE"
#: What no input may be called.
_LAW_SYMBOLS = ("t", "pi", *(f"{letter}{k}" for letter in "qu" for k in range(1, 8)))


def read_mjcf(path: str | Path) -> Model:
    """The model of a MuJoCo file; also of a URDF file that MuJoCo can compile.

    | in the file | in the model |
    | --- | --- |
    | body with joints, and what is fixed in it | one body, in MuJoCo's axes; a frame for each |
    | `hinge`, `slide`, `ball`, `free` joint | `revolute`, `prismatic`, `ball`, `free` hinge |
    | several joints of a body | hinges in a row, bodies without mass between them |
    | `armature`; `stiffness` and `springref`; `damping` | `rotor`; potential; force |
    | `range` that is limited | `limits`; no solver stops there |
    | equality `connect`, `weld` | `ball` or `fixed` hinge that closes a loop, and is cut |
    | equality `joint`, linear | coupling |
    | site | frame |
    | tendon of joints, or straight between sites and over pulleys | potential and law of the \
      joint, laws of the joints that read each other; force between points, several that read \
      sensors |
    | actuator of a `hinge` or `slide` joint or of such a tendon, affine, without dynamics | \
      input: `ctrl`, its range |
    | `gravity` | gravity |

    Hinges have the order of MuJoCo's joints, and coordinates are its `qpos`. Speeds are its `qvel`,
    except for free joints, whose velocity is here that in the body's own axes. The start is
    `qpos0`. Constraints are exact here, not soft. What is there and left out gives a
    `ModelWarning`, each by name: contact, tendons around geoms, friction loss and others.
    A spring over several joints or sites moves bodies as in MuJoCo, but is a law here, whose
    energy is not counted.

    Units
        SI, rad.
    Frame
        The inertial frame is MuJoCo's world.
    Raises
        ModelError: MuJoCo cannot compile the file, or the method cannot take it.
        ToolchainError: the extra `mujoco` is not installed.
        UsageError: the file cannot be read.
    Source
        own; MuJoCo's documentation, "Computation" and "XML reference".
    """
    try:
        import mujoco
    except ImportError:
        raise ToolchainError(
            "MJCF files are compiled by MuJoCo, which is not installed",
            remedy='pip install "mstmm[mujoco]"',
        ) from None
    if not Path(path).is_file():
        raise UsageError(f"{path} cannot be read: there is no such file")
    try:
        compiled = _compiled(mujoco, path)
        return _Reader(mujoco, compiled).model(Path(path).stem)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def _compiled(mujoco: Any, path: str | Path) -> Any:
    """MuJoCo's model of a file; what it would print, and write to a file of its own, warns."""
    remarks: list[str] = []
    usual = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(remarks.append)
    try:
        compiled = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        said = "; ".join(str(error).split("\n")).strip("; ")
        raise ModelError(f"MuJoCo cannot compile it: {said}") from None
    finally:
        mujoco.set_mju_user_warning(usual)
    for remark in remarks:
        doubt(f"MuJoCo says: {remark.strip()}")
    return compiled


class _Reader:
    """Turns MuJoCo's bodies and joints into bodies and hinges."""

    def __init__(self, mujoco: Any, compiled: Any) -> None:
        self.mujoco, self.m = mujoco, compiled
        self.body_names, self.hinge_names = Names(GROUND), Names()
        # By number of MuJoCo's body: the body that it is part of, and where.
        self.places: list[tuple[str, Pose]] = [(GROUND, Pose())]
        self.masses: dict[str, Mass] = {}
        self.points: dict[str, list[Point]] = {GROUND: []}
        self.hinges: list[Hinge] = []
        self.joints: list[str] = []  # the hinge of each joint
        self.motors: dict[int, list[Motor]] = {}  # of each tendon
        self.sites: dict[int, tuple[End, Floats]] = {}
        self.bodies: list[str] = []

    def model(self, stem: str) -> Model:
        for body in range(1, self.m.nbody):
            self._body(body)
        if not self.hinges:
            raise ModelError("nothing moves: no body has a joint", field="joints")
        closing = list(self._closing())
        self._couple()
        inputs = tuple(self._driven())
        pulled = self._pulled({*self.joints, *(x.name for x in inputs)})
        for what, names in omitted(self.mujoco, self.m):
            doubt(f"left out: {shorten(names, limit=20)}", field=what)
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")
        return Model(
            name=name if name[:1].isalpha() else f"robot-{name}".rstrip("-"),
            dimension=3,
            bodies=tuple(self._finished(body) for body in self.bodies),
            hinges=(*self.hinges, *closing),
            gravity=row(self.m.opt.gravity),
            q0=row(self.m.qpos0),
            description="from MJCF",
            absolute=False,
            cuts=tuple(hinge.name for hinge in closing),
            ground=tuple(self.points[GROUND]),
            frames=tuple(self._frames()),
            inputs=inputs,
            forces=tuple(pulled.forces),
            sensors=tuple(pulled.sensors),
        )

    def _name(self, kind: str, number: int) -> str:
        found = self.mujoco.mj_id2name(self.m, getattr(self.mujoco.mjtObj, f"mjOBJ_{kind}"), number)
        return found or ""

    # Bodies and joints

    def _body(self, number: int) -> None:
        m = self.m
        parent, place = self.places[m.body_parentid[number]]
        at = place @ Pose(rotation(m.body_quat[number]), np.array(m.body_pos[number]))
        own = Mass(float(m.body_mass[number]), inertia=np.diag(m.body_inertia[number]))
        own = own.seen_from(Pose(rotation(m.body_iquat[number]), np.array(m.body_ipos[number])))
        joints = range(m.body_jntadr[number], m.body_jntadr[number] + m.body_jntnum[number])
        if not joints:
            self.places.append((parent, at))
            if parent != GROUND:
                self.masses[parent] = self.masses[parent] + own.seen_from(at)
            return
        name = self._new_body(self._name("BODY", number))
        for joint in joints:
            last = joint == joints[-1]
            to = name if last else self._new_body(f"{name}turn")
            self._join(joint, parent, at, to)
            parent, at = to, Pose()
        self.places.append((name, Pose()))
        self.masses[name] = own

    def _new_body(self, name: str) -> str:
        made = self.body_names.make(name, "body")
        self.bodies.append(made)
        self.points[made] = []
        self.masses[made] = Mass()
        return made

    def _join(self, joint: int, parent: str, at: Pose, body: str) -> None:
        """The hinge of a joint; `at`: the body's frame in the parent's, the joint at its qpos0."""
        m, sort = self.m, self.mujoco.mjtJoint(self.m.jnt_type[joint]).name
        name = self.hinge_names.make(self._name("JOINT", joint), f"joint{joint}")
        self.joints.append(name)
        if sort == _FREE:
            ends = End(GROUND, self._point(GROUND, Pose())), End(body, self._point(body, Pose()))
            self.hinges.append(Hinge(name, "free", ends))
            return
        kind = _KINDS[sort]
        reference = float(m.qpos0[m.jnt_qposadr[joint]])
        axis = np.array(m.jnt_axis[joint])
        axes = np.eye(3) if kind == "ball" else hinge_axes(axis / np.linalg.norm(axis))
        tip = Pose(axes, np.array(m.jnt_pos[joint]))
        back = Pose()
        if kind == "revolute":
            back = Pose(turn(2, -reference))
        elif kind == "prismatic":
            back = Pose(origin=np.array([0, 0, -reference]))
        near = End(parent, self._point(parent, at @ tip @ back))
        far = End(body, self._point(body, tip))
        self.hinges.append(self._lawful(Hinge(name, kind, (near, far)), joint))

    def _lawful(self, hinge: Hinge, joint: int) -> Hinge:
        """The hinge with its armature, spring, damper and limits."""
        m, count = self.m, 3 if hinge.kind == "ball" else 1
        dofs = slice(m.jnt_dofadr[joint], m.jnt_dofadr[joint] + count)
        armature, damping = m.dof_armature[dofs], m.dof_damping[dofs]
        stiffness = exact_expression(float(m.jnt_stiffness[joint]))
        rest = exact_expression(float(m.qpos_spring[m.jnt_qposadr[joint]]))
        return replace(
            hinge,
            rotor=row(armature) if armature.any() else (),
            force=tuple(
                -exact_expression(float(d)) * hinge_symbol("u", k)
                for k, d in enumerate(damping, start=1)
            )
            * bool(damping.any()),
            potential=stiffness * (hinge_symbol("q", 1) - rest) ** 2 / 2 if count == 1 else 0,
            limits=self._limits(joint) if count == 1 else None,
        )

    def _limits(self, joint: int) -> Limits | None:
        m = self.m
        low, high = map(float, m.jnt_range[joint])
        effort = float(np.abs(m.jnt_actfrcrange[joint]).max())
        position = ((low, high),) if m.jnt_limited[joint] else ()
        efforts = (effort,) if m.jnt_actfrclimited[joint] else ()
        return Limits(position, effort=efforts) if position or efforts else None

    def _point(self, body: str, pose: Pose) -> str:
        """A new point of a body."""
        name = f"J{len(self.points[body]) + 1}"
        self.points[body].append(point_at(name, pose))
        return name

    def _finished(self, name: str) -> Body:
        mass = self.masses[name]
        return Body(name, mass.mass, rows(mass.inertia), row(mass.centre), tuple(self.points[name]))

    # Equalities and frames

    def _closing(self) -> Iterator[Hinge]:
        """Hinges that close loops: of the equalities `connect` and `weld`."""
        for k in self._equalities("CONNECT", "WELD"):
            weld = self.m.eq_type[k] == int(self.mujoco.mjtEq.mjEQ_WELD)
            ends = [self._side(k, second, weld) for second in (False, True)]
            if ends[0][0] == ends[1][0]:
                continue  # parts of one body
            name = self.hinge_names.make(self._name("EQUALITY", k), f"equality{k}")
            first, second = (End(body, self._point(body, pose)) for body, pose in ends)
            yield Hinge(name, "fixed" if weld else "ball", (first, second))

    def _side(self, k: int, second: bool, weld: bool) -> tuple[str, Pose]:
        """Where an equality holds on one of its bodies: the body that this is part of, the pose."""
        m, data = self.m, self.m.eq_data[k]
        number = int((m.eq_obj2id if second else m.eq_obj1id)[k])
        if m.eq_objtype[k] == int(self.mujoco.mjtObj.mjOBJ_SITE):
            body, place = self.places[m.site_bodyid[number]]
            axes = rotation(m.site_quat[number]) if weld else np.eye(3)
            return body, place @ Pose(axes, np.array(m.site_pos[number]))
        body, place = self.places[number]
        if not weld:
            return body, place @ Pose(origin=np.array(data[3:6] if second else data[:3]))
        if second:
            return body, place @ Pose(origin=np.array(data[:3]))
        return body, place @ Pose(rotation(data[6:10]), np.array(data[3:6]))

    def _couple(self) -> None:
        """Followers of the equalities `joint`: y − y₀ = a₀ + a₁ (x − x₀)."""
        for k in self._equalities("JOINT"):
            m, follower, leader = self.m, int(self.m.eq_obj1id[k]), int(self.m.eq_obj2id[k])
            if leader < 0 or m.eq_data[k][2:5].any():
                continue  # listed as left out
            y0, x0 = (float(m.qpos0[m.jnt_qposadr[j]]) for j in (follower, leader))
            offset, ratio = map(float, m.eq_data[k][:2])
            mimic = Mimic(self.joints[leader], ratio, y0 + offset - ratio * x0)
            self.hinges[follower] = replace(self.hinges[follower], mimic=mimic)

    def _driven(self) -> Iterator[Input]:
        """An input for each actuator: its force adds to the hinge's, or waits for its tendon."""
        hinges = [hinge.name for hinge in self.hinges]
        names = Names(*_LAW_SYMBOLS, *hinges, *(f"{x}{name}" for x in "qu" for name in hinges))
        for k in actuators(self.mujoco, self.m):
            given = self._name("ACTUATOR", k)
            given = f"{given}_ctrl" if given in (*hinges, *self.bodies, *FUNCTIONS) else given
            name = names.make(given if given[:1].isalpha() else f"u{given}", "u")
            number, control = int(self.m.actuator_trnid[k][0]), parameter(name)
            if self.m.actuator_trntype[k] == int(self.mujoco.mjtTrn.mjTRN_TENDON):
                motor = partial(self._actuation, k, control)
                self.motors.setdefault(number, []).append(motor)
            else:
                q, u = hinge_symbol("q", 1), hinge_symbol("u", 1)
                self._push(number, self._actuation(k, control, q, u))
            low, high = map(float, self.m.actuator_ctrlrange[k])
            limited = bool(self.m.actuator_ctrllimited[k])
            yield Input(name, limits=(low, high) if limited else FREE)

    def _push(self, joint: int, force: Any, potential: Any = 0) -> None:
        """Add to what a joint's hinge exerts."""
        hinge = self.hinges[joint]
        (before,) = hinge.force or (0,)
        total = before + force
        self.hinges[joint] = replace(
            hinge,
            force=(total,) if total != 0 else (),
            potential=hinge.potential + potential,
        )

    def _actuation(self, k: int, control: Any, length: Any, velocity: Any) -> Any:
        """gear · (gain · control + bias), both affine in length and velocity of the actuator."""
        m, gear = self.m, exact_expression(float(self.m.actuator_gear[k][0]))
        length, velocity = gear * length, gear * velocity

        def affine(kind: Any, coefficients: Any) -> Any:
            a, b, c = (exact_expression(float(x)) for x in coefficients[:3])
            return a if kind == 0 else a + b * length + c * velocity

        gain = affine(m.actuator_gaintype[k], m.actuator_gainprm[k])
        none = int(self.mujoco.mjtBias.mjBIAS_NONE)
        bias = 0 if m.actuator_biastype[k] == none else affine(1, m.actuator_biasprm[k])
        return gear * (gain * control + bias)

    def _pulled(self, taken: set[str]) -> Pulling:
        """What straight tendons exert; those of joints act as the hinges' laws."""
        names = Names(*_LAW_SYMBOLS, *taken, "length", "rate")
        found = Pulling(self.mujoco, self.m, self.joints, self.motors, self._site)
        for number in range(self.m.ntendon):
            found.take(number, self._name("TENDON", number), names)
        for joint, force, potential in found.pushes:
            self._push(joint, force, potential)
        return found

    def _site(self, number: int) -> tuple[End, Floats]:
        """The point of a body where a site is."""
        if number not in self.sites:
            body, place = self.places[self.m.site_bodyid[number]]
            at = place @ Pose(origin=np.array(self.m.site_pos[number]))
            self.sites[number] = End(body, self._point(body, at)), at.origin
        return self.sites[number]

    def _equalities(self, *kinds: str) -> list[int]:
        wanted = {int(getattr(self.mujoco.mjtEq, f"mjEQ_{kind}")) for kind in kinds}
        return [
            k for k in range(self.m.neq) if self.m.eq_type[k] in wanted and self.m.eq_active0[k]
        ]

    def _frames(self) -> Iterator[Frame]:
        """A frame for each of MuJoCo's bodies and sites."""
        names, m = Names(*self.bodies, *GROUND_NAMES, valid=FRAME_NAME), self.m
        for number in range(1, m.nbody):
            (body, place), given = self.places[number], self._name("BODY", number)
            yield _frame(given if is_own(given, body) else names.make(given, "body"), body, place)
        for number in range(m.nsite):
            body, place = self.places[m.site_bodyid[number]]
            at = Pose(rotation(m.site_quat[number]), np.array(m.site_pos[number]))
            yield _frame(names.make(self._name("SITE", number), "site"), body, place @ at)


def _frame(name: str, body: str, place: Pose) -> Frame:
    at = point_at(name, place)
    return Frame(name, body, at.position, at.axes)


def rotation(quaternion: Floats) -> Floats:
    """The direction cosines of a quaternion w, x, y, z, whose length does not matter."""
    w, x, y, z = np.array(quaternion, dtype=float) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )

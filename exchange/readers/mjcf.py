"""A MuJoCo model (MJCF) as a model in joint coordinates.

MuJoCo itself compiles the file, with its defaults, classes, includes and meshes; its arrays are
read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from ...errors import ModelError, ToolchainError, UsageError
from ...model.expressions.functions import FUNCTIONS
from ...model.expressions.quantities import exact_expression, hinge_symbol, parameter
from ...model.files.placing import hinge_axes, point_at, row, rows
from ...model.files.urdf_rigid import Floats, Mass, Pose, turn
from ...model.model import Model
from ...model.parts.base import Input
from ...model.parts.bodies import Body, End, Point
from ...model.parts.forces import Load
from ...model.parts.frames import GROUND_NAMES, Frame, is_own
from ...model.parts.hinge_kinds import HINGE_KINDS, HingeKind
from ...model.parts.hinges import GROUND, Hinge, Mimic
from ...model.parts.limits import FREE, Limits
from ...model.parts.naming import FRAME_NAME, Names
from .mjcf_actuators import Driving, actuators
from .mjcf_compiled import compiled_model
from .mjcf_equalities import active, couplings
from .mjcf_omitted import judge
from .mjcf_tendons import Pulling, cubic, energy, numbers, smooth

_KINDS = {"mjJNT_HINGE": "revolute", "mjJNT_SLIDE": "prismatic", "mjJNT_BALL": "ball"}
_FREE = "mjJNT_FREE"
#: What no input may be called.
_LAW_SYMBOLS = ("t", "pi", *(f"{letter}{k}" for letter in "qu" for k in range(1, 8)))


def read_mjcf(path: str | Path, *, without: Sequence[str] = ()) -> Model:
    """The model of a MuJoCo file; also of a URDF file that MuJoCo can compile.

    | in the file | in the model |
    | --- | --- |
    | body with joints, and what is fixed in it | one body, in MuJoCo's axes; a frame for each |
    | `hinge`, `slide`, `ball`, `free` joint | `revolute`, `prismatic`, `ball`, `free` hinge |
    | several joints of a body | hinges in a row, bodies without mass between them |
    | `armature`; `stiffness`, `springref`, `damping`, of any order | `rotor`; potential; force |
    | `stiffness` of a `ball` or `free` joint | torsional spring, of a free one along the axes too |
    | `frictionloss` f | force −f tanh(u / `urdf.FRICTION_SPEED`) |
    | `range` that is limited | `limits`; no solver stops there |
    | equality `connect`, `weld` | `ball` or `fixed` hinge that closes a loop, and is cut; a weld \
      with `torquescale` 0 is a `ball` |
    | equality of joints, or of tendons of joints | coupling |
    | site | frame |
    | tendon of joints, or straight between sites and over pulleys | potential and law of the \
      joint, laws of the joints that read each other; force between points, several that read \
      sensors |
    | affine actuator without a state, of a joint, such a tendon, a site or a slider-crank | \
      input: `ctrl`, its range; what it exerts is clamped to `forcerange` and `actuatorfrcrange` |
    | `gravity`, `gravcomp` | gravity, loads |

    Hinges have the order of MuJoCo's joints, and coordinates are its `qpos`. Speeds are its `qvel`,
    except for free joints, whose velocity is here that in the body's own axes. The start is
    `qpos0`. Constraints are exact here, not soft. What the file's flags switch off is not there.
    A spring over several joints or sites moves bodies as in MuJoCo, but is a law here, whose
    energy is not counted.

    What else shapes the motion is refused, each by name and with the reason: tendons around geoms,
    muscles, equalities of tendons between sites and others. `without` has the groups of which that
    is left out, with a `ModelWarning`: of `mjcf_omitted.GROUPS`, such as `without=("tendons",
    "actuators")`. Contact, sensors and limits of tendons are left out in any case, with a warning
    each.

    Units
        SI, rad.
    Frame
        The inertial frame is MuJoCo's world.
    Raises
        ModelError: MuJoCo cannot compile the file, or it has what cannot be taken.
        ToolchainError: the extra `mujoco` is not installed.
        UsageError: the file cannot be read, or there is no such group.
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
        compiled = compiled_model(mujoco, path)
        judge(mujoco, compiled, without)
        return _Reader(mujoco, compiled).model(Path(path).stem)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


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
        self.sites: dict[int, tuple[End, Pose]] = {}
        self.driving = Driving(mujoco, compiled, self)
        self.bodies: list[str] = []

    def model(self, stem: str) -> Model:
        for body in range(1, self.m.nbody):
            self._body(body)
        if not self.hinges:
            raise ModelError("nothing moves: no body has a joint", field="joints")
        self.measured = Names(*_LAW_SYMBOLS, *self.joints, "length", "rate")
        closing = list(self._closing())
        self._couple()
        inputs = tuple(self._driven())
        pulled, loads = self._pulled(), (*self.driving.loads, *self._lifted())
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-_")
        return Model(
            name=name if name[:1].isalpha() else f"robot-{name}".rstrip("-"),
            dimension=3,
            bodies=tuple(self._finished(body) for body in self.bodies),
            hinges=(*self.hinges, *closing),
            gravity=row(self.m.opt.gravity),
            q0=self._start(),
            description="from MJCF",
            absolute=False,
            cuts=tuple(hinge.name for hinge in closing),
            ground=tuple(self.points[GROUND]),
            frames=tuple(self._frames()),
            inputs=inputs,
            forces=tuple(pulled.forces),
            sensors=(*self.driving.sensors, *pulled.sensors),
            loads=loads,
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
            self.hinges.append(self._lawful(Hinge(name, "free", ends), joint))
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
        """The hinge with its armature, spring, damper, friction and limits."""
        m, kind = self.m, HINGE_KINDS[3][hinge.kind]
        dofs = range(m.jnt_dofadr[joint], m.jnt_dofadr[joint] + kind.speeds)
        armature = m.dof_armature[dofs]
        u = [hinge_symbol("u", k) for k in range(1, kind.speeds + 1)]
        force = [-self._resistance(dof, x) for dof, x in zip(dofs, u, strict=True)]
        if hinge.kind == "free" and armature.any():
            # MuJoCo's speeds are in the world's axes, where a v̇ is a (u̇ + ω × u) in the body's.
            turned = sp.Matrix(u[3:]).cross(sp.Matrix(u[:3])) * exact_expression(float(armature[0]))
            force[:3] = [f - x for f, x in zip(force, turned, strict=False)]
        return replace(
            hinge,
            rotor=row(armature) if armature.any() else (),
            force=tuple(force) if any(x != 0 for x in force) else (),
            limits=self._limits(joint) if kind.couples else None,
            **self._spring(kind, joint),
        )

    def _resistance(self, dof: int, u: sp.Symbol) -> sp.Expr:
        """Damping and friction along a speed, the latter smoothed near rest."""
        m, more = self.m, getattr(self.m, "dof_dampingpoly", None)
        damping = numbers(m.dof_damping[dof], None if more is None else more[dof])
        damped = cubic(damping, u, sp.Abs(u) if len(damping) > 1 else u)
        return damped + smooth(exact_expression(float(m.dof_frictionloss[dof])), u)

    def _spring(self, kind: HingeKind, joint: int) -> dict[str, Any]:
        """A potential, or the torsional spring of a ball; of a free joint along the axes too."""
        m, more = self.m, getattr(self.m, "jnt_stiffnesspoly", None)
        stiffness = numbers(m.jnt_stiffness[joint], None if more is None else more[joint])
        at = m.jnt_qposadr[joint]
        rest = row(m.qpos_spring[at : at + kind.coordinates])
        if kind.couples:
            stretch = hinge_symbol("q", 1) - exact_expression(rest[0])
            return {"potential": energy(stiffness, stretch)}
        if not m.jnt_stiffness[joint]:
            return {}
        turned = kind.stiffnesses > 1 or rest != (1.0, 0.0, 0.0, 0.0)
        return {"stiffness": stiffness[:1] * kind.stiffnesses, "rest": rest if turned else ()}

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
        for k in active(self.mujoco, self.m, "CONNECT", "WELD"):
            weld = self.m.eq_type[k] == int(self.mujoco.mjtEq.mjEQ_WELD)
            ends = [self._side(k, second, weld) for second in (False, True)]
            if ends[0][0] == ends[1][0]:
                continue  # parts of one body
            name = self.hinge_names.make(self._name("EQUALITY", k), f"equality{k}")
            first, second = (End(body, self._point(body, pose)) for body, pose in ends)
            turned = weld and self.m.eq_data[k][10] != 0  # torquescale
            yield Hinge(name, "fixed" if turned else "ball", (first, second))

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
        """Followers of equalities of joints, and of tendons of joints."""
        followed, _ = couplings(self.mujoco, self.m)
        for follower, way in followed.items():
            names = tuple(self.joints[joint] for joint in way.joints)
            mimic = Mimic(names[0], *way.line) if way.line else Mimic(hinges=names, law=way.law)
            self.hinges[follower] = replace(self.hinges[follower], mimic=mimic)

    def _start(self) -> tuple[float, ...]:
        """Where the joints start; one that follows another linearly, where that wants it."""
        q0 = [*row(self.m.qpos0)]
        at = {name: int(self.m.jnt_qposadr[joint]) for joint, name in enumerate(self.joints)}
        linear = {h.name: h.mimic for h in self.hinges if h.mimic and h.mimic.law is None}
        for _ in linear:  # chains of followers
            for name, mimic in linear.items():
                q0[at[name]] = float(mimic.ratio) * q0[at[mimic.hinge]] + float(mimic.offset)
        return tuple(q0)

    def _driven(self) -> Iterator[Input]:
        """An input for each actuator, which `self.driving` takes."""
        hinges = [hinge.name for hinge in self.hinges]
        taken = (*hinges, *(f"{x}{name}" for x in "qu" for name in hinges))
        names, measured = Names(*_LAW_SYMBOLS, *taken), self.measured
        given = actuators(self.mujoco, self.m)
        for k in given:
            said = self._name("ACTUATOR", k)
            said = f"{said}_ctrl" if said in (*hinges, *self.bodies, *FUNCTIONS) else said
            name = names.make(said if said[:1].isalpha() else f"u{said}", "u")
            measured.taken.add(name)
            self.driving.take(k, said or name, parameter(name), measured)
            low, high = map(float, self.m.actuator_ctrlrange[k])
            limited = bool(self.m.actuator_ctrllimited[k])
            yield Input(name, limits=(low, high) if limited else FREE)
        for joint, force in self.driving.pushes():
            self._push(joint, force)

    def _push(self, joint: int, force: Sequence[Any], potential: Any = 0) -> None:
        """Add to what a joint's hinge exerts."""
        hinge = self.hinges[joint]
        total = [x + y for x, y in zip(hinge.force or [0] * len(force), force, strict=True)]
        self.hinges[joint] = replace(
            hinge,
            force=tuple(total) if any(x != 0 for x in total) else (),
            potential=hinge.potential + potential,
        )

    def _pulled(self) -> Pulling:
        """What straight tendons exert; those of joints act as the hinges' laws."""
        found = Pulling(self.mujoco, self.m, self.joints, self.driving.motors, self.site)
        for number in range(self.m.ntendon):
            found.take(number, self._name("TENDON", number), self.measured)
        for joint, force, potential in found.pushes:
            self._push(joint, [force], potential)
        return found

    def site(self, number: int) -> tuple[End, Pose]:
        """The point of a body where a site is, and the site's frame in the body."""
        if number not in self.sites:
            body, place = self.places[self.m.site_bodyid[number]]
            axes = rotation(self.m.site_quat[number])
            at = place @ Pose(axes, np.array(self.m.site_pos[number]))
            self.sites[number] = End(body, self._point(body, Pose(origin=at.origin))), at
        return self.sites[number]

    def ahead(self, number: int) -> End:
        """A point of the site's body, a metre from the site along its third axis."""
        end, at = self.site(number)
        return End(end.body, self._point(end.body, Pose(origin=at.origin + at.axes[:, 2])))

    def _lifted(self) -> Iterator[Load]:
        """What compensates gravity: a force at the centre of each body that has it."""
        m, names = self.m, Names()
        for number in map(int, np.flatnonzero(m.body_gravcomp * m.body_mass)):
            body, place = self.places[number]
            if body == GROUND or not m.opt.gravity.any():
                continue
            at = place @ Pose(origin=np.array(m.body_ipos[number]))
            force = -np.array(m.opt.gravity) * m.body_gravcomp[number] * m.body_mass[number]
            name = names.make(f"{self._name('BODY', number)}_lift", "lift")
            yield Load(name, body, self._point(body, Pose(origin=at.origin)), row(force))

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

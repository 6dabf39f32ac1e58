"""The actuators of a MuJoCo model: what their controls make of them, and where they push."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import sympy as sp

from ...model.expressions.functions import step
from ...model.expressions.quantities import exact_expression, hinge_symbol, parameter
from ...model.files.placing import row
from ...model.files.urdf_rigid import Floats, Pose
from ...model.parts.bodies import End
from ...model.parts.forces import Load, Sensor
from ...model.parts.hinge_kinds import direction_cosines
from ...model.parts.hinges import GROUND
from ...model.parts.naming import Names
from .mjcf_tendons import Motor, Tendon, tendons

#: What an actuator is, of an option of MuJoCo's that this version may lack.
_EXTRAS = ("actuator_damping", "actuator_dampingpoly", "actuator_armature", "actuator_delay")


class Places(Protocol):
    """What actuators ask of who reads the file."""

    def site(self, number: int) -> tuple[End, Pose]:
        """The point of a body where a site is, and the site's frame in the body."""

    def ahead(self, number: int) -> End:
        """A point of the site's body, a metre from the site along its third axis."""


def actuators(mujoco: Any, m: Any) -> list[int]:
    """The actuators that are taken: affine, without a state, of what gives a law."""
    return [k for k, why in judged(mujoco, m).items() if not why]


def judged(mujoco: Any, m: Any) -> dict[int, str]:
    """Why each actuator that is on is not taken, nothing where it is."""
    straight = {tendon.number: tendon for tendon in tendons(mujoco, m)}
    return {
        k: _unlike_a_law(mujoco, m, k) or _unknown_motion(mujoco, m, k, straight)
        for k in enabled(mujoco, m)
    }


def enabled(mujoco: Any, m: Any) -> list[int]:
    """The actuators that are not switched off, all or by their groups."""
    if m.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION):
        return []
    count = getattr(m, "nactuator", m.nu)  # one control each, before there were more
    off = int(m.opt.disableactuator)
    groups = m.actuator_group
    return [k for k in range(count) if not (0 <= groups[k] <= 30 and off >> int(groups[k]) & 1)]


def _unlike_a_law(mujoco: Any, m: Any, k: int) -> str:
    """What makes it other than affine in one control, or gives it a state, damper or armature."""
    for word, kind, usual in (
        ("dyntype", mujoco.mjtDyn, ("NONE",)),
        ("gaintype", mujoco.mjtGain, ("FIXED", "AFFINE")),
        ("biastype", mujoco.mjtBias, ("NONE", "AFFINE")),
    ):
        found = kind(int(getattr(m, f"actuator_{word}")[k])).name.split("_")[1]
        if found not in usual:
            return f"{word} {found.lower()}"
    if getattr(m, "actuator_ctrlnum", np.ones(k + 1))[k] != 1:
        return "several controls"
    if getattr(m, "actuator_plugin", -np.ones(k + 1))[k] >= 0:
        return "plugin"
    extras = [field for field in _EXTRAS if hasattr(m, field) and np.any(getattr(m, field)[k])]
    return extras[0].removeprefix("actuator_").removesuffix("poly") if extras else ""


def _unknown_motion(mujoco: Any, m: Any, k: int, straight: Mapping[int, Tendon]) -> str:
    """Why it is not known how what it acts on moves, or it reads more of that than is."""
    on, other = map(int, m.actuator_trnid[k])
    held, holding = _held(mujoco, m), "actuatorfrcrange of a joint that it moves"
    match kind := _kind(mujoco, m, k):
        case "JOINT" | "JOINTINPARENT":
            axial = m.jnt_type[on] in _axial(mujoco)
            free = m.jnt_type[on] == _free(mujoco)
            return "" if axial or free or not _reads(mujoco, m, k, 1) else "position of a ball"
        case "TENDON":
            if on not in straight:
                return "tendon around a geom"
            joints = {joint for joint, _ in straight[on].joints}
            return holding if (joints & held if joints else held) else ""
        case "SLIDERCRANK":
            return holding if held else ""
        case "SITE":
            if other >= 0:
                return "refsite"
            if held:
                return holding
            return "velocity of a site" if _reads(mujoco, m, k, 2) else ""
    return f"transmission {kind.lower()}"


def _kind(mujoco: Any, m: Any, k: int) -> str:
    return str(mujoco.mjtTrn(int(m.actuator_trntype[k])).name).removeprefix("mjTRN_")


def _axial(mujoco: Any) -> list[int]:
    return [int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)]


def _free(mujoco: Any) -> int:
    return int(mujoco.mjtJoint.mjJNT_FREE)


def _held(mujoco: Any, m: Any) -> set[int]:
    """The joints whose actuators together have a largest force."""
    return {int(j) for j in np.flatnonzero(m.jnt_actfrclimited)}


def _reads(mujoco: Any, m: Any, k: int, which: int) -> bool:
    """Depends the force on the length (1) or velocity (2)?"""
    affine = m.actuator_gaintype[k] == int(mujoco.mjtGain.mjGAIN_AFFINE)
    biased = m.actuator_biastype[k] == int(mujoco.mjtBias.mjBIAS_AFFINE)
    gain, bias = m.actuator_gainprm[k][which], m.actuator_biasprm[k][which]
    return bool((affine and gain) or (biased and bias))


class Driving:
    """What actuators exert: on joints by their speeds (`pushes`), tendons, and bodies."""

    def __init__(self, mujoco: Any, m: Any, places: Places) -> None:
        self.mujoco, self.m, self.places = mujoco, m, places
        self.on_joints: dict[int, list[Sequence[sp.Expr]]] = {}
        self.motors: dict[int, list[Motor]] = {}  # of each tendon
        self.loads: list[Load] = []
        self.sensors: list[Sensor] = []
        self.names = Names()

    def take(self, k: int, name: str, control: sp.Symbol, measured: Names) -> None:
        """Add an actuator; `measured` gives its sensors names."""
        on = int(self.m.actuator_trnid[k][0])
        kind = _kind(self.mujoco, self.m, k)
        if kind == "TENDON":
            self.motors.setdefault(on, []).append(
                lambda length, rate: self._pushed(k, control, length, rate)
            )
        elif kind == "SITE":
            self._at_site(k, name, control)
        elif kind == "SLIDERCRANK":
            self._by_crank(k, name, control, measured)
        else:
            self.on_joints.setdefault(on, []).append(self._in_joint(k, control))

    def pushes(self) -> list[tuple[int, list[sp.Expr]]]:
        """The joints that are driven: the force along each of their speeds."""
        found = []
        for joint, given in self.on_joints.items():
            force = [sp.Add(*each) for each in zip(*given, strict=True)]
            if self.m.jnt_actfrclimited[joint]:
                force = [clamped(x, self.m.jnt_actfrcrange[joint]) for x in force]
            found.append((joint, force))
        return found

    def _force(self, k: int, control: sp.Expr, length: sp.Expr, velocity: sp.Expr) -> sp.Expr:
        """gain · control + bias, both affine in length and velocity of the actuator; clamped."""
        m = self.m

        def affine(kind: Any, coefficients: Any) -> sp.Expr:
            a, b, c = (exact_expression(float(x)) for x in coefficients[:3])
            return a if kind == 0 else a + b * length + c * velocity

        gain = affine(m.actuator_gaintype[k], m.actuator_gainprm[k])
        none = int(self.mujoco.mjtBias.mjBIAS_NONE)
        bias = 0 if m.actuator_biastype[k] == none else affine(1, m.actuator_biasprm[k])
        force = gain * control + bias
        return clamped(force, m.actuator_forcerange[k]) if m.actuator_forcelimited[k] else force

    def _gear(self, k: int) -> list[sp.Expr]:
        return [exact_expression(float(x)) for x in self.m.actuator_gear[k]]

    def _pushed(self, k: int, control: sp.Expr, length: sp.Expr, rate: sp.Expr) -> sp.Expr:
        """gear · force, at gear · length and its rate."""
        gear = self._gear(k)[0]
        return gear * self._force(k, control, gear * length, gear * rate)

    def _in_joint(self, k: int, control: sp.Symbol) -> list[sp.Expr]:
        """The force along each speed of a joint."""
        m, on = self.m, int(self.m.actuator_trnid[k][0])
        if m.jnt_type[on] in _axial(self.mujoco):
            return [self._pushed(k, control, hinge_symbol("q", 1), hinge_symbol("u", 1))]
        free = m.jnt_type[on] == _free(self.mujoco)
        gear = sp.Matrix(self._gear(k)[: 6 if free else 3])
        first = 4 if free else 1
        back = direction_cosines(*(hinge_symbol("q", j) for j in range(first, first + 4))).T
        if _kind(self.mujoco, m, k) == "JOINTINPARENT":
            gear[-3:, :] = back * gear[-3:, :]
        if free:
            gear[:3, :] = back * gear[:3, :]
        velocity = sum(x * hinge_symbol("u", j) for j, x in enumerate(gear, start=1))
        return list(gear * self._force(k, control, sp.Integer(0), velocity))

    def _at_site(self, k: int, name: str, control: sp.Symbol) -> None:
        """A force and a moment along the site's axes."""
        end, pose = self.places.site(int(self.m.actuator_trnid[k][0]))
        if end.body == GROUND:
            return
        force = self._force(k, control, sp.Integer(0), sp.Integer(0))
        gear = np.array(self.m.actuator_gear[k], dtype=float)
        along, about = (
            tuple(exact_expression(x) * force for x in row(pose.axes @ part)) * bool(part.any())
            for part in (gear[:3], gear[3:])
        )
        if along or about:
            made = self.names.make(name, "site")
            self.loads.append(Load(made, end.body, end.point, along, about, "body"))

    def _by_crank(self, k: int, name: str, control: sp.Symbol, measured: Names) -> None:
        """A rod from a slider, which moves along its site's third axis z, to a crank's site.

        With d from the slider's site to the crank's, l the rod's length, D² = (d·z)² + l² − d²
        the actuator's length is d·z − D, its slopes ∂/∂d = (1 − d·z/D) z + d/D along the way and
        ∂/∂z = (1 − d·z/D) d by the axis, whose moment is z × ∂/∂z. Where the rod does not reach,
        D² < 0, MuJoCo leaves out what has D in it.
        """
        crank, slider = (self.places.site(int(x)) for x in self.m.actuator_trnid[k])
        tip = self.places.ahead(int(self.m.actuator_trnid[k][1]))
        stem = name if name[:1].isalpha() else f"actuator{name}"
        (a, da), (b, db), (c, dc) = (
            self._place(f"{stem}_{word}", end, pose, measured)
            for word, end, pose in (
                ("crank", *crank),
                ("slider", *slider),
                ("axis", tip, Pose(origin=slider[1].origin + slider[1].axes[:, 2])),
            )
        )
        d, z, rate, turning = a - b, c - b, da - db, dc - db
        rod = exact_expression(float(self.m.actuator_cranklength[k]))
        along = d.dot(z)
        square = along**2 + rod**2 - d.dot(d)
        reaches = step(square)
        D = sp.sqrt(square * reaches + 1 - reaches)
        by_way = z + reaches * (d - along * z) / D
        by_axis = (1 - reaches * along / D) * d
        velocity = by_way.dot(rate) + by_axis.dot(turning)
        force = self._pushed(k, control, along - reaches * D, velocity)
        pairs = (
            (crank[0], by_way * force, sp.zeros(3, 1)),
            (slider[0], -by_way * force, z.cross(by_axis) * force),
        )
        for end, push, moment in pairs:
            if end.body != GROUND:
                made = self.names.make(name, "rod")
                moments = tuple(moment) if any(moment) else ()
                self.loads.append(Load(made, end.body, end.point, tuple(push), moments))

    def _place(
        self, name: str, end: End, pose: Pose, measured: Names
    ) -> tuple[sp.Matrix, sp.Matrix]:
        """Where a point is and how it moves, in inertial axes, by sensors."""
        if end.body == GROUND:
            return sp.Matrix([exact_expression(x) for x in row(pose.origin)]), sp.zeros(3, 1)
        found = []
        for axis, along in zip("xyz", np.eye(3), strict=True):
            found.append(Sensor(measured.make(f"{name}_{axis}", "place"), (end,), row(along)))
        self.sensors += found
        places, rates = [parameter(x.name) for x in found], [parameter(x.rate) for x in found]
        return sp.Matrix(places), sp.Matrix(rates)


def clamped(x: sp.Expr, bounds: Floats) -> sp.Expr:
    """The nearest number between bounds."""
    low, high = (exact_expression(float(bound)) for bound in bounds)
    return low + (x - low) * step(x - low) - (x - high) * step(x - high)

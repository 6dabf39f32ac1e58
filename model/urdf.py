"""A robot's URDF file as a model in joint coordinates."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sympy as sp

from ..errors import ModelError, UsageError
from .types import (
    GROUND,
    Body,
    End,
    Hinge,
    Model,
    Point,
    exact_expression,
    hinge_symbol,
    parameter,
    shorten,
)
from .urdfxml import AXIAL, MAX_BYTES, Floats, Joint, Mass, Pose, Robot, parse, turn

#: Speed at which Coulomb friction has reached tanh(1) = 76 % of its value, rad/s or m/s.
FRICTION_SPEED = 1e-2
GRAVITY = 9.81

_HINGES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "planar": "planar",
    "floating": "free",
}


def read_urdf(
    path: str | Path, *, locked: Mapping[str, float] | None = None, floating: bool = False
) -> Model:
    """The robot of a URDF file as a model in joint coordinates.

    `locked` holds joints with one coordinate at a position. `floating` lets the root link
    move freely; otherwise it is welded to the ground.

    | in the file | in the model |
    | --- | --- |
    | link with what is fixed or locked to it | one body, named after the uppermost link, in \
      its axes |
    | `revolute`, `continuous` | `revolute` about the joint's axis |
    | `prismatic`, `planar`, `floating` | `prismatic`, `planar`, `free` |
    | `damping` d, `friction` f | force −d u − f tanh(u / `FRICTION_SPEED`) |
    | `limit` | none; it only bounds the start: zero, or the middle where zero lies outside |
    | `mimic` | locked with the joint that it follows; free, it is refused |
    | `transmission` (rotor inertia, gear), `safety_controller`, `calibration`, meshes, \
      simulator tags | nothing |

    Names lose everything but ASCII letters and digits (`panda_link1`: `pandalink1`); one that
    is taken, empty or the ground's gets the next free number behind it. Hinges have the order
    of a walk through the tree, branches in file order. Output points are called O, inputs I1,
    I2, …

    Frame
        The inertial frame is the root link's; gravity, the parameter `g`, acts along −z. The
        root link is part of the ground where a single joint leaves it, along or about the
        inertial z axis; O of the first body then lies on the ground's origin. Else it is a
        body on a `fixed` hinge; without mass, the inertial frame is that of its joint instead,
        and `description` says so.
    Units
        SI, rad.
    Raises
        ModelError: a broken or hostile file, a joint that cannot be told, a moving link
            without mass.
        ToolchainError: the extra `urdf` is not installed.
        UsageError: the file cannot be read, or `locked` names no joint that can be held.
    Source
        own; URDF specification.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    try:
        robot = parse(data)
        with np.errstate(over="ignore", invalid="ignore"):
            return _Builder(robot, _positions(robot, locked or {})).model(floating)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def _positions(robot: Robot, locked: Mapping[str, float]) -> dict[str, float]:
    """Positions of the joints that are held, and of those that follow them."""
    joints = robot.joints
    held = {name: _position(joints, name, value) for name, value in locked.items()}
    for _ in joints:
        followers = {
            joint.name: joint.mimic.multiplier * held[joint.mimic.joint] + joint.mimic.offset
            for joint in joints.values()
            if joint.mimic and joint.mimic.joint in held and joint.name not in held
        }
        if not followers:
            break
        held |= followers
    return held


def _position(joints: Mapping[str, Joint], name: str, value: object) -> float:
    if name not in joints:
        known = shorten([joint for joint in joints if joints[joint].kind in AXIAL], limit=20)
        raise UsageError(f"locked: there is no joint {name!r}; there are: {known}")
    if joints[name].kind not in AXIAL:
        kind = joints[name].kind
        raise UsageError(f"locked: the joint {name} is {kind}; it has not just one coordinate")
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise UsageError(f"locked: {name} = {value!r} is no finite number")
    return float(value)


def _hinge_axes(joint: Joint) -> Floats:
    """Right-handed axes in the joint's frame, the third along its axis.

    They are coordinate axes if the axis is one.
    """
    if joint.kind == "floating":
        return np.eye(3)
    axis = joint.axis
    k = int(np.argmax(np.abs(axis)))
    first = np.eye(3)[(k + 1) % 3] if axis[k] > 0 else np.eye(3)[(k + 2) % 3]
    first = first - axis * (axis @ first)
    first = first / math.hypot(*first)
    return np.column_stack([first, np.cross(axis, first), axis])


def _commutes(joint: Joint, frame: Pose) -> bool:
    """Does it make no difference whether the child first goes to the frame, then moves?

    Then the way to the frame can be told on the child's side, and the ground needs no frame.
    """
    upright = bool((frame.axes[:, 2] == (0, 0, 1)).all())
    if joint.kind == "prismatic":
        return upright
    centred = not frame.origin[:2].any()
    if joint.kind in ("revolute", "continuous"):
        return upright and centred
    level = bool((frame.axes == np.eye(3)).all())
    return level and centred and (joint.kind == "planar" or not frame.origin[2])


class _Names:
    """Valid names, each once."""

    def __init__(self, *taken: str) -> None:
        self.taken = set(taken)

    def make(self, name: str, default: str) -> str:
        stem = re.sub(r"[^A-Za-z0-9]", "", name) or default
        made, number = stem, 2
        while made in self.taken:
            made, number = f"{stem}{number}", number + 1
        self.taken.add(made)
        return made


@dataclass(frozen=True)
class _Group:
    """Links that move as one: their mass, and the joints that leave with their places.

    Both in the axes of the uppermost link.
    """

    mass: Mass
    leaving: tuple[tuple[Pose, Joint], ...]


class _Builder:
    """Turns groups of links into bodies, and the joints between them into hinges."""

    def __init__(self, robot: Robot, held: Mapping[str, float]) -> None:
        self.robot = robot
        self.held = held
        self.body_names = _Names(GROUND)
        self.hinge_names = _Names()
        self.bodies: list[Body] = []
        self.hinges: list[Hinge] = []
        self.start: list[float] = []
        self.waiting: list[tuple[Joint, End, Pose]] = []
        self.inertial = Pose()

    def model(self, floating: bool) -> Model:
        self._root(floating)
        while self.waiting:
            self._hang(*self.waiting.pop())
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", self.robot.name).strip("-_")
        g = parameter("g")
        up = self.inertial.axes[2]
        moved = not np.array_equal(self.inertial.axes, np.eye(3)) or self.inertial.origin.any()
        return Model(
            name=name if name[:1].isalpha() else f"robot-{name}".rstrip("-"),
            dimension=3,
            bodies=tuple(self.bodies),
            hinges=tuple(self.hinges),
            gravity=tuple(-g * exact_expression(float(x)) for x in up),
            parameters={"g": GRAVITY},
            q0=tuple(self.start),
            description=f"the robot {self.robot.name}, from URDF"
            + (", inertial frame: that of the first joint" if moved else ""),
            absolute=False,
        )

    def _root(self, floating: bool) -> None:
        link = self.robot.root
        group = self._group(link)
        if floating:
            self._base("free", group, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
            return
        if not group.leaving:
            raise ModelError("nothing moves: every joint is fixed or locked", field="joints")
        (place, joint), *others = group.leaving
        frame = place @ Pose(_hinge_axes(joint))
        if not others and _commutes(joint, frame):
            tip = Pose(_hinge_axes(joint)) @ frame.inverse()
        elif group.mass.mass > 0:
            self._base("fixed", group, ())
            return
        elif not others:
            tip, self.inertial = Pose(_hinge_axes(joint)), frame
        else:
            raise ModelError(
                f"{len(group.leaving)} joints leave it, and it has no mass: give it an <inertial>",
                element=f"link {link}",
            )
        self.waiting.append((joint, End(GROUND, "O"), tip))

    def _base(self, kind: str, group: _Group, start: tuple[float, ...]) -> None:
        """The root link as a body, on a hinge that the file does not name."""
        body = self._body(self.robot.root, group, Pose())
        name = self.hinge_names.make("root", "root")
        self.hinges.append(Hinge(name, kind, (End(GROUND, "O"), End(body, "O"))))
        self.start.extend(start)

    def _hang(self, joint: Joint, end: End, tip: Pose) -> None:
        """A joint's hinge and the body below it."""
        where = f"joint {joint.name}"
        if joint.mimic:
            raise ModelError(
                f"follows the joint {joint.mimic.joint}; models have no such coupling: lock "
                f'either, locked={{"{joint.mimic.joint}": …}} holds both',
                element=where,
                field="mimic",
            )
        kind = _HINGES[joint.kind]
        body = self._body(joint.child, self._group(joint.child), tip)
        name = self.hinge_names.make(joint.name, "joint")
        self.hinges.append(Hinge(name, kind, (end, End(body, "O")), force=_law(joint)))
        self.start.extend(_start(joint))

    def _body(self, link: str, group: _Group, tip: Pose) -> str:
        if not group.mass.mass > 0:
            raise ModelError(
                "moves, but has no mass: give it an <inertial>, or fix or lock its joint",
                element=f"link {link}",
            )
        name = self.body_names.make(link, "link")
        points = [_point("O", tip)]
        for number, (place, joint) in enumerate(group.leaving, start=1):
            points.append(_point(f"I{number}", place @ Pose(_hinge_axes(joint))))
        self.bodies.append(
            Body(
                name,
                float(group.mass.mass),
                _rows(group.mass.inertia),
                _row(group.mass.centre),
                tuple(points),
            )
        )
        for point, (_, joint) in reversed(list(zip(points[1:], group.leaving, strict=True))):
            self.waiting.append((joint, End(name, point.name), Pose(_hinge_axes(joint))))
        return name

    def _group(self, link: str) -> _Group:
        mass, leaving = Mass(), []
        waiting: list[tuple[Pose, Joint | None, str]] = [(Pose(), None, link)]
        while waiting:
            place, moving, below = waiting.pop()
            if moving:
                leaving.append((place, moving))
                continue
            mass = mass + self.robot.links[below].seen_from(place)
            for joint in reversed(self.robot.below[below]):
                at = place @ joint.origin
                if joint.kind == "fixed":
                    waiting.append((at, None, joint.child))
                elif joint.name in self.held:
                    held = at @ _displacement(joint, self.held[joint.name])
                    waiting.append((held, None, joint.child))
                else:
                    waiting.append((at, joint, joint.child))
        return _Group(mass, tuple(leaving))


def _displacement(joint: Joint, position: float) -> Pose:
    """The child's frame at a position, as seen from its place at zero."""
    if joint.kind == "prismatic":
        return Pose(origin=position * joint.axis)
    N = _hinge_axes(joint)
    return Pose(N @ turn(2, position) @ N.T)


def _law(joint: Joint) -> tuple[sp.Expr, ...]:
    """Damping and Coulomb friction, the latter smoothed near rest."""
    if joint.damping == 0 and joint.friction == 0:
        return ()
    if joint.kind not in AXIAL:
        raise ModelError(
            f"has no meaning for a {joint.kind} joint",
            element=f"joint {joint.name}",
            field="damping or friction",
        )
    u = hinge_symbol("u", 1)
    smooth = sp.tanh(u / exact_expression(FRICTION_SPEED))
    d, f = exact_expression(joint.damping), exact_expression(joint.friction)
    return (-d * u - f * smooth,)


def _start(joint: Joint) -> tuple[float, ...]:
    if joint.kind == "floating":
        return (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    if joint.kind == "planar":
        return (0.0, 0.0, 0.0)
    lower, upper = joint.limits or (0.0, 0.0)
    return (0.0 if lower <= 0 <= upper else lower / 2 + upper / 2,)


def _point(name: str, frame: Pose) -> Point:
    axes = None if np.array_equal(frame.axes, np.eye(3)) else _rows(frame.axes)
    return Point(name, _row(frame.origin), axes)


def _row(numbers: Floats) -> tuple[float, ...]:
    return tuple(float(x) for x in numbers + 0.0)  # + 0.0: no negative zeros


def _rows(matrix: Floats) -> tuple[tuple[float, ...], ...]:
    return tuple(_row(row) for row in matrix)

"""A robot's URDF file as a model in joint coordinates."""

from __future__ import annotations

import json
import math
import numbers
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ...errors import ModelError, UsageError
from ..checks.check import LONGEST_NAME
from ..checks.completion import with_dynamics
from ..checks.doubts import doubt
from ..checks.inertia import NAMED, unresisted
from ..checks.unresisted import UnresistedError
from ..expressions.quantities import parameter, shorten
from ..model import Model
from ..parts.bodies import Body, End, Point
from ..parts.frames import GROUND_NAMES, Frame, is_own
from ..parts.hinges import GROUND, Hinge, Mimic
from ..parts.limits import FREE
from ..parts.naming import FRAME_NAME, Names
from .placing import point_at, row, rows
from .urdf_joints import (
    FLOATING,
    HINGES,
    axes_of,
    displacement,
    law_of,
    limits_of,
    rotor_of,
    start_of,
)
from .urdf_rigid import Mass, Pose
from .urdf_tags import AXIAL, MAX_BYTES, Joint, Robot, parse
from .urdf_tags import Mimic as Follow

GRAVITY = 9.81
#: How far beyond a limit a position is taken for the limit: by rounding, m or rad.
LIMIT_SLACK = 1e-9


def read_urdf(
    path: str | Path,
    *,
    locked: Mapping[str, float] | None = None,
    floating: bool = False,
    hold_massless: bool = False,
) -> Model:
    """The robot of a URDF file as a model in joint coordinates.

    `locked` holds joints with one coordinate at a position. `floating` lets the root link
    move freely; otherwise it is welded to the ground. `hold_massless` holds the joints of links
    that move without inertia where they start.

    | in the file | in the model |
    | --- | --- |
    | link with what is fixed or locked to it | one body, named after the uppermost link, in \
      its axes |
    | `revolute`, `continuous` | `revolute` about the joint's axis |
    | `prismatic`, `planar`, `floating` | `prismatic`, `planar`, `free` |
    | `spherical`, which some files have | `ball` |
    | `damping` d, `friction` f | force −d u − f tanh(u / `FRICTION_SPEED`) |
    | `limit` | `limits` of the hinge, which no motion stops at; the start is zero, or the \
      middle where zero lies outside |
    | any link | a frame of its name, also where the link is welded to others |
    | `mimic` | `Mimic` of the leader's hinge; held with a leader that is locked |
    | `transmission` with `drake:rotor_inertia`, `drake:gear_ratio` | `rotor`: inertia times \
      ratio², of its one joint |
    | `mechanicalReduction` alone, `safety_controller`, `calibration`, meshes, simulator tags \
      | nothing |

    Names of bodies and hinges are the links' and joints'; what is no ASCII letter or digit becomes
    `_`, and one that is taken, empty or the ground's gets the next free number behind it.
    Frames keep the links' names as they are. Hinges have the order
    of a walk through the tree, branches in file order. Output points are called O, inputs I1,
    I2, …

    Links may move without mass where what hangs on them resists every motion of their joints.
    Where nothing resists, the model is `kinematic`: it moves, but has no dynamics.

    What is slightly wrong gives a `ModelWarning`: a robot without a name has the file's, of an
    axis the direction counts, limits in the wrong order are exchanged, a type in capitals, commas
    between numbers and absent products of inertia are mended, and inertias that no rigid body has
    are taken. So are positions outside a joint's limits at which it is locked, and links that lack
    the inertia of dynamics.

    Frame
        The inertial frame is the root link's; gravity, the parameter `g`, acts along −z. The
        root link is the ground, and I1, I2, … are its points where joints leave; if it floats,
        it is a body on the `free` hinge `root`, whose O lies on the ground's origin at zero.
    Units
        SI, rad.
    Raises
        ModelError: a broken or hostile file, a joint that cannot be told.
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
        robot = parse(data, Path(path).stem)
        held = _positions(robot, locked or {})
        _doubt_positions(robot, held)
        with np.errstate(over="ignore", invalid="ignore"):
            return _model(robot, held, floating, hold_massless)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None


def _model(robot: Robot, held: Mapping[str, float], floating: bool, hold_massless: bool) -> Model:
    builder = _Builder(robot, held)
    try:
        model = builder.model(floating)
        lacking = unresisted(model)
    except ModelError as error:
        raise builder.in_the_file(error) from None
    if lacking is None:
        return with_dynamics(model)
    slack = builder.slack(lacking)
    if not hold_massless or not 0 < len(slack) < len(model.hinges):
        builder.doubt_inertia(lacking)
        return model
    return _model(robot, _positions(robot, {**held, **slack}), floating, hold_massless)


def _positions(robot: Robot, locked: Mapping[str, float]) -> dict[str, float]:
    """Positions of the joints that are held, and of those that follow them."""
    held = {name: _position(robot.joints, name, value) for name, value in locked.items()}
    followers: dict[str, list[tuple[str, Follow]]] = {}
    for joint in robot.joints.values():
        if joint.mimic:
            followers.setdefault(joint.mimic.joint, []).append((joint.name, joint.mimic))
    waiting = list(held)
    for leader in waiting:
        for name, mimic in followers.get(leader, ()):
            if name not in held:
                held[name] = mimic.multiplier * held[leader] + mimic.offset
                waiting.append(name)
    return held


def _doubt_positions(robot: Robot, held: Mapping[str, float]) -> None:
    """Warn of joints that are held where their limits do not let them be."""
    for name, value in held.items():
        joint = robot.joints[name]
        lower, upper = joint.limits or FREE
        slack = LIMIT_SLACK * (1.0 + abs(value))
        if not lower - slack <= value <= upper + slack:
            unit = "m" if joint.kind == "prismatic" else "rad"
            doubt(
                f"is locked at {value:g} {unit}, outside its limits [{lower:g}, {upper:g}] {unit}",
                element=f"joint {name}",
            )


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


@dataclass(frozen=True)
class _Group:
    """Links that move as one: their mass, the joints that leave and the links with their places.

    All in the axes of the uppermost link.
    """

    mass: Mass
    leaving: tuple[tuple[Pose, Joint], ...]
    places: Mapping[str, Pose]


class _Builder:
    """Turns groups of links into bodies, and the joints between them into hinges."""

    def __init__(self, robot: Robot, held: Mapping[str, float]) -> None:
        self.robot = robot
        self.held = held
        self.body_names = Names(GROUND)
        self.hinge_names = Names()
        self.bodies: list[Body] = []
        self.hinges: list[Hinge] = []
        self.waiting: list[tuple[Joint, End]] = []
        self.ground: tuple[Point, ...] = ()
        self.links: dict[str, str] = {}  # by body
        self.places: dict[str, tuple[str, Pose]] = {}  # by link the body and the place in it
        self.named: dict[str, str] = {}  # hinges by joint
        self.joint_of: dict[str, Joint] = {}  # by hinge

    def model(self, floating: bool) -> Model:
        self._root(floating)
        while self.waiting:
            self._hang(*self.waiting.pop())
        return self._model()

    def in_the_file(self, error: ModelError) -> ModelError:
        """The error with the link's name in the file in place of the body's."""
        kind, _, name = error.element.partition(" ")
        if kind != "body" or name not in self.links:
            return error
        link, message = self.links[name], str(error).partition(f"{error.field}: ")[2]
        return ModelError(message, element=f"link {link}", field=error.field)

    def doubt_inertia(self, lacking: UnresistedError) -> None:
        """Warn that links lack the inertia that dynamics needs."""
        links = shorten([self.links[name] for name in lacking.light], limit=NAMED)
        slack = self.slack(lacking)
        remedy = f"; {self._locking(slack)} or hold_massless=True holds the joints without it"
        doubt(
            f"no mass or no inertia is given of {links}: kinematics alone is computed; dynamics "
            "needs <inertial> there" + remedy * (0 < len(slack) < len(self.hinges)),
            element=f"robot {self.robot.name}",
        )

    def slack(self, error: UnresistedError) -> dict[str, float]:
        """Joints to hold so that no motion without inertia is left, and where they start."""
        joints = [self.joint_of[name] for name in error.held if name in self.joint_of]
        return {joint.name: start_of(joint)[0] for joint in joints if joint.kind in AXIAL}

    def _locking(self, joints: Mapping[str, float]) -> str:
        """What to write so that these joints are held, and those that are held already."""
        held = {**self.held, **joints}.items()
        return f"locked={{{', '.join(f'{json.dumps(name)}: {x}' for name, x in held)}}}"

    def _model(self) -> Model:
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", self.robot.name).strip("-_")
        name = name if name[:1].isalpha() else f"robot-{name}".rstrip("-")
        return Model(
            name=name[:LONGEST_NAME],
            dimension=3,
            bodies=tuple(self.bodies),
            hinges=tuple(self._following(hinge) for hinge in self.hinges),
            gravity=(0, 0, -parameter("g")),
            parameters={"g": GRAVITY},
            q0=tuple(x for hinge in self.hinges for x in self._starts[hinge.name]),
            description=f"the robot {self.robot.name}, from URDF",
            absolute=False,
            ground=self.ground,
            frames=tuple(self._frames()),
            kinematic=True,
        )

    def _frames(self) -> Iterator[Frame]:
        """A frame for each link, in the file's order, but for names that no frame can have."""
        bodies = (body.name for body in self.bodies)
        names = Names(*bodies, *GROUND_NAMES, valid=FRAME_NAME)
        for link in self.robot.links:
            body, place = self.places[link]
            at = point_at(link if is_own(link, body) else names.make(link, "link"), place)
            yield Frame(at.name, body, at.position, at.axes)

    def _root(self, floating: bool) -> None:
        group = self._group(self.robot.root)
        if floating:
            body = self._body(self.robot.root, group, Pose())
            name = self.hinge_names.make("root", "root")
            self.hinges.append(Hinge(name, "free", (End(GROUND, "O"), End(body, "O"))))
        elif not group.leaving:
            raise ModelError(
                "nothing moves: every joint is fixed or locked; floating=True lets the robot move "
                "as a whole",
                field="joints",
            )
        else:
            self.ground = self._leaving(GROUND, group)
            self.places |= {link: (GROUND, place) for link, place in group.places.items()}

    def _leaving(self, body: str, group: _Group) -> tuple[Point, ...]:
        """The points where joints leave a body, or the ground; the joints wait there."""
        points = [
            point_at(f"I{number}", place @ Pose(axes_of(joint)))
            for number, (place, joint) in enumerate(group.leaving, start=1)
        ]
        for point, (_, joint) in reversed(list(zip(points, group.leaving, strict=True))):
            self.waiting.append((joint, End(body, point.name)))
        return tuple(points)

    def _hang(self, joint: Joint, end: End) -> None:
        """A joint's hinge and the body below it."""
        tip = Pose(axes_of(joint))
        body = self._body(joint.child, self._group(joint.child), tip)
        name = self.hinge_names.make(joint.name, "joint")
        self.named[joint.name] = name
        self.joint_of[name] = joint
        self.hinges.append(
            Hinge(
                name,
                HINGES[joint.kind],
                (end, End(body, "O")),
                force=law_of(joint),
                rotor=rotor_of(joint),
                limits=limits_of(joint),
            )
        )

    def _following(self, hinge: Hinge) -> Hinge:
        """The hinge, coupled if its joint follows another."""
        mimic = self._mimics.get(hinge.name)
        return replace(hinge, mimic=mimic) if mimic else hinge

    @cached_property
    def _mimics(self) -> dict[str, Mimic]:
        """By hinge, once all hinges have names."""
        given = {name: joint.mimic for name, joint in self.joint_of.items() if joint.mimic}
        lost = {
            self.joint_of[name].name: mimic.joint
            for name, mimic in given.items()
            if mimic.joint not in self.named
        }
        if lost:
            (name, leader), *others = lost.items()
            more = "".join(f"; {other} follows {leader}" for other, leader in others)
            raise ModelError(
                f"follows {leader}, which is no joint that moves{more}; correct the file, or hold "
                f"what follows: {self._locking(dict.fromkeys(lost, 0.0))}",
                element=f"joint {name}",
                field="mimic",
            )
        return {
            name: Mimic(self.named[mimic.joint], mimic.multiplier, mimic.offset)
            for name, mimic in given.items()
        }

    @cached_property
    def _starts(self) -> dict[str, tuple[float, ...]]:
        """Where each hinge starts; one that follows, where its leader wants it."""
        found: dict[str, tuple[float, ...]] = {}
        for hinge in self.hinges:
            name, way = hinge.name, list[str]()
            while name not in found and name in self._mimics and len(way) < len(self.hinges):
                way.append(name)
                name = self._mimics[name].hinge
            if name not in found:
                found[name] = start_of(self.joint_of[name]) if name in self.joint_of else FLOATING
            for follower in reversed(way):
                mimic = self._mimics[follower]
                first, *others = found[mimic.hinge]
                found[follower] = (float(mimic.ratio) * first + float(mimic.offset), *others)
        return found

    def _body(self, link: str, group: _Group, tip: Pose) -> str:
        name = self.body_names.make(link, "link")
        self.links[name] = link
        self.places |= {welded: (name, place) for welded, place in group.places.items()}
        self.bodies.append(
            Body(
                name,
                float(group.mass.mass),
                rows(group.mass.inertia),
                row(group.mass.centre),
                (point_at("O", tip), *self._leaving(name, group)),
            )
        )
        return name

    def _group(self, link: str) -> _Group:
        mass, leaving = Mass(), []
        places: dict[str, Pose] = {}
        waiting: list[tuple[Pose, Joint | None, str]] = [(Pose(), None, link)]
        while waiting:
            place, moving, below = waiting.pop()
            if moving:
                leaving.append((place, moving))
                continue
            mass = mass + self.robot.links[below].seen_from(place)
            places[below] = place
            for joint in reversed(self.robot.below[below]):
                at = place @ joint.origin
                if joint.kind == "fixed":
                    waiting.append((at, None, joint.child))
                elif joint.name in self.held:
                    held = at @ displacement(joint, self.held[joint.name])
                    waiting.append((held, None, joint.child))
                else:
                    waiting.append((at, joint, joint.child))
        return _Group(mass, tuple(leaving), places)

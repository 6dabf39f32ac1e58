"""The tags of a URDF file that kinematics and dynamics need, as records.

Meshes, materials and simulator tags are passed over, of transmissions all but the rotor's inertia.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ModelError
from ..checks.doubts import doubt
from .urdf_rigid import Floats, Mass, Pose, turn
from .urdf_xml import attribute, number, numbers
from .urdf_xml import element as element_of

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

#: Longest file that is read; those of humanoids have a quarter of a MiB.
MAX_BYTES = 16 * 2**20
#: An axis this close to unit length is one, written with three digits.
UNIT_AXIS_SLACK = 2e-3
#: The kinds of joints, those with one coordinate first.
AXIAL = ("revolute", "continuous", "prismatic")
JOINTS = (*AXIAL, "planar", "floating", "fixed")
#: Kinds that the specification lacks and files have.
EXTENDED = ("spherical",)


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: multiplier times its position, plus offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Joint:
    """A joint of the file; `origin` is the child link's frame in the parent's, at zero."""

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose
    axis: Floats
    damping: float
    friction: float
    limits: tuple[float, float] | None
    mimic: Mimic | None
    rotor: float = 0.0
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True)
class Robot:
    """A tree of links: their masses in link axes, and the joints below each, in file order."""

    name: str
    root: str
    links: Mapping[str, Mass]
    below: Mapping[str, tuple[Joint, ...]]

    @cached_property
    def joints(self) -> dict[str, Joint]:
        return {joint.name: joint for joints in self.below.values() for joint in joints}


def parse(data: bytes, stem: str) -> Robot:
    """The robot that a URDF file describes; one without a name is called `stem`.

    Raises
        ModelError: no XML, XML with a document type or entities, or no tree of links.
        ToolchainError: the extra `urdf` is not installed.
    Source
        URDF specification, elements `robot`, `link`, `joint`.
    """
    if len(data) > MAX_BYTES:
        raise ModelError(f"the file is too long: at most {MAX_BYTES} bytes are read")
    top = element_of(data)
    if top.tag != "robot":
        raise ModelError(f"the file holds a <{top.tag}>, no <robot>: is it a URDF file?")
    if not top.get("name", "").strip():
        doubt(f"has no name; taken from the file's: {stem}", element="robot")
    links: dict[str, Mass] = {}
    for k, element in enumerate(top.findall("link"), start=1):
        name = attribute(element, "name", f"link number {k}")
        if name in links:
            raise ModelError("two links have this name; rename one", element=f"link {name}")
        links[name] = _mass(element, f"link {name}")
    if not links:
        raise ModelError("the file has none: it describes no robot", field="links")
    joints: dict[str, Joint] = {}
    for k, element in enumerate(top.findall("joint"), start=1):
        joint = _joint(element, k)
        if joint.name in joints:
            raise ModelError("two joints have this name; rename one", element=f"joint {joint.name}")
        joints[joint.name] = joint
    for name, rotor in _rotors(top, joints).items():
        joints[name] = replace(joints[name], rotor=rotor)
    return _tree(top.get("name", "").strip() or stem, links, list(joints.values()))


def _rotors(top: Element, joints: Mapping[str, Joint]) -> dict[str, float]:
    """By joint: inertia of its motor's rotor times the square of the gear ratio.

    Of a joint's `transmission`, its actuators' `drake:rotor_inertia` and `drake:gear_ratio`
    (1 if absent); `mechanicalReduction` alone says nothing of inertia.
    """
    found: dict[str, float] = {}
    for transmission in top.findall("transmission"):
        named = [element.get("name", "") for element in transmission.findall("joint")]
        where = f"transmission {transmission.get('name', '')}".rstrip()
        for actuator in transmission.findall("actuator"):
            inertia, ratio = (
                _drake(actuator, tag, where) for tag in ("rotor_inertia", "gear_ratio")
            )
            if inertia is None:
                continue
            if inertia < 0:
                raise ModelError("must not be negative", element=where, field="rotor_inertia")
            if len(named) != 1 or named[0] not in joints:
                raise ModelError(
                    "a rotor's inertia needs the one joint that it turns; here: "
                    + (", ".join(named) or "none"),
                    element=where,
                    field="joint",
                )
            felt = inertia * (1.0 if ratio is None else ratio) ** 2
            found[named[0]] = found.get(named[0], 0.0) + felt
    return found


def _drake(actuator: Element, tag: str, where: str) -> float | None:
    """The value of one of Drake's tags; its namespace may have any address."""
    for element in actuator:
        if isinstance(element.tag, str) and element.tag.rpartition("}")[2] == tag:
            return number(element, "value", where)
    return None


def _tree(name: str, links: dict[str, Mass], joints: list[Joint]) -> Robot:
    parents: dict[str, Joint] = {}
    for joint in joints:
        if joint.child in parents:
            raise ModelError(
                f"has two parents, by the joints {parents[joint.child].name} and {joint.name}; a "
                "URDF file describes a tree: leave out one of them, or write the closed loop as a "
                "model file of mstmm (mstmm.write)",
                element=f"link {joint.child}",
            )
        parents[joint.child] = joint
    roots = [link for link in links if link not in parents]
    links = _with_root(links, roots, joints)
    if len(roots) != 1:
        found = ", ".join(roots[:8]) or "none"
        remedy = "join them by a fixed joint" if roots else "leave out a joint of the circle"
        raise ModelError(
            f"one link has no parent in a tree; here: {found}; {remedy}", field="links"
        )
    below: dict[str, list[Joint]] = {link: [] for link in links}
    for joint in joints:
        below[joint.parent].append(joint)
    waiting = roots[:]
    for link in waiting:
        waiting.extend(joint.child for joint in below[link])
    reached = set(waiting)
    loose = [link for link in links if link not in reached]
    if loose:
        raise ModelError(
            "is not connected to the root: its joints run in a circle; leave out one of them",
            element=f"link {loose[0]}",
        )
    return Robot(name, roots[0], links, {link: tuple(some) for link, some in below.items()})


def _with_root(
    links: dict[str, Mass], roots: list[str], joints: Sequence[Joint]
) -> dict[str, Mass]:
    """The links, and the root that all hang on, where the file leaves it to another to say it."""
    for joint in joints:
        for field_, link in (("parent", joint.parent), ("child", joint.child)):
            if link in links:
                continue
            if field_ == "child" or roots:
                raise ModelError(
                    f"there is no link {link!r}; correct the name, or add the link",
                    element=f"joint {joint.name}",
                    field=field_,
                )
            doubt(
                f"there is no link {link!r}; taken for the root, without mass",
                element=f"joint {joint.name}",
                field=field_,
            )
            links = {link: Mass(), **links}
            roots.append(link)
    return links


def _pose(element: Element, where: str) -> Pose:
    origin = element.find("origin")
    if origin is None:
        return Pose()
    angles = numbers(origin.get("rpy", "0 0 0"), 3, where, "rpy")
    xyz = numbers(origin.get("xyz", "0 0 0"), 3, where, "xyz")
    roll, pitch, yaw = (turn(axis, angle) for axis, angle in enumerate(angles))
    return Pose(yaw @ pitch @ roll, np.array(xyz))


def _mass(link: Element, where: str) -> Mass:
    inertial = link.find("inertial")
    if inertial is None:
        return Mass()
    weight, tensor = inertial.find("mass"), inertial.find("inertia")
    if weight is None or tensor is None:
        missing = "mass" if weight is None else "inertia"
        raise ModelError(
            f"<inertial> has no <{missing}>; add it, or leave out <inertial> for kinematics alone",
            element=where,
        )
    mass = number(weight, "value", where)
    if mass < 0:
        raise ModelError(f"must not be negative, is {mass:g} kg", element=where, field="mass")
    products = [axes for axes in ("xy", "xz", "yz") if tensor.get(f"i{axes}") is None]
    if products:
        lacking = ", ".join(f"i{axes}" for axes in products)
        doubt(f"<inertia> has no {lacking}; taken for 0", element=where)
    xx, xy, xz, yy, yz, zz = (
        number(tensor, f"i{axes}", where, 0.0 if axes in products else None)
        for axes in ("xx", "xy", "xz", "yy", "yz", "zz")
    )
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Mass(mass, inertia=inertia).seen_from(_pose(inertial, where))


def _joint(element: Element, count: int) -> Joint:
    name = attribute(element, "name", f"joint number {count}")
    where = f"joint {name}"
    given = attribute(element, "type", where)
    kind = given.lower()
    if kind not in (*JOINTS, *EXTENDED):
        raise ModelError(
            f"{given!r} is no type of URDF; write one of {', '.join(JOINTS)}",
            element=where,
            field="type",
        )
    if kind in EXTENDED:
        doubt("is no type of URDF; taken for a ball", element=where, field=f"type {kind}")
    if kind != given:
        doubt(f"is {given!r}; taken for {kind}", element=where, field="type")
    parent, child = element.find("parent"), element.find("child")
    if parent is None or child is None:
        missing = "parent" if parent is None else "child"
        raise ModelError(f"there is no <{missing}>; add it", element=where)
    dynamics = element.find("dynamics")
    damping = number(dynamics, "damping", where, 0.0)
    friction = number(dynamics, "friction", where, 0.0)
    if damping < 0 or friction < 0:
        raise ModelError("must not be negative", element=where, field="damping or friction")
    return Joint(
        name,
        kind,
        attribute(parent, "link", where),
        attribute(child, "link", where),
        _pose(element, where),
        _axis(element, kind, where),
        damping,
        friction,
        _limits(element, kind, where),
        _mimic(element, where),
        velocity=_bound(element, "velocity", where),
        effort=_bound(element, "effort", where),
    )


def _axis(element: Element, kind: str, where: str) -> Floats:
    given = element.find("axis") if kind in (*AXIAL, "planar") else None
    text = "1 0 0" if given is None else given.get("xyz", "1 0 0")
    axis = np.array(numbers(text, 3, where, "axis"))
    length = math.hypot(*axis)
    if length == 0:
        raise ModelError(
            'has no direction: it is zero; give it one, such as "0 0 1"',
            element=where,
            field="axis",
        )
    if abs(length - 1) > UNIT_AXIS_SLACK:
        doubt(f"has length {length:g}, not 1; its direction is taken", element=where, field="axis")
    return axis / length


def _limits(element: Element, kind: str, where: str) -> tuple[float, float] | None:
    given = element.find("limit")
    if given is None or kind not in ("revolute", "prismatic"):
        return None
    if given.get("lower") is None and given.get("upper") is None:
        return None
    lower, upper = (number(given, name, where, 0.0, ranged=True) for name in ("lower", "upper"))
    if math.inf in (lower, -upper):
        raise ModelError("lets no position be; correct it", element=where, field="limit")
    if lower > upper:
        doubt(
            f"the lower, {lower:g}, exceeds the upper, {upper:g}; exchanged",
            element=where,
            field="limit",
        )
        lower, upper = upper, lower
    if lower == upper:
        doubt(
            f"lower and upper are both {lower:g}: inverse kinematics does not move it",
            element=where,
            field="limit",
        )
    return lower, upper


def _bound(element: Element, name: str, where: str) -> float | None:
    """The largest velocity or effort, if the file says one; a negative one is none."""
    given = element.find("limit")
    if given is None or given.get(name) is None:
        return None
    value = number(given, name, where, ranged=True)
    return value if value >= 0 else None


def _mimic(element: Element, where: str) -> Mimic | None:
    given = element.find("mimic")
    if given is None:
        return None
    return Mimic(
        attribute(given, "joint", where),
        number(given, "multiplier", where, 1.0),
        number(given, "offset", where, 0.0),
    )

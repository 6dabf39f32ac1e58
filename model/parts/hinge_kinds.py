"""The kinds of hinges: all that is peculiar to a kind stands in its one record.

A record says what the child does in a word, and exactly: the pose of the child's point frame as
seen from the parent's; where the coordinates are zero the two coincide. What moves, what a cut
demands, which laws a hinge may carry and where it is refused follow from that.

What else a new kind needs, and a new size of kinds, is in `docs/writing-a-hinge.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Literal

import sympy as sp

from .naming import numbered


class Coordinate(Enum):
    """What a hinge's coordinate is; a quaternion counts as four."""

    ANGLE = "angle"
    LENGTH = "length"
    QUATERNION = "unit quaternion"


ANGLE, LENGTH, QUATERNION = Coordinate.ANGLE, Coordinate.LENGTH, Coordinate.QUATERNION

#: The coordinates of a kind without a quaternion, in their order.
Q1, Q2, Q3 = sp.symbols("q1:4", real=True)
#: Those of a kind with one: a place, and the unit quaternion.
X, Y, Z = (sp.Symbol(f"q_{axis}", real=True) for axis in "xyz")
TURN = tuple(sp.Symbol(f"q_Q{axis}", real=True) for axis in "wxyz")

#: Metres along the third axis a radian about it.
PITCH = sp.Symbol("pitch", real=True)
#: Of a wheel: metres from its centre, along the second axis, to where it touches what it rolls on.
RADIUS = sp.Symbol("radius", real=True)


#: Of a hinge that shares another's coordinate q: its own is ratio · q + offset.
RATIO, OFFSET = sp.symbols("ratio offset", real=True)

#: What the kind of such a hinge is called, behind the kind that it is by itself.
SHARING = "_sharing"


@dataclass(frozen=True)
class Size:
    """A size that some kinds have: a field of `Hinge`, and a key of model files.

    `needed`: it must not be zero, else zero is as good as any other value.
    """

    description: str
    needed: bool = False


SIZES: Mapping[sp.Symbol, Size] = {
    PITCH: Size("of a helical hinge, m/rad"),
    RADIUS: Size("of a rack's pinion, m; negative on the other side", needed=True),
}


def about(axis: int, angle: sp.Expr) -> sp.Matrix:
    """The rotation by an angle about a coordinate axis (0, 1, 2) of space."""
    c, s = sp.cos(angle), sp.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = sp.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    return R


def flat(angle: sp.Expr) -> sp.Matrix:
    """The rotation by an angle in the plane."""
    return sp.Matrix([[sp.cos(angle), -sp.sin(angle)], [sp.sin(angle), sp.cos(angle)]])


def direction_cosines(w: sp.Expr, x: sp.Expr, y: sp.Expr, z: sp.Expr) -> sp.Matrix:
    """The rotation matrix of a unit quaternion."""
    return sp.Matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_rates(Q: sp.Matrix, omega: sp.Matrix) -> sp.Matrix:
    """Q̇ = ½ Q ∘ (0, ω), ω in the child's axes."""
    w, x, y, z = Q
    p, q, r = omega
    product = [
        -x * p - y * q - z * r,
        w * p + y * r - z * q,
        w * q + z * p - x * r,
        w * r + x * q - y * p,
    ]
    return sp.Matrix(product) / 2


@dataclass(frozen=True)
class Lead:
    """The shift along an axis of the parent that goes with a turn about the third: m/rad."""

    axis: int
    ratio: sp.Expr


@dataclass(frozen=True, eq=False)
class HingeKind:
    """A kind of hinge.

    Shape
        `rotation` R: d×d, child to parent axes; `position` p: d, of the child's point. Both in
        the coordinates `q` and the sizes.
    Frame
        `position` from the parent's point, in its axes.
    Sign
        Of the child relative to the parent.

    The speeds are the coordinates' rates; of a kind with a quaternion they are the child's
    angular velocity, and before it the velocity if it has lengths too, in the child's axes.
    `does` completes the sentence "the child …". `sprung`: springs and dampers along all axes are
    its own. `absolute`: the one that absolute coordinates can describe.
    """

    name: str
    dimension: int
    does: str
    slots: tuple[Coordinate, ...]
    rotation: sp.Matrix
    position: tuple[sp.Expr, ...]
    sprung: bool = False
    absolute: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "rotation", sp.ImmutableMatrix(self.rotation))

    @property
    def has_quaternion(self) -> bool:
        return QUATERNION in self.slots

    @cached_property
    def q(self) -> tuple[sp.Symbol, ...]:
        """The coordinates' symbols in the pose."""
        if self.has_quaternion:
            return (*((X, Y, Z) if LENGTH in self.slots else ()), *TURN)
        return (Q1, Q2, Q3)[: len(self.slots)]

    @cached_property
    def u(self) -> tuple[sp.Symbol, ...]:
        """The speeds' symbols."""
        count = len(self.q) - self.has_quaternion
        return tuple(sp.symbols(f"u1:{count + 1}", real=True))

    @cached_property
    def rates(self) -> sp.Matrix:
        """The rates of the coordinates, from the speeds."""
        u = sp.Matrix(self.u)
        if not self.has_quaternion:
            return u
        turning = quaternion_rates(sp.Matrix(TURN), u[-3:, :])
        return turning if len(u) == 3 else (self.rotation * u[:3, :]).col_join(turning)

    @property
    def coordinates(self) -> int:
        """The number of coordinates, four of them for a quaternion."""
        return len(self.q)

    @property
    def speeds(self) -> int:
        """The number of speeds: its freedoms."""
        return len(self.u)

    @cached_property
    def sizes(self) -> tuple[sp.Symbol, ...]:
        """The sizes that its pose depends on, of `SIZES`."""
        symbols = self.rotation.free_symbols.union(*(x.free_symbols for x in self.position))
        return tuple(size for size in SIZES if size in symbols)

    @property
    def plain(self) -> HingeKind:
        """The kind that it is where its sizes are zero, as a helical hinge is a revolute one."""
        none = dict.fromkeys(SIZES, _ZERO)
        pose = self.slots, self.rotation, tuple(x.xreplace(none) for x in self.position)
        return next(
            kind
            for kind in HINGE_KINDS[self.dimension].values()
            if (kind.slots, kind.rotation, kind.position) == pose
        )

    def names(self, stem: str) -> tuple[str, ...]:
        """Names of the coordinates: the stem, a suffix where there are several.

        `_Qw` to `_Qz` are a quaternion's.
        """
        if self.has_quaternion:
            return tuple(stem + symbol.name.removeprefix("q") for symbol in self.q)
        return numbered(stem, self.coordinates)

    # What a cut of it demands, read off the pose

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The parent's axes along which the child's point stays where the parent's is."""
        return tuple(i for i, x in enumerate(self.position) if x == 0)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The parent's axes and later ones of the child that stay at right angles."""
        d = self.dimension
        return tuple((i, j) for i in range(d) for j in range(i + 1, d) if self.rotation[i, j] == 0)

    @cached_property
    def kept_axes(self) -> tuple[int, ...]:
        """The parent's axes along which the child's of the same number point, wherever it is."""
        return tuple(i for i in range(self.dimension) if self.rotation[i, i] == 1)

    @cached_property
    def lead(self) -> Lead | None:
        """How far the child moves along an axis as it turns about the third, if it must."""
        for i, x in enumerate(self.position):
            for q, slot in zip(self.q, self.slots, strict=False):
                turned = about(2, q) if self.dimension == 3 else flat(q)
                ratio = sp.diff(x, q)
                if slot is ANGLE and self.rotation == turned and x == ratio * q != 0:
                    return Lead(i, ratio)
        return None

    @property
    def conditions(self) -> int:
        """The number of conditions that are known of a cut."""
        return len(self.places) + len(self.pairs) + (self.lead is not None)

    @property
    def boundary(self) -> Literal["free", "clamped", "pinned", ""]:
        """What a smooth one to the ground makes of a body's end, if it is no hinge of its own.

        Of a kind whose pose tells too few conditions the end cannot be described so.
        """
        if self.why_not_cut:
            return ""
        if not self.speeds:
            return "clamped"
        if self.conditions == len(self.places):
            free = not self.conditions and not self.sprung
            return "pinned" if self.conditions == self.dimension else "free" if free else ""
        return ""

    @property
    def why_not_cut(self) -> str:
        """Why it cannot be cut; empty if it can: as many conditions as directions it constrains."""
        directions = 3 if self.dimension == 2 else 6
        if self.conditions + self.speeds == directions:
            return ""
        return f"{self.name}, a kind whose pose tells no conditions that would close it"

    # What it takes

    @property
    def why_not_driven(self) -> str:
        """Why its coordinates cannot be prescribed; empty if they can."""
        if self.has_quaternion:
            return "a quaternion"
        return "springs and dampers" if self.sprung else ""

    @property
    def stiffnesses(self) -> int:
        """How many constants its `stiffness` has; none where a potential says all.

        A `sprung` kind has one along and about each axis, another one with a quaternion one along
        each axis that it moves along, and one of its turn.
        """
        if self.sprung:
            return self.speeds
        return self.speeds - 2 if self.has_quaternion else 0

    @property
    def rests(self) -> int:
        """How many numbers say where its springs rest: places, and an angle or a quaternion."""
        if self.sprung:
            return 3
        return self.coordinates if self.has_quaternion else 0

    @property
    def couples(self) -> bool:
        """May it follow another hinge, or be followed: has it one coordinate?"""
        return self.coordinates == self.speeds == 1


_FLIGHT = "moves in any way"
_HELD = "moves in any way, against springs and dampers alone"
_ZERO = sp.Integer(0)
_FLAT_REST = (_ZERO, _ZERO)
_REST = (_ZERO, _ZERO, _ZERO)

_PLANE = (
    HingeKind(
        "pin",
        2,
        "turns about the axis normal to the plane",
        (ANGLE,),
        flat(Q1),
        _FLAT_REST,
        absolute=True,
    ),
    HingeKind("prismatic", 2, "moves along the first axis", (LENGTH,), sp.eye(2), (Q1, _ZERO)),
    HingeKind(
        "slot",
        2,
        "moves along the first axis, and turns about the normal to the plane",
        (LENGTH, ANGLE),
        flat(Q2),
        (Q1, _ZERO),
    ),
    HingeKind(
        "rack",
        2,
        "rolls along the first axis, radius metres a radian, on a rack that lies at the radius "
        "along the second",
        (ANGLE,),
        flat(Q1),
        (RADIUS * Q1, _ZERO),
    ),
    HingeKind("fixed", 2, "does not move", (), sp.eye(2), _FLAT_REST),
    HingeKind("free", 2, _FLIGHT, (LENGTH, LENGTH, ANGLE), flat(Q3), (Q1, Q2)),
    HingeKind("elastic", 2, _HELD, (LENGTH, LENGTH, ANGLE), flat(Q3), (Q1, Q2), sprung=True),
)

_SPACE = (
    HingeKind("revolute", 3, "turns about the third axis", (ANGLE,), about(2, Q1), _REST),
    HingeKind(
        "prismatic", 3, "moves along the third axis", (LENGTH,), sp.eye(3), (_ZERO, _ZERO, Q1)
    ),
    HingeKind(
        "slot",
        3,
        "moves along the first axis, then turns about the third",
        (LENGTH, ANGLE),
        about(2, Q2),
        (Q1, _ZERO, _ZERO),
    ),
    HingeKind(
        "helical",
        3,
        "turns about the third axis and moves along it, pitch metres a radian",
        (ANGLE,),
        about(2, Q1),
        (_ZERO, _ZERO, PITCH * Q1),
    ),
    HingeKind(
        "cylindrical",
        3,
        "turns about the third axis, and moves along it",
        (ANGLE, LENGTH),
        about(2, Q1),
        (_ZERO, _ZERO, Q2),
    ),
    HingeKind(
        "universal",
        3,
        "turns about the parent's first axis, then about its own second",
        (ANGLE, ANGLE),
        about(0, Q1) * about(1, Q2),
        _REST,
    ),
    HingeKind(
        "planar",
        3,
        "moves along the first two axes, then turns about the third",
        (LENGTH, LENGTH, ANGLE),
        about(2, Q3),
        (Q1, Q2, _ZERO),
    ),
    HingeKind(
        "ball",
        3,
        "turns in any way: a unit quaternion, its speeds the spin in the child's axes",
        (QUATERNION,),
        direction_cosines(*TURN),
        _REST,
        absolute=True,
    ),
    HingeKind("fixed", 3, "does not move", (), sp.eye(3), _REST),
    HingeKind(
        "free",
        3,
        _FLIGHT,
        (LENGTH, LENGTH, LENGTH, QUATERNION),
        direction_cosines(*TURN),
        (X, Y, Z),
    ),
    HingeKind(
        "elastic",
        3,
        _HELD,
        (LENGTH, LENGTH, LENGTH, QUATERNION),
        direction_cosines(*TURN),
        (X, Y, Z),
        sprung=True,
    ),
)


class Kinds(dict[str, HingeKind]):
    """Kinds by name; those of hinges that share another's coordinate are found, but not listed."""

    def __missing__(self, name: str) -> HingeKind:
        kind = self.get(name.removesuffix(SHARING))
        if kind is None or kind.name == name or not kind.couples:
            raise KeyError(name)
        at = {Q1: RATIO * Q1 + OFFSET}
        return replace(
            kind,
            name=name,
            does=f"{kind.does}, as far as another hinge's coordinate makes it",
            rotation=kind.rotation.xreplace(at),
            position=tuple(x.xreplace(at) for x in kind.position),
        )


def _by_name(kinds: Iterable[HingeKind]) -> Mapping[str, HingeKind]:
    return Kinds({kind.name: kind for kind in kinds})


#: Every kind by dimension and name.
HINGE_KINDS: Mapping[int, Mapping[str, HingeKind]] = {2: _by_name(_PLANE), 3: _by_name(_SPACE)}

#: By dimension the kind that absolute coordinates can describe.
ABSOLUTE_KINDS: Mapping[int, HingeKind] = {
    dimension: next(kind for kind in kinds.values() if kind.absolute)
    for dimension, kinds in HINGE_KINDS.items()
}

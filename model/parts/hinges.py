"""Hinges: which ends they join, what they let move, and what acts in them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...blame import blamed_parts
from ...shown import Shown
from ..expressions.quantities import Quantity, Vector
from .bodies import End
from .limits import Limits

#: The body name that stands for the inertial frame in a hinge's ends.
GROUND = "0"

#: What a hinge's law calls its own coordinates and speeds.
OWN = re.compile(r"[qu]\d+")


@blamed_parts
@dataclass(frozen=True)
class Mimic:
    """The coordinate of a hinge follows another hinge's: q = `ratio` · q_other + `offset`.

    Both then share the other's coordinate: the follower has none among the state, see
    `System.followers`. `own`: it keeps its own, and the coupling is a condition like those that
    close loops.

    Or it follows those of several `hinges` by a `law`: an expression in their coordinates q1, q2,
    … in this order and in the parameters, smooth; of no hinges a value that the coordinate keeps.
    All these hinges have one coordinate, and keep theirs; the coupling is a condition.

    Units
        m, rad; `ratio` their quotient.
    """

    hinge: str = ""
    ratio: Quantity = 1
    offset: Quantity = 0
    hinges: tuple[str, ...] = ()
    law: Quantity | None = None
    own: bool = False

    @property
    def leaders(self) -> tuple[str, ...]:
        """The hinges that are followed."""
        return (self.hinge,) if self.law is None else self.hinges


@blamed_parts
@dataclass(frozen=True)
class Hinge(Shown):
    """A hinge between two ends, or between an end and the ground.

    `ends` are parent and child; one of them may be `End(GROUND, …)`. Coordinates tell the
    child's point frame as seen from the parent's, whatever the direction of transfer; at zero
    the two frames coincide.

    What the child of each kind does, its record says (`hinge_kinds.HINGE_KINDS`). Of a `free` or
    `elastic` hinge in space the coordinates are the position in the parent's axes and a unit
    quaternion, the speeds velocity and angular velocity in the child's axes. `pitch` is of a
    helical hinge, metres a radian; `radius` of a rack's pinion, whose point is its centre: it
    touches the rack at the radius along the parent's second axis, so that turning by φ moves it by
    radius · φ along the first.

    `force` is a generalised force for each speed (none: smooth), an expression in the hinge's
    own coordinates q1, q2, …, speeds u1, u2, …, other hinges' by their names, sensors, the time t
    and the parameters; positive, it drives the child along the speed. `potential` is an energy in
    q1, q2, …, t and the parameters, continuous where it steps: its force −∂V/∂q, along the speeds,
    adds to `force`.
    `motion` prescribes each coordinate as an expression in t and the parameters; such a hinge
    has no coordinates of its own, and the force that drives it comes out. Not for kinds with a
    quaternion. Units: N, N m; J; m, rad.

    An elastic hinge has a `stiffness` k and a `damping` along and about each axis of the
    parent's point (3 or 6; none: zero), and is free of spring forces at `rest`: a position p₀,
    in the plane with an angle. Its energy is Σ k (p − p₀)²/2, in the plane k (φ − φ₀)²/2 more,
    in space 2 Σ k e² with the quaternion's vector part e: up to the third order in the angle
    that of the rotation vector, and smooth all round. Dampers work on the rates seen from the
    parent. The forces' resultant acts at the child's point. Units: N/m, N m/rad; N s/m,
    N m s/rad; m, rad.

    A ball hinge may have a torsional spring, of one `stiffness`: its energy is k φ²/2, φ ≤ π the
    angle of the turn, its moment −k φ n about the axis n of the turn; smooth at φ = 0. At φ = π,
    where the turn may be undone either way, the moment jumps from −k π n to k π n; there it is that
    of the quaternion as written. A free hinge in space has four, along each axis of the parent's
    point and of the turn. `rest` is where they exert nothing: of a ball a unit quaternion w, x, y,
    z, of a free hinge a position before it. Dampers there are a `force`, such as −d u1.

    The coordinates in the laws of a hinge that is cut to open a loop are those of its two
    sides: in the plane an angle is the sum of those on its loop, over any number of turns; in
    space it lies in (−π, π], so that a spring there works within one turn (a helical hinge's
    counts its turns by its height); of a quaternion the one with w ≥ 0, within half a turn.

    `rotor` is an inertia for each speed (none: zero), of a rotor's own spin as felt at the
    hinge: gear ratio² times the rotor's; its force on the child is −rotor · u̇, its energy
    ½ rotor u². `mimic` couples the coordinate with another hinge's. Units: kg m², or kg.

    `limits` bound positions, speeds and forces for those who plan motions; no solver stops there.

    In absolute coordinates the hinges are pins (plane) or balls (space), smooth, and the order
    of the ends does not matter.
    """

    name: str
    kind: str
    ends: tuple[End, End]
    pitch: Quantity = 0
    force: tuple[Quantity, ...] = ()
    motion: tuple[Quantity, ...] = ()
    rotor: tuple[Quantity, ...] = ()
    mimic: Mimic | None = None
    potential: Quantity = 0
    stiffness: Vector = ()
    damping: Vector = ()
    rest: Vector = ()
    radius: Quantity = 0
    limits: Limits | None = None

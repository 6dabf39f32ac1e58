"""A mechanism as strokes and marks between vertices that move: for a picture, and for a film.

What is the same of both is said once: a body is the lines between its points, or its outline, a
beam its bent axis, a hinge what its kind lets move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...model import GROUND, Beam, Body, End, Force, Hinge
from ...model.expressions.quantities import Vector
from ...model.parts.hinge_kinds import ANGLE, HINGE_KINDS, LENGTH
from .cylinders import Cylinder, cylinder
from .outlines import Spot, hull, ringed
from .places import Floats, Places

#: Of bodies without size, and of marks that have one: parts of the mechanism's.
BOX, AXIS, COIL, BORE = 0.028, 0.06, 0.022, 0.016

#: So far a body turns that is seen to turn, in radians.
SEEN = 1e-3

#: Corners of a wheel, turns of a spring.
CORNERS, TURNS = 24, 5


@dataclass(frozen=True)
class Stroke:
    """A line through vertices. `role`: link, plate, beam, axis, spring, wheel.

    `between`: the owner is a force between points.
    """

    role: str
    vertices: tuple[int, ...]
    owner: str
    closed: bool = False
    between: bool = False


@dataclass(frozen=True)
class Mark:
    """A sign at a vertex, of the same size whatever the view.

    `role`: pin, ball, slide, weld, ground, centre. `beside`: a second vertex, which tells where
    a slide points.
    """

    role: str
    vertex: int
    owner: str
    beside: int = -1


@dataclass(frozen=True)
class Anchor:
    """What a vertex is fixed to: a body or the ground, or one of its points, and where there.

    `local`: in the axes of the point, or of the body; in the model's parameters. On a beam: where
    it is before the beam bends.
    """

    body: str
    local: Vector
    point: str | None = None


@dataclass(eq=False)
class Figure:
    """A mechanism at some times.

    `anchors`: what each vertex is fixed to; None inside a spring.

    Shape
        `vertices` (T, V, 3).
    Units
        m.
    Frame
        Inertial.
    """

    dimension: int
    times: Floats
    vertices: Floats
    strokes: tuple[Stroke, ...]
    marks: tuple[Mark, ...]
    anchors: tuple[Anchor | None, ...]
    bodies: dict[str, tuple[int, ...]] = field(default_factory=dict)
    hinges: dict[str, int] = field(default_factory=dict)


def figure(at: Places, *, spun: bool = False) -> Figure:
    """The figure of a mechanism in the given states.

    `spun`: with a disc on each body that is a line, and turns about it by more than `SEEN`: else
    nothing would move. The line itself is to turn by less than a radian.
    """
    return _Drawn(at, spun).figure()


class _Drawn:
    def __init__(self, at: Places, spun: bool) -> None:
        self.at = at
        self.spun = spun
        self.model = at.model
        self.tracks: list[Floats] = []
        self.anchors: list[Anchor | None] = []
        self.strokes: list[Stroke] = []
        self.marks: list[Mark] = []
        self.bodies: dict[str, tuple[int, ...]] = {}
        self.hinges: dict[str, int] = {}
        self.size = self._size()

    def figure(self) -> Figure:
        for body in self.model.bodies:
            if isinstance(body, Beam):
                self._beam(body)
            else:
                self._body(body)
        for hinge in self.model.hinges:
            self._hinge(hinge)
        for force in self.model.forces:
            self._line(force)
        vertices = np.stack(self.tracks, axis=1)
        return Figure(
            self.model.dimension,
            self.at.times,
            vertices,
            tuple(self.strokes),
            tuple(self.marks),
            tuple(self.anchors),
            self.bodies,
            self.hinges,
        )

    def _size(self) -> float:
        """How large the mechanism is at the first time."""
        ends = [end for hinge in self.model.hinges for end in hinge.ends]
        found = [self.at.at(end)[0, :3, 3] for end in ends]
        for body in self.model.bodies:
            found += [self.at.frame(body.name)[0, :3, 3]]
            if isinstance(body, Beam):
                found += [self.at.along(body, np.array([self.model.value(body.length)]))[0, 0]]
            else:
                local = [*self._outline(body), self._spot(body.centre)]
                found += [(self.at.frame(body.name)[0] @ [*x.place, 1.0])[:3] for x in local]
        places = np.array(found)
        return float(np.linalg.norm(places.max(axis=0) - places.min(axis=0))) or 1.0

    # Vertices

    def _vertex(self, track: Floats, anchor: Anchor | None = None) -> int:
        """A new vertex of these places, (T, 3)."""
        self.tracks.append(track)
        self.anchors.append(anchor)
        return len(self.tracks) - 1

    def _fixed(self, anchor: Anchor) -> int:
        """A new vertex where it is fixed."""
        at, body, point = self.at, anchor.body, anchor.point
        frame = at.frame(body) if point is None else at.at(End(body, point))
        return self._vertex((frame @ [*self._spot(anchor.local).place, 1.0])[:, :3], anchor)

    def _at(self, end: End, local: Sequence[float] = (0.0, 0.0, 0.0)) -> int:
        """A new vertex in the axes of a point."""
        return self._fixed(Anchor(end.body, tuple(local), end.point))

    def _stroke(self, role: str, owner: str, vertices: Sequence[int], closed: bool = False) -> None:
        self.strokes.append(Stroke(role, tuple(vertices), owner, closed))

    # Bodies

    def _spot(self, position: Vector) -> Spot:
        found = np.zeros(3)
        found[: len(position)] = [self.model.value(x) for x in position]
        return Spot(found, (*position, *(0.0,) * (3 - len(position))))

    def _outline(self, body: Body) -> list[Spot]:
        """The body's points where they differ, in its own axes."""
        found: list[Spot] = []
        for point in body.points:
            spot = self._spot(point.position)
            if not any(np.allclose(spot.place, other.place, atol=1e-12) for other in found):
                found.append(spot)
        return found

    def _body(self, body: Body) -> None:
        """Lines between a body's points and its centre of mass; an outline if there are several."""
        points, centre = self._outline(body), self._spot(body.centre)
        small = 1e-6 * self.size
        away = [x for x in points if np.linalg.norm(x.place - centre.place) > small]
        middle = self._fixed(Anchor(body.name, centre.exact))
        if not away:
            corners = self._box(centre, body.name)
        else:
            around = self._around(points, centre, small)
            corners = tuple(self._fixed(Anchor(body.name, x.exact)) for x in around)
            closed = len(corners) > 2
            self._stroke("plate" if closed else "link", body.name, corners, closed)
            if self.spun and self.model.dimension == 3 and self._on_line(points, centre, small):
                self._disc(body, around)
            if not closed and not self._on_line(points, centre, small) and len(corners) > 1:
                self._stroke("link", body.name, (corners[0], middle, corners[1]))
        self.marks.append(Mark("centre", middle, body.name))
        self.bodies[body.name] = (*corners, middle)

    def _disc(self, body: Body, line: list[Spot]) -> None:
        """A disc with a spoke about the line of a body that turns about it."""
        along = line[-1].place - line[0].place
        across = np.linalg.svd(along[np.newaxis])[2][1:]
        axes = self.at.frame(body.name)[:, :3, :3]
        lines, spokes = axes @ along / np.linalg.norm(along), axes @ across[0]
        if np.abs(np.einsum("ti,ti->t", np.cross(lines, spokes[0]), spokes)).max() < SEEN:
            return
        middle = self._spot(body.centre).place
        turns = np.linspace(0.0, 2 * np.pi, CORNERS, endpoint=False)
        places = middle + self.size * AXIS * np.stack([np.cos(turns), np.sin(turns)], 1) @ across
        rim = [self._fixed(Anchor(body.name, tuple(x.tolist()))) for x in places]
        self._stroke("wheel", body.name, rim, closed=True)
        self._stroke("wheel", body.name, (self._fixed(Anchor(body.name, body.centre)), rim[0]))

    def _around(self, points: list[Spot], centre: Spot, small: float) -> list[Spot]:
        """The corners of a body's outline, in order; of a bar its two ends."""
        if len(points) == 1:
            return [points[0], centre]
        line = points if self._on_line(points, centre, small) else [*points, centre]
        first = line[0].place
        if self._on_line(line, line[0], small):
            reach = max(line, key=lambda x: float(np.linalg.norm(x.place - first)))
            along = reach.place - first
            ordered = sorted(line, key=lambda x: float(along @ (x.place - first)))
            return [ordered[0], ordered[-1]]
        if self.model.dimension == 2:
            return hull(line)
        return ringed(line)

    def _on_line(self, points: list[Spot], centre: Spot, small: float) -> bool:
        places = np.array([x.place for x in (*points, centre)])
        spread = places - places.mean(axis=0)
        return bool(np.linalg.svd(spread, compute_uv=False)[1] <= small)

    def _box(self, centre: Spot, owner: str) -> tuple[int, ...]:
        """Of a body whose points are all at its centre: a square, or a cube."""
        half = BOX * self.size
        square = [(-half, -half), (half, -half), (half, half), (-half, half)]
        faces = []
        for z in (0.0,) if self.model.dimension == 2 else (-half, half):
            corners = [
                tuple(c + x for c, x in zip(centre.exact, (*xy, z), strict=True)) for xy in square
            ]
            faces.append([self._fixed(Anchor(owner, corner)) for corner in corners])
            self._stroke("plate", owner, faces[-1], closed=True)
        for edge in zip(*faces, strict=True) if len(faces) > 1 else ():
            self._stroke("link", owner, edge)
        return tuple(v for face in faces for v in face)

    def _beam(self, beam: Beam) -> None:
        xs = np.linspace(0.0, self.model.value(beam.length), self.at.sections(beam))
        along = self.at.along(beam, xs)
        vertices = tuple(
            self._vertex(along[:, k], Anchor(beam.name, (float(x), 0.0, 0.0)))
            for k, x in enumerate(xs)
        )
        self._stroke("beam", beam.name, vertices)
        self.bodies[beam.name] = vertices

    # Hinges

    def _hinge(self, hinge: Hinge) -> None:
        """What a hinge lets move: axes, guides, springs, and a sign where it is."""
        kind = HINGE_KINDS[self.model.dimension][hinge.kind]
        parent, child = hinge.ends
        here = self._at(child)
        self.hinges[hinge.name] = here
        beside = -1
        if kind.sprung:
            self._spring(hinge.name, self._at(parent), self._at(child))
        elif kind.name == "rack":
            self._wheel(hinge)
        elif LENGTH in kind.slots and not kind.has_quaternion and kind.slots.count(LENGTH) == 1:
            axis = next(k for k, x in enumerate(kind.position) if x != 0)
            if found := self._cylinder(hinge, axis):
                self._tube(hinge, axis, found)
                return
            beside = self._guide(hinge, axis)
        elif self.model.dimension == 3 and ANGLE in kind.slots and LENGTH not in kind.slots:
            reach = self.size * AXIS
            ends = [self._at(child, (0.0, 0.0, side * reach)) for side in (-1.0, 1.0)]
            self._stroke("axis", hinge.name, ends)
        role = "slide" if beside >= 0 else _MARKS.get(kind.name, "pin")
        if role:
            self.marks.append(Mark(role, here, hinge.name, beside))
        for end in hinge.ends:
            if end.body == GROUND and kind.boundary != "free":
                self.marks.append(Mark("ground", self._at(end), hinge.name))

    def _way(self, hinge: Hinge, axis: int) -> Floats:
        """How far the child is along an axis of the parent's point, (T)."""
        parent, child = (self.at.at(end) for end in hinge.ends)
        along: Floats = np.einsum("ti,ti->t", parent[:, :3, axis], (child - parent)[:, :3, 3])
        return along

    def _cylinder(self, hinge: Hinge, axis: int) -> Cylinder | None:
        """How a barrel and a rod reach into each other, if the hinge is between two such bars."""
        barrel, rod = (self._along(end, axis) for end in hinge.ends)
        one, other = (self.at.at(end)[:, :3, axis] for end in hinge.ends)
        if barrel is None or rod is None or not np.allclose(one, other, atol=1e-9):
            return None
        return cylinder(self._way(hinge, axis), barrel, rod)

    def _along(self, end: End, axis: int) -> list[float] | None:
        """Where a bar's points, then its centre, are along an end's axis; none of other bodies."""
        body = None if end.body == GROUND else self.model.body(end.body)
        if not isinstance(body, Body):
            return None
        inverse = np.linalg.inv(self.at.at(end)[0]) @ self.at.frame(end.body)[0]
        spots = [*self._outline(body), self._spot(body.centre)]
        places = np.array([(inverse @ [*x.place, 1.0])[:3] for x in spots])
        beside = np.delete(places, axis, axis=1)
        return None if np.abs(beside).max() > 1e-6 * self.size else places[:, axis].tolist()

    def _tube(self, hinge: Hinge, axis: int, found: Cylinder) -> None:
        """A barrel as a tube, and the rod that comes out of it."""
        barrel, rod = hinge.ends
        unit, half = np.eye(3)[axis], BORE * self.size * np.eye(3)[(axis + 1) % 2]
        corners = [0 * unit - half, found.barrel * unit - half, found.barrel * unit + half, half]
        tube = [self._at(barrel, corner) for corner in corners]
        self._stroke("link", rod.body, [self._at(rod), self._at(rod, found.rod * unit)])
        self._stroke("plate", barrel.body, tube, closed=True)
        self.hinges[hinge.name] = self._at(barrel, found.barrel * unit)

    def _guide(self, hinge: Hinge, axis: int) -> int:
        """The line along which a child slides, as long as it needs; a vertex farther along it."""
        way, pad = self._way(hinge, axis), 1.5 * AXIS * self.size
        reach = (min(way.min(), 0.0) - pad, max(way.max(), 0.0) + pad)
        ends = [self._at(hinge.ends[0], x * np.eye(3)[axis]) for x in reach]
        self._stroke("axis", hinge.name, ends)
        return ends[1]

    def _wheel(self, hinge: Hinge) -> None:
        """A pinion, with a spoke, and its rack."""
        parent, child = hinge.ends
        radius = self.model.value(hinge.radius)
        turns = np.linspace(0.0, 2 * np.pi, CORNERS, endpoint=False)
        rim = [(radius * np.cos(x), radius * np.sin(x), 0.0) for x in turns]
        self._stroke("wheel", hinge.name, [self._at(child, x) for x in rim], closed=True)
        self._stroke("wheel", hinge.name, [self._at(child, x) for x in ((0.0,) * 3, rim[0])])
        way = self._way(hinge, 0)
        reach = (way.min() - 2 * abs(radius), way.max() + 2 * abs(radius))
        self._stroke("axis", hinge.name, [self._at(parent, (x, radius, 0.0)) for x in reach])

    def _line(self, force: Force) -> None:
        """A spring between two points, or a thin line for what only pulls; attraction has none."""
        drawn = force.stiffness, force.potential, force.damping, force.law
        if len(force.ends) == 2 and any(x != 0 for x in drawn):
            ends = [self._end(end) for end in force.ends]
            if any(x != 0 for x in drawn[:2]):
                self._spring(force.name, *ends)
            else:
                self._stroke("axis", force.name, ends)
            self.strokes[-1] = replace(self.strokes[-1], between=True)

    def _end(self, end: End) -> int:
        """A new vertex at an end, which may be a centre of mass."""
        body = None if end.point else self.model.body(end.body)
        if isinstance(body, Body):
            return self._fixed(Anchor(end.body, self._spot(body.centre).exact))
        return self._at(end)

    def _spring(self, owner: str, first: int, last: int) -> None:
        """A zigzag between two vertices."""
        start, end = self.tracks[first], self.tracks[last]
        across = np.zeros_like(start)
        across[:, 0], across[:, 1] = -(end - start)[:, 1], (end - start)[:, 0]
        length = np.linalg.norm(across, axis=1, keepdims=True)
        flat = np.where(length > 0, across / np.where(length > 0, length, 1.0), [[1.0, 0, 0]])
        parts = np.linspace(0.15, 0.85, 2 * TURNS)
        offsets = [COIL * self.size * (1.0 if k % 2 else -1.0) for k in range(2 * TURNS)]
        inner = [
            self._vertex(start + part * (end - start) + offset * flat)
            for part, offset in zip(parts, offsets, strict=True)
        ]
        self._stroke("spring", owner, [first, *inner, last])


#: The sign of each kind that has one of its own; "" has none.
_MARKS = {"ball": "ball", "fixed": "weld", "free": "", "elastic": ""}

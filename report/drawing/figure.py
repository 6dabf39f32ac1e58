"""A mechanism as strokes and marks between vertices that move: for a picture, and for a film.

What is the same of both is said once: a body is the lines between its points, or its outline, a
beam its bent axis, a hinge what its kind lets move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...model import GROUND, Beam, Body, Hinge
from ...model.hinge_kinds import ANGLE, HINGE_KINDS, LENGTH, HingeKind
from ...model.quantities import Quantity
from .places import Floats, Places

#: Of bodies without size, and of marks that have one: parts of the mechanism's.
BOX, AXIS, COIL = 0.028, 0.06, 0.022

#: Sections of a beam, corners of a wheel, turns of a spring.
SECTIONS, CORNERS, TURNS = 17, 24, 5


@dataclass(frozen=True)
class Stroke:
    """A line through vertices. `role`: link, plate, beam, axis, spring, wheel."""

    role: str
    vertices: tuple[int, ...]
    owner: str
    closed: bool = False


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


@dataclass(eq=False)
class Figure:
    """A mechanism at some times.

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
    bodies: dict[str, tuple[int, ...]] = field(default_factory=dict)
    hinges: dict[str, int] = field(default_factory=dict)


def figure(at: Places) -> Figure:
    """The figure of a mechanism in the given states."""
    return _Drawn(at).figure()


class _Drawn:
    def __init__(self, at: Places) -> None:
        self.at = at
        self.model = at.model
        self.tracks: list[Floats] = []
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
        vertices = np.stack(self.tracks, axis=1)
        return Figure(
            self.model.dimension,
            self.at.times,
            vertices,
            tuple(self.strokes),
            tuple(self.marks),
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
                local = [*self._outline(body), self._centre(body)]
                found += [(self.at.frame(body.name)[0] @ [*x, 1.0])[:3] for x in local]
        places = np.array(found)
        return float(np.linalg.norm(places.max(axis=0) - places.min(axis=0))) or 1.0

    # Vertices

    def _vertex(self, track: Floats) -> int:
        """A new vertex of these places, (T, 3)."""
        self.tracks.append(track)
        return len(self.tracks) - 1

    def _fixed(self, frame: Floats, local: Sequence[float] | Floats) -> int:
        """A vertex fixed in a frame."""
        return self._vertex((frame @ np.array([*local, 1.0]))[:, :3])

    def _stroke(self, role: str, owner: str, vertices: Sequence[int], closed: bool = False) -> None:
        self.strokes.append(Stroke(role, tuple(vertices), owner, closed))

    # Bodies

    def _local(self, position: Sequence[Quantity]) -> Floats:
        found = np.zeros(3)
        found[: len(position)] = [self.model.value(x) for x in position]
        return found

    def _centre(self, body: Body) -> Floats:
        return self._local(body.centre)

    def _outline(self, body: Body) -> list[Floats]:
        """The body's points where they differ, in its own axes."""
        found: list[Floats] = []
        for point in body.points:
            place = self._local(point.position)
            if not any(np.allclose(place, other, atol=1e-12) for other in found):
                found.append(place)
        return found

    def _body(self, body: Body) -> None:
        """Lines between a body's points and its centre of mass; an outline if there are several."""
        frame, points, centre = self.at.frame(body.name), self._outline(body), self._centre(body)
        small = 1e-6 * self.size
        away = [x for x in points if np.linalg.norm(x - centre) > small]
        middle = self._fixed(frame, centre)
        if not away:
            corners = self._box(frame, centre, body.name)
        else:
            corners = tuple(self._fixed(frame, x) for x in self._around(points, centre, small))
            closed = len(corners) > 2
            self._stroke("plate" if closed else "link", body.name, corners, closed)
            if not closed and not self._on_line(points, centre, small) and len(corners) > 1:
                self._stroke("link", body.name, (corners[0], middle, corners[1]))
        self.marks.append(Mark("centre", middle, body.name))
        self.bodies[body.name] = (*corners, middle)

    def _around(self, points: list[Floats], centre: Floats, small: float) -> list[Floats]:
        """The corners of a body's outline, in order; of a bar its two ends."""
        if len(points) == 1:
            return [points[0], centre]
        line = points if self._on_line(points, centre, small) else [*points, centre]
        if self._on_line(line, line[0], small):
            reach = max(line, key=lambda x: float(np.linalg.norm(x - line[0])))
            along = reach - line[0]
            ordered = sorted(line, key=lambda x: float(along @ (x - line[0])))
            return [ordered[0], ordered[-1]]
        if self.model.dimension == 2:
            return _hull(line)
        return _ringed(line)

    def _on_line(self, points: list[Floats], centre: Floats, small: float) -> bool:
        spread = np.array([*points, centre]) - np.mean([*points, centre], axis=0)
        return bool(np.linalg.svd(spread, compute_uv=False)[1] <= small)

    def _box(self, frame: Floats, centre: Floats, owner: str) -> tuple[int, ...]:
        """Of a body whose points are all at its centre: a square, or a cube."""
        half = BOX * self.size
        square = [(-half, -half), (half, -half), (half, half), (-half, half)]
        faces = []
        for z in (0.0,) if self.model.dimension == 2 else (-half, half):
            faces.append([self._fixed(frame, centre + np.array([x, y, z])) for x, y in square])
            self._stroke("plate", owner, faces[-1], closed=True)
        for edge in zip(*faces, strict=True) if len(faces) > 1 else ():
            self._stroke("link", owner, edge)
        return tuple(v for face in faces for v in face)

    def _beam(self, beam: Beam) -> None:
        xs = np.linspace(0.0, self.model.value(beam.length), SECTIONS)
        along = self.at.along(beam, xs)
        vertices = tuple(self._vertex(along[:, k]) for k in range(SECTIONS))
        self._stroke("beam", beam.name, vertices)
        self.bodies[beam.name] = vertices

    # Hinges

    def _hinge(self, hinge: Hinge) -> None:
        """What a hinge lets move: axes, guides, springs, and a sign where it is."""
        kind = HINGE_KINDS[self.model.dimension][hinge.kind]
        parent, child = (self.at.at(end) for end in hinge.ends)
        here = self._vertex(child[:, :3, 3])
        self.hinges[hinge.name] = here
        beside = -1
        if kind.sprung:
            self._spring(hinge.name, parent[:, :3, 3], child[:, :3, 3])
        elif kind.name == "rack":
            self._wheel(hinge, parent, child)
        elif LENGTH in kind.slots and not kind.has_quaternion and kind.slots.count(LENGTH) == 1:
            beside = self._guide(hinge.name, kind, parent, child)
        elif self.model.dimension == 3 and ANGLE in kind.slots and LENGTH not in kind.slots:
            self._axis(hinge.name, child, self.size * AXIS)
        role = "slide" if beside >= 0 else _MARKS.get(kind.name, "pin")
        if role:
            self.marks.append(Mark(role, here, hinge.name, beside))
        for frame, end in zip((parent, child), hinge.ends, strict=True):
            if end.body == GROUND and kind.boundary != "free":
                vertex = self._vertex(frame[:, :3, 3])
                self.marks.append(Mark("ground", vertex, hinge.name))

    def _guide(self, owner: str, kind: HingeKind, parent: Floats, child: Floats) -> int:
        """The line along which a child slides, as long as it needs; a vertex farther along it."""
        axis = parent[:, :3, next(k for k, x in enumerate(kind.position) if x != 0)]
        start = parent[:, :3, 3]
        way = np.einsum("ti,ti->t", axis, child[:, :3, 3] - start)
        pad = 1.5 * AXIS * self.size
        low, high = min(way.min(), 0.0) - pad, max(way.max(), 0.0) + pad
        ends = [self._vertex(start + reach * axis) for reach in (low, high)]
        self._stroke("axis", owner, ends)
        return ends[1]

    def _axis(self, owner: str, child: Floats, reach: float) -> None:
        place, axis = child[:, :3, 3], child[:, :3, 2]
        ends = [self._vertex(place + side * reach * axis) for side in (-1.0, 1.0)]
        self._stroke("axis", owner, ends)

    def _wheel(self, hinge: Hinge, parent: Floats, child: Floats) -> None:
        """A pinion, with a spoke, and its rack."""
        radius = self.model.value(hinge.radius)
        turns = np.linspace(0.0, 2 * np.pi, CORNERS, endpoint=False)
        rim = [(radius * np.cos(x), radius * np.sin(x), 0.0) for x in turns]
        self._stroke("wheel", hinge.name, [self._fixed(child, x) for x in rim], closed=True)
        self._stroke("wheel", hinge.name, [self._fixed(child, x) for x in ((0.0,) * 3, rim[0])])
        way = np.einsum("ti,ti->t", parent[:, :3, 0], child[:, :3, 3] - parent[:, :3, 3])
        reach = (way.min() - 2 * abs(radius), way.max() + 2 * abs(radius))
        self._stroke("axis", hinge.name, [self._fixed(parent, (x, radius, 0.0)) for x in reach])

    def _spring(self, owner: str, start: Floats, end: Floats) -> None:
        """A zigzag between two places."""
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
        self._stroke("spring", owner, [self._vertex(start), *inner, self._vertex(end)])


#: The sign of each kind that has one of its own; "" has none.
_MARKS = {"ball": "ball", "fixed": "weld", "free": "", "elastic": ""}


def _hull(points: list[Floats]) -> list[Floats]:
    """The convex hull of places in the plane, around (Andrew 1979)."""
    ordered = sorted(points, key=lambda x: (x[0], x[1]))

    def half(places: list[Floats]) -> list[Floats]:
        found: list[Floats] = []
        for x in places:
            while len(found) > 1 and _turn(found[-2], found[-1], x) <= 0:
                found.pop()
            found.append(x)
        return found[:-1]

    return half(ordered) + half(ordered[::-1])


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _ringed(points: list[Floats]) -> list[Floats]:
    """Places in space in the order around their middle, in the plane nearest to them."""
    spread = np.array(points) - np.mean(points, axis=0)
    _, _, axes = np.linalg.svd(spread)
    angles = np.arctan2(spread @ axes[1], spread @ axes[0])
    return [points[k] for k in np.argsort(angles, kind="stable")]

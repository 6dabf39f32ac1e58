"""The mechanism in its start pose: bodies to scale, signs for hinges and the ground, names."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from ...model import End, Model
from .acting import ARROW, Acting, Projection, acting
from .figure import Figure, Mark, Stroke, figure
from .places import Floats, Places, start
from .scene import LOOKS, Anchor, Box, Circle, Group, Line, Place, Scene, Shape, Text, box, framed

#: The widest and the tallest drawing, without names at its border: as large as pages show it.
WIDEST, TALLEST = 520.0, 340.0
#: Names are written as long as there are no more bodies.
MOST_NAMES = 40
#: Half a slide's length and height, a ground's width, a ball's radius.
SLIDE, WALL, BALL = (9.0, 5.0), 13.0, 6.5
#: How long the axes of a point are.
AXIS = 22.0
#: Where space is seen from, in degrees around and above.
AROUND, ABOVE = 32.0, 20.0

#: The look of each stroke.
_ROLES = {
    "link": "link",
    "plate": "plate",
    "beam": "link",
    "axis": "axis",
    "spring": "spring",
    "wheel": "stub",
}


def mechanism(model: Model, at: Places | None = None, axes: bool = False) -> Scene:
    """The mechanism in its start pose, its loops closed, or in another state.

    Space is seen from above the horizon. `axes`: at every point of a body its own axes.

    Raises
        NumericsError: the loops cannot be closed.
    """
    title = f"{model.name} {'at its start' if at is None else 'in this state'}"
    at = start(model) if at is None else at
    found = figure(at)
    view = view_of(model)
    flat = found.vertices[0] @ view.T
    low, high = flat.min(axis=0), flat.max(axis=0)
    wide, tall = (float(x) for x in high - low)
    scale = WIDEST / (max(wide, tall * WIDEST / TALLEST) or 1.0)

    def seen(place: Floats) -> Place:
        x, y = place @ view.T
        return float(x - low[0]) * scale, float(high[1] - y) * scale

    signs = [*acting(at, Projection(seen, view), (-2 * ARROW, tall * scale / 2))]
    own = [*_of_points(at, seen, AXIS / scale)] if axes else []
    drawn = _Drawn(found, [*map(seen, found.vertices[0])])
    for group in own:  # names keep clear of them
        drawn._note(group.shapes)
    groups = [*drawn.groups(signs), *own]
    if model.dimension == 3:
        groups.append(_triad(view, groups))
    return framed(title, groups)


def view_of(model: Model) -> Floats:
    """The rows along which the picture's right and up are seen, (2, 3): up is against gravity."""
    if model.dimension == 2:
        return np.eye(3)[:2]
    gravity = np.array([model.value(x) for x in model.gravity])
    weight = float(np.linalg.norm(gravity))
    up = -gravity / weight if weight else np.array([0.0, 0.0, 1.0])
    front = np.eye(3)[int(np.argmin(np.abs(up)))]
    front = front - (front @ up) * up
    front /= np.linalg.norm(front)
    side = np.cross(up, front)
    around, above = math.radians(AROUND), math.radians(ABOVE)
    right = -math.sin(around) * front + math.cos(around) * side
    towards = math.cos(around) * front + math.sin(around) * side
    return np.array([right, math.cos(above) * up - math.sin(above) * towards])


class _Drawn:
    def __init__(self, found: Figure, places: Sequence[Place]) -> None:
        self.found = found
        self.places = places
        self.middle = sum(y for _, y in places) / len(places)
        self.taken: list[Box] = []
        self.dots: list[Place] = []

    def groups(self, signs: Sequence[Acting]) -> Iterator[Group]:
        """Bodies, hinges with their signs, forces, what acts; names where there is room."""
        owned: dict[str, list[Shape]] = {}
        hinged: dict[str, list[Shape]] = {}
        pulled: dict[str, list[Shape]] = {}
        for stroke in self.found.strokes:
            of = owned if stroke.owner in self.found.bodies and self._is_body(stroke) else hinged
            of = pulled if stroke.between else of
            of.setdefault(stroke.owner, []).append(self._line(stroke))
        for mark in self.found.marks:
            of = owned if mark.role == "centre" else hinged
            of.setdefault(mark.owner, []).extend(self._sign(mark))
        acting = [sign.shapes for sign in signs]
        for shapes in (*owned.values(), *hinged.values(), *pulled.values(), *acting):
            self._note(shapes)
        if len(owned) <= MOST_NAMES:
            self._name(owned, hinged)
        for kind, shown in (("body", owned), ("hinge", hinged), ("force", pulled)):
            for name, shapes in shown.items():
                yield Group(kind, name, f"{kind} {name}", tuple(shapes))
        for sign in signs:
            role = "kind" if sign.kind == "angle" else "act label"
            label = self._written(sign.label, role, sign.beside) if sign.label else []
            yield Group(sign.kind, sign.name, sign.title, (*sign.shapes, *label))

    def _is_body(self, stroke: Stroke) -> bool:
        return stroke.role in ("link", "plate", "beam")

    def _line(self, stroke: Stroke) -> Line:
        points = tuple(self.places[k] for k in stroke.vertices)
        return Line(points, _ROLES[stroke.role], closed=stroke.closed)

    def _sign(self, mark: Mark) -> Iterator[Shape]:
        x, y = self.places[mark.vertex]
        if mark.role == "centre":
            yield Circle(x, y, 2.6, "stub")
        elif mark.role == "pin":
            yield Circle(x, y, 3.6, "hinge")
        elif mark.role == "ball":
            yield Circle(x, y, BALL, "stub")
            yield Circle(x, y, 3.0, "hinge")
        elif mark.role == "weld":
            yield _square(x, y, 3.5, 3.5, 0.0, "hinge")
        elif mark.role == "slide":
            bx, by = self.places[mark.beside]
            yield _square(x, y, *SLIDE, math.atan2(by - y, bx - x), "slide")
        elif mark.role == "ground":
            yield from _wall(x, y, 1.0 if y >= self.middle else -1.0)

    # Names

    def _note(self, shapes: Sequence[Shape]) -> None:
        """Remember where is no room."""
        for shape in shapes:
            if isinstance(shape, Line):
                points = [*shape.points, shape.points[0]] if shape.closed else shape.points
                for (x0, y0), (x1, y1) in pairwise(points):
                    steps = max(1, int(math.hypot(x1 - x0, y1 - y0) / 4))
                    parts = [k / steps for k in range(steps + 1)]
                    self.dots += [(x0 + p * (x1 - x0), y0 + p * (y1 - y0)) for p in parts]
            else:
                self.taken.append(box(shape))

    def _name(self, owned: dict[str, list[Shape]], hinged: dict[str, list[Shape]]) -> None:
        for name, vertices in self.found.bodies.items():
            xs, ys = zip(*(self.places[k] for k in vertices), strict=True)
            middle = (sum(xs) / len(xs), sum(ys) / len(ys))
            owned[name] += self._written(name, "name", middle)
        for name, vertex in self.found.hinges.items():
            hinged.setdefault(name, []).extend(self._written(name, "point", self.places[vertex]))

    def _written(self, name: str, role: str, beside: Place) -> list[Shape]:
        """The name at the nearest free place around; nothing if there is none."""
        for distance in (12.0, 18.0, 26.0, 36.0, 48.0):
            for turn in (-45, 45, -135, 135, 0, 180, -90, 90):
                dx = distance * math.cos(math.radians(turn))
                dy = distance * math.sin(math.radians(turn))
                anchor: Anchor = "start" if dx > 1 else "end" if dx < -1 else "middle"
                text = Text(beside[0] + dx, beside[1] + dy, name, role, anchor)
                if self._is_free(box(text)):
                    self.taken.append(box(text))
                    return [text]
        return []

    def _is_free(self, at: Box) -> bool:
        left, top, right, bottom = at
        if any(left < x < right and top < y < bottom for x, y in self.dots):
            return False
        return not any(
            left < b[2] and b[0] < right and top < b[3] and b[1] < bottom for b in self.taken
        )


def _square(x: float, y: float, half: float, height: float, turn: float, role: str) -> Line:
    c, s = math.cos(turn), math.sin(turn)
    corners = ((-half, -height), (half, -height), (half, height), (-half, height))
    return Line(
        tuple((x + c * a - s * b, y + s * a + c * b) for a, b in corners), role, closed=True
    )


def _wall(x: float, y: float, side: float) -> Iterator[Shape]:
    """A support on the side away from the mechanism: below (1) or above (-1)."""
    base = y + side * 11
    yield Line(((x, y), (x - 7, base), (x + 7, base)), "stub", closed=True)
    yield Line(((x - WALL, base), (x + WALL, base)), "ground")
    for dx in (-9.0, -2.0, 5.0, 12.0):
        yield Line(((x + dx, base), (x + dx - 5, base + side * 6)), "hatch")


def _of_points(at: Places, seen: Callable[[Floats], Place], length: float) -> Iterator[Group]:
    """The axes of every point of every body, arrows of this length in m with their names."""
    directions = "xyz"[: at.model.dimension]
    for body in at.model.bodies:
        for point in body.points:
            frame = at.at(End(body.name, point.name))[0]
            start, shapes = seen(frame[:3, 3]), list[Shape]()
            for k, name in enumerate(directions):
                x, y = seen(frame[:3, 3] + length * frame[:3, k])
                shapes.append(Line((start, (x, y)), "place axis", arrow=True))
                away = 1.0 + 7.0 / (math.hypot(x - start[0], y - start[1]) or 1.0)
                dx, dy = away * (x - start[0]), away * (y - start[1])
                shapes.append(Text(start[0] + dx, start[1] + dy, name, "kind"))
            end = f"{body.name}:{point.name}"
            yield Group("axes", end, f"the axes of {end}", tuple(shapes))


def _triad(view: Floats, groups: Sequence[Group]) -> Group:
    """The inertial axes, below the mechanism on the left."""
    boxes = [box(shape) for group in groups for shape in group.shapes]
    x, y = min(b[0] for b in boxes) + 30, max(b[3] for b in boxes) + 56
    shapes: list[Shape] = []
    for axis, name in enumerate("xyz"):
        dx, dy = 30 * view[0, axis], -30 * view[1, axis]
        shapes.append(Line(((x, y), (x + dx, y + dy)), "stub", arrow=True))
        length = math.hypot(dx, dy) or 1.0
        away = 1 + LOOKS["kind"].size * 0.8 / length
        shapes.append(Text(x + away * dx, y + away * dy, name, "kind"))
    return Group("axes", "inertial", "the inertial axes", tuple(shapes))

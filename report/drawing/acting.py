"""What acts on a mechanism and in its hinges, as signs of one size: loads, springs, drives, weight.

Of the plane also the angles of pins. A sign says that there is something, and which way; how much
it is stands in the tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import sympy as sp

from ...model import GROUND, Body, End, Hinge
from ...model.expressions.evaluation import evaluated
from ...model.expressions.quantities import TIME, Quantity, exact_expression, parameter
from ...model.parts.hinge_kinds import ANGLE, HINGE_KINDS, LENGTH
from ...model.parts.hinges import OWN
from .places import Floats, Places
from .scene import Line, Place, Shape

#: The length of a load's arrow, and the radii of a moment's, a spring's, a damper's, a drive's
#: and an angle's arcs.
ARROW, MOMENT, COIL, DAMPER, DRIVE, ANGLED = 38.0, 15.0, 12.0, 15.5, 18.5, 30.0
#: What is in hinges is shown as long as there are no more.
MOST = 40
#: Angles below this, in rad, are not drawn.
SMALL = 0.06


class Acting(NamedTuple):
    """A sign, what kind of thing it shows, its name and title, what is written of it and where."""

    kind: str
    name: str
    title: str
    shapes: tuple[Shape, ...]
    label: str
    beside: Place


class Projection(NamedTuple):
    """Where points of space and directions are in the picture, up being −y."""

    place: Callable[[Floats], Place]
    view: Floats

    def way(self, direction: Floats) -> Place | None:
        """A direction of length 1; none of what points to the reader."""
        x, y = self.view @ direction
        length = math.hypot(x, y)
        return (x / length, -y / length) if length > 0.1 * np.linalg.norm(direction) else None


def acting(at: Places, seen: Projection, side: Place) -> Iterator[Acting]:
    """All signs of a model in its first state, that of the weight at the `side` of the picture."""
    yield from (signs := _Acting(at, seen)).weight(side)
    yield from signs.loads()
    if len(at.model.hinges) <= MOST:
        for hinge in at.model.hinges:
            yield from signs.in_hinge(hinge)


class _Acting:
    def __init__(self, at: Places, seen: Projection) -> None:
        self.at, self.model, self.seen = at, at.model, seen
        settings = {**self.model.parameters} | {x.name: 1.0 for x in self.model.inputs}
        known = {parameter(x): Fraction(y) for x, y in settings.items()}
        known |= {parameter(x): Fraction(0) for x in self.model.speeds}
        places = zip(self.model.coordinates, at.q[0].tolist(), strict=False)
        known |= {parameter(x): Fraction(y) for x, y in places}
        self.known = {**known, TIME: Fraction(float(at.times[0]))}

    def _number(self, quantity: Quantity) -> float:
        """Its value in this state, all inputs and sensors being 1 and all speeds 0."""
        expression = exact_expression(quantity)
        values = dict.fromkeys(expression.free_symbols, Fraction(1)) | self.known
        return float(evaluated(expression, values) or 0)

    def _vector(self, parts: Sequence[Quantity]) -> Floats:
        found = np.zeros(3)
        found[: len(parts)] = [self._number(x) for x in parts]
        return found

    # Weight and loads

    def weight(self, side: Place) -> Iterator[Acting]:
        """The direction of weight."""
        if (way := self.seen.way(self._vector(self.model.gravity))) is not None:
            yield self._arrow("weight", "gravity", "the direction of weight", side, way, "g")

    def _arrow(
        self, kind: str, name: str, title: str, begin: Place, way: Place, label: str
    ) -> Acting:
        end = (begin[0] + ARROW * way[0], begin[1] + ARROW * way[1])
        return Acting(kind, name, title, (Line((begin, end), "act", arrow=True),), label, end)

    def loads(self) -> Iterator[Acting]:
        for load in self.model.loads:
            frame = self._frame(End(load.body, load.point))
            axes = self.at.frame(load.body)[0, :3, :3] if load.frame == "body" else np.eye(3)
            here, title = self.seen.place(frame[:3, 3]), f"load {load.name}"
            if (way := self.seen.way(axes @ self._vector(load.force))) is not None:
                yield self._arrow("load", load.name, title, here, way, load.name)
            turn = self._vector(load.moment) if self.model.dimension == 3 else np.zeros(3)
            if self.model.dimension == 2 and load.moment:
                turn[2] = self._number(load.moment[0])
            if turn.any():
                side = math.copysign(1.0, np.cross(*self.seen.view) @ axes @ turn)
                arc = _arc(here, MOMENT, -0.6 * side, 4.2 * side)
                shapes = (Line(arc, "act", arrow=True),)
                yield Acting("load", load.name, f"{title}: moment", shapes, load.name, arc[-1])

    def _frame(self, end: End) -> Floats:
        """The frame of a point; without one, that of the centre of mass."""
        if end.point:
            placed: Floats = self.at.at(end)[0]
            return placed
        body, found = self.model.body(end.body), np.array(self.at.frame(end.body)[0])
        if isinstance(body, Body):
            found[:3, 3] = (found @ [*self._vector(body.centre), 1.0])[:3]
        return found

    # Hinges

    def in_hinge(self, hinge: Hinge) -> Iterator[Acting]:
        """Springs, dampers and drives of hinges with one coordinate, and the angles of pins."""
        kind = HINGE_KINDS[self.model.dimension][hinge.kind]
        parent, child = (self.at.at(end)[0] for end in hinge.ends)
        here = self.seen.place(child[:3, 3])
        if kind.slots == (ANGLE,):
            for word, radius, turns, role in self._within(hinge):
                title = f"{word} in {hinge.name}"
                arc = _arc(here, radius, 0.5, 0.5 + turns) if turns else _spiral(here, radius)
                shape = Line(arc, role, arrow=word == "drive")
                yield Acting(word, hinge.name, title, (shape,), "", here)
            if self.model.dimension == 2:
                yield from self._angle(hinge, here)
        elif kind.slots == (LENGTH,):
            axis = next(k for k, x in enumerate(kind.position) if x != 0)
            if (way := self.seen.way(parent[:3, axis])) is None:
                return
            for step, (word, *_) in enumerate(self._within(hinge), start=1):
                across = (-way[1] * 11.0 * step, way[0] * 11.0 * step)
                begin = (here[0] + across[0], here[1] + across[1])
                shapes = tuple(_SLIDING[word](begin, way))
                yield Acting(word, hinge.name, f"{word} in {hinge.name}", shapes, "", begin)

    def _within(self, hinge: Hinge) -> Iterator[tuple[str, float, float, str]]:
        """What is in a hinge, with the radius, the turn and the look of its sign about a pin."""
        law = _symbols(hinge.force)
        if hinge.potential != 0 or any(x.startswith("q") and OWN.fullmatch(x) for x in law):
            yield "spring", COIL, 0.0, "spring"
        if any(x.startswith("u") and OWN.fullmatch(x) for x in law):
            yield "damper", DAMPER, 2.6, "damper"
        settings = {*self.model.parameters} - {x.name for x in self.model.inputs}
        others = {x for x in law if not OWN.fullmatch(x)} - settings
        constant = hinge.force and not law and any(exact_expression(x) != 0 for x in hinge.force)
        if hinge.motion or others or constant:
            yield "drive", DRIVE, 4.4, "act"

    def _angle(self, hinge: Hinge, here: Place) -> Iterator[Acting]:
        """From where the child would be at the coordinate's zero to where it is."""
        names = self.model.hinge_coordinates(hinge)
        body = hinge.ends[1].body
        if not names or names[0] not in self.model.coordinates or body == GROUND:
            return
        value = float(self.at.q[0, self.model.coordinates.index(names[0])])
        x, y = self.seen.place(self._frame(End(body, ""))[:3, 3])
        reach = math.hypot(x - here[0], y - here[1])
        turn = math.remainder(value, 2 * math.pi)
        if reach < ANGLED or abs(turn) < SMALL:
            return
        now = math.atan2(here[1] - y, x - here[0])
        rest = now - turn
        edge = (here[0] + reach * math.cos(rest), here[1] - reach * math.sin(rest))
        arc = _arc(here, ANGLED, rest, now)
        shapes = Line((here, edge), "axis"), Line(arc, "angle", arrow=True)
        yield Acting("angle", names[0], f"angle {names[0]}", shapes, names[0], arc[len(arc) // 2])


def _symbols(laws: Iterable[Quantity]) -> set[str]:
    return {x.name for law in laws for x in sp.sympify(exact_expression(law)).free_symbols}


def _arc(middle: Place, radius: float, begin: float, end: float) -> tuple[Place, ...]:
    """Counter-clockwise from one angle to another."""
    count = max(3, int(abs(end - begin) * radius / 3))
    angles = [begin + (end - begin) * k / count for k in range(count + 1)]
    return tuple(
        (middle[0] + radius * math.cos(a), middle[1] - radius * math.sin(a)) for a in angles
    )


def _spiral(middle: Place, radius: float) -> tuple[Place, ...]:
    angles = np.linspace(0.0, 4.5 * math.pi, 40)
    radii = np.linspace(4.0, radius, 40)
    xs, ys = middle[0] + radii * np.cos(angles), middle[1] - radii * np.sin(angles)
    return tuple(zip(xs.tolist(), ys.tolist(), strict=True))


def _along(begin: Place, way: Place, *places: tuple[float, float]) -> tuple[Place, ...]:
    """Places so far along a direction, and so far to its left."""
    return tuple(
        (begin[0] + a * way[0] + b * way[1], begin[1] + a * way[1] - b * way[0]) for a, b in places
    )


def _coil(begin: Place, way: Place) -> Iterator[Shape]:
    teeth = [(-13.0 + 4.0 * k, 4.0 if k % 2 else -4.0) for k in range(1, 7)]
    yield Line(_along(begin, way, (-20, 0), (-13, 0), *teeth, (15, 0), (20, 0)), "spring")


def _dashpot(begin: Place, way: Place) -> Iterator[Shape]:
    yield Line(_along(begin, way, (-20, 0), (-8, 0)), "damper")
    yield Line(_along(begin, way, (8, 5), (-8, 5), (-8, -5), (8, -5)), "damper")
    yield Line(_along(begin, way, (1, 4), (1, -4)), "damper")
    yield Line(_along(begin, way, (1, 0), (20, 0)), "damper")


def _drive(begin: Place, way: Place) -> Iterator[Shape]:
    yield Line(_along(begin, way, (-18, 0), (18, 0)), "act", arrow=True)


#: The signs of what is in a slider.
_SLIDING: Mapping[str, Callable[[Place, Place], Iterator[Shape]]] = {
    "spring": _coil,
    "damper": _dashpot,
    "drive": _drive,
}

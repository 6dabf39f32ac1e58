"""Forces between points on pages: their table, and what they exert from poses alone, as a judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import mpmath
import sympy as sp

from ..model import GROUND, Body, End, Force, Model
from ..model.expressions.quantities import TIME, Quantity, exact_expression, parameter
from ..model.parts.forces import LENGTH, RATE
from ..symbolic.mechanics.laws import DISTANCE, STRETCHING, settled, tension
from .documents.document import Block, Cell, Table, Typed, some

#: A matrix of mpmath.
Vector = Any
#: A body's axes and origin.
Pose = tuple[Vector, Vector]


class Numbers(Protocol):
    """Quantities of a model as numbers."""

    model: Model
    t: Any

    def number(self, quantity: Any, more: Mapping[Any, Any] | None = None) -> Any:
        """A quantity, symbols besides the parameters and the time given."""

    def column(self, values: Sequence[Any]) -> Vector:
        """A vector in space of two or three numbers, or none."""

    def body(self, name: str) -> Body:
        """The rigid body of this name."""


class Pushes:
    """The forces at an instant: poses then, a step `h` ahead and a step behind."""

    def __init__(
        self, of: Numbers, state: Mapping[str, Any], poses: Sequence[Mapping[str, Pose]], h: Any
    ) -> None:
        self.of, self.h = of, h
        self.poses = [
            {**bodies, GROUND: self._ground(of.t + step)}
            for bodies, step in zip(poses, (0, h, -h), strict=True)
        ]
        self.state = {parameter(name): x for name, x in state.items()}
        for sensor in of.model.sensors:
            at = [self._motion(end) for end in sensor.ends]
            gap, rate = at[-1] if len(at) == 1 else (at[1][k] - at[0][k] for k in (0, 1))
            n = of.column(sensor.along) if sensor.along else gap / mpmath.norm(gap)
            self.state[parameter(sensor.name)] = mpmath.fdot(n, gap)
            self.state[parameter(sensor.rate)] = mpmath.fdot(n, rate)

    def found(self) -> Iterator[tuple[str, Vector, Vector]]:
        """Body, place in its axes and force in inertial ones, of all that act on bodies."""
        for force in self.of.model.forces:
            if len(force.ends) == 1:
                yield force.ends[0].body, self._place(force.ends[0]), self._dragged(force)
                continue
            pull = self._pull(force)
            for end, sign in zip(force.ends, (1, -1), strict=True):
                if end.body != GROUND:
                    yield end.body, self._place(end), sign * pull

    def _dragged(self, force: Force) -> Vector:
        slip = self._motion(force.ends[0])[1] - self.of.column(force.medium)
        factor = self.of.number(force.quadratic) * mpmath.norm(slip)
        return -(self.of.number(force.drag) + factor) * slip

    def _pull(self, force: Force) -> Vector:
        """The tension along the line from the first end to the second."""
        number, (first, second) = self.of.number, map(self._motion, force.ends)
        line = second[0] - first[0]
        length = mpmath.norm(line)
        rate = mpmath.fdot(line, second[1] - first[1]) / length
        own = {**self.state, LENGTH: length, RATE: rate}
        tension = number(force.stiffness) * (length - number(force.rest))
        tension += number(force.damping) * rate + number(force.law, own)
        tension += number(exact_expression(force.potential).diff(LENGTH), own)
        if force.mu != 0:
            mass = number(self.of.body(force.ends[1].body).mass)
            tension += number(force.mu) * mass / length**2
        return tension * line / length

    def _motion(self, end: End) -> tuple[Vector, Vector]:
        """Where an end is and how fast it moves."""
        place = self._place(end)
        here, there, back = (x[end.body][1] + x[end.body][0] * place for x in self.poses)
        return here, (there - back) / (2 * self.h)

    def _place(self, end: End) -> Vector:
        """An end in its body's axes, or the ground's."""
        if end.body == GROUND:
            return self.of.column(self.of.model.ground_point(end.point).position)
        body = self.of.body(end.body)
        return self.of.column(body.point(end.point).position if end.point else body.centre)

    def _ground(self, t: Any) -> Pose:
        base, turned = self.of.model.base, mpmath.eye(3)
        if base is None:
            return turned, mpmath.zeros(3, 1)
        shift = mpmath.matrix(3, 1)
        for k, law in enumerate(base.position):
            shift[k] = self.of.number(law, {TIME: t})
        axes = (2,) if self.of.model.dimension == 2 else (0, 1, 2)
        for k, law in zip(axes, base.angles, strict=False):
            turned = _turn(k, self.of.number(law, {TIME: t})) * turned
        return turned, shift


def _turn(axis: int, angle: Any) -> Vector:
    """A turn about a fixed axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = mpmath.eye(3)
    R[i, i] = R[j, j] = mpmath.cos(angle)
    R[j, i] = mpmath.sin(angle)
    R[i, j] = -R[j, i]
    return R


# The table

#: The most rows of a table.
ROWS = 24


def between_points(model: Model) -> Iterator[Block]:
    """The tension of every line, and what drags points; nothing of a model without forces."""
    lines = [x for x in model.forces if len(x.ends) == 2]
    if lines:
        rows: list[tuple[Cell, ...]] = [(x.name, *_ends(x), _tension(model, x)) for x in lines]
        head = ("force", "from", "to", "tension, N: it draws the points together")
        yield Table(head, some(rows, ROWS))
    media = [x for x in model.forces if len(x.ends) == 1]
    if media:
        rows = [(x.name, *_ends(x), _typed(x.drag), _typed(x.quadratic)) for x in media]
        yield Table(("drag", "on", "drag, N s/m", "quadratic, N s²/m²"), some(rows, ROWS))


def _ends(force: Force) -> Iterator[str]:
    yield from (str(end).removesuffix(":") for end in force.ends)


def _tension(model: Model, force: Force) -> Typed:
    named = {DISTANCE: LENGTH, STRETCHING: RATE}
    return _typed(tension(model, force).xreplace(named))


def _typed(law: Quantity) -> Typed:
    found = sp.N(settled(law), 6)
    return Typed(f"{float(found):g}" if found.is_number else str(found))

"""How many digits the divide-and-conquer methods lose to long levers and heavy bodies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import sympy as sp

from ....model import Body, End, Model
from ...plans.plan import Plan, plan

#: What a unit of a body's mobility, times the inertia it is compared with, costs of an
#: acceleration, as measured.
COST = 5e-15

#: Costs up to here are left, dearer ones refined to below it; beyond `MOST` they are refused.
LEFT, MOST = 1e-10, 0.1

Rows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Cost:
    """The share of an acceleration that is lost, what no model may have so large, what takes it."""

    share: float
    cause: str
    instead: str = "riccati"


def costs(model: Model) -> Iterator[Cost]:
    """What long levers of the bodies cost, and what heavy bodies do that lighter ones hold.

    A free body's mobility at a handle that is L from its centre of mass is 1/m + L²/J, of which m
    keeps few digits where L²/J is large. It is added to that of what hangs on the body, which
    keeps few of its own where that is heavy. In a loop `riccati` loses it too, `overall` does not.
    """
    order = plan(model)
    used = {end for hinge in model.hinges for end in hinge.ends}
    bodies = {x.name: _Inertia.of(model, x, used) for x in model.bodies if isinstance(x, Body)}
    held = _held(order, bodies)
    for body in bodies.values():
        yield Cost(COST * body.slenderness, f"no levers as long as those of {body.name}")
        for other in held[body.name]:
            cause = f"no mass as large as that of {other.name} beyond {body.name}"
            yield Cost(COST * body.under(other), cause, "overall" if order.cuts else "riccati")


def refinements(model: Model) -> int:
    """How often motions are refined: none with ordinary levers and masses.

    By its cost an elimination errs, and so much less each time that what it leaves is solved for
    again.

    Source
        Own: the cost of an elimination, measured against 50 digits.
    """
    dearest = max((cost.share for cost in costs(model)), default=0.0)
    if dearest <= LEFT:
        return 0
    return math.ceil(math.log(1e-3 * LEFT) / math.log(dearest)) - 1


@dataclass(frozen=True)
class _Inertia:
    """A body in numbers: its mass, bounds of its inertia, the largest m L²/J and L² of a handle."""

    name: str
    mass: float
    least: float
    largest: float
    slenderness: float
    square: float

    @classmethod
    def of(cls, model: Model, body: Body, used: set[End]) -> _Inertia:
        mass, centre = model.value(body.mass), [model.value(x) for x in body.centre]
        rows = _rows(model, body)
        inverse = _inverse(rows)
        trace = sum(inverse[k][k] for k in range(len(inverse)))
        square = turned = 0.0
        for point in body.points:
            if End(body.name, point.name) in used:
                arm = [model.value(x) - c for x, c in zip(point.position, centre, strict=True)]
                length = sum(x * x for x in arm)
                along = _form(inverse, arm) if len(inverse) == len(arm) else 0.0
                square, turned = max(square, length), max(turned, length * trace - along)
        largest = sum(rows[k][k] for k in range(len(rows)))
        return cls(body.name, mass, 1 / trace, largest, mass * turned, square)

    @property
    def reach(self) -> float:
        """A bound of the inertia about a handle."""
        return self.largest + self.mass * self.square

    def under(self, other: _Inertia) -> float:
        """The mobility at the handles, times the inertia that another body has there."""
        pushed = other.mass / self.mass * max(1.0, self.slenderness)
        return max(pushed, other.reach / self.least)


def singular(model: Model, body: Body) -> bool:
    """Is it without inertia about an axis?"""
    return bool(sp.Matrix(_exact(_rows(model, body))).det() == 0)


def _rows(model: Model, body: Body) -> Rows:
    if not isinstance(body.inertia, tuple):
        return ((model.value(body.inertia),),)
    return tuple(tuple(model.value(x) for x in row) for row in body.inertia)


def _exact(rows: Rows) -> list[list[sp.Rational]]:
    return [[sp.Rational(x) for x in row] for row in rows]


@cache
def _inverse(rows: Rows) -> Rows:
    """The inverse, exact before it is rounded, for axes may differ by any order."""
    found = sp.Matrix(_exact(rows)).inv()
    return tuple(tuple(map(float, found.row(k))) for k in range(found.rows))


def _form(rows: Rows, x: Sequence[float]) -> float:
    """xᵀ A x."""
    return sum(
        a * y * z for row, y in zip(rows, x, strict=True) for a, z in zip(row, x, strict=True)
    )


def _held(order: Plan, bodies: dict[str, _Inertia]) -> dict[str, set[_Inertia]]:
    """The heaviest that each body holds: of those outboard of it, and round a loop it is in."""
    held: dict[str, set[_Inertia]] = {}
    for link in order.links:
        beyond = (held[name] | {bodies[name]} for name in link.children)
        held[link.name] = _heaviest(set().union(*beyond))
    for hinge in order.cuts:
        first, second = (set(order.way(end.body)) for end in hinge.ends)
        loop = first ^ second
        around = _heaviest(set().union(*(held[name] | {bodies[name]} for name in loop)))
        for name in loop:
            held[name] = _heaviest(held[name] | around - {bodies[name]})
    return held


def _heaviest(bodies: Iterable[_Inertia]) -> set[_Inertia]:
    """By mass, and by inertia about a handle."""
    found = list(bodies)
    if not found:
        return set()
    return {max(found, key=lambda x: x.mass), max(found, key=lambda x: x.reach)}

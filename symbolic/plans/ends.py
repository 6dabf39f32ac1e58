"""All ends of all elements: their names, order, sides, and where a program keeps their states."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

from ...model import GROUND, End
from ..mechanics.vectors import Side
from .plan import Plan


@dataclass(frozen=True)
class ElementEnd:
    """An end of an element: `body:point` of a body, `hinge NAME:I` or `hinge NAME:O` of a hinge.

    `side` says which signs its loads have. `body` is the body that it belongs to or is joined
    to, the ground for a hinge that leads there. `member` is where programs keep its state: both
    sides of a joint between a body and a hinge share one.
    """

    element: str
    name: str
    side: Side
    body: str
    member: str


def landing(hinge: str, end: End) -> str:
    """Where programs keep the state of the end that a hinge leads to."""
    return f"hinge {hinge}:O" if end.body == GROUND else str(end)


def element_ends(plan: Plan) -> tuple[ElementEnd, ...]:
    """The ends of all bodies, point by point, then those of all hinges, I before O.

    Bodies, points and hinges are in the model's order.
    """
    ways = plan.outputs
    sending = {tip for tip, _ in ways.values()}
    found = []
    for body in plan.model.bodies:
        for point in body.points:
            end = End(body.name, point.name)
            side = Side.OUTPUT if end in sending else Side.INPUT
            found.append(ElementEnd(body.name, str(end), side, body.name, str(end)))
    for hinge, (tip, root) in ways.items():
        element = f"hinge {hinge}"
        found.append(ElementEnd(element, f"{element}:I", Side.INPUT, tip.body, str(tip)))
        at = landing(hinge, root)
        found.append(ElementEnd(element, f"{element}:O", Side.OUTPUT, root.body, at))
    return tuple(found)


def states(plan: Plan) -> tuple[str, ...]:
    """The members at which programs keep states: each place once, in the order of the ends.

    A joint between a body and a hinge is given by the body's point; the ground's side by the hinge.
    """
    names: dict[int, list[str]] = {}  # equal bodies share their points
    found = []
    for body in plan.model.bodies:
        at, name = id(body.points), body.name
        if at not in names:
            names[at] = [f":{point.name}" for point in body.points]
        found += [name + point for point in names[at]]
    for hinge in plan.model.hinges:
        first, second = hinge.ends
        if GROUND in (first.body, second.body):
            found.append(f"hinge {hinge.name}:O")
    return tuple(found)


class Seats:
    """Where in `states` the points of bodies are, found without their names."""

    def __init__(self, plan: Plan) -> None:
        self._points = {body.name: body.points for body in plan.model.bodies}
        counts = map(len, self._points.values())
        self._first = dict(zip(self._points, accumulate(counts, initial=0), strict=False))
        self._orders = {  # equal bodies share their points
            id(points): {point.name: k for k, point in enumerate(points)}
            for points in {id(points): points for points in self._points.values()}.values()
        }

    def numbered(self, body: str, number: int) -> int | None:
        """The place of a body's point, if it has so many."""
        return self._first[body] + number if number < len(self._points[body]) else None

    def point(self, body: str, name: str) -> int:
        """The place of a body's point."""
        return self._first[body] + self._orders[id(self._points[body])][name]

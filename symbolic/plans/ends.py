"""All ends of all elements: their names, order, sides, and where a program keeps their states."""

from __future__ import annotations

from dataclasses import dataclass

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
    bodies = plan.model.bodies
    points = [f"{body.name}:{point.name}" for body in bodies for point in body.points]
    on_ground = (hinge for hinge, (_, root) in plan.outputs.items() if root.body == GROUND)
    return (*points, *(f"hinge {hinge}:O" for hinge in on_ground))

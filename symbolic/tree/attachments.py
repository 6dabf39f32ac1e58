"""The constants of links, and how each is attached to what its hinge holds to."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp

from ...model import GROUND, Beam, Body, End, Hinge, Model
from ..mechanics.constants import LinkConstants, axes_of, column
from ..mechanics.hinges import sharing
from ..plans.plan import Link, Plan


@dataclass(frozen=True)
class Attachment:
    """A link's hinge, whether it is described from the child's side, and its place."""

    hinge: Hinge
    backward: bool
    entry: sp.Matrix
    arm: sp.Matrix


def link_constants(plan: Plan) -> dict[str, LinkConstants]:
    """The constants of all links but beams; equal bodies share them."""
    same: dict[tuple[object, ...], LinkConstants] = {}
    data = {}
    for link in plan.links:
        body = link.body
        if isinstance(body, Beam):
            continue
        if plan.model.kinematic:
            body = alike(plan.model, body)
        key = (body.mass, body.inertia, body.centre, body.points, link.output, link.inputs)
        if key not in same:
            same[key] = LinkConstants.of(body, link.output, link.inputs, plan.model.dimension)
        data[link.name] = same[key]
    return data


def alike(model: Model, body: Body) -> Body:
    """A body of kinematics alone: all count alike where a correction of loops is the least.

    Its mass is 1 at its origin, its inertia that of a length of the model.
    """
    square = model.longest**2
    diagonal = (square, 0.0, 0.0), (0.0, square, 0.0), (0.0, 0.0, square)
    inertia = square if model.dimension == 2 else diagonal
    return replace(body, mass=1, inertia=inertia, centre=(0,) * model.dimension)


class Attachments(dict[str, Attachment]):
    """How links are attached, by name; those at equal places share them."""

    def __init__(self, plan: Plan, data: dict[str, LinkConstants]) -> None:
        super().__init__()
        self._plan, self._data = plan, data
        self._grounds: dict[str, tuple[sp.Matrix, sp.Matrix]] = {}
        hinges = {hinge.name: hinge for hinge in plan.model.hinges}
        followers = plan.model.followers
        hinges |= {name: sharing(hinges[name], leader) for name, leader in followers.items()}
        for link in plan.links:
            self[link.name] = self._of(link, hinges[link.hinge])

    def _of(self, link: Link, hinge: Hinge) -> Attachment:
        backward, d = hinge.ends[0] == End(link.name, link.output), self._plan.model.dimension
        if link.parent is None:
            point = next(end for end in hinge.ends if end.body == GROUND).point
            if point not in self._grounds:
                place = self._plan.model.ground_point(point)
                self._grounds[point] = axes_of(place, d), column(place.position)
            return Attachment(hinge, backward, *self._grounds[point])
        parent = self._plan.link(link.parent)
        if parent.name not in self._data:  # a beam, whose sections are links
            return Attachment(hinge, backward, sp.eye(d), sp.zeros(d, 1))
        k = parent.children.index(link.name)
        data = self._data[parent.name]
        return Attachment(hinge, backward, data.entries[k], data.arms[k])

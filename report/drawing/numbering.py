"""Drawings with numbers as the Riccati paper has them: bodies odd, hinges even, from the tips."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...symbolic.plans.plan import Plan
from .scene import Group, Scene, Shape, Text

#: What names a drawing may have.
NUMBERINGS = ("model", "paper")


def papers_numbers(order: Plan) -> tuple[dict[str, str], dict[str, str]]:
    """Of bodies and of hinges by name: chain by chain from the tip, a body's hinge after it.

    Cut hinges, which the paper has not, follow with the next even numbers.

    Source
        Riccati paper, Fig. 1: bodies 1, 3, …, hinges 2, 4, ….
    """
    bodies = {link.name: str(2 * k - 1) for k, link in enumerate(order.links, start=1)}
    ways = [*(link.hinge for link in order.links), *(hinge.name for hinge in order.cuts)]
    return bodies, {name: str(2 * k) for k, name in enumerate(ways, start=1)}


def numbered(scene: Scene, order: Plan) -> Scene:
    """The drawing with these numbers in place of names; what a thing is called in words stays."""
    bodies, hinges = papers_numbers(order)
    of: Mapping[str, Mapping[str, str]] = {"body": bodies, "hinge": hinges, "cut": hinges}

    def named(group: Group) -> Group:
        number = of.get(group.kind, {}).get(group.name, group.name)
        return replace(group, shapes=tuple(_called(x, group.name, number) for x in group.shapes))

    return replace(scene, groups=tuple(map(named, scene.groups)))


def _called(shape: Shape, name: str, number: str) -> Shape:
    """A text that is the name, as the number; any other shape as it is."""
    if isinstance(shape, Text) and shape.text == name:
        return replace(shape, text=number)
    return shape

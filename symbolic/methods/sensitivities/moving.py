"""The links of a tree with their twists, and how the screws of their speeds move."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import ClassVar, NamedTuple

import sympy as sp

from ....model import GROUND, End
from ....model.parts.hinge_kinds import HINGE_KINDS
from ...language.walk import Binding, Place
from ...plans.jacobian_indices import Ways, factors
from ...plans.plan import Link, Plan
from ...tree.mass_matrix import pair
from ...tree.walking import Finder
from ..closed.kernels import changes
from ..jacobians.program import Screws

#: How a screw moves: Ṡ, S̈ and what stands for 2 Ṡ at unit speed.
MOVING = ("Sd", "Sdd", "Sv")


class Placed(NamedTuple):
    """A hinge's end: the link whose hinge it is, and that of the end's body if it is on one."""

    end: End
    link: Link
    body: Link | None

    @property
    def member(self) -> str:
        return f"{self.link.hinge} {self.end}"

    @property
    def sign(self) -> int:
        """How the link moves when the end's point does: with a point of its parent's."""
        return -1 if self.body is self.link else 1


class Moving(Screws):
    """The links of a tree with the twists V of their motion, and how their screws move.

    V and its rate are kept with the speed that a link moves by last, seen from the ground; a link
    that its hinge does not move has those of its parent.
    """

    by_speed: ClassVar[Mapping[str, str]] = {**Screws.by_speed, **{x: x for x in MOVING}}

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan, {"body_0": Ways.of(plan).chosen("body", 0)})
        self.ends = tuple(self._ends())
        speeds, ends = self.model.speeds, [placed.member for placed in self.ends]
        self.sets |= {
            "pairs": _pairs(speeds, speeds),
            "hinge_ends": tuple(ends),
            "speeds_by_ends": _pairs(speeds, ends),
            "speeds_by_bodies": _pairs(speeds, self.sets["bodies"]),
        }
        self.distinct = {
            link.name: (self.last(link), self.last(self.parent(link))).count(None)
            for link in self.links
        }

    def _ends(self) -> Iterator[Placed]:
        links = {link.hinge: link for link in self.links}
        for hinge in self.model.tree_hinges:
            for end in hinge.ends:
                body = None if end.body == GROUND else self.plan.link(end.body)
                yield Placed(end, links[hinge.name], body)

    def parent(self, link: Link) -> Link | None:
        return None if link.parent is None else self.plan.link(link.parent)

    def turns(self, link: Link) -> bool:
        """Has the link's hinge a quaternion?"""
        return HINGE_KINDS[self.dimension][self.hinge(link).kind].has_quaternion

    def held(self, link: Link) -> bool:
        """Do the screws of the link's hinge, with a quaternion, stand still in its parent?"""
        return self.turns(link) and changes(self, link)

    def groups(self, link: Link) -> list[tuple[str, ...]]:
        """The speeds of a hinge from the ground outwards; each group's screws are of one motion.

        Where H does not change in the child or in the parent all are one group, else each is a
        factor of its own.
        """
        own = self.speeds(link)
        if not own or self.held(link) or not changes(self, link):
            return [own] if own else []
        return [(speed,) for factor in factors(self.plan, link) for speed in factor.speeds]

    def last(self, link: Link | None) -> str | None:
        """The speed that a link moves by last; none if it rests, as the ground does."""
        if link is None:
            return None
        groups = self.groups(link)
        return groups[-1][-1] if groups else self.last(self.parent(link))

    def twist(self, array: str, link: Link | None, relation: str) -> Binding:
        """The twist (`Vs`) of a link or its rate (`As`); of what rests, gravity's."""
        if self.last(link) is not None:
            return Place(array, relation)
        rising = -self.ground.gravity if array == "As" else self.zero
        return sp.Matrix.vstack(rising, sp.zeros(self.space.spins, 1))

    def reads(self, name: str, link: Link) -> Binding | None:
        """The twists of links, besides what all know."""
        twist = name in ("Vs", "As")
        return self.twist(name, link, "moved") if twist else super().reads(name, link)

    def finder(self, relation: str) -> Finder | None:
        """The speeds by which a link and its parent move last."""
        if relation == "moved":
            return "speeds", self.last
        if relation == "moved before":
            return "speeds", lambda link: self.last(self.parent(link))
        return super().finder(relation)


def _pairs(rows: Iterable[str], columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(pair(row, column) for row, column in product(rows, columns))

"""Which partial derivatives of bodies' Jacobians are not zero, and which of them are one.

With the speeds numbered from the ground outwards, there remain of those along k₁ ≤ … ≤ k_ν

    `body`     body-fixed columns J_ij:       j < k₁;
    `spatial`  spatial columns S_j:           k_ν < j, for every body that j moves alike;
    `origin`   velocities v_ij of origins:    all, and j may change places with any k.

Source: the orders of indices in screw paper (6), (13), (15), (16), (21), (24); `origin` is own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement as sorted_choices
from itertools import permutations
from math import comb
from typing import NamedTuple

from ...model import End
from .plan import Link, Plan

PARTS = ("spatial", "body", "origin")


class Chosen(NamedTuple):
    """A body (none: whichever they move) and speeds from the ground outwards."""

    body: str
    speeds: tuple[str, ...]

    @property
    def member(self) -> str:
        return " ".join((self.body, *self.speeds) if self.body else self.speeds)


@dataclass(frozen=True)
class Ways:
    """Per body all speeds that move it, from the ground outwards."""

    speeds: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, plan: Plan) -> Ways:
        def out(body: str) -> Iterable[str]:
            for name in reversed(plan.way(body)):
                yield from factors(plan, plan.link(name))

        return cls({body.name: tuple(out(body.name)) for body in plan.model.bodies})

    def chosen(self, part: str, order: int) -> tuple[Chosen, ...]:
        """The values that a part has of an order's derivatives."""
        return tuple(dict.fromkeys(self._chosen(part, order)))

    def _chosen(self, part: str, order: int) -> Iterator[Chosen]:
        for body, way in self.speeds.items():
            if part == "origin":
                yield from (Chosen(body, x) for x in sorted_choices(way, order + 1))
                continue
            for at, column in enumerate(way):
                if part == "body":
                    outer = sorted_choices(way[at + 1 :], order)
                    yield from (Chosen(body, (column, *x)) for x in outer)
                else:
                    inner = sorted_choices(way[:at], order)
                    yield from (Chosen("", (*x, column)) for x in inner)

    def count(self, order: int) -> int:
        """How many values `origin` has, the most of all parts, up to an order."""
        lengths = [len(way) for way in self.speeds.values()]
        return sum(comb(n + k, k + 1) for n in lengths for k in range(order + 1))

    def entries(self, part: str, order: int) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """All entries that differ from zero: which value, of which body, column and directions."""
        for number, (body, speeds) in enumerate(self.chosen(part, order)):
            if part == "origin":
                for indices in dict.fromkeys(permutations(speeds)):
                    yield number, body, indices
                continue
            column, others = (
                (speeds[0], speeds[1:]) if part == "body" else (speeds[-1], speeds[:-1])
            )
            moved = [body] if body else [b for b, way in self.speeds.items() if column in way]
            for along in dict.fromkeys(permutations(others)):
                for each in moved:
                    yield number, each, (column, *along)


def factors(plan: Plan, link: Link) -> tuple[str, ...]:
    """The speeds of a link's hinge from the ground outwards, as those of factors exp(X q)."""
    hinge = next(hinge for hinge in plan.model.hinges if hinge.name == link.hinge)
    speeds = plan.model.hinge_speeds(hinge)
    backward = hinge.ends[0] == End(link.name, link.output)
    return speeds[::-1] if backward else speeds

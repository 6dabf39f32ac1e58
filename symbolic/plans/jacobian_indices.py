"""Which partial derivatives of bodies' Jacobians are not zero, and which of them are one.

From the ground to a body its pose is a product of factors: exp(X q) of one speed, or the motion of
a hinge that turns in any way, with several. A derivative along speeds k₁, then k₂ and so on is a
bracket in a bracket, sorted by factors from the ground outwards. With the column's j there remain

    `body`     body-fixed columns J_ij:       those with every k beyond j;
    `spatial`  spatial columns S_j:           with every k before j, for every body that j moves;
    `origin`   velocities v_ij of origins:    all, with j as the first of the directions.

Speeds of one factor with several do not change places. Where its screws are fixed in what lies
beyond it, its spatial columns change along its own speeds, and the last direction is the outermost
in the brackets of `spatial` and `origin`, the innermost in that of `body`. Where they are fixed in
what lies before it, it is the other way round.

Source: the orders of indices in screw paper (6), (13), (15), (16), (21), (24); `origin` and what
several speeds of one factor do are own: S_k changes along S_l by [S_l, S_k]; Jacobi's identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, permutations, product
from typing import NamedTuple

from ...model import End, Hinge
from ..mechanics.hinges import joint
from .plan import Link, Plan

PARTS = ("spatial", "body", "origin")

#: Derivatives up to this order, if no other is asked for.
ORDER = 2


class Chosen(NamedTuple):
    """A body (none: whichever they move) and speeds as their brackets are nested."""

    body: str
    speeds: tuple[str, ...]

    @property
    def member(self) -> str:
        return " ".join((self.body, *self.speeds) if self.body else self.speeds)


@dataclass(frozen=True)
class Factor:
    """Speeds that move what lies beyond them together, and whether their screws are fixed in it."""

    speeds: tuple[str, ...]
    beyond: bool = True

    @property
    def turns(self) -> bool:
        """Do its own screws change along its speeds, as seen from one side?"""
        return len(self.speeds) > 1


@dataclass(frozen=True)
class Ways:
    """Per body the factors of its pose, from the ground outwards."""

    factors: Mapping[str, tuple[Factor, ...]]

    @classmethod
    def of(cls, plan: Plan) -> Ways:
        def out(body: str) -> Iterable[Factor]:
            for name in reversed(plan.way(body)):
                yield from factors(plan, plan.link(name))

        return cls({body.name: tuple(out(body.name)) for body in plan.model.bodies})

    @property
    def speeds(self) -> Mapping[str, tuple[str, ...]]:
        """Per body all speeds that move it, from the ground outwards."""
        return {
            body: tuple(speed for factor in way for speed in factor.speeds)
            for body, way in self.factors.items()
        }

    def chosen(self, part: str, order: int) -> tuple[Chosen, ...]:
        """The values that a part has of an order's derivatives."""
        return tuple(dict.fromkeys(self._chosen(part, order)))

    def _chosen(self, part: str, order: int) -> Iterator[Chosen]:
        for body, way in self.factors.items():
            if part == "origin":
                yield from (Chosen(body, x) for x in nested(way, order + 1))
                continue
            for at, factor in enumerate(way):
                if part == "body":
                    own = factor.turns and not factor.beyond
                    for column, x in product(factor.speeds, nested(way[at + (not own) :], order)):
                        yield Chosen(body, (column, *x))
                else:
                    own = factor.turns and factor.beyond
                    for x, column in product(nested(way[: at + own], order), factor.speeds):
                        yield Chosen("", (*x, column))

    def count(self, order: int) -> int:
        """How many values `origin` has, the most of all parts, up to an order."""
        return sum(
            sum(_counts([len(factor.speeds) for factor in way], order + 1)[1:])
            for way in self.factors.values()
        )

    def entries(self, part: str, order: int) -> Iterator[tuple[int, str, tuple[str, ...]]]:
        """All entries that differ from zero: which value, of which body, column and directions."""
        of = {x: factor for way in self.factors.values() for factor in way for x in factor.speeds}
        for number, (body, speeds) in enumerate(self.chosen(part, order)):
            if part == "origin":
                for indices in _applied(speeds, of):
                    yield number, body, indices
                continue
            column, others = (
                (speeds[0], speeds[1:]) if part == "body" else (speeds[-1], speeds[:-1])
            )
            moved = [body] if body else [b for b, way in self.speeds.items() if column in way]
            for along in _applied(others, of):
                for each in moved:
                    yield number, each, (column, *along)


def nested(way: Sequence[Factor], length: int) -> Iterator[tuple[str, ...]]:
    """All ways to choose so many speeds, sorted by factors, in every order within one."""
    for chosen in combinations_with_replacement(way, length):
        yield from product(*(factor.speeds for factor in chosen))


def _applied(nest: tuple[str, ...], of: Mapping[str, Factor]) -> Iterator[tuple[str, ...]]:
    """The orders in which derivatives along these speeds give this nest of brackets."""
    queues: dict[Factor, list[str]] = {}
    for speed in nest:
        queues.setdefault(of[speed], []).append(speed)
    for factor, queue in queues.items():
        if factor.beyond:
            queue.reverse()
    for labels in dict.fromkeys(permutations([of[speed] for speed in nest])):
        turn = {factor: iter(queue) for factor, queue in queues.items()}
        yield tuple(next(turn[label]) for label in labels)


def _counts(sizes: Iterable[int], most: int) -> list[int]:
    """How many nests of 0, 1, … `most` speeds there are of factors of these sizes."""
    counts = [1] + [0] * most
    for size in sizes:
        for k in range(1, most + 1):
            counts[k] += size * counts[k - 1]
    return counts


def own_speeds(plan: Plan, hinge: Hinge) -> tuple[str, ...]:
    """The names of a hinge's speeds; of one that shares another's coordinate its own."""
    own = hinge.name in plan.model.followers
    return (f"u{hinge.name}",) if own else plan.model.hinge_speeds(hinge)


def led(plan: Plan) -> dict[str, str]:
    """By the own speeds of hinges that share another's coordinate that one's."""
    return {f"u{name}": f"u{mimic.hinge}" for name, mimic in plan.model.followers.items()}


def factors(plan: Plan, link: Link) -> Iterator[Factor]:
    """What the pose of a link's hinge is a product of, from the ground outwards."""
    hinge = next(hinge for hinge in plan.model.hinges if hinge.name == link.hinge)
    speeds = own_speeds(plan, hinge)
    backward = hinge.ends[0] == End(link.name, link.output)
    if joint(plan.model.dimension, hinge.kind).factored:
        yield from (Factor((speed,)) for speed in (speeds[::-1] if backward else speeds))
    else:
        yield Factor(speeds, not backward)

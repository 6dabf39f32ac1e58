"""A tree's long chains cut into segments, and steps that work on all segments side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import TypeVar

from ...errors import CodegenError
from ..language.program import Program, Step
from ..language.walk import Relation, Walk, compact
from .plan import Link, Plan

T = TypeVar("T")

#: Segments that a chain is cut into.
LANES = 8

#: A chain is cut if its segments have at least so many bodies.
SHORTEST = 3


@dataclass(frozen=True, eq=False)
class Chain:
    """A long chain in segments, its bodies in the order of the model's coordinates.

    `links` are in that order, `inward` says whether it runs from the tip to the root. Segment
    l holds the next `full` bodies, one more if l < `rest`. `seats` say of every index set of the
    caller's where the chain begins in it and how many members belong to a body; `base` is the
    chain's first row among all chains'.
    """

    number: int
    links: tuple[Link, ...]
    inward: bool
    lanes: int
    seats: Mapping[str, tuple[int, int]]
    base: int

    @property
    def full(self) -> int:
        return len(self.links) // self.lanes

    @property
    def rest(self) -> int:
        return len(self.links) % self.lanes

    @property
    def rows(self) -> int:
        """The bodies of the longest segment."""
        return self.full + (self.rest > 0)

    def segment(self, lane: int) -> tuple[Link, ...]:
        """A segment's bodies."""
        start = lane * self.full + min(lane, self.rest)
        return self.links[start : start + self.full + (lane < self.rest)]

    def seat(self, body: int) -> tuple[int, int]:
        """The lane and the row of a body, by its place in the chain."""
        longer = self.rest * (self.full + 1)
        if body < longer:
            return divmod(body, self.full + 1)
        lane, row = divmod(body - longer, self.full)
        return self.rest + lane, row

    def name(self, lane: int) -> str:
        return f"segment {self.number}.{lane + 1}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(self.name, range(self.lanes)))

    @property
    def members(self) -> Iterator[str]:
        """Row by row the bodies side by side; where a segment has none, a name for nothing."""
        segments = [self.segment(lane) for lane in range(self.lanes)]
        for row in range(self.rows):
            for lane, links in enumerate(segments):
                yield links[row].name if row < len(links) else f"nothing in {self.name(lane)}"

    @property
    def slots(self) -> Iterator[str]:
        """Row by row what the bodies hang on, side by side, and what hangs on the last ones."""
        for at in range(self.rows + 1):
            yield from (self.slot(lane, at) for lane in range(self.lanes))

    def slot(self, lane: int, at: int) -> str:
        return f"slot {self.number}.{lane + 1}.{at}"

    @property
    def outward(self) -> Sequence[int]:
        """The lanes from the root's to the tip's."""
        return range(self.lanes)[:: -1 if self.inward else 1]

    def outwards(self, lane: int) -> tuple[Link, ...]:
        """A segment's bodies from the root's side to the tip's."""
        return self.segment(lane)[:: -1 if self.inward else 1]

    @property
    def top(self) -> Link:
        """The body next to the root."""
        return self.links[-1 if self.inward else 0]

    @property
    def tip(self) -> Link:
        """The body farthest from the root."""
        return self.links[0 if self.inward else -1]

    @property
    def child(self) -> str | None:
        """The body that hangs on the chain's last one, if any does."""
        return self.tip.children[0] if self.tip.children else None


class Course:
    """A chain's bodies in the order of a sweep along all its segments: row by row, lane by lane.

    A segment that is one body shorter has none in the last row of memory. `sets` are the index
    sets of all chains' bodies, of their segments and of what bodies hang on, side by side.
    """

    def __init__(self, chain: Chain, ascending: bool, sets: Mapping[str, Sequence[str]]) -> None:
        self.chain, self.ascending, self.sets = chain, ascending, sets
        rows = range(chain.rows)[:: 1 if ascending else -1]
        self.seats = [
            (row, lane)
            for row in rows
            for lane in range(chain.lanes if row < chain.full else chain.rest)
        ]

    @cached_property
    def bodies(self) -> Sequence[int]:
        """Which of the chain's bodies they are."""
        chain = self.chain
        starts = [lane * chain.full + min(lane, chain.rest) for lane in range(chain.lanes)]
        return [starts[lane] + row for row, lane in self.seats]

    @cached_property
    def ends(self) -> list[tuple[bool, bool]]:
        """Does a segment's sweep begin with the body, and does it end there?"""
        chain = self.chain
        last = [len(chain.segment(lane)) - 1 for lane in range(chain.lanes)]
        found = [(row == 0, row == last[lane]) for row, lane in self.seats]
        return found if self.ascending else [(start, stop) for stop, start in found]

    @cached_property
    def starts(self) -> Sequence[int]:
        """Where in the course the segments' sweeps begin."""
        return [at for at, (start, _) in enumerate(self.ends) if start]

    @cached_property
    def stops(self) -> Sequence[int]:
        """Where they end."""
        return [at for at, (_, stop) in enumerate(self.ends) if stop]

    @cached_property
    def first_lane(self) -> Sequence[int]:
        """Where in the course the bodies of the first segment are: it has one in every row."""
        return compact([at for at, (_, lane) in enumerate(self.seats) if not lane])

    def filled(self, values: Sequence[T]) -> Sequence[T]:
        """A value for every lane of every row; where there is no body, the first lane's."""
        lanes, rest = self.chain.lanes, self.chain.rest
        at = len(values) - rest if self.ascending else 0
        missing = [values[at]] * (lanes - rest) if rest else []
        return [*values[: at + rest], *missing, *values[at + rest :]]

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """A body's own row and that of the one before it, its segment, what it hangs on."""
        chain = self.chain
        lanes, first = chain.lanes, chain.base * chain.lanes
        back = lanes if self.ascending else -lanes
        rows = [first + lanes * row + lane for row, lane in self.seats]
        before = [-1 if end[0] else at - back for at, end in zip(rows, self.ends, strict=True)]
        segments = [lanes * (chain.number - 1) + lane for _, lane in self.seats]
        slots = [at + lanes * (chain.number - 1) for at in rows]
        further = [at + lanes for at in slots]
        found = {
            "row": ("rows", rows),
            "row before": ("rows", before),
            "segment": ("segments", segments),
            "slot": ("slots", further if chain.inward else slots),
            "slot beyond": ("slots", slots if chain.inward else further),
        }
        return {
            name: Relation(index_set, self.sets[index_set], compact(places))
            for name, (index_set, places) in found.items()
        }


@dataclass(frozen=True, eq=False)
class LaneStep(Step):
    """A sweep along all segments of a chain at once, in the order of its course.

    The units of `bodies` begin with the same kernels; at a segment's last body more may be done,
    with the segment as a whole, which has a unit of its own among the `calls`.
    """

    calls: Walk
    bodies: Walk = field(kw_only=True)
    course: Course = field(kw_only=True)

    @classmethod
    def of(cls, name: str, title: str, bodies: Walk, course: Course) -> LaneStep:
        """The step that does this at the bodies."""
        size = min(map(len, bodies.units), default=0)
        begun = [unit[:size] for unit in bodies.units]
        more = [unit[size:] for unit in bodies.units]
        seats, kinds, members = [], [], []
        for at, kind in enumerate(bodies.kinds):
            seats.append(at)
            kinds.append(kind)
            members.append(bodies.members[at])
            if more[kind]:
                seats.append(at)
                kinds.append(len(begun) + kind)
                members.append(course.chain.name(course.seats[at][1]))
        calls = replace(bodies.at(seats), members=members, kinds=kinds, units=[*begun, *more])
        return cls(name, title, calls, bodies=bodies, course=course)

    @property
    def chain(self) -> Chain:
        return self.course.chain


@dataclass(frozen=True, eq=False)
class LaneProgram(Program):
    """A program with chains in segments."""

    chains: tuple[Chain, ...] = ()


#: Of a body, by index set, the members of the caller's arrays that belong to it.
Members = Mapping[str, Sequence[str]]


def long_chains(
    plan: Plan,
    sets: Mapping[str, Sequence[str]],
    members: Callable[[Link], Members],
    alike: Callable[[Link], Hashable],
    lanes: int = LANES,
) -> tuple[Chain, ...]:
    """The chains of a tree that are worth cutting, of bodies that are `alike`.

    Raises
        CodegenError: there are none.
    """
    places = {name: {x: k for k, x in enumerate(every)} for name, every in sets.items()}
    found: list[Chain] = []
    base = 0
    for names in plan.subchains:
        thin = (plan.link(name) for name in names if len(plan.link(name).inputs) <= 1)
        for _, group in groupby(thin, key=alike):
            links = tuple(group)
            if len(links) < SHORTEST * lanes:
                continue
            for inward in (True, False):
                ordered = links if inward else links[::-1]
                seats = _seats([members(link) for link in ordered], places)
                if seats is not None:
                    found.append(Chain(len(found) + 1, ordered, inward, lanes, seats, base))
                    base += found[-1].rows
                    break
    if not found:
        raise CodegenError(
            f"{plan.model.name} has no chain of {SHORTEST * lanes} bodies or more, each with one "
            "input, hinged and loaded like the others and next to the other in the model's order: "
            "there is nothing to put on lanes; use target c"
        )
    return tuple(found)


def _seats(
    along: Sequence[Members], places: Mapping[str, Mapping[str, int]]
) -> dict[str, tuple[int, int]] | None:
    """Where bodies in order begin in every set, and their stride; None if they are not in order."""
    seats = {}
    for name in along[0]:
        found = [places[name][x] for members in along for x in members[name]]
        stride, left = divmod(len(found), len(along))
        if left or any(len(members[name]) != stride for members in along):
            return None
        if found:
            if found != list(range(found[0], found[0] + len(found))):
                return None
            seats[name] = found[0], stride
    return seats

"""A tree's long chains cut into segments, and steps that work on all segments side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ...errors import CodegenError
from ..language.program import Call, Program, Step
from .plan import Link, Plan

#: Segments that a chain is cut into.
LANES = 8

#: A chain is cut if its segments have at least so many bodies.
SHORTEST = 3

Unit = tuple[Call, ...]


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


@dataclass(frozen=True, eq=False, kw_only=True)
class LaneStep(Step):
    """A sweep along all segments of a chain at once.

    `rows[t]` holds what is done in each lane at iteration t; a segment that is one body shorter
    has nothing there in the row that only the others have, which is the first or the last.
    `base` is the chain's first row among all chains'.
    """

    chain: Chain
    rows: tuple[tuple[Unit | None, ...], ...]
    ascending: bool

    @property
    def first_lane(self) -> tuple[Unit, ...]:
        """What the first lane does, which has a body in every row."""
        return tuple(row[0] or () for row in self.rows)


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


def lane_step(
    chain: Chain,
    name: str,
    title: str,
    lanes: Sequence[list[Unit]],
    ascending: bool,
) -> LaneStep:
    """Units of all lanes as rows; a shorter segment stands still in the last row of memory."""
    last = chain.rows - 1
    grid = tuple(
        tuple(
            units[t]
            if len(units) > last
            else None
            if t == (last if ascending else 0)
            else units[t - (not ascending)]
            for units in lanes
        )
        for t in range(chain.rows)
    )
    calls = tuple(call for row in grid for unit in row if unit for call in unit)
    return LaneStep(name, title, calls, chain=chain, rows=grid, ascending=ascending)

"""Where loops close: of each condition the place from which on nothing of it goes farther in.

The multipliers of a cut enter at both bodies of its hinge; their columns pass the links between
these and their *meet*, the lowest link on the ways of both, or the ground. There, as soon as both
sides have arrived, the conditions are complete, and their multipliers are eliminated. What a place
does is a list of *rounds*: columns that arrive are gathered, and those that are complete close.
Which input comes next is chosen so that few columns are open. Columns stand in the order in which
they close, so that stages which are alike have theirs at equal places.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ...model import GROUND
from .plan import Link, Plan


class Source(Enum):
    """Where columns come from."""

    CUT = "they begin at an end of a cut hinge"
    INPUT = "an input brings them"
    LEFT = "the round before has left them open"


@dataclass(frozen=True)
class Arrival:
    """Items whose columns arrive together: at the end of a cut, by the input `child`, or left.

    Where others have closed while they were open, the diagonal of Λ before that is `carried` too.
    """

    source: Source
    items: tuple[int, ...]
    child: str = ""
    side: int = 0
    carried: bool = False


@dataclass(frozen=True)
class Round:
    """Columns that are gathered at a place, and those of them that close there together."""

    arrivals: tuple[Arrival, ...]
    gathered: tuple[int, ...]
    closed: tuple[int, ...]

    @property
    def left(self) -> tuple[int, ...]:
        """The items that stay open."""
        return self.gathered[len(self.closed) :]

    @property
    def carried(self) -> bool:
        """Is the diagonal of Λ carried that was there before anything closed?"""
        return any(x.carried for x in self.arrivals)


@dataclass(frozen=True)
class Item:
    """What closes at once: the conditions of a cut, or one of a coupling.

    `bodies` are those of the cut hinge, or those behind the coupled hinges, in whose hinges a
    coupling begins. `width`: its conditions.
    """

    bodies: tuple[str, ...]
    is_cut: bool
    width: int = 1


class Closings:
    """The rounds at every place, in the order of the sweep, and which items pass which link.

    At and outboard of the `beams`, whose modes would have to know of it, nothing closes.
    """

    def __init__(self, plan: Plan, items: Sequence[Item], beams: Container[str] = ()) -> None:
        self.items = items
        ways = [[plan.way(body) for body in item.bodies] for item in items]
        self.meets = tuple(_meet(item, way, beams) for item, way in zip(items, ways, strict=True))
        self._between: dict[str, set[int]] = {link.name: set() for link in plan.links}
        for i, (way, meet) in enumerate(zip(ways, self.meets, strict=True)):
            for body in {*(x for each in way for x in each)} - {*plan.way(meet)}:
                self._between[body].add(i)
        self._order: dict[int, int] = {}
        self._carried: set[str] = set()
        roots = tuple(link.name for link in plan.roots)
        places: list[tuple[str, Sequence[str]]] = [(x.name, x.children) for x in plan.links]
        found = {name: self._rounds(name, inputs) for name, inputs in (*places, (GROUND, roots))}
        motion = 3 if plan.model.dimension == 2 else 6
        found = {
            name: self._joined(rounds, 0 if name == GROUND else motion)
            for name, rounds in found.items()
        }
        #: The items whose columns pass each link's hinge.
        self.passing: Mapping[str, tuple[int, ...]] = {
            name: self._sorted(own) for name, own in self._between.items()
        }
        #: What is done with columns at each place, the ground last.
        self.rounds: Mapping[str, tuple[Round, ...]] = {
            name: tuple(map(self._settled, rounds)) for name, rounds in found.items()
        }

    def closing(self, place: str) -> tuple[Round, ...]:
        """The rounds at a place in which something closes."""
        return tuple(each for each in self.rounds[place] if each.closed)

    def feeds(self, link: Link) -> bool:
        """Does anything arrive at a link's hinge, and not begin there?"""
        rounds = self.rounds[link.name]
        return bool(rounds) and bool(rounds[-1].left)

    def carried(self, link: str) -> bool:
        """Have loops closed while a column was open that passes a link's hinge?"""
        return link in self._carried

    def _sorted(self, items: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(items, key=lambda i: (self._order[i], i)))

    def _settled(self, each: Round) -> Round:
        """A round with its items in the order in which they close."""
        arrivals = tuple(replace(x, items=self._sorted(x.items)) for x in each.arrivals)
        return Round(arrivals, self._sorted(each.gathered), self._sorted(each.closed))

    def _rounds(self, place: str, inputs: Sequence[str]) -> list[Round]:
        """What arrives at a place, input after input, and closes as soon as it is complete."""
        closing = {i for i, meet in enumerate(self.meets) if meet == place}
        waiting = {child: self._between[child] for child in inputs if self._between[child]}
        beginning = [
            Arrival(Source.CUT, (i,), side=side)
            for i, item in enumerate(self.items)
            if item.is_cut and place != GROUND
            for side, body in enumerate(item.bodies)
            if body == place
        ]
        rounds: list[Round] = []
        arrivals, opened = list[Arrival](), set[int]()

        def gather(starting: Iterable[Arrival], complete: set[int]) -> None:
            """One round: its columns and, where some close or it is the last, those left."""
            nonlocal arrivals, opened
            arrivals += starting
            opened |= {i for x in arrivals for i in x.items}
            rounds.append(Round(tuple(arrivals), tuple(opened), tuple(complete)))
            self._order |= dict.fromkeys(complete, len(self._order))
            opened = opened - complete
            left = Arrival(Source.LEFT, tuple(opened), carried=True)
            arrivals = [left] if opened else []
            self._carried.discard(place)
            if opened and (complete or rounds[-1].carried):
                self._carried.add(place)

        while waiting:
            child = self._next(waiting, opened, closing)
            own = waiting.pop(child)
            carried = child in self._carried
            arrivals.append(Arrival(Source.INPUT, tuple(own), child, carried=carried))
            opened |= own
            coming = {i for x in waiting.values() for i in x}
            complete = closing & opened - coming
            if complete:
                gather((x for x in beginning if x.items[0] in complete), complete)
                closing -= complete
                beginning = [x for x in beginning if x.items[0] not in complete]
        fresh = beginning or any(x.source is not Source.LEFT for x in arrivals)
        if fresh or (arrivals and self._between[place] > opened):
            opened |= self._between[place]
            gather(beginning, set())
        return rounds

    def _joined(self, rounds: Sequence[Round], rows: int) -> list[Round]:
        """The rounds, those that leave something to the next one together where that is cheaper.

        `rows`: so many has E there, none at the ground.
        """
        found: list[Round] = []
        run: list[Round] = []
        for each in rounds:
            run.append(each)
            if not (each.closed and each.left):
                found += self._together(run, rows)
                run = []
        return [*found, *run]

    def _together(self, rounds: Sequence[Round], rows: int) -> Sequence[Round]:
        closing = [each for each in rounds if each.closed]
        if len(closing) < 2:
            return rounds
        arrivals = [x for each in closing for x in each.arrivals]
        started, others = arrivals[:1], [x for x in arrivals[1:] if x.source is not Source.LEFT]
        closed = tuple(i for each in closing for i in each.closed)
        gathered = (*closed, *closing[-1].left)
        whole = Round((*started, *others), gathered, closed)
        apart = sum(self._work(each, rows) for each in closing)
        return [whole, *rounds[len(closing) :]] if self._work(whole, rows) < apart else rounds

    def _work(self, each: Round, rows: int) -> float:
        """Multiplications and additions that a closing takes, but for what is of lower order.

        Λ_c is factored, divides E_cᵀ, κ_c and Λ_co, and what that gives changes IA, E and Λ.
        """
        m, o = (sum(self.items[i].width for i in part) for part in (each.closed, each.left))
        return m**3 / 3 + 2 * m**2 * (rows + 1 + o) + m * (rows + o) ** 2

    @staticmethod
    def _next(waiting: Mapping[str, set[int]], opened: set[int], closing: set[int]) -> str:
        """The input after which the fewest items are open; the first of those."""

        def after(child: str) -> int:
            others = {i for name, own in waiting.items() if name != child for i in own}
            return len({i for i in opened | waiting[child] if i not in closing or i in others})

        return min(waiting, key=after)


def _meet(item: Item, ways: Sequence[Sequence[str]], beams: Container[str]) -> str:
    """Where the sides of an item come together; of a coupling inward of all its hinges."""
    behind = () if item.is_cut else item.bodies
    found = GROUND
    for x in reversed(ways[0] if ways else ()):
        if x in behind or x in beams or not all(x in way for way in ways):
            break
        found = x
    return found

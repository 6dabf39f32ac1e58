"""Pass *runs*: repeated units of a walk become loops.

The longest repeated pattern of units, of any period up to `LONGEST_PERIOD`, becomes one loop,
whose constants are baked in or, where they change often, tabled; what repeats fewer than
`loop_min` times stays straight-line code. A walk tells its members kind by kind, so that the work
here is comparing numbers: what a uniform chain costs is counted in kinds, not in links.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias, overload

import numpy as np
import numpy.typing as npt
import sympy as sp

from ..symbolic.language.program import THIS, Call, Ref
from ..symbolic.language.walk import Action, Binding, Place, Unit, Walk, compact

#: Numbers by place.
Table: TypeAlias = npt.NDArray[np.int_]

LONGEST_PERIOD = 8

#: Said for a least number of repetitions: a body's limbs are one loop, from two on, of so many
#: units each at most, whatever their constants.
LIMBS, LONGEST_LIMB = 1, 16

#: Repetitions from which a loop is smaller and no slower than straight-line code.
LOOP_MIN = 8

#: More repetitions than there are: no loops.
NEVER = 10**9

#: A run whose constants change no more often than this is cut there; otherwise they are tabled.
FEW_CHANGES = 3


#: The place of a value's member in the index set of its array.
PlaceOf = Callable[[Ref], int]


@dataclass(frozen=True)
class Places:
    """Where a port's values lie, iteration by iteration: places in the index set of an array."""

    array: str
    places: Sequence[int]
    columns: tuple[int | None, ...] | None = None

    @classmethod
    def of(cls, refs: Sequence[Ref], place: PlaceOf) -> Places:
        """Where these values lie, all of one array."""
        columns = tuple(ref.column for ref in refs)
        known = any(column is not None for column in columns)
        return cls(refs[0].array, compact([*map(place, refs)]), columns if known else None)

    @property
    def first(self) -> Places:
        """The place at the first turn alone."""
        return Places(self.array, self.places[:1], self.columns and self.columns[:1])

    @property
    def along(self) -> bool:
        """Is the place that of the column which a kernel is applied to?"""
        return self.columns is not None and self.columns[0] == THIS


@dataclass(frozen=True, eq=False)
class Run(Sequence[tuple[Call, ...]]):
    """`turns` iterations of a pattern of `period` units from `start` on; a loop if more than one.

    As a sequence, the calls of each iteration; with `only`, one of them alone.
    """

    walk: Walk
    start: int
    period: int
    turns: int
    only: int | None = None

    def __len__(self) -> int:
        return self.turns

    @overload
    def __getitem__(self, t: int) -> tuple[Call, ...]: ...
    @overload
    def __getitem__(self, t: slice) -> tuple[tuple[Call, ...], ...]: ...
    def __getitem__(self, t: int | slice) -> tuple[Call, ...] | tuple[tuple[Call, ...], ...]:
        if isinstance(t, slice):
            return tuple(self[i] for i in range(*t.indices(self.turns)))
        if not -self.turns <= t < self.turns:
            raise IndexError(t)
        first = self.start + (t % self.turns) * self.period
        units = map(self.walk.calls_at, range(first, first + self.period))
        calls = tuple(call for unit in units for call in unit)
        return calls if self.only is None else (calls[self.only],)

    def constants(self, position: int, port: str) -> list[sp.Matrix]:
        """The constants of a port of the call at this position; one if all turns have the same."""
        stretch, k = self._seat(position)
        kinds = self.walk.kinds[stretch]
        bound = {kind: self.walk.units[kind][k].reads[port] for kind in set(kinds)}
        if len(set(map(id, bound.values()))) == 1:
            return [bound[kinds[0]]]
        return [bound[kind] for kind in kinds]

    def reads(self, position: int, port: str, place: PlaceOf) -> Places:
        """Where what a port reads lies."""
        return self._places(position, lambda action: action.reads[port], place)

    def writes(self, position: int, port: str, place: PlaceOf) -> Places:
        """Where what a port gives is kept."""
        return self._places(position, lambda action: action.writes[port], place)

    def _places(self, position: int, of: Callable[[Action], Binding], place: PlaceOf) -> Places:
        stretch, k = self._seat(position)
        first = of(self.walk.unit(stretch.start)[k])
        if isinstance(first, Place):
            places = self.walk.relations[first.relation].places[stretch]
            return Places(first.array, compact(places))
        bound = [of(self.walk.units[kind][k]) for kind in self.walk.kinds[stretch]]
        return Places.of([ref for ref in bound if isinstance(ref, Ref)], place)

    def _seat(self, position: int) -> tuple[slice, int]:
        """The places in the walk at which a call is made, turn by turn, and its place there."""
        position = position if self.only is None else self.only
        for at in range(self.start, self.start + self.period):
            unit = self.walk.unit(at)
            if position < len(unit):
                return slice(at, at + self.period * (self.turns - 1) + 1, self.period), position
            position -= len(unit)
        raise IndexError(position)


def find_runs(walk: Walk, runtime: frozenset[sp.Symbol], loop_min: int = LOOP_MIN) -> Iterator[Run]:
    """Cut a walk into runs, in order; where it is cut is found once."""
    kept = vars(walk).setdefault("cuts", {})
    if (runtime, loop_min) not in kept:
        kept[runtime, loop_min] = tuple(_cuts(walk, runtime, loop_min))
    for start, period, turns in kept[runtime, loop_min]:
        yield Run(walk, start, period, turns)


def _cuts(
    walk: Walk, runtime: frozenset[sp.Symbol], loop_min: int
) -> Iterator[tuple[int, int, int]]:
    """The start, period and turns of each run."""
    shapes = _shapes(walk, runtime)
    links = _told(walk) if walk.relations else _searched(walk)
    at, most = 0, LONGEST_LIMB if loop_min == LIMBS else LONGEST_PERIOD
    while at < len(shapes):
        period, count = _longest(shapes, links, at, most)
        if count >= loop_min:
            count = count if loop_min == LIMBS else _alike(walk, at, period, count)
        if count < loop_min:
            period, count = 1, 1
        yield at, period, count
        at += period * count


def mostly_repeats(walk: Walk, runtime: frozenset[sp.Symbol], loop_min: int, size: int) -> bool:
    """Do loops take in half of the walk's members, or all of them but half of `size`?"""
    single = sum(run.turns == 1 for run in find_runs(walk, runtime, loop_min))
    return 2 * single <= max(len(walk.kinds), size)


def _alike(walk: Walk, at: int, period: int, count: int) -> int:
    """Repetitions up to the first change of the constants, if they change seldom."""
    kinds = walk.kinds
    changes: list[int] = []
    t = 0
    while (t := t + 1 + _same(kinds, at + (t + 1) * period, period) // period) < count:
        start = at + t * period
        before, here = (
            [x for k in kinds[place : place + period] for x in _constants(walk.units[k])]
            for place in (start - period, start)
        )
        if not all(a is b or a == b for a, b in zip(before, here, strict=True)):
            changes.append(t)
            if len(changes) > FEW_CHANGES:
                return count
    return changes[0] if changes else count


def _constants(unit: Unit) -> Iterator[sp.Matrix]:
    for action in unit:
        for binding in action.reads.values():
            if not isinstance(binding, Place | Ref):
                yield binding


def _longest(
    shapes: Sequence[int], links: Sequence[tuple[int, ...]], at: int, most: int
) -> tuple[int, int]:
    best = (1, 1)
    for period in range(1, min(most, len(shapes) - at) + 1):
        count = _repetitions(shapes, links, at, period)
        if count > 1 and period * count > best[0] * best[1]:
            best = (period, count)
        if at + best[0] * best[1] > len(shapes) - best[0]:
            break  # no longer pattern covers more
    return best


def _repetitions(
    shapes: Sequence[int], links: Sequence[tuple[int, ...]], at: int, period: int
) -> int:
    """How often the pattern at `at` repeats, its links into the pattern included."""

    def inner(start: int, reach: int) -> list[tuple[int, ...]]:
        """Links of the iteration at `start` no longer than `reach` iterations back."""
        return [
            tuple(back if back <= offset + reach * period else 0 for back in links[start + offset])
            for offset in range(period)
        ]

    count = 1
    pattern, within, between = shapes[at : at + period], inner(at, 0), None
    while True:
        start = at + count * period
        if start + period > len(shapes) or shapes[start : start + period] != pattern:
            return count
        if between is not None:
            same = min(_same(shapes, start, period), _same(links, start, period)) // period
            if same:
                count += same
                continue
        if inner(start, 0) != within:
            return count
        if between is None:
            between = inner(start, 1)
        elif inner(start, 1) != between:
            return count
        count += 1


def _same(items: Sequence[object], start: int, period: int) -> int:
    """For how many items from `start` on each is what stands `period` before it."""
    low, high, width = 0, len(items) - start, 1
    while low < high:  # in doubling steps, then halved where one fails: slices compare fast
        stop = min(low + width, high)
        if items[start + low : start + stop] == items[start + low - period : start + stop - period]:
            low, width = stop, 2 * width
        elif width == 1:
            return low
        else:
            high, width = stop, max(1, width // 4)
    return low


def _shapes(walk: Walk, runtime: frozenset[sp.Symbol]) -> list[int]:
    """For each member a number that it shares with those that may be turns of one loop."""
    numbers: dict[object, int] = {}
    of_kind = [numbers.setdefault(_shape(unit, runtime), len(numbers)) for unit in walk.units]
    return [of_kind[kind] for kind in walk.kinds]


def _shape(unit: Unit, runtime: frozenset[sp.Symbol]) -> object:
    """What two units must share to be iterations of one loop."""
    shape: list[object] = []
    for action in unit:
        shape += (action.kernel.name, *action.reads, *action.writes, action.span is None)
        shape += [_kind(binding, runtime) for binding in action.reads.values()]
        shape += [_kind(place, runtime) for place in action.writes.values()]
    return tuple(shape)


def _kind(binding: Binding, runtime: frozenset[sp.Symbol]) -> object:
    if isinstance(binding, Ref):
        return binding.array, binding.column == THIS
    if isinstance(binding, Place):
        return binding.array, binding.relation
    if runtime and runtime & binding.free_symbols:
        return tuple(str(x) for x in binding)
    return "constant"


def _searched(walk: Walk) -> list[tuple[int, ...]]:
    """For each read of each unit: how many units back it was written (0: here or elsewhere)."""
    writer: dict[Ref, int] = {}
    links = []
    for position, kind in enumerate(walk.kinds):
        found = []
        for action in walk.units[kind]:
            for binding in action.reads.values():
                if isinstance(binding, Ref):
                    found.append(position - writer.get(binding, position))
            for ref in action.writes.values():
                assert isinstance(ref, Ref)
                writer[ref] = position
        links.append(tuple(found))
    return links


def _told(walk: Walk) -> list[tuple[int, ...]]:
    """The same by the tables of relations: every value is written once."""
    writer = _writers(walk)
    pairs = [
        list(
            dict.fromkeys(
                binding
                for action in unit
                for binding in action.reads.values()
                if isinstance(binding, Place) and binding.array in writer
            )
        )
        for unit in walk.units
    ]
    backs = {
        place: _backs(walk.relations[place.relation].places, writer[place.array])
        for found in pairs
        for place in found
    }
    links: list[tuple[int, ...]] = []
    start, kinds = 0, walk.kinds
    while start < len(kinds):
        stop = start + 1 + _same(kinds, start + 1, 1)
        found = [backs[place][start:stop] for place in pairs[kinds[start]]]
        if all(back.count(back[0]) == len(back) for back in found):
            links += [tuple(back[0] for back in found)] * (stop - start)
        else:
            links += zip(*found, strict=True)
        start = stop
    return links


def _writers(walk: Walk) -> dict[str, Table]:
    """For each array that is written, by place, where in the walk; beyond it where none writes."""
    writer: dict[str, Table] = {}
    start, kinds = 0, walk.kinds
    while start < len(kinds):
        stop = start + 1 + _same(kinds, start + 1, 1)
        for action in walk.units[kinds[start]]:
            for place in action.writes.values():
                if isinstance(place, Place):
                    relation = walk.relations[place.relation]
                    if place.array not in writer:  # the last: no member
                        writer[place.array] = np.full(len(relation.members) + 1, len(kinds))
                    written = _array(relation.places[start:stop])
                    writer[place.array][written] = np.arange(start, stop)
        start = stop
    return writer


def _backs(places: Sequence[int], writer: Table) -> list[int]:
    """How far back in the walk the values at these places were written."""
    backs = np.arange(len(places)) - writer[_array(places)]
    found: list[int] = np.maximum(backs, 0).tolist()
    return found


def _array(places: Sequence[int]) -> Table:
    if isinstance(places, range):
        return np.arange(places.start, places.stop, places.step)
    return np.asarray(places, dtype=np.int_)

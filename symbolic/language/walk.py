"""A walk: what a step does at every member, described kind by kind.

Members of one *kind* share their *unit*: the kernels applied at a member, one after the other,
with their ports bound to constants or to *places*. A place names an array and a relation, such as
the member's own value, its parent's or its first input's. Which member a relation leads to is a
table of numbers. So a walk over a long chain is a few units and tables, however long the chain
is; its calls are written out only for who asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TypeAlias, TypeVar, overload

import sympy as sp

from .program import Call, Kernel, Ref

T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """Where a port's value lies, seen from the member walked: an array, at a related member."""

    array: str
    relation: str


#: What a port is bound to: a value, or constants.
Binding: TypeAlias = Place | Ref | sp.Matrix


@dataclass(frozen=True, eq=False)
class Action:
    """A kernel with its ports bound, at any member of a kind."""

    kernel: Kernel
    reads: Mapping[str, Binding]
    writes: Mapping[str, Place | Ref]
    span: tuple[int, int] | None = None

    @classmethod
    def of(
        cls, kernel: Kernel, known: Mapping[str, Binding], kept: Mapping[str, Place | Ref]
    ) -> Action:
        """A kernel with those of the places that its ports name."""
        return cls(
            kernel,
            {port.name: known[port.name] for port in kernel.inputs},
            {port.name: kept[port.name] for port in kernel.outputs},
        )


#: What is done at a member of a kind.
Unit = tuple[Action, ...]


def actions(groups: Iterable[Iterable[Call]]) -> list[Unit]:
    """Groups of calls as units."""
    return [
        tuple(Action(call.kernel, call.reads, call.writes, call.span) for call in group)
        for group in groups
    ]


@dataclass(frozen=True, eq=False)
class Relation:
    """To which member of an index set each member walked is related, by its place there."""

    index_set: str
    members: Sequence[str]
    places: Sequence[int]


@dataclass(frozen=True, eq=False)
class Walk(Sequence[Call]):
    """Units applied along members in order; as a sequence, the calls that come of it.

    `kinds` gives for each member the number of its unit; `relations` are by name, each with one
    place for each member.
    """

    members: Sequence[str]
    kinds: Sequence[int]
    units: Sequence[Unit]
    relations: Mapping[str, Relation]

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Walk:
        """Calls as they are: those that follow each other at one member are its unit."""
        if isinstance(calls, Walk):
            return calls
        groups = [tuple(group) for _, group in groupby(calls, key=lambda call: call.member)]
        members = [group[0].member for group in groups]
        return cls(members, range(len(groups)), actions(groups), {})

    @property
    def by_columns(self) -> bool:
        """Is something applied to a range of columns?"""
        return any(action.span is not None for unit in self.units for action in unit)

    def at(self, places: Sequence[int]) -> Walk:
        """The walk along some of its members alone, by their places in it."""
        relations = {
            name: replace(relation, places=compact(taken(relation.places, places)))
            for name, relation in self.relations.items()
        }
        return replace(
            self,
            members=taken(self.members, places),
            kinds=taken(self.kinds, places),
            relations=relations,
        )

    def unit(self, at: int) -> Unit:
        """What is done at the member at this place of the walk."""
        return self.units[self.kinds[at]]

    def calls_at(self, at: int) -> tuple[Call, ...]:
        """The calls at the member at this place of the walk."""
        member = self.members[at]
        return tuple(
            Call(
                action.kernel,
                member,
                {name: self._bound(binding, at) for name, binding in action.reads.items()},
                {name: self._placed(place, at) for name, place in action.writes.items()},
                action.span,
            )
            for action in self.unit(at)
        )

    def _bound(self, binding: Binding, at: int) -> Ref | sp.Matrix:
        return self._placed(binding, at) if isinstance(binding, Place | Ref) else binding

    def _placed(self, place: Place | Ref, at: int) -> Ref:
        if isinstance(place, Ref):
            return place
        relation = self.relations[place.relation]
        return Ref(place.array, relation.members[relation.places[at]])

    def __iter__(self) -> Iterator[Call]:
        for at in range(len(self.members)):
            yield from self.calls_at(at)

    @cached_property
    def _calls(self) -> tuple[Call, ...]:
        return tuple(iter(self))

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Call, ...]: ...
    def __getitem__(self, at: int | slice) -> Call | tuple[Call, ...]:
        return self._calls[at]

    def __len__(self) -> int:
        numbers = [0] * len(self.units)
        for kind in self.kinds:
            numbers[kind] += 1
        return sum(number * len(unit) for number, unit in zip(numbers, self.units, strict=True))

    def __bool__(self) -> bool:
        return any(self.units)


def spoken_of(units: Iterable[Unit]) -> set[str]:
    """All relations that units speak of."""
    return {
        place.relation
        for unit in units
        for action in unit
        for place in (*action.reads.values(), *action.writes.values())
        if isinstance(place, Place)
    }


class Written(Sequence[Call]):
    """The calls of a step, written down when they are first looked at.

    `like` are a few of them, which between them read and write every array that all do.
    """

    def __init__(
        self, write: Callable[[], Iterable[Call]], like: Iterable[Call] | None = None
    ) -> None:
        self._write = write
        self.like: Iterable[Call] = self if like is None else tuple(like)

    @cached_property
    def _calls(self) -> tuple[Call, ...]:
        return tuple(self._write())

    @overload
    def __getitem__(self, at: int) -> Call: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Call, ...]: ...
    def __getitem__(self, at: int | slice) -> Call | tuple[Call, ...]:
        return self._calls[at]

    def __len__(self) -> int:
        return len(self._calls)

    def __bool__(self) -> bool:
        """Is there a call? One is enough to say so."""
        return bool(self._calls) if "_calls" in self.__dict__ else any(True for _ in self._write())


def compact(places: Sequence[int]) -> Sequence[int]:
    """The same numbers, as a range if they are evenly spaced."""
    if isinstance(places, range) or len(places) < 2:
        return places
    step = places[1] - places[0]
    if not step:
        return places
    even = range(places[0], places[0] + step * len(places), step)
    return even if list(even) == list(places) else places


def taken(items: Sequence[T], places: Sequence[int]) -> Sequence[T]:
    """The items at these places."""
    spread = _spread(places)
    return [items[at] for at in places] if spread is None else items[spread]


def put(items: list[T], places: Sequence[int], values: Sequence[T]) -> None:
    """Set the items at these places."""
    spread = _spread(places)
    if spread is None:
        for at, value in zip(places, values, strict=True):
            items[at] = value
    else:
        items[spread] = values


def _spread(places: Sequence[int]) -> slice | None:
    """Evenly spaced places as a slice, by which lists are read and written fast."""
    if not isinstance(places, range) or not places or min(places[0], places[-1]) < 0:
        return None
    stop = places.stop if places.stop >= 0 else None
    return slice(places.start, stop, places.step)

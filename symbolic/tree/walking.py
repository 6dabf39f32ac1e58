"""The driver of all methods on a tree: walks along its links, with ports bound by name.

A method says, in a *rule*, which kernels it applies at a link; the driver finds where each of their
ports lies from the port's name alone. One table serves all methods:

=========  =========================================================================
`x`        the link's own value of the array `x`
`xp`       its parent's, where the method carries `x` outwards
`x_Ik`     that of the body at its k-th input
=========  =========================================================================

What has a meaning of its own (a body's constants, the coordinates and forces of the link's hinge,
loads at its output) is the method's dictionary, and what a page needs beyond it, it says. Links of
one *kind* share their rule's outcome and the way it is bound: a walk's cost is counted in kinds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from typing import TypeAlias, TypeVar

from ..language.program import (
    Array,
    Call,
    Kernel,
    Port,
    Program,
    Ref,
    Slot,
    Step,
    Storage,
    named,
)
from ..language.slices import Wanted, derived_arrays, entry, step_writes
from ..language.walk import Action, Binding, Place, Relation, Unit, Walk, compact, spoken_of, taken
from ..plans.plan import Link, Plan
from ..sharing.sums import summed, without

#: What a method does at a link: kernels, bound by name, or what is bound already.
Rule: TypeAlias = Callable[[Link], Iterable[Kernel | Action | Call]]

#: How a link finds a related member: the index set, and the member by link, or its place there.
Finder: TypeAlias = tuple[str, Callable[[Link], str | int | None]]

T = TypeVar("T")

#: For each relation the index set of a thing's related members, and how one is found.
Related: TypeAlias = Mapping[str, tuple[str, Callable[[T], str | None]]]

_INPUT = re.compile(r"(\w+?)_I(\d+)")


class Tree:
    """The links of a plan as something to walk along.

    `own` is the index set of the links, `sets` are all index sets of the program.
    """

    def __init__(self, plan: Plan, own: str, sets: Mapping[str, tuple[str, ...]]) -> None:
        self.plan = plan
        self.links = plan.links
        self.set = own
        self.sets = dict(sets)
        self._relations: dict[str, Relation] = {}
        self._places: dict[str, dict[str, int]] = {}

    # The method's dictionary

    def reads(self, name: str, link: Link) -> Binding | None:
        """What a name means to a kernel that takes it, if it is none of the common ones."""
        return None

    def writes(self, name: str, link: Link) -> Place | Ref | None:
        """Where a kernel's output of this name is kept, if not with the link."""
        return None

    def kind(self, link: Link) -> Hashable:
        """What links share for which rules do the same; by default no two do."""
        return link.name

    def finder(self, relation: str) -> Finder | None:
        """How a relation beyond the common ones is found."""
        return None

    def set_of(self, array: str) -> str:
        """The index set of a work array that calls write; by default the links'."""
        return self.set

    # The program

    @property
    def extents(self) -> tuple[float, ...]:
        """The sizes that the conditions of closed loops are judged by."""
        return ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """What the numbers of `q` mean, where its array does not say it."""
        return ()

    def program(
        self,
        algorithm: str,
        title: str,
        steps: Iterable[Step],
        declared: Iterable[Array],
        wanted: Iterable[Wanted],
        runtime: tuple[str, ...],
    ) -> Program:
        """The steps that have something to do, with the arrays and public functions that follow.

        `declared` are the caller's arrays, and work arrays of other sets than the links'. Of what
        is `wanted` there is what some step writes, and all that is given by speed, or by two.
        """
        busy = tuple(step for step in steps if step.calls or step.dense)
        known = named(declared)
        if self.plan.model.followers:
            given = {name: x for name, x in known.items() if x.storage is Storage.RESULT}
            found = [*summed(busy, given, self.sets)]
            busy = tuple(step for step, _ in found)
            known |= named(x for _, arrays in found for x in arrays)
            wanted = without(wanted)
        written = {array for step in busy for array in step_writes(step)}
        by_speed = {name for name, x in known.items() if x.index_set in ("speeds", "pairs")}
        there = written | by_speed
        model = self.plan.model
        return Program(
            name=model.name,
            title=f"{title}: {model.name}",
            algorithm=algorithm,
            sets=self.sets,
            arrays=known | named(derived_arrays(busy, known, self.set_of)),
            steps=busy,
            entries=tuple(entry(each, busy) for each in wanted if there >= {*each.results}),
            parameters=dict(model.parameters),
            runtime=runtime,
            slots=self.slots,
            extents=self.extents,
        )

    # Walks

    def inward(self, *rules: Rule) -> Walk:
        """From the tips to the root: every link after those that hang on it."""
        return self._walk(rules, range(len(self.links)))

    def outward(self, *rules: Rule) -> Walk:
        """From the root to the tips: every link after its parent."""
        return self._walk(rules, range(len(self.links))[::-1])

    def each(self, *rules: Rule) -> Walk:
        """Every link by itself, in the model's order."""
        place = {link.name: at for at, link in enumerate(self.links)}
        return self._walk(rules, compact([place[body.name] for body in self.plan.model.bodies]))

    def over(
        self,
        things: Iterable[T],
        rule: Callable[[T], Iterable[Action]],
        related: Related[T],
        kind: Callable[[T], Hashable] = lambda _: None,
    ) -> Walk:
        """Other things than links, such as pairs of them, each by itself, in their order.

        The relation `own` is to the member walked. Things of one kind do the same, by default all.
        """
        walked = tuple(things)
        first: dict[Hashable, tuple[int, T]] = {}
        kinds = [first.setdefault(kind(x), (len(first), x))[0] for x in walked]
        units = [tuple(rule(x)) for _, x in first.values()]
        relations = {
            name: self._table(related[name][0], map(related[name][1], walked))
            for name in sorted(spoken_of(units))
        }
        own = related["own"][1]
        return Walk([own(x) or "" for x in walked], compact(kinds), units, relations)

    def _walk(self, rules: Sequence[Rule], chosen: Sequence[int]) -> Walk:
        kinds, members = taken(self._kinds, chosen), taken(self._names, chosen)
        first = dict(zip(reversed(kinds), reversed(chosen), strict=True))
        found = {kind: self._units(rules, self.links[first[kind]]) for kind in sorted(first)}
        own = [
            len(parts) == 1 and parts[0][0] == self.links[first[kind]].name
            for kind, parts in found.items()
        ]
        if all(own):
            units = [
                found[kind][0][1] if kind in found else ()
                for kind in range(max(kinds, default=-1) + 1)
            ]
        else:
            units, kinds, members, chosen = self._apart(found, chosen)
        relations = {name: self._chosen(name, chosen) for name in sorted(spoken_of(units))}
        return Walk(members, kinds, units, relations)

    def _apart(
        self, found: Mapping[int, Sequence[tuple[str, Unit]]], chosen: Sequence[int]
    ) -> tuple[list[Unit], list[int], list[str], list[int]]:
        """Units, kinds, members and links where links have parts, or nothing is done at some."""
        units = [unit for parts in found.values() for _, unit in parts]
        number = {id(unit): at for at, unit in enumerate(units)}
        walked = [
            (at, self.links[at].name if len(found[kind]) == 1 else member, number[id(unit)])
            for at in chosen
            for kind in (self._kinds[at],)
            for member, unit in found[kind]
        ]
        kinds = [kind for _, _, kind in walked]
        return units, kinds, [member for _, member, _ in walked], [at for at, _, _ in walked]

    @cached_property
    def _names(self) -> list[str]:
        return [link.name for link in self.links]

    @cached_property
    def _kinds(self) -> list[int]:
        numbers: dict[Hashable, int] = {}
        return [numbers.setdefault(self.kind(link), len(numbers)) for link in self.links]

    def _units(self, rules: Sequence[Rule], link: Link) -> list[tuple[str, Unit]]:
        """What rules do at a link, and at parts of it: each with the member that it is."""
        made = [each for rule in rules for each in rule(link)]
        groups = groupby(made, lambda each: each.member if isinstance(each, Call) else link.name)
        return [(member, tuple(self._action(x, link) for x in group)) for member, group in groups]

    def _action(self, made: Kernel | Action | Call, link: Link) -> Action:
        if isinstance(made, Kernel):
            return self.bound(made, link)
        if isinstance(made, Call):
            return Action(made.kernel, made.reads, made.writes, made.span)
        return made

    # Names

    def bound(
        self,
        kernel: Kernel,
        link: Link,
        reads: Mapping[str, Binding] | None = None,
        writes: Mapping[str, Place | Ref] | None = None,
    ) -> Action:
        """A kernel with its ports bound by their names, but for those that are given."""
        given, kept = reads or {}, writes or {}
        return Action(
            kernel,
            {
                port.name: given[port.name] if port.name in given else self._read(port, link)
                for port in kernel.inputs
            },
            {
                port.name: kept[port.name] if port.name in kept else self._written(port, link)
                for port in kernel.outputs
            },
        )

    def call(
        self,
        kernel: Kernel,
        link: Link,
        reads: Mapping[str, Binding] | None = None,
        writes: Mapping[str, Place | Ref] | None = None,
    ) -> Call:
        """The same as a call at this link."""
        action = self.bound(kernel, link, reads, writes)
        return Call(
            kernel,
            link.name,
            {n: self._at(x, link) if isinstance(x, Place) else x for n, x in action.reads.items()},
            {n: self._at(x, link) if isinstance(x, Place) else x for n, x in action.writes.items()},
        )

    def _at(self, place: Place, link: Link) -> Ref:
        index_set, find = self._finder(place.relation)
        member = find(link)
        assert member is not None
        return Ref(place.array, self.sets[index_set][member] if isinstance(member, int) else member)

    def _read(self, port: Port, link: Link) -> Binding:
        found = self.reads(port.name, link)
        return self._common(port.name) if found is None else found

    def _written(self, port: Port, link: Link) -> Place | Ref:
        found = self.writes(port.name, link)
        return self._common(port.name) if found is None else found

    def _common(self, name: str) -> Place:
        at_input = _INPUT.fullmatch(name)
        return Place(at_input[1], f"input {at_input[2]}") if at_input else Place(name, "own")

    # Relations

    def _chosen(self, name: str, chosen: Sequence[int]) -> Relation:
        whole = self._relation(name)
        return Relation(whole.index_set, whole.members, taken(whole.places, chosen))

    def _relation(self, name: str) -> Relation:
        if name not in self._relations:
            index_set, find = self._finder(name)
            self._relations[name] = self._table(index_set, map(find, self.links))
        return self._relations[name]

    def _table(self, index_set: str, related: Iterable[str | int | None]) -> Relation:
        members, named = self.sets[index_set], tuple(related)
        if named == members:
            return Relation(index_set, members, range(len(members)))
        if str in {*map(type, named)} and index_set not in self._places:
            self._places[index_set] = dict(zip(members, range(len(members)), strict=True))
        at = self._places.get(index_set, {})
        places = [x if isinstance(x, int) else -1 if x is None else at[x] for x in named]
        return Relation(index_set, members, compact(places))

    def _finder(self, name: str) -> Finder:
        found = self.finder(name)
        if found:
            return found
        if name == "own":
            return self.set, lambda link: link.name
        if name == "parent":
            return self.set, lambda link: link.parent
        word, _, number = name.partition(" ")
        if word == "input":
            k = int(number) - 1
            return self.set, lambda link: link.children[k] if k < len(link.children) else None
        raise KeyError(name)

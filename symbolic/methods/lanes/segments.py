"""What a page's steps do at the bodies of a chain, side by side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import sympy as sp

from ...language.columns import SUFFIX
from ...language.program import Call, Kernel, Port, Ref, Step, Storage, named
from ...language.slices import entry
from ...language.walk import (
    Action,
    Binding,
    Place,
    Unit,
    Walk,
    spoken_of,
    taken,
)
from ...plans.plan import Link
from ...plans.segments import Chain, Course, LaneStep, long_chains
from . import kernels
from .page import Carried, Page, Template

Reads: TypeAlias = dict[str, Ref | sp.Matrix]
Bound: TypeAlias = dict[str, Binding]


@dataclass(frozen=True)
class Body:
    """A body of a chain like all of its kind: what the page does there, where in its segment it is.

    A segment's sweep begins with its `first` body and ends with the `last`.
    """

    link: Link
    unit: Unit
    first: bool
    last: bool


#: What is done at a body of a chain.
Rule: TypeAlias = Callable[[Body], Iterable[Action]]

#: Nothing is taken over.
NONE: Carried = {}


def row(array: str) -> Place:
    """What a body of a chain keeps, the bodies of all segments side by side."""
    return Place(f"{array}_row", "row")


def row_before(array: str) -> Place:
    """What the body before it in the sweep keeps."""
    return Place(f"{array}_row", "row before")


def of_segment(array: str) -> Place:
    """What the body's segment keeps."""
    return Place(array, "segment")


class Segments:
    """The chains of a tree, and the steps of a page at their bodies.

    `other` is the same page of the `opened` plan. Arrays of segments are called `x_start` (the
    segment without bodies), `x_end` (as a whole) and `x_near` (at its near end); those of columns
    and of the wrench at the far end have its width in their names.
    """

    def __init__(self, page: Page, other: Page, lanes: int) -> None:
        self.page, self.opened, self.plan = page, other, page.tree.plan
        self.caller = named(page.arrays())
        self.given = {name for name, x in self.caller.items() if x.storage is not Storage.WORK}
        self.steps = [step for step in page.steps() if step.calls or step.dense]
        used = {name for x in page.wanted for name in entry(x, self.steps).steps}
        self.dynamic = [step for step in self.steps if step.name in used]
        self.walks = {
            step.name: walk
            for step in other.steps()
            if step.name in used and (walk := other.walk(step)) is not None
        }
        self.seats = {
            name: {member: at for at, member in enumerate(walk.members)}
            for name, walk in self.walks.items()
        }
        sets = {name: page.tree.sets[name] for name in page.members(self.plan.links[0])}
        self.chains = long_chains(other.tree.plan, sets, page.members, self._alike, lanes)
        self.width = {chain: page.width(chain) for chain in self.chains}
        self.top = {chain.top.name: chain for chain in self.chains}
        self.cut = {link.name for chain in self.chains for link in chain.links}
        self.templates = {
            (step.name, chain): Template(self.unit(step, chain.links[len(chain.links) // 2]))
            for step in self.dynamic
            for chain in self.chains
        }
        #: What steps read of a body's parent that others have given it.
        self.above = {
            x
            for template in self.templates.values()
            for x in {*template.reads("parent").values()} - template.written
        }
        self.sets = {
            "rows": tuple(name for chain in self.chains for name in chain.members),
            "segments": tuple(name for chain in self.chains for name in chain.names),
            "slots": tuple(name for chain in self.chains for name in chain.slots),
        }
        self.segments = {*self.sets["segments"]}
        self.courses: dict[tuple[Chain, bool], Course] = {}
        #: What is known up to the wrench at the far end.
        self.columned: set[str] = set()

    def _alike(self, link: Link) -> Hashable:
        """What bodies share that do the same: all kernels; what acts on one alone sets it apart."""
        found = []
        for step in self.dynamic:
            for action in self.unit(step, link):
                for bound in action.reads.values():
                    if isinstance(bound, Ref) and self.caller[bound.array].index_set != "system":
                        return link.name
                alike = step.name not in self.page.differing
                found.append(action.kernel if alike else action.kernel.outputs)
        return tuple(found)

    def unit(self, step: Step, link: Link) -> Unit:
        """What a step does at a link."""
        at = self.seats.get(step.name, {}).get(link.name)
        return () if at is None else self.walks[step.name].unit(at)

    def bound(
        self, chain: Chain, step: Step, body: Body, carried: Carried, tag: str = ""
    ) -> Iterator[tuple[Action, Bound, dict[str, Place | Ref]]]:
        """What a step does at a body, and what it reads and writes there, `tag` in its name."""
        template = self.templates[step.name, chain]  # a tree's first body reads the ground's
        above = template.reads("parent")
        unit = body.unit if step.name in self.page.differing else template.unit
        for k, (action, own) in enumerate(zip(unit, body.unit, strict=True)):
            reads: Bound = {}
            for port, bound in action.reads.items():
                if (k, port) in carried:
                    reads[port] = carried[k, port]
                elif (k, port) in above:
                    reads[port] = row(f"{above[k, port]}_above")
                elif array := self.kept(bound):
                    reads[port] = row(array)
                else:
                    reads[port] = own.reads[port]
            writes: dict[str, Place | Ref] = {}
            for port, place in action.writes.items():
                array = self.kept(place)
                far = isinstance(place, Place) and place.relation == "input 1"
                here = row(f"{array}{tag}{'_far' if far else ''}")
                writes[port] = here if array else own.writes[port]
            yield action, reads, writes

    def kept(self, place: Binding) -> str:
        """The array of a body's own value, of what acts on it one for each; or nothing."""
        if not isinstance(place, Place) or place.array in self.given:
            return ""
        word, _, number = place.relation.partition(" ")
        return place.array + (number if word == "push" else "")

    def at_body(
        self, chain: Chain, step: Step, body: Body, carried: Carried = NONE
    ) -> Iterator[Action]:
        """The same, the wrench at the far end being known."""
        for k, (action, reads, writes) in enumerate(self.bound(chain, step, body, carried)):
            for port in action.kernel.inputs:
                bound = action.reads[port.name]
                if not isinstance(bound, Place) or (k, port.name) in carried:
                    continue
                if bound.array in self.columned:
                    found = self.known(chain, bound.array, port)
                    yield found
                    (reads[port.name],) = found.writes.values()
            yield Action(action.kernel, reads, writes)

    def known(self, chain: Chain, array: str, port: Port) -> Action:
        """A value with columns, now that the wrench at the far end is known."""
        width = self.width[chain]
        kernel = kernels.known.of(port=Port(array, port.rows), **self.sizes(chain))
        reads: Bound = {array: row(array), "f": of_segment(f"f{width}")}
        reads[array + SUFFIX] = self.column(array, chain)
        return Action(kernel, reads, {f"{array}f": row(f"{array}_known")})

    def sizes(self, chain: Chain) -> dict[str, int]:
        """What kernels of a chain ask."""
        sizes = {"dimension": self.plan.model.dimension, "near": self.page.near}
        return sizes | {"width": self.width[chain]}

    def copied(self, ports: tuple[Port, ...], suffix: str, title: str) -> Kernel:
        """Values as they are, under names with a suffix."""
        of = {"ports": ports, "suffix": suffix, "title": title}
        return kernels.copied.of(dimension=self.plan.model.dimension, **of)

    def constant(self, title: str, name: str, value: sp.Matrix) -> Kernel:
        """A constant."""
        of = {"title": title, "name": name, "value": sp.ImmutableMatrix(value)}
        return kernels.constant.of(dimension=self.plan.model.dimension, **of)

    def column(self, array: str, chain: Chain) -> Place:
        """A body's columns of an array."""
        return row(f"{array}{SUFFIX}{self.width[chain]}")

    # Steps

    def swept(
        self, chain: Chain, step: Step, name: str, title: str, rule: Rule, outward: bool
    ) -> LaneStep:
        """A sweep along all segments of a chain."""
        return self._along(chain, step, name, title, rule, chain.inward != outward)

    def _along(
        self, chain: Chain, step: Step, name: str, title: str, rule: Rule, ascending: bool
    ) -> LaneStep:
        """What a rule makes of a step, kind by kind: those of the page, and the segments' ends."""
        if (chain, ascending) not in self.courses:
            self.courses[chain, ascending] = Course(chain, ascending, self.sets)
        course, walk = self.courses[chain, ascending], Walk((), (), (), {})
        if self.templates[step.name, chain].unit:
            links, seats = taken(chain.links, course.bodies), self.seats[step.name]
            page = self.walks[step.name].at([seats[link.name] for link in links])
            keys = [*zip(page.kinds, course.ends, strict=True)]
            like = dict(zip(reversed(keys), reversed(links), strict=True))
            number = {key: at for at, key in enumerate(dict.fromkeys(keys))}
            units = [
                tuple(rule(Body(like[kind, ends], page.units[kind], *ends)))
                for kind, ends in number
            ]
            known = {**page.relations, **course.relations}
            relations = {name: known[name] for name in sorted(spoken_of(units))}
            walk = Walk(page.members, [number[key] for key in keys], units, relations)
        return LaneStep.of(name, title, walk, course)

    def mapped(self, step: Step) -> Iterator[Step]:
        """A map: the bodies of chains side by side, all others one by one."""
        differing: list[Call] = []
        for chain in self.chains:
            rule = partial(self.at_body, chain, step)
            name = f"{step.name}_{chain.number}"
            found = self._along(chain, step, name, step.title, rule, ascending=True)
            if len({tuple(action.kernel for action in unit) for unit in found.bodies.units}) > 1:
                order = found.course.bodies
                for at in sorted(range(len(order)), key=order.__getitem__):
                    differing += found.bodies.calls_at(at)
            else:
                yield found
        yield self.rest(step, (*differing, *self.single(step)))

    def rest(self, step: Step, calls: Iterable[Call]) -> Step:
        """A step over what is in no chain."""
        return type(step)(step.name, step.title, tuple(calls))

    def single(self, step: Step) -> Iterator[Call]:
        """The page's calls at what is in no chain."""
        walk = Walk.of(step.calls)
        for at, member in enumerate(walk.members):
            if self.page.holder(step, member) not in self.cut:
                yield from walk.calls_at(at)

    def along(self, step: Step, at_chain: Mapping[str, Iterable[Call]]) -> Step:
        """A sweep over what is in no chain, and over each chain as a whole where its top is."""
        left = {name: tuple(calls) for name, calls in at_chain.items()}
        walk = Walk.of(step.calls)
        found: list[Call] = []
        for at, member in enumerate(walk.members):
            found += left.pop(member, ()) if member in self.cut else walk.calls_at(at)
        return self.rest(step, found)

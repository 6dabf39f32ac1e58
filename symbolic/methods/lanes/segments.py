"""What a page's steps do at the bodies of a chain, side by side."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

import sympy as sp

from ...language.columns import SUFFIX
from ...language.program import Call, Port, Ref, Step, named
from ...language.slices import entry
from ...language.walk import Action, Place, Unit, Walk
from ...plans.plan import Link
from ...plans.segments import Chain, LaneStep, lane_step, long_chains
from . import kernels
from .page import Carried, Page, Template

Reads = dict[str, Ref | sp.Matrix]

#: What is done at the bodies of a segment, one after the other.
Units = list[tuple[Call, ...]]

#: Nothing is taken over.
NONE: Carried = {}


def row(array: str, member: str) -> Ref:
    """What a body of a chain keeps, the bodies of all segments side by side."""
    return Ref(f"{array}_row", member)


class Segments:
    """The chains of a tree, and the steps of a page at their bodies.

    `other` is the same page of the `opened` plan. Arrays of segments are called `x_start` (the
    segment without bodies), `x_end` (as a whole) and `x_near` (at its near end); those of columns
    and of the wrench at the far end have its width in their names.
    """

    def __init__(self, page: Page, other: Page, lanes: int) -> None:
        self.page, self.opened, self.plan = page, other, page.tree.plan
        self.caller = named(page.arrays())
        self.steps = [step for step in page.steps() if step.calls or step.dense]
        used = {name for x in page.wanted for name in entry(x, self.steps).steps}
        self.dynamic = [step for step in self.steps if step.name in used]
        self.walks = {
            step.name: step.calls
            for step in other.steps()
            if isinstance(step.calls, Walk) and step.name in used
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

    def calls(self, step: Step, link: Link) -> tuple[Call, ...]:
        """The same as calls."""
        at = self.seats.get(step.name, {}).get(link.name)
        return () if at is None else self.walks[step.name].calls_at(at)

    def bound(
        self, chain: Chain, step: Step, link: Link, carried: Carried, tag: str = ""
    ) -> Iterator[tuple[Action, Reads, dict[str, Ref]]]:
        """What a step does at a body, and what it reads and writes there, `tag` in its name."""
        template = self.templates[step.name, chain]  # a tree's first body reads the ground's
        above, name = template.reads("parent"), link.name
        unit = self.unit(step, link) if step.name in self.page.differing else template.unit
        for k, (action, call) in enumerate(zip(unit, self.calls(step, link), strict=True)):
            reads: Reads = {}
            for port, bound in action.reads.items():
                if (k, port) in carried:
                    reads[port] = carried[k, port]
                elif (k, port) in above:
                    reads[port] = row(f"{above[k, port]}_above", name)
                elif isinstance(bound, Place) and bound.array not in self.caller:
                    reads[port] = row(bound.array, name)
                else:
                    reads[port] = call.reads[port]
            writes = {}
            for port, place in action.writes.items():
                far = isinstance(place, Place) and place.relation == "input 1"
                own = row(f"{place.array}{tag}{'_far' if far else ''}", name)
                writes[port] = call.writes[port] if place.array in self.caller else own
            yield action, reads, writes

    def at_link(
        self, chain: Chain, lane: int, step: Step, link: Link, carried: Carried = NONE
    ) -> Iterator[Call]:
        """The same as calls, the wrench at the far end being known."""
        for k, (action, reads, writes) in enumerate(self.bound(chain, step, link, carried)):
            for port in action.kernel.inputs:
                bound = action.reads[port.name]
                if not isinstance(bound, Place) or (k, port.name) in carried:
                    continue
                if bound.array in self.columned:
                    found = self.known(chain, lane, bound.array, port, link)
                    yield found
                    (reads[port.name],) = found.writes.values()
            yield Call(action.kernel, link.name, reads, writes)

    def known(self, chain: Chain, lane: int, array: str, port: Port, link: Link) -> Call:
        """A value with columns, now that the wrench at the far end is known."""
        width = self.width[chain]
        kernel = kernels.known(array, port.rows, width)
        reads: Reads = {array: row(array, link.name), "f": Ref(f"f{width}", chain.name(lane))}
        reads[array + SUFFIX] = self.column(array, chain, link)
        return Call(kernel, link.name, reads, {f"{array}f": row(f"{array}_known", link.name)})

    def column(self, array: str, chain: Chain, link: Link) -> Ref:
        """A body's columns of an array."""
        return row(f"{array}{SUFFIX}{self.width[chain]}", link.name)

    # Steps

    def side_by_side(
        self, chain: Chain, name: str, title: str, lanes: Sequence[Units], outward: bool
    ) -> LaneStep:
        """A sweep along all segments of a chain."""
        return lane_step(chain, f"{name}_{chain.number}", title, lanes, chain.inward != outward)

    def mapped(self, step: Step) -> Iterator[Step]:
        """A map: the bodies of chains side by side, all others one by one."""
        differing: list[Call] = []
        for chain in self.chains:
            lanes = [
                [tuple(self.at_link(chain, lane, step, link)) for link in chain.segment(lane)]
                for lane in range(chain.lanes)
            ]
            units = [unit for segment in lanes for unit in segment]
            if len({tuple(call.kernel for call in unit) for unit in units}) > 1:
                differing += (call for unit in units for call in unit)
            elif units[0]:
                yield lane_step(chain, f"{step.name}_{chain.number}", step.title, lanes, True)
        yield self.rest(step, (*differing, *self.single(step)))

    def rest(self, step: Step, calls: Iterable[Call]) -> Step:
        """A step over what is in no chain."""
        return type(step)(step.name, step.title, tuple(calls))

    def single(self, step: Step) -> Iterator[Call]:
        """The page's calls at what is in no chain."""
        return (call for call in step.calls if call.member not in self.cut)

    def along(self, step: Step, at_chain: Mapping[str, Iterable[Call]]) -> Step:
        """A sweep over what is in no chain, and over each chain as a whole where its top is."""
        left = {name: tuple(calls) for name, calls in at_chain.items()}
        found: list[Call] = []
        for call in step.calls:
            if call.member not in self.cut:
                found.append(call)
            found += left.pop(call.member, ())
        return self.rest(step, found)

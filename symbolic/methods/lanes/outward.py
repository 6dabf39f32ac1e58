"""The sweeps outwards: of motion, and of accelerations.

A segment whose near end is at rest moves in itself as a hinge does, so that segments are put
together by the page's own kernel, and swept once more.

Accelerations are those of the page, with the wrench at the far end known. Where hinges hand on a
force alone, it is not known yet how the near end of a segment turns: the body there does not feel
it. What is felt is the acceleration z of the hinge's point, with which all are swept; the hinges'
own accelerations follow in a map, once it is known how everything turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import sympy as sp

from ...language.program import Call, Map, Port, Ref, Step
from ...plans.plan import Link
from ...plans.segments import Chain
from . import kernels
from .page import Template
from .segments import Reads, Segments, Units, row


class Outward(Segments):
    """Segments from their near ends to their far ends."""

    def at_rest(self, chain: Chain) -> Iterator[Call]:
        """What the motion of all segments of a chain begins from."""
        for step in self.dynamic:
            if step.name in self.page.moving:
                for port in self.templates[step.name, chain].ports:
                    kernel = kernels.constant("at rest", port.name, self.page.at_rest(port.name))
                    for name in chain.names:
                        yield Call(kernel, name, {}, {port.name: Ref(f"{port.name}_start", name)})

    def _swept(self, chain: Chain, step: Step, start: str, tag: str = "") -> list[Units]:
        """All segments of a chain, from what lies at their near ends or, tagged, from rest."""
        template = self.templates[step.name, chain]
        lanes = []
        for lane in range(chain.lanes):
            before = {x.name: Ref(f"{x.name}_{start}", chain.name(lane)) for x in template.ports}
            units: Units = []
            for link in chain.outwards(lane):
                carried = {at: before[x] for at, x in template.outward.items()}
                if tag:
                    bound = self.bound(chain, step, link, carried, tag)
                    units.append(tuple(Call(a.kernel, link.name, r, w) for a, r, w in bound))
                else:
                    kept = self._taken_over(template, before, link)
                    units.append((*kept, *self.at_link(chain, lane, step, link, carried)))
                far = "_far" if template.pushed else ""
                before = {x: row(f"{x}{tag}{far}", link.name) for x in before}
            lanes.append(units)
        return lanes

    def _taken_over(self, template: Template, before: dict[str, Ref], link: Link) -> Iterator[Call]:
        """What a body takes over, kept with it where other steps read it."""
        for port in template.ports:
            name = port.name
            if template.pushed or name in self.above:
                kernel = kernels.copied((port,), "o", "what a body takes over")
                kept = row(name if template.pushed else f"{name}_above", link.name)
                yield Call(kernel, link.name, {name: before[name]}, {f"{name}o": kept})

    def _near(self, chain: Chain, step: Step) -> Iterator[Call]:
        """The near end of a chain is what its first body takes over."""
        first = chain.name(chain.outward[0])
        template, calls = self.templates[step.name, chain], self.calls(step, chain.top)
        for port, (k, taken) in zip(template.ports, template.outward, strict=True):
            kernel = kernels.copied((port,), "n", "where a chain hangs")
            reads = {port.name: calls[k].reads[taken]}
            yield Call(kernel, first, reads, {f"{port.name}n": Ref(f"{port.name}_near", first)})

    def _beyond(self, chain: Chain, step: Step, array: str) -> Iterator[tuple[str, Ref]]:
        """The segments that something hangs on, and where what holds at its far end is kept."""
        for lane, after in pairwise(chain.outward):
            yield chain.name(lane), Ref(f"{array}_near", chain.name(after))
        if chain.child is not None:
            pushed = self.templates[step.name, chain].pushed
            member = chain.child if pushed else chain.tip.name
            yield chain.name(chain.outward[-1]), Ref(array, member)

    # Motion

    def turned(self, step: Step) -> Iterator[Step]:
        """A sweep of motion from near ends at rest."""
        for chain in self.chains:
            ports = self.templates[step.name, chain].ports
            kernel = kernels.copied(ports, "e", "a segment as a whole")
            lanes = self._swept(chain, step, "start", "_turned")
            for lane, units in enumerate(lanes):
                name, last = chain.name(lane), chain.outwards(lane)[-1].name
                reads: Reads = {x.name: row(f"{x.name}_turned", last) for x in ports}
                writes = {f"{x.name}e": Ref(f"{x.name}_end", name) for x in ports}
                units[-1] = (*units[-1], Call(kernel, name, reads, writes))
            title = f"{step.title}: relative to the near ends"
            yield self.side_by_side(chain, f"{step.name}_turned", title, lanes, outward=True)

    def moved(self, step: Step) -> Iterator[Step]:
        """A sweep of motion over the segments as wholes, then along each of them."""
        composed = {name: self._composed(chain, step) for name, chain in self.top.items()}
        yield self.along(step, composed)
        for chain in self.chains:
            lanes = self._swept(chain, step, "near")
            yield self.side_by_side(chain, step.name, step.title, lanes, outward=True)

    def _composed(self, chain: Chain, step: Step) -> Iterator[Call]:
        yield from self._near(chain, step)
        template, kernel = self.templates[step.name, chain], self.page.moving[step.name]
        parents = {port: x for (_, port), x in template.outward.items()}
        beyond = zip(*(self._beyond(chain, step, x) for x in parents.values()), strict=True)
        for found in beyond:
            name = found[0][0]
            reads: Reads = {
                port.name: Ref(f"{parents[port.name]}_near", name)
                if port.name in parents
                else Ref(f"{self.page.relative[port.name]}_end", name)
                for port in kernel.inputs
            }
            writes = dict(zip(parents.values(), (ref for _, ref in found), strict=True))
            yield Call(kernel, name, reads, writes)

    # Accelerations

    def accelerated(self, step: Step) -> Iterator[Step]:
        """The sweep of accelerations, what holds between the segments being found first."""
        turning = [chain for chain in self.chains if self.width[chain] < self.page.near]
        behind = {chain.child: chain for chain in turning if chain.child is not None}
        parted = {name: self._parted(chain, step) for name, chain in self.top.items()}
        along = self.along(step, parted)
        late = [call for call in along.calls if call.member in behind]
        yield self.rest(
            along,
            (
                self.page.held_back(call, Ref("ud", call.member)) if call in late else call
                for call in along.calls
            ),
        )
        title = f"{step.title}: segments, from the near ends to the far ends"
        for chain in self.chains:
            sweep = self._turning if chain in turning else self._accelerated
            lanes = sweep(chain, step)
            yield self.side_by_side(chain, step.name, title, lanes, outward=True)
        ends = [call for chain in turning for call in self._turned_ends(chain)]
        yield Map("turned_ends", "how the ends of segments turn", tuple(ends))
        title = "accelerations of the coordinates"
        for chain in turning:
            lanes = [self._let_go(chain, lane, step) for lane in range(chain.lanes)]
            yield self.side_by_side(chain, "coordinates", title, lanes, outward=True)
        calls = (
            self.page.let_go(call, Ref("ud", call.member), slot(chain, chain.outward[-1]))
            for call in late
            for chain in [behind[call.member]]
        )
        yield Map("coordinates", title, tuple(calls))

    def _parted(self, chain: Chain, step: Step) -> Iterator[Call]:
        """What holds at the ends of the segments, from the root to the tip."""
        yield from self._near(chain, step)
        (port,) = self.templates[step.name, chain].ports
        width = self.width[chain]
        kernel = kernels.part(width, self.page.near)
        for name, far in self._beyond(chain, step, port.name):
            reads: Reads = {x: Ref(f"{x}{width}", name) for x in ("Xr", "x0", "Fr", "f0")}
            reads["a"] = Ref(f"{port.name}_near", name)
            yield Call(kernel, name, reads, {"far": far, "f": Ref(f"f{width}", name)})

    def _accelerated(self, chain: Chain, step: Step) -> list[Units]:
        return self._swept(chain, step, "near")

    def _turning(self, chain: Chain, step: Step) -> list[Units]:
        """The sweep from hinge to hinge."""
        ((at, x),) = self.templates[step.name, chain].outward.items()
        lanes = []
        for lane in range(chain.lanes):
            before = Ref(f"{x}_near", chain.name(lane))
            units: Units = []
            for number, link in enumerate(chain.outwards(lane), start=1):
                *known, call = self.at_link(chain, lane, step, link, {at: before})
                before = row("z", link.name)
                writes = {"z": before, "turned": slot(chain, lane, number)}
                reached = self.opened.reached(link, row(x, link.name), writes)
                held = self.page.held_back(call, row("ud", link.name))
                units.append((*known, held, reached))
            lanes.append(units)
        return lanes

    def _turned_ends(self, chain: Chain) -> Iterator[Call]:
        """What a segment hands on to the next; to the first one nothing that is not known."""
        still = sp.zeros(self.page.motion, 1)
        first = slot(chain, chain.outward[0], 0)
        kernel = kernels.constant("where a chain hangs", "turned", still)
        yield Call(kernel, first.member, {}, {"turned": first})
        kernel = kernels.copied((Port("turned", len(still)),), "n", "from a segment to the next")
        for lane, beyond in pairwise(chain.outward):
            here = slot(chain, beyond, 0)
            yield Call(kernel, here.member, {"turned": slot(chain, lane)}, {"turnedn": here})

    def _let_go(self, chain: Chain, lane: int, step: Step) -> Units:
        """The accelerations of the hinges' coordinates."""
        (at,) = self.templates[step.name, chain].outward
        units: Units = []
        for number, link in enumerate(chain.outwards(lane)):
            turned = slot(chain, lane, number)
            *_, call = self.at_link(chain, lane, step, link, {at: turned})
            units.append((self.page.let_go(call, row("ud", link.name), turned),))
        return units


def slot(chain: Chain, lane: int, number: int | None = None) -> Ref:
    """How that turns on which a segment's body hangs, or (none) what hangs on its last one."""
    count = len(chain.segment(lane))
    number = count if number is None else number
    at = count - number if chain.inward else number
    return Ref("turned", f"slot {chain.number}.{lane + 1}.{at}")


def slots(chain: Chain) -> Iterator[str]:
    """The members of all slots, side by side."""
    for at in range(chain.rows + 1):
        yield from (f"slot {chain.number}.{lane + 1}.{at}" for lane in range(chain.lanes))

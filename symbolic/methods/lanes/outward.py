"""The sweeps outwards: of motion, and of accelerations.

A segment whose near end is at rest moves in itself as a hinge does, so that segments are put
together by the page's own kernel, and swept once more.

Accelerations are those of the page, with the wrench at the far end known. Where hinges hand on a
force alone, it is not known yet how the near end of a segment turns: the body there does not feel
it. What is felt is the acceleration z of the hinge's point, with which all are swept; the hinges'
own accelerations follow in a map, once it is known how everything turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise

import sympy as sp

from ...language.program import Call, Map, Port, Ref, Step
from ...language.walk import Action, Place, Unit, Walk
from ...plans.segments import Chain
from . import kernels
from .page import Template
from .segments import Body, Reads, Segments, of_segment, row, row_before


class Outward(Segments):
    """Segments from their near ends to their far ends."""

    def at_rest(self, chain: Chain) -> Iterator[Call]:
        """What the motion of all segments of a chain begins from."""
        for step in self.dynamic:
            if step.name in self.page.moving:
                for port in self.templates[step.name, chain].ports:
                    kernel = self.constant("at rest", port.name, self.page.at_rest(port.name))
                    for name in chain.names:
                        yield Call(kernel, name, {}, {port.name: Ref(f"{port.name}_start", name)})

    def _swept(
        self, chain: Chain, step: Step, start: str, tag: str, body: Body
    ) -> Iterator[Action]:
        """A segment's body, from what lies at the near end or, tagged, from rest."""
        template = self.templates[step.name, chain]
        far = "_far" if template.pushed else ""
        before = {
            x.name: of_segment(f"{x.name}_{start}")
            if body.first
            else row_before(f"{x.name}{tag}{far}")
            for x in template.ports
        }
        carried = {at: before[x] for at, x in template.outward.items()}
        if tag:
            for action, reads, writes in self.bound(chain, step, body, carried, tag):
                yield Action(action.kernel, reads, writes)
        else:
            yield from self._taken_over(template, before)
            yield from self.at_body(chain, step, body, carried)

    def _taken_over(self, template: Template, before: Mapping[str, Place]) -> Iterator[Action]:
        """What a body takes over, kept with it where other steps read it."""
        for port in template.ports:
            name = port.name
            if template.pushed or name in self.above:
                kernel = self.copied((port,), "o", "what a body takes over")
                kept = row(name if template.pushed else f"{name}_above")
                yield Action(kernel, {name: before[name]}, {f"{name}o": kept})

    def _near(self, chain: Chain, step: Step) -> Iterator[Call]:
        """The near end of a chain is what its first body takes over."""
        first = chain.name(chain.outward[0])
        template = self.templates[step.name, chain]
        calls = self.walks[step.name].calls_at(self.seats[step.name][chain.top.name])
        for port, (k, taken) in zip(template.ports, template.outward, strict=True):
            kernel = self.copied((port,), "n", "where a chain hangs")
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
            rule = partial(self._turned, chain, step)
            title = f"{step.title}: relative to the near ends"
            name = f"{step.name}_turned_{chain.number}"
            yield self.swept(chain, step, name, title, rule, outward=True)

    def _turned(self, chain: Chain, step: Step, body: Body) -> Iterator[Action]:
        yield from self._swept(chain, step, "start", "_turned", body)
        if body.last:
            ports = self.templates[step.name, chain].ports
            kernel = self.copied(ports, "e", "a segment as a whole")
            reads = {x.name: row(f"{x.name}_turned") for x in ports}
            yield Action(kernel, reads, {f"{x.name}e": of_segment(f"{x.name}_end") for x in ports})

    def moved(self, step: Step) -> Iterator[Step]:
        """A sweep of motion over the segments as wholes, then along each of them."""
        composed = {name: self._composed(chain, step) for name, chain in self.top.items()}
        yield self.along(step, composed)
        for chain in self.chains:
            rule = partial(self._swept, chain, step, "near", "")
            name = f"{step.name}_{chain.number}"
            yield self.swept(chain, step, name, step.title, rule, outward=True)

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
        walk = Walk.of(along.calls)
        late: dict[str, Unit] = {}
        units: list[Unit] = []
        for member, unit in zip(walk.members, walk.units, strict=True):
            if member in behind:
                rate, turned = Ref("ud", member), slot(behind[member], behind[member].outward[-1])
                late[member] = tuple(self.page.let_go(action, rate, turned) for action in unit)
                unit = tuple(self.page.held_back(action, rate) for action in unit)
            units.append(unit)
        yield replace(along, calls=replace(walk, units=units))
        title = f"{step.title}: segments, from the near ends to the far ends"
        for chain in self.chains:
            held = partial(self._turning, chain, step)
            rule = held if chain in turning else partial(self._swept, chain, step, "near", "")
            yield self.swept(chain, step, f"{step.name}_{chain.number}", title, rule, outward=True)
        ends = [call for chain in turning for call in self._turned_ends(chain)]
        yield Map("turned_ends", "how the ends of segments turn", tuple(ends))
        title = "accelerations of the coordinates"
        for chain in turning:
            rule, name = partial(self._let_go, chain, step), f"coordinates_{chain.number}"
            yield self.swept(chain, step, name, title, rule, outward=True)
        yield Map("coordinates", title, Walk([*late], range(len(late)), [*late.values()], {}))

    def _parted(self, chain: Chain, step: Step) -> Iterator[Call]:
        """What holds at the ends of the segments, from the root to the tip."""
        yield from self._near(chain, step)
        (port,) = self.templates[step.name, chain].ports
        width = self.width[chain]
        kernel = kernels.holding.of(**self.sizes(chain))
        for name, far in self._beyond(chain, step, port.name):
            reads: Reads = {x: Ref(f"{x}{width}", name) for x in ("Xr", "x0", "Fr", "f0")}
            reads["a"] = Ref(f"{port.name}_near", name)
            yield Call(kernel, name, reads, {"far": far, "f": Ref(f"f{width}", name)})

    def _turning(self, chain: Chain, step: Step, body: Body) -> Iterator[Action]:
        """The sweep from hinge to hinge."""
        ((at, x),) = self.templates[step.name, chain].outward.items()
        before = of_segment(f"{x}_near") if body.first else row_before("z")
        *known, action = self.at_body(chain, step, body, {at: before})
        yield from known
        yield self.page.held_back(action, row("ud"))
        writes = {"z": row("z"), "turned": Place("turned", "slot beyond")}
        yield self.opened.reached(body.link, row(x), writes)

    def _turned_ends(self, chain: Chain) -> Iterator[Call]:
        """What a segment hands on to the next; to the first one nothing that is not known."""
        still = sp.zeros(self.page.motion, 1)
        first = slot(chain, chain.outward[0], 0)
        kernel = self.constant("where a chain hangs", "turned", still)
        yield Call(kernel, first.member, {}, {"turned": first})
        kernel = self.copied((Port("turned", len(still)),), "n", "from a segment to the next")
        for lane, beyond in pairwise(chain.outward):
            here = slot(chain, beyond, 0)
            yield Call(kernel, here.member, {"turned": slot(chain, lane)}, {"turnedn": here})

    def _let_go(self, chain: Chain, step: Step, body: Body) -> Iterator[Action]:
        """The accelerations of the hinges' coordinates."""
        (at,) = self.templates[step.name, chain].outward
        turned = Place("turned", "slot")
        *_, action = self.at_body(chain, step, body, {at: turned})
        yield self.page.let_go(action, row("ud"), turned)


def slot(chain: Chain, lane: int, number: int | None = None) -> Ref:
    """How that turns on which a segment's body hangs, or (none) what hangs on its last one."""
    count = len(chain.segment(lane))
    number = count if number is None else number
    return Ref("turned", chain.slot(lane, count - number if chain.inward else number))

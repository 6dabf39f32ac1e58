"""The sweep inwards: segments with columns for the wrench at their far ends, then joined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

import sympy as sp

from ...language.columns import SUFFIX, with_columns
from ...language.program import Call, Port, Ref, Step
from ...language.walk import Place
from ...plans.plan import Link
from ...plans.segments import Chain
from . import kernels
from .segments import Reads, Segments, Units, row


class Inward(Segments):
    """Segments from their far ends to their near ends."""

    def handed(self, chain: Chain) -> dict[str, str]:
        """What the sweep hands on, by port, and the arrays that it is kept in."""
        page, width = self.page, self.width[chain]
        found = {page.inertia: page.inertia, page.wrench: page.wrench, "L": f"L{width}"}
        column = page.wrench + SUFFIX
        return found | {column: f"{column}{width}", "y": f"y{width}"}

    def starts(self, chain: Chain) -> Iterator[Call]:
        """All segments of a chain without bodies."""
        page, width = self.page, self.width[chain]
        kernel = kernels.start(page.motion, width, (page.inertia, page.wrench))
        for lane in range(chain.lanes):
            name = chain.name(lane)
            reads: Reads = {"B": self.opened.hold(chain.outwards(lane)[-1], width)}
            writes = {port: Ref(f"{x}_start", name) for port, x in self.handed(chain).items()}
            yield Call(kernel, name, reads, writes)

    def inward(self, step: Step) -> Iterator[Step]:
        """From the far ends to the near ends, then all segments joined."""
        for chain in self.chains:
            lanes = [self._segment_inward(chain, lane, step) for lane in range(chain.lanes)]
            title = f"{step.title}: {chain.lanes} segments, from the far ends to the near ends"
            yield self.side_by_side(chain, step.name, title, lanes, outward=False)
        joined = {name: self._joined(chain) for name, chain in self.top.items()}
        yield self.along(step, joined)

    def _segment_inward(self, chain: Chain, lane: int, step: Step) -> Units:
        name, handed = chain.name(lane), self.handed(chain)
        beyond = {port: Ref(f"{array}_start", name) for port, array in handed.items()}
        units: Units = []
        for link in chain.outwards(lane)[::-1]:
            units.append(tuple(self._with_columns(chain, step, link, beyond)))
            beyond = {port: row(array, link.name) for port, array in handed.items()}
        ports = tuple(_written(units[-1], ref, port) for port, ref in beyond.items())
        kernel = kernels.copied(ports, "e", "a segment as a whole")
        ends = {f"{port}e": Ref(f"{array}_end", name) for port, array in handed.items()}
        units[-1] = (*units[-1], Call(kernel, name, dict(beyond), ends))
        return units

    def _with_columns(
        self, chain: Chain, step: Step, link: Link, beyond: Mapping[str, Ref]
    ) -> Iterator[Call]:
        """What is done at a body, with columns for the wrench at the far end."""
        page, column = self.page, self.page.wrench + SUFFIX
        taken = self.templates[step.name, chain].inward
        carried = {at: beyond[array] for at, array in taken.items()}
        for k, (action, reads, writes) in enumerate(self.bound(chain, step, link, carried)):
            columns: Reads = {}
            for port, bound in action.reads.items():
                if taken.get((k, port)) == page.wrench:
                    columns[port] = beyond[column]
                elif isinstance(bound, Place) and bound.array in self.columned:
                    columns[port] = self.column(bound.array, chain, link)
            kernel = action.kernel
            if page.bias not in writes and kernels.states(kernel, page.bias):
                kernel = kernels.exposing(kernel, page.bias)
                writes[page.bias] = row(page.bias, link.name)
            if columns:
                kernel = with_columns(kernel, tuple(columns), self.width[chain])
                reads |= {port + SUFFIX: ref for port, ref in columns.items()}
            for output in kernel.outputs:
                if output.name not in writes:
                    array = action.writes[output.name.removesuffix(SUFFIX)].array
                    self.columned.add(array)
                    writes[output.name] = self.column(array, chain, link)
            yield Call(kernel, link.name, reads, writes)
        if page.wrench not in self.columned:  # what the hinge hands on is known
            none = sp.zeros(page.motion, self.width[chain])
            kernel = kernels.constant("nothing handed on", column, none)
            yield Call(kernel, link.name, {}, {column: self.column(page.wrench, chain, link)})
        yield self._far_end(chain, link, beyond)

    def _far_end(self, chain: Chain, link: Link, beyond: Mapping[str, Ref]) -> Call:
        """How the far end of the segment moves, this body included."""
        page, width, name = self.page, self.width[chain], link.name
        bias, freedom, directions, biased = self.opened.mobility(link)
        reads: Reads = {"N": self.column(page.own_wrench, chain, link)}
        reads |= {"gam": row(page.bias, name), "L": beyond["L"], "y": beyond["y"]}
        if freedom:
            own = isinstance(directions, Place)
            reads["H"] = row(directions.array, name) if own else directions
            reads |= {"k": row(biased, name), "kF": self.column(biased, chain, link)}
        writes = {f"{x}n": row(f"{x}{width}", name) for x in ("L", "y")}
        return Call(kernels.far_end(page.motion, bias, freedom, width), name, reads, writes)

    def _joined(self, chain: Chain) -> Iterator[Call]:
        """The segments of a chain with what hangs on it, from the tip to the root."""
        page, width = self.page, self.width[chain]
        ends = {port: f"{array}_end" for port, array in self.handed(chain).items()}
        letters = {"IA": page.inertia, "pA": page.wrench, "C": page.wrench + SUFFIX}
        letters |= {"L": "L", "y": "y"}
        hangs: tuple[Ref, Ref] | None = None
        if chain.child is not None:
            hangs = Ref(page.inertia, chain.child), Ref(page.wrench, chain.child)
        for lane in reversed(chain.outward):
            name = chain.name(lane)
            if hangs is None:
                free = kernels.constant("free end of a chain", "f", sp.zeros(width, 1))
                yield Call(free, name, {}, {"f": Ref(f"f{width}", name)})
                hangs = Ref(ends[page.inertia], name), Ref(ends[page.wrench], name)
                continue
            reads: Reads = {port: Ref(ends[x], name) for port, x in letters.items()}
            reads |= {"M": hangs[0], "q": hangs[1]}
            if lane == chain.outward[0]:
                hangs = Ref(page.inertia, chain.top.name), Ref(page.wrench, chain.top.name)
            else:
                hangs = Ref("IAj", name), Ref("pAj", name)
            writes = {x: Ref(f"{x}{width}", name) for x in ("Xr", "x0", "Fr", "f0")}
            kernel = kernels.merge(page.motion, width, page.near)
            yield Call(kernel, name, reads, writes | {"IAj": hangs[0], "pAj": hangs[1]})


def _written(calls: Iterable[Call], ref: Ref, name: str) -> Port:
    """A port like the one that gives a value."""
    return next(
        replace(port, name=name)
        for call in calls
        for port in call.kernel.outputs
        if call.writes[port.name] == ref
    )

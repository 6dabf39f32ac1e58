"""The sweep inwards: segments with columns for the wrench at their far ends, then joined."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import sympy as sp

from ...language.columns import SUFFIX, with_columns
from ...language.program import Call, Port, Ref, Step
from ...language.walk import Action, Place, Unit
from ...plans.plan import Link
from ...plans.segments import Chain
from . import kernels
from .segments import Body, Bound, Reads, Segments, of_segment, row, row_before


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
        page = self.page
        kernel = kernels.start.of(names=(page.inertia, page.wrench), **self.sizes(chain))
        for lane in range(chain.lanes):
            name = chain.name(lane)
            reads: Reads = {"B": self.opened.hold(chain.outwards(lane)[-1], self.width[chain])}
            writes = {port: Ref(f"{x}_start", name) for port, x in self.handed(chain).items()}
            yield Call(kernel, name, reads, writes)

    def inward(self, step: Step) -> Iterator[Step]:
        """From the far ends to the near ends, then all segments joined."""
        for chain in self.chains:
            rule = partial(self._with_body, chain, step)
            title = f"{step.title}: {chain.lanes} segments, from the far ends to the near ends"
            yield self.swept(chain, step, f"{step.name}_{chain.number}", title, rule, outward=False)
        joined = {name: self._joined(chain) for name, chain in self.top.items()}
        yield self.along(step, joined)

    def _with_body(self, chain: Chain, step: Step, body: Body) -> Iterator[Action]:
        """A segment with one body more, and what is kept of it once it is whole."""
        handed, taken = self.handed(chain), of_segment if body.first else row_before
        start = "_start" if body.first else ""
        done = tuple(
            self._with_columns(
                chain, step, body, {port: taken(f"{x}{start}") for port, x in handed.items()}
            )
        )
        yield from done
        if body.last:
            own = {port: row(array) for port, array in handed.items()}
            ports = tuple(_written(done, place, port) for port, place in own.items())
            ends = {f"{port}e": of_segment(f"{array}_end") for port, array in handed.items()}
            yield Action(self.copied(ports, "e", "a segment as a whole"), own, ends)

    def _with_columns(
        self, chain: Chain, step: Step, body: Body, beyond: Mapping[str, Place]
    ) -> Iterator[Action]:
        """What is done at a body, with columns for the wrench at the far end."""
        page, column = self.page, self.page.wrench + SUFFIX
        taken = self.templates[step.name, chain].inward
        carried = {at: beyond[array] for at, array in taken.items()}
        for k, (action, reads, writes) in enumerate(self.bound(chain, step, body, carried)):
            columns: Bound = {}
            for port, bound in action.reads.items():
                if taken.get((k, port)) == page.wrench:
                    columns[port] = beyond[column]
                elif isinstance(bound, Place) and bound.array in self.columned:
                    columns[port] = self.column(bound.array, chain)
            kernel = action.kernel
            if page.bias not in writes and kernels.states(kernel, page.bias):
                kernel = kernels.exposing(kernel, page.bias)
                writes[page.bias] = row(page.bias)
            if columns:
                kernel = with_columns(kernel, tuple(columns), self.width[chain])
                reads |= {port + SUFFIX: ref for port, ref in columns.items()}
            for output in kernel.outputs:
                if output.name not in writes:
                    array = action.writes[output.name.removesuffix(SUFFIX)].array
                    self.columned.add(array)
                    writes[output.name] = self.column(array, chain)
            yield Action(kernel, reads, writes)
        if page.wrench not in self.columned:  # what the hinge hands on is known
            none = sp.zeros(page.motion, self.width[chain])
            kernel = self.constant("nothing handed on", column, none)
            yield Action(kernel, {}, {column: self.column(page.wrench, chain)})
        yield self._far_end(chain, body.link, beyond)

    def _far_end(self, chain: Chain, link: Link, beyond: Mapping[str, Place]) -> Action:
        """How the far end of the segment moves, this body included."""
        page, width = self.page, self.width[chain]
        bias, freedom, directions, biased = self.opened.mobility(link)
        reads: Bound = {"N": self.column(page.own_wrench, chain)}
        reads |= {"gam": row(page.bias), "L": beyond["L"], "y": beyond["y"]}
        if freedom:
            own = isinstance(directions, Place)
            reads["H"] = row(directions.array) if own else directions
            reads |= {"k": row(biased), "kF": self.column(biased, chain)}
        writes = {f"{x}n": row(f"{x}{width}") for x in ("L", "y")}
        kernel = kernels.far_end.of(bias=bias, count=freedom, **self.sizes(chain))
        return Action(kernel, reads, writes)

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
                free = self.constant("free end of a chain", "f", sp.zeros(width, 1))
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
            kernel = kernels.merge.of(**self.sizes(chain))
            yield Call(kernel, name, reads, writes | {"IAj": hangs[0], "pAj": hangs[1]})


def _written(unit: Unit, place: Place, name: str) -> Port:
    """A port like the one that gives a value."""
    return next(
        replace(port, name=name)
        for action in unit
        for port in action.kernel.outputs
        if action.writes[port.name] == place
    )

"""The columns of the conditions in the sweeps: gathered, closed where they are complete, known."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

import sympy as sp

from ...language.program import Kernel
from ...language.walk import Action, Binding, Place
from ...mechanics.traced import Traced
from ...plans.closings import Arrival, Round, Source
from ...plans.plan import Link
from .. import loop_kernels
from . import kernels
from .seats import Seats

#: What is carried of columns besides these, E: κ, Λ, and what ranks go by.
CARRIED = ("kb", "L", "d", "z")

#: How a port of columns that arrive is called, by what is carried.
ARRIVING = {"E": "Et", "kb": "kt", "L": "Lt", "d": "dt", "z": "zt"}


class Columns(Seats):
    """The conditions' columns in a sweep inwards, and their multipliers on the way back."""

    def gathered(self, link: Link) -> Iterator[Action]:
        """Columns at a link, before its hinge; what is complete closes."""
        if link.name in self.beams.beams:
            yield from self._in_beam(link)
            return
        begun = 0
        for r, each in enumerate(self.closings.rounds[link.name], start=1):
            feeds = [self._feed(x, each.gathered) for x in each.arrivals]
            reads: dict[str, Binding] = {}
            for number, x in enumerate(each.arrivals, start=1):
                begun += x.source is Source.CUT
                reads |= self._arriving(x, number, self._seat(link, x, r, begun))
            size = self._width(each.gathered)
            kernel = loop_kernels.gather.of(
                dimension=self.dimension, width=size, feeds=tuple(feeds), grounded=False
            )
            yield Action.of(kernel, reads, self._columns("E", size, f"closing {r}", each))
            if each.closed:
                yield self._closed(link, each, r)

    def _in_beam(self, link: Link) -> Iterator[Action]:
        """Columns at a beam, whose modes are eliminated; nothing closes there."""
        size, rounds = self.width(link.name), self.closings.rounds[link.name]
        if not size:
            return
        arrivals = rounds[0].arrivals if rounds else ()
        reads: dict[str, Binding] = {"R": self._squares(link.name, bends=True)}
        begun = 0
        for number, x in enumerate(arrivals, start=1):
            begun += x.source is Source.CUT
            reads |= self._arriving(x, number, self._seat(link, x, 1, begun))
        feeds = tuple(self._feed(x, self.active[link.name]) for x in arrivals)
        points = [self._point(link, x) for x in arrivals]
        yield self.beams.gathered(link, size, feeds, points, reads)

    def _columns(self, first: str, size: int, at: str, each: Round) -> dict[str, Place]:
        """Where gathered columns are kept: with the closing, or the link's own."""
        met = bool(each.closed)
        return {
            f"{x}{size}": Place(f"met_{x}{size}", at) if met else Place(f"{x}{size}", "own")
            for x in (first, *CARRIED)
        }

    def _closed(self, link: Link, each: Round, r: int) -> Action:
        """The conditions of the r-th round are eliminated."""
        final = r == len(self.closings.closing(link.name))
        last = r == len(self.closings.rounds[link.name])
        kernel = self._close(each, grounded=False)
        m, o, at = self._width(each.closed), self._width(each.left), f"closing {r}"
        reads = self._met(each, at) | self._bound_biases(each, f"bias {r} ", f"bent {r} ")
        for x in ("IA", "pA"):
            reads[f"{x}g"] = (
                Place(f"{x}g", "own") if r == 1 else Place(f"left_{x}", f"closing {r - 1}")
            )
        writes = self._kept(m, o, at)
        for x in ("IA", "pA"):
            writes[x] = Place(x, "own") if final else Place(f"left_{x}", at)
        for x in ("E", *CARRIED):
            writes[f"{x}{o}"] = Place(f"{x}{o}", "own") if last else Place(f"left_{x}{o}", at)
        return Action.of(kernel, reads, writes)

    def _close(self, each: Round, grounded: bool) -> Kernel:
        widths, couplings, bent = self._biased_items(each)
        return kernels.close.of(
            dimension=self.dimension,
            closed=self._width(each.closed),
            width=self._width(each.left),
            grounded=grounded,
            widths=widths,
            couplings=couplings,
            bent=bent,
            carried=each.carried,
        )

    def _bound_biases(self, each: Round, bias: str, bent: str) -> dict[str, Binding]:
        widths, _, curved = self._biased_items(each)
        found: dict[str, Binding] = {
            f"bias_{j}": Place(f"bias{m}", f"{bias}{j}") for j, m in enumerate(widths, start=1)
        }
        return found | {f"bent_{j}": Place("cb", f"{bent}{j + 1}") for j in curved}

    def before(self, link: Link) -> dict[str, Place]:
        """Where a link's own IA and pA are kept until what closes there is eliminated."""
        if not self.closings.closing(link.name):
            return {}
        return {x: Place(f"{x}g", "own") for x in ("IA", "pA")}

    def passed(self, link: Link) -> Iterator[Action]:
        """Columns behind a link's hinge."""
        c = self.width(link.name)
        if not c:
            return
        coupling = self._row(link)
        reads: dict[str, Binding] = {"R": self._squares(link.name)}
        if coupling is not None:
            reads["sigma"] = coupling
        if not self.arriving_at(link):
            reads |= {f"E{c}": sp.zeros(self.space.motion, c), f"L{c}": sp.zeros(c, c)}
            reads |= {f"{x}{c}": sp.zeros(c, 1) for x in ("kb", "d", "z")}
        carried = self.closings.carried(link.name)
        more = {"coupled": coupling is not None, "carried": carried}
        yield self._at_hinge(loop_kernels.through, link, reads, {}, **more)

    def _at_hinge(
        self,
        kernels_of: Traced,
        link: Link,
        reads: Mapping[str, Binding],
        writes: Mapping[str, Place],
        **more: Hashable,
    ) -> Action:
        """What is done at a link's hinge: arrays as ports are called, but for these."""
        of = self.mobility[link.name]
        kernel = kernels_of.of(
            dimension=self.dimension,
            width=self.width(link.name),
            freedom=of.freedom,
            count=of.freedom,
            kind=of.kind,
            backward=of.backward,
            rotor=of.rotor is not None,
            **more,
        )
        known = {x.name: Place(x.name, "own") for x in (*kernel.inputs, *kernel.outputs)}
        rotor = {} if of.rotor is None else {"rho": of.rotor}
        return Action.of(kernel, {**known, **rotor, **reads}, {**known, **writes})

    def arriving_at(self, link: Link) -> bool:
        """Is there a column at a link before its hinge?"""
        return link.name in self.beams.beams or self.closings.feeds(link)

    def _arriving(self, arrival: Arrival, number: int, seat: str) -> dict[str, Binding]:
        c = self._width(arrival.items)
        if arrival.source is Source.CUT:
            return {f"Et_I{number}": Place(f"E{'AB'[arrival.side]}{c}", seat)}
        left = arrival.source is Source.LEFT
        return {
            f"{port}_I{number}": Place(f"left_{x}{c}" if left else f"{port}{c}", seat)
            for x, port in ARRIVING.items()
        }

    def _point(self, link: Link, arrival: Arrival) -> str:
        if arrival.source is Source.INPUT:
            return link.inputs[link.children.index(arrival.child)]
        return self.cuts[arrival.items[0]].ends[arrival.side].point

    def closed_at_ground(self, r: int) -> Iterator[Action]:
        """Columns gathered from roots, and closed."""
        each = self._ground_round(r)
        size, m, o = map(self._width, (each.gathered, each.closed, each.left))
        feeds = tuple(self._feed(x, each.gathered, grounded=True) for x in each.arrivals)
        reads: dict[str, Binding] = {"ground": self.ground}
        inputs = 0
        for number, x in enumerate(each.arrivals, start=1):
            inputs += bool(x.child)
            reads |= self._arriving(x, number, f"input {inputs}" if x.child else "before")
        kernel = loop_kernels.gather.of(
            dimension=self.dimension, width=size, feeds=feeds, grounded=True
        )
        yield Action.of(kernel, reads, self._columns("E", size, "own", each))
        reads = self._met(each, "own") | self._bound_biases(each, "bias ", "bent ")
        left = {f"{x}{o}": Place(f"left_{x}{o}", "own") for x in CARRIED}
        kernel = self._close(each, grounded=True)
        yield Action.of(kernel, reads, self._kept(m, o, "own") | left)

    def known_at_ground(self, r: int) -> Iterator[Action]:
        """The multipliers of what closed at the ground."""
        yield self._back(self._ground_round(r), "own", "", "mu", "t")

    def corrected_at_ground(self, r: int) -> Iterator[Action]:
        yield self._back(self._ground_round(r), "own", "", "nu", "ct")

    def backs(self, link: Link, correction: bool = False) -> Iterator[Action]:
        """The multipliers of what closed at a link, whose acceleration is known."""
        rounds = self.closings.closing(link.name)
        array, word = ("nu", "ct") if correction else ("mu", "t")
        for r in range(len(rounds), 0, -1):
            yield self._back(rounds[r - 1], f"closing {r}", f"{r} ", array, word)

    def _back(self, each: Round, at: str, seat: str, array: str, word: str) -> Action:
        m, o, grounded = self._width(each.closed), self._width(each.left), at == "own"
        kernel = kernels.back.of(dimension=self.dimension, closed=m, width=o, grounded=grounded)
        reads: dict[str, Binding] = {**self._kept(m, o, at), "tc": Place(f"met_{word}{m}", at)}
        reads["acc"] = Place("dacc" if array == "nu" else "acc", "own")
        reads |= {f"mu_o_{j}": Place(array, f"open {seat}{j}") for j in range(1, o + 1)}
        writes = {f"mu_{j}": Place(array, f"closed {seat}{j}") for j in range(1, m + 1)}
        return Action.of(kernel, reads, writes)

    def _multipliers(self, array: str, link: str) -> dict[str, Binding]:
        return {f"mu_{j}": Place(array, f"condition {j}") for j in range(1, self.width(link) + 1)}

    def known(self, link: Link, correction: bool = False) -> Iterator[Action]:
        """The hinge's own acceleration without its parent's, once the multipliers are known.

        Of a beam the modal accelerations too.
        """
        c, freedom = self.width(link.name), self.mobility[link.name].freedom
        modes = self.beams.modes_of(link)
        for count, e in ((freedom, ""), (modes, "e")):
            if c and count:
                moved = not correction or (not e and self.moves(link))
                kernel = loop_kernels.known.of(
                    dimension=self.dimension, width=c, count=count, moved=moved
                )
                reads = self._multipliers("nu" if correction else "mu", link.name)
                reads[f"K{count}_{c}"] = Place(f"K{e}{count}_{c}", "own")
                reads[f"k{count}"] = Place(f"k{e}{'p' if correction else ''}{count}", "own")
                target = f"k{e}{'c' if correction else 'm'}{count}"
                yield Action.of(kernel, reads, {"km": Place(target, "own")})

    def demanded(self, link: Link) -> Mapping[str, Binding]:
        """What a link demands without acceleration, where multipliers are part of it."""
        return {"pAh": Place("pAm", "own")} if self.width(link.name) else {}

    def biased(self, link: Link) -> Iterator[Action]:
        """What a link demands without acceleration, with the multipliers."""
        c = self.width(link.name)
        if c:
            kernel = loop_kernels.bias.of(dimension=self.dimension, width=c)
            reads = self._multipliers("mu", link.name)
            reads |= {name: Place(name, "own") for name in (f"Eh{c}", "pAh")}
            yield Action.of(kernel, reads, {"pAm": Place("pAm", "own")})

"""Corrections: what closed loops demand where nothing else acts, inwards; then as accelerations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...language.walk import Action, Binding, Place
from ...plans.closings import Arrival, Round, Source
from ...plans.plan import Link
from . import kernels
from .columns import Columns


class Corrections(Columns):
    """The least change of the speeds that takes off what the conditions open at."""

    def demanding(self, link: Link) -> Iterator[Action]:
        """What a correction demands of a link: by what has closed at it, and farther out."""
        if not self.moves(link):
            return
        d, rounds = self.dimension, self.closings.rounds[link.name]
        inputs = [k for k, x in enumerate(link.children, start=1) if x in self._moving]
        closings = self.closings.closing(link.name)
        if inputs:
            kernel = kernels.handed.of(dimension=d, inputs=len(inputs))
            reads: dict[str, Binding] = {
                f"pi_I{j}": Place("pt", f"input {k}") for j, k in enumerate(inputs, start=1)
            }
            yield Action.of(kernel, reads, {"pc": Place("pg" if closings else "pc", "own")})
        stirred = False
        for r, each in enumerate(rounds, start=1):
            size, last = self._width(each.gathered), r == len(rounds)
            at, stirring = f"closing {r}", [x for x in each.arrivals if self._stirs(x)]
            own = Place(f"met_ck{size}", at) if each.closed else Place(f"ck{size}", "own")
            seats = [self._seat(link, x, r, 0) for x in stirring]
            yield from self._gathered_bias(each, stirring, seats, own)
            stirred = bool(stirring)
            if each.closed:
                o = self._width(each.left)
                pi = Place("pg", "own") if r == 1 else Place("left_pc", f"closing {r - 1}")
                writes = {
                    "pc": Place("pc", "own") if r == len(closings) else Place("left_pc", at),
                    f"kb{o}": Place(f"ck{o}", "own") if last else Place(f"left_ck{o}", at),
                }
                moved = r > 1 or bool(inputs)
                yield self._closed_bias(
                    each, at, f"{r} ", stirred, {"pi": pi} if moved else {}, writes
                )
                stirred = o > 0
        c = self.width(link.name)
        reads, writes = {"kg": Place(f"ck{c}", "own")}, {f"kt{c}": Place(f"ckt{c}", "own")}
        yield self._at_hinge(kernels.through_bias, link, reads, writes, stirred=stirred)

    def demanding_at_ground(self, r: int) -> Iterator[Action]:
        """The same of a closing at the ground."""
        each = self._ground_round(r)
        size, o = self._width(each.gathered), self._width(each.left)
        inputs = [x.child for x in each.arrivals if x.child]
        stirring = [x for x in each.arrivals if self._stirs(x)]
        seats = [f"input {inputs.index(x.child) + 1}" if x.child else "before" for x in stirring]
        yield from self._gathered_bias(each, stirring, seats, Place(f"met_ck{size}", "own"))
        writes = {f"kb{o}": Place(f"left_ck{o}", "own")}
        yield self._closed_bias(each, "own", "", bool(stirring), {}, writes)

    def _gathered_bias(
        self, each: Round, stirring: Sequence[Arrival], seats: Sequence[str], own: Place
    ) -> Iterator[Action]:
        if not stirring:
            return
        size = self._width(each.gathered)
        feeds = tuple(self._feed(x, each.gathered) for x in stirring)
        kernel = kernels.gather_bias.of(dimension=self.dimension, width=size, feeds=feeds)
        reads: dict[str, Binding] = {}
        for number, (x, seat) in enumerate(zip(stirring, seats, strict=True), start=1):
            left = x.source is Source.LEFT
            array = f"{'left_ck' if left else 'ckt'}{self._width(x.items)}"
            reads[f"kt_I{number}"] = Place(array, seat)
        yield Action.of(kernel, reads, {f"kb{size}": own})

    def _closed_bias(
        self,
        each: Round,
        at: str,
        seat: str,
        stirred: bool,
        demanded: Mapping[str, Binding],
        writes: Mapping[str, Place],
    ) -> Action:
        m, o = self._width(each.closed), self._width(each.left)
        kernel = kernels.close_bias.of(
            dimension=self.dimension,
            closed=m,
            width=o,
            grounded=at == "own",
            stirred=stirred,
            moved=bool(demanded),
            carried=each.carried,
        )
        reads: dict[str, Binding] = {**self._met(each, at), **self._kept(m, o, at), **demanded}
        reads["kg"] = Place(f"met_ck{m + o}", at)
        reads |= {f"c_{j}": Place("c", f"closed {seat}{j}") for j in range(1, m + 1)}
        return Action.of(kernel, reads, {**writes, "tc": Place(f"met_ct{m}", at)})

"""Scans: values that compose along runs of members, with a depth that grows with their logarithm.

What is found at a member is what was found before it, composed with the member's own: orientations
with rotations, places with arms. Along a long run the own values of neighbours are composed first,
two by two; from them each member's value is found by as many steps as its number has bits.

Source
    Own; the sums of Fenwick, A new data structure for cumulative frequency tables, any of which
    composes alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy as sp

from .program import Call, Kernel, Ref

#: Up to here a run is gone along member by member, which takes the fewest operations.
SHORT = 32

Value: TypeAlias = "Ref | sp.Matrix"


@dataclass(frozen=True)
class Run:
    """Members one after the other, and the value before the first of them."""

    before: Value
    members: Sequence[str]

    @property
    def levels(self) -> int:
        """How often neighbours are composed two by two."""
        return len(self.members).bit_length() - 1 if len(self.members) > SHORT else 0

    def blocks(self, level: int) -> Iterator[tuple[str, int]]:
        """The blocks of so many members that are composed on a level, and where they begin."""
        size = 1 << level
        if 0 < level <= self.levels:
            for begin in range(0, len(self.members) - size + 1, size):
                yield self.block(level, begin), begin

    def block(self, level: int, begin: int) -> str:
        """What a block is called."""
        return f"{self.members[begin]} {1 << level}"


@dataclass(frozen=True)
class Scan:
    """What composes along runs: two kernels, and the arrays that they read and write.

    `compose` takes the values of two neighbours, `follow` that before a member and the member's;
    `own` says where a member's own value lies, `found` is the array of found values. Composed ones
    lie in arrays by how many members they are of, `blocks` and the number: those of a level depend
    on none of that level, and code may take them in any order.
    """

    compose: Kernel
    follow: Kernel
    own: Callable[[str], Ref]
    blocks: str
    found: str

    def calls(self, runs: Sequence[Run]) -> Iterator[Call]:
        """All values along runs that do not depend on each other."""
        levels = max((run.levels for run in runs), default=0)
        for level in range(1, levels + 1):
            for run in runs:
                for name, begin in run.blocks(level):
                    half = 1 << (level - 1)
                    one, other = (self._value(run, level - 1, at) for at in (begin, begin + half))
                    array = f"{self.blocks}_{1 << level}"
                    yield _of_two(self.compose, name, one, other, array)
        for level in reversed(range(levels + 1)):
            for run in runs:
                if run.levels:
                    ends = range(1 << level, len(run.members) + 1, 2 << level)
                    yield from (self._follows(run, end, level) for end in ends)
        short = [run for run in runs if not run.levels]
        for end in range(1, max((len(run.members) for run in short), default=0) + 1):
            for run in short:
                if end <= len(run.members):
                    yield self._follows(run, end, 0)

    def _follows(self, run: Run, end: int, level: int) -> Call:
        """The value of the last member of a block, from that before the block."""
        begin = end - (1 << level)
        before = Ref(self.found, run.members[begin - 1]) if begin else run.before
        own = self._value(run, level, begin)
        return _of_two(self.follow, run.members[end - 1], before, own, self.found)

    def _value(self, run: Run, level: int, begin: int) -> Ref:
        if not level:
            return self.own(run.members[begin])
        return Ref(f"{self.blocks}_{1 << level}", run.block(level, begin))


def summed(compose: Kernel, terms: Sequence[Value], name: str, array: str) -> Iterator[Call]:
    """Terms as one, two by two; what two of them are is kept by numbers, the whole by the last."""
    left, number = [*terms], 0
    while len(left) > 1:
        pairs = list(zip(left[::2], left[1::2], strict=False))
        rest, left = left[2 * len(pairs) :], []
        for pair in pairs:
            yield _of_two(compose, f"{name} + {number}", *pair, array)
            left.append(Ref(array, f"{name} + {number}"))
            number += 1
        left += rest


def _of_two(kernel: Kernel, member: str, one: Value, other: Value, array: str) -> Call:
    first, second = (port.name for port in kernel.inputs)
    (result,) = (port.name for port in kernel.outputs)
    return Call(kernel, member, {first: one, second: other}, {result: Ref(array, member)})


def blocks(runs: Iterable[Run]) -> dict[int, tuple[str, ...]]:
    """The names of all blocks of runs, by the number of their members."""
    every = tuple(runs)
    levels = max((run.levels for run in every), default=0)
    return {
        1 << level: tuple(name for run in every for name, _ in run.blocks(level))
        for level in range(1, levels + 1)
    }

"""Where the columns of the unknowns run: which are active at which place of the transfer order.

The unknowns are numbered as the equation prints them. Behind a place those active make up a few
runs of numbers without a gap; each run is a state with a column axis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from ...plans.deduction import OverallEquation
from ...plans.transfer import symbol

Place = tuple[int, int]


@dataclass(frozen=True)
class Run:
    """A state with columns from `start` to one before `stop`; `member` is its name."""

    member: str
    start: int
    stop: int

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.stop


@dataclass(frozen=True)
class Segment:
    """Columns that arrive at the same inputs: of each the state that they are read from."""

    start: int
    stop: int
    states: dict[int, str]

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.stop


class Columns:
    """The runs at the inputs and at the output of every element.

    `apart` are the labels of the hinges whose two points lie apart: columns change there. Through
    any other hinge they pass as they are, and its own come to them.
    """

    def __init__(self, equation: OverallEquation, apart: frozenset[str]) -> None:
        self.equation = equation
        self.transfer = equation.transfer
        self.spans: dict[str, tuple[int, int]] = {}
        self.starts: dict[int, int] = {}
        #: Of each element the columns of its entries of s.
        self.own: dict[str, range] = {}
        self._number()
        self.at: dict[Place, tuple[Run, ...]] = {}
        for end, boundary in enumerate(self.transfer.ends):
            if boundary.entry:
                place = boundary.element, boundary.entry
                self.at[place] = (self._run(symbol(boundary.indices), *self.span(end)),)
        for i, element in enumerate(self.transfer.elements):
            runs = self._behind(i, element.label in apart)
            self.at[i, 0] = runs
            if element.feeds is not None:
                self.at[element.feeds] = runs

    def _number(self) -> None:
        at = 0
        for end in self.equation.columns:
            self.starts[end] = at
            at += len(self.equation.open_entries(end))
        for pair in self.transfer.pairs:
            self.starts[pair.dropped] = self.starts[pair.kept]
        for element in self.equation.auxiliaries:
            self.own[element.label] = range(at, at + element.freedoms)
            at += element.freedoms
        self.couplings = {hinge.name: at + k for k, hinge in enumerate(self.equation.couplings)}

    def span(self, end: int) -> tuple[int, int]:
        """The columns of the unknown entries of an end's state."""
        start = self.starts[end]
        return start, start + len(self.equation.open_entries(end))

    def _run(self, member: str, start: int, stop: int) -> Run:
        self.spans[member] = start, stop
        return Run(member, start, stop)

    def _behind(self, i: int, apart: bool) -> tuple[Run, ...]:
        element = self.transfer.elements[i]
        owned = self.own.get(element.label)
        own = [(owned.start, owned.stop)] if owned else []
        if element.is_body or apart:
            arriving = [segment.span for segment in self.segments(i)]
            spans = merged([*arriving, *own])
            names = (f"{element.label}/{start}" for start, _ in spans)
            return tuple(self._run(name, *s) for name, s in zip(names, spans, strict=True))
        begun = (self._run(f"{element.label}/own", *span) for span in own)
        return (*self.at[i, 1], *begun)

    def segments(self, i: int, entries: Iterable[int] = ()) -> Iterator[Segment]:
        """The columns that arrive at an element's inputs (by default all), cut where they differ.

        The two ends of a cut share their columns: where these meet, they are added.
        """
        element = self.transfer.elements[i]
        chosen = tuple(entries) or tuple(range(1, len(element.inputs) + 1))
        borders = sorted({x for k in chosen for run in self.at[i, k] for x in run.span})
        for start, stop in pairwise(borders):
            states = {
                k: run.member
                for k in chosen
                for run in self.at[i, k]
                if run.start <= start and stop <= run.stop
            }
            if states:
                yield Segment(start, stop, states)

    def behind(self, i: int, column: int) -> str:
        """The state at an element's output that has a column."""
        return next(run.member for run in self.at[i, 0] if column in range(*run.span))


def merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans that follow each other without a gap as one."""
    found: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if found and found[-1][1] == start:
            found[-1] = found[-1][0], stop
        else:
            found.append((start, stop))
    return found

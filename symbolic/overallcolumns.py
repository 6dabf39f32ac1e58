"""The unknowns and the rows of the overall transfer equation, numbered along the sweep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .overallforms import Form
from .plan import Link
from .vectors import Layout

Span = tuple[int, int]


@dataclass(frozen=True)
class Side:
    """A side of a cut hinge that is a body: `A` or `B`; `size` conditions.

    Its unknowns are the multipliers, and the accelerations along the conditions.
    """

    hinge: str
    letter: str
    body: str
    size: int
    conditions: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.hinge}/{self.letter}"

    def named(self, what: str) -> tuple[str, ...]:
        """A name for each condition: of an unknown or a row of this side."""
        return tuple(f"{name}/{self.letter} {what}" for name in self.conditions)

    @property
    def multipliers(self) -> tuple[str, ...]:
        return self.named("load")

    @property
    def accelerations(self) -> tuple[str, ...]:
        return self.named("acceleration")

    @property
    def rows(self) -> tuple[str, ...]:
        return self.named("condition")

    def paired(self, what: str) -> tuple[str, ...]:
        """Rows that pair both sides of the cut."""
        return tuple(f"{name} {what}s paired" for name in self.conditions)


class Numbering:
    """The unknowns in order, the rows, and the range of columns at every state.

    The plan lists every subtree without a gap, so that the columns upstream of a link follow
    each other. What is no column of the sweep stands between the trees, or last.
    """

    def __init__(self, form: Form) -> None:
        self.form = form
        self.labels = Layout(form.plan.model.dimension).labels[:-1]
        self.half = len(self.labels) // 2
        self.unknowns: list[str] = []
        self.rows: list[str] = []
        self.spans: dict[str, Span] = {}
        self.sides = list(_sides(form))
        self.at_body: dict[str, list[Side]] = {}
        for side in self.sides:
            self.at_body.setdefault(side.body, []).append(side)
        for link in form.plan.links:
            self._number(link)
        for sides in self.cuts:
            for side in sides:
                self.unknowns += side.accelerations
                self.rows += side.rows
            self.rows += sides[0].paired("acceleration")
            self.rows += sides[0].paired("load") if len(sides) == 2 else ()
        for name in form.coupled():
            load, row = self.coupling(name)
            self.unknowns.append(load)
            self.rows.append(row)
        self.position = {name: k for k, name in enumerate(self.unknowns)}

    def _number(self, link: Link) -> None:
        starts = [self.spans[child][0] for child in link.children]
        start = min(starts, default=len(self.unknowns))
        if not link.children:
            tip = self.tip(link)
            self._begin(tip, tuple(f"{tip} {label}" for label in self.labels[: self.half]))
        for side in self.at_body.get(link.name, ()):
            self._begin(side.name, side.multipliers)
        self.unknowns += self.form.names(link)
        self.spans[link.name] = start, len(self.unknowns)
        self.rows += self.own_rows(link)
        for child in link.children[1:]:
            self.rows += self.geometric_rows(child)
        if link.parent is None:
            self.unknowns += self.root_unknowns(link)
            self.rows += self.main_rows(link)

    def _begin(self, state: str, names: tuple[str, ...]) -> None:
        start = len(self.unknowns)
        self.unknowns += names
        self.spans[state] = start, len(self.unknowns)

    @property
    def cuts(self) -> list[list[Side]]:
        """The cuts, each as its sides that are no ground."""
        found: dict[str, list[Side]] = {}
        for side in self.sides:
            found.setdefault(side.hinge, []).append(side)
        return list(found.values())

    @staticmethod
    def coupling(name: str) -> tuple[str, str]:
        """The unknown and the row of a coupled hinge's condition."""
        return f"{name} coupling load", f"{name} coupled"

    @staticmethod
    def point(link: Link) -> str:
        """The point of a tip's free end: its output if it has no other."""
        return link.free[0] if link.free else link.output

    def tip(self, link: Link) -> str:
        return f"{link.name}:{self.point(link)}"

    def source(self, link: Link) -> str:
        """The state that enters at the first input."""
        return link.children[0] if link.children else self.tip(link)

    def own_rows(self, link: Link) -> tuple[str, ...]:
        return tuple(f"{name} own" for name in self.form.names(link))

    def geometric_rows(self, child: str) -> tuple[str, ...]:
        return tuple(f"{child} geometric {label}" for label in self.labels[: self.half])

    def main_rows(self, link: Link) -> tuple[str, ...]:
        return tuple(f"{link.name} main {label}" for label in self.labels)

    def root_unknowns(self, link: Link) -> tuple[str, ...]:
        return tuple(f"{link.hinge} {label}" for label in self.labels[self.half :])


def _sides(form: Form) -> Iterable[Side]:
    if form.loops is None:
        return
    names = iter(form.loops.conditions)
    for hinge, size in zip(form.loops.cuts, form.loops.cut_widths, strict=True):
        conditions = tuple(next(names) for _ in range(size))
        for letter, end in zip("AB", hinge.ends, strict=True):
            if end.body in form.plan.by_name:
                yield Side(hinge.name, letter, end.body, size, conditions)

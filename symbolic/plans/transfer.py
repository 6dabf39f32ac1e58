"""The transfer order for the overall equation: root, directions, first inputs, cuts, ends.

Bodies, beams and hinges are elements alike; states are passed from the tips to a root. Here,
unlike in the sweep of `plan`, the ground closes no loop: every hinge that leads to it is a
boundary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ...model import End, Model
from ...model.expressions.quantities import shorten, told

#: What is known at a boundary end: nothing of a cut one, m and q of a free one, the accelerations
#: of a clamped one, r̈ and m of a pinned one. All of it is zero but where the base moves.
Condition = Literal["free", "clamped", "pinned", "cut"]
Form = Literal["chain", "closed loop", "tree", "general system"]


@dataclass(frozen=True)
class Element:
    """A body, rigid or a beam, or a hinge in the transfer direction.

    `label` is the index of its matrices: its name, `h` before it where a body has a hinge's
    name. `inputs` are its input ends, I₁ first, and `output` its output end: ends of a body
    (those of a hinge are the ends of the bodies that it joins, or the ground's). `feeds` is the
    element that it passes its state to, and the number of the input there (from 1); `tips`
    tells for each input which tips lie behind it, as a range. `freedoms` counts the relative
    accelerations that a hinge leaves open, the modal ones of a beam.
    """

    name: str
    label: str
    kind: str
    inputs: tuple[End, ...]
    output: End
    feeds: tuple[int, int] | None
    tips: tuple[tuple[int, int], ...]
    freedoms: int = 0

    @property
    def is_body(self) -> bool:
        return self.is_beam or self.kind == "body"

    @property
    def is_beam(self) -> bool:
        return self.kind == "beam"

    def index(self, entry: int) -> tuple[str, ...]:
        """The indices of its matrix at an input: `(5, I1)`; of one input its label alone."""
        return (self.label,) if len(self.inputs) == 1 else (self.label, f"I{entry}")


@dataclass(frozen=True)
class Boundary:
    """A boundary end: `at` is its place, `element` its element, `entry` 0 for a root, else the
    number of the input.

    `indices` are those of its state: the element and what lies beyond, 0 or the element that a
    cut parts it from. Where two ends would have the same, the second index is O, I or I₁ ….
    """

    indices: tuple[str, str]
    at: End
    condition: Condition
    element: int
    entry: int


@dataclass(frozen=True)
class Pair:
    """The two ends of a cut, numbered as in `Transfer.ends`: `dropped` follows from `kept`.

    Both are inputs, so that loads change their sign; at a ring's cut one is an output.
    """

    hinge: str
    kept: int
    dropped: int
    ring: bool


@dataclass(frozen=True)
class Tree:
    """One tree: its root and its tips, numbered as in `Transfer.ends`, and its form."""

    root: int
    tips: tuple[int, int]
    form: Form


@dataclass(frozen=True)
class Transfer:
    """How states are passed in a model, tree by tree from the tips to the root.

    `elements` are in transfer order, every one after those that feed it. `tips` are in the
    order of the inputs, I₁'s first; `ends` are all boundary ends: each tree's root, then its
    tips.

    Source
        Deduction paper, Sect. 3 and 4; the choices are own.
    """

    model: Model
    elements: tuple[Element, ...]
    ends: tuple[Boundary, ...]
    trees: tuple[Tree, ...]
    pairs: tuple[Pair, ...]

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """How many elements lie from each element to its root, itself counted."""
        found = [0] * len(self.elements)
        for i in reversed(range(len(self.elements))):
            feeds = self.elements[i].feeds
            found[i] = 1 if feeds is None else found[feeds[0]] + 1
        return tuple(found)

    @property
    def form(self) -> str:
        """The form of the one tree, or how many trees there are of each."""
        if len(self.trees) == 1:
            return self.trees[0].form
        forms = Counter(tree.form for tree in self.trees)
        return ", ".join(told(count, form) for form, count in forms.items())

    def route(self, tip: int) -> Iterator[tuple[int, int]]:
        """The elements from a tip to its root, each with the input that it is entered by."""
        at: tuple[int, int] | None = (self.ends[tip].element, self.ends[tip].entry)
        while at is not None:
            yield at
            at = self.elements[at[0]].feeds

    def describe(self) -> str:
        """The choices in words: roots, tips, first inputs, cuts."""
        several = [e for e in self.elements if len(e.inputs) > 1]
        count = f"{len(self.elements)} element{'s' * (len(self.elements) != 1)}"
        lines = [f"overall transfer equation: {self.form}, {count}"]
        for tree in self.trees:
            root, tips = self.ends[tree.root], self.ends[slice(*tree.tips)]
            if tree.form == "closed loop":
                continue
            lines.append(f"root {self._end(root)}; tips: {shorten([self._end(t) for t in tips])}")
        if several:
            shown = [f"{e.label} at {e.inputs[0].point}" for e in several]
            lines.append(f"first inputs: {shorten(shown)}")
        for pair in self.pairs:
            kept, dropped = (symbol(self.ends[i].indices) for i in (pair.kept, pair.dropped))
            equal = f"{dropped} = {kept}" if pair.ring else f"{dropped} = C {kept}"
            where = self.ends[pair.kept].at
            lines.append(f"cut: between hinge {pair.hinge} and {where}, {equal}")
        return "\n".join(lines)

    def _end(self, end: Boundary) -> str:
        return f"{symbol(end.indices)} ({end.at} {end.condition})"


def symbol(indices: Sequence[str], letter: str = "z") -> str:
    """A letter with its indices: `z_6,0`."""
    return f"{letter}_{','.join(indices)}"

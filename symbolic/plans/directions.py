"""Which way states pass in a model: root, directions, first inputs and cuts, given or chosen.

From a root the elements are found outwards; reversed, that is the transfer order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from ...errors import InternalError, ModelError
from ...model import GROUND, Beam, Body, End, Hinge, Model
from ...model.parts.hinge_kinds import HINGE_KINDS
from ...model.topology import Forest, joined_at, root_end
from ..mechanics import laws
from .transfer import Boundary, Condition, Element, Form, Pair, Transfer, Tree


def transfer(model: Model) -> Transfer:
    """Choose root, directions, first inputs and cuts, as far as the model leaves them open.

    Of the cuts those are kept that open a loop of bodies alone; a hinge is cut at its child's
    end. The root of a tree is the first of its hinges to the ground, uncut ones before cut
    ones, be it one that holds nothing; a single ring is closed in itself and needs none. I₁ is
    the first input in the order of the body's points.

    Raises
        ModelError: a first input is the output end for this root.
    Source
        Deduction paper, Sect. 5; the choices are own.
    """
    return _Builder(model).transfer()


@dataclass(frozen=True)
class _Stop:
    """An element on the way outwards, and where it passes its state to.

    `came`: its output end was reached through a hinge or is held by one.
    """

    feeds: tuple[int, int] | None
    output: End
    body: str = ""
    came: bool = True
    hinge: Hinge | None = None


@dataclass(frozen=True)
class _Tip:
    feeds: tuple[int, int]
    at: End
    condition: Condition
    indices: tuple[str, str]


class _Builder:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.coupled = {
            name for h in model.hinges if h.mimic for name in (h.name, *h.mimic.leaders)
        }
        joined = joined_at(model.hinges)
        self.there = {end: (h, o) for end, (h, o) in joined.items() if not self._is_loose(h, o)}
        self.cuts = self._loop_cuts()
        self.labels = self._labels()
        self.elements: list[Element] = []
        self.ends: list[Boundary] = []
        self.trees: list[Tree] = []

    def _loop_cuts(self) -> set[str]:
        """The hinges to cut among bodies; a cut one that closes no loop of bodies stays."""
        forest, cuts = Forest(), set()
        named = [h for h in self.model.hinges if all(e.body != GROUND for e in h.ends)]
        for hinge in sorted(named, key=lambda hinge: hinge.name in self.model.cuts):
            if not forest.join(*(end.body for end in hinge.ends)):
                cuts.add(hinge.name)
        return cuts

    def _labels(self) -> dict[str, str]:
        """An index for each hinge that no body has."""
        bodies = {body.name for body in self.model.bodies}
        taken, labels = bodies | {hinge.name for hinge in self.model.hinges}, {}
        for hinge in self.model.hinges:
            if hinge.name not in bodies:
                labels[hinge.name] = hinge.name
                continue
            labels[hinge.name] = next(
                name for k in count(1) if (name := "h" * k + hinge.name) not in taken
            )
            taken.add(labels[hinge.name])
        return labels

    def _boundary(self, hinge: Hinge) -> str:
        """What a hinge to the ground makes of the body's end; empty if it is an element.

        As in the deduction paper's Example 2. Where anything acts in it, moves or resists it, or
        it is coupled, it is one.
        """
        acting = any(x != 0 for x in laws.force(self.model.dimension, hinge))
        if acting or hinge.motion or hinge.rotor or hinge.name in self.coupled:
            return ""
        return HINGE_KINDS[self.model.dimension][hinge.kind].boundary

    def _condition(self, hinge: Hinge) -> Condition | None:
        """What is zero at the body's end, if a hinge to the ground says nothing else.

        As in the deduction paper's Example 2; all other hinges are elements.
        """
        found = self._boundary(hinge)
        return "pinned" if found == "pinned" else "clamped" if found == "clamped" else None

    def _is_loose(self, hinge: Hinge, other: End) -> bool:
        """A hinge to the ground that holds nothing: the body's end is free."""
        return other.body == GROUND and self._boundary(hinge) == "free"

    def transfer(self) -> Transfer:
        for bodies in self._components():
            ring = self._ring(bodies)
            if ring is not None:
                end = ring.ends[1]
                start = _Stop(None, end, hinge=ring)
                self._tree(start, end, "cut", (self.labels[ring.name], end.body))
            else:
                self._from_root(*self._root(bodies))
        ends = _distinct(self.ends, self.elements)
        return Transfer(
            self.model, tuple(self.elements), ends, tuple(self.trees), tuple(self._pairs())
        )

    def _from_root(self, end: End, held: bool) -> None:
        if not held:
            self._tree(_Stop(None, end, end.body, came=False), end, "free", (end.body, "0"))
            return
        hinge, ground = self.there[end]
        condition = self._condition(hinge)
        if condition:
            start = _Stop(None, end, end.body)
            self._tree(start, end, condition, (end.body, "0"))
        else:
            start = _Stop(None, ground, hinge=hinge)
            self._tree(start, ground, "clamped", (self.labels[hinge.name], "0"))

    def _components(self) -> list[list[Body | Beam]]:
        """The bodies that hang together without the ground, in the model's order."""
        forest = Forest()
        for hinge in self.model.hinges:
            if all(end.body != GROUND for end in hinge.ends):
                forest.join(*(end.body for end in hinge.ends))
        found: dict[str, list[Body | Beam]] = {}
        for body in self.model.bodies:
            found.setdefault(forest.find(body.name), []).append(body)
        return list(found.values())

    def _held(self, body: Body | Beam) -> list[str]:
        return [p.name for p in body.points if End(body.name, p.name) in self.there]

    def _ring(self, bodies: list[Body | Beam]) -> Hinge | None:
        """The hinge to cut if the bodies form one ring and nothing else hangs on it."""
        names = {body.name for body in bodies}
        if self.model.root and root_end(self.model.root, self.model.hinges).body in names:
            return None
        found: dict[str, Hinge] = {}
        for body in bodies:
            ways = [self.there[End(body.name, point)] for point in self._held(body)]
            if len(ways) != 2 or any(other.body == GROUND for _, other in ways):
                return None
            found |= {hinge.name: hinge for hinge, _ in ways}
        return next(hinge for name, hinge in found.items() if name in self.cuts)

    def _root(self, bodies: list[Body | Beam]) -> tuple[End, bool]:
        """The end of a body that is the root's, and whether it is hinged to the ground."""
        names = {body.name for body in bodies}
        if self.model.root:
            end = root_end(self.model.root, self.model.hinges)
            if end.body in names:
                return end, end in self.there
        for hinge in sorted(self.model.hinges, key=lambda hinge: hinge.name in self.model.cuts):
            for end, other in (hinge.ends, hinge.ends[::-1]):
                if other.body == GROUND and end.body in names:
                    return end, end in self.there
        raise InternalError("a tree has no hinge to the ground")

    def _tree(self, start: _Stop, at: End, condition: Condition, indices: tuple[str, str]) -> None:
        """Go outwards from a root, last inputs first; reversed, that is the transfer order."""
        outward: list[Element] = []
        tips: list[_Tip] = []
        pending: list[_Stop | _Tip] = [start]
        while pending:
            stop = pending.pop()
            if isinstance(stop, _Tip):
                tips.append(stop)
                continue
            here = len(outward)
            element = self._body(stop) if stop.hinge is None else self._hinge(stop, stop.hinge)
            outward.append(element)
            for entry, end in enumerate(element.inputs, start=1):
                feeds = (here, entry)
                if stop.hinge is not None:
                    pending.append(self._before_hinge(stop.hinge, element.label, end, feeds))
                elif stop.came and end == element.output:
                    pending.append(_Tip(feeds, end, "free", (element.label, "0")))
                else:
                    pending.append(self._before_body(element.label, end, feeds))
        self._add(outward, tips, at, condition, indices)

    def _add(
        self,
        outward: list[Element],
        tips: list[_Tip],
        at: End,
        condition: Condition,
        indices: tuple[str, str],
    ) -> None:
        """Take over a tree, its elements and tips in transfer order."""
        last = len(self.elements) + len(outward) - 1
        root = len(self.ends)
        self.ends.append(Boundary(indices, at, condition, last, 0))
        behind: dict[tuple[int, int], tuple[int, int]] = {}
        for tip in reversed(tips):
            place = (last - tip.feeds[0], tip.feeds[1])
            behind[place] = (len(self.ends), len(self.ends) + 1)
            self.ends.append(Boundary(tip.indices, tip.at, tip.condition, *place))
        for element in reversed(outward):
            entries = range(1, len(element.inputs) + 1)
            ranges = tuple(behind[len(self.elements), entry] for entry in entries)
            feeds = element.feeds and (last - element.feeds[0], element.feeds[1])
            if feeds is not None:
                behind[feeds] = (ranges[0][0], ranges[-1][1])
            self.elements.append(replace(element, feeds=feeds, tips=ranges))
        cut = [end.condition == "cut" for end in self.ends[root:]]
        form: Form = (
            "closed loop"
            if cut[0]
            else "general system"
            if any(cut)
            else "chain"
            if len(cut) == 2
            else "tree"
        )
        self.trees.append(Tree(root, (root + 1, len(self.ends)), form))

    def _pairs(self) -> Iterator[Pair]:
        """The ends of each cut: the body's is kept."""
        at = {end.indices: i for i, end in enumerate(self.ends) if end.condition == "cut"}
        for hinge in self.model.hinges:
            if hinge.name in self.cuts:
                label, body = self.labels[hinge.name], hinge.ends[1].body
                kept, dropped = at[body, label], at[label, body]
                yield Pair(hinge.name, kept, dropped, self.ends[dropped].entry == 0)

    def _body(self, stop: _Stop) -> Element:
        body = self.model.body(stop.body)
        inputs = [p for p in self._held(body) if not (stop.came and p == stop.output.point)]
        if not inputs:
            inputs = [
                point.name
                for point in body.points
                if point.name != stop.output.point and End(body.name, point.name) not in self.there
            ]
        first = self.model.first_inputs.get(body.name)
        if first is not None and first not in inputs:
            raise ModelError(
                f"{body.name}:{first} is no input for this root; take another root, or one of: "
                + (", ".join(inputs) or "none (leave it out)"),
                field="first_inputs",
            )
        if first is not None:
            inputs = [first, *(point for point in inputs if point != first)]
        # A tip body's load-free input is a free point of it, or else the place of its output.
        held = any(End(body.name, point) in self.there for point in inputs)
        inputs = inputs if held else inputs[:1] or [stop.output.point]
        ends = tuple(End(body.name, point) for point in inputs)
        modes = body.modes if isinstance(body, Beam) else 0
        return Element(body.name, body.name, body.kind, ends, stop.output, stop.feeds, (), modes)

    def _hinge(self, stop: _Stop, hinge: Hinge) -> Element:
        source = hinge.ends[0] if stop.output == hinge.ends[1] else hinge.ends[1]
        freedoms = 0 if hinge.motion else HINGE_KINDS[self.model.dimension][hinge.kind].speeds
        label = self.labels[hinge.name]
        return Element(
            hinge.name, label, hinge.kind, (source,), stop.output, stop.feeds, (), freedoms
        )

    def _before_hinge(
        self, hinge: Hinge, label: str, end: End, feeds: tuple[int, int]
    ) -> _Stop | _Tip:
        """What a hinge gets its state from: a body, the ground, or nothing at a cut."""
        if end.body == GROUND:
            return _Tip(feeds, end, "clamped", (label, "0"))
        if hinge.name in self.cuts and end == hinge.ends[1]:
            return _Tip(feeds, end, "cut", (label, end.body))
        return _Stop(feeds, body=end.body, output=end)

    def _before_body(self, body: str, end: End, feeds: tuple[int, int]) -> _Stop | _Tip:
        """What a body gets its state from at an input end: a hinge, or nothing."""
        if end not in self.there:
            return _Tip(feeds, end, "free", (body, "0"))
        hinge, other = self.there[end]
        condition = self._condition(hinge)
        if other.body == GROUND and condition:
            return _Tip(feeds, end, condition, (body, "0"))
        if hinge.name in self.cuts and end == hinge.ends[1]:
            return _Tip(feeds, end, "cut", (body, self.labels[hinge.name]))
        return _Stop(feeds, output=end, hinge=hinge)


def _distinct(ends: Sequence[Boundary], elements: Sequence[Element]) -> tuple[Boundary, ...]:
    """The ends with indices that differ: O, I, I₁ … in place of 0 where they would not."""
    times = Counter(end.indices for end in ends)
    found = []
    for end in ends:
        if times[end.indices] > 1:
            several = len(elements[end.element].inputs) > 1
            side = "O" if end.entry == 0 else f"I{end.entry}" if several else "I"
            end = replace(end, indices=(end.indices[0], side))
        found.append(end)
    return tuple(found)

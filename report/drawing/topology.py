"""The topology as the papers on the transfer matrix method draw it.

Circles are bodies (long ones beams), arrows hinges in the direction of transfer, from the tips on
the left to the ground on the right. Small open circles are free ends; the two ends of a cut
hinge, dashed, have its name and a double slash. Of a long chain the middle is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...model import GROUND, Beam, End, Hinge, Model
from ...symbolic.plans.plan import Link, Plan, plan
from .scene import Anchor, Circle, Group, Line, Place, Scene, Shape, Text, framed, text_width
from .svg import svg

#: Radius of a body's circle, half the length of a beam's straight part.
RADIUS, HALF = 18.0, 16.0
#: Room that a row takes: of a body with its name, of a free or cut end.
ROW, STUB_ROW = 76.0, 50.0
#: Between a text and what is beside it.
GAP = 8.0
#: The longest run of bodies that is drawn whole; else this many of its ends, root's and tip's.
LONGEST, ROOT_SIDE, TIP_SIDE = 8, 2, 3


def topology_svg(model: Model | Plan, *, prefix: str = "m") -> str:
    """The topology of a model, or of its plan, as the text of a self-contained SVG.

    It stands in a page as it is, in the colour of the text around it. Every thing is a group with
    an id, so that a page may light a path: `m-body-7`, `m-hinge-8` (the arrow and its name),
    `m-end-7-I1`, `m-cut-9` (both ends of a cut), `m-ground-8` (where hinge 8 leads to), `m-more-1`
    (bodies left out). `#m-hinge-8 { color: red }` colours one. `prefix` is for pages with several.

    Source
        The signs of Riccati paper, Fig. 2, and deduction paper, Fig. 2.
    """
    return svg(topology(model), prefix=prefix)


def topology(model: Model | Plan) -> Scene:
    """The topology of a model, or of its plan, as a drawing."""
    order = model if isinstance(model, Plan) else plan(model)
    return framed(f"Topology of {order.model.name}", _Drawer(order).groups())


@dataclass(eq=False)
class _Slot:
    """What stands at an input of a body: a body, bodies that are left out, or an end.

    `hinge` leads from it; `cut` at an end that is cut. `column` counts from the root, `y` is its
    row's.
    """

    names: tuple[str, ...] = ()
    end: End | None = None
    hinge: Hinge | None = None
    cut: Hinge | None = None
    into: _Slot | None = None
    column: int = 0
    slots: list[_Slot] = field(default_factory=list)
    y: float = 0.0

    @property
    def is_end(self) -> bool:
        return not self.names

    @property
    def left_out(self) -> bool:
        return len(self.names) > 1


class _Drawer:
    """One plan on its way to a drawing."""

    def __init__(self, order: Plan) -> None:
        self.order = order
        self.model = order.model
        self.hinges = {hinge.name: hinge for hinge in self.model.hinges}
        self.cut_at = {end: hinge for hinge in order.cuts for end in hinge.ends}
        self.roots = [self._run(link, None) for link in reversed(order.roots)]
        self.slots = list(self._inwards())
        self.below = self._rows()
        self.bends = self._bends()
        self.columns = self._columns()

    # What is drawn

    def _run(self, link: Link, into: _Slot | None) -> _Slot:
        """A body and those in line behind it; the middle of a long run is one slot."""
        run = [link]
        while self._in_line(run[-1]):
            run.append(self.order.link(run[-1].children[0]))
        parts: list[tuple[Link, ...]] = [(each,) for each in run]
        if len(run) > LONGEST:
            middle = tuple(run[ROOT_SIDE:-TIP_SIDE])
            parts = [*parts[:ROOT_SIDE], middle, *parts[-TIP_SIDE:]]
        first = None
        for part in parts:
            slot = _Slot(
                tuple(each.name for each in part),
                hinge=self.hinges[part[0].hinge],
                into=into,
                column=into.column + 1 if into else 0,
            )
            if into is not None and first is not None:
                into.slots.append(slot)
            first, into = first or slot, slot
        assert first is not None
        return first

    def _in_line(self, link: Link) -> bool:
        """Has a body one input, where a body hangs, and nothing else?"""
        return len(link.children) == 1 and len(link.body.points) == 2

    def _inwards(self) -> Iterator[_Slot]:
        """Every slot, each before those behind it; runs are opened on the way."""
        waiting = list(reversed(self.roots))
        while waiting:
            slot = waiting.pop()
            yield slot
            if slot.names and not slot.slots and not slot.left_out:
                self._open(slot)
            waiting += reversed(slot.slots)

    def _open(self, slot: _Slot) -> None:
        """What stands at each input of the last body of a run."""
        link = self.order.link(slot.names[0])
        for point in link.body.points:
            if point.name == link.output:
                continue
            end = End(link.name, point.name)
            if point.name in link.inputs:
                child = link.children[link.inputs.index(point.name)]
                slot.slots.append(self._run(self.order.link(child), slot))
            else:
                cut = self.cut_at.get(end)
                column = slot.column + 1
                slot.slots.append(_Slot(end=end, cut=cut, into=slot, column=column))

    # Where it is drawn

    def _rows(self) -> float:
        """Give each slot its row, a body the middle of its inputs'; the end of the last row."""
        top = 0.0
        for slot in self.slots:
            if not slot.slots:
                # An end by itself shares the row of its body, and of the body's name below it.
                beside = slot.is_end and slot.into is not None and len(slot.into.slots) > 1
                room = STUB_ROW if beside else ROW
                slot.y, top = top + room / 2, top + room
        for slot in reversed(self.slots):
            if slot.slots:
                slot.y = (slot.slots[0].y + slot.slots[-1].y) / 2
        return top

    def _bends(self) -> list[float]:
        """Of each column: the length in which arrows bend towards the next."""
        found = [26.0] * (max(slot.column for slot in self.slots) + 1)
        for slot in self.slots:
            if slot.into:
                lean = abs(slot.y - slot.into.y)
                found[slot.column] = max(found[slot.column], 0.4 * lean, 18.0 if lean else 0.0)
        return found

    def _columns(self) -> list[float]:
        """Where the column of each number is: negative, the ground at 0."""
        rooms = list(self.bends)
        for slot in self.slots:
            room = self.bends[slot.column] + self._label_room(slot)
            rooms[slot.column] = max(rooms[slot.column], room)
        found, x = [], 0.0
        for room in rooms:
            x -= room + 2 * RADIUS
            found.append(x + RADIUS)
        return self._widened(found)

    def _widened(self, columns: list[float]) -> list[float]:
        """The columns moved apart as far as beams and long names need it."""
        shift, found = 0.0, []
        for number, x in enumerate(columns):
            half = max((self._half(s) for s in self.slots if s.column == number), default=RADIUS)
            shift += half - RADIUS
            found.append(x - shift)
            shift += half - RADIUS
        return found

    def _half(self, slot: _Slot) -> float:
        """Half the width of what is drawn of a slot."""
        if slot.is_end:
            return RADIUS
        long = self._is_beam(slot) or slot.left_out
        return RADIUS + HALF if long else RADIUS

    def _is_beam(self, slot: _Slot) -> bool:
        return not slot.left_out and isinstance(self.model.body(slot.names[0]), Beam)

    def _label_room(self, slot: _Slot) -> float:
        """How long the straight part of an arrow must be for what is written along it."""
        words = self._words(slot)
        middle = max(text_width(words[1], "label"), text_width(words[2], "kind"))
        sides = text_width(words[0], "point") + text_width(words[3], "point")
        return middle + sides + 4 * GAP

    def _words(self, slot: _Slot) -> tuple[str, str, str, str]:
        """Along an arrow: output end, the hinge's name, its kind, the input end."""
        if slot.is_end:
            assert slot.end is not None
            if slot.cut:
                return "", slot.cut.name, f"{slot.cut.kind}, cut", slot.end.point
            return "", "", "free", slot.end.point
        assert slot.hinge is not None
        tip, root = self.order.outputs[slot.hinge.name]
        into = root.point if slot.into else ""
        return tip.point, slot.hinge.name, _kind(slot.hinge), into

    # The groups

    def groups(self) -> Iterator[Group]:
        """All that is drawn: hinges and ends, bodies, the ground, cuts."""
        for slot in self.slots:
            if slot.is_end:
                yield from self._stub(slot)
            else:
                yield from self._hinge(slot)
        for slot in self.slots:
            if not slot.is_end:
                yield self._body(slot)
        yield from self._cuts()

    def _body(self, slot: _Slot) -> Group:
        x, y, name = self.columns[slot.column], slot.y, slot.names[0]
        if slot.left_out:
            dots = tuple(Circle(x + dx, y, 2.2, "more") for dx in (-10.0, 0.0, 10.0))
            said = Text(x, y + RADIUS + 6, f"{len(slot.names)} more", "kind")
            title = f"bodies {slot.names[-1]} to {name}, {len(slot.names)} in all"
            return Group("more", name, title, (*dots, said))
        body = self.model.body(name)
        outline: Shape = Circle(x, y, RADIUS, "body")
        if isinstance(body, Beam):
            outline = Line(_stadium(x, y), "beam", closed=True)
        anchor: Anchor
        inside = text_width(name, "name") <= 2 * RADIUS - 8
        named = Text(x, y, name, "name")
        if not inside:
            # Beside the arrows that come from below, if several come.
            several = len(slot.slots) > 1
            at, anchor = (x - 4, "start") if several else (x, "middle")
            named = Text(at, y + RADIUS + 11, name, "label", anchor)
        return Group("body", name, self._told(self.order.link(name)), (outline, named))

    def _told(self, link: Link) -> str:
        """A body in words."""
        inputs = ", ".join(link.inputs)
        into = f"inputs {inputs}, " if len(link.inputs) > 1 else f"input {inputs}, "
        free = f", free {', '.join(link.free)}" if link.free else ""
        return f"{link.body.kind} {link.name}: {into if inputs else ''}output {link.output}{free}"

    def _hinge(self, slot: _Slot) -> Iterator[Group]:
        """The arrow from a body to the next one or the ground, its names and its two ends."""
        assert slot.hinge is not None
        start = self.columns[slot.column] + self._half(slot)
        bend, target = self._target(slot)
        words, y = self._words(slot), slot.y
        tip, root = self.order.outputs[slot.hinge.name]
        left = start + GAP / 2
        right = bend - GAP / 2
        yield from self._end(str(tip), left, y, words[0], "start")
        if slot.into:
            yield from self._end(str(root), right, y, words[3], "end")
        low = left + text_width(words[0], "point")
        high = right - text_width(words[3], "point")
        shapes = (
            Line(((start, y), (bend, y), target), "hinge", arrow=True),
            Text((low + high) / 2, y - 10, words[1], "label"),
            Text((low + high) / 2, y + 10, words[2], "kind"),
        )
        where = f"{root}" if slot.into else f"the ground ({root})"
        title = f"hinge {slot.hinge.name}, {_kind(slot.hinge)}: from {tip} to {where}"
        yield Group("hinge", slot.hinge.name, title, shapes)
        if not slot.into:
            yield Group("ground", slot.hinge.name, f"the ground, {root}", _ground(0.0, y, root))

    def _target(self, slot: _Slot) -> tuple[float, Place]:
        """Where an arrow bends, and where it ends: on the outline of the next body."""
        if slot.into is None:
            return -self.bends[0] / 2, (0.0, slot.y)
        x, y = self.columns[slot.into.column], slot.into.y
        half = self._half(slot.into)
        bend = x - half - self.bends[slot.column]
        return bend, _on_outline((bend, slot.y), (x, y), half - RADIUS)

    def _end(self, name: str, x: float, y: float, said: str, anchor: Anchor) -> Iterator[Group]:
        """The name of an end beside its arrow."""
        if said:
            text = Text(x, y - 9, said, "point", anchor)
            yield Group("end", name, f"end {name}", (text,))

    def _stub(self, slot: _Slot) -> Iterator[Group]:
        """A free end: a line from a small circle. Of a cut end only the name; see `_cuts`."""
        assert slot.end is not None
        assert slot.into is not None
        name, y = str(slot.end), slot.y
        bend, target = self._target(slot)
        label = Text(bend - GAP / 2, y - 9, slot.end.point, "point", "end")
        if slot.cut:
            yield Group("end", name, f"end {name}, cut", (label,))
            return
        start = bend - self._stub_length(slot)
        free = Text(bend - GAP / 2, y + 9, "free", "kind", "end")
        line = Line(((start + 4, y), (bend, y), target), "stub")
        circle = Circle(start, y, 4.0, "end")
        yield Group("end", name, f"end {name}, free", (circle, line, label, free))

    def _stub_length(self, slot: _Slot) -> float:
        words = self._words(slot)
        above = text_width(words[1], "label") + text_width(words[3], "point") + GAP
        return max(above, text_width(words[2], "kind")) + 2 * GAP

    def _cuts(self) -> Iterator[Group]:
        """Of each cut hinge both ends: where it reports its load the arrow leads away."""
        stubs = {slot.end: slot for slot in self.slots if slot.cut}
        below = self.below
        for hinge in self.order.cuts:
            away, into = self.order.outputs[hinge.name]
            shapes: list[Shape] = []
            for end in (away, into):
                if end.body == GROUND:
                    below += STUB_ROW
                    shapes += self._cut_at_ground(hinge, below - STUB_ROW / 2, end)
                else:
                    shapes += self._cut_end(stubs[end], leaves=end == away)
            title = f"hinge {hinge.name}, {_kind(hinge)}, cut: from {away} to {into}"
            yield Group("cut", hinge.name, title, tuple(shapes))

    def _cut_end(self, slot: _Slot, leaves: bool) -> Iterator[Shape]:
        assert slot.cut is not None
        bend, target = self._target(slot)
        start, y = bend - self._stub_length(slot), slot.y
        way = ((start, y), (bend, y), target)
        yield Line(way[::-1] if leaves else way, "cut", arrow=True)
        yield from _slashes(start - 6, y)
        yield Text(start + GAP, y - 10, slot.cut.name, "cut label", "start")
        yield Text(bend - GAP / 2, y + 10, f"{slot.cut.kind}, cut", "kind", "end")

    def _cut_at_ground(self, hinge: Hinge, y: float, end: End) -> Iterator[Shape]:
        said = f"{hinge.kind}, cut"
        length = max(text_width(hinge.name, "cut label"), text_width(said, "kind")) + 2 * GAP
        start = -length - 14
        yield Line(((start, y), (0.0, y)), "cut", arrow=True)
        yield from _slashes(start - 6, y)
        yield Text(start + GAP, y - 10, hinge.name, "cut label", "start")
        yield Text(start + GAP, y + 10, said, "kind", "start")
        yield from _ground(0.0, y, end)


def _kind(hinge: Hinge) -> str:
    """A hinge's kind, and what else moves it."""
    if hinge.motion:
        return f"{hinge.kind}, driven"
    if hinge.mimic:
        return f"{hinge.kind}, follows {', '.join(hinge.mimic.leaders)}"
    return hinge.kind


def _ground(x: float, y: float, end: End) -> tuple[Shape, ...]:
    """A wall with the name of its point."""
    wall = Line(((x, y - 16), (x, y + 16)), "ground")
    hatch = [Line(((x, y + dy), (x + 7, y + dy - 7)), "hatch") for dy in (-8.0, 0.0, 8.0, 16.0)]
    return (wall, *hatch, Text(x + 12, y, str(end), "point", "start"))


def _slashes(x: float, y: float) -> tuple[Shape, ...]:
    return tuple(Line(((x + dx - 3, y + 7), (x + dx + 3, y - 7)), "slash") for dx in (-2.5, 2.5))


def _stadium(x: float, y: float, steps: int = 12) -> tuple[Place, ...]:
    """A circle drawn out to both sides."""
    right = [math.pi * (k / steps - 0.5) for k in range(steps + 1)]
    return tuple(
        (x + side * HALF + RADIUS * math.cos(turn), y + RADIUS * math.sin(turn))
        for side, shift in ((1.0, 0.0), (-1.0, math.pi))
        for turn in (angle + shift for angle in right)
    )


def _on_outline(start: Place, centre: Place, straight: float) -> Place:
    """Where a line to the centre of a circle, or of its nearer half, meets the outline."""
    cx, cy = centre[0] - straight, centre[1]
    distance = math.hypot(cx - start[0], cy - start[1])
    part = (distance - RADIUS) / distance
    return start[0] + part * (cx - start[0]), start[1] + part * (cy - start[1])

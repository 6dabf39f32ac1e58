"""A drawing as plain shapes in groups, before it is SVG or goes onto axes.

Lengths are in pixels, y points down. A shape's role says what it shows; how that looks is in one
table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Anchor: TypeAlias = Literal["start", "middle", "end"]
Place: TypeAlias = tuple[float, float]

#: Width of a character and height of a line, as parts of the font's size: a little too much.
CHARACTER, LINE = 0.62, 1.25


@dataclass(frozen=True)
class Look:
    """How a role looks.

    `stroke` and `fill` are colours, `ink` that of the text around the drawing; `size` is of text.
    """

    stroke: str = "none"
    fill: str = "none"
    width: float = 1.5
    dash: tuple[float, ...] = ()
    size: float = 0.0
    bold: bool = False
    faint: bool = False


#: Of what acts: loads, weight and drives.
ACT = "#0d7f74"
#: Of a cut pair, or a child's frame, and of what is drawn with it; of a parent's frame.
CUT, PARENT = "#c2410c", "#6b7280"

LOOKS: Mapping[str, Look] = {
    "body": Look("ink", "none"),
    "beam": Look("ink", "none"),
    "link": Look("ink", "none", 3.0),
    "plate": Look("ink", "ink", 2.0, faint=True),
    "slide": Look("ink", "ink", 1.4, faint=True),
    "more": Look("none", "ink"),
    "hinge": Look("ink", "ink"),
    "cut": Look(CUT, CUT, 1.6, (5, 3)),
    "slash": Look(CUT, "none", 1.6),
    "place axis": Look("#2f6fb0", "none", 1.0),
    "stub": Look("ink", "none", 1.2),
    "end": Look("ink", "none", 1.2),
    "ground": Look("ink", "none", 1.8),
    "hatch": Look("ink", "none", 1.0, faint=True),
    "axis": Look("ink", "none", 1.0, (6, 3, 1, 3), faint=True),
    "spring": Look("ink", "none", 1.2),
    "name": Look(fill="ink", size=14, bold=True),
    "label": Look(fill="ink", size=13),
    "kind": Look(fill="ink", size=11, faint=True),
    "point": Look(fill="ink", size=11, faint=True),
    "cut label": Look(fill=CUT, size=13),
    "parent": Look(PARENT, PARENT, 2.0),
    "parent label": Look(fill=PARENT, size=14),
    "child": Look(CUT, CUT, 2.0),
    "child label": Look(fill=CUT, size=14),
    "way": Look(CUT, "none", 1.0, (4, 4)),
    "act": Look(ACT, "none", 1.8),
    "act label": Look(fill=ACT, size=12),
    "damper": Look("ink", "none", 1.6),
    "angle": Look("ink", "none", 1.0, faint=True),
}


@dataclass(frozen=True)
class Circle:
    """A circle about (x, y)."""

    x: float
    y: float
    radius: float
    role: str


@dataclass(frozen=True)
class Line:
    """A line through points; with `arrow` a head at its last, with `closed` back to the first."""

    points: tuple[Place, ...]
    role: str
    arrow: bool = False
    closed: bool = False


@dataclass(frozen=True)
class Text:
    """A line of text, vertically centred on y."""

    x: float
    y: float
    text: str
    role: str
    anchor: Anchor = "middle"

    @property
    def width(self) -> float:
        """About how wide it is."""
        return text_width(self.text, self.role)


Shape: TypeAlias = Circle | Line | Text


@dataclass(frozen=True)
class Group:
    """Shapes that show one thing of the model: `kind` (`body`, `hinge`, `end`, …) and its name.

    `title` says in words what it is, for those who point at it or hear it.
    """

    kind: str
    name: str
    title: str
    shapes: tuple[Shape, ...]


@dataclass(frozen=True)
class Scene:
    """A whole drawing, with what it is called."""

    title: str
    width: float
    height: float
    groups: tuple[Group, ...] = field(default=())


def text_width(text: str, role: str) -> float:
    """About how wide a text of this role is."""
    return len(text) * LOOKS[role].size * CHARACTER


Box: TypeAlias = tuple[float, float, float, float]


def box(shape: Shape) -> Box:
    """Left, top, right and bottom of a shape; of a text with some room to spare."""
    if isinstance(shape, Circle):
        r = shape.radius
        return shape.x - r, shape.y - r, shape.x + r, shape.y + r
    if isinstance(shape, Text):
        left = shape.x - {"start": 0.0, "middle": 0.5, "end": 1.0}[shape.anchor] * shape.width
        half = LOOKS[shape.role].size * LINE / 2
        return left, shape.y - half, left + shape.width, shape.y + half
    xs, ys = [x for x, _ in shape.points], [y for _, y in shape.points]
    return min(xs), min(ys), max(xs), max(ys)


def bounds(shapes: Iterable[Shape]) -> Box:
    """The least box that holds all shapes."""
    boxes = [box(shape) for shape in shapes]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def moved(shape: Shape, dx: float, dy: float) -> Shape:
    """The shape at another place."""
    if isinstance(shape, Circle):
        return Circle(shape.x + dx, shape.y + dy, shape.radius, shape.role)
    if isinstance(shape, Text):
        return Text(shape.x + dx, shape.y + dy, shape.text, shape.role, shape.anchor)
    points = tuple((x + dx, y + dy) for x, y in shape.points)
    return Line(points, shape.role, shape.arrow, shape.closed)


def framed(title: str, groups: Iterable[Group], margin: float = 12.0) -> Scene:
    """The groups as a scene that begins at (0, 0) and is as large as they need."""
    groups = tuple(groups)
    left, top, right, bottom = bounds(shape for group in groups for shape in group.shapes)
    dx, dy = margin - left, margin - top
    placed = tuple(
        Group(g.kind, g.name, g.title, tuple(moved(shape, dx, dy) for shape in g.shapes))
        for g in groups
    )
    return Scene(title, right - left + 2 * margin, bottom - top + 2 * margin, placed)


def head(line: Line, length: float = 10.0, half: float = 4.0) -> tuple[Place, Place, Place]:
    """The three corners of a line's arrow head, its tip first."""
    (x0, y0), (x1, y1) = line.points[-2:]
    distance = math.hypot(x1 - x0, y1 - y0) or 1.0
    ux, uy = (x1 - x0) / distance, (y1 - y0) / distance
    bx, by = x1 - length * ux, y1 - length * uy
    return (x1, y1), (bx - half * uy, by + half * ux), (bx + half * uy, by - half * ux)

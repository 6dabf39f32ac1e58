"""A scene as SVG: self-contained, in the text colour around it, with an id for each thing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape

from .scene import LOOKS, Circle, Group, Line, Look, Scene, Shape, Text, head

#: Only a file of its own has the page's colours to choose.
_ALONE = """\
svg.mstmm:root { color: #1a1a1a; }
@media (prefers-color-scheme: dark) { svg.mstmm:root { color: #e8e8e8; background: #16181d; } }
"""


def svg(scene: Scene, *, prefix: str = "m") -> str:
    """The scene as the text of an SVG element, which may stand in a page or in a file.

    Each thing of the model is a group with the id `PREFIX-KIND-NAME` (`m-body-7`, `m-hinge-8`,
    `m-end-7-I1`), the class of its kind and its name in `data-name`.
    """
    width, height = _number(scene.width), _number(scene.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mstmm" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" style="max-width: 100%; height: auto" '
        'font-family="system-ui, sans-serif">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>{_ALONE}</style>",
        *(line for group in scene.groups for line in _group(group, prefix)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def identifier(prefix: str, kind: str, name: str) -> str:
    """The id of a group: letters, digits, - and _ alone."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", f"{prefix}-{kind}-{name}")


def _group(group: Group, prefix: str) -> Iterator[str]:
    name = escape(group.name, quote=True)
    yield (
        f'<g id="{identifier(prefix, group.kind, group.name)}" class="{group.kind}" '
        f'data-name="{name}">'
    )
    if group.title:
        yield f"<title>{escape(group.title)}</title>"
    for shape in group.shapes:
        yield from _shape(shape)
    yield "</g>"


def _shape(shape: Shape) -> Iterator[str]:
    look = LOOKS[shape.role]
    if isinstance(shape, Circle):
        place = f'cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}"'
        yield f"<circle {place} {_drawn(look)}/>"
    elif isinstance(shape, Text):
        weight = ' font-weight="600"' if look.bold else ""
        faint = ' opacity="0.7"' if look.faint else ""
        yield (
            f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{look.size:g}" '
            f'text-anchor="{shape.anchor}" dominant-baseline="central" fill="{_ink(look.fill)}"'
            f"{weight}{faint}>{escape(shape.text)}</text>"
        )
    else:
        yield from _line(shape, look)


def _line(line: Line, look: Look) -> Iterator[str]:
    points = line.points
    if line.arrow:
        corners = head(line)
        base = tuple((a + b) / 2 for a, b in zip(corners[1], corners[2], strict=True))
        points = (*points[:-1], (base[0], base[1]))
    path = " L".join(f"{_number(x)} {_number(y)}" for x, y in points)
    drawn = _drawn(look if line.closed else replace(look, fill="none"))
    yield f'<path d="M{path}{" Z" if line.closed else ""}" {drawn} stroke-linejoin="round"/>'
    if line.arrow:
        tip = " L".join(f"{_number(x)} {_number(y)}" for x, y in corners)
        yield f'<path d="M{tip} Z" fill="{_ink(look.stroke)}"/>'


def _drawn(look: Look) -> str:
    parts = [f'fill="{_ink(look.fill)}"', f'stroke="{_ink(look.stroke)}"']
    if look.stroke != "none":
        parts.append(f'stroke-width="{look.width:g}"')
    if look.dash:
        parts.append(f'stroke-dasharray="{" ".join(f"{x:g}" for x in look.dash)}"')
    if look.faint:
        parts.append('opacity="0.6"' if look.fill == "none" else 'fill-opacity="0.12"')
    return " ".join(parts)


def _ink(colour: str) -> str:
    return "currentColor" if colour == "ink" else colour


def _number(x: float) -> str:
    return f"{round(x, 1):g}"

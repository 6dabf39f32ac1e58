"""The gallery of conventions: what hinges do, drawn and in formulas, read off their records.

`python -m mstmm.report.conventions docs` writes the page and its pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import sympy as sp

from ..model.parts.hinge_kinds import ANGLE, HINGE_KINDS, LENGTH, SIZES, TURN, HingeKind, X, Y, Z
from ..model.parts.naming import numbered

Floats = npt.NDArray[np.float64]

#: What a picture shows: coordinates of this size, and of a quaternion this turn.
SHOWN = {ANGLE: 0.5, LENGTH: 1.4}
TURNED = (0.9, 0.3, -0.2, 0.25)
SIZE_SHOWN = 2.8

#: How space is seen: the rows are the picture's axes, to the right and up.
VIEW = np.array([[-0.5, 0.87, 0.0], [-0.3, -0.17, 0.94]])

#: Pixels a unit, and about the picture.
SCALE, MARGIN = 90, 26

PARENT, CHILD = "#6b7280", "#c2410c"

#: Quaternions and places as readers write them.
PLAIN = dict(zip((*TURN, X, Y, Z), sp.symbols("w x y z r1 r2 r3", real=True), strict=True))


def pages() -> dict[str, str]:
    """The page and its pictures, by their names in the folder of the documents."""
    kinds = [kind for each in HINGE_KINDS.values() for kind in each.values()]
    pictures = {_file(kind): drawn(kind) for kind in kinds}
    return {"hinges.md": "\n".join(_page()) + "\n", **pictures}


def _file(kind: HingeKind) -> str:
    return f"hinges/{'plane' if kind.dimension == 2 else 'space'}-{kind.name}.svg"


def _page() -> Iterator[str]:
    yield HEAD.strip()
    for dimension, title in ((2, "In the plane"), (3, "In space")):
        yield f"\n## {title}"
        for kind in HINGE_KINDS[dimension].values():
            yield from _entry(kind)


def _entry(kind: HingeKind) -> Iterator[str]:
    """One kind of hinge: picture, coordinates, pose, conditions of a cut."""
    yield f"\n### `{kind.name}` ({'plane' if kind.dimension == 2 else 'space'})"
    yield f"\n![The frames of a {kind.name} hinge]({_file(kind)})"
    yield f"\nThe child {kind.does}."
    if kind.q:
        names = ", ".join(
            f"{PLAIN.get(q, q)} ({unit})" for q, unit in zip(kind.q, _units(kind), strict=True)
        )
        yield f"\n- Coordinates, in their order: {names}; of a hinge `h`: " + ", ".join(
            f"`{name}`" for name in kind.names("qh")
        )
        own = ", ".join(f"`{name}`" for name in numbered("uh", kind.speeds))
        yield f"- Speeds: {_speeds(kind)}; {own}"
    for size in kind.sizes:
        yield f"- Size: `{size}`, {SIZES[size].description}"
    yield ("" if kind.q else "\n") + f"- Where it is cut, it demands {_closed(kind)}"
    yield f"\n```text\n{_pose(kind)}\n```"


def _units(kind: HingeKind) -> list[str]:
    units = {ANGLE: ["rad"], LENGTH: ["m"]}
    return [unit for slot in kind.slots for unit in units.get(slot, ["1"] * 4)]


def _speeds(kind: HingeKind) -> str:
    if not kind.has_quaternion:
        return "the rates of the coordinates"
    spin = "the child's angular velocity relative to the parent, in the child's axes (rad/s)"
    return (
        f"the velocity of the child's point, in the child's axes (m/s), then {spin}"
        * (len(kind.u) == 6)
        or spin
    )


def _closed(kind: HingeKind) -> str:
    """What a cut of the hinge demands, in words."""
    parts = []
    if kind.places:
        axes = "".join("xyz"[i] for i in kind.places)
        parts.append(f"both points at the same place along the parent's {', '.join(axes)}")
    if kind.pairs:
        pairs = ", ".join(f"{'xyz'[i]} · {'xyz'[j]}′" for i, j in kind.pairs)
        parts.append(f"right angles of the parent's and the child's axes: {pairs} = 0")
    if kind.lead:
        parts.append("the shift that goes with the turn")
    return "; ".join(parts) or "nothing"


def _pose(kind: HingeKind) -> str:
    R, p = (sp.Matrix(x).xreplace(PLAIN) for x in (kind.rotation, kind.position))
    rotation = sp.pretty(R, use_unicode=True, wrap_line=False).splitlines()
    position = sp.pretty(p, use_unicode=True, wrap_line=False).splitlines()
    height = max(len(rotation), len(position))
    rows = zip(_centred(rotation, height), _centred(position, height), strict=True)
    named = {height // 2: ("R = ", "p = ")}
    lines = []
    for k, (r, s) in enumerate(rows):
        before, between = named.get(k, ("    ", "    "))
        lines.append(f"{before}{r}    {between}{s}".rstrip())
    return "\n".join(lines)


def _centred(lines: list[str], height: int) -> list[str]:
    """The lines with empty ones about them, all of one length."""
    width = max(map(len, lines))
    above = (height - len(lines)) // 2
    every = [*[""] * above, *lines, *[""] * (height - len(lines) - above)]
    return [line.ljust(width) for line in every]


# Pictures


def drawn(kind: HingeKind) -> str:
    """The parent's frame and the child's, at coordinates that are not zero, as an SVG."""
    R, p = _shown(kind)
    d = kind.dimension
    zero = np.zeros(d)
    arrows = [(zero, axis, str(i + 1), PARENT) for i, axis in enumerate(np.eye(d))]
    arrows += [(p, R[:, i], f"{i + 1}′", CHILD) for i in range(d)]
    ends = [_seen(x) for at, axis, _, _ in arrows for x in (at, at + 1.15 * axis)]
    low, high = np.min(ends, axis=0), np.max(ends, axis=0)
    width, height = (SCALE * (high - low) + 2 * MARGIN).round().astype(int)

    def at(point: Floats) -> str:
        x, y = SCALE * (_seen(point) - low) + MARGIN
        return f"{x:.1f},{height - y:.1f}"

    def arrow(start: Floats, axis: Floats, label: str, colour: str) -> str:
        (x1, y1), (x2, y2) = at(start).split(","), at(start + axis).split(",")
        tx, ty = at(start + 1.13 * axis).split(",")
        marker = "parent" if colour == PARENT else "child"
        return (
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="2" '
            f'marker-end="url(#{marker})"/>'
            f'<text x="{tx}" y="{float(ty) + 4:.1f}" fill="{colour}" text-anchor="middle">{label}'
            "</text>"
        )

    marks = "".join(
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
        f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
        for name, colour in (("parent", PARENT), ("child", CHILD))
    )
    path = (
        f'<polyline points="{at(zero)} {at(p)}" stroke="{CHILD}" stroke-dasharray="4 4" '
        'fill="none"/>'
    ) * bool(p.any())
    dots = "".join(
        f'<circle cx="{at(x).split(",")[0]}" cy="{at(x).split(",")[1]}" r="4" fill="{colour}"/>'
        for x, colour in ((zero, PARENT), (p, CHILD))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14">'
        f"<title>{kind.name}: the parent's axes 1, 2{', 3' * (d == 3)} and the child's with "
        f"primes</title><defs>{marks}</defs>{path}{''.join(arrow(*x) for x in arrows)}{dots}"
        "</svg>\n"
    )


def _shown(kind: HingeKind) -> tuple[Floats, Floats]:
    """The pose at coordinates that are not zero."""
    known: dict[sp.Symbol, float] = dict.fromkeys(SIZES, SIZE_SHOWN)
    if kind.has_quaternion:
        Q = np.array(TURNED) / np.linalg.norm(TURNED)
        known |= dict(zip(TURN, Q.tolist(), strict=True)) | {X: 0.2, Y: 1.5, Z: 0.4}
    else:
        known |= {q: SHOWN[slot] for q, slot in zip(kind.q, kind.slots, strict=True)}
    R, p = (
        np.array(sp.Matrix(x).xreplace(known).evalf(), dtype=float)
        for x in (kind.rotation, kind.position)
    )
    return R, p[:, 0]


def _seen(point: Floats) -> Floats:
    return point if len(point) == 2 else VIEW @ point


HEAD = """
# Hinges, kind by kind

What the [conventions](conventions.md) say in general, drawn and in formulas, made from the records
that solvers are derived from. In the pictures the parent's axes 1, 2, 3 are grey and the child's
1′, 2′, 3′ orange, at an angle of 0.5 rad or a shift of 1.4 m. R takes components in the child's
axes to those in the parent's; p is the place of the child's point from the parent's, in the
parent's axes.
"""

if __name__ == "__main__":
    for name, text in pages().items():
        path = Path(sys.argv[1]) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

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
from .documents.document import Code, Document, Fold, Items, Picture, Section
from .documents.plain import markdown
from .drawing.scene import Circle, Group, Line, Scene, Shape, Text, framed
from .drawing.svg import svg

Floats = npt.NDArray[np.float64]

#: What a picture shows: coordinates of this size, and of a quaternion this turn.
SHOWN = {ANGLE: 0.5, LENGTH: 1.4}
TURNED = (0.9, 0.3, -0.2, 0.25)
SIZE_SHOWN = 2.8

#: How space is seen: the rows are the picture's axes, to the right and up.
VIEW = np.array([[-0.5, 0.87, 0.0], [-0.3, -0.17, 0.94]])

#: Pixels a unit.
SCALE = 90

#: Quaternions and places as readers write them.
PLAIN = dict(zip((*TURN, X, Y, Z), sp.symbols("w x y z r1 r2 r3", real=True), strict=True))


def pages() -> dict[str, str]:
    """The page and its pictures, by their names in the folder of the documents."""
    kinds = [kind for each in HINGE_KINDS.values() for kind in each.values()]
    return {"hinges.md": markdown(_document()), **{_file(kind): svg(drawn(kind)) for kind in kinds}}


def _file(kind: HingeKind) -> str:
    return f"hinges/{'plane' if kind.dimension == 2 else 'space'}-{kind.name}.svg"


def _document() -> Document:
    sections = (
        Section(title, title, tuple(map(_entry, HINGE_KINDS[dimension].values())))
        for dimension, title in ((2, "In the plane"), (3, "In space"))
    )
    return Document("Hinges, kind by kind", HEAD, tuple(sections))


def _entry(kind: HingeKind) -> Fold:
    """One kind of hinge: picture, coordinates, pose, conditions of a cut."""
    said = []
    if kind.q:
        names = ", ".join(
            f"{PLAIN.get(q, q)} ({unit})" for q, unit in zip(kind.q, _units(kind), strict=True)
        )
        of_h = ", ".join(f"`{name}`" for name in kind.names("qh"))
        said.append(f"Coordinates, in their order: {names}; of a hinge `h`: {of_h}")
        own = ", ".join(f"`{name}`" for name in numbered("uh", kind.speeds))
        said.append(f"Speeds: {_speeds(kind)}; {own}")
    said += [f"Size: `{size}`, {SIZES[size].description}" for size in kind.sizes]
    said.append(f"Where it is cut, it demands {_closed(kind)}")
    blocks = (
        Picture(_file(kind), f"The frames of a {kind.name} hinge: the child {kind.does}."),
        Items(tuple(said)),
        Code(_pose(kind), "text"),
    )
    where = "plane" if kind.dimension == 2 else "space"
    return Fold(f"`{kind.name}` ({where})", kind.name, blocks)


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


def drawn(kind: HingeKind) -> Scene:
    """The parent's frame and the child's, at coordinates that are not zero."""
    R, p = _shown(kind)
    axes = np.eye(kind.dimension)
    way = Line((_seen(0 * p), _seen(p)), "way")
    title = f"{kind.name}: the parent's axes, and the child's with primes"
    groups = (
        Group("way", "way", "", (way,) * bool(p.any())),
        Group("frame", "parent", "", (*_frame(0 * p, axes, "parent", ""),)),
        Group("frame", "child", "", (*_frame(p, R.T, "child", "′"),)),
    )
    return framed(title, groups)


def _frame(at: Floats, axes: Floats, role: str, mark: str) -> Iterator[Shape]:
    """Axes as arrows from a place, numbered."""
    yield Circle(*_seen(at), 4.0, role)
    for i, axis in enumerate(axes, start=1):
        yield Line((_seen(at), _seen(at + axis)), role, arrow=True)
        yield Text(*_seen(at + 1.13 * axis), f"{i}{mark}", f"{role} label")


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


def _seen(point: Floats) -> tuple[float, float]:
    """Where it is drawn, in pixels."""
    x, y = SCALE * (point if len(point) == 2 else VIEW @ point)
    return float(x), -float(y)


HEAD = """\
What the [conventions](conventions.md) say in general, drawn and in formulas, made from the records
that solvers are derived from. In the pictures the parent's axes 1, 2, 3 are grey and the child's
1′, 2′, 3′ orange, at an angle of 0.5 rad or a shift of 1.4 m. R takes components in the child's
axes to those in the parent's; p is the place of the child's point from the parent's, in the
parent's axes."""

if __name__ == "__main__":
    for name, text in pages().items():
        path = Path(sys.argv[1]) / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

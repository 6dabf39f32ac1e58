"""How many frequencies lie below one: the pivots of a recursion counted, and Δ(ω)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ...errors import MstmmError
from ...runtime.derived import Derived, Values
from ...runtime.solver import compile_model
from ...runtime.vibration.modes import Modes
from ..documents.document import Block, Cell, Drawing, Numbers, Prose, Table
from ..drawing.scene import Circle, Group, Line, Scene, Shape, Text, framed
from ..drawing.svg import svg
from ..state import State, placed
from .holzer import holzer

#: Points of a curve; modes that a curve is drawn beyond.
POINTS, SHOWN = 600, 6

#: The width and the height of a curve.
WIDE, TALL = 300.0, 170.0

_PIVOTS = re.compile(r"\w+/(c?)piv\d+/(.+)")
_CELL = re.compile(r"^(.*)_c+\d+$")


def counting(derived: Derived, values: Values, state: State, square: float) -> Iterator[Block]:
    """The sum of the theorem with a model's own pivots at ω², then Δ(ω) and Holzer's table.

    Source
        Sylvester, Haynsworth, Wittrick and Williams (1971); see `linear`.
    """
    model, below = derived.model, int(values["below"].item())
    yield Prose(
        "Every elimination divides by a pivot: of a hinge by D, along its freedoms one after the "
        "other, of a cell of a beam by F, which is congruent to its stiffness with O held. By "
        "Sylvester's law of inertia as many eigenvalues lie below ω² as pivots are negative; where "
        "loops close, one less for each negative one of what holds them closed."
        + " A coordinate that hinges share is eliminated where they have all met."
        * bool(model.followers)
    )
    parts = _pivots(derived, values)
    counts = {name: sum(x < 0 for x in each.pivots) for name, each in parts.items()}
    rows: list[tuple[Cell, ...]] = [
        (name, each.shown, str(counts[name])) for name, each in parts.items()
    ]
    if tied := below - sum(counts.values()):
        apart = tuple({f"coordinate of {x.hinge}": 1 for x in model.followers.values()})
        others = () if apart and not model.forces else ("what closes loops, forces between points",)
        rows.append((", ".join((*others, *apart)), "", f"{tied:+d}"))
    rows.append(("all: J", "", str(below)))
    yield Table(("eliminated", "pivots d", "negative"), tuple(rows))
    place = f"ω = {square**0.5:.6g} rad/s" if square >= 0 else f"ω² = {square:.6g}"
    yield Prose(
        f"So {below} of the model's eigenvalues {'lies' if below == 1 else 'lie'} below {place}. "
        f"Of what a pivot is made of at least a part of {values['pivot'].item():.1e} is left; "
        "above 1e-9 doubles are believed.".replace("e-", "e−")
    )
    try:
        solver = compile_model(model, algorithm="linear", target="numpy")
        modes = solver.modes(state.q, count=SHOWN)
    except MstmmError as reason:
        yield Prose(f"No frequencies about this state: {reason}.")
        return
    if (modes.squares > 0).any():
        yield Drawing(svg(curve(modes), prefix="curve"), _words(modes))
    yield from holzer(placed(model, state), values, square)


@dataclass
class _Eliminated:
    """The pivots of a hinge, or of all cells of a beam."""

    pivots: list[float] = field(default_factory=list)
    cells: int = 0

    @property
    def shown(self) -> Cell:
        if self.cells > 1:
            return f"{len(self.pivots)}, in {self.cells} cells"
        return Numbers.of([self.pivots])


def _pivots(derived: Derived, values: Values) -> dict[str, _Eliminated]:
    """What is eliminated, in order."""
    beams = {x.name for x in derived.model.beams}
    found: dict[str, _Eliminated] = {}
    for name in values:
        if kept := _PIVOTS.fullmatch(name):
            of_cell, link = kept[1], kept[2]
            beam = link if link in beams else _CELL.sub(r"\1", link)
            # A beam's hinge is that of its cell next to the root.
            known = derived.plan.by_name
            hinge = "" if of_cell else known[link if link in known else beam].hinge
            word = f"beam {beam}: F" if of_cell else f"hinge {hinge}: D"
            part = found.setdefault(word, _Eliminated())
            part.pivots += np.ravel(values[name]).tolist()
            part.cells += bool(of_cell)
    return found


def _words(modes: Modes) -> str:
    proof = "double" if {*modes.certificate.proof} == {"double"} else "balls too"
    roots = ", ".join(f"{x:.6g}" for x in modes.frequencies[modes.squares > 0])
    return (
        "log |Δ(ω)|, drawn full where Δ > 0 and dashed where Δ < 0, by the sign (−1)ᴶ of the "
        f"count; dots are the frequencies that are found and certified ({proof}): {roots} rad/s."
    )


def curve(modes: Modes) -> Scene:
    """log |Δ| over ω up to the highest of the modes, with a dot at each."""
    roots = np.unique(modes.frequencies[modes.squares > 0])
    top = 1.06 * float(roots[-1])
    omega = np.linspace(0, top, POINTS + 1)[1:]
    logs, below = modes.determinant(omega)
    kept = np.isfinite(logs)
    omega, logs, below = omega[kept], logs[kept] / np.log(10), below[kept]
    low, high = float(np.quantile(logs, 0.01)), float(logs.max())
    high = high if high > low else low + 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        return WIDE * x / top, TALL * (high - max(y, low)) / (high - low)

    shapes: list[Shape] = [Line(((0.0, TALL), (WIDE, TALL)), "end")]
    shapes.append(Line(((0.0, 0.0), (0.0, TALL)), "end"))
    points = [at(x, y) for x, y in zip(omega.tolist(), logs.tolist(), strict=True)]
    cuts = [0, *(np.flatnonzero(np.diff(below)) + 1).tolist(), len(points)]
    for first, last in pairwise(cuts):
        # Down to the frequencies on both sides.
        ends = [roots[(roots < omega[first])][-1:], roots[(roots > omega[last - 1])][:1]]
        before, after = ([(WIDE * x / top, TALL) for x in each.tolist()] for each in ends)
        role = "way" if below[first] % 2 else "act"
        shapes.append(Line((*before, *points[first:last], *after), role))
    shapes += [Circle(WIDE * x / top, TALL, 3.6, "hinge") for x in roots.tolist()]
    step = 10 ** np.floor(np.log10(top))
    step = next((x for x in (step / 5, step / 2, step) if top / x <= 7), 2 * step)
    for k in range(int(top / step) + 1):
        shapes.append(Text(WIDE * k * step / top, TALL + 14, f"{k * step:g}", "kind"))
    shapes.append(Text(WIDE, TALL + 30, "ω in rad/s", "kind", "end"))
    for y, value in ((0.0, high), (TALL, low)):
        shapes.append(Text(-6.0, y, f"{value:.0f}".replace("-", "−"), "kind", "end"))
    shapes.append(Text(0.0, -14.0, "log₁₀ |Δ|", "kind", "start"))
    name = modes.model.name
    return framed(f"Δ(ω) of {name}", [Group("curve", name, "log |Δ| over ω", tuple(shapes))])

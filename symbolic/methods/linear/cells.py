"""Models whose beams are cut into cells: short beams, welded to each other, with points at ends.

The linear program takes a beam for one cell. How many there must be depends on the highest
frequency that is asked for: the largest wave number times the length of a cell is at most 1.5,
where 26 terms of the exponential are right to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

import sympy as sp

from ....model import Beam, Body, End, Hinge, Model, Point
from ....model.expressions.quantities import Quantity, exact_expression

#: The largest wave number times the length of a cell.
LONGEST = 1.5

#: Up to this part of 1/damping from zero small damped motions of a beam are taken: eigenvalues
#: accumulate at s = −1/damping.
APART = 0.75


def wave_number(model: Model, beam: Beam, omega2: float, softer: float = 1.0) -> float:
    """A bound of all wave numbers of a beam, up to ω² and down to −ω².

    Of any complex ω² of that size too, where stiffnesses are complex and no smaller than `softer`
    times what they are without damping.

    Units
        1/m.
    Source
        own: the roots of σ² = s σ + t of bending, with |s| and |t| at their largest.
    """

    def both(given: Quantity | tuple[Quantity, ...]) -> list[float]:
        return [model.value(x) for x in (given if isinstance(given, tuple) else (given,))]

    EI, shear, rotary = map(
        both, (beam.bending_stiffness, beam.shear_stiffness, beam.rotary_inertia)
    )
    mass = model.value(beam.density) * omega2
    squares = [mass / model.value(beam.axial_stiffness) / softer]
    turning = abs(model.value(beam.spin)) * model.value(beam.polar_inertia) * math.sqrt(omega2)
    if len(EI) > 1:
        GJ = model.value(beam.torsional_stiffness)
        squares.append(model.value(beam.polar_inertia) * omega2 / GJ / softer)
    across = mass + model.value(beam.foundation)
    tension = abs(model.value(beam.tension)) + weight(model)
    for k, stiffness in enumerate(EI):
        kGA, rhoI = (x[k] if k < len(x) else 0.0 for x in (shear, rotary))
        g, EI_least = (1 / kGA / softer if kGA else 0.0), stiffness * softer
        c = 1 + g * tension
        h = c * tension + rhoI * omega2 + turning
        s, t = g * across + h / EI_least, across / EI_least * (c * c + g * h)
        squares.append(s / 2 + math.sqrt(s * s / 4 + t))
    return math.sqrt(max(squares))


def weight(model: Model) -> float:
    """A bound of what any beam bears along its axis: the weight of all, and the loads.

    Units
        N.
    Source
        own
    """
    pull = math.hypot(*map(model.value, model.gravity))
    masses = [model.value(x.mass) for x in model.bodies if isinstance(x, Body)]
    masses += [model.value(x.density) * model.value(x.length) for x in model.beams]
    loads = (abs(model.value(x)) for load in model.loads for x in load.force)
    return pull * sum(masses) + sum(loads)


def farthest(model: Model) -> float:
    """The largest |s| at which small damped motions of beams are taken.

    Units
        rad/s.
    """
    damped = [x for beam in model.beams if (x := model.value(beam.damping))]
    return APART / max(damped) if damped else math.inf


def cells_for(model: Model, omega: float, *, decaying: bool = False) -> int:
    """How many cells each stretch of a beam needs up to a circular frequency: a power of two.

    A stretch is what lies between neighbouring points of a beam, its ends included. With `decaying`
    up to that size of any complex frequency.

    Units
        rad/s; `omega` at most that of `farthest`, if decaying.
    Source
        own
    """
    waves = [
        wave_number(model, beam, omega**2, softer) * float(b - a)
        for beam in model.beams
        for softer in [1 - model.value(beam.damping) * omega if decaying else 1.0]
        for a, b in pairwise(_places(model, beam))
    ]
    return 1 << max(0, math.ceil(math.log2(max(waves, default=1.0) / LONGEST)))


def in_cells(model: Model, count: int) -> Model:
    """The model with its beams cut at their points, and each stretch into so many equal cells.

    A beam's cells are called by its name, `_c` and a number, from x = 0 on; a single one is called
    as the beam. Modal coordinates, which cells do not have, are left out of the start.

    Source
        own
    """
    if not model.beams:
        return model
    cut = [_Cut.of(model, beam, count) for beam in model.beams]
    moved = {end: to for each in cut for end, to in each.ends.items()}
    hinges = tuple(
        replace(hinge, ends=(moved.get(a, a), moved.get(b, b)))
        for hinge in model.hinges
        for a, b in [hinge.ends]
    )
    welds = tuple(weld for each in cut for weld in each.welds({h.name for h in model.hinges}))
    modes = sum(beam.modes for beam in model.beams)
    return replace(
        model,
        bodies=(
            *(body for body in model.bodies if not isinstance(body, Beam)),
            *(cell for each in cut for cell in each.cells),
        ),
        hinges=(*hinges, *welds),
        q0=model.q0[: len(model.q0) - modes],
        v0=model.v0[: len(model.v0) - modes],
        root="",
        first_inputs={},
        asked=tuple(x for x in model.asked if x.owner not in {b.name for b in model.beams}),
    )


def starts(model: Model, count: int) -> dict[str, tuple[str, float]]:
    """By the names of cells the beam that each is part of, and where on it the cell begins.

    Units
        m.
    Source
        own
    """
    found: dict[str, tuple[str, float]] = {}
    for beam in model.beams:
        x = Fraction(0)
        for cell in _Cut.of(model, beam, count).cells:
            found[cell.name] = beam.name, float(x)
            x += model.exact(cell.length)
    return found


@dataclass(frozen=True)
class _Cut:
    """A beam's cells, and where its points are now."""

    beam: Beam
    cells: tuple[Beam, ...]
    ends: Mapping[End, End]

    @classmethod
    def of(cls, model: Model, beam: Beam, count: int) -> _Cut:
        places = _places(model, beam)
        at = {point.name: model.exact(point.position[0]) for point in beam.points}
        names = cls._names(model, beam, count * (len(places) - 1))
        cells, ends = list[Beam](), dict[End, End]()
        none = (0,) * (model.dimension - 1)
        for a, b in pairwise(places):
            length = (places[b] - places[a]) / count
            plain = (Point("I", (0, *none)), Point("O", (length, *none)))
            like = replace(
                beam, length=length, points=plain, axial=0, bending=0, foreshortening=True
            )
            first = len(cells)
            cells += [replace(like, name=name) for name in names[first : first + count]]
            for point in beam.points:
                # At the end x = 0 of a cell, but for those at the beam's far end.
                if at[point.name] == a or at[point.name] == b == max(places):
                    where, x = (first, 0) if at[point.name] == a else (-1, length)
                    cell = cells[where]
                    known = {"I", "O", *(p.name for p in cell.points)}
                    name = next(n for n in _tried(point.name) if n not in known)
                    here = Point(name, (x, *none), point.axes)
                    cells[where] = replace(cell, points=(*cell.points, here))
                    ends[End(beam.name, point.name)] = End(cell.name, name)
        return cls(beam, tuple(cells), ends)

    @staticmethod
    def _names(model: Model, beam: Beam, count: int) -> list[str]:
        if count == 1:
            return [beam.name]
        taken, stem = {body.name for body in model.bodies}, f"{beam.name}_c"
        while any(name.startswith(stem) for name in taken):
            stem += "c"
        return [f"{stem}{k}" for k in range(1, count + 1)]

    def welds(self, taken: set[str]) -> Iterator[Hinge]:
        """What holds the cells together."""
        for one, other in pairwise(self.cells):
            name = next(n for n in _tried(f"{other.name}_weld") if n not in taken)
            yield Hinge(name, "fixed", (End(one.name, "O"), End(other.name, "I")))


def _places(model: Model, beam: Beam) -> dict[Fraction, sp.Expr]:
    """Where a beam's ends and points are, from x = 0 on: values, and as the model says them."""
    said = (0, beam.length, *(point.position[0] for point in beam.points))
    found = {model.exact(x): exact_expression(x) for x in reversed(said)}
    return dict(sorted(found.items()))


def _tried(name: str) -> Iterator[str]:
    yield name
    k = 2
    while True:
        yield f"{name}_{k}"
        k += 1

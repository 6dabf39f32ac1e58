"""The unit of each coordinate and speed, and what it is in words: read off the kinds of hinges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..columns import Rows, Same
from ..expressions.quantities import exact_expression
from .bodies import Beam, beam_coordinates, beam_speeds
from .hinge_kinds import ANGLE, HINGE_KINDS, LENGTH, QUATERNION, Coordinate, HingeKind
from .hinges import Hinge
from .measured import CoordinateUnit, SpeedUnit
from .system import System

#: The units of a speed, its acceleration, the force along it and the momentum.
_SPIN = ("rad/s", "rad/s^2", "N m", "N m s")
_VELOCITY = ("m/s", "m/s^2", "N", "N s")
#: The unit of a coordinate of each sort.
_UNITS: dict[Coordinate, str] = {ANGLE: "rad", LENGTH: "m", QUATERNION: "1"}
_RATES = {"rad": _SPIN, "m": _VELOCITY}


def coordinate_units(model: System) -> Sequence[CoordinateUnit]:
    """The units of the coordinates, in the order of `q`."""
    if model.absolute:
        return _of_bodies(model)
    return (
        *(unit for hinge in model.tree_hinges for unit in _of_hinge(model, hinge)),
        *(
            CoordinateUnit(name, beam.name, "m", f"{_mode(beam, k)} of beam {{}}")
            for beam in model.beams
            for k, name in enumerate(beam_coordinates(beam))
        ),
    )


def speed_units(model: System) -> Sequence[SpeedUnit]:
    """The units of the speeds, accelerations, forces and momenta, in the order of `v`."""
    if model.absolute:
        return _spins(model)
    return (
        *(unit for hinge in model.tree_hinges for unit in _speeds_of(model, hinge)),
        *(
            SpeedUnit(name, beam.name, *_VELOCITY, f"rate of {_mode(beam, k)} of beam {{}}")
            for beam in model.beams
            for k, name in enumerate(beam_speeds(beam))
        ),
    )


def condition_units(model: System) -> Mapping[str, str]:
    """The units of the conditions of cut and coupled hinges, by their names.

    A cut hinge's are its places (m), then its directions (1), then its lead (m), numbered; a
    coupled hinge's is its coordinate's unit.
    """
    known: dict[str, str] = {}
    for hinge in model.hinges:
        kind = HINGE_KINDS[model.dimension][hinge.kind]
        if hinge.name in model.cuts:
            units = _cut_units(cut_kind(model.dimension, hinge))
            known |= {f"{hinge.name}_{k}": unit for k, unit in enumerate(units, start=1)}
        if hinge.mimic:
            known[hinge.name] = _UNITS[kind.slots[0]]
    return known


def driven_units(model: System, hinge: Hinge) -> Sequence[str]:
    """The units of what drives a hinge, coordinate by coordinate."""
    slots, _ = _slots(HINGE_KINDS[model.dimension][hinge.kind])
    return [_UNITS[slot] for slot in slots]


def cut_kind(dimension: int, hinge: Hinge) -> HingeKind:
    """The kind whose conditions a cut hinge has: of a driven one, held to what moves, `fixed`.

    One whose sizes are the number 0 is of the kind that it is then, helical revolute.
    """
    kind = HINGE_KINDS[dimension]["fixed" if hinge.motion else hinge.kind]
    if kind.sizes and all(exact_expression(getattr(hinge, x.name)) == 0 for x in kind.sizes):
        return kind.plain
    return kind


def _cut_units(kind: HingeKind) -> Iterator[str]:
    yield from ("m",) * len(kind.places)
    yield from ("1",) * len(kind.pairs)
    if kind.lead:
        yield "m"


def _of_bodies(model: System) -> Rows[CoordinateUnit]:
    names, bodies = model.coordinates, model.body_names
    if model.dimension == 2:
        said = Same("angle of body {} from +x")
        return Rows(CoordinateUnit, names, bodies, Same("rad"), said)
    meanings = [f"quaternion {axis} of body {{}}" for axis in "wxyz"] * len(bodies)
    return Rows(CoordinateUnit, names, _each(bodies, 4), Same("1"), meanings)


def _spins(model: System) -> Rows[SpeedUnit]:
    names, bodies, units = model.speeds, model.body_names, map(Same, _SPIN)
    said = "angular velocity of body {}"
    if model.dimension == 2:
        return Rows(SpeedUnit, names, bodies, *units, Same(said))
    meanings = [f"{said} about its {axis}" for axis in "xyz"] * len(bodies)
    return Rows(SpeedUnit, names, _each(bodies, 3), *units, meanings)


def _each(names: Iterable[str], times: int) -> list[str]:
    return [name for name in names for _ in range(times)]


def _of_hinge(model: System, hinge: Hinge) -> Iterator[CoordinateUnit]:
    names = model.hinge_coordinates(hinge)
    if not names:
        return
    kind = HINGE_KINDS[model.dimension][hinge.kind]
    for name, slot, what in zip(names, *_slots(kind), strict=True):
        yield CoordinateUnit(name, hinge.name, _UNITS[slot], f"{what} of hinge {{}}")


def _speeds_of(model: System, hinge: Hinge) -> Iterator[SpeedUnit]:
    names = model.hinge_speeds(hinge)
    if not names:
        return
    kind = HINGE_KINDS[model.dimension][hinge.kind]
    slots, said = _rates(kind)
    for name, slot, what in zip(names, slots, said, strict=True):
        units = _RATES[_UNITS[slot]]
        yield SpeedUnit(name, hinge.name, *units, f"{what} of hinge {{}}")


def _slots(kind: HingeKind) -> tuple[list[Coordinate], list[str]]:
    """Of each coordinate, four of a quaternion: its sort, and what it is."""
    if not kind.has_quaternion:
        return list(kind.slots), _numbered(kind, {LENGTH: "displacement", ANGLE: "angle"})
    lengths = [slot for slot in kind.slots if slot is LENGTH]
    said = [f"position {axis}" for axis, _ in zip("xyz", lengths, strict=False)]
    turn = [f"quaternion {axis}" for axis in "wxyz"]
    return [*lengths, *[QUATERNION] * 4], [*said, *turn]


def _rates(kind: HingeKind) -> tuple[list[Coordinate], list[str]]:
    """Of each speed: the sort of coordinate that it is a rate of, and what it is."""
    if not kind.has_quaternion:
        return list(kind.slots), _numbered(kind, {LENGTH: "velocity", ANGLE: "angular velocity"})
    lengths = [slot for slot in kind.slots if slot is LENGTH]
    said = [f"velocity along the child's {axis}" for axis, _ in zip("xyz", lengths, strict=False)]
    spin = [f"angular velocity about the child's {axis}" for axis in "xyz"]
    return [*lengths, *[ANGLE] * 3], [*said, *spin]


def _numbered(kind: HingeKind, words: dict[Coordinate, str]) -> list[str]:
    """A word for each slot, numbered where a sort comes more than once."""
    several = {slot for slot in kind.slots if kind.slots.count(slot) > 1}
    return [
        f"{words[slot]} {kind.slots[: k + 1].count(slot)}" if slot in several else words[slot]
        for k, slot in enumerate(kind.slots)
    ]


def _mode(beam: Beam, number: int) -> str:
    along = beam.axial_modes
    sort, k = ("axial", number) if number < along else ("bending", number - along)
    return f"{sort} mode {k + 1}"

"""Inputs and outputs of small motions by name: what a unit of each does, or is told of, all along.

What acts at a place and how that place moves are one row: their product is work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ....errors import UsageError
from ....model import Beam, Body, End, Hinge
from ....model.expressions.domains import slope
from ....model.expressions.evaluation import evaluated
from ....model.expressions.quantities import exact_expression, hinge_symbol, parameter
from ....model.parts.naming import nearest
from ....model.parts.placed import Reader
from ....symbolic.methods.linear.fields import Links, links_of
from ...capabilities.tangent import place_names
from ...evaluation.arrays import Floats
from ...evaluation.efforts import place_of
from ..coded.small import SmallMotions
from ..stiffness import Complex
from .shaken import end_loads

#: The components of loads at a point and of its motion, along and about the inertial axes.
LOADS = ("force_x", "force_y", "force_z", "moment_x", "moment_y", "moment_z")
MOVES = ("move_x", "move_y", "move_z", "turn_x", "turn_y", "turn_z")
UNITS = dict.fromkeys(LOADS[:3], "N") | dict.fromkeys(LOADS[3:], "N m")
UNITS |= dict.fromkeys(MOVES[:3], "m") | dict.fromkeys(MOVES[3:], "rad")
#: Those that there are in the plane.
PLANAR = (0, 1, 5)

#: What is said before a motion of the ground.
BASE = "ground"

#: What a body whose mass centre is off its axis feels as it turns.
UNBALANCE = "unbalance"


@dataclass(frozen=True, eq=False)
class Channel:
    """An input or an output: loads of a unit of it, or what makes it of all displacements.

    Of an input that acts on beams all along loads `beside` these are known at each frequency. Of an
    input that is `inertial` the loads are times ω². One that moves the ground `carries` all:
    displacements are then those beside the ground. An output of a hinge `exerts` what it makes of
    the wrenches of the stiffness and of the loads.

    Shape
        `along`, `carries`: as displacements and loads of the stiffness; `exerts` as its wrenches,
        then as loads.
    """

    name: str
    unit: str
    along: npt.NDArray[Any]
    inertial: bool = False
    carries: Floats | None = None
    exerts: Floats | None = None
    beside: Callable[[Floats], Complex] | None = None


class Channels:
    """The inputs and outputs of a model about a place at rest."""

    def __init__(self, motions: SmallMotions) -> None:
        self.motions, self.model = motions, motions.model
        self.bodies, self.cells = motions.moving, motions.cells_of
        self.components = PLANAR if self.model.dimension == 2 else tuple(range(6))
        self.length = motions.speeds + len(self.components) * len(motions.ends)

    # Outputs

    def outputs(self, names: Sequence[str] | None) -> list[Channel]:
        """The outputs of these names, by default all coordinates, bodies and points of beams."""
        every = self.output_names
        for name in names or ():
            known = name in (*every, *self._led) or self._hinge(name)
            if not known and self._split(name, MOVES) is None:
                raise UsageError(
                    f"there is no output {name!r}{nearest(str(name), every)}; there are "
                    f"coordinates and HINGE.force_x, BODY.move_x, BODY:POINT.move_x, …: "
                    f"{', '.join(every)}"
                )
        return [self._output(name) for name in (every if names is None else names)]

    @cached_property
    def output_names(self) -> tuple[str, ...]:
        """Coordinates, then the motions of bodies and of the points of beams."""
        moved = (f"{place}.{MOVES[k]}" for place in self._places() for k in self.components)
        return (*place_names(self.model)[: self.motions.speeds], *moved)

    def _output(self, name: str) -> Channel:
        if found := self._split(name, MOVES):
            return Channel(name, UNITS[found[1]], self._at(found[0], MOVES.index(found[1])))
        if hinge := self._hinge(name):
            return self._exerted(name, *hinge)
        leader, ratio = self._led.get(name, (name, 1.0))
        k = place_names(self.model).index(leader)
        return Channel(
            name, self.model.speed_units[k].unit.removesuffix("/s"), ratio * self._unit(k)
        )

    def _hinge(self, name: str) -> tuple[str, str] | None:
        """A hinge and a component of its wrench of a name, if these are there."""
        hinge, _, what = str(name).rpartition(".")
        known = hinge in {x.name for x in self.model.hinges}
        return (hinge, what) if known and what in [LOADS[k] for k in self.components] else None

    def _exerted(self, name: str, hinge: str, what: str) -> Channel:
        """What a hinge exerts on its child: on the link behind it, or as a held end of a cell."""
        n, component = len(self.components), LOADS.index(what)
        at, cells = self.components.index(component), [*self._links.cells.values()]
        wrenches, loads = np.zeros(n * (len(self.bodies) + len(cells))), np.zeros(self.length)
        for body, (other, is_child) in self._links.hinges.items():
            if other == hinge:
                wrenches[n * self.bodies.index(body) + at] = 1.0 if is_child else -1.0
                break
        else:
            held = [(k, cell) for k, cell in enumerate(cells) if cell.held == hinge]
            if not held:
                tree = dict.fromkeys(x for x, _ in self._links.hinges.values())
                raise UsageError(
                    f"output {name}: hinge {hinge} closes a loop, whose wrench is not told; name "
                    f"one of the tree: {', '.join(tree)}"
                )
            ((k, cell),) = held
            # The ground holds λ at I, in axes of the beam, and what acts on that end.
            child = next(x for x in self.model.hinges if x.name == hinge).ends[1].body
            whole, way = np.zeros(6), -1.0 if child == cell.beam else 1.0
            first = component - component % 3
            frame = self._placed[self.bodies.index(cell.name), :3, :3]
            whole[first : first + 3] = way * frame[component % 3]
            start = n * (len(self.bodies) + k)
            wrenches[start : start + n] = whole[list(self.components)]
            loads[self._rows(self.cells.index(cell.name), far=True)[at]] = way
        exerts = np.concatenate([wrenches, loads])
        return Channel(name, UNITS[what], np.zeros(self.length), exerts=exerts)

    @cached_property
    def _links(self) -> Links:
        return links_of(self.model, self.motions.cells or 1)

    @cached_property
    def _led(self) -> dict[str, tuple[str, float]]:
        """The coordinates of hinges that share another's: whose, and how much of it."""
        return {
            f"q{name}": (f"q{x.hinge}", self.model.value(x.ratio))
            for name, x in self.model.followers.items()
        }

    def _places(self) -> Iterator[str]:
        for body in self.model.bodies:
            if isinstance(body, Beam):
                yield from (f"{body.name}:{point.name}" for point in body.points)
            else:
                yield body.name

    # Inputs

    def inputs(self, names: Sequence[str]) -> list[Channel]:
        """The inputs of these names.

        Raises
            UsageError: there is no such input, or it does not act in a way that is known.
        """
        return [self._input(name) for name in names]

    def _input(self, name: str) -> Channel:
        if found := self._split(name, LOADS):
            return Channel(name, UNITS[found[1]], self._at(found[0], LOADS.index(found[1])))
        place, _, what = name.rpartition(".")
        if what == UNBALANCE and place in self.bodies:
            return Channel(name, "kg m", self._whirling(place), inertial=True)
        if place == BASE and what in MOVES[:3]:
            return self._shaken(name, MOVES.index(what))
        array, k = place_of(
            self.motions.code,
            name,
            ", and loads BODY.force_x, BODY:POINT.force_x, BODY.moment_z, BODY.unbalance, and the "
            "motion of the ground, ground.move_x",
        )
        if array == "tau":
            return Channel(name, self.model.speed_units[k].force, self._unit(k))
        unit = next(x.unit for x in self.model.inputs if x.name == name)
        return Channel(name, unit, self._by_laws(name))

    def _whirling(self, body: str) -> npt.NDArray[np.complex128]:
        """m e ω² across the body's first axis, in the plane: about the third, for e of 1."""
        k = self.bodies.index(body)
        axes, first = self._placed[k][:3, :3], self.components.index(0)
        if body in self.cells:
            raise UsageError(f"{body}.unbalance: it is of rigid bodies, and {body} is a beam")
        a, b = axes[:, :2].T if self.model.dimension == 2 else axes[:, 1:].T
        found = np.zeros(self.length, dtype=np.complex128)
        for row, x in zip(self._rows(k)[first:], a - 1j * b, strict=False):
            found[row] = x
        return found

    def _shaken(self, name: str, axis: int) -> Channel:
        """The ground that moves: what is beside it has forces of inertia, ω² m."""
        spinning = (x.name for x in self.model.beams if x.spin != 0)
        media = (x.name for x in self.model.forces if len(x.ends) == 1)
        for what, found in (("a beam that spins", spinning), ("a medium that stays", media)):
            for other in found:
                raise UsageError(f"{name}: the ground is not moved with {what} ({other})")
        carries, masses = (np.zeros(self.length) for _ in range(2))
        row = self.components.index(axis) if axis in self.components else None
        if row is None:
            raise UsageError(f"{name}: in the plane the ground moves along x and y")
        for k, body in enumerate(self.bodies):
            at = self._rows(k)[row]
            carries[at] = 1.0
            if body not in self.cells:
                given = self.model.body(body)
                assert isinstance(given, Body)
                masses[at] = self.model.value(given.mass)
        for k in range(len(self.cells)):
            carries[self._rows(k, far=True)[row]] = 1.0
        beside = partial(self._along_beams, axis) if self.cells else None
        return Channel(name, "m", masses, inertial=True, carries=carries, beside=beside)

    def _along_beams(self, axis: int, omegas: Floats) -> Complex:
        """The loads at the ends of cells that stand for their inertia."""
        found = np.zeros((len(omegas), self.length), dtype=np.complex128)
        for cell, near, far in end_loads(self.motions, self._links, axis, omegas):
            for rows, load in (
                (self._rows(self.bodies.index(cell)), near),
                (self._rows(self.cells.index(cell), far=True), far),
            ):
                found[:, rows.start : rows.stop] += load
        return found

    def _by_laws(self, name: str) -> Floats:
        """How laws of hinges and loads change with an input of the model."""
        model, found = self.model, np.zeros(self.length)
        along = parameter(name)

        def slopes(laws: Sequence[Any], own: dict[Any, Fraction]) -> list[float]:
            told = {parameter(x): Fraction(value) for x, value in model.parameters.items()}
            values = [evaluated(slope(exact_expression(x), along), told | own) for x in laws]
            if None in values:
                raise UsageError(f"input {name}: a law that reads it has no slope there")
            return [float(x) for x in values if x is not None]

        places = dict(zip(model.coordinates, self.motions.q.tolist(), strict=False))
        for hinge in model.tree_hinges:
            if any(along in exact_expression(x).free_symbols for x in hinge.force):
                of_hinge = slopes(hinge.force, _still(hinge, model, places))
                for speed, x in zip(model.hinge_speeds(hinge), of_hinge, strict=True):
                    found[model.speeds.index(speed)] += x
        for load in model.loads:
            forces = slopes(load.force, {}) if load.force else []
            moments = slopes(load.moment, {}) if load.moment else []
            about = (5,) if model.dimension == 2 else (3, 4, 5)
            for k, x in (*enumerate(forces), *zip(about, moments, strict=False)):
                found += x * self._at(End(load.body, load.point), k)
        if other := [
            force.name
            for force in model.forces
            if along in exact_expression(force.law).free_symbols
        ]:
            raise UsageError(
                f"input {name}: it is a law of force {other[0]}, between points, whose response is "
                "not known; name forces on its ends instead"
            )
        return found

    # Where things are among displacements

    def _split(self, name: str, components: Sequence[str]) -> tuple[End, str] | None:
        """A place and a component of a name, if these are there."""
        place, _, component = str(name).rpartition(".")
        body, _, point = place.partition(":")
        known = [components[k] for k in self.components]
        if component not in known or body not in {x.name for x in self.model.bodies}:
            return None
        given = self.model.body(body)
        if point not in {x.name for x in given.points} and (point or isinstance(given, Beam)):
            raise UsageError(
                f"{name}: name a point of {body}: {', '.join(x.name for x in given.points)}"
            )
        return End(body, point), component

    def _unit(self, k: int) -> Floats:
        found = np.zeros(self.length)
        found[k] = 1.0
        return found

    def _rows(self, k: int, far: bool = False) -> range:
        """Where a body is among displacements, or the far end of a cell."""
        size = len(self.components)
        first = self.motions.speeds + size * (k + far * len(self.bodies))
        return range(first, first + size)

    def _at(self, end: End, component: int) -> Floats:
        """A force or a move along an axis of a point, a moment or a turn about it."""
        found, given = np.zeros(self.length), self.model.body(end.body)
        arm = np.zeros(3)
        if isinstance(given, Beam):
            rows = self._of_beam(given, end.point)
        else:
            k = self.bodies.index(end.body)
            rows = self._rows(k)
            if end.point:
                reader = Reader(self.model, float)
                arm = self._placed[k][:3, :3] @ (reader.frame(end)[1] - reader.place(given.centre))
        axis = np.eye(3)[component % 3]
        whole = np.zeros(6)
        whole[component] = 1.0
        if component < 3:
            whole[3:] = np.cross(arm, axis)
        found[rows.start : rows.stop] = whole[list(self.components)]
        return found

    def _of_beam(self, beam: Beam, point: str) -> range:
        """Where a beam's point is: at an end of a cell, of so many in each stretch."""
        cells, before = self.motions.cells or 0, len(self.bodies) - len(self.cells)
        places: list[Fraction] = []
        for other in self.model.beams:
            points = (0, other.length, *(x.position[0] for x in other.points))
            places = sorted({self.model.exact(x) for x in points})
            if other.name == beam.name:
                break
            before += cells * (len(places) - 1)
        x = places.index(self.model.exact(beam.point(point).position[0]))
        last = x == len(places) - 1
        k = before + cells * x - last
        # Of ends on the root's side, those at x = 0 are called I, or as a point that is there.
        end = self._root_ends[self.bodies[k]]
        at_end = end == "O" or (last and end != "I")
        k, far = (k, False) if at_end == last else (self.cells.index(self.bodies[k]), True)
        return self._rows(k, far)

    @cached_property
    def _placed(self) -> Floats:
        return self.motions.placed()

    @cached_property
    def _root_ends(self) -> dict[str, str]:
        """The end of each body at its root side."""
        ends = (x.partition(":") for x in self.motions.interface.sets["ends"])
        return {body: point for body, _, point in ends}


def _still(hinge: Hinge, model: Any, places: dict[str, float]) -> dict[Any, Fraction]:
    """The symbols of a hinge's own coordinates and speeds at rest, and their values."""
    own = {
        hinge_symbol("q", k): Fraction(places[x])
        for k, x in enumerate(model.hinge_coordinates(hinge), start=1)
    }
    speeds = range(1, len(model.hinge_speeds(hinge)) + 1)
    return own | {hinge_symbol("u", k): Fraction(0) for k in speeds}

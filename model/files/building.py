"""Tables of a model file into a model: bodies, beams, points, loads, the base, the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import sympy as sp

from ...errors import ModelError
from ..checks.completion import see_led
from ..checks.tabulated import see_table
from ..checks.unresisted import UnresistedError
from ..expressions.quantities import TIME, Matrix, Quantity, miscounted, parameter
from ..model import Model
from ..parts.base import Base, Input
from ..parts.bodies import Beam, Body, End, Point
from ..parts.forces import LENGTH, RATE, Force, Load, Sensor
from ..parts.frames import Frame
from ..parts.hinges import GROUND
from ..parts.lumped import lumped_mass
from ..parts.naming import NO_NAME, is_name, nearest
from ..parts.shapes import ShapeFunctions
from ..parts.system import Asked
from ..parts.tabulated import Tabulated
from ..topology import choose_cuts, read_hinges
from .beams import NEEDED, OF_SECTIONS, sectioned
from .entries import Values, expression, listed
from .hinges import HingeBuilder
from .located import WRITTEN
from .screws import pointed
from .tables import (
    BODY_KINDS,
    AskedTable,
    BaseTable,
    BeamTable,
    BodyTable,
    ForceTable,
    FrameTable,
    InputTable,
    LoadTable,
    Number,
    PointTable,
    SensorTable,
    TabulatedTable,
)


class Builder(HingeBuilder):
    """Tables whose types are right, into a model."""

    def model(self) -> Model:
        table = self.table
        if table.coordinates not in ("joint", "absolute"):
            raise ModelError(
                f"must be joint or absolute, not {table.coordinates!r}", field="coordinates"
            )
        parameters = {}
        for name, given in table.parameters.items():
            parameters[name] = self.number(given, f"parameters.{name}")
        self.values = {parameter(name): value for name, value in parameters.items()}
        tables = tuple(self.tabulating(name, given) for name, given in table.tables.items())
        inputs = tuple(self.input(name, given) for name, given in table.inputs.items())
        self.inputs = {parameter(x.name): None for x in inputs}
        self.table = table = pointed(self)
        model = Model(
            name=table.name,
            dimension=self.dimension,
            bodies=(
                *(self.body(name, body) for name, body in table.bodies.items()),
                *(self.beam(name, beam) for name, beam in table.beams.items()),
            ),
            ground=self.points(table.ground.points, "ground.points"),
            hinges=tuple(self.hinge(name, hinge) for name, hinge in table.hinges.items()),
            gravity=self.vector(table.gravity, "gravity"),
            parameters=parameters,
            description=table.description,
            absolute=table.coordinates == "absolute",
            cuts=tuple(table.cuts),
            base=None if table.base is None else self.base(table.base),
            loads=tuple(self.load(name, load) for name, load in table.loads.items()),
            forces=tuple(self.force_between(name, force) for name, force in table.forces.items()),
            sensors=tuple(self.sensor(name, sensor) for name, sensor in table.sensors.items()),
            root=table.root,
            frames=tuple(self.frame(name, frame) for name, frame in table.frames.items()),
            first_inputs=dict(table.first_inputs),
            tables=tables,
            inputs=inputs,
            kinematic=table.kinematic,
        )
        return self.started(self.cut_elsewhere(model))

    def input(self, name: str, given: Number | InputTable) -> Input:
        if name in self.table.parameters:
            raise ModelError("is a parameter too; rename one", field=f"inputs.{name}")
        table = given if isinstance(given, InputTable) else InputTable(default=given)
        default = float(self.number(table.default, f"inputs.{name}"))
        if not table.limits:
            return Input(name, default, table.unit)
        where = f"inputs.{name}.limits"
        if len(table.limits) != 2:
            raise ModelError("are two numbers, the least and the largest", field=where)
        lower, upper = (float(self.number(x, where)) for x in table.limits)
        return Input(name, default, table.unit, (lower, upper))

    def tabulating(self, name: str, given: TabulatedTable) -> Tabulated:
        """A table; from here on expressions may hold its quantities, each by its name."""
        where = f"tables.{name}"

        def numbers(listed: Any, field: str) -> Any:
            if isinstance(listed, list):
                return tuple(numbers(x, field) for x in listed)
            return float(self.number(listed, f"{where}.{field}"))

        columns = {x: numbers(y, f"values.{x}") for x, y in given.values.items()}
        of = given.of if isinstance(given.of, str) else tuple(given.of)
        table = Tabulated(name, of, numbers(given.at, "at"), columns, given.frequency)
        see_table(self.table.parameters, table)
        for column in columns:
            called = parameter(f"{name}_{column}")
            if called in self.values:
                raise ModelError(f"{called} is a parameter too; rename one", field=where)
            self.tabulated[called] = table.column(column)
        return table

    def body(self, name: str, table: BodyTable) -> Body:
        where = f"bodies.{name}"
        centre = table.centre if table.centre is not None else [0] * self.dimension
        if table.kind not in BODY_KINDS:
            raise ModelError(
                f"{table.kind!r} is no body{nearest(table.kind, BODY_KINDS)}; there is: "
                + ", ".join(BODY_KINDS),
                field=f"{where}.kind",
            )
        given = table.inertia
        if table.kind == "lumped":
            if given is not None:
                raise ModelError("a lumped mass has none", field=f"{where}.inertia")
            inertia = lumped_mass(name, 1, self.dimension).inertia
        elif given is None:
            form = "0.01" if self.dimension == 2 else "[0.01, 0.01, 0.002, 0, 0, 0]"
            raise ModelError(
                f"is missing: write inertia = {form} (kg m², about the centre of mass); a link "
                'without mass has mass = 0 and inertia = 0, a point mass kind = "lumped"',
                field=f"{where}.inertia",
            )
        else:
            inertia = self.inertia(given, f"{where}.inertia")
        return Body(
            name=name,
            mass=self.quantity(table.mass, f"{where}.mass"),
            inertia=inertia,
            centre=self.vector(centre, f"{where}.centre"),
            points=self.points(table.points, f"{where}.points"),
            spin=self.quantity(table.spin, f"{where}.spin"),
        )

    def beam(self, name: str, table: BeamTable) -> Beam:
        where = f"beams.{name}"
        across = [0] * (self.dimension - 1)
        points = {
            point: PointTable(position=[given.x, *across], axes=given.axes, rpy=given.rpy)
            for point, given in table.points.items()
        }
        found: dict[str, Any] = sectioned(self.dimension, table, where)
        for field in OF_SECTIONS:
            given = getattr(table, field)
            if isinstance(given, list):
                found[field] = self.vector(given, f"{where}.{field}")
            elif given is not None:
                found[field] = self.quantity(given, f"{where}.{field}")
        for field in NEEDED:
            if field not in found:
                raise ModelError(f"is missing: {WRITTEN[field]}", field=f"{where}.{field}")
        own = ("length", "damping", "tension", "foundation", "loss", "spin")
        return Beam(
            name=name,
            **{field: self.quantity(getattr(table, field), f"{where}.{field}") for field in own},
            **found,
            axial=_functions(table.axial),
            bending=_functions(table.bending),
            points=self.points(points, f"{where}.points"),
            foreshortening=table.foreshortening,
        )

    def inertia(self, given: Any, where: str) -> Quantity | Matrix:
        if not isinstance(given, list):
            return self.quantity(given, where)
        if all(isinstance(row, list) for row in given):
            return self.matrix(given, where)
        if len(given) != 6 or any(isinstance(entry, list) for entry in given):
            raise ModelError("must be [xx, yy, zz, xy, xz, yz] or a 3×3 matrix", field=where)
        xx, yy, zz, xy, xz, yz = self.vector(given, where)
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))

    def points(self, tables: Mapping[str, PointTable], where: str) -> tuple[Point, ...]:
        for name in tables:
            if not is_name(name):
                raise ModelError(f"{name!r} {NO_NAME}", field=where)
        return tuple(self.point(name, given, f"{where}.{name}") for name, given in tables.items())

    def point(self, name: str, table: PointTable, where: str) -> Point:
        position = table.position if table.position is not None else [0] * self.dimension
        axes: Quantity | Matrix | None = None
        if table.rpy is not None:
            if table.axes is not None or self.dimension == 2:
                why = "the plane takes axes" if self.dimension == 2 else "there are axes too"
                raise ModelError(f"cannot be used: {why}", field=f"{where}.rpy")
            axes = self.turned(table.rpy, f"{where}.rpy")
        elif isinstance(table.axes, list):
            axes = self.matrix(table.axes, f"{where}.axes")
        elif table.axes is not None:
            axes = self.quantity(table.axes, f"{where}.axes")
        return Point(name, self.vector(position, f"{where}.position"), axes)

    def frame(self, name: str, table: FrameTable) -> Frame:
        ground = table.body == "ground" and "ground" not in self.table.bodies
        place = self.point(name, table, f"frames.{name}")
        return Frame(name, GROUND if ground else table.body, place.position, place.axes)

    def turned(self, given: Sequence[Number], where: str) -> Matrix:
        """Roll, pitch, yaw: turns about the fixed first, second and third axis, in that order."""
        if len(given) != 3:
            raise ModelError(f"has {len(given)} angles instead of 3", field=where)
        r, p, y = map(expression, self.vector(given, where))
        turn = sp.rot_ccw_axis3(y) * sp.rot_ccw_axis2(p) * sp.rot_ccw_axis1(r)
        return tuple(tuple(turn.row(i)) for i in range(3))

    def load(self, name: str, table: LoadTable) -> Load:
        where = f"loads.{name}"
        body, colon, point = table.body.partition(":")
        if colon and not point:
            raise ModelError(
                f"an end is written body:point, not {table.body!r}", field=f"{where}.body"
            )
        values = {**self.state, **self.values, **self.inputs, TIME: None}
        return Load(
            name=name,
            body=body,
            point=point,
            force=self.vector(table.force, f"{where}.force", values),
            moment=self.vector(listed(table.moment), f"{where}.moment", values),
            frame=table.frame,
        )

    def force_between(self, name: str, table: ForceTable) -> Force:
        where = f"forces.{name}"
        varying: Values = {**self.values, **self.inputs, TIME: None}
        stored = {**varying, LENGTH: None}
        laws = {"law": {**stored, RATE: None, **self.state}, "potential": stored}
        named = ("stiffness", "rest", "damping", "law", "potential", "mu", "drag", "quadratic")
        given: dict[str, Any] = {
            field: self.quantity(getattr(table, field), f"{where}.{field}", laws.get(field))
            for field in named
        }
        medium = self.vector(table.medium, f"{where}.medium", varying)
        return Force(name=name, ends=self.places(table, where), medium=medium, **given)

    def sensor(self, name: str, table: SensorTable) -> Sensor:
        where = f"sensors.{name}"
        return Sensor(name, self.places(table, where), self.vector(table.along, f"{where}.along"))

    def places(self, table: ForceTable | SensorTable, where: str) -> tuple[End, ...]:
        """The ends of a force or sensor: two that it is between, or one that it is on."""
        if bool(table.on) == bool(table.between):
            raise ModelError("give either between, two points, or on, one", field=where)
        key = "on" if table.on else "between"
        ends = [table.on] if table.on else table.between
        return tuple(self.place(end, f"{where}.{key}") for end in ends)

    def place(self, given: str, where: str) -> End:
        """An end that may be a body's centre of mass, named by the body alone."""
        centre = given in {**self.table.bodies, **self.table.beams}
        return End(given, "") if centre else self.end(given, where)

    def base(self, table: BaseTable) -> Base:
        values = {**self.values, TIME: None}
        if table.angle is not None and self.dimension == 3:
            raise ModelError("space takes angles", field="base.angle")
        if table.angles and self.dimension == 2:
            raise ModelError("the plane takes one angle", field="base.angles")
        angles = list(table.angles) if table.angle is None else [table.angle]
        key = "angles" if table.angle is None else "angle"
        return Base(
            position=self.vector(table.position, "base.position", values),
            angles=self.vector(angles, f"base.{key}", values),
        )

    def cut_elsewhere(self, model: Model) -> Model:
        """The model with other cuts, if the file names none but a start, which tells coordinates.

        Then they are not chosen for few columns, nor where a start is given or read if others can.
        """
        given, read = {*self.table.start.positions, *self.table.start.speeds}, read_hinges(model)
        if self.table.cuts or not given:
            return model
        narrow = choose_cuts(self.dimension, model.hinges, read, narrow=True)
        cuts = choose_cuts(self.dimension, model.hinges, given | read)
        if cuts == model.cuts or not (given & {*model.cuts} or model.cuts == narrow):
            return model
        try:
            return replace(model, cuts=cuts, q0=(), v0=())
        except UnresistedError:
            return model

    def started(self, model: Model) -> Model:
        """The model with the start that the file gives, by hinge and beam or by body."""
        start, who = self.table.start, model.owners
        asked: list[Asked] = []
        state, followed = list[tuple[float, ...]](), list[tuple[str, str, Any, bool]]()
        driven = {hinge.name for hinge in model.hinges if hinge.motion}
        for key, given, default, counts in (
            ("positions", start.positions, model.q0, {name: n for name, n, _ in who}),
            ("speeds", start.speeds, model.v0, {name: n for name, _, n in who}),
        ):
            values, speeds = list(default), key == "speeds"
            first = dict(zip(counts, accumulate(counts.values(), initial=0), strict=False))
            sizes = counts | _cut_sizes(model, speeds)
            for name, entry in given.items():
                where = f"start.{key}.{name}"
                if name in driven:
                    raise ModelError("the hinge is driven; leave out its start", field=where)
                if name in model.followers:
                    followed.append((where, name, _asked(entry, where)[1], speeds))
                    continue
                if name not in sizes:
                    what = "body" if model.absolute else "hinge or beam" if model.beams else "hinge"
                    raise ModelError(
                        f"there is no {what} {name!r}{nearest(name, sizes)}", field=where
                    )
                fixed, numbers = _asked(entry, where)
                entries = tuple(self.number(x, where) for x in listed(numbers))
                if len(entries) != sizes[name]:
                    raise ModelError(miscounted(entries, sizes[name]), field=where)
                if name in first:
                    values[first[name] : first[name] + sizes[name]] = entries
                    entries = ()
                asked.append(Asked(name, speeds, fixed, entries))
            state.append(tuple(values))
        for where, name, entry, speeds in followed:
            see_led(model, name, self.number(entry, where), state[speeds], speeds)
        (q0, v0), told = state, _told(model, asked)
        same = q0 == model.q0 and v0 == model.v0 and not told
        return model if same else replace(model, q0=q0, v0=v0, asked=told)


def _told(model: Model, asked: list[Asked]) -> tuple[Asked, ...]:
    """What matters of what is asked: nothing without loops, or where all is asked alike."""
    if not model.conditioned:
        return ()
    who = model.owners
    everything = [Asked(name) for name, n, _ in who if n]
    everything += [Asked(name, speeds=True) for name, _, n in who if n]
    return () if asked == everything else tuple(asked)


def _cut_sizes(model: Model, speeds: bool) -> dict[str, int]:
    """Of the cut hinges: how many coordinates or speeds each has."""
    cut = [hinge for hinge in model.hinges if hinge.name in model.cuts]
    names = model.hinge_speeds if speeds else model.hinge_coordinates
    return {hinge.name: len(names(hinge)) for hinge in cut}


def _functions(given: int | list[str]) -> ShapeFunctions:
    return given if isinstance(given, int) else tuple(given)


def _asked(entry: Number | list[Number] | AskedTable, where: str) -> tuple[bool | None, Any]:
    """Whether an entry of the start is fixed, or a guess, if it says it; and its values."""
    if not isinstance(entry, AskedTable):
        return None, entry
    if (entry.fixed is None) == (entry.guess is None):
        raise ModelError("give either fixed or guess", field=where)
    return (True, entry.fixed) if entry.guess is None else (False, entry.guess)

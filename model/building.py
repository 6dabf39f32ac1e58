"""Tables of a model file into a model: numbers and texts into quantities, laws put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from ..errors import ModelError
from . import expressions
from .bodies import Beam, Body, End, Point
from .lumped import lumped_mass
from .quantities import TIME, Matrix, Quantity, Vector, hinge_symbol, parameter
from .tables import (
    BODY_KINDS,
    BaseTable,
    BeamTable,
    BodyTable,
    FrictionTable,
    HingeTable,
    LoadTable,
    MimicTable,
    ModelTable,
    Number,
    PointTable,
    nearest,
)
from .types import GROUND, HINGE_KINDS, Base, Hinge, Load, Mimic, Model

Values = Mapping[sp.Symbol, float | None]


class Builder:
    """Tables whose types are right, into a model."""

    def __init__(self, table: ModelTable) -> None:
        self.table = table
        if table.dimension not in HINGE_KINDS:
            raise ModelError(f"must be 2 or 3, not {table.dimension}", field="dimension")
        self.dimension = table.dimension
        self.values: dict[sp.Symbol, float | None] = {}

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
            root=table.root,
            first_inputs=dict(table.first_inputs),
        )
        return self.started(model)

    def quantity(self, given: Number, where: str, values: Values | None = None) -> Quantity:
        """A number as it is, a text as an expression in the symbols of `values`."""
        if isinstance(given, str):
            try:
                return expressions.read(given, self.values if values is None else values)
            except ModelError as error:
                raise ModelError(str(error), field=where) from None
        try:
            finite = math.isfinite(given)
        except OverflowError:
            finite = False
        if not finite:
            raise ModelError("is no finite number of double precision", field=where)
        return given

    def number(self, given: Number, where: str) -> float:
        quantity = self.quantity(given, where)
        if not isinstance(quantity, sp.Expr):
            return quantity
        value = quantity.xreplace({symbol: sp.Float(v) for symbol, v in self.values.items()})
        return float(value)

    def vector(self, given: Sequence[Number], where: str, values: Values | None = None) -> Vector:
        return tuple(self.quantity(x, f"{where}[{i}]", values) for i, x in enumerate(given))

    def matrix(self, given: Sequence[Any], where: str) -> Matrix:
        return tuple(self.vector(row, f"{where}[{i}]") for i, row in enumerate(given))

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
            raise ModelError("is missing", field=f"{where}.inertia")
        else:
            inertia = self.inertia(given, f"{where}.inertia")
        return Body(
            name=name,
            mass=self.quantity(table.mass, f"{where}.mass"),
            inertia=inertia,
            centre=self.vector(centre, f"{where}.centre"),
            points=self.points(table.points, f"{where}.points"),
        )

    def beam(self, name: str, table: BeamTable) -> Beam:
        where = f"beams.{name}"
        points = {
            point: PointTable(position=[given.x, 0], axes=given.axes)
            for point, given in table.points.items()
        }
        return Beam(
            name=name,
            length=self.quantity(table.length, f"{where}.length"),
            density=self.quantity(table.density, f"{where}.density"),
            axial_stiffness=self.quantity(table.axial_stiffness, f"{where}.axial_stiffness"),
            bending_stiffness=self.quantity(table.bending_stiffness, f"{where}.bending_stiffness"),
            axial=table.axial,
            bending=table.bending,
            points=self.points(points, f"{where}.points"),
            damping=self.quantity(table.damping, f"{where}.damping"),
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
            if not (name.isascii() and name.isalnum()):
                raise ModelError(f"{name!r} is no name; use letters and digits", field=where)
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

    def turned(self, given: Sequence[Number], where: str) -> Matrix:
        """Roll, pitch, yaw: turns about the fixed first, second and third axis, in that order."""
        if len(given) != 3:
            raise ModelError(f"has {len(given)} angles instead of 3", field=where)
        r, p, y = map(_expression, self.vector(given, where))
        turn = sp.rot_ccw_axis3(y) * sp.rot_ccw_axis2(p) * sp.rot_ccw_axis1(r)
        return tuple(tuple(turn.row(i)) for i in range(3))

    def hinge(self, name: str, table: HingeTable) -> Hinge:
        where = f"hinges.{name}"
        kinds = HINGE_KINDS[self.dimension]
        if table.kind not in kinds:
            raise ModelError(
                f"{table.kind!r} is no hinge in {self.dimension} dimensions"
                f"{nearest(table.kind, kinds)}; there is: {', '.join(kinds)}",
                field=f"{where}.kind",
            )
        moving: Values = {**self.values, TIME: None}
        coordinates, speeds = kinds[table.kind]
        placed = {**moving, **{hinge_symbol("q", k + 1): None for k in range(coordinates)}}
        varying = {**placed, **{hinge_symbol("u", k + 1): None for k in range(speeds)}}
        return Hinge(
            name=name,
            kind=table.kind,
            ends=(
                self.end(table.parent, f"{where}.parent"),
                self.end(table.child, f"{where}.child"),
            ),
            pitch=self.quantity(table.pitch, f"{where}.pitch"),
            force=self.force(table, where, varying),
            motion=self.vector(_listed(table.motion), f"{where}.motion", moving),
            rotor=self.vector(_listed(table.rotor), f"{where}.rotor"),
            mimic=self.mimic(table.mimic, f"{where}.mimic"),
            potential=self.potential(table, where, placed),
            **(self.elastic(table, where) if table.kind == "elastic" else {}),
        )

    def mimic(self, table: MimicTable | None, where: str) -> Mimic | None:
        if table is None:
            return None
        return Mimic(
            table.hinge,
            self.quantity(table.ratio, f"{where}.ratio"),
            self.quantity(table.offset, f"{where}.offset"),
        )

    def end(self, given: str, where: str) -> End:
        if given == "ground":
            return End(GROUND, "O")
        try:
            end = End.parse(given)
        except ModelError as error:
            raise ModelError(str(error).partition(": ")[2], field=where) from None
        if end.body != "ground" or "ground" in {**self.table.bodies, **self.table.beams}:
            return end
        placed = self.table.ground.points
        if end.point not in placed:
            raise ModelError(
                f"the ground has no point {end.point!r}{nearest(end.point, placed)}; place it in "
                f"[ground.points.{end.point}]",
                field=where,
            )
        return End(GROUND, end.point)

    def each(self, given: Number | list[Number], where: str, count: int) -> Vector:
        """So many values; a single one stands for all."""
        values = self.vector(_listed(given), where)
        if len(values) not in (1, count):
            raise ModelError(f"has {len(values)} entries instead of {count}", field=where)
        return values * (count if len(values) == 1 else 1)

    def elastic(self, table: HingeTable, where: str) -> dict[str, Vector]:
        """Stiffness, damping and rest of an elastic hinge."""
        _, speeds = HINGE_KINDS[self.dimension][table.kind]
        found: dict[str, Vector] = {}
        if table.spring is not None:
            stiffness = table.spring.stiffness
            found["stiffness"] = self.each(stiffness, f"{where}.spring.stiffness", speeds)
            if table.spring.rest != 0:
                found["rest"] = self.each(table.spring.rest, f"{where}.spring.rest", 3)
        if table.damper is not None:
            damping = table.damper.damping
            found["damping"] = self.each(damping, f"{where}.damper.damping", speeds)
        return found

    def potential(self, table: HingeTable, where: str, values: Values) -> Quantity:
        """The potential, with that of the spring added to it."""
        own = self.quantity(table.potential, f"{where}.potential", values)
        if table.spring is None or table.kind == "elastic":
            return own
        coordinates, speeds = HINGE_KINDS[self.dimension][table.kind]
        if coordinates != speeds:
            raise ModelError(
                f"a {table.kind} hinge has a quaternion; give it a potential, or make it elastic",
                field=f"{where}.spring",
            )
        stiffness = self.each(table.spring.stiffness, f"{where}.spring.stiffness", speeds)
        rest = self.each(table.spring.rest, f"{where}.spring.rest", speeds)
        springs = [
            _expression(k) * (hinge_symbol("q", j) - _expression(o)) ** 2 / 2
            for j, (k, o) in enumerate(zip(stiffness, rest, strict=True), start=1)
        ]
        return sp.Add(_expression(own), *springs)

    def force(self, table: HingeTable, where: str, values: Values) -> tuple[Quantity, ...]:
        """The force law, with damper and friction added to it."""
        _, speeds = HINGE_KINDS[self.dimension][table.kind]
        own = self.vector(_listed(table.force), f"{where}.force", values)
        if own and len(own) != speeds:
            raise ModelError(f"has {len(own)} entries instead of {speeds}", field=f"{where}.force")
        damper = None if table.kind == "elastic" else table.damper
        if damper is None and table.friction is None:
            return own

        def each(given: Number | list[Number], key: str) -> list[sp.Expr]:
            found = [_expression(x) for x in self.each(given, f"{where}.{key}", speeds)]
            for x in found:
                self.dissipating(x, f"{where}.{key}")
            return found

        total = [_expression(x) for x in own] or [sp.Integer(0)] * speeds
        u = [hinge_symbol("u", k + 1) for k in range(speeds)]
        if damper is not None:
            damping = each(damper.damping, "damper.damping")
            total = [f - d * x for f, d, x in zip(total, damping, u, strict=True)]
        if table.friction is not None:
            friction = self.friction(table.friction, each)
            total = [f - law(x) for f, law, x in zip(total, friction, u, strict=True)]
        return tuple(total)

    def dissipating(self, x: sp.Expr, where: str) -> None:
        """See that a damper or friction takes energy away: a velocity above 0, others from 0 on.

        Raises
            ModelError: names the key and the value.
        """
        value = float(x.xreplace({symbol: sp.Float(v) for symbol, v in self.values.items()}))
        if where.endswith("friction.velocity"):
            if not value > 0:
                raise ModelError(f"must be positive, is {value:g}", field=where)
        elif not value >= 0:
            raise ModelError(f"must not be negative, is {value:g}", field=where)

    def load(self, name: str, table: LoadTable) -> Load:
        where = f"loads.{name}"
        body, colon, point = table.body.partition(":")
        if colon and not point:
            raise ModelError(
                f"an end is written body:point, not {table.body!r}", field=f"{where}.body"
            )
        values = {**self.values, TIME: None}
        return Load(
            name=name,
            body=body,
            point=point,
            force=self.vector(table.force, f"{where}.force", values),
            moment=self.vector(_listed(table.moment), f"{where}.moment", values),
            frame=table.frame,
        )

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

    def friction(
        self,
        table: FrictionTable,
        each: Callable[[Number | list[Number], str], list[sp.Expr]],
    ) -> list[Callable[[sp.Symbol], sp.Expr]]:
        """Coulomb friction, smooth below a velocity, and viscous friction."""

        def law(
            coulomb: sp.Expr, viscous: sp.Expr, velocity: sp.Expr
        ) -> Callable[[sp.Symbol], sp.Expr]:
            return lambda u: coulomb * sp.tanh(u / velocity) + viscous * u

        velocities = each(table.velocity, "friction.velocity")
        return [
            law(*given)
            for given in zip(
                each(table.coulomb, "friction.coulomb"),
                each(table.viscous, "friction.viscous"),
                velocities,
                strict=True,
            )
        ]

    def started(self, model: Model) -> Model:
        """The model with the start that the file gives, by hinge and beam or by body."""
        start = self.table.start
        state = []
        for key, given, default, counts in (
            ("positions", start.positions, model.q0, [n for _, n, _ in owners(model)]),
            ("speeds", start.speeds, model.v0, [n for _, _, n in owners(model)]),
        ):
            values, first = list(default), 0
            names = [name for name, _, _ in owners(model)]
            for name in given:
                if name in model.cuts:
                    raise ModelError(
                        "the hinge is cut and has no state of its own; give those of the others, "
                        "or cut another hinge (cuts)",
                        field=f"start.{key}.{name}",
                    )
                if name not in names:
                    what = "body" if model.absolute else "hinge or beam" if model.beams else "hinge"
                    raise ModelError(
                        f"there is no {what} {name!r}{nearest(name, names)}",
                        field=f"start.{key}.{name}",
                    )
            for name, count in zip(names, counts, strict=True):
                if name in given:
                    where = f"start.{key}.{name}"
                    entries = [self.number(x, where) for x in _listed(given[name])]
                    if len(entries) != count:
                        raise ModelError(
                            f"has {len(entries)} entries instead of {count}", field=where
                        )
                    values[first : first + count] = entries
                first += count
            state.append(tuple(values))
        q0, v0 = state
        same = q0 == model.q0 and v0 == model.v0
        return model if same else replace(model, q0=q0, v0=v0)


def owners(model: Model) -> list[tuple[str, int, int]]:
    """Who has coordinates and speeds, in the order of the state: hinges and beams, or bodies."""
    if model.absolute:
        counts = (1, 1) if model.dimension == 2 else (4, 3)
        return [(body.name, *counts) for body in model.bodies]
    hinges = [
        (h.name, len(model.hinge_coordinates(h)), len(model.hinge_speeds(h)))
        for h in model.tree_hinges
    ]
    return [*hinges, *((beam.name, beam.modes, beam.modes) for beam in model.beams)]


def _listed(given: Any) -> list[Number]:
    return given if isinstance(given, list) else [given]


def _expression(quantity: Quantity) -> sp.Expr:
    if isinstance(quantity, sp.Expr):
        return quantity
    return sp.Integer(quantity) if isinstance(quantity, int) else sp.Float(quantity)

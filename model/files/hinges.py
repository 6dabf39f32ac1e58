"""Tables of hinges into hinges: their ends, and the laws of what acts in them put together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import sympy as sp

from ...errors import ModelError
from ..expressions.quantities import TIME, Quantity, Vector, hinge_symbol, miscounted, parameter
from ..parts.bodies import End
from ..parts.hinge_kinds import HINGE_KINDS, SIZES, HingeKind
from ..parts.hinges import GROUND, OWN, Hinge, Mimic
from ..parts.limits import Limits
from ..parts.naming import nearest, numbered
from ..parts.shapes import MOST_FUNCTIONS, count
from .entries import Reader, Values, expression, listed
from .tables import FrictionTable, HingeTable, LimitsTable, MimicTable, Number

#: What a hinge of joint coordinates alone may have, by the keys of its table.
LAWS = ("force", "motion", "potential", "spring", "damper", "friction", "rotor", "mimic")


class HingeBuilder(Reader):
    """Tables of hinges whose types are right, into hinges."""

    def hinge(self, name: str, table: HingeTable) -> Hinge:
        where = f"hinges.{name}"
        kinds = HINGE_KINDS[self.dimension]
        if table.kind not in kinds:
            raise ModelError(
                f"{table.kind!r} is no hinge in {self.dimension} dimensions"
                f"{nearest(table.kind, kinds)}; there is: {', '.join(kinds)}",
                field=f"{where}.kind",
            )
        if self.table.coordinates == "absolute":
            for key in LAWS:
                if getattr(table, key):
                    raise ModelError(
                        'needs joint coordinates; leave out coordinates = "absolute"',
                        field=f"{where}.{key}",
                    )
        moving: Values = {**self.values, TIME: None}
        kind = kinds[table.kind]
        forced: Values = {**moving, **self.inputs}
        placed = {**forced, **{hinge_symbol("q", k + 1): None for k in range(kind.coordinates)}}
        own = {hinge_symbol("u", k + 1): None for k in range(kind.speeds)}
        varying = {**self.elsewhere, **placed, **own}
        sizes: dict[str, Any] = {
            size.name: self.quantity(getattr(table, size.name), f"{where}.{size.name}")
            for size in SIZES
        }
        return Hinge(
            name=name,
            kind=table.kind,
            ends=(
                self.end(table.parent, f"{where}.parent"),
                self.end(table.child, f"{where}.child"),
            ),
            force=self.force(table, where, kind, varying),
            motion=self.vector(listed(table.motion), f"{where}.motion", moving),
            rotor=self.vector(listed(table.rotor), f"{where}.rotor"),
            mimic=self.mimic(table.mimic, f"{where}.mimic"),
            limits=self.limits(table.limits, f"{where}.limits", kind),
            potential=self.potential(table, where, kind, placed),
            **sizes,
            **(self.elastic(table, where, kind) if kind.stiffnesses else {}),
        )

    def mimic(self, table: MimicTable | None, where: str) -> Mimic | None:
        if table is None:
            return None
        known = {hinge_symbol("q", k + 1): None for k in range(len(table.hinges))}
        said = {**self.values, **known}
        return Mimic(
            table.hinge,
            self.quantity(table.ratio, f"{where}.ratio"),
            self.quantity(table.offset, f"{where}.offset"),
            tuple(table.hinges),
            None if table.law is None else self.quantity(table.law, f"{where}.law", said),
            table.own,
        )

    def limits(self, table: LimitsTable | None, where: str, kind: HingeKind) -> Limits | None:
        if table is None:
            return None
        pairs = table.position
        if len(pairs) == 2 and not any(isinstance(x, list) for x in pairs):
            pairs = [pairs]  # type: ignore[list-item]
        position = []
        for k, pair in enumerate(pairs):
            if not isinstance(pair, list) or len(pair) != 2:
                raise ModelError(
                    "must be [lower, upper], or such a pair for each coordinate",
                    field=f"{where}.position",
                )
            lower, upper = (self.bound(x, f"{where}.position[{k}]") for x in pair)
            position.append((lower, upper))

        def each(given: Any, key: str) -> tuple[float, ...]:
            values = given if isinstance(given, list) else [given] * kind.speeds
            return tuple(self.bound(x, f"{where}.{key}") for x in values)

        return Limits(tuple(position), each(table.speed, "speed"), each(table.effort, "effort"))

    def bound(self, given: Number, where: str) -> float:
        """A number, or an infinite one where there is no limit."""
        infinite = isinstance(given, float) and math.isinf(given)
        return float(given) if infinite else float(self.number(given, where))

    def end(self, given: str, where: str) -> End:
        if given == "ground":
            return End(GROUND, "O")
        if given in {**self.table.bodies, **self.table.beams}:
            raise ModelError(
                f"an end is written body:point, not {given!r}; or say where the hinge is, by axis "
                "or through",
                field=where,
            )
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

    @cached_property
    def elsewhere(self) -> Values:
        """The same for a hinge's law, which calls its own coordinates and speeds q1, u1, …"""
        return {x: None for x in self.state if not OWN.fullmatch(x.name)}

    @cached_property
    def state(self) -> Values:
        """The symbols of all coordinates, speeds and sensors, whichever hinges are cut."""
        sensed = (name for x in self.table.sensors for name in (x, f"{x}_rate"))
        return {parameter(name): None for name in (*self.state_names(), *sensed)}

    def state_names(self) -> Iterator[str]:
        if self.table.coordinates == "absolute":
            letters, axes = (
                (("theta", "omega"), ([""], [""]))
                if self.dimension == 2
                else (("Q", "omega"), ([f"_{x}" for x in "wxyz"], [f"_{x}" for x in "xyz"]))
            )
            for letter, endings in zip(letters, axes, strict=True):
                yield from (f"{letter}{name}{x}" for name in self.table.bodies for x in endings)
            return
        for name, hinge in self.table.hinges.items():
            if kind := HINGE_KINDS[self.dimension].get(hinge.kind):
                yield from (*kind.names(f"q{name}"), *numbered(f"u{name}", kind.speeds))
        for name, beam in self.table.beams.items():
            counts = (min(count(x), MOST_FUNCTIONS) for x in (beam.axial, beam.bending))
            for k in range(1, sum(counts) + 1):
                yield from (f"eta{name}_{k}", f"etad{name}_{k}")

    def elastic(self, table: HingeTable, where: str, kind: HingeKind) -> dict[str, Vector]:
        """A hinge's own spring, and the damper of an elastic one."""
        found: dict[str, Vector] = {}
        if table.spring is not None:
            stiffness = table.spring.stiffness
            found["stiffness"] = self.each(stiffness, f"{where}.spring.stiffness", kind.stiffnesses)
            if table.spring.rest != 0:
                found["rest"] = self.each(table.spring.rest, f"{where}.spring.rest", kind.rests)
        if table.damper is not None and kind.sprung:
            damping = table.damper.damping
            found["damping"] = self.each(damping, f"{where}.damper.damping", kind.speeds)
        return found

    def potential(self, table: HingeTable, where: str, kind: HingeKind, values: Values) -> Quantity:
        """The potential, with that of the spring added to it."""
        own = self.quantity(table.potential, f"{where}.potential", values)
        if table.spring is None or kind.stiffnesses:
            return own
        stiffness = self.each(table.spring.stiffness, f"{where}.spring.stiffness", kind.speeds)
        rest = self.each(table.spring.rest, f"{where}.spring.rest", kind.speeds)
        springs = [
            expression(k) * (hinge_symbol("q", j) - expression(o)) ** 2 / 2
            for j, (k, o) in enumerate(zip(stiffness, rest, strict=True), start=1)
        ]
        return sp.Add(expression(own), *springs)

    def force(
        self, table: HingeTable, where: str, kind: HingeKind, values: Values
    ) -> tuple[Quantity, ...]:
        """The force law, with damper and friction added to it."""
        speeds = kind.speeds
        own = self.vector(listed(table.force), f"{where}.force", values)
        if own and len(own) != speeds:
            raise ModelError(miscounted(own, speeds), field=f"{where}.force")
        damper = None if kind.sprung else table.damper
        if damper is None and table.friction is None:
            return own

        def each(given: Number | list[Number], key: str) -> list[sp.Expr]:
            found = [expression(x) for x in self.each(given, f"{where}.{key}", speeds)]
            for x in found:
                self.dissipating(x, f"{where}.{key}")
            return found

        total = [expression(x) for x in own] or [sp.Integer(0)] * speeds
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

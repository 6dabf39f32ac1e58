"""What acts from outside: the calls of loads on bodies and of a moving base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property

import sympy as sp

from ...model import GROUND, Body, End, Force, Model, Sensor
from ...model.expressions.quantities import TIME, exact_expression, parameter
from ...model.parts.forces import Load
from ..language.program import Array, Call, Port, Ref
from ..mechanics.constants import axes_of, column
from ..mechanics.laws import inside, settled
from ..mechanics.space import Space
from ..plans.plan import Plan
from . import acting_kernels as kernels

Reads = dict[str, Ref | sp.Matrix]


def symbols(model: Model) -> Reads:
    """The time and all parameters, by the names that they have inside kernels."""
    reads: Reads = {inside(n).name: _parameter(n) for n in model.parameters}
    return reads | {TIME.name: Ref(TIME.name, "")}


@cache
def _parameter(name: str) -> sp.Matrix:
    """One matrix for all that reads it, so that what it becomes is found once."""
    return sp.Matrix([parameter(name)])


class Ground:
    """The ground's place and motion: what a link's are to those that hang on it.

    It accelerates against gravity, unless `weightless`.
    """

    def __init__(self, model: Model, weightless: bool = False) -> None:
        self.model = model
        d, space = model.dimension, Space(model.dimension)
        self.gravity = column(model.gravity)
        self.rising = sp.zeros(d, 1) if weightless else -self.gravity
        self._at: Mapping[str, sp.Matrix] = {
            "A": sp.eye(d),
            "x": sp.zeros(d, 1),
            "vl": sp.zeros(d, 1),
            "w": sp.zeros(space.spins, 1),
            "acc": sp.Matrix.vstack(self.rising, sp.zeros(space.spins, 1)),
            "B": sp.zeros(d, d),
        }

    #: What the ground's values are called where it moves.
    NAMES: Mapping[str, str] = {
        "A": "Ag",
        "x": "xg",
        "vl": "vg",
        "w": "wg",
        "acc": "accg",
        "B": "Bg",
    }

    def at(self, array: str) -> Ref | sp.Matrix:
        """The ground's value of a link's array."""
        return self.still(array) if self.model.base is None else Ref(self.NAMES[array], "")

    def still(self, array: str) -> sp.Matrix:
        """The same if the ground does not move."""
        return self._at[array]

    def calls(self) -> Iterable[Call]:
        """The motion of the base, if there is one."""
        if self.model.base is None:
            return
        d, spins = self.model.dimension, Space(self.model.dimension).spins
        position, angles = (
            tuple(settled(x) for x in given) or (sp.Integer(0),) * count
            for given, count in ((self.model.base.position, d), (self.model.base.angles, spins))
        )
        kernel = kernels.base.of(dimension=d, position=position, angles=angles)
        known = symbols(self.model) | {"gI": -self.rising}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        yield Call(kernel, "", reads, {port.name: Ref(port.name, "") for port in kernel.outputs})

    def arrays(self) -> Iterable[Array]:
        if self.model.base is not None:
            for array, name in self.NAMES.items():
                rows, cols = self._at[array].shape
                yield Array(name, "system", Port(name, rows, cols))


class Loads:
    """The loads on the bodies of a model."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.model = plan.model
        self.dimension = plan.model.dimension

    @property
    def placed(self) -> bool:
        """Must the links' orientations be known?"""
        return any(load.frame == "inertial" for load in self.model.loads)

    def on(self, body: str) -> list[Ref]:
        """The wrenches of loads and forces on a body's link."""
        return [Ref("W", name) for name in self.names.get(body, ())]

    @cached_property
    def names(self) -> Mapping[str, Sequence[str]]:
        """What acts on each body, by name."""
        found: dict[str, list[str]] = {}
        for load in self.model.loads:
            found.setdefault(load.body, []).append(load.name)
        for force in self.model.forces:
            for end in force.ends:
                if end.body != GROUND:
                    found.setdefault(end.body, []).append(at_end(force, end))
        return found

    def calls(self, readings: Mapping[str, Ref]) -> Iterable[Call]:
        """The wrenches of all loads; `readings` is what laws read of the state."""
        named: dict[object, str] = {}
        for load in self.model.loads:
            yield self._load(load, named, readings)

    def _load(self, load: Load, named: dict[object, str], readings: Mapping[str, Ref]) -> Call:
        d, space = self.dimension, Space(self.dimension)
        force, moment = (
            tuple(settled(x) for x in given) or (sp.Integer(0),) * count
            for given, count in ((load.force, d), (load.moment, space.spins))
        )
        body = self.plan.link(load.body).body
        assert isinstance(body, Body)
        origin = body.point(self.plan.link(load.body).output)
        place = body.point(load.point).position if load.point else body.centre
        turn = axes_of(origin, d).T
        arm = turn * (column(place) - column(origin.position))
        label = named.setdefault((load.frame, force, moment), load.name)
        kernel = kernels.load.of(
            dimension=d, label=label, frame=load.frame, force=force, moment=moment
        )
        known = {**readings, **symbols(self.model)}
        known |= {"A": Ref("A", load.body), "K": turn, "r": arm}
        reads = {port.name: known[port.name] for port in kernel.inputs}
        return Call(kernel, load.name, reads, {"W": Ref("W", load.name)})

    def arrays(self) -> Iterable[Array]:
        if self.model.loads or self.model.forces:
            yield Array("W", "applied", Port("W", Space(self.dimension).motion))

    def sets(self) -> dict[str, tuple[str, ...]]:
        """The index set of what acts on bodies, and that of the forces."""
        loads = [load.name for load in self.model.loads]
        pulled = [
            at_end(force, end)
            for force in self.model.forces
            for end in force.ends
            if end.body != GROUND
        ]
        forces = tuple(force.name for force in self.model.forces)
        sensors = tuple(sensor.name for sensor in self.model.sensors)
        others = {"forces": forces, "sensors": sensors}
        return {"applied": (*loads, *pulled), **{name: x for name, x in others.items() if x}}


def at_end(force: Force | Sensor, end: End) -> str:
    """What the wrench of a force at one of its ends is called."""
    return f"{force.name}:{end.body}"


def outside(model: Model) -> Iterable[sp.Expr]:
    """What of the loads and the base may depend on the time."""
    base = model.base
    for given in (
        *((*load.force, *load.moment) for load in model.loads),
        *((force.law, force.potential, *force.medium) for force in model.forces),
        *([(*base.position, *base.angles)] if base else []),
    ):
        yield from map(exact_expression, given)

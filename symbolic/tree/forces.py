"""Forces between points, and of media on points: the calls that they add to a tree's program."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from functools import cached_property
from typing import ClassVar, Protocol, TypeVar

import sympy as sp

from ...model import GROUND, Body, End, Force, Model, Sensor
from ..language.program import Kernel, Ref
from ..language.walk import Action, Binding, Place, Walk
from ..mechanics import laws
from ..mechanics.constants import column
from . import acting_kernels as kernels
from .acting import at_end, symbols
from .walking import Related

#: What is read of the ground, or of a link in joint coordinates, that a point is fixed in.
CARRIER = {"A": "A", "x": "x", "v": "vl", "w": "w"}


#: What has ends.
T = TypeVar("T", Force, Sensor)


class Carrying(Protocol):
    """What forces ask of the links of a tree, in whatever coordinates.

    `carrier` are the arrays of a link's place and motion: axes A and origin x, its velocity v and
    the angular velocity w in the link's axes.
    """

    model: Model
    dimension: int
    set: str
    carrier: ClassVar[Mapping[str, str]]

    def grounded(self, array: str) -> Ref | sp.Matrix:
        """The ground's value of an array of `CARRIER`."""

    def state(self) -> Iterable[tuple[str, Ref]]:
        """Coordinates and speeds by name, as far as laws may read them."""

    def in_link(self, body: str, place: sp.Matrix) -> sp.Matrix:
        """A body's place, from its link's origin and in the link's axes."""

    def over(
        self,
        things: Iterable[T],
        rule: Callable[[T], Iterable[Action]],
        related: Related[T],
        kind: Callable[[T], Hashable] = ...,
    ) -> Walk:
        """A walk over forces or sensors."""


class Forces:
    """The forces of a model, those along lines and those of media."""

    def __init__(self, tree: Carrying) -> None:
        self.tree = tree
        self.model = tree.model
        self.dimension = tree.dimension
        self.lines = [force for force in self.model.forces if len(force.ends) == 2]
        self.media = [force for force in self.model.forces if len(force.ends) == 1]
        self.tensions = {force.name: laws.tension(self.model, force) for force in self.lines}
        energies = {force.name: laws.held(self.model, force) for force in self.lines}
        #: The energies that forces store, by force.
        self.storing = {name: law for name, law in energies.items() if law != 0}
        self._arms: dict[tuple[sp.Expr, ...], sp.Matrix] = {}

    @property
    def total(self) -> Ref:
        """Where the energy stays that all forces store."""
        return Ref("Vf", list(self.storing)[-1])

    @property
    def hasty(self) -> list[str]:
        """The forces, loads and hinges whose laws depend on speeds of others than the hinge."""
        model, found = self.model, []
        rates = {*model.speeds, *(sensor.rate for sensor in model.sensors)}
        for force in model.forces:
            drawn = self.tensions.get(force.name)
            if drawn is None or self._moving(force) or model.read([force.law]) & rates:
                found.append(f"force {force.name}")
        for load in model.loads:
            if model.read([*load.force, *load.moment]) & rates:
                found.append(f"load {load.name}")
        for hinge in model.hinges:
            if model.read(hinge.force) & {sensor.rate for sensor in model.sensors}:
                found.append(f"law of hinge {hinge.name}")
        return found

    def measured(self) -> Walk:
        """Distance, direction and, where a law reads it, rate of all lines."""

        def rule(force: Force) -> Iterator[Action]:
            kernel = kernels.line.of(dimension=self.dimension, moving=self._moving(force))
            yield self._action(kernel, self._sides(force))

        return self._over(self.lines, rule, lambda force: (self._moving(force),))

    def senses(self, asked: Set[str] | None = None) -> Walk:
        """What all sensors measure, and its rate where a law reads it; or the `asked` of these."""
        read = self._rates if asked is None else asked
        chosen = [x for x in self.model.sensors if asked is None or {x.name, x.rate} & asked]

        def rule(sensor: Sensor) -> Iterator[Action]:
            kernel = kernels.sensed.of(
                dimension=self.dimension,
                ends=len(sensor.ends),
                directed=bool(sensor.along),
                moving=sensor.rate in read,
            )
            known: dict[str, Binding] = {"along": column(sensor.along)} if sensor.along else {}
            for side, end in zip("ab", sensor.ends, strict=False):
                known |= self._side(end, side)
            yield self._action(kernel, known)

        def kind(sensor: Sensor) -> tuple[Hashable, ...]:
            return sensor.along, sensor.rate in read

        return self._over(chosen, rule, kind, index_set="sensors")

    @cached_property
    def _rates(self) -> frozenset[str]:
        """The sensors' rates that laws read."""
        model = self.model
        said = [law for hinge in model.hinges for law in hinge.force]
        said += [law for load in model.loads for law in (*load.force, *load.moment)]
        return model.read([*said, *(force.law for force in model.forces)])

    def pulls(self) -> Walk:
        """The tension of all lines."""
        named: dict[sp.Expr, str] = {}

        def rule(force: Force) -> Iterator[Action]:
            law = self.tensions[force.name]
            kernel = kernels.pull.of(
                dimension=self.dimension, label=named.setdefault(law, force.name), law=law
            )
            yield self._action(kernel, self._said(law))

        return self._over(self.lines, rule, lambda force: (self.tensions[force.name],))

    def flows(self) -> Walk:
        """The velocities of the media that move."""
        named: dict[object, str] = {}

        def rule(force: Force) -> Iterator[Action]:
            law = tuple(map(laws.settled, force.medium))
            kernel = kernels.flow.of(
                dimension=self.dimension, label=named.setdefault(law, force.name), medium=law
            )
            yield self._action(kernel, symbols(self.model))

        moved = [force for force in self.media if force.medium]
        return self._over(moved, rule, lambda force: (force.medium,))

    def wrenches(self) -> Walk:
        """What lines and media exert on links."""

        def rule(force: Force) -> Iterator[Action]:
            if len(force.ends) == 1:
                yield self._drag(force)
                return
            known = self._sides(force) | {x: Place(x, "own") for x in ("dir", "pull")}
            for side, end in zip("ab", force.ends, strict=True):
                if end.body != GROUND:
                    here = {name: known[f"{name}{side}"] for name in "Ar"}
                    kernel = kernels.pushed.of(dimension=self.dimension, second=side == "b")
                    yield self._action(kernel, known | here, {"W": Place("W", f"wrench {side}")})

        def kind(force: Force) -> tuple[Hashable, ...]:
            return force.drag, force.quadratic, bool(force.medium)

        return self._over(self.model.forces, rule, kind)

    def _drag(self, force: Force) -> Action:
        kernel = kernels.drag.of(
            dimension=self.dimension, flowing=bool(force.medium), quadratic=force.quadratic != 0
        )
        known: dict[str, Binding] = {"r": self.arm(force.ends[0]), "flow": Place("flow", "own")}
        known |= {name: Place(array, "a") for name, array in self.tree.carrier.items()}
        known |= {"c1": column([force.drag]), "c2": column([force.quadratic])}
        return self._action(kernel, known, {"W": Place("W", "wrench a")})

    def stores(self) -> Walk:
        """The energy that forces store, one after the other."""
        named: dict[sp.Expr, str] = {}
        storing = [force for force in self.lines if force.name in self.storing]
        before = dict(zip([x.name for x in storing[1:]], [x.name for x in storing], strict=False))

        def rule(force: Force) -> Iterator[Action]:
            law = self.storing[force.name]
            label, first = named.setdefault(law, force.name), force.name not in before
            known = self._said(law) | {"Vbefore": Place("Vf", "before")}
            kernel = kernels.stored.of(dimension=self.dimension, label=label, law=law, first=first)
            yield self._action(kernel, known)

        def kind(force: Force) -> tuple[Hashable, ...]:
            return self.storing[force.name], force.name not in before

        related = {"before": ("forces", lambda force: before.get(force.name))}
        return self._over(storing, rule, kind, related)

    # What they read

    def _moving(self, force: Force) -> bool:
        """Does the tension depend on the rate of the distance?"""
        return laws.STRETCHING in self.tensions[force.name].free_symbols

    def _said(self, law: sp.Expr) -> dict[str, Binding]:
        """What a law reads: its line, the time, parameters, coordinates and speeds."""
        known: dict[str, Binding] = {**symbols(self.model)}
        known |= {x.name: Place(x.name, "own") for x in (laws.DISTANCE, laws.STRETCHING)}
        used = {symbol.name for symbol in law.free_symbols} - known.keys()
        return known | {name: self.readings[name] for name in used}

    @cached_property
    def readings(self) -> Mapping[str, Ref]:
        """All coordinates, speeds and sensors, by their names inside kernels."""
        found = {laws.inside(name).name: ref for name, ref in self.tree.state()}
        for sensor in self.model.sensors:
            found[laws.inside(sensor.name).name] = Ref("sensed", sensor.name)
            found[laws.inside(sensor.rate).name] = Ref("sensedd", sensor.name)
        return found

    def _sides(self, force: Force) -> dict[str, Binding]:
        first, second = force.ends
        return self._side(first, "a") | self._side(second, "b")

    def _side(self, end: End, side: str) -> dict[str, Binding]:
        """Place and motion of what an end is fixed in, and the end's place there."""
        found: dict[str, Binding] = {f"r{side}": self.arm(end)}
        for name, array in self.tree.carrier.items():
            still = end.body == GROUND
            here = self.tree.grounded(CARRIER[name]) if still else Place(array, side)
            found[f"{name}{side}"] = here
        return found

    def arm(self, end: End) -> sp.Matrix:
        """From the link's origin to an end, in link axes; equal ones are one matrix."""
        if end.body == GROUND:
            place = self.model.ground_point(end.point).position
        else:
            body = self.model.body(end.body)
            assert isinstance(body, Body)
            place = body.point(end.point).position if end.point else body.centre
        arm = column(place)
        arm = arm if end.body == GROUND else self.tree.in_link(end.body, arm)
        return self._arms.setdefault(tuple(arm), arm)

    def _action(
        self, kernel: Kernel, known: Mapping[str, Binding], kept: Mapping[str, Place] | None = None
    ) -> Action:
        return Action.of(
            kernel, known, kept or {x.name: Place(x.name, "own") for x in kernel.outputs}
        )

    def _over(
        self,
        forces: Iterable[T],
        rule: Callable[[T], Iterable[Action]],
        kind: Callable[[T], tuple[Hashable, ...]],
        more: Related[T] | None = None,
        index_set: str = "forces",
    ) -> Walk:
        def carrier(k: int) -> Callable[[T], str | None]:
            def found(force: T) -> str | None:
                at = force.ends[k].body if k < len(force.ends) else GROUND
                return None if at == GROUND else at

            return found

        def wrench(k: int) -> Callable[[T], str | None]:
            return lambda force: at_end(force, force.ends[k]) if carrier(k)(force) else None

        def alike(force: T) -> Hashable:
            at: list[Hashable] = [(end.body == GROUND, id(self.arm(end))) for end in force.ends]
            return (*at, *kind(force))

        related = {
            "own": (index_set, lambda force: force.name),
            "a": (self.tree.set, carrier(0)),
            "b": (self.tree.set, carrier(1)),
            "wrench a": ("applied", wrench(0)),
            "wrench b": ("applied", wrench(1)),
            **(more or {}),
        }
        return self.tree.over(forces, rule, related, kind=alike)

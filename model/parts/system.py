"""What a model says, unchecked: the system whose bodies hinges join, with its names and values.

Quantities are SymPy expressions in the model's parameters, or plain numbers; the
parameters have default values, so that one model serves the derivation (symbols) and the
solver (numbers). Lengths in m, masses in kg, inertias in kg m², angles in rad.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import ModelError
from ..expressions.quantities import Quantity, Vector, exact_expression, parameter, shorten, shown
from .bodies import Beam, Body, Point, beam_coordinates, beam_speeds
from .forces import Force, Load, Sensor
from .frames import Frame, every_frame, every_name
from .limits import FREE, Limits, Range
from .naming import numbered
from .tabulated import Tabulated

if TYPE_CHECKING:
    import sympy as sp

    from .hinge_kinds import HingeKind

from .base import Base, Input
from .hinges import OWN, Hinge, Mimic

T = TypeVar("T")


@dataclass(frozen=True)
class Asked:
    """What a start asks of a hinge or beam: of its coordinates, or (`speeds`) of its speeds.

    `fixed`: they stay, or the start is refused; not `fixed`: they are a guess, from which loops
    are closed. None: they stay as far as what is asked before leaves them independent. `values`
    are those of a cut hinge; the others' stand in the state.
    """

    owner: str
    speeds: bool = False
    fixed: bool | None = None
    values: tuple[float, ...] = ()


@dataclass(frozen=True)
class System:
    """What a model says, unchecked: its fields (see `Model`), names and values."""

    name: str
    dimension: int
    bodies: tuple[Body | Beam, ...]
    hinges: tuple[Hinge, ...]
    gravity: Vector
    parameters: Mapping[str, float] = field(default_factory=dict)
    q0: tuple[float, ...] = ()
    v0: tuple[float, ...] = ()
    description: str = ""
    absolute: bool = False
    cuts: tuple[str, ...] = ()
    ground: tuple[Point, ...] = ()
    root: str = ""
    first_inputs: Mapping[str, str] = field(default_factory=dict)
    loads: tuple[Load, ...] = ()
    base: Base | None = None
    asked: tuple[Asked, ...] = ()
    frames: tuple[Frame, ...] = ()
    inputs: tuple[Input, ...] = ()
    forces: tuple[Force, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    kinematic: bool = False
    tables: tuple[Tabulated, ...] = ()

    @property
    def frequency(self) -> str:
        """The parameter that is the frequency at which all vibrates, if tables are over one."""
        return next((table.frequency for table in self.tables if table.frequency), "")

    @cached_property
    def tree_hinges(self) -> tuple[Hinge, ...]:
        """The hinges that are not cut."""
        return tuple(hinge for hinge in self.hinges if hinge.name not in self.cuts)

    @cached_property
    def followers(self) -> Mapping[str, Mimic]:
        """The hinges that share another's coordinate, by name: whose, its ratio and offset.

        A leader that follows in its turn is replaced by its own. There are some only where no
        hinge is cut and no coupling is a condition, as those by a law are: beside conditions all
        couplings are some.
        """
        said = {hinge.name: hinge.mimic for hinge in self.hinges if hinge.mimic}
        if self.cuts or any(mimic.law is not None or mimic.own for mimic in said.values()):
            return {}
        return _resolved(said)

    def with_followers(self, state: Any, speeds: bool = False) -> dict[str, Any]:
        """By name the coordinates of a state, or its speeds, and those of hinges that follow.

        Hinge by hinge, then beam by beam; a follower's are its ratio times its leader's, and its
        coordinate the offset more.

        Shape
            `state` (coordinate or speed, …).
        """
        known = dict(zip(self.speeds if speeds else self.coordinates, state, strict=True))
        stem, found = "u" if speeds else "q", dict[str, Any]()
        for hinge in () if self.absolute or not self.followers else self.tree_hinges:
            names = self.hinge_speeds(hinge) if speeds else self.hinge_coordinates(hinge)
            found |= {name: known[name] for name in names}
            if hinge.name in self.followers:
                leader = self.followers[hinge.name]
                moved = self.value(leader.ratio) * known[f"{stem}{leader.hinge}"]
                offset = 0.0 if speeds else self.value(leader.offset)
                found[f"{stem}{hinge.name}"] = moved + offset
        return found | known

    @cached_property
    def conditioned(self) -> bool:
        """Are there conditions that a state has to meet: cut hinges, or couplings that are some?"""
        return bool(self.cuts or any(h.mimic and h.name not in self.followers for h in self.hinges))

    @cached_property
    def beams(self) -> tuple[Beam, ...]:
        """The bodies that are beams."""
        return tuple(body for body in self.bodies if isinstance(body, Beam))

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of `q`: body by body, or hinge by hinge.

        Joint coordinates end with the beams' modal coordinates.
        """
        if not self.absolute:
            names = [name for hinge in self.tree_hinges for name in self.hinge_coordinates(hinge)]
            return (*names, *(name for beam in self.beams for name in beam_coordinates(beam)))
        if self.dimension == 2:
            return tuple(f"theta{body.name}" for body in self.bodies)
        return tuple(f"Q{body.name}_{axis}" for body in self.bodies for axis in "wxyz")

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds, in the order of `v`: body by body, or hinge by hinge.

        Joint coordinates end with the beams' modal speeds.
        """
        if not self.absolute:
            names = [name for hinge in self.tree_hinges for name in self.hinge_speeds(hinge)]
            return (*names, *(name for beam in self.beams for name in beam_speeds(beam)))
        if self.dimension == 2:
            return tuple(f"omega{body.name}" for body in self.bodies)
        return tuple(f"omega{body.name}_{axis}" for body in self.bodies for axis in "xyz")

    @cached_property
    def readings(self) -> frozenset[str]:
        """What laws may read wherever they act: coordinates, speeds, sensors and their rates."""
        sensed = (name for sensor in self.sensors for name in (sensor.name, sensor.rate))
        return frozenset((*self.coordinates, *self.speeds, *sensed))

    def read(self, laws: Iterable[Quantity]) -> frozenset[str]:
        """What of all that laws read; a hinge's q1, u1, … are its own and none of it."""
        symbols = (getattr(law, "free_symbols", ()) for law in laws)
        used = frozenset(x.name for found in symbols for x in found) - self.parameters.keys()
        return used & self.readings if used else used

    @cached_property
    def controlled(self) -> bool:
        """Does a law of a hinge or load read what is elsewhere?"""
        loads = (law for load in self.loads for law in (*load.force, *load.moment))
        hinges = (law for hinge in self.hinges for law in hinge.force)
        return bool(self.read(loads)) or any(not OWN.fullmatch(x) for x in self.read(hinges))

    def hinge_coordinates(self, hinge: Hinge) -> tuple[str, ...]:
        """Names of a hinge's joint coordinates: `q` and its name, a suffix where it has several.

        `_Qw` to `_Qz` are a quaternion's.
        """
        kind = self._state_of(hinge)
        return kind.names(f"q{hinge.name}") if kind else ()

    def hinge_speeds(self, hinge: Hinge) -> tuple[str, ...]:
        """Names of a hinge's joint speeds: `u` and its name, a number where it has several."""
        kind = self._state_of(hinge)
        return numbered(f"u{hinge.name}", kind.speeds) if kind else ()

    def _state_of(self, hinge: Hinge) -> HingeKind | None:
        """The kind of a hinge that has a state.

        A driven one, one that shares another's, or one of no known kind, has none.
        """
        from .hinge_kinds import HINGE_KINDS

        if hinge.motion or hinge.name in self.followers:
            return None
        return HINGE_KINDS.get(self.dimension, {}).get(hinge.kind)

    @cached_property
    def owners(self) -> tuple[tuple[str, int, int], ...]:
        """Who has how many coordinates and speeds, in the order of the state.

        Hinges and beams; in absolute coordinates bodies.
        """
        if self.absolute:
            counts = (1, 1) if self.dimension == 2 else (4, 3)
            return tuple((body.name, *counts) for body in self.bodies)
        hinges = (
            (hinge.name, len(self.hinge_coordinates(hinge)), len(self.hinge_speeds(hinge)))
            for hinge in self.tree_hinges
        )
        return (*hinges, *((beam.name, beam.modes, beam.modes) for beam in self.beams))

    @cached_property
    def quaternions(self) -> tuple[int, ...]:
        """Where quaternions begin among the coordinates."""
        if self.absolute:
            return tuple(range(0, len(self.coordinates), 4)) if self.dimension == 3 else ()
        found, count = [], 0
        for hinge in self.tree_hinges:
            count += len(self.hinge_coordinates(hinge))
            kind = self._state_of(hinge)
            if kind and kind.has_quaternion:
                found.append(count - 4)
        return tuple(found)

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Names of the bodies, beams last."""
        return tuple(body.name for body in self.bodies)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Names of all frames, see `every_frame`."""
        return tuple(every_name(self.frames, self.bodies))

    @cached_property
    def is_driven(self) -> bool:
        """Does something else than gravity and springs do work?"""
        hinges = any(h.force or h.motion or any(h.damping) for h in self.hinges)
        forces = any(len(x.ends) == 1 or x.law != 0 or x.damping != 0 for x in self.forces)
        outside = bool(self.loads or self.base)
        return hinges or forces or outside or any(b.damping != 0 for b in self.beams)

    def rest_position(self) -> tuple[float, ...]:
        """The coordinates where nothing is said of them: zero, quaternions without a turn."""
        turned = {*self.quaternions}
        return tuple(float(k in turned) for k in range(len(self.coordinates)))

    @cached_property
    def position_limits(self) -> tuple[Range, ...]:
        """Lower and upper limit of each coordinate, in the order of `q`; infinite if it has none.

        A shared one keeps to the limits of all its hinges.

        Units
            m, rad.
        """
        names = self.coordinates
        found = [*self._limited("position", self.hinge_coordinates, FREE, len(names))]
        for leader, limits in self._shared_limits():
            ratio, offset = self.value(leader.ratio), self.value(leader.offset)
            at = names.index(f"q{leader.hinge}")
            for ends in limits.position if ratio else ():
                low, high = sorted((x - offset) / ratio for x in ends)
                found[at] = max(found[at][0], low), min(found[at][1], high)
        return tuple(found)

    def _shared_limits(self) -> Iterator[tuple[Mimic, Limits]]:
        """The limits of hinges that follow, and by what."""
        for hinge in self.hinges if self.followers else ():
            if hinge.name in self.followers and hinge.limits:
                yield self.followers[hinge.name], hinge.limits

    @cached_property
    def speed_limits(self) -> tuple[float, ...]:
        """Limit of each speed's absolute value, in the order of `v`; infinite if it has none.

        Units
            m/s, rad/s.
        """
        found = [*self._limited("speed", self.hinge_speeds, math.inf, len(self.speeds))]
        for leader, limits in self._shared_limits():
            ratio, at = abs(self.value(leader.ratio)), self.speeds.index(f"u{leader.hinge}")
            found[at] = min(found[at], *(x / ratio for x in limits.speed if ratio), math.inf)
        return tuple(found)

    @cached_property
    def effort_limits(self) -> tuple[float, ...]:
        """Limit of each drive's absolute force, in the order of `v`; infinite if it has none.

        Units
            N, N m.
        """
        return self._limited("effort", self.hinge_speeds, math.inf, len(self.speeds))

    def _limited(
        self, field: str, names: Callable[[Hinge], tuple[str, ...]], free: T, count: int
    ) -> tuple[T, ...]:
        found: list[T] = []
        for hinge in () if self.absolute else self.tree_hinges:
            own: tuple[T, ...] = getattr(hinge.limits, field, ())
            size = len(names(hinge))
            found += own if size and own else [free] * size
        return (*found, *[free] * (count - len(found)))

    @cached_property
    def every_frame(self) -> Mapping[str, Frame]:
        """All frames by name: the declared ones, the bodies' own, their points `body:point`."""
        found = every_frame(self.frames, self.bodies, self.dimension)
        return {frame.name: frame for frame in found}

    @cached_property
    def kept_axes(self) -> Mapping[str, tuple[int, ...]]:
        """Of cut hinges the axes that must point the same way at both ends; of driven ones all."""
        from .hinge_kinds import HINGE_KINDS

        kinds, every = HINGE_KINDS[self.dimension], tuple(range(self.dimension))
        cut = (hinge for hinge in self.hinges if hinge.name in self.cuts)
        return {x.name: every if x.motion else kinds[x.kind].kept_axes for x in cut}

    @cached_property
    def longest(self) -> float:
        """The longest way from the origin of a body, or of the ground, to one of its points, in m.

        At the parameters' values; 1 where all points are origins.
        """
        points = [*self.ground, *(point for body in self.bodies for point in body.points)]
        numbers = (abs(self.value(x)) for point in points for x in point.position)
        return max(numbers, default=0.0) or 1.0

    def ground_point(self, name: str) -> Point:
        """The ground's point called `name`: the origin with inertial axes if it is not listed."""
        at_origin = Point(name, (0,) * self.dimension)
        return next((point for point in self.ground if point.name == name), at_origin)

    @cached_property
    def _body_by_name(self) -> dict[str, Body | Beam]:
        return {body.name: body for body in self.bodies}

    def body(self, name: str) -> Body | Beam:
        """The body or beam called `name`.

        Raises
            ModelError: there is none; the message lists some that there are.
        """
        try:
            return self._body_by_name[name]
        except KeyError:
            known = shorten([body.name for body in self.bodies])
            raise ModelError(f"there is no body {name!r}; there are: {known}") from None

    def exact(self, quantity: Quantity) -> Fraction:
        """The quantity at the parameters' values, as an exact fraction.

        Units
            SI.
        Raises
            ModelError: it depends on something that is no parameter, or is no finite number.
        """
        if isinstance(quantity, float) and not math.isfinite(quantity):
            raise ModelError(f"{quantity} is no finite number")
        if isinstance(quantity, int | float) and not isinstance(quantity, bool):
            return Fraction(quantity)
        import sympy as sp

        if not isinstance(quantity, sp.Expr):
            return self._evaluated(quantity)
        if quantity not in self._known:
            self._known[quantity] = self._evaluated(quantity)
        return self._known[quantity]

    @cached_property
    def _known(self) -> dict[sp.Expr, Fraction]:
        return {}

    def _evaluated(self, quantity: Quantity) -> Fraction:
        import sympy as sp

        from ..expressions.evaluation import evaluated

        expression = quantity if isinstance(quantity, sp.Expr) else exact_expression(quantity)
        unknown = expression.free_symbols - self._parameter_values.keys()
        varying = sorted({symbol.name for symbol in unknown} & {x.name for x in self.inputs})
        if varying:
            raise ModelError(
                f"{shown(quantity)} depends on the input {varying[0]}; inputs may stand in the "
                "forces and potentials of hinges and in loads"
            )
        if unknown:
            raise ModelError(
                f"{quantity} depends on {', '.join(sorted(map(str, unknown)))}, which is no "
                "parameter (a parameter's symbol is made by mstmm.parameter)"
            )
        found = evaluated(expression, self._parameter_values)
        if found is None:
            raise ModelError(
                f"{shown(quantity)} is no finite real number at the parameters' values"
            )
        return found

    def value(self, quantity: Quantity) -> float:
        """The quantity at the parameters' values, as a double (SI units).

        Raises
            ModelError: as `exact`, or the number is out of the range of doubles.
        """
        try:
            return float(self.exact(quantity))
        except OverflowError:
            raise ModelError(f"{shown(quantity)} exceeds the range of double precision") from None

    @cached_property
    def _parameter_values(self) -> dict[sp.Symbol, Fraction]:
        fixed = self.parameters.keys() - {x.name for x in self.inputs}
        return {
            parameter(name): Fraction(value)
            for name, value in self.parameters.items()
            if name in fixed
        }


def _resolved(said: Mapping[str, Mimic]) -> dict[str, Mimic]:
    """The same, each of a leader that follows none; in a circle, which is refused, of one on it."""
    found: dict[str, Mimic] = {}
    for name in said:
        way = {name: True}
        while (leader := said[next(reversed(way))].hinge) in said:
            if leader in found or leader in way:
                break
            way[leader] = True
        for follower in reversed(way):
            mimic = said[follower]
            far = found.get(mimic.hinge)
            found[follower] = _after(mimic, far) if far else mimic
    return {name: found[name] for name in said}


def _after(mimic: Mimic, far: Mimic) -> Mimic:
    """What follows a leader that follows in its turn."""
    ratio, offset, own, start = map(
        exact_expression, (mimic.ratio, mimic.offset, far.ratio, far.offset)
    )
    return replace(mimic, hinge=far.hinge, ratio=ratio * own, offset=ratio * start + offset)

"""Bodies, hinges and the model that joins them.

Quantities are SymPy expressions in the model's parameters, or plain numbers; the
parameters have default values, so that one model serves the derivation (symbols) and the
solver (numbers). Lengths in m, masses in kg, inertias in kg m², angles in rad.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import sympy as sp

from ..errors import ModelError

Quantity: TypeAlias = sp.Expr | int | float
Vector = tuple[Quantity, ...]
Matrix = tuple[Vector, ...]

#: The body name that stands for the inertial frame in a hinge's ends.
GROUND = "0"

HINGE_KINDS = {2: ("pin",), 3: ("ball",)}


@dataclass(frozen=True, order=True)
class End:
    """A connection point of a body: written `body:point`, e.g. `7:I1`. Ground is body 0."""

    body: str
    point: str

    def __str__(self) -> str:
        return f"{self.body}:{self.point}"

    @classmethod
    def parse(cls, text: str) -> End:
        """Read `body:point`.

        Raises
            ModelError: the text has no colon, more than one, or an empty part.
        """
        body, colon, point = text.partition(":")
        if not (body and colon and point) or ":" in point:
            raise ModelError(f"an end is written body:point, not {text!r}", field="end")
        return cls(body, point)


@dataclass(frozen=True)
class Point:
    """A named place fixed in a body.

    Shape
        `position`: 2 (planar) or 3 (spatial) components.
    Units
        m.
    Frame
        Body axes, from the body's origin.
    """

    name: str
    position: Vector


@dataclass(frozen=True)
class Body:
    """A rigid body: mass, inertia, centre of mass and named connection points.

    Shape
        `centre`: as a point; `inertia`: one number (planar, about z) or 3×3 (spatial).
    Units
        kg, kg m², m.
    Frame
        Body axes; `inertia` is about the centre of mass.

    The order of `points` is the order of the body's inputs: the first one that is an input
    is I₁.
    """

    name: str
    mass: Quantity
    inertia: Quantity | Matrix
    centre: Vector
    points: tuple[Point, ...]

    def point(self, name: str) -> Point:
        """The connection point called `name`.

        Raises
            ModelError: the body has no such point; the message lists those it has.
        """
        for candidate in self.points:
            if candidate.name == name:
                return candidate
        known = ", ".join(p.name for p in self.points)
        raise ModelError(f"has no point {name!r}; its points: {known}", element=f"body {self.name}")


@dataclass(frozen=True)
class Hinge:
    """A smooth hinge between two ends, or between an end and ground.

    `kind` is `pin` (planar) or `ball` (spatial). `ends` are the two ends in the model's own
    order; one of them may be `End(GROUND, …)`.
    """

    name: str
    kind: str
    ends: tuple[End, End]


@dataclass(frozen=True)
class Model:
    """A multibody system: bodies, hinges, gravity, parameters and an initial state.

    Shape
        `dimension` is 2 or 3; `gravity` has that many components; `q0` and `v0` list the
        coordinates and speeds in the order of `coordinates` and `speeds`.
    Units
        SI, rad.
    Frame
        `gravity` in the inertial frame. Coordinates are absolute: in the plane each body's
        angle from +x to its own first axis; in space each body's unit quaternion (w, x, y, z;
        body to inertial axes), with the angular velocity in body axes as speeds.

    Raises
        ModelError: names the element and the field that is wrong.
    """

    name: str
    dimension: int
    bodies: tuple[Body, ...]
    hinges: tuple[Hinge, ...]
    gravity: Vector
    parameters: Mapping[str, float] = field(default_factory=dict)
    q0: tuple[float, ...] = ()
    v0: tuple[float, ...] = ()
    description: str = ""

    def __post_init__(self) -> None:
        from .check import check

        if len(self.q0) == 0:
            object.__setattr__(self, "q0", self._rest_position())
        if len(self.v0) == 0:
            object.__setattr__(self, "v0", (0.0,) * len(self.speeds))
        check(self)

    def _rest_position(self) -> tuple[float, ...]:
        per_body = (0.0,) if self.dimension == 2 else (1.0, 0.0, 0.0, 0.0)
        return per_body * len(self.bodies)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of `q`: body by body."""
        if self.dimension == 2:
            return tuple(f"theta{body.name}" for body in self.bodies)
        return tuple(f"Q{body.name}_{axis}" for body in self.bodies for axis in "wxyz")

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Names of the speeds, in the order of `v`: body by body."""
        if self.dimension == 2:
            return tuple(f"omega{body.name}" for body in self.bodies)
        return tuple(f"omega{body.name}_{axis}" for body in self.bodies for axis in "xyz")

    @cached_property
    def _body_by_name(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    def body(self, name: str) -> Body:
        """The body called `name`.

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
        value = exact_expression(quantity).xreplace(self._parameter_values)
        if value.free_symbols:
            unknown = ", ".join(sorted(map(str, value.free_symbols)))
            raise ModelError(
                f"{quantity} depends on {unknown}, which is no parameter (a parameter's symbol "
                "is made by mstmm.model.types.parameter)"
            )
        if isinstance(value, sp.Rational):
            return Fraction(int(value.p), int(value.q))
        number = complex(value.evalf(40))
        if number.imag or not math.isfinite(number.real):
            raise ModelError(f"{quantity} = {value} is no finite real number")
        rational = sp.Rational(str(value.evalf(40)))
        return Fraction(int(rational.p), int(rational.q))

    def value(self, quantity: Quantity) -> float:
        """The quantity at the parameters' values, as a double (SI units)."""
        return float(self.exact(quantity))

    @cached_property
    def _parameter_values(self) -> dict[sp.Symbol, sp.Rational]:
        return {
            parameter(name): sp.Rational(*Fraction(value).as_integer_ratio())
            for name, value in self.parameters.items()
        }


def parameter(name: str) -> sp.Symbol:
    """The symbol of a model parameter: real, so that derivations may use it as such."""
    return sp.Symbol(name, real=True)


def exact_expression(quantity: object) -> sp.Expr:
    """The quantity as a SymPy expression in which every number is rational.

    Raises
        ModelError: it is no number and no expression.
    """
    if isinstance(quantity, sp.Expr):
        expression = quantity
    elif isinstance(quantity, bool) or not isinstance(quantity, numbers.Real):
        raise ModelError(f"{quantity!r} is no number")
    else:
        expression = sp.Float(float(quantity))
    floats = expression.atoms(sp.Float)
    return expression.xreplace(
        {x: sp.Rational(*Fraction(float(x)).as_integer_ratio()) for x in floats}
    )


def shorten(names: Sequence[str], limit: int = 8) -> str:
    """At most `limit` names, then an ellipsis."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown}, … ({len(names)} in all)"

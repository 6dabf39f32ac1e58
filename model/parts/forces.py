"""What acts on bodies besides hinges, and what its laws read: forces, loads, sensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...shown import Shown
from ..expressions.quantities import Quantity, Vector, parameter
from .bodies import End

if TYPE_CHECKING:
    import sympy as sp

    #: The distance of a force's two points and the speed at which it grows, in the force's laws.
    LENGTH: sp.Symbol
    RATE: sp.Symbol


def __getattr__(name: str) -> Any:
    """`LENGTH` and `RATE`, made when they are first asked for, as `quantities.TIME` is."""
    if name not in ("LENGTH", "RATE"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = parameter(name.lower())
    return globals()[name]


@dataclass(frozen=True)
class Load(Shown):
    """A force and a moment on a body from outside the system.

    Shape
        `force`: as a point; `moment`: 1 component (planar, about z) or 3; none: zero. Each is an
        expression in the time t, the parameters and inputs, coordinates, speeds and sensors.
    Units
        N, N m.
    Frame
        `frame` is `inertial`, or `body`: the body's axes.

    The force acts at `point`, a name of one of the body's points (none: its centre of mass).
    """

    name: str
    body: str
    point: str = ""
    force: Vector = ()
    moment: Vector = ()
    frame: str = "inertial"


@dataclass(frozen=True)
class Force(Shown):
    """A force along the line between two points, or of a medium on one point.

    The points are ends: of bodies, or `End(GROUND, …)`; a body's without a point, `End("1", "")`,
    is its centre of mass. With L the distance of the two and L̇ its rate the tension is

        T = stiffness · (L − rest) + damping · L̇ + law + ∂potential/∂L + mu · m / L².

    `law` is an expression in `length` (L), `rate` (L̇), the names of the model's coordinates, speeds
    and sensors, the time t, the parameters and the inputs; `potential` an energy in `length`, t,
    the parameters and the inputs. `mu` attracts the second end, a body's centre of mass, by the
    first: m is that body's mass, μ the attracting mass times the constant of gravity.

    Of one end alone the medium's force is −(drag + quadratic · |v|) v, with v the point's velocity
    less the medium's, `medium`: an expression for each component, in t, the parameters and the
    inputs.

    Units
        N/m, m, N s/m, N, J, m³/s²; N s/m, N s²/m², m/s.
    Frame
        The line is that of the two points in space; `medium` is in the inertial frame.
    Sign
        Tension is positive: it draws the two points together. Where they coincide the line has no
        direction, and there is no force.
    """

    name: str
    ends: tuple[End, ...]
    stiffness: Quantity = 0
    rest: Quantity = 0
    damping: Quantity = 0
    law: Quantity = 0
    potential: Quantity = 0
    mu: Quantity = 0
    drag: Quantity = 0
    quadratic: Quantity = 0
    medium: Vector = ()


@dataclass(frozen=True)
class Sensor(Shown):
    """A place or distance that laws read by name: of hinges, loads and forces, wherever they act.

    Of two ends it is their distance, or with `along` the component in that direction of the way
    from the first to the second; of one end, the component of its position. A law reads it by its
    name, and its rate by the name and `_rate`.

    Units
        m, times those of `along`; the rate m/s.
    Frame
        `along` is in the inertial frame, as positions are.
    """

    name: str
    ends: tuple[End, ...]
    along: Vector = ()

    @property
    def rate(self) -> str:
        """What laws call its rate."""
        return f"{self.name}_rate"

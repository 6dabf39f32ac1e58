"""Force elements between named points: springs, dampers, laws, attraction, and drag at a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .bodies import End
from .quantities import Quantity, Vector, parameter

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
class Force:
    """A force along the line between two points, or of a medium on one point.

    The points are ends: of bodies, or `End(GROUND, …)`; a body's without a point, `End("1", "")`,
    is its centre of mass. With L the distance of the two and L̇ its rate the tension is

        T = stiffness · (L − rest) + damping · L̇ + law + ∂potential/∂L + mu · m / L².

    `law` is an expression in `length` (L), `rate` (L̇), the names of the model's coordinates and
    speeds, the time t, the parameters and the inputs; `potential` an energy in `length`, t, the
    parameters and the inputs. `mu` attracts the second end, which is a body's centre of mass, by
    the first: m is that body's mass, μ the attracting mass times the constant of gravity.

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

"""What a system *is*: bodies, hinges, ends, topology, parameters, initial state."""

from typing import TYPE_CHECKING, Any

from .model import Model
from .parts.base import Base, Input
from .parts.bodies import Beam, Body, End, Point
from .parts.forces import Force, Load, Sensor
from .parts.frames import Frame
from .parts.hinges import GROUND, Hinge, Mimic
from .parts.limits import Limits
from .parts.tabulated import Tabulated
from .remembered import Remembered as Remembered

if TYPE_CHECKING:
    from .parts.lumped import lumped_mass
    from .ready.library import MODELS, ReadyMade, load

__all__ = [
    "GROUND",
    "MODELS",
    "Base",
    "Beam",
    "Body",
    "End",
    "Force",
    "Frame",
    "Hinge",
    "Input",
    "Limits",
    "Load",
    "Mimic",
    "Model",
    "Point",
    "ReadyMade",
    "Sensor",
    "Tabulated",
    "load",
    "lumped_mass",
]


def __getattr__(name: str) -> Any:
    """The ready-made models, and what else brings SymPy: imported when it is first asked for."""
    if name == "lumped_mass":
        from .parts.lumped import lumped_mass

        return lumped_mass
    if name not in ("MODELS", "ReadyMade", "load"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .ready import library

    return getattr(library, name)

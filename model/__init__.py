"""What a system *is*: bodies, hinges, ends, topology, parameters, initial state."""

from typing import TYPE_CHECKING, Any

from .bodies import Beam, Body, End, Point
from .forces import Force, Load, Sensor
from .frames import Frame
from .limits import Limits
from .model import Model
from .remembered import Remembered as Remembered
from .types import GROUND, Base, Hinge, Input, Mimic

if TYPE_CHECKING:
    from .library import MODELS, ReadyMade, load
    from .lumped import lumped_mass

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
    "load",
    "lumped_mass",
]


def __getattr__(name: str) -> Any:
    """The ready-made models, and what else brings SymPy: imported when it is first asked for."""
    if name == "lumped_mass":
        from .lumped import lumped_mass

        return lumped_mass
    if name not in ("MODELS", "ReadyMade", "load"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import library

    return getattr(library, name)

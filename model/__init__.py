"""What a system *is*: bodies, hinges, ends, topology, parameters, initial state."""

from .bodies import Beam, Body, End, Point
from .forces import Force
from .frames import Frame
from .library import MODELS, ReadyMade, load
from .limits import Limits
from .lumped import lumped_mass
from .model import Model
from .types import GROUND, Base, Hinge, Input, Load, Mimic

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
    "load",
    "lumped_mass",
]

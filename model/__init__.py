"""What a system *is*: bodies, hinges, ends, topology, parameters, initial state."""

from .library import MODELS, ReadyMade, load
from .lumped import lumped_mass
from .types import GROUND, Base, Beam, Body, End, Hinge, Load, Mimic, Model, Point

__all__ = [
    "GROUND",
    "MODELS",
    "Base",
    "Beam",
    "Body",
    "End",
    "Hinge",
    "Load",
    "Mimic",
    "Model",
    "Point",
    "ReadyMade",
    "load",
    "lumped_mass",
]

"""What a system *is*: bodies, hinges, ends, topology, parameters, initial state."""

from .library import MODELS, ReadyMade, load
from .types import GROUND, Beam, Body, End, Hinge, Mimic, Model, Point

__all__ = [
    "GROUND",
    "MODELS",
    "Beam",
    "Body",
    "End",
    "Hinge",
    "Mimic",
    "Model",
    "Point",
    "ReadyMade",
    "load",
]

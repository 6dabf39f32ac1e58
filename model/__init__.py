"""What a system *is*: bodies, hinges, ends, topology, parameters, initial state."""

from .library import MODELS, ReadyMade, load
from .types import GROUND, Body, End, Hinge, Mimic, Model, Point

__all__ = [
    "GROUND",
    "MODELS",
    "Body",
    "End",
    "Hinge",
    "Mimic",
    "Model",
    "Point",
    "ReadyMade",
    "load",
]

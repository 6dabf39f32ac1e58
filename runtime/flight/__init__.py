"""Bodies and trees that fly: poses on SE(3), and a spatial momentum that is kept."""

from .flying_tree import FlyingTree
from .free_body import Flight, FreeBody

__all__ = ["Flight", "FlyingTree", "FreeBody"]

"""What the search for modes asks of a model at rest: its dynamic stiffness A(ω²) = K − ω² M."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..evaluation.arrays import Floats

Whole = npt.NDArray[np.int64]

#: A count in doubles is believed where no pivot, made equal in size before, is smaller.
BELIEVED = 1e-9


class Proven(NamedTuple):
    """A count whose every sign is proven in ball arithmetic of so many bits."""

    below: int
    bits: int


class DynamicStiffness(Protocol):
    """A(ω²) of a model about a place at rest, a batch of squares of frequencies at once.

    Displacements and loads are vectors of one length, whose product is work.

    Shape
        `squares` (n); displacements and loads (n, length).
    Units
        (rad/s)²; SI.
    """

    #: The largest ω² that the equations are right for; infinite where A is a straight line in ω².
    highest: float
    #: How many eigenvalues there are; none where the axis has no end, as of beams, or unknown.
    eigenvalues: int | None
    #: The length of displacements and loads.
    length: int
    #: So many entries of displacements, the first ones, tell modes apart.
    leading: int

    def counted(self, squares: Floats) -> tuple[Whole, Floats]:
        """How many eigenvalues lie below each, and the smallest pivot that was met."""

    def responses(self, squares: Floats, loads: Floats) -> tuple[Floats, Floats]:
        """The displacements u = A⁻¹ p, and the loads −A′ u; of bodies and rotors M u."""

    def proven(self, square: float) -> Proven:
        """How many eigenvalues lie below, proven.

        Raises
            ToolchainError: there is no ball arithmetic (extra `proof`).
            NumericsError: no precision decides it, as where an eigenvalue is met exactly.
        """

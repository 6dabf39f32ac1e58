"""What searches and responses ask of a model at rest: its dynamic stiffness, A(ω²) or A(s)."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..evaluation.arrays import Floats

Whole = npt.NDArray[np.int64]
Complex = npt.NDArray[np.complex128]

#: A count in doubles is believed where no pivot, made equal in size before, is smaller.
BELIEVED = 1e-9


class Proven(NamedTuple):
    """A count whose every sign is proven in ball arithmetic of so many bits."""

    below: int
    bits: int


class DynamicStiffness(Protocol):
    """A(ω²) = K − ω² M of a model about a place at rest, a batch of squares of frequencies at once.

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


class ComplexStiffness(Protocol):
    """A(s) of a model about a place at rest, where all moves as the real part of e^(s t).

    Of K + s C + s² M that is a polynomial, of beams an entire function; not symmetric, where
    bodies spin or forces follow. `parameters` are values of the parameters that stay arguments, a
    row for each frequency, or one for all; None: those at which the stiffness was made.

    Shape
        `s` (n), complex; displacements and loads (n, length), complex; `parameters` (n, count).
    Units
        rad/s; SI.
    """

    #: The length of displacements and loads.
    length: int
    #: The largest |s| that the equations are right for; infinite without beams.
    highest: float

    def determinants(
        self, s: Complex, parameters: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """log |Δ|, the angle of Δ up to whole turns, and the smallest pivot that was met.

        Δ(s) is the determinant of A up to a factor without zeros, and has no poles.
        """

    def responses(self, s: Complex, loads: Complex, parameters: Floats | None = None) -> Complex:
        """The displacements A⁻¹ p."""

    def exerted(self, s: Complex, loads: Complex, parameters: Floats | None = None) -> Complex:
        """The wrenches of hinges beyond rest: on each body, then λ at the ends I of cells.

        Shape
            (n, bodies and cells, by component).
        """

    def counted(self, omegas: Floats, parameters: Floats | None = None) -> tuple[Whole, Floats]:
        """The negative eigenvalues of A(iω), and the smallest pivot; without damping, A even there.

        Without damping, and with K positive definite, these are the frequencies below ω > 0.
        """

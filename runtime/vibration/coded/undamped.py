"""An undamped stiffness in the place of one that is damped."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...evaluation.arrays import Floats
from ..inside import Strained
from ..stiffness import Complex, Whole


class Undamped:
    """An undamped stiffness as one at complex frequencies, imaginary and real ones."""

    def __init__(self, stiffness: Strained) -> None:
        self.stiffness, self.length = stiffness, stiffness.length
        self.highest = float(np.sqrt(stiffness.highest))

    def determinants(
        self, s: Complex, parameters: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Of the three the smallest pivot alone."""
        unknown = np.full(len(s), np.nan)
        return unknown, unknown, self.stiffness.counted(-(s**2).real)[1]

    def counted(self, omegas: Floats, parameters: Floats | None = None) -> tuple[Whole, Floats]:
        """How many eigenvalues lie below each, and the smallest pivot."""
        return self.stiffness.counted(omegas**2)

    def responses(self, s: Complex, loads: Complex, parameters: Floats | None = None) -> Complex:
        """The displacements A⁻¹ p, of loads in phase and of those a quarter of a period ahead."""
        return _in_phases(lambda *x: self.stiffness.responses(*x)[0], s, loads)

    def exerted(self, s: Complex, loads: Complex, parameters: Floats | None = None) -> Complex:
        """The wrenches of hinges, in the same way."""

        def exert(squares: Floats, part: Floats) -> Floats:
            ends = self.stiffness.strained(squares, part)
            return np.hstack([x.reshape(len(part), -1) for x in (ends.wrenches, ends.loaded)])

        return _in_phases(exert, s, loads)


def _in_phases(found: Callable[[Floats, Floats], Floats], s: Complex, loads: Complex) -> Complex:
    squares = -(s**2).real
    whole: Complex = found(squares, loads.real).astype(np.complex128)
    if loads.imag.any():
        whole += 1j * found(squares, loads.imag)
    return whole

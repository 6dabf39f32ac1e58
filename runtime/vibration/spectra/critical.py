"""Critical speeds of what spins without damping, found directly: where ω = n W is a frequency."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....errors import NumericsError
from ...evaluation.arrays import Floats
from ..stiffness import Complex, ComplexStiffness, Whole
from .contours import clear, shapes
from .counting import parted, refined
from .spectrum import logarithm_of
from .whirl import axis, ladder, see_positive

#: Speeds nearer to each other than this part of them are equal.
TOGETHER = 1e-12


class Criticals(NamedTuple):
    """Critical speeds, ascending, equal ones as often as they occur, and their modes.

    Of motions that nothing resists there are so many, `zero`.
    """

    speeds: Floats
    multiplicity: Whole
    modes: Complex
    zero: int


def criticals(
    stiffness: ComplexStiffness,
    rows: Callable[[Floats], Floats],
    *,
    harmonic: float,
    below: float,
) -> Criticals:
    """All speeds W in (0, below) at which n W is a frequency.

    `rows` are the parameters at speeds. The stiffness must not change with the speed otherwise than
    by gyroscopic moments that are proportional to it.

    Raises
        UsageError: the model is unstable at rest, where a count does not tell.
        NumericsError: they are not all, by the count.
    Source
        K − W² (n² M − n G′) has as many negative eigenvalues as there are critical speeds below W,
        as 1/W² are the positive eigenvalues of n² M − n G′ in terms of K; by the sweep's pivots.
    """

    def count(speeds: Floats, lanes: Whole) -> tuple[Whole, Floats]:
        return stiffness.counted(harmonic * speeds, rows(speeds))

    def determinant(speeds: Floats, lanes: Whole) -> tuple[Floats, Floats]:
        return stiffness.determinants(axis(harmonic * speeds), rows(speeds))[:2]

    whole = ladder(count, 1, stiffness.highest / harmonic, first=None, below=below)
    see_positive(stiffness, rows(whole.low), harmonic * whole.low)
    found = parted(count, whole, whole.above, together=TOGETHER)
    alone = np.flatnonzero(found.jump == 1)
    at = (found.low + found.high) / 2
    at[alone] = refined(determinant, found.only(alone))
    # Where no sign changes though there is one, the count alone tells.
    blind = np.flatnonzero(np.isnan(at))
    narrow = parted(count, found.only(blind), whole.above, alone=0, together=TOGETHER)
    at[blind] = (narrow.low + narrow.high) / 2
    modes = _modes(stiffness, axis(harmonic * at), found.jump, rows(at))
    times = np.array([len(each) for each in modes], dtype=np.int64)
    if (times != found.jump).any():
        raise NumericsError("equal critical speeds have fewer modes than they are by the count")
    listed = np.concatenate([np.zeros((0, stiffness.length), complex), *modes])
    speeds, multiplicity = np.repeat(at, times), np.repeat(found.jump, times)
    return Criticals(speeds, multiplicity, listed, int(whole.below[0]))


def _modes(
    stiffness: ComplexStiffness, s: Complex, multiplicity: Whole, parameters: Floats
) -> list[Complex]:
    """The modes of eigenvalues, each at its row of parameters."""
    lanes = np.arange(len(s))
    radii = clear(logarithm_of(stiffness, parameters), s, multiplicity, 1e-2 * np.abs(s), lanes)
    return shapes(stiffness, s, multiplicity, radii, parameters)

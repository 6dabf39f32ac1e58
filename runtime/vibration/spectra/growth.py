"""How many small deviations grow: of all eigenvalues those with positive real part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....errors import NumericsError
from ....model.expressions.quantities import told
from ..decaying import STEADY
from ..stiffness import ComplexStiffness
from .contours import told_apart
from .spectrum import MOVED, placed, square, surveyed

#: Nearer to the imaginary axis than this part of their place, more than what is listed as equal
#: differs, eigenvalues are told one by one.
NEAR = 1e-4


class Growth(NamedTuple):
    """How many eigenvalues grow, how many neither grow nor decay, and up to which |s| that is."""

    growing: int
    neutral: int
    up_to: float


def growth(stiffness: ComplexStiffness, eigenvalues: int | None) -> Growth:
    """The eigenvalues s with Re s > 10⁻⁹ |s|, and those with Re s between this and its negative.

    All are found, out to where there are no more: of a polynomial that has so many `eigenvalues`,
    to where all are inside; else as far as the equations are right. A count along the edge of the
    right half plane would not tell: of frequencies that are nearly equal one may grow and the
    other decay, and the determinant turns by whole rounds between them.

    Raises
        NumericsError: they were not all found, or one is neither told to grow nor not.
    Source
        The argument principle, as in `damped`; equal ones by contour integrals.
    """
    survey = surveyed(stiffness)
    whole = survey.count.max() == eigenvalues
    far = survey.radii[np.argmax(survey.count == survey.count.max())]
    ((found, times, radii),), _ = placed(stiffness, survey, square(stiffness, MOVED[-1] * far))
    pairs = 1 + (found.imag > 0)
    if whole and (pairs * times).sum() != eigenvalues:
        raise NumericsError(
            f"of {eigenvalues} eigenvalues {(pairs * times).sum()} were found: whether all decay "
            "is not told"
        )
    reach = np.inf if whole else float(far)
    growing = neutral = 0
    for s, held, radius, pair in zip(found, times, radii, pairs, strict=True):
        if abs(s) > reach:
            continue
        rises, stays = _counted(stiffness, complex(s), int(held), float(radius))
        growing, neutral = growing + int(pair) * rises, neutral + int(pair) * stays
    return Growth(growing, neutral, reach)


def _counted(stiffness: ComplexStiffness, s: complex, count: int, radius: float) -> tuple[int, int]:
    """How many of the eigenvalues at s grow, and how many neither grow nor decay."""
    if s == 0:
        return 0, count
    if abs(s.real) > NEAR * abs(s):
        return count * (s.real > 0), 0
    values, moved = told_apart(stiffness, s, count, radius)
    steady = STEADY * abs(s)
    unclear = np.abs(values.real) <= moved
    if moved > steady and unclear.any():
        raise NumericsError(
            f"whether what moves near s = {s:.9g} grows is not told: {told(count, 'eigenvalue')} "
            "there, which rounding moves across the imaginary axis; change a parameter a little"
        )
    return int((values.real > steady).sum()), int((np.abs(values.real) <= steady).sum())

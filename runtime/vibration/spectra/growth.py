"""How many small deviations grow: the winding number of the right half plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....errors import NumericsError
from ..decaying import STEADY
from ..stiffness import Complex, ComplexStiffness
from .spectrum import logarithm_of, surveyed
from .winding import turned


class Growth(NamedTuple):
    """How many eigenvalues grow, how many neither grow nor decay, and up to which |s| that is."""

    growing: int
    neutral: int
    up_to: float


def growth(stiffness: ComplexStiffness, eigenvalues: int | None) -> Growth:
    """The eigenvalues s with positive real part, and those with none but rounding's.

    Counted are those in Re s > 10⁻⁹ |s|, and in Re s > −10⁻⁹ |s|, out to where there are no more:
    of a polynomial that has so many `eigenvalues`, to where all are inside; else as far as the
    equations are right.

    Raises
        NumericsError: they are not told from each other.
    Source
        The argument principle, on the boundary of the right half plane but for a disc about 0.
    """
    survey, logarithm = surveyed(stiffness), logarithm_of(stiffness)
    whole = survey.count.max() == eigenvalues
    far = survey.radii[np.argmax(survey.count == survey.count.max())]
    # Nothing but zeros is nearer; closer to 0 what cancels there is all that is left.
    near = survey.radii[survey.count == survey.at_zero].max(initial=survey.zero)
    paths = [_edge(np.pi / 2 + turn, near, far) for turn in (-STEADY, STEADY)]
    numbers = turned(logarithm, paths, np.zeros(2, dtype=np.int64)) / np.pi
    if np.isnan(numbers).any():
        raise NumericsError(
            "whether an eigenvalue grows is not told: one is on the edge of those that do by more "
            "than rounding"
        )
    growing, most = np.rint(numbers).astype(int).tolist()
    return Growth(growing, most - growing + survey.at_zero, np.inf if whole else float(far))


def _edge(angle: float, near: float, far: float) -> Complex:
    """The upper half of the edge of a sector about the positive real axis, but for a disc at 0."""
    decades = int(np.ceil(np.log10(far / near)))
    ray = np.geomspace(far, near, 2 * decades + 2) * np.exp(1j * angle)
    arc = np.exp(1j * np.linspace(0.0, angle, 7)[:-1])
    path = np.concatenate([far * arc, ray, near * arc[::-1]])
    path[[0, -1]] = path[[0, -1]].real
    return path

"""That a list of eigenvalues is whole: the count between each two neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...errors import NumericsError
from ...shown import Shown
from ..evaluation.arrays import Floats
from .search import between
from .stiffness import BELIEVED, DynamicStiffness, Whole

#: So far from an eigenvalue, as a part of it, stand the points between which it is proven.
AROUND = 1e-11


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Shown):
    """Counts of eigenvalues below points on the axis of ω².

    Between a lower and an upper point lie exactly as many eigenvalues as the counts differ by.
    `proof` says who counted: `double`, where the smallest pivot leaves no doubt, or balls of so
    many bits, in which every sign is proven, rounding included. One of each for every place at
    which there is an eigenvalue, ascending.

    Shape
        Each (places).
    Units
        (rad/s)².
    """

    lower: Floats
    upper: Floats
    below: Whole
    above: Whole
    proof: tuple[str, ...]

    @property
    def multiplicity(self) -> Whole:
        """How many eigenvalues lie in each interval."""
        return self.above - self.below


def certified(
    stiffness: DynamicStiffness,
    low: Floats,
    high: Floats,
    multiplicity: Whole,
    ends: tuple[float, float],
    *,
    prove: bool,
) -> Certificate:
    """The certificate of places that hold eigenvalues, each from a least to a greatest one.

    The points lie between neighbours, and `ends` that are beyond the first and the last; where one
    is to `prove` them, close to each, and balls count.

    Raises
        NumericsError: the counts do not differ by the multiplicities: the list is not whole.
        ToolchainError: there is no ball arithmetic (extra `proof`), and it is asked for, or needed.
    """
    if prove:
        lower, upper = low - AROUND * np.abs(low), high + AROUND * np.abs(high)
        proven = [stiffness.proven(float(x)) for x in np.concatenate([lower, upper])]
        below, above = np.array([x.below for x in proven], dtype=np.int64).reshape(2, -1)
        who = [f"{x.bits} bits" for x in proven]
        proof = [*zip(who[: len(low)], who[len(low) :], strict=True)]
    else:
        points, counts, who = _separated(
            stiffness, np.append(ends[0], high), np.append(low, ends[1])
        )
        lower, upper, below, above = points[:-1], points[1:], counts[:-1], counts[1:]
        proof = [*pairwise(who)]
    said = tuple(a if a == b else f"{a}, {b}" for a, b in proof)
    found = Certificate(lower, upper, below, above, said)
    whole = np.concatenate([[0], np.cumsum(multiplicity)])
    if not (np.array_equal(below, whole[:-1]) and np.array_equal(above, whole[1:])):
        raise NumericsError(_missing(found, multiplicity))
    return found


def _separated(
    stiffness: DynamicStiffness, low: Floats, high: Floats
) -> tuple[Floats, Whole, list[str]]:
    """A point in each gap, its count, and who counted."""
    points, counts, pivots = between(stiffness, low, high)
    who = ["double"] * len(points)
    for k in np.flatnonzero(pivots < BELIEVED):
        counts[k], bits = stiffness.proven(float(points[k]))
        who[k] = f"{bits} bits"
    return points, counts, who


def _missing(found: Certificate, multiplicity: Whole) -> str:
    before = np.concatenate([[0], np.cumsum(multiplicity)[:-1]])
    wrong = (found.multiplicity != multiplicity) | (found.below != before)
    k = int(np.flatnonzero(wrong)[0])
    return (
        f"between ω² = {found.lower[k]:.9g} and {found.upper[k]:.9g} there are "
        f"{found.multiplicity[k]} eigenvalues above {found.below[k]} others by their count, but "
        f"{multiplicity[k]} above {before[k]} were found: the list would not be whole"
    )

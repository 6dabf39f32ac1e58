"""All eigenvalues that are asked for with their modes: located, refined, certified."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..evaluation.arrays import Floats
from .certificate import Certificate, certified
from .refinement import BENT, BESIDE, EQUAL, LEAST, OF_GAP, refined, settled_basis
from .search import Located, located
from .stiffness import DynamicStiffness, Whole

#: So many numbers of displacements are refined at once.
AT_ONCE = 1 << 23


class Found(NamedTuple):
    """Eigenvalues ω², ascending, and displacements u of generalized mass 1, orthogonal by mass.

    `multiplicity` is the number of eigenvalues that lie together with each; `momenta` are M u.
    """

    squares: Floats
    multiplicity: Whole
    displacements: Floats
    momenta: Floats
    certificate: Certificate


def found(
    stiffness: DynamicStiffness, *, first: int | None, below: float | None, prove: bool
) -> Found:
    """The eigenvalues of a stiffness, all the lowest ones that are asked for.

    Equal ones are not parted: where the last of `first` ones occurs several times, all are listed.

    Raises
        NumericsError: the list is not whole, by the count.
        ToolchainError: there is no ball arithmetic (extra `proof`), and it is asked for, or needed.
    """
    where = located(stiffness, first=first, below=below)
    places = sorted(_places(stiffness, where), key=lambda place: place[0][0])
    count = np.array([len(squares) for squares, _ in places], dtype=np.int64)
    low, high = (np.array([x[k] for x, _ in places]) for k in (0, -1))
    zero = np.where(low == 0.0, where.zero, 0.0)
    modes = np.concatenate([np.zeros((0, 2 * stiffness.length)), *(modes for _, modes in places)])
    displacements, momenta = np.split(modes, 2, axis=1)
    return Found(
        np.concatenate([np.zeros(0), *(squares for squares, _ in places)]),
        np.repeat(count, count),
        displacements,
        momenta,
        certified(stiffness, low - zero, high + zero, count, where.ends, prove=prove),
    )


def _places(stiffness: DynamicStiffness, where: Located) -> Iterator[tuple[Floats, Floats]]:
    """The eigenvalues that lie together, one or more, and their modes: u, and M u beside it."""
    low, high, jump = where.places()
    zero = low * high < 0
    beside = BESIDE if np.isinf(stiffness.highest) else BENT
    gaps = np.concatenate([[np.inf], low[1:] - high[:-1], [np.inf]])
    gap, size = OF_GAP * np.minimum(gaps[:-1], gaps[1:]), np.maximum(np.abs(low), np.abs(high))
    apart = np.where(zero, where.zero, np.clip(gap, LEAST * size, beside * size))
    low, high = np.where(zero, high, low), np.where(zero, 2 * high, high)
    for count in sorted({*jump.tolist()}):
        own = np.flatnonzero(jump == count)
        parts = -(-len(own) * count * stiffness.length // AT_ONCE)
        for some in np.array_split(own, parts):
            values, *modes = refined(stiffness, low[some], high[some], count, apart[some])
            for k, squares, u in zip(some, values, np.concatenate(modes, axis=2), strict=True):
                yield _told_apart(0 * squares if zero[k] else squares, u, stiffness.leading)


def _told_apart(squares: Floats, modes: Floats, leading: int) -> tuple[Floats, Floats]:
    """Equal ones made equal, in a basis that rounding does not choose."""
    cuts = np.flatnonzero(np.diff(squares) > EQUAL * np.abs(squares[1:])) + 1
    equals = np.split(squares, cuts)
    bases = [settled_basis(u, leading) for u in np.split(modes, cuts)]
    return np.concatenate([np.full(len(x), x.mean()) for x in equals]), np.concatenate(bases)

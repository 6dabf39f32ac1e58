"""All eigenvalues that are asked for with their modes: located, refined, certified."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .certificate import Certificate, certified
from .refinement import BENT, BESIDE, EQUAL, LEAST, OF_GAP, refined, settled_basis
from .search import TOGETHER, Located, located
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
    where = located(stiffness, first=first, below=below, prove=prove)
    low, high, count = where.places()
    if prove and below is not None:
        _see_all_below(stiffness, where, below)
    values, modes = _all_near(stiffness, where)
    zero, places, cuts = low * high < 0, [], np.cumsum(count)
    # What is left over is near the last one, but not asked for.
    parts = zip(low, high, np.split(values, cuts), np.split(modes, cuts), strict=False)
    for least, most, squares, u in parts:
        _see_inside(squares, least, most)
        squares = squares if least * most > 0 else 0 * squares
        places.append(_told_apart(squares, u, stiffness.leading))
    low, high = (np.array([x[k] for x, _ in places]) for k in (0, -1))
    around = np.where(zero, where.zero, 0.0)
    modes = np.concatenate([np.zeros((0, 2 * stiffness.length)), *(modes for _, modes in places)])
    displacements, momenta = np.split(modes, 2, axis=1)
    return Found(
        np.concatenate([np.zeros(0), *(squares for squares, _ in places)]),
        np.repeat(count, count),
        displacements,
        momenta,
        certified(stiffness, low - around, high + around, count, where.ends, prove=prove),
    )


def _see_all_below(stiffness: DynamicStiffness, where: Located, below: float) -> None:
    """Raise if balls see another number below the limit."""
    point = float(where.squares[np.searchsorted(where.squares, below)])
    count = stiffness.proven(point).below
    if count != where.wanted:
        raise NumericsError(
            f"below ω² = {point:.9g} there are {count} eigenvalues, but {where.wanted} were found: "
            "the list would not be whole"
        )


def _see_inside(squares: Floats, low: float, high: float) -> None:
    """Raise if eigenvalues are not where they were counted."""
    slack = TOGETHER * max(abs(low), abs(high)) if low * high > 0 else np.inf
    if not ((low - slack <= squares) & (squares <= high + slack)).all():
        raise NumericsError(
            f"an eigenvalue that is counted between ω² = {low:.12g} and {high:.12g} was found at "
            f"{squares[np.abs(squares - low).argmax()]:.12g}: the list would not be whole"
        )


def _all_near(stiffness: DynamicStiffness, where: Located) -> tuple[Floats, Floats]:
    """All eigenvalues that are looked at, ascending, and their modes: u, and M u beside it."""
    low, high, jump, gaps = where.together()
    zero = low * high < 0
    beside = BESIDE if np.isinf(stiffness.highest) else BENT
    size = np.maximum(np.abs(low), np.abs(high))
    # Beyond several that are apart a shift is as far from all of them, if there is room.
    gap = np.maximum(OF_GAP * gaps, np.where(jump > 1, np.minimum(high - low, 0.3 * gaps), 0.0))
    apart = np.where(
        zero, np.clip(gaps / 8, 0.01 * size, size), np.clip(gap, LEAST * size, beside * size)
    )
    low, high = np.where(zero, apart, low), np.where(zero, 2 * apart, high)
    values = np.split(np.zeros(int(jump.sum())), np.cumsum(jump)[:-1]) if len(jump) else []
    modes = [*values]
    for count in sorted({*jump.tolist()}):
        own = np.flatnonzero(jump == count)
        parts = -(-len(own) * count * stiffness.length // AT_ONCE)
        for some in np.array_split(own, parts):
            least, most = low[some], high[some]
            found, *both = refined(stiffness, least, most, count, apart[some])
            for k, squares, u in zip(some, found, np.concatenate(both, axis=2), strict=True):
                values[k], modes[k] = squares, u
    return (
        np.concatenate([np.zeros(0), *values]),
        np.concatenate([np.zeros((0, 2 * stiffness.length)), *modes]),
    )


def _told_apart(squares: Floats, modes: Floats, leading: int) -> tuple[Floats, Floats]:
    """Equal ones made equal, in a basis that rounding does not choose."""
    cuts = np.flatnonzero(np.diff(squares) > EQUAL * np.abs(squares[1:])) + 1
    equals = np.split(squares, cuts)
    bases = [settled_basis(u, leading) for u in np.split(modes, cuts)]
    return np.concatenate([np.full(len(x), x.mean()) for x in equals]), np.concatenate(bases)

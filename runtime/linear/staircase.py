"""What inputs reach of a linear system, and what outputs tell: Kalman's parts, by a staircase.

Units decide nothing: states and inputs are scaled first so that the entries are as near to each
other as they can be.
"""

from __future__ import annotations

import numpy as np

from ..evaluation.arrays import Floats

#: What an input turns aside below this part of what it moves, it does not reach.
REACHED = 1e-10
#: Entries below this part of those about them are rounding, and so is what is reached by them.
ROUNDING = 1e-13
#: So often entries that are rounding are told anew in the scales that were found.
ROUNDS = 4


def minimal(A: Floats, B: Floats, C: Floats) -> tuple[Floats, Floats, Floats]:
    """A, B and C of the states that inputs reach and outputs tell: the same transfer function.

    Shape
        (r, r), (r, inputs), (outputs, r).
    Source
        Kalman (1963): what is reached, and of that what is told.
    """
    left, right = reached(A, B)
    A, B, C = left @ A @ right, left @ B, C @ right
    told, back = reached(A.T, C.T)
    return back.T @ A @ told.T, back.T @ B, C @ told.T


def reached(A: Floats, B: Floats) -> tuple[Floats, Floats]:
    """Of what the inputs reach: its coordinates as rows, and its directions as columns.

    The columns span the least space that holds B and that A keeps in itself: rank of
    [B, A B, A² B, …], found step by step without powers of A.

    Shape
        (r, states) and (states, r); their product is 1.
    Source
        Staircase algorithm (Van Dooren 1981), as a block Arnoldi process: every step adds what A
        makes of the last one's directions across all before, ranks by singular values.
    """
    states, inputs, rate = scales(A, B)
    A, B = A * (states / states[:, np.newaxis]) / rate, B * (inputs / states[:, np.newaxis])
    size = float(np.linalg.norm(A, 2)) if len(A) else 0.0
    lengths = np.linalg.norm(B, axis=0)
    Q, rounding = np.zeros((len(A), 0)), ROUNDING
    new, _ = _directions(B[:, lengths > 0] / lengths[lengths > 0], REACHED)
    while new.shape[1]:
        Q = np.hstack([Q, new])
        moved = A @ new
        across = moved - Q @ (Q.T @ moved)
        across -= Q @ (Q.T @ across)  # once more: what is left of it may be small
        new, least = _directions(across, REACHED * _length(moved) + rounding * size)
        new, _ = np.linalg.qr(new - Q @ (Q.T @ new))
        # A direction is as uncertain as what it was found from is small.
        rounding = ROUNDING * max(1.0, size / least) if least else ROUNDING
    return Q.T / states, Q * states[:, np.newaxis]


def _directions(found: Floats, least: float) -> tuple[Floats, float]:
    """Orthonormal columns that span those found that are longer than `least`; the shortest."""
    if found.size == 0:
        return found, 0.0
    U, lengths, _ = np.linalg.svd(found, full_matrices=False)
    kept = lengths > least
    return U[:, kept], float(lengths[kept].min(initial=np.inf))


def _length(found: Floats) -> float:
    return float(np.linalg.norm(found, 2))


def scales(A: Floats, B: Floats) -> tuple[Floats, Floats, float]:
    """Units of states, inputs and rates in which the entries of A and B are alike: powers of 2.

    They are the least squares of the entries' logarithms, so that those in other units give the
    same scaled system.

    Source
        Curtis and Reid (1972), of a similarity.
    """
    n, m = len(A), B.shape[1]
    states, inputs, rate = np.ones(n), np.ones(m), 1.0
    for _ in range(ROUNDS):
        sizes = np.hstack(
            [
                np.abs(A) * (states / states[:, np.newaxis]) / rate,
                np.abs(B) * (inputs / states[:, np.newaxis]),
            ]
        )
        rows, columns = np.nonzero(_counts(sizes))
        given = np.hstack([np.abs(A), np.abs(B)])[rows, columns]
        # log of an entry = log of its state's unit − log of the other's (or the input's) + rate.
        gram, right = np.zeros((n + m + 1, n + m + 1)), np.zeros(n + m + 1)
        terms = ((rows, 1.0), (columns, -1.0), (np.full(len(rows), n + m), 1.0 * (columns < n)))
        for place, sign in terms:
            np.add.at(right, place, sign * np.log2(given))
            for other, factor in terms:
                np.add.at(gram, (place, other), sign * factor)
        found = np.exp2(np.rint(np.linalg.lstsq(gram, right, rcond=None)[0]))
        states, inputs, rate = found[:n], found[n : n + m], float(found[-1])
    return states, inputs, rate


def _counts(sizes: Floats) -> Floats:
    """Which entries are more than rounding, by the largest of their rows and columns."""
    most = sizes.max(initial=0.0)
    about = sizes.max(axis=1, keepdims=True, initial=0.0) * sizes.max(
        axis=0, keepdims=True, initial=0.0
    )
    counts: Floats = sizes * most > ROUNDING * about
    return counts

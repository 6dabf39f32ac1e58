"""Eigenvalues and modes to the last digits: inverse iteration and Ritz vectors, in batches."""

from __future__ import annotations

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .search import between
from .stiffness import DynamicStiffness

#: Iterations at most, and the change of an eigenvalue, as a part of it, that ends them.
ROUNDS, SETTLED = 6, 3e-14

#: The shift stays about so far from the eigenvalue: this part of it, or of the gap to the next if
#: that is less. The nearer it is the less of other modes an iteration leaves; but there pivots are
#: small where models are symmetric, and digits are lost.
BESIDE, OF_GAP, LEAST = 1e-6, 0.01, 1e-9

#: Eigenvalues that differ by less, as a part of them, are equal.
EQUAL = 1e-11

#: Largest entries within this part of each other are equally large: rounding does not choose.
ALIKE = 1e-6


def refined(
    stiffness: DynamicStiffness, low: Floats, high: Floats, count: int, apart: Floats
) -> tuple[Floats, Floats, Floats]:
    """The `count` eigenvalues in each of these intervals, their modes u of mass 1, and M u.

    Later shifts stay `apart` from what was found, where pivots are not small.

    Shape
        `low`, `high`, `apart` (n); eigenvalues (n, count) ascending, the others (n, count, length).
    Raises
        NumericsError: the modes of one place are not independent.
    Source
        Inverse iteration with the Rayleigh quotient λ + uᵀp/(uᵀMu), Newton's correction of
        A(λ) u = 0; of several the Rayleigh-Ritz values.
    """
    n, length = len(low), stiffness.length
    random = np.random.default_rng(0).standard_normal((count, length))
    loads, first, last = np.broadcast_to(random, (n, count, length)), low, high
    found, settled = np.full((n, count), np.inf), False
    for _ in range(ROUNDS):
        shifts, _, _ = between(stiffness, first, last)
        each = np.repeat(shifts, count)
        responses = stiffness.responses(each, loads.reshape(-1, length))
        u, momenta = (x.reshape(n, count, length) for x in responses)
        # Loads may be of any size; near an eigenvalue they move a lot.
        size = np.abs(u).max(axis=2, keepdims=True)
        steps, u, loads = _ritz(loads / size, u / size, momenta / size)
        values = shifts[:, np.newaxis] + steps
        change = np.abs(values - found) <= SETTLED * np.maximum(
            np.abs(values), apart[:, np.newaxis]
        )
        # Of a mode more is left than of its eigenvalue, which is its square: once more.
        if settled and change.all():
            break
        found, settled = values, bool(change.all())
        nearest = np.clip(values.mean(axis=1), low, high)
        first, last = nearest + apart, nearest + 2 * apart
    return values, u, loads


def _ritz(loads: Floats, u: Floats, momenta: Floats) -> tuple[Floats, Floats, Floats]:
    """Of A u = p the eigenvalues of A in these directions, by M, with modes of mass 1 and M u."""
    across = np.swapaxes(u, 1, 2)
    A, M = loads @ across, momenta @ across
    try:
        root = np.linalg.inv(np.linalg.cholesky((M + np.swapaxes(M, 1, 2)) / 2))
    except np.linalg.LinAlgError:
        raise NumericsError(
            "modes of one frequency are not found: they are not independent"
        ) from None
    reduced = root @ (A + np.swapaxes(A, 1, 2)) @ np.swapaxes(root, 1, 2) / 2
    values, turn = np.linalg.eigh(reduced)
    turn = np.swapaxes(turn, 1, 2) @ root
    return values, turn @ u, turn @ momenta


def settled_basis(modes: Floats, leading: int) -> Floats:
    """Modes of one eigenvalue in a basis that rounding does not choose; each with its sign.

    The first moves the entry that moves most of the `leading` ones as far as it can, the next those
    that are left when this entry is at rest, and so on: generalized masses stay what they are.

    Shape
        (count, length).
    Source
        QR with pivots of the transpose.
    """
    left, chosen = modes, []
    while len(left):
        sizes = np.linalg.norm(left[:, :leading], axis=0)
        entry = int(np.flatnonzero(sizes > (1 - ALIKE) * sizes.max())[0])
        if len(left) > 1:
            # The first row takes all of this entry, the others none.
            column = left[:, [entry]]
            left = np.linalg.qr(column, mode="complete")[0].T @ left
        chosen.append(left[0] * np.sign(left[0, entry]))
        left = left[1:]
    return np.array(chosen)

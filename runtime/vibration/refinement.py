"""Eigenvalues and modes to the last digits: inverse iteration and Ritz vectors, in batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .search import between
from .stiffness import DynamicStiffness

#: Iterations at most, and the change of an eigenvalue, as a part of it, that ends them.
ROUNDS, SETTLED = 8, 3e-14

#: The shift stays about so far from the eigenvalue: this part of it, or of the gap to the next if
#: that is less. The nearer it is the less of other modes an iteration leaves; but there pivots are
#: small where models are symmetric, and digits are lost. Where A is no straight line in λ, as of
#: exact beams, it has to be nearer.
BESIDE, BENT, OF_GAP, LEAST = 1e-2, 3e-5, 0.02, 1e-9

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
    found, settled, before = np.full((n, count), np.inf), False, None
    for k in range(ROUNDS):
        shifts, _, _ = between(stiffness, first, last)
        each = np.repeat(shifts, count)
        responses = stiffness.responses(each, loads.reshape(-1, length))
        u, momenta = (x.reshape(n, count, length) for x in responses)
        # Loads may be of any size; near an eigenvalue they move a lot.
        size = np.abs(u).max(axis=2, keepdims=True)
        seen = _ritz(shifts, loads / size, u / size, momenta / size)
        values, loads = seen.straight(before), seen.momenta
        change = np.abs(values - found) <= SETTLED * np.maximum(
            np.abs(values), apart[:, np.newaxis]
        )
        # Of a mode more is left than of its eigenvalue, which is its square: once more.
        if settled and change.all():
            break
        found, settled = values, bool(change.all())
        nearest = np.clip(values.mean(axis=1), low, high)
        first = nearest + (1 + k % 2) * apart
        last, before = first + apart, seen
    return values, *seen.modes(before)


class _Seen(NamedTuple):
    """What is seen of eigenvalues from shifts: steps to them, modes of mass 1, and M u.

    Of exact beams A is no straight line in λ: eigenvalues and modes are missed by the square of a
    step, M by a step. What was seen from a shift before tells the first and the last; of modes the
    square is little.
    """

    shifts: Floats
    steps: Floats
    u: Floats
    momenta: Floats

    def straight(self, before: _Seen | None) -> Floats:
        """The eigenvalues."""
        seen = self.shifts[:, np.newaxis] + self.steps
        if before is None:
            return seen
        change = seen - (before.shifts[:, np.newaxis] + before.steps)
        return seen - _part(self.steps**2, before.steps**2) * change

    def modes(self, before: _Seen | None) -> tuple[Floats, Floats]:
        """Modes of mass 1, and M u."""
        if before is None:
            return self.u, self.momenta
        # Modes of equal eigenvalues from before, turned to these.
        turn = np.linalg.inv(before.u @ np.swapaxes(self.momenta, 1, 2))
        steps = (x.steps.mean(axis=1)[:, np.newaxis, np.newaxis] for x in (self, before))
        momenta = self.momenta - _part(*steps) * (self.momenta - turn @ before.momenta)
        root = _root(momenta @ np.swapaxes(self.u, 1, 2))
        return root @ self.u, root @ momenta


def _part(now: Floats, before: Floats) -> Floats:
    """x/(x − y), by which what changes as x from y on is gone at 0; 0 if they hardly differ."""
    apart = now - before
    told = np.abs(apart) > 0.3 * np.abs(now)
    return np.where(told, now / np.where(told, apart, 1.0), 0.0)


def _root(M: Floats) -> Floats:
    """L⁻¹ of M = L Lᵀ."""
    try:
        found: Floats = np.linalg.inv(np.linalg.cholesky((M + np.swapaxes(M, 1, 2)) / 2))
    except np.linalg.LinAlgError:
        raise NumericsError("modes near one frequency are not independent of each other") from None
    return found


def _ritz(shifts: Floats, loads: Floats, u: Floats, momenta: Floats) -> _Seen:
    """Of A u = p the eigenvalues of A in these directions, by M."""
    across = np.swapaxes(u, 1, 2)
    A, root = loads @ across, _root(momenta @ across)
    reduced = root @ (A + np.swapaxes(A, 1, 2)) @ np.swapaxes(root, 1, 2) / 2
    steps, turn = np.linalg.eigh(reduced)
    turn = np.swapaxes(turn, 1, 2) @ root
    return _Seen(shifts, steps, turn @ u, turn @ momenta)


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

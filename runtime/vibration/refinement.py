"""Eigenvalues and modes to the last digits: inverse iteration and Ritz vectors, in batches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .search import TOGETHER, between
from .stiffness import DynamicStiffness

#: Iterations at most, and the change of an eigenvalue, as a part of it, that ends them; what
#: changes by less than the last and no longer less is rounding. A mode has more left than its
#: eigenvalue, which has the square of that: so many more.
ROUNDS, SETTLED, ROUNDING, MORE = 30, 3e-14, 1e-10, 5

#: The shift stays about so far from the eigenvalue: this part of it, or of the gap to the next if
#: that is less. The nearer it is the less of other modes an iteration leaves; but there pivots are
#: small where models are symmetric, and digits are lost. Where A is no straight line in λ, as of
#: exact beams, it has to be nearer.
BESIDE, BENT, OF_GAP, LEAST = 1e-2, 3e-5, 0.02, 1e-9

#: In turn it is nearer and farther, by these parts of that, on the side where pivots are largest:
#: where a part of the model resonates, held where it goes on, a pivot is small. Of long beams in
#: many cells such poles lie close to each other, and digits are lost beside them.
NEARER, FARTHER = np.linspace(1.0, 1.5, 4), np.linspace(2.5, 3.0, 4)

#: Eigenvalues that differ by less, as a part of them, are equal.
EQUAL = 1e-11

#: Largest entries within this part of each other are equally large: rounding does not choose.
ALIKE = 1e-6


def refined(
    stiffness: DynamicStiffness,
    low: Floats,
    high: Floats,
    count: int,
    apart: Floats,
) -> tuple[Floats, Floats, Floats]:
    """The `count` eigenvalues in each of these intervals, their modes u of mass 1, and M u.

    Later shifts stay `apart` beyond what was found, where pivots are not small.

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
    loads = np.broadcast_to(random, (n, count, length))
    # Among several that differ one would hide the others.
    wide = high - low > 2 * TOGETHER * np.maximum(np.abs(low), np.abs(high))
    first, last = np.where(wide & (count > 1), [high + apart, high + 2 * apart], [low, high])
    squares, u, momenta = np.zeros((n, count)), np.empty(loads.shape), np.empty(loads.shape)
    found, change, settled = np.full((n, count), np.inf), np.full(n, np.inf), np.zeros(n)
    before, left, ways = None, np.arange(n), np.zeros((2, n))
    shifts, _, _ = between(stiffness, first, last)
    for k in range(ROUNDS):
        seen = _responding(stiffness, shifts, loads)
        values, loads = seen.straight(before), seen.momenta
        size = np.maximum(np.abs(values), apart[left, np.newaxis])
        last_change, change = change, (np.abs(values - found) / size).max(axis=1)
        calm = (change < ROUNDING) & ((change <= SETTLED) | (change > last_change / 2))
        settled = np.where(calm, settled + 1, 0)
        # The mean of those that have been calm for long: less of rounding.
        squares[left] += (values - squares[left]) / np.maximum(settled - 2, 1)[:, np.newaxis]
        done = (settled > MORE) | (k == ROUNDS - 1)
        own = left[done]
        if own.size:
            of = None if before is None else before.only(done)
            u[own], momenta[own] = seen.only(done).modes(of)
        if done.all():
            break
        left, found = left[~done], values[~done]
        change, settled = change[~done], settled[~done]
        before, loads, ways = seen.only(~done), loads[~done], ways[:, ~done]
        least, most = (
            np.clip(x, low[left], high[left]) for x in (found.min(axis=1), found.max(axis=1))
        )
        if k < len(ways):
            reach = apart[left, np.newaxis] * (NEARER, FARTHER)[k]
            ways[k] = _clear(stiffness, least, most, reach)
        way = ways[k % len(ways)]
        shifts = np.where(way < 0, least, most) + way
    return squares, u, momenta


def _clear(stiffness: DynamicStiffness, low: Floats, high: Floats, reach: Floats) -> Floats:
    """How far a shift is from `high` upwards or, below zero, from `low` to be clear of poles.

    Of all in `reach`, on either side, that with the largest smallest pivot.
    """
    ways = np.hstack([reach, -reach])
    shifts = np.hstack([high[:, np.newaxis] + reach, low[:, np.newaxis] - reach])
    pivots = stiffness.counted(shifts.ravel())[1].reshape(shifts.shape)
    found: Floats = np.take_along_axis(ways, pivots.argmax(axis=1)[:, np.newaxis], axis=1)[:, 0]
    return found


def _responding(stiffness: DynamicStiffness, shifts: Floats, loads: Floats) -> _Seen:
    """What is seen by the response to loads, several at each shift."""
    count, length = loads.shape[1:]
    responses = stiffness.responses(np.repeat(shifts, count), loads.reshape(-1, length))
    u, momenta = (x.reshape(loads.shape) for x in responses)
    # Loads may be of any size; near an eigenvalue they move a lot.
    size = np.abs(u).max(axis=2, keepdims=True)
    return _ritz(shifts, loads / size, u / size, momenta / size)


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

    def only(self, some: npt.NDArray[np.bool_]) -> _Seen:
        """What is seen of these."""
        return _Seen(*(x[some] for x in self))

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

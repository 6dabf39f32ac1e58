"""Responses where pivots are small: near a resonance of a model or a part of it, and at rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...evaluation.arrays import Floats
from ..stiffness import Complex, ComplexStiffness

#: Where pivots are small, displacements are asked for so near to ω (pivots of zero have no
#: inverse), and beside it, at ω (1 ∓ `BESIDE`).
NUDGE, BESIDE = 4e-16, 1e-6

#: Radii of circles around s = 0, in parts of a rate that is known, and how many times smaller the
#: one is on which a pole is looked for.
RADII, NUDGE_AT_REST = 10.0 ** np.arange(-9, 9), 1e-6

#: Displacements on a circle are of use where no pivot is smaller.
OF_USE = 1e-13

#: Beside a resonance displacements are c/(ω − ω_r) and something smooth. A first part that is less
#: than this part of the second is none; one that is less than this part of its terms is rounding.
EXCITED, ROUNDING = 1e-3, 1e-8

#: What grows by more, from `BESIDE` on, meets a resonance within 1e-12 of it.
MET = 1e6

#: Displacements at frequencies s under loads, with rows of parameters if these change.
Answer = Callable[[Complex, Complex, Floats | None], Complex]


def unless_met(
    here: Complex, after: Complex, before: Complex, smooth: Complex, C: Floats
) -> Complex:
    """What is told near a small pivot, from displacements there and on both sides.

    A pivot is small near a resonance of the model, and of a part of it, where nothing happens.

    Source
        own
    """
    steep = (after - before) / 2
    largest = (np.abs(x).max(axis=1, initial=0.0)[:, np.newaxis] for x in (here, smooth, steep))
    reached, size, growth = largest
    excited = growth > EXCITED * size
    met = excited & ((reached > MET * growth) | ~np.isfinite(reached))
    moves = np.abs(steep @ C.T) > ROUNDING * (np.abs(steep) @ np.abs(C).T)
    return np.where(met & moves, np.inf, np.where(excited & ~met, here @ C.T, smooth @ C.T))


def at_rest_told(
    stiffness: ComplexStiffness,
    answer: Answer,
    loads: Complex,
    row: Floats | None,
    rate: float,
    C: Floats,
) -> Complex:
    """What is told at ω = 0 where a pivot is small, from circles around s = 0.

    Source
        own: the mean of u over s = r, i r, −r, −i r is u(0) + O(r⁴), damped or not, and without the
        parts c/s and c/s² of what nothing holds; of two such circles O(r⁸) is left. Too large
        ones reach the poles, too small ones have small pivots: the pair is taken that differs
        least from the next.
    """

    def at(s: Complex) -> Complex:
        rows = None if row is None else np.repeat(row, len(s), axis=0)
        return answer(s, np.broadcast_to(loads, (len(s), len(loads))), rows)

    radii = rate * RADII[rate * RADII < stiffness.highest]
    rows = None if row is None else np.repeat(row, len(radii), axis=0)
    circles: Complex = (1j * radii).astype(np.complex128)
    usable = stiffness.determinants(circles, rows)[2] > OF_USE
    radii = radii[usable] if usable.sum() > 2 else radii[-3:]
    around = at(np.multiply.outer(radii, [1, 1j, -1, -1j]).ravel()).reshape(len(radii), 4, -1)
    means = around.mean(axis=1)
    with np.errstate(all="ignore"):
        limits = means[:-1] + (means[:-1] - means[1:]) / (1e4 - 1)
        sizes = np.abs(limits).max(axis=1, initial=0.0)
        off = np.abs(np.diff(limits, axis=0)).max(axis=1, initial=0.0)
        off /= np.maximum(np.maximum(sizes[:-1], sizes[1:]), np.finfo(float).tiny)
    best = int(np.argmin(np.where(np.isfinite(off), off, np.inf)))
    here = at(np.array([1j * NUDGE_AT_REST * radii[best]]))
    before, after = around[best : best + 1, 0], around[best : best + 1, 1]
    told: Complex = unless_met(here, after, before, limits[best : best + 1], C)[0]
    return told

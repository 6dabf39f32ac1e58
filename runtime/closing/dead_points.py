"""Where a path of closed places ends: what leads on asks for what the loops cannot have.

Along a parameter s — the time of drives, or the part of the way of what is held — closed places
q(s) have φ(q, s) = 0, so that J q′ + φ_s = 0. Where conditions Lᵀ φ have no slope, Lᵀ J = 0, and
yet Lᵀ φ_s ≠ 0, no q′ does it: to second order Lᵀ (φ_s ds + ½ d²φ(dq, dq)) = 0, which has two
solutions on the one side of s and none on the other, a fold. There the path ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..evaluation.arrays import Floats
from .conditions import Conditions

#: The longest step of a path, in radians or parts of the mechanism's size.
LONGEST_STEP = 0.5

#: The least part of a path that is taken at once where its end is looked for: at a fold places are
#: the root of what is left away from it, and so are the slopes of its conditions.
LEAST_PART = 1e-8

#: Of scaled conditions singular values below this are none, so near to a fold.
FLAT = 1e-3

#: They are asked for what they cannot have if they are moved by this part of all that moves.
ASKED = 1e-3

#: The closed place near a place, after a part of the path; none if there is none.
Closed = Callable[[float, Floats], Floats | None]


@dataclass(frozen=True, eq=False)
class DeadPoint:
    """The last place of a path that ends in a fold.

    `part` of the path leads to it; `shares`: how far each condition has a part in it, the most 1.
    """

    q: Floats
    part: float
    shares: Floats


def followed(closed: Closed, q: Floats, least: float) -> tuple[float, Floats]:
    """How far a path from a closed place can be followed, 1 being its end, and the place there.

    In steps that are halved where the place beyond is not found or is another branch's.
    """
    way, part, grows = 0.0, 1.0, False
    while way < 1.0:
        found = closed(min(1.0, way + part), q)
        if found is None or np.abs(found - q).max() > 2 * LONGEST_STEP * max(part, 0.5):
            part, grows = part / 2.0, False
            if part < least:
                break
            continue
        q, way = found, min(1.0, way + part)
        part, grows = part * (2.0 if grows else 1.0), True
    return way, q


def dead_point(
    conditions: Conditions,
    closed: Closed,
    q: Floats,
    free: npt.NDArray[np.bool_],
    asked: Callable[[float, Floats], Floats],
) -> DeadPoint | None:
    """Where a path from a closed place ends in a fold; none if it does not.

    `free` moves; `asked` is how fast what leads on opens the loops, φ_s, after a part of the path.
    """
    way, q = followed(closed, q, LEAST_PART)
    if way == 1.0:
        return None
    J, rows, _ = conditions.slopes(q)
    large = conditions.sizes(rows)
    left, sizes, _ = np.linalg.svd((J * (rows / large)[:, np.newaxis])[:, free])
    flat = left[:, np.count_nonzero(sizes > FLAT) :]
    rates = asked(way, q) / large
    pushed = np.abs(flat @ (flat.T @ rates))
    if pushed.max(initial=0.0) <= ASKED * np.abs(rates).max(initial=0.0):
        return None
    return DeadPoint(q, way, pushed / pushed.max())

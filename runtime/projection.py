"""Closed loops kept closed: states moved back, least in the kinetic energy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import NumericsError
from .backend import Floats

if TYPE_CHECKING:
    from .kinematics import Kinematics

#: A loop is closed within this: some ten thousand times the rounding of lengths of 1 m.
CLOSED = 1e-12

#: Gauss–Newton steps; it converges quadratically, so that more mean that it does not.
MOST_STEPS = 50

#: The longest step (rad, m) taken at once, lest a far start jump to another closure.
LONGEST_STEP = 0.5


def project(
    solver: Kinematics,
    q: npt.ArrayLike,
    v: npt.ArrayLike,
    *,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> tuple[Floats, Floats]:
    """The state with closed loops near (q, v): Gauss–Newton for q, one correction of v.

    Both move by what is least in the kinetic energy. Quaternions come back with unit length.

    Shape
        `q` (nq), `v` (nv): one state.
    Raises
        UsageError: a shape that does not fit, or a number that is not finite.
        NumericsError: the loops cannot be closed from there.
    Source
        Own: q += −M⁻¹ Jᵀ Λ⁻¹ φ, and v likewise with φ̇.
    """
    q, v = solver.state("q", q).copy(), solver.state("v", v).copy()
    if not solver.conditions:
        return q, v
    for _ in range(MOST_STEPS):
        gap, _ = solver.constraints(q, v, t=t, parameters=parameters)
        if np.abs(gap).max() <= CLOSED:
            break
        step = solver.correction(q, v, gap, t=t, parameters=parameters)
        step *= min(1.0, LONGEST_STEP / max(np.abs(step).max(), LONGEST_STEP))
        q = solver.retracted(q + solver.rates(q, step, parameters=parameters))
    else:
        raise NumericsError(
            f"{solver.model.name}: the loops cannot be closed from this state, "
            f"{np.abs(gap).max():.3g} is left; give a q0 nearer to a closed one"
        )
    _, opening = solver.constraints(q, v, t=t, parameters=parameters)
    return q, v + solver.correction(q, v, opening, t=t, parameters=parameters)

"""Closed loops kept closed: states moved back, least in the kinetic energy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import NumericsError
from .backend import DONE, Floats

if TYPE_CHECKING:
    from .kinematics import Kinematics


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
    Where the state has joint momenta in place of `v`, they come back as those of the same motion
    with impulses of the cuts of zero.

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
    solver.require("correction")
    second = solver.generated.sources.interface.state[1]
    buffers = {"q": q[np.newaxis], second: v[np.newaxis], "t": solver.state("t", t).reshape(1, 1)}
    buffers["p"] = solver.parameter_values(parameters)[np.newaxis]
    status = solver.backend.project(buffers)
    if status != DONE:
        gap, _ = solver.constraints(solver.retracted(q), v, t=t, parameters=parameters)
        raise NumericsError(
            f"{solver.model.name}: the loops cannot be closed from this state, "
            f"{np.abs(gap).max():.3g} is left; give a q0 nearer to a closed one"
        )
    return q, v

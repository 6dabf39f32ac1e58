"""Motion by the integrators of SciPy, whose steps are taken in Python."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from ..extras import require
from .problem import Meter, Problem

SCIPY_METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")


def by_scipy(
    problem: Problem,
    q: Floats,
    v: Floats,
    times: Floats,
    method: str,
    tolerances: Mapping[str, float],
    meter: Meter,
    plain: bool = False,
) -> tuple[Floats, Floats]:
    """The states at these times by a method of `scipy.integrate.solve_ivp`.

    `plain`: loops are not closed at the records.
    """
    integrate = require("scipy.integrate", extra="scipy", purpose=f"method {method}")
    nq = q.shape[1]
    raw = q.copy()
    buffers = problem.buffers(q, v, np.zeros(1))

    def rates(t: float, state: Floats) -> Floats:
        raw[0], v[0] = state[:nq], state[nq:]
        q[0] = problem.unit(raw)[0]
        buffers["t"][0] = t
        found = problem.rates(buffers, f"at t = {t:g} s")
        meter.show(min(t / times[-1], 0.999))
        return found

    # Loops are closed anew at every record; without them one leg is enough.
    closing = bool(problem.code.conditions) and not plain
    legs = [times[i : i + 2] for i in range(len(times) - 1)]
    state = np.concatenate([q[0], v[0]])
    states = [state[np.newaxis]]
    for leg in legs if closing else [times]:
        found = integrate.solve_ivp(
            rates, (leg[0], leg[-1]), state, method=method, t_eval=leg, **tolerances
        )
        if not found.success:
            raise NumericsError(f"{problem.name}: {method} gives up: {found.message}")
        rows = np.ascontiguousarray(found.y.T[1:])
        state = rows[-1]
        if closing:
            end = problem.unit(rows[-1:, :nq]), rows[-1:, nq:]
            state = np.concatenate([x[0] for x in problem.closed(*end, float(leg[-1]))])
            rows = state[np.newaxis]
        states.append(rows)
    every = np.concatenate(states)
    return problem.unit(every[:, :nq]), every[:, nq:].copy()

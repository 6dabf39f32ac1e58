"""Motion by the integrators of SciPy, whose steps are taken in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from ...codegen.emit import MOST_STEPS, PATIENCE
from ...errors import NumericsError
from ...model.instants import Instant
from ..evaluation.arrays import Floats
from ..extras import require
from .problem import Meter, Problem

SCIPY_METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")

#: Evaluations that a step takes, roughly.
STAGES = 6


class EndlessError(Exception):
    """The motion would take more steps than it is worth; `args` has the time."""


def by_scipy(
    problem: Problem,
    q: Floats,
    v: Floats,
    times: Floats,
    method: str,
    options: Mapping[str, float],
    jumps: Sequence[Instant],
    meter: Meter,
    plain: bool = False,
) -> tuple[Floats, Floats]:
    """The states at these times by a method of `scipy.integrate.solve_ivp`.

    It starts anew at each jump of the laws, and where loops are closed anew, which is at every
    record; `plain`: they are not.

    Raises
        EndlessError: its steps are far too short.
        NumericsError: it gives up.
    """
    integrate = require("scipy.integrate", extra="scipy", purpose=f"method {method}")
    nq = q.shape[1]
    closing = bool(problem.code.conditions) and not plain
    rates = Rates(problem, q, v, times, meter)
    state = np.concatenate([q[0], v[0]])
    states = [state]
    for start, end, leg in _legs(times, jumps, closing):
        rates.least, rates.most = start.after, end.before
        wanted = times[leg]
        within = [*wanted, *([] if end.time in wanted else [end.time])]
        found = integrate.solve_ivp(
            rates, (start.time, end.time), state, method=method, t_eval=within, **options
        )
        if not found.success:
            raise NumericsError(f"{problem.name}: {method} gives up: {found.message}")
        state = found.y[:, -1]
        if closing:
            ends = problem.unit(state[np.newaxis, :nq]), state[np.newaxis, nq:]
            state = np.concatenate([x[0] for x in problem.closed(*ends, end.time)])
            found.y[:, -1] = state
        states += list(found.y.T[: len(wanted)])
    every = np.array(states)
    return problem.unit(every[:, :nq]), every[:, nq:].copy()


def _legs(
    times: Floats, jumps: Sequence[Instant], closing: bool
) -> Iterator[tuple[Instant, Instant, slice]]:
    """Where each leg of a motion begins and ends, and which records lie in it."""
    ends = [Instant(t, t, t) for t in (times[1:] if closing else times[-1:]).tolist()]
    start = Instant(times[0], times[0], times[0])
    stops = [start, *ends]
    for jump in jumps:
        near = [k for k, x in enumerate(stops) if jump.before <= x.time <= jump.after]
        records = times[(jump.before <= times) & (times <= jump.after)].tolist()
        time = records[0] if records else jump.time
        stops = [x for k, x in enumerate(stops) if k not in near]
        stops.append(Instant(jump.before, time, jump.after))
    stops.sort(key=lambda x: x.time)
    for one, other in pairwise(stops):
        first, last = np.searchsorted(times, [one.time, other.time], side="right")
        yield one, other, slice(int(first), int(last))


class Rates:
    """The right-hand side between two jumps of the laws, none of which it sees."""

    def __init__(self, problem: Problem, q: Floats, v: Floats, times: Floats, meter: Meter) -> None:
        self.problem, self.meter, self.q, self.v, self.raw = problem, meter, q, v, q.copy()
        self.buffers = problem.buffers(q, v, times[:1])
        self.start, self.end = float(times[0]), float(times[-1])
        self.least, self.most = self.start, self.end
        self.calls, self.since = 0, self.start

    def __call__(self, t: float, state: Floats) -> Floats:
        nq = self.q.shape[1]
        self.raw[0], self.v[0] = state[:nq], state[nq:]
        self.q[0] = self.problem.unit(self.raw)[0]
        self.buffers["t"][0] = min(max(t, self.least), self.most)
        found = self.problem.rates(self.buffers, f"at t = {t:g} s")
        self._see_progress(t)
        self.meter.show(min((t - self.start) / (self.end - self.start), 0.999))
        return found

    def _see_progress(self, t: float) -> None:
        self.calls += 1
        if self.calls % (STAGES * PATIENCE) == 0:
            if (self.end - t) * PATIENCE > (t - self.since) * MOST_STEPS:
                raise EndlessError(t)
            self.since = t

"""Motion by the integrators of SciPy, whose steps are taken in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.tableaus import MOST_STEPS, PATIENCE
from ...errors import CodegenError, NumericsError
from ...model.expressions.instants import Instant
from ..evaluation.arrays import Floats
from ..extras import require
from .integration import Occurrence
from .passages import Passages, along, watches
from .problem import Meter, Problem

#: Those that solve for their steps, with the generated derivatives.
SCIPY_IMPLICIT = ("Radau", "BDF", "LSODA")

SCIPY_METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")

#: Evaluations that a step takes, roughly.
STAGES = 6


class EndlessError(Exception):
    """The motion would take more steps than it is worth; `args` has the time."""


class StuckError(Exception):
    """The motion cannot go on from a time and a state; `args` has them, and what was said."""


def by_scipy(
    problem: Problem,
    q: Floats,
    v: Floats,
    times: Floats,
    method: str,
    options: Mapping[str, float],
    jumps: Sequence[Instant],
    due: npt.NDArray[np.uint8],
    meter: Meter,
    held: Floats | None = None,
    plain: bool = False,
) -> tuple[Floats, Floats, Floats, list[Occurrence]]:
    """The states and inputs at these times, and the singular positions passed.

    By a method of `scipy.integrate.solve_ivp`.

    `held` are the inputs of a motion that goes on. It starts anew at each jump of the laws, where
    controllers that are `due` act, and where loops are closed anew, which is at every
    record; `plain`: they are not.

    Raises
        EndlessError: its steps are far too short.
        StuckError: it gives up, or a state has no rates.
    """
    integrate = require("scipy.integrate", extra="scipy", purpose=f"method {method}")
    nq = q.shape[1]
    closing = bool(problem.code.conditions) and not plain
    rates = Rates(problem, q, v, times, meter, held)
    known = {"jac": rates.jacobian} if method in SCIPY_IMPLICIT and rates.has_jacobian() else {}
    state = np.concatenate([q[0], v[0]])
    begin = np.array([x.before for x in jumps])
    states: list[Floats] = []
    inputs: list[Floats] = []

    def passed(at: Instant) -> None:
        """Behind an instant laws are seen from its other side, and controllers that are due act."""
        rates.least, rates.most = at.after, times[-1]
        for k in range(*np.searchsorted(begin, [at.before, at.after], side="left").tolist()):
            rates.steer(at.time, state, due[k])

    def record(when: Sequence[float], rows: Sequence[Floats]) -> None:
        for t, row in zip(when, rows, strict=True):
            states.append(row)
            inputs.append(rates.inputs(t, row))

    passages = Passages(problem, times[0], state) if closing and watches(problem) else None
    first = next(_legs(times, jumps, closing))[0]
    passed(first)
    record(times[:1].tolist(), [state])
    for start, end, leg in _legs(times, jumps, closing):
        rates.least, rates.most = start.after, end.before
        wanted = times[leg]
        within = [*wanted, *([] if end.time in wanted else [end.time])]
        try:
            found = integrate.solve_ivp(
                rates,
                (start.time, end.time),
                state,
                method=method,
                t_eval=within,
                dense_output=passages is not None,
                **options,
                **known,
            )
            if not found.success:
                raise NumericsError(f"{problem.name}: {method} gives up: {found.message}")
            last = found.y[:, -1]
            if closing:
                ends = problem.unit(last[np.newaxis, :nq]), last[np.newaxis, nq:]
                last = np.concatenate([x[0] for x in problem.closed(*ends, end.time)])
                found.y[:, -1] = last
        except NumericsError as reason:
            raise StuckError(*rates.last, reason) from reason
        state = last
        if passages:
            along(passages, found.sol, found.sol.ts)
        inside = int(np.searchsorted(wanted, end.time, side="left"))
        record(wanted[:inside].tolist(), list(found.y.T[:inside]))
        passed(end)
        record(wanted[inside:].tolist(), [state] * (len(wanted) - inside))
    every = np.array(states)
    passed_by = passages.found if passages else []
    return problem.unit(every[:, :nq]), every[:, nq:].copy(), np.array(inputs), passed_by


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
    """The right-hand side between two jumps of the laws, none of which it sees.

    `last`: the time and the state that it was evaluated at last.
    """

    def __init__(
        self,
        problem: Problem,
        q: Floats,
        v: Floats,
        times: Floats,
        meter: Meter,
        held: Floats | None,
    ) -> None:
        self.problem, self.meter, self.q, self.v, self.raw = problem, meter, q, v, q.copy()
        self.buffers = problem.buffers(q, v, times[:1], held)
        self.always = np.array([x.period is None for x in problem.steered.controllers], dtype=bool)
        self.start, self.end = float(times[0]), float(times[-1])
        self.least, self.most = self.start, self.end
        self.calls, self.since = 0, self.start
        self.last = self.start, np.concatenate([q[0], v[0]])
        self._rates = problem.moved(self.buffers)

    def __call__(self, t: float, state: Floats) -> Floats:
        self._place(t, state)
        found = self._rates(f"at t = {t:g} s")
        self.last = t, state.copy()
        self._see_progress(t)
        self.meter.show(min((t - self.start) / (self.end - self.start), 0.999))
        return found

    def _place(self, t: float, state: Floats) -> None:
        nq = self.q.shape[1]
        self.v[0] = state[nq:]
        if self.problem.has_quaternions:
            self.raw[0] = state[:nq]
            self.q[0] = self.problem.unit(self.raw)[0]
        else:
            self.q[0] = state[:nq]
        self.buffers["t"][0] = min(max(t, self.least), self.most)
        if self.always.any():
            self.steer(t, state, self.always)

    def has_jacobian(self) -> bool:
        """Are the generated derivatives those of the motion?

        Not with joint momenta, and not where controllers follow the state at all times: there, and
        where a law has no derivative, SciPy takes differences.
        """
        if self.problem.interface.hamiltonian or self.always.any():
            return False
        try:
            return bool(self.problem.code.tangents)
        except CodegenError:
            return False

    def jacobian(self, t: float, state: Floats) -> Floats:
        """The derivatives of the rates."""
        self._place(t, state)
        return self._jacobian(f"at t = {t:g} s")

    @cached_property
    def _jacobian(self) -> Callable[[str], Floats]:
        return self.problem.differentiated(self.buffers)

    def steer(self, t: float, state: Floats, due: npt.NDArray[Any]) -> None:
        """Sets what the controllers that are due give at a state."""
        nq, when = self.q.shape[1], min(max(t, self.least), self.most)
        q = self.problem.unit(state[np.newaxis, :nq])
        (v,) = self.problem.speeds(q, state[np.newaxis, nq:], np.array([when]))
        for given, acts in zip(self.problem.steered.controllers, due, strict=True):
            if acts:
                values = given.function(when, q[0], v)
                for (name, k), value in zip(given.places, values, strict=True):
                    self.buffers[name][0, k] = value

    def inputs(self, t: float, state: Floats) -> Floats:
        """All inputs at a state."""
        if self.always.any():
            self.steer(t, state, self.always)
        return np.array([self.buffers[name][0, k] for name, k in self.problem.steered.places])

    def _see_progress(self, t: float) -> None:
        self.calls += 1
        if self.calls % (STAGES * PATIENCE) == 0:
            if (self.end - t) * PATIENCE > (t - self.since) * MOST_STEPS:
                raise EndlessError(t)
            self.since = t

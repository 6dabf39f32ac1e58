"""Motion in time: the generated code's own integrators, or SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import final

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ..capabilities.assembly import Assembler
from ..capabilities.capability import Capability
from ..capabilities.loops import Loops
from ..evaluation.arrays import Floats
from ..evaluation.backend import FAILED, NOT_FINITE, OPEN, STOPPED, TOO_SMALL
from ..evaluation.evaluator import Evaluator
from ..events import Event
from .integration import (
    FIXED,
    OWN_METHODS,
    Occurrence,
    Task,
    Track,
    integrate,
)
from .problem import Meter, Problem
from .results import COMPONENTS, Run
from .schedule import Schedule, schedule, tolerances
from .scipy_methods import SCIPY_METHODS, by_scipy
from .watch import name_of, watch_of

METHODS = (*OWN_METHODS, *SCIPY_METHODS)

#: A run larger than this is refused.
LARGEST_RUN = 2 * 2**30

#: Doubles in the arrays of one evaluation after the integration.
EVALUATION_SIZE = 2**22


@final
class Simulation(Capability):
    """Motions from a start, with all that is recorded of them."""

    def simulate(
        self,
        q0: npt.ArrayLike | None = None,
        v0: npt.ArrayLike | None = None,
        *,
        t_end: float,
        dt: float | None = None,
        method: str = "rk4",
        rtol: float | None = None,
        atol: float | None = None,
        record: float | None = None,
        events: Iterable[Event] = (),
        regauge: bool = True,
        parameters: Mapping[str, float] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Run:
        """Integrate the motion from `q0`, `v0` (default: the model's start) over [0, t_end].

        Inside the generated code: with fixed steps `dt` (default 1e-3), the last one shortened
        where t_end is no multiple of dt, `rk4`; `rkmk4`, of order 4 too, which turns quaternions
        instead of adding to them; `euler` (semi-implicit, order 1), whose energy stays bounded
        where the masses felt by the speeds are constant. With steps chosen by `rtol` and `atol`
        (default 1e-9 both) `dopri5`, of order 5, whose records are interpolated to order 4. The
        other methods are those of `scipy.integrate.solve_ivp`, for stiff motion `Radau`, `BDF` or
        `LSODA`.

        Where loops are cut, start and every step (every record of SciPy's methods) are projected
        onto closed loops in the generated code, which costs about as much as the step. The state is
        recorded at 0, every `record` seconds (default: dt) and at t_end; with fixed steps `record`
        is a multiple of dt. Quaternions come back with unit length. `progress` is called with the
        fraction that is done, about every 50 ms. Zeros of `events` are found to rounding, in the
        order of their times, as `run.events`; a terminal one ends the run. A zero just at the start
        or at t_end is none. SciPy's methods find no events.

        With `hdca` the state is (q, p). Then closing the loops also makes p that of the same motion
        with impulses of the cuts of zero, so that neither grows with the time; without `regauge`
        both are left as they are after the start. It has no `euler`.

        Shape
            `q0` (nq), `v0` (nv).
        Units
            s; rad, rad/s.
        Raises
            UsageError: a state, time, step, tolerance, event or method that does not fit, or a run
                too large to be held.
            ToolchainError: the method needs SciPy and it is missing (extra `scipy`).
            NumericsError: the motion leaves the finite numbers, or the integrator gives up.

        Source
            Riccati paper, Sect. 5.1 (`rk4`); screw paper (89), (90) (`rkmk4`); Dormand and Prince
            1980, Shampine 1986 (`dopri5`).
        """
        for entry in ("accelerations", "energy"):
            self.code.require(entry, "motions" if entry == "accelerations" else entry)
        if method not in METHODS:
            raise UsageError(f"there is no method {method!r}; there are: {', '.join(METHODS)}")
        fixed = method in FIXED
        plan = schedule(t_end, dt, record, fixed=fixed)
        allowed = tolerances(rtol, atol, method, fixed=fixed)
        _check_size(self.code, plan)
        problem = Problem(self.code, self.code.parameter_values(parameters))
        if isinstance(events, Event):
            raise UsageError("events is a list: write events=[Event(…)]")
        watched = tuple(events)
        if watched and method in SCIPY_METHODS:
            raise UsageError(f"{method} finds no events; {', '.join(OWN_METHODS)} do")
        _check_momenta(problem, method, regauge)
        watch = watch_of(self.code, watched, problem.parameters) if watched else None
        start = Assembler(self.code).assemble(q0, v0, parameters=problem.given)
        q, v = problem.start(start.q, start.v)
        q, v = problem.closed(q, problem.moving(q, v, 0.0), 0.0)
        meter = Meter(progress)
        settings: dict[str, str | float] = {"method": method, "dt": plan.dt, **allowed}
        times = plan.times()
        if method in SCIPY_METHODS:
            states = by_scipy(problem, q, v, times, method, allowed, meter, plain=not regauge)
            run = _run(problem, times, *states, settings)
        else:
            task = Task(method, plan, **allowed, watch=watch, plain=not regauge)
            buffers = problem.buffers(q, v, np.zeros(1))
            (track,) = integrate(self.code.backend, task, buffers, meter.show)
            _check(track, problem, task)
            if track.state == STOPPED:
                times = np.append(times[: len(track.q) - 1], track.t)
            run = _run(problem, times, track.q.copy(), track.v.copy(), settings)
            run = replace(run, events=tuple(_named(problem, watched, track.found)))
        meter.show(1.0)
        return replace(run, start=start)


def _named(
    problem: Problem, watched: tuple[Event, ...], found: Sequence[Occurrence]
) -> Iterator[Occurrence]:
    """What came, with the events' names and speeds."""
    for x in found:
        (v,) = problem.speeds(x.q[np.newaxis], x.v[np.newaxis], np.array([x.time]))
        yield replace(x, name=name_of(watched[x.event], x.event), v=v)


def _check_momenta(problem: Problem, method: str, regauge: bool) -> None:
    """See that what is asked of a motion fits its state.

    Raises
        UsageError: says what does not.
    """
    if not problem.interface.hamiltonian:
        if not regauge:
            raise UsageError("regauge is a choice of algorithm='hdca', whose state has momenta")
        return
    if method == "euler":
        raise UsageError("euler moves speeds, of which the state of hdca has none; take rk4")


def _check(track: Track, problem: Problem, task: Task) -> None:
    """Say why a motion did not come to its end."""
    smaller = "take a smaller dt" if task.method in FIXED else "take smaller rtol and atol"
    said = {
        NOT_FINITE: f"the motion leaves the finite numbers near t = {track.t:g} s; {smaller}",
        OPEN: f"the loops cannot be closed near t = {track.t:g} s; {smaller}, unless the position "
        "is singular there (solver.redundant says more conditions than elsewhere)",
        TOO_SMALL: f"{task.method} finds no step short enough at t = {track.t:g} s: the motion "
        "is singular there or far too stiff; look at the model in that state, or take Radau",
        FAILED: f"an event function is not finite near t = {track.t:g} s",
    }
    if track.state in said:
        raise NumericsError(f"{problem.name}: {said[track.state]}")


def _run(
    problem: Problem,
    times: Floats,
    q: Floats,
    second: Floats,
    settings: Mapping[str, str | float],
) -> Run:
    """Accelerations, loads and energy at the recorded states, some states at a time."""
    code = problem.code
    v = problem.speeds(q, second, times)
    records = len(q)
    a = np.empty_like(v)
    loads = np.empty((records, len(code.ends) * len(COMPONENTS)))
    energy = np.empty((records, 1))
    per_state = sum(problem.interface.workspace.values()) + sum(problem.interface.sizes.values())
    portion = max(1, EVALUATION_SIZE // per_state)
    for start in range(0, records, portion):
        rows = slice(start, start + portion)
        buffers = problem.buffers(q[rows], v[rows], times[rows])
        buffers |= {"a": a[rows], "loads": loads[rows], "energy": energy[rows]}
        when = f"between the records {start} and {min(start + portion, records) - 1}"
        problem.run("joint_loads", buffers, when)
        problem.run("energy", buffers, when)
    gaps: tuple[Floats | None, Floats | None] = (None, None)
    if code.conditions:
        given = dict(zip(code.parameters, problem.parameters.tolist(), strict=True))
        phi, opening = Loops(code).constraints(q, v, t=times, parameters=given)
        gaps = np.abs(phi).max(axis=1), np.abs(opening).max(axis=1)
    return Run(
        time=times,
        q=q,
        v=v,
        a=a,
        loads=loads.reshape(records, len(code.ends), len(COMPONENTS)),
        energy=energy[:, 0],
        coordinates=code.coordinates,
        speeds=code.speeds,
        ends=code.ends,
        dimension=code.model.dimension,
        constraint_position=gaps[0],
        constraint_velocity=gaps[1],
        p=second if problem.interface.hamiltonian else None,
        attrs={
            "model": code.model.name,
            "algorithm": code.algorithm,
            "form": code.form,
            "target": code.target,
            **settings,
            **dict(zip(code.parameters, problem.parameters.tolist(), strict=True)),
        },
    )


def _check_size(code: Evaluator, plan: Schedule) -> None:
    width = 2 + len(code.coordinates) + 2 * len(code.speeds) + 6 * len(code.ends)
    size = 8 * width * plan.records
    if size > LARGEST_RUN:
        raise UsageError(
            f"{plan.records:.3g} records of {width} numbers would take {size / 2**30:.3g} GiB, "
            f"more than {LARGEST_RUN / 2**30:g}; record less often (record=)"
        )

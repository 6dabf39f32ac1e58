"""A motion that has been described: it is made, recorded, and can go on."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...model.expressions.instants import Instant
from ..capabilities.loops import Loops
from ..capabilities.self_stress import SelfStress
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from ..events import Event
from ..stepping.outcomes import STOPPED
from .bending import see_bending
from .conserved import see_energy
from .endings import endless, see_closed, see_ended, stuck_at
from .folding import see_turns
from .integration import FIXED, IMPLICIT, Occurrence, Pace, Task, Track, integrate
from .problem import Meter, Problem
from .results import Run
from .schedule import Schedule, jumps_of, schedule
from .scipy_methods import SCIPY_METHODS, EndlessError, StuckError, by_scipy
from .steering import steered
from .variables import COMPONENTS
from .watch import name_of, watch_of

#: What the passage of a singular position of the loops is called.
SINGULAR_POSITION = "singular position"

#: A run larger than this is refused.
LARGEST_RUN = 2 * 2**30

#: Doubles in the arrays of one evaluation after the integration.
EVALUATION_SIZE = 2**22


@dataclass(frozen=True)
class Stand:
    """Where a motion stands: its state, and what its method knows of the steps before.

    `origin`: what the times of fixed steps and records are counted from. `inputs` are those of a
    motion that goes on.
    """

    t: float
    q: Floats
    second: Floats
    origin: float
    pace: Pace | None = None
    inputs: Floats | None = None


@dataclass(frozen=True)
class Moving:
    """How a motion is made, wherever it starts and ends."""

    problem: Problem
    method: str
    dt: float | None
    record: float | None
    bounds: Mapping[str, float]
    events: tuple[Event, ...]
    plain: bool
    begin: float = 0.0

    def planned(
        self, t_end: float, t_start: float, origin: float | None, samples: int = 1
    ) -> Schedule:
        """When it is stepped and recorded; as many motions as `samples`.

        Raises
            UsageError: times that do not fit, or too many of them.
        """
        fixed = self.method in FIXED
        plan = schedule(t_end, self.dt, self.record, fixed=fixed, t_start=t_start, origin=origin)
        _check_size(self.problem.code, plan, samples)
        return plan

    def run(
        self, plan: Schedule, stand: Stand, progress: Callable[[float], None] | None = None
    ) -> Run:
        """The motion from where it stands."""
        meter = Meter(progress)
        if self.method in SCIPY_METHODS:
            run = self._by_scipy(plan, stand, meter)
        else:
            task, problem = self.task(plan, stand), self.problem
            (track,) = integrate(problem.backend, task, self.buffers(plan, stand), meter.show)
            run = self.ended(plan, task, track)
        meter.show(1.0)
        return run

    def task(self, plan: Schedule, stand: Stand) -> Task:
        """What the generated code is to do."""
        problem = self.problem
        jumps, due = self._instants(plan, fresh=stand.inputs is None)
        watch = watch_of(problem.code, self.events, problem.parameters) if self.events else None
        return Task(
            self.method,
            plan,
            **self.bounds,
            watch=watch,
            plain=self.plain,
            jumps=jumps,
            pace=stand.pace,
            controllers=problem.steered.controllers,
            due=due,
            derivatives=problem.code.tangents if self.method in IMPLICIT else None,
        )

    def buffers(self, plan: Schedule, stand: Stand) -> dict[str, Floats]:
        """The one state where it stands, as the generated code takes it."""
        q, second = stand.q[np.newaxis].copy(), stand.second[np.newaxis].copy()
        return self.problem.buffers(q, second, plan.times()[:1], stand.inputs)

    def ended(self, plan: Schedule, task: Task, track: Track) -> Run:
        """The motion that the generated code has made.

        Raises
            NumericsError: it did not come to its end.
        """
        problem, times = self.problem, plan.times()
        see_ended(track, problem, task)
        if track.state == STOPPED:
            times = np.append(times[: len(track.q) - 1], track.t)
        inputs = problem.steered.over_time(len(track.q), track.u)
        run = self._recorded(plan, times, track.q.copy(), track.v.copy(), inputs, track.pace)
        found = tuple(_named(problem, self.events, track.found))
        return replace(
            run,
            events=tuple(x for x in found if x.event < len(self.events)),
            passages=tuple(x for x in found if x.event == len(self.events)),
        )

    def _by_scipy(self, plan: Schedule, stand: Stand, meter: Meter) -> Run:
        problem, times = self.problem, plan.times()
        jumps, due = self._instants(plan, fresh=stand.inputs is None)
        q, second = stand.q[np.newaxis].copy(), stand.second[np.newaxis].copy()
        given = times, self.method, self.bounds, jumps, due, meter, stand.inputs, self.plain
        try:
            q, second, inputs, passed = by_scipy(problem, q, second, *given)
        except EndlessError as reason:
            raise NumericsError(
                f"{problem.name}: {endless(problem, self.method, *reason.args)}"
            ) from None
        except StuckError as stuck:
            raise stuck_at(problem, *stuck.args) from stuck
        run = self._recorded(plan, times, q, second, inputs, None)
        return replace(run, passages=tuple(_named(problem, (), passed)))

    def _recorded(
        self,
        plan: Schedule,
        times: Floats,
        q: Floats,
        second: Floats,
        inputs: Floats,
        pace: Pace | None,
    ) -> Run:
        """The motion with all that is recorded of it, and what it needs to go on."""
        settings: dict[str, str | float] = {"method": self.method, "dt": plan.dt, **self.bounds}
        end = Stand(times[-1], q[-1], second[-1], plan.origin, pace, inputs[-1:])
        run = _run(self.problem, times, q, second, inputs, settings)
        see_closed(self.problem, run, plain=self.plain)
        see_energy(self.problem, run)
        see_bending(self.problem.code.model, run.q, self.problem.given)
        see_turns(self.problem, run.time, run.q, run.v)
        return replace(run, going_on=GoingOn(self, end))

    def _instants(
        self, plan: Schedule, *, fresh: bool
    ) -> tuple[tuple[Instant, ...], npt.NDArray[np.uint8]]:
        """When laws jump and controllers act, and which are due; at the start only `fresh` ones."""
        problem, span = self.problem, (plan.t_start, plan.t_end, plan.dt)
        model, steered = problem.code.model, problem.steered
        values = {**model.parameters, **problem.given} | steered.known(problem.code)
        varying = {problem.code.parameters[k] for name, k in steered.controlled if name == "p"}
        known = {name: x for name, x in values.items() if name not in varying}
        jumps = steered.jumps(values, *span)
        jumps += [x.time for x in jumps_of(model, known, *span)]
        return steered.due(jumps, self.begin, *span, fresh)

    def resumed(self, stand: Stand, t_end: float, progress: Callable[[float], None] | None) -> Run:
        """The motion from where an earlier one ended."""
        return self.run(self.planned(t_end, stand.t, stand.origin), stand, progress)


@dataclass(frozen=True)
class GoingOn:
    """What a run needs to go on: how it is made, and where it stands."""

    moving: Moving
    stand: Stand

    def __call__(self, t_end: float, progress: Callable[[float], None] | None) -> Run:
        return self.moving.resumed(self.stand, t_end, progress)

    @property
    def travels(self) -> bool:
        """Can another process have it? Functions that only this one knows cannot be sent."""
        try:
            pickle.dumps((self.moving.problem.asked, self.moving.events))
        except (pickle.PicklingError, AttributeError, TypeError):
            return False
        return True

    def __reduce__(self) -> tuple[Any, ...]:
        moving, problem = self.moving, self.moving.problem
        how = {
            "method": moving.method,
            "dt": moving.dt,
            "record": moving.record,
            "bounds": dict(moving.bounds),
            "events": moving.events,
            "plain": moving.plain,
            "begin": moving.begin,
        }
        return going_on, (problem.code, problem.given, problem.asked, how, self.stand)


def going_on(
    code: Evaluator, values: Mapping[str, float], asked: object, how: Mapping[str, Any], at: Stand
) -> GoingOn:
    """What a run needs to go on, made anew for a solver.

    Raises
        UsageError: the values or inputs do not fit the solver.
    """
    parameters = code.parameter_values(values or None)
    problem = Problem(code, parameters, steered(code, asked, parameters), asked)
    return GoingOn(Moving(problem, **how), at)


def _named(
    problem: Problem, watched: tuple[Event, ...], found: Sequence[Occurrence]
) -> Iterator[Occurrence]:
    """What came, with the events' names and speeds."""
    for x in found:
        (v,) = problem.speeds(x.q[np.newaxis], x.v[np.newaxis], np.array([x.time]))
        is_passage = x.event == len(watched)
        name = SINGULAR_POSITION if is_passage else name_of(watched[x.event], x.event)
        yield replace(x, name=name, v=v)


@dataclass(frozen=True)
class Told:
    """Loads and energy at the recorded states, found when they are asked for.

    `v` are the speeds, `inputs` those of the controllers too, at each state.
    """

    problem: Problem
    times: Floats
    q: Floats
    v: Floats
    inputs: Floats

    @cached_property
    def loads(self) -> Floats:
        found = self.found("joint_loads")["loads"]
        settled = found.reshape(len(found), len(self.problem.code.ends), len(COMPONENTS))
        stresses = self._stresses
        if stresses is None:
            return settled
        return stresses.settled(settled, self.q, self.times, self.problem.given)

    @cached_property
    def energy(self) -> Floats:
        return self.found("energy")["energy"][:, 0]

    @cached_property
    def determinate(self) -> npt.NDArray[np.bool_] | None:
        stresses = self._stresses
        return stresses and stresses.told(self.q, self.times, self.problem.given)

    @property
    def _stresses(self) -> SelfStress | None:
        code = self.problem.code
        return SelfStress(code) if code.conditions else None

    def found(self, entry: str) -> dict[str, Floats]:
        """The results of an entry, some states at a time.

        Raises
            NumericsError: one is not finite; says between which records.
        """
        problem, records = self.problem, len(self.q)
        interface = problem.interface
        results = {x: np.empty((records, interface.sizes[x])) for x in interface.results[entry]}
        per_state = sum(interface.workspace.values()) + sum(interface.sizes.values())
        portion = max(1, EVALUATION_SIZE // per_state)
        for start in range(0, records, portion):
            rows = slice(start, start + portion)
            given = (x[rows] for x in (self.q, self.v, self.times, self.inputs))
            buffers = problem.buffers(*given) | {name: x[rows] for name, x in results.items()}
            when = f"between the records {start} and {min(start + portion, records) - 1}"
            problem.run(entry, buffers, when)
        return results


def _run(
    problem: Problem,
    times: Floats,
    q: Floats,
    second: Floats,
    inputs: Floats,
    settings: Mapping[str, str | float],
) -> Run:
    """The motion with its accelerations at the recorded states."""
    code = problem.code
    v = problem.speeds(q, second, times)
    outputs = Told(problem, times, q, v, inputs)
    gaps: tuple[Floats | None, Floats | None] = (None, None)
    if code.conditions:
        given = dict(zip(code.parameters, problem.parameters.tolist(), strict=True))
        phi, opening = Loops.constraints(code, q, v, t=times, parameters=given)
        gaps = np.abs(phi).max(axis=1), np.abs(opening).max(axis=1)
    return Run(
        time=times,
        q=q,
        v=v,
        a=outputs.found("accelerations")["a"],
        outputs=outputs,
        model=code.model,
        ends=code.ends,
        conditions=code.conditions,
        constraint_position=gaps[0],
        constraint_velocity=gaps[1],
        p=second if problem.interface.hamiltonian else None,
        inputs=inputs if problem.steered.names else None,
        input_names=problem.steered.names,
        input_units=problem.steered.units(code.model),
        attrs={
            "model": code.model.name,
            "algorithm": code.algorithm,
            "form": code.form,
            "target": code.target,
            **settings,
            **{name: x for name, x in problem.given.items() if name not in problem.steered.names},
        },
    )


def _check_size(code: Evaluator, plan: Schedule, samples: int) -> None:
    width = 2 + len(code.coordinates) + 2 * len(code.speeds) + 6 * len(code.ends)
    size = 8 * width * plan.records * samples
    if size > LARGEST_RUN:
        several = f"{samples} motions with " if samples > 1 else ""
        raise UsageError(
            f"{several}{plan.records:.3g} records of {width} numbers would take "
            f"{size / 2**30:.3g} GiB, more than {LARGEST_RUN / 2**30:g}; record less often "
            "(record=)" + (", or take mstmm.ensemble" if samples > 1 else "")
        )

"""Motion in time: fixed-step Runge–Kutta in the generated code, or SciPy's integrators."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import NumericsError, UsageError
from .backend import DONE, OPEN, Floats
from .extras import require
from .projection import project
from .results import COMPONENTS, Run

if TYPE_CHECKING:
    from .solver import Solver

Progress = Callable[[float], None]

SCIPY_METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
METHODS = ("rk4", *SCIPY_METHODS)

#: The step of the demonstration in Riccati paper, Sect. 5.1.
DEFAULT_DT = 1e-3

#: Tight enough for a motion to stay within about 1e-7 of the exact one over some seconds.
DEFAULT_TOLERANCE = 1e-9

#: A remainder below this part of the whole is the rounding of decimals such as 1e-3.
ROUNDING = 1e-12

#: Seconds that the generated code runs before Python looks for Ctrl-C and shows progress.
SLICE = 0.05

#: A run larger than this is refused.
LARGEST_RUN = 2 * 2**30

LEFT = "the motion leaves the finite numbers"

#: Doubles in the arrays of one evaluation after the integration.
EVALUATION_SIZE = 2**22


@dataclass(frozen=True)
class Schedule:
    """Whole steps of dt, a shortened last one if `rest` > 0; a record every `stride` steps."""

    t_end: float
    dt: float
    steps: int
    rest: float
    stride: int

    @property
    def _has_short_interval(self) -> bool:
        return bool(self.steps % self.stride) or self.rest > 0.0

    @property
    def records(self) -> int:
        return self.steps // self.stride + self._has_short_interval + 1

    def times(self) -> Floats:
        """The recorded times: 0, multiples of the interval, t_end."""
        multiples = np.arange(self.steps // self.stride + 1, dtype=np.float64) * self.stride
        per_second = round(1.0 / self.dt)
        # k / 1000 is the double nearest to k ms; k * 1e-3 is not always.
        if per_second and abs(per_second * self.dt - 1.0) <= ROUNDING:
            times = multiples / per_second
        else:
            times = multiples * self.dt
        if self._has_short_interval:
            return np.append(times, self.t_end)
        times[-1] = self.t_end
        return times

    def intervals(self) -> Iterator[tuple[int, float]]:
        """From record to record: the number of steps dt, and what is left after them."""
        for _ in range(self.steps // self.stride):
            yield self.stride, 0.0
        if self._has_short_interval:
            yield self.steps % self.stride, self.rest


def simulate(
    solver: Solver,
    q0: npt.ArrayLike | None = None,
    v0: npt.ArrayLike | None = None,
    *,
    t_end: float,
    dt: float | None = None,
    method: str = "rk4",
    rtol: float | None = None,
    atol: float | None = None,
    record: float | None = None,
    parameters: Mapping[str, float] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Integrate the motion from `q0`, `v0` (default: the model's start) over [0, t_end].

    `rk4` takes fixed steps `dt` (default 1e-3) inside the generated code; where t_end is no
    multiple of dt, the last step is shortened. The other methods are those of
    `scipy.integrate.solve_ivp`; `rtol` and `atol` (default 1e-9 both) are theirs alone.
    Where loops are cut, start and every step of `rk4` (every record of the other methods) are
    projected onto closed loops in the generated code, which costs about as much as the step.
    The state is recorded at 0, every `record` seconds (default: dt) and at t_end; for `rk4`,
    `record` is a multiple of dt. Quaternions come back with unit length. `progress` is
    called with the fraction that is done, about every 50 ms.

    Shape
        `q0` (nq), `v0` (nv).
    Units
        s; rad, rad/s.
    Raises
        UsageError: a state, time, step, tolerance or method that does not fit, or a run too
            large to be held.
        ToolchainError: the method needs SciPy and it is missing (extra `scipy`).
        NumericsError: the motion leaves the finite numbers, or the integrator gives up.

    Source
        Riccati paper, Sect. 5.1 (fourth-order Runge–Kutta).
    """
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}; there are: {', '.join(METHODS)}")
    schedule = _schedule(t_end, dt, record, method)
    tolerances = _tolerances(rtol, atol, method)
    _check_size(solver, schedule)
    problem = _Problem(solver, solver.parameter_values(parameters))
    q, v = problem.closed(*problem.start(q0, v0), 0.0)
    meter = _Meter(progress)
    if method == "rk4":
        states = _fixed_steps(problem, q, v, schedule, meter)
    else:
        states = _adaptive(problem, q, v, schedule, method, tolerances, meter)
    run = _run(problem, *states, schedule, {"method": method, "dt": schedule.dt, **tolerances})
    meter.show(1.0)
    return run


class _Problem:
    """The generated right-hand side with its parameters, on rows of states."""

    def __init__(self, solver: Solver, parameters: Floats) -> None:
        self.solver = solver
        self.parameters = parameters
        self.interface = solver.generated.sources.interface
        self.has_quaternions = "retract" in self.interface.arguments

    def start(self, q0: npt.ArrayLike | None, v0: npt.ArrayLike | None) -> tuple[Floats, Floats]:
        model = self.solver.model
        q = self.solver.state("q", model.q0 if q0 is None else q0)
        v = self.solver.state("v", model.v0 if v0 is None else v0)
        for name, array in (("q0", q), ("v0", v)):
            if array.ndim != 1:
                raise UsageError(
                    f"{name} has the shape {array.shape}: a motion starts from one state"
                )
        return self.unit(q[np.newaxis]), v[np.newaxis].copy()

    def closed(self, q: Floats, v: Floats, t: float) -> tuple[Floats, Floats]:
        """The one state with its loops closed; the arrays themselves if there are none."""
        if not self.solver.conditions:
            return q, v
        given = dict(zip(self.solver.parameters, self.parameters.tolist(), strict=True))
        found = project(self.solver, q[0], v[0], t=t, parameters=given)
        return found[0][np.newaxis], found[1][np.newaxis]

    def buffers(self, q: Floats, v: Floats, times: Floats) -> dict[str, Floats]:
        buffers = {"q": q, "v": v, "t": np.array(times, dtype=np.float64)[:, np.newaxis]}
        if len(self.parameters):
            buffers["p"] = np.tile(self.parameters, (len(q), 1))
        return buffers

    def run(self, entry: str, buffers: dict[str, Floats], when: str) -> None:
        if not self.solver.backend.run(entry, buffers):
            raise NumericsError(f"{self._name}: the {entry} are not finite {when}")

    def unit(self, q: Floats) -> Floats:
        """The coordinates with quaternions of unit length, as a new array."""
        if not self.has_quaternions:
            return q.copy()
        result = np.empty_like(q)
        if not self.solver.backend.run("retract", {"q": np.ascontiguousarray(q), "qn": result}):
            raise NumericsError(f"{self._name}: a quaternion has no direction")
        return result

    @property
    def _name(self) -> str:
        return self.solver.model.name


class _Meter:
    """Calls `progress` now and then, not at every step."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._shown = time.perf_counter()

    def show(self, fraction: float) -> None:
        now = time.perf_counter()
        if self._progress and (now - self._shown >= SLICE or fraction == 1.0):
            self._shown = now
            self._progress(fraction)


def _fixed_steps(
    problem: _Problem, q: Floats, v: Floats, schedule: Schedule, meter: _Meter
) -> tuple[Floats, Floats]:
    """The recorded states of `rk4`: steps in the generated code, in slices of some 50 ms."""
    states_q = np.empty((schedule.records, q.shape[1]))
    states_v = np.empty((schedule.records, v.shape[1]))
    states_q[0], states_v[0] = q[0], v[0]
    buffers = problem.buffers(q, v, np.zeros(1))
    rk4 = problem.solver.backend.rk4
    done, pace = 0, 1
    for record, (steps, rest) in enumerate(schedule.intervals(), start=1):
        end = done + steps
        status = DONE
        while status == DONE and done < end:
            portion = min(pace, end - done)
            started = time.perf_counter()
            status = rk4(buffers, schedule.dt, portion)
            elapsed = time.perf_counter() - started
            if elapsed > SLICE:
                pace = max(1, pace // 2)
            elif elapsed < SLICE / 4 and portion == pace:
                pace *= 2
            done += portion
            meter.show(done / (schedule.steps + 1))
        if status == DONE and rest:
            status = rk4(buffers, rest, 1)
        if status != DONE or not (np.isfinite(q).all() and np.isfinite(v).all()):
            what = "the loops cannot be closed" if status == OPEN else LEFT
            raise NumericsError(
                f"{problem.solver.model.name}: {what} near "
                f"t = {min(done * schedule.dt, schedule.t_end):g} s; take a smaller dt"
            )
        states_q[record], states_v[record] = q[0], v[0]
    return states_q, states_v


def _adaptive(
    problem: _Problem,
    q: Floats,
    v: Floats,
    schedule: Schedule,
    method: str,
    tolerances: Mapping[str, float],
    meter: _Meter,
) -> tuple[Floats, Floats]:
    """The recorded states of a method of `scipy.integrate.solve_ivp`."""
    integrate = require("scipy.integrate", extra="scipy", purpose=f"method {method}")
    nq = q.shape[1]
    raw = q.copy()
    buffers = problem.buffers(q, v, np.zeros(1))
    buffers |= {"a": np.empty_like(v), "qd": np.empty_like(q)}

    def rates(t: float, state: Floats) -> Floats:
        raw[0], v[0] = state[:nq], state[nq:]
        q[0] = problem.unit(raw)[0]
        buffers["t"][0] = t
        problem.run("accelerations", buffers, f"at t = {t:g} s")
        problem.run("rates", buffers, f"at t = {t:g} s")
        meter.show(min(t / schedule.t_end, 0.999))
        return np.concatenate([buffers["qd"][0], buffers["a"][0]])

    times = schedule.times()
    # Loops are closed anew at every record; without them one leg is enough.
    legs = [times[i : i + 2] for i in range(len(times) - 1)]
    state = np.concatenate([q[0], v[0]])
    states = [state[np.newaxis]]
    for leg in legs if problem.solver.conditions else [times]:
        found = integrate.solve_ivp(
            rates, (leg[0], leg[-1]), state, method=method, t_eval=leg, **tolerances
        )
        if not found.success:
            raise NumericsError(f"{problem.solver.model.name}: {method} gives up: {found.message}")
        rows = np.ascontiguousarray(found.y.T[1:])
        state = rows[-1]
        if problem.solver.conditions:
            end = problem.unit(rows[-1:, :nq]), rows[-1:, nq:]
            state = np.concatenate([x[0] for x in problem.closed(*end, float(leg[-1]))])
            rows = state[np.newaxis]
        states.append(rows)
    every = np.concatenate(states)
    return problem.unit(every[:, :nq]), every[:, nq:].copy()


def _run(
    problem: _Problem,
    q: Floats,
    v: Floats,
    schedule: Schedule,
    settings: Mapping[str, str | float],
) -> Run:
    """Accelerations, loads and energy at the recorded states, some states at a time."""
    solver = problem.solver
    records = len(q)
    times = schedule.times()
    a = np.empty_like(v)
    loads = np.empty((records, len(solver.ends) * len(COMPONENTS)))
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
    if solver.conditions:
        given = dict(zip(solver.parameters, problem.parameters.tolist(), strict=True))
        phi, opening = solver.constraints(q, v, t=times, parameters=given)
        gaps = np.abs(phi).max(axis=1), np.abs(opening).max(axis=1)
    return Run(
        time=times,
        q=q,
        v=v,
        a=a,
        loads=loads.reshape(records, len(solver.ends), len(COMPONENTS)),
        energy=energy[:, 0],
        coordinates=solver.coordinates,
        speeds=solver.speeds,
        ends=solver.ends,
        dimension=solver.model.dimension,
        constraint_position=gaps[0],
        constraint_velocity=gaps[1],
        attrs={
            "model": solver.model.name,
            "algorithm": solver.algorithm,
            "form": solver.form,
            "target": solver.target,
            **settings,
            **dict(zip(solver.parameters, problem.parameters.tolist(), strict=True)),
        },
    )


def _schedule(t_end: float, dt: float | None, record: float | None, method: str) -> Schedule:
    t_end = _positive("t_end", t_end)
    dt = _positive("dt", DEFAULT_DT if dt is None else dt)
    record = dt if record is None else _positive("record", record)
    if method != "rk4":
        return Schedule(t_end, record, *_split(t_end, record), stride=1)
    stride, left = _split(record, dt)
    if left or not stride:
        raise UsageError(f"record = {record:g} s must be a whole multiple of dt = {dt:g} s")
    return Schedule(t_end, dt, *_split(t_end, dt), stride=stride)


def _split(span: float, step: float) -> tuple[int, float]:
    """The whole steps in a span, and what is left: nothing if that is rounding."""
    ratio = span / step
    if not math.isfinite(ratio):
        raise UsageError(f"{span:g} s cannot be cut into steps of {step:g} s")
    nearest = round(ratio)
    if nearest and abs(ratio - nearest) <= ROUNDING * nearest:
        return nearest, 0.0
    whole = math.floor(ratio)
    return whole, span - whole * step


def _tolerances(rtol: float | None, atol: float | None, method: str) -> dict[str, float]:
    given = {"rtol": rtol, "atol": atol}
    if method == "rk4":
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name} means nothing to rk4, whose step is fixed: give dt")
        return {}
    found = {
        name: _positive(name, DEFAULT_TOLERANCE if value is None else value, "")
        for name, value in given.items()
    }
    least = 100 * np.finfo(np.float64).eps
    if found["rtol"] < least:
        raise UsageError(f"rtol = {found['rtol']:g} is below what doubles can keep, {least:.1e}")
    return found


def _positive(name: str, value: float, unit: str = " s") -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{name} = {value!r} is no number") from None
    if not (math.isfinite(number) and number > 0.0):
        raise UsageError(f"{name} = {number:g}{unit} must be a positive, finite number")
    return number


def _check_size(solver: Solver, schedule: Schedule) -> None:
    width = 2 + len(solver.coordinates) + 2 * len(solver.speeds) + 6 * len(solver.ends)
    size = 8 * width * schedule.records
    if size > LARGEST_RUN:
        raise UsageError(
            f"{schedule.records:.3g} records of {width} numbers would take {size / 2**30:.3g} GiB, "
            f"more than {LARGEST_RUN / 2**30:g}; record less often (record=)"
        )

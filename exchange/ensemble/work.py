"""One chunk of an ensemble: its motions, made on any machine and written to the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.face.choice import Choice
from ...errors import NumericsError, UsageError
from ...model import Model
from ...model.expressions.instants import Instant
from ...model.expressions.quantities import parameter
from ...runtime.capabilities.assembly import assemble
from ...runtime.evaluation.arrays import Floats
from ...runtime.evaluation.efforts import Place, place_of
from ...runtime.evaluation.evaluator import Evaluator
from ...runtime.events import Event
from ...runtime.inputs import Law
from ...runtime.motions.controllers import Steered
from ...runtime.motions.integration import IMPLICIT, Task, Track, Watch, integrate, unforced
from ...runtime.motions.problem import Problem
from ...runtime.motions.schedule import Schedule, jumps_of
from ...runtime.motions.steering import steered
from ...runtime.motions.watch import name_of, watch_of
from ...runtime.stepping.outcomes import (
    DONE,
    ENDLESS,
    FAILED,
    NOT_FINITE,
    OPEN,
    STOPPED,
    TOO_SMALL,
    UNDECIDED,
)
from .outputs import Outputs, States, reduced
from .store import Store

#: What became of a motion: the generated code's own numbers, and two of what comes before it.
NO_SYSTEM, NO_START = 20, 21
MEANINGS = {
    DONE: "done",
    STOPPED: "stopped at a terminal event",
    NOT_FINITE: "left the finite numbers",
    OPEN: "loops could not be closed",
    TOO_SMALL: "no step is short enough",
    FAILED: "an input or an event function is not finite",
    ENDLESS: "steps too short to come to an end",
    UNDECIDED: "in a singular position no way leads on, or more than one does",
    NO_SYSTEM: "the parameters describe no system",
    NO_START: "no such start: loops cannot be closed, or a quaternion is no unit one",
}

#: Those of a motion that gave what was asked of it.
GOOD = (DONE, STOPPED)

#: Bytes of the recorded states that are held at once.
BLOCK = 2**25


class StoppedError(Exception):
    """The work was asked to stop."""


@dataclass(frozen=True)
class Job:
    """All that a worker must know to make any chunk of an ensemble: plain data."""

    key: str
    path: str
    model: Model
    method: Choice
    target: str
    parameters: tuple[str, ...]
    inputs: tuple[str, ...]
    integrator: str
    schedule: Schedule
    bounds: Mapping[str, float]
    outputs: Mapping[str, str]
    reductions: tuple[str, ...]
    events: tuple[Event, ...]
    laws: Mapping[Any, Law] = field(default_factory=dict)

    @cached_property
    def columns(self) -> dict[str, tuple[str, int]]:
        """Where the value of each input goes: `q`, `v` or `p`, and its place there."""
        places: dict[str, tuple[str, int]] = {}
        for array, names in (
            ("p", self.parameters),
            ("v", self.model.speeds),
            ("q", self.model.coordinates),
        ):
            places |= {name: (array, k) for k, name in enumerate(names)}
        return {name: places[name] for name in self.inputs}


@dataclass(frozen=True)
class Timetable:
    """When laws jump and controllers act, and, a row for each, which of these are due."""

    jumps: tuple[Instant, ...]
    due: npt.NDArray[np.uint8] | None = None


@dataclass
class Worker:
    """The compiled code of a job, and how its motions are made."""

    job: Job
    code: Evaluator = field(init=False)

    def __post_init__(self) -> None:
        job = self.job
        self.code = Evaluator(
            job.model,
            method=job.method,
            target=job.target,
            parameters=job.parameters,
            portable=False,
            threads=False,
        )
        self.code.require("accelerations", "motions")
        self.problem = Problem(self.code, self.code.parameter_values(None))
        self.steered = steered(self.code, job.laws, self.problem.parameters)
        self.constants = self._constants()
        self.outputs = Outputs(
            self.code,
            job.outputs,
            dict(zip(self.steered.names, self.steered.places, strict=True)),
        )
        self.times = job.schedule.times()

    def _constants(self) -> dict[Place, float]:
        """The inputs that the caller says to be one number all along."""
        keys = self.job.laws
        said = [name for key in keys for name in (key if isinstance(key, tuple) else (key,))]
        places = [place_of(self.code, name) for name in said]
        return {x: value for x, value in self.steered.constants.items() if x in places}

    @property
    def _alone(self) -> bool:
        """Do texts read parameters that vary? Their code has one set of them."""
        texts = self.job.events or any(x.texts for x in self.steered.controllers)
        return bool(texts) and not set(self.job.parameters).isdisjoint(self.job.inputs)

    def results(
        self, inputs: Floats, go_on: Callable[[], None]
    ) -> Iterator[tuple[slice, dict[str, npt.NDArray[Any]]]]:
        """What is kept of the motions, some of them at a time."""
        per_sample = 8 * len(self.times) * (len(self.code.coordinates) + len(self.code.speeds))
        block = max(self.code.backend.width, BLOCK // per_sample)
        for first in range(0, len(inputs), block):
            rows = slice(first, first + block)
            yield rows, self._kept(*self._moved(inputs[rows], go_on))

    def _moved(
        self, inputs: Floats, go_on: Callable[[], None]
    ) -> tuple[dict[str, Floats], list[Track | None], npt.NDArray[np.int8]]:
        """The start, parameters and forces of each sample, its motion, and what became of it."""
        given = self._given(inputs)
        status = np.zeros(len(inputs), dtype=np.int8)
        if self.job.parameters or self.code.conditions or self.problem.has_quaternions:
            for k in range(len(inputs)):
                status[k] = self._started(k, given)
        tracks: list[Track | None] = [None] * len(inputs)
        for when, members in self._alike(given["p"], np.flatnonzero(status == DONE)):
            for k, track in zip(
                members, self._integrated(given, members, when, go_on), strict=True
            ):
                tracks[k], status[k] = track, track.state
        return given, tracks, status

    def _given(self, inputs: Floats) -> dict[str, Floats]:
        """The start, the parameters and the forces of each sample."""
        model, count = self.job.model, len(inputs)
        rows = {"q": model.q0, "v": model.v0, "p": self.problem.parameters}
        given = {name: np.tile(np.asarray(row, float), (count, 1)) for name, row in rows.items()}
        for column, name in enumerate(self.job.inputs):
            array, place = self.job.columns[name]
            given[array][:, place] = inputs[:, column]
        given |= unforced(self.problem.interface, count)
        for (array, place), value in self.constants.items():
            given[array][:, place] = value
        return given

    def _started(self, k: int, given: dict[str, Floats]) -> int:
        """Bring one sample's start onto closed loops; `DONE` if there is one."""
        parameters = dict(zip(self.job.parameters, given["p"][k].tolist(), strict=True))
        if parameters:
            try:
                self.code.parameter_values(parameters)
            except UsageError:
                return NO_SYSTEM
        try:
            start = assemble(
                self.code,
                given["q"][k],
                given["v"][k],
                t=self.job.schedule.t_start,
                parameters=parameters,
            )
        except (NumericsError, UsageError):
            return NO_START
        given["q"][k], given["v"][k] = start.q, start.v
        return DONE

    def _alike(
        self, p: Floats, rows: npt.NDArray[np.intp]
    ) -> Iterator[tuple[Timetable, npt.NDArray[np.intp]]]:
        """Samples whose laws jump at the same instants, together."""
        if not self._has_own_instants:
            if len(rows):
                yield self._timetable(p[rows[0]]), rows
            return
        groups: dict[tuple[Instant, ...], tuple[Timetable, list[int]]] = {}
        for k in rows:
            when = self._timetable(p[k])
            groups.setdefault(when.jumps, (when, []))[1].append(int(k))
        for when, members in groups.values():
            yield when, np.array(members)

    def _timetable(self, row: Floats) -> Timetable:
        """When the laws of a sample with these parameters jump, and controllers act."""
        job, plan, steered = self.job, self.job.schedule, self.steered
        values = {**job.model.parameters, **dict(zip(job.parameters, row.tolist(), strict=True))}
        varying = {job.parameters[k] for name, k in steered.controlled if name == "p"}
        known = {name: x for name, x in values.items() if name not in varying}
        span = plan.t_start, plan.t_end, plan.dt
        jumps = jumps_of(job.model, known, *span)
        if not steered.controllers:
            return Timetable(jumps)
        times = [*(x.time for x in jumps), *steered.jumps(values, *span)]
        return Timetable(*steered.due(times, plan.t_start, *span, True))

    @cached_property
    def _has_own_instants(self) -> bool:
        """Do the instants at which laws jump depend on what varies?"""
        texts = [x for each in self.steered.controllers for x in each.expressions]
        if not texts and not self.job.model.jumps:
            return False
        from ...model.expressions.jumps import arguments, laws

        varying = {parameter(name) for name in self.job.parameters}
        lawful = arguments([*laws(self.job.model), *texts])
        return any(x.free_symbols & varying for x in lawful)

    def _integrated(
        self,
        given: Mapping[str, Floats],
        members: npt.NDArray[np.intp],
        when: Timetable,
        go_on: Callable[[], None],
    ) -> list[Track]:
        job = self.job
        buffers = {name: array[members] for name, array in given.items()}
        buffers["t"] = np.full((len(members), 1), job.schedule.t_start)
        if not self._alone:
            watch = self._watch(self.problem.parameters)
            return self._run(buffers, watch, self.steered, when, go_on)
        tracks = []
        for k in range(len(members)):
            row = {name: np.ascontiguousarray(array[k : k + 1]) for name, array in buffers.items()}
            values = row["p"][0]
            own = steered(self.code, job.laws, values)
            tracks += self._run(row, self._watch(values), own, when, go_on)
        return tracks

    def _watch(self, parameters: Floats) -> Watch | None:
        """What watches for the events, with these parameters."""
        return watch_of(self.code, self.job.events, parameters) if self.job.events else None

    def _run(
        self,
        buffers: Mapping[str, Floats],
        watch: Watch | None,
        by: Steered,
        when: Timetable,
        go_on: Callable[[], None],
    ) -> list[Track]:
        job = self.job
        task = Task(
            job.integrator,
            job.schedule,
            **job.bounds,
            watch=watch,
            jumps=when.jumps,
            plain=False,
            pace=None,
            controllers=by.controllers,
            due=when.due,
            derivatives=self.code.tangents if job.integrator in IMPLICIT else None,
        )
        return integrate(self.code.backend, task, buffers, lambda _: go_on())

    def _kept(
        self,
        given: Mapping[str, Floats],
        tracks: list[Track | None],
        status: npt.NDArray[np.int8],
    ) -> dict[str, npt.NDArray[Any]]:
        count, records = len(tracks), len(self.times)
        q = np.full((count, records, len(self.code.coordinates)), np.nan)
        v = np.full((count, records, len(self.code.speeds)), np.nan)
        t = np.tile(self.times, (count, 1))
        u = np.full((count, records, len(self.steered.controlled)), np.nan)
        end = np.full(count, np.nan)
        for k, track in enumerate(tracks):
            if track is None:
                continue
            there = min(len(track.q), records)
            q[k, :there], v[k, :there], end[k] = track.q[:there], track.v[:there], track.t
            u[k, :there] = track.u[:there]
            if track.state == STOPPED:
                t[k, there - 1] = track.t
        flat = States(
            q.reshape(-1, q.shape[2]),
            v.reshape(-1, v.shape[2]),
            t.reshape(-1, 1),
            self._held(given, u),
        )
        kept: dict[str, npt.NDArray[Any]] = {"status": status, "end_time": end}
        for name, values in self.outputs.of(flat).items():
            series = values.reshape(count, records, *values.shape[1:])
            if self.job.reductions:
                kept |= {f"{name}_{r}": reduced(series, r) for r in self.job.reductions}
            else:
                kept[name] = series
        return kept | self._events(tracks)

    def _held(self, given: Mapping[str, Floats], u: Floats) -> dict[str, Floats]:
        """Parameters and forces at all records, flat, with what controllers gave."""
        forced = any(name == "tau" for name, _ in self.steered.places)
        names = ("p", "tau") if forced else ("p",)
        held = {name: np.repeat(given[name], u.shape[1], axis=0) for name in names}
        for column, (name, k) in enumerate(self.steered.controlled):
            held[name][:, k] = u[:, :, column].reshape(-1)
        return held

    def _events(self, tracks: list[Track | None]) -> dict[str, npt.NDArray[Any]]:
        events = self.job.events
        if not events:
            return {}
        first = np.full((len(tracks), len(events)), np.nan)
        number = np.zeros(first.shape, dtype=np.int32)
        for k, track in enumerate(tracks):
            for found in track.found if track else ():
                if found.event == len(events):
                    continue  # the passage of a singular position
                if not number[k, found.event]:
                    first[k, found.event] = found.time
                number[k, found.event] += 1
        return {"event_time": first, "event_count": number}


_lock = threading.Lock()
_workers: dict[str, Worker] = {}

#: Jobs whose libraries a process keeps at hand.
KEPT = 4


def worker_of(job: Job) -> Worker:
    """The job's worker in this process, made once."""
    with _lock:
        if job.key not in _workers:
            while len(_workers) >= KEPT:
                del _workers[next(iter(_workers))]
            _workers[job.key] = Worker(job)
        return _workers[job.key]


def compute(job: Job, chunk: int, stop: threading.Event | None = None) -> tuple[int, int]:
    """Make a chunk's motions and write what is kept of them: the chunk, and how many failed.

    A process builds or loads a job's library once.

    Raises
        StoppedError: `stop` was set meanwhile.
    """
    worker = worker_of(job)

    def go_on() -> None:
        if stop is not None and stop.is_set():
            raise StoppedError

    store = Store(job.path)
    inputs = store.inputs(chunk)
    whole: dict[str, list[npt.NDArray[Any]]] = {}
    for _, part in worker.results(inputs, go_on):
        for name, values in part.items():
            whole.setdefault(name, []).append(values)
        go_on()
    arrays = {name: np.concatenate(parts) for name, parts in whole.items()}
    store.write(chunk, arrays)
    return chunk, int((~np.isin(arrays["status"], GOOD)).sum())


def event_names(events: tuple[Event, ...]) -> tuple[str, ...]:
    return tuple(name_of(event, k) for k, event in enumerate(events))

"""One chunk of an ensemble: its motions, made on any machine and written to the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError, UsageError
from ...model import Model
from ...model.instants import Instant, arguments, instants, laws
from ...model.quantities import parameter
from ...symbolic.methods.algorithms import Algorithm
from ..capabilities.assembly import Assembler
from ..evaluation.arrays import Floats
from ..evaluation.backend import (
    DONE,
    ENDLESS,
    FAILED,
    NOT_FINITE,
    OPEN,
    STOPPED,
    TOO_SMALL,
    UNDECIDED,
)
from ..evaluation.evaluator import Evaluator
from ..events import Event
from ..motions.integration import Task, Track, Watch, integrate
from ..motions.problem import Problem
from ..motions.schedule import Schedule
from ..motions.watch import name_of, watch_of
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
    FAILED: "an event function is not finite",
    ENDLESS: "steps too short to come to an end",
    UNDECIDED: "in a singular position it can go on in more than one way",
    NO_SYSTEM: "the parameters describe no system",
    NO_START: "no such start with closed loops",
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
    method: Algorithm
    target: str
    parameters: tuple[str, ...]
    inputs: tuple[str, ...]
    integrator: str
    schedule: Schedule
    bounds: Mapping[str, float]
    outputs: Mapping[str, str]
    reductions: tuple[str, ...]
    events: tuple[Event, ...]

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
        self.problem = Problem(self.code, self.code.parameter_values(None))
        self.outputs = Outputs(self.code, job.outputs)
        self.times = job.schedule.times()
        self._lawful = arguments(laws(job.model))

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
    ) -> tuple[Floats, list[Track | None], npt.NDArray[np.int8]]:
        """The parameters of each sample, its motion, and what became of it."""
        given = self._given(inputs)
        status = np.zeros(len(inputs), dtype=np.int8)
        if self.job.parameters or self.code.conditions or self.problem.has_quaternions:
            for k in range(len(inputs)):
                status[k] = self._started(k, given)
        tracks: list[Track | None] = [None] * len(inputs)
        for jumps, members in self._alike(given["p"], np.flatnonzero(status == DONE)):
            for k, track in zip(
                members, self._integrated(given, members, jumps, go_on), strict=True
            ):
                tracks[k], status[k] = track, track.state
        return given["p"], tracks, status

    def _given(self, inputs: Floats) -> dict[str, Floats]:
        """The start and the parameters of each sample."""
        model, count = self.job.model, len(inputs)
        rows = {"q": model.q0, "v": model.v0, "p": self.problem.parameters}
        given = {name: np.tile(np.asarray(row, float), (count, 1)) for name, row in rows.items()}
        for column, name in enumerate(self.job.inputs):
            array, place = self.job.columns[name]
            given[array][:, place] = inputs[:, column]
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
            start = Assembler(self.code).assemble(
                given["q"][k], given["v"][k], t=self.job.schedule.t_start, parameters=parameters
            )
        except (NumericsError, UsageError):
            return NO_START
        given["q"][k], given["v"][k] = start.q, start.v
        return DONE

    def _alike(
        self, p: Floats, rows: npt.NDArray[np.intp]
    ) -> Iterator[tuple[tuple[Instant, ...], npt.NDArray[np.intp]]]:
        """Samples whose laws jump at the same instants, together."""
        job, plan = self.job, self.job.schedule

        def jumps(row: Floats) -> tuple[Instant, ...]:
            values = {
                **job.model.parameters,
                **dict(zip(job.parameters, row.tolist(), strict=True)),
            }
            return instants(job.model, values, plan.t_start, plan.t_end, plan.dt)

        varying = {parameter(name) for name in job.parameters}
        if not any(x.free_symbols & varying for x in self._lawful):
            if len(rows):
                yield jumps(p[rows[0]]), rows
            return
        groups: dict[tuple[Instant, ...], list[int]] = {}
        for k in rows:
            groups.setdefault(jumps(p[k]), []).append(int(k))
        for found, members in groups.items():
            yield found, np.array(members)

    def _integrated(
        self,
        given: Mapping[str, Floats],
        members: npt.NDArray[np.intp],
        jumps: tuple[Instant, ...],
        go_on: Callable[[], None],
    ) -> list[Track]:
        job = self.job
        q, v = given["q"][members], given["v"][members]
        buffers = {"q": q, "v": v, "t": np.full((len(members), 1), job.schedule.t_start)}
        if job.parameters:
            buffers["p"] = given["p"][members]
        watch = watch_of(self.code, job.events, self.problem.parameters) if job.events else None
        if not (watch and job.parameters):
            return self._run(buffers, watch, jumps, go_on)
        # Events are watched with one set of parameters: each sample goes alone, with its own.
        tracks = []
        for k in range(len(members)):
            row = {name: np.ascontiguousarray(array[k : k + 1]) for name, array in buffers.items()}
            values = row["p"][0]
            own = (
                replace(watch, data=values.ctypes.data, kept=(watch.kept, values))
                if watch.address
                else watch_of(self.code, job.events, values)
            )
            tracks += self._run(row, own, jumps, go_on)
        return tracks

    def _run(
        self,
        buffers: Mapping[str, Floats],
        watch: Watch | None,
        jumps: tuple[Instant, ...],
        go_on: Callable[[], None],
    ) -> list[Track]:
        job = self.job
        task = Task(
            job.integrator,
            job.schedule,
            **job.bounds,
            watch=watch,
            jumps=jumps,
            plain=False,
            pace=None,
            controllers=(),
            due=None,
        )
        return integrate(self.code.backend, task, buffers, lambda _: go_on())

    def _kept(
        self, p: Floats, tracks: list[Track | None], status: npt.NDArray[np.int8]
    ) -> dict[str, npt.NDArray[Any]]:
        count, records = len(tracks), len(self.times)
        q = np.full((count, records, len(self.code.coordinates)), np.nan)
        v = np.full((count, records, len(self.code.speeds)), np.nan)
        t = np.tile(self.times, (count, 1))
        end = np.full(count, np.nan)
        for k, track in enumerate(tracks):
            if track is None:
                continue
            there = min(len(track.q), records)
            q[k, :there], v[k, :there], end[k] = track.q[:there], track.v[:there], track.t
            if track.state == STOPPED:
                t[k, there - 1] = track.t
        flat = States(
            q.reshape(-1, q.shape[2]),
            v.reshape(-1, v.shape[2]),
            t.reshape(-1, 1),
            np.repeat(p, records, axis=0),
        )
        kept: dict[str, npt.NDArray[Any]] = {"status": status, "end_time": end}
        for name, values in self.outputs.of(flat).items():
            series = values.reshape(count, records, *values.shape[1:])
            if self.job.reductions:
                kept |= {f"{name}_{r}": reduced(series, r) for r in self.job.reductions}
            else:
                kept[name] = series
        return kept | self._events(tracks)

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

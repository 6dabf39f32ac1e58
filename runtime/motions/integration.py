"""Motions in the generated code, in slices, from one state or many."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from ...codegen.interface import Interface
from ...codegen.tableaus import METHODS
from ...model.expressions.instants import Instant
from ..device.module import DeviceModule
from ..evaluation.arrays import Floats
from ..evaluation.backend import Backend, CBatchLibrary, CLibrary, NumpyModule, motion_structure
from ..later import Later
from ..stepping.outcomes import UNDER_WAY
from .controllers import Controller
from .schedule import Schedule

if TYPE_CHECKING:
    from ..stepping.moved import Moved

FIXED = tuple(method.name for method in METHODS if not method.adaptive)
OWN_METHODS = tuple(method.name for method in METHODS)
IMPLICIT = tuple(method.name for method in METHODS if method.implicit)

#: Seconds that the generated code runs before Python looks for Ctrl-C and shows progress.
SLICE = 0.05

#: Steps in a slice at most: what a C long holds everywhere.
LONGEST_SLICE = 2**30

#: Events that the generated code lists before Python takes them.
ROOM = 256

Watcher = Callable[[float, Floats, Floats], npt.ArrayLike]


@dataclass
class Watch:
    """Event functions: in Python, or a C function's address with that of its data.

    `failure` is what a Python function raised inside the generated code.
    """

    direction: npt.NDArray[np.int32]
    terminal: npt.NDArray[np.int32]
    function: Watcher | None = None
    address: int = 0
    data: int = 0
    kept: Any = None
    failure: BaseException | None = None


@dataclass(frozen=True)
class Pace:
    """How an adaptive method goes on: the length of its next step, and the error of the last."""

    size: float = 0.0
    before: float = 0.0


@dataclass(frozen=True)
class Task:
    """How states are to move: the method, its steps and tolerances, and what is watched.

    `plain`: joint momenta are left in the gauge that they drift to, and loops as they drift.
    `jumps` are the instants of the laws of all states alike; at each the controllers are `due` that
    its row says. A motion that goes on has its `pace`. Implicit methods need the derivatives of the
    accelerations, in code of the same target.
    """

    method: str
    schedule: Schedule
    rtol: float = 0.0
    atol: float = 0.0
    max_step: float = 0.0
    watch: Watch | None = None
    plain: bool = False
    jumps: tuple[Instant, ...] = ()
    pace: Pace | None = None
    controllers: tuple[Controller, ...] = ()
    due: npt.NDArray[np.uint8] | None = None
    derivatives: Backend | None = None

    @property
    def controlled(self) -> int:
        """How many numbers the controllers give."""
        return sum(len(each.places) for each in self.controllers)

    @property
    def number(self) -> int:
        """The method's number in the generated code."""
        return OWN_METHODS.index(self.method)

    @property
    def start(self) -> float:
        """Where the steps are counted from: those of fixed length from the grid's origin."""
        return self.schedule.origin if self.method in FIXED else self.schedule.t_start

    @property
    def first(self) -> int:
        """The steps that were done before."""
        return self.schedule.done if self.method in FIXED else 0

    @property
    def instants(self) -> Floats:
        """The jumps as the generated code takes them: before, at and after each."""
        rows = [(x.before, x.time, x.after) for x in self.jumps]
        return np.array(rows, dtype=np.float64).reshape(-1, 3)


@dataclass(frozen=True)
class Occurrence:
    """An event that came: its number in the list that was given, its name, when, in which state."""

    time: float
    event: int
    q: Floats
    v: Floats
    name: str = ""


@dataclass
class Track:
    """The motion from one state: its records, the events, how and when it ended.

    `u` is what controllers gave; `last` the state where it stands, at the time `t`.
    """

    q: Floats
    v: Floats
    u: Floats
    state: int = UNDER_WAY
    t: float = 0.0
    found: list[Occurrence] = field(default_factory=list)
    pace: Pace | None = None
    last: tuple[Floats, Floats] | None = None


class Motion(Protocol):
    """Motions from many states, begun and moved some at a time: as many as the backend can."""

    tracks: list[Track]

    def begin(self, first: int) -> None:
        """Start from the states from this one on."""

    def advance(self, steps: int) -> bool:
        """Go on for so many steps at most; is any still under way?"""

    @property
    def reached(self) -> float:
        """The earliest time of those that were begun last."""


class CMotion:
    """Motions in a compiled library, in its own structure."""

    def __init__(
        self, library: CLibrary | CBatchLibrary, task: Task, buffers: Mapping[str, Floats]
    ) -> None:
        self.library, self.task, self.watch = library, task, task.watch
        sizes = library.interface.sizes
        states, nq, nv = len(buffers["q"]), sizes["q"], sizes["v"]
        schedule, times = task.schedule, task.schedule.times()
        rows = len(times) + 1
        room = ROOM + ((len(task.watch.direction) if task.watch else 0) + 1) * library.width
        self.run_q, self.run_v = np.empty((states, rows, nq)), np.empty((states, rows, nv))
        self.run_u = np.empty((states, rows, task.controlled))
        self.found_t, self.found_q = np.empty(room), np.empty((room, nq))
        self.found_v = np.empty((room, nv))
        self.found_event, self.found_state = np.empty((2, room), dtype=np.int32)
        self.m, self._memory = motion_structure(library)
        m, self._movers = self.m, library
        m.method, m.start, m.end, m.dt = task.number, task.start, schedule.t_end, schedule.dt
        m.whole, m.rest, m.stride = schedule.steps, schedule.rest, schedule.stride
        m.first, m.max_step = task.first, task.max_step
        jumps = task.instants
        m.jump_count, m.jumps = len(jumps), self._pointer(jumps, "mstmm_jump *")
        m.rtol, m.atol, m.records, m.room = task.rtol, task.atol, len(times), room
        m.plain = task.plain
        self._kept: list[object] = [times, jumps, buffers]
        m.times = self._pointer(times)
        for name in ("found_t", "found_q", "found_v"):
            setattr(m, name, self._pointer(getattr(self, name)))
        for name in ("found_event", "found_state"):
            setattr(m, name, self._pointer(getattr(self, name), "int *"))
        if task.watch:
            self._set_watch(task.watch)
        self.controllers = task.controllers
        if task.controllers:
            self._set_controllers(task)
        if task.method in IMPLICIT:
            self._set_derivatives(task.derivatives)
        self._given = [
            (self._pointer(buffers[name]), buffers[name].shape[1])
            for name in (*library.interface.state, *library.interface.held)
        ]
        self._records = {
            "run_q": (self._pointer(self.run_q), rows * nq),
            "run_v": (self._pointer(self.run_v), rows * nv),
            "run_u": (self._pointer(self.run_u), rows * task.controlled),
        }
        self.tracks = [Track(self.run_q[k], self.run_v[k], self.run_u[k]) for k in range(states)]
        self.begin(0)

    def begin(self, first: int) -> None:
        m, pace = self.m, self.task.pace
        self.first, self.last = first, min(first + self.library.width, len(self.tracks))
        for name, (start, size) in self._records.items():
            setattr(m, name, start + first * size)
        q, v, *given = [start + first * size for start, size in self._given]
        held = self.library.ffi.new("double *[]", given)
        self._mover("mstmm_begin")(m, self.last - first, q, v, held)
        self._raise()
        if pace:
            for k in range(self.last - first):
                m.size[k], m.before[k] = pace.size, pace.before

    def advance(self, steps: int) -> bool:
        m = self.m
        m.found = 0
        under_way = bool(self._mover("mstmm_advance")(m, steps))
        for k in range(m.found):
            self.tracks[self.first + self.found_state[k]].found.append(
                Occurrence(
                    float(self.found_t[k]),
                    int(self.found_event[k]),
                    self.found_q[k].copy(),
                    self.found_v[k].copy(),
                )
            )
        self._raise()
        if not under_way:
            self._update()
        return under_way

    @property
    def reached(self) -> float:
        return float(min(self.m.t[0 : self.last - self.first]))

    def _pointer(self, array: npt.NDArray[Any], kind: str = "double *") -> Any:
        return self.library.ffi.cast(kind, array.ctypes.data)

    def _set_watch(self, watch: Watch) -> None:
        m, ffi = self.m, self.library.ffi
        values = np.empty((self.library.width, 4, len(watch.direction)))
        m.events, m.values = len(watch.direction), self._pointer(values)
        m.direction = self._pointer(watch.direction, "int *")
        m.terminal = self._pointer(watch.terminal, "int *")
        if watch.address:
            watcher = ffi.cast("mstmm_watcher", watch.address)
            m.data = ffi.cast("void *", watch.data)
        else:
            watcher = self._called(watch)
        m.watcher = watcher
        self._kept += [values, watcher, watch]

    def _set_controllers(self, task: Task) -> None:
        assert task.due is not None
        m, ffi, held = self.m, self.library.ffi, self.library.interface.held
        control = ffi.new("mstmm_controller[]", len(task.controllers))
        for one, given in zip(control, task.controllers, strict=True):
            if given.native:
                one.law, one.data, kept = given.native(self.library)
            else:
                one.law = kept = self._called(given)
            where = np.array([(held.index(name), k) for name, k in given.places], dtype=np.int32)
            places, values = np.ascontiguousarray(where.T), np.empty(len(where))
            one.count, one.sampled = len(where), given.period is not None
            one.given, one.number = (self._pointer(row, "int *") for row in places)
            one.values = self._pointer(values)
            self._kept += [kept, places, values]
        m.controllers, m.controlled, m.control = len(control), task.controlled, control
        m.due = self._pointer(task.due, "unsigned char *")
        self._kept += [control, task.due]

    def _set_derivatives(self, of: Backend | None) -> None:
        assert isinstance(of, CLibrary | CBatchLibrary)
        ffi, interface = self.library.ffi, of.interface
        self._movers = of
        by = ffi.new("mstmm_tangents *")
        work, *kept = of.structure("work")
        function, held = of.function("tangents"), self.library.interface.held
        by.evaluate = self._taken(function, of, ffi.typeof(by.evaluate))
        by.work = self._taken(work, of, "void *")
        by.columns, by.inputs = columns(interface), len(interface.differentiated)
        by.given[0 : by.inputs] = [held.index(name) for name in interface.differentiated]
        memory = np.zeros(self._mover("mstmm_implicit_memory")(self.m.model, by))
        by.memory, self.m.tangents = self._pointer(memory), by
        self._kept += [of, by, work, kept, memory]

    def _mover(self, name: str) -> Any:
        """An integrator's function: implicit methods stand beside the derivatives they need."""
        own = getattr(self.library.library, name)
        if self._movers is self.library:
            return own
        kind = self.library.ffi.typeof(own)
        return self._taken(getattr(self._movers.library, name), self._movers, kind)

    def _taken(self, of: Any, library: CLibrary | CBatchLibrary, kind: Any) -> Any:
        """What another library has, for this one's interface."""
        return self.library.ffi.cast(kind, int(library.ffi.cast("uintptr_t", of)))

    def _raise(self) -> None:
        """What a Python function raised, which C called."""
        for given in (self.watch, *self.controllers):
            if given and given.failure:
                raise given.failure

    def _called(self, given: Watch | Controller) -> Any:
        """Python functions of time and state as C calls them."""
        ffi, sizes = self.library.ffi, self.library.interface.sizes

        def call(t: float, q: Any, v: Any, values: Any, data: Any) -> int:
            state = (
                np.frombuffer(ffi.buffer(x, 8 * sizes[name])).copy()
                for name, x in (("q", q), ("v", v))
            )
            assert given.function
            found = np.asarray(given.function(t, *state), dtype=np.float64)
            ffi.memmove(values, np.ascontiguousarray(found), found.nbytes)
            return 0

        def failed(kind: Any, failure: BaseException, trace: Any) -> None:
            given.failure = given.failure or failure

        return ffi.callback("mstmm_watcher", call, error=1, onerror=failed)

    def _update(self) -> None:
        m = self.m
        for k, track in enumerate(self.tracks[self.first : self.last]):
            rows, number = m.recorded[k], self.first + k
            track.q, track.v = self.run_q[number, :rows], self.run_v[number, :rows]
            track.u = self.run_u[number, :rows]
            track.state, track.t, track.pace = m.state[k], m.t[k], Pace(m.size[k], m.before[k])
            track.last = self._stands(k)

    def _stands(self, k: int) -> tuple[Floats, Floats]:
        """The state of a lane where it stands."""
        width, (nq, nv) = self.library.width, (x.shape[-1] for x in (self.run_q, self.run_v))
        y = np.frombuffer(self.library.ffi.buffer(self.m.y, 8 * width * (nq + nv)))
        return y[k : width * nq : width].copy(), y[width * nq + k :: width].copy()


class Stepped(Protocol):
    """Functions in Python that motions in Python move by."""

    @property
    def interface(self) -> Interface: ...
    @property
    def moved(self) -> Moved: ...


class NumpyMotion:
    """Motions by the integrators in Python."""

    def __init__(self, module: Stepped, task: Task, buffers: Mapping[str, Floats]) -> None:
        self.module, self.task, self.buffers = module, task, buffers
        self.tracks: list[Track] = []
        self.begin(0)

    def begin(self, first: int) -> None:
        module, task, buffers = self.module, self.task, self.buffers
        schedule, watch = task.schedule, task.watch
        interface = module.interface
        with np.errstate(all="ignore"):
            make, more = _maker(task, interface)
            self.motion = make(
                module.moved,
                task.number,
                *(buffers[name][first] for name in interface.state),
                [buffers[name][first] for name in interface.held],
                start=task.start,
                end=schedule.t_end,
                dt=schedule.dt,
                whole=schedule.steps,
                rest=schedule.rest,
                first=task.first,
                stride=schedule.stride,
                rtol=task.rtol,
                atol=task.atol,
                max_step=task.max_step,
                times=schedule.times(),
                jumps=task.instants.tolist(),
                watcher=watch and watch.function,
                direction=watch and watch.direction,
                terminal=watch and watch.terminal,
                plain=task.plain,
                controllers=[_numpy_controller(interface.held, x) for x in task.controllers],
                due=() if task.due is None else task.due,
                **more,
            )
        if task.pace:
            self.motion.size, self.motion.before = task.pace.size, task.pace.before
        self.controlled = task.controlled
        self.tracks.append(Track(np.empty(0), np.empty(0), np.empty(0)))

    def advance(self, steps: int) -> bool:
        with np.errstate(all="ignore"):
            under_way = bool(self.motion.advance(steps))
        track, m = self.tracks[-1], self.motion
        track.state, track.t = m.state, float(m.t)
        if not under_way:
            track.last = m.q.copy(), m.v.copy()
            track.q, track.v = (np.array(part) for part in zip(*m.rows, strict=True))
            track.u = np.array(m.inputs).reshape(len(track.q), self.controlled)
            track.found = [Occurrence(*found) for found in m.found]
            if m.of.adaptive:
                track.pace = Pace(float(m.size), float(m.before))
        return under_way

    @property
    def reached(self) -> float:
        return float(self.motion.t)


def columns(derivatives: Interface) -> int:
    """How many derivatives each acceleration has."""
    return derivatives.sizes["da"] // derivatives.sizes["a"]


def unforced(interface: Interface, states: int) -> dict[str, Floats]:
    """Forces and loads of zero, as far as the code takes them."""
    sizes = interface.sizes
    return {name: np.zeros((states, sizes[name])) for name in ("tau", "f") if name in sizes}


def _maker(task: Task, interface: Interface) -> tuple[type[Any], dict[str, Any]]:
    """What makes a motion by the method, and what that takes besides."""
    if task.method in IMPLICIT:
        from ..stepping.implicit import ImplicitMotion

        return ImplicitMotion, {"tangents": _numpy_tangents(interface.held, task.derivatives)}
    from ..stepping.motion import Motion

    return Motion, {}


def _numpy_controller(
    held: Sequence[str], given: Controller
) -> tuple[Callable[..., Floats], list[tuple[int, int]], bool]:
    places = [(held.index(name), k) for name, k in given.places]
    return given.function, places, given.period is not None


def _numpy_tangents(held: Sequence[str], of: Backend | None) -> Callable[..., Floats]:
    """The derivatives of the generated code, of a time, a state, and what is held."""
    assert of is not None
    interface = of.interface
    names, n = interface.arguments["derivatives"], interface.sizes["a"]

    def tangents(t: Floats, q: Floats, v: Floats, given: Sequence[Floats]) -> Floats:
        known = {"t": t, "q": q, "v": v, "a": np.empty(n), "da": np.empty(interface.sizes["da"])}
        known |= {name: given[held.index(name)] for name in interface.differentiated}
        of.run(
            "derivatives", {name: np.ascontiguousarray(known[name])[np.newaxis] for name in names}
        )
        return known["da"].reshape(n, -1)

    return tangents


def begun(backend: Backend, task: Task, buffers: Mapping[str, Floats]) -> Motion:
    """The motions from all states in `buffers`, the first `backend.width` of them begun.

    Forces that are not given are zero.
    """
    buffers = {**unforced(backend.interface, len(buffers["q"])), **buffers}
    if isinstance(backend, NumpyModule):
        return NumpyMotion(backend, task, buffers)
    assert isinstance(backend, CLibrary | CBatchLibrary)
    return CMotion(backend, task, buffers)


def integrate(
    backend: Backend,
    task: Task,
    buffers: Mapping[str, Floats],
    show: Callable[[float], None] = lambda fraction: None,
) -> list[Track]:
    """The motions from the states in `buffers`, in slices of some 50 ms.

    `show` is called between slices with the fraction that is done; a device makes all at once.
    """
    if isinstance(backend, DeviceModule):
        on_device: list[Track] = Later("device.rollouts", "integrate").found(backend, task, buffers)
        return on_device
    states, start, end = len(buffers["q"]), task.schedule.t_start, task.schedule.t_end
    motion = begun(backend, task, buffers)
    pace = 1
    for first in range(0, states, backend.width):
        if first:
            motion.begin(first)
        together = min(backend.width, states - first)
        under_way = True
        while under_way:
            started = time.perf_counter()
            under_way = motion.advance(pace)
            elapsed = time.perf_counter() - started
            pace = max(1, pace // 2) if elapsed > SLICE else pace
            pace = min(pace * 2, LONGEST_SLICE) if elapsed < SLICE / 4 else pace
            done = first + together * (motion.reached - start) / (end - start)
            show(min(done / states, 0.999))
    return motion.tracks

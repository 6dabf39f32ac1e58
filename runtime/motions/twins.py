"""A motion made twice: by the integrators of a compiled library, and by those in Python.

Both move the functions of the same library, step by step. The two texts were written apart, and a
step in 50 digits judges either: where one of them is wrong alone, in what it takes, in how long a
step is or what it finds on the way, the other says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from ..evaluation.backend import ALIGNMENT, CBatchLibrary, CLibrary
from ..evaluation.evaluator import Evaluator
from ..evaluation.solved import every_solve
from ..events import Event
from ..inputs import Feedback, Sampled, Table
from ..stepping.moved import Moved
from ..stepping.outcomes import DONE, STOPPED, UNDER_WAY
from .integration import FIXED, IMPLICIT, CMotion, NumpyMotion, Pace, Track
from .moving import Moving, Stand
from .problem import Problem
from .schedule import tolerances
from .steering import steered

#: The results of a model's functions: their places among the arguments.
RESULTS = {
    "rates": (2,),
    "retract": (1,),
    "speeds": (3,),
    "constraints": (3, 4),
    "correction": (3,),
    "regauge": (3,),
}

#: What a step leaves, besides the state: the method's own numbers.
STEP, PACE = ("t", "state"), ("size", "before", "shrunk")
NEWTON = ("iterations", "theta", "eta", "stale")
KNOWN = ("passed",)

#: One more than this many steps is enough of any motion.
LONGEST = 60

#: So often functions are evaluated of one motion: wild ones, among singular positions, take more.
ENOUGH = 20_000

#: What one step leaves, by name.
Row = dict[str, Floats]


#: How long motions are (s), and their steps: short ones, a part of one left over; long ones, in
#: which orientations turn far.
SPAN, SHORT, LONG = 0.107, 0.01, 0.05

#: Tolerances, and first steps (s) that are asked for beside the method's own guess: long ones are
#: not taken, or after a second look at their error, and of far too long ones Newton's iterations do
#: not come to an end.
PACES = ((1e-3, 0.0), (1e-6, 0.0), (1e-3, 0.1), (1e-5, 0.1), (1e-3, 0.3), (1e-3, 1.0))


@dataclass(frozen=True)
class Scene:
    """A motion to be made twice: as `simulate` takes it, and how long the first step is."""

    code: Evaluator
    method: str
    parameters: Mapping[str, float] | None
    t_end: float
    dt: float | None = None
    record: float | None = None
    tolerance: float | None = None
    max_step: float | None = None
    first: float = 0.0
    inputs: Mapping[str, Any] | None = None
    events: tuple[Event, ...] = ()

    def __call__(self, q: Floats, second: Floats) -> Iterator[tuple[int, list[Row], list[Row]]]:
        """What each step leaves of some states of a batch, by the library and by NumPy's methods.

        `q` and `second` have a row for each state.
        """
        values = self.code.parameter_values(self.parameters)
        problem = Problem(self.code, values, steered(self.code, self.inputs, values), self.inputs)
        of = (self.tolerance, self.tolerance, self.max_step, self.method)
        bounds = tolerances(*of, fixed=self.dt is not None)
        moving = Moving(problem, self.method, self.dt, self.record, bounds, self.events, False)
        plan = moving.planned(self.t_end, 0.0, None)
        pace = Pace(self.first, 1e-4) if self.first else None
        stands = [Stand(0.0, *state, 0.0, pace) for state in zip(q, second, strict=True)]
        task = moving.task(plan, stands[0])
        rows = [moving.buffers(plan, stand) for stand in stands]
        buffers = {name: np.concatenate([x[name] for x in rows]) for name in rows[0]}
        library = problem.backend
        assert isinstance(library, CLibrary | CBatchLibrary)
        over = Functions(library)
        made = _traced(CMotion(library, task, buffers), len(stands))
        for k in sorted({0, len(made) - 1}):  # the first lane and the last
            ours = made[k]
            one = {name: x[k : k + 1].copy() for name, x in buffers.items()}
            (theirs,) = _traced(NumpyMotion(over, task, one), 1)
            yield k, ours, theirs


def scenes(
    code: Evaluator, method: str, parameters: Mapping[str, float] | None, chooser: Random
) -> Iterator[tuple[float, Scene]]:
    """Motions by a method, alone, and with inputs and events; of each its tolerance."""
    acting = partial(
        Scene, code, method, parameters, inputs=_inputs(code, chooser), events=_events(chooser)
    )
    alone = partial(Scene, code, method, parameters)
    if method in FIXED:
        yield 1.0, alone(SPAN, dt=SHORT, record=3 * SHORT)
        yield 1.0, alone(3.4 * LONG, dt=LONG)
        yield 1.0, acting(SPAN, dt=SHORT)
        return
    for tolerance, first in PACES:
        span = max(SPAN, 1.5 * first)
        yield tolerance, alone(span, tolerance=tolerance, first=first, record=0.02)
    yield 1e-4, acting(SPAN, tolerance=1e-4, record=0.013, max_step=0.02)
    yield 1e-3, acting(3 * SPAN, tolerance=1e-3, record=0.05)


def _inputs(code: Evaluator, chooser: Random) -> dict[str, Any]:
    """Efforts along some speeds: by tables, held too, and by feedback, sampled and limited."""
    n = len(code.speeds)
    gains = [chooser.uniform(-1.0, 1.0) for _ in range(2 * n)]
    times = [0.2 * SPAN, 0.55 * SPAN, 0.9 * SPAN]
    values = [chooser.uniform(-1.0, 1.0) for _ in times]
    leads = {code.speeds[0]: Table(times, values)}
    laws: list[Any] = [
        Feedback([gains], reference=leads, limits=(-1.0, 1.0)),
        Table(times, values),
        Sampled(Feedback([gains[::-1]]), 0.3 * SPAN),
        Table(times, values[::-1], held=True),
    ]
    turn = chooser.randrange(len(laws))
    speeds = chooser.sample(list(code.speeds), min(n, len(laws)))
    return dict(zip(speeds, laws[turn:] + laws[:turn], strict=False))


def _events(chooser: Random) -> tuple[Event, ...]:
    """Zeros that are found within steps, in either direction; the last one ends the motion."""
    part = chooser.uniform(0.2, 0.6)

    def turns(t: float, q: Floats, v: Floats) -> float:
        return math.cos(3.0 * float(np.sum(q)) + 2.0 * t / SPAN) + 0.1 * math.tanh(v[0])

    return (
        Event(lambda t, q, v: (t / SPAN) ** 3 - part**3, 1),
        Event(lambda t, q, v: 0.9 * part**2 - (t / SPAN) ** 2, -1),
        Event(lambda t, q, v: math.exp(t / SPAN) - math.exp(part), -1),
        Event(turns),
        Event(lambda t, q, v: (t / SPAN) ** 3 - 0.7, terminal=True),
    )


def _traced(motion: CMotion | NumpyMotion, states: int) -> list[list[Row]]:
    """What every step left of each state, up to the motion's end."""
    found: list[list[Row]] = [[] for _ in range(states)]
    look = _in_c if isinstance(motion, CMotion) else _in_numpy
    under_way = True
    for _ in range(LONGEST):
        for k, rows in enumerate(found):
            if not rows or rows[-1]["state"][0] == UNDER_WAY:
                row = look(motion, k)
                is_sound = row["state"][0] in (DONE, UNDER_WAY, STOPPED)
                rows.append(row if is_sound else {name: row[name] for name in STEP})
        if not under_way:
            break
        under_way = motion.advance(1)
    for rows, track in zip(found, motion.tracks, strict=True):
        rows.append(_recorded(motion, track))
    return found


def _recorded(motion: CMotion | NumpyMotion, track: Track) -> Row:
    """What a motion that has ended has recorded."""
    if track.state not in (DONE, STOPPED):
        return {}
    events = [[x.time, x.event, *x.q, *x.v] for x in track.found]
    return {
        "records of q": track.q.ravel(),
        "records of v": track.v.ravel(),
        "records of inputs": track.u.ravel(),
        "events": np.array(sorted(events)).ravel(),
    }


def _in_c(motion: Any, k: int) -> Row:
    m = motion.m
    L, n = m.model.lanes, m.model.nq + m.model.nv
    y = np.frombuffer(motion.library.ffi.buffer(m.y, 8 * L * n))[k::L]
    row = {"y": y.copy()} | {name: _number(getattr(m, name)[k]) for name in STEP}
    if motion.task.method not in FIXED:
        row |= {name: _number(getattr(m, name)[k]) for name in PACE}
    if motion.task.method in IMPLICIT:
        row |= {name: _number(getattr(m.newton[k], name)) for name in NEWTON}
    if motion.library.interface.can_close:
        row |= {name: _number(getattr(m.known[k], name)) for name in KNOWN}
    return row


def _in_numpy(motion: Any, k: int) -> Row:
    m = motion.motion
    row = {"y": np.concatenate([m.q, m.v])} | {name: _number(getattr(m, name)) for name in STEP}
    if m.of.adaptive:
        row |= {name: _number(getattr(m, name)) for name in PACE}
    if m.of.implicit:
        row |= {name: _number(getattr(m, name)) for name in NEWTON}
    if m.model.met:
        row |= {name: _number(getattr(m.known, name)) for name in KNOWN}
    return row


def _number(x: Any) -> Floats:
    return np.array([float(x)])


class Functions:
    """A library's functions as the integrators in Python take them."""

    def __init__(self, library: CLibrary | CBatchLibrary) -> None:
        self.interface = library.interface
        self._library, self._ffi, self._left = library, library.ffi, ENOUGH
        of = library.function("model")
        self._lanes = of.lanes
        known = {name: getattr(of, name) for name in (*RESULTS, "accelerations")}
        results = RESULTS | {"accelerations": (3, 4) if of.speeds else (4,)}
        functions = {name: self._filled(f, results[name]) for name, f in known.items() if f}
        turns = [(of.turn_q[i], of.turn_v[i]) for i in range(of.turns)]
        self.moved = Moved(
            nq=of.nq,
            nv=of.nv,
            work=lambda batch: None,
            closed=[of.closed[i] for i in range(of.conditions)],
            turn_q=[q for q, _ in turns],
            turn_v=[v for _, v in turns],
            **functions,
            met=every_solve(library) if of.met else None,
        )

    def _filled(self, function: Any, results: Sequence[int]) -> Callable[..., None]:
        """A function that takes one state, which stands in every lane."""
        L, ffi = self._lanes, self._ffi

        def spread(x: Floats) -> Floats:
            room = np.zeros(8 * L * len(x) + ALIGNMENT, dtype=np.uint8)
            skipped = -room.ctypes.data % ALIGNMENT
            found = room[skipped : skipped + 8 * L * len(x)].view(np.float64)
            found[:] = np.repeat(x, L)
            return found

        def pointer(x: Floats) -> Any:
            return ffi.cast("double *", x.ctypes.data)

        def called(*arguments: Any) -> None:
            self._left -= 1
            if self._left < 0:
                raise NumericsError("a motion that takes too long to be made twice")
            kept = [
                [spread(one) for one in x] if isinstance(x, list) else spread(x)
                for x in arguments[:-1]
            ]
            given = [
                ffi.new("double *[]", [pointer(one) for one in x] or 1)
                if isinstance(x, list)
                else pointer(x)
                for x in kept
            ]
            function(*given, self._library.work())
            for k in results:
                arguments[k][...] = kept[k][::L]

        return called

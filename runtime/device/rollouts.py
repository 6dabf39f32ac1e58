"""Motions wholly on a device: fixed steps of all states side by side, in one kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...codegen.interface import Interface
from ...errors import NumericsError, UsageError
from ...model.expressions.quantities import told
from ...shown import Shown
from ..evaluation.arrays import Floats
from ..motions.endings import stiffness
from ..motions.integration import Task, Track, unforced
from ..motions.moving import Moving, Stand
from ..motions.schedule import DEFAULT_DT, Schedule
from ..stepping.outcomes import DONE, NOT_FINITE
from .arrays import Batch, numbers
from .module import Carried, DeviceModule, Place

#: What is said of what the device does not do.
ELSEWHERE = 'target="c-batch" does that'


@dataclass(frozen=True)
class Steps:
    """So many steps of length `h` from the time `t` on, one of `last`; a record every so many.

    `hold`: forces are found anew every so many steps, or with 0 at every stage.
    """

    count: int
    h: float
    last: float
    every: int
    t: float = 0.0
    hold: int = 0

    @classmethod
    def of(cls, plan: Schedule, hold: int = 0) -> Steps:
        """The steps of a schedule.

        Raises
            UsageError: the motion goes on from between two records.
        """
        if plan.done % plan.stride:
            raise UsageError(f"on a device motions go on from a record; {ELSEWHERE}")
        count = plan.steps - plan.done + (plan.rest > 0.0)
        return cls(count, plan.dt, plan.rest or plan.dt, plan.stride, plan.t_start, hold)


def held(interface: Interface) -> list[str]:
    """What a kernel of steps takes besides the state and the forces along the speeds."""
    taken = interface.arguments["accelerations"]
    return [x for x in taken if x in interface.inputs and x not in ("q", "v", "t", "tau")]


def see_method(module: DeviceModule, method: str) -> None:
    """See that a kernel has this method.

    Raises
        UsageError: none has, or none moves this model.
    """
    interface, known = module.interface, ", ".join(module.methods)
    if not known:
        why = "closes its loops after every step" if interface.can_close else "moves joint momenta"
        raise UsageError(f"{interface.name} {why}, which no kernel does; {ELSEWHERE}")
    if method not in module.methods:
        raise UsageError(f"on a device there is no {method}: {known}; {ELSEWHERE}")


def start(
    module: DeviceModule,
    method: str,
    states: int,
    steps: Steps,
    places: Mapping[str, Place],
    addresses: Mapping[str, int],
    **at: int,
) -> None:
    """A kernel of steps, see `rollouts.cu`: strided arrays by their places, others by address."""
    interface = module.interface
    name = method if interface.turns else method.replace("rkmk4", "rk4")
    of: list[Sequence[int]] = [places["q0"], places["v0"], places["u"], (addresses.get("K", 0),)]
    of += [places[x] for x in (*held(interface), "q", "v")]
    flat = [x for each in of for x in each]
    flat += [addresses.get(x, 0) for x in ("record", "done", "status")]
    real = "f" if module.kind == "float32" else "d"
    lengths = steps.h, steps.last, steps.t
    given = (states, steps.count, steps.every, steps.hold, *lengths, *flat)
    module.start(f"rollout_{name}", f"qqqq{3 * real}{'q' * len(flat)}", given, **at)


@dataclass(frozen=True)
class Gains:
    """u − K (q, v): what feedbacks add to the forces along the speeds.

    Shape
        `constant` (nv), `rows` (nv, nq + nv).
    """

    constant: Floats
    rows: Floats
    hold: int


def gains_of(task: Task, interface: Interface) -> Gains | None:
    """What the controllers of a motion do, if they are such feedbacks.

    Raises
        UsageError: one is none, or what is asked of the motion besides is none of a device's.
    """
    sampled = {x.period for x in task.controllers}
    of_laws = len(task.jumps) if task.due is None else int((~task.due.any(axis=1)).sum())
    refused = {
        "events": task.watch is not None,
        "laws that jump in time": bool(of_laws),
        "samples at other times than its steps": not sampled <= {None, task.schedule.dt},
        "samples of some inputs and none of others": len(sampled) > 1,
        "inputs but constants and Feedback of efforts without reference and limits": any(
            x.line is None or any(name != "tau" for name, _ in x.places) for x in task.controllers
        ),
    }
    if said := [what for what, is_asked in refused.items() if is_asked]:
        raise UsageError(f"a motion on a device has no {said[0]}; {ELSEWHERE}")
    if not task.controllers:
        return None
    nq, nv = interface.sizes["q"], interface.sizes["v"]
    constant, rows = np.zeros(nv), np.zeros((nv, nq + nv))
    for each in task.controllers:
        assert each.line
        at = [k for _, k in each.places]
        constant[at], rows[at] = each.line.constant, each.line.gains
    if any(rows[:, x.q : x.q + 4].any() for x in interface.turns):
        raise UsageError(f"on a device no feedback is of a quaternion; {ELSEWHERE}")
    return Gains(constant, rows, 0 if None in sampled else 1)


def integrate(module: DeviceModule, task: Task, buffers: Mapping[str, Floats]) -> list[Track]:
    """The motions from the states in `buffers`, as `integration.integrate` has them.

    Raises
        UsageError: what is asked of the motion is none of a device's.
    """
    see_method(module, task.method)
    interface, gains = module.interface, gains_of(task, module.interface)
    steps = Steps.of(task.schedule, gains.hold if gains else 0)
    given = {**unforced(interface, len(buffers["q"])), **buffers}
    states, n = len(given["q"]), interface.sizes["q"] + interface.sizes["v"]
    arrays: dict[str, npt.NDArray[Any]] = {"q0": given["q"], "v0": given["v"], "u": given["tau"]}
    arrays |= {x: given[x] for x in held(interface)}
    if gains:
        arrays |= {"u": given["tau"] + gains.constant, "K": gains.rows}
    read = [*arrays]
    made: dict[str, npt.NDArray[Any]] = {
        "q": np.empty_like(given["q"]),
        "v": np.empty_like(given["v"]),
        "record": np.full((steps.count // steps.every + 1, n, states), np.nan),
        "done": np.zeros(states, np.int64),
        "status": np.zeros(states, np.int32),
    }
    with Carried(module, arrays | made, read) as there:
        places = {x: (there[x], 1, y.shape[1]) for x, y in (arrays | made).items() if y.ndim == 2}
        start(module, task.method, states, steps, places, there)
    return [_track(task, steps, k, made) for k in range(states)]


@dataclass(frozen=True, repr=False)
class Rollout(Shown):
    """Motions on a device from arrays there, all as arrays of the same library.

    `last` is where each state stands at its end, laid out as its `start`. A state whose numbers
    do not stay finite ends before that step: `status` is 1 there, else 0, and `steps` says how many
    it made; its later records are not written. Nothing waits for the device but `check`.

    Shape
        `time` (record), a NumPy array; `q` (sample, record, nq), `v` (sample, record, nv);
        `status`, `steps` (sample); `last`: (sample, nq), (sample, nv).
    Units
        s; rad, rad/s.
    """

    time: Floats
    q: Any
    v: Any
    last: tuple[Any, Any]
    status: Any
    steps: Any
    start: tuple[Any, Any]
    moving: Moving

    def __repr__(self) -> str:
        states, records = len(self.status), told(len(self.time), "record")
        return f"<Rollout of {self.moving.problem.name}: {told(states, 'state')}, {records}>"

    def check(self) -> None:
        """Wait for the device, and see that every state came to its end.

        Raises
            NumericsError: one did not; says how many, which is the first, when, and why it may be.

        Source
            own
        """
        wrong = np.flatnonzero(numbers(self.status))
        if not len(wrong):
            return
        k, problem = int(wrong[0]), self.moving.problem
        steps = int(numbers(self.steps)[k])
        q, v = (numbers(x[k] if x.ndim == 2 else x).astype(float) for x in self.start)
        said = stiffness(problem, self.moving.dt or DEFAULT_DT, q, v)
        raise NumericsError(
            f"{problem.name}: {len(wrong)} of {len(self.status)} states leave the finite numbers, "
            f"the first, {k}, after {steps} steps; take a smaller dt{said}"
        )


def roll(
    moving: Moving, q0: Any, v0: Any, plan: Schedule, records: bool, held_by: Mapping[str, Any]
) -> Rollout:
    """The motions from arrays on a device; `held_by` are forces `u`, parameters `p` of each state.

    Raises
        UsageError: what is asked of the motion is none of a device's, or an array does not fit.
    """
    problem, module = moving.problem, moving.problem.backend
    assert isinstance(module, DeviceModule)
    interface = module.interface
    task = moving.task(plan, Stand(plan.t_start, np.empty(0), np.empty(0), plan.t_start))
    gains = gains_of(task, interface)
    steps = Steps.of(plan, gains.hold if gains else 0)
    named = {"u": "tau"}
    batch = Batch(module, {"q": q0, "v": v0, **{named.get(x, x): y for x, y in held_by.items()}})
    states, nq, nv = batch.states or 1, interface.sizes["q"], interface.sizes["v"]
    forces = np.zeros(nv) if gains is None else gains.constant.copy()
    for (array, k), value in problem.steered.constants.items():
        forces[k] += value if array == "tau" else 0.0
    known = {"u": forces, "p": problem.parameters}
    places = {
        x: batch.places[named.get(x, x)]
        if x in held_by
        else (batch.address(known.get(x, module.still)), 1, 0)
        for x in ("u", *held(interface))
    }
    (q, to_q), (v, to_v) = batch.made(nq), batch.made(nv)
    places |= {"q0": batch.places["q"], "v0": batch.places["v"], "q": to_q, "v": to_v}
    rows = steps.count // steps.every + 1 if records else 0
    empty, address = batch.library.empty, batch.library.address
    record = empty(batch.like, (rows, nq + nv, states), module.kind)
    done = empty(batch.like, (states,), "int64")
    there = {"status": batch.status(), "done": address(done)}
    there |= {
        "record": address(record) if rows else 0,
        "K": batch.address(gains.rows) if gains else 0,
    }
    start(module, task.method, states, steps, places, there, **batch.at)
    by_sample = record.swapaxes(0, 2).swapaxes(1, 2)
    of = by_sample[..., :nq], by_sample[..., nq:]
    return Rollout(plan.times()[:rows], *of, (q, v), module.status, done, (q0, v0), moving)


def _track(task: Task, steps: Steps, k: int, made: Mapping[str, npt.NDArray[Any]]) -> Track:
    """The motion of one state out of those of all."""
    done, nq = int(made["done"][k]), made["q"].shape[1]
    rows = made["record"][: done // steps.every + 1, :, k]
    state = DONE if made["status"][k] == 0 else NOT_FINITE
    last = made["q"][k], made["v"][k]
    if state == DONE and steps.count % steps.every:
        rows = np.vstack([rows, np.concatenate(last)])
    q, v = np.ascontiguousarray(rows[:, :nq]), np.ascontiguousarray(rows[:, nq:])
    given = [x.function(steps.t, q[r], v[r]) for x in task.controllers for r in range(len(q))]
    u = np.array(given).reshape(len(task.controllers), len(q), -1) if given else None
    by_row = np.empty((len(q), 0)) if u is None else np.concatenate([*u], axis=-1)
    t = task.schedule.t_end if state == DONE else steps.t + done * steps.h
    return Track(q, v, by_row, state, t, last=last)

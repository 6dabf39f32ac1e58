"""What lies around the kernels: batches and their lanes, far angles, a step of each integrator.

A wrong transposition, a lane that reads its neighbour's number, an argument's reduction that fails
for large angles or a wrong coefficient of a tableau leave every kernel right.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import mpmath
import numpy as np

from ...errors import NumericsError
from ...symbolic.language.program import Program, Slot
from ..tableaus import slots, turns
from ..targets.registry import target_named
from .exact_step import MOMENTUM_RATES, RATES
from .motions import judge_motions
from .points import sample
from .records import (
    ALL,
    BATCH,
    FAR,
    PROJECTION,
    RIGHT_SIDE,
    SLACK,
    SMALL,
    Record,
    changed,
    compare,
)
from .replay import Floats, Run, Values, results, shaken_runs
from .small_systems import judge_small_systems
from .steps import judge_steps, trials

#: States at which each part is judged at most, and shaken evaluations by which κ is found.
POINTS, TRIALS = 3, 4

#: Sizes of far angles: some turns, many, and about the largest at which libraries are tried.
SIZES = (1e3, 1e9, 1e22)

#: How far (rad, m) loops are opened, by what part the way back may differ from its first order,
#: and what their speeds of opening may be of the limit of openings (1/s).
OPENED, WAY, SPEED = 1e-6, 1e-3, 1e3

#: If any exact result differs by more than this between an angle and the angle less whole turns,
#: something counts turns, a spring or a screw: its numbers grow with them, and so does rounding.
PERIODIC = 1e-9

Arguments = dict[str, list[float]]


def judge_library(
    solver: Any, chooser: random.Random, points: int = POINTS, parts: tuple[str, ...] = ALL
) -> Iterator[Record]:
    """Records of these parts of the library, as far as there are, at three states or `points`."""
    points = min(points, POINTS)
    program, right = solver.generated.program, True
    for record in _parts(solver, program, chooser, points, parts):
        right &= record.error <= SLACK
        yield record
    if right:  # of wrong steps motions may come to no end
        yield from judge_motions(solver, chooser, 1, parts)
    if SMALL.startswith(parts):
        yield from judge_small_systems(solver.backend, chooser)


def _parts(
    solver: Any, program: Program, chooser: random.Random, points: int, parts: tuple[str, ...]
) -> Iterator[Record]:
    interface = solver.generated.sources.interface
    if BATCH.startswith(parts):
        yield from _batches(solver, program, chooser)
    if FAR.startswith(parts):
        yield from _far_angles(solver, program, chooser)
    if (
        PROJECTION.startswith(parts)
        and interface.can_close
        and hasattr(solver, "project")
        and hasattr(solver.backend, "project")
    ):
        yield _projection(solver, program, chooser, points)
    moved = interface.can_integrate and hasattr(solver.backend, "structure")
    if RIGHT_SIDE.startswith(parts) and moved:
        yield _right_side(solver, program, chooser, points)
    yield from judge_steps(solver, chooser, points, parts)


def _evaluated(solver: Any, entry: str, states: Sequence[Arguments]) -> dict[str, Floats]:
    """The results of an entry at all states in one call."""
    interface = solver.generated.sources.interface
    buffers = {
        name: np.array([state[name] for state in states])
        if name in states[0]
        else np.full((len(states), interface.sizes[name]), np.nan)
        for name in interface.arguments[entry]
    }
    solver.backend.blank()
    solver.backend.run(entry, buffers)
    return {name: buffers[name] for name in interface.results[entry]}


def _batches(solver: Any, program: Program, chooser: random.Random) -> Iterator[Record]:
    """Full vectors and a remainder: each state must come out as it does alone, bit by bit."""
    width = int(getattr(solver.backend, "width", 1))
    states = [sample(program, chooser, 0) for _ in range(2 * width + 3)]
    slack = target_named(solver.generated.sources.target).apart
    for entry in solver.generated.sources.interface.arguments:
        record = Record(f"{BATCH}: {entry}")
        together = _evaluated(solver, entry, states)
        for k, state in enumerate(states):
            record.points += 1
            for name, (alone,) in _evaluated(solver, entry, [state]).items():
                finite = np.isfinite(alone)
                size = float(np.abs(alone[finite]).max(initial=0.0))
                for i in np.flatnonzero(finite):
                    off = abs(float(together[name][k, i]) - float(alone[i]))
                    record.holds(off <= slack * size, f"{name}[{k}][{i}]")
        yield record


def _far_angles(solver: Any, program: Program, chooser: random.Random) -> Iterator[Record]:
    """An angle of many turns must give what the same angle less whole turns gives exactly."""
    places = [k for k, slot in enumerate(slots(program)) if slot is Slot.ANGLE]
    if not places:
        return
    results = solver.generated.sources.interface.results
    records = {entry: Record(f"{FAR}: {entry}") for entry in results}
    for size in SIZES:
        far = sample(program, chooser, 0)
        near = {name: list(values) for name, values in far.items()}
        turn = 2 * mpmath.pi
        for k in places:
            far["q"][k] = float(turn * mpmath.nint(size / turn) + far["q"][k])
            x = mpmath.mpf(far["q"][k])
            near["q"][k] = float(x - turn * mpmath.nint(x / turn))
        try:
            exact, reduced = Run(program, far, None), Run(program, near, None)
            shaken = shaken_runs(program, near, reduced, chooser, TRIALS)
        except NumericsError:
            continue
        if not all(_is_periodic(program, names, exact, reduced) for names in results.values()):
            continue
        for entry, record in records.items():
            record.points += 1
            _note(record, program, entry, _evaluated(solver, entry, [far]), exact, shaken)
    yield from (record for record in records.values() if record.points)


def _is_periodic(program: Program, names: Sequence[str], exact: Run, reduced: Run) -> bool:
    pairs = [
        (a, b)
        for name in names
        for ref in program.refs(name)
        for a, b in zip(exact.values[ref], reduced.values[ref], strict=True)
    ]
    size = max((float(abs(a)) for a, _ in pairs), default=0.0)
    return all(abs(a - b) <= PERIODIC * size for a, b in pairs)


def _note(
    record: Record,
    program: Program,
    entry: str,
    found: Mapping[str, Floats],
    exact: Run,
    shaken: Callable[[], list[Values]],
) -> None:
    for name, (values,) in found.items():
        flat = iter(values)
        for ref, own in results(program, entry, name):
            for k, value in enumerate(exact.values[own]):
                change = changed(value, shaken, own, k)
                compare(record, next(flat), value, change, f"{name}[{ref.member}][{k}]")


def _projection(solver: Any, program: Program, chooser: random.Random, points: int) -> Record:
    """Loops that are a little open are closed, by the least motion in the kinetic energy.

    How far they are then open is judged in 50 digits; the way there is the program's `correction`
    to first order.
    """
    record = Record(f"{PROJECTION}: closed")
    interface, model = solver.generated.sources.interface, solver.model
    nq = interface.sizes["q"]
    for _ in range(points):
        state = sample(program, chooser, 0)
        state["t"] = [0.0]
        parameters = dict(zip(program.runtime, state.get("p", ()), strict=True)) or None
        try:
            q, v = solver.project(model.q0, model.v0, parameters=parameters)
            around = q + np.array([chooser.uniform(-OPENED, OPENED) for _ in range(nq)])
            opened = solver.retracted(around) if turns(program) else around
            pushed = v + np.array([chooser.uniform(-1.0, 1.0) for _ in v])
            closed, speeds = solver.project(opened, pushed, parameters=parameters)
        except NumericsError:
            if not program.runtime:  # others may leave no closed state near the start
                record.points += 1
                record.holds(False, "the model's start")
            continue
        record.points += 1
        given = {**state, "q": opened.tolist(), "v": speeds.tolist()}
        before = Run(program, given, None)
        after = Run(program, {**given, "q": closed.tolist()}, None)
        for ref, limit in zip(program.refs("phi"), interface.closed, strict=True):
            for name, allowed in (("phi", limit), ("phid", SPEED * limit)):
                at = next(x for x in program.refs(name) if x.member == ref.member)
                gap = float(abs(after.values[at][0]))
                record.holds(gap <= allowed, str(at))
        if not turns(program):
            _judge_way(record, program, before, given, closed - opened)
    return record


def _judge_way(record: Record, program: Program, before: Run, given: Arguments, moved: Any) -> None:
    """The way is the correction, but for the square of its length."""
    gaps = [float(before.values[ref][0]) for ref in program.refs("phi")]
    exact = Run(program, {**given, "c": gaps}, None)
    wanted = [float(exact.values[ref][0]) for ref in program.refs("du")]
    rates = Run(program, {**given, "c": gaps, "v": wanted}, None)
    way = [float(x) for ref in program.refs("qd") for x in rates.values[ref]]
    size = max(map(abs, way), default=0.0)
    for k, (found, x) in enumerate(zip(moved, way, strict=True)):
        off = min(abs(found - x), abs(found + x))
        record.holds(off <= WAY * size, f"way[{k}]")


def _right_side(solver: Any, program: Program, chooser: random.Random, points: int) -> Record:
    """The function that integrators of others call gives the rates of the state."""
    record = Record(f"{RIGHT_SIDE}: rhs")
    interface, backend = solver.generated.sources.interface, solver.backend
    second = interface.state[1]
    for _ in range(points):
        state = sample(program, chooser, 0)
        data, memory = backend.structure("data")
        data.w = backend.work()
        kept = {name: np.array(state[name]) for name in interface.held}
        for name, array in kept.items():
            setattr(data, name, backend.ffi.cast("double *", array.ctypes.data))
        y = np.array([*state["q"], *state[second]])
        found = np.full_like(y, np.nan)
        pointers = [backend.ffi.cast("double *", x.ctypes.data) for x in (y, found)]
        time = state.get("t", [0.0])[0]
        backend.blank()
        backend.function("rhs")(time, *pointers, backend.ffi.cast("void *", data))
        record.points += 1
        try:
            exact = _rates(program, state, interface.hamiltonian, None)
            shaken = trials(_rates, exact, chooser, program, state, interface.hamiltonian)
        except NumericsError:
            continue
        for k, (number, value) in enumerate(zip(found, exact, strict=True)):
            change = changed(value, shaken, k)
            compare(record, float(number), value, change, f"dydt[{k}]")
        del memory, kept
    return record


def _rates(
    program: Program, state: Arguments, hamiltonian: bool, chooser: random.Random | None
) -> list[Any]:
    """The rates of the state; coordinates move with the speeds that joint momenta have."""
    wanted = MOMENTUM_RATES if hamiltonian else RATES
    run = moving = Run(program, state, chooser, wanted)
    if hamiltonian:
        speeds = [x for ref in program.refs("vel") for x in run.values[ref]]
        moving = Run(program, {**state, "v": speeds}, chooser, ("qd",))
    parts = ((moving, "qd"), (run, "pd" if hamiltonian else "a"))
    return [x for of, name in parts for ref in program.refs(name) for x in of.values[ref]]

"""A step of each integrator against its tableau, with rates in 50 digits.

A wrong coefficient, stage, turn or correction of loops is found where a state is moved, and not
only where its rates are told. Where laws jump in time, the step goes over the first jump.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

from ...errors import NumericsError
from ...model.expressions.instants import Instant
from ...symbolic.language.program import Program
from ..tableaus import METHODS, Method, turns
from .closed_states import closed_state
from .exact_step import Step
from .points import sample
from .records import ALL, ONE_STEP, Record, changed, compare, distance
from .replay import shaken

#: Shaken evaluations by which κ is found.
TRIALS = 4

#: The step of an integrator, s.
STEP = 1e-3

#: That of an adaptive method, where what it guesses for its first is not shorter; and of others
#: whose stages leave unit quaternions, of which emitted code makes use and the program does not:
#: they differ by the square of a stage's way.
FIRST_STEP = 1e-6

#: That of an implicit method that turns quaternions: its result within a step is of order 3, and a
#: longer step is not done at once.
TURNING_STEP = 1e-5

#: That where loops are closed afterwards: the program's correction is right to first order.
LOOPED = 1e-4

#: How far a loop may be open (of what the solver allows), as the last place of a coordinate.
ALLOWED = 2.0

#: Tolerances of an implicit method, and what its iterations may leave of a way to a step's end, or
#: to a state within.
TOLERANCE, LEFT, WITHIN = 1e-12, 1e-10, 1e-9

#: Methods of fixed steps end with a step shortened to this part; of others a record lies there.
PART = 0.375

#: How long jumps of laws are looked for, s.
HORIZON = 100.0

#: What is recorded of a motion besides its state, which a solver that moves has to compute.
NEEDED = {"accelerations", "rates", "energy", "joint_loads"}


def moving_methods(solver: Any) -> Iterator[Method]:
    """The integrators that the solver can be judged by; none if its model cannot be moved."""
    interface = solver.generated.sources.interface
    if not interface.can_integrate or not set(interface.arguments) >= NEEDED:
        return
    known = getattr(solver.backend, "methods", [method.name for method in METHODS])
    for method in METHODS:
        if method.name not in known:
            continue
        if interface.hamiltonian and (method.staggered or method.implicit):
            continue  # these move speeds
        if method.implicit and "derivatives" not in getattr(solver, "modules", {}):
            continue  # it would be made for this alone
        yield method


def judge_steps(
    solver: Any, chooser: random.Random, points: int, parts: tuple[str, ...] = ALL
) -> Iterator[Record]:
    """A record of each method at so many states, if the model can be moved and it is asked for."""
    simulate = getattr(solver, "simulate", None)
    if simulate is None:
        return
    for method in moving_methods(solver):
        record = Record(f"{ONE_STEP} of {method.name}")
        for _ in range(points if record.kernel.startswith(parts) else 0):
            _judge(record, simulate, solver, method, chooser)
        if record.points:
            yield record


def _judge(
    record: Record,
    simulate: Callable[..., Any],
    solver: Any,
    method: Method,
    chooser: random.Random,
) -> None:
    program, interface = solver.generated.program, solver.generated.sources.interface
    state = closed_state(solver, chooser) if interface.can_close else sample(program, chooser, 0)
    if state is None:
        return
    state = {name: [0.0] * len(x) if name == "tau" else x for name, x in state.items()}
    parameters = dict(zip(program.runtime, state.get("p", ()), strict=True))
    length = _length(program, method, interface.can_close)
    if method.adaptive and not method.implicit and interface.state[1] == "v":
        length = min(length, _guess(solver, state, parameters) / 2)
    start, jumps = _over_a_jump(solver, parameters, length)
    inside = PART * length
    settings: dict[str, float] = {"dt": length}
    if method.adaptive:
        loose = TOLERANCE if method.implicit else 1.0
        settings = {"rtol": loose, "atol": loose, "record": inside}
    second = interface.state[1]
    try:
        run = simulate(
            state["q"],
            state["v"],
            t_start=start,
            t_end=start + length + (0.0 if method.adaptive else inside),
            method=method.name,
            parameters=parameters or None,
            **settings,
        )
        moved = run.v if second == "v" else run.p
        state |= {"q": run.q[0].tolist(), second: moved[0].tolist(), "t": [start]}
        step = Step(program, method, state, start + length, second, jumps)
        steps = [(step, -1 if method.adaptive else 1)]
        if not jumps and method.adaptive:
            steps.append((replace(step, part=Decimal(float(run.time[1])) / Decimal(length)), 1))
        elif not jumps:
            last = {"q": run.q[1].tolist(), second: moved[1].tolist(), "t": [length]}
            steps.append((Step(program, method, state | last, length + inside, second), 2))
        judged = [(of, k, exact := of(), trials(of, exact, chooser)) for of, k in steps]
    except NumericsError:
        return  # these parameters leave no motion from there
    record.points += 1
    for of, row, exact, others in judged:
        found = [*run.q[row], *moved[row]]
        begin = [*of.arguments["q"], *of.arguments[second]]
        open_by = ALLOWED * max(interface.closed, default=0.0) if interface.can_close else 0.0
        for k, (number, value) in enumerate(zip(found, exact, strict=True)):
            least = 0.0
            if interface.can_close:
                least = open_by if k < step.size else open_by / length
            if method.implicit:
                left = LEFT if row < 0 else WITHIN
                least = max(least, left * distance(begin[k], value))
            change = _at_least(least, changed(value, others, k))
            compare(record, float(number), value, change, f"(q, {second})[{k}] in row {row}")


def _guess(solver: Any, state: dict[str, list[float]], parameters: dict[str, float]) -> float:
    """How long an adaptive method's first step is, as `guess` in motion_control.c has it."""
    import numpy as np

    y = np.array([*state["q"], *state["v"]])
    try:
        rates = solver.rhs(0.0, y, parameters=parameters or None)
    except NumericsError:
        return FIRST_STEP  # of which the motion will say more
    size, rate = (float(np.linalg.norm(x / (1.0 + np.abs(y)))) for x in (y, rates))
    return 0.01 * size / rate if size > 0.0 and rate > 0.0 else FIRST_STEP


def _over_a_jump(
    solver: Any, parameters: dict[str, float], length: float
) -> tuple[float, tuple[Instant, ...]]:
    """When a step of this length starts, and the jumps of laws within it."""
    model = solver.model
    if not model.jumps:
        return 0.0, ()
    from ...model.expressions.jumps import instants

    values = {**model.parameters, **parameters}
    found = instants(model, values, length, HORIZON, length)
    if not found:
        return 0.0, ()
    start = found[0].time - length / 2
    within = instants(model, values, start, start + length, length)
    return start, tuple(x for x in within if x.before > start and x.after < start + length)


def _at_least(least: float, change: Callable[[], float]) -> Callable[[], float]:
    return lambda: max(least, change())


def trials(
    of: Callable[..., list[Any]], exact: list[Any], chooser: random.Random, *arguments: Any
) -> Callable[[], list[Sequence[Any]]]:
    """What a function gives when its numbers are shaken, once an error asks for it."""
    own = random.Random(chooser.random())
    return cache(lambda: shaken(lambda drawn: of(*arguments, drawn), exact, own, TRIALS))


def _length(program: Program, method: Method, closes: bool) -> float:
    if method.adaptive and not method.implicit:
        return FIRST_STEP
    if turns(program) and not method.curved:
        return FIRST_STEP
    if turns(program) and method.implicit:
        return TURNING_STEP
    return LOOPED if closes else STEP

"""Motions of several steps, made twice: how long steps are, which are taken, what they pass.

A step's own formulas are judged in 50 digits, see `steps`. What lies between steps has no such
form: control of their length, Newton's iterations and when derivatives are taken anew, events,
records, controllers, jumps, and the passage of singular positions. So a motion is made by the
compiled integrators and by those of target `numpy`, over the same functions, and what every step
leaves has to agree.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...errors import NumericsError
from .points import sample
from .records import ALL, MOTIONS, Record
from .steps import moving_methods

#: How many last places may be lost in what a step leaves. An estimate of the error is a difference
#: of results, of which a tolerance is asked: there by so much more.
LOST = 1e4 * 2.0**-52

#: Where more is lost, starts are moved by last places so often; the motion may move so much more.
TRIALS, SLACK = 4, 16.0

#: What shaken starts move by more than this part has no digits left: a motion beyond all measure.
TOLD = 1e-2

#: What every step of a motion leaves, by name; and what makes one twice.
Rows = Sequence[dict[str, Any]]
Move = Callable[[Any, Any], Iterator[tuple[int, Rows, Rows]]]


def judge_motions(
    solver: Any, chooser: random.Random, points: int, parts: tuple[str, ...] = ALL
) -> Iterator[Record]:
    """A record of each method, if the solver can move the model twice."""
    twice = getattr(solver, "_moved_twice", None)
    if twice is None or not hasattr(solver.backend, "library"):
        return
    if solver.generated.sources.interface.can_close:
        return  # to look for singular positions in wild motions of loops takes long
    for method in moving_methods(solver):
        record = Record(f"{MOTIONS} by {method.name}")
        for _ in range(points if record.kernel.startswith(parts) else 0):
            _judge(record, solver, twice, method.name, chooser)
        if record.points:
            yield record


def _judge(record: Record, solver: Any, twice: Any, method: str, chooser: random.Random) -> None:
    """Motions of as many states as there are lanes."""
    program = solver.generated.program
    known = [sample(program, chooser, 0) for _ in range(solver.backend.width)]
    runtime = program.runtime
    parameters = dict(zip(runtime, known[0].get("p", ()), strict=True)) or None
    q, second = (np.array([state[name] for state in known]) for name in ("q", "v"))
    if solver.generated.sources.interface.hamiltonian:
        second = solver.momenta(q, second, t=0.0, parameters=parameters)
    for tolerance, move in twice(method, parameters, chooser):
        seed = chooser.random()

        def shaken(k: int, move: Move = move, seed: float = seed) -> Iterator[Rows]:
            """The motion of one state from starts beside it."""
            own = random.Random(seed)
            for _ in range(TRIALS):
                beside = (_beside(y[k : k + 1], own) for y in (q, second))
                ((_, _, theirs),) = move(*beside)
                yield theirs

        try:
            for k, ours, theirs in move(q, second):
                record.points += 1
                compare(record, ours, theirs, LOST / tolerance, partial(shaken, k))
        except NumericsError:
            continue  # these parameters leave no motion from there


def _beside(y: Any, chooser: random.Random) -> Any:
    toward = np.array([[chooser.choice((-math.inf, math.inf)) for _ in row] for row in y])
    return np.nextafter(y, toward)


def compare(
    record: Record, ours: Rows, theirs: Rows, lost: float, shaken: Callable[[], Iterator[Rows]]
) -> None:
    """Every number of every step, or those that shaken starts leave as they are."""
    wrong = [
        (step, name)
        for step, (row, other) in enumerate(zip(ours, theirs, strict=False))
        for name in row
        if not _off(row[name], other.get(name)) <= lost
    ]
    if len(ours) != len(theirs):
        wrong.append((min(len(ours), len(theirs)), "t"))
    if not wrong:
        record.holds(True, "")
        return
    step, name = wrong[0]  # the others follow from it
    beside = shaken()
    may = max(
        _off(rows[step].get(name), theirs[step].get(name))
        if step < min(len(rows), len(theirs)) and len(rows) == len(theirs)
        else math.inf
        for rows in beside
    )
    is_same = step < min(len(ours), len(theirs)) and (
        _off(ours[step][name], theirs[step].get(name)) <= max(lost, SLACK * may)
    )
    record.holds(is_same or may > TOLD, f"{name} after {step} steps")


def _off(a: Any, b: Any) -> float:
    """How far arrays are apart, as a part of the largest number."""
    if a is None or b is None or a.shape != b.shape:
        return math.inf
    finite = np.isfinite(a) & np.isfinite(b)
    if (np.where(finite, 0.0, a) != np.where(finite, 0.0, b)).any():
        return math.nan if (np.isnan(a) != np.isnan(b)).any() else math.inf
    size = float(np.abs(np.where(finite, b, 0.0)).max(initial=0.0))
    off = float(np.abs(np.where(finite, a, 0.0) - np.where(finite, b, 0.0)).max(initial=0.0))
    return off / size if size else math.inf if off else 0.0

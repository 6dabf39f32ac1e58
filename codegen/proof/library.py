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
from ...model.jumps import arguments as jumps
from ...model.jumps import laws
from ...symbolic.language.program import Program, Slot
from ..tableaus import METHODS, Method, Tableau, slots, turns
from .points import sample
from .records import BATCH, FAR, ONE_STEP, Record, compare, distance
from .replay import Floats, Run

#: States at which each part is judged, and shaken evaluations by which κ is found.
POINTS, TRIALS = 3, 4

#: Sizes of far angles: some turns, many, and about the largest at which libraries are tried.
SIZES = (1e3, 1e9, 1e22)

#: The step of an integrator, s.
STEP = 1e-3

#: That of an adaptive method, which is the least that it guesses for its first.
FIRST_STEP = 1e-6

#: If any exact result differs by more than this between an angle and the angle less whole turns,
#: something counts turns, a spring or a screw: its numbers grow with them, and so does rounding.
PERIODIC = 1e-9

#: NumPy's own vector loops may round the last states of a batch differently.
NUMPY = 1e-9

Arguments = dict[str, list[float]]


def judge_library(solver: Any, chooser: random.Random) -> Iterator[Record]:
    """Records of all parts of the library that there are."""
    program = solver.generated.program
    yield from _batches(solver, program, chooser)
    yield from _far_angles(solver, program, chooser)
    simulate = getattr(solver, "simulate", None)
    if simulate is not None and _steps_plainly(solver):
        # What Newton's iterations of an implicit method come to is no matter of rounding alone.
        for method in (x for x in METHODS if not x.implicit):
            yield _one_step(simulate, solver, method, chooser)


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
    slack = NUMPY if solver.target == "numpy" else 0.0
    for entry in solver.generated.sources.interface.arguments:
        record = Record(f"{BATCH}: {entry}")
        together = _evaluated(solver, entry, states)
        for k, state in enumerate(states):
            record.points += 1
            for name, (alone,) in _evaluated(solver, entry, [state]).items():
                size = float(np.abs(alone).max(initial=0.0))
                for i in np.flatnonzero(np.isfinite(alone)):
                    off = abs(float(together[name][k, i]) - float(alone[i]))
                    wrong = not off <= slack * size
                    record.add(float("inf") if wrong else 0.0, 0.0, 1.0, f"{name}[{k}][{i}]")
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
            shaken = [Run(program, near, chooser) for _ in range(TRIALS)]
        except NumericsError:
            continue
        if not all(_is_periodic(program, names, exact, reduced) for names in results.values()):
            continue
        for entry, record in records.items():
            record.points += 1
            _note(record, program, _evaluated(solver, entry, [far]), exact, shaken)
    yield from (record for record in records.values() if record.points)


def _is_periodic(program: Program, names: Sequence[str], exact: Run, reduced: Run) -> bool:
    pairs = [
        (a, b)
        for name in names
        for ref in program.refs(name)
        for a, b in zip(exact.values[ref], reduced.values[ref], strict=True)
    ]
    size = max((abs(a) for a, _ in pairs), default=0)
    return all(abs(a - b) <= PERIODIC * size for a, b in pairs)


def _note(
    record: Record,
    program: Program,
    found: Mapping[str, Floats],
    exact: Run,
    shaken: Sequence[Run],
) -> None:
    for name, (values,) in found.items():
        flat = iter(values)
        for ref in program.refs(name):
            for k, value in enumerate(exact.values[ref]):
                change = max(distance(run.values[ref][k], value) for run in shaken)
                compare(record, next(flat), value, change, f"{name}[{ref.member}][{k}]")


def _steps_plainly(solver: Any) -> bool:
    """Whether a step is its tableau alone: no loops to close, no momenta, no jumps of laws.

    Nor quaternions: stages leave unit length, where the emitted code, which uses it, and the
    program differ.
    """
    interface = solver.generated.sources.interface
    has = interface.arguments
    return (
        interface.can_integrate
        and not interface.hamiltonian
        and "constraints" not in has
        and {"accelerations", "rates", "energy", "joint_loads"} <= set(has)
        and not turns(solver.generated.program)
        and not jumps(laws(solver.model))
    )


def _one_step(
    simulate: Callable[..., Any], solver: Any, method: Method, chooser: random.Random
) -> Record:
    """One step of the method against its tableau, with accelerations in 50 digits."""
    program = solver.generated.program
    record = Record(f"{ONE_STEP} of {method.name}")
    for _ in range(POINTS):
        state = sample(program, chooser, 0)
        state = {name: [0.0] * len(x) if name == "tau" else x for name, x in state.items()}
        state["t"] = [0.0]
        parameters = dict(zip(program.runtime, state.get("p", ()), strict=True))
        step = FIRST_STEP if method.adaptive else STEP
        exact = _stepped(program, method, step, state, None)
        shaken = [_stepped(program, method, step, state, chooser) for _ in range(TRIALS)]
        settings = {"rtol": 1.0, "atol": 1.0} if method.adaptive else {"dt": step}
        run = simulate(
            state["q"],
            state["v"],
            t_end=step,
            record=step,
            method=method.name,
            parameters=parameters or None,
            **settings,
        )
        record.points += 1
        found = [*run.q[-1], *run.v[-1]]
        for k, (number, value) in enumerate(zip(found, exact, strict=True)):
            change = max(distance(other[k], value) for other in shaken)
            compare(record, float(number), value, change, f"(q, v)[{k}] after {step:g} s")
    return record


def _stepped(
    program: Program,
    method: Method,
    step: float,
    state: Arguments,
    chooser: random.Random | None,
) -> list[Any]:
    """(q, v) after a step: stage i stands at y + h Σ a_ij k_j, the end at y + h Σ b_i k_i."""
    size = len(state["q"])
    y = [mpmath.mpf(x) for x in (*state["q"], *state["v"])]
    stages: list[list[Any]] = []

    def moved(weights: Sequence[Any]) -> list[Any]:
        result = list(y)
        for weight, rates in zip(weights, stages, strict=False):
            factor = mpmath.mpf(step) * weight.numerator / weight.denominator
            result = [x + factor * k for x, k in zip(result, rates, strict=True)]
        return result

    def rates(q: list[Any], v: list[Any], t: Any) -> list[Any]:
        run = Run(program, {**state, "q": q, "v": v, "t": [t]}, chooser)
        return [x for name in ("qd", "a") for ref in program.refs(name) for x in run.values[ref]]

    assert isinstance(method.tableau, Tableau)
    for row, c in zip(method.tableau.a, method.tableau.c, strict=True):
        at = moved(row)
        stages.append(rates(at[:size], at[size:], mpmath.mpf(step) * c.numerator / c.denominator))
    end = moved(method.tableau.b)
    if method.staggered:
        stages = [rates(y[:size], end[size:], mpmath.mpf(0))]
        end[:size] = moved(method.tableau.b)[:size]
    return end

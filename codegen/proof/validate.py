"""Is the compiled code equal to its symbolic form? Block by block, and as a whole.

Each block gets the numbers that the compiled code itself handed to it, is evaluated from its
symbolic kernels in 50-digit arithmetic, and must agree to 16·κ units in the last place, κ
being what a change of one unit in the last place of all inputs, constants and statements
does to the exact result, as it is or in proportion to smaller changes. So a wrong block is named,
not those after it. The whole program is judged in the same way from its arguments.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Protocol

import mpmath
import numpy as np

from ...errors import NumericsError, UsageError
from ...symbolic.language.arithmetic import working
from ...symbolic.language.program import Call, Dense, Entry, Program, Ref
from ...symbolic.language.tolerances import LOST
from ..blocks import Block, Module
from ..generate import Generated
from .closed_states import Arguments, closed_state
from .library import judge_library
from .points import sample
from .records import (
    ALL,
    BLOCKS,
    NO_BLOCKS,
    SINES,
    SLACK,
    WHOLE,
    Proof,
    Record,
    changed,
    compare,
    distance,
)
from .replay import (
    DIGITS,
    Floats,
    Memory,
    Run,
    Values,
    replay,
    replay_dense,
    results,
    shaken_runs,
    shaken_values,
)
from .settled import judge_settled
from .sines import judge_sines

#: Perturbed evaluations by which κ is found, and those before a result counts as wrong: near a jump
#: (an angle's turn, the switch of a solve) a few may all fall on one side; a singular state needs
#: fine ones, which come with many.
TRIALS, MORE_TRIALS = 4, (12, 40)

#: Iterations of a loop that are judged at each point: both ends and some between.
ITERATIONS = 8

#: Kernel evaluations that a default run may spend; large models get fewer points.
BUDGET = 8_000

#: States with closed loops that are judged besides, at most.
CLOSED = 3

#: Code beside the solver's own is judged at one point for so many of its own.
MODULE = 10

#: More would take weeks.
MOST_POINTS = 1_000_000


#: Values of shaken evaluations, made when an error asks for them.
Shaken = Callable[[], list[Values]]


class Backend(Protocol):
    """Compiled code that can be looked into after an evaluation."""

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool: ...

    def workspace(self) -> dict[str, Floats]: ...

    def blank(self) -> None: ...


class Judged(Protocol):
    """Code and what it was made from."""

    @property
    def generated(self) -> Generated: ...

    @property
    def backend(self) -> Backend: ...


class Compiled(Judged, Protocol):
    """A solver, as far as it is judged."""

    @property
    def target(self) -> str: ...


def validate(
    solver: Compiled,
    *,
    points: int | None = None,
    seed: int = 0,
    parts: tuple[str, ...] = ALL,
) -> Proof:
    """Compare a compiled solver with its symbolic form at random and near-singular points.

    `points` states are drawn with `seed`; by default 100, fewer for large models so that the
    run stays short. In a loop the first, the last and some other iterations are judged. What the
    solver has loaded besides, as for its derivatives, is judged too, at a tenth of the points.
    `parts` says how the names begin of what is judged: `blocks`, or rows of what lies around them,
    such as `one step of rk4`, whose text is nearly that of all models.

    Units
        Errors in units in the last place (ulp).
    Raises
        UsageError: fewer than one point, or more than a million.
    Source
        own
    """
    judge = _Judge(solver)
    program = solver.generated.program
    if points is None:
        calls = sum(len(call.columns) for step in program.steps for call in step.calls)
        points = max(3, min(100, BUDGET // calls))
    if points < 1:
        raise UsageError(f"points = {points} must be 1 or more")
    if points > MOST_POINTS:
        raise UsageError(f"points = {points} must be {MOST_POINTS:,} or less")
    chooser = random.Random(seed)
    with mpmath.workdps(DIGITS), working(DIGITS):
        judge.parts(chooser, points, parts)
        if BLOCKS.startswith(parts):
            states = list(_closed(solver, chooser, min(points, CLOSED)))
            for state in states:
                judge.point(state, chooser)
            for record in judge_settled(program, states, random.Random(chooser.random())):
                judge.records[record.kernel] = record
        for record in judge_library(solver, chooser, points, parts):
            judge.records[record.kernel] = record
        for name, code in getattr(solver, "modules", {}).items():
            for record in _judged(code, max(1, points // MODULE), chooser, parts):
                record.kernel += f" ({name})"
                judge.records[record.kernel] = record
    return judge.proof(points, solver.target)


def _closed(solver: Compiled, chooser: random.Random, count: int) -> Iterable[Arguments]:
    """States with closed loops: there redundant conditions leave their matrix without full rank."""
    closes = hasattr(solver, "project") and hasattr(solver.backend, "project")
    if solver.generated.sources.interface.can_close and closes:
        states = (closed_state(solver, chooser) for _ in range(count))
        yield from (state for state in states if state is not None)


def _judged(
    code: Judged, points: int, chooser: random.Random, parts: tuple[str, ...]
) -> Iterable[Record]:
    """The records of code that a solver has loaded beside its own, and of what lies around it."""
    judge = _Judge(code)
    judge.parts(chooser, points, parts)
    yield from judge.records.values()
    yield from judge_library(code, chooser, points, parts)


class _Judge:
    """Judges one solver; collects a record for each block and each entry."""

    def __init__(self, solver: Judged) -> None:
        self.solver = solver
        self.module: Module = solver.generated.module
        self.program: Program = solver.generated.program
        self.records: dict[str, Record] = {}
        self.positions = {
            name: {member: i for i, member in enumerate(members)}
            for name, members in self.program.sets.items()
        }

    def parts(self, chooser: random.Random, points: int, parts: tuple[str, ...]) -> None:
        """Judge blocks at so many states, and sines, as far as they are asked for."""
        for number in range(points if BLOCKS.startswith(parts) else 0):
            self.point(sample(self.program, chooser, number), chooser)
        if SINES.startswith(parts):
            self.sines(chooser)

    def point(self, arguments: Mapping[str, Sequence[float]], chooser: random.Random) -> None:
        """Judge every entry, and every block once, at one state; what fails, thoroughly."""
        before = self.records
        failed_before = _failed(before)
        for trials in (TRIALS, *MORE_TRIALS):
            self.records = {name: replace(record) for name, record in before.items()}
            self._judge(arguments, chooser, trials)
            if failed_before or not _failed(self.records):
                return

    def _judge(
        self, arguments: Mapping[str, Sequence[float]], chooser: random.Random, trials: int
    ) -> None:
        """A state at which the program divides by zero, or loses all digits, says nothing."""
        try:
            exact = Run(self.program, arguments, None)
            shaken = shaken_runs(self.program, arguments, exact, chooser, trials)
            systems = [step.dense for step in self.module.steps if step.dense]
            if any(self._lost(dense, exact, shaken) for dense in systems):
                return
        except NumericsError:
            return
        seen: set[str] = set()
        for entry in self.module.entries:
            buffers = self._evaluate(entry.name, arguments)
            self._judge_entry(entry.name, buffers, exact, shaken)
            if not hasattr(self.solver.backend, "workspace"):
                continue  # what runs on a device leaves nothing but results
            memory = self._kept(entry, buffers)
            for name in entry.steps:
                if name not in seen:
                    seen.add(name)
                    step = self.module.step(name)
                    for block in step.blocks:
                        self._judge_block(name, block, memory, exact, shaken, chooser, trials)
                    if step.dense:
                        self._judge_dense(name, step.dense, memory, exact, chooser, trials)

    def _lost(self, dense: Dense, exact: Run, shaken: Shaken) -> bool:
        """Whether changes in the last place leave nothing of the unknowns."""
        refs = list(self.program.refs(dense.unknowns))
        size = max(abs(exact.values[ref][0]) for ref in refs)
        return any(
            distance(values[ref][0], exact.values[ref][0]) > LOST * float(size)
            for values in shaken()
            for ref in refs
        )

    def sines(self, chooser: random.Random) -> None:
        """Judge sines and cosines; those of NumPy are its own."""
        if hasattr(self.solver.backend, "structure"):
            for record in judge_sines(self.module, self._memory, chooser):
                self.records[record.kernel] = record

    def _memory(self, entry: Entry, arguments: Mapping[str, Sequence[float]]) -> Memory:
        """What an entry leaves behind at a state."""
        return self._kept(entry, self._evaluate(entry.name, arguments))

    def _kept(self, entry: Entry, buffers: Mapping[str, Floats]) -> Memory:
        workspace = self.solver.backend.workspace()
        return Memory(self.module, entry, self.positions, buffers, workspace)

    def _evaluate(self, entry: str, arguments: Mapping[str, Sequence[float]]) -> dict[str, Floats]:
        interface = self.solver.generated.sources.interface
        buffers = {
            name: np.array([arguments[name]])
            if name in arguments
            else np.full((1, interface.sizes[name]), np.nan)
            for name in interface.arguments[entry]
        }
        self.solver.backend.blank()
        self.solver.backend.run(entry, buffers)
        return buffers

    def _record(self, kernel: str) -> Record:
        return self.records.setdefault(kernel, Record(kernel))

    def _judge_entry(
        self, entry: str, buffers: Mapping[str, Floats], exact: Run, shaken: Shaken
    ) -> None:
        record = self._record(f"{WHOLE}: {entry}")
        record.points += 1
        for name in self.solver.generated.sources.interface.results[entry]:
            flat = iter(buffers[name][0])
            for ref, own in results(self.program, entry, name):
                for k, value in enumerate(exact.values[own]):
                    change = changed(value, shaken, own, k)
                    compare(record, next(flat), value, change, f"{_place(ref)}[{k}]")

    def _judge_block(
        self,
        step: str,
        block: Block,
        memory: Memory,
        exact: Run,
        shaken: Shaken,
        chooser: random.Random,
        trials: int,
    ) -> None:
        record = self._record(f"{step}: {block.name} at {block.members}")
        for t in _iterations(block.count, chooser):
            record.points += 1
            calls = [
                call.at(call.columns[k])
                for call in block.calls[t]
                for k in _iterations(len(call.columns), chooser)
            ]
            try:
                found, known = replay(calls, memory, exact, None)
            except ArithmeticError:
                record.holds(False, f"{block.name}: what it is given")
                continue
            others = _replayed(calls, memory, exact, chooser, trials, found, known, shaken)
            for call in calls:
                for name, ref in call.writes.items():
                    stored = memory.read(ref)
                    for k, value in enumerate(found[ref]):
                        number = stored[k]
                        if number is None:
                            continue
                        change = changed(value, others, ref, k)
                        at = "" if ref.column is None else f", column {ref.column}"
                        where = f"{call.kernel.name} at {call.member}{at}: {name}[{k}]"
                        compare(record, number, value, change, where)

    def _judge_dense(
        self,
        step: str,
        dense: Dense,
        memory: Memory,
        exact: Run,
        chooser: random.Random,
        trials: int,
    ) -> None:
        record = self._record(f"{step}: dense system of {dense.matrix}")
        record.points += 1
        try:
            found = replay_dense(dense, memory, exact, None)
        except (ArithmeticError, NumericsError):
            record.holds(False, f"{dense.matrix}, which is singular or not finite,")
            return
        own = random.Random(chooser.random())
        others = cache(
            lambda: shaken_values(
                lambda drawn: replay_dense(dense, memory, exact, drawn), found, own, trials
            )
        )
        for ref, (value,) in found.items():
            (number,) = memory.read(ref)
            change = changed(value, others, ref, 0)
            compare(record, math.nan if number is None else number, value, change, _place(ref))

    def proof(self, points: int, target: str) -> Proof:
        rows = tuple(record.row() for record in self.records.values())
        blocks = [r for r in self.records.values() if not r.kernel.startswith(NO_BLOCKS)]
        failed = [r for r in blocks if r.error > SLACK]
        worst = max(failed or self.records.values(), key=lambda record: record.error)
        words = (
            f"{worst.kernel}: {worst.where} is off by {worst.error:.3g} κ ulp, {SLACK} are allowed"
        )
        return Proof(target, points, rows, words)


def _replayed(
    calls: Sequence[Call],
    memory: Memory,
    exact: Run,
    chooser: random.Random,
    trials: int,
    found: Values,
    known: bool,
    shaken: Shaken,
) -> Shaken:
    """What shaken replays give, and shaken runs where not all inputs were found in memory."""
    own = random.Random(chooser.random())

    def made() -> list[Values]:
        others = shaken_values(
            lambda drawn: replay(calls, memory, exact, drawn)[0], found, own, trials
        )
        return others if known else others + shaken()

    return cache(made)


def _failed(records: Mapping[str, Record]) -> bool:
    return any(record.error > SLACK for record in records.values())


def _place(ref: Ref) -> str:
    return f"{ref.array}[{ref.member}]" + ("" if ref.column is None else f"[{ref.column}]")


def _iterations(count: int, chooser: random.Random) -> Sequence[int]:
    if count <= ITERATIONS:
        return range(count)
    inner = chooser.sample(range(2, count - 1), ITERATIONS - 3)
    return [0, 1, *sorted(inner), count - 1]

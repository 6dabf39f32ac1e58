"""Is the compiled code equal to its symbolic form? Block by block, and as a whole.

Each block gets the numbers that the compiled code itself handed to it, is evaluated from its
symbolic kernels in 50-digit arithmetic, and must agree to 16·κ units in the last place, κ
being what a change of one unit in the last place of all inputs, constants and statements
does to the exact result. So a wrong block is named, not those after it. The whole program is judged in
the same way from its arguments.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import mpmath
import numpy as np
import numpy.typing as npt
import sympy as sp

from ..errors import ValidationError
from ..symbolic.program import Program, Ref, Storage
from .blocks import Block, Cell, Index, Module
from .generate import Generated
from .interpreter import Interpreter, digits, evaluate
from .points import sample

DIGITS = 50

#: Errors may reach this many times what one unit in the last place of the inputs does.
SLACK = 16

#: Perturbed evaluations by which κ is found.
TRIALS = 3

#: Iterations of a loop that are judged at each point: both ends and some between.
ITERATIONS = 8

#: Kernel evaluations that a default run may spend; large models get fewer points.
BUDGET = 20_000

Floats = npt.NDArray[np.float64]
Values = Mapping[Ref, Sequence[Any]]


class Backend(Protocol):
    """Compiled code that can be looked into after an evaluation."""

    def run(self, entry: str, buffers: Mapping[str, Floats]) -> bool: ...

    def workspace(self) -> dict[str, Floats]: ...


class Compiled(Protocol):
    """A solver, as far as it is judged."""

    @property
    def target(self) -> str: ...

    @property
    def generated(self) -> Generated: ...

    @property
    def backend(self) -> Backend: ...


@dataclass(frozen=True)
class Row:
    """The worst that was found of one block, or of one entry as a whole.

    `max_ulps` is the error and `bound` the permitted one, both in units in the last place of
    the result, where error / bound is largest; `points` counts the evaluations judged.
    """

    kernel: str
    points: int
    max_ulps: float
    bound: float
    ok: bool


@dataclass(frozen=True)
class Proof:
    """What validation found: `ok`, the largest error / bound row in words, and all rows."""

    target: str
    points: int
    rows: tuple[Row, ...]
    worst: str

    @property
    def ok(self) -> bool:
        return all(row.ok for row in self.rows)

    @property
    def max_ulps(self) -> float:
        """The largest error of any row, in units in the last place."""
        return max(row.max_ulps for row in self.rows)

    def require(self) -> None:
        """Do nothing if all rows are ok.

        Raises
            ValidationError: names the kernel, the member, the entry and the error.
        """
        if not self.ok:
            raise ValidationError(self.worst)


def validate(solver: Compiled, *, points: int | None = None, seed: int = 0) -> Proof:
    """Compare a compiled solver with its symbolic form at random and near-singular points.

    `points` states are drawn with `seed`; by default 100, fewer for large models so that the
    run stays short. In a loop the first, the last and some other iterations are judged.

    Units
        Errors in units in the last place (ulp).
    Source
        own
    """
    judge = _Judge(solver)
    program = solver.generated.program
    if points is None:
        calls = sum(len(step.calls) for step in program.steps)
        points = max(3, min(100, BUDGET // calls))
    chooser = random.Random(seed)
    with mpmath.workdps(DIGITS):
        for number in range(points):
            judge.point(sample(program, chooser, number), chooser)
    return judge.proof(points)


@dataclass
class _Record:
    """The running worst of one block or entry."""

    kernel: str
    points: int = 0
    ratio: float = -1.0
    ulps: float = 0.0
    bound: float = float(SLACK)
    where: str = ""

    def add(self, error: float, change: float, size: float, where: str) -> None:
        ulp = math.ulp(size)
        bound = SLACK * max(ulp, change)
        ratio = error / bound if math.isfinite(error) else math.inf
        if ratio > self.ratio:
            self.ratio, self.ulps, self.bound, self.where = ratio, error / ulp, bound / ulp, where


class _Judge:
    """Judges one solver; collects a record for each block and each entry."""

    def __init__(self, solver: Compiled) -> None:
        self.solver = solver
        self.module: Module = solver.generated.module
        self.program: Program = solver.generated.program
        self.records: dict[str, _Record] = {}
        self.positions = {
            name: {member: i for i, member in enumerate(members)}
            for name, members in self.program.sets.items()
        }

    def point(self, arguments: Mapping[str, Sequence[float]], chooser: random.Random) -> None:
        """Judge every entry, and every block once, at one state."""
        exact = _Run(self.program, arguments, None)
        shaken = [_Run(self.program, arguments, chooser) for _ in range(TRIALS)]
        seen: set[str] = set()
        for entry in self.module.entries:
            buffers = self._evaluate(entry.name, arguments)
            self._judge_entry(entry.name, buffers, exact, shaken)
            memory = _Memory(self.module, self.positions, buffers, self.solver.backend.workspace())
            for name in entry.steps:
                if name not in seen:
                    seen.add(name)
                    for block in self.module.step(name).blocks:
                        self._judge_block(name, block, memory, exact, shaken, chooser)

    def _evaluate(self, entry: str, arguments: Mapping[str, Sequence[float]]) -> dict[str, Floats]:
        interface = self.solver.generated.sources.interface
        buffers = {
            name: np.array([arguments[name]])
            if name in arguments
            else np.full((1, interface.sizes[name]), np.nan)
            for name in interface.arguments[entry]
        }
        self.solver.backend.run(entry, buffers)
        return buffers

    def _record(self, kernel: str) -> _Record:
        return self.records.setdefault(kernel, _Record(kernel))

    def _judge_entry(
        self, entry: str, buffers: Mapping[str, Floats], exact: _Run, shaken: Sequence[_Run]
    ) -> None:
        record = self._record(f"whole program: {entry}")
        record.points += 1
        for name in self.solver.generated.sources.interface.results[entry]:
            members = self.program.sets[self.program.arrays[name].index_set]
            flat = iter(buffers[name][0])
            for member in members:
                ref = Ref(name, member)
                for k, value in enumerate(exact.values[ref]):
                    change = max(_distance(run.values[ref][k], value) for run in shaken)
                    _compare(record, next(flat), value, change, f"{name}[{member}][{k}]")

    def _judge_block(
        self,
        step: str,
        block: Block,
        memory: _Memory,
        exact: _Run,
        shaken: Sequence[_Run],
        chooser: random.Random,
    ) -> None:
        record = self._record(f"{step}: {block.name} at {block.members}")
        for t in _iterations(block.count, chooser):
            record.points += 1
            found, known = _replay(block, t, memory, exact, None)
            others = [_replay(block, t, memory, exact, chooser)[0] for _ in range(TRIALS)]
            others += [] if known else [run.values for run in shaken]
            for call in block.calls[t]:
                for name, ref in call.writes.items():
                    stored = memory.read(ref)
                    for k, value in enumerate(found[ref]):
                        if stored[k] is None:
                            continue
                        change = max(_distance(other[ref][k], value) for other in others)
                        where = f"{call.kernel.name} at {call.member}: {name}[{k}]"
                        _compare(record, stored[k], value, change, where)

    def proof(self, points: int) -> Proof:
        rows = tuple(
            Row(record.kernel, record.points, record.ulps, record.bound, record.ratio <= 1.0)
            for record in self.records.values()
        )
        blocks = [r for r in self.records.values() if not r.kernel.startswith("whole")]
        failed = [r for r in blocks if r.ratio > 1.0]
        worst = max(failed or self.records.values(), key=lambda record: record.ratio)
        words = (
            f"{worst.kernel}: {worst.where} is off by {worst.ulps:.3g} ulp, "
            f"{worst.bound:.3g} are allowed"
        )
        return Proof(self.solver.target, points, rows, words)


def _compare(record: _Record, number: float, value: Any, change: float, where: str) -> None:
    error = _distance(number, value) if math.isfinite(number) else math.inf
    record.add(error, change, float(value), where)


def _distance(a: Any, b: Any) -> float:
    return float(abs(mpmath.mpf(a) - b))


def _iterations(count: int, chooser: random.Random) -> Sequence[int]:
    if count <= ITERATIONS:
        return range(count)
    inner = chooser.sample(range(2, count - 1), ITERATIONS - 3)
    return [0, 1, *sorted(inner), count - 1]


def _shaker(chooser: random.Random | None) -> Callable[[Any], Any]:
    """Moves a number by one unit in the last place, up or down; or leaves it."""
    if chooser is None:
        return lambda x: x
    return lambda x: x + chooser.choice((-1, 1)) * mpmath.mpf(math.ulp(float(x))) if x else x


class _Run:
    """All values of the program at one state in 50 digits, exact or shaken."""

    def __init__(
        self,
        program: Program,
        arguments: Mapping[str, Sequence[float]],
        chooser: random.Random | None,
    ) -> None:
        self.arithmetic = digits(DIGITS)
        shake = _shaker(chooser)
        parameters = dict(zip(program.runtime, arguments.get("p", ()), strict=True))
        self.interpreter = _Shaken(program, parameters, shake)
        given = {name: [shake(mpmath.mpf(x)) for x in flat] for name, flat in arguments.items()}
        values = self.interpreter.load(given)
        for step in program.steps:
            for call in step.calls:
                inputs = {
                    port.name: self.interpreter.read(call, port.name, values)
                    for port in call.kernel.inputs
                }
                outputs = evaluate(call.kernel, inputs, self.arithmetic, shake)
                for name, ref in call.writes.items():
                    values[ref] = outputs[name]
        self.values: Values = values


class _Shaken(Interpreter):
    """An interpreter whose constants are as rounded as those of the compiled code."""

    def __init__(
        self, program: Program, parameters: Mapping[str, float], shake: Callable[[Any], Any]
    ) -> None:
        super().__init__(program, digits(DIGITS), parameters)
        self._shake = shake
        self._shaken: dict[sp.ImmutableMatrix, list[Any]] = {}

    def constants(self, matrix: sp.Matrix) -> list[Any]:
        key = sp.ImmutableMatrix(matrix)
        if key not in self._shaken:
            exact = super().constants(matrix)
            self._shaken[key] = [self._shake(self.arithmetic.make(Fraction(x))) for x in exact]
        return self._shaken[key]

    def read(self, call: Any, port_name: str, values: Any) -> list[Any]:
        binding = call.reads[port_name]
        if isinstance(binding, Ref):
            return list(values[binding])
        port = next(port for port in call.kernel.inputs if port.name == port_name)
        flat = self.constants(binding)
        return [flat[i * port.cols + j] for i, j in port.entries]


class _Memory:
    """What the compiled code left behind: arguments, results and workspace."""

    def __init__(
        self,
        module: Module,
        positions: Mapping[str, Mapping[str, int]],
        buffers: Mapping[str, Floats],
        workspace: Mapping[str, Floats],
    ) -> None:
        self.module = module
        self.positions = positions
        self.buffers = buffers
        self.workspace = workspace

    def read(self, ref: Ref) -> list[float | None]:
        """The stored entries of a value; None where nothing is stored."""
        array = self.module.array(ref.array)
        position = self.positions[array.index_set][ref.member]
        entries = array.port.entries
        if array.storage is not Storage.WORK:
            if array.owner not in self.buffers:
                return [None] * len(entries)
            start = position * len(entries)
            return list(self.buffers[array.owner][0][start : start + len(entries)])
        names = [self.module.cell_name(Cell(ref.array, entry, Index(0))) for entry in entries]
        return [
            float(self.workspace[name][position]) if name in self.workspace else None
            for name in names
        ]


def _replay(
    block: Block, t: int, memory: _Memory, exact: _Run, chooser: random.Random | None
) -> tuple[dict[Ref, list[Any]], bool]:
    """Evaluate one iteration's calls from what the compiled code handed to them.

    Gives the outputs, and whether every input that varies was found in memory.
    """
    shake = _shaker(chooser)
    found: dict[Ref, list[Any]] = {}
    shaken: dict[Ref, list[Any]] = {}
    known = True
    for call in block.calls[t]:
        inputs = {}
        for port in call.kernel.inputs:
            binding = call.reads[port.name]
            if not isinstance(binding, Ref):
                constants = exact.interpreter.read(call, port.name, {})
                inputs[port.name] = [shake(x) for x in constants]
            elif binding in found:
                inputs[port.name] = found[binding]
            else:
                if binding not in shaken:
                    values, complete = _merge(memory.read(binding), exact.values[binding])
                    known = known and complete
                    shaken[binding] = [shake(x) for x in values]
                inputs[port.name] = shaken[binding]
        outputs = evaluate(call.kernel, inputs, exact.arithmetic, shake)
        for name, ref in call.writes.items():
            found[ref] = outputs[name]
    return found, known


def _merge(stored: Sequence[float | None], exact: Sequence[Any]) -> tuple[list[Any], bool]:
    merged = [b if a is None else mpmath.mpf(a) for a, b in zip(stored, exact, strict=True)]
    missing = any(a is None and b != 0 for a, b in zip(stored, exact, strict=True))
    return merged, not missing


def cases(proof: Proof) -> Iterator[str]:
    """The rows that are not ok, in words."""
    for row in proof.rows:
        if not row.ok:
            yield f"{row.kernel}: {row.max_ulps:.3g} ulp, {row.bound:.3g} allowed"

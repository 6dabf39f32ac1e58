"""A program's values in 50 digits: exact, shaken, or from what compiled code handed over."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy as sp

from ...errors import NumericsError
from ...symbolic.language.arithmetic import Arithmetic, decimals
from ...symbolic.language.elimination import solve_dense
from ...symbolic.language.interpreter import Constants, Interpreter, evaluate
from ...symbolic.language.program import Call, Dense, Entry, Program, Ref, Step, Storage
from ..blocks import Block, Cell, Index, Module
from ..frozen import snapped

DIGITS = 50

Floats = npt.NDArray[np.float64]
Values = dict[Ref, list[Any]]

UNDEFINED = "the program divides by zero at this state, or has no real value"


#: A share of a unit in the last place is a whole number of these parts.
_PARTS = 1 << 40


@cache
def _part(ulp: float) -> Decimal:
    return Decimal(ulp / _PARTS)


class Fine(random.Random):
    """Draws changes that are so small parts of a unit that results change in proportion."""


#: The part of a unit in the last place that is fine: of 50 digits it leaves 16.
FINE = Decimal(2) ** -60

#: To so many shaken evaluations comes a fine one: none where a few will do.
COARSE = 10


def _shaker(chooser: random.Random | None) -> Callable[..., Any]:
    """Moves a number by one unit in the last place on average, of itself or of a given size.

    The amounts are real numbers up to two units: signs alone would cancel each other.
    """
    if chooser is None:
        return lambda x, size=None: x
    scale = FINE if isinstance(chooser, Fine) else Decimal(1)

    def shake(x: Any, size: Any = None) -> Any:
        size = abs(x) if size is None else size
        if not size:
            return x
        return x + round(chooser.uniform(-2, 2) * _PARTS) * _part(math.ulp(float(size))) * scale

    return shake


def shaken(
    evaluate: Callable[[random.Random], Sequence[Any]],
    exact: Sequence[Any],
    chooser: random.Random,
    count: int,
) -> list[Sequence[Any]]:
    """So many shaken evaluations; to many come fine ones, drawn out to where a unit would lead.

    Near a singular state a unit in the last place leads far away from it, to results that are
    smaller, and so is the rounding of what leads to them; what is fine stays there.
    """
    found = [evaluate(chooser) for _ in range(count)]
    fine = Fine(chooser.random())
    for _ in range(count // COARSE):
        near = evaluate(fine)
        found.append([x + (y - x) / FINE for x, y in zip(exact, near, strict=True)])
    return found


def shaken_values(
    evaluate: Callable[[random.Random], Values], exact: Values, chooser: random.Random, count: int
) -> list[Values]:
    """The same of values by their places."""
    lengths = {ref: len(flat) for ref, flat in exact.items()}

    def flat(values: Values) -> list[Any]:
        return [x for ref in lengths for x in values[ref]]

    runs = shaken(lambda own: flat(evaluate(own)), flat(exact), chooser, count)
    taken = [iter(run) for run in runs]
    return [{ref: list(islice(run, n)) for ref, n in lengths.items()} for run in taken]


class _Rounded(dict[str, Callable[..., Any]]):
    """Functions of an arithmetic, whose values are shaken as a library's are rounded.

    What a law subtracts from such a value may leave little but that: 1 − tanh² at large times.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]], shake: Callable[..., Any]):
        super().__init__()
        self._functions, self._shake = functions, shake

    def __missing__(self, name: str) -> Callable[..., Any]:
        function = self._functions[name]
        return lambda *x: self._shake(function(*x))


def _arithmetic(chooser: random.Random | None) -> Arithmetic:
    """Numbers of 50 digits; with a chooser their functions are rounded."""
    plain = decimals(DIGITS)
    if chooser is None:
        return plain
    return replace(plain, functions=_Rounded(plain.functions, _shaker(chooser)))


class Run:
    """All values of the program at one state in 50 digits, exact or shaken.

    Where only some `results` are wanted, what they need is computed.

    Raises
        NumericsError: the program divides by zero at the state or has no real value there, or a
            dense system is singular.
    """

    def __init__(
        self,
        program: Program,
        arguments: Mapping[str, Sequence[float]],
        chooser: random.Random | None,
        results: Sequence[str] = (),
    ) -> None:
        shake = _shaker(chooser)
        parameters = dict(zip(program.runtime, arguments.get("p", ()), strict=True))
        self.interpreter = _Shaken(program, parameters, chooser)
        self.given = {name: [shake(Decimal(x)) for x in flat] for name, flat in arguments.items()}
        values = self.interpreter.load(self.given)
        again = _written_again(program)
        try:
            for step in _needed(program, results):
                self.interpreter.perform(step, values, shake)
                values |= {_by(step.name, ref): values[ref] for ref in again[step.name]}
        except ArithmeticError:
            raise NumericsError(UNDEFINED) from None
        if any(x != x for flat in values.values() for x in flat):
            raise NumericsError(UNDEFINED)
        self.values: Values = values


def shaken_runs(
    program: Program,
    arguments: Mapping[str, Sequence[float]],
    exact: Run,
    chooser: random.Random,
    count: int,
) -> Callable[[], list[Values]]:
    """The values of so many shaken runs, made when they are first asked for.

    What follows draws from `chooser` the same, whether they are or not.
    """
    own = random.Random(chooser.random())
    return cache(
        lambda: shaken_values(
            lambda drawn: Run(program, arguments, drawn).values, exact.values, own, count
        )
    )


@lru_cache(maxsize=4)
def _written_again(program: Program) -> dict[str, list[Ref]]:
    """What each step writes that another step writes too, for another entry."""
    written = {
        step.name: {
            *(ref for call in step.single_calls() for ref in call.writes.values()),
            *(program.refs(step.dense.unknowns) if step.dense else ()),
        }
        for step in program.steps
    }
    times = Counter(ref for refs in written.values() for ref in refs)
    return {name: [ref for ref in refs if times[ref] > 1] for name, refs in written.items()}


def _by(step: str, ref: Ref) -> Ref:
    """The value as one of several steps has written it."""
    return replace(ref, array=f"{ref.array} by {step}")


def results(program: Program, entry: str, name: str) -> Iterator[tuple[Ref, Ref]]:
    """The places of an entry's result, and of what its own steps have written there.

    Another entry may come to the same number another way, where other terms cancel.
    """
    again = _written_again(program)
    (own,) = (each.steps for each in program.entries if each.name == entry)
    for ref in program.refs(name):
        by = [step for step in own if ref in again[step]]
        yield ref, _by(by[-1], ref) if by else ref


@lru_cache(maxsize=4)
def _constants(program: Program, parameters: tuple[tuple[str, float], ...]) -> Constants:
    """The program's constants at these parameters, made once for all of its runs."""
    return Constants(dict(program.parameters) | dict(parameters))


def _needed(program: Program, results: Sequence[str]) -> Sequence[Step]:
    """The steps of those entries that have these results in the fewest steps, or all."""
    if not results:
        return program.steps
    names: set[str] = set()
    for result in results:
        having = [entry.steps for entry in program.entries if result in entry.results]
        fewest: tuple[str, ...] = min(having, key=len)
        names.update(fewest)
    return [step for step in program.steps if step.name in names]


class _Shaken(Interpreter):
    """An interpreter whose constants are snapped and rounded as those of the compiled code."""

    def __init__(
        self, program: Program, parameters: Mapping[str, float], chooser: random.Random | None
    ) -> None:
        super().__init__(program, _arithmetic(chooser), parameters)
        self.exact = _constants(program, tuple(sorted(parameters.items())))
        self._shake = _shaker(chooser)
        self._shaken: dict[int, list[Any]] = {}

    def constants(self, matrix: sp.Matrix) -> list[Any]:
        exact = self.exact.of(matrix)
        if id(exact) not in self._shaken:
            made = map(self.arithmetic.make, snapped(exact))
            self._shaken[id(exact)] = [self._shake(x) for x in made]
        return self._shaken[id(exact)]

    def read(self, call: Call, port_name: str, values: Mapping[Ref, list[Any]]) -> list[Any]:
        binding = call.reads[port_name]
        if isinstance(binding, Ref):
            return list(values[binding])
        port = next(port for port in call.kernel.inputs if port.name == port_name)
        flat = self.constants(binding)
        return [flat[i * port.cols + j] for i, j in port.entries]


class Memory:
    """What an entry of the compiled code left behind: arguments, results and workspace."""

    def __init__(
        self,
        module: Module,
        entry: Entry,
        positions: Mapping[str, Mapping[str, int]],
        buffers: Mapping[str, Floats],
        workspace: Mapping[str, Floats],
    ) -> None:
        self.module = module
        self.positions = positions
        self.buffers = buffers
        systems = [step.dense for name in entry.steps if (step := module.step(name)).dense]
        unknowns = {module.array(x.unknowns).port.entry_name(0, 0) for x in systems if x}
        stored = _stored(module, entry)
        self.workspace = {name: x for name, x in workspace.items() if name in {*stored, *unknowns}}
        self.places = {name: places for name, places in stored.items() if places is not None}

    def read(self, ref: Ref) -> list[float | None]:
        """The stored entries of a value; None where nothing is stored."""
        array = self.module.array(ref.array)
        position = self.positions[array.index_set][ref.member]
        if ref.column is not None:
            position = array.offsets[position] + ref.column
        entries = array.port.entries
        if array.storage is not Storage.WORK:
            if array.owner not in self.buffers:
                return [None] * len(entries)
            start = position * len(entries)
            return list(self.buffers[array.owner][0][start : start + len(entries)])
        names = [self.module.cell_name(Cell(ref.array, entry, Index(0))) for entry in entries]
        return [
            float(self.workspace[name][position])
            if name in self.workspace and position in self.places.get(name, (position,))
            else None
            for name in names
        ]


def _stored(module: Module, entry: Entry) -> dict[str, set[int] | None]:
    """What an entry's steps store of the workspace, and where, if it is not everywhere.

    What a step clears is stored everywhere.
    """
    found: dict[str, set[int] | None] = {}
    for block in (block for name in entry.steps for block in module.step(name).blocks):
        for cell, _ in block.stores:
            name = module.cell_name(cell)
            places = found.setdefault(name, set())
            if block.segmented:
                found[name] = None
            elif places is not None:
                places.update(_positions(block, cell))
    for array in {array for name in entry.steps for array in module.step(name).clears}:
        for place in module.array(array).port.entries:
            found[module.cell_name(Cell(array, place, Index(0)))] = None
    return found


def _positions(block: Block, cell: Cell) -> Iterator[int]:
    """Where a block stores a cell: at each iteration, and along it in each of its columns."""
    for t, calls in enumerate(block.calls):
        for column in calls[0].columns if cell.along else (0,):
            yield cell.index.at(t) + column


def replay(
    calls: Sequence[Call], memory: Memory, exact: Run, chooser: random.Random | None
) -> tuple[dict[Ref, list[Any]], bool]:
    """Evaluate one iteration's calls from what the compiled code handed to them.

    Gives the outputs, and whether every input that varies was found in memory.

    Raises
        ArithmeticError: what was handed over is no finite number, or zero where it divides.
    """
    shake, arithmetic = _shaker(chooser), _arithmetic(chooser)
    found: dict[Ref, list[Any]] = {}
    shaken: dict[Ref, list[Any]] = {}
    known = True
    for call in calls:
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
        outputs = evaluate(call.kernel, inputs, arithmetic, shake)
        for name, ref in call.writes.items():
            found[ref] = outputs[name]
    return found, known


def replay_dense(
    dense: Dense, memory: Memory, exact: Run, chooser: random.Random | None
) -> dict[Ref, list[Any]]:
    """Solve a dense system as the compiled code found it.

    Raises
        ArithmeticError: an entry is no finite number.
        NumericsError: the matrix is singular.
    """
    program = memory.module.program
    stored = {
        ref: [Decimal(x) for x in _finite(memory.read(ref)) if x is not None]
        for name in (dense.matrix, dense.rhs)
        for ref in program.refs(name)
    }
    shake = _shaker(chooser)
    matrix, rhs = exact.interpreter.system(dense, stored)
    found = solve_dense(matrix, [shake(x) for x in rhs], shake if chooser else None)
    return dict(zip(program.refs(dense.unknowns), found, strict=True))


def _merge(stored: Sequence[float | None], exact: Sequence[Any]) -> tuple[list[Any], bool]:
    given = zip(_finite(stored), exact, strict=True)
    merged = [b if a is None else Decimal(a) for a, b in given]
    missing = any(a is None and b != 0 for a, b in zip(stored, exact, strict=True))
    return merged, not missing


def _finite(stored: Sequence[float | None]) -> Sequence[float | None]:
    if not all(x is None or math.isfinite(x) for x in stored):
        raise ArithmeticError("no finite number")
    return stored

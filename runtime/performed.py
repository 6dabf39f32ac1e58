"""What each call of a program states at one state, in numbers, as a page has it beside symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np

from ..errors import NumericsError
from ..symbolic.language.arithmetic import FLOAT, digits
from ..symbolic.language.interpreter import Interpreter, evaluate
from ..symbolic.language.program import Call, Dense, Entry, Kernel, Port, Program, Ref, Step
from .evaluation.arrays import Floats

#: What statements are computed with, before they are doubles.
DIGITS = 30

#: Of more calls than this, doubles are enough: digits take fifty times as long.
MANY_CALLS = 3_000

#: A system of more unknowns than this is solved in doubles, as the emitted code does.
MANY_UNKNOWNS = 40


@dataclass(frozen=True, eq=False)
class Performed:
    """A call as it was carried out: what it read and what each statement came to, as matrices."""

    step: Step
    call: Call
    inputs: Mapping[str, Floats]
    statements: Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Solved:
    """A dense system as it was solved: unknowns = matrix⁻¹ right."""

    step: Step
    matrix: Floats
    right: Floats
    unknowns: Floats


def performed(
    program: Program,
    entry: Entry,
    given: Mapping[str, Sequence[float]],
    parameters: Mapping[str, float],
) -> Iterator[Performed | Solved]:
    """Every call of an entry's steps in order, then the step's dense system if it has one.

    `given` are the caller's flat buffers, SI units.

    Raises
        NumericsError: a step divides by zero, or gives what is no real number.
    Source
        own
    """
    steps = [program.step(name) for name in entry.steps]
    count = sum(len(call.columns) for step in steps for call in step.calls)
    arithmetic = FLOAT if count > MANY_CALLS else digits(DIGITS)
    interpreter = Interpreter(program, arithmetic, parameters)
    numbers = {
        name: [arithmetic.make(Fraction(x)) for x in values] for name, values in given.items()
    }
    with mpmath.workdps(DIGITS):
        values = interpreter.load(numbers)
        for step in steps:
            try:
                yield from _step(interpreter, step, values)
            except (ZeroDivisionError, ValueError, TypeError) as error:
                raise NumericsError(f"step {step.name} of {entry.name}: {error}") from None


def _step(
    interpreter: Interpreter, step: Step, values: dict[Ref, list[Any]]
) -> Iterator[Performed | Solved]:
    interpreter.perform(replace(step, calls=(), dense=None), values)
    for call in step.single_calls():
        inputs = {p.name: interpreter.read(call, p.name, values) for p in call.kernel.inputs}
        ports = tuple(statement.port for statement in call.kernel.statements)
        found = evaluate(_whole(call.kernel), inputs, interpreter.arithmetic)
        for name, ref in call.writes.items():
            values[ref] = found[name]
        yield Performed(
            step,
            call,
            {port.name: matrix(port, inputs[port.name]) for port in call.kernel.inputs},
            {port.name: matrix(port, found[port.name]) for port in ports},
        )
    if step.dense:
        yield _solved(interpreter, step, step.dense, values)


@cache
def _whole(kernel: Kernel) -> Kernel:
    """The kernel with all its statements as outputs; one for all calls, which is read once."""
    return replace(kernel, outputs=tuple(statement.port for statement in kernel.statements))


def _solved(
    interpreter: Interpreter, step: Step, dense: Dense, values: dict[Ref, list[Any]]
) -> Solved:
    rows, rhs = interpreter.system(dense, values)
    A, b = np.array(rows, dtype=float), np.array(rhs, dtype=float)
    if len(rhs) > MANY_UNKNOWNS:
        try:
            x = np.linalg.solve(A, b)
        except np.linalg.LinAlgError:
            raise NumericsError(f"the system of step {step.name} is singular here") from None
        make = interpreter.arithmetic.make
        refs = list(interpreter.program.refs(dense.unknowns))
        values |= {ref: [make(Fraction(float(y)))] for ref, y in zip(refs, x, strict=True)}
    else:
        interpreter.perform(replace(step, calls=(), clears=()), values)
        x = np.array(interpreter.flat(dense.unknowns, values), dtype=float)
    return Solved(step, A, b, x)


def matrix(port: Port, flat: Sequence[Any]) -> Floats:
    """A port's entries as a matrix of its shape, the lower half of a symmetric one filled."""
    known = dict(zip(port.entries, map(float, flat), strict=True))
    rows = [[known[port.independent(i, j)] for j in range(port.cols)] for i in range(port.rows)]
    return np.array(rows).reshape(port.rows, port.cols)

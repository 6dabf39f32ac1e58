"""The reference interpreter: runs a program from its symbolic kernels, generating no code.

It evaluates each statement's SymPy matrix in floats, in exact fractions or with mpmath to
any number of digits. It shares nothing with the passes and printers, and is what generated
code is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import sympy as sp

from ..errors import NumericsError, UsageError
from ..symbolic.program import (
    CUT_OFF,
    ROUNDING,
    Call,
    Dense,
    Entry,
    Kernel,
    Let,
    Policy,
    Program,
    Ref,
    Solve,
    Statement,
    Step,
    Storage,
)

Number = Any
Rows = list[list[Number]]
Rounded = Callable[..., Number]


@dataclass(frozen=True)
class Arithmetic:
    """How numbers are made and which module has their elementary functions."""

    name: str
    module: str
    make: Callable[[Fraction], Number]


FLOAT = Arithmetic("double", "math", float)
EXACT = Arithmetic("exact fractions", "exact", Fraction)


def _refused(*_: Number) -> Number:
    raise UsageError("atan2 has no exact form; use floats or digits")


#: Where an arithmetic's elementary functions are.
_MODULES: dict[str, list[Any]] = {"exact": [{"atan2": _refused}, "math"]}


def digits(count: int) -> Arithmetic:
    """mpmath numbers; the caller sets `mpmath.mp.dps` (see `working_digits`)."""
    return Arithmetic(
        f"{count} digits", "mpmath", lambda x: mpmath.mpf(x.numerator) / x.denominator
    )


@cache
def _functions(kernel: Kernel, module: str) -> tuple[tuple[Callable[..., Any], ...], ...]:
    """For each statement the functions of its matrices, of all entries known before it."""
    known: list[sp.Symbol] = [
        symbol for port in kernel.inputs for symbol in _entries(port.symbols(), port.entries)
    ]
    functions = []
    modules = _MODULES.get(module, [module])
    for statement in kernel.statements:
        if isinstance(statement, Let):
            matrices = [statement.value]
        else:
            matrices = [statement.matrix, statement.rhs]
        functions.append(
            tuple(sp.lambdify(known, matrix.tolist(), modules=modules) for matrix in matrices)
        )
        known += _entries(statement.port.symbols(), statement.port.entries)
    return tuple(functions)


@cache
def _sizes(kernel: Kernel, module: str) -> tuple[Callable[..., Any] | None, ...]:
    """For each `let` the sizes of its entries' sums: of their terms, however they cancel."""
    known: list[sp.Symbol] = [
        symbol for port in kernel.inputs for symbol in _entries(port.symbols(), port.entries)
    ]
    functions: list[Callable[..., Any] | None] = []
    modules = _MODULES.get(module, [module])
    for statement in kernel.statements:
        if isinstance(statement, Let):
            sizes = statement.value.applyfunc(_size)
            functions.append(sp.lambdify(known, sizes.tolist(), modules=modules))
        else:
            functions.append(None)
        known += _entries(statement.port.symbols(), statement.port.entries)
    return tuple(functions)


def _size(expression: sp.Expr) -> sp.Expr:
    return sp.Add(*(sp.Abs(term) for term in sp.Add.make_args(expression)))


def _entries(matrix: Any, entries: Sequence[tuple[int, int]]) -> list[Any]:
    return [matrix[i, j] for i, j in entries]


def evaluate(
    kernel: Kernel,
    inputs: Mapping[str, Sequence[Number]],
    arithmetic: Arithmetic,
    rounded: Rounded | None = None,
) -> dict[str, list[Number]]:
    """All outputs of a kernel; inputs and outputs are lists of a port's entries, in order.

    `rounded` is applied to every value that a statement computes; its second argument is the
    size that rounding goes by: that of a sum's terms, or in a solve that of all its unknowns.
    """
    known = [x for port in kernel.inputs for x in inputs[port.name]]
    found: dict[str, list[Number]] = {}
    sizes = _sizes(kernel, arithmetic.module) if rounded else (None,) * len(kernel.statements)
    for statement, functions, size in zip(
        kernel.statements, _functions(kernel, arithmetic.module), sizes, strict=True
    ):
        if isinstance(statement, Let):
            rows = functions[0](*known)
        else:
            rows = _solve(functions[0](*known), functions[1](*known), statement.policy)
        values = [rows[i][j] + arithmetic.make(Fraction(0)) for i, j in statement.port.entries]
        if rounded is not None:
            values = _rounded(values, statement, size(*known) if size else None, rounded)
        found[statement.port.name] = values
        known += values
    return {port.name: found[port.name] for port in kernel.outputs}


def _rounded(
    values: list[Number],
    statement: Statement,
    sizes: Rows | None,
    rounded: Rounded,
) -> list[Number]:
    if sizes is not None:
        entries = statement.port.entries
        return [rounded(x, abs(sizes[i][j])) for x, (i, j) in zip(values, entries, strict=True)]
    assert isinstance(statement, Solve)
    accumulated = statement.matrix.rows * max(map(abs, values))
    return [rounded(value, accumulated) for value in values]


def _solve(matrix: Rows, rhs: Rows, policy: Policy) -> Rows:
    """Gaussian elimination (pivoted unless the policy is LDL), or by eigenvalues."""
    if policy is Policy.MIN_NORM:
        return _min_norm(matrix, rhs)
    size = len(matrix)
    rows = [list(left) + list(right) for left, right in zip(matrix, rhs, strict=True)]
    for k in range(size):
        if policy is Policy.LU:
            best = max(range(k, size), key=lambda i: abs(rows[i][k]))
            rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, size):
            factor = rows[i][k] / rows[k][k]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    for k in reversed(range(size)):
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(k):
            factor = rows[i][k]
            if factor:
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[size:] for row in rows]


def _is_sound(matrix: Rows) -> bool:
    """Are all pivots of L D Lᵀ above `CUT_OFF` of their diagonal entries?"""
    if not all(_counted(matrix)):
        return False
    rows = [list(row) for row in matrix]
    for k, row in enumerate(rows):
        if not row[k] > CUT_OFF * matrix[k][k]:
            return False
        for i in range(k + 1, len(rows)):
            factor = rows[i][k] / row[k]
            rows[i] = [x - factor * y for x, y in zip(rows[i], row, strict=True)]
    return True


def _counted(matrix: Rows) -> list[bool]:
    """Which diagonal entries are more than rounding."""
    diagonal = [row[i] for i, row in enumerate(matrix)]
    return [x > ROUNDING * max(diagonal) for x in diagonal]


def _min_norm(matrix: Rows, rhs: Rows) -> Rows:
    """Least squares of a positive semidefinite system A x = b, of the least Σ Aᵢᵢ xᵢ².

    In float or mpmath. By elimination where no pivot is below `CUT_OFF` of its diagonal entry,
    else by the eigenvalues of A scaled to unit diagonal.
    """
    size = len(matrix)
    if any(isinstance(x, Fraction) for row in matrix for x in row):
        raise UsageError("a minimum norm has no exact form; use floats or digits")
    if _is_sound(matrix):
        return _solve(matrix, rhs, Policy.LDL)
    scale = [
        row[i] ** -0.5 if counts else 0
        for i, (row, counts) in enumerate(zip(matrix, _counted(matrix), strict=True))
    ]
    scaled = [[scale[i] * x * scale[j] for j, x in enumerate(row)] for i, row in enumerate(matrix)]
    if any(isinstance(x, mpmath.mpf) for row in (*matrix, *rhs) for x in row):
        values, vectors = mpmath.eigsy(mpmath.matrix(scaled))
    else:
        values, vectors = np.linalg.eigh(np.array(scaled, dtype=np.float64))
    largest = max(values[k] for k in range(size))
    kept = [k for k in range(size) if values[k] > CUT_OFF * largest]
    found = [[0 * x for x in row] for row in rhs]
    for j in range(len(rhs[0])):
        for k in kept:
            amount = sum(vectors[i, k] * scale[i] * rhs[i][j] for i in range(size)) / values[k]
            for i in range(size):
                found[i][j] += amount * vectors[i, k] * scale[i]
    return found


def solve_dense(matrix: Rows, rhs: Sequence[Number], rounded: Rounded | None = None) -> Rows:
    """matrix⁻¹ rhs by pivoted elimination, one row an unknown.

    `rounded` changes every entry of the matrix by what rounding does in an elimination: in
    proportion to the largest entries of its row and its column.

    Raises
        NumericsError: the matrix is exactly singular.
    """
    try:
        if rounded is not None:
            matrix = _shaken(matrix, rounded)
        return _solve(matrix, [[x] for x in rhs], Policy.LU)
    except ZeroDivisionError:
        raise NumericsError("the matrix of the dense system is singular") from None


def _shaken(matrix: Rows, rounded: Rounded) -> Rows:
    rows = [max(map(abs, row)) for row in matrix]
    columns = [
        max(abs(x) / r for x, r in zip(column, rows, strict=True))
        for column in zip(*matrix, strict=True)
    ]
    return [
        [rounded(x, r * c) for x, c in zip(row, columns, strict=True)]
        for row, r in zip(matrix, rows, strict=True)
    ]


class Interpreter:
    """Runs the entries of one program.

    `parameters` are the values of the model's parameters; every number is converted exactly
    before the arithmetic rounds it.
    """

    def __init__(
        self,
        program: Program,
        arithmetic: Arithmetic = FLOAT,
        parameters: Mapping[str, float] | None = None,
    ) -> None:
        self.program = program
        self.arithmetic = arithmetic
        values = dict(program.parameters) | dict(parameters or {})
        self._symbols = {
            sp.Symbol(name, real=True): sp.Rational(*Fraction(value).as_integer_ratio())
            for name, value in values.items()
        }
        self._constants: dict[sp.ImmutableMatrix, list[Fraction]] = {}

    def entry(self, name: str) -> Entry:
        """The entry called `name`.

        Raises
            UsageError: the program has none; lists those it has.
        """
        for entry in self.program.entries:
            if entry.name == name:
                return entry
        known = ", ".join(entry.name for entry in self.program.entries)
        raise UsageError(f"{self.program.name} has no {name!r}; it has: {known}")

    def constants(self, matrix: sp.Matrix) -> list[Fraction]:
        """A constant matrix's entries at the parameters' values, row by row, exactly."""
        key = sp.ImmutableMatrix(matrix)
        if key not in self._constants:
            self._constants[key] = [_fraction(x.xreplace(self._symbols)) for x in matrix]
        return self._constants[key]

    def read(self, call: Call, port_name: str, values: Mapping[Ref, list[Number]]) -> list[Number]:
        """What a call finds at one of its inputs."""
        binding = call.reads[port_name]
        if isinstance(binding, Ref):
            return values[binding]
        port = next(port for port in call.kernel.inputs if port.name == port_name)
        flat = self.constants(binding)
        return [self.arithmetic.make(flat[i * port.cols + j]) for i, j in port.entries]

    def load(self, arguments: Mapping[str, Sequence[Number]]) -> dict[Ref, list[Number]]:
        """The caller's flat buffers, taken apart by member."""
        values: dict[Ref, list[Number]] = {}
        for array in self.program.arrays.values():
            if array.storage is not Storage.ARGUMENT:
                continue
            flat = list(arguments[array.owner])
            width = len(array.port.entries)
            for index, member in enumerate(self.program.sets[array.index_set]):
                values[Ref(array.name, member)] = flat[index * width : (index + 1) * width]
        return values

    def run(self, entry: str, arguments: Mapping[str, Sequence[Number]]) -> dict[Ref, list[Number]]:
        """Every value that the entry computes, by array and member.

        `arguments` are flat buffers (`q`, `v`, …) of numbers of this arithmetic.

        Raises
            UsageError: the program has no such entry.
        """
        values = self.load(arguments)
        for name in self.entry(entry).steps:
            self.perform(self.program.step(name), values)
        return values

    def perform(
        self, step: Step, values: dict[Ref, list[Number]], rounded: Rounded | None = None
    ) -> None:
        """Add what a step computes to the values; `rounded` as in `evaluate`."""
        zero = self.arithmetic.make(Fraction(0))
        for name in step.clears:
            entries = len(self.program.arrays[name].port.entries)
            values |= {ref: [zero] * entries for ref in self.program.refs(name)}
        for call in step.single_calls():
            inputs = {port.name: self.read(call, port.name, values) for port in call.kernel.inputs}
            outputs = evaluate(call.kernel, inputs, self.arithmetic, rounded)
            for name, ref in call.writes.items():
                values[ref] = outputs[name]
        if step.dense:
            found = solve_dense(*self.system(step.dense, values), rounded)
            for ref, row in zip(self.program.refs(step.dense.unknowns), found, strict=True):
                values[ref] = row

    def system(self, dense: Dense, values: Mapping[Ref, list[Number]]) -> tuple[Rows, list[Number]]:
        """Matrix and right-hand side of a dense system."""
        flat = iter(self.flat(dense.matrix, values))
        rhs = self.flat(dense.rhs, values)
        return [[next(flat) for _ in rhs] for _ in rhs], rhs

    def results(
        self, entry: str, arguments: Mapping[str, Sequence[Number]]
    ) -> dict[str, list[Number]]:
        """The entry's results as flat buffers."""
        values = self.run(entry, arguments)
        return {name: self.flat(name, values) for name in self.entry(entry).results}

    def flat(self, array: str, values: Mapping[Ref, list[Number]]) -> list[Number]:
        """An array as one flat buffer, member by member."""
        return [x for ref in self.program.refs(array) for x in values[ref]]


def _fraction(value: sp.Expr) -> Fraction:
    if isinstance(value, sp.Rational):
        return Fraction(int(value.p), int(value.q))
    number = sp.Rational(str(value.evalf(60)))
    return Fraction(int(number.p), int(number.q))

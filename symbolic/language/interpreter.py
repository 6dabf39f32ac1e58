"""The reference interpreter: runs a program from its symbolic kernels, generating no code.

It is generic in its numbers: those of `arithmetic` or whatever else adds, multiplies and divides,
rational functions of symbols among it. It shares nothing with the passes and printers, and is what
generated code is compared with.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce

import sympy as sp

from ...errors import UsageError
from .arithmetic import FLOAT, Arithmetic, Number
from .elimination import Rounded, Rows, solve, solve_dense
from .program import (
    Call,
    Dense,
    Entry,
    Kernel,
    Let,
    Port,
    Program,
    Ref,
    Step,
    Storage,
)

#: An expression as a function of all that is known so far, in an arithmetic.
Function = Callable[[Sequence[Number], Arithmetic], Number]


def _function(x: sp.Expr, places: Mapping[str, int]) -> Function:
    """The expression as a function; a symbol's place among the values is `places` of its name."""
    if x.is_Symbol:
        return lambda values, _, at=places[x.name]: values[at]  # type: ignore[misc]
    if x.is_Rational:
        return lambda _, numbers, number=Fraction(int(x.p), int(x.q)): numbers.make(number)  # type: ignore[misc]
    if x.is_Add:
        return _folded(operator.add, x.args, places)
    if x.is_Mul:
        return _product(x, places)
    if x.is_Pow and x.base is not sp.E:
        return _power(x.base, x.exp, places)
    name, arguments = (type(x).__name__, x.args) if x.is_Function else (str(x), ())
    if x.is_Pow:
        name, arguments = "exp", (x.exp,)
    parts = [_function(argument, places) for argument in arguments]
    return lambda values, numbers: numbers.functions[name](*(f(values, numbers) for f in parts))


def _folded(
    fold: Callable[[Number, Number], Number], parts: Sequence[sp.Expr], places: Mapping[str, int]
) -> Function:
    if len(parts) > 1 and all(part.is_Symbol for part in parts):
        of = operator.itemgetter(*(places[part.name] for part in parts))
        return lambda values, _: reduce(fold, of(values))
    functions = [_function(part, places) for part in parts]
    if len(functions) == 1:
        return functions[0]
    return lambda values, numbers: reduce(fold, (f(values, numbers) for f in functions))


def _product(x: sp.Expr, places: Mapping[str, int]) -> Function:
    """A product, with one division by all that has a negative power."""
    over = [y for y in x.args if y.is_Pow and y.exp.is_Rational and y.exp < 0]
    under = [y.base ** (-y.exp) for y in over]
    above = [y for y in x.args if y not in over]
    minus = bool(above) and above[0] is sp.S.NegativeOne
    top = _folded(operator.mul, above[minus:] or [sp.S.One], places)
    bottom = _folded(operator.mul, under, places) if under else None

    if bottom is None:
        return (lambda values, numbers: -top(values, numbers)) if minus else top

    def value(values: Sequence[Number], numbers: Arithmetic) -> Number:
        found = top(values, numbers) / bottom(values, numbers)
        return -found if minus else found

    return value


def _power(base: sp.Expr, exponent: sp.Expr, places: Mapping[str, int]) -> Function:
    of = _function(base, places)
    if exponent.is_Integer:
        count = int(exponent)
        if count > 0:
            return lambda values, numbers: of(values, numbers) ** count
        return lambda values, numbers: numbers.make(Fraction(1)) / of(values, numbers) ** -count
    if abs(exponent) == sp.S.Half:
        root: Function = lambda values, numbers: numbers.functions["sqrt"](of(values, numbers))  # noqa: E731
        if exponent > 0:
            return root
        return lambda values, numbers: numbers.make(Fraction(1)) / root(values, numbers)
    to = _function(exponent, places)
    return lambda values, numbers: numbers.functions["pow"](
        of(values, numbers), to(values, numbers)
    )


@cache
def _functions(kernel: Kernel) -> tuple[tuple[list[list[Function]], ...], ...]:
    """For each statement the functions of its matrices, of all entries known before it.

    That of a `let` has a row for each entry: the terms of its sum.
    """
    places: dict[str, int] = {}

    def know(port: Port) -> None:
        for entry in port.entries:
            places[port.entry_name(*entry)] = len(places)

    def rows(matrix: Iterable[Iterable[sp.Expr]]) -> list[list[Function]]:
        return [[_function(x, places) for x in row] for row in matrix]

    for port in kernel.inputs:
        know(port)
    functions: list[tuple[list[list[Function]], ...]] = []
    for statement in kernel.statements:
        if isinstance(statement, Let):
            entries = (statement.value[i, j] for i, j in statement.port.entries)
            functions.append((rows(sp.Add.make_args(entry) for entry in entries),))
        else:
            functions.append(tuple(rows(matrix.tolist()) for matrix in statement.parts))
        know(statement.port)
    return tuple(functions)


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
    zero = arithmetic.make(Fraction(0))
    for statement, of in zip(kernel.statements, _functions(kernel), strict=True):
        given = [[[f(known, arithmetic) for f in row] for row in matrix] for matrix in of]
        if isinstance(statement, Let):
            values = [_sum(terms, zero, rounded) for terms in given[0]]
        else:
            matrix, rhs, reach = given
            rows = solve(matrix, rhs, statement.policy, arithmetic.size, [x for (x,) in reach])
            values = [rows[i][j] + zero for i, j in statement.port.entries]
            if rounded is not None:
                accumulated = statement.matrix.rows * max(map(abs, values))
                values = [rounded(value, accumulated) for value in values]
        found[statement.port.name] = values
        known += values
    return {port.name: found[port.name] for port in kernel.outputs}


def _sum(terms: Sequence[Number], zero: Number, rounded: Rounded | None) -> Number:
    total = sum(terms, zero)
    return total if rounded is None else rounded(total, sum(map(abs, terms)))


class Constants:
    """Constant matrices, exactly, at the values of the model's parameters."""

    def __init__(self, parameters: Mapping[str, float | Fraction]) -> None:
        self._symbols = {
            sp.Symbol(name, real=True): sp.Rational(*Fraction(value).as_integer_ratio())
            for name, value in parameters.items()
        }
        self._equal: dict[sp.ImmutableMatrix, tuple[Fraction, ...]] = {}
        # By identity, since to hash a matrix takes long; kept, so that no other takes its place.
        self._seen: dict[int, tuple[sp.Matrix, tuple[Fraction, ...]]] = {}

    def of(self, matrix: sp.Matrix) -> tuple[Fraction, ...]:
        """The entries, row by row: the same tuple for all matrices that are equal."""
        if id(matrix) not in self._seen:
            key = sp.ImmutableMatrix(matrix)
            if key not in self._equal:
                self._equal[key] = tuple(_fraction(x.xreplace(self._symbols)) for x in matrix)
            self._seen[id(matrix)] = matrix, self._equal[key]
        return self._seen[id(matrix)][1]


class Interpreter:
    """Runs the entries of one program.

    `parameters` are the values of the model's parameters; every number is converted exactly
    before the arithmetic rounds it.
    """

    def __init__(
        self,
        program: Program,
        arithmetic: Arithmetic = FLOAT,
        parameters: Mapping[str, float | Fraction] | None = None,
    ) -> None:
        self.program = program
        self.arithmetic = arithmetic
        self.exact = Constants({**program.parameters, **(parameters or {})})

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

    def constants(self, matrix: sp.Matrix) -> Sequence[Number]:
        """A constant matrix's entries at the parameters' values, row by row, exactly."""
        return self.exact.of(matrix)

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
            system = self.system(step.dense, values)
            found = solve_dense(*system, rounded, self.arithmetic.size)
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

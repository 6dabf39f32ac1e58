"""Complex numbers as pairs of real ones: a program with complex arguments becomes one of pairs.

What is complex follows from what a statement is made of. A complex port becomes a port of twice as
many columns, real parts beside imaginary ones, so that an array of it is one of complex numbers to
its caller. The interpreter needs none of this: it runs the program itself, in complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import chain
from typing import Any

import sympy as sp

from ...errors import InternalError
from ...model.expressions.functions import step
from .program import (
    Call,
    Kernel,
    Let,
    Policy,
    Port,
    Program,
    Ref,
    Solve,
    Statement,
    Step,
    Storage,
)
from .walk import Action, Place, Walk

#: A number's real and imaginary part.
Pair = tuple[sp.Expr, sp.Expr]

_NONE = sp.Integer(0)


@dataclass(frozen=True)
class Pairs(Port):
    """A complex port as pairs: of each entry the real part, then the imaginary one.

    `cols` counts both.
    """

    @classmethod
    def of(cls, port: Port) -> Pairs:
        """The pairs that a complex port is."""
        return cls(port.name, port.rows, 2 * port.cols, port.symmetric)

    @cached_property
    def entries(self) -> tuple[tuple[int, int], ...]:
        whole = replace(Port(self.name), rows=self.rows, cols=self.cols // 2)
        kept = replace(whole, symmetric=self.symmetric).entries
        return tuple((i, 2 * j + part) for i, j in kept for part in (0, 1))

    def entry_name(self, i: int, j: int) -> str:
        whole = Port(self.name, self.rows, self.cols // 2, self.symmetric)
        return f"{whole.entry_name(i, j // 2)}_{('re', 'im')[j % 2]}"


@dataclass
class Parts:
    """Real and imaginary parts of expressions, by those of the symbols that are complex."""

    known: dict[sp.Basic, Pair] = field(default_factory=dict)

    def of(self, x: sp.Expr) -> Pair:
        """The parts of an expression.

        Raises
            InternalError: it has a function of a complex number that has no such parts here.
        """
        found = self.known.get(x)
        if found is None:
            found = self.known[x] = self._parts(x)
        return found

    def matrix(self, matrix: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
        """The parts of a matrix."""
        parts = [self.of(x) for x in matrix]
        re, im = (sp.Matrix(*matrix.shape, [pair[k] for pair in parts]) for k in (0, 1))
        return re, im

    def _parts(self, x: sp.Expr) -> Pair:
        if x is sp.I:
            return _NONE, sp.Integer(1)
        if not x.args:
            return x, _NONE
        parts = [self.of(y) for y in x.args]
        if not any(im for _, im in parts) and x.func is not sp.arg:
            real = [re for re, _ in parts]
            return (x if real == [*x.args] else x.func(*real)), _NONE
        if x.is_Add:
            return sp.Add(*(re for re, _ in parts)), sp.Add(*(im for _, im in parts))
        if x.is_Mul:
            real = sp.Mul(*(re for re, im in parts if not im))
            re, im = reduce(_times, (part for part in parts if part[1]))
            return real * re, real * im
        re, im = parts[0]
        if x.is_Pow and x.exp.is_Integer:
            re, im = reduce(_times, [parts[0]] * abs(int(x.exp)))
            return (re, im) if x.exp > 0 else _inverse(re, im)
        of: dict[Any, Callable[[], sp.Expr]] = {
            sp.Abs: lambda: sp.sqrt(re**2 + im**2),
            sp.arg: lambda: sp.atan2(im, re),
            step: lambda: step(re),
            sp.sign: lambda: sp.sign(re),
        }
        if found := of.get(x.func):
            return found(), _NONE
        raise InternalError(f"{x} of complex numbers has no parts")


def _times(a: Pair, b: Pair) -> Pair:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def _inverse(re: sp.Expr, im: sp.Expr) -> Pair:
    square = re**2 + im**2
    return re / square, -im / square


def _beside(re: sp.Matrix, im: sp.Matrix) -> sp.Matrix:
    """Both parts as columns that take turns."""
    return sp.Matrix(re.rows, 2 * re.cols, lambda i, j: (im if j % 2 else re)[i, j // 2])


@dataclass(frozen=True)
class Lowered:
    """A kernel in pairs, and which of its outputs these are."""

    kernel: Kernel
    complex: frozenset[str]


class KernelsInPairs:
    """Kernels of which some inputs are complex, each made once."""

    def __init__(self) -> None:
        self._made: dict[tuple[Kernel, frozenset[str], frozenset[str]], Lowered] = {}
        self._names: dict[str, int] = {}

    def of(self, kernel: Kernel, given: frozenset[str], asked: frozenset[str]) -> Lowered:
        """The kernel with these inputs complex; these outputs are, whether they need be or not."""
        key = kernel, given, asked
        if key not in self._made:
            self._made[key] = self._lowered(kernel, given, asked)
        return self._made[key]

    def _lowered(self, kernel: Kernel, given: frozenset[str], asked: frozenset[str]) -> Lowered:
        parts, ports = Parts(), dict[str, Port]()
        for port in kernel.inputs:
            if port.name in given:
                ports[port.name] = _known(parts, port)
        statements: list[Statement] = []
        for statement in kernel.statements:
            forced = statement.port.name in asked
            statements += _statements(parts, ports, statement, forced)
        found = frozenset(port.name for port in kernel.outputs if port.name in ports)
        if not ports:
            return Lowered(kernel, found)
        number = self._names[kernel.name] = self._names.get(kernel.name, 0) + 1
        return Lowered(
            replace(
                kernel,
                name=f"{kernel.name}_s{number if number > 1 else ''}",
                inputs=tuple(ports.get(port.name, port) for port in kernel.inputs),
                statements=tuple(statements),
                outputs=tuple(ports.get(port.name, port) for port in kernel.outputs),
                whole=kernel.whole or kernel,
            ),
            found,
        )


def _known(parts: Parts, port: Port) -> Port:
    """A complex port as pairs, its symbols' parts being known from here on."""
    pairs = Pairs.of(port)
    symbols, both = port.symbols(), pairs.symbols()
    for i, j in port.entries:
        parts.known[symbols[i, j]] = both[i, 2 * j], both[i, 2 * j + 1]
    return pairs


def _statements(
    parts: Parts, ports: dict[str, Port], statement: Statement, forced: bool
) -> Iterator[Statement]:
    """A statement in pairs; its port is known to be so afterwards."""
    rhs = parts.matrix(statement.value if isinstance(statement, Let) else statement.rhs)
    matrix = (sp.zeros(0, 0),) * 2 if isinstance(statement, Let) else parts.matrix(statement.matrix)
    if not (any(rhs[1]) or any(matrix[1]) or forced):
        if isinstance(statement, Let):
            yield replace(statement, value=rhs[0])
        else:
            yield replace(statement, matrix=matrix[0], rhs=rhs[0])
        return
    if isinstance(statement, Let):
        ports[statement.port.name] = port = _known(parts, statement.port)
        yield replace(statement, port=port, value=_beside(*rhs))
        return
    if statement.policy is Policy.MIN_NORM:
        raise InternalError(f"{statement.port.name}: a minimum norm of complex numbers")
    old, n = statement.port, statement.matrix.rows
    if not any(matrix[1]):
        ports[old.name] = port = _known(parts, old)
        yield replace(statement, port=port, rhs=_beside(*rhs))
        return
    said = statement.source, statement.equation
    if n == 1:
        over = _inverse(matrix[0][0], matrix[1][0])
        quotients = [_times(over, pair) for pair in zip(*rhs, strict=True)]
        ports[old.name] = port = _known(parts, old)
        value = _beside(*(sp.Matrix([[x[k] for x in quotients]]) for k in (0, 1)))
        yield Let(port, value, *said)
        return
    # (a + i b) as the block [[a, −b], [b, a]]: unknowns are their real and imaginary parts in turn.
    real = Port(f"{old.name}_pairs", 2 * n, old.cols)
    (a, b), places = matrix, range(2 * n)
    signs = {(0, 0): (a, 1), (0, 1): (b, -1), (1, 0): (b, 1), (1, 1): (a, 1)}
    blocks = [
        [part[i // 2, j // 2] * sign for j in places for part, sign in [signs[i % 2, j % 2]]]
        for i in places
    ]
    both = sp.Matrix(2 * n, old.cols, lambda i, j: rhs[i % 2][i // 2, j])
    yield Solve(real, sp.Matrix(blocks), both, Policy.LU, *said)
    ports[old.name] = port = _known(parts, old)
    found = real.symbols()
    yield Let(port, _beside(found[::2, :], found[1::2, :]), *said)


def in_pairs(program: Program) -> Program:
    """The program in real numbers: where arrays are complex, pairs of these.

    Raises
        InternalError: a result is complex that is not said to be; a complex number is taken where
            that has no meaning.
    Source
        own
    """
    arrays = {name for name, array in program.arrays.items() if array.complex}
    if not arrays:
        return program
    kernels = KernelsInPairs()
    actions = [action for step in program.steps for action in _actions(step)]
    before = -1
    while before < len(arrays):
        before = len(arrays)
        for action in actions:
            lowered = kernels.of(action.kernel, _given(action, arrays), frozenset())
            arrays |= {action.writes[name].array for name in lowered.complex & {*action.writes}}
    said = {x.name for x in program.arrays.values() if x.complex or x.storage is Storage.WORK}
    if wrong := arrays - said:
        raise InternalError(f"{program.name}, {program.algorithm}: {min(wrong)} is complex")
    return replace(
        program,
        arrays={
            name: replace(array, port=Pairs.of(array.port)) if name in arrays else array
            for name, array in program.arrays.items()
        },
        steps=tuple(_step(step, kernels, arrays) for step in program.steps),
    )


def _actions(step: Step) -> Iterable[Action | Call]:
    calls = step.calls
    return chain.from_iterable(calls.units) if isinstance(calls, Walk) else calls


def _given(action: Action | Call, arrays: set[str]) -> frozenset[str]:
    """The inputs that are complex; constants are real."""
    return frozenset(
        name
        for name, binding in action.reads.items()
        if isinstance(binding, Place | Ref) and binding.array in arrays
    )


def _step(step: Step, kernels: KernelsInPairs, arrays: set[str]) -> Step:
    """The step in pairs."""

    def kernel(x: Action | Call) -> Kernel:
        asked = frozenset(name for name, place in x.writes.items() if place.array in arrays)
        return kernels.of(x.kernel, _given(x, arrays), asked).kernel

    if isinstance(step.calls, Walk):
        units = [tuple(replace(x, kernel=kernel(x)) for x in unit) for unit in step.calls.units]
        return replace(step, calls=replace(step.calls, units=units))
    return replace(step, calls=tuple(replace(x, kernel=kernel(x)) for x in step.calls))

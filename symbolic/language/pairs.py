"""Complex numbers as pairs of real ones: a program with complex arguments becomes one of pairs.

What is complex follows from what a statement is made of. A complex port becomes a port of twice as
many columns, real parts beside imaginary ones, so that an array of it is one of complex numbers to
its caller. The interpreter needs none of this: it runs the program itself, in complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
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

    def independent(self, i: int, j: int) -> tuple[int, int]:
        at, to = super().independent(i, j // 2)
        return at, 2 * to + j % 2

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

    def matrix(self, matrix: sp.Matrix, upper: bool = False) -> tuple[sp.Matrix, sp.Matrix]:
        """The parts of a matrix; of its `upper` triangle alone, zero below."""
        rows, cols = matrix.shape
        parts = [
            (_NONE, _NONE) if upper and j < i else self.of(matrix[i, j])
            for i in range(rows)
            for j in range(cols)
        ]
        re, im = (sp.Matrix(rows, cols, [pair[k] for pair in parts]) for k in (0, 1))
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
            return _sum(re for re, _ in parts), _sum(im for _, im in parts)
        if x.is_Mul:
            real = _product(*(re for re, im in parts if not im))
            re, im = reduce(_times, (part for part in parts if part[1]))
            return _product(real, re), _product(real, im)
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


def _sum(terms: Iterable[sp.Expr]) -> sp.Expr:
    """Their sum as it is written, but for zeros: to bring it into order takes SymPy long."""
    there = [x for x in terms if x != 0]
    return sp.Add(*there, evaluate=False) if len(there) > 1 else there[0] if there else _NONE


def _product(*factors: sp.Expr) -> sp.Expr:
    """Their product as it is written, but for ones."""
    if any(x == 0 for x in factors):
        return _NONE
    there = [x for x in factors if x != 1]
    return sp.Mul(*there, evaluate=False) if len(there) > 1 else there[0] if there else sp.S.One


def _times(a: Pair, b: Pair) -> Pair:
    minus = _product(sp.S.NegativeOne, a[1], b[1])
    re = _sum((_product(a[0], b[0]), minus))
    return re, _sum((_product(a[0], b[1]), _product(a[1], b[0])))


def _inverse(re: sp.Expr, im: sp.Expr) -> Pair:
    over = 1 / (re**2 + im**2)
    return _product(re, over), _product(sp.S.NegativeOne, im, over)


def _is_complex(x: sp.Expr, names: Set[str]) -> bool:
    """Is an expression complex, of symbols that are complex by their names?"""
    if x is sp.I or x.is_Symbol:
        return x is sp.I or x.name in names
    return x.func not in (sp.Abs, sp.arg, sp.sign, step) and any(
        _is_complex(y, names) for y in x.args
    )


def _beside(re: sp.Matrix, im: sp.Matrix) -> sp.Matrix:
    """Both parts as columns that take turns."""
    return sp.Matrix(re.rows, 2 * re.cols, lambda i, j: (im if j % 2 else re)[i, j // 2])


class KernelsInPairs:
    """Kernels of which some inputs are complex, each made once."""

    def __init__(self) -> None:
        self._complex: dict[tuple[Kernel, frozenset[str]], frozenset[str]] = {}
        self._made: dict[tuple[Kernel, frozenset[str], frozenset[str]], Kernel] = {}
        self._names: dict[str, int] = {}

    def complex(self, kernel: Kernel, given: frozenset[str]) -> frozenset[str]:
        """The ports that are complex where these inputs are."""
        key = kernel, given
        if key not in self._complex:
            found, names = {*given}, set[str]()
            for port in (x for x in kernel.inputs if x.name in given):
                names |= {port.entry_name(*entry) for entry in port.entries}
            for statement in kernel.statements:
                of = (statement.value,) if isinstance(statement, Let) else statement.parts[:2]
                if any(_is_complex(x, names) for matrix in of for x in matrix):
                    found.add(statement.port.name)
                    names |= {statement.port.entry_name(*x) for x in statement.port.entries}
            self._complex[key] = frozenset(found)
        return self._complex[key]

    def of(self, kernel: Kernel, given: frozenset[str], asked: frozenset[str]) -> Kernel:
        """The kernel with these inputs complex; these outputs are, whether they need be or not."""
        found = self.complex(kernel, given)
        key = kernel, given, asked - found
        if key not in self._made:
            self._made[key] = self._lowered(kernel, given, found | asked)
        return self._made[key]

    def _lowered(self, kernel: Kernel, given: frozenset[str], complex_: frozenset[str]) -> Kernel:
        parts, ports = Parts(), dict[str, Port]()
        for port in kernel.inputs:
            if port.name in given:
                ports[port.name] = _known(parts, port)
        statements: list[Statement] = []
        for statement in kernel.statements:
            statements += _statements(parts, ports, statement, statement.port.name in complex_)
        if not ports:
            return kernel
        number = self._names[kernel.name] = self._names.get(kernel.name, 0) + 1
        return replace(
            kernel,
            name=f"{kernel.name}_s{number if number > 1 else ''}",
            inputs=tuple(ports.get(port.name, port) for port in kernel.inputs),
            statements=tuple(statements),
            outputs=tuple(ports.get(port.name, port) for port in kernel.outputs),
            whole=kernel.whole or kernel,
        )


def _known(parts: Parts, port: Port) -> Port:
    """A complex port as pairs, its symbols' parts being known from here on."""
    pairs = Pairs.of(port)
    symbols, both = port.symbols(), pairs.symbols()
    for i, j in port.entries:
        parts.known[symbols[i, j]] = both[i, 2 * j], both[i, 2 * j + 1]
    return pairs


def _statements(
    parts: Parts, ports: dict[str, Port], statement: Statement, complex_: bool
) -> Iterator[Statement]:
    """A statement in pairs; its port is known to be so afterwards."""
    if isinstance(statement, Let):
        value = parts.matrix(statement.value, statement.port.symmetric)
        if complex_:
            ports[statement.port.name] = port = _known(parts, statement.port)
            yield replace(statement, port=port, value=_beside(*value))
        else:
            yield replace(statement, value=value[0])
        return
    rhs, matrix = parts.matrix(statement.rhs), parts.matrix(statement.matrix)
    if not complex_:
        yield replace(statement, matrix=matrix[0], rhs=rhs[0])
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
            found = kernels.complex(action.kernel, _given(action, arrays))
            arrays |= {place.array for name, place in action.writes.items() if name in found}
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
        return kernels.of(x.kernel, _given(x, arrays), asked)

    if isinstance(step.calls, Walk):
        units = [tuple(replace(x, kernel=kernel(x)) for x in unit) for unit in step.calls.units]
        return replace(step, calls=replace(step.calls, units=units))
    return replace(step, calls=tuple(replace(x, kernel=kernel(x)) for x in step.calls))

"""The one door from SymPy: kernels to graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import singledispatchmethod

import sympy as sp

from ..errors import CodegenError
from ..symbolic.program import Kernel, Let, Policy, Port, Solve
from .graph import Graph

#: Elementary functions, by the names that C has for them.
FUNCTIONS = {
    sp.sin: "sin",
    sp.cos: "cos",
    sp.tan: "tan",
    sp.asin: "asin",
    sp.acos: "acos",
    sp.atan: "atan",
    sp.atan2: "atan2",
    sp.exp: "exp",
    sp.log: "log",
    sp.tanh: "tanh",
    sp.Abs: "fabs",
}

#: The functions of the generated code that solve what is not written out.
SOLVERS = {Policy.LU: "solve_lu", Policy.MIN_NORM: "solve_min_norm"}

#: An entry of a port (row, column).
Entry = tuple[int, int]


class Freezer:
    """Writes expressions into a graph; symbols are looked up among the values known so far."""

    def __init__(self, graph: Graph, values: Mapping[str, int]) -> None:
        self.graph = graph
        self.values = dict(values)

    def matrix(self, matrix: sp.Matrix) -> list[list[int]]:
        """Every entry's node."""
        return [[self.freeze(matrix[i, j]) for j in range(matrix.cols)] for i in range(matrix.rows)]

    @singledispatchmethod
    def freeze(self, expression: sp.Basic) -> int:
        """The node of an expression.

        Raises
            CodegenError: an operation that has no frozen form; names it.
        """
        raise CodegenError(f"no frozen form of {type(expression).__name__}: {expression}")

    @freeze.register
    def _(self, expression: sp.Rational) -> int:
        return self.graph.const(Fraction(int(expression.p), int(expression.q)))

    @freeze.register
    def _(self, expression: sp.Symbol) -> int:
        try:
            return self.values[expression.name]
        except KeyError:
            raise CodegenError(f"{expression.name} is used before it is stated") from None

    @freeze.register
    def _(self, expression: sp.Add) -> int:
        return self.graph.sum([self.freeze(term) for term in expression.args])

    @freeze.register
    def _(self, expression: sp.Mul) -> int:
        coefficient = product = self.graph.const(1)
        for factor in expression.args:
            number = self.freeze(factor)
            if self.graph.constant(number) is None:
                product = self.graph.mul(product, number)
            else:
                coefficient = self.graph.mul(coefficient, number)
        return self.graph.mul(product, coefficient)

    @freeze.register
    def _(self, expression: sp.Pow) -> int:
        base, exponent = expression.args
        number = self.freeze(base)
        if isinstance(exponent, sp.Rational) and exponent.q == 2:
            number = self.graph.call("sqrt", number)
        elif not isinstance(exponent, sp.Integer):
            raise CodegenError(f"no frozen form of the power {expression}")
        return self.graph.power(number, int(exponent.p))

    @freeze.register
    def _(self, expression: sp.Function) -> int:
        name = FUNCTIONS.get(type(expression))
        if name is None:
            raise CodegenError(f"no frozen form of {type(expression).__name__}: {expression}")
        return self.graph.call(name, *map(self.freeze, expression.args))

    @freeze.register
    def _(self, expression: sp.NumberSymbol) -> int:
        number = sp.Rational(str(expression.evalf(60)))
        return self.graph.const(Fraction(int(number.p), int(number.q)))


Values = dict[Entry, int]


def freeze_kernel(
    graph: Graph, kernel: Kernel, operand: Callable[[Port, int, int], int]
) -> dict[str, Values]:
    """Write a kernel into a graph; `operand` gives the node of an input's entry.

    Gives the nodes of the outputs' entries. Zeros, ones and constants among the inputs are
    followed through, which is what the structure pass builds on.

    Raises
        CodegenError: the kernel uses something that has no frozen form.
    """
    freezer = Freezer(graph, {})
    for port in kernel.inputs:
        for i, j in port.entries:
            freezer.values[port.entry_name(i, j)] = operand(port, i, j)
    for statement in kernel.statements:
        graph.label = statement.source
        _state(freezer, statement)
    graph.label = ""
    return {
        port.name: {(i, j): freezer.values[port.entry_name(i, j)] for i, j in port.entries}
        for port in kernel.outputs
    }


def _state(freezer: Freezer, statement: Let | Solve) -> None:
    graph, port = freezer.graph, statement.port
    if isinstance(statement, Let):
        found = {(i, j): freezer.freeze(statement.value[i, j]) for i, j in port.entries}
    else:
        matrix, rhs = freezer.matrix(statement.matrix), freezer.matrix(statement.rhs)
        if statement.policy is Policy.LDL:
            rows = graph.solve_ldl(matrix, rhs)
        else:
            rows = graph.eliminate(matrix, rhs, SOLVERS[statement.policy])
        found = {(i, j): rows[i][j] for i, j in port.entries}
    for (i, j), number in found.items():
        name = port.entry_name(i, j)
        graph.name(number, name)
        freezer.values[name] = number

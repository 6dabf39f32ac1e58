"""The one door from SymPy: kernels to graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import singledispatch

import sympy as sp

from ..errors import CodegenError
from ..model.expressions.functions import defined, step
from ..symbolic.language.program import Kernel, Let, Policy, Port, Solve
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
    step: "step",
    defined: "defined",
}

#: What stands in a label between an equation of matrices and its source.
SAYS = " | "

#: The functions of the generated code that solve what is not written out.
SOLVERS = {Policy.LU: "solve_lu", Policy.MIN_NORM: "solve_min_norm"}

#: An entry of a port (row, column).
Entry = tuple[int, int]


class Freezer:
    """Writes expressions into a graph; symbols are looked up among the values known so far."""

    def __init__(self, graph: Graph, values: Mapping[str, int]) -> None:
        self.graph = graph
        self.values = dict(values)
        self._frozen: dict[sp.Basic, int] = {}

    def matrix(self, matrix: sp.Matrix) -> list[list[int]]:
        """Every entry's node."""
        return [[self.freeze(x) for x in row] for row in matrix.tolist()]

    def freeze(self, expression: sp.Basic) -> int:
        """The node of an expression.

        Raises
            CodegenError: an operation that has no frozen form; names it.
        """
        found = self._frozen.get(expression)
        if found is None:
            found = self._frozen[expression] = _frozen(expression, self)
        return found


@singledispatch
def _frozen(expression: sp.Basic, freezer: Freezer) -> int:
    raise CodegenError(f"no frozen form of {type(expression).__name__}: {expression}")


@_frozen.register
def _(expression: sp.Rational, freezer: Freezer) -> int:
    return freezer.graph.const(Fraction(int(expression.p), int(expression.q)))


@_frozen.register
def _(expression: sp.Symbol, freezer: Freezer) -> int:
    try:
        return freezer.values[expression.name]
    except KeyError:
        raise CodegenError(f"{expression.name} is used before it is stated") from None


@_frozen.register
def _(expression: sp.Add, freezer: Freezer) -> int:
    return freezer.graph.sum([freezer.freeze(term) for term in expression.args])


@_frozen.register
def _(expression: sp.Mul, freezer: Freezer) -> int:
    graph = freezer.graph
    coefficient: int | None = None
    product: int | None = None
    for factor in expression.args:
        number = freezer.freeze(factor)
        if graph.constant(number) is None:
            product = number if product is None else graph.mul(product, number)
        else:
            coefficient = number if coefficient is None else graph.mul(coefficient, number)
    if product is None:
        product = graph.const(1)
    return product if coefficient is None else graph.mul(product, coefficient)


@_frozen.register
def _(expression: sp.Pow, freezer: Freezer) -> int:
    base, exponent = expression.args
    graph, number = freezer.graph, freezer.freeze(base)
    if not isinstance(exponent, sp.Rational):
        raise CodegenError(f"no frozen form of the power {expression}")
    if exponent.q == 1:
        return graph.power(number, int(exponent))
    if exponent.q == 2:
        return graph.power(graph.call("sqrt", number), int(exponent.p))
    # xⁿ e^(f log x): the exponential enlarges the rounding of f log x, and f is less than 1.
    whole, part = divmod(Fraction(int(exponent.p), int(exponent.q)), 1)
    root = graph.call("exp", graph.mul(graph.call("log", number), graph.const(part)))
    return graph.mul(graph.power(number, whole), root)


@_frozen.register
def _(expression: sp.sign, freezer: Freezer) -> int:
    graph = freezer.graph
    number = freezer.freeze(expression.args[0])
    below = graph.call("step", graph.neg(number))
    return graph.add(graph.call("step", number), graph.neg(below))


@_frozen.register
def _(expression: sp.Function, freezer: Freezer) -> int:
    name = FUNCTIONS.get(type(expression))
    if name is None:
        raise CodegenError(f"no frozen form of {type(expression).__name__}: {expression}")
    return freezer.graph.call(name, *map(freezer.freeze, expression.args))


@_frozen.register
def _(expression: sp.NumberSymbol, freezer: Freezer) -> int:
    number = sp.Rational(str(expression.evalf(60)))
    return freezer.graph.const(Fraction(int(number.p), int(number.q)))


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
        graph.label = label(statement)
        _state(freezer, statement)
    graph.label = ""
    return {
        port.name: {(i, j): freezer.values[port.entry_name(i, j)] for i, j in port.entries}
        for port in kernel.outputs
    }


def label(statement: Let | Solve) -> str:
    """What a statement says, and where it comes from."""
    return f"{statement.says}{SAYS}{statement.source}".removeprefix(SAYS)


def _state(freezer: Freezer, statement: Let | Solve) -> None:
    graph, port = freezer.graph, statement.port
    if isinstance(statement, Let):
        value = statement.value.tolist()
        found = {(i, j): freezer.freeze(value[i][j]) for i, j in port.entries}
    else:
        matrix, rhs, reach = map(freezer.matrix, statement.parts)
        if statement.policy is Policy.LDL:
            rows = graph.solve_ldl(matrix, rhs)
        else:
            solver = SOLVERS[statement.policy]
            rows = graph.eliminate(matrix, rhs, solver, [x for (x,) in reach])
        found = {(i, j): rows[i][j] for i, j in port.entries}
    for (i, j), number in found.items():
        name = port.entry_name(i, j)
        graph.name(number, name)
        freezer.values[name] = number

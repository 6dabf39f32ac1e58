"""Kernels with columns: what an output is per unit of what is not known yet.

A vector that enters a kernel may be known only up to factors: `x + X f`. The kernel then gives
its outputs in the same way. The columns X follow from the kernel's own statements, by the
derivative of each; where an output is linear in the input, as wrenches are, nothing is lost.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import sympy as sp

from ...model.expressions.differentiated import differentiated
from .program import Kernel, Let, Port, Solve, Statement

#: What a port's columns are called: the port's name and this.
SUFFIX = "F"

#: The columns of a symbol: a row of expressions.
Columns = dict[sp.Symbol, sp.Matrix]


@cache
def with_columns(kernel: Kernel, inputs: tuple[str, ...], width: int) -> Kernel:
    """The kernel that also takes `width` columns of the named inputs, and gives its outputs'.

    The columns of `x` are the port `xF`; outputs without columns have none.

    Source
        own: derivative of each statement
    """
    known: Columns = {}
    taken = list(kernel.inputs)
    for port in kernel.inputs:
        if port.name in inputs:
            taken.append(_declare(port, width, known))
    statements: list[Statement] = []
    given: dict[str, Port] = {}
    for statement in kernel.statements:
        statements.append(statement)
        columns = _columns(statement, known, width)
        if columns is not None:
            statements.append(columns)
            given[statement.port.name] = columns.port
    outputs = [*kernel.outputs, *(given[p.name] for p in kernel.outputs if p.name in given)]
    title = f"{kernel.title}, with columns"
    return replace(
        kernel,
        name=f"{kernel.name}_columns",
        title=title,
        inputs=tuple(taken),
        statements=tuple(statements),
        outputs=tuple(outputs),
    )


def _declare(port: Port, width: int, known: Columns, column: int = 0) -> Port:
    """The port of a port's columns; its symbols are known from here on."""
    columns = Port(port.name + SUFFIX, port.rows, width)
    symbols = columns.symbols()
    for i in range(port.rows):
        known[port.symbols()[i, column]] = symbols[i, :]
    return columns


def _columns(statement: Statement, known: Columns, width: int) -> Let | Solve | None:
    """The statement of a statement's columns, if it has any."""
    right = statement.value if isinstance(statement, Let) else statement.rhs
    moving = [j for j in range(right.cols) if not known.keys().isdisjoint(right[:, j].free_symbols)]
    if not moving:
        return None
    (column,) = moving
    value = sp.Matrix.vstack(*(_row(right[i, column], known, width) for i in range(right.rows)))
    port = _declare(statement.port, width, known, column)
    if isinstance(statement, Let):
        return Let(port, value, statement.source)
    return replace(statement, port=port, rhs=value, equation="")


def _row(expression: sp.Expr, known: Columns, width: int) -> sp.Matrix:
    row = sp.zeros(1, width)
    for symbol in sorted(expression.free_symbols & known.keys(), key=str):
        row += differentiated(expression, symbol) * known[symbol]
    return row

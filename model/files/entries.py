"""Numbers and texts of a model file into quantities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ...errors import ModelError
from ..expressions.quantities import Matrix, Quantity, Vector, miscounted
from ..expressions.text import read
from ..parts.hinge_kinds import HINGE_KINDS
from .tables import ModelTable, Number

Values = Mapping[sp.Symbol, float | None]


class Reader:
    """Reads quantities; texts may hold the model's parameters, once their values are known."""

    def __init__(self, table: ModelTable) -> None:
        self.table = table
        if table.dimension not in HINGE_KINDS:
            raise ModelError(f"must be 2 or 3, not {table.dimension}", field="dimension")
        self.dimension = table.dimension
        self.values: dict[sp.Symbol, float | None] = {}
        self.inputs: Values = {}
        #: What names of tabulated quantities stand for.
        self.tabulated: dict[sp.Symbol, sp.Expr] = {}

    def quantity(self, given: Number, where: str, values: Values | None = None) -> Quantity:
        """A number as it is, a text as an expression in the symbols of `values`."""
        if isinstance(given, str):
            known = self.values if values is None else values
            try:
                names = {**self.inputs, **dict.fromkeys(self.tabulated), **known}
                found = read(given, names).xreplace(self.tabulated)
            except ModelError as error:
                raise ModelError(str(error), field=where) from None
            for symbol in found.free_symbols & self.inputs.keys() - known.keys():
                raise ModelError(
                    f"depends on the input {symbol}; inputs may stand in the forces and potentials "
                    "of hinges and in loads",
                    field=where,
                )
            return found
        try:
            finite = math.isfinite(given)
        except OverflowError:
            finite = False
        if not finite:
            raise ModelError("is no finite number of double precision", field=where)
        return given

    def number(self, given: Number, where: str) -> float:
        quantity = self.quantity(given, where)
        if not isinstance(quantity, sp.Expr):
            return quantity
        value = quantity.xreplace({symbol: sp.Float(v) for symbol, v in self.values.items()})
        return float(value)

    def vector(self, given: Sequence[Number], where: str, values: Values | None = None) -> Vector:
        return tuple(self.quantity(x, f"{where}[{i}]", values) for i, x in enumerate(given))

    def matrix(self, given: Sequence[Any], where: str) -> Matrix:
        return tuple(self.vector(row, f"{where}[{i}]") for i, row in enumerate(given))

    def each(self, given: Number | list[Number], where: str, count: int) -> Vector:
        """So many values; a single one stands for all."""
        values = self.vector(listed(given), where)
        if len(values) not in (1, count):
            raise ModelError(miscounted(values, count), field=where)
        return values * (count if len(values) == 1 else 1)


def listed(given: Any) -> list[Number]:
    """Several values, or a single one by itself."""
    return given if isinstance(given, list) else [given]


def expression(quantity: Quantity) -> sp.Expr:
    """A quantity as SymPy has it."""
    if isinstance(quantity, sp.Expr):
        return quantity
    return sp.Integer(quantity) if isinstance(quantity, int) else sp.Float(quantity)

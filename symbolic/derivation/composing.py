"""The interpreter whose numbers are rational functions of symbols: calls composed into formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from ..exact.rational import Field, Ratio, generators
from ..language.arithmetic import Arithmetic
from ..language.interpreter import Interpreter
from ..language.program import Call, Port, Program, Ref


class FurtherError(Exception):
    """A function of what is composed that the field does not have yet."""

    def __init__(self, found: set[Any]) -> None:
        self.generators = found


class _Functions(dict[str, Callable[..., Ratio]]):
    """Functions of rational functions: each value is one more generator of the field.

    `values` are those of which the value is known.
    """

    def __init__(self, field: Field, values: Mapping[sp.Expr, sp.Expr]) -> None:
        self._field = field
        self._values = values

    def __missing__(self, name: str) -> Callable[..., Ratio]:
        return lambda *arguments: self.value(
            getattr(sp, name, sp.Function(name))(*(x.expression() for x in arguments))
        )

    def value(self, x: sp.Expr) -> Ratio:
        x = x.xreplace(self._values)
        further = generators(x) - {*self._field.expressions}
        if further:
            raise FurtherError(further)
        return self._field.ratio(x)


class Symbolic(Interpreter):
    """An interpreter whose numbers are rational functions of symbols."""

    def __init__(
        self,
        program: Program,
        constants: Callable[[str, Call, Port], list[sp.Expr]],
        field: Field,
        values: Mapping[sp.Expr, sp.Expr],
    ) -> None:
        self.functions = _Functions(field, values)
        self.at_point = bool(values)

        def make(x: Fraction) -> Ratio:
            return field.ratio(sp.Rational(x.numerator, x.denominator))

        arithmetic = Arithmetic("symbols", make, self.functions, _simplicity)
        super().__init__(program, arithmetic)
        self._constants = constants

    def read(self, call: Call, port_name: str, values: Mapping[Ref, list[Any]]) -> list[Any]:
        binding = call.reads[port_name]
        if isinstance(binding, Ref):
            return values[binding]
        port = next(port for port in call.kernel.inputs if port.name == port_name)
        if self.at_point:
            entries = [sp.sympify(binding[i, j]) for i, j in port.entries]
        else:
            entries = self._constants("", call, port)
        return [self.functions.value(x) for x in entries]


def _simplicity(x: Ratio) -> tuple[bool, int]:
    return bool(x), -len(x.num) - len(x.den)

"""Numbers that came from decimals are shown as they were typed.

0.1 is 3602879701896397/36028797018963968 exactly, which nobody wants to read.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

#: A fraction with a smaller denominator is shown as it is: 1/2, 3/1024.
TYPED = 2**20


def typed(value: Any) -> Any:
    """The value with symbols named `0.1` for such numbers; the digits read back as the number."""
    if isinstance(value, sp.MatrixBase):
        return value.applyfunc(typed)
    found = {number: _named(number) for number in value.atoms(sp.Float, sp.Rational)}
    return value.xreplace({number: name for number, name in found.items() if name != number})


def _named(number: sp.Expr) -> sp.Expr:
    if number.is_Float or _is_long(number.q):
        return _decimal(float(number))
    if _is_long(abs(number.p)):
        return 1 / _decimal(float(1 / number))
    return number


def _decimal(number: float) -> sp.Expr:
    if number.is_integer() and abs(number) < 1e15:
        return sp.Integer(int(number))
    name = sp.Symbol(repr(abs(number)), positive=True)
    return -name if number < 0 else name


def _is_long(number: int) -> bool:
    """Whether it is a power of two as a decimal's denominator is one."""
    return number > TYPED and number & (number - 1) == 0

"""Numbers that came from decimals are shown as they were typed.

0.1 is 3602879701896397/36028797018963968 exactly, which nobody wants to read. What is shown reads
back as a double: as that number itself, or, of a product of decimals, as code has it.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

#: A fraction with a smaller denominator is shown as it is: 1/2, 3/1024.
TYPED = 2**20

#: What such a denominator is a multiple of, at most, where a decimal was divided: 0.1/3.
ODD = 999


def typed(value: Any) -> Any:
    """The value with symbols named `0.1` for such numbers; the digits read back as the number."""
    if isinstance(value, sp.MatrixBase):
        return value.applyfunc(typed)
    found = {number: _named(number) for number in value.atoms(sp.Float, sp.Rational)}
    return value.xreplace({number: name for number, name in found.items() if name != number})


def text(value: sp.Basic) -> str:
    """As SymPy prints it, such numbers as they were typed."""
    return str(_Printer().doprint(typed(value)))


class _Printer(StrPrinter):  # type: ignore[misc]
    """Of a sum what varies stands before decimals, as before other numbers."""

    def _as_ordered_terms(self, expr: sp.Expr, order: Any = None) -> list[sp.Expr]:
        return sorted(super()._as_ordered_terms(expr, order), key=_is_number)


def _is_number(term: sp.Expr) -> bool:
    return all(x.name[0].isdigit() for x in term.free_symbols)


def rounded(value: Any) -> Any:
    """The value with the numbers that are shown of it, exactly."""
    shown = typed(value)
    digits = [x for x in shown.free_symbols if x.name[0].isdigit()]
    return shown.xreplace({x: sp.Rational(*float(x.name).as_integer_ratio()) for x in digits})


def _named(number: sp.Expr) -> sp.Expr:
    if number.is_Float:
        return _decimal(float(number))
    if _is_long(number.q):
        return _over(number)
    return 1 / _over(1 / number) if number.q > TYPED and _is_long(abs(number.p)) else number


def _over(number: sp.Rational) -> sp.Expr:
    """A decimal, or one over what no power of two has: 0.1/3."""
    odd = number.q >> _twos(number.q)
    return _decimal(float(number * odd)) / odd


def _decimal(number: float) -> sp.Expr:
    if number.is_integer() and abs(number) < 1e15:
        return sp.Integer(int(number))
    name = sp.Symbol(repr(abs(number)), positive=True)
    return -name if number < 0 else name


def _is_long(number: int) -> bool:
    """Whether it is a power of two as a decimal's denominator is one, or a small multiple of it."""
    twos = _twos(number) if number else 0
    return 1 << twos > TYPED and number >> twos <= ODD


def _twos(number: int) -> int:
    """How often it is divided by two."""
    return (int(number) & -int(number)).bit_length() - 1

"""Quantities of a model: numbers, or SymPy expressions in its parameters.

Parameters have default values, so that one model serves the derivation (symbols) and the solver
(numbers).
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ...blame import blamed
from ...errors import ModelError

if TYPE_CHECKING:
    import sympy as sp

    #: The time, in force laws, prescribed motions, loads and a moving base.
    TIME: sp.Symbol

Quantity: TypeAlias = "sp.Expr | int | float"
Vector: TypeAlias = "tuple[Quantity, ...]"
Matrix: TypeAlias = "tuple[Vector, ...]"


def __getattr__(name: str) -> Any:
    """`TIME`, made when it is first asked for: a model from the cache does without SymPy."""
    if name != "TIME":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["TIME"] = parameter("t")
    return globals()["TIME"]


def hinge_symbol(letter: str, number: int) -> sp.Symbol:
    """A hinge's own coordinate (`q`) or speed (`u`) in its force law, counted from 1."""
    return parameter(f"{letter}{number}")


@blamed
def parameter(name: str) -> sp.Symbol:
    """The symbol of a model parameter: real, so that derivations may use it as such.

    Raises
        UsageError: the name is no text.
    """
    import sympy as sp

    return sp.Symbol(name, real=True)


def exact_expression(quantity: object) -> sp.Expr:
    """The quantity as a SymPy expression in which every number is rational.

    Raises
        ModelError: it is no number and no expression.
    """
    import sympy as sp

    if isinstance(quantity, sp.Expr):
        floats = quantity.atoms(sp.Float)
        return quantity.xreplace({x: _rational(float(x)) for x in floats})
    if isinstance(quantity, bool) or not isinstance(quantity, numbers.Real):
        raise ModelError(f"{quantity!r} is no number")
    number = float(quantity)
    return _rational(number) if math.isfinite(number) else sp.Float(number)


def _rational(number: float) -> sp.Rational:
    import sympy as sp

    return sp.Rational(*number.as_integer_ratio())


def shown(quantity: Quantity | str, limit: int = 60) -> str:
    """A quantity in a message, or its text, its middle left out where it is long."""
    if isinstance(quantity, int) and quantity.bit_length() > 4 * limit:
        return f"a number of {quantity.bit_length()} bits"
    text = str(quantity)
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-limit // 2 :]}"


def ranges(numbers: Sequence[str]) -> str:
    """Numbers with those that follow on each other drawn together, as 1–35, 56, A.1–A.8."""
    found: list[list[str]] = []
    last: tuple[str, str] = ("", "")
    for number in numbers:
        name = number.rstrip("0123456789")
        digits = number.removeprefix(name)
        if digits and last[1] and name == last[0] and int(digits) == int(last[1]) + 1:
            found[-1].append(number)
        else:
            found.append([number])
        last = (name, digits)
    each = (run if len(run) < 3 else [f"{run[0]}–{run[-1]}"] for run in found)
    return ", ".join(name for run in each for name in run)


def told(number: int, one: str, several: str = "") -> str:
    """A number of things: `1 body`, `2 bodies`; several are called so, or as one with an s."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def miscounted(given: Sequence[object], wanted: int) -> str:
    """What is wrong with a list that is too short or too long."""
    return f"has {told(len(given), 'entry', 'entries')} instead of {wanted}"


def abridged(name: str, width: int = 16) -> str:
    """A name in a table's column: of a long one how it begins and, for twice as much, ends."""
    start = width // 3
    return name if len(name) <= width else f"{name[:start]}…{name[start + 1 - width :]}"


def shorten(names: Sequence[str], limit: int = 8) -> str:
    """At most `limit` names, then an ellipsis."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown}, … ({len(names)} in all)"

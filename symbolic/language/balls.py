"""Balls: numbers that hold a true value within a radius, which grows with every rounding.

What is decided of them is proven. Where a ball leaves open what is asked, `UndecidedError` is
raised, and more bits are needed. They are python-flint's (extra `proof`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from fractions import Fraction
from typing import Any

from .arithmetic import Arithmetic, Number

#: Functions that balls have as methods of the same name.
FUNCTIONS = ("sqrt", "sin", "cos", "tan", "exp", "log", "tanh", "asin", "acos", "atan", "atan2")


class UndecidedError(ArithmeticError):
    """A ball holds numbers on both sides of what is asked."""


def balls() -> Arithmetic:
    """Balls as the numbers of programs; the caller sets how many bits are kept (`working_bits`).

    Source
        Arb (Johansson 2017).
    """
    import flint

    def make(x: Fraction) -> Number:
        return flint.arb(flint.fmpq(x.numerator, x.denominator))

    def step(x: Number) -> int:
        x = flint.arb(x)
        if x >= 0:
            return 1
        if x < 0:
            return 0
        raise UndecidedError

    def size(x: Number) -> float:
        """By which pivots are chosen: the least that its size may be."""
        return float(abs(flint.arb(x)).lower())

    def function(name: str) -> Callable[..., Number]:
        return lambda *values: getattr(flint.arb, name)(*map(flint.arb, values))

    functions = {name: function(name) for name in FUNCTIONS}
    functions |= {
        "Abs": abs,
        "step": step,
        "sign": lambda x: step(x) - step(-x),
        "defined": lambda x: 1 + (x - x),
        "pow": lambda x, y: x**y,
        "pi": flint.arb.pi,
        "E": lambda: flint.arb(1).exp(),
    }
    return Arithmetic("balls", make, functions, size)


def complex_balls(argument: Callable[[Number], Number]) -> Arithmetic:
    """Rectangles of complex numbers; `argument` is asked for that of each whose argument counts.

    No step or sign is evaluated, since a rectangle may leave it open: counts are not asked here.
    """
    import flint

    def make(x: Fraction) -> Number:
        return flint.acb(flint.fmpq(x.numerator, x.denominator))

    def function(name: str) -> Callable[..., Number]:
        return lambda *values: getattr(flint.acb, name)(*map(flint.acb, values))

    functions = {name: function(name) for name in FUNCTIONS if name != "atan2"}
    functions |= {
        "Abs": lambda x: flint.acb(abs(flint.acb(x))),
        "step": lambda x: 0,
        "sign": lambda x: 0,
        "defined": lambda x: 1 + (x - x),
        "pow": lambda x, y: x**y,
        "pi": flint.acb.pi,
        "E": lambda: flint.acb(1).exp(),
        "I": lambda: flint.acb(0, 1),
        "arg": argument,
    }
    return Arithmetic("complex balls", make, functions, lambda x: float(abs(flint.acb(x)).lower()))


def working_bits(count: int) -> AbstractContextManager[Any]:
    """So many bits in this block.

    Source
        own
    """
    import flint

    found: AbstractContextManager[Any] = flint.ctx.workprec(count)
    return found


def whole(x: Number) -> int:
    """The one whole number that a ball holds.

    Raises
        UndecidedError: it holds several, or none.
    Source
        own
    """
    import flint

    found = flint.arb(x).unique_fmpz()
    if found is None:
        raise UndecidedError
    return int(found)

"""The methods of integration as the templates print them: exact quotients in the text."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from .tableaus import METHODS, Row


@dataclass(frozen=True)
class MethodView:
    """A method with its coefficients in text."""

    name: str
    title: str
    source: str
    stages: int
    curved: bool
    staggered: bool
    adaptive: bool
    a: tuple[tuple[str, ...], ...]
    b: tuple[str, ...]
    c: tuple[str, ...]
    error: tuple[str, ...]
    dense: tuple[str, ...]


@cache
def method_views() -> tuple[MethodView, ...]:
    """All methods in the order of their numbers."""
    return tuple(
        MethodView(
            method.name,
            method.title,
            method.source,
            method.tableau.stages,
            method.curved,
            method.staggered,
            method.adaptive,
            tuple(map(_texts, method.tableau.a)),
            _texts(method.tableau.b),
            _texts(method.tableau.c),
            _texts(method.tableau.error),
            _texts(method.tableau.dense),
        )
        for method in METHODS
    )


def _texts(row: Row) -> tuple[str, ...]:
    """Quotients of whole numbers below 2^53, which the compiler rounds correctly."""
    return tuple(map(_text, row))


def _text(number: Fraction) -> str:
    whole = f"{number.numerator}.0"
    return whole if number.denominator == 1 else f"{whole} / {number.denominator}.0"

"""The methods of integration as the templates print them: exact quotients in the text."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from .tableaus import KEPT, METHODS, RADAU_IIA, Collocation, Method, Row, Surd


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
    implicit: bool
    a: tuple[tuple[str, ...], ...]
    b: tuple[str, ...]
    c: tuple[str, ...]
    error: tuple[str, ...]
    dense: tuple[str, ...]


@cache
def method_views() -> tuple[MethodView, ...]:
    """All methods in the order of their numbers."""
    return tuple(map(_view, METHODS))


def _kind(method: Method) -> tuple[bool, bool, bool, bool]:
    return method.curved, method.staggered, method.adaptive, method.implicit


def _view(method: Method) -> MethodView:
    of = method.tableau
    named = method.name, method.title, method.source
    if isinstance(of, Collocation):
        end = ("0.0", "0.0", "0.0", "1.0")
        c, error = (("0.0", *map(_surd, of.c)), ("1.0", *map(_surd, of.error)))
        return MethodView(*named, KEPT, *_kind(method), (), end, c, error, ())
    b, c, error, dense = map(_texts, (of.b, of.c, of.error, of.dense))
    rows = tuple(map(_texts, of.a))
    return MethodView(*named, of.stages, *_kind(method), rows, b, c, error, dense)


@dataclass(frozen=True)
class CollocationView:
    """What an implicit method solves with, in text; see `Collocation`."""

    inverse: tuple[tuple[str, ...], ...]
    transform: tuple[tuple[str, ...], ...]
    back: tuple[tuple[str, ...], ...]
    eigenvalues: tuple[str, ...]


@cache
def collocation_view() -> CollocationView:
    """The implicit method's."""
    of = RADAU_IIA
    return CollocationView(
        tuple(tuple(map(_surd, row)) for row in of.inverse),
        tuple(tuple(map(repr, row)) for row in of.transform),
        tuple(tuple(map(repr, row)) for row in of.back),
        tuple(map(repr, of.eigenvalues)),
    )


def _surd(number: Surd) -> str:
    return repr(float(number))


def _texts(row: Row) -> tuple[str, ...]:
    """Quotients of whole numbers below 2^53, which the compiler rounds correctly."""
    return tuple(map(_text, row))


def _text(number: Fraction) -> str:
    whole = f"{number.numerator}.0"
    return whole if number.denominator == 1 else f"{whole} / {number.denominator}.0"

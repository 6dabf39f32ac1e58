"""How much of a family of tests the usual run takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest


def later(values: Iterable[object], first: int) -> list[object]:
    """The values as parameters; those after the first ones are for the slow run."""
    found: list[object] = []
    for k, value in enumerate(values):
        known = _parameter(value)
        more = (pytest.mark.slow,) if k >= first else ()
        found.append(pytest.param(*known.values, marks=(*known.marks, *more), id=known.id))
    return found


def cover(rows: Sequence[Sequence[Any]], strength: int = 2) -> list[int]:
    """Few of the rows that have every combination of so many values that any of the rows has.

    Each next row is the first of those that have the most combinations not met yet.
    """
    of = [set(combinations(enumerate(row), strength)) for row in rows]
    open_ = set().union(*of)
    chosen: list[int] = []
    while open_:
        chosen.append(max(range(len(rows)), key=lambda k: len(of[k] & open_)))
        open_ -= of[chosen[-1]]
    return sorted(chosen)


def covered(strength: int = 2, **axes: Iterable[object]) -> pytest.MarkDecorator:
    """Every row of one value of each axis, of which the usual run takes a cover.

    With strength 1 it meets every value, with 2 every pair of them; the slow run takes the others.
    """
    rows = [[_parameter(value) for value in row] for row in product(*axes.values())]
    usual = [k for k, row in enumerate(rows) if not any(map(_slow, row))]
    named = [[_name(value) for value in rows[k]] for k in usual]
    chosen = {usual[k] for k in cover(named, strength)}
    parameters = []
    for k, row in enumerate(rows):
        marks = [mark for value in row for mark in value.marks]
        marks += [pytest.mark.slow] if k not in chosen else []
        values = [value.values[0] for value in row]
        parameters.append(pytest.param(*values, marks=marks, id="-".join(map(_name, row))))
    return pytest.mark.parametrize(tuple(axes), parameters)


def _parameter(value: Any) -> Any:
    return value if hasattr(value, "marks") else pytest.param(value)


def _slow(parameter: Any) -> bool:
    return any(mark.name == "slow" for mark in parameter.marks)


def _name(parameter: Any) -> str:
    value = parameter.values[0]
    return str(parameter.id or getattr(value, "__name__", value))

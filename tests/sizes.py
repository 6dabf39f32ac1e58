"""How much of a family of tests the usual run takes."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def later(values: Iterable[object], first: int) -> list[object]:
    """The values as parameters; those after the first ones are for the slow run."""
    found: list[object] = []
    for k, value in enumerate(values):
        known = pytest.param(value) if not hasattr(value, "marks") else value
        more = (pytest.mark.slow,) if k >= first else ()
        found.append(pytest.param(*known.values, marks=(*known.marks, *more), id=known.id))
    return found

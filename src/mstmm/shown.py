"""The way up from a thing to its picture: `report` lies above what it shows, and is called by name.

A model, a run or a solver has methods that draw it. What they do lies in `report`, which imports
those; so they import nothing of it, and ask here when they are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

#: The longest text of a value that is shown in a line beside others.
LONGEST = 60

#: The most numbers of an array that are shown in a line.
FEW = 6


def report(module: str) -> Any:
    """A module of `mstmm.report`, imported at the first call."""
    return import_module(f"mstmm.report.{module}")


class Shown:
    """Shows itself in a line, and as a table in a notebook; a dataclass field by field.

    One with a line of its own says `repr=False` and defines `__repr__`.
    """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(brief(x, y) for x, y in facts(self))}>"

    def _repr_html_(self) -> str:
        return str(report("notebook").table_of(self))


def facts(thing: Any) -> list[tuple[str, Any]]:
    """The fields of a dataclass, but those that say nothing."""
    found = [(field.name, getattr(thing, field.name)) for field in fields(thing)]
    return [(name, value) for name, value in found if value is not None and not _is_empty(value)]


def _is_empty(value: Any) -> bool:
    return isinstance(value, str | tuple | dict) and not value


def brief(name: str, value: Any) -> str:
    """A value under its name: a long array by its shape, what is long by its beginning."""
    if shape := getattr(value, "shape", ()):
        few = len(shape) == 1 and shape[0] <= FEW
        said = f"({', '.join(map(_said, value))})" if few else " × ".join(map(str, shape))
        return f"{name} {said}"
    line = " ".join((", ".join(value) if _are_names(value) else _said(value)).split())
    return f"{name} {line if len(line) <= LONGEST else f'{line[:LONGEST]}…'}"


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_said(x)}" for name, x in value.items())
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _are_names(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(x, str) for x in value)


def in_full(thing: Any) -> str:
    """All fields of a dataclass as text, which tells it from any other; `repr` is to be read."""
    told = ", ".join(f"{f.name}={getattr(thing, f.name)!r}" for f in fields(thing) if f.repr)
    return f"{type(thing).__qualname__}({told})"

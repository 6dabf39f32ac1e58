"""Many records of one class, pickled field by field: what is the same of all stands once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import Any

#: So many are pickled as columns; fewer as they are.
MANY = 64


class Columns:
    """The fields of records of one class, or the entries of tuples of one length.

    Unpickled they are the tuple of those records again.
    """

    def __init__(self, kind: type, columns: Sequence[Any]) -> None:
        self.kind, self.columns = kind, tuple(columns)

    def __reduce__(self) -> tuple[Any, ...]:
        return rows, (self.kind, self.columns)


def packed(value: object) -> object:
    """What is pickled in place of a value and comes back as an equal one.

    Source
        own
    """
    return _column(value) if type(value) is tuple and len(value) >= MANY else value


def rows(kind: type, columns: Sequence[Any]) -> tuple[Any, ...]:
    """The records, or tuples, whose columns these are.

    Source
        own
    """
    if kind is tuple:
        return tuple(zip(*columns, strict=True))
    names = [field.name for field in fields(kind)]
    found = []
    for values in zip(*columns, strict=True):
        record: Any = object.__new__(kind)
        vars(record).update(zip(names, values, strict=True))
        found.append(record)
    return tuple(found)


def _column(values: tuple[Any, ...]) -> object:
    """One column: columns in their turn of records and tuples, one thing where all are that."""
    first = values[0]
    kind = type(first)
    if len(set(map(type, values))) > 1:
        return values
    if kind is tuple and first and len(set(map(len, values))) == 1:
        return Columns(kind, [_entry(values, itemgetter(k)) for k in range(len(first))])
    if is_dataclass(kind) and hasattr(first, "__dict__"):
        return Columns(kind, [_entry(values, attrgetter(x.name)) for x in fields(kind)])
    return values


def _entry(records: tuple[Any, ...], of: Any) -> object:
    values = tuple(map(of, records))
    same = len(set(map(id, values))) == 1
    return repeat(values[0], len(values)) if same else _column(values)

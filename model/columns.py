"""Many records of one class, pickled field by field: what is the same of all stands once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from itertools import repeat
from operator import attrgetter, is_, itemgetter, length_hint
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

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


def rows(kind: type[T], columns: Sequence[Iterable[Any]]) -> tuple[T, ...]:
    """The records, or tuples, whose columns these are.

    What is a field's default in all of them is left to the class.

    Source
        own
    """
    if kind is tuple:
        return tuple(zip(*columns, strict=True))  # type: ignore[arg-type]
    own = [
        (field.name, column)
        for field, column in zip(fields(kind), columns, strict=True)  # type: ignore[arg-type]
        if not (isinstance(column, repeat) and next(copy(column), None) is field.default)
    ]
    count = max(map(length_hint, columns), default=0)
    found = tuple(map(object.__new__, repeat(kind, count)))
    for name, column in own:
        deque(map(object.__setattr__, found, repeat(name), column), maxlen=0)
    return found


def made(kind: type[T], count: int, /, **columns: Iterable[Any]) -> tuple[T, ...]:
    """So many records by their columns; a field without one has its default in all of them.

    Source
        own
    """
    given = [columns.get(x.name, repeat(x.default, count)) for x in fields(kind)]  # type: ignore[arg-type]
    return rows(kind, given)


@dataclass(frozen=True)
class Same(Generic[T]):
    """A column of one value."""

    value: T


class Rows(Sequence[T]):
    """Records of one class that stand as columns; each is made when it is asked for."""

    def __init__(self, kind: type[T], *columns: Sequence[Any] | Same[Any]) -> None:
        self.kind, self.columns = kind, columns

    def __len__(self) -> int:
        return next(len(x) for x in self.columns if not isinstance(x, Same))

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        if isinstance(at, slice):
            return tuple(self[k] for k in range(*at.indices(len(self))))
        return self.kind(*(x.value if isinstance(x, Same) else x[at] for x in self.columns))


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
    same = all(map(is_, values, repeat(values[0])))
    return repeat(values[0], len(values)) if same else _column(values)

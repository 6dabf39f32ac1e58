"""Models from the cache: their facts are at hand, their parts are made when they are asked for.

What a solver is called by and called with, its names, units and start, are *facts*: plain numbers
and texts. The parts, bodies and hinges with their expressions, bring SymPy; they wait as bytes.
"""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from itertools import chain
from typing import Any

from .columns import Rows, packed
from .model import Model
from .parts.base import Input
from .parts.measured import CoordinateUnit, SpeedUnit
from .parts.system import Asked

#: What is remembered of a model besides those of its fields that are plain.
FACTS = (
    "beams",
    "body_names",
    "condition_units",
    "coordinate_units",
    "coordinates",
    "effort_limits",
    "frame_names",
    "is_driven",
    "jumps",
    "kept_axes",
    "owners",
    "position_limits",
    "quaternions",
    "speed_limits",
    "speed_units",
    "speeds",
)

_FIELDS = tuple(field.name for field in fields(Model))
_PLAIN = {str, int, float, bool, type(None), Asked, Input, CoordinateUnit, SpeedUnit}


def identity(model: Model) -> str:
    """The hash of all that a model says.

    Source
        own
    """
    if "identity" not in vars(model):
        vars(model)["identity"] = sha256(_parts(model)).hexdigest()
    return str(vars(model)["identity"])


def frozen(model: Model) -> tuple[dict[str, Any], bytes]:
    """A model's facts, and its parts as bytes: what `Remembered` takes.

    Source
        own
    """
    parts = _parts(model)
    values = {name: getattr(model, name) for name in (*_FIELDS, *FACTS)}
    facts = {name: value for name, value in values.items() if _is_plain(value)}
    said = vars(model).setdefault("identity", sha256(parts).hexdigest())
    return {**facts, "identity": said}, parts


def _parts(model: Model) -> bytes:
    return pickle.dumps(tuple(packed(getattr(model, name)) for name in _FIELDS))


def _is_plain(value: Any) -> bool:
    if type(value) in (tuple, list):
        kinds = set(map(type, value))
        if kinds == {tuple}:
            return _is_plain(list(chain.from_iterable(value)))
        return kinds <= _PLAIN or all(map(_is_plain, value))
    if isinstance(value, Rows):
        return value.kind in _PLAIN
    if isinstance(value, Mapping):
        return type(value) is dict and all(map(_is_plain, (tuple(value), tuple(value.values()))))
    return type(value) in _PLAIN


class Remembered(Model):
    """A model whose parts wait: it becomes an ordinary one when the first of them is asked for.

    It has been checked when it was made.
    """

    def __init__(self, facts: Mapping[str, Any], parts: bytes) -> None:
        vars(self).update(facts, _waiting=parts)

    def whole(self) -> None:
        """Make the parts; they stay as bytes too, for threads that ask at the same time."""
        parts = pickle.loads(vars(self)["_waiting"])
        vars(self).update(zip(_FIELDS, parts, strict=True))
        object.__setattr__(self, "__class__", Model)

    def __eq__(self, other: object) -> bool:
        Remembered.whole(self)
        return self == other

    __hash__ = Model.__hash__

    def __repr__(self) -> str:
        Remembered.whole(self)
        return repr(self)

    def __reduce__(self) -> tuple[Any, ...]:
        facts = {name: value for name, value in vars(self).items() if name != "_waiting"}
        return Remembered, (facts, vars(self)["_waiting"])


class _Part:
    """A field whose value waits; once it is there, it is found before this."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, model: Remembered | None, owner: type[Remembered]) -> Any:
        if model is None:
            return getattr(Model, self.name)
        Remembered.whole(model)  # another thread may have done it
        return vars(model)[self.name]


for _name in _FIELDS:
    setattr(Remembered, _name, _Part(_name))


def _reduced(model: Model) -> tuple[Any, ...]:
    return Remembered, frozen(model)


# A model that is pickled or copied is one whose parts wait: another process may not need them.
copyreg.pickle(Model, _reduced)

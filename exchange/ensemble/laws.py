"""The inputs of an ensemble: laws that any worker can have, and as what they are remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...codegen.events import text_of
from ...errors import UsageError
from ...runtime.inputs import Feedback, Sampled, Table, Within


def described(laws: Mapping[Any, Any] | None) -> dict[str, Any]:
    """What tells the inputs of one ensemble from those of another, as plain data by name.

    Raises
        UsageError: a law that only this process has, a function of Python or C.
    """
    if laws is None:
        return {}
    if not isinstance(laws, Mapping):
        raise UsageError(f'inputs = {laws!r} is no mapping of names to laws: inputs={{"u": 3.0}}')
    names = {key: ", ".join(key) if isinstance(key, tuple) else str(key) for key in laws}
    return {names[key]: _described(names[key], law) for key, law in laws.items()}


def _described(name: str, law: Any) -> Any:
    match law:
        case Sampled():
            return ["sampled", _described(name, law.law), float(law.period)]
        case Table():
            return ["table", _digest(law.times, law.values), bool(law.held)]
        case Feedback():
            follows = {x: _described(name, of) for x, of in (law.reference or {}).items()}
            own = ["feedback", _digest(law.gains, law.q, law.v, law.inputs)]
            return (
                own if law.limits is None and not follows else [*own, follows, _digest(law.limits)]
            )
        case Within():
            return ["within", _described(name, law.law), _digest(law.limits)]
    if callable(law) or not isinstance(law, str | float | int | list | tuple | np.ndarray):
        raise UsageError(
            f"input {name}: an ensemble takes numbers, expressions, Table, Feedback, and Sampled "
            f"of these, not {law!r}: its workers may be other processes"
        )
    parts = list(law) if isinstance(law, list | tuple | np.ndarray) else [law]
    return [text_of(x, "input") or float(x) for x in parts]


def _digest(*arrays: Any) -> str:
    found = hashlib.sha256()
    for array in arrays:
        plain = np.asarray(np.nan if array is None else array, dtype=np.float64)
        found.update(repr(plain.shape).encode() + np.ascontiguousarray(plain).tobytes())
    return found.hexdigest()[:32]

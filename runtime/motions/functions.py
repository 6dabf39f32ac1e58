"""Functions of time and state that callers give as expressions: compiled, or in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from ctypes import CDLL, c_void_p, cast
from pathlib import Path
from typing import Any

import numpy as np

from ...codegen.build import build, kept, maker
from ...codegen.cache import digest, keep, recall, whole_package
from ...codegen.numbered import lifted
from ...codegen.toolchain import find_compiler
from ...errors import UsageError
from ...model import Model
from ...model.remembered import identity
from ..evaluation.arrays import Floats
from ..evaluation.backend import NumpyModule
from ..evaluation.evaluator import Evaluator

#: Values at a time and a state.
Values = Callable[[float, Floats, Floats], Floats]


def compiled(
    code: Evaluator,
    texts: Sequence[str],
    called: Sequence[str],
    parameters: Floats,
    *,
    lift: bool = False,
) -> tuple[int, int, Any]:
    """The expressions as one C function of the type of a watcher: its address, its data, and what
    must be kept as long.

    `called` is what messages call each. With `lift` the decimal numbers of the texts are among the
    data, so that other numbers need no other library.

    Raises
        UsageError: a text that is no expression of the state, the time and the parameters.
    """
    given, numbers = _numbered(code.model, texts) if lift else (list(texts), {})
    key = _key(code, given, numbers)
    library, function = _kept(key)
    if library is None:
        from ...codegen.events import event_sources

        try:
            sources = event_sources(code.model, given, "c", code.parameters, called, numbers)
        except UsageError:
            if not numbers:
                raise
            return compiled(code, texts, called, parameters, lift=False)
        prefix = sources.interface.prefix
        library = build(prefix, sources.library, portable=code.portable, compiler=find_compiler())
        function = f"{prefix}_watcher"
        keep(key, f"{library.name} {function}".encode())
    data = np.concatenate([parameters, list(numbers.values())])
    opened = CDLL(str(library))
    address = cast(getattr(opened, function), c_void_p).value or 0
    return address, data.ctypes.data, (opened, data)


def remembered(code: Evaluator, texts: Sequence[str]) -> bool:
    """Are these texts known as expressions, since C code of them, numbers lifted, is kept?"""
    return _kept(_key(code, *_numbered(code.model, texts)))[0] is not None


def _numbered(model: Model, texts: Sequence[str]) -> tuple[list[str], dict[str, float]]:
    names = (*model.parameters, *(x.name for x in model.inputs))
    return lifted({"t", *names, *model.readings}, texts)


def _key(code: Evaluator, texts: Sequence[str], numbers: Mapping[str, float]) -> str:
    """The name of the record of such code: all that shapes it."""
    asked = (repr(list(texts)), repr(list(numbers)), repr(code.parameters))
    built = maker(vectors=False, portable=code.portable)
    return digest("expressions", whole_package(), identity(code.model), *asked, *built)


def _kept(key: str) -> tuple[Path | None, str]:
    """The library of a record and the name of its function."""
    library, _, function = (recall(key) or b"").decode().partition(" ")
    return kept(library) if library else None, function


def evaluated(
    code: Evaluator, texts: Sequence[str], called: Sequence[str], parameters: Floats
) -> Values:
    """The expressions as one function in Python.

    Raises
        UsageError: as `compiled`.
    """
    found = over_states(code.model, texts, called, code.parameters)

    def values(t: float, q: Floats, v: Floats) -> Floats:
        (row,) = found(np.array([t]), q[np.newaxis], v[np.newaxis], parameters)
        return np.asarray(row, dtype=np.float64)

    return values


def over_states(
    model: Model, texts: Sequence[str], called: Sequence[str], runtime: tuple[str, ...]
) -> Callable[[Floats, Floats, Floats, Floats], Floats]:
    """The expressions as one function in Python of times, states and run-time parameters.

    Shape
        (states), (states, nq), (states, nv) and (parameters) to (states, texts).
    Raises
        UsageError: as `compiled`.
    """
    from ...codegen.events import event_sources

    module = NumpyModule(event_sources(model, texts, "numpy", runtime, called))

    def values(t: Floats, q: Floats, v: Floats, parameters: Floats) -> Floats:
        g = np.empty((len(t), len(texts)))
        _ran(module, "events", t, q, v, parameters, {"g": g})
        return g

    return values


def slopes_at(code: Evaluator, text: str, t: float, q: Floats, v: Floats, p: Floats) -> Floats:
    """The derivatives of an expression at a state: along each small place, then each speed.

    By derivatives in generated code. What steps or has a corner is left out, as in those of laws.

    Shape
        (2 nv).
    Raises
        UsageError: as `compiled`.
    """
    from ...codegen.events import slope_sources

    module = NumpyModule(slope_sources(code.model, [text], code.parameters))
    found = {name: np.empty((1, module.interface.sizes[name])) for name in ("g", "da")}
    _ran(module, "derivatives", np.array([t]), q[np.newaxis], v[np.newaxis], p, found)
    row: Floats = found["da"][0, : 2 * len(code.speeds)]
    return row


def _ran(
    module: NumpyModule,
    entry: str,
    t: Floats,
    q: Floats,
    v: Floats,
    parameters: Floats,
    results: Mapping[str, Floats],
) -> None:
    p = np.broadcast_to(parameters, (len(t), len(parameters)))
    given = {"q": q, "v": v, "t": t[:, np.newaxis], "p": p, **results}
    module.run(entry, {name: given[name] for name in module.interface.arguments[entry]})

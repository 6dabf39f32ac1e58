"""Functions of time and state that callers give as expressions: compiled, or in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from cffi import FFI

from ...codegen.build import build
from ...codegen.toolchain import find_compiler
from ...errors import UsageError
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
    from ...codegen.events import event_sources, lifted

    given, numbers = lifted(code.model, texts) if lift else (list(texts), {})
    try:
        sources = event_sources(code.model, given, code.target, code.parameters, called, numbers)
    except UsageError:
        if not numbers:
            raise
        return compiled(code, texts, called, parameters, lift=False)
    data = np.concatenate([parameters, list(numbers.values())])
    prefix = sources.interface.prefix
    library = build(prefix, sources.library, portable=code.portable, compiler=find_compiler())
    ffi = FFI()
    ffi.cdef(f"int {prefix}_watcher(double, const double *, const double *, double *, void *);")
    opened = ffi.dlopen(str(library))
    address = int(ffi.cast("intptr_t", getattr(opened, f"{prefix}_watcher")))
    return address, data.ctypes.data, (ffi, opened, data)


def evaluated(
    code: Evaluator, texts: Sequence[str], called: Sequence[str], parameters: Floats
) -> Values:
    """The expressions as one function in Python.

    Raises
        UsageError: as `compiled`.
    """
    from ...codegen.events import event_sources

    sources = event_sources(code.model, texts, "numpy", code.parameters, called)
    module = NumpyModule(sources)
    names = sources.interface.arguments["events"]

    def values(t: float, q: Floats, v: Floats) -> Floats:
        g = np.empty((1, len(texts)))
        state = {"q": q[np.newaxis], "v": v[np.newaxis], "t": np.array([[t]]), "g": g}
        state["p"] = parameters[np.newaxis]
        module.run("events", {name: state[name] for name in names})
        found: Floats = g[0]
        return found

    return values

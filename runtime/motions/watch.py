"""Event functions as the generated code calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from cffi import FFI

from ...codegen.build import build
from ...codegen.events import event_sources, text_of
from ...codegen.toolchain import find_compiler
from ...errors import NumericsError, UsageError
from ..evaluation.arrays import Floats
from ..evaluation.backend import NumpyModule
from ..evaluation.evaluator import Evaluator
from ..events import Event
from .integration import Watch


def watch_of(code: Evaluator, events: Iterable[Event], parameters: Floats) -> Watch:
    """The watch over these events: compiled if all are expressions and the target is C.

    Raises
        UsageError: something that is no event.
    """
    events = tuple(events)
    for event in events:
        if not isinstance(event, Event):
            raise UsageError(f"events: {event!r} is no mstmm.Event")
    texts = [text_of(event.function) for event in events]
    watch = Watch(
        np.array([event.direction for event in events], dtype=np.int32),
        np.array([bool(event.terminal) for event in events], dtype=np.int32),
    )
    compiled = [text for text in texts if text is not None]
    if code.target != "numpy" and len(compiled) == len(texts):
        _compile(watch, code, compiled, parameters)
    else:
        watch.function = _called(code, events, texts, parameters)
    return watch


def name_of(event: Event, number: int) -> str:
    """The event's own name, or its expression, or its number."""
    return event.name or text_of(event.function) or f"event {number}"


def _compile(watch: Watch, code: Evaluator, texts: list[str], parameters: Floats) -> None:
    sources = event_sources(code.model, texts, code.target, code.parameters)
    prefix = sources.interface.prefix
    library = build(
        prefix,
        sources.library,
        portable=code.portable,
        compiler=find_compiler(),
    )
    ffi = FFI()
    ffi.cdef(f"int {prefix}_watcher(double, const double *, const double *, double *, void *);")
    opened = ffi.dlopen(str(library))
    watch.address = int(ffi.cast("intptr_t", getattr(opened, f"{prefix}_watcher")))
    watch.data = parameters.ctypes.data
    watch.kept = (opened, parameters)


def _called(
    code: Evaluator, events: tuple[Event, ...], texts: list[str | None], parameters: Floats
) -> Callable[[float, Floats, Floats], Floats]:
    """All event functions as one in Python."""
    expressions = [text for text in texts if text is not None]
    sources = event_sources(code.model, expressions, "numpy", code.parameters)
    module = NumpyModule(sources)
    names = sources.interface.arguments.get("events", ()) if expressions else ()
    stated = [k for k, text in enumerate(texts) if text is not None]
    others: list[tuple[int, Callable[..., Any]]] = []
    for number, event in enumerate(events):
        if texts[number] is not None:
            continue
        if not callable(event.function):
            raise UsageError(f"event {number}: {event.function!r} is no expression and no function")
        others.append((number, event.function))

    def values(t: float, q: Floats, v: Floats) -> Floats:
        found = np.empty(len(events))
        if names:
            g = np.empty((1, len(expressions)))
            state = {"q": q[np.newaxis], "v": v[np.newaxis], "t": np.array([[t]]), "g": g}
            state["p"] = parameters[np.newaxis]
            module.run("events", {name: state[name] for name in names})
            found[stated] = g[0]
        for number, function in others:
            found[number] = _number(number, function(t, q.copy(), v.copy()))
        if not np.isfinite(found).all():
            number = int(np.flatnonzero(~np.isfinite(found))[0])
            raise NumericsError(f"event {number} is not finite at t = {t:g} s")
        return found

    return values


def _number(event: int, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"event {event}: its function gives {value!r}, not one number") from None

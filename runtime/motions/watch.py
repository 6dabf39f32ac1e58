"""Event functions as the generated code calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...errors import NumericsError, UsageError
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from ..events import Event, text_of
from .functions import compiled, evaluated
from .integration import Watch


def watch_of(code: Evaluator, events: Iterable[Event], parameters: Floats) -> Watch:
    """The watch over these events: compiled if all are expressions and the code is.

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
    stated = [text for text in texts if text is not None]
    if code.kind.compiled and len(stated) == len(texts):
        given = code, stated, [f"event {k}" for k in range(len(stated))], parameters
        watch.address, watch.data, watch.kept = compiled(*given)
    else:
        watch.function = _called(code, events, texts, parameters)
    return watch


def name_of(event: Event, number: int) -> str:
    """The event's own name, or its expression, or its number."""
    return event.name or text_of(event.function) or f"event {number}"


def _called(
    code: Evaluator, events: tuple[Event, ...], texts: list[str | None], parameters: Floats
) -> Callable[[float, Floats, Floats], Floats]:
    """All event functions as one in Python."""
    stated = [k for k, text in enumerate(texts) if text is not None]
    expressions = [text for text in texts if text is not None]
    called = [f"event {k}" for k in stated]
    known = evaluated(code, expressions, called, parameters) if stated else None
    others: list[tuple[int, Callable[..., Any]]] = []
    for number, event in enumerate(events):
        if texts[number] is not None:
            continue
        if not callable(event.function):
            raise UsageError(f"event {number}: {event.function!r} is no expression and no function")
        others.append((number, event.function))

    def values(t: float, q: Floats, v: Floats) -> Floats:
        found = np.empty(len(events))
        if known:
            found[stated] = known(t, q, v)
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

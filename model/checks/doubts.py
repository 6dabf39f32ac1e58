"""What is odd in a model and taken all the same: a warning, or an error where that is wanted."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ...errors import ModelError, ModelWarning

_heard: ContextVar[list[str] | None] = ContextVar("_heard", default=None)


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is warned of meanwhile, which is warned of all the same."""
    messages: list[str] = []
    token = _heard.set(messages)
    try:
        yield messages
    finally:
        _heard.reset(token)


def again(messages: list[str]) -> None:
    """Warn of what was heard when the model was read.

    Raises
        ModelWarning: warnings are errors here.
    """
    for message in messages:
        warnings.warn(ModelWarning(message), stacklevel=3)


def doubt(message: str, *, element: str = "", field: str = "") -> None:
    """Warn of what is taken as it is, or mended.

    Raises
        ModelError: warnings are errors here, as `strict=True` makes them.
    """
    error = ModelError(message, element=element, field=field)
    heard_now = _heard.get()
    if heard_now is not None:
        heard_now.append(str(error))
    try:
        warnings.warn(ModelWarning(str(error)), stacklevel=3)
    except ModelWarning:
        raise error from None

"""What is odd in a model and taken all the same: a warning, or an error where that is wanted."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ...errors import ModelError, ModelWarning

_heard: ContextVar[list[str] | None] = ContextVar("_heard", default=None)
_causes: ContextVar[set[str] | None] = ContextVar("_causes", default=None)


#: Packages whose frames are never the user's line: this one, and Python's own, which call it back
#: from context managers, copies of records and threads.
_OWN = {__name__.partition(".")[0], *sys.stdlib_module_names}


def users_level() -> int:
    """How many calls up the user's line is from the one that asks, as `warnings.warn` counts.

    It is the nearest one outside this package.
    """
    frame, level = inspect.currentframe(), 0
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in _OWN:
        frame, level = frame.f_back, level + 1
    return level


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
        warnings.warn(ModelWarning(message), stacklevel=users_level())


@contextmanager
def once() -> Iterator[None]:
    """What is warned of meanwhile is warned of once for each cause: of a batch for its first."""
    token = _causes.set(set())
    try:
        yield
    finally:
        _causes.reset(token)


def warn(message: str, cause: str) -> None:
    """Warn of what comes of a call, at the user's line; of one cause once, where `once` holds.

    Raises
        ModelWarning: warnings are errors here.
    """
    causes = _causes.get()
    if causes is not None:
        if cause in causes:
            return
        causes.add(cause)
    warnings.warn(ModelWarning(message), stacklevel=users_level())


def doubt(message: str, *, element: str = "", field: str = "", of: object = None) -> None:
    """Warn of what is taken as it is, or mended; of the same thing once, in whatever models it is.

    Raises
        ModelError: warnings are errors here, as `strict=True` makes them.
    """
    error = ModelError(message, element=element, field=field)
    if str(error) in told(of):
        return
    heard_now = _heard.get()
    if heard_now is not None:
        if str(error) in heard_now:
            return  # of a model that is put together a second time
        heard_now.append(str(error))
    try:
        warnings.warn(ModelWarning(str(error)), stacklevel=users_level())
    except ModelWarning:
        raise error from None
    told(of, str(error))


def told(of: object, *messages: str) -> tuple[str, ...]:
    """What has been warned of about a thing, to which `messages` are added.

    It stands beside the thing's fields, and goes where these go: into copies and pickles.
    """
    if of is None:
        return ()
    said: tuple[str, ...] = (*vars(of).get("_told", ()), *messages)
    if messages:
        vars(of)["_told"] = said
    return said

"""Packages that only some features need: imported when asked for, with the remedy if missing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ..errors import ToolchainError


def require(module: str, *, extra: str, purpose: str) -> Any:
    """The module, or an error that names the extra which brings it.

    Raises
        ToolchainError: it cannot be imported.

    Source
        own
    """
    try:
        with signals_waiting():
            return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ToolchainError(
            f"{purpose} needs {package}, which cannot be imported here ({error})",
            remedy=f'pip install "mstmm[{extra}]"',
        ) from error


@contextmanager
def signals_waiting() -> Iterator[None]:
    """Let an interrupt or a request to end wait until this block has ended.

    A `KeyboardInterrupt` in the midst of an import is lost when it falls into a callback, or
    is turned into an `ImportError` when an extension module is being made.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    waiting = (signal.SIGINT, signal.SIGTERM)
    before = {s: signal.signal(s, lambda number, _: came.append(number)) for s in waiting}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if came:
            signal.raise_signal(came[0])

"""A word on standard error where a call makes code: nobody waits without knowing for what."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds after which the word is said; code from the cache takes none of them.
PATIENCE = 1.0


@contextmanager
def announced(what: str) -> Iterator[None]:
    """Say what is being made if that takes longer than `PATIENCE`."""
    timer = threading.Timer(PATIENCE, _say, (what,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _say(what: str) -> None:
    if sys.stderr is not None:
        print(f"mstmm: {what}", file=sys.stderr, flush=True)

"""Making much that stays: without the garbage collector, which would search it over and over."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """What is made in here is not searched for garbage; afterwards the collector is as it was.

    It counts as old then, so that the next young object does not have all of it searched.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()

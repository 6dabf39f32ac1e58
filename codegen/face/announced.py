"""A word on standard error where a call makes code: nobody waits without knowing for what."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Seconds after which the word is said; code from the cache takes none of them.
PATIENCE = 1.0

#: Seconds after which a terminal shows how long something takes, and how often.
SHOWN, ANEW = 3.0, 1.0

#: Shows a text in the place of the last one; an empty text takes it away.
Line = Callable[[str], None]

#: Lines of those who show something already, the innermost last.
_lines: list[Line] = []

#: Held while something is shown.
_shows = threading.Lock()


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


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Show on a terminal for how long something has been going on, once it takes some seconds.

    Of what goes on side by side the first is shown.
    """
    line = _lines[-1] if _lines else _on_terminal
    unseen = not _lines and (sys.stderr is None or not sys.stderr.isatty())
    if unseen or not _shows.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    clock = threading.Thread(target=_tick, args=(what, line, done), daemon=True)
    clock.start()
    try:
        yield
    finally:
        done.set()
        clock.join()
        _shows.release()


def _tick(what: str, line: Line, done: threading.Event) -> None:
    start, wait = time.monotonic(), SHOWN
    while not done.wait(wait):
        line(f"{what}: {time.monotonic() - start:.0f} s")
        wait = ANEW
    if wait == ANEW:
        line("")


@contextmanager
def shown_by(line: Line) -> Iterator[None]:
    """Have `line` show how long things take, and not a line of their own."""
    _lines.append(line)
    try:
        yield
    finally:
        _lines.remove(line)


def _on_terminal(text: str) -> None:
    """A line of standard error that the next one takes the place of."""
    width = shutil.get_terminal_size().columns - 1
    sys.stderr.write("\r\x1b[K" + f"mstmm: {text}"[: width if text else 0])
    sys.stderr.flush()

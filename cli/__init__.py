"""The command `mstmm`."""

from __future__ import annotations

import io
import signal
import sys
from typing import NoReturn

TERMINATED = 143


def main() -> None:
    """Run the command line; the exit code says how it went.

    Source
        own
    """
    from .app import app, lost_memory, lost_output

    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that knows no Greek letters gets question marks.
        sys.stdout.reconfigure(errors="replace")
    signal.signal(signal.SIGTERM, _terminated)
    try:
        try:
            app(prog_name="mstmm")
        finally:
            sys.stdout.flush()
    except MemoryError:
        sys.exit(lost_memory())
    except OSError as error:
        sys.exit(lost_output(error))


def _terminated(*_: object) -> NoReturn:
    """Leave as after an error, so that no scratch folder is left behind."""
    sys.exit(TERMINATED)

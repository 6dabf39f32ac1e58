"""The command `mstmm`."""

from __future__ import annotations


def main() -> None:
    """Run the command line; the exit code says how it went.

    Source
        own
    """
    from .app import app

    app(prog_name="mstmm")

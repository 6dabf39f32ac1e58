"""The way up from a thing to its picture: `report` lies above what it shows, and is called by name.

A model, a run or a solver has methods that draw it. What they do lies in `report`, which imports
those; so they import nothing of it, and ask here when they are called.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def report(module: str) -> Any:
    """A module of `mstmm.report`, imported at the first call."""
    return import_module(f"mstmm.report.{module}")

"""The way out to the rooms beside the core, which it does not import: called by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Model


def read_mjcf(path: str, *, without: Sequence[str] = ()) -> Model:
    """A model of MuJoCo, as `mstmm.exchange.readers.mjcf.read_mjcf` reads it."""
    from .exchange.readers.mjcf import read_mjcf as read

    return read(path, without=without)

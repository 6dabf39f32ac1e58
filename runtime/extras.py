"""Packages that only some features need: imported when asked for, with the remedy if missing."""

from __future__ import annotations

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
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ToolchainError(
            f"{purpose} needs {package}, which cannot be imported here ({error})",
            remedy=f'pip install "mstmm[{extra}]"',
        ) from error

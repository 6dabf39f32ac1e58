"""Modules of this room that are imported when a function of theirs is first called."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any


class Later:
    """Stands for a module, `Later("linear.state_space")`, or for a function of it, by its name."""

    def __init__(self, module: str, name: str = "") -> None:
        self._module, self._name = module, name

    @cached_property
    def found(self) -> Any:
        """The function."""
        return getattr(import_module(f"{__package__}.{self._module}"), self._name)

    def __getattr__(self, name: str) -> Later:
        if name.startswith("_"):
            raise AttributeError(name)
        return Later(self._module, name)

"""Classes of the package that are imported when one of their methods is first called."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any


class Later:
    """Stands for a class of a module of this room: `Later("linear.state_space", "StateSpace")`."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    @cached_property
    def found(self) -> Any:
        """The class."""
        return getattr(import_module(f"{__package__}.{self._module}"), self._name)

    def __getattr__(self, method: str) -> LaterMethod:
        if method.startswith("_"):
            raise AttributeError(method)
        return LaterMethod(self, method)


class LaterMethod:
    """Stands for a method of such a class."""

    def __init__(self, owner: Later, name: str) -> None:
        self._owner, self._name = owner, name

    @cached_property
    def found(self) -> Any:
        """The function."""
        return getattr(self._owner.found, self._name)

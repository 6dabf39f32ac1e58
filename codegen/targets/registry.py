"""The targets, in the order in which they are named: a line and a folder each."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from ...errors import UsageError
from .target import Target

TARGETS = (
    "c",
    "c-batch",
    "c-lanes",
    "cuda",
    "numpy",
    "text",
)


@cache
def target_named(name: str) -> Target:
    """The target of this name.

    Raises
        UsageError: there is none.
    """
    if name not in TARGETS:
        raise UsageError(f"there is no target {name!r}; there are: {', '.join(TARGETS)}")
    folder = name.replace("-", "_")
    found: Target = import_module(f"{__package__}.{folder}.target").TARGET
    return found


def loadable() -> tuple[str, ...]:
    """Those whose code runs here."""
    return tuple(name for name in TARGETS if target_named(name).loader)


def single(of: str, name: str) -> Target:
    """The target of this name, if what goes step by step can call its entries.

    Raises
        UsageError: it cannot; names those that can. `of` is what asks for it.
    """
    fit = [each for each in TARGETS if target_named(each).single]
    if name not in fit:
        raise UsageError(f"there is no target {name!r} of {of}; there are: {', '.join(fit)}")
    return target_named(name)

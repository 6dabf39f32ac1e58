"""Who runs a case: one compiled function each, and how its results read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from .trees import Floats, same


class Timed(Protocol):
    """What can be evaluated once for all states, and timed: see `harness.Call`."""

    def once(self) -> int: ...

    def seconds(self, passes: int) -> float: ...

    def passes(self) -> int: ...


@dataclass
class Contender:
    """A function that does a case's work.

    `results`: the array that it writes; `back`: from that to the case's own order. Where
    `call` is None it does not run here, and `missing` says why.
    """

    name: str
    call: Timed | None
    results: Callable[[], Floats] | None = None
    back: Callable[[Floats], Floats] = same
    missing: str = ""

    def found(self) -> Floats:
        """Evaluate all states once; the results in the case's order, (states, length)."""
        assert self.call is not None
        assert self.results is not None
        self.call.once()
        return self.back(self.results())


def absent(name: str, why: str) -> Contender:
    return Contender(name, None, missing=why)

"""Who runs a case: one compiled function each, and how its results read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .harness import Call
from .trees import Floats, same


@dataclass
class Contender:
    """A function that does a case's work.

    `results`: the array that it writes; `back`: from that to the case's own order. Where
    `call` is None it does not run here, and `missing` says why.
    """

    name: str
    call: Call | None
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

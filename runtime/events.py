"""What may be watched along a motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..blame import blamed_parts
from ..errors import UsageError
from ..shown import Shown


@blamed_parts
@dataclass(frozen=True)
class Event(Shown):
    """A function of time and state whose zeros along a motion are found.

    `function` is an expression of the coordinates, speeds, sensors and their rates, parameters and
    the time `t`, as text (`"theta1 - pi/2"`) or in SymPy, which is compiled; or a Python function
    of (t, q, v), called after every step. `direction` 1 takes rising zeros alone, -1 falling ones,
    0 both. The motion ends at a `terminal` one. A step whose ends have the same sign holds no
    event: where a function may return within one, give a smaller dt or tolerance.

    Shape
        `q` (nq), `v` (nv); the value is one number.
    Units
        s; those of the state.
    """

    function: str | Callable[..., Any] | Any
    direction: int = 0
    terminal: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        if self.direction not in (-1, 0, 1):
            raise UsageError(f"an event's direction is -1, 0 or 1, not {self.direction!r}")


def text_of(function: object, called: str = "event") -> str | None:
    """The text of a function that is an expression, in text or in SymPy; none of another.

    Raises
        UsageError: the expression holds what no text can say.
    """
    if isinstance(function, str):
        return function
    if not hasattr(function, "free_symbols"):
        return None
    from ..codegen.events import text_of as written

    return written(function, called)

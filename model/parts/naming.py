"""Names: numbered ones, one near to what was meant, those of other tools as names of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

#: What names of elements and frames may hold, and how long names may be.
NAME = "A-Za-z0-9_"
FRAME_NAME = "A-Za-z0-9_.:/+-"
LONGEST = 150

#: The arrays of a run: what `run[name]` gives before all else.
RECORDED = (
    "time", "q", "v", "a", "loads", "determinate", "energy", "constraint_position",
    "constraint_velocity", "p", "inputs",
)  # fmt: skip

#: What is said of another name of an element.
NO_NAME = "is no name; use letters, digits and _ (ASCII), no _ first or last"


_NAMES = re.compile(r"[A-Za-z0-9]+(_+[A-Za-z0-9]+)*")


def is_name(name: object) -> bool:
    """May a body, hinge, point, load or force be called so?"""
    return isinstance(name, str) and bool(_NAMES.fullmatch(name))


def are_names(names: Sequence[object]) -> bool:
    """May all of them be? A long chain's are looked at together."""
    if {*map(type, names)} <= {str}:
        letters = "".join(names)  # type: ignore[arg-type]
        if letters.isascii() and letters.isalnum() and all(names):
            return True
    return all(map(is_name, names))


class Names:
    """Valid names, each once: `blank` stands for what is not `valid`; elements do not end in it."""

    def __init__(self, *taken: str, valid: str = NAME, blank: str = "_") -> None:
        self.taken = set(taken)
        self.valid, self.blank = valid, blank

    def make(self, name: str, default: str) -> str:
        stem = re.sub(f"[^{self.valid}]", self.blank, name)[:LONGEST]
        if self.valid == NAME:
            stem = stem.strip("_")
        stem = stem or default
        made, number = stem, 2
        while made in self.taken:
            made, number = f"{stem}{number}", number + 1
        self.taken.add(made)
        return made


def numbered(stem: str, count: int) -> tuple[str, ...]:
    """The stem, with numbers from 1 where there are several."""
    return (stem,) if count == 1 else tuple(f"{stem}_{k}" for k in range(1, count + 1))


def nearest(name: str, known: Iterable[str]) -> str:
    """A question after an unknown name, if a known one is close to it."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""

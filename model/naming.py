"""Names: numbered ones, one near to what was meant, those of other tools as names of a model."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: What the name of a frame may hold, and how long names may be.
FRAME_NAME = "A-Za-z0-9_.:/+-"
LONGEST = 150


class Names:
    """Valid names, each once: `blank` stands for what is not `valid`."""

    def __init__(self, *taken: str, valid: str = "A-Za-z0-9", blank: str = "") -> None:
        self.taken = set(taken)
        self.valid, self.blank = valid, blank

    def make(self, name: str, default: str) -> str:
        stem = re.sub(f"[^{self.valid}]", self.blank, name)[:LONGEST] or default
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

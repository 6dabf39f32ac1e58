"""Names of other tools as names of a model."""

from __future__ import annotations

import re

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

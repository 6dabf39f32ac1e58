"""A paper's ledger: its file, the worlds in which it is judged, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .paper import Entry, Paper
from .verdicts import Outcome, Verdict, Worlds, claim, judge


@dataclass(eq=False)
class Ledger:
    """The entries of a paper with their verdicts, each found once.

    `worlds` builds an instant by its name; it is asked when an entry is judged there.
    """

    paper: Paper
    worlds: Worlds
    _verdicts: dict[int, Verdict] = field(default_factory=dict, repr=False)

    def verdict(self, entry: Entry) -> Verdict:
        """The outcome of the comparison at all of the entry's instants."""
        if id(entry) not in self._verdicts:
            self._verdicts[id(entry)] = judge(entry, self.paper, self.worlds)
        return self._verdicts[id(entry)]

    def claim(self, text: str, instants: Sequence[str] = ()) -> Outcome:
        """Whether what a reader typed holds, at some instants or the paper's.

        Raises
            EquationError: it is no equation in the paper's letters.
        """
        return claim(text, self.paper, self.worlds, instants)

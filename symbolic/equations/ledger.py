"""A paper's ledger: its file, the worlds in which it is judged, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .grammar import expression
from .matrices import Mat
from .paper import Entry, Paper, check_names
from .values import Evaluator
from .verdicts import Outcome, Verdict, Worlds, claim, judge
from .worlds import World


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

    def value(self, text: str, world: World, **indices: object) -> Mat:
        """What an expression in the paper's letters is in a world, indices having these values.

        Raises
            EquationError: it is no expression in the paper's letters, or has no value there.
        """
        node = expression(text, self.paper.indices, ("expression", 1, 1))
        check_names(self.paper, node)
        evaluator = Evaluator(world, self.paper.letters, self.paper.indices)
        return evaluator.series(node, indices, 0)[0]

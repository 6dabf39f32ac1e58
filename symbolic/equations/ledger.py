"""A paper's ledger: its file, the worlds in which it is judged, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...shown import Shown
from . import alphabets
from .claims import Outcome, claim
from .grammar import expression
from .layout import Box, definition, statement
from .layout import name as letter_box
from .letters import Letter, form
from .matrices import Mat
from .paper import Entry, Paper, Statement, check_names
from .trees import walk
from .values import Evaluator
from .verdicts import Verdict, Worlds, judge
from .worlds import World


@dataclass(frozen=True)
class Lines:
    """What an entry states, line by line, as a layout; as text in one line."""

    boxes: tuple[Box, ...] = ()

    def __str__(self) -> str:
        return "; ".join(map(alphabets.text, self.boxes))

    def __bool__(self) -> bool:
        return bool(self.boxes)


@dataclass(frozen=True, eq=False, repr=False)
class Judged(Shown):
    """An equation of a paper: what is right, the print where it fails, and the verdict.

    `written` are its lines in the paper's file.
    """

    ledger: Ledger
    written: Entry

    @property
    def paper(self) -> str:
        return self.ledger.paper.name

    @property
    def number(self) -> str:
        """The paper's, with a word where one number states several things (`65, sign`)."""
        return self.written.number

    @property
    def equation(self) -> str:
        """The paper's number alone: 65 of `65, sign`."""
        return self.written.equation

    @property
    def title(self) -> str:
        return self.written.title

    @property
    def kind(self) -> str:
        return self.written.kind

    @property
    def correction(self) -> str:
        return self.written.correction

    @property
    def instants(self) -> tuple[str, ...]:
        return self.written.instants

    @property
    def code(self) -> str:
        """File and line."""
        return f"{self.written.at[0]}:{self.written.at[1]}"

    @cached_property
    def as_derived(self) -> Lines:
        return self._laid(self.written.right)

    @cached_property
    def as_printed(self) -> Lines:
        """The lines of the print that fail."""
        return self._laid(self.written.printed)

    @property
    def print_(self) -> Lines:
        """What the paper prints: what is derived, unless the print differs or there is none."""
        same = not (self.written.printed or self.written.absent or self.kind == "own")
        return self.as_derived if same else self.as_printed

    def _laid(self, lines: Iterable[Statement]) -> Lines:
        return Lines(tuple(statement(self.ledger.paper, line) for line in lines))

    def letters(self) -> list[Letter]:
        """The paper's letters that its lines name, and those by which these are defined."""
        found: dict[Letter, None] = {}
        lines = [x.states for x in (*self.written.right, *self.written.printed) if x.states]
        trees: list[object] = [(x.sides, [each.value for each in x.defines]) for x in lines]
        local = {form(each.name) for x in lines for each in x.defines}
        for tree in trees:
            names = (x for x in walk(tree) if x.op == "name" and form(x) not in local)
            for letter in (x for name in names for x in self.ledger.paper.letters.meant(name)):
                if letter not in found:
                    found[letter] = None
                    trees.append(letter.value)
        return sorted(found, key=lambda letter: letter.at)

    @cached_property
    def verdict(self) -> Verdict:
        """The outcome of the comparison at all instants, made once."""
        return self.ledger.judged(self.written)

    def __repr__(self) -> str:
        return f"<Entry of the {self.paper} paper: ({self.number}) {self.title}>"

    def __str__(self) -> str:
        """What it states and whether the print holds; of one that fails both readings."""
        said = f"({self.number}) {self.title}\n    {self.verdict.sentence()}"
        if self.correction:
            said += f"\n    printed: {self.as_printed}\n    derived: {self.as_derived}"
        return said

    def record(self) -> dict[str, Any]:
        """The entry in plain words and numbers, with its verdict."""
        return {
            "paper": self.paper,
            "number": self.number,
            "title": self.title,
            "kind": self.kind,
            "as_printed": str(self.print_),
            "as_derived": str(self.as_derived),
            "correction": self.correction,
            "instants": list(self.instants),
            "verdict": self.verdict.status,
            "sentence": self.verdict.sentence(),
            "compared": self.verdict.compared,
            "code": self.code,
        }


@dataclass(eq=False)
class Ledger:
    """The entries of a paper with their verdicts, each found once.

    `worlds` builds an instant by its name; it is asked when an entry is judged there.
    """

    paper: Paper
    worlds: Worlds
    entries: tuple[Judged, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.entries = tuple(Judged(self, entry) for entry in self.paper.entries)

    def judged(self, entry: Entry) -> Verdict:
        """The outcome of the comparison of one entry at all its instants."""
        return judge(entry, self.paper, self.worlds)

    def entries_of(self, numbers: Iterable[str]) -> list[Judged]:
        """The entries of some numbers, whole ones or the equations' alone."""
        wanted = set(numbers)
        return [entry for entry in self.entries if {entry.number, entry.equation} & wanted]

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

    @property
    def indices(self) -> list[tuple[str, str]]:
        """Each index with the set that it runs over."""
        return [(name, str(run)) for name, run in self.paper.indices.sets.items()]

    def legend(self, letters: Iterable[Letter] | None = None) -> list[tuple[str, str, str, str]]:
        """Of each letter, or of these, how it is typed and shown, its shape, what it means."""
        return [
            (
                letter.name,
                alphabets.text(letter_box(self.paper, letter.pattern)),
                " × ".join(letter.shape or ()),
                self._meaning(letter),
            )
            for letter in (self.paper.letters if letters is None else letters)
        ]

    def _meaning(self, letter: Letter) -> str:
        """In words; of one that is an equation that."""
        if letter.value is None:
            return letter.says
        equation = alphabets.text(definition(self.paper, letter.pattern, letter.value))
        return f"{equation} {letter.says}".strip()

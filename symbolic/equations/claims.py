"""What a reader claims: an equation in a paper's letters, judged as the paper's own are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .grammar import equation
from .letters import Form, form
from .paper import Paper, check_names
from .tokens import EquationError
from .trees import Equation, empty, walk
from .verdicts import Worlds, compare


@dataclass(frozen=True)
class Outcome:
    """What a claim came to: in how many cases, and the first where it fails.

    `nothing`: why it states nothing, though both sides are equal.
    """

    claim: str
    instants: tuple[str, ...]
    cases: int
    failing: int = 0
    where: str = ""
    nothing: str = ""

    @property
    def ok(self) -> bool:
        return not self.failing and not self.nothing

    def sentence(self) -> str:
        """The outcome in words."""
        if self.failing:
            return f"fails in {self.failing} of {self.cases}: {self.where}"
        if self.nothing:
            return f"says nothing: {self.nothing}"
        return f"holds exactly in {self.cases} case{'' if self.cases == 1 else 's'}"


def claim(text: str, paper: Paper, worlds: Worlds, instants: Sequence[str] = ()) -> Outcome:
    """Does what a reader typed hold? By the same grammar, letters and instants.

    Without instants it is judged at the paper's, or where an entry is that names the same letters.

    Raises
        EquationError: it is no equation in the paper's letters.
    """
    if "**" in text:
        raise EquationError("a power is a^2", ("claim", 1, text.index("**") + 1))
    states = equation(text, paper.indices, ("claim", 1, 1))
    check_names(paper, states.sides, states.defines)
    names = instants or _instants(states, paper)
    found = compare(states, paper, [(name, worlds(name)) for name in names])
    nothing = empty(states)
    if found.empty and not nothing:
        nothing = f"{', '.join(found.empty)} is zero in every case"
    return Outcome(text, tuple(names), found.count, found.failing, found.why, nothing)


def _instants(states: Equation, paper: Paper) -> tuple[str, ...]:
    """The first instants at which entries are judged that name all letters of this equation."""
    named = [
        (entry.instants, _letters([x.states for x in entry.right if x.states], paper))
        for entry in paper.entries
    ]
    at: dict[str, set[Form]] = {}
    for instants, letters in named:
        for name in instants:
            at.setdefault(name, set()).update(letters)
    wanted = _letters([states], paper)
    for instants in (paper.instants, *(instants for instants, _ in named)):
        if instants and all(wanted <= at.get(name, set()) for name in instants):
            return instants
    return paper.instants


def _letters(found: Iterable[Equation], paper: Paper) -> set[Form]:
    """The letters that equations name, and those by which they are defined."""
    letters = set[Form]()
    stack: list[object] = [[each.sides, [d.value for d in each.defines]] for each in found]
    while stack:
        for node in walk(stack.pop()):
            if node.op == "name" and (of := form(node)) not in letters:
                letters.add(of)
                stack += [x.value for x in paper.letters.forms.get(of, ()) if x.value]
    return letters

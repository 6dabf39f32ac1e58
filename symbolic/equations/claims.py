"""What a reader claims: an equation in a paper's letters, judged as the paper's own are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .drawn import Drawn
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

    It is judged at those of the instants that have its letters; without instants at the paper's, or
    where an entry is that names the same letters.

    Raises
        EquationError: it is no equation in the paper's letters, or no instant has them.
    """
    if "**" in text:
        raise EquationError("a power is a^2", ("claim", 1, text.index("**") + 1))
    try:
        states = equation(text, paper.indices, ("claim", 1, 1))
        check_names(paper, states.sides, states.defines)
        return _judged(text, states, paper, worlds, instants)
    except RecursionError:
        # Each part is evaluated inside the one around it, which Python allows to a depth.
        raise EquationError("it is nested too deeply", ("claim", 1, 1)) from None


def _judged(
    text: str, states: Equation, paper: Paper, worlds: Worlds, instants: Sequence[str]
) -> Outcome:
    known = _known(states, paper)
    names = instants or next(iter(known), paper.instants)
    found = compare(states, paper, ((name, worlds(name)) for name in names), where_known=True)
    if not found.at:
        others = dict.fromkeys(x for each in known for x in each if x not in names)
        having = f"; the instants that have it are {', '.join(others)}" if others else ""
        raise EquationError(f"{found.absent[0].said}{having}", found.absent[0].at)
    nothing = empty(states)
    if found.empty and not nothing:
        nothing = f"{', '.join(found.empty)} is zero in every case"
    if not found.failing and not nothing and _of_any(states, paper, found.at[0], worlds):
        nothing = "it holds whatever its letters mean"
    return Outcome(text, tuple(found.at), found.count, found.failing, found.why, nothing)


def _of_any(states: Equation, paper: Paper, instant: str, worlds: Worlds) -> bool:
    """Whether an equation holds too with any numbers in place of its letters."""
    if not any(node.op == "name" for node in walk(states.sides)):
        return False
    try:
        return not compare(states, paper, [(instant, worlds(instant))], Drawn).failing
    except EquationError:
        return False


def _known(states: Equation, paper: Paper) -> list[tuple[str, ...]]:
    """The paper's instants, and entries', where entries name all letters of this equation."""
    named = [
        (entry.instants, _letters([x.states for x in entry.right if x.states], paper))
        for entry in paper.entries
    ]
    at: dict[str, set[Form]] = {}
    for instants, letters in named:
        for name in instants:
            at.setdefault(name, set()).update(letters)
    wanted = _letters([states], paper) - {form(each.name) for each in states.defines}
    every = (paper.instants, *(instants for instants, _ in named))
    return [x for x in every if x and all(wanted <= at.get(name, set()) for name in x)]


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

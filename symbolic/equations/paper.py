"""A paper's file of equations, read: letters, indices, and entries with what they state.

A line that starts in column 1 is a head line, one indented by 4 a statement, by 8 a continuation;
`--` begins a comment.

    paper screw: what it is about
    at slide, pin                                   the instants at which entries are judged
    index j, k : way(i)                             indices, and the set that each runs over
    letter Jb_ij as Jᵇ : 6×1, column of joint j     letter, how it is shown, shape, meaning
    constant Mb_i : 6×6, inertia                    has no rate
    define K_lm as M := Σ_{i∈beyond(l)} … | (82)    a letter that is an equation
    # Body-fixed                                    a section of the paper
    (5) title [kind] @ instants                     number, title; kind and instants if need be
        a = b                                       what is right
        ! a = -b | the sign is a plus               the print where it fails | the correction

Kinds: `text` (a statement between displays), `own` (not in the paper), `absent` (our copy lacks
it), `defines` (only names something; it may state nothing), `restored` (the same, and our copy
lacks it), `see 4, 5` (judged there), `open`, and
`check name`: judged by a function of the world; what stands below is shown as words. So does
a name after another kind, `own name`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .grammar import definition, equation, pattern
from .indices import COMMA, Indices
from .letters import Form, Letter, Letters, form
from .tokens import EquationError, Place
from .trees import Define, Equation, empty, spelled, walk

KINDS = ("display", "text", "own", "absent", "defines", "restored", "see", "open", "check")

ENTRY = re.compile(
    r"\((?P<number>[^)]*)\)\s*(?P<title>.*?)"
    r"(?:\s\[(?P<kind>[a-z]+)(?:\s(?P<of>[^\]]*))?\])?(?:\s@\s*(?P<at>[\w, -]+))?$"
)


@dataclass(frozen=True, eq=False)
class Statement:
    """A line of an entry: its text, where it stands, what it states; of a print the correction.

    Words have no equation.
    """

    text: str
    at: Place
    states: Equation | None
    correction: str = ""


@dataclass(frozen=True, eq=False)
class Entry:
    """A number of the paper: what is right, and the print where it fails.

    `by` are the numbers where it is judged (`see`), or the name of its check.
    """

    number: str
    title: str
    section: str
    instants: tuple[str, ...]
    kind: str
    at: Place
    by: tuple[str, ...] = ()
    right: list[Statement] = field(default_factory=list)
    printed: list[Statement] = field(default_factory=list)

    @property
    def equation(self) -> str:
        """The paper's number alone: 65 of `65, sign`, 76 of `76b`."""
        return re.sub(r"(?<=\d)[a-c]$", "", self.number.partition(",")[0])

    @property
    def absent(self) -> bool:
        """Whether our copy of the paper lacks the display."""
        return self.kind in ("absent", "restored")

    @property
    def correction(self) -> str:
        return "; ".join(x.correction for x in self.printed if x.correction)


@dataclass
class Paper:
    """A file's letters, indices and entries."""

    name: str = ""
    about: str = ""
    instants: tuple[str, ...] = ()
    indices: Indices = field(default_factory=Indices)
    letters: Letters = field(default_factory=Letters)
    entries: list[Entry] = field(default_factory=list)

    def shown(self, letter: str) -> str:
        """How a letter is written for people."""
        return self._shown.get(letter, letter)

    _shown: dict[str, str] = field(default_factory=dict)

    def find(self, number: str) -> list[Entry]:
        """The entries of a number, whole or the equation's alone."""
        return [x for x in self.entries if number in (x.number, x.equation)]


def read(text: str, file: str) -> Paper:
    """A paper from its file's text.

    Raises
        EquationError: a line is wrong; with file, line and column.
    """
    return _File(file).read(text)


class _File:
    def __init__(self, file: str) -> None:
        self.file, self.paper, self.section = file, Paper(), ""

    def read(self, text: str) -> Paper:
        lines = [(line, (self.file, number, indent + 1)) for line, number, indent in _logical(text)]
        for line, at in lines:
            if line.startswith("index ") and at[2] == 1:
                self.index(line.removeprefix("index "), at)
        for line, at in lines:
            if at[2] == 1:
                self.head(line, at)
            elif self.paper.entries:
                self.statement(line, at)
            else:
                raise EquationError("a statement stands below an entry", at)
        for entry in self.paper.entries:
            self.complete(entry)
        for letter in self.paper.letters.by_name.values():
            if letter.value:
                self.names(letter.value, ())
        return self.paper

    # Head lines

    def head(self, line: str, at: Place) -> None:
        word, _, rest = line.partition(" ")
        if word == "#":
            self.section = rest.strip()
        elif word == "paper":
            name, _, about = rest.partition(":")
            self.paper.name, self.paper.about = name.strip(), about.strip()
        elif word == "at":
            self.paper.instants = tuple(x.strip() for x in rest.split(","))
        elif word == "index":
            pass  # read first: letters' patterns name them
        elif word in ("letter", "constant"):
            self.declare(rest, word == "constant", at)
        elif word == "define":
            self.define(rest, at)
        elif match := ENTRY.match(line):
            self.entry(match, at)
        else:
            raise EquationError(f"no such line: {line[:40]!r}", at)

    def index(self, rest: str, at: Place) -> None:
        names, _, what = rest.partition(":")
        run = self.paper.indices.set(what, at)
        for name in names.split(","):
            before = self.paper.indices.sets.setdefault(name.strip(), run)
            if before != run:
                raise EquationError(f"the index {name.strip()!r} runs over {before} before", at)

    def declare(self, rest: str, constant: bool, at: Place) -> None:
        patterns, _, what = rest.partition(" : ")
        match = re.match(r"\s*(\w+)[×x](\w+)\s*(?:,\s*|$)(.*)", what)
        sizes, says = ((match[1], match[2]), match[3]) if match else (None, what.strip())
        for text in COMMA.split(re.sub(r"\{[^}]*\}", lambda m: m[0].replace(",", "\0"), patterns)):
            name, _, shown = (x.strip() for x in text.replace("\0", ",").partition(" as "))
            node = pattern(name, self.paper.indices, at)
            self.add(Letter(node, at, says, shown, sizes, constant))

    def define(self, rest: str, at: Place) -> None:
        text, _, says = rest.partition(" | ")
        here = (at[0], at[1], at[2] + len("define "))
        found = definition(text, self.paper.indices, here)
        letter = Letter(found.name, here, says, found.shown, value=found.value)
        self.add(letter)

    def add(self, letter: Letter) -> None:
        self.paper.letters.add(letter)
        if letter.shown:
            base = letter.pattern.args[0]
            before = self.paper._shown.setdefault(base, letter.shown)
            if before != letter.shown:
                raise EquationError(f"{base} is shown as {before} before", letter.at)

    def entry(self, match: re.Match[str], at: Place) -> None:
        kind = match["kind"] or "display"
        if kind not in KINDS:
            raise EquationError(f"{kind!r} is no kind of entry: {', '.join(KINDS)}", at)
        by = tuple(
            x.strip() for x in re.split(r"[;,]" if kind == "see" else ";", match["of"] or "")
        )
        instants = tuple(x.strip() for x in match["at"].split(",")) if match["at"] else None
        self.paper.entries.append(
            Entry(
                match["number"].strip(),
                match["title"].strip(),
                self.section,
                instants or self.paper.instants,
                kind,
                at,
                tuple(x for x in by if x),
            )
        )

    # Statements

    def statement(self, line: str, at: Place) -> None:
        entry, printed = self.paper.entries[-1], line.startswith("!")
        body = line[1:].lstrip() if printed else line
        text, _, correction = (x.strip() for x in body.partition(" | "))
        here = (at[0], at[1], at[2] + len(line) - len(body))
        states = None
        if not entry.by and entry.kind != "open":
            states = equation(text, self.paper.indices, here)
        found = Statement(text, here, states, correction)
        (entry.printed if printed else entry.right).append(found)

    def complete(self, entry: Entry) -> None:
        """An entry says what its kind asks for, with letters that there are."""
        judged = entry.kind not in ("defines", "see", "open")
        if judged and not entry.right:
            raise EquationError(f"({entry.number}) states nothing", entry.at)
        if judged and not entry.instants:
            raise EquationError(f"({entry.number}) has no instant", entry.at)
        if entry.printed and not entry.printed[-1].correction:
            said = f"({entry.number}) has a print that differs, and no correction"
            raise EquationError(said, entry.at)
        if entry.kind == "see":
            for number in entry.by:
                if not any(x is not entry for x in self.paper.find(number)):
                    raise EquationError(f"there is no entry ({number}) to see", entry.at)
        for each in entry.right:
            if each.states and (why := empty(each.states)):
                raise EquationError(f"it says nothing: {why}", each.at)
        for each in (*entry.right, *entry.printed):
            if each.states:
                self.names(each.states.sides, each.states.defines)

    def names(self, trees: object, defines: Sequence[Define]) -> None:
        check_names(self.paper, trees, defines)


def check_names(paper: Paper, trees: object, defines: Sequence[Define] = ()) -> None:
    """Every name is that of a declared letter, or of a local one, which is named by what needs it.

    Raises
        EquationError: the first that is not.
    """
    local = Letters()
    for each in defines:
        local.add(Letter(each.name, each.name.at))
    named = _needed(trees, defines)
    for each in defines:
        if form(each.name) not in named:
            letter = spelled(each.name)
            said = f"{letter} is defined and then not named"
            if letter in paper.indices.sets:
                said += f"; an index is chosen by 'for {letter} = …'"
            raise EquationError(said, each.name.at)
    for node in walk([trees, [each.value for each in defines]]):
        if node.op == "name" and not (local.meant(node) or paper.letters.meant(node)):
            raise EquationError(paper.letters.unknown(spelled(node)), node.at)


def _needed(trees: object, defines: Sequence[Define]) -> set[Form]:
    """The forms that trees name, and those by which these are defined."""
    found, stack = set[Form](), [trees]
    while stack:
        new = {form(node) for node in walk(stack.pop()) if node.op == "name"} - found
        found |= new
        stack += [each.value for each in defines if form(each.name) in new]
    return found


def _logical(text: str) -> Iterator[tuple[str, int, int]]:
    """Lines with the continuations that are indented below them, with number and indent."""
    line, first, indent = "", 0, 0
    for number, raw in enumerate(text.splitlines(), 1):
        if not raw.strip() or raw.startswith("--"):
            continue
        depth = len(raw) - len(raw.lstrip())
        if depth >= 8 and line:
            line += " " + raw.strip()
            continue
        if line:
            yield line, first, indent
        line, first, indent = raw.strip(), number, depth
    if line:
        yield line, first, indent

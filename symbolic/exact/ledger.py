"""A ledger entry: an equation of a paper beside what is right, and a verdict that compares them.

Both readings of an equation are functions of an exact instant that yield its sides, in numbers
without a rounding error; they are equal or not, and there is no tolerance.
"""

from __future__ import annotations

import inspect
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import GeneratorType
from typing import Any, Literal, cast

import sympy as sp

from ...shown import Shown

#: A left side and the terms whose sum it equals, at one choice of indices after the other.
Sides = Generator[tuple[sp.Matrix, ...], None, None]

#: The sides of an equation at an instant.
Reading = Callable[[Any], Sides]

#: A numbered display, a statement of the text between displays, or one that the paper lacks.
Kind = Literal["display", "text", "own"]

#: The print holds; it fails where the corrected equation holds; our copy of the paper lacks the
#: display; the paper does not print it; or what is said here is wrong itself.
Status = Literal["equals", "differs", "absent", "own", "fails"]

#: How a verdict reads.
SENTENCES: dict[Status, str] = {
    "equals": "the print holds",
    "differs": "the print fails; it holds once corrected",
    "absent": "our copy of the paper lacks this display; what is derived holds",
    "own": "not printed in the paper; it holds",
    "fails": "what the ledger says of it is wrong",
}


@dataclass(frozen=True, eq=False)
class Stated:
    """What an entry states in SymPy's symbols, each value by its name, and what is said of it."""

    values: tuple[tuple[str, sp.Expr | sp.MatrixBase], ...]
    said: str = ""

    def __str__(self) -> str:
        lines = (
            f"{name} = {value.tolist() if isinstance(value, sp.MatrixBase) else value}"
            for name, value in self.values
        )
        return "; ".join((*lines, *([self.said] if self.said else [])))


@dataclass(frozen=True)
class Instant:
    """Where equations are judged: the name of an exact state, which is built when it is needed."""

    name: str
    build: Callable[[], Any]

    @cached_property
    def state(self) -> Any:
        return self.build()


@dataclass(frozen=True)
class Verdict:
    """What the comparison came to, of how many pairs of sides, and why it fails if it does.

    Of a print that differs, `failing` is in how many of its pairs it does. `numbers` are numbers of
    the paper that the reading names before some of its pairs, each with how many they are.
    """

    status: Status
    compared: int
    why: str = ""
    failing: int = 0
    numbers: tuple[tuple[str, int], ...] = ()

    def sentence(self) -> str:
        """The verdict in words."""
        return f"{SENTENCES[self.status]}{f': {self.why}' if self.why else ''}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Entry(Shown):
    """An equation of a paper: as printed, as derived, and what the comparison of both says.

    `number` is the paper's, with a word where one number states several things (`65, sign`).
    `as_printed`, `as_derived` are formulas to be read, in symbols or a line of the papers' letters;
    `derived` and `printed` are the sides of the same at an instant. Without `printed` the print is
    what is derived; `absent` says that our copy of the paper has no print to compare with.
    `correction` says what makes the print right.
    `symbols` are, at an instant, the values of what a reader's own print may name (`claims`);
    `no_claim` says why there are none.

    Raises
        ValueError: a print that differs without a correction, or a correction without a print;
            no instant.
    """

    paper: str
    number: str
    title: str
    derived: Reading
    instants: tuple[Instant, ...]
    kind: Kind = "display"
    as_derived: str | Stated = ""
    as_printed: str | Stated = ""
    printed: Reading | None = None
    correction: str = ""
    absent: bool = False
    symbols: Callable[[Any], Mapping[str, Any]] | None = None
    no_claim: str = ""

    def __post_init__(self) -> None:
        name = f"{self.paper} ({self.number})"
        if (self.printed is None) != (not self.correction):
            raise ValueError(f"{name}: a print that differs has a correction, and no other has")
        if self.absent and self.printed:
            raise ValueError(f"{name}: a display that our copy lacks has no print")
        if not self.instants:
            raise ValueError(f"{name}: nothing is known of an equation without an instant")

    @property
    def equation(self) -> str:
        """The paper's number alone: 65 of `65, sign`."""
        return self.number.partition(",")[0]

    @property
    def code(self) -> str:
        """Where the sides are written: module and line."""
        function = self.derived
        while isinstance(function, partial):
            function = function.func
        return f"{function.__module__}:{inspect.unwrap(function).__code__.co_firstlineno}"

    @cached_property
    def verdict(self) -> Verdict:
        """The outcome of the comparison at all instants, made once.

        The print differs if it fails somewhere and what is derived holds everywhere. An equation
        of several terms one of which is zero in every case says nothing of it, and fails.
        """
        found = compare(self.derived, self.instants)
        count, numbers = found.count, found.numbers
        if found.why:
            return Verdict("fails", count, f"derived: {found.why}")
        if self.printed is not None:
            failing = failures(self.printed, self.instants)
            if not failing:
                return Verdict("fails", count, "the print holds in spite of the correction")
            return Verdict("differs", count, failing=failing, numbers=numbers)
        status: Status = "own" if self.kind == "own" else "equals"
        return Verdict("absent" if self.absent else status, count, numbers=numbers)

    @property
    def print_(self) -> str | Stated:
        """What the paper prints: what is derived, unless the print differs or there is none."""
        same = not (self.printed or self.absent or self.kind == "own")
        return self.as_derived if same else self.as_printed

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
            "instants": [instant.name for instant in self.instants],
            "verdict": self.verdict.status,
            "sentence": self.verdict.sentence(),
            "compared": self.verdict.compared,
            "code": self.code,
        }


@dataclass(frozen=True)
class Comparison:
    """How many pairs of sides were compared, how many under a number, the first that is wrong."""

    count: int
    why: str = ""
    numbers: tuple[tuple[str, int], ...] = ()


def pairs(sides: Sides) -> Iterator[tuple[str, sp.Matrix, list[sp.Matrix]]]:
    """The number that is named, if one is, a left side, and the terms of the right one."""
    for found in sides:
        number, (left, *right) = (found[0], found[1:]) if isinstance(found[0], str) else ("", found)
        yield number, cast(sp.Matrix, left), right


def failures(print_: Reading, instants: Iterable[Instant]) -> int:
    """In how many pairs the sides differ, at all instants."""
    return sum(
        not _equal(left, right)
        for instant in instants
        for _, left, right in pairs(print_(instant.state))
    )


def compare(reading: Reading, instants: Iterable[Instant]) -> Comparison:
    """Both sides at every instant; each term must be there in some case.

    Every `yield` of the reading is an equation of its own.
    """
    count, numbers = 0, Counter[str]()
    seen: dict[tuple[int, int], bool] = defaultdict(bool)
    widths: dict[int, int] = {}
    for instant in instants:
        sides = reading(instant.state)
        before = count
        for number, left, right in pairs(sides):
            count += 1
            numbers[number] += 1
            line = _line(sides)
            if not _equal(left, right):
                of = f" of ({number})" if number else ""
                return Comparison(count, f"the sides{of} differ at {instant.name}, line {line}")
            widths[line] = max(len(right), widths.get(line, 0))
            for k, term in enumerate(right):
                seen[line, k] = seen[line, k] or not _zero(term)
        if count == before:
            return Comparison(count, f"there is no case at {instant.name}")
    for line, width in widths.items():
        for k in range(width):
            if width > 1 and not seen[line, k]:
                return Comparison(count, f"term {k + 1} is zero in every case, line {line}")
    del numbers[""]
    return Comparison(count, numbers=tuple(numbers.items()))


def _equal(left: sp.Matrix, terms: Sequence[sp.Matrix]) -> bool:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return bool(left == total)


def _line(sides: Sides) -> int:
    """Of the `yield` at which a reading stands."""
    frame = cast("GeneratorType[Any, None, None]", sides).gi_frame
    return frame.f_lineno if frame else 0


def _zero(term: sp.Matrix) -> bool:
    return not any(term)


def ledger(paper: str, *instants: Instant) -> Callable[..., Entry]:
    """Entries of a paper, at these instants unless one names others.

    `entry(number, title, derived, as_derived, …)`, the rest by the names that `Entry` has; with a
    correction, the print is the same reading with `printed=True` where it takes that.
    """

    def entry(
        number: str, title: str, derived: Reading, as_derived: str | Stated = "", **rest: Any
    ) -> Entry:
        given: dict[str, Any] = {"instants": instants, "as_derived": as_derived, **rest}
        if rest.get("correction") and "printed" in inspect.signature(derived).parameters:
            given.setdefault("printed", partial(cast(Any, derived), printed=True))
        return Entry(paper=paper, number=number, title=title, derived=derived, **given)

    return entry

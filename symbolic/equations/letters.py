"""Which letter a name means: declared patterns, a literal index before one that runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from .tokens import EquationError, Place
from .trees import Node, spelled


@dataclass(frozen=True)
class Letter:
    """A declared letter: its pattern, where it stands, what it is in words.

    `shape` fixes rows and columns that are numbers; `constant` has no rate; `value` is the equation
    that it stands for, if it is one.
    """

    pattern: Node
    at: Place
    says: str = ""
    shown: str = ""
    shape: tuple[str, str] | None = None
    constant: bool = False
    value: Node | None = None

    @property
    def name(self) -> str:
        return spelled(self.pattern)

    @property
    def subs(self) -> tuple[object, ...]:
        """Literal indices, None where one runs; those below before those above."""
        _, low, high = self.pattern.args
        return tuple(None if sub.kind == "var" else sub.of for sub in (*low, *high))

    @property
    def variables(self) -> tuple[str, ...]:
        _, low, high = self.pattern.args
        return tuple(sub.of for sub in (*low, *high) if sub.kind == "var")

    def fits(self, values: tuple[object, ...]) -> bool:
        pairs = zip(self.subs, values, strict=True)
        return all(sub is None or str(sub) == str(value) for sub, value in pairs)

    def own(self, values: tuple[object, ...]) -> tuple[object, ...]:
        """The values of the indices that run."""
        return tuple(v for sub, v in zip(self.subs, values, strict=True) if sub is None)


#: A letter with how many indices stand below and above.
Form = tuple[str, int, int]


def form(node: Node) -> Form:
    letter, low, high = node.args
    return letter, len(low), len(high)


@dataclass
class Letters:
    """Letters by their forms; no name may be read in two ways.

    Raises
        EquationError: two letters of one form of which neither is the more special one.
    """

    forms: dict[Form, list[Letter]] = field(default_factory=dict)

    def add(self, letter: Letter) -> None:
        found = self.forms.setdefault(form(letter.pattern), [])
        for other in found:
            if _one_of_two(letter, other):
                raise EquationError(
                    f"{letter.name} and {other.name} of line {other.at[1]} cannot be told apart",
                    letter.at,
                )
        found.append(letter)
        found.sort(key=lambda each: sum(sub is None for sub in each.subs))

    def find(self, node: Node, values: tuple[object, ...]) -> Letter | None:
        """The letter that a name with these values of its indices means."""
        return next((x for x in self.forms.get(form(node), ()) if x.fits(values)), None)

    def meant(self, node: Node) -> list[Letter]:
        """The letters that a name may mean, by some values of its indices."""
        _, low, high = node.args
        written = tuple(sub.of if sub.kind == "lit" else None for sub in (*low, *high))
        return [x for x in self.forms.get(form(node), ()) if _agree(x.subs, written)]

    def __iter__(self) -> Iterator[Letter]:
        """In the order of their lines."""
        return iter(sorted((x for found in self.forms.values() for x in found), key=_line))

    @property
    def by_name(self) -> Mapping[str, Letter]:
        return {letter.name: letter for letter in self}

    def unknown(self, shown: str) -> str:
        """That there is no such letter, and what may be meant."""
        if shown in self.by_name:
            return f"{shown} has other indices: in braces commas part them, {{1,1}} and not {{11}}"
        near = get_close_matches(shown, list(self.by_name), n=1)
        return f"there is no letter {shown}" + (f" (did you mean {near[0]}?)" if near else "")


def _line(letter: Letter) -> tuple[int, str]:
    return letter.at[1], letter.name


def _agree(a: Iterable[object], b: Iterable[object]) -> bool:
    pairs = zip(a, b, strict=True)
    return all(x is None or y is None or str(x) == str(y) for x, y in pairs)


def _one_of_two(a: Letter, b: Letter) -> bool:
    """Whether some indices fit both, and neither has all the literal ones of the other and more."""
    if not _agree(a.subs, b.subs):
        return False
    one, two = ({k for k, sub in enumerate(x.subs) if sub is not None} for x in (a, b))
    return not (one < two or two < one)

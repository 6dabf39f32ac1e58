"""Indices of letters, conditions on them, and the sets that they run over.

    subs      = letters and digits, one index each | "{" sub { "," sub } "}"
    sub       = index | number | label | "p" index | "p(" sub ")" | sub ("+" | "-") number
    bound     = indices | indices ":" conds | index "∈" set
    conds     = cond { "," cond };  cond = sub { ("<" | "≤" | "=" | "≠") sub } | sub "∈" set
    set       = word [ "(" sub { "," sub } ")" ]

`p` is the parent of what follows, or of i.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .tokens import EquationError, Place

#: Commas outside brackets.
COMMA = re.compile(r",(?![^(]*\))")
SET = re.compile(r"([\w-]+)(?:\(([^)]*)\))?$")
ASCII = {"<=": "≤", "!=": "≠", " in ": " ∈ "}


@dataclass(frozen=True)
class Sub:
    """An index: a variable (`var`), a label or number (`lit`), a parent, a number more (`plus`)."""

    kind: str
    of: Any
    by: int = 0

    @property
    def free(self) -> frozenset[str]:
        if self.kind == "var":
            return frozenset({self.of})
        return self.of.free if isinstance(self.of, Sub) else frozenset()

    def __str__(self) -> str:
        if self.kind == "parent":
            return f"p({self.of})"
        return f"{self.of}{self.by:+d}" if self.kind == "plus" else str(self.of)


@dataclass(frozen=True)
class Set:
    """A set by its name and what it depends on."""

    word: str
    args: tuple[Sub, ...] = ()

    @property
    def free(self) -> frozenset[str]:
        return frozenset[str]().union(*(arg.free for arg in self.args))

    def __str__(self) -> str:
        return self.word + (f"({','.join(map(str, self.args))})" if self.args else "")


@dataclass(frozen=True)
class Condition:
    """`left op right`, where op is <, ≤, =, ≠, or ∈ with a set on the right."""

    op: str
    left: Sub
    right: Sub | Set

    @property
    def free(self) -> frozenset[str]:
        return self.left.free | self.right.free

    def __str__(self) -> str:
        return f"{self.left}{self.op}{self.right}"


def free_of(found: Iterable[Condition | Set | Sub]) -> frozenset[str]:
    return frozenset[str]().union(*(each.free for each in found))


@dataclass
class Indices:
    """A paper's indices, each with the set that it runs over."""

    sets: dict[str, Set] = field(default_factory=dict)

    def needed(self, bound: Collection[str], sets: Mapping[str, Set] | None = None) -> set[str]:
        """The indices that the sets of some depend on."""
        given = sets or {}
        return {x for name in bound if name not in given for x in self.sets[name].free}

    def subs(self, text: str, at: Place) -> tuple[Sub, ...]:
        """What stands below or above a letter."""
        if text.startswith("{"):
            return tuple(self.sub(part, at) for part, _ in _parts(text[1:-1], COMMA))
        return tuple(self._single(text, at))

    def _single(self, text: str, at: Place) -> Iterator[Sub]:
        """One character is one index; `p` stands before what it is the parent of."""
        k = 0
        while k < len(text):
            if text[k] == "p" and "p" not in self.sets:
                of = text[k + 1] if k + 1 < len(text) and text[k + 1] in self.sets else None
                yield Sub("parent", Sub("var", of or "i"))
                k += 2 if of else 1
            else:
                yield self.sub(text[k], at)
                k += 1

    def sub(self, text: str, at: Place) -> Sub:
        text = text.strip()
        if match := re.match(r"p\((.*)\)$", text):
            return Sub("parent", self.sub(match[1], at))
        if match := re.match(r"(.+?)\s*([+-])\s*(\d+)$", text):
            return Sub("plus", self.sub(match[1], at), int(match[2] + match[3]))
        if text in self.sets:
            return Sub("var", text)
        if re.match(r"\w+$", text):
            return Sub("lit", int(text) if text.isdigit() else text)
        raise EquationError(f"{text!r} is no index", at)

    def set(self, text: str, at: Place) -> Set:
        match = SET.match(text.strip())
        if not match:
            raise EquationError(f"{text.strip()!r} is no set", at)
        args = (match[2] or "").split(",")
        return Set(match[1], tuple(self.sub(arg, at) for arg in args if arg.strip()))

    def conditions(self, text: str, at: Place) -> tuple[Condition, ...]:
        for ascii_, sign in ASCII.items():
            text = text.replace(ascii_, sign)
        found = list[Condition]()
        for part, start in _parts(text, COMMA):
            here = (at[0], at[1], at[2] + start)
            if "∈" in part:
                left, right = part.split("∈", 1)
                found.append(Condition("∈", self.sub(left, here), self.set(right, here)))
                continue
            bits = re.split(r"(<|≤|=|≠)", part)
            if len(bits) < 3:
                raise EquationError(f"{part.strip()!r} is no condition", here)
            found += [
                Condition(op, self.sub(a, here), self.sub(b, here))
                for a, op, b in zip(bits[::2], bits[1::2], bits[2::2], strict=False)
            ]
        return tuple(found)

    def bound(
        self, text: str, at: Place
    ) -> tuple[tuple[str, ...], tuple[Condition, ...], dict[str, Set]]:
        """What a sum runs over: its indices, conditions on them, sets that are their own here."""
        names, colon, rest = text.partition(":")
        if not colon and re.search(r"∈|\sin\s", text):
            found = self.conditions(text, at)
            sets = own_sets(found)
            others = tuple(x for x in found if not _chooses(x))
            return self._known(tuple(sets), at), others, sets
        if colon:
            shift = len(names) + 1
            conditions = self.conditions(rest, (at[0], at[1], at[2] + shift))
            return self._known(tuple(re.sub(r"[,\s]", "", names)), at), conditions, {}
        return self._known(tuple(text.replace(",", "").replace(" ", "")), at), (), {}

    def _known(self, names: tuple[str, ...], at: Place) -> tuple[str, ...]:
        for name in names:
            if name not in self.sets:
                raise EquationError(f"{name!r} is no index", at)
        if not names:
            raise EquationError("a sum runs over indices", at)
        return names


def own_sets(conditions: Iterable[Condition]) -> dict[str, Set]:
    """The sets that conditions give to indices in place of those that they run over."""
    return {str(x.left.of): x.right for x in conditions if _chooses(x) and isinstance(x.right, Set)}


def _chooses(condition: Condition) -> bool:
    return condition.op == "∈" and condition.left.kind == "var"


def _parts(text: str, between: re.Pattern[str]) -> Iterator[tuple[str, int]]:
    """Parts with where each begins."""
    start = 0
    for match in between.finditer(text):
        yield text[start : match.start()], start
        start = match.end()
    yield text[start:], start

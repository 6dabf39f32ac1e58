"""Reads what `language/written` writes: a displayed equation back into its trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..language.written import FUNCTIONS, HIGH, LOW, SIGNS, Tree, called, named, number, product
from .precedence import Precedence
from .tokens import Token, cut

_TOKEN = re.compile(
    r"\s+|\d+(?:\.\d+)?e[+-]\d+|⁻[¹ᵀ]|[ᵀ⁺²³⁴-⁹]|[(),;\[\]+\-×/~=]|[^\s()\[\],;+\-×/~=ᵀ²³⁴-⁹⁻⁺]+|."
)
_PART = re.compile(r"(.*?)(_r|_Ω|[₁-₃]{2})$")
_NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]\d+)?", re.ASCII)
_ABBREVIATED = re.compile(r", ([^\s()]+) = ")
_PLAIN = str.maketrans(LOW, "0123456789")
_MARKS = {"ᵀ": "T", "⁻¹": "inv", "⁺": "pinv"}
_ENDS = ("+", "-", "×", "/", "=", ")", "]", ",", ";", "")
_NAMES = {letter: name for name, letter in SIGNS.items()}
_FUNCTIONS = {letter: name for name, letter in FUNCTIONS.items()}


@dataclass(frozen=True)
class Sides:
    """The sides of a displayed equation, and what its abbreviations stand for."""

    sides: tuple[Tree, ...]
    where: Mapping[str, Tree]


def read(text: str, letters: Mapping[str, str]) -> Sides:
    """The trees of a displayed equation; `letters` gives of a name its letter.

    Raises
        EquationError: it is none.
    """
    return _Reader(text, letters).equation()


class _Reader(Precedence[Tree]):
    """One equation, token by token."""

    def __init__(self, text: str, letters: Mapping[str, str]) -> None:
        text = text.replace("−", "-")
        super().__init__(text, cut(text, _TOKEN), (text, 1, 1))
        self.names = {letter: name for name, letter in letters.items()} | _NAMES
        self.names |= {word: word for word in _ABBREVIATED.findall(text)}

    def equation(self) -> Sides:
        sides, where = self.sides(), {}
        while self.taken(","):
            name, value = self.sides()
            assert isinstance(name, ast.Name)
            where[name.id] = value
        self.ended()
        return Sides(sides, where)

    def node(self, op: str, args: tuple[Any, ...], token: Token) -> Tree:
        if op == "+":
            (sign, first), *others = args
            whole: Tree = ast.UnaryOp(ast.USub(), first) if sign < 0 else first
            for sign, part in others:
                whole = ast.BinOp(whole, ast.Sub() if sign < 0 else ast.Add(), part)
            return whole
        if op == "/":
            return ast.BinOp(args[0], ast.Div(), args[1])
        return product(*args) if op == "*" else called("cross", *args)

    def starts(self) -> bool:
        return self.next.text not in _ENDS

    def factor(self) -> Tree:
        return self.marked(called("tilde", self.atom()) if self.taken("~") else self.atom())

    def marked(self, tree: Tree) -> Tree:
        """With the signs that stand directly behind it."""
        while self.next.glued:
            mark = self.next.text
            part = _PART.fullmatch(mark)
            if mark in HIGH[2:]:
                tree = ast.BinOp(tree, ast.Pow(), number(HIGH.index(mark)))
            elif mark in _MARKS:
                tree = called(_MARKS[mark], tree)
            elif mark == "⁻ᵀ":
                tree = called("inv", called("T", tree))
            elif mark == "[":
                tree = called("part", tree, *self.places())
                continue
            elif part and not part[1]:
                tree = _part(tree, part[2])
            else:
                break
            self.take()
        return tree

    def places(self) -> list[str]:
        """Rows and columns, as texts."""
        begin = self.take("[").start + 1
        while self.next.text not in ("]", ""):
            self.take()
        return [place.strip() for place in self.text[begin : self.take("]").start].split(",")]

    def atom(self) -> Tree:
        if not self.starts():
            raise self.fail(f"expected a letter or a number, found {self.next}", self.next)
        word = self.take().text
        while self.next.glued and word + self.next.text in self.names:  # as of J⁻¹, a letter
            word += self.take().text
        if word == "(":
            parts = self.inside()
            return parts[0] if len(parts) == 1 else ast.List(list(parts))
        if word == "[":
            return ast.List([ast.List(list(row)) for row in self.rows()])
        if word == "½" or _NUMBER.fullmatch(word):
            return number(0.5 if word == "½" else ast.literal_eval(word))
        if self.next.glued and self.taken("("):
            return called(_FUNCTIONS.get(word, word), *self.inside())
        part = _PART.fullmatch(word)
        if word not in self.names and part and part[1] in self.names:
            return _part(named(self.names[part[1]]), part[2])
        return named(self.names.get(word, word))


def _part(tree: Tree, mark: str) -> Tree:
    if mark[0] == "_":
        return called("lin" if mark == "_r" else "ang", tree)
    return called("block", tree, *map(int, mark.translate(_PLAIN)))

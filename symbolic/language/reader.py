"""Reads what `written` writes: a displayed equation back into its trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .written import FUNCTIONS, HIGH, LOW, SIGNS, Tree, called, named, number, product

_TOKEN = re.compile(r"\s+|⁻¹|[ᵀ⁺]|[²³⁴-⁹]|[(),;\[\]+−×/~=]|[^\s()\[\],;+−×/~=ᵀ²³⁴-⁹⁻⁺]+")
_PART = re.compile(r"(.*?)(_r|_Ω|[₁-₃]{2})$")
_NUMBER = re.compile(r"\d+(e-\d+)?", re.ASCII)
_PLAIN = str.maketrans(LOW, "0123456789")
_MARKS = {"ᵀ": "T", "⁻¹": "inv", "⁺": "pinv"}
_ENDS = ("+", "−", "×", "=", ")", "]", ",", ";", "end")
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
        SyntaxError: it is none.
    """
    parts = _apart(text)
    words = [part.partition(" = ")[0] for part in parts[1:]]
    known = {**letters, **dict(zip(words, words, strict=True))}
    first, *others = (_Reader(part, known).equation() for part in parts)
    where = {}
    for name, value in others:
        assert isinstance(name, ast.Name)
        where[name.id] = value
    return Sides(tuple(first), where)


def _apart(text: str) -> list[str]:
    """The equation, then each abbreviation: at commas outside brackets."""
    parts, depth, begin = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    return [part.strip() for part in (*parts, text[begin:])]


class _Reader:
    """One equation, token by token."""

    def __init__(self, text: str, letters: Mapping[str, str]) -> None:
        self.names = {letter: name for name, letter in letters.items()} | _NAMES
        self.tokens: list[str] = []
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if not found:
                raise SyntaxError(f"{text[at:]!r} in {text!r}")
            self.tokens.append(" " if found[0].isspace() else found[0])
            at = found.end()
        self.tokens.append("end")
        self.at = 0

    def equation(self) -> list[Tree]:
        sides = [self.sum()]
        while self.peek() == "=":
            self.take()
            sides.append(self.sum())
        if self.peek() != "end":
            raise SyntaxError(f"{''.join(self.tokens[self.at : -1])!r} is left")
        return sides

    def peek(self) -> str:
        at = self.at
        while self.tokens[at] == " ":
            at += 1
        return self.tokens[at]

    def take(self) -> str:
        while self.tokens[self.at] == " ":
            self.at += 1
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self) -> Tree:
        whole: Tree
        if self.peek() == "−":
            self.take()
            whole = ast.UnaryOp(ast.USub(), self.cross())
        else:
            whole = self.cross()
        while self.peek() in ("+", "−"):
            sign: ast.operator = ast.Add() if self.take() == "+" else ast.Sub()
            whole = ast.BinOp(whole, sign, self.cross())
        return whole

    def cross(self) -> Tree:
        whole = self.product()
        while self.peek() == "×":
            self.take()
            whole = called("cross", whole, self.product())
        return whole

    def product(self) -> Tree:
        whole = self.factor()
        while self.peek() not in _ENDS:
            if self.peek() == "/":
                self.take()
                whole = ast.BinOp(whole, ast.Div(), self.factor())
            else:
                whole = product(whole, self.factor())
        return whole

    def factor(self) -> Tree:
        if self.peek() == "~":
            self.take()
            return self.marked(called("tilde", self.atom()))
        return self.marked(self.atom())

    def marked(self, tree: Tree) -> Tree:
        """With the signs that stand directly behind it."""
        while True:
            mark = self.tokens[self.at]
            part = _PART.fullmatch(mark)
            if mark in HIGH[2:]:
                tree = ast.BinOp(tree, ast.Pow(), number(HIGH.index(mark)))
            elif mark in _MARKS:
                tree = called(_MARKS[mark], tree)
            elif mark == "[":
                end = self.tokens.index("]", self.at)
                places = "".join(self.tokens[self.at + 1 : end]).split(",")
                tree = called("part", tree, *(place.strip() for place in places))
                self.at = end
            elif part and not part[1]:
                tree = _part(tree, part[2])
            else:
                return tree
            self.at += 1

    def atom(self) -> Tree:
        token = self.take()
        if token in _ENDS:
            raise SyntaxError(f"{token!r} where a letter or a number was expected")
        while token + self.tokens[self.at] in self.names:  # as of J⁻¹, which is a letter
            token += self.take()
        if token == "(":
            parts = self.listed(")")
            return parts[0] if len(parts) == 1 else ast.List(parts)
        if token == "[":
            rows: list[Tree] = [ast.List(self.listed(";", "]"))]
            while self.tokens[self.at - 1] == ";":
                rows.append(ast.List(self.listed(";", "]")))
            return ast.List(rows)
        if token == "½" or _NUMBER.fullmatch(token):
            return number(0.5 if token == "½" else ast.literal_eval(token))
        if self.tokens[self.at] == "(":
            self.take()
            return called(_FUNCTIONS.get(token, token), *self.listed(")"))
        part = _PART.fullmatch(token)
        if token not in self.names and part and part[1] in self.names:
            return _part(named(self.names[part[1]]), part[2])
        return named(self.names.get(token, token))

    def listed(self, *ends: str) -> list[Tree]:
        found = [self.sum()]
        while (token := self.take()) == ",":
            found.append(self.sum())
        if token not in ends:
            raise SyntaxError(f"{token!r} where {' or '.join(ends)} was expected")
        return found


def _part(tree: Tree, mark: str) -> Tree:
    if mark[0] == "_":
        return called("lin" if mark == "_r" else "ang", tree)
    return called("block", tree, *map(int, mark.translate(_PLAIN)))

"""Sums of cross products of products: what equations of ledgers and displayed ones have in common.

sides   = sum { "=" sum }
sum     = [ "-" ] cross { ("+" | "-") cross }
cross   = product { "×" product }
product = factor { ["*"] factor | "/" factor }            a/b c is (a/b) c
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from .tokens import MAX_DEPTH, EquationError, Place, Token

#: What a text becomes.
T = TypeVar("T")


class Precedence(ABC, Generic[T]):
    """Goes through the words of one text; `node` makes of parts what they are together."""

    def __init__(self, text: str, words: list[Token], at: Place) -> None:
        self.text, self.tokens, self.place = text, words, at
        self.k = self.depth = 0

    @abstractmethod
    def node(self, op: str, args: tuple[Any, ...], token: Token) -> T:
        """A sum `+` of signs with parts, a product `*` or `×`, a quotient `/`, and so on."""

    @abstractmethod
    def starts(self) -> bool:
        """Whether a factor begins here."""

    @abstractmethod
    def factor(self) -> T:
        """A factor with the signs behind it."""

    # Words

    def at(self, token: Token, shift: int = 0) -> Place:
        file, line, column = self.place
        return (file, line, column + token.start + shift)

    def fail(self, said: str, token: Token) -> EquationError:
        return EquationError(said, self.at(token))

    @property
    def next(self) -> Token:
        return self.tokens[self.k]

    def take(self, want: str | None = None) -> Token:
        token = self.next
        if want is not None and token.text != want:
            raise self.fail(f"expected {want!r}, found {token}", token)
        self.k = min(self.k + 1, len(self.tokens) - 1)
        return token

    def taken(self, *texts: str) -> Token | None:
        """The next word if it is one of these."""
        return self.take() if self.next.text in texts else None

    def ended(self) -> None:
        if self.next.kind != "end":
            raise self.fail(f"did not expect {self.next}", self.next)

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """What is read inside stands one deeper."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.fail(f"nested more than {MAX_DEPTH} deep", self.next)
        yield
        self.depth -= 1

    # Sums and products

    def sides(self) -> tuple[T, ...]:
        found = [self.sum()]
        while self.taken("="):
            found.append(self.sum())
        return tuple(found)

    def listed(self) -> tuple[T, ...]:
        """Sums with commas between them."""
        found = [self.sum()]
        while self.taken(","):
            found.append(self.sum())
        return tuple(found)

    def inside(self) -> tuple[T, ...]:
        """The same up to the bracket behind them."""
        found = self.listed()
        self.take(")")
        return found

    def rows(self) -> tuple[tuple[T, ...], ...]:
        """A matrix by rows, up to the bracket behind it; behind a last `;` a row of nothing."""
        found = [self.listed()]
        while self.taken(";"):
            found.append(() if self.next.text == "]" else self.listed())
        self.take("]")
        return tuple(found)

    def sum(self) -> T:
        with self.deeper():
            first = self.next
            sign = self.taken("+", "-")
            parts = [(-1 if sign and sign.text == "-" else 1, self.cross())]
            while sign := self.taken("+", "-"):
                parts.append((-1 if sign.text == "-" else 1, self.cross()))
        single = len(parts) == 1 and parts[0][0] == 1
        return parts[0][1] if single else self.node("+", tuple(parts), first)

    def cross(self) -> T:
        left = self.product()
        while token := self.taken("×"):
            left = self.node("×", (left, self.product()), token)
        return left

    def product(self) -> T:
        first = self.next
        if not self.starts():
            raise self.fail(f"expected a factor, found {first}", first)
        factors = [self.factor()]
        while True:
            if token := self.taken("/"):
                factors = [self.node("/", (self.of(factors, first), self.factor()), token)]
            elif self.taken("*") or self.starts():
                factors.append(self.factor())
            else:
                return self.of(factors, first)

    def of(self, factors: list[T], token: Token) -> T:
        return factors[0] if len(factors) == 1 else self.node("*", tuple(factors), token)

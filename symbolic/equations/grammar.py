"""An equation's text as a syntax tree; nothing of it is ever run as a program.

    equation  = sides [ "for" conds ] [ "where" define { "," define } ]
    define    = name [ "as" shown ] ":=" sum
    factor    = "~" factor | atom { "'" | "^T" | "^-1" | "^" number | part }
    part      = "[" range { "," range } "]"                   glued to what it is of; from 1
    atom      = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
              | "[" sum "," sum "]"                           the screw product
              | "[" sum { "," sum } ";" [ … ] "]"             a matrix by rows or blocks
              | "{" conds "}"                                 1 if so, else 0
              | "Σ" bound cross | "∂" under "(" sum ")"
              | ("col" | "diag" | "mat") "_" indices "(" sum ")"   block by block
    name      = letter { "'" } [ "_" subs ] [ "^" mark ] { "'" }

Sides and sums are those of `precedence`; names, indices and conditions are read by `indices`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from .functions import FUNCTIONS
from .indices import Condition, Indices, Sub, free_of
from .precedence import Precedence
from .tokens import GREEK, MAX_POWER, NAME, EquationError, Place, Token, tokens
from .trees import Define, Equation, Node, bare

#: What may stand before a bracket and is no letter.
CALLED = FUNCTIONS.keys() | {"cross"}

#: Older spellings of a function.
SAME = {"Ad_turn": "Ad", "Ad_shift": "Ad", "angular": "ang", "linear": "lin"}


def equation(text: str, indices: Indices, at: Place) -> Equation:
    """A whole equation.

    Raises
        EquationError: it is none.
    """
    reader = Reader(text, indices, at)
    found = reader.equation()
    if len(found.sides) < 2:
        raise EquationError("an equation is left = right", at)
    return found


def definition(text: str, indices: Indices, at: Place) -> Define:
    """`name := sum`."""
    reader = Reader(text, indices, at)
    found = reader.define()
    reader.ended()
    return found


def pattern(text: str, indices: Indices, at: Place) -> Node:
    """A letter with its indices, without rates."""
    reader = Reader(text, indices, at)
    node = reader.name(reader.take())
    reader.ended()
    return bare(node)


def expression(text: str, indices: Indices, at: Place) -> Node:
    """One side alone."""
    reader = Reader(text, indices, at)
    node = reader.sum()
    reader.ended()
    return node


class Reader(Precedence[Node]):
    """Goes through the words of one text."""

    def __init__(self, text: str, indices: Indices, at: Place) -> None:
        super().__init__(text, tokens(text, at), at)
        self.indices = indices

    def node(
        self,
        op: str,
        args: tuple[Any, ...],
        token: Token,
        own: Collection[str] = (),
        bound: Collection[str] = (),
    ) -> Node:
        """Open are the indices of its parts and its `own`, less those that it binds."""
        free = set(own) | set(_open(args))
        return Node(op, args, self.at(token), frozenset(free - set(bound)))

    # Equations

    def equation(self) -> Equation:
        sides, defines = self.sides(), list[Define]()
        conditions: tuple[Condition, ...] = ()
        if self.taken("for"):
            start = self.next
            while self.next.text not in ("where", ""):
                self.k += 1
            text = self.text[start.start : self.next.start]
            conditions = self.indices.conditions(text, self.at(start))
        if self.taken("where"):
            defines.append(self.define())
            while self.taken(","):
                defines.append(self.define())
        self.ended()
        return Equation(sides, conditions, tuple(defines))

    def define(self) -> Define:
        token, shown = self.take(), ""
        if token.kind != "name":
            raise self.fail("a definition begins with a letter", token)
        if self.taken("as"):
            start = self.next.start
            while self.next.text not in (":=", ""):
                self.k += 1
            shown = self.text[start : self.next.start].strip()
        self.take(":=")
        return Define(bare(self.name(token)), self.sum(), shown)

    # Factors

    def starts(self) -> bool:
        """Whether a factor begins here."""
        kinds, signs = ("number", "name", "big", "if"), ("(", "[", "~")
        return self.next.kind in kinds or self.next.text in signs

    def factor(self) -> Node:
        if token := self.taken("~"):
            with self.deeper():
                return self.node("f", ("skew", (self.factor(),)), token)
        node = self.atom()
        while True:
            token = self.next
            if token.text == "'" and token.glued:
                self.take()
                node = self.node("'", (node,), token)
            elif self.taken("^T", "ᵀ"):
                node = self.node("f", ("T", (node,)), token)
            elif self.taken("^-1"):
                node = self.node("f", ("inv", (node,)), token)
            elif token.text == "^":
                self.take()
                node = self.node("^", (node, self.power()), token)
            elif token.text == "[" and token.glued:
                node = self.node("part", (node, self.ranges()), token)
            else:
                return node

    def power(self) -> int:
        token = self.take()
        whole = token.kind == "number" and "." not in token.text
        if not whole or not 1 <= int(token.text) <= MAX_POWER:
            raise self.fail(f"a power is whole, from 1 to {MAX_POWER}, or -1", token)
        return int(token.text)

    def ranges(self) -> tuple[tuple[Sub, Sub], ...]:
        """Rows and columns of a part."""
        self.take("[")
        found = list[tuple[Sub, Sub]]()
        while True:
            first = self.place_in()
            found.append((first, self.place_in() if self.taken(":") else first))
            if not self.taken(","):
                break
        self.take("]")
        return tuple(found)

    def place_in(self) -> Sub:
        token = self.take()
        if token.kind == "number":
            return Sub("lit", int(token.text))
        if token.text in self.indices.sets:
            return Sub("var", token.text)
        raise self.fail("a part has whole numbers or indices", token)

    # Atoms

    def atom(self) -> Node:
        token = self.take()
        if token.kind == "number":
            return self.node("number", (token.text,), token)
        if token.kind == "if":
            conditions = self.indices.conditions(token.text[1:-1], self.at(token, 1))
            return self.node("if", (conditions,), token, free_of(conditions))
        if token.kind == "big":
            return self.partial(token) if token.text[0] in "∂d" else self.big(token)
        if token.text == "(":
            inner = self.sum()
            self.take(")")
            return inner
        if token.text == "[":
            return self.bracket(token)
        if token.kind == "name":
            if self.next.text == "(" and self.next.glued and (found := self.call(token)):
                return found
            return self.name(token)
        raise self.fail(f"did not expect {token}", token)

    def call(self, token: Token) -> Node | None:
        """A function, or a system's matrix block by block; none if a letter stands there."""
        name = SAME.get(token.text, token.text)
        if name in CALLED:
            self.take()
            found = self.inside()
            if name == "cross" and len(found) == 2:
                return self.node("×", found, token)
            return self.node("f", (name, found), token)
        match = NAME.match(token.text)
        if not match or match["letter"] not in ("col", "diag", "mat") or not match["subs"]:
            return None
        kind, bound = match["letter"], tuple(match["subs"].strip("{}").replace(",", ""))
        wanted = 2 if kind == "mat" else 1
        if len(bound) != wanted or not set(bound) <= self.indices.sets.keys():
            raise self.fail(f"{kind} takes {wanted} indices", token)
        self.take()
        inner = self.sum()
        self.take(")")
        own = self.indices.needed(bound)
        return self.node("stack", (kind, bound, inner), token, own, bound)

    def bracket(self, token: Token) -> Node:
        rows = self.rows()
        if len(rows) > 1:
            return self.node("rows", tuple(filter(None, rows)), token)
        if len(rows[0]) != 2:
            said = "[a, b] is the screw product; a matrix has its rows in one pair of brackets"
            raise self.fail(f"{said}, [a; b], [a, b; c, d], [a, b;]", token)
        return self.node("f", ("bracket", rows[0]), token)

    def big(self, token: Token) -> Node:
        """A sum over indices and their sets."""
        under, shift = _under(token)
        bound, conditions, sets = self.indices.bound(under, self.at(token, shift))
        body = self.cross()
        own = free_of(conditions) | free_of(sets.values()) | self.indices.needed(bound, sets)
        return self.node("Σ", (bound, conditions, sets, body), token, own, bound)

    def partial(self, token: Token) -> Node:
        """Slopes by coordinates, or by a letter."""
        under, shift = _under(token)
        self.take("(")
        inner = self.sum()
        self.take(")")
        if "{" not in token.text:
            by = self.indices.subs(under, self.at(token, shift))
            return self.node("∂", (by, inner), token)
        name, _, rest = under.partition("|")
        held = tuple(x.strip() for x in rest.split(",") if x.strip())
        return self.node("grad", (name.strip(), held, inner), token)

    def name(self, token: Token) -> Node:
        match = NAME.match(token.text)
        if not match:
            raise self.fail(f"{token} is no letter", token)
        letter = GREEK.get(match["letter"], match["letter"])
        subs, sups = (
            self.indices.subs(match[part], self.at(token, match.start(part))) if match[part] else ()
            for part in ("subs", "sup")
        )
        node = self.node("name", (letter, subs, sups), token)
        for _ in match["dots"]:
            node = self.node("'", (node,), token)
        return node


def _under(token: Token) -> tuple[str, int]:
    """What stands under a big sign, and how far it is from the sign."""
    text = token.text.partition("_")[2]
    shift = len(token.text) - len(text)
    return (text[1:-1], shift + 1) if text.startswith("{") else (text, shift)


def _open(args: Iterable[Any]) -> Iterable[str]:
    """The open indices of parts, however they are nested."""
    for part in args:
        if isinstance(part, Node | Sub):
            yield from part.free
        elif isinstance(part, list | tuple):
            yield from _open(part)

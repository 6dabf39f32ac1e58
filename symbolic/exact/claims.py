"""A print that a reader types, judged: `S_next = (T11*S_i + T12)*P_i` at an entry's exact instants.

The text is read by a small grammar over the entry's own symbols: names, whole and decimal numbers,
+ − * /, whole powers, brackets, `T(x)` and `inv(x)` of a matrix, those of FUNCTIONS, a matrix by
its rows or blocks as in `[[a, b], [c, d]]`, an entry or a part of one as in `x[1,2]` and `x[1:3]`,
counted from 1. Nothing of it is ever run as a program.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from inspect import getdoc
from typing import Any

import sympy as sp

from ...errors import UsageError
from ...model.expressions.quantities import shorten
from . import screws
from .ledger import Entry
from .series import Series

#: Functions of vectors and matrices, each with the shapes that it takes.
FUNCTIONS: Mapping[str, tuple[Callable[..., sp.Matrix], tuple[tuple[int, int], ...]]] = {
    "skew": (screws.skew, ((3, 1),)),
    "axial": (screws.axial, ((3, 3),)),
    "cross": (lambda a, b: a.cross(b), ((3, 1), (3, 1))),
    "hat": (screws.hat, ((6, 1),)),
    "ad": (screws.ad, ((6, 1),)),
    "Ad": (screws.Ad, ((4, 4),)),
    "Ad_turn": (screws.Ad_turn, ((3, 3),)),
    "Ad_shift": (screws.Ad_shift, ((3, 1),)),
    "bracket": (screws.bracket, ((6, 1), (6, 1))),
    "angular": (screws.angular, ((6, 1),)),
    "linear": (screws.linear, ((6, 1),)),
}

#: The longest claim, the deepest nesting and the highest power that are read.
MAX_LENGTH, MAX_DEPTH, MAX_POWER = 4_000, 60, 8

Value = Any  # a SymPy matrix or an exact number


@dataclass(frozen=True)
class Outcome:
    """What a claim came to: at how many instants it was compared, and the first where it fails.

    `nothing`: why it states nothing, though both sides are equal.
    """

    claim: str
    instants: int
    where: str = ""
    nothing: str = ""

    @property
    def ok(self) -> bool:
        return not self.where and not self.nothing

    def sentence(self) -> str:
        """The outcome in words."""
        if self.where:
            return f"fails: {self.where}"
        if self.nothing:
            return f"says nothing: {self.nothing}"
        return f"holds exactly at {self.instants} instant{'s' * (self.instants > 1)}"


class Symbols(Mapping[str, Value]):
    """What a claim may name, each value found when it is asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], Value]]) -> None:
        self._makers = makers
        self._known: dict[str, Value] = {}

    def __getitem__(self, name: str) -> Value:
        if name not in self._known:
            self._known[name] = self._makers[name]()
        return self._known[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def rates(name: str, series: Callable[[], Series], order: int = 2) -> dict[str, Any]:
    """A quantity on its way and its derivatives in time: `V`, `dV`, `ddV`."""
    return {f"{'d' * k}{name}": partial(_derivative, series, k) for k in range(order + 1)}


def _derivative(series: Callable[[], Series], k: int) -> sp.Matrix:
    return series().at(k)


def judge(entry: Entry, claim: str) -> Outcome:
    """Does what was typed hold where the entry is judged?

    Raises
        UsageError: the entry declares no symbols, or the claim is no equation in them.
    Source
        own
    """
    if entry.symbols is None:
        raise UsageError(refusal(entry))
    left, equals, right = claim.partition("=")
    if not equals or "=" in right:
        raise UsageError(f"a claim is an equation, left = right, with one equals sign: {claim!r}")
    sides = parsed(left), parsed(right)
    empty = True
    for instant in entry.instants:
        symbols = entry.symbols(instant.state)
        one, other = (_matrix(_Walk(symbols).value(side)) for side in sides)
        if one.shape != other.shape:
            raise UsageError(f"left is {_shape(one)} and right {_shape(other)}: {claim!r}")
        empty = empty and not any(one) and not any(other)
        if where := _differing(one, other):
            return Outcome(claim, len(entry.instants), f"at {instant.name}, {where}")
    return Outcome(claim, len(entry.instants), nothing=_nothing(sides, empty))


def _nothing(sides: tuple[ast.expr, ast.expr], zero: bool) -> str:
    """Why a claim whose sides are equal states nothing; empty if it states something."""
    if not any(isinstance(x, ast.Name) for side in sides for x in ast.walk(side)):
        return "it names no symbol of the equation"
    if ast.dump(sides[0]) == ast.dump(sides[1]):
        return "both sides are the same text"
    return "both sides are zero at every instant" if zero else ""


def refusal(entry: Entry) -> str:
    """Why an entry takes no claim."""
    why = entry.no_claim or "no symbols are declared for it"
    where = f"what it compares is in {entry.code}"
    return f"({entry.number}) of the {entry.paper} paper takes no claim: {why}; {where}"


def legend(entry: Entry) -> list[str]:
    """What the names that a claim of an entry may use stand for, and the functions of matrices."""
    symbols = entry.symbols
    while isinstance(symbols, partial):
        symbols = symbols.func
    told = (getdoc(symbols) or "").replace("`", "").split("\n\n")
    return [*(" ".join(text.split()) for text in told), f"T(x), inv(x), {', '.join(FUNCTIONS)}"]


def parsed(text: str) -> ast.expr:
    """The syntax tree of one side.

    Raises
        UsageError: it is too long, nested too deeply, or no expression.
    """
    if len(text) > MAX_LENGTH or not text.isascii() or not text.isprintable():
        raise UsageError(f"a side of a claim has up to {MAX_LENGTH} ASCII characters")
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise UsageError(f"the claim nests brackets more than {MAX_DEPTH} deep")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{text.strip()!r} is no expression") from None


class _Walk:
    """The value of a syntax tree, its parts' values first."""

    def __init__(self, symbols: Mapping[str, Value]) -> None:
        self.symbols = symbols

    def value(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant):
            return _number(node.value)
        if isinstance(node, ast.Name):
            return self.named(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            value = self.value(node.operand)
            return -value if isinstance(node.op, ast.USub) else value
        if isinstance(node, ast.BinOp):
            return self.combined(node)
        if isinstance(node, ast.Call):
            return self.called(node)
        if isinstance(node, ast.List):
            return self.listed(node.elts)
        if isinstance(node, ast.Subscript):
            return self.entry(node)
        raise UsageError(f"a claim has no {type(node).__name__.lower()}")

    def named(self, name: str) -> Value:
        if name not in self.symbols:
            known = shorten(sorted(self.symbols), 60)
            close = get_close_matches(name, self.symbols, n=1)
            near = f" (did you mean {close[0]}?)" if close else ""
            raise UsageError(f"there is no symbol {name!r} here{near}; there are: {known}")
        return self.symbols[name]

    def combined(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Pow):
            return self.power(node)
        one, other = self.value(node.left), self.value(node.right)
        both = [isinstance(x, sp.MatrixBase) for x in (one, other)]
        try:
            if isinstance(node.op, ast.Add | ast.Sub):
                if both[0] != both[1]:
                    raise UsageError("a matrix and a number cannot be added")
                return one + other if isinstance(node.op, ast.Add) else one - other
            if isinstance(node.op, ast.Mult | ast.MatMult):
                return one * other
            if isinstance(node.op, ast.Div) and not both[1]:
                if other == 0:
                    raise UsageError("the claim divides by zero at an instant")
                return one / other
        except sp.ShapeError:
            raise UsageError(
                f"a {_shape(one)} and a {_shape(other)} matrix do not fit together"
            ) from None
        raise UsageError("a claim has + − * / and whole powers; divide by a matrix with inv(x)")

    def power(self, node: ast.BinOp) -> Value:
        base, exponent = self.value(node.left), self.value(node.right)
        whole = isinstance(exponent, sp.Integer) and abs(exponent) <= MAX_POWER
        if not whole or isinstance(base, sp.MatrixBase):
            raise UsageError(f"a power is a number's, whole and at most {MAX_POWER}")
        if base == 0 and exponent < 0:
            raise UsageError("the claim divides by zero at an instant")
        return base**exponent

    def called(self, node: ast.Call) -> Value:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in FUNCTIONS and not node.keywords:
            return self.applied(name, [_matrix(self.value(x)) for x in node.args])
        if name not in ("T", "inv") or len(node.args) != 1 or node.keywords:
            known = ", ".join(("T(x)", "inv(x)", *FUNCTIONS))
            raise UsageError(f"a claim has the functions {known}")
        value = _matrix(self.value(node.args[0]))
        if name == "T":
            return value.T
        if value.rows != value.cols or value.rows > 12 or value.det() == 0:
            raise UsageError("inv(x) takes a square matrix that has an inverse")
        return value.inv()

    def applied(self, name: str, values: list[sp.Matrix]) -> sp.Matrix:
        function, shapes = FUNCTIONS[name]
        if [value.shape for value in values] != [*shapes]:
            taken = " and ".join(f"{rows} × {columns}" for rows, columns in shapes)
            raise UsageError(f"{name} takes {taken}, not {' and '.join(map(_shape, values))}")
        return function(*values)

    def listed(self, rows: Iterable[ast.expr]) -> Value:
        found = [row.elts if isinstance(row, ast.List) else [row] for row in rows]
        if not found or not all(found) or len(found) > 40:
            raise UsageError("a matrix has rows with entries")
        entries = [[_matrix(self.value(x)) for x in row] for row in found]
        try:
            return sp.Matrix.vstack(*(sp.Matrix.hstack(*row) for row in entries))
        except sp.ShapeError:
            raise UsageError("the rows of a matrix, or its blocks, do not fit together") from None

    def entry(self, node: ast.Subscript) -> Value:
        matrix = _matrix(self.value(node.value))
        at = list(node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
        if len(at) == 1 and matrix.cols == 1:
            at.append(ast.Constant(1))
        found = [_range(x, size) for x, size in zip(at, matrix.shape, strict=False)]
        if len(at) != 2 or None in found:
            raise UsageError(f"x[row, column] and x[1:3] count from 1 within {_shape(matrix)}")
        rows, columns = found
        part = matrix[rows, columns]
        return part if any(isinstance(x, ast.Slice) for x in at) else part[0]


def _range(node: ast.expr, size: int) -> slice | None:
    """What `2` and `1:3`, both ends counted, take of so many; nothing else does."""
    ends = (node.lower, node.upper) if isinstance(node, ast.Slice) else (node, node)
    first, last = (x.value if isinstance(x, ast.Constant) else None for x in ends)
    if type(first) is not int or type(last) is not int or getattr(node, "step", None):
        return None
    return slice(first - 1, last) if 1 <= first <= last <= size else None


def _number(value: object) -> sp.Expr:
    if type(value) is int and abs(value) < 10**18:
        return sp.Integer(value)
    if type(value) is float and abs(value) < 1e18:
        exact = Fraction(repr(value))
        return sp.Rational(exact.numerator, exact.denominator)
    raise UsageError("a number of a claim is whole or decimal, below 1e18")


def _matrix(value: Value) -> sp.Matrix:
    return value if isinstance(value, sp.MatrixBase) else sp.Matrix([[value]])


def _shape(value: Value) -> str:
    whole = _matrix(value)
    return f"{whole.rows} × {whole.cols}"


def _apart(one: sp.Expr, other: sp.Expr) -> tuple[str, str]:
    """Two numbers that differ, with as many digits as tell them apart."""
    for digits in (6, 12, 24, 48, 96, 192):
        left, right = (f"{sp.N(x, digits)!s}" for x in (one, other))
        left, right = (x if digits > 6 else f"{float(x):.6g}" for x in (left, right))
        if left != right:
            return left, right
    return left, f"{right}, {sp.N(other - one, 6)} beside it,"


def _differing(one: sp.Matrix, other: sp.Matrix) -> str:
    """The first entry that differs, with both values."""
    for i in range(one.rows):
        for j in range(one.cols):
            if sp.expand(one[i, j] - other[i, j]) != 0:
                left, right = _apart(one[i, j], other[i, j])
                at = "" if len(one) == 1 else f" in entry ({i + 1},{j + 1})"
                return f"left is {left} and right {right}{at}"
    return ""

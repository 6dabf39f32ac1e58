"""Matrices that know their letters: what is computed, and the equation that it is shown by."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cache
from keyword import iskeyword
from typing import Any, cast

import sympy as sp

from ..language.decimals import text
from ..language.written import Tree, called, function_of, named, number, product
from .products import multiplied
from .space import Space, blocks


class M:
    """A matrix of symbols and how it is written; `by` computes the same matrix another way."""

    __slots__ = ("_value", "tree")

    def __init__(self, value: sp.Matrix | Callable[[], sp.Matrix] | None, tree: Tree) -> None:
        self._value: Any = value
        self.tree = tree

    @property
    def value(self) -> sp.Matrix:
        if callable(self._value):
            self._value = self._value()
        return self._value

    def by(self, value: sp.Matrix) -> M:
        """The same matrix, computed so; that it is the same is proven of every kernel."""
        return M(sp.Matrix(value), self.tree)

    def __add__(self, other: M) -> M:
        if other.nothing or self.nothing:
            return self if other.nothing else other
        if isinstance(other.tree, ast.UnaryOp):
            return self - -other
        return M(lambda: self.value + other.value, ast.BinOp(self.tree, ast.Add(), other.tree))

    def __sub__(self, other: M) -> M:
        if other.nothing or self.nothing:
            return self if other.nothing else -other
        if isinstance(other.tree, ast.UnaryOp):
            return self + -other
        return M(lambda: self.value - other.value, ast.BinOp(self.tree, ast.Sub(), other.tree))

    def __neg__(self) -> M:
        if self.nothing:
            return self
        if isinstance(self.tree, ast.UnaryOp):
            return M(lambda: -self.value, self.tree.operand)
        return M(lambda: -self.value, ast.UnaryOp(ast.USub(), self.tree))

    def __truediv__(self, other: M) -> M:
        """By a number."""
        value = lambda: self.value / other.value[0]  # noqa: E731
        return M(value, product(called("inv", other.tree), self.tree))

    def __matmul__(self, other: M) -> M:
        if self.nothing or other.nothing:
            return M(lambda: _times(self.value, other.value), number(0))
        if isinstance(self.tree, ast.UnaryOp):
            return -(-self @ other)
        if isinstance(other.tree, ast.UnaryOp):
            return -(self @ -other)
        return M(lambda: _times(self.value, other.value), product(self.tree, other.tree))

    def __rmul__(self, factor: int) -> M:
        if self.nothing:
            return self
        return M(lambda: factor * self.value, product(number(factor), self.tree))

    def __rtruediv__(self, above: int) -> M:
        """Over a number."""
        value = lambda: sp.Matrix([above / self.value[0]])  # noqa: E731
        return M(value, ast.BinOp(number(above), ast.Div(), self.tree))

    def __pow__(self, exponent: int) -> M:
        """A power of a number."""
        value = lambda: sp.Matrix([self.value[0] ** exponent])  # noqa: E731
        return M(value, ast.BinOp(self.tree, ast.Pow(), number(exponent)))

    @property
    def half(self) -> M:
        """Half of it."""
        return M(lambda: self.value / 2, product(number(0.5), self.tree))

    @property
    def T(self) -> M:
        """The transpose; of a transpose what it is of."""
        if isinstance(self.tree, ast.Constant):
            return M(lambda: self.value.T, self.tree)
        if isinstance(self.tree, ast.Call) and function_of(self.tree) == "T":
            return M(lambda: self.value.T, self.tree.args[0])
        return M(lambda: self.value.T, called("T", self.tree))

    @property
    def inverse(self) -> M:
        """As equations are written with it; programs solve instead."""
        return M(lambda: self.value.inv(), called("inv", self.tree))

    @property
    def pseudoinverse(self) -> M:
        """The same where there may be none: of least norm."""
        return M(lambda: self.value.inv(), called("pinv", self.tree))

    @property
    def nothing(self) -> bool:
        """Is it 0 by what it is, so that sums leave it out?"""
        return isinstance(self.tree, ast.Constant) and self.tree.value == 0

    def __getitem__(self, at: Any) -> sp.Expr:
        return self.value[at]


@cache
def _formula(value: sp.Expr) -> Tree:
    # A parameter may be called by a word of Python, which no name in its text may be.
    words = {f"{x.name}__word": x for x in value.free_symbols if iskeyword(x.name)}
    said = text(value.xreplace({x: sp.Symbol(name) for name, x in words.items()}))
    tree: Tree = _Signs().visit(ast.parse(said, mode="eval").body)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in words:
            node.id = words[node.id].name
    return tree


class _Signs(ast.NodeTransformer):
    """Puts the sign of a product before it: Python reads −a/b as (−a)/b; names odd powers."""

    def visit_BinOp(self, node: ast.BinOp) -> Tree:
        self.generic_visit(node)
        left, op = node.left, node.op
        if isinstance(op, ast.Pow) and not _is_digit(node.right):
            return called("pow", left, node.right)
        if isinstance(op, (ast.Mult, ast.Div)) and isinstance(left, ast.UnaryOp):
            return ast.UnaryOp(ast.USub(), ast.BinOp(left.operand, op, node.right))
        return node


def _is_digit(tree: Tree) -> bool:
    """Is it an exponent that is written high up?"""
    return isinstance(tree, ast.Constant) and tree.value in range(2, 10)


def _times(left: sp.Matrix, right: sp.Matrix) -> sp.Matrix:
    """A product; a number multiplies whatever it stands before."""
    return left[0] * right if left.shape == (1, 1) and right.rows != 1 else multiplied(left, right)


def _is_column(x: M) -> bool:
    """Is it written as a column of parts?"""
    return isinstance(x.tree, ast.List) and not any(isinstance(y, ast.List) for y in x.tree.elts)


def _entries(x: M) -> list[Tree]:
    """What it is written as in a longer column."""
    if _is_column(x):
        return cast("ast.List", x.tree).elts
    return [x.tree] * (x.value.rows if x.nothing else 1)


def _sized(x: M) -> Tree:
    """The tree; of zeros that nothing beside them tells the number of, with that."""
    return called("zeros", x.value.rows) if x.nothing and x.value.rows > 1 else x.tree


def _part(tree: Tree, place: int) -> Tree | None:
    """A part of a motion or a wrench that is written in its two parts."""
    two = isinstance(tree, ast.List) and len(tree.elts) == 2
    return cast("ast.List", tree).elts[place] if two else None


def part(x: M, rows: Iterable[int] | None = None, cols: Iterable[int] | None = None) -> M:
    """Rows and columns of a matrix, counted from 1; all, where none are named."""
    if isinstance(x.tree, ast.UnaryOp):
        return -part(-x, rows, cols)
    shape = x.value.shape
    every = [list(range(1, size + 1)) for size in shape]
    high, wide = (
        whole if some is None else list(some)
        for some, whole in zip((rows, cols), every, strict=True)
    )
    if [high, wide] == every:
        return x
    spans = [
        ":" if at == whole else _spans(at) for at, whole in zip((high, wide), every, strict=True)
    ]
    value = x.value[[i - 1 for i in high], [j - 1 for j in wide]]
    return M(value, called("part", x.tree, *spans[: 1 if shape[1] == 1 else 2]))


def _spans(places: list[int]) -> str:
    """Places as `1:2 5`."""
    runs: list[tuple[int, int]] = []
    for i in places:
        follows = runs and runs[-1][1] == i - 1
        runs.append((runs.pop()[0], i) if follows else (i, i))
    return " ".join(str(a) if a == b else f"{a}:{b}" for a, b in runs)


class Algebra:
    """The operations of a dimension: what differs between the plane and space is here."""

    def __init__(self, dimension: int) -> None:
        space = self.space = Space(dimension)
        self.d, self.s, self.n = dimension, space.spins, space.motion

    def zero(self, rows: int = 1, cols: int = 1) -> M:
        return M(sp.zeros(rows, cols), number(0))

    def zeros(self, rows: int, cols: int) -> M:
        """As `zero`, where its size is not seen from what stands beside it."""
        return M(lambda: sp.zeros(rows, cols), called("zeros", rows, cols))

    def unit(self, size: int, place: int) -> M:
        """A unit vector, 1 at a place counted from 0; nothing if it has no such place."""
        if not 0 <= place < size:
            return self.zero(size)
        tree: Tree = named(f"e{place + 1}")
        if size != self.d:
            tree = (
                number(1) if size == 1 else called("part", called("eye", size), ":", f"{place + 1}")
            )
        return M(sp.eye(size)[:, place], tree)

    def lin(self, x: M) -> M:
        """The part of a motion that is an acceleration, of a wrench the force."""
        return M(lambda: x.value[: self.d, :], _part(x.tree, 0) or called("lin", x.tree))

    def ang(self, x: M) -> M:
        """The angular part of a motion, the moment of a wrench."""
        return M(lambda: x.value[self.d :, :], _part(x.tree, 1) or called("ang", x.tree))

    def block(self, x: M, i: int, j: int) -> M:
        at = slice(0, self.d), slice(self.d, self.n)
        return M(lambda: x.value[at[i - 1], at[j - 1]], called("block", x.tree, i, j))

    def cross(self, spin: M, r: M) -> M:
        """Ω × r."""
        if spin.nothing or r.nothing:
            return self.zero(self.d)
        return M(lambda: self.space.turn(spin.value, r.value), called("cross", spin.tree, r.tree))

    def spins(self, spin: M, other: M) -> M:
        """Ω × ω of two spins: nothing in the plane."""
        return self.zero() if self.d == 2 else self.cross(spin, other)

    def moment(self, r: M, force: M) -> M:
        """r × f."""
        if r.nothing or force.nothing:
            return self.zero(self.s)
        value = lambda: self.space.tilde(r.value) * force.value  # noqa: E731
        return M(value, called("cross", r.tree, force.tree))

    def tilde(self, r: M) -> M:
        return M(lambda: self.space.tilde(r.value), called("tilde", r.tree))

    def X(self, r: M) -> M:
        """Motions of a point at the point at r from it."""
        return M(lambda: self.space.shift(r.value), called("X", r.tree))

    def seen(self, r: M, wrench: M) -> M:
        """X(r)ᵀ W: wrenches at the point at r from here, as columns, seen from here."""
        force, moment = self.lin(wrench), self.ang(wrench)
        whole = self.X(r).T @ wrench
        return M(
            lambda: sp.Matrix.vstack(force.value, (self.moment(r, force) + moment).value),
            whole.tree,
        )

    def ad(self, twist: M) -> M:
        """ad(V) of a twist (v, ω): ad(V) X is the bracket [V, X]."""
        return M(lambda: self.space.ad(twist.value), called("ad", twist.tree))

    def bar(self, momentum: M) -> M:
        """bar(P) of a momentum (p, L): bar(P) V = ad(V)ᵀ P."""
        return M(lambda: self.space.bar(momentum.value), called("bar", momentum.tree))

    def entry(self, x: M, i: int, j: int) -> M:
        """An entry of a matrix, counted from 1."""
        return part(x, [i], [j])

    def vee(self, x: M) -> M:
        """r of ~r."""
        at = ((0, 1, 1), (0, 0, -1)) if self.d == 2 else ((2, 1, 1), (0, 2, 1), (1, 0, 1))
        value = lambda: sp.Matrix([sign * x.value[i, j] for i, j, sign in at])  # noqa: E731
        return M(value, called("vee", x.tree))

    def sym(self, w: M) -> M:
        """sym(ω) θ = Θ ω of the entries θ on and above the diagonal of a symmetric Θ."""
        value = lambda: sp.Matrix.hstack(*(E * w.value for E in _symmetric(len(w.value))))  # noqa: E731
        return M(value, called("sym", w.tree))

    def upper(self, x: M) -> M:
        """The symmetric matrix with this upper triangle: of what is one for some other reason."""
        if isinstance(x.tree, ast.Name):
            return x
        return M(lambda: x.value, called("upper", x.tree))

    def trace(self, x: M) -> M:
        return M(lambda: sp.Matrix([x.value.trace()]), called("tr", x.tree))

    def column(self, x: M, j: int) -> M:
        """A column of a matrix, counted from 1; of a column itself."""
        return part(x, cols=[j])

    def three(self, vector: M) -> M:
        """A vector with three components: in the plane with 0 out of it."""
        return vector if self.d == 3 else self.stack(vector, self.zero())

    def stack(self, *parts: M) -> M:
        if len(parts) == 1:
            return parts[0]
        value = lambda: sp.Matrix.vstack(*(x.value for x in parts))  # noqa: E731
        if not any(map(_is_column, parts)):
            rows = [x.value.rows for x in parts if x.nothing]
            told = not rows or (len(parts) == 2 and sum(x.value.rows for x in parts) == self.n)
            return M(value, ast.List([x.tree if told else _sized(x) for x in parts]))
        return M(value, ast.List([tree for x in parts for tree in _entries(x)]))

    def beside(self, *parts: M) -> M:
        if len(parts) == 1:
            return parts[0]
        value = lambda: sp.Matrix.hstack(*(x.value for x in parts))  # noqa: E731
        return M(value, ast.List([ast.List([x.tree for x in parts])]))

    def blocks(self, *rows: Iterable[M]) -> M:
        kept = [list(row) for row in rows]
        return M(
            lambda: blocks(*([x.value for x in row] for row in kept)),
            ast.List([ast.List([x.tree for x in row]) for row in kept]),
        )

    def one(self, factor: M) -> M:
        """A number times the unit matrix of the space."""
        return M(lambda: factor.value[0] * sp.eye(self.d), product(factor.tree, named("one")))

    def full(self, squared: M) -> M:
        """~Ω ~Ω beside another matrix: in the plane a number times the unit matrix."""
        if self.d == 3:
            return squared
        return -M(lambda: -squared.value, product((-squared).tree, named("one")))

    def unit_matrix(self, n: int) -> M:
        tree = number(1) if n == 1 else named("one") if n == self.d else called("eye", n)
        return M(lambda: sp.eye(n), tree)

    def function(self, of: Callable[..., sp.Expr], *numbers: M) -> M:
        """A function of numbers."""
        value = lambda: sp.Matrix([of(*(x.value[0] for x in numbers))])  # noqa: E731
        return M(value, called(of.__name__, *(x.tree for x in numbers)))

    def axial(self, x: M) -> M:
        """The vector of X − Xᵀ."""
        at = ((2, 1), (0, 2), (1, 0))
        value = lambda: sp.Matrix([x.value[i, j] - x.value[j, i] for i, j in at])  # noqa: E731
        return M(value, called("axial", x.tree))

    def both(self, R: M) -> M:
        """Turns both parts of a motion or a wrench; in the plane the second is out of it."""
        low = R if self.d == 3 else M(sp.eye(1), number(1))
        return M(lambda: sp.diag(R.value, low.value), called("diag", R.tree, low.tree))

    def diag(self, *blocks: M) -> M:
        """A matrix of its diagonal blocks."""
        if len(blocks) == 1:
            return blocks[0]
        return M(
            lambda: sp.diag(*(x.value for x in blocks)), called("diag", *(x.tree for x in blocks))
        )

    def diagonal(self, column: M) -> M:
        return M(lambda: sp.diag(*column.value), called("diag", column.tree))

    def turned(self, R: M, w: M) -> M:
        """An angular quantity in other axes: in the plane the same."""
        return w if self.d == 2 else R @ w

    def motion(self, linear: M, angular: M) -> M:
        """(r̈, Ω̇) with three components each."""
        parts, none = [linear.tree, angular.tree], [number(0)] * 3
        return M(
            lambda: self.space.flat_motion(linear.value, angular.value),
            ast.List(parts if self.d == 3 else [parts[0], *none, parts[1]]),
        )

    def load(self, moment: M, force: M) -> M:
        """(m, q) with three components each."""
        parts, none = [moment.tree, force.tree], number(0)
        return M(
            lambda: self.space.flat_load(moment.value, force.value),
            ast.List(parts if self.d == 3 else [none, none, *parts, none]),
        )

    def scalar(self, value: sp.Expr) -> M:
        """A number that is its own formula, in entries."""
        return self.formula(sp.Matrix([value]))

    def vector(self, value: sp.Matrix) -> M:
        """As `formula`, of a vector of the space: in the plane one along an axis is written so."""
        along = [i for i, x in enumerate(value) if x != 0]
        if self.d == 3 or len(along) != 1:
            return self.formula(value)
        tree = product(_formula(value[along[0]]), named(f"e{along[0] + 1}"))
        return M(value, tree)

    def formula(self, value: sp.Matrix) -> M:
        """A matrix whose entries are their own formulas, in entries of others."""
        rows = [[_formula(x) for x in value.row(i)] for i in range(value.rows)]
        tree: Tree = ast.List([ast.List(row) for row in rows])
        if value.cols == 1:
            tree = ast.List([row[0] for row in rows]) if len(rows) > 1 else rows[0][0]
        return M(value, tree if any(value) else number(0))


def _symmetric(n: int) -> list[sp.Matrix]:
    """The symmetric matrices of one entry on or above the diagonal, row by row."""
    found = []
    for i in range(n):
        for j in range(i, n):
            E = sp.zeros(n, n)
            E[i, j] = E[j, i] = 1
            found.append(E)
    return found

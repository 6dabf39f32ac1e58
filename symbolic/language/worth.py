"""What a written equation is worth: its value in exact fractions, letters given.

Functions such as sines have none; others stand for them, here and where kernels are run to compare
with (`GENERIC`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from .arithmetic import FLOAT, GENERIC, Arithmetic
from .written import Tree, constant, function_of, literals

#: Rows of fractions.
Rows: TypeAlias = list[list[Fraction]]

#: A matrix, or a number that is as large as it has to be.
Value: TypeAlias = Rows | int | Fraction


def matrix(value: Value) -> Rows:
    """The value as a matrix; a number is one of a single entry."""
    if isinstance(value, list):
        return value
    return [[Fraction(value) if isinstance(value, int) else value]]


class Worth:
    """Values of trees in a space of so many dimensions; `where` are abbreviations.

    Raises
        KeyError: a letter or a function is unknown.
        ValueError: shapes do not fit.
    """

    def __init__(
        self,
        known: Mapping[str, Rows],
        dimension: int,
        where: Mapping[str, Tree] | None = None,
        arithmetic: Arithmetic = GENERIC,
    ) -> None:
        self.functions = arithmetic.functions
        d = self.d = dimension
        self.spins = 1 if d == 2 else 3
        self.known = {"one": eye(d)} | {f"e{k + 1}": [[x] for x in eye(d)[k]] for k in range(d)}
        self.known |= {name: [[self.functions[name]()]] for name in ("pi", "I")}
        self.known.update(known)
        self.where = dict(where or {})

    def of(self, tree: Tree, size: tuple[int, int] = (0, 0)) -> Value:
        """The value; `size` says how many rows and columns it has, if that is known."""
        match tree:
            case ast.Name():
                return self._named(tree.id)
            case ast.Constant(value=int() | float() as number):
                return number if isinstance(number, int) else Fraction(number)
            case ast.UnaryOp():
                return times(-1, self.of(tree.operand, size))
            case ast.List():
                return self._listed(tree.elts, size)
            case ast.Call():
                return self._called(function_of(tree), tree.args)
            case ast.BinOp():
                return self._combined(tree, size)
        raise ValueError(f"nothing that has a value: {ast.dump(tree)}")

    def _named(self, name: str) -> Value:
        if name not in self.where:
            return self.known[name]
        return self.of(self.where[name])

    def _combined(self, tree: ast.BinOp, size: tuple[int, int]) -> Value:
        if isinstance(tree.op, (ast.Add, ast.Sub)):
            right = self.of(tree.right, size)
            right = right if isinstance(tree.op, ast.Add) else times(-1, right)
            return added(self.of(tree.left, size), right)
        left = self.of(tree.left)
        if isinstance(tree.op, ast.Pow):
            found = left
            for _ in range(constant(tree.right) - 1):
                found = times(found, left)
            return found
        right = self.of(tree.right)
        if isinstance(tree.op, ast.Mult):
            return times(left, right)
        return times(left, 1 / matrix(right)[0][0])

    def _called(self, function: str, arguments: Sequence[Tree]) -> Value:
        if function not in FUNCTIONS:
            return self._scalar(function, arguments)
        if function in PLACED:
            return FUNCTIONS[function](self, matrix(self.of(arguments[0])), *literals(arguments))
        return FUNCTIONS[function](self, *(matrix(self.of(x)) for x in arguments))

    def _scalar(self, function: str, arguments: Sequence[Tree]) -> Fraction:
        """A function of numbers, which may have no exact value: then any other stands for it."""
        if function not in FLOAT.functions:
            raise KeyError(function)
        numbers = [matrix(self.of(x))[0][0] for x in arguments]
        if function == "pow" and isinstance(numbers[1], Fraction) and numbers[1].denominator == 1:
            return numbers[0] ** int(numbers[1])
        found: Fraction = self.functions[function](*numbers)
        return found

    def _listed(self, parts: Sequence[Tree], size: tuple[int, int]) -> Rows:
        rows = [part.elts if isinstance(part, ast.List) else [part] for part in parts]
        return self.joined([[self.of(x) for x in row] for row in rows], size)

    def joined(self, rows: Sequence[Sequence[Value]], size: tuple[int, int] = (0, 0)) -> Rows:
        """A matrix of blocks."""
        columns = zip(*rows, strict=True)
        heights = self._fitted([[_size(x, 0) for x in row] for row in rows], size[0])
        widths = self._fitted([[_size(x, 1) for x in column] for column in columns], size[1])
        whole: Rows = []
        for row, height in zip(rows, heights, strict=True):
            blocks = [filled(x, height, width) for x, width in zip(row, widths, strict=True)]
            whole += [[x for block in blocks for x in block[i]] for i in range(height)]
        return whole

    def _fitted(self, sizes: Sequence[Sequence[int]], whole: int) -> list[int]:
        """How large each row of blocks is; one of a motion's two is the rest of the `whole`."""
        found, rest = [max(row) for row in sizes], 1
        if len(found) == 2 and found.count(0) == 1:
            rest = max(1, (whole or self.d + self.spins) - sum(found))
        return [size or rest for size in found]


def _size(value: Value, axis: int) -> int:
    """Rows or columns; a number has none of its own."""
    if not isinstance(value, list):
        return 0 if value == 0 else 1
    return len(value) if axis == 0 else len(value[0])


def filled(value: Value, height: int, width: int) -> Rows:
    """The value as a matrix of that size, which 0 fits into any."""
    if not isinstance(value, list):
        value = matrix(value) if value else [[Fraction(0)] * width for _ in range(height)]
    if (len(value), len(value[0])) != (height, width):
        raise ValueError(f"a block is {len(value)} × {len(value[0])}, not {height} × {width}")
    return value


# Operations


def eye(n: int) -> Rows:
    return [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]


def times(left: Value, right: Value) -> Value:
    """A product; a number, or a matrix of one entry, multiplies whatever it stands before."""
    for factor, other in ((left, right), (right, left)):
        if not isinstance(factor, list):
            return (
                [[factor * x for x in row] for row in other]
                if isinstance(other, list)
                else (factor * other)
            )
    assert isinstance(left, list)
    assert isinstance(right, list)
    if len(left[0]) != len(right):
        for factor, other in ((left, right), (right, left)):
            if len(factor) == len(factor[0]) == 1:
                return times(factor[0][0], other)
        raise ValueError(f"{len(left[0])} columns times {len(right)} rows")
    columns = list(zip(*right, strict=True))
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns]
        for row in left
    ]


def added(left: Value, right: Value) -> Value:
    if not isinstance(left, list) and not isinstance(right, list):
        return left + right
    one, other = matrix(left), matrix(right)
    if (len(one), len(one[0])) != (len(other), len(other[0])):
        raise ValueError(f"{len(one)} × {len(one[0])} plus {len(other)} × {len(other[0])}")
    return [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(one, other, strict=True)]


def transposed(x: Rows) -> Rows:
    return [list(column) for column in zip(*x, strict=True)]


def inverse(x: Rows) -> Rows:
    n = len(x)
    rows = [[*row, *unit] for row, unit in zip(x, eye(n), strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            raise ValueError("there is no inverse")
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for i in range(n):
            if i != k and rows[i][k]:
                rows[i] = [a - rows[i][k] * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


def zeros(_: Worth, rows: Rows, cols: Rows | None = None) -> Rows:
    """A column of so many zeros, or so many columns."""
    return [[Fraction(0)] * int(cols[0][0] if cols else 1) for _ in range(int(rows[0][0]))]


def tilde(at: Worth, w: Rows) -> Rows:
    """The matrix of w ×; in the plane of a spin, or of a vector, whose product is a number."""
    if at.d == 2:
        if len(w) == 1:
            return [[Fraction(0), -w[0][0]], [w[0][0], Fraction(0)]]
        return [[-w[1][0], w[0][0]]]
    a, b, c = (x for (x,) in w)
    return [[Fraction(0), -c, b], [c, Fraction(0), -a], [-b, a, Fraction(0)]]


def moved(at: Worth, r: Rows) -> Rows:
    """X(r): motions of a point at the point at r from it."""
    d, whole = at.d, eye(at.d + at.spins)
    lever = [[-r[1][0]], [r[0][0]]] if d == 2 else transposed(tilde(at, r))
    for i, row in enumerate(lever):
        whole[i][d:] = row
    return whole


def bracket(at: Worth, V: Rows) -> Rows:
    """ad(V) of a twist (v, ω): ad(V) X = [V, X]."""
    spin = tilde(at, V[at.d :])
    return at.joined([[spin, _lever(at, V)], [0, spin if at.d == 3 else [[Fraction(0)]]]])


def bar(at: Worth, P: Rows) -> Rows:
    """bar(P) of a momentum (p, L): bar(P) V = ad(V)ᵀ P."""
    moment = tilde(at, P[at.d :]) if at.d == 3 else [[Fraction(0)]]
    return at.joined([[0, _lever(at, P)], [tilde(at, P[: at.d]), moment]])


def _lever(at: Worth, x: Rows) -> Value:
    return times(-1, transposed(tilde(at, x[: at.d])))


def diagonal(_: Worth, *parts: Rows) -> Rows:
    """A matrix of blocks; of a single column, of its entries."""
    if len(parts) == 1 and len(parts[0][0]) == 1:
        parts = tuple([row] for row in parts[0])
    width = sum(len(part) for part in parts)
    whole: Rows = []
    for part in parts:
        before = len(whole)
        for row in part:
            rest = width - before - len(part)
            whole.append([Fraction(0)] * before + row + [Fraction(0)] * rest)
    return whole


def third(at: Worth, c: Rows, s: Rows) -> Rows:
    """R₃(c, s): a turn about the third axis."""
    whole = eye(at.d)
    whole[0][:2], whole[1][:2] = [c[0][0], -s[0][0]], [s[0][0], c[0][0]]
    return whole


def linear_part(function: Callable[..., Rows]) -> Callable[..., Rows]:
    """A function, which is affine, less what it is where all that it is of is zero."""

    def found(at: Worth, *given: Rows) -> Rows:
        still = function(at, *([[0 * x for x in row] for row in part] for part in given))
        return matrix(added(function(at, *given), times(-1, still)))

    return found


def block(at: Worth, x: Rows, i: int, j: int) -> Rows:
    parts = slice(0, at.d), slice(at.d, None)
    return [row[parts[j - 1]] for row in x[parts[i - 1]]]


def selected(x: Rows, rows: str, cols: str = ":") -> Rows:
    """Rows and columns, as `1:2 5`, counted from 1; all, `:`."""
    return [[x[i][j] for j in _places(cols, len(x[0]))] for i in _places(rows, len(x))]


def _places(text: str, size: int) -> list[int]:
    found: list[int] = []
    for span in text.split():
        first, colon, last = span.partition(":")
        start = int(first or 1)
        found += range(start - 1, int(last or (size if colon else start)))
    return found


def vee(at: Worth, x: Rows) -> Rows:
    """r of ~r."""
    return [[x[0][1]], [-x[0][0]]] if at.d == 2 else [[x[2][1]], [x[0][2]], [x[1][0]]]


def symmetric(_: Worth, w: Rows) -> Rows:
    """sym(ω) θ = Θ ω of the entries θ on and above the diagonal of a symmetric Θ."""
    n, zero = len(w), Fraction(0)
    at = [(i, j) for i in range(n) for j in range(i, n)]
    return [[w[j][0] if k == i else w[i][0] if k == j else zero for i, j in at] for k in range(n)]


def upper(_: Worth, x: Rows) -> Rows:
    """The symmetric matrix with this upper triangle."""
    return [[x[min(i, j)][max(i, j)] for j in range(len(x))] for i in range(len(x))]


def axial(_: Worth, x: Rows) -> Rows:
    """The vector of X − Xᵀ."""
    return [[x[2][1] - x[1][2]], [x[0][2] - x[2][0]], [x[1][0] - x[0][1]]]


#: The functions of displayed equations.
FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "tr": lambda _, x: sum((row[i] for i, row in enumerate(x)), Fraction(0)),
    "eye": lambda _, n: eye(int(n[0][0])),
    "zeros": zeros,
    "T": lambda _, x: transposed(x),
    "inv": lambda _, x: inverse(x),
    "pinv": lambda _, x: inverse(x),  # of what has one
    "tilde": tilde,
    "cross": lambda at, w, r: times(tilde(at, w), r),
    "lin": lambda at, x: x[: at.d],
    "ang": lambda at, x: x[at.d :],
    "X": moved,
    "ad": bracket,
    "bar": bar,
    "R3": third,
    "dX": linear_part(moved),
    "dR3": linear_part(third),
    "diag": diagonal,
    "axial": axial,
    "vee": vee,
    "sym": symmetric,
    "upper": upper,
    "block": block,
    "part": lambda _, x, *at: selected(x, *at),
}

#: Those whose arguments after the first are places.
PLACED = frozenset(("block", "part"))

"""Written equations without what is zero in them, without factors 𝟏 and steps on the way."""

from __future__ import annotations

import ast
from collections.abc import Container, Mapping

from .written import Tree, called, function_of, number

#: Functions whose value is zero if one of their arguments is.
LINEAR = frozenset(
    ("T", "tilde", "cross", "lin", "ang", "block", "part", "axial", "vee", "dX", "dR3", "ad", "bar",
     "sym", "upper", "tr")
)  # fmt: skip


def is_zero(tree: Tree) -> bool:
    return isinstance(tree, ast.Constant) and tree.value == 0


class Simpler:
    """Rewrites trees; `zeros` and `ones` are the names of what is 0, and of what is 1 or 𝟏.

    What is in `steps` is replaced by the tree that states it. `rows` are the sizes of columns, and
    1 of single numbers: such a one times 𝟏 stays so.
    """

    def __init__(
        self,
        zeros: Container[str],
        ones: Container[str],
        steps: Mapping[str, Tree],
        rows: Mapping[str, int],
    ) -> None:
        self.zeros, self.ones, self.steps, self.rows = zeros, ones, steps, rows

    def of(self, tree: Tree) -> Tree:
        """The tree, as short as it has become."""
        match tree:
            case ast.Name():
                return self._named(tree)
            case ast.UnaryOp():
                inner = self.of(tree.operand)
                if isinstance(inner, ast.UnaryOp):
                    return inner.operand
                return inner if is_zero(inner) else ast.UnaryOp(tree.op, inner)
            case ast.BinOp():
                return self._combined(tree.op, self.of(tree.left), tree.right)
            case ast.List():
                return self._listed(tree)
            case ast.Call():
                return self._called(tree)
        return tree

    def is_one(self, tree: Tree) -> bool:
        """Is it 1 or 𝟏, which a product does not need?"""
        if isinstance(tree, ast.Name):
            return tree.id == "one" or tree.id in self.ones
        return isinstance(tree, ast.Constant) and tree.value == 1

    def _is_number(self, tree: Tree) -> bool:
        """Is it a single number?"""
        match tree:
            case ast.Name():
                return self.rows.get(tree.id) == 1
            case ast.Constant():
                return True
            case ast.UnaryOp():
                return self._is_number(tree.operand)
            case ast.BinOp():
                return self._is_number(tree.left) and self._is_number(tree.right)
        return function_of(tree) == "inv" and self._is_number(tree.args[0])  # type: ignore[attr-defined]

    def _idle(self, one: Tree, other: Tree) -> bool:
        """May a factor go, the other one staying? A number times 𝟏 is a matrix."""
        if isinstance(one, ast.Name) and one.id == "one":
            return False
        return self.is_one(one) and (self._is_number(one) or not self._is_number(other))

    def _named(self, tree: ast.Name) -> Tree:
        if tree.id in self.zeros:
            return number(0)
        return self.of(self.steps[tree.id]) if tree.id in self.steps else tree

    def _combined(self, op: ast.operator, left: Tree, right: Tree) -> Tree:
        if isinstance(op, ast.Pow):
            return left if is_zero(left) or self.is_one(left) else ast.BinOp(left, op, right)
        right = self.of(right)
        if isinstance(op, ast.Add | ast.Sub):
            if is_zero(right):
                return left
            if is_zero(left):
                return right if isinstance(op, ast.Add) else self.of(ast.UnaryOp(ast.USub(), right))
        elif is_zero(left) or (is_zero(right) and isinstance(op, ast.Mult)):
            return number(0)
        elif self._idle(right, left):
            return left
        elif isinstance(op, ast.Mult) and self._idle(left, right):
            return right
        return ast.BinOp(left, op, right)

    def _listed(self, tree: ast.List) -> Tree:
        """Blocks: a 0 is as large as what stands beside it, so that something has to."""
        if not any(isinstance(row, ast.List) for row in tree.elts):
            return self._column(tree)
        old = [[*row.elts] if isinstance(row, ast.List) else [row] for row in tree.elts]
        new = [[self.of(x) for x in row] for row in old]
        if all(is_zero(x) for row in new for x in row):
            return number(0)
        lines = [*new, *zip(*new, strict=True)] if len({*map(len, new)}) == 1 else new
        if any(all(map(is_zero, line)) for line in lines):
            new = old
        return ast.List([ast.List(row) for row in new])

    def _column(self, tree: ast.List) -> Tree:
        new = [self.of(x) for x in tree.elts]
        if all(map(is_zero, new)):
            return number(0)
        if len(new) > 2:
            new = [
                self._sized(x, y) if is_zero(y) else y for x, y in zip(tree.elts, new, strict=True)
            ]
        return ast.List(new)

    def _sized(self, old: Tree, zero: Tree) -> Tree:
        """A zero that tells its size, unless it is a number or cannot."""
        if self._is_number(old):
            return zero
        rows = self.rows.get(old.id, 0) if isinstance(old, ast.Name) else 0
        return called("zeros", rows) if rows else old

    def _called(self, tree: ast.Call) -> Tree:
        function = function_of(tree)
        parts = [x if isinstance(x, ast.Constant) else self.of(x) for x in tree.args]
        if function in LINEAR and any(map(is_zero, parts)):  # places count from 1
            return number(0)
        if function == "diag" and all(map(is_zero, parts)):
            return number(0)
        if function == "X" and is_zero(parts[0]):
            return number(1)
        if function in ("T", "inv", "pinv") and self.is_one(parts[0]):
            return parts[0]
        if function == "T" and function_of(parts[0]) == "T":
            assert isinstance(parts[0], ast.Call)
            return parts[0].args[0]
        if function == "R3" and self.is_one(parts[0]) and is_zero(parts[1]):
            return number(1)
        if function == "diag" and all(map(self.is_one, parts)):
            return number(1)
        return called(function, *parts)

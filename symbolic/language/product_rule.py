"""The tangent of a written equation: its derivative along a direction, by the product rule.

What varies is called by `name` in its tangent: `X` varies as `d_X`, which is written ∂X.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import reduce

from .written import Equation, Tree, called, constant, function_of, named, number, product

#: Functions that are linear in their first argument, and have no other that varies.
LINEAR = frozenset(
    (
        "T",
        "tilde",
        "lin",
        "ang",
        "block",
        "part",
        "axial",
        "ad",
        "bar",
        "vee",
        "sym",
        "upper",
        "tr",
    )
)

#: Functions of all whose arguments the linear part is one of the same arguments.
AFFINE = {"X": "dX", "R3": "dR3", "diag": "diag"}

#: Functions of numbers, and their slopes along each argument.
SLOPES: dict[str, Callable[..., tuple[Tree, ...]]] = {
    "sin": lambda x: (called("cos", x),),
    "cos": lambda x: (_minus(called("sin", x)),),
    "exp": lambda x: (called("exp", x),),
    "log": lambda x: (_over(number(1), x),),
    "sqrt": lambda x: (_over(number(1), product(number(2), called("sqrt", x))),),
    "atan2": lambda y, x: (_over(x, _norm(y, x)), _minus(_over(y, _norm(y, x)))),
}


class UnknownSlopeError(Exception):
    """A function whose derivative is not known."""


def tangent_equation(
    equation: Equation, moving: Mapping[str, str], name: Callable[[str], str]
) -> Equation:
    """`∂letter = …` of `letter = tree`; `moving` are the letters of the names that vary.

    Raises
        UnknownSlopeError: the equation has a function without a derivative.
    """
    rule = _ProductRule(moving, equation.where, name)
    tree = rule.of(equation.tree)
    # Before the abbreviations' own letters, since theirs are written by themselves.
    letters = {**equation.letters, **{name(x): varied(letter) for x, letter in moving.items()}}
    where = {**equation.where, **rule.where}
    letter = varied(equation.letter)
    return Equation(letter, tree or number(0), letters, where, equation.place)


def varied(letter: str) -> str:
    """How the tangent of a letter is written."""
    return f"∂{letter}"


class _ProductRule:
    """Derivatives of trees; None of what does not vary."""

    def __init__(
        self, moving: Mapping[str, str], where: Mapping[str, Tree], name: Callable[[str], str]
    ) -> None:
        self.moving, self.abbreviated, self.name = moving, where, name
        self.where: dict[str, Tree] = {}

    def of(self, tree: Tree) -> Tree | None:
        match tree:
            case ast.Constant():
                return None
            case ast.Name():
                return self._named(tree.id)
            case ast.UnaryOp():
                return _negative(self.of(tree.operand))
            case ast.List():
                return self._listed(tree)
            case ast.Call():
                return self._called(tree)
            case ast.BinOp(op=ast.Mult()):
                return self._product(tree.left, tree.right)
            case ast.BinOp(op=ast.Div()):
                return self._product(tree.left, called("inv", tree.right))
            case ast.BinOp(op=ast.Pow()):
                return self._product(*[tree.left] * constant(tree.right))
            case ast.BinOp():
                left, right = self.of(tree.left), self.of(tree.right)
                return _sum(left, right if isinstance(tree.op, ast.Add) else _negative(right))
        raise UnknownSlopeError(ast.dump(tree))

    def _named(self, name: str) -> Tree | None:
        if name not in self.abbreviated:
            return named(self.name(name)) if name in self.moving else None
        tangent = self.of(self.abbreviated[name])
        if tangent is None:
            return None
        self.where[varied(name)] = tangent
        return named(varied(name))

    def _product(self, *factors: Tree) -> Tree | None:
        terms = [
            product(*factors[:k], tangent, *factors[k + 1 :])
            for k, factor in enumerate(factors)
            if (tangent := self.of(factor)) is not None
        ]
        return _sum(*terms)

    def _listed(self, tree: ast.List) -> Tree | None:
        """Of blocks; what does not vary is as large as what stands beside it, or as it was."""
        rows = [x.elts if isinstance(x, ast.List) else [x] for x in tree.elts]
        tangents = [[self.of(x) for x in row] for row in rows]
        if not any(any(row) for row in tangents):
            return None
        if not isinstance(tree.elts[0], ast.List):
            still = _nothing if len(rows) == 2 and all(map(_is_number, tree.elts)) else _zero
            return ast.List([x or still(of) for (x,), (of,) in zip(tangents, rows, strict=True)])
        across = [any(column) for column in zip(*tangents, strict=True)]
        return ast.List(
            [
                ast.List(
                    [
                        x or (number(0) if any(found) and varies else _nothing(of))
                        for x, of, varies in zip(found, row, across, strict=True)
                    ]
                )
                for found, row in zip(tangents, rows, strict=True)
            ]
        )

    def _called(self, tree: ast.Call) -> Tree | None:
        function, arguments = function_of(tree), tree.args
        tangents = [self.of(x) for x in arguments]
        if not any(tangents):
            return None
        if function in LINEAR and tangents[0] is not None:
            return ast.Call(tree.func, [tangents[0], *arguments[1:]], [])
        if function in AFFINE:
            parts = [x or _nothing(of) for x, of in zip(tangents, arguments, strict=True)]
            return called(AFFINE[function], *parts)
        if function == "inv":
            return _negative(product(tree, tangents[0] or number(0), tree))
        if function == "cross":
            (left, right), (dl, dr) = arguments, tangents
            return _sum(
                dl and called("cross", dl, right),
                dr and called("cross", left, dr),
            )
        if function in SLOPES:
            slopes = zip(SLOPES[function](*arguments), tangents, strict=True)
            return _sum(*(product(slope, x) for slope, x in slopes if x is not None))
        raise UnknownSlopeError(function)


def _minus(tree: Tree) -> Tree:
    return ast.UnaryOp(ast.USub(), tree)


def _over(above: Tree, below: Tree) -> Tree:
    return ast.BinOp(above, ast.Div(), below)


def _norm(*trees: Tree) -> Tree:
    """The sum of squares."""
    squares: list[Tree] = [ast.BinOp(x, ast.Pow(), number(2)) for x in trees]
    return reduce(_added, squares)


def _is_number(tree: Tree) -> bool:
    """Is it one of numbered numbers? Beside one 0 could be a vector."""
    return isinstance(tree, ast.Name) and tree.id.rpartition("_")[2].isdigit()


def _zero(_: Tree) -> Tree:
    return number(0)


def _nothing(tree: Tree) -> Tree:
    """Zero of the shape that a tree has."""
    return number(0) if isinstance(tree, ast.Constant) else product(number(0), tree)


def _negative(tree: Tree | None) -> Tree | None:
    return None if tree is None else _minus(tree)


def _sum(*terms: Tree | None) -> Tree | None:
    """The sum of the terms that there are."""
    there = [x for x in terms if x is not None]
    return reduce(_added, there) if there else None


def _added(left: Tree, right: Tree) -> Tree:
    if isinstance(right, ast.UnaryOp):
        return ast.BinOp(left, ast.Sub(), right.operand)
    return ast.BinOp(left, ast.Add(), right)

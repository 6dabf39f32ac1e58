"""Equations between matrices: a tree, and how it is written.

The tree is Python's own `ast`: `T(X) * IAh * X`. `Shown` writes it as a paper does, Xᵀ IAh X;
`equations/reader` reads that back, and `worth` evaluates it. Sums and products are those of ledgers
(`equations/precedence`), with the sign −; and

    equation = sides {", " letter "=" sum}                 abbreviations behind it
    factor   = ["~"] atom {"ᵀ" | "⁻¹" | "⁺" | "²" | "_r" | "_Ω" | "₁₂" | part}
    part     = "[" places ["," places] "]"     rows, then columns: `2`, `4:6`, `1:2 5:6`, all `:`
    atom     = number | letter | function "(" sum {"," sum} ")"     no blank before "("
             | "(" sum {"," sum} ")"                                a column of parts
             | "[" sum {"," sum} {";" sum {"," sum}} "]"            a matrix of blocks

0 and 1 among blocks are as large as what stands beside them. A letter may end in ⁻¹ or ⁺ itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

Tree: TypeAlias = ast.expr

LOW = "₀₁₂₃₄₅₆₇₈₉"
HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹"
SUBSCRIPTS = str.maketrans("0123456789", LOW)

#: Names that every kernel knows, and functions whose letter is not their name.
SIGNS = {"pi": "π", "one": "𝟏", "e1": "î₁", "e2": "î₂", "e3": "î₃"}
FUNCTIONS = {"R3": "R₃", "dR3": "R₃′", "dX": "X′", "sqrt": "√", "eye": "𝟏", "zeros": "𝟎"}

SUM, CROSS, PRODUCT, ATOM = range(4)


def numbered(letter: str, *at: int) -> str:
    """A letter with numbers below it."""
    return letter + "".join(map(str, at)).translate(SUBSCRIPTS)


def named(name: str) -> Tree:
    return ast.Name(name)


def number(value: int | float) -> Tree:
    return ast.Constant(value)


def called(function: str, *arguments: Tree | int | str) -> Tree:
    """A function of trees, numbers and places."""
    parts = [ast.Constant(x) if isinstance(x, int | str) else x for x in arguments]
    return ast.Call(ast.Name(function), parts, [])


def product(*factors: Tree) -> Tree:
    whole = factors[0]
    for factor in factors[1:]:
        whole = ast.BinOp(whole, ast.Mult(), factor)
    return whole


def function_of(tree: Tree) -> str:
    """What a call calls; "" of anything else."""
    return tree.func.id if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) else ""


def constant(tree: Tree) -> int:
    """The number that a part of a tree is."""
    assert isinstance(tree, ast.Constant)
    return int(cast("int", tree.value))


def literals(arguments: Sequence[Tree]) -> list[Any]:
    """The arguments after the first: numbers and texts as they are."""
    return [x.value for x in arguments[1:] if isinstance(x, ast.Constant)]


def names_in(tree: Tree) -> Iterator[str]:
    """All names that a tree speaks of, functions apart."""
    functions = {id(x.func) for x in ast.walk(tree) if isinstance(x, ast.Call)}
    for x in ast.walk(tree):
        if isinstance(x, ast.Name) and id(x) not in functions:
            yield x.id


@dataclass(frozen=True, eq=False)
class Equation:
    """`letter = tree`; `letters` are those of names, `where` the trees of what only abbreviates.

    Both mappings are those of the kernel, which its later statements go on filling. With a `place`,
    counted from 1, what is stated is that entry of the tree alone.
    """

    letter: str
    tree: Tree
    letters: Mapping[str, str]
    where: Mapping[str, Tree]
    place: tuple[int, int] | None = None

    @cached_property
    def text(self) -> str:
        """As a paper writes it, with what its abbreviations stand for."""
        write = Shown(self.letters).text
        parts = [f"{self.letter} = {write(self.tree)}"]
        parts += [f"{word} = {write(self.where[word])}" for word in self.abbreviations()]
        return ", ".join(parts)

    def abbreviations(self) -> list[str]:
        """The abbreviations that it is written with, and those that these are."""
        found: list[str] = []
        trees = [self.tree]
        while trees:
            for name in names_in(trees.pop(0)):
                if name in self.where and name not in found:
                    found.append(name)
                    trees.append(self.where[name])
        return found


class Shown:
    """Writes trees; `letters` gives of a name its letter."""

    def __init__(self, letters: Mapping[str, str]) -> None:
        self.letters = {**letters, **SIGNS}

    def text(self, tree: Tree) -> str:
        return self._of(tree)[0]

    def _at(self, tree: Tree, rank: int) -> str:
        text, own = self._of(tree)
        return text if own >= rank else f"({text})"

    def _of(self, tree: Tree) -> tuple[str, int]:
        """The text, and what binds it together."""
        match tree:
            case ast.Name():
                return self.letters.get(tree.id, tree.id), ATOM
            case ast.Constant():
                return "½" if tree.value == 0.5 else str(tree.value), ATOM
            case ast.UnaryOp():
                return f"−{self._at(tree.operand, CROSS)}", SUM
            case ast.List():
                return self._listed(tree.elts), ATOM
            case ast.Call():
                return self._called(function_of(tree), tree.args)
            case ast.BinOp(op=ast.Pow()):
                return f"{self._at(tree.left, ATOM)}{HIGH[constant(tree.right)]}", ATOM
            case ast.BinOp(op=ast.Mult()):
                return self._product(tree.left, tree.right)
            case ast.BinOp(op=ast.Div()):
                return f"{self._at(tree.left, PRODUCT)}/{self._at(tree.right, ATOM)}", PRODUCT
            case ast.BinOp(op=ast.Add()):
                right = self._at(tree.right, SUM)
                sign = "− " if right.startswith("−") else "+ "
                return f"{self._at(tree.left, SUM)} {sign}{right.removeprefix('−')}", SUM
            case ast.BinOp():
                return f"{self._at(tree.left, SUM)} − {self._at(tree.right, CROSS)}", SUM
        raise ValueError(f"nothing that is written: {ast.dump(tree)}")

    def _listed(self, parts: list[Tree]) -> str:
        rows = [
            ", ".join(
                self._at(x, SUM) for x in (part.elts if isinstance(part, ast.List) else [part])
            )
            for part in parts
        ]
        column = not any(isinstance(part, ast.List) for part in parts)
        return f"({', '.join(rows)})" if column else f"[{'; '.join(rows)}]"

    def _product(self, left: Tree, right: Tree) -> tuple[str, int]:
        first = self._at(left, PRODUCT)
        if isinstance(left, ast.Constant) and function_of(right) == "cross":
            return f"{first} {self._at(right, CROSS)}", CROSS
        # A product at the right needs no brackets: matrices multiply associatively.
        joined = isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult)
        bare = joined and not isinstance(cast("ast.BinOp", right).left, ast.Constant)
        return f"{first} {self._at(right, PRODUCT if bare else ATOM)}", PRODUCT

    def _called(self, function: str, arguments: list[Tree]) -> tuple[str, int]:
        first = arguments[0]
        match function:
            case "inv" if function_of(first) == "T":
                return f"{self._at(cast('ast.Call', first).args[0], ATOM)}⁻ᵀ", ATOM
            case "T":
                return f"{self._at(first, ATOM)}ᵀ", ATOM
            case "inv" | "pinv":
                return f"{self._at(first, ATOM)}{'⁻¹' if function == 'inv' else '⁺'}", ATOM
            case "part":
                return f"{self._at(first, ATOM)}[{', '.join(literals(arguments))}]", ATOM
            case "tilde":
                text = self._at(first, SUM)
                bare = isinstance(first, ast.Name) or text.isidentifier()
                return f"~{text}" if bare else f"~({text})", ATOM
            case "cross":
                return f"{self._at(first, PRODUCT)} × {self._at(arguments[1], PRODUCT)}", CROSS
            case "lin" | "ang":
                return f"{self._part(first)}{'_r' if function == 'lin' else '_Ω'}", ATOM
            case "block":
                place = "".join(map(str, literals(arguments)))
                return self._part(first) + place.translate(SUBSCRIPTS), ATOM
        inside = ", ".join(self._at(x, SUM) for x in arguments)
        return f"{FUNCTIONS.get(function, function)}({inside})", ATOM

    def _part(self, tree: Tree) -> str:
        """What a part is taken of: in brackets unless it is a letter without an index."""
        text = self._at(tree, ATOM)
        bare = isinstance(tree, ast.Name) and text[-1] not in LOW and "_" not in text
        return text if bare or text[-1] == ")" else f"({text})"

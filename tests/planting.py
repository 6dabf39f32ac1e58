"""Errors to plant in formulas: each changes one node of a function's syntax tree.

A sign turned; a term, a factor, a power, a transposition or an inverse left out; the order of
two factors or arguments turned; an index, a coefficient or a comparison changed; an entry of a
matrix set to zero. Conditions of `if` statements choose between formulas and are left alone.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any, Literal

Kind = Literal["sign", "term", "factor", "order", "index", "coefficient"]
Functions = (ast.FunctionDef, ast.Lambda)
#: What planted code calls, as a name in its module: `swapped`, and what notes a function's call.
SWAPPED, NOTE = "_swapped_", "_note_"
#: Entries of a matrix; names of zero blocks and calls that make them are among neither.
PARTS = (ast.BinOp, ast.Attribute, ast.Subscript, ast.UnaryOp)
#: A letter with one or two indices.
INDEXED = re.compile(r"(\D+)([12]{1,2})")
#: What is no formula: what is raised or printed, and which formula an `if` statement chooses.
SILENT = (ast.Raise, ast.Assert, ast.JoinedStr)
LEFT_ALONE = {(ast.If, "test"), (ast.AnnAssign, "annotation")}
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In},
}


@dataclass(frozen=True)
class Error:
    """What stands in a function, and what is planted there.

    `number` tells it from those before it in the function that read the same; `inner` is the
    innermost function around it, by line and column.
    """

    module: str
    function: str
    kind: Kind
    before: str
    after: str
    number: int
    inner: str

    @property
    def name(self) -> str:
        """It in one line, the same wherever other lines move."""
        again = f" #{self.number + 1}" if self.number else ""
        return f"{self.module}.{self.function}: {self.before} → {self.after}{again}"

    @property
    def where(self) -> tuple[str, str]:
        """Module and innermost function: what is to run for it to matter."""
        return self.module, f"{self.function}:{self.inner}"

    @property
    def rank(self) -> int:
        """Where it stands in an order of all errors that has no pattern."""
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8])


@dataclass(frozen=True)
class _Site:
    """A node by its place in the tree, and what is to stand there."""

    parent: ast.AST
    field: str
    index: int | None
    new: ast.expr

    def exchange(self, new: ast.AST) -> ast.AST:
        if self.index is None:
            old = getattr(self.parent, self.field)
            setattr(self.parent, self.field, new)
        else:
            nodes = getattr(self.parent, self.field)
            old, nodes[self.index] = nodes[self.index], new
        return old


class NotAnError(Exception):
    """What is planted is the same as what stands there."""


def swapped(left: Any, right: Any) -> Any:
    """The factors of a product of matrices in the other order; others commute."""
    if not (hasattr(left, "shape") and hasattr(right, "shape")):
        raise NotAnError
    return right * left


class Plantable:
    """A module and the errors that can be planted in its functions.

    Planting compiles the module with one node changed and gives the live functions, wherever
    they are referred to, the code found there. Nothing takes it back: plant in a process of its
    own.
    """

    def __init__(self, module: ModuleType) -> None:
        self.module, self.file = module, module.__file__ or ""
        with open(self.file, encoding="utf-8") as source:
            self.tree = ast.parse(source.read())
        self.code = _compiled(self.tree, self.file)
        self.short = module.__name__.rpartition("symbolic.")[2]
        self.sites = dict(self._sites())

    def noted(self) -> dict[CodeType, CodeType]:
        """The code objects, and the same that tell `NOTE` that they run."""
        tree = copy.deepcopy(self.tree)
        inner = ((n, name) for f, name in _functions(tree, ()) for n in [*ast.walk(f)])
        for function, name in inner:
            where = self.short, f"{name}:{_place(function)}"
            call = ast.parse(f"{NOTE}({where!r})", mode="eval").body
            if isinstance(function, ast.Lambda):
                pair = ast.Tuple([call, function.body], ast.Load())
                function.body = ast.Subscript(pair, ast.Constant(1), ast.Load())
            elif isinstance(function, ast.FunctionDef):
                function.body.insert(0, ast.Expr(call))
        return dict(_pairs(self.code, _compiled(ast.fix_missing_locations(tree), self.file)))

    def changed(self, error: Error) -> dict[CodeType, CodeType]:
        """The code objects that an error changes, and what they become.

        What stands there stays as a branch that never runs: a closure keeps all its variables.
        """
        site = self.sites[error]
        old = site.exchange(site.new)
        if isinstance(old, ast.expr) and isinstance(site.new, ast.expr):
            both = ast.IfExp(ast.Constant(True), site.new, old)
            site.exchange(ast.fix_missing_locations(ast.copy_location(both, old)))
        try:
            return dict(_pairs(self.code, _compiled(self.tree, self.file)))
        finally:
            site.exchange(old)

    def _sites(self) -> Iterator[tuple[Error, _Site]]:
        seen: Counter[tuple[str, str, str]] = Counter()
        for function, name in _functions(self.tree, ()):
            siblings = _siblings(function)
            for parent, field, index, node, inner in _nodes(function):
                for kind, new in _turned(node, parent, siblings):
                    what = (name, ast.unparse(node), ast.unparse(new))
                    if what[1] == what[2]:
                        continue
                    if not hasattr(new, "lineno"):
                        ast.fix_missing_locations(ast.copy_location(new, node))
                    where = _place(inner)
                    error = Error(self.short, name, kind, *what[1:], seen[what], where)
                    yield error, _Site(parent, field, index, new)
                    seen[what] += 1


def _compiled(tree: ast.Module, file: str) -> CodeType:
    return compile(tree, file, "exec", dont_inherit=True)


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Code objects of two compilations that differ, those of functions, outermost first."""
    inner = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
    if len(inner[0]) == len(inner[1]):
        for a, b in zip(*inner, strict=True):
            if a != b:
                yield a, b
                yield from _pairs(a, b)


def _functions(node: ast.AST, path: tuple[str, ...]) -> Iterator[tuple[ast.AST, str]]:
    """The outermost functions below a node, with their qualified names; also module's lambdas."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef):
            yield child, ".".join((*path, child.name))
        elif isinstance(child, ast.Lambda):
            yield child, ".".join((*path, "<lambda>"))
        else:
            inside = (*path, child.name) if isinstance(child, ast.ClassDef) else path
            yield from _functions(child, inside)


def _place(node: ast.AST) -> str:
    """Line and column; nothing of what is no function."""
    return f"{node.lineno}:{node.col_offset}" if isinstance(node, Functions) else ""


def _nodes(function: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST, ast.AST]]:
    """Every expression of a function's body, where it stands, and the innermost function there."""
    stack: list[tuple[ast.AST, ast.AST]] = [(function, function)]
    while stack:
        parent, inner = stack.pop()
        if isinstance(parent, Functions):
            inner = parent
        for field, value in ast.iter_fields(parent):
            if isinstance(parent, Functions) and field != "body":
                continue
            if isinstance(parent, SILENT) or (type(parent), field) in LEFT_ALONE:
                continue
            many = isinstance(value, list)
            for index, node in enumerate(value if many else [value]):
                if isinstance(node, ast.expr | ast.AugAssign):
                    yield parent, field, index if many else None, node, inner
                if isinstance(node, ast.AST):
                    stack.append((node, inner))


def _siblings(function: ast.AST) -> dict[str, set[str]]:
    """Each other's indices: names that one target binds, a function's arguments of one type."""
    found: dict[str, set[str]] = {}
    groups = []
    for node in ast.walk(function):
        if isinstance(node, Functions):
            by_type: dict[str, list[str]] = {}
            for argument in node.args.args:
                kind = ast.unparse(argument.annotation) if argument.annotation else ""
                by_type.setdefault(kind, []).append(argument.arg)
            groups += by_type.values()
        if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Store):
            groups.append([n.id for n in node.elts if isinstance(n, ast.Name)])
    for group in groups:
        for name in group:
            found.setdefault(name, set()).update(set(group) - {name, "self", "at", "_"})
    return found


def _chosen(call: ast.AST) -> bool:
    """Whether the numbers in a call say how large a thing is, or which one is looked at."""
    match call:
        case ast.Call(ast.Name(name) | ast.Attribute(_, name)):
            return name in ("range", "zeros", "eye", "ones", "constant") or name[0].isupper()
    return False


def _turned(
    node: ast.AST, parent: ast.AST, siblings: dict[str, set[str]]
) -> Iterator[tuple[Kind, ast.AST]]:
    """What a node may become."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            yield "sign", ast.BinOp(left, ast.Sub(), right)
            yield "term", left
            yield "term", right
        case ast.BinOp(left, ast.Sub(), right):
            yield "sign", ast.BinOp(left, ast.Add(), right)
            yield "term", left
            yield "term", ast.UnaryOp(ast.USub(), right)
        case ast.BinOp(left, ast.Mult() | ast.MatMult(), right):
            yield "factor", left
            yield "factor", right
            yield "order", ast.Call(ast.Name(SWAPPED, ast.Load()), [left, right], [])
        case ast.BinOp(left, ast.Div(), right):
            yield "factor", left
            yield "factor", ast.BinOp(left, ast.Mult(), right)
        case ast.BinOp(left, ast.Pow(), right):
            yield "factor", left
        case ast.UnaryOp(ast.USub(), operand):
            yield "sign", operand
        case ast.AugAssign(target, ast.Add(), value):
            yield "sign", ast.AugAssign(target, ast.Sub(), value)
        case ast.AugAssign(target, ast.Sub(), value):
            yield "sign", ast.AugAssign(target, ast.Add(), value)
        case ast.Call(ast.Attribute(value, "inv"), []):
            yield "factor", value
        case ast.Attribute(value, "T"):
            yield "order", value
        case ast.Attribute(value, str(name), ast.Load()) if found := INDEXED.fullmatch(name):
            letter, digits = found.groups()
            for i, digit in enumerate(digits):
                other = digits[:i] + str(3 - int(digit)) + digits[i + 1 :]
                yield "index", ast.Attribute(value, letter + other, ast.Load())
        case ast.Call(function, list(arguments), keywords):
            for i in range(len(arguments) - 1):
                turned = [*arguments]
                turned[i : i + 2] = turned[i + 1], turned[i]
                yield "order", ast.Call(function, turned, keywords)
        case ast.Compare(left, [op], [right]) if type(op) in COMPARED:
            yield "index", ast.Compare(left, [COMPARED[type(op)]()], [right])
        case ast.Name(name, ast.Load()):
            for other in sorted(siblings.get(name, ())):
                yield "index", ast.Name(other, ast.Load())
        case ast.Constant(bool()):
            pass
        case ast.Constant(int(number)) if not _chosen(parent):
            # Beyond the last row there is none: a slice that ends later is the same.
            less = bool(number) and isinstance(parent, ast.Slice)
            yield "coefficient", ast.Constant(number - 1 if less else number + 1)
    if isinstance(parent, ast.List) and isinstance(node, PARTS):
        yield "term", ast.BinOp(node, ast.Mult(), ast.Constant(0))

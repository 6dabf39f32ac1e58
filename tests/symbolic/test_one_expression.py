"""A statement of a kernel and its displayed equation are one expression: neither changes alone.

Functions that kernels are traced from are changed by seed, in one term, sign or transpose, and
traced anew. Then text and code change together, or the changed statement is told false.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections import Counter
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from shown_kernels import MODELS, kernels

from mstmm.symbolic.language.program import Kernel, Let, Statement
from mstmm.symbolic.mechanics.displayed import judged
from mstmm.symbolic.mechanics.traced import Traced

#: What functions that are changed fail by: shapes that do not fit, letters and facts unknown.
REFUSED = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


@cache
def traced() -> tuple[tuple[Traced, Kernel], ...]:
    """Functions that kernels are traced from, each with every kernel of the models."""
    known = {kernel for name in MODELS for kernel in kernels(name)}
    functions = {
        id(x): x
        for name, module in list(sys.modules.items())
        if name.startswith("mstmm.symbolic")
        for x in vars(module).values()
        if isinstance(x, Traced)
    }
    return tuple(
        (x, kernel) for x in functions.values() for kernel in leaves(x._root) if kernel in known
    )


def leaves(answers: Any) -> Iterator[Kernel]:
    """The kernels that a function has been traced to."""
    if answers.kernel is not None:
        yield answers.kernel
    for after in answers.after.values():
        yield from leaves(after)


class Place(ast.NodeTransformer):
    """Changes the expression at one place of a function, counted from 0; counts the places."""

    def __init__(self, at: int = -1) -> None:
        self.at, self.count = at, 0

    def here(self) -> bool:
        self.count += 1
        return self.count - 1 == self.at

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Sub):
            if self.here():
                return node.left
            if self.here():
                other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
                return ast.BinOp(node.left, other, node.right)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        read = node.attr == "T" and isinstance(node.ctx, ast.Load)
        return node.value if read and self.here() else node


def changed(function: Traced, at: int) -> tuple[Traced | None, int]:
    """The function with another expression at a place, and how many places there are."""
    source = ast.parse(textwrap.dedent(inspect.getsource(function.function)))
    definition = source.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.decorator_list = []
    place = Place(at)
    place.visit(definition)
    if at < 0:
        return None, place.count
    names = dict(function.function.__globals__)
    exec(compile(ast.fix_missing_locations(source), "<changed>", "exec"), names)
    other = Traced(names[definition.name], function.table, function.facts, function.parents)
    return other, place.count


def outcome(function: Traced, kernel: Kernel, at: int) -> str:
    """What comes of a change: nothing, text and code changed, told false, or no kernel at all."""
    other, _ = changed(function, at)
    assert other is not None
    try:
        mutant = other.of(**kernel.facts)
        told = {id(x.statement) for x in judged(mutant) if x.shown is None or x.why}
    except REFUSED:
        return "no kernel"
    before = {x.port: x for x in kernel.statements}
    found = "nothing"
    for statement in mutant.statements:
        old = before.get(statement.port)
        if old is None or computed(statement) == computed(old):
            continue
        if id(statement) in told:
            return "told false"
        found = "together"
        assert statement.says != old.says, f"{kernel.name}: {statement.says} of another value"
    return found


def computed(statement: Statement) -> object:
    if isinstance(statement, Let):
        return statement.value
    return statement.parts


def drawn(count: int, seed: int) -> Iterator[str]:
    """So many changes at places drawn by seed, each of another statement."""
    rng, pairs = Random(seed), traced()
    for _ in range(count):
        places = 0
        while not places:
            function, kernel = rng.choice(pairs)
            _, places = changed(function, -1)
        yield outcome(function, kernel, rng.randrange(places))


def test_text_and_code_change_together() -> None:
    found = Counter(drawn(400, 2))
    assert found["together"] + found["told false"] + found["no kernel"] > 200, found

"""One error at a time in a written equation: a sign, a transposition, a rate, a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mstmm.symbolic.equations.trees import Equation, Node


def equation_mutants(states: Equation) -> Iterator[tuple[Equation, str, Node]]:
    """The equation with one thing changed, what it is and where."""
    for k, side in enumerate(states.sides):
        for changed, what, at in mutants(side):
            yield (
                replace(states, sides=(*states.sides[:k], changed, *states.sides[k + 1 :])),
                what,
                at,
            )


def mutants(e: Node) -> Iterator[tuple[Node, str, Node]]:
    if e.op == "+":
        for k, (sign, x) in enumerate(e.args):
            yield _with(e, (*e.args[:k], (-sign, x), *e.args[k + 1 :])), "sign", e
    if e.op == "f" and e.args[0] == "T":
        yield e.args[1][0], "transposition", e
    if e.op == "'":
        yield e.args[0], "rate", e
    if e.op == "number" and e.args[0] != "0":
        yield _with(e, (str(int(float(e.args[0])) + 1),)), "number", e
    for args, what, at in _inside(e.args):
        yield _with(e, args), what, at


def _inside(args: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str, Node]]:
    for k, part in enumerate(args):
        found: Iterator[tuple[Any, str, Node]] = iter(())
        if isinstance(part, Node):
            found = mutants(part)
        elif isinstance(part, tuple):
            found = _inside(part)
        for changed, what, at in found:
            yield (*args[:k], changed, *args[k + 1 :]), what, at


def _with(e: Node, args: tuple[Any, ...]) -> Node:
    return Node(e.op, args, e.at, e.free)

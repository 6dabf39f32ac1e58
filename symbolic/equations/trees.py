"""Syntax trees of equations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .indices import Condition
from .tokens import Place


@dataclass(eq=False)
class Node:
    """An operation, what it is of, where it stands, and the indices that it leaves open."""

    op: str
    args: tuple[Any, ...]
    at: Place
    free: frozenset[str]


@dataclass(frozen=True, eq=False)
class Define:
    """A letter that is an equation: its pattern, what it is, how it is shown."""

    name: Node
    value: Node
    shown: str = ""


@dataclass(frozen=True, eq=False)
class Equation:
    """What a line states: sides that are equal, conditions on its indices, local letters."""

    sides: tuple[Node, ...]
    conditions: tuple[Condition, ...]
    defines: tuple[Define, ...]


def bare(node: Node) -> Node:
    while node.op == "'":
        node = node.args[0]
    return node


def same(a: Any, b: Any) -> bool:
    """Whether two trees are written alike, wherever they stand."""
    if isinstance(a, Node) and isinstance(b, Node):
        return a.op == b.op and same(a.args, b.args)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def empty(states: Equation) -> str:
    """Why an equation says nothing, whatever its letters mean; nothing if it says something."""
    if not any(node.op in ("name", "Σ", "if") for node in walk(states.sides)):
        return "it names no letter"
    pairs = zip(states.sides, states.sides[1:], strict=False)
    return "both sides are the same text" if any(same(a, b) for a, b in pairs) else ""


def spelled(node: Node) -> str:
    """A name or a pattern as text, with its indices as they are written."""
    letter, subs, sups = node.args
    low, high = ("".join(map(str, part)) for part in (subs, sups))
    return f"{letter}{f'_{low}' if low else ''}{f'^{high}' if high else ''}"


def walk(node: Any) -> Iterable[Node]:
    """A tree's nodes."""
    stack = [node]
    while stack:
        found = stack.pop()
        if isinstance(found, Node):
            yield found
            stack.extend(found.args)
        elif isinstance(found, list | tuple):
            stack.extend(found)
        elif isinstance(found, Mapping):
            stack.extend(found.values())

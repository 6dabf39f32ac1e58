"""The binary assembly tree of the divide-and-conquer methods: who is merged with whom, and when.

Bodies and the ground are its leaves. A node is a set of bodies; its *open* joints are those that
lead out of it. A merge eliminates the joints that its two parts have in common. Joints without
constraints join nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ...errors import UsageError
from ...model import GROUND
from ...model.expressions.quantities import shorten

#: What the ground is called in the text of an assembly tree.
BASE = "ground"


@dataclass(frozen=True)
class Joint:
    """A joint that constrains: its name, the bodies that it joins, its number of constraints."""

    name: str
    pred: str
    succ: str
    width: int

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies at its two ends, the ground left out."""
        return tuple(body for body in (self.pred, self.succ) if body != GROUND)


@dataclass(frozen=True)
class Node:
    """A leaf or a merge of two nodes (`parts`).

    `open` are the joints that lead out of it, in order; `joined` those that the merge eliminates.
    """

    name: str
    open: tuple[str, ...]
    parts: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    level: int = 0


@dataclass(frozen=True)
class Assembly:
    """The nodes of an assembly tree: leaves, then merges level by level."""

    joints: Mapping[str, Joint]
    nodes: tuple[Node, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        return {node.name: node for node in self.nodes}

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The bodies' nodes, and the ground's if there is one."""
        return tuple(node for node in self.nodes if not node.parts)

    @property
    def merges(self) -> tuple[Node, ...]:
        """The merges, each after its parts."""
        return tuple(node for node in self.nodes if node.parts)

    @property
    def depth(self) -> int:
        """Merges one after the other."""
        return max((node.level for node in self.nodes), default=0)

    def width(self, joints: Iterable[str]) -> int:
        """The number of constraints of all these joints."""
        return sum(self.joints[name].width for name in joints)

    def text(self) -> str:
        """The tree as it may be given: `((1,2),(3,4)),ground`, one part after another."""
        merged = {part for node in self.merges for part in node.parts}
        said: dict[str, str] = {}
        for node in self.nodes:
            said[node.name] = (
                f"({','.join(said[x] for x in node.parts)})" if node.parts else node.name
            )
        roots = [said[node.name] for node in self.nodes if node.name not in merged]
        return "; ".join(root[1:-1] if root.startswith("(") else root for root in roots)

    def describe(self) -> str:
        """The merges in words, one line each, level by level."""
        lines = [f"assembly tree of depth {self.depth}: {self.text()}"]
        for node in self.merges:
            first, second = node.parts
            gone = ", ".join(node.joined)
            left = ", ".join(node.open) or "nothing"
            lines.append(
                f"level {node.level}: {node.name} = {first} + {second}; gone: {gone}; open: {left}"
            )
        return "\n".join(lines)


class Builder:
    """Merges nodes step by step."""

    def __init__(self, bodies: Iterable[str], joints: Iterable[Joint]) -> None:
        self.joints = {joint.name: joint for joint in joints if joint.width}
        at: dict[str, list[str]] = {body: [] for body in bodies}
        for joint in self.joints.values():
            for body in joint.bodies:
                at[body].append(joint.name)
        self.leaves = {body: Node(body, tuple(own)) for body, own in at.items()}
        self.grounded = tuple(j.name for j in self.joints.values() if GROUND in (j.pred, j.succ))
        self.ground = Node(BASE, self.grounded)
        self.merges: list[Node] = []

    def common(self, first: Node, second: Node) -> tuple[str, ...]:
        """The joints between two nodes."""
        return tuple(name for name in first.open if name in second.open)

    def left(self, first: Node, second: Node) -> tuple[str, ...]:
        """The joints that lead out of both together."""
        both = set(first.open) & set(second.open)
        return tuple(name for name in (*first.open, *second.open) if name not in both)

    def merge(self, first: Node, second: Node) -> Node:
        """A new node of the two.

        Raises
            UsageError: no joint is between them.
        """
        joined = self.common(first, second)
        if not joined:
            raise UsageError(f"assembly: no joint is between {first.name} and {second.name}")
        level = max(first.level, second.level) + 1
        name = f"node {len(self.merges) + 1}"
        parts = (first.name, second.name)
        self.merges.append(Node(name, self.left(first, second), parts, joined, level))
        return self.merges[-1]

    def width(self, joints: Iterable[str]) -> int:
        return sum(self.joints[name].width for name in joints)

    def build(self) -> Assembly:
        """The whole tree; the merges by levels, leaves in the order in which they are merged."""
        ordered = sorted(self.merges, key=lambda node: node.level)
        names = {node.name: f"node {k}" for k, node in enumerate(ordered, start=1)}
        merges = [
            replace(
                node,
                name=names[node.name],
                parts=tuple(names.get(part, part) for part in node.parts),
            )
            for node in ordered
        ]
        used = [part for node in merges for part in node.parts if part in self.leaves]
        rest = [name for name in self.leaves if name not in used]
        ground = (self.ground,) if self.grounded else ()
        leaves = (self.leaves[name] for name in (*used, *rest))
        return Assembly(self.joints, (*leaves, *ground, *merges))


def balanced(bodies: Iterable[str], joints: Iterable[Joint]) -> Assembly:
    """A shallow tree: on each level as many merges as there can be, the ground last.

    Merges that leave the fewest constraints open come first: branches are taken in (*rake*),
    runs of a chain halve (*compress*), and what two joints join is joined before it grows. A
    merge that would leave more open than its parts and an ordinary body have waits until there
    is no other.

    Source
        Own; rake and compress as in parallel tree contraction.
    """
    builder = Builder(bodies, joints)
    active = list(builder.leaves.values())
    ordinary = 2 * max((joint.width for joint in builder.joints.values()), default=0)
    while True:
        pairs = _pairs(builder, active)
        if not pairs:
            break
        calm = [pair for pair in pairs if _grows(builder, pair, ordinary) <= 0]
        active = _level(builder, active, calm or pairs[:1])
    base = builder.ground
    for node in active:
        if builder.common(node, base):
            base = builder.merge(node, base)
    return builder.build()


Pair = tuple[Node, Node]


def _pairs(builder: Builder, active: list[Node]) -> list[Pair]:
    """All nodes with a joint between them, those that leave the least open first."""
    holders: dict[str, list[int]] = {}
    for position, node in enumerate(active):
        for name in node.open:
            holders.setdefault(name, []).append(position)
    found = dict.fromkeys(tuple(both) for both in holders.values() if len(both) == 2)
    ranked = sorted((builder.width(builder.left(active[i], active[j])), i, j) for i, j in found)
    return [(active[i], active[j]) for _, i, j in ranked]


def _grows(builder: Builder, pair: Pair, ordinary: int) -> int:
    """How much more a merge leaves open than its parts or an ordinary body have."""
    before = max(ordinary, *(builder.width(node.open) for node in pair))
    return builder.width(builder.left(*pair)) - before


def _level(builder: Builder, active: list[Node], pairs: list[Pair]) -> list[Node]:
    """One level: the pairs in order, as far as their nodes are still there."""
    merged: dict[str, Node | None] = {}
    chosen = []
    for first, second in pairs:
        if first.name not in merged and second.name not in merged:
            merged[first.name] = merged[second.name] = None
            chosen.append((first, second))
    order = {node.name: position for position, node in enumerate(active)}
    for first, second in sorted(chosen, key=lambda pair: order[pair[0].name]):
        merged[first.name] = builder.merge(first, second)
    kept = (merged.get(node.name, node) for node in active)
    return [node for node in kept if node is not None]


def given(text: str, bodies: Iterable[str], joints: Iterable[Joint]) -> Assembly:
    """The tree that a text such as `((1,2),(3,4)),ground` says.

    Raises
        UsageError: the text is no binary tree of all bodies, or two parts have no joint.
    """
    builder = Builder(bodies, joints)
    leaves = dict(builder.leaves)
    if builder.grounded:
        leaves[BASE] = builder.ground
    for tree in text.split(";"):
        _read(builder, leaves, tree)
    if leaves:
        raise UsageError(f"assembly: {', '.join(leaves)} is missing in {text!r}")
    assembly = builder.build()
    merged = {part for node in assembly.merges for part in node.parts}
    for node in assembly.nodes:
        if node.name not in merged and node.open:
            raise UsageError(f"assembly: {', '.join(node.open)} of {node.name} is never joined")
    return assembly


def _read(builder: Builder, leaves: dict[str, Node], text: str) -> None:
    """Read one tree, whose outermost parentheses may be missing, and merge its nodes."""
    stack: list[list[Node]] = [[]]
    for token in re.findall(r"[()]|[^(),]+", f"({text})" if "," in text else text):
        name = token.strip()
        if name == "(":
            stack.append([])
        elif name == ")":
            parts = stack.pop()
            if len(parts) not in (1, 2) or not stack:
                raise UsageError(f"assembly: a node is (A,B), of two parts, in {text!r}")
            stack[-1].append(parts[0] if len(parts) == 1 else builder.merge(*parts))
        elif name:
            if name not in leaves:
                twice = name in builder.leaves or name == BASE
                known = f"is no body that a joint holds; there are: {shorten([*leaves])}"
                said = "is given twice" if twice else known
                raise UsageError(f"assembly: {name} {said}")
            stack[-1].append(leaves.pop(name))
    if [len(nodes) for nodes in stack] != [1]:
        raise UsageError(f"assembly: {text!r} is no tree; write ((1,2),(3,4)),{BASE}")

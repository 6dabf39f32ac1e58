"""The assembly tree of the divide-and-conquer methods: who is merged with whom, and when.

Bodies are its leaves, and so is the ground, once for each node that is held to it. A node is a set
of bodies; its *open* joints are those that lead out of it. A merge eliminates the joints that its
two parts have in common. A body with many joints is a *hub*: branches that hang on it are *raked*,
each added to its inertia, before it is a leaf of few joints. Joints without constraints join
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heapify, heappop, heappush

from ...errors import UsageError
from ...model import GROUND

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

    `open` are the joints that lead out of it, in order; `joined` those that the merge eliminates;
    `raked` the nodes that a hub takes in by one joint each. `free`: the ground does not hold it,
    so that it moves as a whole.
    """

    name: str
    open: tuple[str, ...]
    parts: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    level: int = 0
    raked: tuple[str, ...] = ()
    free: bool = True

    @property
    def still(self) -> bool:
        """Is it the ground, of which nothing moves?"""
        return not (self.free or self.parts)


@dataclass(frozen=True)
class Assembly:
    """The nodes of an assembly tree: level by level, leaves before merges, the ground between."""

    joints: Mapping[str, Joint]
    nodes: tuple[Node, ...]

    @cached_property
    def by_name(self) -> Mapping[str, Node]:
        return {node.name: node for node in self.nodes}

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The bodies' nodes, and the ground's."""
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
        """The tree as it may be given: `((1,2),(3,hub[4,(5,6)])),ground`, one after another."""
        taken = {part for node in self.nodes for part in (*node.parts, *node.raked)}
        said: dict[str, str] = {}
        for node in self.nodes:
            parts, raked = (",".join(said[x] for x in names) for names in (node.parts, node.raked))
            name = BASE if node.still else node.name
            said[node.name] = f"({parts})" if parts else f"{name}[{raked}]" if raked else name
        roots = [said[node.name] for node in self.nodes if node.name not in taken]
        return "; ".join(root[1:-1] if root.startswith("(") else root for root in roots)

    def describe(self) -> str:
        """The merges in words, one line each, level by level."""
        lines = [f"assembly tree of depth {self.depth}: {self.text()}"]
        for node in self.nodes:
            parts = " + ".join(node.parts) or f"{node.name} with {', '.join(node.raked)}"
            gone = ", ".join((*node.joined, *self.raked(node)))
            left = ", ".join(node.open) or "nothing"
            if gone:
                lines.append(
                    f"level {node.level}: {node.name} = {parts}; gone: {gone}; open: {left}"
                )
        return "\n".join(lines)

    def raked(self, node: Node) -> tuple[str, ...]:
        """The joints by which a hub's branches hang on it."""
        return tuple(joint for name in node.raked for joint in self.by_name[name].open)


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
        self.grounds: list[Node] = []
        self.merges: list[Node] = []

    def common(self, first: Node, second: Node) -> tuple[str, ...]:
        """The joints between two nodes."""
        other = set(second.open)
        return tuple(name for name in first.open if name in other)

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
            said = (BASE if node.still else node.name for node in (first, second))
            raise UsageError(f"assembly: no joint is between {' and '.join(said)}")
        level = max(first.level, second.level) + 1
        name = f"node {len(self.merges) + 1}"
        parts, free = (first.name, second.name), first.free and second.free
        node = Node(name, self.left(first, second), parts, joined, level, free=free)
        self.merges.append(node)
        return node

    def rake(self, body: str, branches: Iterable[Node]) -> Node:
        """The leaf of a hub with branches taken in, two by two.

        Raises
            UsageError: one of them does not hang on the body by one joint alone, or not freely.
        """
        hub, found = self.leaves[body], tuple(branches)
        for node in found:
            if not (node.free and len(node.open) == 1 and node.open[0] in hub.open):
                raise UsageError(f"assembly: {node.name} is no branch that hangs on {body} alone")
        gone = {node.open[0] for node in found}
        _, last = added([node.level for node in found])
        still_open = tuple(name for name in hub.open if name not in gone)
        raked = tuple(node.name for node in found)
        self.leaves[body] = replace(hub, open=still_open, level=last + 1, raked=raked)
        return self.leaves[body]

    def ground(self, node: Node) -> Node:
        """The ground as a leaf of all joints that hold a node to it."""
        held = set(self.grounded)
        return self.base(name for name in node.open if name in held)

    def base(self, held: Iterable[str]) -> Node:
        """The ground as a leaf of these joints."""
        self.grounds.append(Node(f"{BASE} {len(self.grounds) + 1}", tuple(held), free=False))
        return self.grounds[-1]

    def width(self, joints: Iterable[str]) -> int:
        return sum(self.joints[name].width for name in joints)

    def build(self) -> Assembly:
        """The whole tree, level by level, and within a level as its text has it."""
        merges = {node.name: node for node in self.merges}
        every = {**self.leaves, **{node.name: node for node in self.grounds}, **merges}
        taken = {part for node in every.values() for part in (*node.parts, *node.raked)}
        roots = (node for name, node in every.items() if name not in taken)
        stack, told = [*sorted(roots, key=_level)][::-1], list[Node]()
        while stack:
            told.append(stack.pop())
            stack += [every[part] for part in (*told[-1].parts, *told[-1].raked)][::-1]
        nodes = sorted(told, key=_level)
        names: dict[str, str] = {}
        for word, own in (("node", merges), (BASE, {x.name for x in self.grounds})):
            found = [node.name for node in nodes if node.name in own]
            names |= {name: f"{word} {k}" for k, name in enumerate(found, 1)}
        if len(self.grounds) == 1:
            names[self.grounds[0].name] = BASE

        def named(own: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names.get(name, name) for name in own)

        return Assembly(
            self.joints,
            tuple(
                replace(
                    node,
                    name=names.get(node.name, node.name),
                    parts=named(node.parts),
                    raked=named(node.raked),
                )
                for node in nodes
            ),
        )


def added(levels: Iterable[int]) -> tuple[list[tuple[int, int]], int]:
    """Terms of these levels added two by two, those first that are there first.

    Returns
        By sum its two terms: their numbers, those of sums after those of the terms; and the level
        of the last one.
    Source
        As in Huffman, A method for the construction of minimum-redundancy codes.
    """
    waiting = [(level, number) for number, level in enumerate(levels)]
    count, found = len(waiting), list[tuple[int, int]]()
    heapify(waiting)
    while len(waiting) > 1:
        (_, first), (level, second) = heappop(waiting), heappop(waiting)
        heappush(waiting, (level + 1, count + len(found)))
        found.append((first, second))
    return found, waiting[0][0]


def _level(node: Node) -> int:
    return node.level

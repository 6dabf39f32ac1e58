"""The binary assembly tree of divide and conquer: leaves in a row, every merge above its parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ...symbolic.plans.assembly import BASE, Assembly, Node
from .scene import Circle, Group, Line, Place, Scene, Text, framed, text_width

#: Radius of a leaf's circle and of a merge's, distance of leaves and of levels.
LEAF, MERGE, ACROSS, UP = 17.0, 5.0, 62.0, 58.0
#: From the middle of a label to clear of a line.
HALF = 12.0


def assembly_scene(tree: Assembly, title: str) -> Scene:
    """The drawing of an assembly tree; beside a merge stand the joints that it eliminates.

    Source
        The trees of the divide-and-conquer paper, Sect. 2.2.1.
    """
    return framed(title, _Drawer(tree).groups())


@dataclass(eq=False)
class _Drawer:
    tree: Assembly
    places: dict[str, Place] = field(default_factory=dict)

    @cached_property
    def across(self) -> float:
        """From leaf to leaf: so that names beside each other have room, and what nodes say."""
        names = [text_width(x.name, "label") for x in self.tree.nodes if not x.parts]
        nodes = [text_width(_said(x), "label") / 2 for x in self.tree.nodes if x.parts]
        return max(ACROSS, 14.0 + max(names, default=0.0), 14.0 + max(nodes, default=0.0))

    def groups(self) -> Iterator[Group]:
        merged = {part for node in self.tree.nodes for part in _below(node)}
        for node in self.tree.nodes:
            if node.name not in merged:
                yield from self._node(node)

    def _node(self, node: Node) -> Iterator[Group]:
        """What is below the node, then itself above its middle."""
        if not _below(node):
            leaves = sum(not _below(self.tree.by_name[name]) for name in self.places)
            self.places[node.name] = (leaves * self.across, 0.0)
            yield self._leaf(node, ())
            return
        for part in _below(node):
            yield from self._node(self.tree.by_name[part])
        below = [self.places[part] for part in _below(node)]
        x, y = sum(place[0] for place in below) / len(below), -node.level * UP
        self.places[node.name] = (x, y)
        lines = tuple(self._line((x, y), part) for part in _below(node))
        if node.raked:
            yield self._leaf(node, lines)
            return
        # Flat lines leave less room beside the node.
        room = max(2.0 * MERGE, HALF * (below[-1][0] - x) / UP)
        label = Text(x + room, y, _said(node), "label", "start")
        title = f"merge of {' and '.join(node.parts)} at {', '.join(node.joined)}"
        yield Group("merge", node.name, title, (*lines, Circle(x, y, MERGE, "more"), label))

    def _line(self, node: Place, part: str) -> Line:
        """Upright up to the level below the node: it crosses nothing that is said on the way."""
        left, down = self.places[part]
        top = down - (0.0 if self.tree.by_name[part].parts else LEAF)
        return Line((node, (left, min(node[1] + UP, top)), (left, top)), "stub")

    def _leaf(self, node: Node, lines: tuple[Line, ...]) -> Group:
        """A body, a hub above what it takes in, or the ground."""
        (x, y), shown = self.places[node.name], BASE if node.still else node.name
        inside = node.still or text_width(shown, "label") <= 2 * LEAF - 4
        name = Text(x, y if inside else y + LEAF + 11, shown, "label")
        shapes = (name,) if node.still else (Circle(x, y, LEAF, "body"), name)
        title = f"hub {shown}" if node.raked else f"leaf {shown}"
        return Group("body", node.name, title, (*lines, *shapes))


def _below(node: Node) -> tuple[str, ...]:
    return node.parts or node.raked


def _said(node: Node) -> str:
    """A merge's name, and the joints that it eliminates."""
    return f"{node.name}: {', '.join(node.joined)}"

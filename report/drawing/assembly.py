"""The binary assembly tree of divide and conquer: leaves in a row, every merge above its parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...symbolic.plans.assembly import BASE, Assembly, Node
from .scene import Circle, Group, Line, Place, Scene, Text, framed

#: Radius of a leaf's circle and of a merge's, distance of leaves and of levels.
LEAF, MERGE, ACROSS, UP = 17.0, 5.0, 62.0, 58.0


def assembly_scene(tree: Assembly, title: str) -> Scene:
    """The drawing of an assembly tree; under a merge stand the joints that it eliminates.

    Source
        The trees of the divide-and-conquer paper, Sect. 2.2.1.
    """
    return framed(title, _Drawer(tree).groups())


@dataclass(eq=False)
class _Drawer:
    tree: Assembly
    places: dict[str, Place] = field(default_factory=dict)

    def groups(self) -> Iterator[Group]:
        merged = {part for node in self.tree.nodes for part in _below(node)}
        for node in self.tree.nodes:
            if node.name not in merged:
                yield from self._node(node)

    def _node(self, node: Node) -> Iterator[Group]:
        """What is below the node, then itself above its middle."""
        if not _below(node):
            leaves = sum(not _below(self.tree.by_name[name]) for name in self.places)
            self.places[node.name] = (leaves * ACROSS, 0.0)
            yield self._leaf(node, ())
            return
        for part in _below(node):
            yield from self._node(self.tree.by_name[part])
        below = [self.places[part] for part in _below(node)]
        x, y = sum(place[0] for place in below) / len(below), -node.level * UP
        self.places[node.name] = (x, y)
        lines = tuple(
            Line(((x, y), (left, down - (0.0 if self.tree.by_name[part].parts else LEAF))), "stub")
            for part, (left, down) in zip(_below(node), below, strict=True)
        )
        if node.raked:
            yield self._leaf(node, lines)
            return
        label = Text(x - 0.8 * MERGE, y + 4.4 * MERGE, ", ".join(node.joined), "kind")
        title = f"merge of {' and '.join(node.parts)} at {', '.join(node.joined)}"
        yield Group("merge", node.name, title, (*lines, Circle(x, y, MERGE, "more"), label))

    def _leaf(self, node: Node, lines: tuple[Line, ...]) -> Group:
        """A body, a hub above what it takes in, or the ground."""
        (x, y), shown = self.places[node.name], BASE if node.still else node.name
        name = Text(x, y, shown, "label")
        shapes = (name,) if node.still else (Circle(x, y, LEAF, "body"), name)
        title = f"hub {shown}" if node.raked else f"leaf {shown}"
        return Group("body", node.name, title, (*lines, *shapes))


def _below(node: Node) -> tuple[str, ...]:
    return node.parts or node.raked

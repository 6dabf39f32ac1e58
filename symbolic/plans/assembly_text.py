"""An assembly tree as a text says it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...errors import UsageError
from ...model.expressions.quantities import shorten
from .assembly import BASE, Assembly, Builder, Joint, Node


def given(text: str, bodies: Iterable[str], joints: Iterable[Joint]) -> Assembly:
    """The tree that a text such as `((1,2),(3,hub[4,5])),ground` says.

    A ground that is said once holds all that it holds; said several times, each what it is merged
    with.

    Raises
        UsageError: the text is no tree of all bodies, or two parts have no joint.
    """
    reader = _Reader(text, Builder(bodies, joints))
    for tree in text.split(";"):
        reader.read(tree)
    return reader.built()


class _Reader:
    """Reads the text of an assembly tree and merges what it says."""

    def __init__(self, text: str, builder: Builder) -> None:
        self.text, self.builder = text, builder
        self.left = dict.fromkeys(builder.leaves)
        words = [word.strip() for word in re.findall(r"[^][(),;]+", text)]
        self.grounds = words.count(BASE)

    def read(self, text: str) -> None:
        """Read one tree, whose outermost parentheses may be missing."""
        stack: list[list[Node]] = [[]]
        hubs: list[str] = []
        for token in re.findall(r"[][()]|[^][(),]+", f"({text})" if "," in text else text):
            word = token.strip()
            if word in ("(", "["):
                hubs.append(self._hub(stack[-1]) if word == "[" else "")
                stack.append([])
            elif word in (")", "]"):
                if not hubs or bool(hubs[-1]) != (word == "]"):
                    raise self._two_parts()
                nodes, hub = stack.pop(), hubs.pop()
                stack[-1].append(self._raked(hub, nodes) if hub else self._merged(nodes))
            elif word:
                stack[-1].append(self._leaf(word))
        if [len(nodes) for nodes in stack] != [1]:
            raise UsageError(f"assembly: {self.text!r} is no tree; write ((1,2),(3,4)),{BASE}")

    def built(self) -> Assembly:
        """The whole tree, if nothing is missing in it."""
        missing = [*self.left, *([BASE] if self.builder.grounded and not self.grounds else [])]
        if missing:
            raise UsageError(f"assembly: {', '.join(missing)} is missing in {self.text!r}")
        assembly = self.builder.build()
        taken = {part for node in assembly.nodes for part in (*node.parts, *node.raked)}
        for node in assembly.nodes:
            if node.name not in taken and node.open:
                raise UsageError(f"assembly: {', '.join(node.open)} of {node.name} is never joined")
        return assembly

    def _leaf(self, name: str) -> Node:
        if name == BASE:
            return Node(BASE, (), free=False)
        if name not in self.left:
            known = shorten([*self.left, BASE])
            said = f"is no body that a joint holds; there are: {known}"
            said = "is given twice" if name in self.builder.leaves else said
            raise UsageError(f"assembly: {name} {said}")
        del self.left[name]
        return self.builder.leaves[name]

    def _hub(self, before: list[Node]) -> str:
        """The body whose branches follow."""
        if not before or before[-1].name not in self.builder.leaves:
            raise UsageError(f"assembly: a hub is BODY[A,B], of branches, in {self.text!r}")
        return before.pop().name

    def _raked(self, hub: str, branches: list[Node]) -> Node:
        if not branches:
            raise UsageError(f"assembly: no branch is taken in by {hub} in {self.text!r}")
        return self.builder.rake(hub, branches)

    def _merged(self, nodes: list[Node]) -> Node:
        if len(nodes) not in (1, 2):
            raise self._two_parts()
        if len(nodes) == 1:
            return nodes[0]
        first, second = nodes
        return self.builder.merge(self._grounded(first, second), self._grounded(second, first))

    def _grounded(self, node: Node, other: Node) -> Node:
        """A ground that is met with what it holds."""
        if not node.still:
            return node
        builder = self.builder
        return builder.base(builder.grounded) if self.grounds == 1 else builder.ground(other)

    def _two_parts(self) -> UsageError:
        return UsageError(f"assembly: a node is (A,B), of two parts, in {self.text!r}")

"""A shallow assembly tree of any mechanism: by raking branches and compressing chains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import itemgetter

from ...model import GROUND
from .assembly import Assembly, Builder, Joint, Node


def balanced(bodies: Iterable[str], joints: Iterable[Joint], *, raking: bool = True) -> Assembly:
    """A shallow tree: on each level as many merges as there can be, the ground last.

    Of a body's joints two stay open; the lighter branches beyond the others are taken in as they
    are ready (*rake*). Runs of a chain halve (*compress*); merges that leave the fewest
    constraints open come first, so that what two joints join is joined before it grows. What the
    ground holds between others is merged with it before it grows, too. A merge that would leave
    more open than its parts and an ordinary body have waits until there is no other. Without
    `raking` all joints of a body stay open, and branches are merged with it one after another.

    Source
        Own; rake and compress as in parallel tree contraction.
    """
    builder = Builder(bodies, joints)
    waiting = _hubs(builder) if raking else {}
    active = [node for body, node in builder.leaves.items() if body not in waiting]
    ordinary = 2 * max((joint.width for joint in builder.joints.values()), default=0)
    while True:
        active, hubs = _raked(builder, active, waiting)
        active, grounded = _grounded(builder, active)
        pairs = _pairs(builder, active)
        calm = [pair for pair in pairs if _grows(builder, pair, ordinary) <= 0]
        if not (pairs or hubs or grounded):
            break
        chosen = calm if calm or hubs or grounded else pairs[:1]
        active = [*_level(builder, active, chosen), *hubs, *grounded]
    held = set(builder.grounded)
    for node in active:
        if held.intersection(node.open):
            builder.merge(node, builder.ground(node))
    return builder.build()


Pair = tuple[Node, Node]


def _hubs(builder: Builder) -> dict[str, frozenset[str]]:
    """The bodies with more than two joints, and by which of them branches are raked.

    A branch hangs on one joint, whatever joins its own bodies; the heaviest may stay.
    """
    beyond: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for body, joint, size in _bridges(builder):
        beyond[body].append((size, joint))
    found = {}
    for body, branches in beyond.items():
        many = len(builder.leaves[body].open)
        kept = max(0, 2 - (many - len(branches)))
        raked = sorted(branches, key=itemgetter(0))[: len(branches) - kept]
        if raked and many > 2:
            found[body] = frozenset(joint for _, joint in raked)
    return found


def _bridges(builder: Builder) -> Iterator[tuple[str, str, int]]:
    """Every body with a joint that alone holds what is beyond it, seen from the ground; how much.

    Source
        Tarjan, A note on finding the bridges of a graph: a joint is one if nothing beyond it
        leads back past it.
    """
    around: dict[str, list[tuple[str, str]]] = {GROUND: [], **{x: [] for x in builder.leaves}}
    for joint in builder.joints.values():
        around[joint.pred].append((joint.name, joint.succ))
        around[joint.succ].append((joint.name, joint.pred))
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    size: dict[str, int] = {}
    for start in around:
        stack = [] if start in order else [(start, "", iter(around[start]))]
        while stack:
            body, by, rest = stack[-1]
            if body not in order:
                order[body] = low[body] = len(order)
                size[body] = 1
            for name, other in rest:
                if other not in order:
                    stack.append((other, name, iter(around[other])))
                    break
                if name != by:
                    low[body] = min(low[body], order[other])
            else:
                stack.pop()
                if stack:
                    before = stack[-1][0]
                    low[before] = min(low[before], low[body])
                    size[before] += size[body]
                    if low[body] > order[before] and before != GROUND:
                        yield before, by, size[body]


def _raked(
    builder: Builder, active: list[Node], waiting: dict[str, frozenset[str]]
) -> tuple[list[Node], list[Node]]:
    """The nodes that are left where hubs take in all of their branches, and these hubs."""
    ready = {node.open[0]: node for node in active if len(node.open) == 1}
    hubs, gone = [], set[str]()
    for body, joints in list(waiting.items()):
        if joints <= ready.keys():
            del waiting[body]
            own = (name for name in builder.leaves[body].open if name in joints)
            hubs.append(builder.rake(body, (ready[name] for name in own)))
            gone.update(hubs[-1].raked)
    return [node for node in active if node.name not in gone], hubs


def _grounded(builder: Builder, active: list[Node]) -> tuple[list[Node], list[Node]]:
    """The nodes that are left where others are merged with the ground, and these merges."""
    held = set(builder.grounded)
    left, merged = [], []
    for node in active:
        own = sum(name in held for name in node.open)
        if own and len(node.open) - own > 1:
            merged.append(builder.merge(node, builder.ground(node)))
        else:
            left.append(node)
    return left, merged


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

"""A tree as paths: from each body on to that of its children on which most bodies hang."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .plan import Plan


@dataclass(frozen=True, eq=False)
class Paths:
    """The paths of a tree, from the ground outwards.

    From a body to the ground there are no more paths than its tree's bodies have bits: each that
    hangs on another has at most half of the bodies that hang there.

    Source
        Sleator & Tarjan, A data structure for dynamic trees: heavy paths.
    """

    plan: Plan

    @cached_property
    def by_depth(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The paths that hang on none, those that hang on these, and so on; outwards each."""
        path: dict[str, list[str]] = {}
        depth: dict[str, int] = {}
        found: dict[int, list[list[str]]] = defaultdict(list)
        for link in reversed(self.plan.links):
            parent = link.parent
            if parent is not None and self.heaviest[parent] == link.name:
                path[link.name], depth[link.name] = path[parent], depth[parent]
            else:
                path[link.name] = []
                depth[link.name] = 0 if parent is None else depth[parent] + 1
                found[depth[link.name]].append(path[link.name])
            path[link.name].append(link.name)
        return tuple(tuple(map(tuple, found[at])) for at in range(len(found)))

    @cached_property
    def branches(self) -> Mapping[str, tuple[str, ...]]:
        """For each body its children that begin a path of their own."""
        return {
            link.name: tuple(x for x in link.children if x != self.heaviest[link.name])
            for link in self.plan.links
            if len(link.children) > 1
        }

    @cached_property
    def heaviest(self) -> Mapping[str, str]:
        """For each body on which others hang the next one on its path."""
        size: dict[str, int] = {}
        found = {}
        for link in self.plan.links:
            size[link.name] = 1 + sum(size[x] for x in link.children)
            if link.children:
                found[link.name] = max(link.children, key=lambda x: size[x])
        return found

"""What composes along the tree, in both directions: scans over its paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp

from ...language.program import Call, Ref
from ...language.scans import Run, Scan, Value, blocks
from ...plans.paths import Paths
from ...tree.joint import Joint
from . import scan_kernels as kernels

#: What is summed inwards and is a force or a linear momentum; else it is a moment.
FORCES = ("fs", "ps")


class Along:
    """The paths of a tree, along which values are found from link to link."""

    def __init__(self, tree: Joint) -> None:
        self.tree, self.paths = tree, Paths(tree.plan)

    def outwards(self, word: str, found: str) -> Iterator[Call]:
        """Values of all links, each from its parent's and its own."""
        scan = self._scan(word, lambda x: Ref(word, x), found, "p", f"run_{word}", "")
        for paths in self.paths.by_depth:
            yield from scan.calls([self._outwards(path, found) for path in paths])

    def inwards(
        self,
        word: str,
        found: str,
        letter: str,
        own: Callable[[str], Ref],
        branching: Callable[[str], Call] | None = None,
    ) -> Iterator[Call]:
        """Sums over a link and all outboard of it, of what is its `own`.

        `branching` is the call by which the first link of a path gives what it adds to the link
        that it branches from; by default this is what has been found there.
        """
        terms: dict[str, Ref] = {}
        still = sp.zeros(self.tree.dimension if word in FORCES else self.tree.space.spins, 1)
        scan = self._scan(
            word, lambda x: terms.get(x, own(x)), found, "_I1", f"run_{word}{letter}", letter
        )
        for paths in reversed(self.paths.by_depth):
            for name in (name for path in paths for name in path if name in self.paths.branches):
                left = [own(name)]
                for other in self.paths.branches[name]:
                    call = branching(other) if branching else None
                    if call:
                        yield call
                    (at,) = call.writes.values() if call else (Ref(scan.found, other),)
                    left.append(at)
                yield from self._summed(scan, name, left)
                terms[name] = Ref(scan.blocks, f"{name} + {len(left) - 2}")
            yield from scan.calls([Run(still, path[::-1]) for path in paths])

    def blocks(self) -> dict[str, tuple[str, ...]]:
        """The index sets of what is composed."""
        every = [path for paths in self.paths.by_depth for path in paths]
        outwards = blocks(self._outwards(path, "x") for path in every)
        inwards = blocks(Run(sp.zeros(0), path[::-1]) for path in every)
        sums = (f"{name} + {k}" for name, x in self.paths.branches.items() for k in range(len(x)))
        sets = {"runs": outwards, "inward_runs": (*inwards, *sums)}
        return {name: members for name, members in sets.items() if members}

    def _scan(
        self, word: str, own: Callable[[str], Ref], found: str, mark: str, blocks: str, letter: str
    ) -> Scan:
        compose = kernels.compose.of(dimension=self.tree.dimension, word=word)
        follow = kernels.follow.of(dimension=self.tree.dimension, word=word, found=found, mark=mark)
        return Scan(compose, follow, own, blocks, f"{found}{letter}")

    def _outwards(self, path: tuple[str, ...], found: str) -> Run:
        parent = self.tree.plan.link(path[0]).parent
        before: Value = self.tree.grounded(found) if parent is None else Ref(found, parent)
        return Run(before, path)

    def _summed(self, scan: Scan, name: str, terms: list[Ref]) -> Iterator[Call]:
        """Terms two by two; the sum has the last number."""
        number = 0
        while len(terms) > 1:
            pairs = list(zip(terms[::2], terms[1::2], strict=False))
            rest, terms = terms[2 * len(pairs) :], []
            for pair in pairs:
                yield scan.composed(f"{name} + {number}", *pair)
                terms.append(Ref(scan.blocks, f"{name} + {number}"))
                number += 1
            terms += rest

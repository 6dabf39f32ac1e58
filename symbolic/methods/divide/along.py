"""What composes along the tree, in both directions: scans over its paths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import sympy as sp

from ...language.program import Call, Ref
from ...language.scans import SHORT, Run, Scan, Value, blocks, summed
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
                yield from summed(scan.compose, left, name, scan.blocks)
                terms[name] = Ref(scan.blocks, f"{name} + {len(left) - 2}")
            yield from scan.calls([Run(still, path[::-1]) for path in paths])

    def blocks(self) -> dict[str, tuple[str, ...]]:
        """The index sets of what is composed."""
        every = [path for paths in self.paths.by_depth for path in paths]
        outwards = blocks(self._outwards(path, "x") for path in every)
        inwards = blocks(Run(sp.zeros(0), path[::-1]) for path in every)
        sums = (f"{name} + {k}" for name, x in self.paths.branches.items() for k in range(len(x)))
        count = len(self.tree.links)
        sets = {f"runs{size}": members for size, members in outwards.items()}
        sets |= {f"inward_runs{size}": members for size, members in inwards.items()}
        sets["branch_sums"] = tuple(sums)
        sets["sums"] = tuple(f" + {k}" for k in range(count - 2) if count > SHORT)
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

    def total(self, word: str, result: Ref) -> Iterator[Call]:
        """The sum over all links, of which there are several, of what each has of its own."""
        compose = kernels.compose.of(dimension=self.tree.dimension, word=word)
        own = [Ref(word, link.name) for link in self.tree.links]
        *sums, last = summed(compose, own, "", f"sum_{word}")
        yield from sums
        yield replace(last, member=result.member, writes=dict.fromkeys(last.writes, result))

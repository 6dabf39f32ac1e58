"""Cuts chosen so that few conditions are open at once, which is what the work for loops grows with.

The conditions of a cut are open between its two ends: they are columns that pass the hinges of the
tree on its loop. A hinge that w of them pass costs w² + 4 w, about the multiplications that they
add to its step in the sweeps. Which hinges are cut decides the sum: of a scissor that is cut at its
middle pins all loops go down to the first pair of bars, cut at pins of its sides none farther than
to the pair below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .parts.hinge_kinds import HINGE_KINDS
from .parts.hinges import GROUND, Hinge
from .parts.units import cut_kind

#: Coordinates change with the cuts: others are chosen where the cost falls by this factor.
GAIN = 2

#: So many entries of loops, by hinges, are looked at: a few seconds.
LARGEST = 20_000_000

Numbers = npt.NDArray[np.int64]


class Loops:
    """The loops of some cuts: each its cut, and the hinges of the tree between the cut's ends.

    `cuts` are places among `hinges`, which join two bodies each; `has` says which loop passes which
    hinge.
    """

    def __init__(self, dimension: int, hinges: Sequence[Hinge], cuts: Sequence[str]) -> None:
        self.hinges = [h for h in hinges if h.kind in HINGE_KINDS[dimension]]
        self.cuts = [k for k, hinge in enumerate(self.hinges) if hinge.name in cuts]
        self.sizes = np.array([cut_kind(dimension, x).conditions for x in self.hinges], dtype=int)
        self.has = np.zeros((len(self.cuts), len(self.hinges)), dtype=bool)
        above = self._above()
        for loop, cut in enumerate(self.cuts):
            ways = [self._way(end.body, above) for end in self.hinges[cut].ends]
            self.has[loop, list(ways[0] ^ ways[1])] = True

    def _above(self) -> dict[str, tuple[str, int]]:
        """For each body of the tree the one it hangs on, and by which hinge."""
        beside: dict[str, list[tuple[str, int]]] = {GROUND: []}
        for k, hinge in enumerate(self.hinges):
            if k not in {*self.cuts}:
                first, second = (end.body for end in hinge.ends)
                beside.setdefault(first, []).append((second, k))
                beside.setdefault(second, []).append((first, k))
        above: dict[str, tuple[str, int]] = {}
        met = set[str]()
        for root in beside:
            waiting = [root] * (root not in met)
            while waiting:
                body = waiting.pop()
                met.add(body)
                for other, k in beside[body]:
                    if other not in met:
                        above[other] = body, k
                        waiting.append(other)
        return above

    @staticmethod
    def _way(body: str, above: dict[str, tuple[str, int]]) -> set[int]:
        found = set[int]()
        while body in above:
            body, k = above[body]
            found.add(k)
        return found

    @property
    def widths(self) -> Numbers:
        """How many columns pass each hinge; none a cut one."""
        return np.asarray(self.sizes[self.cuts] @ self.has)

    @property
    def cost(self) -> int:
        """What columns add to the sweeps, in multiplications."""
        return int(_cost(self.widths).sum())

    @property
    def widest(self) -> int:
        """The most columns that pass a hinge."""
        return int(self.widths.max())

    def is_cheaper(self, than: Loops) -> bool:
        """Do these loops cost so much less than others that other coordinates are worth it?"""
        return GAIN * self.cost <= than.cost

    def named(self) -> tuple[str, ...]:
        """The cuts by name, in the model's order."""
        return tuple(self.hinges[k].name for k in sorted(self.cuts))

    def improve(self, alike: Callable[[Hinge], Any]) -> None:
        """Cut loops elsewhere, each at a hinge that is alike, as long as the cost falls.

        The shortest loop comes first: cut well, it makes those shorter that it is part of.
        """
        classes = [alike(hinge) for hinge in self.hinges]
        falls = True
        while falls:
            falls, waiting = False, np.ones(len(self.cuts), dtype=bool)
            lengths = self.has.sum(axis=1)
            while waiting.any():
                loop = int(np.where(waiting, lengths, len(self.hinges)).argmin())
                waiting[loop] = False
                found = self._better(loop, classes)
                if found is not None:
                    changed = self._swap(loop, found)
                    lengths[changed] = self.has[changed].sum(axis=1)
                    falls = True

    def _better(self, loop: int, classes: Sequence[object]) -> int | None:
        """The hinge of a loop to be cut in place of its cut, the first of the cheapest."""
        own, cut = np.flatnonzero(self.has[loop]), self.cuts[loop]
        of = classes[cut]
        fits = np.array([of is not None and classes[int(k)] == of for k in own])
        if not fits.any():
            return None
        others = self.has[:, own]
        others[loop] = False
        weights = self.sizes[self.cuts]
        passing = others.any(axis=1)
        shared = others[passing].astype(float).T
        both = (shared * weights[passing]) @ shared.T
        alone, new = np.diag(both), self.sizes[own]
        # Loops that passed a hinge which is cut now go round the other way.
        after = alone + alone[:, None] - 2 * both + new[:, None]
        costs = _cost(after).sum(axis=1) - _cost(np.diag(after)) + _cost(alone + new)
        now = _cost(alone + self.sizes[cut]).sum()
        costs[~fits] = np.inf
        least = int(costs.argmin())
        return int(own[least]) if costs[least] < now else None

    def _swap(self, loop: int, hinge: int) -> npt.NDArray[np.intp]:
        """Cut a loop at another of its hinges; the loops that are others then."""
        self.has[loop, self.cuts[loop]] = True
        changed = np.flatnonzero(self.has[:, hinge])
        others = changed[changed != loop]
        self.has[others] ^= self.has[loop]
        self.has[loop, hinge] = False
        self.cuts[loop] = hinge
        return changed


def _cost(widths: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(widths * widths + 4 * widths)


def narrowed(
    dimension: int, hinges: Sequence[Hinge], cuts: Sequence[str], alike: Callable[[Hinge], Any]
) -> tuple[str, ...]:
    """Cuts for which the columns cost half or less, or else those given.

    A hinge is cut in place of one to which it is `alike`, those that are `None` to none.

    Source
        own
    """
    given, loops = (Loops(dimension, hinges, cuts) for _ in range(2))
    if len(loops.cuts) < 2 or loops.has.size > LARGEST:
        return tuple(cuts)
    loops.improve(alike)
    return loops.named() if loops.is_cheaper(given) else tuple(cuts)

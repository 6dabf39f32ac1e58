"""Starts in singular positions of the loops: on the one branch whose speeds are asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from ...errors import SingularPositionError
from ...symbolic.language.tolerances import AROUND
from ..evaluation.arrays import Floats
from ..evaluation.lost import loops_lost
from .branches import MET, ZERO, Branches, branches_of, branches_said, speeds_said
from .conditions import CLOSED, Conditions
from .places import Places
from .start import Items, Wishes

#: Why a start at rest does not say on which branch it goes on.
RESTS = "it is at rest, which does not say on which it goes on"


class SingularPlaces:
    """The branches that meet in a place of one model, and which of them a start is on."""

    def __init__(self, conditions: Conditions, items: Items) -> None:
        self.conditions, self.items = conditions, items
        self.loops_alone = conditions.of_loops()

    def branches(self, q: Floats) -> Branches | None:
        """What the loops allow at second order, where the place is singular and none is driven.

        Of beams it is not known: one that cannot lengthen makes every place singular.
        """
        if self.conditions.code.model.beams:
            return None
        still = np.zeros(self.conditions.count)
        J, rows, _ = self.loops_alone.slopes(q)
        deficient = np.linalg.svd(J, compute_uv=False)[-1:].min(initial=1.0) <= ZERO
        if not (deficient or len(J) > J.shape[1]):
            return None
        driven = np.abs(self.conditions.opening(q, still)[1]).max(initial=0.0)
        if driven > CLOSED * rows.max(initial=0.0):
            return None
        near = (self.beside(q, k) for k in (1, 2, 3))
        return branches_of(q, self.loops_alone, [x for x in near if x is not None])

    def is_singular(self, q: Floats, zero: float, elsewhere: Iterable[Floats] = ()) -> bool:
        """Are fewer conditions independent there than beside it, or elsewhere?

        Singular values below `zero` are none; those of redundant conditions are none everywhere.
        """

        def rank(at: Floats) -> int:
            return int((np.linalg.svd(self.loops_alone.sized(at), compute_uv=False) > zero).sum())

        here = rank(q)
        if here == min(len(self.loops_alone.gap(q)), self.conditions.count):
            return False
        near = (self.beside(q, k) for k in (1, 2, 3))
        return any(x is not None and rank(x) > here for x in chain(near, elsewhere))

    def lost(self, q: Floats) -> str:
        """Which loops are singular there, in words behind "the loops"."""
        loops, beside, code = self.loops_alone, self.beside(q, 1), self.conditions.code
        if beside is None:
            return ""
        return loops_lost(code.model, code.conditions, loops.sized(q), loops.sized(beside))

    def beside(self, q: Floats, k: int) -> Floats | None:
        """A closed place beside this one, in the k-th of directions that nothing prefers."""
        _, _, columns = self.loops_alone.slopes(q)
        number = np.arange(self.conditions.count)
        direction = np.sin(1.0 + 7.3 * k + 2.4 * number) / columns
        beside = self.conditions.stepped(q, AROUND * direction)
        return Places(self.loops_alone, self.items).closed(beside, ())

    def on_branch(self, branches: Branches, q: Floats, v0: Floats, wishes: Wishes) -> Floats:
        """The speeds of the one branch that has those asked; these themselves if they are one's.

        Raises
            SingularPositionError: no branch has them, or more than one.
        """
        size = np.abs(v0).max(initial=0.0)
        asked = [*wishes.order[: wishes.fixed]]
        asked += [k for k in wishes.order[wishes.fixed :] if v0[self.items.all[k].speeds].any()]
        said = (self.items.said(asked, v0, speeds=True), *self.conditions.targets.speeds)
        words = ", ".join(x for x in said if x)
        A, b = self._speeds_asked(q, v0, asked)
        _, rows, _ = self.loops_alone.slopes(q)
        rate = self.conditions.opening(q, v0)[1]
        closed = np.abs(rate / rows).max(initial=0.0) <= MET * size
        met = np.abs(A @ v0 - b).max(initial=0.0) <= MET * size
        if met and (not size or (closed and branches.allows(v0))):
            return v0
        tangents = branches.tangents()
        fits = []
        for tangent in tangents:
            along = A @ tangent
            part = float(along @ b) / max(float(along @ along), 1e-300)
            if np.abs(part * along - b).max(initial=0.0) <= MET * np.abs(b).max(initial=0.0):
                fits += [part * tangent] if part else []
        if len(fits) == 1:
            return np.asarray(fits[0])
        how = f"{'more than one has' if fits else 'none has'} {words}"
        if not np.any(b):
            how = "the speeds of the start are guesses, and none has them"
        raise SingularPositionError(self.undecided(branches, how, q, v0))

    def _speeds_asked(self, q: Floats, v0: Floats, asked: Sequence[int]) -> tuple[Floats, Floats]:
        """What is asked of speeds, those of cut hinges too, as A v = b."""
        places = [at for k in asked for at in range(*self.items.all[k].speeds.indices(len(v0)))]
        still = np.zeros(len(v0))
        A = np.vstack([np.eye(len(v0))[places], self.conditions.targets.slopes(q, speeds=True)])
        return A, np.concatenate([v0[places], -self.conditions.targets.rate(q, still)])

    def undecided(self, branches: Branches, how: str, q: Floats, v0: Floats) -> str:
        """Why no motion can begin at the place."""
        tangents = branches.tangents()
        near = branches.nearest(v0)
        known, names = "its branches are not told apart, and", self.items.speed_names
        if tangents:
            known = f"its branches have the speeds {branches_said(tangents, names)}, or multiples;"
        elif near is not None:
            known = f"speeds that it allows are {speeds_said(near, names)};"
        return (
            f"{self.conditions.name}: the start is a singular position of the loops{self.lost(q)}, "
            f"which can go on in more than one way: {known} {how}; ask for speeds that one branch "
            "alone has, or start beside the position"
        )

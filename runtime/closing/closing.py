"""The closed state nearest to a start, with some of it held."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .conditions import CLOSED, INDEPENDENT, Conditions, unrounded
from .places import Places
from .singular import RESTS, SingularPlaces
from .start import Items, Start, Wishes


class Closing:
    """Closes the loops of one model from one start."""

    def __init__(self, conditions: Conditions, items: Items) -> None:
        self.conditions, self.items = conditions, items
        self.places = Places(conditions, items)
        self.singular = SingularPlaces(conditions, items)

    def start(
        self, q0: Floats, v0: Floats, wishes: Sequence[Wishes], guess: Floats | None = None
    ) -> Start:
        """The closed state, or an error that names what was to stay.

        `guess` is the place from which one comes, if that is not `q0`: what is fixed is led from
        there to its values, so that the mechanism stays on the guess's branch.
        """
        near = self.places.near(q0)
        held = self.places.held(near, wishes[0])
        q = q0 if self.conditions.are_met(q0) else self.places.reach(q0, near, held, guess)
        if q is None:
            raise NumericsError(
                f"{self.conditions.name}: the loops cannot be closed with "
                f"{self.items.said(held, q0, speeds=False)} as asked; near it they are with "
                f"{self.items.said(held, near, speeds=False)}; give other values, or make one a "
                "guess"
            )
        q = self._agreeing(wishes[0], held, q0, q)
        self._see_fixed(wishes[0], held, q0, q, speeds=False)
        branches, undecided = self.singular.branches(q), ""
        if branches is None:
            still = self.places.held(q, wishes[1], speeds=True)
            v = self._speeds(q, v0, still)
            self._see_fixed(wishes[1], still, v0, v, speeds=True)
        else:
            still = tuple(k for k in wishes[1].order if v0[self.items.all[k].speeds].any())
            v = self.singular.on_branch(branches, q, v0, wishes[1])
            undecided = "" if v.any() else self.singular.undecided(branches, RESTS, v0)
        moved = (
            *self.items.moved(q0, q, speeds=False),
            *self.items.moved(v0, v, speeds=True),
        )
        asked = [name for k in held for name in self.items.all[k].names]
        asked += [name for k in still for name in self.items.names(k, speeds=True)]
        return Start(q, v, tuple(asked) if moved else (), moved, undecided)

    def _agreeing(self, wishes: Wishes, held: tuple[int, ...], q0: Floats, found: Floats) -> Floats:
        """A closed place with all that is fixed, if the one found is another way of closing."""
        fixed = wishes.order[: wishes.fixed]

        def agrees(q: Floats) -> bool:
            return not any(self.items.moved(q0, q, speeds=False, which=fixed))

        if agrees(found):
            return found
        return next(filter(agrees, self.places.others(q0, held, fixed)), found)

    def _speeds(self, q: Floats, v0: Floats, held: tuple[int, ...]) -> Floats:
        """The speeds nearest to these at which the loops stay closed, with these items held."""
        J, rows, columns = self.conditions.slopes(q, speeds=True)
        _, opening = self.conditions.opening(q, v0)
        rates = np.concatenate([opening, self.conditions.targets.rate(q, v0)])
        rate = unrounded(rates, rows * max(1.0, np.abs(v0).max(initial=0.0))) / rows
        size = max(np.abs(v0).max(initial=0.0), np.abs(rate).max(initial=0.0))
        if np.abs(rate).max(initial=0.0) <= CLOSED * size:
            return v0
        free = self.items.free(held)
        A = J[:, free]
        change = np.linalg.lstsq(A, -rate, rcond=INDEPENDENT)[0]
        if np.abs(A @ change + rate).max(initial=0.0) > 1e-8 * size:
            raise NumericsError(
                f"{self.conditions.name}: no motion keeps the loops closed with "
                f"{self.items.said(held, v0, speeds=True)} as asked; give other speeds, or make "
                "one a guess"
            )
        v = v0.copy()
        v[free] += change / columns[free]
        return v

    def _see_fixed(
        self, wishes: Wishes, held: Sequence[int], asked: Floats, found: Floats, *, speeds: bool
    ) -> None:
        """Raise if something fixed has moved, because the rest of what is fixed decides it."""
        for k in wishes.order[: wishes.fixed]:
            moved = [*self.items.moved(asked, found, speeds=speeds, which=(k,))]
            if moved:
                others = [self.items.said([j for j in held if j != k], asked, speeds=speeds)]
                others = [x for x in (*others, self.conditions.targets.said()) if x]
                with_them = f" with {', '.join(others)}" if others else ""
                wanted, there = moved[0].values
                raise NumericsError(
                    f"{self.conditions.name}: the loops do not let {moved[0].name} be "
                    f"{wanted}{with_them}: it is {there} where they are closed; make it a guess, "
                    "or another one"
                )

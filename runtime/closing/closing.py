"""The closed state nearest to a start, with some of it held."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from ...errors import NumericsError
from ..evaluation.arrays import Floats
from .conditions import CLOSED, INDEPENDENT, Conditions, unrounded
from .places import STARTS, Places
from .singular import RESTS, SingularPlaces
from .start import Items, Moved, Start, Wishes

#: Singular values below this are none in a place to which loops were closed: they are closed within
#: CLOSED, and where conditions have lost their slope to first order, that is its root of the place.
FLATTENED = 10 * CLOSED**0.5

#: What is said of a start that is closed in a singular position.
LANDED = (
    "the start is closed in a singular position of the loops, and no other one is found: fewer of "
    "their conditions are independent there than elsewhere, so that speeds and loads are told to "
    "half of the digits, or not; give another guess"
)


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
        q, held = self._place(q0, wishes[0], guess)
        branches, undecided = self.singular.branches(q), ""
        if branches is None:
            still = self.places.held(q, wishes[1], speeds=True)
            v = self._speeds(q, v0, still)
            self._see_fixed(wishes[1], still, v0, v, speeds=True)
        else:
            still = tuple(k for k in wishes[1].order if v0[self.items.all[k].speeds].any())
            v = self.singular.on_branch(branches, q, v0, wishes[1])
            undecided = "" if v.any() else self.singular.undecided(branches, RESTS, q, v0)
        singular = ""
        if not undecided and q is not q0 and self._is_singular(q, q0):
            singular = f"{self.conditions.name}: {LANDED}"
        moved = (
            *self.items.moved(q0, q, speeds=False),
            *self.items.moved(v0, v, speeds=True),
        )
        asked = [name for k in held for name in self.items.all[k].names]
        asked += [name for k in still for name in self.items.names(k, speeds=True)]
        return Start(q, v, tuple(asked) if moved else (), moved, undecided, singular)

    def _place(
        self, q0: Floats, wishes: Wishes, guess: Floats | None
    ) -> tuple[Floats, tuple[int, ...]]:
        """The closed place, and which items are as asked.

        One that is no singular position, if there is one among those from seeded starts.

        Raises
            NumericsError: none is found with what is fixed.
        """
        if self.conditions.are_met(q0):
            return q0, self.places.held(q0, wishes)
        near = self.places.near(q0)
        held = self.places.held(near, wishes)
        must = wishes.order[: wishes.fixed] or held
        first = self.places.reach(q0, near, held, guess)
        found = [] if first is None else [first]
        asked = wishes.order if len(wishes.order) < len(self.items.all) else must
        tries = (self.places.restarts(q0, x, wishes) for x in dict.fromkeys((asked, must)))
        singular = None
        for q in chain(found, *tries):
            if self._moved(must, q0, q):
                continue
            if not self._is_singular(q, q0):
                return q, self._unmoved(wishes, must, q0, q)
            singular = q if singular is None else singular
        if singular is None:
            raise NumericsError(self._not_found(wishes, must, q0, near if first is None else first))
        return singular, self._unmoved(wishes, must, q0, singular)

    def _is_singular(self, q: Floats, q0: Floats) -> bool:
        """Is a place singular, as far as closing tells? Of beams it is not known."""
        if self.conditions.code.model.beams:
            return False
        return self.singular.is_singular(q, FLATTENED, self.places.nears(q0))

    def _moved(self, which: Sequence[int], asked: Floats, found: Floats) -> list[Moved]:
        return [*self.items.moved(asked, found, speeds=False, which=which)]

    def _unmoved(
        self, wishes: Wishes, must: Sequence[int], asked: Floats, found: Floats
    ) -> tuple[int, ...]:
        """Which items are as asked, though they could have been others, or must be."""
        held = {*self.places.held(found, wishes), *must}
        stay = (k for k in wishes.order if k in held)
        return tuple(k for k in stay if not self._moved((k,), asked, found))

    def _not_found(self, wishes: Wishes, must: tuple[int, ...], asked: Floats, near: Floats) -> str:
        """Why there is no closed place with what must be, as far as it is known."""
        which = next(k for k in must if self._moved((k,), asked, near))
        moved = self._moved((which,), asked, near)[0]
        wanted, there = moved.values
        rest = tuple(k for k in must if k != which)
        words = (self.items.said(rest, asked, speeds=False), self.conditions.targets.said())
        said = [x for x in words if x]
        with_them = f" with {', '.join(said)}" if said else ""
        no = f"{self.conditions.name}: the loops do not let {moved.name} be {wanted}{with_them}"
        if self.places.decide(near, rest, which) and not self._moved(rest, asked, near):
            return f"{no}: it is {there} where they are closed; make it a guess, or another one"
        dead = self.places.dead_points(asked, must)
        at = self.items.all[which].places.start
        limits = [float(x.q[at]) for x in dead if x]
        if limits and len(limits) == len(dead):
            limit = min(limits, key=lambda x: abs(x - moved.asked))
            return (
                f"{no}: led there from closed places, from {len(dead)} starts, it comes to "
                f"{limit:.6g} and no farther; give another value, or make it a guess"
            )
        asked_for = ", ".join([f"{moved.name} = {wanted}", *said])
        return (
            f"{self.conditions.name}: no place with {asked_for} is found from here where the loops "
            f"are closed, though {STARTS} starts about it were tried: it is {there} in one that "
            "is; give a guess nearer to such a place, or make it a guess"
        )

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

"""Closed places near a start, with some of its coordinates held.

With the conditions φ(q) = 0 of the loops and J v = φ̇, a set of speeds can stay if the columns of J
that are left span all that J spans: those sets are the complements of the bases of its columns, so
that one pass over the columns, the last asked first, finds the best one (Edmonds 1971).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError
from ...model import Model
from ..capabilities.poses import Poses
from ..evaluation.arrays import Floats
from .conditions import CLOSED, INDEPENDENT, Conditions
from .dead_points import LONGEST_STEP, Closed, DeadPoint, dead_point, followed
from .start import Items, Wishes

#: Gauss–Newton passes from one start, halvings of a step, and starts away from the guess, from so
#: many of which what is held is led from a closed place besides.
PASSES, HALVINGS, STARTS, LED = 40, 8, 20, 4

#: A pass that closes less of the gap than this is the last.
LEAST_GAIN = 1e-3

#: The least part of the way from a closed state to the one asked that is taken at once.
LEAST_PART = 1e-3


class Places:
    """The closed places of one model about one start."""

    def __init__(self, conditions: Conditions, items: Items) -> None:
        self.conditions, self.items = conditions, items
        self.random = np.random.default_rng(0)

    def closed(self, q: Floats, held: Sequence[int]) -> Floats | None:
        """The closed state near this one with these items held.

        None where that has an end of a cut hinge turned about, and turned back it does not close.
        """
        found = self._met(q, held)
        turned = None if found is None else self.conditions.turned_about(found)
        if found is None or turned is None:
            return found
        back = self._met(turned.turned_back(found, self.items.free(held)), held)
        return None if back is None or self.conditions.turned_about(back) else back

    def _met(self, q: Floats, held: Sequence[int]) -> Floats | None:
        """Where the conditions are met near this place, by Gauss–Newton."""
        free = self.items.free(held)
        for _ in range(PASSES):
            J, rows, columns = self.conditions.slopes(q)
            gap = self.conditions.left(q, rows)
            size = np.abs(gap).max(initial=0.0)
            if size <= CLOSED:
                return q
            dv = np.zeros(self.conditions.count)
            dv[free] = -np.linalg.lstsq(J[:, free], gap, rcond=INDEPENDENT)[0]
            dv *= LONGEST_STEP / max(np.abs(dv).max(), LONGEST_STEP)
            before = np.linalg.norm(gap)
            for _ in range(HALVINGS):
                trial = self.conditions.stepped(q, dv / columns)
                if np.linalg.norm(self.conditions.left(trial, rows)) < (1.0 - LEAST_GAIN) * before:
                    break
                dv /= 2.0
            else:
                return q if size <= 100 * CLOSED else None
            q = trial
        return None

    def near(self, q0: Floats) -> Floats:
        """A closed state near the start, whatever moves."""
        for q in self._guesses(q0, ()):
            found = self.closed(q, ())
            if found is not None:
                return found
        alone = Places(self.conditions.of_loops(), self.items)
        if self.conditions.targets.places and alone.closed(q0, ()) is not None:
            raise NumericsError(
                f"{self.conditions.name}: the loops can be closed, but no place with "
                f"{self.conditions.targets.said()} is found from here, though {STARTS} starts "
                "about it were tried; give another value, a guess nearer to it, or make it a guess"
            )
        met = self._met(q0, ())
        turned = None if met is None else self.conditions.turned_about(met)
        if turned:
            raise NumericsError(
                f"{self.conditions.name}: from this start, and from {STARTS} about it, the loops "
                f"close with an end of hinge {turned.name} turned about alone; give a start nearer "
                "to a closed one"
            )
        code = self.conditions.code
        worst = int(np.abs(self.conditions.gap(q0)[: len(code.conditions)]).argmax())
        raise NumericsError(
            f"{code.model.name}: the loops cannot be closed from this start, nor from {STARTS} "
            f"about it ({_in_words(code.model, code.conditions[worst])}, is the farthest from "
            "being closed); check the bodies' lengths, or give a start nearer to a closed one"
        )

    def _guesses(self, q0: Floats, held: Sequence[int]) -> Iterator[Floats]:
        """The start, then others farther and farther from it, with these items as they are."""
        yield q0
        _, _, columns = self.conditions.slopes(q0)
        moves_loops = self._moves_loops(q0)
        for k in range(STARTS):
            far = np.pi * (k + 1) / STARTS
            dv = far * self.random.normal(size=self.conditions.count) / columns
            dv[~moves_loops] = 0.0
            for each in held:
                dv[self.items.all[each].speeds] = 0.0
            yield self.conditions.stepped(q0, dv)

    def _moves_loops(self, q0: Floats) -> npt.NDArray[np.bool_]:
        """Which speeds move loops, there or at a place that nothing prefers; others never help."""
        there = self.conditions.stepped(q0, np.sin(1.0 + np.arange(self.conditions.count)))
        J = np.vstack([self.conditions.slopes(q)[0] for q in (q0, there)])
        return np.asarray(np.abs(J).max(axis=0, initial=0.0) > INDEPENDENT)

    def held(self, q: Floats, wishes: Wishes, *, speeds: bool = False) -> tuple[int, ...]:
        """The items that can stay, as many of the first as are independent there."""
        J, _, _ = self.conditions.slopes(q, speeds=speeds)
        rank = int((np.linalg.svd(J, compute_uv=False) > INDEPENDENT).sum())
        order = [*wishes.order, *(k for k in range(len(self.items.all)) if k not in wishes.order)]
        basis = np.zeros((len(J), 0))
        moving: set[int] = set()
        for k in reversed(order):
            for column in J[:, self.items.all[k].speeds].T:
                rest = column - basis @ (basis.T @ column)
                rest -= basis @ (basis.T @ rest)
                length = float(np.linalg.norm(rest))
                if basis.shape[1] < rank and length > INDEPENDENT:
                    basis = np.column_stack([basis, rest / length])
                    moving.add(k)
        return tuple(k for k in wishes.order if k not in moving)

    def reach(
        self, q0: Floats, near: Floats, held: tuple[int, ...], guess: Floats | None
    ) -> Floats | None:
        """The closed state with these items as asked.

        What is fixed is led from the closed guess to its value. Without a guess, or where that way
        ends: straight on, the nearer of that and of what the closed state near it leads to, or
        one of `_guesses`.
        """
        if guess is not None and not np.array_equal(guess, q0):
            led = self._along(self.near(guess), q0, held)
            if led is not None:
                return self._unwound(q0, led)
        tries = self._guesses(q0, held)
        straight = self.closed(next(tries), held)
        if straight is not None and self._distance(q0, straight) <= LONGEST_STEP:
            return straight
        found = [x for x in (straight, self._along(near, q0, held)) if x is not None]
        if found:
            return min((self._unwound(q0, x) for x in found), key=lambda x: self._distance(q0, x))
        for q in tries:
            other = self.closed(q, held)
            if other is not None:
                return self._unwound(q0, other)
        return None

    def restarts(self, q0: Floats, must: tuple[int, ...], wishes: Wishes) -> Iterator[Floats]:
        """Closed places with what `must` be as asked, and of other wishes as many as follow.

        From starts about the one asked, then led from closed places about it.
        """
        for found in (*self._about(q0, must), *self._led(q0, must)):
            held = self.held(found, wishes)
            led = self._along(found, q0, held) if {*held} > {*must} else None
            yield self._unwound(q0, found if led is None else led)

    def _about(self, q0: Floats, must: tuple[int, ...]) -> Iterator[Floats]:
        found = (self.closed(q, must) for q in self._guesses(q0, must))
        return (x for x in found if x is not None)

    def _led(self, q0: Floats, must: tuple[int, ...]) -> Iterator[Floats]:
        led = (self._along(near, q0, must) for near in self.nears(q0))
        return (x for x in led if x is not None)

    def nears(self, q0: Floats) -> Iterator[Floats]:
        """Closed places about a start, whatever moves."""
        found = (self.closed(q, ()) for q in islice(self._guesses(q0, ()), LED))
        return (x for x in found if x is not None)

    def dead_points(self, q0: Floats, must: tuple[int, ...]) -> list[DeadPoint | None]:
        """Where the ways end on which what `must` be is led from closed places to what is asked.

        None of a way that ends otherwise, or where not all of that can be led.
        """
        return [self._dead_point(near, q0, must) for near in self.nears(q0)]

    def decide(self, q: Floats, held: tuple[int, ...], which: int) -> bool:
        """Does holding these items hold another one too, which could move without that?"""
        speeds = self.items.all[which].speeds
        J, _, _ = self.conditions.slopes(q)

        def moves(free: npt.NDArray[np.bool_]) -> bool:
            _, sizes, right = np.linalg.svd(J[:, free])
            kernel = np.zeros((len(free), len(right)))
            kernel[free] = right.T
            kernel = kernel[:, np.count_nonzero(sizes > INDEPENDENT) :]
            return bool(np.abs(kernel[speeds]).max(initial=0.0) > INDEPENDENT)

        return moves(self.items.free(())) and not moves(self.items.free(held))

    def _dead_point(self, near: Floats, q0: Floats, must: tuple[int, ...]) -> DeadPoint | None:
        if {*self.held(near, Wishes(must))} != {*must}:
            return None
        places, free = self._places_of(must), self.items.free(must)
        change = np.zeros_like(q0)
        change[places] = q0[places] - near[places]

        def asked(part: float, q: Floats) -> Floats:
            step = 1e-6
            ways = (self.conditions.gap(q + x * step * change) for x in (1.0, -1.0))
            return np.asarray(np.subtract(*ways) / (2.0 * step))

        return dead_point(self.conditions, self._leading(near, q0, must), near, free, asked)

    def _distance(self, q0: Floats, q: Floats) -> float:
        """How far the farthest item has moved, in radians, or metres by the scale of the loops."""
        _, _, columns = self.conditions.slopes(q0)
        units = self.conditions.code.model.units
        far = 0.0
        for item in self.items.all:
            angle = units[item.names[0]] in ("rad", "1")
            scale = 1.0 if angle else columns[item.speeds].max(initial=0.0)
            far = max(far, scale * np.abs(q[item.places] - q0[item.places]).max(initial=0.0))
        return float(far)

    def _unwound(self, q0: Floats, q: Floats) -> Floats:
        """The same place without full turns, where the loops do not count them."""
        for item in self.items.all:
            turns = np.round((q[item.places] - q0[item.places]) / (2 * np.pi))
            if len(item.names) == 1 and turns.any():
                trial = q.copy()
                trial[item.places] -= 2 * np.pi * turns
                q = trial if self.conditions.are_met(trial) else q
        return q

    def _along(self, q: Floats, q0: Floats, held: tuple[int, ...]) -> Floats | None:
        """Held items from a closed state to what is asked, closing the loops on the way."""
        way, found = followed(self._leading(q, q0, held), q, LEAST_PART)
        return found if way == 1.0 else None

    def _leading(self, first: Floats, last: Floats, held: tuple[int, ...]) -> Closed:
        """The closed places near others with held items a part of the way between two."""
        places = self._places_of(held)

        def closed(part: float, q: Floats) -> Floats | None:
            trial = q.copy()
            trial[places] = first[places] + part * (last[places] - first[places])
            if part == 1.0:
                trial[places] = last[places]
            return self.closed(Poses.retracted(self.conditions.code, trial), held)

        return closed

    def _places_of(self, held: tuple[int, ...]) -> list[int]:
        size = self.items.all[-1].places.stop
        return [at for k in held for at in range(*self.items.all[k].places.indices(size))]


def _in_words(model: Model, condition: str) -> str:
    """Which hinge a condition is of, and what it demands."""
    from ...model.parts.hinge_kinds import HINGE_KINDS

    for hinge in model.hinges:
        if condition == hinge.name:
            return f"hinge {hinge.name}, which is not where the hinge that it follows wants it"
        kind = HINGE_KINDS[model.dimension]["fixed" if hinge.motion else hinge.kind]
        for j in range(kind.conditions):
            if condition == f"{hinge.name}_{j + 1}" and hinge.name in model.cuts:
                if j < len(kind.places):
                    axis = "xyz"[kind.places[j]]
                    return f"hinge {hinge.name}, whose ends are apart along {axis} of its parent"
                if j < len(kind.places) + len(kind.pairs):
                    return f"hinge {hinge.name}, whose ends are turned against each other"
                return f"hinge {hinge.name}, whose shift is not that of its turn"
    return f"the condition {condition}"

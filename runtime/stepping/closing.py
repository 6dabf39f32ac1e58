"""Loops that stay closed, and what is known of their conditions along a motion.

Where some conditions of the loops come to depend on the others, more than one motion leads on, and
near it neither multipliers nor corrections can be had to more than a few digits. A motion goes on
as smoothly as it came: there all that depends on the state along it is a smooth function, so that
its value follows from those at closed states k s before and after, k = 1, 2, 3, with an error of
order s^6. These states are regular.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...codegen.solves.elimination import FLOOR
from ...symbolic.language.tolerances import LONGEST_STEP, MOST_PASSES, SINGULAR
from ..evaluation.arrays import Floats
from ..evaluation.noted import Met
from .moved import Moved
from .outcomes import DONE, NOT_FINITE, OPEN, UNDECIDED

ACCELERATION, CORRECTION = range(2)

#: Even polynomials of degree 4 at 0.
SMOOTH = (1.5, -0.6, 0.1)

#: What a motion holds: run-time parameters, forces and loads.
Given = Sequence[Any]


class Known:
    """What is known of the conditions of a motion's loops, by what was solved last.

    For accelerations, then for corrections, of each solve: its rank, and its least pivot where that
    was largest, `regular`. `level`: the root of the least pivot, as a part of that, where the step
    began at `since`;
    `lowest` among the stages from there on, how fast it changed between them at most, and the last,
    of `when`. `passing`: when the singular position comes that was seen last, `away` so far, seen
    within `near`; the last one listed, and how far apart others are. `floor`: the pivot of a
    condition that follows from others, where loops were open last.
    """

    def __init__(self, solves: int) -> None:
        self.regular = [Met(np.zeros((solves, FLOOR))) for _ in range(2)]
        self.floor = np.zeros((2, solves))
        self.level, self.since, self.when = 0.0, -np.inf, 0.0
        self.lowest = self.last = self.steepest = 0.0
        self.passing, self.away, self.near, self.passed, self.apart = 0.0, np.inf, 0.0, 0.0, 0.0

    def is_singular(self, model: Moved, what: int) -> bool:
        """Were the conditions singular, or as good as that, in what was solved last?"""
        met, regular = model.met.recall(), self.regular[what]
        return met.loses(regular) or bool(met.least_part(regular) < SINGULAR)

    def firmness(self, model: Moved, what: int) -> float:
        """How firm the conditions are in what was solved last, as a length."""
        met, regular = model.met.recall(), self.regular[what]
        return 0.0 if met.loses(regular) else float(np.sqrt(met.least_part(regular)))

    def is_miscounted(self, model: Moved, what: int, times: int) -> bool:
        """Is what was solved last to be solved again, with another floor?

        Where loops are open, as at a step's stages, a condition that follows from the others seems
        to be one of its own, which nothing can keep. So no more of them count than where the loops
        are closed, those with the largest pivots.
        """
        met, rank, floor = model.met.recall(), self.regular[what].rank, self.floor[what]
        more = (rank > 0) & (met.rank > rank)
        fewer = (met.rank < rank) & (floor > 0.0) & (not times)
        self.floor[what] = np.where(more, met.least, np.where(fewer, 0.0, floor))
        return bool((more | fewer).any())

    def learn(self, model: Moved, what: int) -> None:
        """What was solved last, at a closed state, says how firm the conditions can be."""
        self.regular[what] = model.met.recall().firmer(self.regular[what])

    def note(self, model: Moved, t: float, h: float, is_closed: bool) -> None:
        """How firm the conditions are where a step h begins, or at one of its stages."""
        now, past = self.firmness(model, ACCELERATION), abs(t - self.when)
        if is_closed and t != self.since:  # else a part of the step is done again
            comes = t - self.since
            self.steepest = abs(now - self.level) / comes if 0.0 < comes < np.inf else np.inf
            self.level = self.lowest = now
            self.since = t
        elif past > 1e-3 * h:
            self.steepest = max(self.steepest, abs(now - self.last) / past)
        self.lowest = min(self.lowest, now)
        self.last, self.when = now, t


def close(
    model: Moved,
    t: Any,
    q: Floats,
    v: Floats,
    given: Given,
    w: Any,
    known: Known | None = None,
    tight: int = 0,
) -> int:
    """Closes the loops near one state in place.

    Gauss-Newton: the coordinates move by corrections until the loops are closed, `tight` ones more,
    then the speeds are corrected, or the joint momenta become those of the same motion with
    impulses of the cuts of zero. DONE, or NOT_FINITE, or OPEN when the loops cannot be closed from
    there, or UNDECIDED, with the state as it is, where `known` says that the conditions are
    singular.
    """
    status, opening = close_place(model, t, q, v, given, w, known, tight)
    return status or close_motion(model, t, q, v, opening, given, w, known)


def close_place(
    model: Moved,
    t: Any,
    q: Floats,
    v: Floats,
    given: Given,
    w: Any,
    known: Known | None,
    tight: int,
) -> tuple[int, Floats]:
    """Closes the loops in place; what becomes of it, and how fast they open."""
    gap, opening = np.empty(model.conditions), np.empty(model.conditions)
    change, moved, still = np.zeros(model.nv), np.empty(model.nq), np.zeros(model.nv)
    marks = known if known and not tight else None
    for _ in range(MOST_PASSES):
        model.constraints(t, q, still if model.speeds else v, gap, opening, given, w)
        is_open = np.any(np.abs(gap) > model.closed)
        if not is_open and tight <= 0:
            return DONE, opening
        tight -= not is_open
        for times in range(model.conditions + 2):
            model.met.forget()
            model.met.bound(known.floor[CORRECTION] if known else None)
            model.correction(t, q, gap, change, given, w)
            if not (known and known.is_miscounted(model, CORRECTION, times)):
                break
        model.met.bound(None)
        if not (np.isfinite(gap).all() and np.isfinite(change).all()):
            return NOT_FINITE, opening
        if marks and marks.is_singular(model, CORRECTION):
            return UNDECIDED, opening
        change *= LONGEST_STEP / max(LONGEST_STEP, np.max(np.abs(change)))
        model.rates(q, change, moved, w)
        q += moved
        if model.retract:
            model.retract(q.copy(), q, w)
    return OPEN, opening


def close_motion(
    model: Moved,
    t: Any,
    q: Floats,
    v: Floats,
    opening: Floats,
    given: Given,
    w: Any,
    known: Known | None,
) -> int:
    """Closes the motion at a closed place."""
    change = np.zeros(model.nv)
    if model.speeds:
        model.regauge(t, q, v, change, given, w)
        if not np.isfinite(change).all():
            return NOT_FINITE
        v[...] = change
        return DONE
    model.met.forget()
    model.correction(t, q, opening, change, given, w)
    if not np.isfinite(change).all():
        return NOT_FINITE
    if known and known.is_singular(model, CORRECTION):
        return UNDECIDED
    if known:
        known.learn(model, CORRECTION)
    v += change
    return DONE

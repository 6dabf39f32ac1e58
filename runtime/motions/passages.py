"""Singular positions that a motion of closed loops passes, from its continuous result.

As in motions of the generated code (`motion_events.c`): a step in which the conditions of the loops
could become dependent is looked at in as many places as leave no such position in between.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import numpy.typing as npt

from ...errors import NumericsError
from ...symbolic.language.tolerances import FAR, MOST_PIECES, NEAREST, SECTIONS
from ..capabilities.loops import Loops
from ..evaluation.arrays import Floats
from .integration import Occurrence
from .problem import Problem

#: The state (q, v), of `hdca` (q, p), at a time.
States = Callable[[float], Floats]

#: How far a coordinate is moved to see whether it moves loops, in rad or m.
MOVED = 0.5

#: Evaluations between which a method says nothing of how firm the conditions are.
STAGES = 1

GOLDEN = 0.6180339887498949


class Passages:
    """What a motion has passed, step by step."""

    def __init__(self, problem: Problem, start: float, state: Floats) -> None:
        self.problem = problem
        self.watched = problem.code.watched("accelerations")
        self.nq = len(problem.code.coordinates)
        self.moving = self._moving(start, state)
        self.found: list[Occurrence] = []
        self._level = self._firmness(start, state)
        self._steepest = np.inf
        self._passed, self._apart = start, 0.0

    def follow(self, states: States, low: float, high: float) -> None:
        """List what the step between these times passes."""
        first, h = self._level, high - low
        self._level = last = self._firmness(high, states(high))
        before, self._steepest = self._steepest, abs(last - first) / h
        places = np.array([states(t)[: self.nq] for t in np.linspace(low, high, 5)])
        way = np.abs(np.diff(places, axis=0)).sum(axis=0)
        far = float(way.max(where=self.moving, initial=0.0)) / FAR
        if min(first, last) > 2.0 * max(before, self._steepest) * h and far < STAGES:
            return
        pieces = 2 * int(max(1.0, min(np.ceil(far / 3.0), MOST_PIECES)))
        edge = min(0.5 / pieces, 0.1 * NEAREST / max(FAR * far, np.finfo(float).tiny))
        parts = [0.0, edge, *(n / pieces for n in range(1, pieces)), 1.0 - edge, 1.0]
        times = [low + part * h for part in parts]
        levels = [first, *(self._firmness(t, states(t)) for t in times[1:-1]), last]
        if levels[0] < levels[1]:
            self._see(states, low, low, high)
        for k in range(1, len(times) - 1):
            (begin, t, end), (one, least, other) = times[k - 1 : k + 2], levels[k - 1 : k + 2]
            slope = max((one - least) / (t - begin), (other - least) / (end - t))
            if least <= min(one, other, 2.0 * slope * (end - begin)):
                self._search(states, begin, end, (low, high))
        if levels[-1] < levels[-2]:
            self._see(states, high, low, high)

    def _search(self, states: States, begin: float, end: float, step: tuple[float, float]) -> None:
        """By golden sections, until a state is near enough to say when the position comes."""
        parts = [end - GOLDEN * (end - begin), begin + GOLDEN * (end - begin)]
        levels = [self._firmness(t, states(t)) for t in parts]
        for _ in range(SECTIONS):
            if self._see(states, parts[int(levels[1] < levels[0])], *step):
                return
            if levels[0] < levels[1]:
                end, parts[1], levels[1] = parts[1], parts[0], levels[0]
                parts[0] = end - GOLDEN * (end - begin)
                levels[0] = self._firmness(parts[0], states(parts[0]))
            else:
                begin, parts[0], levels[0] = parts[0], parts[1], levels[1]
                parts[1] = begin + GOLDEN * (end - begin)
                levels[1] = self._firmness(parts[1], states(parts[1]))

    def _see(self, states: States, t: float, low: float, high: float) -> bool:
        """Is a singular position near this state? Then list it, if it comes in this step."""
        seen = self._passing(t, states(t))
        if seen is None:
            return False
        at, near = seen
        for _ in range(2):  # the nearer, the better
            at, near = self._passing(at, states(min(max(at, low), high))) or (at, near)
        slack = 1e-3 * near
        inside = low - slack <= at <= high + slack
        if inside and abs(at - self._passed) >= max(self._apart, slack):
            q, second = np.split(states(min(max(at, low), high)), [self.nq])
            place = self.problem.unit(q[np.newaxis])[0]
            self.found.append(Occurrence(float(at), 0, place, second.copy()))
            self._passed, self._apart = at, near
        return True

    def _row(self, t: float, state: Floats) -> dict[str, Floats]:
        """The state with its loops closed, as entries take it, with its speeds."""
        problem, when = self.problem, np.array([t])
        q, second = state[np.newaxis, : self.nq], state[np.newaxis, self.nq :]
        q = problem.unit(q)
        with suppress(NumericsError):  # what the method errs is more than the distance
            q, second = problem.closed(q, second, t)
        v = problem.speeds(q, second, when)
        row = problem.buffers(q, v, when)
        sizes = problem.interface.sizes
        return row | {
            name: np.zeros((1, sizes[name])) for name in problem.interface.results["accelerations"]
        }

    def _firmness(self, t: float, state: Floats) -> float:
        return self.watched.firmness(self._row(t, state))

    def _passing(self, t: float, state: Floats) -> tuple[float, float] | None:
        found = self.watched.passing(self._row(t, state))
        return found and (t + found[0], found[1])

    def _moving(self, t: float, state: Floats) -> npt.NDArray[np.bool_]:
        """Which coordinates move loops: how far a step goes is how far these do."""
        code, nq = self.problem.code, self.nq
        still = np.zeros(len(code.speeds))
        places = self.problem.unit(state[:nq] + MOVED * np.vstack([np.zeros(nq), np.eye(nq)]))
        gap, _ = Loops.constraints(code, places, still, t=t, parameters=self.problem.given)
        opened = np.abs(gap[1:] - gap[0]).max(axis=1)
        return np.asarray(opened > 1e-9 * opened.max())


def along(passages: Passages, solution: States, times: Floats) -> None:
    """What all steps of a leg pass, `times` being where they end."""
    for low, high in itertools.pairwise(times.tolist()):
        passages.follow(solution, low, high)


def watches(problem: Problem) -> bool:
    """Does the solver tell how firm its loops' conditions are?"""
    return problem.code.computes("accelerations") and problem.code.watched("accelerations").watches

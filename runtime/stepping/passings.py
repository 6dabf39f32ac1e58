"""What a step passes: events, and singular positions of the loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...symbolic.language.tolerances import FAR, MOST_PIECES, NEAREST, SECTIONS
from ..evaluation.arrays import Floats
from .closing import SMOOTH
from .stages import Stages


class Passings(Stages):
    """Looks into a step that was taken."""

    direction: Any
    terminal: Any
    events: int
    values: Any

    def _watch(self, t: float, q: Floats, v: Floats) -> Any:
        """Events are functions of the speeds."""
        assert self.watcher
        return np.array(self.watcher(t, q, self._row_speeds(t, q, v)))

    def _root(self, e: int, before: Floats, after: Floats) -> float:
        """After which part of the step event e has come: Illinois' secants, at times halving."""
        low, high, below, above, last = 0.0, 1.0, before[e], after[e], 0
        for n in range(200):
            if above == 0.0 or high - low <= 2.0 * np.finfo(float).eps:
                break
            part = high - above * (high - low) / (above - below)
            if n % 4 == 3 or not low < part < high:
                part = 0.5 * (low + high)
            now = self._watch(self.t + part * self.h, *self._inside(part))[e]
            if now != 0.0 and (now < 0.0) == (before[e] < 0.0):
                low, below, above, last = part, now, above * (0.5 if last == 1 else 1.0), 1
            else:
                high, above, below, last = part, now, below * (0.5 if last == 2 else 1.0), 2
        return high

    def _happen(self, q: Floats, v: Floats) -> float:
        """Lists the events of the step in order; the part after which the motion ends, or 2."""
        before, after = self.values, self._watch(self.to, q, v)
        self.values = after
        rises = (before < 0.0) & (after >= 0.0) & (self.direction >= 0)
        falls = (before > 0.0) & (after <= 0.0) & (self.direction <= 0)
        came = [int(e) for e in np.flatnonzero(rises | falls)]
        for part, e in sorted((self._root(e, before, after), e) for e in came):
            state = (q.copy(), v.copy()) if part == 1.0 else self._inside(part)
            self.found.append((self.t + part * self.h, e, *state))
            if self.terminal[e]:
                return part
        return 2.0

    def _firmness_inside(self, part: float) -> float:
        """How firm the conditions are after a part of the step."""
        q, v = self._inside(part)
        self.known.away = np.inf  # stages lie off the way
        self._accelerate(self.t + part * self.h, q, v, np.empty_like(v))
        return self.known.last  # since then one has looked beside it

    def _find_passings(self, q: Floats, end: float) -> None:
        """Lists the singular positions that the step to q passes.

        A step may pass one if the conditions, which are known at its stages, change so fast between
        them that they could vanish; or if it is long. Then they are looked at in as many places as
        leave no other one in between.
        """
        known, h = self.known, self.h
        before = dict(vars(known))
        moved = np.maximum(np.abs(q - self.q), np.abs(h * self.k_q[0]))
        far = np.max(moved, where=self.moves, initial=0.0) / FAR
        if not h > 0.0 or (known.lowest > 2.0 * known.steepest * h and far < self.of.stages):
            return
        state = self.state  # what is looked at here is not the motion
        pieces = 2 * int(max(1.0, min(np.ceil(far / 3.0), MOST_PIECES)))
        edge = min(0.5 / pieces, 0.1 * NEAREST / max(FAR * far, np.finfo(float).tiny))
        parts = [0.0, edge, *(n / pieces for n in range(1, pieces)), 1.0 - edge, 1.0]
        levels = [known.level, *(self._firmness_inside(part) for part in parts[1:])]
        for n in range(1, len(parts) - 1):
            one, least, other = levels[n - 1 : n + 2]
            low, part, high = parts[n - 1 : n + 2]
            if least <= min(one, other):
                slope = max((one - least) / (part - low), (other - least) / (high - part))
                if least <= 2.0 * slope * (high - low):
                    self._find_passing(low, high, end)
        for part, is_least in ((0.0, levels[0] < levels[1]), (1.0, levels[-1] < levels[-2])):
            if is_least:
                self._firmness_inside(part)
                if known.away < np.inf:
                    self._list_passing(end)
        self.state = state
        for name in ("level", "since", "steepest", "last", "when", "lowest"):
            setattr(known, name, before[name])

    def _find_passing(self, low: float, high: float, end: float) -> None:
        """The conditions are less firm at a part in between than at both others.

        By golden sections, until a state is near enough to a singular position to say when it
        comes, if there is one.
        """
        known, golden = self.known, 0.6180339887498949
        parts, levels = (
            [high - golden * (high - low), low + golden * (high - low)],
            [np.inf, np.inf],
        )
        levels[1] = self._firmness_inside(parts[1])
        if known.away == np.inf:
            levels[0] = self._firmness_inside(parts[0])
        for _ in range(SECTIONS):
            if known.away < np.inf:
                break
            if levels[0] < levels[1]:
                high, parts[1], levels[1] = parts[1], parts[0], levels[0]
                parts[0] = high - golden * (high - low)
                levels[0] = self._firmness_inside(parts[0])
            else:
                low, parts[0], levels[0] = parts[0], parts[1], levels[1]
                parts[1] = low + golden * (high - low)
                levels[1] = self._firmness_inside(parts[1])
        if known.away == np.inf:
            return
        for _ in range(2):  # the nearer, the better
            seen = dict(vars(known))
            self._firmness_inside(max(0.0, min((known.passing - self.t) / self.h, 1.0)))
            if known.away == np.inf:  # what the method errs is more than the distance
                vars(known).update(seen)
        self._list_passing(end)

    def _list_passing(self, end: float) -> None:
        """Lists the singular position seen last, if it is one of the step and not listed yet."""
        known = self.known
        slack = 1e-3 * known.near / self.h
        part = (known.passing - self.t) / self.h
        apart = max(known.apart, slack * self.h)
        if -slack <= part <= min(1.0 + slack, end) and abs(known.passing - known.passed) >= apart:
            part = max(0.0, min(part, 1.0))
            known.passed, known.apart = known.passing, known.near
            away, probes = known.near / (len(SMOOTH) * self.h), len(SMOOTH)
            if probes * away < part < 1.0 - probes * away:  # by states that are regular
                pairs = [
                    (self._inside(part - k * away), self._inside(part + k * away))
                    for k in (1, 2, 3)
                ]
                weighed = tuple(zip(SMOOTH, pairs, strict=True))
                state: Any = [sum(0.5 * w * (x[i] + y[i]) for w, (x, y) in weighed) for i in (0, 1)]
            else:
                state = self._inside(part)
            self.found.append((float(min(known.passing, self.end)), self.events, *state))

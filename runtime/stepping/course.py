"""Where a motion stands, what acts on it, and what of it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..evaluation.arrays import Floats
from .closing import Known
from .moved import Moved
from .outcomes import FAILED
from .schemes import Scheme

#: Values at a time, a position and speeds.
Law = Callable[[float, Floats, Floats], Any]

#: A law, the places of its values, and whether it acts at instants alone.
Controller = tuple[Law, Sequence[tuple[int, int]], bool]


class Course:
    """The state of a motion and what it carries; see `Motion`."""

    model: Moved
    of: Scheme
    w: Any
    given: list[Floats]
    controllers: Sequence[Controller]
    due: Any
    watcher: Law | None
    q: Floats
    v: Floats
    u: Floats
    x: Floats
    k_q: Floats
    k_v: Floats
    at_q: Floats
    at_v: Floats
    t: float
    h: float
    to: float
    start: float
    end: float
    dt: float
    whole: int
    rest: float
    done: int
    stride: int
    rtol: float
    atol: float
    max_step: float
    times: Any
    jumps: Sequence[Sequence[float]]
    leg: int
    anew: bool
    state: int
    since: float
    rows: list[tuple[Floats, Floats]]
    inputs: list[list[float]]
    found: list[tuple[float, int, Floats, Floats]]
    closes: bool
    known: Known
    moves: Any
    size: float
    before: float
    shrunk: bool

    def _seen_at(self, t: float) -> float:
        """A time between two jumps of the laws as they see it: never from the other side of one."""
        if self.leg > 0 and t < self.jumps[self.leg - 1][2]:
            return self.jumps[self.leg - 1][2]
        return min(t, self.jumps[self.leg][0]) if self.leg < len(self.jumps) else t

    def _act(self, due: Iterable[Any], t: float, q: Floats, v: Floats) -> None:
        """Sets what the controllers that are due give at a state."""
        for (law, places, _), acts in zip(self.controllers, due, strict=False):
            if acts:
                values = np.atleast_1d(law(self._seen_at(t), q, v))
                for (i, k), value in zip(places, values, strict=False):
                    self.given[i][k] = value

    def _act_at_stage(self, t: float, q: Floats, v: Floats) -> None:
        """Sets what controllers give that act at all times."""
        always = [not sampled for _, _, sampled in self.controllers]
        if any(always):
            self._act(always, t, q, self._row_speeds(self._seen_at(t), q, v))

    def _pass_jump(self) -> bool:
        """Behind a jump of the laws the motion starts anew, and controllers that are due act."""
        self.anew = self.leg < len(self.jumps) and self.t >= self.jumps[self.leg][0]
        if self.anew:
            self.leg += 1
            if self.controllers:
                due = self.due[self.leg - 1]
                self._act(due, self.t, self.q, self._row_speeds(self.t, self.q, self.v))
                if not all(np.isfinite(self.given[i][k]) for i, k in self._places(due)):
                    self.state = FAILED
        return self.anew

    def _places(self, due: Iterable[Any]) -> list[tuple[int, int]]:
        """The places of what those give that are due."""
        each = zip(self.controllers, due, strict=False)
        return [place for (_, places, _), acts in each if acts for place in places]

    def _record(self, t: float, q: Floats, v: Floats) -> None:
        """A state to be kept, and what controllers give there."""
        self.rows.append((q.copy(), v.copy()))
        if self.controllers:
            always = [not sampled for _, _, sampled in self.controllers]
            self._act(always, t, q, self._row_speeds(t, q, v))
            every = self._places([True] * len(self.controllers))
            self.inputs.append([self.given[i][k] for i, k in every])

    def _row_speeds(self, t: float, q: Floats, v: Floats) -> Floats:
        """The speeds of a state, which follow from joint momenta."""
        if not self.model.speeds:
            return v
        found = np.zeros_like(v)
        self.model.speeds(np.array([t]), q, v, found, self.given, self.w)
        return found

    def _grid_end(self) -> float:
        """When the step of fixed length ends that is under way."""
        last = self.done + 1 >= self.whole + (self.rest > 0.0)
        return self.end if last else self.start + (self.done + 1) * self.dt

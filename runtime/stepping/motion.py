"""Motions by the explicit methods, in Python: what target `numpy` moves by.

Compiled code has the integrators in C (`mstmm_motion.c`); the two are written apart, and `validate`
compares them step by step.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...codegen.tableaus import MOST_STEPS, PATIENCE
from ..evaluation.arrays import Floats
from .closing import Known
from .course import Controller, Law
from .moved import Moved
from .outcomes import DONE, ENDLESS, NOT_FINITE, STOPPED, TOO_SMALL, UNDER_WAY
from .passings import Passings
from .schemes import SCHEMES


class Motion(Passings):
    """A motion on its way from one state.

    Methods of fixed steps take `whole` steps dt from `start` and, if it is not zero, one of length
    `rest`, which ends at `end`; every `stride` steps and the end are recorded; the `first` steps
    were done before. The others go from `start` to `end` in steps of `max_step` at most, if it is
    not zero, and record at `times`. `jumps` are the times at which laws jump or bend, with the
    nearest ones that are before and after them for sure: (before, time, after). No step passes one,
    and no stage sees its other side. `controllers` are (law, places, sampled): values of law(t, q,
    v) go to given[i][k], (i, k) being their places; at all times, or where `sampled` at the jumps
    that are `due`, a row of truth values for each jump, and held between. `inputs` has all their
    values at the records. `watcher(t, q, v)` gives the values of event functions; what is found is
    (time, event, q, v). A `plain` motion of joint momenta is not kept on closed loops with impulses
    of the cuts of zero.
    """

    def __init__(
        self,
        model: Moved,
        method: int,
        q: Floats,
        v: Floats,
        given: Iterable[Floats] = (),
        *,
        start: float = 0.0,
        end: float,
        dt: float = 0.0,
        whole: int = 0,
        rest: float = 0.0,
        first: int = 0,
        stride: int = 1,
        rtol: float = 0.0,
        atol: float = 0.0,
        max_step: float = 0.0,
        times: Any = (),
        jumps: Sequence[Sequence[float]] = (),
        watcher: Law | None = None,
        direction: Any = (),
        terminal: Any = (),
        plain: bool = False,
        controllers: Sequence[Controller] = (),
        due: Any = (),
    ) -> None:
        self.model, self.of, self.w = model, SCHEMES[method], model.work(())
        self.given, self.controllers, self.due = [np.array(x) for x in given], controllers, due
        self.q, self.v = q.copy(), v.copy()
        self.start, self.end, self.dt, self.whole, self.rest = start, end, dt, whole, rest
        self.stride, self.rtol, self.atol, self.times = stride, rtol, atol, times
        self.max_step, self.jumps = max_step or np.inf, jumps
        self.watcher, self.direction, self.terminal = watcher, direction, terminal
        self.closes = model.closes and not plain
        self.u = np.zeros_like(v)
        self.t, self.h, self.done = start + first * dt, 0.0, first
        self.since = self.to = self.t
        self.leg, self.found, self.rows, self.inputs = 0, [], [], []
        self.shrunk, self.state, self.events = (
            False,
            UNDER_WAY,
            0 if direction is None else len(direction),
        )
        while self._pass_jump():
            pass
        self._record(self.t, self.q, self.v)
        self.known = Known(self.model.met.count if self.model.met else 0)
        self.known.passed = self.t
        self._look_around()
        self.moves = self._moving()
        self.x = np.zeros_like(self.q)
        self.k_q = np.zeros((self.of.stages, model.nq))
        self.k_v = np.zeros((self.of.stages, model.nv))
        self.values = self._watch(self.t, self.q, self.v) if watcher else None
        if self.of.adaptive:
            self._first_stage(True)
            self._guess()
            if not (np.isfinite(self.k_q[0]).all() and np.isfinite(self.k_v[0]).all()):
                self.state = NOT_FINITE

    def advance(self, steps: int) -> bool:
        """Goes on for so many steps at most, taken or not; true where it is still under way."""
        while steps > 0 and self.state == UNDER_WAY:
            self._aim()
            self._step_over(1 if self.of.adaptive else 0, self.h)
            if self._is_taken():
                q, v = self.at_q, self.at_v
                status = self._close(q, v, self.to)
                if status or self.state != UNDER_WAY:
                    self.state = status or self.state
                    break
                in_parts = not self.of.adaptive and self.to != self._grid_end()
                self._follow(q, v)
                if self.of.adaptive:
                    self._first_stage(self.closes or self.anew)
                if self.of.adaptive and self.anew:
                    self._guess()
                self.done -= in_parts
            self.done += 1
            steps -= 1
            if self.of.adaptive and self.done % PATIENCE == 0:
                self._see_progress()
        return self.state == UNDER_WAY

    def _see_progress(self) -> None:
        """Ends a motion that would take more than `MOST_STEPS` steps at its present pace."""
        come, left = self.t - self.since, self.end - self.t
        if self.state == UNDER_WAY and left * PATIENCE > come * MOST_STEPS:
            self.state = ENDLESS
        self.since = self.t

    def _aim(self) -> None:
        """How long the next step is and when it ends, at a jump of the laws at the latest."""
        end = self.end if self.of.adaptive else self._grid_end()
        jumps = self.leg < len(self.jumps) and self.jumps[self.leg][2] < end
        end = self.jumps[self.leg][1] if jumps else end
        self.h, self.to = end - self.t, end
        if self.of.adaptive:
            size = min(self.size, self.max_step / 1.01)
            if 1.01 * size < end - self.t:
                self.h, self.to = size, self.t + size
        elif not jumps and self.t == self.start + self.done * self.dt:
            self.h = self.dt if self.done < self.whole else self.rest

    def _is_taken(self) -> bool:
        """Is the step taken?"""
        if self.state != UNDER_WAY:
            return False
        sound = bool(np.isfinite(self.at_q).all() and np.isfinite(self.at_v).all())
        if not self.of.adaptive:
            self.state = UNDER_WAY if sound else NOT_FINITE
            return sound
        if not self._judge(sound):
            too_small = 16.0 * np.finfo(float).eps * abs(self.t), np.finfo(float).tiny
            if self.size <= too_small[0] or self.size < too_small[1]:
                self.state = TOO_SMALL
            return False
        return True

    def _judge(self, sound: bool) -> bool:
        """Is the step taken? Says how long the next one is: proportional-integral control.

        With the exponents of Hairer, Norsett and Wanner.
        """
        e_q, e_v = self.h * (self.of.error @ self.k_q), self.h * (self.of.error @ self.k_v)
        error = np.sqrt(
            self._squares(e_q, e_v, self.at_q, self.at_v) / (self.model.nq + self.model.nv)
        )
        if sound and error <= 1.0:
            factor = 0.9 * max(error, 1e-300) ** (0.75 * 0.04 - 0.2) * self.before**0.04
            self.size = self.h * max(0.2, min(factor, 1.0 if self.shrunk else 10.0))
            self.before, self.shrunk = max(error, 1e-4), False
            return True
        self.size = self.h * (max(0.2, 0.9 * error**-0.2) if sound and np.isfinite(error) else 0.2)
        self.shrunk = True
        return False

    def _follow(self, q: Floats, v: Floats) -> None:
        """What the step passes: events, records, perhaps the end."""
        last = self.to >= self.end
        part = self._happen(q, v) if self.watcher else 2.0
        stops = part <= 1.0
        if self.closes:
            self._find_passings(q, part)
        now = self.t + part * self.h if stops else self.to
        while (
            self.of.adaptive
            and len(self.rows) < len(self.times)
            and self.times[len(self.rows)] < now
        ):
            at = self.times[len(self.rows)]
            self._record(at, *self._inside((at - self.t) / self.h))
        if part < 1.0:
            q, v = self._inside(part)
        if self.of.adaptive:
            due = len(self.rows) < len(self.times) and self.times[len(self.rows)] == now
        else:
            due = now == self._grid_end() and (self.done + 1) % self.stride == 0
        self.t, self.q, self.v = now, q, v
        if self.state == UNDER_WAY:
            self.state = STOPPED if stops else DONE if last else UNDER_WAY
        self._pass_jump()
        if due or last or stops:
            self._record(now, q, v)

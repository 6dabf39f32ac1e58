"""The stages of a step, and what moves a state, also beside singular positions of loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...symbolic.language.tolerances import AROUND, LONGEST_STEP, NEAREST, WIDENINGS
from ..evaluation.arrays import Floats
from .closing import ACCELERATION, CORRECTION, SMOOTH, close, close_motion, close_place
from .course import Course
from .outcomes import DONE, UNDECIDED
from .turning import turn, turn_rate


class Stages(Course):
    """Steps by the stages of an explicit method."""

    def _displace(self, weights: Floats, h: float) -> None:
        """Into at_q, at_v: where the weighted stages lead in h; into x the increments."""
        self.at_v = self.v + h * (weights @ self.k_v[: len(weights)])
        self.x = h * (weights @ self.k_q[: len(weights)])
        self.at_q = self.q + self.x
        turned = self.model.turn_q
        if self.of.curved and len(turned):
            self.at_q[turned] = turn(self.q[turned], self.x[turned[:, :3]])

    def _speeds(self) -> Floats:
        """The speeds at (at_q, at_v), which follow from joint momenta."""
        return self.u if self.model.speeds else self.at_v

    def _increment_rates(self, s: int) -> None:
        """The rates of the increments at (at_q, at_v)."""
        self.model.rates(self.at_q, self._speeds(), self.k_q[s], self.w)
        turned = self.model.turn_q
        if self.of.curved and len(turned):
            rate = turn_rate(self.x[turned[:, :3]], self._speeds()[self.model.turn_v])
            self.k_q[s][turned[:, :3]] = rate
            self.k_q[s][turned[:, 3]] = 0.0

    def _stage(self, s: int, t: float, is_closed: bool = False) -> None:
        """The rates of the stage at (at_q, at_v)."""
        self._act_at_stage(t, self.at_q, self.at_v)
        self._accelerate(self._seen_at(t), self.at_q, self.at_v, self.k_v[s], is_closed)
        self._increment_rates(s)

    def _accelerate(
        self, t: float, q: Floats, v: Floats, a: Floats, is_closed: bool = False
    ) -> None:
        """What moves the state at (t, q, v), which is closed, or one of a step's stages."""
        of, known = self.model, self.known
        if not of.met:
            of.accelerations(np.array([t]), q, v, self.u, a, self.given, self.w)
            return
        for times in range(of.conditions + 2):
            of.met.forget()
            of.met.bound(None if is_closed else known.floor[ACCELERATION])
            of.accelerations(np.array([t]), q, v, self.u, a, self.given, self.w)
            if is_closed or not known.is_miscounted(of, ACCELERATION, times):
                break
        of.met.bound(None)
        known.note(of, t, self.h, is_closed)
        if known.is_singular(of, ACCELERATION):
            self._beside(t, q, v, ACCELERATION, (self.u, a))
        elif is_closed:
            known.learn(of, ACCELERATION)

    def _at(
        self, k_s: float, t: float, q: Floats, v: Floats, rate: Floats, what: int
    ) -> tuple[tuple[Floats, Floats], bool, float]:
        """The closed state k s after (q, v): what is looked for there, and how firm it is."""
        of, now = self.model, np.array([self._seen_at(t + k_s)])
        q, v = q + k_s * rate, v.copy()
        u, a = np.zeros(of.nv), np.zeros(of.nv)
        if of.retract:
            of.retract(q.copy(), q, self.w)
        status, opening = close_place(of, now, q, v, self.given, self.w, self.known, 1)
        if not status and (what == CORRECTION or not of.speeds):
            status = close_motion(of, now, q, v, opening, self.given, self.w, None)
        if not status and what == CORRECTION and of.speeds:
            of.correction(now, q, np.zeros(of.conditions), u, self.given, self.w)
        if not status and what == ACCELERATION:
            of.met.forget()
            of.accelerations(now, q, v, u, a, self.given, self.w)
        sound = not status and not self.known.is_singular(of, what)
        return (q, v) if what == CORRECTION else (u, a), sound, self.known.firmness(of, what)

    def _beside(
        self, t: float, q: Floats, v: Floats, what: int, into: tuple[Floats, Floats]
    ) -> None:
        """Fills `into` from both sides: the closed state (q, v), or what moves it (u, a).

        Where no state beside it is regular, it stays as it is, and if it cannot do without, the
        motion comes to its end.
        """
        of, rate, speeds = self.model, np.empty(self.model.nq), v
        lost = of.met.recall().loses(self.known.regular[what])
        if of.speeds:
            speeds = np.zeros(of.nv)
            of.speeds(np.array([t]), q, v, speeds, self.given, self.w)
        of.rates(q, speeds, rate, self.w)
        found, sound, _ = self._at(0.0, t, q, v, rate, what)
        if sound:
            for to, value in zip(into, found, strict=False):
                to[...] = value
            return
        longest = np.max(np.abs(speeds))
        for wider in range(WIDENINGS if longest > 0.0 else 0):
            s = NEAREST * 2.0**wider / longest
            sums: list[Any] = [0.0, 0.0]
            offset = 0.0
            for k, weight in enumerate(SMOOTH, start=1):
                before, is_before, one = self._at(-k * s, t, q, v, rate, what)
                after, is_after, other = self._at(k * s, t, q, v, rate, what)
                if not (is_before and is_after):
                    break
                each = zip(sums, before, after, strict=True)
                sums = [x + 0.5 * weight * (y + z) for x, y, z in each]
                offset += weight * k * s * (one - other) / (one + other)
            else:
                for to, smooth in zip(into, sums, strict=True):
                    to[...] = smooth
                if what == CORRECTION and of.retract:
                    of.retract(q.copy(), q, self.w)
                if abs(offset) < self.known.away:
                    self.known.away, self.known.passing = abs(offset), t + offset
                    self.known.near = len(SMOOTH) * s
                return
        if lost:
            self.state = UNDECIDED

    def _look_around(self) -> None:
        """How firm the conditions are near where the motion begins, however firm they are there.

        Without it one that begins in a singular position would take that for the rule.
        """
        of, t = self.model, np.array([self.t])
        for shift in range(3 if of.met else 0):
            change = AROUND * np.sin(1.0 + 7.3 * shift + 2.4 * np.arange(of.nv)) * (shift > 0)
            q, moved, still = self.q.copy(), np.empty(of.nq), np.zeros(of.nv)
            of.rates(q, change, moved, self.w)
            q += moved
            if of.retract:
                of.retract(q.copy(), q, self.w)
            if close_place(of, t, q, still, self.given, self.w, None, 1)[0]:
                continue
            of.met.forget()
            of.accelerations(t, q, still, self.u, np.empty(of.nv), self.given, self.w)
            self.known.learn(of, ACCELERATION)
            of.met.forget()
            of.correction(t, q, np.zeros(of.conditions), still, self.given, self.w)
            self.known.learn(of, CORRECTION)

    def _moving(self) -> Any:
        """Which coordinates move loops: how far a step goes is how far these do."""
        of = self.model
        moves = np.zeros(of.nq)
        if of.met:
            gap, other, opening = np.empty((3, of.conditions))
            of.constraints(np.array([self.t]), self.q, self.v, gap, opening, self.given, self.w)
            for j in range(of.nq):
                q = self.q + LONGEST_STEP * (np.arange(of.nq) == j)
                of.constraints(np.array([self.t]), q, self.v, other, opening, self.given, self.w)
                moves[j] = np.max(np.abs(other - gap), initial=0.0)
        return moves > 1e-9 * np.max(moves, initial=0.0)

    def _step_over(self, first: int, h: float) -> None:
        """One step, from this stage on, into at_q and at_v."""
        of = self.of
        for s in range(first, of.stages):
            self._displace(of.a[s], h)
            self._stage(s, self.t + of.c[s] * h, s == 0)
        if of.adaptive:
            return  # the last stage stands at the end
        if of.staggered:
            self.at_v = self.v + h * (of.b @ self.k_v)
            self._increment_rates(0)
        self._displace(of.b, h)
        if self.model.retract and not of.curved:
            self.model.retract(self.at_q.copy(), self.at_q, self.w)

    def _first_stage(self, anew: bool) -> None:
        """The first stage of the next step: the last one of the step before, unless anew."""
        self._displace(self.of.a[0], 0.0)
        if anew:
            self._stage(0, self.t, True)
            return
        self.k_v[0] = self.k_v[-1]
        self.k_q[0] = self.k_q[-1]
        turned = self.model.turn_q
        self.k_q[0][turned[:, :3]] = self._speeds()[self.model.turn_v]  # from here x is 0

    def _squares(self, e_q: Floats, e_v: Floats, q: Floats, v: Floats) -> Any:
        """The squares of errors by what is allowed from here to there, summed."""
        allowed_q = self.atol + self.rtol * np.maximum(np.abs(self.q), np.abs(q))
        allowed_v = self.atol + self.rtol * np.maximum(np.abs(self.v), np.abs(v))
        return np.sum((e_q / allowed_q) ** 2) + np.sum((e_v / allowed_v) ** 2)

    def _guess(self) -> None:
        """How long the step is where it starts anew, by how fast the state changes."""
        self.before = 1e-4
        size = self._squares(self.q, self.v, self.q, self.v)
        rate = self._squares(self.k_q[0], self.k_v[0], self.q, self.v)
        self.size = 0.01 * np.sqrt(size / rate) if size > 0.0 and rate > 0.0 else 1e-6

    def _close(self, q: Floats, v: Floats, t: float) -> int:
        """Closes the loops of a state in place, if it is to be kept closed."""
        if not self.closes:
            return DONE
        status = close(self.model, np.array([t]), q, v, self.given, self.w, self.known)
        if status == UNDECIDED:
            self._beside(t, q, v, CORRECTION, (q, v))
            return DONE
        return status

    def _inside(self, part: float) -> tuple[Floats, Floats]:
        """The state after a part of the step: from the continuous result, or by a shorter step."""
        if self.of.adaptive:
            self._go_inside(part)
        else:
            self._step_over(0, part * self.h)
        self._close(self.at_q, self.at_v, self.t + part * self.h)
        return self.at_q.copy(), self.at_v.copy()

    def _go_inside(self, part: float) -> None:
        """The state after a part of the step, by the continuous result."""
        rest = 1.0 - part
        weights = part * part * ((3.0 - 2.0 * part) * self.of.b + rest * rest * self.of.dense)
        weights[0] += part * rest * rest
        weights[-1] -= part * part * rest
        self._displace(weights, self.h)

"""Motions by Radau IIA, the implicit method, in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...codegen.tableaus import KEPT, MOST_ITERATIONS
from ..evaluation.arrays import Floats
from .motion import Motion
from .moved import Moved
from .schemes import BACK, EIGENVALUE, INVERSE, PAIR, TRANSFORM

#: Derivatives of the accelerations at a time and state, and what is held.
Tangents = Callable[[Any, Floats, Floats, Any], Floats]

#: Where the three stages stand in what is kept of a step, the error, and the accelerations with
#: which the step before ended.
STAGE, ERROR, BEFORE = 1, 4, 5


class ImplicitMotion(Motion):
    """A motion by Radau IIA with the simplified Newton iterations of RADAU5.

    Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. IV.8. The increments x of
    the three stages meet A⁻¹ x = h k(x), k being the rates there; z = x / h are kept behind the
    first rates. `tangents(t, q, v, given)` are the derivatives of the accelerations: along the
    motions at each speed, and of the speeds. With each eigenvalue of A⁻¹, divided by h, as μ an
    iteration solves

        μ dx − dv = r,  μ dv − (a_x dx + a_v dv) = s

    for places and speeds by (μ² − μ a_v − a_x) dv = μ s + a_x r. How fast the axes of dx turn is
    left out, and so is what controllers say of the state: this slows the iterations, but does not
    move what they come to.
    """

    past: tuple[float, Floats, Floats] | None
    error: float
    eta: float
    iterations: int
    stale: bool
    fresh: bool
    failed: bool
    a_x: Floats
    a_v: Floats
    axes: Floats
    real: Any
    complex: Any

    def __init__(
        self,
        model: Moved,
        method: int,
        q: Floats,
        v: Floats,
        given: Iterable[Floats] = (),
        *,
        tangents: Tangents,
        **how: Any,
    ) -> None:
        self.tangents, self.past = tangents, None
        self.length = self.theta = 0.0
        self.places = np.setdiff1d(np.arange(model.nq), model.turn_q[:, 3])
        super().__init__(model, method, q, v, given, **how)

    def _guess(self) -> None:
        super()._guess()
        self.stale, self.fresh, self.eta, self.past, self.length = True, False, 1.0, None, 0.0
        self.theta, self.iterations = 0.0, 0

    def _first_stage(self, anew: bool) -> None:
        self.at_q, self.at_v, self.x = self.q.copy(), self.v.copy(), np.zeros_like(self.q)
        self._stage(0, self.t, True)

    def _leeway(self) -> Any:
        """How much larger an estimate may be than the error that is asked for.

        It is of order 3, not 5: as RADAU5 says it, 0.1 rtol^(2/3) for rtol; but not where the
        continuous result of quaternions is of order 3 too.
        """
        return 1.0 if len(self.model.turn_q) else 0.1 / np.cbrt(self.rtol)

    def _differentiate(self) -> None:
        """The derivatives at the state, and the axes of places there; none are taken for zero."""
        self._act_at_stage(self.t, self.q, self.v)
        found = self.tangents(np.array([self._seen_at(self.t)]), self.q, self.v, self.given)
        n = self.model.nv
        if not np.isfinite(found).all():
            found = np.zeros_like(found)
        self.a_x, self.a_v = found[:, :n], found[:, n : 2 * n]
        self.axes = np.eye(n)
        if len(self.model.turn_q):
            rate, turning = np.empty(self.model.nq), self.model.turn_v.ravel()
            for k in range(n):
                self.model.rates(self.q, np.eye(n)[k], rate, self.w)
                self.axes[:, k] = rate[self.places]
            self.axes[turning] = np.eye(n)[turning]
        self.stale, self.fresh, self.length = False, True, 0.0

    def _solve(self, inverse: Any, mu: complex, r: Any, s: Any) -> tuple[Any, Any]:
        """(dx, dv) of one system."""
        r = self.axes.T @ r
        dv = inverse @ (mu * s + self.a_x @ r)
        return self.axes @ ((r + dv) / mu), dv

    def _polynomial(self, part: float) -> Floats:
        """How much each stage weighs after a part of the step, on the polynomial through all."""
        c = self.of.c[STAGE : STAGE + 3]
        others = [(1, 2), (2, 0), (0, 1)]
        return np.array(
            [
                part * (part - c[j]) * (part - c[k]) / (c[i] * (c[i] - c[j]) * (c[i] - c[k]))
                for i, (j, k) in enumerate(others)
            ]
        )

    def _go_inside(self, part: float) -> None:
        """The state after a part of the step.

        Coordinates that are moved by speeds of their own follow the polynomial of degree 5 through
        places, speeds and accelerations at both ends, and the speeds its derivative; quaternions,
        and what turns with them, the polynomial through the stages.
        """
        h, stages = self.h, slice(STAGE, ERROR)
        self._displace(np.concatenate([[0.0], self._polynomial(part)]), h)
        if len(self.model.turn_q):
            return
        v, a, last = self.v, h * self.k_v[BEFORE], h * (INVERSE[2] @ self.k_v[stages])
        D, E, F = self.k_q[ERROR - 1] - v - 0.5 * a, h * self.k_v[ERROR - 1] - a, last - a
        c3, c4, c5 = 10 * D - 4 * E + 0.5 * F, -15 * D + 7 * E - F, 6 * D - 3 * E + 0.5 * F
        self.at_q = self.q + h * part * (
            v + part * (0.5 * a + part * (c3 + part * (c4 + part * c5)))
        )
        self.at_v = v + part * (a + part * (3 * c3 + part * (4 * c4 + part * 5 * c5)))

    def _displace_to(self, kept: int, h: float) -> None:
        """Into at_q, at_v: the state of what is kept there."""
        self._displace(np.eye(KEPT)[kept], h)

    def _step_over(self, first: int, h: float) -> None:
        """One step, into at_q and at_v, with its error; `failed` where there is none."""
        if self.stale:
            self._differentiate()
        self.failed, self.error = False, np.inf
        self.k_q[STAGE:], self.k_v[STAGE:] = 0.0, 0.0
        self.k_v[BEFORE] = INVERSE[2] @ self.past[2] if self.past else self.k_v[0]
        if self.length != h:
            try:
                self.real, self.complex = (
                    np.linalg.inv(mu * mu * np.eye(self.model.nv) - mu * self.a_v - self.a_x)
                    for mu in (EIGENVALUE / h, PAIR / h)
                )
            except np.linalg.LinAlgError:
                self.failed = True
                return
            self.length = h
        if self.past:
            self._expect(h)
        self.failed = not self._find_stages(h)
        if self.failed:
            return
        self._displace_to(STAGE + 2, h)
        self._weigh_error(self.k_q[0], self.k_v[0], h)
        # stiff parts are damped once more
        if self.error > 1.0 and (self.shrunk or self.past is None):
            kept = self.k_q[0].copy(), self.k_v[0].copy()
            self._displace_to(ERROR, h)
            self._stage(0, self.t, False)
            again = self.k_q[0].copy(), self.k_v[0].copy()
            self.k_q[0], self.k_v[0] = kept
            self._displace_to(STAGE + 2, h)
            self._weigh_error(*again, h)

    def _expect(self, h: float) -> None:
        """The stages as the step before goes on."""
        assert self.past
        before, past_q, past_v = self.past
        for s in range(STAGE, STAGE + 3):
            weights = self._polynomial(1.0 + h / before * self.of.c[s]) - np.eye(3)[2]
            self.k_q[s], self.k_v[s] = (before / h * (weights @ x) for x in (past_q, past_v))

    def _find_stages(self, h: float) -> bool:
        """Newton's iterations; do they come to an end?"""
        rtol, last, before = self._leeway() * self.rtol, 0.0, 0.0
        enough = max(10.0 * np.finfo(float).eps / rtol, min(0.03, np.sqrt(rtol)))
        self.eta = max(self.eta, np.finfo(float).eps) ** 0.8
        for n in range(1, MOST_ITERATIONS + 1):
            norm = self._iterate(h)
            rate = norm / last if n > 1 else 0.0
            self.theta, self.iterations = np.sqrt(rate * before) if n > 2 else rate, n
            if n > 1 and self.theta < 0.99:
                self.eta = self.theta / (1.0 - self.theta)
            if self.eta * norm <= enough:
                return True
            late = n > 1 and self.eta * norm * self.theta ** (MOST_ITERATIONS - n) > enough
            if late or not self.theta < 0.99 or not norm < np.inf:
                return False
            last, before = norm, rate
        return False

    def _iterate(self, h: float) -> Any:
        """One iteration; how far it moves the stages, 1 being what is allowed as an error."""
        first = self.k_q[0].copy(), self.k_v[0].copy()
        rates = []
        for k in range(STAGE, STAGE + 3):
            self._displace_to(k, h)
            self._stage(0, self.t + self.of.c[k] * h, False)
            rates.append((self.k_q[0][self.places], self.k_v[0].copy()))
        self.k_q[0], self.k_v[0] = first
        z_q, z_v = self.k_q[STAGE:ERROR, self.places], self.k_v[STAGE:ERROR]
        f_q, f_v = (np.array(each) for each in zip(*rates, strict=True))
        r, s = (BACK @ (f - INVERSE @ z) for f, z in ((f_q, z_q), (f_v, z_v)))
        dx, dv = self._solve(self.real, EIGENVALUE / h, r[0], s[0])
        cx, cv = self._solve(self.complex, PAIR / h, r[1] + 1j * r[2], s[1] + 1j * s[2])
        moved_q = TRANSFORM @ np.array([dx, cx.real, cx.imag])
        moved_v = TRANSFORM @ np.array([dv, cv.real, cv.imag])
        self.k_q[STAGE:ERROR, self.places] += moved_q / h
        self.k_v[STAGE:ERROR] += moved_v / h
        rtol, atol = self._leeway() * self.rtol, self._leeway() * self.atol
        allowed_q = atol + rtol * np.abs(self.q[self.places])
        total = np.sum((moved_q / allowed_q) ** 2) + np.sum(
            (moved_v / (atol + rtol * np.abs(self.v))) ** 2
        )
        return np.sqrt(total / (3 * (self.model.nq + self.model.nv)))

    def _weigh_error(self, f_q: Floats, f_v: Floats, h: float) -> None:
        """The error from rates: (μ − J) e = f + the weighted increments."""
        weights = self.of.error[STAGE:ERROR]
        r, s = (f + weights @ k[STAGE:ERROR] for f, k in ((f_q, self.k_q), (f_v, self.k_v)))
        e_q = np.zeros(self.model.nq)
        e_q[self.places], e_v = self._solve(self.real, EIGENVALUE / h, r[self.places], s)
        self.k_q[ERROR], self.k_v[ERROR] = e_q / h, e_v / h
        total = self._squares(e_q, e_v, self.at_q, self.at_v)
        self.error = np.sqrt(total / (self.model.nq + self.model.nv)) / self._leeway()

    def _judge(self, sound: bool) -> bool:
        """Is the step taken? Says how long the next one is: Gustafsson's predictive control."""
        h, error, before = self.h, self.error, self.past[0] if self.past else 0.0
        if not sound or self.failed or not error < np.inf:
            self.size = h * (0.5 if self.fresh else 1.0)
            self.stale, self.shrunk = not self.fresh, True
            return False
        safety = 0.9 * (2.0 * MOST_ITERATIONS + 1.0) / (2.0 * MOST_ITERATIONS + self.iterations)
        if error > 1.0:
            self.size = h * (max(0.2, min(0.9, safety * error**-0.25)) if self.past else 0.1)
            self.stale, self.shrunk = not self.fresh, True
            return False
        factor = safety * max(error, 1e-10) ** -0.25
        if self.past:
            factor = min(
                factor, safety * h / before * (self.before / max(error * error, 1e-20)) ** 0.25
            )
        factor = max(0.2, min(factor, 1.0 if self.shrunk else 8.0))
        self.stale, self.fresh = self.theta > 1e-3, False
        self.size = h * (1.0 if not self.stale and 1.0 <= factor <= 1.2 else factor)
        self.before, self.shrunk = max(error, 1e-2), False
        stages = slice(STAGE, ERROR)
        self.past = h, self.k_q[stages].copy(), self.k_v[stages].copy()
        return True

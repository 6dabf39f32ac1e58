"""Motions of multibody systems: integrators, events, and loops that stay closed.

The same for every model that mstmm writes. Needs NumPy alone. A model is its module's `MODEL`:
functions that fill their results, in which `u` are speeds, and `v` speeds or joint momenta.
"""

import numpy as np

DONE, NOT_FINITE, OPEN, TOO_SMALL, UNDER_WAY, STOPPED, FAILED, ENDLESS, UNDECIDED = range(9)


class Method:
    """A method of integration: coefficients of its stages, and what its increments mean.

    Stage i stands at c_i h, moved by x = h Σ_j a_ij k_j, k_i being the rates there; the step ends
    with b for a_i. `error` weighs the stages for the error, `dense` for what a cubic lacks. One that
    is implicit keeps the first rates, what moves its stages by h, and the error for stages.
    """

    def __init__(self, stages, curved, staggered, adaptive, implicit, a, b, c, error, dense):
        self.stages, self.curved, self.staggered = stages, curved, staggered
        self.adaptive, self.implicit = adaptive, implicit
        self.a = [np.array(row) for row in a]
        self.b, self.c = np.array(b), np.array(c)
        self.error, self.dense = np.array(error), np.array(dense)


METHODS = (
    # rk4: classical Runge-Kutta; quaternions are brought back to unit length (Riccati paper, Sect. 5.1)
    Method(
        4,
        False,
        False,
        False,
        False,
        [
            [],
            [1.0 / 2.0],
            [0.0, 1.0 / 2.0],
            [0.0, 0.0, 1.0],
        ],
        [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        [0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0],
        [],
        [],
    ),
    # euler: semi-implicit Euler: the speeds first, the coordinates with the new ones (own)
    Method(
        1,
        True,
        True,
        False,
        False,
        [
            [],
        ],
        [1.0],
        [0.0],
        [],
        [],
    ),
    # rkmk4: Munthe-Kaas: Runge-Kutta on increments of the orientations (screw paper (89), (90))
    Method(
        4,
        True,
        False,
        False,
        False,
        [
            [],
            [1.0 / 2.0],
            [0.0, 1.0 / 2.0],
            [0.0, 0.0, 1.0],
        ],
        [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
        [0.0, 1.0 / 2.0, 1.0 / 2.0, 1.0],
        [],
        [],
    ),
    # dopri5: Dormand-Prince 5(4) with a continuous result of order 4 (Dormand and Prince 1980; Shampine 1986)
    Method(
        7,
        True,
        False,
        True,
        False,
        [
            [],
            [1.0 / 5.0],
            [3.0 / 40.0, 9.0 / 40.0],
            [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
            [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
            [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
        ],
        [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0],
        [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
        [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0],
        [-12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0, 701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0],
    ),
    # radau5: Radau IIA, implicit, for stiff motion (Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. IV.8)
    Method(
        6,
        True,
        False,
        True,
        True,
        [
        ],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.1550510257216822, 0.6449489742783178, 1.0],
        [1.0, -10.048809399827416, 1.382142733160749, -0.3333333333333333],
        [],
    ),
)


class Model:
    """A model as motions see it.

    `turn_q`, `turn_v`: where quaternions stand in q, and the angular velocities that turn them in
    v. `work` makes a workspace w. A model has functions for what it has:

        rates          q' from the speeds: (q, u, qd, w)
        accelerations  v' at (t, q, v), and into u the speeds where v are joint momenta, of which
                       v' are then the rates: (t, q, v, u, vd, given, w)
        retract        q with quaternions of unit length: (q, unit, w)
        speeds         of joint momenta: (t, q, p, u, given, w)
        constraints    how far loops are open, and how fast: (t, q, v, phi, phid, given, w)
        correction     the speeds, least in the kinetic energy, that close such openings in unit
                       time: (t, q, phi, u, given, w)
        regauge        the joint momenta of the same motion with impulses of the cuts of zero:
                       (t, q, p, gauged, given, w)
        met            what solves for multipliers have met: the least pivot, and the rank
    """

    retract = speeds = constraints = correction = regauge = met = None

    def __init__(self, nq, nv, work, closed=(), turn_q=(), turn_v=(), **functions):
        self.nq, self.nv, self.work = nq, nv, work
        self.closed, self.conditions = np.array(closed), len(closed)
        self.turn_q = np.array(turn_q, dtype=int)[:, None] + np.arange(4)
        self.turn_v = np.array(turn_v, dtype=int)[:, None] + np.arange(3)
        self.__dict__.update(functions)


def close(model, t, q, v, given, w, known=None, tight=0):
    """Closes the loops near one state in place.

    Gauss-Newton: the coordinates move by corrections until the loops are closed, `tight` ones more,
    then the speeds are corrected, or the joint momenta become those of the same motion with impulses
    of the cuts of zero. DONE, or NOT_FINITE, or OPEN when the loops cannot be closed from there, or
    UNDECIDED, with the state as it is, where `known` says that the conditions are singular.
    """
    status, opening = _close_place(model, t, q, v, given, w, known, tight)
    return status or _close_motion(model, t, q, v, opening, given, w, known)


def _close_place(model, t, q, v, given, w, known, tight):
    """Closes the loops in place; what becomes of it, and how fast they open."""
    gap, opening = np.empty(model.conditions), np.empty(model.conditions)
    change, moved, still = np.zeros(model.nv), np.empty(model.nq), np.zeros(model.nv)
    marks = known and not tight
    for _ in range(50):
        model.constraints(t, q, still if model.speeds else v, gap, opening, given, w)
        is_open = np.any(np.abs(gap) > model.closed)
        if not is_open and tight <= 0:
            return DONE, opening
        tight -= not is_open
        for times in range(model.conditions + 2):
            model.met.forget()
            model.met.floor = known.floor[CORRECTION] if known else 0.0
            model.correction(t, q, gap, change, given, w)
            if not (known and known.is_miscounted(model, CORRECTION, times)):
                break
        model.met.floor = 0.0
        if not (np.isfinite(gap).all() and np.isfinite(change).all()):
            return NOT_FINITE, opening
        if marks and known.is_singular(model, CORRECTION):
            return UNDECIDED, opening
        change *= 0.5 / max(0.5, np.max(np.abs(change)))
        model.rates(q, change, moved, w)
        q += moved
        if model.retract:
            model.retract(q.copy(), q, w)
    return OPEN, opening


def _close_motion(model, t, q, v, opening, given, w, known):
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


# Where some conditions of the loops come to depend on the others, more than one motion leads on, and
# near it neither multipliers nor corrections can be had to more than a few digits. A motion goes on
# as smoothly as it came: there all that depends on the state along it is a smooth function, so that
# its value follows from those at closed states k s before and after, k = 1, 2, 3, with an error of
# order s^6. These states are regular.

ACCELERATION, CORRECTION = range(2)
SMOOTH = (1.5, -0.6, 0.1)  # even polynomials of degree 4 at 0


class Known:
    """What is known of the conditions of a motion's loops, by solves for accelerations and for corrections.

    Their rank, and their least pivot where that was largest. `level`: the root of that pivot where
    the step began at `since`; `lowest` among the stages from there on, how fast it changed between them
    at most, and the last, of `when`. `passing`: when the singular position comes that was seen last,
    `away` so far, seen within `near`; the last one listed, and how far apart others are.
    `floor`: the pivot of a condition that follows from others, where loops were open last.
    """

    def __init__(self):
        self.rank, self.firm, self.floor = [0, 0], [0.0, 0.0], [0.0, 0.0]
        self.level, self.since, self.when = 0.0, -np.inf, 0.0
        self.lowest = self.last = self.steepest = 0.0
        self.passing, self.away, self.near, self.passed, self.apart = 0.0, np.inf, 0.0, 0.0, 0.0

    def is_singular(self, model, what):
        """Were the conditions singular, or as good as that, in what was solved last?"""
        return model.met.rank < self.rank[what] or model.met.least < 1e-05 * self.firm[what]

    def firmness(self, model, what):
        """How firm the conditions are in what was solved last, as a length: its sign changes in between."""
        return 0.0 if model.met.rank < self.rank[what] else np.sqrt(model.met.least)

    def is_miscounted(self, model, what, times):
        """Is what was solved last to be solved again, with another floor?

        Where loops are open, as at a step's stages, a condition that follows from the others seems to be one
        of its own, which nothing can keep. So no more of them count than where the loops are closed, those
        with the largest pivots.
        """
        more = 0 < self.rank[what] < model.met.rank
        fewer = not times and model.met.rank < self.rank[what] and self.floor[what] > 0.0
        if more or fewer:
            self.floor[what] = model.met.least if more else 0.0
        return more or fewer

    def learn(self, model, what):
        """What was solved last, at a closed state, says how firm the conditions can be."""
        if model.met.rank > self.rank[what]:
            self.rank[what], self.firm[what] = model.met.rank, 0.0
        if model.met.rank == self.rank[what]:
            self.firm[what] = max(self.firm[what], model.met.least)

    def note(self, model, t, h, is_closed):
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


def _turn(Q, x):
    """Q exp(x), x being rotations in the bodies' axes: by series where the angle is small."""
    square = np.sum(x * x, axis=-1)
    near = square < 0.04
    angle = np.sqrt(np.where(near, 1.0, square))
    series = 0.5 - square * (
        1.0 / 48.0 - square * (1.0 / 3840.0 - square * (1.0 / 645120.0 - square / 185794560.0))
    )
    s = np.where(near, series, np.sin(0.5 * angle) / angle)[:, None]
    c = np.cos(0.5 * np.sqrt(square))[:, None]
    w, r = Q[:, :1], Q[:, 1:]
    scalar = w * c - np.sum(r * s * x, axis=-1, keepdims=True)
    return np.concatenate([scalar, r * c + (w * s * x + np.cross(r, s * x))], axis=-1)


def _turn_rate(x, u):
    """dexp⁻¹ of −x on the angular velocities u (screw paper (89)), in space alone.

    u + x × u / 2 + (1 − (a/2) cot(a/2)) / a² x × (x × u), a being the angle.
    """
    square = np.sum(x * x, axis=-1)
    near = square < 0.04
    half = 0.5 * np.sqrt(np.where(near, 1.0, square))
    series = 1.0 / 12.0 + square * (
        1.0 / 720.0 + square * (1.0 / 30240.0 + square * (1.0 / 1209600.0 + square / 47900160.0))
    )
    c = np.where(near, series, (1.0 - half / np.tan(half)) / np.where(near, 1.0, square))
    across = np.cross(x, u)
    return u + 0.5 * across + c[:, None] * np.cross(x, across)


class Motion:
    """A motion on its way from one state.

    Methods of fixed steps take `whole` steps dt from `start` and, if it is not zero, one of length
    `rest`, which ends at `end`; every `stride` steps and the end are recorded; the `first` steps
    were done before. The others go from `start` to `end` in steps of `max_step` at most, if it is
    not zero, and record at `times`. `jumps` are the times at which laws jump or bend, with the
    nearest ones that are before and after them for sure: (before, time, after). No step passes one,
    and no stage sees its other side.
    `controllers` are (law, places, sampled): values of law(t, q, v) go to given[i][k], (i, k) being
    their places; at all times, or where `sampled` at the jumps that are `due`, a row of truth values
    for each jump, and held between. `inputs` has all their values at the records.
    `watcher(t, q, v)` gives the values of event functions; what is found is (time, event, q, v). A
    `plain` motion of joint momenta is not kept on closed loops with impulses of the cuts of zero.
    """

    def __init__(self, model, method, q, v, given=(), *, start=0.0, end, dt=0.0, whole=0, rest=0.0,
                 first=0, stride=1, rtol=0.0, atol=0.0, max_step=0.0, times=(), jumps=(), watcher=None,
                 direction=(), terminal=(), plain=False, controllers=(), due=()):
        self.model, self.of, self.w = model, METHODS[method], model.work(())
        self.given, self.controllers, self.due = [np.array(x) for x in given], controllers, due
        self.q, self.v = q.copy(), v.copy()
        self.start, self.end, self.dt, self.whole, self.rest = start, end, dt, whole, rest
        self.stride, self.rtol, self.atol, self.times = stride, rtol, atol, times
        self.max_step, self.jumps = max_step or np.inf, jumps
        self.watcher, self.direction, self.terminal = watcher, direction, terminal
        self.closes = model.constraints is not None and not plain
        self.u = np.zeros_like(v)
        self.t, self.h, self.done = start + first * dt, 0.0, first
        self.since = self.to = self.t
        self.leg, self.found, self.rows, self.inputs = 0, [], [], []
        self.shrunk, self.state, self.events = False, UNDER_WAY, 0 if direction is None else len(direction)
        while self._pass_jump():
            pass
        self._record(self.t, self.q, self.v)
        self.known = Known()
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

    def advance(self, steps):
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
            if self.of.adaptive and self.done % 10000 == 0:
                self._see_progress()
        return self.state == UNDER_WAY

    def _see_progress(self):
        """Ends a motion that would take more than 100000000 steps at its present pace."""
        come, left = self.t - self.since, self.end - self.t
        if self.state == UNDER_WAY and left * 10000 > come * 100000000:
            self.state = ENDLESS
        self.since = self.t

    def _seen_at(self, t):
        """A time between two jumps of the laws, as these see it: never from the other side of one."""
        if self.leg > 0 and t < self.jumps[self.leg - 1][2]:
            return self.jumps[self.leg - 1][2]
        return min(t, self.jumps[self.leg][0]) if self.leg < len(self.jumps) else t

    def _act(self, due, t, q, v):
        """Sets what the controllers that are due give at a state."""
        for (law, places, _), acts in zip(self.controllers, due):
            if acts:
                for (i, k), value in zip(places, np.atleast_1d(law(self._seen_at(t), q, v))):
                    self.given[i][k] = value

    def _pass_jump(self):
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

    def _places(self, due):
        return [place for (_, places, _), acts in zip(self.controllers, due) if acts for place in places]

    def _record(self, t, q, v):
        self.rows.append((q.copy(), v.copy()))
        if self.controllers:
            always = [not sampled for _, _, sampled in self.controllers]
            self._act(always, t, q, self._row_speeds(t, q, v))
            every = self._places([True] * len(self.controllers))
            self.inputs.append([self.given[i][k] for i, k in every])

    def _row_speeds(self, t, q, v):
        """The speeds of a state, which follow from joint momenta."""
        if not self.model.speeds:
            return v
        found = np.zeros_like(v)
        self.model.speeds(np.array([t]), q, v, found, self.given, self.w)
        return found

    def _displace(self, weights, h):
        """Into at_q, at_v: the state that the weighted stages lead to in h; into x the increments."""
        self.at_v = self.v + h * (weights @ self.k_v[: len(weights)])
        self.x = h * (weights @ self.k_q[: len(weights)])
        self.at_q = self.q + self.x
        turned = self.model.turn_q
        if self.of.curved and len(turned):
            self.at_q[turned] = _turn(self.q[turned], self.x[turned[:, :3]])

    def _speeds(self):
        """The speeds at (at_q, at_v), which follow from joint momenta."""
        return self.u if self.model.speeds else self.at_v

    def _increment_rates(self, s):
        self.model.rates(self.at_q, self._speeds(), self.k_q[s], self.w)
        turned = self.model.turn_q
        if self.of.curved and len(turned):
            rate = _turn_rate(self.x[turned[:, :3]], self._speeds()[self.model.turn_v])
            self.k_q[s][turned[:, :3]] = rate
            self.k_q[s][turned[:, 3]] = 0.0

    def _stage(self, s, t, is_closed=False):
        self._act_at_stage(t, self.at_q, self.at_v)
        self._accelerate(self._seen_at(t), self.at_q, self.at_v, self.k_v[s], is_closed)
        self._increment_rates(s)

    def _act_at_stage(self, t, q, v):
        """Sets what controllers give that act at all times."""
        always = [not sampled for _, _, sampled in self.controllers]
        if any(always):
            self._act(always, t, q, self._row_speeds(self._seen_at(t), q, v))

    def _accelerate(self, t, q, v, a, is_closed=False):
        """What moves the state at (t, q, v), which is closed, or one of a step's stages."""
        of, known = self.model, self.known
        if not of.met:
            of.accelerations(np.array([t]), q, v, self.u, a, self.given, self.w)
            return
        for times in range(of.conditions + 2):
            of.met.forget()
            of.met.floor = 0.0 if is_closed else known.floor[ACCELERATION]
            of.accelerations(np.array([t]), q, v, self.u, a, self.given, self.w)
            if is_closed or not known.is_miscounted(of, ACCELERATION, times):
                break
        of.met.floor = 0.0
        known.note(of, t, self.h, is_closed)
        if known.is_singular(of, ACCELERATION):
            self._beside(t, q, v, ACCELERATION, (self.u, a))
        elif is_closed:
            known.learn(of, ACCELERATION)

    def _at(self, k_s, t, q, v, rate, what):
        """The closed state k s after (q, v) in time, what is looked for there, and how firm it is."""
        of, t = self.model, np.array([self._seen_at(t + k_s)])
        q, v = q + k_s * rate, v.copy()
        u, a = np.zeros(of.nv), np.zeros(of.nv)
        if of.retract:
            of.retract(q.copy(), q, self.w)
        status, opening = _close_place(of, t, q, v, self.given, self.w, self.known, 1)
        if not status and (what == CORRECTION or not of.speeds):
            status = _close_motion(of, t, q, v, opening, self.given, self.w, None)
        if not status and what == CORRECTION and of.speeds:
            of.correction(t, q, np.zeros(of.conditions), u, self.given, self.w)
        if not status and what == ACCELERATION:
            of.met.forget()
            of.accelerations(t, q, v, u, a, self.given, self.w)
        sound = not status and not self.known.is_singular(of, what)
        return (q, v) if what == CORRECTION else (u, a), sound, self.known.firmness(of, what)

    def _beside(self, t, q, v, what, into):
        """Fills `into` from both sides: the closed state (q, v), or what moves it (u, a).

        Where no state beside it is regular, it stays as it is, and if it cannot do without, the motion
        comes to its end.
        """
        of, rate, speeds = self.model, np.empty(self.model.nq), v
        lost = of.met.rank < self.known.rank[what]
        if of.speeds:
            speeds = np.zeros(of.nv)
            of.speeds(np.array([t]), q, v, speeds, self.given, self.w)
        of.rates(q, speeds, rate, self.w)
        found, sound, _ = self._at(0.0, t, q, v, rate, what)
        if sound:
            for to, value in zip(into, found):
                to[...] = value
            return
        longest = np.max(np.abs(speeds))
        for wider in range(6 if longest > 0.0 else 0):
            s = 0.003 * 2.0**wider / longest
            sums, offset = [0.0, 0.0], 0.0
            for k, weight in enumerate(SMOOTH, start=1):
                before, is_before, one = self._at(-k * s, t, q, v, rate, what)
                after, is_after, other = self._at(k * s, t, q, v, rate, what)
                if not (is_before and is_after):
                    break
                sums = [x + 0.5 * weight * (y + z) for x, y, z in zip(sums, before, after)]
                offset += weight * k * s * (one - other) / (one + other)
            else:
                for to, value in zip(into, sums):
                    to[...] = value
                if what == CORRECTION and of.retract:
                    of.retract(q.copy(), q, self.w)
                if abs(offset) < self.known.away:
                    self.known.away, self.known.passing = abs(offset), t + offset
                    self.known.near = len(SMOOTH) * s
                return
        if lost:
            self.state = UNDECIDED

    def _look_around(self):
        """How firm the conditions are near where the motion begins, however firm they are there.

        Without it one that begins in a singular position would take that for the rule.
        """
        of, t = self.model, np.array([self.t])
        for shift in range(3 if of.met else 0):
            change = 0.02 * np.sin(1.0 + 7.3 * shift + 2.4 * np.arange(of.nv)) * (shift > 0)
            q, moved, still = self.q.copy(), np.empty(of.nq), np.zeros(of.nv)
            of.rates(q, change, moved, self.w)
            q += moved
            if of.retract:
                of.retract(q.copy(), q, self.w)
            if _close_place(of, t, q, still, self.given, self.w, None, 1)[0]:
                continue
            of.met.forget()
            of.accelerations(t, q, still, self.u, np.empty(of.nv), self.given, self.w)
            self.known.learn(of, ACCELERATION)
            of.met.forget()
            of.correction(t, q, np.zeros(of.conditions), still, self.given, self.w)
            self.known.learn(of, CORRECTION)

    def _moving(self):
        """Which coordinates move loops: how far a step goes is how far these do."""
        of = self.model
        moves = np.zeros(of.nq)
        if of.met:
            gap, other, opening = np.empty((3, of.conditions))
            of.constraints(np.array([self.t]), self.q, self.v, gap, opening, self.given, self.w)
            for j in range(of.nq):
                q = self.q + 0.5 * (np.arange(of.nq) == j)
                of.constraints(np.array([self.t]), q, self.v, other, opening, self.given, self.w)
                moves[j] = np.max(np.abs(other - gap), initial=0.0)
        return moves > 1e-9 * np.max(moves, initial=0.0)

    def _step_over(self, first, h):
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

    def _first_stage(self, anew):
        """The first stage of the next step: the last one of the step before, unless anew."""
        self._displace(self.of.a[0], 0.0)
        if anew:
            self._stage(0, self.t, True)
            return
        self.k_v[0] = self.k_v[-1]
        self.k_q[0] = self.k_q[-1]
        turned = self.model.turn_q
        self.k_q[0][turned[:, :3]] = self._speeds()[self.model.turn_v]  # from here x is 0

    def _squares(self, e_q, e_v, q, v):
        """The squares of errors by what is allowed from here to there, summed."""
        allowed_q = self.atol + self.rtol * np.maximum(np.abs(self.q), np.abs(q))
        allowed_v = self.atol + self.rtol * np.maximum(np.abs(self.v), np.abs(v))
        return np.sum((e_q / allowed_q) ** 2) + np.sum((e_v / allowed_v) ** 2)

    def _guess(self):
        """How long the step is where it starts anew, by how fast the state changes."""
        self.before = 1e-4
        size = self._squares(self.q, self.v, self.q, self.v)
        rate = self._squares(self.k_q[0], self.k_v[0], self.q, self.v)
        self.size = 0.01 * np.sqrt(size / rate) if size > 0.0 and rate > 0.0 else 1e-6

    def _grid_end(self):
        """When the step of fixed length ends that is under way."""
        last = self.done + 1 >= self.whole + (self.rest > 0.0)
        return self.end if last else self.start + (self.done + 1) * self.dt

    def _aim(self):
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

    def _is_taken(self):
        """Is the step taken?"""
        if self.state != UNDER_WAY:
            return False
        sound = np.isfinite(self.at_q).all() and np.isfinite(self.at_v).all()
        if not self.of.adaptive:
            self.state = UNDER_WAY if sound else NOT_FINITE
            return sound
        if not self._judge(sound):
            too_small = 16.0 * np.finfo(float).eps * abs(self.t), np.finfo(float).tiny
            if self.size <= too_small[0] or self.size < too_small[1]:
                self.state = TOO_SMALL
            return False
        return True

    def _judge(self, sound):
        """Is the step taken? Says how long the next one is: proportional-integral control.

        With the exponents of Hairer, Norsett and Wanner.
        """
        e_q, e_v = self.h * (self.of.error @ self.k_q), self.h * (self.of.error @ self.k_v)
        error = np.sqrt(self._squares(e_q, e_v, self.at_q, self.at_v) / (self.model.nq + self.model.nv))
        if sound and error <= 1.0:
            factor = 0.9 * max(error, 1e-300) ** (0.75 * 0.04 - 0.2) * self.before**0.04
            self.size = self.h * max(0.2, min(factor, 1.0 if self.shrunk else 10.0))
            self.before, self.shrunk = max(error, 1e-4), False
            return True
        self.size = self.h * (max(0.2, 0.9 * error**-0.2) if sound and np.isfinite(error) else 0.2)
        self.shrunk = True
        return False

    def _inside(self, part):
        """The state after a part of the step: from the continuous result, or by a shorter step."""
        if self.of.adaptive:
            self._go_inside(part)
        else:
            self._step_over(0, part * self.h)
        self._close(self.at_q, self.at_v, self.t + part * self.h)
        return self.at_q.copy(), self.at_v.copy()

    def _go_inside(self, part):
        """The state after a part of the step, by the continuous result."""
        rest = 1.0 - part
        weights = part * part * ((3.0 - 2.0 * part) * self.of.b + rest * rest * self.of.dense)
        weights[0] += part * rest * rest
        weights[-1] -= part * part * rest
        self._displace(weights, self.h)

    def _close(self, q, v, t):
        if not self.closes:
            return DONE
        status = close(self.model, np.array([t]), q, v, self.given, self.w, self.known)
        if status == UNDECIDED:
            self._beside(t, q, v, CORRECTION, (q, v))
            return DONE
        return status

    def _watch(self, t, q, v):
        """Events are functions of the speeds."""
        return np.array(self.watcher(t, q, self._row_speeds(t, q, v)))

    def _root(self, e, before, after):
        """The part of the step after which event e has come: Illinois' secants, now and then halving."""
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

    def _happen(self, q, v):
        """Lists the events of the step in their order; the part after which the motion ends, or 2."""
        before, after = self.values, self._watch(self.to, q, v)
        self.values = after
        rises = (before < 0.0) & (after >= 0.0) & (self.direction >= 0)
        falls = (before > 0.0) & (after <= 0.0) & (self.direction <= 0)
        for part, e in sorted((self._root(e, before, after), e) for e in np.flatnonzero(rises | falls)):
            state = (q.copy(), v.copy()) if part == 1.0 else self._inside(part)
            self.found.append((self.t + part * self.h, int(e), *state))
            if self.terminal[e]:
                return part
        return 2.0

    def _firmness_inside(self, part):
        """How firm the conditions are after a part of the step."""
        q, v = self._inside(part)
        self.known.away = np.inf  # stages lie off the way
        self._accelerate(self.t + part * self.h, q, v, np.empty_like(v))
        return self.known.last  # since then one has looked beside it

    def _find_passings(self, q, end):
        """Lists the singular positions that the step to q passes.

        A step may pass one if the conditions, which are known at its stages, change so fast between them
        that they could vanish; or if it is long. Then they are looked at in as many places as leave no
        other one in between.
        """
        known, h = self.known, self.h
        before = dict(vars(known))
        moved = np.maximum(np.abs(q - self.q), np.abs(h * self.k_q[0]))
        far = np.max(moved, where=self.moves, initial=0.0) / 0.1
        if not h > 0.0 or (known.lowest > 2.0 * known.steepest * h and far < self.of.stages):
            return
        state = self.state  # what is looked at here is not the motion
        pieces = 2 * int(max(1.0, min(np.ceil(far / 3.0), 50)))
        edge = min(0.5 / pieces, 0.1 * 0.003 / max(0.1 * far, np.finfo(float).tiny))
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

    def _find_passing(self, low, high, end):
        """The conditions are less firm at a part in between than at both others.

        By golden sections, until a state is near enough to a singular position to say when it comes, if
        there is one.
        """
        known, golden = self.known, 0.6180339887498949
        parts, levels = [high - golden * (high - low), low + golden * (high - low)], [np.inf, np.inf]
        levels[1] = self._firmness_inside(parts[1])
        if known.away == np.inf:
            levels[0] = self._firmness_inside(parts[0])
        for _ in range(24):
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

    def _list_passing(self, end):
        """Lists the singular position that was seen last, if it is one of the step and not listed yet."""
        known = self.known
        slack = 1e-3 * known.near / self.h
        part = (known.passing - self.t) / self.h
        apart = max(known.apart, slack * self.h)
        if -slack <= part <= min(1.0 + slack, end) and abs(known.passing - known.passed) >= apart:
            part = max(0.0, min(part, 1.0))
            known.passed, known.apart = known.passing, known.near
            away, probes = known.near / (len(SMOOTH) * self.h), len(SMOOTH)
            if probes * away < part < 1.0 - probes * away:  # by states that are regular
                pairs = [(self._inside(part - k * away), self._inside(part + k * away)) for k in (1, 2, 3)]
                sums = ([0.5 * w * (x + y) for x, y in zip(*pair)] for w, pair in zip(SMOOTH, pairs))
                state = [sum(x) for x in zip(*sums)]
            else:
                state = self._inside(part)
            self.found.append((float(min(known.passing, self.end)), self.events, *state))

    def _follow(self, q, v):
        """What the step passes: events, records, perhaps the end."""
        last = self.to >= self.end
        part = self._happen(q, v) if self.watcher else 2.0
        stops = part <= 1.0
        if self.closes:
            self._find_passings(q, part)
        now = self.t + part * self.h if stops else self.to
        while self.of.adaptive and len(self.rows) < len(self.times) and self.times[len(self.rows)] < now:
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


class ImplicitMotion(Motion):
    """A motion by Radau IIA with the simplified Newton iterations of RADAU5.

    Hairer and Wanner, Solving Ordinary Differential Equations II, Sect. IV.8. The increments x of the
    three stages meet A⁻¹ x = h k(x), k being the rates there; z = x / h are kept behind the first
    rates. `tangents(t, q, v, given)` are the derivatives of the accelerations: along the motions at
    each speed, and of the speeds. With each eigenvalue of A⁻¹, divided by h, as μ an iteration solves

        μ dx − dv = r,  μ dv − (a_x dx + a_v dv) = s

    for places and speeds by (μ² − μ a_v − a_x) dv = μ s + a_x r. How fast the axes of dx turn is left
    out, and so is what controllers say of the state: this slows the iterations, but does not move
    what they come to.
    """

    INVERSE = np.array(
        [
            [3.224744871391589, 1.1678400846904056, -0.25319726474218085],
            [-3.5678400846904057, 0.775255128608411, 1.0531972647421808],
            [5.531972647421808, -7.531972647421808, 5.0],
        ]
    )
    TRANSFORM = np.array(
        [
            [0.09123239487089295, -0.1412552950209542, -0.030029194105147424],
            [0.241717932707107, 0.20412935229379994, 0.3829421127572619],
            [0.966048182615093, 1.0, 0.0],
        ]
    )
    BACK = np.array(
        [
            [4.325579890063155, 0.33919925181580984, 0.5417705399358749],
            [-4.178718591551905, -0.32768282076106237, 0.47662355450055044],
            [-0.5028726349457868, 2.571926949855605, -0.5960392048282249],
        ]
    )
    EIGENVALUE, PAIR = 3.637834252744496, complex(2.6810828736277523, 3.050430199247411)
    STAGE, ERROR, BEFORE, NEWTON = 1, 4, 5, 7

    def __init__(self, model, method, q, v, given=(), *, tangents, **how):
        self.tangents, self.past = tangents, None
        self.length = self.theta = 0.0
        self.places = np.setdiff1d(np.arange(model.nq), model.turn_q[:, 3])
        super().__init__(model, method, q, v, given, **how)

    def _guess(self):
        super()._guess()
        self.stale, self.fresh, self.eta, self.past, self.length = True, False, 1.0, None, 0.0
        self.theta, self.iterations = 0.0, 0

    def _first_stage(self, anew):
        self.at_q, self.at_v, self.x = self.q.copy(), self.v.copy(), np.zeros_like(self.q)
        self._stage(0, self.t, True)

    def _leeway(self):
        """How much larger an estimate may be than the error that is asked for.

        It is of order 3, not 5: as RADAU5 says it, 0.1 rtol^(2/3) for rtol; but not where the continuous
        result of quaternions is of order 3 too.
        """
        return 1.0 if len(self.model.turn_q) else 0.1 / np.cbrt(self.rtol)

    def _differentiate(self):
        """The derivatives at the state, and the axes of places there; without them it is iterated too."""
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

    def _solve(self, inverse, mu, r, s):
        """(dx, dv) of one system."""
        r = self.axes.T @ r
        dv = inverse @ (mu * s + self.a_x @ r)
        return self.axes @ ((r + dv) / mu), dv

    def _polynomial(self, part):
        """How much each stage weighs after a part of the step, on the polynomial through all."""
        c = self.of.c[self.STAGE : self.STAGE + 3]
        others = [(1, 2), (2, 0), (0, 1)]
        return np.array(
            [
                part * (part - c[j]) * (part - c[k]) / (c[i] * (c[i] - c[j]) * (c[i] - c[k]))
                for i, (j, k) in enumerate(others)
            ]
        )

    def _go_inside(self, part):
        """The state after a part of the step.

        Coordinates that are moved by speeds of their own follow the polynomial of degree 5 through
        places, speeds and accelerations at both ends, and the speeds its derivative; quaternions, and
        what turns with them, the polynomial through the stages.
        """
        h, stages = self.h, slice(self.STAGE, self.ERROR)
        self._displace(np.concatenate([[0.0], self._polynomial(part)]), h)
        if len(self.model.turn_q):
            return
        v, a, last = self.v, h * self.k_v[self.BEFORE], h * (self.INVERSE[2] @ self.k_v[stages])
        D, E, F = self.k_q[self.ERROR - 1] - v - 0.5 * a, h * self.k_v[self.ERROR - 1] - a, last - a
        c3, c4, c5 = 10 * D - 4 * E + 0.5 * F, -15 * D + 7 * E - F, 6 * D - 3 * E + 0.5 * F
        self.at_q = self.q + h * part * (v + part * (0.5 * a + part * (c3 + part * (c4 + part * c5))))
        self.at_v = v + part * (a + part * (3 * c3 + part * (4 * c4 + part * 5 * c5)))

    def _displace_to(self, kept, h):
        self._displace(np.eye(6)[kept], h)

    def _step_over(self, first, h):
        """One step, into at_q and at_v, with its error; `failed` where there is none."""
        if self.stale:
            self._differentiate()
        self.failed, self.error = False, np.inf
        self.k_q[self.STAGE :], self.k_v[self.STAGE :] = 0.0, 0.0
        self.k_v[self.BEFORE] = self.INVERSE[2] @ self.past[2] if self.past else self.k_v[0]
        if self.length != h:
            try:
                self.real, self.complex = (
                    np.linalg.inv(mu * mu * np.eye(self.model.nv) - mu * self.a_v - self.a_x)
                    for mu in (self.EIGENVALUE / h, self.PAIR / h)
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
        self._displace_to(self.STAGE + 2, h)
        self._weigh_error(self.k_q[0], self.k_v[0], h)
        if self.error > 1.0 and (self.shrunk or self.past is None):  # stiff parts are damped once more
            first = self.k_q[0].copy(), self.k_v[0].copy()
            self._displace_to(self.ERROR, h)
            self._stage(0, self.t, False)
            again = self.k_q[0].copy(), self.k_v[0].copy()
            self.k_q[0], self.k_v[0] = first
            self._displace_to(self.STAGE + 2, h)
            self._weigh_error(*again, h)

    def _expect(self, h):
        """The stages as the step before goes on."""
        before, past_q, past_v = self.past
        for s in range(self.STAGE, self.STAGE + 3):
            weights = self._polynomial(1.0 + h / before * self.of.c[s]) - np.eye(3)[2]
            self.k_q[s], self.k_v[s] = (before / h * (weights @ x) for x in (past_q, past_v))

    def _find_stages(self, h):
        """Newton's iterations; do they come to an end?"""
        rtol, last, before = self._leeway() * self.rtol, 0.0, 0.0
        enough = max(10.0 * np.finfo(float).eps / rtol, min(0.03, np.sqrt(rtol)))
        self.eta = max(self.eta, np.finfo(float).eps) ** 0.8
        for n in range(1, self.NEWTON + 1):
            norm = self._iterate(h)
            rate = norm / last if n > 1 else 0.0
            self.theta, self.iterations = np.sqrt(rate * before) if n > 2 else rate, n
            if 1 < n and self.theta < 0.99:
                self.eta = self.theta / (1.0 - self.theta)
            if self.eta * norm <= enough:
                return True
            late = n > 1 and self.eta * norm * self.theta ** (self.NEWTON - n) > enough
            if late or not self.theta < 0.99 or not norm < np.inf:
                return False
            last, before = norm, rate
        return False

    def _iterate(self, h):
        """One iteration; how far it moves the stages, 1 being what is allowed as an error."""
        first = self.k_q[0].copy(), self.k_v[0].copy()
        rates = []
        for s in range(self.STAGE, self.STAGE + 3):
            self._displace_to(s, h)
            self._stage(0, self.t + self.of.c[s] * h, False)
            rates.append((self.k_q[0][self.places], self.k_v[0].copy()))
        self.k_q[0], self.k_v[0] = first
        z_q, z_v = self.k_q[self.STAGE : self.ERROR, self.places], self.k_v[self.STAGE : self.ERROR]
        r, s = (self.BACK @ (np.array(k) - self.INVERSE @ z) for k, z in zip(zip(*rates), (z_q, z_v)))
        dx, dv = self._solve(self.real, self.EIGENVALUE / h, r[0], s[0])
        cx, cv = self._solve(self.complex, self.PAIR / h, r[1] + 1j * r[2], s[1] + 1j * s[2])
        moved_q = self.TRANSFORM @ np.array([dx, cx.real, cx.imag])
        moved_v = self.TRANSFORM @ np.array([dv, cv.real, cv.imag])
        self.k_q[self.STAGE : self.ERROR, self.places] += moved_q / h
        self.k_v[self.STAGE : self.ERROR] += moved_v / h
        rtol, atol = self._leeway() * self.rtol, self._leeway() * self.atol
        allowed_q = atol + rtol * np.abs(self.q[self.places])
        total = np.sum((moved_q / allowed_q) ** 2) + np.sum((moved_v / (atol + rtol * np.abs(self.v))) ** 2)
        return np.sqrt(total / (3 * (self.model.nq + self.model.nv)))

    def _weigh_error(self, f_q, f_v, h):
        """The error from rates: (μ − J) e = f + the weighted increments."""
        weights = self.of.error[self.STAGE : self.ERROR]
        r, s = (f + weights @ k[self.STAGE : self.ERROR] for f, k in ((f_q, self.k_q), (f_v, self.k_v)))
        e_q = np.zeros(self.model.nq)
        e_q[self.places], e_v = self._solve(self.real, self.EIGENVALUE / h, r[self.places], s)
        self.k_q[self.ERROR], self.k_v[self.ERROR] = e_q / h, e_v / h
        total = self._squares(e_q, e_v, self.at_q, self.at_v)
        self.error = np.sqrt(total / (self.model.nq + self.model.nv)) / self._leeway()

    def _judge(self, sound):
        """Is the step taken? Says how long the next one is: the predictive control of Gustafsson."""
        h, error, before = self.h, self.error, self.past[0] if self.past else 0.0
        if not sound or self.failed or not error < np.inf:
            self.size = h * (0.5 if self.fresh else 1.0)
            self.stale, self.shrunk = not self.fresh, True
            return False
        safety = 0.9 * (2.0 * self.NEWTON + 1.0) / (2.0 * self.NEWTON + self.iterations)
        if error > 1.0:
            self.size = h * (max(0.2, min(0.9, safety * error**-0.25)) if self.past else 0.1)
            self.stale, self.shrunk = not self.fresh, True
            return False
        factor = safety * max(error, 1e-10) ** -0.25
        if self.past:
            factor = min(factor, safety * h / before * (self.before / max(error * error, 1e-20)) ** 0.25)
        factor = max(0.2, min(factor, 1.0 if self.shrunk else 8.0))
        self.stale, self.fresh = self.theta > 1e-3, False
        self.size = h * (1.0 if not self.stale and 1.0 <= factor <= 1.2 else factor)
        self.before, self.shrunk = max(error, 1e-2), False
        stages = slice(self.STAGE, self.ERROR)
        self.past = h, self.k_q[stages].copy(), self.k_v[stages].copy()
        return True

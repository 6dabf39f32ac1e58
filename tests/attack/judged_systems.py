"""A drawn system's answers, by every way that takes it, against the dense judge.

Derivatives are compared along random motions that loops and couplings allow, with differences of
the judge's accelerations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from drawn_systems import drawn
from guarded import FailedError
from independent.absolute import Motion, absolute_motion, couplings, nearest
from independent.moving import State, conditions
from independent.tree import hamilton
from judging import (
    Interpreted,
    acting,
    allowed,
    assert_forward,
    assert_inverse,
    assert_loads,
    compare,
)
from scenarios import INVERSE

import mstmm
from mstmm.errors import CodegenError, ModelError, NumericsError, UsageError

Array = np.ndarray

#: Of differences of the judge, which lose half of their digits.
DIFFERENCES, STEP = 1e-6, 2e-3

#: Systems worse than this leave the judge too few digits.
ILL = 1e8

#: Points nearer than this are in one place: a distance between them has no direction (m).
NEAR = 1e-6


def judged(seed: int) -> str:
    """What was compared, or why nothing was; a failure where an answer is wrong or refused."""
    state = drawn(seed)
    if state is None:
        return "no state"
    if nearest(state) < NEAR:
        return "no direction"
    motion = absolute_motion(state)
    if motion.left > 1e-9 or motion.condition > ILL:
        return "ill"
    try:
        return Judged(seed, state, motion).ways()
    except (NumericsError, ModelError, CodegenError) as error:
        raise FailedError("refused", str(error)) from None


@dataclass(frozen=True)
class Judged:
    """A system, and what the judge says of it."""

    seed: int
    state: State
    motion: Motion

    def ways(self) -> str:
        """All that was compared, or a failure."""
        try:
            return "+".join(self.compared())
        except AssertionError as error:
            raise FailedError("wrong", str(error)) from None

    def compared(self) -> Iterator[str]:
        """The names of what takes the system; each is right.

        Programs are read as they stand, every fourth one is compiled.
        """
        for algorithm in ("riccati", "overall", "dca"):
            if algorithm == "overall" and self.motion.redundant:
                continue
            try:
                solver = self._by(algorithm)
            except UsageError:
                assert algorithm != "riccati"
                continue
            assert_forward(self.state, self.motion, solver)
            yield algorithm
            if algorithm == "riccati" and self.seed % 9 in (0, 1, 4, 7):
                self._derivatives(mstmm.compile(self.state.model, target="numpy"))
                yield "derivatives"
        inverse = INVERSE[self.seed % len(INVERSE)]
        assert_inverse(self.state, self.motion, self._by(inverse))
        yield "inverse"
        self._derived()
        yield "derived"

    def _by(self, algorithm: str) -> Any:
        if self.seed % 4:
            return Interpreted(self.state.model, algorithm)
        target = "numpy" if self.seed % 8 else "c"
        return mstmm.compile(self.state.model, algorithm=algorithm, target=target)

    def _derived(self) -> None:
        state, given = self.state, acting(self.state)
        found = mstmm.derive(state.model).at(state.q, state.v, tau=state.tau, **given)
        self._same("derived: accelerations", found["accelerations"], self.motion.accelerations)
        ends = Interpreted(state.model).ends
        assert_loads(ends, found["loads"], self.motion)

    def _derivatives(self, solver: Any) -> None:
        """Along a motion that is allowed: places, speeds, then forces."""
        state = replace(self.state, wrenches=0 * self.state.wrenches)
        found = solver.derivatives(state.q, state.v, state.tau, t=state.t)
        rng = Random(f"way {self.seed}")
        free = allowed(state.model, state.q, state.t)
        way = free @ [rng.uniform(-1, 1) for _ in range(free.shape[1])]
        pull = np.array([rng.uniform(-1, 1) for _ in state.v])
        expected, faster = np.zeros(len(way)), np.zeros(len(way))
        # f′ = (8 (f₁ − f₋₁) − (f₂ − f₋₂)) / 12 h + O(h⁴)
        for steps, weight in ((1, 8), (-1, -8), (2, -1), (-2, 1)):
            there = self._moved(state, way, steps * STEP)
            expected += weight / (12 * STEP) * absolute_motion(there).accelerations
            faster += weight / (12 * STEP) * there.v
        with_pull = replace(state, tau=state.tau + pull)
        pulled = absolute_motion(with_pull).accelerations - absolute_motion(state).accelerations
        size = np.abs(expected).max(initial=0.0)
        self._same("derivatives: tau", found.dtau @ pull, pulled, size)
        moved = found.dq @ way + found.dv @ faster
        self._same("derivatives", moved, expected, tolerance=DIFFERENCES)

    def _moved(self, state: State, way: Array, by: float) -> State:
        """Nearby, closed again, at the speeds nearest to those before."""
        model, t = state.model, state.t
        q = retracted(state, way * by)
        rows = couplings(model)
        for _ in range(6):
            seen = conditions(model, q, t)
            J = np.vstack([seen.d[1:].T, rows])
            gap = np.concatenate([seen.x, self._uncoupled(q)])
            if not len(J):
                break
            q = retracted(replace(state, q=q), -np.linalg.pinv(J, rcond=1e-9) @ gap)
        seen = conditions(model, q, t)
        J = np.vstack([seen.d[1:].T, rows])
        v, rate = state.v, np.concatenate([seen.d[0], np.zeros(len(rows))])
        if len(J):
            v = v - np.linalg.pinv(J, rcond=1e-9) @ (J @ v + rate)
        return replace(state, q=q, v=v)

    def _uncoupled(self, q: Array) -> Array:
        model = self.state.model
        at = dict(zip(model.coordinates, q, strict=True))
        return np.array(
            [
                at[f"q{x.name}"]
                - model.value(x.mimic.ratio) * at[f"q{x.mimic.hinge}"]
                - model.value(x.mimic.offset)
                for x in model.hinges
                if x.mimic
            ]
        )

    def _same(self, what: str, found: Any, expected: Array, *size: float, **given: float) -> None:
        compare(found, expected, self.motion, what, *size, **given)


def retracted(state: State, by: Array) -> Array:
    """The coordinates after a small motion along the speeds."""
    q, place, first = np.array(state.q), 0, 0
    for _, coordinates, speeds in state.model.owners:
        own = q[place : place + coordinates]
        step = by[first : first + speeds]
        if coordinates == speeds:
            own += step
        else:
            Q = own[-4:]
            if coordinates == 7:
                back = Q * [1, -1, -1, -1]
                own[:3] += hamilton(hamilton(Q, np.array([0, *step[:3]])), back)[1:]
            angle = np.linalg.norm(step[-3:])
            axis = step[-3:] * np.sinc(angle / 2 / np.pi) / 2
            own[-4:] = hamilton(Q, np.array([np.cos(angle / 2), *axis]))
        place, first = place + coordinates, first + speeds
    return q

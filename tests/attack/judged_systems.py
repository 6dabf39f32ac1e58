"""A drawn system's answers, by every way that takes it, against the dense judge.

Derivatives are compared along random motions that loops and couplings allow, with differences of
the judge's accelerations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from drawn_systems import drawn
from guarded import FailedError
from independent.absolute import Motion, absolute_motion, couplings, nearest
from independent.moving import State, conditions
from independent.tree import hamilton

import mstmm
from mstmm.errors import CodegenError, ModelError, NumericsError, UsageError

Array = np.ndarray

#: Relative to the largest number, times the condition of the judge's system.
TOLERANCE = 1e-12

#: Of differences of the judge, which lose half of their digits.
DIFFERENCES, STEP = 1e-6, 2e-3

#: Systems worse than this leave the judge too few digits.
ILL = 1e8

#: Points nearer than this are in one place: a distance between them has no direction (m).
NEAR = 1e-6

#: Whose programs know the forces of given accelerations.
INVERSE = ("rnea-body", "rnea-spatial", "rnea-hybrid", "rnea-mixed")


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
        return "+".join(Judged(seed, state, motion).compared())
    except (NumericsError, ModelError, CodegenError) as error:
        raise FailedError("refused", str(error)) from None


@dataclass(frozen=True)
class Judged:
    """A system, and what the judge says of it."""

    seed: int
    state: State
    motion: Motion

    def compared(self) -> Iterator[str]:
        """The names of what takes the system; each is right."""
        target = "c" if self.seed % 8 == 0 else "numpy"
        for algorithm in ("riccati", "overall", "dca"):
            if algorithm == "overall" and self.motion.redundant:
                continue
            try:
                solver = mstmm.compile(self.state.model, algorithm=algorithm, target=target)
            except UsageError:
                assert algorithm != "riccati"
                continue
            self._forward(algorithm, solver)
            yield algorithm
            if algorithm == "riccati" and self.seed % 9 in (0, 1, 4, 7):
                self._derivatives(solver)
                yield "derivatives"
        self._inverse(INVERSE[self.seed % len(INVERSE)], target)
        yield "inverse"
        self._derived()
        yield "derived"

    @cached_property
    def given(self) -> dict[str, Any]:
        state = self.state
        return {"tau": state.tau, "t": state.t, "wrenches": state.wrenches}

    def _forward(self, algorithm: str, solver: Any) -> None:
        q, v = self.state.q, self.state.v
        found = solver.accelerations(q, v, **self.given)
        self._same(f"{algorithm}: accelerations", found, self.motion.accelerations)
        self._loads(algorithm, solver.ends, solver.joint_loads(q, v, **self.given))
        if algorithm == "riccati":
            energy = solver.energy(q, v, t=self.state.t)
            self._same("energy", [energy], np.array([self.motion.energy]))
        if self.motion.drives and algorithm == "riccati":
            drives = solver.driving_forces(q, v, **self.given)
            self._drives(drives)

    def _drives(self, found: Array) -> None:
        vague = {end.partition(":")[0] for end in self.motion.undetermined}
        first = 0
        for hinge in self.state.model.tree_hinges:
            if hinge.motion:
                own = slice(first, first + len(hinge.motion))
                first = own.stop
                if not vague & {end.body for end in hinge.ends}:
                    expected = self.motion.drives[hinge.name]
                    self._same(f"drive of {hinge.name}", found[own], expected)

    def _loads(self, way: str, ends: Sequence[str], loads: Array) -> None:
        expected = self.motion.loads
        known = [k for k, end in enumerate(ends) if end not in self.motion.undetermined]
        if known:
            right = np.array([expected[ends[k]] for k in known])
            self._same(f"{way}: loads", loads[known], right)

    def _inverse(self, algorithm: str, target: str) -> None:
        """The forces of the judge's accelerations: the drawn ones, up to what loops leave open."""
        state = self.state
        solver = mstmm.compile(state.model, algorithm=algorithm, target=target)
        found = solver.inverse_dynamics(
            state.q, state.v, self.motion.accelerations, t=state.t, wrenches=state.wrenches
        )
        free = self._allowed(state.q)
        self._same(f"{algorithm}: forces", free.T @ found, free.T @ state.tau)

    def _derived(self) -> None:
        state = self.state
        found = mstmm.derive(state.model).at(state.q, state.v, **self.given)
        self._same("derived: accelerations", found["accelerations"], self.motion.accelerations)
        solver = mstmm.compile(state.model, target="numpy")
        self._loads("derived", solver.ends, found["loads"])

    def _derivatives(self, solver: Any) -> None:
        """Along a motion that is allowed: places, speeds, then forces."""
        state = replace(self.state, wrenches=0 * self.state.wrenches)
        found = solver.derivatives(state.q, state.v, state.tau, t=state.t)
        rng = Random(f"way {self.seed}")
        free = self._allowed(state.q)
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
        self._same("derivatives: tau", found.dtau @ pull, pulled, atleast=expected)
        moved = found.dq @ way + found.dv @ faster
        self._same("derivatives", moved, expected, DIFFERENCES)

    def _allowed(self, q: Array) -> Array:
        """A basis of the speeds that loops and couplings allow."""
        model = self.state.model
        J = np.vstack([conditions(model, q, self.state.t).d[1:].T, couplings(model)])
        if not len(J):
            return np.eye(len(model.speeds))
        _, values, rows = np.linalg.svd(J)
        return rows[int((values > 1e-9 * max(1.0, values.max())).sum()) :].T

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

    def _same(
        self,
        what: str,
        found: Any,
        expected: Array,
        tolerance: float = TOLERANCE,
        atleast: Array | None = None,
    ) -> None:
        sizes = [1.0, np.abs(expected).max(initial=0.0)]
        if atleast is not None:
            sizes.append(np.abs(atleast).max(initial=0.0))
        error = np.abs(np.asarray(found, dtype=float) - expected).max(initial=0.0)
        if not error <= tolerance * max(sizes) * self.motion.condition:
            words = (
                f"{what}: {error:.1e} of {max(sizes):.1e}, condition {self.motion.condition:.1e}"
            )
            raise FailedError("wrong", words)


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

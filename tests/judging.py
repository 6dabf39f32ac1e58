"""What a program or a solver answers at a state, against the dense system of all bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from closeness import close
from independent.absolute import Motion, absolute_motion, couplings
from independent.joints import coordinate_rates
from independent.moving import State, closing, opened
from reading import FORCE_FIRST, Reading

from mstmm.model import Model
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.methods.algorithms import chosen
from mstmm.symbolic.plans.plan import plan

#: Times the condition of the dense system (10 to 1e6), relative to the largest number; some
#: 1e-15 was seen.
TOLERANCE = 1e-12

#: What may be left of equations that can be met.
MET = 1e-9

Array = np.ndarray


def judged(state: State) -> Motion | None:
    """What the judge finds; None where drives and loops leave no motion possible."""
    J, driven = closing(state.model, state.q, state.t)
    if np.abs(J @ state.v + driven).max(initial=0.0) > MET:
        return None
    motion = absolute_motion(state)
    return None if motion.left > MET else motion


class Interpreted(Reading):
    """A program with the face of a solver, read as it stands."""

    def __init__(self, model: Model, given: str | Program = "riccati", forced: bool = True) -> None:
        if isinstance(given, str):
            given = chosen(given).program(plan(model), forced=forced)
        super().__init__(given)
        self.model = model
        self.ends = self.program.sets["ends"]
        self.conditions = self.program.sets.get("conditions", ())

    def _results(self, entry: str, q: Any, v: Any = (), **given: Any) -> dict[str, Array]:
        if "wrenches" in given:
            given["f"] = given.pop("wrenches")[:, FORCE_FIRST[self.model.dimension]]
        return self(entry, q=q, **({"v": v} if len(v) else {}), **given)

    def accelerations(self, q: Any, v: Any, tau: Any, **given: Any) -> Array:
        return self._results("accelerations", q, v, tau=tau, **given)["a"]

    def joint_loads(self, q: Any, v: Any, tau: Any, **given: Any) -> Array:
        return self._results("joint_loads", q, v, tau=tau, **given)["loads"].reshape(-1, 6)

    def driving_forces(self, q: Any, v: Any, tau: Any, **given: Any) -> Array:
        return self._results("driving_forces", q, v, tau=tau, **given)["drive"]

    def inverse_dynamics(self, q: Any, v: Any, a: Any, **given: Any) -> Array:
        return self._results("inverse_dynamics", q, v, ad=a, **given)["tau"]

    def inverse_loads(self, q: Any, v: Any, a: Any, **given: Any) -> Array:
        return self._results("inverse_loads", q, v, ad=a, **given)["loads"].reshape(-1, 6)

    def inverse_drives(self, q: Any, v: Any, a: Any, **given: Any) -> Array:
        return self._results("inverse_dynamics", q, v, ad=a, **given)["drive"]

    def mass_matrix(self, q: Any, **given: Any) -> Array:
        n = len(self.model.speeds)
        return self._results("mass_matrix", q, **given)["M"].reshape(n, n)

    def constraints(self, q: Any, v: Any, **given: Any) -> tuple[Array, Array]:
        found = self._results("constraints", q, v, **given)
        return found["phi"], found["phid"]

    def energy(self, q: Any, v: Any, **given: Any) -> Array:
        return self._results("energy", q, v, **given)["energy"]

    def poses(self, q: Any, **given: Any) -> Array:
        return self._results("poses", q, **given)["poses"].reshape(-1, 4, 4)

    def rates(self, q: Any, v: Any, **given: Any) -> Array:
        return self._results("rates", q, v, **given)["qd"]


def assert_forward(state: State, motion: Motion, solver: Any) -> None:
    """Accelerations, loads at all ends, what drives, and what the state alone decides."""
    given = acting(state)
    a = solver.accelerations(state.q, state.v, state.tau, **given)
    compare(a, motion.accelerations, motion, "accelerations")
    assert_loads(solver.ends, solver.joint_loads(state.q, state.v, state.tau, **given), motion)
    if motion.drives:
        drive = solver.driving_forces(state.q, state.v, state.tau, **given)
        assert_drives(state.model, drive, motion)
    assert_state(state, motion, solver)


def assert_inverse(state: State, motion: Motion, solver: Any) -> None:
    """The forces of the judge's accelerations are those given, along all that loops allow.

    Where nothing is closed loads and drives are known too, and the forces are M a and a rest.
    """
    q, v, a = state.q, state.v, motion.accelerations
    given = acting(state)
    free = allowed(state.model, q, state.t)
    found = solver.inverse_dynamics(q, v, a, **given)
    size = np.abs(a).max(initial=0.0)
    compare(free.T @ found, free.T @ state.tau, motion, "forces", size)
    assert_state(state, motion, solver)
    if len(solver.conditions):
        return
    assert_loads(solver.ends, solver.inverse_loads(q, v, a, **given), motion, size)
    if motion.drives:
        assert_drives(state.model, solver.inverse_drives(q, v, a, **given), motion, size)
    if state.model.beams:
        return
    M = solver.mass_matrix(q, t=state.t)
    assert (M == M.T).all()
    assert np.linalg.eigvalsh(M).min() > 0
    rest = solver.inverse_dynamics(q, v, 0 * a, **given)
    compare(M @ a + rest, state.tau, motion, "M a and the rest", np.abs(rest).max(initial=size))


def acting(state: State) -> dict[str, Any]:
    """What programs are given besides the state; a part of them know no loads on bodies."""
    return {"t": state.t} | ({"wrenches": state.wrenches} if state.wrenches.any() else {})


def assert_state(state: State, motion: Motion, solver: Any) -> None:
    """Energy, poses, rates of the coordinates, and that what is closed is known to be."""
    model, q, v, t = state.model, state.q, state.v, state.t
    energy = np.ravel(solver.energy(q, v, t=t))
    close(energy, [motion.energy], what="energy", scale=1.0 + float(v @ v))
    close(solver.poses(q, t=t), motion.poses, 1e-12, what="poses")
    still = opened(model) if model.cuts else model
    if len(q) == len(v):
        close(solver.rates(q, v), v, what="rates")
    elif not model.absolute and not any(hinge.motion for hinge in still.hinges):
        own = still.with_own_coordinates()
        places, speeds = still.with_followers(q), still.with_followers(v, speeds=True)
        rates = coordinate_rates(own, np.array([*places.values()]), np.array([*speeds.values()]))
        told = [own.coordinates.index(name) for name in still.coordinates]
        close(solver.rates(q, v), rates[told], what="rates")
    if len(solver.conditions):
        for gap in solver.constraints(q, v, t=t):
            close(gap, 0 * gap, MET, what="gap")


def allowed(model: Model, q: Array, t: float) -> Array:
    """A basis of the speeds that loops and couplings allow."""
    if not model.conditioned:
        return np.eye(len(model.speeds))
    J = np.vstack([closing(model, q, t)[0], couplings(model)])
    if not len(J):
        return np.eye(len(model.speeds))
    _, values, rows = np.linalg.svd(J)
    return rows[int((values > 1e-9 * max(1.0, values.max())).sum()) :].T


def assert_loads(ends: Sequence[str], loads: Array, motion: Motion, size: float = 1.0) -> None:
    """Wherever redundant conditions leave them determined."""
    assert set(ends) == set(motion.loads)
    known = [k for k, end in enumerate(ends) if end not in motion.undetermined]
    if known:
        expected = np.array([motion.loads[ends[k]] for k in known])
        compare(loads[known], expected, motion, "loads", size)


def assert_drives(
    model: Model, drive: Sequence[float] | Array, motion: Motion, size: float = 1.0
) -> None:
    """Of the tree's hinges, then of the cut ones, as solvers tell them."""
    expected: Mapping[str, Array] = motion.drives
    open_ends = {end.partition(":")[0] for end in motion.undetermined}
    cut = [hinge for hinge in model.hinges if hinge.name in model.cuts]
    first = 0
    for hinge in (*model.tree_hinges, *cut):
        if hinge.motion:
            own = slice(first, first + len(hinge.motion))
            first = own.stop
            if not open_ends & {end.body for end in hinge.ends}:
                compare(drive[own], expected[hinge.name], motion, f"drive of {hinge.name}", size)


def compare(
    found: Sequence[float] | Array,
    expected: Array,
    motion: Motion,
    what: str,
    size: float = 1.0,
    tolerance: float = TOLERANCE,
) -> None:
    """Relative to the largest of what is expected, or to `size`."""
    scale = max(1.0, size, np.abs(expected).max(initial=0.0))
    error = np.abs(np.array(found, dtype=float) - expected).max(initial=0.0)
    assert error <= tolerance * motion.condition * scale, (
        f"{what}: {error:.1e} of {scale:.1e}, condition {motion.condition:.1e}"
    )

"""A program's or solver's answer at a state against that of the dense absolute system."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from independent.absolute import Motion, absolute_motion
from independent.moving import State, closing

from mstmm.model import Model
from mstmm.runtime.solver import Solver
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program
from mstmm.symbolic.methods.riccati.joint import joint_program
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


def assert_interpreted(
    state: State, motion: Motion, make: Callable[..., Program] = joint_program
) -> None:
    """The reference interpreter in doubles must agree: accelerations, loads and drives."""
    program = make(plan(state.model), forced=True)
    interpreter = Interpreter(program)
    given = {
        "q": state.q,
        "v": state.v,
        "t": np.array([state.t]),
        "tau": state.tau,
        "f": external(state),
        "c": np.zeros(0),
    }
    arguments = {name: [float(x) for x in np.ravel(value)] for name, value in given.items()}
    found = interpreter.results("joint_loads", arguments)
    compare(found["a"], motion.accelerations, motion, "accelerations")
    loads = np.array(found["loads"], dtype=float).reshape(-1, 6)
    assert_loads(program.sets["ends"], loads, motion)
    if motion.drives:
        drive = interpreter.results("driving_forces", arguments)["drive"]
        assert_drives(state.model, drive, motion)


def assert_compiled(state: State, motion: Motion, solver: Solver) -> None:
    """Compiled code must agree as well."""
    given = {"t": state.t, "wrenches": state.wrenches}
    a = solver.accelerations(state.q, state.v, state.tau, **given)
    compare(a, motion.accelerations, motion, "accelerations")
    assert_loads(solver.ends, solver.joint_loads(state.q, state.v, state.tau, **given), motion)
    if motion.drives:
        drive = solver.driving_forces(state.q, state.v, state.tau, **given)
        assert_drives(state.model, drive, motion)


def external(state: State) -> Array:
    """The wrenches as programs take them: force, then couple."""
    order = [3, 4, 2] if state.model.dimension == 2 else [3, 4, 5, 0, 1, 2]
    return state.wrenches[:, order]


def assert_loads(ends: Sequence[str], loads: Array, motion: Motion) -> None:
    """Wherever redundant conditions leave them determined."""
    assert set(ends) == set(motion.loads)
    known = [k for k, end in enumerate(ends) if end not in motion.undetermined]
    if known:
        expected = np.array([motion.loads[ends[k]] for k in known])
        compare(loads[known], expected, motion, "loads")


def assert_drives(model: Model, drive: Sequence[float] | Array, motion: Motion) -> None:
    expected: Mapping[str, Array] = motion.drives
    open_ends = {end.partition(":")[0] for end in motion.undetermined}
    first = 0
    for hinge in model.tree_hinges:
        if hinge.motion:
            own = slice(first, first + len(hinge.motion))
            first = own.stop
            if not open_ends & {end.body for end in hinge.ends}:
                compare(drive[own], expected[hinge.name], motion, f"drive of {hinge.name}")


def compare(found: Sequence[float] | Array, expected: Array, motion: Motion, what: str) -> None:
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    error = np.abs(np.array(found, dtype=float) - expected).max(initial=0.0)
    assert error <= TOLERANCE * motion.condition * scale, (
        f"{what}: {error:.1e} of {scale:.1e}, condition {motion.condition:.1e}"
    )

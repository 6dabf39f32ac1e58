"""That a motion came to its end with closed loops, or why it did not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...codegen.interface import CLOSED
from ...codegen.tableaus import MOST_STEPS
from ...errors import NumericsError, SingularPositionError
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from ..stepping.outcomes import ENDLESS, FAILED, NOT_FINITE, OPEN, TOO_SMALL, UNDECIDED
from .integration import FIXED, IMPLICIT, Task, Track
from .problem import Problem
from .results import Run

if TYPE_CHECKING:
    from .impasse import Impasse

#: Records before a motion's end where it is looked for why it ended.
TRAIL = 6

#: Loops farther open than this part of the model's size are not what a motion keeps.
OPENED = 1e-6


def see_ended(track: Track, problem: Problem, task: Task) -> None:
    """See that a motion of the generated code came to its end.

    Raises
        NumericsError: it did not; says why.
    """
    if track.state == FAILED:
        raise NumericsError(
            f"{problem.name}: {_functions(task)} is not finite near t = {track.t:g} s, or a C "
            "function that gives it says that it fails; a motion that runs away takes along what "
            "depends on it"
        )
    fixed = task.method in FIXED
    smaller = "take a smaller dt" if fixed else "take smaller rtol and atol"
    others = _implicit(problem.code, task.method)
    stiff = f"; {others}, if the motion is stiff" if fixed else ""
    said = {
        NOT_FINITE: f"the motion leaves the finite numbers near t = {track.t:g} s; "
        f"{smaller}{_gains(problem, task, track)}{stiff}",
        OPEN: f"the loops cannot be closed near t = {track.t:g} s, after so long a step; {smaller}",
        TOO_SMALL: f"{task.method} finds no step short enough at t = {track.t:g} s: the motion "
        f"is far too stiff; look at the model in that state, or take {others}",
        ENDLESS: endless(problem, task.method, track.t),
        UNDECIDED: "",
    }
    if track.state in said:
        assert track.last
        step = task.schedule.dt if fixed else 0.0
        rows = track.q[-TRAIL:]
        trail = zip(task.schedule.times()[len(track.q) - len(rows) :], rows, strict=False)
        at = _impasse(problem, track.t, *track.last, step, trail)
        singular = track.state == UNDECIDED
        raise at.error(f"{problem.name}: {said[track.state]}", singular=singular)


def _gains(problem: Problem, task: Task, track: Track) -> str:
    if task.method not in FIXED or track.state != NOT_FINITE:
        return ""
    return stiffness(problem, task.schedule.dt, track.q[0], track.v[0])


def _functions(task: Task) -> str:
    inputs = ", ".join(name for each in task.controllers for name in each.names)
    known = ["an event function" if task.watch else "", f"the input {inputs}" if inputs else ""]
    return " or ".join(filter(None, known))


def _implicit(code: Evaluator, but: str) -> str:
    """The method for stiff motion, if it is another; else those that are left."""
    own = () if code.has_momenta or but in IMPLICIT else IMPLICIT
    return " or ".join(own or (name for name in ("Radau", "BDF") if name != but))


def endless(problem: Problem, method: str, t: float) -> str:
    """What is said of steps that are far too short."""
    others = _implicit(problem.code, method)
    return (
        f"at t = {t:g} s the steps of {method} are so short that the motion would take more than "
        f"{MOST_STEPS:.0e}: it is stiff (take {others}), or the tolerances are below its rounding "
        "(take larger rtol and atol); a fast beginning is a run of its own: end earlier, and resume"
    )


def stuck_at(problem: Problem, t: float, state: Floats, reason: NumericsError) -> NumericsError:
    """Why a method of SciPy cannot go on from a state, which it says itself by `reason`."""
    q, second = np.split(state, [len(problem.code.coordinates)])
    singular = isinstance(reason, SingularPositionError)
    passes = "; or simulate with dopri5 or a fixed step, which pass through such positions"
    at = _impasse(problem, t, q, second)
    return at.error(str(reason), singular=singular, or_else=passes)


def see_closed(problem: Problem, run: Run, *, plain: bool) -> None:
    """See that all that was recorded has closed loops: a step may go over a dead point.

    `plain`: the motion does not keep them closed.

    Raises
        NumericsError: it has not; says why.
    """
    if run.constraint_position is None or plain:
        return
    size = max(problem.interface.closed) / CLOSED
    for k in np.flatnonzero(run.constraint_position > OPENED * size)[:1]:
        second = run.v if run.p is None else run.p
        step = float(run.time[k] - run.time[k - 1]) if k else 0.0
        said = f"the loops are not closed any more at t = {run.time[k]:g} s; take a smaller dt"
        at = _impasse(problem, float(run.time[k]), run.q[k], second[k], step)
        raise at.error(f"{problem.name}: {said}", singular=False)


def _impasse(problem: Problem, *where: Any) -> Impasse:
    """What stands in the way, looked for only where something does: it needs the formulas."""
    from .impasse import Impasse

    return Impasse(problem, *where)


def stiffness(problem: Problem, h: float, q: Floats, v: Floats) -> str:
    """What is to be said of feedbacks of speeds that a step of length h does not damp.

    They are held, or nearly so, over a step, in which M⁻¹ K v must not turn v about: the largest
    eigenvalue of h M⁻¹ K must lie below 2.
    """
    lines = [(x.line, x.places) for x in problem.steered.controllers if x.line]
    n = problem.interface.sizes["v"]
    K = np.zeros((n, n))
    for line, places in lines:
        for row, (name, k) in zip(line.gains, places, strict=True):
            K[k] += row[-n:] if name == "tau" else 0.0
    if not K.any():
        return ""
    forces = np.vstack([np.zeros(n), np.eye(n)])
    found = problem.code.results("accelerations", q, v, forces, parameters=problem.given)["a"]
    size = float(np.abs(np.linalg.eigvals(h * (found[1:] - found[0]).T @ K)).max())
    return (
        f", or smaller gains: h·K/M = {size:.3g} at its start, and only below 2 a step damps speeds"
    )

"""Motion in time: the generated code's own integrators, or SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import final

import numpy.typing as npt

from ...errors import CodegenError, UsageError
from ..capabilities.assembly import Assembler
from ..capabilities.capability import Capability
from ..events import Event
from ..inputs import Laws
from .integration import FIXED, IMPLICIT, OWN_METHODS
from .moving import Moving, Stand
from .problem import Problem
from .results import Run
from .schedule import tolerances
from .scipy_methods import SCIPY_METHODS
from .steering import steered

METHODS = (*OWN_METHODS, *SCIPY_METHODS)


@final
class Simulation(Capability):
    """Motions from a start, with all that is recorded of them."""

    def simulate(
        self,
        q0: npt.ArrayLike | None = None,
        v0: npt.ArrayLike | None = None,
        *,
        t_end: float,
        t_start: float = 0.0,
        dt: float | None = None,
        method: str = "rk4",
        rtol: float | None = None,
        atol: float | None = None,
        max_step: float | None = None,
        record: float | None = None,
        events: Iterable[Event] = (),
        regauge: bool = True,
        parameters: Mapping[str, float] | None = None,
        inputs: Laws | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Run:
        """Integrate the motion from `q0`, `v0` (default: the model's start) over [t_start, t_end].

        Inside the generated code: with fixed steps `dt` (default 1e-3), the last one shortened
        where the time is no multiple of dt, `rk4`; `rkmk4`, of order 4 too, which turns quaternions
        instead of adding to them; `euler` (semi-implicit, order 1), whose energy stays bounded
        where the masses felt by the speeds are constant. With steps chosen by `rtol` and `atol`
        (default 1e-9 both), of `max_step` at most, `dopri5`, of order 5, whose records are
        interpolated to order 4; for stiff motion `radau5`, implicit, of order 5 too, records of
        order 4, which compiles the derivatives of the accelerations when it is first asked for.
        The other methods are those of `scipy.integrate.solve_ivp`: `Radau`, `BDF` and `LSODA`, for
        stiff motion, get these derivatives too, unless an input follows the state at all times.

        Where `step`, `sign` or `abs` of the time in a law jumps or bends, every method ends a step
        and starts anew: however short a load is, it is felt. Where they depend on the state, no
        method knows before: methods that choose their steps can pass over a short contact in one of
        them, unless `max_step` says what is short.

        Where loops are cut, start and every step (every record of SciPy's methods) are projected
        onto closed loops in the generated code, which costs about as much as the step. The state is
        recorded at t_start, every `record` seconds from there (default: dt, or 1e-3) and at t_end;
        with fixed steps `record` is a multiple of dt. Quaternions come back with unit length.
        `progress` is called with the fraction that is done, about every 50 ms. Zeros of `events`
        are found to rounding, in the order of their times, as `run.events`; a terminal one ends the
        run. A zero just at the start or at t_end is none. SciPy's methods find no events.
        `run.resume(t_end)` goes on from the end.

        `inputs` says what the model's inputs are along the motion, and the efforts of hinges, by
        the hinge's name (they add to its laws): a number; an expression of the coordinates, speeds,
        parameters and the time, which is compiled; a `Table` over time; linear `Feedback`; a C
        function, `CLaw`; a Python function of (t, q, v). Each is evaluated at every stage of a
        step, or, in `Sampled(…, period)`, every so many seconds and held between. A key that is a
        tuple of names has one law for them all. An input that is not named has its default. What
        they were is recorded, as `run.inputs`.

        With `hdca` the state is (q, p). Then closing the loops also makes p that of the same motion
        with impulses of the cuts of zero, so that neither grows with the time; without `regauge`
        both are left as they are after the start. It has no `euler`.

        Through singular positions of its loops a motion goes on as smoothly as it came, and lists
        them as `run.passages` (page Closed loops); where it does not say how, that is an error. The
        methods of SciPy cannot do that.

        Shape
            `q0` (nq), `v0` (nv).
        Units
            s; rad, rad/s.
        Raises
            UsageError: a state, time, step, tolerance, event, input or method that does not fit,
                or a run too large to be held.
            CodegenError: `radau5`, and a law has no derivative that could be generated.
            ToolchainError: the method needs SciPy and it is missing (extra `scipy`).
            NumericsError: the motion leaves the finite numbers, the integrator gives up, or its
                steps are so short that it would take more than 1e8.

        Source
            Riccati paper, Sect. 5.1 (`rk4`); screw paper (89), (90) (`rkmk4`); Dormand and Prince
            1980, Shampine 1986 (`dopri5`); Hairer and Wanner, Solving Ordinary Differential
            Equations II, Sect. IV.8 (`radau5`).
        """
        for entry in ("accelerations", "energy"):
            self.code.require(entry, "motions" if entry == "accelerations" else entry)
        if method not in METHODS:
            raise UsageError(f"there is no method {method!r}; there are: {', '.join(METHODS)}")
        bounds = tolerances(rtol, atol, max_step, method, fixed=method in FIXED, dt=dt)
        values = self.code.parameter_values(parameters)
        problem = Problem(self.code, values, steered(self.code, inputs, values), inputs)
        if isinstance(events, Event):
            raise UsageError("events is a list: write events=[Event(…)]")
        watched = tuple(events)
        if watched and method in SCIPY_METHODS:
            raise UsageError(f"{method} finds no events; {', '.join(OWN_METHODS)} do")
        _check_momenta(problem, method, regauge)
        _check_derivatives(problem, method)
        moving = Moving(problem, method, dt, record, bounds, watched, plain=not regauge)
        plan = moving.planned(t_end, t_start, None)
        t = plan.t_start
        moving = replace(moving, begin=t)
        start = Assembler(self.code).assemble(q0, v0, t=t, parameters=problem.given)
        q, v = problem.start(start.q, start.v)
        q, second = problem.closed(q, problem.moving(q, v, t), t)
        run = moving.run(plan, Stand(t, q[0], second[0], t), progress)
        return replace(run, start=start)


def _check_momenta(problem: Problem, method: str, regauge: bool) -> None:
    """See that what is asked of a motion fits its state.

    Raises
        UsageError: says what does not.
    """
    if not problem.interface.hamiltonian:
        if not regauge:
            raise UsageError("regauge is a choice of algorithm='hdca', whose state has momenta")
        return
    if method == "euler" or method in IMPLICIT:
        other = "Radau" if method in IMPLICIT else "rk4"
        raise UsageError(
            f"{method} moves speeds, of which the state of hdca has none; take {other}"
        )


def _check_derivatives(problem: Problem, method: str) -> None:
    """Make the derivatives that an implicit method needs.

    Raises
        CodegenError: they cannot be generated.
    """
    if method not in IMPLICIT:
        return
    try:
        bool(problem.code.tangents)
    except CodegenError as reason:
        raise CodegenError(
            f"{method} needs the derivatives of the accelerations: {reason}; take Radau or BDF, "
            "which take differences"
        ) from None

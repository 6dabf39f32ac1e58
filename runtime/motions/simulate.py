"""Motion in time: the generated code's own integrators, or SciPy's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy.typing as npt

from ...errors import CodegenError, NumericsError, SingularPositionError, UsageError
from ...model.checks.doubts import once
from ..capabilities.assembly import assemble
from ..closing.start import Start
from ..device.arrays import are_foreign, library_of
from ..device.module import DeviceModule
from ..device.rollouts import roll, see_method
from ..evaluation.evaluator import Evaluator
from ..events import Event
from ..inputs import Laws
from .batches import Runs, of_sample, own_laws, row, samples, together, varying
from .integration import FIXED, IMPLICIT, OWN_METHODS
from .moving import Moving, Stand
from .problem import Problem
from .results import Run
from .schedule import Schedule, tolerances
from .scipy_methods import SCIPY_METHODS
from .steering import steered
from .steering import within_limits as limited

METHODS = (*OWN_METHODS, *SCIPY_METHODS)


def simulate(
    code: Evaluator,
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
    parameters: Mapping[str, Any] | None = None,
    inputs: Laws | None = None,
    within_limits: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Any:
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

    Where `step`, `sign`, `abs`, `min` or `max` of the time in a law jumps or bends, every
    method ends a step and starts anew: however short a load is, it is felt. Where they depend
    on the state, no method knows before: methods that choose their steps can pass over a short
    contact in one of them, unless `max_step` says what is short.

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
    sensors, parameters and the time, which is compiled; a `Table` over time; linear `Feedback`;
    a C function, `CLaw`; a Python function of (t, q, v). Each is evaluated at every stage of a
    step, or, in `Sampled(…, period)`, every so many seconds and held between. A key that is a
    tuple of names has one law for them all. An input that is not named has its default. What
    they were is recorded, as `run.inputs`.

    `within_limits` keeps each of `inputs` within what the model says of it: an input within its
    limits, an effort within the hinge's limit of effort; what a law gives beyond is cut off
    (saturation). Where a law is cut off it has corners, which are not looked for.

    With `hdca` the state is (q, p). Then closing the loops also makes p that of the same motion
    with impulses of the cuts of zero, so that neither grows with the time; without `regauge`
    both are left as they are after the start. It has no `euler`.

    Through singular positions of its loops a motion goes on as smoothly as it came, and lists
    them as `run.passages` (page Closed loops); where it does not say how, that is an error. By
    the methods of SciPy it goes on too, but not with `hdca`.

    A batch of starts or of parameters' values gives `Runs`: a run each, and `runs.data`, one
    dataset with an axis `sample`. A sample that fails is in `runs.failed`, and the others go
    on; one for which something is given that does not fit refuses the batch before it starts.
    They move side by side in a solver of target `c-batch`, or of `cuda`, which has fixed steps
    (page On a graphics processor). There `q0` and `v0` may be arrays on the device, which give a
    `Rollout` of such arrays, recorded where `record` says so; `inputs` may be one of forces along
    the speeds, `parameters` one of run-time parameters, a row a sample. An object that is called
    as an input is copied for each of them, see `Sampled`. For more than fits into memory take
    `mstmm.ensemble`.

    Shape
        `q0` (nq), `v0` (nv); in a batch (sample, …), and a parameter's values (sample).
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
        code.require(entry, "motions" if entry == "accelerations" else entry)
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}; there are: {', '.join(METHODS)}")
    on_device = isinstance(code.backend, DeviceModule)
    if isinstance(code.backend, DeviceModule):
        see_method(code.backend, method)
    bounds = tolerances(rtol, atol, max_step, method, fixed=method in FIXED, dt=dt)
    if isinstance(events, Event):
        raise UsageError("events is a list: write events=[Event(…)]")
    watched = tuple(events)
    inputs = limited(code, inputs) if within_limits else inputs
    if watched and method in SCIPY_METHODS:
        raise UsageError(f"{method} finds no events; {', '.join(OWN_METHODS)} do")

    def moving(given: Mapping[str, float] | None, inputs: Laws | None) -> Moving:
        _see_given_once(given, inputs)
        values = code.parameter_values(given)
        problem = Problem(code, values, steered(code, inputs, values), inputs)
        _check_momenta(problem, method, regauge)
        return Moving(problem, method, dt, record, bounds, watched, plain=not regauge)

    if on_device and are_foreign((q0, v0)):
        held = {"u": inputs, "p": parameters}
        held_by = {name: x for name, x in held.items() if library_of(x)}
        one = moving(None if "p" in held_by else parameters, None if "u" in held_by else inputs)
        plan = one.planned(t_end, t_start, None)
        return roll(one, q0, v0, plan, record is not None, held_by)
    count = samples(q0, v0, parameters)
    _check_derivatives(code, method)
    if count is not None:
        span = t_end, t_start
        with once():
            return _batch(moving, q0, v0, parameters, inputs, count, span, progress)
    one = moving(parameters, inputs)
    plan = one.planned(t_end, t_start, None)
    one = replace(one, begin=plan.t_start)
    start, stand = _start(one, plan, q0, v0)
    return replace(one.run(plan, stand, progress), start=start)


def _start(
    moving: Moving, plan: Schedule, q0: npt.ArrayLike | None, v0: npt.ArrayLike | None
) -> tuple[Start, Stand]:
    """The start with its loops closed, and where the motion stands there."""
    problem, t = moving.problem, plan.t_start
    start = assemble(problem.code, q0, v0, t=t, parameters=problem.given)
    if start.undecided:
        raise SingularPositionError(start.undecided)
    q, v = problem.start(start.q, start.v)
    q, second = problem.closed(q, problem.moving(q, v, t), t)
    return start, Stand(t, q[0], second[0], t)


def _batch(
    moving: Callable[[Mapping[str, float] | None, Laws | None], Moving],
    q0: npt.ArrayLike | None,
    v0: npt.ArrayLike | None,
    parameters: Mapping[str, Any] | None,
    inputs: Laws | None,
    count: int,
    span: tuple[float, float],
    progress: Callable[[float], None] | None,
) -> Runs:
    """As many motions as there are samples.

    Raises
        UsageError: what is given for one of them does not fit; names it.
        NumericsError: none of them comes to its end.
    """

    def given(k: int) -> dict[str, Any]:
        return {name: row(x, k, 0) for name, x in (parameters or {}).items()}

    varied = varying(parameters)
    first = moving(given(0), own_laws(inputs))
    plan = first.planned(*span, None, count)
    first = replace(first, begin=plan.t_start)
    movings, stands, starts = [], [], {}
    failed: dict[int, str] = {}
    for k in range(count):
        own = own_laws(inputs) if k else inputs
        alike = not k or (not varied and own is inputs)
        one = first if alike else replace(moving(given(k), own), begin=plan.t_start)
        try:
            with of_sample(k):
                start, stand = _start(one, plan, row(q0, k, 1), row(v0, k, 1))
        except NumericsError as reason:
            failed[k] = str(reason)
            continue
        starts[k] = start
        movings.append(one)
        stands.append(stand)
    runs: list[Run | None] = [None] * count
    found = together(movings, plan, stands, progress) if stands else []
    for (k, start), run in zip(starts.items(), found, strict=True):
        if isinstance(run, Run):
            runs[k] = replace(run, start=start)
        else:
            failed[k] = str(run)
    if len(failed) == count:
        raise NumericsError(f"all {count} motions of the batch fail; the first: {failed[0]}")
    return Runs(tuple(runs), dict(sorted(failed.items())), plan.times(), varied)


def _see_given_once(parameters: Mapping[str, float] | None, inputs: object) -> None:
    """See that no input has a value among the parameters and a law too."""
    laws = inputs if isinstance(inputs, Mapping) else {}
    named = {name for key in laws for name in (key if isinstance(key, tuple) else (key,))}
    for name in parameters or ():
        if name in named:
            raise UsageError(f"{name} is given twice, by parameters and by inputs; leave one out")


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


def _check_derivatives(code: Evaluator, method: str) -> None:
    """Make the derivatives that an implicit method needs.

    Raises
        CodegenError: they cannot be generated.
    """
    if method not in IMPLICIT:
        return
    try:
        bool(code.tangents)
    except CodegenError as reason:
        raise CodegenError(
            f"{method} needs the derivatives of the accelerations: {reason}; take Radau or BDF, "
            "which take differences"
        ) from None

"""A form integrated by one method at one tolerance: states, and calls of the rate."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from .adams import Adams
from .forms import Form

Floats = npt.NDArray[np.float64]

#: Methods whose steps are seen, so that a step's end can be re-gauged.
ONE_STEP = {"RK45": scipy.integrate.RK45, "RK23": scipy.integrate.RK23}
METHODS = (*ONE_STEP, "PECE", "VODE")

#: Seconds between the states that are asked of VODE, which interpolates; the others tell steps.
GRID = 0.01


@dataclass(frozen=True)
class Run:
    """States at the times of the steps; `calls` of the rate, `extra` of them after re-gauging.

    `tolerance`: with fixed steps the step.
    """

    form: Form
    method: str
    tolerance: float
    times: Floats
    states: Floats
    calls: int
    extra: int
    seconds: float

    @property
    def speeds(self) -> tuple[Floats, Floats]:
        return self.form.speeds(self.states)


class Counted:
    """A rate that counts its calls."""

    def __init__(self, rate: Callable[[float, Floats], Floats]) -> None:
        self.rate, self.calls = rate, 0

    def __call__(self, t: float, y: Floats) -> Floats:
        self.calls += 1
        return self.rate(t, y)


def run(form: Form, method: str, tolerance: float, t_end: float) -> Run:
    """Integrate from the start with rtol = atol = tolerance; `seconds` of the processor.

    Raises
        ArithmeticError: the method gives up.
    """
    rate = Counted(form.rate)
    begin = time.process_time()
    extra = 0
    if method in ONE_STEP:
        times, states, extra = _stepped(form, rate, method, tolerance, t_end)
    elif method == "PECE":
        times, states = Adams(rate, form.start, tolerance).until(t_end)
    else:
        times, states = _vode(form, rate, tolerance, t_end)
    seconds = time.process_time() - begin
    found = np.array(times), np.array(states)
    return Run(form, method, tolerance, *found, rate.calls, extra, seconds)


def fixed(form: Form, step: float, t_end: float, every: int) -> Run:
    """The classical Runge–Kutta method of order four with a fixed step; each `every`-th is told."""
    rate = Counted(form.rate)
    begin = time.process_time()
    y, times, states = form.start, [0.0], [form.start]
    for k in range(1, round(t_end / step) + 1):
        t = (k - 1) * step
        first = rate(t, y)
        second = rate(t + step / 2, y + step / 2 * first)
        third = rate(t + step / 2, y + step / 2 * second)
        fourth = rate(t + step, y + step * third)
        y = y + step / 6 * (first + 2 * second + 2 * third + fourth)
        y = form.regauged(y) if form.regauged else y
        if k % every == 0:
            times.append(k * step)
            states.append(y)
    seconds = time.process_time() - begin
    found = np.array(times), np.array(states)
    return Run(form, "RK4", step, *found, rate.calls, 0, seconds)


def _stepped(
    form: Form, rate: Counted, method: str, tolerance: float, t_end: float
) -> tuple[list[float], list[Floats], int]:
    solver = ONE_STEP[method](rate, 0.0, form.start, t_end, rtol=tolerance, atol=tolerance)
    times, states, extra = [0.0], [form.start], 0
    while solver.status == "running":
        said = solver.step()
        if solver.status == "failed":
            raise ArithmeticError(f"{method} gives up at t = {solver.t:g} s: {said}")
        if form.regauged:
            solver.y = form.regauged(solver.y)
            solver.f = rate(solver.t, solver.y)
            extra += 1
        times.append(solver.t)
        states.append(solver.y)
    return times, states, extra


def _vode(
    form: Form, rate: Counted, tolerance: float, t_end: float
) -> tuple[list[float], list[Floats]]:
    solver = scipy.integrate.ode(rate).set_initial_value(form.start, 0.0)
    solver.set_integrator("vode", method="adams", rtol=tolerance, atol=tolerance, nsteps=100_000)
    times, states = [0.0], [form.start]
    for k in range(1, round(t_end / GRID) + 1):
        states.append(solver.integrate(k * GRID))
        if not solver.successful():
            raise ArithmeticError(f"VODE gives up at t = {solver.t:g} s")
        times.append(solver.t)
    return times, states

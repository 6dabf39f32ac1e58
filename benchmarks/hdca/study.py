"""All runs of the study, and the times of the compiled right-hand sides."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from . import clock, middle, plain
from .forms import NAMES, Form, compiled, form
from .measures import Case, Line, growth
from .middle import Halved
from .runs import METHODS, ONE_STEP, Run, fixed, run

#: The tolerance of the paper's plots.
PLOTTED = 1e-6

#: The runs over 100 s: fixed steps, so that the drift is not that of a step size's choice.
STEP, LONG, EVERY = 2e-3, 100.0, 50

#: Seconds after which short runs are not repeated any more.
ENOUGH = 1.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """What is run."""

    cases: tuple[int, ...] = (1, 2, 3)
    tolerances: tuple[float, ...] = tuple(10.0**-k for k in range(3, 10))
    t_end: float = 10.0
    long: float = LONG
    repeats: int = 3
    most: int = 15
    target: str = "c"


@dataclass(frozen=True)
class Own:
    """A run by `simulate`, inside the generated code: tolerances and steps of its own."""

    case: int
    algorithm: str
    said: str
    seconds: float
    energy: float
    position: float
    angle: float


@dataclass
class Found:
    """What the study found."""

    cases: dict[int, Case] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    plotted: dict[int, list[Run]] = field(default_factory=dict)
    long: dict[int, list[Run]] = field(default_factory=dict)
    #: By case and algorithm, in seconds: one right-hand side in compiled code.
    rates: dict[tuple[int, str], float] = field(default_factory=dict)
    own: list[Own] = field(default_factory=list)
    middle: list[Halved] = field(default_factory=list)
    beside: list[plain.Beside] = field(default_factory=list)

    def at(self, case: int, form: str, method: str, tolerance: float = PLOTTED) -> Line | None:
        keys = (case, form, method, tolerance)
        return next(
            (x for x in self.lines if (x.case, x.form, x.method, x.tolerance) == keys), None
        )

    def exponents(self, case: int) -> dict[str, float]:
        """Growth of the position error over the long runs."""
        judge = self.cases[case]
        return {
            run.form.name: growth(run.times, judge.errors(run).position) for run in self.long[case]
        }


def wanted(name: str, method: str, tolerance: float) -> bool:
    """Re-gauging needs methods of one step; `riccati` is there for the plots alone."""
    if name == "riccati":
        return (method, tolerance) == ("RK45", PLOTTED)
    return "," not in name or method in ONE_STEP


def in_turn(forms: Sequence[Form], method: str, tolerance: float, settings: Settings) -> list[Run]:
    """A run of each form; in turn and again, so that a busy machine is busy for all of them."""
    rounds: list[list[Run]] = []
    begin = time.perf_counter()
    while len(rounds) < settings.repeats or (
        len(rounds) < settings.most and time.perf_counter() - begin < ENOUGH
    ):
        rounds.append([run(form, method, tolerance, settings.t_end) for form in forms])
    least = [min(run.seconds for run in runs) for runs in zip(*rounds, strict=True)]
    return [replace(run, seconds=x) for run, x in zip(rounds[0], least, strict=True)]


def studied(settings: Settings, say: Say) -> Found:
    found = Found()
    for number in settings.cases:
        say(f"case {number}: the exact motion")
        case = found.cases[number] = Case(number, settings.t_end, settings.target)
        forms = {name: form(case.name, name, settings.target) for name in NAMES}
        for method, tolerance in product(METHODS, settings.tolerances):
            say(f"case {number}: {method}, {tolerance:.0e}")
            chosen = [x for name, x in forms.items() if wanted(name, method, tolerance)]
            runs = in_turn(chosen, method, tolerance, settings)
            found.lines += [case.line(run) for run in runs]
            if (method, tolerance) == ("RK45", PLOTTED):
                found.plotted[number] = runs
        say(f"case {number}: {settings.long:g} s")
        found.long[number] = [
            fixed(own, STEP, settings.long, EVERY)
            for own in forms.values()
            if own.name != "riccati"
        ]
        if settings.target == "c":
            for made in found.plotted[number]:
                if "," not in made.form.name:
                    found.rates[number, made.form.name] = clock.seconds(case.name, made)
            found.beside.append(plain.beside(number))
        if number in middle.CASES:
            say(f"case {number}: cut in the middle")
            found.middle += middle.halved(number, PLOTTED, settings.t_end, settings.target)
        found.own += [_own(case, name, settings) for name in ("riccati", "dca", "hdca")]
    return found


def _own(case: Case, algorithm: str, settings: Settings) -> Own:
    """`dopri5` at the plots' tolerance, as a user runs it: loops are closed at every step."""
    solver = compiled(case.name, algorithm, settings.target)
    seconds = []
    for _ in range(settings.most):
        begin = time.process_time()
        made = solver.simulate(
            t_end=case.t_end, method="dopri5", rtol=PLOTTED, atol=PLOTTED, record=0.1
        )
        seconds.append(time.process_time() - begin)
    energy = case.linkage.energy(made.q, made.v)
    return Own(
        case.number,
        algorithm,
        "q projected, σ = 0 after every step" if algorithm == "hdca" else "projected every step",
        min(seconds),
        float(np.abs(energy - energy[0]).max()),
        float(case.linkage.gaps(made.q, made.v)[0].max()),
        float(np.abs(made.q[-1] - case.q[-1]).max()),
    )

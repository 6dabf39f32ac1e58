"""All runs of the study, and the times of the compiled right-hand sides."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import mstmm

from . import clock
from .forms import NAMES, form
from .measures import Case, Line, growth
from .runs import METHODS, ONE_STEP, Run, fixed, run

#: The tolerance of the paper's plots.
PLOTTED = 1e-6

#: The runs over 100 s: fixed steps, so that the drift is not that of a step size's choice.
STEP, LONG, EVERY = 2e-3, 100.0, 50

Say = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """What is run."""

    cases: tuple[int, ...] = (1, 2, 3)
    tolerances: tuple[float, ...] = tuple(10.0**-k for k in range(3, 10))
    t_end: float = 10.0
    long: float = LONG
    repeats: int = 3
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


def wanted(name: str) -> Sequence[str]:
    """Methods for a form: re-gauging needs methods of one step."""
    return tuple(ONE_STEP) if "," in name else METHODS


def best(make: Callable[[], Run], repeats: int) -> Run:
    """The run, with the least of the times of its repetitions."""
    runs = [make() for _ in range(repeats)]
    return replace(runs[0], seconds=min(each.seconds for each in runs))


def studied(settings: Settings, say: Say) -> Found:
    found = Found()
    for number in settings.cases:
        say(f"case {number}: the exact motion")
        case = found.cases[number] = Case(number, settings.t_end, settings.target)
        forms = {name: form(case.name, name, settings.target) for name in NAMES}
        found.plotted[number], found.long[number] = [], []
        for name, own in forms.items():
            for method, tolerance in _runs(name, settings):
                say(f"case {number}: {name}, {method}, {tolerance:.0e}")
                made = best(
                    lambda own=own, m=method, tol=tolerance: run(own, m, tol, settings.t_end),
                    settings.repeats,
                )
                found.lines.append(case.line(made))
                if (method, tolerance) == ("RK45", PLOTTED):
                    found.plotted[number].append(made)
            if name != "riccati":
                say(f"case {number}: {name}, {settings.long:g} s")
                found.long[number].append(fixed(own, STEP, settings.long, EVERY))
        if settings.target == "c":
            for made in found.plotted[number]:
                if "," not in made.form.name:
                    found.rates[number, made.form.name] = clock.seconds(case.name, made)
        found.own += [_own(case, name, settings) for name in ("riccati", "dca", "hdca")]
    return found


def _runs(name: str, settings: Settings) -> Iterator[tuple[str, float]]:
    if name == "riccati":
        yield "RK45", PLOTTED
        return
    for method in wanted(name):
        yield from ((method, tolerance) for tolerance in settings.tolerances)


def _own(case: Case, algorithm: str, settings: Settings) -> Own:
    """`dopri5` at the plots' tolerance, as a user runs it: loops are closed at every step."""
    solver = mstmm.compile(case.name, algorithm=algorithm, target=settings.target)
    seconds = []
    for _ in range(settings.repeats):
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

"""The cases of one loop, cut in its middle instead of at its last pivot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import mstmm
from mstmm.model import Model

from .forms import algorithm_of, form_of
from .measures import Case, Line
from .runs import ONE_STEP, run

#: Cases of one loop.
CASES = (1, 2)

FORMS = ("dca", "hdca", "hdca, re-gauged")
METHODS = (*ONE_STEP, "PECE")


@dataclass(frozen=True)
class Halved:
    """A run of a case that is cut in the middle; `momentum`: the largest, none with DCA."""

    line: Line
    momentum: float | None


def cut_in_the_middle(model: Model) -> Model:
    """Two chains of half the links, each from its own pivot; their middle joint is cut."""
    n = len(model.bodies)
    own = np.cumsum(model.q0)
    hinges = tuple(replace(hinge, name=f"pin{hinge.name}") for hinge in model.hinges)
    first, middle, last = hinges[: n // 2], hinges[n // 2], hinges[: n // 2 : -1]
    turned = tuple(replace(hinge, ends=hinge.ends[::-1]) for hinge in last)
    back = np.diff([0.0, *own[: n // 2 - 1 : -1]])
    return replace(
        model,
        name=f"{model.name}-cut-in-the-middle",
        hinges=(*first, *turned, middle),
        cuts=(middle.name,),
        q0=(*model.q0[: n // 2], *map(float, back)),
    )


def halved(number: int, tolerance: float, t_end: float, target: str) -> Iterator[Halved]:
    """All forms, by methods of one step and PECE."""
    model = cut_in_the_middle(mstmm.load(f"hdca-case-{number}"))
    case = Case(number, t_end, target, mstmm.compile(model, target=target))
    for name in FORMS:
        solver = mstmm.compile(model, algorithm=algorithm_of(name), target=target)
        form = form_of(solver, name)
        for method in METHODS:
            if form.regauged and method not in ONE_STEP:
                continue
            made = run(form, method, tolerance, t_end)
            p = np.abs(made.states[:, len(solver.speeds) :]).max()
            yield Halved(case.line(made), None if name == "dca" else float(p))

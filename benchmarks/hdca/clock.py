"""What one right-hand side costs in compiled code, timed by a loop in C."""

from __future__ import annotations

import numpy as np

from ..harness import Call
from .forms import compiled
from .runs import Run

#: The entry that is a form's right-hand side; q̇ of the first two are the speeds themselves.
ENTRIES = {"riccati": "accelerations", "dca": "accelerations", "hdca": "momentum_rates"}

SAMPLES = 60


def seconds(case: str, run: Run) -> float:
    """For one state, at the states of the run: the least of some samples."""
    solver = compiled(case, run.form.name, "c")
    backend, entry = solver.backend, ENTRIES[run.form.name]
    n = len(solver.speeds)
    given = {"q": run.states[:, :n], "v": run.states[:, n:], "mom": run.states[:, n:]}
    sizes = backend.interface.sizes
    arrays = [
        np.ascontiguousarray(given.get(name, np.zeros((len(run.states), sizes[name]))))
        for name in backend.interface.arguments[entry]
    ]
    call = Call(backend.function(entry), arrays, backend.work(), kept=backend)
    passes = call.passes()
    return min(call.seconds(passes) for _ in range(SAMPLES))

"""Which sets of run-time parameters a solver refuses, as a bridge meets them: in rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...runtime.evaluation.arrays import Floats
from ...runtime.evaluation.evaluator import Evaluator

#: Sets that are remembered: a new one costs the model's own checks, about a millisecond.
REMEMBERED = 65_536


class Judged:
    """A solver's judgement of run-time parameters; inputs may have any value."""

    def __init__(self, solver: Evaluator) -> None:
        self.solver = solver
        inputs = {x.name for x in solver.model.inputs}
        self._own = [k for k, name in enumerate(solver.parameters) if name not in inputs]
        self._names = [solver.parameters[k] for k in self._own]
        self._known: dict[bytes, bool] = {}
        self._last: tuple[Floats, npt.NDArray[np.bool_] | None] = np.empty((0, 0)), None

    @property
    def asks(self) -> bool:
        """Is there any parameter that may be refused?"""
        return bool(self._own)

    def refused(self, rows: Floats) -> npt.NDArray[np.bool_] | None:
        """The rows that the solver refuses; None if there are none.

        Shape
            (n,); `rows` (n, np).
        """
        before, found = self._last
        if not self._own or np.array_equal(before, rows):
            return found
        sets, places = np.unique(rows[:, self._own], axis=0, return_inverse=True)
        wrong = np.array([not self._taken(row) for row in sets], bool)[places.ravel()]
        found = wrong if wrong.any() else None
        self._last = rows.copy(), found
        return found

    def _taken(self, row: Floats) -> bool:
        key = row.tobytes()
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            try:
                self.solver.parameter_values(dict(zip(self._names, row.tolist(), strict=True)))
                self._known[key] = True
            except UsageError:
                self._known[key] = False
        return self._known[key]

"""A program read as it stands, in doubles: by name, in the shapes that a test has."""

from __future__ import annotations

from typing import Any

import numpy as np

from mstmm.symbolic.language.arithmetic import FLOAT
from mstmm.symbolic.language.interpreter import Interpreter
from mstmm.symbolic.language.program import Program, Ref

#: The places of (force, couple), as programs take a body's load, among moment and force.
FORCE_FIRST = {2: [3, 4, 2], 3: [3, 4, 5, 0, 1, 2]}


class Reading:
    """The reference interpreter's results; arguments that are not given are zero."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.interpreter = Interpreter(program, FLOAT)

    def values(self, entry: str, **given: Any) -> dict[Ref, list[float]]:
        """All that is computed on the way to an entry's results."""
        flat: dict[str, list[float]] = {}
        for array in self.program.arrays.values():
            size = len(self.program.sets[array.index_set]) * len(array.port.entries)
            flat[array.owner] = [0.0] * size
        flat |= {name: [float(x) for x in np.ravel(value)] for name, value in given.items()}
        return self.interpreter.run(entry, flat)

    def __call__(self, entry: str, **given: Any) -> dict[str, np.ndarray]:
        values = self.values(entry, **given)
        names = self.interpreter.entry(entry).results
        return {x: np.array(self.interpreter.flat(x, values), dtype=float) for x in names}

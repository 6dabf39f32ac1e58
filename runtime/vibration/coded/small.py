"""A model's generated code of small motions about a place at rest, called at many frequencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....codegen.face.choice import Choice
from ....errors import UsageError
from ....model import Model
from ....symbolic.methods.linear.cells import cells_for
from ...evaluation.arrays import Floats, as_the_code_takes
from ...evaluation.evaluator import Evaluator


class SmallMotions:
    """The code of the algorithm `linear` or `damped`, of a model about a place at rest.

    Displacements are those along the speeds, then of each body its centre of mass and its turn, of
    cells of beams both ends; `named` says by what results and loads call them. Of a model with
    beams each stretch is in so many `cells`.
    """

    def __init__(
        self,
        code: Evaluator,
        algorithm: str,
        named: Sequence[tuple[str, ...]],
        q: Floats,
        *,
        t: float,
        parameters: Mapping[str, float] | None,
        cells: int | None = None,
    ) -> None:
        self.code, self.cells = code, cells
        self.made = code.small_motions(cells, algorithm)
        self.interface = self.made.prepared.interface
        sizes = self.interface.sizes
        self.along = [x for x in named if x[0] in sizes]
        if "below" not in sizes:
            raise UsageError(f"{code.model.name} has no modes: nothing of it moves freely")
        self.speeds = len(self.interface.sets["speeds"])
        self.values = code.parameter_values(parameters)
        # Coordinates of beams, which have none here, are the last ones.
        self.q = q[: len(q) - sum(beam.modes for beam in code.model.beams)]
        still = np.zeros(self.speeds)
        self.given = {"q": self.q, "v": still, "t": np.array([t]), "p": self.values}
        if "cut" in sizes:  # at the ends of the cut hinges, which are the last ones
            loads = code.companion(Choice("riccati")).results(
                "joint_loads", q, t=t, parameters=parameters
            )["loads"]
            self.given["cut"] = loads[-sizes["cut"] :]
        self.widths = [sizes[x[0]] for x in self.along]
        self.highest = np.inf if cells is None else highest(self.model, cells)

    @property
    def model(self) -> Model:
        """The model at these parameters."""
        told = dict(zip(self.code.parameters, self.values.tolist(), strict=True))
        return self.code.model.with_parameters(**told)

    def run(self, entry: str, **given: Floats) -> dict[str, Floats]:
        """An entry at many frequencies; what is not finite stays so."""
        states, sizes = len(next(iter(given.values()))), self.interface.sizes
        buffers: dict[str, Floats] = {}
        for name in self.interface.arguments[entry]:
            held, shape = {**self.given, **given}.get(name), (states, sizes[name])
            buffers[name] = (
                np.empty(shape) if held is None else as_the_code_takes(np.broadcast_to(held, shape))
            )
        self.made.backend.run(entry, buffers)
        return buffers

    def loads(self, loads: Floats) -> dict[str, Floats]:
        """Loads along the displacements, by what the code calls them."""
        parts = np.split(loads, np.cumsum(self.widths)[:-1], axis=1)
        return {names[-1]: part for names, part in zip(self.along, parts, strict=True)}


def highest(model: Model, cells: int) -> float:
    """The largest ω² up to which so many cells of beams are enough."""
    low, high = -20.0, 40.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if cells_for(model, 2.0**middle) <= cells else (low, middle)
    return float(4.0**low)

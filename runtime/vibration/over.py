"""Natural modes over the values of a parameter: which mode is which, and how it changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...model import Model
from ...model.expressions.quantities import abridged, told
from ...shown import report
from ..evaluation.arrays import Floats
from ..evaluation.evaluator import Evaluator
from .modes import Modes, about
from .named_arrays import OfSquares, lines_over, values_over
from .natural import modes
from .rest import at_rest
from .spectra.lines import along, lines
from .stiffness import Whole
from .tracking import Shapes
from .varied import varied

#: A place that moves by less over all values is one.
MOVED = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class ModesOver(OfSquares):
    """Natural modes over the values of a parameter: at each value all that were asked for.

    A line goes through modes that move alike from value to value, whatever their order; where a
    line has no mode, as above the limit, its entries are no numbers. Lines are in the order of
    their first ω². `steps` has the `Modes` at each value, each with the certificate that its list
    is whole, and `numbers` which of them a line goes through, counted from 1; 0 where it has none.
    `q` is where the model rests at each value: an equilibrium that moves is followed.

    `over["squares"]` is a `Variable` with axes and units, `over.squares` its bare array; `data` is
    all of them as an `xarray.Dataset`.

    Shape
        `at` (at), the values; `q` (at, nq); `squares`, `numbers` (at, line); `coordinates`
        (at, line, speed).
    Units
        `at` those of the parameter; `squares` (rad/s)²; rad, m.
    """

    CALLED: ClassVar = "modes over a parameter"
    DESCRIBED: ClassVar = {
        "squares": (("at", "line"), "rad2 s-2", "squares of the circular frequencies"),
        "frequencies": (("at", "line"), "rad/s", "circular frequencies"),
        "hertz": (("at", "line"), "Hz", "frequencies"),
        "growth": (("at", "line"), "s-1", "growth of unstable modes"),
        "numbers": (("at", "line"), "1", "which mode of each value, from 1 on"),
        "coordinates": (("at", "line", "speed"), "", "motion along the speeds"),
        "q": (("at", "coordinate"), "", "places at rest"),
    }

    model: Model
    parameter: str
    at: Floats
    q: Floats
    squares: Floats
    numbers: Whole
    coordinates: Floats
    names: Mapping[str, tuple[str, ...]]
    steps: tuple[Modes, ...]
    origin: str = "given"

    @cached_property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        places = self.model.coordinate_units[: self.q.shape[1]]
        along = self.steps[0]["coordinates"].member_units
        return {"coordinates": along, "q": tuple(x.unit for x in places)}

    @property
    def _coords(self) -> Mapping[str, Any]:
        lines = np.arange(1, self.squares.shape[1] + 1)
        return values_over(self.parameter, self.at) | {"line": lines}

    def plot(self, ax: Any = None) -> Any:
        """Draw ω over the parameter, a curve for each line; what grows below the axis.

        Returns the axes, new ones if none are given.

        Raises
            ToolchainError: matplotlib is missing (extra `plot`).
        """
        return report("vibration.over").plot(self, ax)

    def _lines(self) -> Iterator[str]:
        count, name = self.squares.shape[1], abridged(self.parameter)
        first, last = self.at[0], self.at[-1]
        yield (
            f"{abridged(self.model.name)}: {told(count, 'natural mode')} over "
            f"{name} = {first:.5g} … {last:.5g}, {told(len(self.at), 'value')}"
        )
        yield from about(self.model, self.q[0], self.origin)
        if (moved := np.ptp(self.q, axis=0).max(initial=0.0)) > MOVED:
            yield f"which moves by up to {moved:.3g} with {name}, and is followed"
        most = [self._most(line) for line in range(count)]
        entries = self.frequencies - self.growth
        yield from lines_over(name, self.at, "moves most", most, entries)
        if (self.squares < 0).any():
            yield "below 0: how fast a mode grows, in 1/s"
        yield "that these are all: counted at each value"

    def _most(self, line: int) -> str:
        """The element with the largest part of a mode's kinetic energy, where its line begins."""
        k = int((self.numbers[:, line] > 0).argmax())
        own = self.steps[k]
        most = int(own.kinetic[self.numbers[k, line] - 1].argmax())
        return abridged(own.names["element"][most])


def modes_over(
    code: Evaluator,
    parameter: str,
    values: npt.ArrayLike,
    q: npt.ArrayLike | None = None,
    *,
    count: int | None = None,
    below: float | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> ModesOver:
    """Natural modes over the values of a parameter, as of a stiffness: at each value all of them.

    The first `count` at each value (default: 10), or all `below` a frequency. The parameter is one
    that stays an argument of the code: `mstmm.compile(…, parameters=["k"])`, so that all values
    take one code. Lines go from value to value by how modes move, so that those that cross keep
    their lines. `q` is a place at rest with the first value, by default as for `modes`; from value
    to value an equilibrium that moves is followed. Of what spins `campbell` tells this.

        >>> import mstmm
        >>> solver = mstmm.compile("double-pendulum", target="numpy", parameters=["l2"])
        >>> solver.modes_over("l2", [1.0, 2.0], [0.0, 0.0]).squares.shape
        (2, 2)

    Shape
        `values` (at); `q` (nq).
    Units
        `values` those of the parameter; `below` rad/s.
    Raises
        UsageError: the parameter is no argument of the code, or is in `parameters` as well; no
            values; or as `modes` at one.
        NumericsError: no equilibrium is found, or modes are not all, by the count.
        ToolchainError: as `modes`.
    Source
        Modal assurance criterion: Allemang and Brown (1982), here of augmented vectors.
    """
    at = varied(parameter, "values", values, parameters)
    steps: list[Modes] = []
    for value in at.tolist():
        here: dict[str, Any] = {"t": t, "parameters": {**(parameters or {}), parameter: value}}
        if steps:
            q = at_rest(code, start=steps[-1].q, **here).q
        steps.append(modes(code, q, count=count, below=below, **here))
    order = lines(_shapes(steps))
    squares = along(order, [x.squares for x in steps])
    firsts = np.argmax(order >= 0, axis=0)
    sorting = np.lexsort([squares[firsts, np.arange(order.shape[1])], firsts])
    order = order[:, sorting]
    return ModesOver(
        code.model,
        parameter,
        at,
        np.array([x.q for x in steps]),
        squares[:, sorting],
        order + 1,
        along(order, [x.coordinates for x in steps]),
        {
            "speed": steps[0].names["speed"],
            "coordinate": tuple(code.model.coordinates[: len(steps[0].q)]),
        },
        tuple(steps),
        steps[0].origin,
    )


def _shapes(steps: Sequence[Modes]) -> list[Shapes]:
    """Modes at each value by augmented vectors, beams at as many stations everywhere."""
    stations = max(x.inside.stiffness.cells or 1 for x in steps)
    found = [x.inside.shapes(stations) if len(x.squares) else None for x in steps]
    length = next((x.u.shape[1] for x in found if x), 0)
    nothing = np.zeros((0, length))
    none = Shapes(nothing, nothing, np.zeros(0, dtype=np.int64))
    return [x or none for x in found]

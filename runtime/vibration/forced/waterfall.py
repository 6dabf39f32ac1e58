"""Steady responses over the frequency and over the values of a parameter, as of a spin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ....errors import UsageError
from ....model import Model
from ....model.expressions.quantities import abridged, told
from ....model.parts.naming import nearest
from ....shown import report
from ...evaluation.arrays import Floats
from ...evaluation.evaluator import Evaluator
from ..named_arrays import MOST_SHOWN, NamedArrays, values_over
from ..stiffness import Complex
from ..varied import varied
from .harmonic import listed, response
from .response import acting, unstable


@dataclass(frozen=True, eq=False, repr=False)
class Waterfall(NamedArrays):
    """How outputs swing under harmonic loads, over the frequency and a parameter's values.

    `total` are complex amplitudes of Re(total · e^(iωt)), infinite where a resonance is met.
    `growing` is as in `Response`, the most at the first, last, least and greatest value.

    `found["amplitude"]` is a `Variable` with axes and units, `found.amplitude` its bare array;
    `data` is all of them as an `xarray.Dataset`.

    Shape
        `at`, the parameter's values (at); `frequencies` (n); `total` (at, n, output).
    Units
        rad/s; by `units` of outputs; `at` those of the parameter.
    """

    CALLED: ClassVar = "waterfalls"
    DESCRIBED: ClassVar = {
        "total": (("at", "frequency", "output"), "", "complex amplitudes of the outputs"),
        "amplitude": (("at", "frequency", "output"), "", "amplitudes of the outputs"),
        "phase": (("at", "frequency", "output"), "rad", "phases of the outputs"),
    }

    model: Model
    parameter: str
    at: Floats
    q: Floats
    origin: str
    frequencies: Floats
    total: Complex
    names: Mapping[str, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]]
    damped: bool
    growing: int | None = 0

    @property
    def amplitude(self) -> Floats:
        """How far the outputs swing.

        Shape
            (at, frequency, output).
        """
        return np.abs(self.total)

    @property
    def phase(self) -> Floats:
        """How far the outputs are ahead of cos ωt; where they are infinite no number.

        Shape
            (at, frequency, output).
        Units
            rad, above −π to π.
        """
        return np.where(np.isinf(self.total), np.nan, np.angle(self.total))

    @property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        return {"total": self.units["output"], "amplitude": self.units["output"]}

    def output(self, name: str) -> int:
        """Where an output stands among all.

        Raises
            UsageError: there is none of this name.
        """
        names = self.names["output"]
        if name not in names:
            raise UsageError(
                f"the waterfall has no output {name!r}{nearest(str(name), names)}; it has: "
                f"{', '.join(names)}"
            )
        return names.index(name)

    @property
    def _coords(self) -> Mapping[str, Any]:
        return values_over(self.parameter, self.at) | {
            "frequency": ("frequency", self.frequencies, {"units": "rad/s"}),
            "output_units": ("output", [*self.units["output"]]),
        }

    def plot(self, output: str = "", *, ax: Any = None, harmonics: Sequence[float] = ()) -> Any:
        """Draw amplitudes over the frequency, one curve behind the other by the parameter.

        Of an output, by default the first; with lines ω = n W of multiples of the parameter, which
        of a spin are what unbalance (1) and the like drive. Returns the axes, new ones if none are
        given.

        Raises
            UsageError: there is no such output.
            ToolchainError: matplotlib is missing (extra `plot`).
        """
        name = output or self.names["output"][0]
        return report("vibration.waterfall").plot(self, self.output(name), harmonics, ax)

    def _lines(self) -> Iterator[str]:
        name, low, high = abridged(self.parameter), self.frequencies.min(), self.frequencies.max()
        first, last = self.at[0], self.at[-1]
        yield (
            f"{abridged(self.model.name)}: response over {name} = {first:.5g} … {last:.5g}, "
            f"{told(len(self.at), 'value')}"
        )
        count = told(len(self.frequencies), "frequency", "frequencies")
        yield f"at {count} from {low:.6g} to {high:.6g} rad/s"
        yield acting(self.names["input"])
        if not self.damped:
            yield "without damping resonances are infinite: peaks say only where they are"
        yield from unstable(self.growing)
        yield f"output            {name:<16}  peak at ω in rad/s  amplitude"
        rows = [(k, j) for j in range(len(self.names["output"])) for k in range(len(self.at))]
        for k, j in rows[:MOST_SHOWN]:
            swing = self.amplitude[k, :, j]
            peak = int(swing.argmax())
            yield (
                f"{abridged(self.names['output'][j]):16s}  {self.at[k]:<16.7g}  "
                f"{self.frequencies[peak]:<18.7g}  {swing[peak]:.6g}"
            )
        if len(rows) > MOST_SHOWN:
            yield f"and {len(rows) - MOST_SHOWN} more: name outputs, or --json, or .data"


def waterfall(
    code: Evaluator,
    parameter: str,
    values: npt.ArrayLike,
    frequencies: npt.ArrayLike,
    q: npt.ArrayLike | None = None,
    *,
    inputs: str | Sequence[str] | Mapping[str, Any] | None = None,
    outputs: Sequence[str] | None = None,
    t: float = 0.0,
    parameters: Mapping[str, float] | None = None,
) -> Waterfall:
    """The steady response over the frequency at each value of a parameter, as of a spin.

    `response` at all pairs of them, as one batch: `inputs`, `outputs` and what counts are as there.
    The parameter is one that stays an argument of the code, `mstmm.compile(…, parameters=["W"])`,
    and the model rests at the same place with all its values. Amplitudes of inputs are numbers. An
    unbalance turns with its body, so that of a spin its response is `response` along ω = W.

    Shape
        `values` (at); `frequencies` (n); `q` (nq).
    Units
        `values` those of the parameter; rad/s.
    Raises
        UsageError: no values, or the parameter is in `parameters` as well; or as `response`.
        NumericsError: as `response`.
    Source
        `response`.
    """
    at = varied(parameter, "values", values, parameters)
    omegas = listed(frequencies)
    if isinstance(inputs, Mapping) and any(np.ndim(x) for x in inputs.values()):
        raise UsageError("amplitudes of inputs are one number each, at all frequencies")
    found = response(
        code,
        np.tile(omegas, len(at)),
        q,
        inputs=inputs,
        outputs=outputs,
        t=t,
        parameters={**(parameters or {}), parameter: np.repeat(at, len(omegas))},
    )
    return Waterfall(
        found.model,
        parameter,
        at,
        found.q,
        found.origin,
        omegas,
        found.total.reshape(len(at), len(omegas), len(found.names["output"])),
        found.names,
        found.units,
        found.damped,
        found.growing,
    )

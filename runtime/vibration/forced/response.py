"""A steady response to harmonic loads, as named arrays with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ....errors import UsageError
from ....model import Model
from ....model.expressions.quantities import abridged, shorten, told
from ....model.parts.naming import nearest
from ....shown import report
from ...evaluation.arrays import Floats
from ..named_arrays import MOST_SHOWN, OfFrequencies
from ..stiffness import Complex

#: Transfer functions to displacements, speeds and accelerations: powers of iω.
KINDS = {"receptance": 0, "mobility": 1, "accelerance": 2}


@dataclass(frozen=True, eq=False, repr=False)
class Response(OfFrequencies):
    """What moves steadily as Re(amplitude · e^(iωt)) about a place at rest, under harmonic loads.

    `transfers` are the outputs of a unit of each input, `total` those of all inputs with their
    `amplitudes`. What a resonance that is met excites is infinite; `met` lists these frequencies.

    `transfer(input, output)` is one of the transfer functions; `data` is all of it as an
    `xarray.Dataset`.

    Shape
        `frequencies` (n); `transfers` (n, output, input), `amplitudes` (n, input), complex.
    Units
        rad/s; by `units` of outputs and inputs.

    `damped` says whether the equations are: else amplitudes at peaks are those of the frequencies
    that are nearest to a resonance. `growing` is how many independent small deviations from the
    place grow: with any the transfer functions are what they are, but no motion there becomes the
    steady one. It is no number where it is not told.
    """

    CALLED: ClassVar = "responses"
    DESCRIBED: ClassVar = {
        "transfers": (("frequency", "output", "input"), "", "outputs by inputs"),
        "amplitudes": (("frequency", "input"), "", "amplitudes of the inputs"),
        "amplitude": (("frequency", "output"), "", "amplitudes of the outputs"),
        "phase": (("frequency", "output"), "rad", "phases of the outputs"),
    }

    model: Model
    q: Floats
    origin: str
    frequencies: Floats
    transfers: Complex
    amplitudes: Complex
    names: Mapping[str, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]]
    damped: bool
    growing: int | None = 0

    @cached_property
    def total(self) -> Complex:
        """The outputs under all inputs at once, complex amplitudes.

        Shape
            (frequency, output).
        """
        infinite = np.isinf(self.transfers)
        finite = np.where(infinite, 0.0, self.transfers)
        found: Complex = np.einsum("noi,ni->no", finite, self.amplitudes)
        acts = (self.amplitudes != 0)[:, np.newaxis, :]
        found[(infinite & acts).any(axis=2)] = np.inf
        return found

    @property
    def amplitude(self) -> Floats:
        """How far the outputs swing.

        Shape
            (frequency, output).
        """
        return np.abs(self.total)

    @property
    def phase(self) -> Floats:
        """How far the outputs are ahead of cos ωt; where they are infinite no number.

        Shape
            (frequency, output).
        Units
            rad, above −π to π.
        """
        return np.where(np.isinf(self.total), np.nan, np.angle(self.total))

    @property
    def met(self) -> Floats:
        """The frequencies at which a resonance is met.

        Units
            rad/s.
        """
        return self.frequencies[np.isinf(self.transfers).any(axis=(1, 2))]

    def transfer(self, input: str, output: str, kind: str = "receptance") -> Complex:
        """The output of a unit of the input: `receptance`, its rate `mobility`, or `accelerance`.

        Shape
            (frequency).
        Units
            The output's by the input's; s⁻¹ and s⁻² with it.
        Raises
            UsageError: there is no such input or output, or kind.
        """
        k, j = self.at("output", output), self.at("input", input)
        if kind not in KINDS:
            raise UsageError(f"there is no {kind!r}; there are: {', '.join(KINDS)}")
        found: Complex = np.array(self.transfers[:, k, j])
        s, finite = 1j * self.frequencies, np.isfinite(found)
        found[finite] *= s[finite] ** KINDS[kind]
        return found

    def peaks(self, output: str) -> tuple[Floats, Floats]:
        """Where an output swings further than at both neighbouring frequencies, and how far.

        Shape
            (peak), (peak).
        Units
            rad/s; the output's.
        """
        swing = self.amplitude[:, self.at("output", output)]
        inner = swing[1:-1]
        k = 1 + np.flatnonzero((inner > swing[:-2]) & (inner >= swing[2:]))
        return self.frequencies[k], swing[k]

    def at(self, of: str, name: str) -> int:
        """Where an `input` or `output` stands among all.

        Raises
            UsageError: there is none of this name.
        """
        names = self.names[of]
        if name not in names:
            raise UsageError(
                f"the response has no {of} {name!r}{nearest(str(name), names)}; it has: "
                f"{', '.join(names)}"
            )
        return names.index(name)

    def plot(self, *outputs: str, ax: Any = None, resonances: Any = ()) -> Any:
        """Amplitudes and phases over the frequency, a Bode plot; see `report.vibration.bode`.

        `outputs` are all by default; `resonances` are marked: `Modes`, or frequencies in rad/s.

        Raises
            ToolchainError: matplotlib is missing (extra `plot`).
        """
        return report("vibration.bode").plot(self, outputs or self.names["output"], ax, resonances)

    @property
    def _coords(self) -> Mapping[str, Any]:
        coords: dict[str, Any] = {
            "frequency": ("frequency", self.frequencies, {"units": "rad/s"}),
            "hertz": ("frequency", self.hertz, {"units": "Hz"}),
        }
        coords |= {f"{of}_units": (of, [*self.units[of]]) for of in ("output", "input")}
        return coords

    def _lines(self) -> Iterator[str]:
        low, high = self.frequencies.min(), self.frequencies.max()
        count = told(len(self.frequencies), "frequency", "frequencies")
        name = abridged(self.model.name)
        yield f"{name}: response at {count} from {low:.6g} to {high:.6g} rad/s"
        yield acting(self.names["input"])
        if not self.damped:
            yield "without damping resonances are infinite: peaks say only where they are"
        yield from unstable(self.growing)
        yield "output            ω in rad/s    in Hz         amplitude     phase"
        rows = [row for k, name in enumerate(self.names["output"]) for row in self._rows(k, name)]
        yield from rows[:MOST_SHOWN]
        if len(rows) > MOST_SHOWN:
            yield f"and {len(rows) - MOST_SHOWN} more: name outputs, or --json, or response.data"

    def _rows(self, k: int, name: str) -> Iterator[str]:
        """The first frequency, the peaks, and the last one."""
        at, _ = self.peaks(name)
        peaks = np.flatnonzero(np.isin(self.frequencies, at))
        for row in dict.fromkeys((0, *peaks.tolist(), len(self.frequencies) - 1)):
            swing, phase = self.amplitude[row, k], np.degrees(self.phase[row, k])
            said = "–" if np.isnan(phase) else f"{phase + 0.0:.4g}°"
            omega, hertz = self.frequencies[row], self.hertz[row]
            yield f"{abridged(name):16s}  {omega:<12.7g}  {hertz:<12.7g}  {swing:<12.6g}  {said}"


def acting(inputs: Sequence[str]) -> str:
    """What acts, in a line: three inputs, or two and how many there are."""
    names = [abridged(x, 22) for x in inputs]
    return f"under {shorten(names, 3 if len(names) <= 3 else 2)}"


def unstable(growing: int | None) -> Iterator[str]:
    """That a steady motion is never reached, where small deviations grow."""
    if growing is None:
        yield "whether small deviations decay there is not told"
    elif growing:
        grow = f"{told(growing, 'small deviation')} grow{'s' * (growing == 1)}"
        yield f"unstable: {grow}, and no motion there becomes the steady one"

"""Whirl frequencies over a speed, and critical speeds, as named arrays with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...model import Model
from ...model.expressions.quantities import abridged, told
from ...shown import report
from ..evaluation.arrays import Floats
from .decaying import STEADY
from .modes import about
from .named_arrays import MOST_SHOWN, NamedArrays, OfFrequencies, lines_over, values_over
from .stiffness import Complex, Whole

#: A mode whose mean whirl is less, of 1 of circles, moves to and fro.
STRAIGHT = 1e-2


@dataclass(frozen=True, eq=False, repr=False)
class Campbell(OfFrequencies):
    """Frequencies over a speed, the values of a parameter: at each speed all that were asked for.

    A line goes through modes that move alike from speed to speed, whatever their order; where a
    line has no mode, as above the limit, its entries are no numbers. Lines are in the order of
    their first frequencies. `whirl` is the mean over the spinning bodies of how their centres go
    round: 1 of a circle with the spin, forward, −1 of one against it, 0 to and fro. `zero` is how
    many motions nothing resists: as counted where nothing is damped, else how often s = 0 occurs.
    `growth` is how fast grows what does not vibrate, the largest real s that was found, or 0.
    `proof` says how it is known that these are all: by the count of a Hermitian matrix, where
    nothing is damped, or by winding numbers.

    `diagram["frequencies"]` is a `Variable` with axes and units, `diagram.frequencies` its bare
    array; `data` is all of them as an `xarray.Dataset`.

    Shape
        `speeds`, `zero`, `growth` (at); `frequencies`, `decay`, `whirl` (at, line);
        `bodies` (at, line, body, 6): amplitudes, a turn, then the displacement of the centre of
        mass.
    Units
        rad/s, 1/s, rad, m; `speeds` those of the parameter.
    """

    CALLED: ClassVar = "Campbell diagrams"
    DESCRIBED: ClassVar = {
        "frequencies": (("at", "line"), "rad/s", "circular frequencies"),
        "hertz": (("at", "line"), "Hz", "frequencies"),
        "decay": (("at", "line"), "s-1", "decay"),
        "whirl": (("at", "line"), "1", "whirl, forward positive"),
        "zero": (("at",), "1", "motions that nothing resists"),
        "growth": (("at",), "s-1", "growth of what does not vibrate"),
        "bodies": (("at", "line", "body", "motion"), "", "amplitudes of the bodies"),
    }

    model: Model
    parameter: str
    q: Floats
    speeds: Floats
    frequencies: Floats
    decay: Floats
    whirl: Floats
    bodies: Complex
    zero: Whole
    growth: Floats
    names: Mapping[str, tuple[str, ...]]
    proof: str
    origin: str = "given"

    @property
    def senses(self) -> tuple[str, ...]:
        """Of each line `forward`, `backward` or `straight`, by the median of its whirl."""
        return tuple(sense(x) for x in np.nanmedian(self.whirl, axis=0).tolist())

    @property
    def _coords(self) -> Mapping[str, Any]:
        lines = np.arange(1, self.frequencies.shape[1] + 1)
        own = {"line": lines, "sense": ("line", [*self.senses])}
        return values_over(self.parameter, self.speeds) | own

    def plot(self, ax: Any = None, *, harmonics: Sequence[float] = (1.0,)) -> Any:
        """Draw the diagram: frequencies over the speed, forward and backward ones told apart.

        With lines ω = n W of excitations at these multiples of the speed, whose crossings are
        critical. Returns the axes, new ones if none are given.

        Raises
            ToolchainError: matplotlib is missing (extra `plot`).
        """
        return report("vibration.campbell").campbell(self, harmonics, ax)

    def _lines(self) -> Iterator[str]:
        first, last, name = self.speeds[0], self.speeds[-1], abridged(self.parameter)
        yield (
            f"{abridged(self.model.name)}: {told(self.frequencies.shape[1], 'line')} over "
            f"{name} = {first:.5g} … {last:.5g}, {told(len(self.speeds), 'speed')}"
        )
        yield from about(self.model, self.q, self.origin)
        yield from lines_over(name, self.speeds, "sense", self.senses, self.frequencies)
        if self.zero.any():
            least, most = self.zero.min(), self.zero.max()
            yield f"at 0 rad/s besides: {least if least == most else f'{least} to {most}'}"
        growing = np.asarray((self.decay < -STEADY * self.frequencies).any(axis=1))
        for grows, text in ((growing, "see decay"), (self.growth > 0, "without vibrating")):
            if grows.any():
                yield f"grows at {name} = {_ranges(self.speeds, grows)}: {text}"
        yield f"that these are all: {self.proof} at each speed"


def _ranges(speeds: Floats, some: npt.NDArray[np.bool_]) -> str:
    """The speeds that are meant, those that follow each other as a range."""
    runs = np.split(np.arange(len(speeds)), np.flatnonzero(np.diff(some)) + 1)
    ends = [speeds[np.unique(run[[0, -1]])] for run in runs if some[run[0]]]
    return ", ".join(" … ".join(f"{x:.5g}" for x in run) for run in ends)


def sense(whirl: float) -> str:
    """What a mean whirl is called."""
    return "straight" if abs(whirl) < STRAIGHT else "forward" if whirl > 0 else "backward"


@dataclass(frozen=True, eq=False, repr=False)
class CriticalSpeeds(NamedArrays):
    """Speeds at which a multiple of the speed is a frequency: all of them below a limit.

    Equal ones are listed as often as they occur. `whirl`, `zero` and `bodies` are as in `Campbell`;
    `frequencies` are `harmonic` times the speeds. `count` critical speeds lie below `below`.

    Shape
        `speeds`, `whirl`, `multiplicity` (speed); `bodies` (speed, body, 6).
    Units
        rad/s, rad, m.
    """

    CALLED: ClassVar = "critical speeds"
    DESCRIBED: ClassVar = {
        "speeds": (("critical",), "rad/s", "critical speeds"),
        "frequencies": (("critical",), "rad/s", "circular frequencies"),
        "multiplicity": (("critical",), "1", "how often a speed occurs"),
        "whirl": (("critical",), "1", "whirl, forward positive"),
        "bodies": (("critical", "body", "motion"), "", "amplitudes of the bodies"),
    }

    model: Model
    parameter: str
    harmonic: float
    q: Floats
    speeds: Floats
    multiplicity: Whole
    whirl: Floats
    bodies: Complex
    zero: int
    below: float
    names: Mapping[str, tuple[str, ...]]
    origin: str = "given"

    @property
    def frequencies(self) -> Floats:
        """The circular frequencies at these speeds.

        Units
            rad/s.
        """
        found: Floats = self.harmonic * self.speeds
        return found

    @property
    def senses(self) -> tuple[str, ...]:
        """Of each `forward`, `backward` or `straight`."""
        return tuple(sense(x) for x in self.whirl.tolist())

    @property
    def _coords(self) -> Mapping[str, Any]:
        numbers = np.arange(1, len(self.speeds) + 1)
        return {"critical": numbers, "sense": ("critical", [*self.senses])}

    def _lines(self) -> Iterator[str]:
        name = abridged(self.parameter)
        yield (
            f"{abridged(self.model.name)}: {told(len(self.speeds), 'critical speed')} {name} "
            f"below {self.below:.7g} rad/s"
        )
        yield from about(self.model, self.q, self.origin)
        if len(self.speeds):
            yield f"      {name + ' in rad/s':<14}per minute    times  sense"
        for k in range(min(len(self.speeds), MOST_SHOWN)):
            speed = self.speeds[k]
            yield (
                f"{k + 1:4d}  {speed:<14.9g}{speed * 30 / np.pi:<12.7g}"
                f"{self.multiplicity[k]:7d}  {self.senses[k]}"
            )
        if self.zero:
            yield f"at rest nothing resists: {told(self.zero, 'motion')}"
        yield f"that these are all: counted in doubles at ω = {self.harmonic:g} {name}"

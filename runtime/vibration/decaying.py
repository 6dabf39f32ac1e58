"""Damped modes about a place at rest, as named arrays with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...model import Model
from ...model.expressions.quantities import abridged, told
from ..evaluation.arrays import Floats
from .modes import about
from .named_arrays import MOST_SHOWN, MOTION_UNITS, OfFrequencies
from .stiffness import Complex, Whole

#: A real part of s below this part of it, as rounding makes, neither grows nor decays.
STEADY = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class DampedModes(OfFrequencies):
    """Modes of small damped motions about a place at rest, those of the smallest |s| first.

    Along a mode all moves as Re(a e^(s t)), with the complex amplitudes a of `coordinates` and
    `bodies`; their angles are phases. Of a pair s, s* the one with positive imaginary part is
    listed. A mode `vibrates` where s is complex; it `creeps` to rest where s is real and
    negative, as what is damped more than critically; it `grows` where the real part is positive;
    and it is `zero` where nothing resists it, or so little that s is nearer to 0 than the attribute
    `zero`, where rounding begins. An s stands once for each of its independent modes;
    `multiplicity` says how often it occurs, which is more often where s is defective: of a motion
    that nothing resists twice, as of its place and its speed.

    `number` is the winding number of the determinant around `region`: so many eigenvalues are
    inside, those below the real axis included, and so many were found there; `proof` says whether
    that is told by `doubles`, or proven in `balls`. `moved` says whether its edges are not those
    that were asked for, as these ran through an eigenvalue, or too near one. Of them those within
    `within` are listed. The largest amplitude of each mode is 1, of coordinates and bodies. `q` is
    the place, and `origin` how it was come by.

    `modes["bodies"]` is a `Variable` with axes and units, `modes.bodies` its bare array; `data` is
    all of them as an `xarray.Dataset`.

    Shape
        `eigenvalues`, `multiplicity` (mode); `coordinates` (mode, speed); `bodies` (mode, body,
        6): a turn, then the displacement of the centre of mass; `region` (4): the least and the
        largest real part, then imaginary part, and if that is 0 the mirror image, too.
    Units
        rad/s; rad, m.
    Frame
        Coordinates as the columns of `Derivatives.dq`; bodies in the inertial frame.
    """

    CALLED: ClassVar = "damped modes"
    DESCRIBED: ClassVar = {
        "eigenvalues": (("mode",), "rad/s", "eigenvalues s"),
        "frequencies": (("mode",), "rad/s", "circular frequencies"),
        "hertz": (("mode",), "Hz", "frequencies"),
        "decay": (("mode",), "s-1", "decay"),
        "times": (("mode",), "s", "times in which modes fall to 1/e"),
        "damping_ratio": (("mode",), "1", "damping ratios"),
        "multiplicity": (("mode",), "1", "how often an eigenvalue occurs"),
        "coordinates": (("mode", "speed"), "", "amplitudes along the speeds"),
        "bodies": (("mode", "body", "motion"), "", "amplitudes of the bodies"),
    }

    model: Model
    q: Floats
    eigenvalues: Complex
    multiplicity: Whole
    coordinates: Complex
    bodies: Complex
    names: Mapping[str, tuple[str, ...]]
    region: Floats
    number: int
    within: float
    origin: str = "given"
    zero: float = 0.0
    proof: str = "doubles"
    moved: bool = False

    @property
    def frequencies(self) -> Floats:
        """The circular frequencies ω = Im s; 0 of modes that do not vibrate.

        Units
            rad/s.
        """
        found: Floats = self.eigenvalues.imag
        return found

    @property
    def decay(self) -> Floats:
        """How fast a mode decays, −Re s: as exp(−decay t); negative of one that grows.

        Units
            1/s.
        """
        return -self.eigenvalues.real + 0.0

    @property
    def times(self) -> Floats:
        """Times in which modes fall to 1/e, or grow to e where they are negative.

        Units
            s; infinite of those that do neither.
        """
        never = np.full(len(self.eigenvalues), np.inf)
        found: Floats = np.divide(1.0, self.decay, out=never, where=self._moves)
        return found

    @property
    def damping_ratio(self) -> Floats:
        """Lehr's damping ratio −Re s/|s|: 1 of what creeps, 0 without damping."""
        size, none = np.abs(self.eigenvalues), np.zeros(len(self.eigenvalues))
        return np.divide(self.decay, size, out=none, where=self._moves)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of each mode `vibrates`, `creeps`, `grows` or `zero`."""
        grows = self._moves & (self.eigenvalues.real > 0)
        words = np.where(self.eigenvalues.imag > 0, "vibrates", "creeps")
        words = np.where(grows, "grows", np.where(self.eigenvalues == 0, "zero", words))
        return tuple(words.tolist())

    @property
    def _moves(self) -> Any:
        """Which grow or decay by more than rounding."""
        return np.abs(self.eigenvalues.real) > STEADY * np.abs(self.eigenvalues)

    @cached_property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        along = tuple(x.unit.removesuffix("/s") for x in self.model.speed_units)
        return {"coordinates": along[: self.coordinates.shape[1]], "bodies": MOTION_UNITS}

    @property
    def _coords(self) -> Mapping[str, Any]:
        return {
            "mode": np.arange(1, len(self.eigenvalues) + 1),
            "speed_units": ("speed", [*self._members["coordinates"]]),
            "kind": ("mode", [*self.kinds]),
        }

    @property
    def _attrs(self) -> Mapping[str, Any]:
        return {"model": self.model.name, "winding_number": self.number}

    def _lines(self) -> Iterator[str]:
        yield f"{abridged(self.model.name, 32)}: {told(len(self.eigenvalues), 'damped mode')}"
        yield from about(self.model, self.q, self.origin)
        if len(self.eigenvalues):
            yield "mode  ω in rad/s    in Hz         damping ratio  1/e after     times  kind"
        for k in range(min(len(self.eigenvalues), MOST_SHOWN)):
            after = f"{self.times[k]:.4g} s" if self._moves[k] else "–"
            yield (
                f"{k + 1:4d}  {self.frequencies[k]:<12.7g}  {self.hertz[k]:<12.7g}  "
                f"{self.damping_ratio[k]:<13.6g}  {after:<12}  "
                f"{self.multiplicity[k]:5d}  {self.kinds[k]}"
            )
        if len(self.eigenvalues) > MOST_SHOWN:
            yield f"and {len(self.eigenvalues) - MOST_SHOWN} more: --json, or modes.data, has all"
        if "zero" in self.kinds and self.zero:
            yield f"zero: |s| below {self.zero:.2g} rad/s, which is not told from rounding"
        proven = ", proven in balls," * (self.proof == "balls")
        yield f"that these are all: {self.number} eigenvalues by the winding number{proven} around"
        left, right, low, high = (f"{x:.5g}" for x in self.region)
        mirrored = "±" if self.region[2] == 0 else f"{low} … "
        yield f"Re s = {left} … {right}, Im s = {mirrored}{high} rad/s"
        if self.moved:
            yield "whose edges were moved outwards: an eigenvalue lies on them, or one of a part"

"""Natural modes about a place at rest, as named arrays with units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import UsageError
from ...model import Model
from ...model.expressions.quantities import abridged, shorten, told
from ...shown import report
from ..capabilities.tangent import differences
from ..evaluation.arrays import Floats, shaped
from ..evaluation.arrays import count as whole
from .certificate import Certificate
from .forced.transient import transient as moved_over_time
from .inside import Inside
from .named_arrays import MOST_SHOWN, MOTION, MOTION_UNITS, OfSquares
from .stiffness import Whole
from .strains import Field, Strains
from .tracking import Shapes, assurance, followed

#: An entry that is less than 1 by this is 1.
ROUNDING = 1e-9

#: Places of a mode over a period.
FRAMES = 61

#: So many characters of a place are shown.
PLACE_WIDTH = 40


@dataclass(frozen=True, eq=False, repr=False)
class Modes(OfSquares):
    """Natural modes of small motions about a place at rest, those of the lowest ω² first.

    A mode is `stable` where it vibrates at its frequency; `zero` where nothing resists it, as of a
    body that moves freely; `unstable` where ω² is negative: small deviations grow as exp(√−ω² t).
    Of the latter two `frequencies` are 0. Equal eigenvalues are listed as often as they occur,
    `multiplicity` says how often, with modes that are orthogonal by mass and that rounding does not
    choose: the first moves one coordinate most, which the others leave at rest, and so on.

    In `coordinates` the largest entry of each mode is 1, in rad or m, and `bodies` moves with it;
    where beams bend, the largest entry of both is. Of a beam's cells `bodies` has both ends. By
    `masses`, the generalized masses Mᵢ, modal coordinates have the equations
    Mᵢ (η̈ᵢ + ωᵢ² ηᵢ) = Σ bodies · wrenches. `kinetic` is each element's part of a mode's kinetic
    energy: they add up to 1. `certificate` says who has proven that the list is whole. `q` is the
    place, and `origin` how it was come by: `given`, `the start` or `found near the start`.

    `modes["bodies"]` is a `Variable` with axes and units, `modes.bodies` its bare array; `data` is
    all of them as an `xarray.Dataset`.

    Shape
        `squares`, `multiplicity`, `masses` (mode); `coordinates` (mode, speed); `bodies` (mode,
        body, 6): a turn, then the displacement of the centre of mass; `kinetic` (mode, element).
    Units
        `squares` (rad/s)²; rad, m; `masses` kg m² or kg, by the coordinate that is 1.
    Frame
        Coordinates as the columns of `Derivatives.dq`; bodies in the inertial frame.
    """

    CALLED: ClassVar = "modes"
    DESCRIBED: ClassVar = {
        "squares": (("mode",), "rad2 s-2", "squares of the circular frequencies"),
        "frequencies": (("mode",), "rad/s", "circular frequencies"),
        "hertz": (("mode",), "Hz", "frequencies"),
        "growth": (("mode",), "s-1", "growth of unstable modes"),
        "multiplicity": (("mode",), "1", "how often a frequency occurs"),
        "masses": (("mode",), "", "generalized masses"),
        "coordinates": (("mode", "speed"), "", "motion along the speeds"),
        "bodies": (("mode", "body", "motion"), "", "motion of the bodies"),
        "kinetic": (("mode", "element"), "1", "parts of the kinetic energy"),
    }

    model: Model
    q: Floats
    squares: Floats
    multiplicity: Whole
    masses: Floats
    coordinates: Floats
    bodies: Floats
    kinetic: Floats
    names: Mapping[str, tuple[str, ...]]
    certificate: Certificate
    inside: Inside
    origin: str = "given"

    @property
    def kinds(self) -> tuple[str, ...]:
        """Of each mode `stable`, `zero` or `unstable`."""
        words = {1: "stable", 0: "zero", -1: "unstable"}
        return tuple(words[int(x)] for x in np.sign(self.squares))

    @cached_property
    def _members(self) -> Mapping[str, tuple[str, ...]]:
        """The units of members of arrays, where they differ."""
        along = tuple(x.unit.removesuffix("/s") for x in self.model.speed_units)
        along = along[: self.coordinates.shape[1]]
        moved = along + MOTION_UNITS * self.bodies.shape[1]
        bodies = self.bodies.reshape(len(self.squares), len(MOTION) * self.bodies.shape[1])
        entries = np.hstack([self.coordinates, bodies])
        # The first entry that is 1, a coordinate if there is one, is what a mass belongs to.
        ones = (np.abs(entries) > 1 - ROUNDING).argmax(axis=1)
        masses = tuple("kg m2" if moved[k] == "rad" else "kg" for k in ones.tolist())
        return {"coordinates": along, "bodies": MOTION_UNITS, "masses": masses}

    transient = moved_over_time

    @cached_property
    def strains(self) -> Strains:
        """Strain energies by element and direction, and the wrenches in hinges.

        Raises
            UsageError: there are no modes.
            NumericsError: beside a mode displacements are not finite.
        """
        return Strains.of(self.inside, self.masses)

    def field(self, beam: str, x: npt.ArrayLike | None = None) -> Field:
        """How modes move an exact beam and what loads they make in it, by its own equations.

        At places `x` along it, by default 33.

        Shape
            `x` (section).
        Units
            m.
        Raises
            UsageError: there is no such beam, a place is beyond its ends, or there are no modes.
        """
        return Field.of(self.inside, beam, x)

    @cached_property
    def products(self) -> Floats:
        """⟨Vᵢ, M Vⱼ⟩ of the augmented vectors: bodies, rotors, and beams all along.

        `masses` on the diagonal, and zero beside it: modes are orthogonal as a whole, not body by
        body.

        Shape
            (mode, mode).
        Units
            As `masses`.
        Raises
            UsageError: there are no modes.
        """
        own = self.inside.shapes()
        return own.u @ own.momenta.T

    def determinant(self, omega: npt.ArrayLike) -> tuple[Floats, Whole]:
        """log |Δ(ω)|, and the number J of eigenvalues below ω², as long as the modes' cells last.

        Δ is the product of all pivots of the recursion: entire in ω², zero at the eigenvalues, as
        often as they occur, and of the sign (−1)ᴶ. Another number of cells adds a constant.

        Shape
            `omega` (n); both (n).
        Units
            rad/s.
        """
        squares = np.square(shaped("omega", np.atleast_1d(omega), (np.size(omega),)))
        of = self.inside.stiffness
        return of.logarithms(squares), of.counted(squares)[0]

    def likeness(self, other: Modes) -> Floats:
        """The modal assurance criterion of augmented vectors: 1 of one mode, 0 of orthogonal ones.

        Of a model of the same bodies and beams, such as at other parameters.

        Shape
            (own mode, mode of the other).
        Raises
            UsageError: other bodies or beams, or no modes.
        Source
            `tracking.assurance`.
        """
        return assurance(*self._shapes(other))

    def matched(self, other: Modes) -> Whole:
        """Which mode of the other each is, counted from 1 on; 0 of what has none.

        By `likeness`, the likest pairs first: numbers change where frequencies cross, modes do not.
        Where eigenvalues are equal all their modes together are compared.

        Shape
            (own mode).
        Raises
            UsageError: other bodies or beams, or no modes.
        """
        found: Whole = followed(self._shapes(other))[0][1] + 1
        return found

    def _shapes(self, other: Modes) -> tuple[Shapes, Shapes]:
        bodies = [[x.name for x in one.model.bodies] for one in (self, other)]
        if bodies[0] != bodies[1]:
            raise UsageError("modes are of other bodies: what moves in one does not in the other")
        stations = max(x.inside.stiffness.cells or 1 for x in (self, other))
        return self.inside.shapes(stations), other.inside.shapes(stations)

    def motion(self, mode: int, *, amplitude: float = 0.2) -> tuple[Floats, Floats]:
        """Times and places of a mode over a period, as large as is good to look at.

        By its number, from 1 on; what has no period moves to and fro in a second.

        Shape
            (time), (time, coordinate).
        Units
            s; `amplitude` is of the coordinate that moves most, m or rad.
        Raises
            UsageError: there is no such mode, or beams bend in it.
        """
        if self.model.beams:
            raise UsageError("coordinates do not say how exact beams bend; `field` and films do")
        amplitude, times = float(shaped("amplitude", amplitude, ())), self.times(mode)
        way = np.outer(
            np.sin(2 * np.pi * times / times[-1]), amplitude * self.coordinates[mode - 1]
        )
        places = self.q + way @ np.linalg.pinv(differences(self.model, self.q)).T
        for first in self.model.quaternions:
            turn = places[:, first : first + 4]
            turn /= np.linalg.norm(turn, axis=1, keepdims=True)
        return times, places

    def times(self, mode: int) -> Floats:
        """Times over a period of a mode, by its number; over a second of what has none.

        Shape
            (time).
        Units
            s.
        Raises
            UsageError: there is no such mode.
        """
        mode = whole("mode", mode, 1)
        if mode > len(self.squares):
            raise UsageError(f"there is no mode {mode!r}; there are 1 to {len(self.squares)}")
        return np.linspace(0.0, 1 / (self.hertz[mode - 1] or 1.0), FRAMES)

    def animate(self, mode: int, *, amplitude: float | None = None) -> Any:
        """A film of a mode, over and over, see `motion` and `Run.animate`; a period lasts 1.5 s.

        `amplitude`: times the mode's own size; by default as large as is good to look at. A disc is
        drawn on a body that turns about the line that it is drawn as. Exact beams bend as `field`
        says.

        Raises
            UsageError: there is no such mode.
        """
        return report("animation").animate_mode(self, mode, amplitude)

    @property
    def _coords(self) -> Mapping[str, Any]:
        return {
            "mode": np.arange(1, len(self.squares) + 1),
            "speed_units": ("speed", [*self._members["coordinates"]]),
            "mass_units": ("mode", [*self._members["masses"]]),
            "kind": ("mode", [*self.kinds]),
        }

    def said(self, mode: int) -> str:
        """What is said of a mode, by its number: its frequency, or that it grows or is zero."""
        k = mode - 1
        return f"{self.hertz[k]:.4g} Hz" if self.hertz[k] else self._kind(k)

    def _kind(self, k: int) -> str:
        return f"grows {self.growth[k]:.3g}/s" if self.growth[k] else self.kinds[k]

    def _lines(self) -> Iterator[str]:
        yield f"{abridged(self.model.name, 32)}: {told(len(self.squares), 'natural mode')}"
        yield from about(self.model, self.q, self.origin)
        if not len(self.squares):
            return
        yield "mode  ω in rad/s    in Hz         times  kind           moves most"
        for k in range(min(len(self.squares), MOST_SHOWN)):
            grows = self.growth[k] > 0
            omega, hertz = ("–" if grows else f"{x[k]:.7g}" for x in (self.frequencies, self.hertz))
            yield (
                f"{k + 1:4d}  {omega:<12}  {hertz:<12}  "
                f"{self.multiplicity[k]:5d}  {self._kind(k):13s}  {self._most(k)}"
            )
        if len(self.squares) > MOST_SHOWN:
            yield f"and {len(self.squares) - MOST_SHOWN} more: --json, or modes.data, has all"
        who = {x for proof in self.certificate.proof for x in proof.split(", ")}
        yield f"that these are all: counted in {shorten(sorted(who, key=lambda x: (len(x), x)))}"

    def _most(self, k: int) -> str:
        """The element with the largest part of a mode's kinetic energy."""
        most = int(self.kinetic[k].argmax())
        return f"{abridged(self.names['element'][most])} {self.kinetic[k, most]:.0%}"


def about(model: Model, q: Floats, origin: str) -> Iterator[str]:
    """The place that modes are about: as many coordinates as fit in a line."""
    places = zip(model.coordinates, q.tolist(), strict=False)
    said = [f"{name} = {round(value, 9) + 0.0:.5g}" for name, value in places]
    kept = len(said)
    while kept > 1 and len(", ".join(said[:kept])) > PLACE_WIDTH:
        kept -= 1
    more = f" and {len(said) - kept} more" * (kept < len(said))
    how, *notes = origin.split("; ")
    if said:
        yield f"about {', '.join(said[:kept])}{more} ({how})"
    yield from notes
